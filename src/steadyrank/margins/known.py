"""What is known about pairs of items, whichever scorer it was: who knows most is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.margins.added import NewUnits, with_new_units
from steadyrank.margins.entries import ItemGiven, sums_of
from steadyrank.margins.pairs import LeftOutMargins
from steadyrank.margins.ratios import RatioMargins
from steadyrank.margins.sums import sums_of_points, sums_of_rows
from steadyrank.scorers.base import Sketched
from steadyrank.scorers.sums import SumsOut
from steadyrank.sums.points import Points

if TYPE_CHECKING:
    from steadyrank.margins.pairs import PairMargins
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.sums.model import Entries

REACH = 1e120
"""Products of sums and counts of sizes up to here, and from its inverse on, are floats."""


def pair_margins(out: LeaveOneOut, by: str = "remove") -> PairMargins:
    """Return what is known about pairs of items when units leave, are added or change.

    Whole points, sums over counts and Bradley-Terry fits have bounds of their own; of all other scores
    it is known what leaving each unit out says.
    """
    known: PairMargins
    if isinstance(out, SumsOut) and isinstance(out.added, Points):
        widest = out.added.widest
        known = sums_of_points(out.added, NewUnits("people", widest is None, widest))
    elif isinstance(out, SumsOut) and _in_reach(out):
        known = _of_entries(out.added, out)  # type: ignore[arg-type]  # what are no points are entries
    elif isinstance(out, Sketched):
        from steadyrank.margins.bradley_terry import BradleyTerryMargins  # whom only battles need

        known = BradleyTerryMargins(out)  # type: ignore[arg-type]  # battles alone are sketched
    else:
        known = LeftOutMargins(out)
    return known if by == "remove" else with_new_units(known, changing=by == "change")


def _in_reach(out: SumsOut) -> bool:
    """Tell whether floats hold what margins multiply, and equal scores are equal sums."""
    form, prior, counts = out.added.form, out.sums.prior, out.sums.counts
    if out.added.resolution and (counts < counts.max()).any():
        return False
    sizes = [prior.weight / prior.share]
    if not form.whole:
        sizes.append(max(abs(form.lowest), abs(form.highest)))
    return not any(size and not 1 / REACH < size < REACH for size in sizes)


def _of_entries(entries: Entries, out: SumsOut) -> PairMargins:
    """Return the margins of sums over counts: by sums alone where all counts are the same."""
    sums, apart = out.sums, entries.apart()
    given = ItemGiven(entries, sums) if apart is None else ItemGiven(apart[0], sums, apart[1])
    least, most = (np.where(sums.counts > 0, sums_of(sums, end), 0.0) for end in entries.extremes)
    leaving = entries.most_leaving
    scale, several = float(sums.form.scale) if sums.form.whole else 1.0, int(leaving.max())
    grouped, whole = several > 1 or entries.weighted, sums.form.whole
    new = NewUnits("rows", grouped, value_range=out.value_range, scale=scale, whole=whole)
    if not entries.gaps and apart is None:
        ends, totals = (several * least, several * most), sums_of(sums, sums.totals)
        return sums_of_rows(given, ends, out.units.counts, totals, new)
    return RatioMargins(given, (least, most), leaving, out.units.total, new)
