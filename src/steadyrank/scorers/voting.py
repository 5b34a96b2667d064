"""Rules that count: plurality, approval, Borda, instant-runoff, and points as leagues publish them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.ballots import Ballots
from steadyrank.data.battles import Battles
from steadyrank.data.families import CountedRows
from steadyrank.data.observations import Observations, shares_of
from steadyrank.data.rows import check_total
from steadyrank.data.votes import Votes
from steadyrank.errors import InvalidSettingError, Option, counts_too_large, wrong_data
from steadyrank.operators.checks import FROM_0, check_setting, setting
from steadyrank.scorers.base import LeaveOneOut, RowsOut
from steadyrank.scorers.sensitivity import UnitShares, size_of_all
from steadyrank.scorers.sums import SumScorer
from steadyrank.sums.blocks import repeated_spans
from steadyrank.sums.exact import EXACT
from steadyrank.sums.points import Points


class Given(NamedTuple):
    """The points of rows: what each gives to items that it lists, and to the others, in whole parts.

    ``point`` parts make one. Scores are means over all rows, or else the ``total``.
    """

    indptr: IntArray
    listed: IntArray
    given: Any = 1
    others: Any = 0
    point: int = 1
    total: bool = False

    def of_units(self, data: CountedRows) -> Points:
        """Return the points of units from those of their rows: equal ones, some with weights, groups."""
        unit, times = shares_of(data).unit, shares_of(data).parts
        size, items = len(data.units), data.n_items
        given = np.broadcast_to(self.given, self.listed.shape)
        others = np.broadcast_to(self.others, len(times))
        most = max(int(given.max(initial=0)), int(others.max(initial=0)), self.point)
        every = times if data.unit is not None else times * data.units.counts
        check_total(
            every, f"points of an item (up to {most / self.point:g} a unit)", most
        )
        sizes = np.full(size, self.point)
        indptr, listed = self.indptr, self.listed
        if data.weights is not None or data.unit is not None:
            row = np.repeat(np.arange(len(times)), np.diff(indptr))
            beyond, by_row = times[row] * (given - others[row]), others * times
            others, sizes = np.zeros((2, size), dtype=np.int64)
            np.add.at(others, unit, by_row)
            np.add.at(sizes, unit, times * self.point)
            keys, which = np.unique(unit[row] * items + listed, return_inverse=True)
            owner, listed = np.divmod(keys, items)
            given = others[owner]
            np.add.at(given, which, beyond)
            indptr = np.searchsorted(owner, np.arange(size + 1))
        size_of_all(data, sizes)  # complains where nobody counts
        over = self.point * shares_of(data).scale if self.total else 0
        sizes = sizes * (not self.total)
        return Points(
            indptr, listed, given, others, sizes, data.units.counts, items, over
        )


class MeanPoints(SumScorer, UnitShares):
    """The mean over all units of the points that each gives to each item."""

    @abstractmethod
    def points(self, data: Any) -> Given:
        """Return the points that each row gives."""

    def added(self, data: Any) -> Points:
        """Return the points that each distinct unit gives."""
        data = self.prepared(data)
        return self.points(data).of_units(data)

    def sizes(self, data: Any) -> IntArray:
        """Return what each unit takes off the divisor."""
        return self.added(data).sizes


def first_choices(data: Ballots, stay: BoolArray) -> Given:
    """Return a point of each ballot for its best among the items that stay, split where these tie.

    A ballot that lists none of them gives nothing.
    """
    listed = np.flatnonzero(stay[data.ranked])
    starts, levels = np.searchsorted(listed, data.indptr), data.levels[listed]
    # Entries come best first, so the first that stays is one of the best.
    first = listed[levels == levels[np.repeat(starts[:-1], np.diff(starts))]]
    indptr = np.searchsorted(first, data.indptr)
    tied = np.diff(indptr)
    point = math.lcm(*np.unique(tied[tied > 0]).tolist())
    if point >= EXACT:
        raise counts_too_large(
            "parts of a point that ties for the first place split", point
        )
    given = np.repeat(point // np.maximum(tied, 1), tied)
    return Given(indptr, data.ranked[first], given, point=point)


def places(data: Ballots) -> tuple[IntArray, IntArray]:
    """Return for each entry of ballots how many are ahead of it, and how many share its place."""
    entries = np.arange(len(data.ranked))
    starts_ballot = np.repeat(data.indptr[:-1], np.diff(data.indptr))
    # Entries come best first, so a tier is a run: it starts where the level or the ballot changes.
    starts_tier = (np.diff(data.levels, prepend=-1) != 0) | (entries == starts_ballot)
    tier_starts = np.flatnonzero(starts_tier)
    sizes = np.diff(tier_starts, append=len(entries))
    tier = np.cumsum(starts_tier) - 1
    return tier_starts[tier] - starts_ballot, sizes[tier]


@dataclass(frozen=True)
class Plurality(MeanPoints):
    """The share of the votes, or of the first choices of ballots, that each item gets.

    Items that are tied in first place share a ballot equally. Without one of n votes the shares are
    those of the n - 1 others, so every share moves: that of the item voted for goes down, all others go
    up by the factor ``n / (n - 1)``. An item that loses its only vote has share 0.

    Examples
    --------
    >>> from steadyrank.data import Ballots, Votes
    >>> votes = Votes(["ann", "bob", "ann", "cid"])
    >>> Plurality().score(votes)
    array([0.5 , 0.25, 0.25])
    >>> Plurality().leave_one_out(votes).shifts().round(4)  # a vote for ann, bob, cid
    array([0.2041, 0.3118, 0.3118])
    >>> Plurality().score(Ballots([["ann", "bob"], [("bob", "cid"), "ann"]]))
    array([0.5 , 0.25, 0.25])
    """

    takes: ClassVar[tuple[str, ...]] = ("votes", "ballots")
    name = "share of votes"
    rule, scope = "plurality", "{kind}"

    def prepared(self, data: Any) -> Any:
        """Complain unless the data are votes, or ballots with first choices."""
        data = super().prepared(data)
        if getattr(data, "approval", False):
            way_out = (
                "Use ",
                Option("scorer", "approval"),
                " or ",
                Option("scorer", "borda"),
                ".",
            )
            scorer, needed = (
                type(self).__name__,
                "votes or orders, which have a first choice",
            )
            raise wrong_data(
                scorer, needed, "ballots that approve, which have none", way_out=way_out
            )
        return data

    def points(self, data: Votes | Ballots) -> Given:
        """Return one point for the item voted for, or split among those in first place."""
        if isinstance(data, Ballots):
            return first_choices(data, np.ones(data.n_items, dtype=np.bool_))
        rows = shares_of(data).rows
        return Given(np.arange(len(rows) + 1), data.choices[rows])

    def squared_diameter(self, items: int) -> Fraction:
        r"""Return 2: one vote moves the shares by at most ``sqrt(2) / n``.

        A vote is a corner of the simplex. The distance between two corners is sqrt(2), and no
        two points of the simplex are further apart, so ``||w - w\i|| = ||z_i - w\i|| / n`` is at
        most ``sqrt(2) / n``. One vote against n - 1 votes for a single other item reaches it.
        With one item alone nothing can move.
        """
        return Fraction(2 * (items > 1))

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, around its centre."""
        return 1.0 - 1.0 / data.n_items


@dataclass(frozen=True)
class Approval(MeanPoints):
    """The share of the ballots that approve of each item.

    Without one of n ballots the shares are those of the n - 1 others. An item that loses its
    only approval has share 0. Ballots must be sets of approved items (``approval=True``): who
    puts items in order has not said which of them are good enough.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([{"x", "y"}, {"x"}, set()], approval=True)
    >>> Approval().score(ballots).round(4)
    array([0.6667, 0.3333])
    >>> next(Approval().leave_one_out(ballots).blocks()).scores
    array([[0.5, 0. ],
           [0.5, 0.5],
           [1. , 0.5]])
    """

    takes = ("ballots",)
    name = "share of approvals"
    rule = "approval"

    def prepared(self, data: Any) -> Any:
        """Complain unless the data are approval ballots."""
        data = super().prepared(data)
        if not data.approval:
            way_out = ("Use ", Option("scorer", "borda"), ".")
            raise wrong_data(
                "Approval", "ballots that approve", "orders", way_out=way_out
            )
        return data

    def points(self, data: Ballots) -> Given:
        """Return one point for each item that a ballot approves of."""
        return Given(data.indptr, data.ranked)

    def squared_diameter(self, items: int) -> Fraction:
        r"""Return L: one ballot moves the shares by at most ``sqrt(L) / n``.

        A ballot is a corner of the cube ``[0, 1]^L``, whose diameter is sqrt(L), so
        ``||w - w\i|| = ||z_i - w\i|| / n`` is at most ``sqrt(L) / n``. One ballot that approves of
        everything, against n - 1 that approve of nothing, reaches it.
        """
        return Fraction(items)


@dataclass(frozen=True)
class Borda(MeanPoints):
    """The mean number of Borda points that a ballot gives to each item.

    A ballot over L items has the points ``L - 1, L - 2, ..., 0`` to give, the most to its best
    item. Tied items share equally the points of the places that they take together. Items that
    the ballot leaves out are tied for the places that are left, behind all that it names. So
    every ballot gives ``L (L - 1) / 2`` points in all, and an empty one gives every item the
    same. Approval ballots have two tiers under this rule. Other conventions for ballots that name only
    some items give nothing to the rest: that is ``points`` (:class:`TotalPoints`).

    Without one of n ballots the means are those of the n - 1 others.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y", "z"], ["y"], [("x", "z"), "y"]])
    >>> Borda().score(ballots)  # x: 2 + 0.5 + 1.5, y: 1 + 2 + 0, z: 0 + 0.5 + 1.5
    array([1.33333333, 1.        , 0.66666667])
    >>> next(Borda().leave_one_out(ballots).blocks()).scores
    array([[1.  , 1.  , 1.  ],
           [1.75, 0.5 , 0.75],
           [1.25, 1.5 , 0.25]])
    """

    takes = ("ballots",)
    name = "Borda points"
    rule, moved = "Borda", "mean points"

    def points(self, data: Ballots) -> Given:
        """Return the points of each distinct ballot, in half points so that all are whole."""
        ahead, tied = places(data)
        given = 2 * (data.n_items - 1 - ahead) - (tied - 1)
        others = np.maximum(data.n_items - np.diff(data.indptr) - 1, 0)
        # Two tiers are half the items apart, whatever their sizes.
        return Given(data.indptr, data.ranked, given, others, point=2)

    def squared_diameter(self, items: int) -> Fraction:
        r"""Return ``L (L^2 - 1) / 3``: one ballot moves the scores by at most the root of that over n.

        The points of a complete order are a permutation of ``s = (L-1, ..., 0)``. Those of a
        ballot with ties, or with items left out, are the mean over all ways to break the ties,
        so they lie in the convex hull of the permutations, and so does every mean of ballots.
        ``n ||w - w\i|| = ||z_i - w\i||`` is therefore at most the largest distance between two
        permutations, since a convex function is largest at corners. That distance is
        ``2 |s|^2 - 2 p.q`` squared, and ``p.q`` is smallest for opposite orders, where the squared
        distance is the sum of ``(L - 1 - 2 j)^2`` over ``j = 0 .. L-1``, which is
        ``L (L^2 - 1) / 3``. One ballot against n - 1 ballots in the opposite order reaches it.
        """
        return Fraction(items * (items**2 - 1), 3)


@dataclass(frozen=True)
class TotalPoints(SumScorer):
    """The total of an item's points: for wins and draws in battles, or for its places on ballots.

    Leagues, contests and critics' lists publish totals, not means: without a unit, exactly what it gave
    is gone. Means over all units have the same order, with and without any unit, so lists, ranks and
    margins are those of either. Totals are exact, with and without any unit; a weight counts a battle or
    a ballot as so many. Points are the same at home and away. An item without a battle, or on no ballot,
    has 0.

    *Ballots*: an item gets the points of its place. Places beyond those that have points give 0, and so
    does a ballot to items that it leaves out. Tied items share equally the points of the places that
    they take together; the items of an approval ballot are tied for the first place.

    Parameters
    ----------
    win, draw, loss : float
        The points for the result of a battle.
    places : sequence of float
        The points for the first place of a ballot, the second...; by name ``"points:5,4,3,2,1"``.

    Examples
    --------
    >>> from steadyrank.data import Ballots, Battles
    >>> battles = Battles(["x", "y", "x"], ["y", "z", "z"], ["left", "tie", "left"])
    >>> TotalPoints().score(battles), TotalPoints(win=2, loss=1).score(battles)
    (array([6., 1., 1.]), array([4., 2., 2.]))
    >>> TotalPoints().leave_one_out(battles).shifts().round(4)  # without x > y, x > z or y = z
    array([3.    , 3.    , 1.4142])
    >>> TotalPoints(places=(12, 10, 8)).score(Ballots([["x", "y"], [("y", "z"), "x"]]))
    array([20., 21., 11.])
    """

    takes = ("ballots", "battles")
    _shares = False
    listed = "places"

    win: float = setting(3.0)
    draw: float = setting(1.0)
    loss: float = setting(0.0)
    places: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.places if np.iterable(self.places) else (self.places,)
        object.__setattr__(self, "places", tuple(given))
        for number in self.places:
            check_setting("places", number, FROM_0)

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        results = f"win {self.win:g}, draw {self.draw:g}, loss {self.loss:g}"
        return f"points ({', '.join(f'{each:g}' for each in self.places) or results})"

    def prepared(self, data: Any) -> Any:
        """Complain of ballots without points of places, and of battles with some."""
        data = super().prepared(data)
        if bool(self.places) == isinstance(data, Battles):
            example = (
                "points:win=3,draw=1,loss=0" if self.places else "points:5,4,3,2,1"
            )
            problem = f"points of {data.kind.name} are not known"
            raise InvalidSettingError(
                problem, way_out=("Give them: ", Option("scorer", example))
            )
        return data

    def added(self, data: Any) -> Points:
        """Return the points that each distinct unit gives."""
        data = self.prepared(data)
        return (self._results if isinstance(data, Battles) else self._ballots)(
            data
        ).of_units(data)

    def _results(self, data: Battles) -> Given:
        point, (win, draw, loss) = whole([self.win, self.draw, self.loss])
        rows = shares_of(data).rows
        sides = np.stack([data.left[rows], data.right[rows]], axis=1).ravel()
        of_sides = np.array(
            [[draw, draw], [win, loss], [loss, win]]
        )  # the last where right won, -1
        given = of_sides[data.outcome[rows]].ravel()
        return Given(np.arange(len(rows) + 1) * 2, sides, given, 0, point, total=True)

    def _ballots(self, data: Ballots) -> Given:
        ahead, tied = places(data)
        point, each = whole(self.places, np.append(tied[ahead < len(self.places)], 1))
        upto = np.append(0, np.cumsum(each))
        first, last = np.minimum([ahead, ahead + tied], len(each))
        # The points of the places that tied items take are whole, and so is the share of each.
        given = (upto[last] - upto[first]) // tied
        return Given(data.indptr, data.ranked, given, 0, point, total=True)


def whole(
    numbers: Sequence[float], shared: Sequence[int] | IntArray = (1,)
) -> tuple[int, list[int]]:
    """Return how many parts make a point, and numbers in parts that so many items can share.

    Examples
    --------
    >>> whole([1, 0.5]), whole([12, 10], np.array([2, 3]))
    ((2, [2, 1]), (6, [72, 60]))
    """
    exact = [Fraction(str(number)) for number in numbers]
    point = math.lcm(*(each.denominator for each in exact)) * math.lcm(
        *np.unique(shared).tolist()
    )
    if point * max(exact) >= EXACT:
        raise counts_too_large("parts of a point that ties share", point)
    return point, [int(each * point) for each in exact]


@dataclass(frozen=True)
class InstantRunoff(Plurality):
    """The round of an instant-runoff count in which an item is eliminated; the winner's is the last.

    In each round every ballot votes for the best of the items that are still in, and the item with the
    fewest votes is eliminated. Items that tie for the fewest are eliminated together, so that nothing
    depends on names or on the order of items; where all that are still in tie, they win together.
    Items that tie on a ballot share its vote equally. A ballot that lists none of those still in
    is exhausted and votes for nobody. The count goes on until one is left: a majority wins anyway.

    Ask for the top 1: all possible winners when one ballot leaves. Without a ballot the count is held
    anew, for all distinct ballots at once: where the same items are still in, votes are counted once.
    There is no proved rule, for a single ballot can change every round.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y"], ["y", "x"], ["z", "y", "x"]], counts=[4, 3, 2])
    >>> InstantRunoff().score(ballots)  # z is out first, then x, who has 4 votes against 5
    array([2., 3., 1.])
    >>> next(InstantRunoff().leave_one_out(ballots).blocks()).scores
    array([[2., 3., 1.],
           [2., 1., 1.],
           [2., 2., 1.]])
    """

    takes = ("ballots",)
    name = "instant-runoff round"

    def sums(self, data: Any) -> None:
        """Return None: rounds are no sums."""

    def score(self, data: Any) -> FloatArray:
        """Return the round in which each item is eliminated."""
        self.added(data)  # complains about data without first choices, or weights
        return np.asarray(_rounds(data, np.array([len(data.units)]))[0])

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the rounds without each distinct unit."""
        super().leave_one_out(data)  # complains likewise
        rows = lambda part: _rounds(data, np.arange(part.start, part.stop))  # noqa: E731 (short)
        kept = 1 << 24  # 128 MB; more are counted anew
        return RowsOut(self.score(data), data.units, rows, kept_numbers=kept)

    def sensitivity(self, data: Any) -> None:
        """Return None: one ballot can change every round."""

    def output_radius_squared(self, data: Any) -> float:
        """Return that of the box of rounds: from 1 to the number of items."""
        return float(data.n_items * (data.n_items - 1) ** 2 / 4)


def _rounds(data: Ballots, leaving: IntArray) -> FloatArray:
    """Hold the count without one copy of each of some units; the number after the last is nobody."""
    rounds = np.zeros((len(leaving), data.n_items))
    pending = {(True,) * data.n_items: [np.arange(len(leaving))]}
    while pending:
        # The most items first: then all folds that come to the same items still in are there.
        stay = np.array(state := max(pending, key=sum))
        folds = np.concatenate(pending.pop(state))
        rounds[folds] += stay
        points = first_choices(data, stay).of_units(data)
        indptr, gone = repeated_spans(
            np.append(points.indptr, points.indptr[-1]), leaving[folds]
        )
        votes = np.repeat(points.totals[0][np.newaxis], len(folds), axis=0)
        fold = np.repeat(np.arange(len(folds)), np.diff(indptr))
        votes[fold, points.listed[gone]] -= points.given[gone]
        fewest = votes.min(
            axis=1, keepdims=True, where=stay, initial=np.iinfo(np.int64).max
        )
        left, which = np.unique(stay & (votes > fewest), axis=0, return_inverse=True)
        for number in np.flatnonzero(left.any(axis=1)):
            those = folds[which.ravel() == number]
            pending.setdefault(tuple(left[number].tolist()), []).append(those)
    return rounds
