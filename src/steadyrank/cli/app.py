"""The commands and their help; what they do is loaded when one of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from steadyrank.cli.options import (
    ANSWER,
    OUTPUT,
    AnswerOptions,
    InputOptions,
    K,
    OutputOptions,
    ScoringOptions,
    TargetOptions,
    data_options,
    takes,
)

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable


def _version(value: bool) -> None:
    if value:
        from steadyrank import __version__

        typer.echo(f"steadyrank {__version__}")
        raise typer.Exit


def _start(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    pass


def topk(source: InputOptions, answer: AnswerOptions, output: OutputOptions, k: K) -> int:
    """Show the k best items, and those that one unit more or less could put among them."""
    from steadyrank.cli.show import show_topk

    return show_topk(source, answer, output, k)


def rank(source: InputOptions, answer: AnswerOptions, output: OutputOptions) -> int:
    """Rank all items, each with the ranks that one unit more or less could give it."""
    from steadyrank.cli.show import show_ranking

    return show_ranking(source, answer, output)


def audit(
    source: InputOptions,
    target: TargetOptions,
    output: OutputOptions,
    k: Annotated[
        str,
        typer.Option("-k", help="One k or several.", rich_help_panel=ANSWER, metavar="5,10,20"),
    ],
) -> int:
    """Leave every unit out in turn, and measure how stable each method's answer is."""
    from steadyrank.cli.show import show_audit

    return show_audit(source, target, output, k)


def check(
    source: InputOptions,
    scoring: ScoringOptions,
    output: OutputOptions,
    k: K,
    max_delta: Annotated[
        float,
        typer.Option(
            "--max-delta",
            help="The largest share of units whose removal may change the answer.",
            rich_help_panel=ANSWER,
            metavar="SHARE",
        ),
    ] = 0.05,
) -> int:
    """Pass (exit 0) if the top k is stable, fail (exit 1) if it is not: a gate for CI.

    Checked is the plain top k; with --eps, the inflated one.
    """
    from steadyrank.cli.show import show_check

    return show_check(source, scoring, output, k, max_delta)


def report(
    source: InputOptions,
    answer: AnswerOptions,
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            help="How many items are wanted; 10, or half of fewer than 20 items, if not given.",
            rich_help_panel=ANSWER,
            metavar="K",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="The file to write.", rich_help_panel=OUTPUT, metavar="PATH"
        ),
    ] = "report.html",
    title: Annotated[
        str | None,
        typer.Option(help="A heading of your own.", rich_help_panel=OUTPUT, show_default=False),
    ] = None,
) -> int:
    """Write one HTML file to look at: verdict, charts with live sliders, a table to search."""
    from steadyrank.cli.show import save_report

    return save_report(source, answer, k, output, title)


def demo(
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Where the report of the demo goes.", metavar="PATH"),
    ] = "demo-report.html",
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="Also copy the data sets into this folder.",
            metavar="FOLDER",
            show_default=False,
        ),
    ] = None,
) -> int:
    """See it work on three bundled data sets, in a minute's read."""
    from steadyrank.cli.tour import tour

    return tour(output, data)


COMMANDS: dict[Callable[..., int], str] = {
    topk: "The k best items, surely in or contending.",
    rank: "All items, with the ranks that each may have.",
    audit: "How often each answer breaks, unit by unit.",
    check: "A gate for CI: exit 1 if the top k is unstable.",
    report: "One HTML file with charts and live sliders.",
    demo: "See it work on bundled data, in a minute.",
}
"""Every command, and what it is for."""


def make_app(*, overview: bool = False) -> typer.Typer:
    """Return the application; its overview alone needs no options of the data, which take loading."""
    app = typer.Typer(
        name="steadyrank",
        help="Rankings that do not flip when one data point leaves.",
        epilog="Try it on bundled data: steadyrank demo",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None if overview else "rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_start)
    options = [] if overview else _data_options()
    for command, purpose in COMMANDS.items():
        app.command(short_help=purpose)(takes(command, options))
    return app


def _data_options() -> list[inspect.Parameter]:
    from steadyrank.data.kinds import KINDS
    from steadyrank.reading.formats import FORMATS

    return data_options((known.kind for known in KINDS.values()), FORMATS)
