"""What a scorer is: from data to scores, and the exact scores without each unit.

The audit asks a :class:`LeaveOneOut` a few questions and nothing else, so that a scorer, or a
dataframe engine, that can answer one of them faster only overrides that method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.observations import Observations, with_notes
from steadyrank.data.units import Units
from steadyrank.errors import (
    NotANumberError,
    Option,
    nothing_left,
    shorten,
    wrong_data,
)
from steadyrank.operators.checks import check_settings
from steadyrank.sums import blocks
from steadyrank.sums.blocks import Block, DenseBlock, Rows, SparseBlock, Wanted, slices
from steadyrank.sums.model import Sums

if TYPE_CHECKING:
    from steadyrank.scorers.sensitivity import Sensitivity


Settled: TypeAlias = "Callable[[FloatArray, FloatArray], BoolArray]"
"""From values and how far each may be off to which of them settle what was asked."""

OBSERVATIONS = (
    "observations (Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression)"
)


class Scorer(ABC):
    """Step 1 of every ranking: from data to one number for each item.

    A new scorer says which kinds of data it takes, its name, and its scores; what else it knows
    (its sums, its scores without each unit, a proved bound) it may declare. Two more questions are
    asked of scorers that answer them: ``output_radius_squared(data)``, the squared radius of a ball that
    holds every possible output for any data of this shape, and ``remarks(scores)``, what must be said
    of such scores in plain words.

    Attributes
    ----------
    takes : tuple of str
        The kinds of data it can score, by name; none named means any.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> class Counts(Scorer):
    ...     takes = ("votes",)
    ...     name = "votes"
    ...
    ...     def score(self, data):
    ...         return data.tally
    >>> Counts().score(Votes(["ann", "bob", "ann"]))
    array([2, 1])
    """

    takes: ClassVar[tuple[str, ...]] = ()
    _called: ClassVar[str] = "{0.__class__.__name__}"
    """What to call it in a report, with settings in braces."""
    _shares: ClassVar[bool] = True
    """Whether battles may have shares for results."""

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def name(self) -> str:
        """What to call this scorer in a report; its class, if it does not say."""
        return self._called.format(self)

    @property
    def resolution(self) -> float:
        """How close scores are equal, with and without any unit; 0 where they are exact.

        A scorer that fits states one, in what unit its docstring says, and passes all its scores
        through :func:`~steadyrank.scorers.base.snapped`.
        """
        return 0.0

    @abstractmethod
    def score(self, data: Any) -> FloatArray:
        """Return one score for each item of ``data.items``, bigger is better."""

    def prepared(self, data: Any) -> Any:
        """Return the data as this scorer takes them, or complain: with other units, or one more note."""
        check_kind(data, self.takes, scorer=type(self).__name__)
        battles = "battles" in self.takes and data.kind.name == "battles"
        if battles and not self._shares and data.fineness > 1:
            scorer, way_out = (
                type(self).__name__,
                ("Use ", Option("scorer", "win-rate")),
            )
            raise wrong_data(
                scorer, "wins and ties", "shares of battles", way_out=way_out
            )
        return data

    def sums(self, data: Any) -> Sums | None:  # noqa: ARG002 (some have them)
        """Return what each unit adds to each item's numerator and denominator, if scores are that."""
        return None

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the exact scores without each unit; where nothing else is known, by refitting."""
        from steadyrank.scorers.refit import Refit

        return Refit(self.score).leave_one_out(data)

    def sensitivity(self, data: Any) -> Sensitivity | None:  # noqa: ARG002 (others look at them)
        """Return the most that one unit can move the scores, where that is proved."""
        return None


def declared(scorer: object, ability: str, given: Any) -> Any:
    """Return the answer of a scorer that has an ability beside those of all scorers, else None."""
    return getattr(scorer, ability)(given) if hasattr(scorer, ability) else None


def noted(data: Any, note: str) -> Any:
    """Return the data with a note, which they may have already."""
    return data if note in data.notes else with_notes(data, note)


def check_kind(
    data: object, takes: tuple[str, ...], *, scorer: str, classes: bool = False
) -> None:
    """Complain unless the data are of one of the kinds, or of any kind if none is named.

    Responses that are texts go with scorers that take ``classes``.
    """
    if isinstance(data, Observations) and (not takes or data.kind.name in takes):
        if getattr(data, "classes", None) and not classes:
            raise NotANumberError(
                f"y must be numbers for {scorer}, but there is {shorten(data.responses[0])}",  # type: ignore[attr-defined]
                way_out="Turn them into numbers, or score by a classifier of scikit-learn.",
            )
        return
    given, way_out = (
        type(data).__name__,
        "Read a file with read(...), or give columns to one of these.",
    )
    if isinstance(data, Observations):
        given, way_out = data.kind.name, "Omit the scorer for the usual one."
    raise wrong_data(scorer, " or ".join(takes) or OBSERVATIONS, given, way_out=way_out)


def check_several(data: Observations) -> None:
    """Complain about data with a single unit: without it nothing is left."""
    if data.n_units < 2:
        raise nothing_left(data.units.kind)


class LeaveOneOut(ABC):
    """The exact scores without each unit.

    Attributes
    ----------
    scores : float array (items,)
        The scores on all the data.
    units : Units
        The distinct units and their counts.
    """

    scores: FloatArray
    units: Units

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield blocks that cover all distinct units in order; may be called again."""

    def bounds(self, *, outer: bool = False) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        r"""Return, for each item, its lowest and highest score over all data sets D and D\i.

        Outer bounds hold all those scores, too, and may be a little wider.
        """
        return blocks.bounds_of(self.blocks(), self.scores)

    def shifts(self, settled: Settled | None = None) -> FloatArray:  # noqa: ARG002 (some know nearby ones)
        r"""Return ``||w - w\i||_2`` for each distinct unit i.

        With ``settled``, values near these will do where it says so of a value and how far that is off.
        """
        return blocks.shifts_of(self.blocks(), self.scores)

    def columns(
        self,
        items: IntArray,
        among: BoolArray | None = None,
        settled: Settled | None = None,
    ) -> Iterator[Rows]:
        """Yield (units, scores of these items) for every distinct unit that changes one of them.

        The second array has one row for each of the units and one column for each of the
        ``items``. Units that are never yielded leave all of the ``items`` as they are. With
        ``among``, a mask of the distinct units, the others are passed over.

        ``settled`` takes rows and how far at most each of their scores is off, and tells which of them
        give the answer that the exact ones give: those will do, in any order. A scorer that has no such
        rows yields the exact ones.
        """
        del settled  # some know rows nearby
        wanted = Wanted.of(self.scores, items, among)
        for block in self.blocks():
            yield from block.columns(wanted)

    def reordered(self, order: IntArray) -> IntArray:
        """Return the units whose plain ranking differs from ``order``, that of all the data."""
        return blocks.reordered_of(self.blocks(), self.scores, order)

    def touching(self, items: IntArray) -> Iterator[SparseBlock] | None:  # noqa: ARG002 (some know)
        """Yield what units touch among these items, if they leave the order of all others as it is.

        The blocks cover all distinct units. None where every unit may touch every item.
        """
        return None


class Sketched(LeaveOneOut):
    """Scores that are fitted anew without each unit, and known nearby, with ``settled``, for less."""

    @abstractmethod
    def nearby(
        self, items: IntArray
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield (units, scores of these items, how far each is off at most), all distinct units once."""


def known(rows: FloatArray, errors: FloatArray) -> BoolArray:  # noqa: ARG001 (all will do)
    """Tell that all rows whose errors are bounded settle what was asked."""
    return np.ones(len(rows), dtype=np.bool_)


def gaps_without(
    out: LeaveOneOut, one: int, other: int, *, nearly: bool = False
) -> FloatArray:
    """Return by how much an item leads another without each distinct unit; nearly, if that does."""
    with np.errstate(over="ignore"):  # a gap beyond all floats is one all the same
        gaps = np.full(len(out.units), out.scores[one] - out.scores[other])
        for units, rows in out.columns(
            np.array([one, other]), None, known if nearly else None
        ):
            gaps[units] = rows[:, 0] - rows[:, 1]
    return gaps


def turning(
    out: LeaveOneOut, ahead: IntArray, behind: IntArray
) -> Iterator[tuple[IntArray, BoolArray]]:
    """Yield units, and which pairs each of them turns when it leaves, (units, pairs)."""
    items, places = np.unique([ahead, behind], return_inverse=True)
    first, second = places.reshape(2, -1)

    def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
        far = (
            np.abs(rows[:, first] - rows[:, second])
            > errors[:, first] + errors[:, second]
        )
        return np.asarray(far.all(axis=1))

    for units, rows in out.columns(items, None, settled):
        one, other = rows[:, first], rows[:, second]
        yield units, (one < other) | ((one == other) & (behind < ahead))


@dataclass(frozen=True)
class RowsOut(LeaveOneOut):
    """Leave-one-out scores of all items, computed for a range of units at a time.

    Parameters
    ----------
    scores, units
        As for any of them.
    rows : callable
        From a range of distinct units to a matrix with one row of scores for each.
    block_numbers : int
        How many scores one block holds (8 MB).
    kept_numbers : int
        Up to this many scores are kept, so that asking again costs nothing.
    """

    scores: FloatArray
    units: Units
    rows: Callable[[slice], FloatArray]
    block_numbers: int = 1_000_000
    kept_numbers: int = 0
    _kept: list[DenseBlock] = field(default_factory=list, init=False)

    def blocks(self) -> Iterator[DenseBlock]:
        """Yield blocks that cover all distinct units in order."""
        if self._kept:
            yield from self._kept
            return
        found = []
        for part in slices(len(self.units), self.block_numbers, len(self.scores)):
            block = DenseBlock(part.start, self.rows(part))
            if len(self.units) * len(self.scores) <= self.kept_numbers:
                found.append(block)
            yield block
        self._kept[:] = found


def snapped(scores: FloatArray, width: float | FloatArray) -> FloatArray:
    """Return the scores with those that are closer than ``width`` made equal.

    A fit is computed to some digits, so scores that are equal by symmetry (teams with the same record,
    the same feature twice) come out a few units of the last digit apart, one way on all the data and
    another without some unit. A scorer that fits therefore states a *resolution*, far above the error of
    its solver and far below what means anything, and passes all its scores through this: its scores on
    the data and every row without a unit, always whole rows. So nothing later has to know of it, and
    which columns somebody asks for cannot change what they hold.

    In each row neighbours in the order of the scores are linked where they differ by no more than the
    width, and all scores that are linked, one to the next, become the largest of them. Scores that are
    not linked stay as they are, and no two scores change places.

    Parameters
    ----------
    scores : float array (items,) or (rows, items)
        The scores.
    width : float or float array, (items,) or (rows, items)
        How close is equal, for all items or for each; of two items the smaller width counts.

    Examples
    --------
    >>> snapped(np.array([0.30000000000000004, 0.1, 0.3]), 1e-9).tolist()
    [0.30000000000000004, 0.1, 0.30000000000000004]
    """
    widest = float(np.max(width, initial=0.0))
    if widest == 0.0 or scores.shape[-1] < 2:
        return scores
    rows = np.atleast_2d(scores)
    close = (np.diff(np.sort(rows, axis=1), axis=1) <= widest).any(axis=1)
    if not close.any():
        return scores
    found = rows.copy()
    found[close] = _linked(rows[close], np.broadcast_to(width, rows.shape)[close])
    return found.reshape(scores.shape)


def _linked(rows: FloatArray, widths: FloatArray) -> FloatArray:
    order = np.argsort(-rows, axis=1, kind="stable")
    ranked, wide = (np.take_along_axis(part, order, axis=1) for part in (rows, widths))
    apart = ranked[:, :-1] - ranked[:, 1:] > np.minimum(wide[:, :-1], wide[:, 1:])
    first = np.zeros(rows.shape, dtype=np.int64)
    first[:, 1:] = np.where(apart, np.arange(1, rows.shape[1]), 0)
    np.maximum.accumulate(first, axis=1, out=first)
    found = np.empty(rows.shape)
    np.put_along_axis(found, order, np.take_along_axis(ranked, first, axis=1), axis=1)
    return found
