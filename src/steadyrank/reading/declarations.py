"""What a kind of data declares about itself, once, for everything that reads or scores it.

The arguments of a kind are the keys of a ``TypedDict``, each annotated with a :class:`Role` (it names
a column) or a :class:`Setting` (it does not). Type checkers take the signatures of ``from_frame``,
``read`` and ``scan`` from there; recognition, errors, the options of the command line and the table
in the documentation take names, synonyms and explanations from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

from steadyrank.errors import not_a_choice

ALSO = {"item": "choice"}
"""What is ranked can be called an item of any kind; votes have a name of their own for it."""
PEOPLE = ("weights", "unit")
"""The roles of columns about the people behind a row, whatever they said."""


@dataclass(frozen=True)
class Role:
    """A part that a column plays in a kind of data.

    Parameters
    ----------
    means : str
        What the column holds, for people: "the item voted for".
    names : tuple of str
        Names such a column often has, best first, without case, spaces and punctuation.
    holds : {"labels", "results", "numbers", "counts", "cells"}
        How its fields are read: labels that must not be missing, results of battles, numbers, whole
        numbers that add up, or fields as they are.
    argument : str, optional
        What the class calls it, if not as the role.
    several : bool
        Whether several columns may play it together.
    answer : bool
        Whether a row may be dropped for what it holds here: an answer, or whose or of what it is one.
    """

    means: str
    names: tuple[str, ...] = ()
    holds: Literal["labels", "results", "numbers", "counts", "cells"] = "labels"
    argument: str = ""
    several: bool = False
    answer: bool = False


@dataclass(frozen=True)
class Setting:
    """An argument of a kind that names no column.

    Parameters
    ----------
    means : str
        What it decides, for people.
    choices : tuple of str
        The values that it may have; any, where there are none.
    several : bool
        Whether it is a list.
    flag : bool
        Whether it is either true or false.
    takes : str
        What the help of the command line calls its value.
    some_formats : bool
        Whether only some formats of files answer to it; with all others it is refused.
    beside : tuple of str
        The roles that must be named, too, before it speaks for the kind.
    """

    means: str
    choices: tuple[str, ...] = ()
    several: bool = False
    flag: bool = False
    takes: str = "POLICY"
    some_formats: bool = False
    beside: tuple[str, ...] = ()

    def check(self, name: str, value: object) -> None:
        """Complain about a value that is none of the choices."""
        if self.choices and value not in self.choices:
            raise not_a_choice(name, value, self.choices)


DECIMAL = Setting("the decimal mark of numbers in text: . or ,", (".", ","))
DROP = Setting(
    "values to treat as missing, such as unknown; their rows are dropped, in a wide table only these "
    "cells; an empty one stands for blank cells", several=True,
)  # fmt: skip
IGNORE = Setting("columns to ignore", several=True)
LABELS = Setting(
    "names for items that are ids: a file whose first two columns are ids and names, or FILE:ID,NAME",
    takes="FILE",
)
HEADER = Setting(
    "how many lines the header has; guessed from the first lines if not given",
    ("0", "1", "2"),
    takes="0|1|2",
    some_formats=True,
)
METRIC = Setting(
    "of results with several metrics, the one to take", takes="NAME", some_formats=True
)
QRELS = Setting(
    "of TREC runs, the file of relevance judgements", takes="PATH", some_formats=True
)
SHEET = Setting(
    "of several sheets, tables, contests or leaderboards in a file, the one to take",
    takes="NAME",
    some_formats=True,
)


class ReadingArguments(TypedDict, total=False):
    """What can be said about any table, whatever kind of data it holds."""

    ignore: Annotated[Sequence[str] | None, IGNORE]
    drop: Annotated[Iterable[object] | None, DROP]
    decimal: Annotated[str | None, DECIMAL]
    labels: Annotated[Any, LABELS]
    header: Annotated[str | None, HEADER]
    metric: Annotated[str | None, METRIC]
    qrels: Annotated[str | None, QRELS]
    sheet: Annotated[str | None, SHEET]


@dataclass(frozen=True)
class Form:
    """One way in which a table can hold a kind of data.

    Parameters
    ----------
    name : str
        For people: "one row per battle".
    needs, may : tuple of str
        The roles that must and that may be there, named or guessed.
    named : tuple of str
        Roles that are there only if the user names their columns.
    decides : tuple of str
        Roles of which one, if the user names it, settles that a table is of this form; by default
        those that it needs.
    only_with : mapping
        Settings that this form goes with.
    people : bool
        Whether its rows are people, or made by them, so that they may have a weight, which is guessed,
        and a unit, which is named, if the kind has these roles.
    """

    name: str
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    only_with: Mapping[str, object] = field(default_factory=dict)
    people: bool = True

    @property
    def roles(self) -> frozenset[str]:
        """All roles of the form."""
        return frozenset((*self.needs, *self.may, *self.named))

    def allows(self, named: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
        """Tell whether the form has a place for all that the user named."""
        fitting = all(
            settings.get(name) == value for name, value in self.only_with.items()
        )
        return fitting and named.keys() <= self.roles

    def settled_by(self, named: Mapping[str, Any]) -> bool:
        """Tell whether the columns that the user named leave no doubt about the form."""
        return not named.keys().isdisjoint(self.decides or self.needs)


def is_about_reading(name: str) -> bool:
    """Tell whether an argument is about the table, not about what it holds."""
    return name in ReadingArguments.__annotations__


@dataclass(frozen=True)
class Kind:
    """The declaration of a kind of data.

    Parameters
    ----------
    name : str
        What users call it: ``"votes"``.
    unit : str
        What one unit is, in the singular, where no column says otherwise.
    scorer : str
        The name of the usual scorer.
    arguments : TypedDict class
        Its arguments, annotated with roles and settings.
    forms : tuple of Form
        How a table can hold it, the form to be preferred first.
    on_engine : {"counted", "entries"}, optional
        What an engine hands out of it: equal rows counted, or values added up. Without it the kind
        cannot be scanned.
    observation : str
        What stands behind an item and is counted for it, in the singular; by default the unit.
    home : str
        Of a kind that is registered, its module and class, which are loaded once there are data:
        ``"steadyrank.data.votes.Votes"``.
    """

    name: str
    unit: str
    scorer: str
    arguments: Any
    forms: tuple[Form, ...]
    on_engine: Literal["counted", "entries"] | None = None
    observation: str = ""
    home: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "observation", self.observation or self.unit)
        weight, unit = (
            (role,) * (role in self.arguments.__annotations__) for role in PEOPLE
        )
        forms = (
            replace(form, may=form.may + weight, named=form.named + unit)
            if form.people
            else form
            for form in self.forms
        )
        object.__setattr__(self, "forms", tuple(forms))

    @cached_property
    def declared(self) -> dict[str, Role | Setting]:
        """Every argument with its declaration: its own, those of people, and those of all tables."""
        hints = get_type_hints(self.arguments, include_extras=True)
        last = sorted(hints, key=lambda name: (is_about_reading(name), name in PEOPLE))
        return {name: get_args(hints[name])[1] for name in last}

    def may_take(self, asked: Mapping[str, Any]) -> bool:
        """Tell whether all that was asked for can be said of this kind, with what belongs to it."""
        said = [part for name, part in self.declared.items() if name in asked]
        beside = (
            role for part in said if isinstance(part, Setting) for role in part.beside
        )
        return len(said) == len(asked) and asked.keys() >= {*beside}

    def in_its_words(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was asked for with the names that this kind has for it: see :data:`ALSO`."""
        own = {name: also for name, also in ALSO.items() if name not in self.declared}
        return {own.get(name, name): value for name, value in asked.items()}

    @cached_property
    def roles(self) -> dict[str, Role]:
        """The arguments that name columns."""
        return {
            name: part for name, part in self.declared.items() if isinstance(part, Role)
        }

    @cached_property
    def settings(self) -> dict[str, Setting]:
        """The arguments that name none."""
        return {
            name: part
            for name, part in self.declared.items()
            if isinstance(part, Setting)
        }
