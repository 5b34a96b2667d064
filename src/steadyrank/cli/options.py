"""The options of the command line, each said once, in groups that commands share.

A group is a dataclass whose fields are the options. :func:`takes` gives a command all options of the
groups it asks for, and hands them over as filled-in groups. What can be said about the data comes
from the declarations of their kinds: one option for each name, explained by every kind that has it.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_origin, get_type_hints

import typer

from steadyrank.reading.kinds import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from steadyrank.reading.kinds import Kind, Setting

COLUMNS = "Columns (guessed from common names; every guess is said)"
READING = "Reading the file"
ANSWER = "The answer"
OUTPUT = "Output"


def _option(text: str, *names: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


Name: TypeAlias = str | None


@dataclass(frozen=True)
class InputOptions:
    """Where the data are and how to read them.

    What depends on the kinds of data and formats that there are is left to :func:`data_options`:
    ``kind``, ``format`` and the ``arguments`` of the kind.
    """

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSON lines or Parquet (also gzipped), PrefLib, MovieLens, Netflix "
            "(file or folder), or - for standard input. Files that match a pattern in quotes, such as "
            "'ratings/*.parquet', are scanned by an engine.",
        ),
    ]
    kind: Name = None
    format: Name = None
    encoding: Annotated[
        str, _option("Of a text file; utf-8 if not given.", panel=READING, metavar="NAME")
    ] = "utf-8"
    engine: Annotated[
        Name,
        _option(
            "What works on the data: memory (the default for one file), duckdb (for several), polars "
            "or spark.",
            panel=READING,
            metavar="ENGINE",
        ),
    ] = None
    memory_limit: Annotated[
        Name,
        _option("With duckdb: the most memory it takes, such as 2GB.", panel=READING, metavar="SIZE"),
    ] = None
    spark_master: Annotated[
        Name, _option("With spark: where it runs, such as local[4].", panel=READING, metavar="URL")
    ] = None
    arguments: dict[str, Any] = field(default_factory=dict)


def data_options(kinds: Iterable[Kind], formats: Iterable[str]) -> list[inspect.Parameter]:
    """Return the options for kind and format, and one for every argument that a kind declares."""
    known = list(kinds)
    names = ", ".join(sorted(kind.name for kind in known))
    return [
        _parameter("kind", f"What the data are: {names}; recognised if not given.", READING, "KIND"),
        _parameter(
            "format", f"{', '.join(formats)}; told by the content if not given.", READING, "FORMAT"
        ),
        *_arguments_of(known),
    ]


def _arguments_of(kinds: Iterable[Kind]) -> list[inspect.Parameter]:
    meant: dict[str, dict[str, list[str]]] = {}
    declared: dict[str, Role | Setting] = {}
    for kind in kinds:
        for name, part in kind.declared.items():
            meant.setdefault(name, {}).setdefault(part.means, []).append(kind.name)
            declared.setdefault(name, part)
    return [
        _data_option(name, declared[name], _explained(explanations))
        for name, explanations in meant.items()
    ]


def _explained(explanations: dict[str, list[str]]) -> str:
    """Return what an option means, kind by kind where that differs."""
    parts = [f"{', '.join(kinds)}: {means}" for means, kinds in explanations.items()]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _data_option(name: str, part: Role | Setting, text: str) -> inspect.Parameter:
    if isinstance(part, Role):
        return _parameter(name, text, COLUMNS, "A,B,..." if part.several else "COLUMN")
    if part.flag:
        return _parameter(name, text, READING, None)
    return _parameter(name, text, READING, "A,B,..." if part.several else "POLICY")


def _parameter(name: str, text: str, panel: str, metavar: str | None) -> inspect.Parameter:
    # The name is spelt out, or else a flag would get a --no-... as well.
    option = _option(text, f"--{name.replace('_', '-')}", panel=panel, metavar=metavar)
    hint = Annotated[bool | None, option] if metavar is None else Annotated[str | None, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)


@dataclass(frozen=True)
class ScoringOptions:
    """How data become scores, and how far answers are inflated."""

    scorer: Annotated[
        Name,
        _option(
            "How data become scores, with settings after a colon, such as mean-rating:shrinkage=5; "
            "the usual one for the kind of data if not given.",
            panel=ANSWER,
            metavar="NAME",
        ),
    ] = None
    eps: Annotated[
        float | None,
        _option("The inflation, on the scale of the scores.", panel=ANSWER, metavar="NUMBER"),
    ] = None


@dataclass(frozen=True)
class TargetOptions(ScoringOptions):
    """The same, and what eps is chosen for where it is not given."""

    delta: Annotated[
        float | None,
        _option(
            "Or: the share of units that may break the answer; 0.05 if neither is given.",
            panel=ANSWER,
            metavar="SHARE",
        ),
    ] = None


@dataclass(frozen=True)
class AnswerOptions(TargetOptions):
    """The same, and what is to be claimed."""

    claim: Annotated[
        str,
        _option(
            "observed (leave every unit out; the default), proved, or none (with --eps: no check).",
            panel=ANSWER,
            metavar="CLAIM",
        ),
    ] = "observed"


@dataclass(frozen=True)
class OutputOptions:
    """What to show, and where."""

    as_json: Annotated[
        bool, _option("Write the result as JSON (documented, versioned).", "--json", panel=OUTPUT)
    ] = False
    as_csv: Annotated[
        bool,
        _option(
            "Write the table as CSV. Names that a spreadsheet would run as formulas get an "
            "apostrophe in front.",
            "--csv",
            panel=OUTPUT,
        ),
    ] = False
    output: Annotated[
        Name, _option("Write to this file instead.", "--output", "-o", panel=OUTPUT, metavar="PATH")
    ] = None
    everything: Annotated[bool, _option("Show every row of long tables.", "--all", panel=OUTPUT)] = False


K: TypeAlias = Annotated[
    int, typer.Option("-k", help="How many items are wanted.", rich_help_panel=ANSWER, metavar="K")
]


def takes(command: Callable[..., int], data: list[inspect.Parameter]) -> Callable[..., int]:
    """Give a command the options of each group that it has a parameter for, and those of the data.

    Parameters without a default come first, so that a command's own ``k`` may be required.
    """
    hints = get_type_hints(command, include_extras=True)
    own = inspect.signature(command).parameters
    groups = {name: hints[name] for name in own if is_dataclass(hints[name])}
    given = [parameter for group in groups.values() for parameter in _parameters(group)]
    single = [
        parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        if name not in groups
    ]
    if InputOptions in groups.values():
        given += data
    everything = sorted([*given, *single], key=_has_default)

    @functools.wraps(command)
    def wrapped(**values: Any) -> int:
        known = {part.name for part in fields(InputOptions)}
        named = [part.name for part in data if part.name in values and part.name not in known]
        arguments = {name: values.pop(name) for name in named}
        return command(
            **{name: _filled(group, values, arguments) for name, group in groups.items()}, **values
        )

    wrapped.__signature__ = inspect.Signature(everything)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {one.name: one.annotation for one in everything}
    return wrapped


def _filled(group: type[Any], values: dict[str, Any], arguments: dict[str, Any]) -> Any:
    parts = {part.name: values.pop(part.name) for part in fields(group) if part.name in values}
    return group(**parts, arguments=arguments) if group is InputOptions else group(**parts)


def _has_default(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            part.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if part.default is MISSING else part.default,
            annotation=hints[part.name],
        )
        for part in fields(group)
        if get_origin(hints[part.name]) is Annotated
    ]
