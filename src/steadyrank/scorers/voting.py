"""Elections: shares of votes, shares of approvals, Borda points."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import Option, WrongDataError
from steadyrank.scorers.mean_points import MeanPoints, Points

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.data.ballots import Ballots
    from steadyrank.data.observations import Observations
    from steadyrank.data.votes import Votes


@dataclass(frozen=True)
class Plurality(MeanPoints):
    """The share of the votes that each item gets.

    Without one of n votes the shares are those of the n - 1 others, so every share moves: that
    of the item voted for goes down, all others go up by the factor ``n / (n - 1)``. An item
    that loses its only vote has share 0.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> votes = Votes(["ann", "bob", "ann", "cid"])
    >>> Plurality().score(votes)
    array([0.5 , 0.25, 0.25])
    >>> Plurality().leave_one_out(votes).shifts().round(4)  # a vote for ann, bob, cid
    array([0.2041, 0.3118, 0.3118])
    """

    takes = ("votes",)
    name = "share of votes"
    rule, scope = "plurality", "votes"

    def points(self, data: Votes) -> Points:
        """Return one point for the item voted for."""
        return Points.one_each(np.arange(len(data.unit_items) + 1), data.unit_items)

    def score(self, data: Votes) -> FloatArray:
        """Return the share of each item, straight from the tally."""
        self.check(data)
        return np.asarray(data.tally / data.n_units)

    def squared_diameter(self, items: int) -> tuple[Fraction, str]:
        r"""Return 2: one vote moves the shares by at most ``sqrt(2) / n``.

        A vote is a corner of the simplex. The distance between two corners is sqrt(2), and no
        two points of the simplex are further apart, so ``||w - w\i|| = ||z_i - w\i|| / n`` is at
        most ``sqrt(2) / n``. One vote against n - 1 votes for a single other item reaches it.
        With one item alone nothing can move.
        """
        return (Fraction(2), "sqrt(2)/n") if items > 1 else (Fraction(0), "")

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
    rule, scope = "approval", "ballots over {items:,} items"

    def check(self, data: object) -> None:
        """Complain unless the data are approval ballots."""
        super().check(data)
        if not data.approval:  # type: ignore[attr-defined]  # the kind was checked
            raise WrongDataError(
                "Approval",
                "ballots that approve",
                "orders",
                way_out=["Use ", Option("scorer", "borda"), ", or read them with approval=True."],
            )

    def points(self, data: Ballots) -> Points:
        """Return one point for each item that a ballot approves of."""
        return Points.one_each(data.indptr, data.ranked)

    def squared_diameter(self, items: int) -> tuple[Fraction, str]:
        r"""Return L: one ballot moves the shares by at most ``sqrt(L) / n``.

        A ballot is a corner of the cube ``[0, 1]^L``, whose diameter is sqrt(L), so
        ``||w - w\i|| = ||z_i - w\i|| / n`` is at most ``sqrt(L) / n``. One ballot that approves of
        everything, against n - 1 that approve of nothing, reaches it.
        """
        return Fraction(items), "sqrt(L)/n"


@dataclass(frozen=True)
class Borda(MeanPoints):
    """The mean number of Borda points that a ballot gives to each item.

    A ballot over L items has the points ``L - 1, L - 2, ..., 0`` to give, the most to its best
    item. Tied items share equally the points of the places that they take together. Items that
    the ballot leaves out are tied for the places that are left, behind all that it names. So
    every ballot gives ``L (L - 1) / 2`` points in all, and an empty one gives every item the
    same. Approval ballots have two tiers under this rule.

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
    rule, scope, moved = "Borda", "ballots over {items:,} items", "mean points"

    def points(self, data: Ballots) -> Points:
        """Return the points of each distinct ballot, in half points so that all are whole."""
        listed = np.diff(data.indptr)
        entries = np.arange(len(data.ranked))
        starts_ballot = np.repeat(data.indptr[:-1], listed)
        # Entries come best first, so a tier is a run: it starts where the level or the ballot changes.
        starts_tier = (np.diff(data.levels, prepend=-1) != 0) | (entries == starts_ballot)
        tier_starts = np.flatnonzero(starts_tier)
        sizes = np.diff(tier_starts, append=len(entries))
        tier = np.cumsum(starts_tier) - 1
        ahead = tier_starts[tier] - starts_ballot
        return Points(
            indptr=data.indptr,
            listed=data.ranked,
            given=2 * (data.n_items - 1 - ahead) - (sizes[tier] - 1),
            others=np.maximum(data.n_items - listed - 1, 0),
            parts=2,
        )

    def squared_diameter(self, items: int) -> tuple[Fraction, str]:
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
        return Fraction(items * (items**2 - 1), 3), "sqrt(L(L^2-1)/3)/n"
