"""Plurality: the share of the votes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers.base import checked_kind
from steadyrank.scorers.mean_points import Points, mean_points_without
from steadyrank.scorers.sensitivity import Sensitivity, root_rounded_up

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.data.votes import Votes
    from steadyrank.scorers.base import LeaveOneOut


@dataclass(frozen=True)
class Plurality:
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

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return "share of votes"

    def score(self, data: Votes) -> FloatArray:
        """Return the share of each item."""
        _check(data)
        return np.asarray(data.tally / data.n_units)

    def leave_one_out(self, data: Votes) -> LeaveOneOut:
        """Return the shares without each vote; votes for the same item are one distinct unit."""
        _check(data)
        voted = data.unit_items
        points = Points(
            indptr=np.arange(len(voted) + 1),
            listed=voted,
            given=np.ones(len(voted), dtype=np.int64),
            others=np.zeros(len(voted), dtype=np.int64),
        )
        return mean_points_without(points, data.units, data.n_items)

    def sensitivity(self, data: Votes) -> Sensitivity:
        r"""Return the most that one vote can move the shares: ``sqrt(2) / n``.

        A vote is a corner of the simplex. The distance between two corners is sqrt(2), and no
        two points of the simplex are further apart, so ``||w - w\i|| = ||z_i - w\i|| / n`` is at
        most ``sqrt(2) / n``. One vote against n - 1 votes for a single other item reaches it.
        With one item alone nothing can move.
        """
        _check(data)
        n, items = data.n_units, data.n_items
        square = Fraction(2 if items > 1 else 0, n * n)
        eps = root_rounded_up(square)
        return Sensitivity(
            eps=eps,
            rule="plurality",
            numbers={"n": n, "L": items},
            scope="any votes",
            sentence=(
                f"Leaving out one of {n:,} votes moves the shares by at most "
                f"{'sqrt(2)/n = ' if items > 1 else ''}{eps:.6g}, for any votes."
            ),
            squared=square,
        )


def _check(data: object) -> None:
    from steadyrank.data.votes import Votes

    checked_kind(data, Votes, scorer="Plurality")
