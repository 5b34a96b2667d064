"""A table whose columns have their roles, and what the user said of them, checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank.arrays import Coded
from steadyrank.errors import NO_BLANKS, NO_GAPS, Option, listing, shorten
from steadyrank.labels import encode
from steadyrank.reading.declarations import Form, Kind
from steadyrank.reading.table import GivenColumn, Table
from steadyrank.reading.text_columns import with_decimal
from steadyrank.reading.words import known, words_of

Candidates = tuple[tuple[str, int], ...]
"""Columns that could be the unit, each with the number of its values."""


@dataclass(frozen=True)
class Resolved:
    """A table whose columns have their roles, and the settings that go with it.

    Attributes
    ----------
    kind : Kind
    form : Form
        How the table holds it.
    table : Table
    columns : dict
        For each role that is there, the name of its column, or a list of names.
    settings : dict
        The settings of the kind that were given.
    reading : dict
        What was said about the table itself.
    given : frozenset of str
        The arguments that the user gave.
    """

    kind: Kind
    form: Form
    table: Table
    columns: dict[str, Any]
    settings: dict[str, Any]
    reading: dict[str, Any]
    given: frozenset[str] = frozenset()

    def values(self, role: str) -> Any:
        """Return the column of a role as the role says it is to be read, or None."""
        name = self.columns.get(role)
        if name is None:
            return None
        if self.kind.roles[role].holds in {"numbers", "counts"}:
            if not isinstance(name, str):
                return np.column_stack([self.table.numbers(one) for one in name])
            return self.table.numbers(name)
        return self.table.columns[name].coded()

    def arguments(self) -> dict[str, Any]:
        """Return what the class is to be called with, where each role is one argument of it."""
        found = {
            self.kind.roles[role].argument or role: self.values(role)
            for role in self.columns
            if role != "unit"
        }
        return {**found, **self.people(), **self.settings}

    def people(self) -> Any:
        """Return the arguments that say how much rows count and which leave together, if columns do."""
        found = {"weights": self.values("weights")} if "weights" in self.columns else {}
        if name := self.columns.get("unit"):
            found |= {"units": self.table.labels(name), "unit_kind": name}
        return found

    @property
    def answers(self) -> dict[str, bool]:
        """The columns of answers, which may be none, each with whether it holds numbers."""
        return {
            name: self.kind.roles[role].holds in {"numbers", "counts"}
            for role, name in self.columns.items()
            if self.kind.roles[role].answer and isinstance(name, str)
        }

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Say errors of the class in terms of the table: its columns, and lines of its file."""
        by_argument = {
            self.kind.roles[role].argument: name for role, name in self.columns.items()
        }
        try:
            with self.table.errors({**by_argument, **self.columns}):
                yield
        except errors.InvalidDataError as error:
            about = error.column or error.subject
            if (
                error.way_out is NO_BLANKS
                and about in self.table.columns.keys() - self.answers.keys()
            ):
                error.way_out = NO_GAPS  # only rows without an answer can be dropped
            raise

    def reading_as(self, read: Mapping[str, Any]) -> Resolved:
        """Return the same with some columns as they were read, so that no part is read otherwise."""
        given = {name: GivenColumn(values, name) for name, values in read.items()}
        return replace(
            self, table=replace(self.table, columns={**self.table.columns, **given})
        )


def told(table: Table, given: Mapping[str, Any]) -> Table:
    """Return a table without the columns that are to be ignored, its numbers spelt as was said."""
    ignored = as_list(given.get("ignore") or [])
    for name in ignored:
        if name not in table.columns:
            raise column_error(
                table, f"there is no column {shorten(name)} to ignore", "ignore"
            )
    columns = {
        name: column for name, column in table.columns.items() if name not in ignored
    }
    return replace(
        table, columns=columns, spellings={"": with_decimal(given.get("decimal"))}
    )


def split(
    kind: Kind, table: Table, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part what names columns from what does not, after checking both."""
    asked = {name: value for name, value in given.items() if value is not None}
    unknown = [name for name in asked if name not in kind.declared]
    if unknown:
        known_ones = [part for name in kind.declared for part in (", ", Option(name))][
            1:
        ]
        raise errors.InvalidDataError(
            f"{shorten(unknown[0])} is not an argument of {kind.name}",
            way_out=[f"Those of {kind.name} are ", *known_ones],
        )
    of_others = [
        name for name in asked if getattr(kind.declared[name], "some_formats", False)
    ]
    if idle := [name for name in of_others if name not in table.answers_to]:
        raise errors.InvalidDataError(
            f"{idle[0]} says nothing about {table.format or 'a table'}",
            source=table.source,
            way_out=["Omit ", Option(idle[0])],
        )
    for name, choices in outside(kind, asked).items():
        raise errors.not_a_choice(name, asked[name], choices)
    named = {name: value for name, value in asked.items() if name in kind.roles}
    for role, value in named.items():
        named[role] = as_list(value) if kind.roles[role].several else value
        for name in as_list(named[role]):
            if name not in table.columns:
                raise column_error(
                    table, f"there is no column {shorten(name)} for the {role}", role
                )
    settings = {name: value for name, value in asked.items() if name in kind.settings}
    return named, {**table.settings, **settings}


def outside(kind: Kind, asked: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the settings whose values are none of those that they may have, with these."""
    choices = {
        name: kind.settings[name].choices for name in asked if name in kind.settings
    }
    return {
        name: known
        for name, known in choices.items()
        if known and str(asked[name]) not in known
    }


def as_list(value: Any) -> list[Any]:
    """Return names as a list, also a single one."""
    return (
        [value]
        if isinstance(value, str) or not isinstance(value, (list, tuple))
        else list(value)
    )


def taken_by(found: Mapping[str, Any]) -> set[str]:
    """Return the columns that play these roles, one each or a list."""
    return {name for value in found.values() for name in as_list(value)}


def missing(kind: Kind, table: Table, given: Mapping[str, Any]) -> errors.ColumnError:
    """Return the error about a kind that the user named and for which a table has no column."""
    forms = [form for form in kind.forms if form.allows(given, {})] or list(kind.forms)
    form = next((form for form in forms if form.needs), forms[0])
    role = next(
        (role for role in form.needs if role not in given), (*form.needs, "items")[0]
    )
    names = listing(kind.roles[role].names)
    text = f"no column looks like the {role}" + (f" (tried {names})" if names else "")
    return column_error(table, text, role, several=kind.roles[role].several)


def column_error(
    table: Table, problem: str, role: str, *, several: bool = False
) -> errors.ColumnError:
    """Return the error about a column that is not there, with those that are."""
    shown = listing(shorten(name, 30) for name in table.names) or "none"
    return errors.ColumnError(
        f"{problem}; the columns are {shown}",
        source=table.source,
        way_out=["Give the name of the column as ", Option(role, several=several)],
    )


# Columns that could be the unit and were not asked for: judges, prompts, regions... What is removed
# together matters more than anything else. A column is offered for its name, and only if the very
# same table could be read with it.


def sounds_like_a_unit(name: str) -> bool:
    """Tell whether a column is called what units are often called.

    Examples
    --------
    >>> [sounds_like_a_unit(name) for name in ("judge", "Worker_ID", "promptId", "question_hash")]
    [True, True, True, True]
    >>> [sounds_like_a_unit(name) for name in ("user_rating", "grid", "question 1", "id")]
    [False, False, False, True]
    """
    words = words_of(name)
    is_id = words[-1:] and words[-1] in known("ids")
    while words and words[-1] in known("ids", "names_and_numbers"):
        words.pop()
    return bool(
        is_id
        or (words and words[-1].removesuffix("s") in known("units", "user_columns"))
    )


def _number_of_units(labels: Any, rows: Any) -> int:
    """Return how many units these labels would make; 0 if they cannot be the unit.

    None may be missing, and there must be several, but fewer than rows.

    Parameters
    ----------
    labels : array, series or iterable
        What each entry says of its unit.
    rows : array, series or iterable, or None
        The row, or user, of each entry, where several may make one: they must agree.
    """
    size = len(labels)
    if (
        rows is None
        and isinstance(labels, Coded)
        and not 1 < len(labels.distinct) < size
    ):
        return 0
    try:
        codes, distinct = encode(labels, what="units")
        if rows is not None:
            row_codes, names = encode(rows, what="rows")
            size = len(names)
            if (
                len(np.unique(row_codes.astype(np.int64) * len(distinct) + codes))
                > size
            ):
                return 0
    except errors.InvalidDataError:
        return 0
    alike = {type(label) for label in distinct} in ({int}, {str})
    return len(distinct) if alike and 1 < len(distinct) < size else 0


def unit_candidates(found: Resolved) -> Candidates:
    """Return the columns that are called like units, where the table has none and could have one."""
    in_rows = found.settings.get("items_in") == "rows"
    if "unit" not in found.form.roles or "unit" in found.columns or in_rows:
        return ()
    # Where a row is only a part of a unit, equal values of this role must be in one unit.
    whole = next((role for role in ("row", "user") if role in found.form.needs), None)
    taken = taken_by(
        {role: names for role, names in found.columns.items() if role != "row"}
    )
    columns = {
        name: column.coded()
        for name, column in found.table.columns.items()
        if name not in taken and sounds_like_a_unit(name)
    }
    rows = found.values(whole) if columns and whole else None
    offered = (
        (name, _number_of_units(column, rows)) for name, column in columns.items()
    )
    return tuple((name, number) for name, number in offered if number)
