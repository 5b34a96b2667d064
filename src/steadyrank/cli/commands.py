"""Commands, one by one: a study, its findings, and the view that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyrank.cli.inputs import open_study
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
from steadyrank.cli.output import check_output, console, deliver, named, show, terminal_of, working
from steadyrank.data.kinds import KINDS
from steadyrank.errors import InvalidValueError, shorten
from steadyrank.reading.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

UNSTABLE = 1
LEAVING_OUT = "Leaving every unit out"


def with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with all its options, those of the data included."""
    return takes(command, data_options((known.kind for known in KINDS.values()), FORMATS))


def topk(source: InputOptions, answer: AnswerOptions, output: OutputOptions, k: K) -> int:
    """Show the k best items, and those that one unit more or less could put among them."""
    check_output(output)
    opened = open_study(source, answer.scorer)
    with working(LEAVING_OUT):
        found = opened.study.topk(k, **_how(answer)).findings(**opened.about)
    return _view(found, output)


def rank(source: InputOptions, answer: AnswerOptions, output: OutputOptions) -> int:
    """Rank all items, each with the ranks that one unit more or less could give it."""
    check_output(output)
    opened = open_study(source, answer.scorer)
    with working(LEAVING_OUT):
        found = opened.study.ranking(**_how(answer)).findings(**opened.about)
    return _view(found, output)


def audit(
    source: InputOptions,
    target: TargetOptions,
    output: OutputOptions,
    k: Annotated[
        str, typer.Option("-k", help="One k or several.", rich_help_panel=ANSWER, metavar="5,10,20")
    ],
) -> int:
    """Leave every unit out in turn, and measure how stable each method's answer is."""
    check_output(output)
    ks = parse_ks(k)
    opened = open_study(source, target.scorer)
    with working(LEAVING_OUT):
        result = opened.study.audit(ks, eps=target.eps, delta=target.delta)
        found = result.findings(**opened.about)
    return _view(found, output)


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
    from steadyrank.stability.calibration import check_delta

    check_output(output)
    check_delta(max_delta)
    opened = open_study(source, scoring.scorer)
    with working(LEAVING_OUT):
        result = opened.study.check(k, max_delta=max_delta, eps=scoring.eps)
        found = result.findings(**opened.about)
    _view(found, output)
    return 0 if result.stable else UNSTABLE


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
    from steadyrank.report.text import Line
    from steadyrank.safe_text import shown

    opened = open_study(source, answer.scorer)
    study = opened.study
    wanted = study.usual_k if k is None else k
    with named(output), working("Writing the report"):
        study.report(output, wanted, title=title, **opened.about, **_how(answer))
    screen = console()
    where = shown(output, screen.encoding)
    told = f"Wrote the report of the top {wanted:,} of {len(study.items):,} items to {where}"
    show([Line(told)], screen)
    return 0


def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", help="Where the report of the demo goes.", metavar="PATH")
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


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    Examples
    --------
    >>> parse_ks("5,10, 20")
    [5, 10, 20]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidValueError(
            f"-k takes whole numbers separated by commas, such as 5,10,20, but is {shorten(text)}"
        ) from None


def _how(answer: AnswerOptions) -> dict[str, Any]:
    """Return the settings of an answer as the library takes them; it checks the claim."""
    return {"eps": answer.eps, "delta": answer.delta, "claim": answer.claim}


def _view(found: dict[str, Any], output: OutputOptions) -> int:
    from steadyrank.report.export import to_csv, to_json
    from steadyrank.report.terminal import Terminal
    from steadyrank.report.text import lines

    if output.as_json:
        deliver(to_json(found), output.output)
    elif output.as_csv:
        text = to_csv(found)
        deliver(text, output.output)
        _say_if_guarded(text)
    elif output.output is not None:
        paper = Terminal(max(40, console().width), options=True)
        told = lines(found, paper, everything=output.everything)
        deliver("\n".join(line.text for line in told), output.output)
    else:
        screen = console()
        show(lines(found, terminal_of(screen), everything=output.everything), screen)
    return 0


def _say_if_guarded(text: str) -> None:
    """Say on standard error that names were guarded, if any was."""
    import csv
    import io

    from steadyrank.cli.failures import say
    from steadyrank.report.export import GUARD, GUARD_NOTE

    if any(cell.startswith(GUARD) for row in csv.reader(io.StringIO(text)) for cell in row):
        say(f"note: {GUARD_NOTE}.", 0)
