"""Full rankings under leave-one-out: two sets of them are asked whether they meet, and never listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import TooLargeError
from steadyrank.operators.inflation import STEEPEST
from steadyrank.operators.meeting import STEEPEST_COVER, Rival
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.states import MAX_STATES
from steadyrank.scorers.base import LeaveOneOut, Sketched
from steadyrank.study.audit.rows import AuditRow, EpsOf

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts

ROUGHLY = 1e-5
"""Nearer to eps than this share of it, bounds leave it to the operators, which know of rounding."""

COVERED = 20_000_000
"""Up to so many scores of units that may not be covered are looked at."""

FROM_SHIFTS = "; an eps that is not given comes from how far units move the scores: a bound"
NOT_JACCARD = "Jaccard similarity is defined for sets of items, not for sets of rankings"


def ranking_row(facts: Facts, eps_of: EpsOf, max_states: int | None) -> AuditRow:  # noqa: ARG001 (same call)
    """Audit the plain ranking: broken wherever any two items change places."""
    loo = facts.leave_one_out
    broken = loo.reordered(facts.order)
    share = facts.share(broken)
    return AuditRow("ranking", None, share, share, None, 1, note=NOT_JACCARD, broken=broken)


def inflated_ranking_row(facts: Facts, eps_of: EpsOf, max_states: int | None) -> AuditRow:
    """Audit the inflated ranking: broken where the two sets share no ranking.

    They share one wherever the set holds the plain ranking without the unit.
    """
    eps = eps_of(None)
    limit = COVERED // 100 if isinstance(facts.leave_one_out, Sketched) else COVERED
    cheap = int(facts.reaching(eps / STEEPEST_COVER).sum()) * len(facts.items) <= limit
    lost = facts.covering().reaching(eps) if cheap else None
    broken = units_without_common_ranking(facts, eps, lost)
    delta, uncovered = facts.share(broken), None if lost is None else facts.share(lost)
    size, note, limit = None, NOT_JACCARD, MAX_STATES if max_states is None else max_states
    if facts.too_many_rankings:
        note += FROM_SHIFTS
    try:
        size = RankingSet(facts.scores, eps).count(max_states=limit)
    except TooLargeError as error:
        note += f"; size not counted: {error}"
    return AuditRow("inflated_ranking", None, delta, uncovered, None, size, eps, note, broken)


def units_without_common_ranking(facts: Facts, eps: float, among: BoolArray | None = None) -> IntArray:
    """Return the distinct units, of all or of some, without which no ranking of the set remains.

    Where scores move by less than eps, Theorem 8 settles it without a look. Of units that do the same
    to items with the same scores, one is looked at: names do not matter here.
    """
    loo, may = facts.leave_one_out, facts.reaching(eps)
    reaching = np.flatnonzero(may if among is None else may & among)
    first = alike(loo, reaching) if len(reaching) else reaching
    chosen = np.zeros(len(loo.units), dtype=np.bool_)
    chosen[first] = True
    rival, full, broken = Rival(loo.scores), RankingSet(loo.scores, eps), []
    slack = ROUGHLY * (eps + float(np.abs(loo.scores).max()) * ROUGHLY)

    def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
        (lower, upper), reach = rival.meeting_bounds(rows), STEEPEST * errors.max(axis=1) + slack
        for number in np.flatnonzero((lower <= eps) & (eps <= upper)).tolist():
            lower[number] = upper[number] = rival.meeting(rows[number])
        return np.asarray((lower - reach > eps) | (upper + reach < eps))

    for units, rows in loo.columns(np.arange(len(loo.scores)), chosen, settled):
        lower, upper = rival.meeting_bounds(rows)
        apart = lower > eps + slack
        for number in np.flatnonzero(~apart & ~(upper < eps - slack)).tolist():
            apart[number] = not full.intersects(RankingSet(rows[number], eps))
        broken += units[apart].tolist()
    return np.asarray(reaching[np.isin(first, broken)], dtype=np.int64)


def alike(loo: LeaveOneOut, units: IntArray) -> IntArray:
    """Return, for each of some units, one of them that does the same to items with the same scores.

    What it does to any answer is the same, too, but for the names of the items.
    """
    blocks, found = loo.touching(np.arange(len(loo.scores))), units.copy()
    for block in blocks or ():
        inside = (units >= block.start) & (units < block.start + len(block))
        touched = np.diff(block.indptr)[units[inside] - block.start]
        for number in np.unique(touched).tolist():
            places = np.flatnonzero(inside)[touched == number]
            begins = block.indptr[units[places] - block.start]
            entries = begins[:, np.newaxis] + np.arange(number)
            pairs = loo.scores[block.items[entries]] + 1j * block.scores[entries]
            first_item = np.zeros((len(places), 1), dtype=np.int64)
            others = block.untouched(units[places] - block.start, first_item, loo.scores)
            keys = np.concatenate([np.sort(pairs, axis=1), others], axis=1)
            _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
            found[places] = units[places[first[which.reshape(-1)]]]
    return found
