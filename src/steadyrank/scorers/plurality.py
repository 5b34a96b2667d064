"""Plurality: the share of the votes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.mean_points import MeanPoints, Points
from steadyrank.scorers.sensitivity import Sensitivity

if TYPE_CHECKING:
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

    def points(self, data: Votes) -> Points:
        """Return one point for the item voted for."""
        return Points.one_each(np.arange(len(data.unit_items) + 1), data.unit_items)

    def sensitivity(self, data: Votes) -> Sensitivity:
        r"""Return the most that one vote can move the shares: ``sqrt(2) / n``.

        A vote is a corner of the simplex. The distance between two corners is sqrt(2), and no
        two points of the simplex are further apart, so ``||w - w\i|| = ||z_i - w\i|| / n`` is at
        most ``sqrt(2) / n``. One vote against n - 1 votes for a single other item reaches it.
        With one item alone nothing can move.
        """
        self.check(data)
        several = data.n_items > 1
        return Sensitivity.of(
            data,
            Fraction(2 if several else 0, data.n_units**2),
            rule="plurality",
            units="votes",
            moved="shares",
            scope="votes",
            formula="sqrt(2)/n" if several else "",
        )

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, around its centre."""
        return 1.0 - 1.0 / data.n_items
