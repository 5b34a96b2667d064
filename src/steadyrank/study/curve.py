r"""The curve of a top-k: delta(eps) and size(eps), from one pass over the left-out scores.

With ``e_j`` the critical eps of item j on all the data and ``e_j^i`` that without unit i, item j is in
both inflated top-k sets exactly if eps exceeds both. So unit i stops breaking the answer exactly
when eps passes ``b_i``, the k-th smallest over j of ``max(e_j, e_j^i)``, and

    delta(eps) = share of units with b_i >= eps,      size(eps) = number of items with e_j < eps.

Only items near the k-th best can be among those k: a look up to depth g is exact for every unit
whose ``b_i`` comes out at most g. Most do at once; the others are looked at again, deeper. By the
property behind Theorem 4, ``b_i`` never exceeds the shift of the scores, so this ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank._typing import frozen
from steadyrank.operators.checks import check_eps
from steadyrank.operators.inflation import critical_eps, just_above
from steadyrank.study.certificate import check_delta, eps_above
from steadyrank.study.standings import (
    FEW,
    MANY,
    Active,
    active_items,
    blocks_near,
    near_rows,
)
from steadyrank.text import counted, html_of, rounded_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.study.facts import Facts

    Eps = TypeVar("Eps", float, FloatArray)
    """One, or several."""

MAX_STEPS = 2000
"""Steps of a curve that a document holds; beyond it a part of them, each of them exact."""

DEEPER = 4.0
"""How much deeper the next look goes."""

FIRST_LOOK = 8
"""The first look reaches to the critical eps of the item this many ranks below the k-th."""


@dataclass(frozen=True)
class Steps:
    """A step function of eps: its level when so many of the values, in order, are passed."""

    values: FloatArray
    levels: FloatArray | IntArray

    def at(self, eps: float | FloatArray) -> Any:
        """Return the level at one eps, or at each of several."""
        values = np.asarray(eps, dtype=np.float64)
        for wrong in values[~(values > 0)].flat:
            check_eps(wrong)
        level = self.levels[np.searchsorted(self.values, values, side="left")]
        return level if level.ndim else level.item()


@dataclass(frozen=True, eq=False)
class StabilityCurve:
    """Stability bought against items added, for every eps at once.

    Attributes
    ----------
    k : int
        The k of the top-k.
    breaking_eps : float array (distinct units,)
        ``b_i``: the unit breaks the answer exactly while eps is at most this.
    counts : int array (distinct units,)
        How often each distinct unit occurs.
    critical_eps : float array (items,)
        ``e_j``: the item is a member exactly while eps exceeds this.
    tie_eps : float
        An eps so small that it adds nothing but exact ties.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])
    >>> curve = Study(matrix).audit(2, eps=0.5).curve(2)
    >>> print(curve)
    delta of the top 2: 0.25 where only ties are inflated, 0 from eps = 0.4715 on, with 2 items
    >>> curve.delta(0.1), curve.size(0.1), round(curve.smallest_eps(0), 4)
    (0.25, 2, 0.4714)
    """

    k: int
    breaking_eps: FloatArray = field(repr=False)
    counts: IntArray = field(repr=False)
    tie_eps: float
    critical_eps: FloatArray = field(repr=False)

    def __str__(self) -> str:
        """Say where the curve begins and ends."""
        eps = self.smallest_eps(0.0)
        ends = (
            f"0 from eps = {rounded_up(eps)} on, with {counted(self.size(eps), 'item')}"
        )
        begins = self.delta(self.tie_eps)
        if begins > 0:
            ends = f"{rounded_up(begins)} where only ties are inflated, {ends}"
        return f"delta of the top {self.k}: {ends}"

    def _repr_html_(self) -> str:
        """Show the first steps in a notebook."""
        columns = (values.tolist() for values in self.steps())
        titles = (
            "eps above",
            "delta: share of units that break the answer",
            "size: items in the answer",
        )
        return html_of(f"{self}.", dict(zip(titles, columns, strict=True)))

    @cached_property
    def _breaking(self) -> Steps:
        """The share of units that break the answer."""
        order = np.argsort(self.breaking_eps, kind="stable")
        below = np.append(0, np.cumsum(self.counts[order]))
        return Steps(self.breaking_eps[order], (below[-1] - below) / below[-1])

    def delta(self, eps: Eps) -> Eps:
        """Return the exact instability at one eps, or at each of several."""
        shares: Eps = self._breaking.at(eps)
        return shares

    def smallest_eps(self, delta: float) -> float:
        """Return an eps just above the smallest that makes the instability at most ``delta``."""
        return eps_above(
            check_delta(delta), self.breaking_eps, self.counts, self.tie_eps
        )

    def steps(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the eps at which a value changes, and the two values just above each of them."""
        steps = np.unique(np.concatenate([self.breaking_eps, self._sizes.values]))
        eps = steps[np.isfinite(steps)]  # one beyond all floats is never passed
        above = np.nextafter(eps, np.inf)
        return eps, self.delta(above), self._sizes.at(above)

    def plot(self, ax: Axes | None = None, *, eps: float | None = None) -> Axes:
        """Draw both step functions with matplotlib, and mark an eps; return the Axes."""
        from steadyrank.report.plots import curve

        return curve(self, ax, eps=eps)

    @property
    def near(self) -> float:
        """An eps to look at where no unit breaks anything: the fifth item beyond the k best is in."""
        joining = self._sizes.values
        return float(joining[: self.k + 5][-1])

    @cached_property
    def _sizes(self) -> Steps:
        return Steps(np.sort(self.critical_eps), np.arange(len(self.critical_eps) + 1))

    def size(self, eps: float | FloatArray) -> Any:
        """Return the exact number of members at one eps, or at each of several."""
        return self._sizes.at(eps)

    def findings(self, eps: float) -> dict[str, Any]:
        """Return the curve by its steps: delta and size are those for any eps just above each step."""
        steps, delta, size = self.steps()
        kept = kept_steps(steps, eps)
        found = {"eps": steps[kept], "delta": delta[kept], "size": size[kept]}
        return {
            "k": self.k,
            "chosen": eps,
            "n_steps": len(steps),
            "thinned": len(kept) < len(steps),
        } | {name: values.tolist() for name, values in found.items()}


def kept_steps(steps: FloatArray, eps: float) -> IntArray:
    """Choose steps evenly by number, and all those next to the chosen eps."""
    if len(steps) <= MAX_STEPS:
        return np.arange(len(steps))
    evenly = np.linspace(0, len(steps) - 1, MAX_STEPS // 2).round().astype(np.int64)
    here = int(np.searchsorted(steps, eps))
    near = np.arange(
        max(0, here - MAX_STEPS // 8), min(len(steps), here + MAX_STEPS // 8)
    )
    return np.unique(np.append(evenly, near))


def stability_curve(facts: Facts, k: int) -> StabilityCurve:
    """Compute the curve for one k."""
    loo, shifts = facts.leave_one_out, facts.shifts
    critical = facts.critical_eps(k)
    breaking, furthest = np.zeros(len(shifts)), np.full(len(shifts), np.inf)
    depth = _first_depth(critical, k, shifts)
    if len(active_items(*facts.outer_bounds, k, depth).items) > MANY:
        breaking, furthest = breaking_bounds(loo, facts.outer_bounds[1], critical, k)
    unsettled = (breaking < furthest) & (shifts > 0)
    # No unit breaks beyond its shift, but for the allowance for rounding in critical eps.
    furthest = np.minimum(furthest, just_above(shifts))
    while unsettled.any():
        depth = min(depth, float(furthest[unsettled].max()))
        found = _breaking_eps(
            loo, active_items(*facts.outer_bounds, k, depth), unsettled
        )
        breaking[unsettled] = found[unsettled]
        unsettled &= (breaking > depth) & (furthest > depth)
        depth *= DEEPER
    return StabilityCurve(
        k, frozen(breaking), loo.units.counts, facts.tie_eps, critical
    )


def _first_depth(critical: FloatArray, k: int, shifts: FloatArray) -> float:
    rank = min(k + FIRST_LOOK, len(critical)) - 1
    near = float(np.partition(critical, rank)[rank])
    return (
        near
        if near > 0
        else max(float(shifts.max(initial=0.0)), np.finfo(np.float64).tiny)
    )


def _breaking_eps(loo: LeaveOneOut, active: Active, among: BoolArray) -> FloatArray:
    """Return ``b_i`` as the active items alone tell it; 0 for units that touch none of them."""
    breaking = np.zeros(len(loo.units))
    full = critical_eps(loo.scores[active.items], active.places)
    for units, rows in loo.columns(active.items, among):
        both = np.maximum(critical_eps(rows, active.places), full)
        breaking[units] = np.partition(both, active.places - 1, axis=1)[
            :, active.places - 1
        ]
    return breaking


def breaking_bounds(
    loo: LeaveOneOut, highest: FloatArray, critical: FloatArray, k: int, few: int = FEW
) -> tuple[FloatArray, FloatArray]:
    r"""Return two bounds of each unit's breaking eps; where they are equal, that is what it is.

    It is the k-th smallest of ``max(e_j, e_j^i)``, with ``e_j`` the critical eps of item j on all the
    data and ``e_j^i`` that without unit i. Both grow along ``u_1, u_2, ...``, so that of these the
    first k suffice. A touched item that fell behind ``u_k`` has items before it that are not looked at
    here, which can only raise its critical eps: its own is a lower bound, and the upper one does
    without it.

    Units that touch no item near rank k break nothing; those that touch many may break at any eps.
    """
    lower, upper = np.zeros((2, len(loo.units)))
    blocks = blocks_near(loo, highest, k, few)
    if blocks is None:
        return lower, np.full(len(upper), np.inf)
    for block in blocks:
        upper[block.start + np.flatnonzero(np.diff(block.indptr) > few)] = np.inf
        for units, items, rows, places in near_rows(loo, block, k, few):
            both = np.maximum(critical[items], critical_eps(rows, places))
            known = np.where(rows >= rows[:, -1:], both, np.inf)
            for bound, values in ((lower, both), (upper, known)):
                bound[units] = np.partition(values, places - 1, axis=1)[:, places - 1]
    return lower, upper
