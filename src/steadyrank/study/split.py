"""One question asked of all rows and of each category: who is sure where, and where nobody can tell."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from io import BytesIO
from typing import TYPE_CHECKING, Any

from steadyrank.data.read import read
from steadyrank.errors import (
    ColumnError,
    InvalidDataError,
    InvalidValueError,
    Option,
    SteadyrankError,
    shorten,
)
from steadyrank.reading.query import literal, quoted
from steadyrank.reading.table import open_table
from steadyrank.study.answers import named
from steadyrank.study.results import begun, label
from steadyrank.study.study import Study
from steadyrank.text import MOVES, STANDINGS, counted, today

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

MOST = 50
"""The most categories; a column of more values is rather one of ids."""

OPENING = ("sql", "tables", "delimiter", "encoding", "sheet", "memory_limit")
"""What is said of the table rather than of its columns."""

WAYS: dict[str, tuple[str, ...]] = {
    "top-k": tuple(STANDINGS),
    "comparison": MOVES,
    "check": (),
}
"""How items may stand in a category, what matters most first; a check tells of none."""


class Split:
    """A study of all rows, and one for each value of a column: a language, a year.

    The column is set aside, and the others are read in each category as in the whole.

    Parameters
    ----------
    data : path, stream or dataframe
        As for :func:`steadyrank.read`; it is read once for each category.
    column : str
        The column whose values are the categories, at most 50. Rows with a blank there
        are a category, too.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    min_count : int, optional
        In each category, leave out items with fewer observations.
    **said
        What the columns are, and how to read the file, as for :func:`steadyrank.read`.

    Attributes
    ----------
    studies : dict
        From each category to its study, or to the error that there is none; under None,
        of all rows.

    Examples
    --------
    >>> from steadyrank import Split
    >>> poll = {"vote": [*"aaabbc", *"bbbbac"], "city": ["Bonn"] * 6 + ["Ulm"] * 6}
    >>> split = Split(poll, "city", choice="vote")
    >>> print(split.ask(lambda study: study.topk(1)).headline)
    b and a are each sure of the top 1 in 1 of 2 categories.
    >>> split.studies["Ulm"].topk(1).members
    ('b',)
    """

    def __init__(
        self,
        data: Any,
        column: str,
        scorer: object = None,
        *,
        min_count: int | None = None,
        **said: Any,
    ) -> None:
        for role, names in said.items():
            if column == names or (isinstance(names, list | tuple) and column in names):
                raise ColumnError(
                    f"{shorten(column)} cannot be both the split and the {role}"
                )
        again = _repeatable(data)
        values, self.notes = _categories(again(), column, said)
        self.column = column

        def study(where: str) -> Study:
            query = f"SELECT * EXCLUDE ({quoted(column)}) {_table(said)} {where}"
            rows = read(again(), **said | {"sql": query})
            if min_count is not None:
                rows = rows.with_min_count(min_count)
            return Study(rows, scorer)

        self.studies: dict[str | None, Any] = {None: _tried(study, "")}
        for name, value in values.items():
            where = f"WHERE {_cell(column)} = {literal(value)}"
            self.studies[name] = _tried(study, where)

    @property
    def items(self) -> tuple[object, ...]:
        """The items of all rows."""
        if isinstance(self.studies[None], SteadyrankError):
            raise self.studies[None]
        found: tuple[object, ...] = self.studies[None].items
        return found

    def ask(self, question: Callable[..., Any], *newer: Split) -> SplitAnswer:
        """Ask each study a question; with a newer split, ask both studies of each category.

        Parameters
        ----------
        question : callable
            Such as ``lambda study: study.topk(3)``, or ``lambda old, new: old.compare(new)``.
        newer : Split, optional
            Of newer data.

        Examples
        --------
        >>> from steadyrank import Split
        >>> split = Split({"choice": [*"aaabbc", *"bbbbac"], "city": [*"uuuuuu", *"vvvvvv"]}, "city")
        >>> split.ask(lambda study: study.check(2)).stable
        False
        """
        sides = dict(zip(("old", "new"), (self, *newer), strict=False))
        found: dict[str | None, Any] = {}
        for name in dict.fromkeys(
            name for side in sides.values() for name in side.studies
        ):
            lack = {
                age: InvalidDataError(f"it is not in the {age} data") for age in sides
            }
            asked = [side.studies.get(name, lack[age]) for age, side in sides.items()]
            found[name] = _tried(lambda *studies: _ranked(question(*studies)), *asked)
        if all(isinstance(one, SteadyrankError) for one in found.values()):
            raise found[None]  # the question is at fault, or the data are
        notes = dict.fromkeys(note for side in sides.values() for note in side.notes)
        return SplitAnswer(self.column, found, tuple(notes))


@dataclass(frozen=True, eq=False)
class SplitAnswer:
    """What was answered about all rows and about each category.

    Attributes
    ----------
    column : str
        The column whose values are the categories.
    answers : dict
        From each category to its result, or to the error that there is none; under None, of all rows.
    notes : tuple of str
        What was decided about the categories.

    Examples
    --------
    >>> from steadyrank import Split
    >>> split = Split({"choice": [*"aaabbc", *"bbbbac"], "city": [*"uuuuuu", *"vvvvvv"]}, "city")
    >>> found = split.ask(lambda study: study.topk(2))
    >>> [(row["item"], row["sure"], row["contender"]) for row in found.rows()]
    [('b', ['u', 'v'], []), ('a', ['u'], ['v']), ('c', [], ['v'])]
    """

    column: str
    answers: dict[str | None, Any]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        from steadyrank.report.text import plain_text

        return plain_text(self.brief())

    @property
    def results(self) -> dict[str | None, Any]:
        """The answers without the errors."""
        return {
            name: one
            for name, one in self.answers.items()
            if not isinstance(one, SteadyrankError)
        }

    @property
    def stable(self) -> bool | None:
        """Whether a check passes for all rows and in each category; None where there is no verdict."""
        passed = {getattr(one, "stable", None) for one in self.answers.values()}
        return min(passed, key=(False, None, True).index)

    def rows(self) -> list[dict[str, Any]]:
        """Return for each item the categories in which it stands so or so, who is sure in most first."""
        told: dict[object, dict[str, Any]] = {}
        for name, one in self.results.items():
            kinds = WAYS[one.document]
            for item, stood in one.standing_of.items() if kinds else ():
                blank: dict[str, Any] = {"item": label(item), "whole": None}
                row = told.setdefault(item, blank | {kind: [] for kind in kinds})
                if name is None:
                    row["whole"] = stood
                elif stood is not None:
                    row[stood].append(name)
        return sorted(
            told.values(), key=lambda row: [-len(row[kind]) for kind in kinds]
        )

    @property
    def headline(self) -> str:
        """What there is to say of all categories, in one sentence."""
        results, rows, every = (
            self.results,
            self.rows(),
            counted(len(self.answers) - 1, "category"),
        )
        first = next(iter(results.values()))
        if first.document == "check":
            lead = {True: "STABLE", False: "UNSTABLE", None: "NO VERDICT"}[self.stable]
            held = [name for name, one in results.items() if one.stable]
            number, whole = (
                len({*held} - {None}),
                "stable" if None in held else "not stable",
            )
            said = f"{lead}: top {first.k:,}, stable in {number:,} of {every}, {whole} for all rows"
        elif first.document == "comparison":
            where = {name for row in rows for name in row["beyond"]}
            explained = f"removing one {first.unit} could explain"
            said = f"Items moved more than {explained} in {len(where):,} of {every}"
        elif not rows:
            said = (
                f"No {first.unit} was removed to see who is sure of the top {first.k:,}"
            )
        else:
            best = len(rows[0]["sure"])
            leaders = [row["item"] for row in rows if best and len(row["sure"]) == best]
            who = named(leaders, "and") if leaders else f"No {first.item_name}"
            are = "are each" if len(leaders) > 1 else "is"
            said = (
                f"{who} {are} sure of the top {first.k:,} in {best or 'any'} of {every}"
            )
        failed = len(self.answers.keys() - results.keys() - {None})
        return said + (
            f"; {failed:,} {'has' if failed == 1 else 'have'} no answer."
            if failed
            else "."
        )

    def findings(self, **about: Any) -> dict[str, Any]:
        """Return all that views show, as plain data; takes what the findings of a result take."""
        return self._told("findings", about)

    def brief(self, **about: Any) -> dict[str, Any]:
        """Return as much of it as a screen shows."""
        return self._told("brief", about)

    def _told(self, way: str, about: dict[str, Any]) -> dict[str, Any]:
        results = self.results
        first = next(iter(results.values()))
        categories = [
            {"category": name, "problem": None, "findings": getattr(one, way)(**about)}
            if name in results
            else {
                "category": name,
                "problem": one.worded(Option.typed),
                "findings": None,
            }
            for name, one in self.answers.items()
        ]
        return begun("split", about.get("source")) | {
            "of": first.document,
            "split": self.column,
            "k": first.k,
            "headline": self.headline,
            "stable": self.stable,
            "rows": self.rows(),
            "categories": categories,
            "notes": list(self.notes),
        }

    def report(
        self, path: str | os.PathLike[str], *, title: str | None = None, **about: Any
    ) -> Path:
        """Write one page with a switch between the categories, of top-k answers or comparisons."""
        from steadyrank.report.html import render_html
        from steadyrank.writing import write_whole

        return write_whole(
            render_html(self.findings(**about), title=title, date=today()), path
        )


def _repeatable(data: Any) -> Callable[[], Any]:
    """Return a function that gives the data each time; a stream can be read once."""
    if not hasattr(data, "read"):
        return lambda: data
    content = data.read()
    return lambda: BytesIO(content)


def _categories(
    data: Any, column: str, said: dict[str, Any]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the values of the column by the names of their categories, and notes."""
    opening = {name: said[name] for name in OPENING if name in said}
    with open_table(data, **opening) as table:
        if column not in table.columns:
            near = get_close_matches(column, table.columns, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else ""
            raise ColumnError(
                f"there is no column {shorten(column)} for the split", way_out=hint
            )
        counts = f"FROM data SELECT {_cell(column)}, count(*) GROUP BY 1"
        rows = dict(table.con.execute(counts).fetchall())
    if len(rows) > MOST:
        raise InvalidDataError(
            f"column {shorten(column)} has {len(rows):,} values, more than the "
            f"{MOST} categories of a split",
            way_out="Split by a column with fewer values.",
        )
    names = {value: value for value in sorted(rows, key=_number_first) if value}
    if "" not in rows:
        return names, ()
    blank = f"no {column}"
    while blank in names:
        blank = f"({blank})"
    skipped = counted(rows[""], "row")
    note = f"{skipped} without a {column}: the category {shorten(blank)}"
    return {**names, blank: ""}, (note,)


def _number_first(text: str) -> tuple[bool, float, str]:
    try:
        return False, float(text), text
    except ValueError:
        return True, 0.0, text


def _cell(column: str) -> str:
    """Return SQL for a cell as text, blank where it holds nothing."""
    return f"trim(coalesce(CAST({quoted(column)} AS VARCHAR), ''))"


def _table(said: dict[str, Any]) -> str:
    """Return SQL for the table that is split: the data, or what a query makes of them."""
    query = str(said.get("sql", "FROM data")).rstrip().rstrip(";")
    return f"FROM (\n{query}\n)"


def _tried(make: Callable[..., Any], *given: Any) -> Any:
    """Return what is made, or the error that is given or raised."""
    try:
        return next(
            (one for one in given if isinstance(one, SteadyrankError)), None
        ) or make(*given)
    except SteadyrankError as error:
        return error


def _ranked(found: Any) -> Any:
    """Refuse a top k that holds every item, for which no ranking was needed, and other questions."""
    if found.document not in WAYS:
        raise InvalidValueError(
            f"a split answers a top k, a check or a comparison, not {shorten(found.document)}"
        )
    if found.document != "comparison" and len(found.items) <= found.k:
        items = counted(len(found.items), "item")
        raise InvalidDataError(
            f"there are only {items}, so a top {found.k:,} would hold them all"
        )
    return found
