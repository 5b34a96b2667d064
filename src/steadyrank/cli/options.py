"""What the command line takes: one table of commands and one of options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from steadyrank.errors import InvalidValueError, shorten, typed_name
from steadyrank.reading.roles import ROLES

LIST = "A,B,..."
TAKES = {"column": "COLUMN", "columns": LIST, "flag": None, "text": LIST}
"""What a role is given, by the kind of its value."""


@dataclass(frozen=True)
class Command:
    """What a command is for.

    Parameters
    ----------
    takes : str
        What it takes beside options.
    says : str
        What it is for, in the overview and first in its help.
    examples : tuple of str
        Commands that run on the demo's data.
    forms : tuple of str
        The forms in which it writes its result, the usual one first.
    """

    takes: str
    says: str
    examples: tuple[str, ...]
    forms: tuple[str, ...] = ("text", "json", "csv", "markdown")


RATINGS = "restaurants.csv --item restaurant --rating stars"

COMMANDS = {
    "topk": Command(
        "FILE",
        "The k best items, and where each stands.",
        (
            f"steadyrank {RATINGS} --unit reviewer",
            "steadyrank topk benchmark.csv -k 4 -o top.json",
        ),
    ),
    "rank": Command(
        "FILE",
        "All items, with the ranks that each may have.",
        (
            "steadyrank rank chat_battles.csv",
            f"steadyrank rank {RATINGS} --csv",
            "steadyrank rank benchmark.csv --confidence",
        ),
    ),
    "audit": Command(
        "FILE",
        "How often each answer breaks when one unit is removed.",
        (
            f"steadyrank audit {RATINGS} -k 3,5,10",
            "steadyrank audit chat_battles.csv -k 3 --unit judge --csv",
            "steadyrank audit benchmark.csv -k 4 --eps 0.01",
        ),
    ),
    "check": Command(
        "FILE",
        "A gate for CI: exit 1 if the top k is unstable.",
        (
            "steadyrank check benchmark.csv -k 3",
            "steadyrank check benchmark.csv -k 4 --max-delta 0.2",
            "steadyrank check benchmark.csv -k 3 --min-margin 2 --json",
        ),
    ),
    "explain": Command(
        "FILE [ITEM]",
        "What could change the top k, or an item's place.",
        (
            "steadyrank explain benchmark.csv -k 4",
            "steadyrank explain benchmark.csv GaussNet",
            "steadyrank explain chat_battles.csv 'Heron 2' -k 6 --unit judge",
        ),
    ),
    "compare": Command(
        "OLD NEW",
        "What moved from OLD to NEW, and how far.",
        (
            "steadyrank compare benchmark.csv benchmark_next.csv",
            "steadyrank compare benchmark.csv benchmark_next.csv -k 4 -o moves.html",
            "steadyrank compare benchmark.csv benchmark_next.csv --csv",
        ),
        forms=("text", "json", "csv", "markdown", "html"),
    ),
    "report": Command(
        "FILE",
        "One HTML page to read and to share.",
        (
            f"steadyrank report {RATINGS} -k 5",
            "steadyrank report chat_battles.csv --unit judge -o battles.html",
            "steadyrank report benchmark.csv -k 4",
        ),
        forms=("html",),
    ),
    "demo": Command(
        "",
        "See it work on bundled data, in a minute.",
        (
            "steadyrank demo",
            "steadyrank demo -o tour.html",
            "steadyrank demo --data examples",
        ),
        forms=("html",),
    ),
}


def _number(kind: Callable[[str], Any], what: str) -> Callable[[str, str], Any]:
    def parse(text: str, option: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise InvalidValueError(
                f"{option} must be {what}, but is {shorten(text)}"
            ) from None

    return parse


whole = _number(int, "a whole number")
number = _number(float, "a number")


def wholes(text: str, option: str) -> list[int]:
    """Return whole numbers with commas between them."""
    return [whole(part, option) for part in text.split(",")]


def named_file(text: str, option: str) -> tuple[str, str]:
    """Return the name of a table and its file, written NAME=FILE."""
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise InvalidValueError(
            f"{option} must be NAME=FILE, but is {shorten(text)}",
            way_out=f"An example: {option} users=users.csv",
        )
    return name, file


def plain(text: str, _: str) -> str:
    """Return a text as it is."""
    return text


@dataclass(frozen=True)
class Row:
    """One option of the command line.

    Parameters
    ----------
    name : str
        What the library calls it: ``max_delta`` is typed ``--max-delta``.
    metavar : str or None
        What it takes; a flag takes nothing.
    says : str
        What it does, for the help.
    commands : str
        Which commands have it, with blanks between.
    parse : callable
        Turns the text and the name of the option into its value.
    letter : str
        Its short form.
    alone : str, optional
        What it means without a value; otherwise it needs one.
    repeats : bool
        Whether it may be given several times.
    """

    name: str
    metavar: str | None
    says: str
    commands: str
    parse: Callable[[str, str], Any] = plain
    letter: str = ""
    alone: str | None = None
    repeats: bool = False

    @property
    def flags(self) -> list[str]:
        """The option as it is typed, in every way."""
        short = [f"-{self.letter}"] if self.letter else []
        return [*short, typed_name(self.name)]

    def shown(self) -> str:
        """Return the option with what it takes."""
        takes = "" if self.metavar is None else f" {self.metavar}"
        if self.alone is not None:
            takes = f" [{self.metavar}]"
        return ", ".join(self.flags) + takes


ALL = "topk rank audit check explain compare report"
VIEWED = "topk rank audit check explain compare"
INFLATED = "topk rank audit report"
USUAL_K = "10, or half of fewer than 20"

OPTIONS: Mapping[str, tuple[Row, ...]] = {
    "The answer": (
        Row("k", "K", f"how many items you want; {USUAL_K}", "topk check report", whole),
        Row("k", "K,K,...", f"one k or several; {USUAL_K}", "audit", wholes),
        Row("k", "K", "the border after rank K; after ITEM if not given", "explain", whole),
        Row("k", "K", "also say who entered the top k and who left it", "compare", whole),
        Row("scorer", "NAME", "how to score, such as mean:shrinkage=1", ALL),
        Row("min_count", "N", "leave out items with fewer observations", ALL, whole),
        Row("removals", "M", "how many are removed together; 1 if not given", "topk report", whole),
        Row("eps", "NUMBER", "the paper's inflated answer at this eps", INFLATED, number),
        Row("delta", "SHARE", "the share of units that may break the answer", INFLATED, number),
        Row("proved", None, "what holds for every dataset; no unit is removed", "topk rank report"),
        Row("confidence", "LEVEL", "which ranks the true scores may have; 0.95 if alone", "rank",
            number, alone="0.95"),
        Row("max_delta", "SHARE", "the largest share of units that may change it", "check", number),
        Row("min_margin", "M", "fail if removing fewer units can change it", "check", whole),
        Row("split", "COLUMN", "also answer for each value of this column", "topk check compare report"),
    ),
    "What the columns are": tuple(
        Row(role.name, TAKES[role.takes], role.says, ALL) for role in ROLES.values()
    ),
    "Reading the file": (
        Row("sql", "QUERY", "reshape first: a SELECT ... FROM data", ALL),
        Row("tables", "NAME=FILE", "another file for the query; may be repeated", ALL,
            named_file, repeats=True),
        Row("delimiter", "TEXT", "between cells; as the header has it if not given", ALL),
        Row("encoding", "NAME", "of a text file; UTF-8 if not given", ALL),
        Row("sheet", "NAME", "of an Excel file; the first if not given", ALL),
        Row("engine", "NAME", "duckdb or spark; in memory if not given", ALL),
        Row("memory_limit", "SIZE", "the most memory of the engine, such as 2GB", ALL),
    ),
    "What comes out": (
        Row("output", "PATH", "write to this file; its ending chooses the form", VIEWED, letter="o"),
        Row("output", "PATH", "the page to write; report.html if not given", "report", letter="o"),
        Row("output", "PATH", "the page to write; else demo-report.html", "demo", letter="o"),
        Row("data", "FOLDER", "only copy the data sets into this folder", "demo"),
        Row("json", None, "write JSON (documented, versioned)", VIEWED),
        Row("csv", None, "write the table as CSV", VIEWED),
        Row("markdown", None, "write Markdown, for GitHub", VIEWED),
        Row("all", None, "show every row of long tables", VIEWED),
        Row("verbose", None, "say how the file was read, and why a claim holds", VIEWED, letter="v"),
        Row("quiet", None, "show the answer alone, and no progress", ALL, letter="q"),
    ),
}  # fmt: skip
"""Every option under its heading; in a command where it means another thing, it has
another row."""

ROWS = tuple(row for rows in OPTIONS.values() for row in rows)

SAID = (*ROLES, "sql", "delimiter", "encoding", "sheet", "engine", "memory_limit")
"""Options that go to the reader as they are."""


def rows_of(command: str) -> Iterator[Row]:
    """Yield the options of a command, in the order of its help."""
    return (row for row in ROWS if command in row.commands.split())
