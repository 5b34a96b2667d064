"""Approval: the share of the ballots that approve."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from steadyrank.errors import Option, WrongDataError
from steadyrank.scorers.base import box_radius_squared
from steadyrank.scorers.mean_points import MeanPoints, Points
from steadyrank.scorers.sensitivity import Sensitivity

if TYPE_CHECKING:
    from steadyrank.data.ballots import Ballots
    from steadyrank.data.observations import Observations


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

    def sensitivity(self, data: Ballots) -> Sensitivity:
        r"""Return the most that one ballot can move the shares: ``sqrt(L) / n``.

        A ballot is a corner of the cube ``[0, 1]^L``, whose diameter is sqrt(L), so
        ``||w - w\i|| = ||z_i - w\i|| / n`` is at most ``sqrt(L) / n``. One ballot that approves of
        everything, against n - 1 that approve of nothing, reaches it.
        """
        self.check(data)
        return Sensitivity.of(
            data,
            Fraction(data.n_items, data.n_units**2),
            rule="approval",
            units="ballots",
            moved="shares",
            scope=f"ballots over {data.n_items:,} items",
            formula="sqrt(L)/n",
        )

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the unit cube."""
        return box_radius_squared(data.n_items, 0.0, 1.0)
