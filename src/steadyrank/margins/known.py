"""What is known about pairs of items when units leave: the margins that fit the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from steadyrank.margins.pairs import LeftOutMargins, PairMargins
from steadyrank.margins.ratios import RatioMargins
from steadyrank.margins.sums import (
    ItemGiven,
    sums_of,
    sums_of_points,
    sums_of_rows,
)
from steadyrank.scorers.base import LeaveOneOut, Sketched
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.model import Entries

if TYPE_CHECKING:
    from steadyrank.sums.points import Points

LEAST = 1e-120
"""What is divided by a shrinkage from here on is a float."""


def pair_margins(out: LeaveOneOut) -> PairMargins:
    """Return what is known about pairs of items when units leave.

    Whole points, sums over counts and Bradley-Terry fits have bounds of their own; of all other scores
    it is known what leaving each unit out says.
    """
    known: PairMargins
    if isinstance(out, SumsOut) and not isinstance(out.added, Entries):
        points = cast("Points", out.added)  # sums without entries
        known = sums_of_points(points)
    elif isinstance(out, SumsOut) and isinstance(out.added, Entries) and _in_reach(out):
        known = _of_entries(out.added, out)
    elif isinstance(out, Sketched):
        from steadyrank.margins.bradley_terry import (
            BradleyTerryMargins,
        )  # whom only battles need

        known = BradleyTerryMargins(out)  # type: ignore[arg-type]  # battles alone are sketched
    else:
        known = LeftOutMargins(out)
    return known


def _in_reach(out: SumsOut) -> bool:
    """Tell whether floats hold what margins divide by, and equal scores are equal sums."""
    prior, counts = out.sums.prior, out.sums.counts
    uneven = bool(out.added.resolution and (counts < counts.max()).any())
    return not uneven and (not prior.weight or prior.weight / prior.share > LEAST)


def _of_entries(entries: Entries, out: SumsOut) -> PairMargins:
    """Return the margins of sums over counts: by sums alone where all counts are the same."""
    sums, apart = out.sums, entries.apart()
    given = (
        ItemGiven(entries, sums)
        if apart is None
        else ItemGiven(apart[0], sums, apart[1])
    )
    some = sums.counts > 0
    least, most = (
        np.where(some, sums_of(sums, end), given.of_empty) for end in entries.extremes
    )
    leaving = entries.most_leaving
    scale = float(sums.form.scale) if sums.form.whole else 1.0
    if not entries.gaps and apart is None:
        several = int(leaving.max())
        ends, totals = (several * least, several * most), sums_of(sums, sums.totals)
        return sums_of_rows(given, ends, out.units.counts, totals, scale)
    return RatioMargins(given, (least, most), leaving, out.units.total, scale)
