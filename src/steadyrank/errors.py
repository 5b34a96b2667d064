"""Every error that steadyrank raises on purpose.

Each one is built from the offending value, its place and a way out, so that the message
can be acted upon without reading the source. All derive from :class:`SteadyrankError`;
those about a wrong value are also :class:`ValueError`. A way out is data: the arguments that it
names are :class:`Option` objects, which Python writes one way and the command line another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from shlex import quote
from typing import Any, TypeAlias

SHOWN = 5
"""How many offending places a message lists before it only counts the rest."""


def shorten(value: object, width: int = 60) -> str:
    """Return ``repr(value)`` cut to ``width`` characters, for messages built from foreign data."""
    text = repr(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def listing(
    places: Iterable[object], total: int | None = None, between: str = ", "
) -> str:
    """Join the first few places and count the rest.

    Examples
    --------
    >>> listing([3, 5, 8])
    '3, 5, 8'
    >>> listing(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    waiting = iter(places)
    shown = list(islice(waiting, SHOWN))
    rest = sum(1 for _ in waiting) if total is None else total - len(shown)
    text = between.join(map(str, shown))
    return f"{text} and {rest:,} more" if rest > 0 else text


def typed_name(argument: str) -> str:
    """Return the option of the command line for an argument of the library.

    Examples
    --------
    >>> typed_name("left_score"), typed_name("k"), typed_name("tables")
    ('--left-score', '-k', '--table')
    """
    if argument == "tables":  # one table each time that it is typed
        return "--table"
    dashes = "-" if len(argument) == 1 else "--"
    return dashes + argument.replace("_", "-")


@dataclass(frozen=True)
class Option:
    """An argument that is part of a way out; each view writes it as its users type it.

    Parameters
    ----------
    name : str
        The argument, as the library calls it.
    value : str, optional
        What to give; without it the user must fill it in.
    several, flag : bool
        Whether it takes a list, or nothing at all.
    python : str, optional
        What is said in Python, where the way out is no argument.

    Examples
    --------
    >>> print(Option("sheet", "May"), Option("choice"), Option("items", several=True))
    sheet="May" choice=... items=[...]
    """

    name: str
    value: str | None = None
    several: bool = False
    flag: bool = False
    python: str | None = None

    def __str__(self) -> str:
        value = "True" if self.flag else "[...]" if self.several else "..."
        if self.value is not None:
            value = f'"{self.value}"'
        return self.python or f"{self.name}={value}"

    def typed(self) -> str:
        """Return the argument as one types it on the command line.

        Examples
        --------
        >>> Option("left_score").typed(), Option("sheet", "May").typed(), Option("k").typed()
        ('--left-score ...', '--sheet May', '-k ...')
        """
        value = "A,B,..." if self.several else "..."
        if self.value is not None:
            value = quote(self.value)
        return typed_name(self.name) + ("" if self.flag else f" {value}")


WayOut: TypeAlias = "str | Sequence[str | Option]"

LEAST_COUNT = Option("min_count", python="with_min_count(...)")
FEW_DATA = ("Leave out items with few observations by ", LEAST_COUNT)
IN_MEMORY = "This needs the data in memory: read the files without an engine."
NOBODY_COUNTS = "all weights are 0, so nobody counts"
NO_BLANKS: WayOut = ("Fill them in, or leave these rows out.",)
MEANS_OF_REST = (
    ', or take means over the values that are there with missing="available"'
)
"""What to do about values that are missing."""
NO_VALUES = "no values at all, so left out: {}"
"""What is said of items where the values are used that are there."""


class SteadyrankError(Exception):
    """Base of all errors that steadyrank raises on purpose.

    Parameters
    ----------
    problem : str
        What is wrong: the rule, the offending value and its place.
    way_out : str or sequence of str and Option
        What to do about it.
    **facts
        What a program may want to know; they become attributes.

    Examples
    --------
    >>> error = SteadyrankError("no kind", way_out=["Give it as ", Option("kind")])
    >>> str(error), error.worded(lambda option: f"--{option.name}")
    ('no kind. Give it as kind=...', 'no kind. Give it as --kind.')
    """

    def __init__(self, problem: str, *, way_out: WayOut = (), **facts: Any) -> None:
        vars(self).update(facts)
        self.problem = problem
        self.way_out = (way_out,) if isinstance(way_out, str) else tuple(way_out)
        super().__init__(problem)

    def __str__(self) -> str:
        return self.worded()

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors travel from worker processes, whatever their constructors take.
        return type(self).__new__, (type(self),), vars(self) | {"args": self.args}

    def worded(self, option: Callable[[Option], str] = str) -> str:
        """Return the message, with the arguments of the way out as ``option`` writes them."""
        way = "".join(
            option(part) if isinstance(part, Option) else part for part in self.way_out
        )
        body = _ended(self._body())
        return f"{body} {_ended(way)}" if way else body

    def _body(self) -> str:
        return self.problem


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


class InvalidValueError(SteadyrankError, ValueError):
    """A value that cannot be used; the message says which, where, and what to do."""


class InvalidScoresError(InvalidValueError):
    """Scores, or a ranking, that are not finite, not of the expected shape, or not of the same items."""


class InvalidSettingError(InvalidValueError):
    """An argument or a setting of a scorer that is out of bounds, unknown, or none of the choices."""


class TooLargeError(SteadyrankError):
    """What would not fit the memory of an ordinary machine, or needs more states than allowed."""


class InvalidDataError(InvalidValueError):
    """Observations that cannot be used.

    Knows the offending rows, so that a reader can turn them into lines of the file.

    Parameters
    ----------
    problem, way_out
        As for all errors.
    rows : int array, list or bool array
        The offending rows: their numbers, or a mark for each row. The first few are kept, and how
        many there are.
    column, subject : str, optional
        The column of a table that is at fault; or the argument, if only the caller knows its column.
    source : str, optional
        The file or list at fault, where no row of it is to be named.
    """

    column: str | None = None
    subject: str | None = None
    lines: list[object] | None = None
    lead = "on line"

    def __init__(
        self, problem: str, *, rows: Any = (), source: str | None = None, **facts: Any
    ) -> None:
        super().__init__(problem, **facts)
        marks = getattr(getattr(rows, "dtype", None), "kind", "") == "b"
        numbers = rows.nonzero()[0] if marks else rows
        self.rows, self.total = [int(row) for row in numbers[:SHOWN]], len(numbers)
        self.source, self.placed = source or "", source is not None

    def place_in(
        self, name: str, lines: list[object] | None, lead: str = "on line"
    ) -> None:
        """Say the places as ``lines`` of the file ``name`` from now on, or what else ``lead`` says."""
        self.placed, self.source, self.lines, self.lead = True, name, lines, lead

    def _body(self) -> str:
        text = self.problem
        if self.column is not None:
            text += f" in column {shorten(self.column)}"
        places = self.rows if self.lines is None else self.lines
        if places:
            lead = "at index" if self.lines is None else self.lead
            text += f", {lead} {listing(places, self.total)}"
        within = "of" if places or self.column is not None else "in"
        return f"{text} {within} {self.source}" if self.source else text


@contextmanager
def rows_among(places: Any) -> Iterator[None]:
    """Say errors about some rows, or entries, in terms of all rows: those that they are, or are of.

    None as places says that they are no rows: what an error names is all that can be said.
    """
    try:
        yield
    except InvalidDataError as error:
        if not error.placed:
            error.rows = (
                [] if places is None else [int(places[row]) for row in error.rows]
            )
        raise


class EmptyDataError(InvalidDataError):
    """Nothing was observed: no rows, or no votes in them."""


class InvalidLabelError(InvalidDataError):
    """A label that is missing, blank, doubled, not hashable or not in the given list."""


class InvalidCountError(InvalidDataError):
    """A count or a weight that cannot be one, or counts that add up to too much."""


class NotANumberError(InvalidDataError):
    """A value that should be a finite number and is not."""


class MissingValuesError(InvalidDataError):
    """Missing values where the policy does not allow them."""


class ColumnError(InvalidDataError):
    """A column that is absent, doubled, or of no use in its role."""


class UnreadableFileError(InvalidDataError):
    """A file that is damaged, is not what its format promises, or differs from those beside it."""


class FileNotThereError(SteadyrankError, FileNotFoundError):
    """No file at the path."""


class UnwritableFileError(SteadyrankError, OSError):
    """A place where a result cannot, or must not, be written."""


class MissingPackageError(SteadyrankError, ImportError):
    """An optional package that is needed and not installed."""

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(
            need, way_out=f'Install it with: pip install "steadyrank[{extra}]"'
        )


class UndefinedScoresError(InvalidValueError):
    """Data that leave scores without a single finite value: too few comparisons, columns or data.

    Of comparisons it has the groups of items as ``components``, of designs the ``rows`` without which.
    """


class TooFewUnitsError(InvalidValueError):
    """No unit, or only one, where a question needs more."""


class WrongDataError(InvalidValueError, TypeError):
    """Data that a scorer cannot score, or two versions that cannot be compared."""


class RefitError(SteadyrankError):
    """A function or estimator that failed, or gave no usable scores, without some unit."""

    def __init__(self, where: str, why: str) -> None:
        self.why = why
        super().__init__(f"refitting on {where} failed: {why}")


class NoProofError(InvalidValueError):
    """A proof was asked for where no rule gives one."""

    OTHERWISE = (
        " to check this dataset by removing every unit, or use a scorer with a proved rule "
        "(plurality, approval, Borda, Condorcet, mean ranks or win rates, column means, medians or mean "
        "ratings with a stated value_range, Bradley-Terry with a ridge, or a bagged scorer with bounded "
        "outputs)."
    )

    def __init__(self, scorer: str, why: str, *, way_out: WayOut = ()) -> None:
        usual: WayOut = ["Omit ", Option("proved", flag=True), self.OTHERWISE]
        super().__init__(f"{why} for {scorer}", way_out=way_out or usual)


class EngineError(SteadyrankError):
    """A dataframe engine that could not finish a step, or would bring back too much."""


def not_a_choice(
    argument: str, value: object, choices: Sequence[str]
) -> InvalidSettingError:
    """Return the error about an argument that names none of the choices."""
    return InvalidSettingError(
        f"{argument} must be one of {', '.join(map(repr, choices))}, but is {shorten(value)}"
    )


def too_many_states(
    limit: int,
    reached: int,
    placed: int,
    items: int,
    bound: float,
    *,
    least_log10: float | None = None,
) -> TooLargeError:
    """Return the error about a graph of states that is too large; bounds are logarithms to base 10."""
    found = f"{reached:,} were reached after {placed:,} of {items:,} positions, and max_states={limit:,}"
    way_out = "A smaller eps or a larger max_states"
    if least_log10 is not None:
        found = f"before the first of {items:,} positions at least 10^{least_log10:.1f} states"
        found += f" are known to be needed, and max_states={limit:,}"
    if least_log10 == math.inf:
        close = "so many scores lie within eps/sqrt(2) of each other that no max_states would do"
        found, way_out = close, "A smaller eps"
    return TooLargeError(
        f"the state graph of this set of rankings is too large: {found}; the whole graph may have "
        f"up to 10^{bound:.1f} states. {way_out} makes this call possible. Membership, "
        "iteration, rank intervals, tiers, intersects and common_ranking do not need the graph and "
        "still work."
    )


MOST_COUNTED = 2**63
"""Totals of counts stay below this, so that 64-bit whole numbers hold them."""


def counts_too_large(what: str, total: int) -> InvalidCountError:
    """Return the error about counts, or points times counts, that 64-bit whole numbers do not hold."""
    return InvalidCountError(
        f"the {what} add up to {total:,}, but totals must be below 2^63 = {MOST_COUNTED:,}",
        way_out="Divide all counts by one number: each then stands for so many of them.",
    )


RIDGE = Option("scorer", "bradley-terry:ridge=0.1")
"""What gives every item of a comparison a finite score."""


def singular_design(
    rank: int, items: int, without: Sequence[object] = ()
) -> UndefinedScoresError:
    """Return the error about a design matrix that does not determine its coefficients."""
    where = f"without row {listing(without)} (one at a time) " if without else ""
    return UndefinedScoresError(
        f"{where}the design matrix has rank {rank:,} for {items:,} coefficients, so ordinary "
        "least squares has no single answer",
        way_out=[
            "Use ", Option("scorer", "ridge:penalty=1"), " or ",
            Option("scorer", "constrained-least-squares:radius=1"),
            ", or drop features that others determine.",
        ],
        rows=list(without),
    )  # fmt: skip


def nothing_left(kind: str) -> TooFewUnitsError:
    """Return the error about leaving one unit out of one, which leaves no data to score."""
    return TooFewUnitsError(
        f"there is only one unit (a {kind}), and without it nothing is left to score",
        way_out="Leave-one-out needs two units or more.",
    )


def wrong_data(
    scorer: str, wanted: str, given: str, *, way_out: WayOut
) -> WrongDataError:
    """Return the error about a kind of data that a scorer cannot score."""
    return WrongDataError(
        f"{scorer} needs {wanted}, but was given {given}", way_out=way_out
    )
