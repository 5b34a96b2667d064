"""What a scorer is: from data to scores, and the exact scores without each unit.

The audit asks a :class:`LeaveOneOut` a few questions and nothing else, so that a scorer, or a
dataframe engine, that can answer one of them faster only overrides that method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from steadyrank.errors import (
    InvalidWeightError,
    NotANumberError,
    NothingLeftError,
    NoUnitsError,
    WrongDataError,
    shorten,
)
from steadyrank.sums.blocks import DenseBlock, Wanted, bounds_of, shifts_of, slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.data.units import Units
    from steadyrank.scorers.sensitivity import Sensitivity
    from steadyrank.sums.blocks import Block, Rows, SparseBlock


Settled: TypeAlias = "Callable[[FloatArray, FloatArray], BoolArray]"
"""From values and how far each may be off to which of them settle what was asked."""

OBSERVATIONS = "observations (Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression)"


class RunningTotals(ABC):
    """What scores follow from, and what new units are added to without a look at those before.

    Attributes
    ----------
    scores : float array (items,)
        The scores, bit by bit those of all the data.
    """

    scores: FloatArray

    @abstractmethod
    def plus(self, new: Any, places: IntArray) -> RunningTotals | None:
        """Return the totals with new data, or None where only scoring all of them anew will do.

        The new data are over all items, of which those so far have the ``places``.
        """


UNUSED = "the covariates of battles ({}) are not used: Bradley-Terry scores alone hold them at 0"


class Scorer(ABC):
    """Step 1 of every ranking: from data to one number for each item.

    A new scorer says which kinds of data it takes, its name, and its scores; what else it knows
    (its scores without each unit, a proved bound, how large its outputs can be) it may declare.

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

    covariates: ClassVar[str] = ""
    """What becomes of the covariates of battles, of which there are {}; "" where nobody knows."""

    small_counts: ClassVar[str] = ""
    """Which of its settings governs how few observations count, in a sentence."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call this scorer in a report."""

    @abstractmethod
    def score(self, data: Any) -> FloatArray:
        """Return one score for each item of ``data.items``, bigger is better."""

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the exact scores without each unit; where nothing else is known, by refitting."""
        from steadyrank.scorers.refit import Refit

        return Refit(self.score).leave_one_out(data)

    def running_totals(self, data: Any) -> RunningTotals | None:  # noqa: ARG002 (some have them)
        """Return what the scores follow from and new units can be added to, if there is such a thing."""
        return None

    @property
    def resolution(self) -> float:
        """How close scores are equal, with and without any unit; 0 where they are exact.

        A scorer that fits states one, in what unit its docstring says, and passes all its scores
        through :func:`~steadyrank.scorers.resolution.snapped`.
        """
        return 0.0

    def check(self, data: object) -> None:
        """Complain unless the data are of a kind that this scorer takes."""
        check_kind(data, self.takes, scorer=type(self).__name__)

    def prepared(self, data: Any) -> Any:
        """Return the data as a study of this scorer takes them: with other units, or one more note."""
        number = getattr(data, "covariates", np.zeros((0, 0))).shape[1]
        note = self.covariates.format(number)
        return data if not (note and number) or note in data.notes else data.with_note(note)

    def remarks(self, scores: FloatArray) -> tuple[str, ...]:  # noqa: ARG002 (most have none)
        """Return what must be said of such scores, in plain words."""
        return ()

    def sensitivity(self, data: Any) -> Sensitivity | None:  # noqa: ARG002 (others look at them)
        """Return the most that one unit can move the scores, where that is proved."""
        return None

    def output_radius_squared(self, data: Observations) -> float | None:  # noqa: ARG002 (likewise)
        """Return the squared radius of a ball that holds every possible output, if there is one.

        It must hold for any data of this shape, not only for these.
        """
        return None

    def bagging_numbers(self, data: Observations) -> Mapping[str, float] | None:  # noqa: ARG002
        """Return what the bound on bagged scorers is made of, if this is one with bounded outputs."""
        return None


@dataclass(frozen=True)
class OwnScorer(Scorer):
    """Any object with a name, ``score`` and ``leave_one_out``, with all that a scorer may declare.

    Parameters
    ----------
    own : object
        The object. What else it declares (``resolution``, ``sensitivity``, ``output_radius_squared``,
        ``bagging_numbers``) is asked of it; what it does not is answered as for any scorer.
    """

    own: Any

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return str(self.own.name)

    @property
    def resolution(self) -> float:
        """How close scores of the object are equal, if it says so."""
        return float(getattr(self.own, "resolution", 0.0))

    def check(self, data: object) -> None:
        """Leave it to the object: its data may be of its own kind, too."""

    def score(self, data: Any) -> Any:
        """Return the scores of the object."""
        return self.own.score(data)

    def leave_one_out(self, data: Any) -> Any:
        """Return the leave-one-out scores of the object."""
        return self.own.leave_one_out(data)

    def sensitivity(self, data: Any) -> Any:
        """Return the proved bound of the object, if it declares one."""
        return self._declared("sensitivity", data)

    def output_radius_squared(self, data: Any) -> Any:
        """Return the squared radius of the object's outputs, if it declares one."""
        return self._declared("output_radius_squared", data)

    def bagging_numbers(self, data: Any) -> Any:
        """Return the numbers of a bagged scorer, if the object declares them."""
        return self._declared("bagging_numbers", data)

    def _declared(self, ability: str, data: Any) -> Any:
        return getattr(self.own, ability)(data) if hasattr(self.own, ability) else None


def check_kind(data: object, takes: tuple[str, ...], *, scorer: str, classes: bool = False) -> None:
    """Complain unless the data are of one of the kinds, or of any kind if none is named.

    Responses that are texts go with scorers that take ``classes``.
    """
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.registry import scorers_for

    if isinstance(data, Observations) and (not takes or data.kind.name in takes):
        if getattr(data, "classes", None) and not classes:
            raise NotANumberError(
                f"y must be numbers for {scorer}, but there is {shorten(data.responses[0])}",  # type: ignore[attr-defined]
                way_out="Turn them into numbers, or score by a classifier of scikit-learn.",
            )
        return
    given, way_out = type(data).__name__, "Read a file with read_any, or give columns to one of these."
    if isinstance(data, Observations):
        given, names = data.kind.name, ", ".join(scorers_for(data.kind.name))
        way_out = f"Omit the scorer for the usual one, or choose one that takes {given}: {names}."
    raise WrongDataError(scorer, " or ".join(takes) or OBSERVATIONS, given, way_out=way_out)


def check_several(data: Observations) -> None:
    """Complain about data with no units, or one that has all there is: without it nothing is left."""
    if not data.n_units:
        raise NoUnitsError
    if data.n_units < 2:
        raise NothingLeftError(data.units.kind)
    if data.weights is None and data.unit is None:
        return
    parts = data.unit_parts  # groups of rows that occur 0 times have none
    alone = np.flatnonzero(parts == parts @ data.units.counts)
    if len(alone):
        unit = f"{data.units.kind} {shorten(data.units.labels[int(alone[0])])}"
        weighted = data.weights is not None
        what = "weight" if weighted else data.count_of
        raise InvalidWeightError(
            f"without the {unit}, which has all the {what}, nothing is left",
            way_out=f"Give other units {'a weight' if weighted else 'some'}, too.",
        )


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

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        r"""Return, for each item, its lowest and highest score over all data sets D and D\i."""
        return bounds_of(self.blocks(), self.scores)

    def outer_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return bounds that hold all those scores, too, and may be a little wider."""
        return self.bounds()

    def shifts(self) -> FloatArray:
        r"""Return ``||w - w\i||_2`` for each distinct unit i."""
        return shifts_of(self.blocks(), self.scores)

    def scores_without(self, leaving: IntArray) -> FloatArray | None:  # noqa: ARG002 (some know)
        """Return what scoring anew gives without so many of each distinct unit, where that is known."""
        return None

    def columns(self, items: IntArray, among: BoolArray | None = None) -> Iterator[Rows]:
        """Yield (units, scores of these items) for every distinct unit that changes one of them.

        The second array has one row for each of the units and one column for each of the
        ``items``. Units that are never yielded leave all of the ``items`` as they are. With
        ``among``, a mask of the distinct units, the others are passed over.
        """
        wanted = Wanted.of(self.scores, items, among)
        for block in self.blocks():
            yield from block.columns(wanted)

    def gaps_without(self, one: int, other: int, *, nearly: bool = False) -> FloatArray:
        """Return by how much an item leads another without each distinct unit; nearly, if that does."""
        items = np.array([one, other])
        near = self.columns_near(items, None, lambda rows, _: np.ones(len(rows), dtype=np.bool_))
        with np.errstate(over="ignore"):  # a gap beyond all floats is one all the same
            gaps = np.full(len(self.units), self.scores[one] - self.scores[other])
            for units, rows in near if nearly else self.columns(items):
                gaps[units] = rows[:, 0] - rows[:, 1]
        return gaps

    def columns_near(
        self,
        items: IntArray,
        among: BoolArray | None,
        settled: Settled,  # noqa: ARG002 (some know scores nearby)
    ) -> Iterator[Rows]:
        """Yield the same, in any order; rows near the exact ones will do where they settle a question.

        ``settled`` takes rows and how far at most each of their scores is off, and tells which of them
        give the answer that the exact ones give. A scorer that has no such rows yields the exact ones.
        """
        return self.columns(items, among)

    def shifts_near(self, settled: Settled) -> FloatArray:  # noqa: ARG002 (likewise)
        """Return the shifts, exact but where ``settled`` says of a value and its error that both do."""
        return self.shifts()

    def reordered(self, order: IntArray) -> IntArray:
        """Return the units whose plain ranking differs from ``order``, that of all the data."""
        changed = [
            block.start + np.flatnonzero(block.reordered(self.scores, order)) for block in self.blocks()
        ]
        return np.concatenate([np.empty(0, np.int64), *changed])

    def touching(self, items: IntArray) -> Iterator[SparseBlock] | None:  # noqa: ARG002 (some know)
        """Yield what units touch among these items, if they leave the order of all others as it is.

        The blocks cover all distinct units. None where every unit may touch every item.
        """
        return None

    def unchanged(self, units: IntArray, items: IntArray) -> FloatArray:  # noqa: ARG002 (likewise)
        """Return the scores without each unit of a row of items, none of which it touches."""
        return np.asarray(self.scores[items])


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
