"""The options of the command line, each said once, in groups that commands share.

A group is a dataclass whose fields are the options. :func:`takes` gives a command all options of the
groups it asks for, and hands them over as filled-in groups.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = "Columns (guessed from common names; every guess is said)"
READING = "Reading the file"
ANSWER = "The answer"
OUTPUT = "Output"


def _option(text: str, *names: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


def _column(text: str, *names: str) -> Any:
    return _option(text, *names, panel=COLUMNS, metavar="COLUMN")


Name: TypeAlias = str | None


@dataclass(frozen=True)
class InputOptions:
    """Where the data are and how to read them."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSON lines or Parquet (also gzipped), PrefLib, MovieLens, Netflix "
            "(file or folder), or - for standard input. Files that match a pattern in quotes, such as "
            "'ratings/*.parquet', are scanned by an engine.",
        ),
    ]
    kind: Annotated[
        Name,
        _option(
            "votes, ballots, ratings, battles, scores or regression; recognised from the columns "
            "if not given.",
            panel=READING,
            metavar="KIND",
        ),
    ] = None
    format: Annotated[
        Name,
        _option(
            "csv, tsv, jsonl, parquet, netflix, movielens or preflib; told by the content if not given.",
            panel=READING,
            metavar="FORMAT",
        ),
    ] = None
    encoding: Annotated[
        str, _option("Of a text file; utf-8 if not given.", panel=READING, metavar="NAME")
    ] = "utf-8"
    missing: Annotated[
        Name,
        _option(
            "Missing scores: error (the default), drop the row, or use those available.",
            panel=READING,
            metavar="POLICY",
        ),
    ] = None
    duplicates: Annotated[
        Name,
        _option(
            "Two ratings of one item by one user: error (the default), last or mean; in an engine "
            "also trust (do not look).",
            panel=READING,
            metavar="POLICY",
        ),
    ] = None
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
        Name,
        _option("With spark: where it runs, such as local[4].", panel=READING, metavar="URL"),
    ] = None
    approval: Annotated[
        bool | None,
        _option("Ballots name approved items, without order.", "--approval", panel=READING),
    ] = None
    user: Annotated[Name, _column("Who rated or voted.")] = None
    item: Annotated[Name, _column("What was rated, ranked or scored.")] = None
    score: Annotated[Name, _column("The rating or score.")] = None
    left: Annotated[Name, _column("Battles: one side.")] = None
    right: Annotated[Name, _column("Battles: the other side.")] = None
    winner: Annotated[Name, _column("Battles: left, right or tie.")] = None
    wins_left: Annotated[Name, _column("Counted battles: wins of the left side.")] = None
    wins_right: Annotated[Name, _column("Counted battles: wins of the right side.")] = None
    ties: Annotated[Name, _column("Counted battles: ties; several columns as a,b.")] = None
    unit: Annotated[
        Name, _column("Rows with equal values here are left out together (a worker, a prompt).")
    ] = None
    count: Annotated[Name, _column("How often a row occurred.")] = None
    choice: Annotated[Name, _column("Votes: the item voted for.")] = None
    ballot: Annotated[Name, _column("Ballots: orders such as a > b = c.")] = None
    rank: Annotated[Name, _column("Ballots, one row an entry: the rank given.")] = None
    ranks: Annotated[Name, _column("Ballots: first, second... choice, as a,b,c.")] = None
    row: Annotated[Name, _column("Scores: the task, question or row.")] = None
    response: Annotated[Name, _column("Regression: the response.")] = None
    items: Annotated[Name, _column("Scores, regression: the columns to compare, as a,b,c.")] = None


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
        Name,
        _option("Write to this file instead.", "--output", "-o", panel=OUTPUT, metavar="PATH"),
    ] = None
    everything: Annotated[bool, _option("Show every row of long tables.", "--all", panel=OUTPUT)] = False


K: TypeAlias = Annotated[
    int,
    typer.Option("-k", help="How many items are wanted.", rich_help_panel=ANSWER, metavar="K"),
]


def takes(**groups: type[Any]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the options of each group, under the parameter name that it is passed as.

    Parameters without a default come first, so that a command's own ``k`` may be required.
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        own = [
            parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
            for name, parameter in inspect.signature(command).parameters.items()
            if name not in groups
            for hint in (get_type_hints(command, include_extras=True)[name],)
        ]
        given = [parameter for group in groups.values() for parameter in _parameters(group)]
        everything = sorted([*given, *own], key=_has_default)

        @functools.wraps(command)
        def wrapped(**values: Any) -> int:
            filled = {
                name: group(**{part.name: values.pop(part.name) for part in fields(group)})
                for name, group in groups.items()
            }
            return command(**filled, **values)

        wrapped.__signature__ = inspect.Signature(everything)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {one.name: one.annotation for one in everything}
        return wrapped

    return decorate


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
    ]
