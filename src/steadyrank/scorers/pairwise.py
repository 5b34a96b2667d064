"""Who beats whom: Copeland scores and Condorcet winners, from the margins of all pairs of items.

The margin of one item over another is how many ballots put it ahead less how many put it behind, or how
many of their battles it won less how many it lost. A unit that leaves takes its own margins away and
nothing else; so it can decide anew only pairs whose margins are no larger than it is.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.ballots import Ballots
from steadyrank.engines.blocks import segment_sums
from steadyrank.scorers.base import RowsOut, Scorer, check_left, size_of_all
from steadyrank.scorers.sensitivity import Sensitivity, same_people

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.battles import Battles
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import LeaveOneOut

    Given = Callable[[slice, IntArray, IntArray], IntArray]
    """From a range of distinct units and pairs of items to what each unit adds to each margin."""

ROOM = 1 << 22
"""How many margins of units are computed at a time: 32 MB."""


def margins_of(data: Ballots | Battles) -> tuple[IntArray, IntArray, Given]:
    """Return the margins of rows over columns, the sizes of units, and what these add to margins.

    All of them in whole parts of a ballot or battle. Items that a ballot does not list are behind all
    that it does, and tied with each other.
    """
    return _of_ballots(data) if isinstance(data, Ballots) else _of_battles(data)


def _of_ballots(data: Ballots) -> tuple[IntArray, IntArray, Given]:
    order = np.argsort(data.members[1], kind="stable")
    rows, unit, times = (part[order] for part in data.members)
    place = np.full((len(data.counts), data.n_items), data.n_items)
    place[np.repeat(np.arange(len(place)), np.diff(data.indptr)), data.ranked] = data.levels
    place, times = place[rows], times[:, np.newaxis]
    weights = times[:, 0] * data.units.counts[unit]
    totals = np.stack([weights @ np.sign(place - column[:, np.newaxis]) for column in place.T])
    starts = np.searchsorted(unit, np.arange(len(data.units) + 1))

    def given(units: slice, one: IntArray, other: IntArray) -> IntArray:
        some = slice(starts[units.start], starts[units.stop])
        ahead = np.sign(place[some][:, other] - place[some][:, one]) * times[some]
        return segment_sums(ahead, starts[units.start : units.stop + 1] - some.start)

    return totals, segment_sums(times[:, 0], starts), given


def _of_battles(data: Battles) -> tuple[IntArray, IntArray, Given]:
    pairs, items = data.unit_pairs, data.n_items
    unit = np.repeat(np.arange(len(data.units)), np.diff(pairs.indptr))
    wins, ties = np.rint(np.stack([pairs.wins, pairs.ties]) * data.weight_parts[1]).astype(np.int64)
    totals = np.zeros((items, items), dtype=np.int64)
    np.add.at(totals, (pairs.winner, pairs.loser), wins * data.units.counts[unit])

    def given(units: slice, one: IntArray, other: IntArray) -> IntArray:
        found, asked = np.zeros((units.stop - units.start, len(one) + 1), dtype=np.int64), totals * 0 - 1
        asked[one, other] = np.arange(len(one))  # a column more takes what nobody asked for
        some = slice(pairs.indptr[units.start], pairs.indptr[units.stop])
        sides = pairs.winner[some], pairs.loser[some]
        np.add.at(found, (unit[some] - units.start, asked[sides]), wins[some])
        np.subtract.at(found, (unit[some] - units.start, asked[sides[::-1]]), wins[some])
        return found[:, :-1]

    return totals - totals.T, segment_sums(wins + ties, pairs.indptr), given


class Pairwise(Scorer):
    """Scores that follow from the margins between all pairs of items."""

    takes = ("ballots", "battles")
    rule: ClassVar[str]
    moved: ClassVar[str]

    @abstractmethod
    def open_pairs(self, margins: IntArray, largest: int) -> BoolArray:
        """Return the pairs that may matter to a score where no margin moves by more than ``largest``."""

    @abstractmethod
    def of_pairs(
        self, margins: IntArray, is_open: BoolArray, left: IntArray, rest: IntArray
    ) -> FloatArray:
        """Return the scores, a row for each row of ``left``: what the margins of the open pairs become.

        These come in the order of their first items. ``rest`` is the size of all units that are left.
        """

    @abstractmethod
    def squared_move(self, data: Any, share: Fraction) -> tuple[Fraction, str] | None:
        """Return how far a unit of such a share moves the scores, squared, and as a formula."""

    def score(self, data: Any) -> FloatArray:
        """Return the score of each item."""
        self.check(data)
        margins, sizes, _ = margins_of(data)
        others = ~np.eye(data.n_items, dtype=np.bool_)
        left, rest = margins[others][np.newaxis], np.array([size_of_all(data, sizes)])
        return np.asarray(self.of_pairs(margins, others, left, rest)[0])

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each distinct unit, from the pairs that it may decide."""
        scores, (margins, sizes, given) = self.score(data), margins_of(data)
        rest = size_of_all(data, sizes) - sizes
        check_left(data, rest)
        is_open = self.open_pairs(margins, int(sizes.max())) & ~np.eye(data.n_items, dtype=np.bool_)
        one, other = np.nonzero(is_open)

        def rows(units: slice) -> FloatArray:
            left = margins[one, other] - given(units, one, other)
            return self.of_pairs(margins, is_open, left, rest[units])

        room = len(scores) * max(1, ROOM // max(1, len(one)))
        return RowsOut(scores, data.units, rows, block_numbers=room)

    def sensitivity(self, data: Any) -> Sensitivity | None:
        """Return the most that one unit can move the scores, where that is known."""
        self.check(data)
        sizes = margins_of(data)[1]
        move = self.squared_move(data, Fraction(int(sizes.max()), size_of_all(data, sizes)))
        return move and Sensitivity.of(
            data,
            move[0] if data.n_items > 1 else Fraction(0),
            rule=self.rule,
            units=data.kind.name if data.unit is None else f"{data.unit_kind} units",
            moved=self.moved,
            scope=f"{data.kind.name} over {data.n_items:,} items{same_people(data)}",
            formula=move[1],
        )


@dataclass(frozen=True)
class Copeland(Pairwise):
    """How many of the others an item beats in a majority of their comparisons; a tie counts half.

    A ballot compares all pairs: items that it does not list are behind all that it does, and tied with
    each other. Battles compare the two that met. A pair that never met, or that all who compared it
    left tied, is a tie.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y", "z"], ["x"], ["y", "z", "x"]])
    >>> Copeland().score(ballots)  # x beats both by 2 to 1, and y beats z by 2 to 0
    array([2., 1., 0.])
    >>> next(Copeland().leave_one_out(ballots).blocks()).scores
    array([[1. , 1.5, 0.5],
           [1. , 1.5, 0.5],
           [2. , 1. , 0. ]])
    """

    name = "Copeland score"
    rule, moved = "Copeland", "Copeland scores"

    def open_pairs(self, margins: IntArray, largest: int) -> BoolArray:
        """Return the pairs whose margins a unit can bring to 0."""
        return np.abs(margins) <= largest

    def of_pairs(
        self, margins: IntArray, is_open: BoolArray, left: IntArray, rest: IntArray
    ) -> FloatArray:
        """Count wins less losses, from 0 to twice the number of others."""
        settled = np.where(is_open, 0, np.sign(margins)).sum(axis=1) + len(margins) - 1
        indptr = np.append(0, np.cumsum(is_open.sum(axis=1)))
        return np.asarray((settled + segment_sums(np.sign(left).T, indptr).T) / 2)

    def squared_move(self, data: Any, share: Fraction) -> tuple[Fraction, str] | None:
        """Return the most that a ballot or a battle can do; None of weights and groups.

        One ballot moves a margin by at most 1, so from a win to a tie or from a tie to a loss, but
        never from a win to a loss. Twice the move of an item is therefore the number of pairs in which
        it gains less those in which it loses: wins less losses in a tournament, whose squares sum
        to at most ``L (L^2 - 1) / 3``, as in a complete order. So the scores move by at most
        ``sqrt(L (L^2 - 1) / 12)``, half of what two outputs can differ at all. One of ``k + 1`` equal ballots
        against k in the opposite order does it, however large k is: the bound does not go down with n.
        A battle moves one pair alone: two items by a half each, ``sqrt(1/2)`` in all. A unit of another
        weight, or a group, may turn all pairs round, so that nothing less than everything is true.
        """
        if data.weights is not None or data.unit is not None:
            return None
        if isinstance(data, Ballots):
            return Fraction(data.n_items * (data.n_items**2 - 1), 12), "sqrt(L(L^2-1)/12)"
        return Fraction(1, 2), "sqrt(1/2)"

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of complete orders: the wins of a tournament lie in their convex hull."""
        return data.n_items * (data.n_items**2 - 1) / 12


@dataclass(frozen=True)
class Condorcet(Pairwise):
    """The worst margin of an item over any other, as a share of all ballots, or battles.

    It is positive for the Condorcet winner, who beats each other item in a majority of their
    comparisons, and for nobody else. Ask for the top 1. Where the best score is 0 or less there is no
    such winner, which a note says, and the best is who loses by the least (the minimax rule).
    Ballots and battles are compared as for :class:`Copeland`. A single item has 1.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y", "z"], ["y", "x", "z"], ["x", "z", "y"], ["z", "x", "y"]])
    >>> Condorcet().score(ballots)
    array([ 0.5, -0.5, -0.5])
    >>> next(Condorcet().leave_one_out(ballots).blocks()).scores.round(4)
    array([[ 0.3333, -0.3333, -0.3333],
           [ 0.3333, -1.    , -0.3333],
           [ 0.3333, -0.3333, -0.3333],
           [ 0.3333, -0.3333, -1.    ]])
    """

    name = "worst margin (Condorcet)"
    rule, moved = "Condorcet", "worst margins"

    def open_pairs(self, margins: IntArray, largest: int) -> BoolArray:
        """Return the pairs that may become an item's worst."""
        others = margins + np.diag(np.full(len(margins), margins.max()))  # nobody meets itself
        return np.asarray(others <= others.min(axis=1, keepdims=True) + 2 * largest)

    def of_pairs(
        self, margins: IntArray, is_open: BoolArray, left: IntArray, rest: IntArray
    ) -> FloatArray:
        """Take the least margin over the others."""
        if len(margins) == 1:
            return np.ones((len(left), 1))
        numbers = is_open.sum(axis=1)
        worst = np.minimum.reduceat(left, np.cumsum(numbers) - numbers, axis=1)
        return np.asarray(worst / rest[:, np.newaxis])

    def remarks(self, scores: FloatArray) -> tuple[str, ...]:
        """Say so where nobody beats all others."""
        nobody = "there is no Condorcet winner: every item loses to another one, or ties with it"
        return () if scores.max() > 0 else (nobody,)

    def squared_move(self, data: Any, share: Fraction) -> tuple[Fraction, str]:
        r"""Return that of ``2 sqrt(L) / n``; with weights or groups, the largest share stands for 1/n.

        With s from -1 to 1 what a unit says of a pair, and v the margin of the pair as a share,
        ``v - v\i = (s - v\i) / n`` is at most ``2 / n`` in size, as for all means. The least of some
        numbers moves no further than the one of them that moves most, so each of the L scores moves
        by at most ``2 / n``. One ballot against n - 1 ballots in the opposite order reaches it.
        """
        plain = data.weights is None and data.unit is None
        return 4 * data.n_items * share**2, "2 sqrt(L)" + ("/n" if plain else " times the largest share")

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the box from -1 to 1."""
        return float(data.n_items)
