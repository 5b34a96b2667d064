r"""Top-k under leave-one-out: which items and which units can change the answer.

Which items can matter at all? Usually k and a few more. Bound the score of every item over D and all
D\i by ``lowest`` and ``highest``. Then no k-th best score is below ``theta``, the k-th largest lowest
score, nor above the k-th largest highest score. An item that never comes within c of theta is in no
answer and in no window; an item that never falls to the k-th best is in every answer. What is left,
the *active* items, decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from steadyrank.operators.inflation import ROUNDING, STEEPEST, C, critical_eps
from steadyrank.operators.topk_sets import member_cut, windows_from
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts

Members: TypeAlias = "Callable[[FloatArray, FloatArray, int], BoolArray]"
"""From score rows, what they hold from a rank on, and that rank to membership, row by row."""

FLIPPED = ("topk", "inflated_topk")
"""The methods of which is told who breaks them."""

CHUNK = 1 << 21
"""Entries of the (units, active items) matrix handled at once."""

GATHERED = 1 << 15
"""Scores without units that may change an answer, gathered before they are looked at."""

FEW_UNITS = 1 << 12
"""Up to so many units, all are looked at sooner than it is known which of them cannot matter."""

MARGIN = 1 + 1e-9
"""Items on the edge are kept: rounding must not prune."""

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
"""Any move at all is at least as far."""

MANY = 512
"""Up to so many items that decide an answer, rows of all of them are quicker for every unit."""


def plain_members(rows: FloatArray, window: FloatArray, places: int) -> BoolArray:
    """Return the plain top-k of score rows; the smaller index wins a tie.

    Examples
    --------
    >>> plain_members(np.array([[1.0, 3.0, 1.0]]), np.array([[1.0, 1.0]]), 2)
    array([[ True,  True, False]])
    """
    kth = window[:, :1]
    inside: BoolArray = rows >= kth
    tied = np.flatnonzero((window[:, 1:2] == kth).any(axis=1))
    if len(tied):  # the last of those that are equal stay outside
        equal = rows[tied] == kth[tied]
        first = equal.sum(axis=1) - (inside[tied].sum(axis=1) - places)
        inside[tied] &= ~equal | (np.cumsum(equal, axis=1) <= first[:, np.newaxis])
    return inside


def inflated_members(eps: float) -> Members:
    """Return the inflated top-k as a function of score rows."""

    @np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
    def members(rows: FloatArray, window: FloatArray, places: int) -> BoolArray:
        return np.asarray(rows >= member_cut(rows, window, places, eps)[:, np.newaxis])

    return members


@dataclass(frozen=True)
class Active:
    """The items that decide a top-k audit.

    Attributes
    ----------
    k : int
        How many items are wanted.
    items : int array
        The active items, in the order of their indices (which settles ties).
    always_in : int
        How many other items are among the k - 1 best of every answer.
    """

    k: int
    items: IntArray
    always_in: int

    @property
    def places(self) -> int:
        """How many of the k places the active items compete for."""
        return self.k - self.always_in

    def answer(self, members: Members, scores: FloatArray) -> BoolArray:
        """Return which of the active items are members by these scores of all items."""
        return np.asarray(self.answers(members, scores[self.items][np.newaxis])[0])

    def answers(self, members: Members, rows: FloatArray) -> BoolArray:
        """Return which of the active items are members by each row of their scores."""
        return members(rows, windows_from(rows, self.places), self.places)


Part: TypeAlias = "tuple[Active, IntArray, FloatArray]"
"""Active items, units, and the scores of these items without each of those units."""


def active_items(
    lowest: FloatArray, highest: FloatArray, depths: Mapping[int, float]
) -> dict[int, Active]:
    """Return for each k the items that decide its audit if answers reach so far below the k-th best.

    Examples
    --------
    >>> low, high = np.array([9.0, 4.0, 3.0, 0.0]), np.array([9.5, 5.0, 4.5, 0.5])
    >>> active_items(low, high, {2: 0.1})
    {2: Active(k=2, items=array([1, 2]), always_in=1)}
    """
    most = max(depths)
    ends = (np.sort(np.partition(bound, -most)[-most:]) for bound in (lowest, highest))
    theta, ceiling = (end.tolist() for end in ends)  # a difference beyond all floats is infinite
    return {
        k: _active_between(lowest, highest, k, theta[-k] - depth * MARGIN, ceiling[-k])
        for k, depth in depths.items()
    }


def _active_between(
    lowest: FloatArray, highest: FloatArray, k: int, floor: float, ceiling: float
) -> Active:
    """Return the items that can reach the floor, less those that never fall to the ceiling."""
    never_kth = lowest > ceiling
    return Active(k, np.flatnonzero((highest >= floor) & ~never_kth), int(never_kth.sum()))


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def least_move(scores: FloatArray, places: int, eps: float | None) -> float:
    """Return a positive number: if no score moves as far, the plain and the inflated top-k stay.

    Of the k-th best score and the next one, neither passes the other before one moves by half their
    distance; a critical eps moves at most ``STEEPEST`` times as far as the scores.

    Examples
    --------
    >>> round(least_move(np.array([5.0, 3.0, 1.0]), 1, None), 6)
    1.0
    """
    ranked = np.sort(scores)[::-1]
    kept = float(ranked[places - 1] - ranked[places]) / 2 if places < len(ranked) else np.inf
    if eps is not None:
        apart = float(np.abs(critical_eps(scores, places) - eps).min())
        rounding = ROUNDING * (eps + float(np.abs(scores).max()))
        kept = min(kept, (apart - 4 * rounding) / STEEPEST)
    return max(kept / MARGIN, SMALLEST)


class TopKRows:
    """Scores without each unit wherever they may change a top-k answer, for several k at once.

    Parameters
    ----------
    facts : Facts
        Scores with and without each unit.
    eps : mapping
        The values of k, and the inflation up to which answers are asked for of each.
    """

    def __init__(self, facts: Facts, eps: Mapping[int, float]) -> None:
        self._facts = facts
        self._loo = facts.leave_one_out
        self._eps = eps
        self._depth = {k: C * each for k, each in eps.items()}
        self._active = active_items(*facts.outer_bounds, self._depth)

    def changed_rows(self, *, inflated: bool, every: bool = False) -> Iterator[Part]:
        """Yield (active, units, their scores of the active items) wherever an answer may change.

        Who is in the plain top k is exact; who is in the inflated one, if that is asked for. With
        ``every``, all units that change a score, for answers of which nothing else is known.
        """
        for look in self._looks:
            yield from together(self._changed_rows(*look, inflated=inflated, every=every))

    @cached_property
    def _looks(self) -> list[tuple[list[Active], BoolArray | None]]:
        """The active items, and the units that they decide for; None stands for all units.

        Where most units touch few items, the k-th best score without them is known, and few items come
        near it; all that the bounds allow are looked at for the other units alone.
        """
        looks: list[tuple[list[Active], BoolArray | None]] = []
        rest, (lowest, highest) = [], self._facts.outer_bounds
        for k, active in self._active.items():
            known = None
            if len(active.items) > MANY:
                from steadyrank.study.near_rank import kth_range  # large data alone need it

                known = kth_range(self._loo, highest, k)
            if known is None:
                rest.append(active)
                continue
            theta, ceiling, many = known
            near = _active_between(lowest, highest, k, theta - self._depth[k] * MARGIN, ceiling)
            looks += [([one], among) for one, among in ((near, ~many), (active, many)) if among.any()]
        return [*looks, (rest, None)] if rest else looks

    def _changed_rows(
        self, actives: list[Active], among: BoolArray | None, *, inflated: bool, every: bool = False
    ) -> Iterator[Part]:
        """Yield (active, units, scores of the active items) for units that may change an answer."""
        union = np.unique(np.concatenate([active.items for active in actives]))
        where = [np.searchsorted(union, active.items) for active in actives]
        bases = [self._loo.scores[active.items] for active in actives]
        leasts = [SMALLEST] * len(actives)
        if not every and len(self._loo.units) > FEW_UNITS:
            eps = [self._eps[active.k] if inflated else None for active in actives]
            leasts = list(map(least_move, bases, [active.places for active in actives], eps))

        def apart(rows: FloatArray, errors: FloatArray) -> BoolArray:
            fine = np.ones(len(rows), dtype=np.bool_)
            for active, columns in zip(actives, where, strict=True):
                fine &= _best_apart(rows[:, columns], errors[:, columns], active.places)
            return fine

        def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
            reach = STEEPEST * errors.max(axis=1, keepdims=True)
            fine = np.ones(len(rows), dtype=np.bool_)
            for active, columns in zip(actives, where, strict=True):
                critical = critical_eps(rows[:, columns], active.places)
                for eps in (0.0, self._eps[active.k]):
                    sure = np.maximum((critical < eps - reach).sum(axis=1), active.places)
                    fine &= sure == (critical <= eps + reach).sum(axis=1)
            return fine

        for units, rows in chunked(self._loo.columns(union, among, settled if inflated else apart)):
            for active, columns, base, least in zip(actives, where, bases, leasts, strict=True):
                scores = rows.take(columns, axis=1)
                with np.errstate(over="ignore"):  # what moves beyond all floats moves far enough
                    moved = np.flatnonzero((np.abs(scores - base) >= least).any(axis=1))
                if len(moved):
                    yield active, units[moved], scores[moved]


def _best_apart(rows: FloatArray, errors: FloatArray, places: int) -> BoolArray:
    """Tell in which rows so many scores are above all others, however far each of them is off."""
    if places >= rows.shape[1]:
        return np.ones(len(rows), dtype=np.bool_)
    order = np.argpartition(-rows, places - 1, axis=1)
    low, high = (np.take_along_axis(ends, order, axis=1) for ends in (rows - errors, rows + errors))
    return np.asarray(low[:, :places].min(axis=1) > high[:, places:].max(axis=1))


def chunked(parts: Iterator[tuple[IntArray, FloatArray]]) -> Iterator[tuple[IntArray, FloatArray]]:
    """Cut rows of scores into parts that fit the memory."""
    for units, rows in parts:
        for part in slices(len(units), CHUNK, rows.shape[1]):
            yield units[part], rows[part]


def together(parts: Iterator[Part]) -> Iterator[Part]:
    """Put parts with the same active items together: every call has its price."""
    waiting: dict[int, list[Part]] = {}
    held = 0
    for part in parts:
        waiting.setdefault(id(part[0]), []).append(part)
        held += part[2].size
        if held >= GATHERED:
            yield from map(_joined, waiting.values())
            waiting, held = {}, 0
    yield from map(_joined, waiting.values())


def _joined(parts: list[Part]) -> Part:
    (active, *_), units, rows = zip(*parts, strict=True)
    return parts[0] if len(parts) == 1 else (active, np.concatenate(units), np.concatenate(rows))
