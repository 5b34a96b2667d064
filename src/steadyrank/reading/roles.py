"""Which column plays which role: the only place where that is decided, for memory and for engines.

Names are compared without case, spaces and punctuation: ``userId``, ``user_id`` and ``User ID`` are one
name. Earlier names win over later ones, and every guess is said in the notes of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steadyrank import errors
from steadyrank.errors import FILL_IN, NO_BLANKS, Option, listing, shorten
from steadyrank.reading.declarations import Columns, Form, Kind, is_about_reading
from steadyrank.reading.table import Guess, Table, simplify
from steadyrank.reading.text_columns import plain_number, with_decimal

COUNTED = ("votes", "ballots")
"""How names of columns end that count what rows stand for, though they are called more than that."""


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
    """

    kind: Kind
    form: Form
    table: Table
    columns: dict[str, Any]
    settings: dict[str, Any]
    reading: dict[str, Any]

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

    def decided(self) -> dict[str, str]:
        """Return the settings of a wide table that were guessed or given, as one types them."""
        return {
            name: value if isinstance(value, str) else ",".join(map(str, value))
            for name, value in self.settings.items()
            if name in {"items_in", "lower_is_better"} and value != "columns"
        }

    @property
    def answers(self) -> dict[str, bool]:
        """The columns of answers, which may be none, each with whether it holds numbers."""
        return {
            name: self.kind.roles[role].holds == "numbers"
            for role, name in self.columns.items()
            if self.kind.roles[role].answer and isinstance(name, str)
        }

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Say errors of the class in terms of the table: its columns, and lines of its file."""
        by_argument = {self.kind.roles[role].argument: name for role, name in self.columns.items()}
        try:
            with self.table.errors({**by_argument, **self.columns}):
                yield
        except errors.InvalidDataError as error:
            about = error.column or error.subject
            if error.way_out is NO_BLANKS and about in self.table.columns.keys() - self.answers.keys():
                error.way_out = FILL_IN  # only rows without an answer can be dropped
            raise

    def over(self, table: Table, columns: Mapping[str, str]) -> Resolved:
        """Return the same roles over another table, with further ones; nothing is dropped again."""
        reading = {name: value for name, value in self.reading.items() if name != "drop"}
        return replace(self, table=table, columns={**self.columns, **columns}, reading=reading)


def resolve(kind: Kind, table: Table, given: Mapping[str, Any]) -> Resolved:
    """Give the columns of a table their roles in a kind of data, as named or else guessed.

    Parameters
    ----------
    kind : Kind
    table : Table
        Its notes take up what is guessed.
    given : mapping
        The arguments that the user gave, by name; None counts as not given.
    """
    if table.kind not in {None, kind.name}:
        raise errors.NotRecognisedError(
            f"{table.source} holds {table.kind}, not {kind.name}",
            way_out=["Read it as ", Option("kind", table.kind)],
        )
    table = told(table, given)
    named, settings = _split(kind, table, given)
    found = _found(kind, table, named, settings)
    if not found:
        ways = [f"{form.name} ({', '.join(form.needs)})" for form in kind.forms]
        raise errors.ColumnError(
            f"{', '.join(named)} do not go together in {kind.name}",
            source=table.source,
            way_out=f"A table holds {kind.name} in one of these ways: {'; '.join(ways)}.",
        )
    for form, columns in found:
        known = table.kind is not None or form.settled_by(named)
        if _complete(form, columns) and (known or form.fits(table, columns)):
            if table.kind is None:
                _check_one_of_each(kind, form, table, columns, named)
                _check_counted(form, table, columns)
                table.notes += _notes(kind, columns, named)
            if settings.get("decimal") is None:
                counted = {role: columns[role] for role in columns if kind.roles[role].holds == "counts"}
                whole = dict.fromkeys(taken_by(counted), with_decimal("."))  # they have no decimals
                table.spellings = {**table.spellings, **whole}
            reading = {name: settings.pop(name) for name in list(settings) if is_about_reading(name)}
            return Resolved(kind, form, table, columns, settings, reading)
    raise _missing(kind, table, found)


def recognise(
    kinds: Iterable[Kind], table: Table, given: Mapping[str, Any] | None = None
) -> tuple[Kind, str]:
    """Return the kind of data that a table holds, and why.

    Parameters
    ----------
    kinds : iterable of Kind
        Those to choose from, the first to be tried first.
    table : Table
    given : mapping, optional
        Arguments that the user gave, by name.
    """
    known = list(kinds)
    if table.kind is not None:
        return next(kind for kind in known if kind.name == table.kind), "by its format"
    asked = {name: value for name, value in (given or {}).items() if value is not None}
    table = told(table, asked)
    possible = [kind for kind in known if asked.keys() <= kind.declared.keys()]
    possible = [kind for kind in possible if not _outside(kind, asked)] or possible
    _check_apart(table)
    forms = [(kind, form) for kind in possible for form in kind.forms]
    faults: list[errors.ColumnError] = []
    for kind, form in sorted(forms, key=lambda pair: pair[1].weak):
        try:
            named, settings = _split(kind, table, asked)
        except errors.ColumnError as error:
            # What names columns of one kind may be something else of another.
            faults.append(error)
            continue
        if not form.allows(named, settings):
            continue
        columns = _find(kind, form, table, named, rest=len(table.names) == 1)
        if _complete(form, columns) and (
            form.settled_by(named) or (form.fits(table, columns) and form.recognised(table, columns))
        ):
            return kind, _because(columns, form)
    raise faults[0] if faults else _unknown(possible or known, table, asked)


def _check_apart(table: Table) -> None:
    """Refuse a table of one column whose fields are many: apart by blanks, with numbers among them."""
    if len(table.names) != 1:
        return
    size = len(table.names[0].split())
    rows = [str(cell).split() for cell in table.cells(table.names[0])[:100]]
    if size > 1 and rows and all(size <= len(row) <= size + 1 and _numbers(row) for row in rows):
        raise errors.NotRecognisedError(
            f"blanks seem to part the fields of the only column {shorten(table.names[0])}",
            source=table.source,
            way_out="Put commas or tabs between them.",
        )


def _numbers(row: Sequence[str]) -> bool:
    return any(plain_number(word) is not None for word in row)


def _unknown(kinds: Sequence[Kind], table: Table, given: Mapping[str, Any]) -> errors.NotRecognisedError:
    """Return the error about a table of no known kind: its columns, and the kind that comes nearest."""
    known = [kind for kind in kinds if given.keys() <= kind.declared.keys()]
    near = [one for one in ((kind, *_nearest_form(kind, table, given)) for kind in known) if one[1]]
    shown = listing((shorten(name, 20) for name in table.names[:3]), len(table.names))
    if not near:
        return errors.NotRecognisedError(
            f"no kind of data fits; the columns are {shown}",
            source=table.source,
            way_out=["Give ", Option("kind")],
        )
    kind, missing, _ = min(near, key=lambda one: (len(one[1]), -one[2], one[0].name != "votes"))
    return errors.NotRecognisedError(
        f"no kind of data fits; nearest is {kind.name}, but for the {' and '.join(missing)}: "
        f"the columns are {shown}",
        source=table.source,
        way_out=["Name ", *_joined(map(Option, missing)), ", or give ", Option("kind")],
    )


def _joined(options: Iterable[Option]) -> list[str | Option]:
    return [part for option in options for part in (", ", option)][1:]


def told(table: Table, given: Mapping[str, Any]) -> Table:
    """Return a table without the columns that are to be ignored, its numbers spelt as was said."""
    ignored = _as_list(given.get("ignore") or [])
    for name in ignored:
        if name not in table.columns:
            raise _column_error(table, f"there is no column {shorten(name)} to pass over", "ignore")
    columns = {name: column for name, column in table.columns.items() if name not in ignored}
    return replace(table, columns=columns, spellings={"": with_decimal(given.get("decimal"))})


def lacking(kind: Kind, table: Table, given: Mapping[str, Any]) -> list[str]:
    """Return the roles that no column has, in the form of this kind that comes nearest to the table."""
    return _nearest_form(kind, table, given)[0]


def _nearest_form(kind: Kind, table: Table, given: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the roles that a kind lacks in the form that comes nearest, and how many it has there."""
    table = told(table, given)
    found = _found(kind, table, *_split(kind, table, given))
    form, columns = _nearest(found) if found else (kind.forms[0], {})
    missing = [role for role in form.needs if role not in columns]
    return missing, len(form.needs) - len(missing)


def _found(
    kind: Kind, table: Table, named: Mapping[str, Any], settings: Mapping[str, Any]
) -> list[tuple[Form, dict[str, Any]]]:
    """Return the forms that have a place for all that the user named, with the columns of each."""
    return [
        (form, _find(kind, form, table, named, rest=True))
        for form in kind.forms
        if form.allows(named, settings)
    ]


def _nearest(tried: Sequence[tuple[Form, Columns]]) -> tuple[Form, Columns]:
    return max(tried, key=lambda one: (len(one[1].keys() & set(one[0].needs)), one[0].usual))


def _complete(form: Form, columns: Columns) -> bool:
    return columns.keys() >= set(form.needs)


def _because(columns: Columns, form: Form) -> str:
    names = [name for role in form.needs for name in _as_list(columns[role])]
    return f"by the columns {', '.join(map(shorten, names))}" if names else "by its columns of numbers"


def _split(kind: Kind, table: Table, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part what names columns from what does not, after checking both."""
    asked = {name: value for name, value in given.items() if value is not None}
    unknown = [name for name in asked if name not in kind.declared]
    if unknown:
        raise errors.InvalidDataError(
            f"{shorten(unknown[0])} is no argument of {kind.name}",
            way_out=[f"Those of {kind.name} are ", *_joined(map(Option, kind.declared))],
        )
    of_others = [name for name in asked if getattr(kind.declared[name], "some_formats", False)]
    if idle := [name for name in of_others if name not in table.answers_to]:
        raise errors.InvalidDataError(
            f"{idle[0]} says nothing about {table.format or 'a table'}",
            source=table.source,
            way_out=["Omit ", Option(idle[0])],
        )
    for name, choices in _outside(kind, asked).items():
        raise errors.not_a_choice(name, asked[name], tuple(choices))
    named = {name: value for name, value in asked.items() if name in kind.roles}
    for role, value in named.items():
        named[role] = _as_list(value) if kind.roles[role].several else value
        for name in _as_list(named[role]):
            if name not in table.columns:
                raise _column_error(table, f"there is no column {shorten(name)} for the {role}", role)
    settings = {name: value for name, value in asked.items() if name in kind.settings}
    return named, {**table.settings, **settings}


def _outside(kind: Kind, asked: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    """Return the settings whose values are none of those that they may have, with these."""
    choices = {name: kind.settings[name].choices or {} for name in asked if name in kind.settings}
    return {name: known for name, known in choices.items() if known and asked[name] not in known}


def _as_list(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) or not isinstance(value, (list, tuple)) else list(value)


def _find(
    kind: Kind, form: Form, table: Table, named: Mapping[str, Any], *, rest: bool
) -> dict[str, Any]:
    """Return the columns of a form, as named or guessed; required ones may be missing."""
    found = dict(named)
    pairs = [pair for pair in kind.pairs if form.roles.issuperset(pair)]
    for pair in pairs:
        common = zip(*(kind.roles[role].names for role in pair), strict=False)
        both = next((names for names in common if table.by_simple_name.keys() >= set(names)), None)
        if both is not None and not found.keys() & set(pair):
            found |= {role: table.by_simple_name[name][0] for role, name in zip(pair, both, strict=True)}
    paired = {role for pair in pairs for role in pair}
    for role in (*form.needs, *form.may):
        known, taken = kind.roles[role], taken_by(found)
        same = (
            [name for name in table.by_simple_name.get(one, ()) if name not in taken]
            for one in known.names
        )
        names = [free[0] for free in same if free]
        if known.series is not None:
            names = known.series([name for name in table.names if name not in taken])
        if known.guessed_as:
            names = [name for name in names if table.is_numeric(name)]
        if names and role not in found and role not in paired:
            found[role] = names if known.several else names[0]
    taken = taken_by(found)
    left = [name for name in table.names if name not in taken]
    for role in form.needs:
        if rest and role not in found and kind.roles[role].takes_the_rest and len(left) == 1:
            found[role] = left[0]
    if kind.unit in form.needs and kind.unit not in found and "unit" in found:
        called = simplify(found["unit"]) in kind.roles[kind.unit].names
        if rest or called:  # who names the users as the unit has said who they are
            found[kind.unit] = found.pop("unit")
    return found


def _check_one_of_each(
    kind: Kind, form: Form, table: Table, columns: Columns, named: Mapping[str, Any]
) -> None:
    """Refuse a table with two columns that could both hold the numbers that are asked for."""
    taken = taken_by(columns)
    for role in form.needs:
        if kind.roles[role].holds != "numbers" or role in named:
            continue
        called = [name for one in kind.roles[role].names for name in table.by_simple_name.get(one, ())]
        others = [name for name in called if name not in taken and table.is_numeric(name)]
        if others:
            both = (columns[role], others[0])
            raise errors.two_readings(
                f"{shorten(both[0])} and {shorten(both[1])} can both be the {role}",
                [(Option(role, name), f"the {role} in {shorten(name)}") for name in both],
                source=table.source,
            )


def _check_counted(form: Form, table: Table, columns: Columns) -> None:
    """Refuse to take each row once where a column that nobody named seems to say how often."""
    if "count" not in form.may or "count" in columns:
        return
    taken = taken_by(columns)
    free = (name for name in table.names if simplify(name).endswith(COUNTED) and name not in taken)
    for name in free:
        if table.is_numeric(name) and table.is_whole(name):
            ways = {Option("count", name): "so many each", Option("ignore", name): "each row once"}
            raise errors.two_readings(
                f"rows can count once each, or as often as {shorten(name)} says,",
                list(ways.items()),
                source=table.source,
            )


def taken_by(found: Columns) -> set[str]:
    """Return the columns that play these roles."""
    return {name for value in found.values() for name in _as_list(value)}


def _notes(kind: Kind, columns: Columns, named: Columns) -> list[str]:
    notes: list[str] = []
    for role, value in columns.items():
        if role in named:
            continue
        names = ", ".join(map(shorten, _as_list(value)))
        known = kind.roles[role]
        common = known.several or known.series or simplify(value) in known.names
        lead = "column" if common else "the only column left,"
        as_what = f" ({kind.roles[role].guessed_as})" if kind.roles[role].guessed_as else ""
        part = role.replace("_", " of the ") + as_what
        note = f"{lead} {names}{'' if common else ','} taken as the {part}"
        brief = "" if simplify(value) == simplify(role) else f"{names} as the {part}"
        notes.append(Guess(note, brief, Option(role)))
    return notes


def _missing(kind: Kind, table: Table, tried: Sequence[tuple[Form, Columns]]) -> errors.ColumnError:
    """Return the error about the form that comes nearest to the table."""
    form, found = _nearest(tried)
    role = next((role for role in form.needs if role not in found), form.needs[0])
    names = listing(kind.roles[role].names)
    text = f"no column looks like the {role}" + (f" (tried {names})" if names else "")
    return _column_error(table, text, role, several=kind.roles[role].several)


def _column_error(table: Table, problem: str, role: str, *, several: bool = False) -> errors.ColumnError:
    shown = listing(shorten(name, 30) for name in table.names) or "none"
    return errors.ColumnError(
        f"{problem}; the columns are {shown}",
        source=table.source,
        way_out=["Give the name of the column as ", Option(role, several=several)],
    )
