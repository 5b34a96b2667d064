"""Borda points, with a rule for ties and for ballots that leave items out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.mean_points import MeanPoints, Points
from steadyrank.scorers.sensitivity import Sensitivity

if TYPE_CHECKING:
    from steadyrank.data.ballots import Ballots
    from steadyrank.data.observations import Observations


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

    def sensitivity(self, data: Ballots) -> Sensitivity:
        r"""Return the most that one ballot can move the scores: ``sqrt(L (L^2 - 1) / 3) / n``.

        The points of a complete order are a permutation of ``s = (L-1, ..., 0)``. Those of a
        ballot with ties, or with items left out, are the mean over all ways to break the ties,
        so they lie in the convex hull of the permutations, and so does every mean of ballots.
        ``n ||w - w\i|| = ||z_i - w\i||`` is therefore at most the largest distance between two
        permutations, since a convex function is largest at corners. That distance is
        ``2 |s|^2 - 2 p.q`` squared, and ``p.q`` is smallest for opposite orders, where the squared
        distance is the sum of ``(L - 1 - 2 j)^2`` over ``j = 0 .. L-1``, which is
        ``L (L^2 - 1) / 3``. One ballot against n - 1 ballots in the opposite order reaches it.
        """
        self.check(data)
        items = data.n_items
        return Sensitivity.of(
            data,
            Fraction(items * (items**2 - 1), 3 * data.n_units**2),
            rule="Borda",
            units="ballots",
            moved="mean points",
            scope=f"ballots over {items:,} items",
            formula="sqrt(L(L^2-1)/3)/n",
        )

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the hull of all orders of the points ``0 .. L-1``, around their mean."""
        return data.n_items * (data.n_items**2 - 1) / 12.0
