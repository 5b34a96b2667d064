"""The application: its commands by name; what they do and take is loaded when one is asked for."""

from __future__ import annotations

from importlib import import_module
from inspect import cleandoc
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyrank.cli.output import NARROWEST, told

if TYPE_CHECKING:
    from collections.abc import Collection

COMMANDS = {
    "topk": "The k best items, and where each stands.",
    "rank": "All items, with the ranks that each may have.",
    "audit": "How often each answer breaks as units are removed.",
    "explain": "What holds an item up, and what works against it.",
    "check": "A gate for CI: exit 1 if the top k is unstable.",
    "compare": "What moved since the last version, and how far.",
    "margin": "The fewest units whose removal changes the answer.",
    "confidence": "Which ranks the true scores may have, given chance.",
    "report": "One HTML page to read and to share.",
    "inspect": "What a file holds, and which command to use.",
    "demo": "See it work on bundled data, in a minute.",
}
"""Every command, and what it is for; :mod:`steadyrank.cli.commands` has a function for each."""


def make_app(built: Collection[str] = (), *, alone: bool = False) -> typer.Typer:
    """Return the application with the options of some commands, or one command by itself.

    What the others do and take is not loaded; the overview needs no options at all.
    """
    app = typer.Typer(
        name="steadyrank",
        help="Rankings that do not flip when one data point is removed.",
        epilog=f"Try it on bundled data: steadyrank demo. {told()}",
        no_args_is_help=True,
        add_completion=not alone,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if built else None,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "terminal_width": max(NARROWEST, min(80, get_terminal_size().columns)) - 2,
        },
    )
    if not alone:
        app.callback()(_start)
    for name in built if alone else COMMANDS:
        command: Any = _start
        parser = None
        if name in built:
            command, parser = import_module("steadyrank.cli.commands").with_options(
                name
            )
        text, lead, examples = cleandoc(command.__doc__ or "").partition(
            "For example:\n"
        )
        apart = "\n\n".join(
            [lead.strip(), *examples.split("\n")]
        )  # or the help runs them together
        app.command(
            name, cls=parser, short_help=COMMANDS[name], help=text, epilog=apart
        )(command)
    return app


def _version(value: bool) -> None:
    if value:
        from steadyrank import __version__

        typer.echo(f"steadyrank {__version__}")
        raise typer.Exit


def _start(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            help="Show the version.",
            callback=_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass
