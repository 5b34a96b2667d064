"""Approval: the share of the ballots that approve."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import WrongDataError
from steadyrank.scorers.base import checked_kind
from steadyrank.scorers.mean_points import Points, mean_points, mean_points_without
from steadyrank.scorers.sensitivity import Sensitivity, root_rounded_up

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.data.ballots import Ballots
    from steadyrank.scorers.base import LeaveOneOut


@dataclass(frozen=True)
class Approval:
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

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return "share of approvals"

    def score(self, data: Ballots) -> FloatArray:
        """Return the share of each item."""
        return mean_points(_points(data), data.counts, data.n_items)

    def leave_one_out(self, data: Ballots) -> LeaveOneOut:
        """Return the shares without each ballot; equal ballots are one distinct unit."""
        return mean_points_without(_points(data), data.units, data.n_items)

    def sensitivity(self, data: Ballots) -> Sensitivity:
        r"""Return the most that one ballot can move the shares: ``sqrt(L) / n``.

        A ballot is a corner of the cube ``[0, 1]^L``, whose diameter is sqrt(L), so
        ``||w - w\i|| = ||z_i - w\i|| / n`` is at most ``sqrt(L) / n``. One ballot that approves of
        everything, against n - 1 that approve of nothing, reaches it.
        """
        _check(data)
        n, items = data.n_units, data.n_items
        square = Fraction(items, n * n)
        eps = root_rounded_up(square)
        return Sensitivity(
            eps=eps,
            rule="approval",
            numbers={"n": n, "L": items},
            scope="any ballots",
            sentence=(
                f"Leaving out one of {n:,} ballots moves the shares by at most "
                f"sqrt(L)/n = {eps:.6g}, for any ballots over {items:,} items."
            ),
            squared=square,
        )


def _points(data: Ballots) -> Points:
    _check(data)
    return Points(
        indptr=data.indptr,
        listed=data.ranked,
        given=np.ones(len(data.ranked), dtype=np.int64),
        others=np.zeros(len(data.counts), dtype=np.int64),
    )


def _check(data: object) -> None:
    from steadyrank.data.ballots import Ballots

    checked_kind(data, Ballots, scorer="Approval")
    if not getattr(data, "approval", False):
        raise WrongDataError("Approval", "Ballots with approval=True, not orders", data)
