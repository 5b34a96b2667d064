r"""Top-k under leave-one-out: how much of the answer stays, and which units break it.

Which items can matter at all? Usually k and a few more. Bound the score of every item over D and all
D\i by ``lowest`` and ``highest``. Then no k-th best score is below ``theta``, the k-th largest lowest
score, nor above the k-th largest highest score. An item that never comes within c of theta is in no
answer and in no window; an item that never falls to the k-th best is in every answer. What is left,
the *active* items, decides.

Bounds of single items let thousands of them fall at once, which no unit makes happen that touches few.
A unit that touches t items leaves the order of all others as it is. Let ``u_1, u_2, ...`` be those
others, best first. At most t items pass ``u_m``, so ``u_1 .. u_(k - t - 1)`` stay among the k - 1 best,
and what is k-th best is decided by ``u_(k - t) .. u_k`` and the t touched items alone: at most 2 t + 1
scores, however many items are tied there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from steadyrank.operators.boundary import ROUNDING, C
from steadyrank.operators.critical import STEEPEST, critical_eps
from steadyrank.operators.topk_sets import member_cut, windows_from
from steadyrank.sums.blocks import slices
from steadyrank.text import counted, html_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.study.audit.rows import AuditRow
    from steadyrank.study.facts import Facts
    from steadyrank.sums.blocks import SparseBlock

Members: TypeAlias = "Callable[[FloatArray, FloatArray, int], BoolArray]"
"""From score rows, what they hold from a rank on, and that rank to membership, row by row."""

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

FEW = 32
"""Units that touch more of the items near rank k are looked at in rows of all of these."""

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


@dataclass(frozen=True)
class Flip:
    """One kind of unit that breaks an answer.

    Attributes
    ----------
    method : str
        The method whose answer breaks.
    unit : object
        The label of the unit.
    count : int
        How many such units there are.
    leaves, enters : tuple of labels
        The items that leave and that enter the answer when one such unit is removed.
    number : int
        Its number among the distinct units, for ``data.without``.
    """

    method: str
    unit: object
    count: int
    leaves: tuple[object, ...]
    enters: tuple[object, ...]
    number: int


@dataclass(frozen=True)
class Flips:
    """All units that break the plain or the inflated top-k.

    Iterate over it, or look at ``plain`` and ``inflated`` alone.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]], items=["x", "y", "z"])
    >>> flips = audit(matrix, 2, eps=0.5).flips(2)
    >>> print(flips)
    1 of the 4 rows changes the top 2 when removed
    >>> [(flip.unit, flip.leaves, flip.enters) for flip in flips]
    [(2, ('y',), ('z',))]
    """

    METHODS: ClassVar = ("topk", "inflated_topk")

    k: int
    unit_kind: str
    units: int
    plain: tuple[Flip, ...]
    inflated: tuple[Flip, ...]

    def __iter__(self) -> Iterator[Flip]:
        """Yield the flips of the plain answer, then those of the inflated one."""
        return iter((*self.plain, *self.inflated))

    def __len__(self) -> int:
        """Return the number of distinct units that break either answer, each method by itself."""
        return len(self.plain) + len(self.inflated)

    def _repr_html_(self) -> str:
        """Show the first of them in a notebook."""
        columns: dict[str, list[object]] = {
            "without": [flip.unit for flip in self],
            "times": [flip.count for flip in self],
            "drops out": [", ".join(map(str, flip.leaves)) for flip in self],
            "comes in": [", ".join(map(str, flip.enters)) for flip in self],
            "answer": [*("plain" for _ in self.plain), *("inflated" for _ in self.inflated)],
        }
        told = [name for name, same in (("times", 1), ("answer", "plain")) if {*columns[name]} == {same}]
        return html_of(f"{self}.", {name: columns[name] for name in columns if name not in told})

    def __str__(self) -> str:
        """Say how many units break which answer."""
        plain, inflated = (sum(flip.count for flip in part) for part in (self.plain, self.inflated))
        change = "changes" if plain == 1 else "change"
        told = f"{plain:,} of the {counted(self.units, self.unit_kind)} {change} the top {self.k:,}"
        if inflated:
            told += f", and {inflated:,} {'breaks' if inflated == 1 else 'break'} the inflated one,"
        return f"{told} when removed"


@dataclass
class _Tally:
    """Running sums of one method for one k."""

    members: Members
    size: int = 0
    broken: list[IntArray] = field(default_factory=list)
    uncovered: int = 0
    lost_jaccard: float = 0.0


class TopKAudit:
    """Top-k answers without each unit, for several k at once.

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

    def rows(self, methods: Mapping[str, Callable[[float], Members]]) -> list[AuditRow]:
        """Audit every method for every k in one pass over the leave-one-out scores."""
        tallies = {
            (name, k): _Tally(make(eps))
            for name, make in methods.items()
            for k, eps in self._eps.items()
        }
        every = not methods.keys() <= {"topk", *Flips.METHODS}
        for active, units, left_out in self.changed_rows(
            inflated="inflated_topk" in methods, every=every
        ):
            rows = np.concatenate([self._loo.scores[active.items][np.newaxis], left_out])
            window, counts = windows_from(rows, active.places), self._facts.units.counts[units]
            plain = plain_members(rows, window, active.places)
            for name in methods:
                tally = tallies[name, active.k]
                answers = plain if name == "topk" else tally.members(rows, window, active.places)
                full, inside = answers[0], answers[1:]
                tally.size = int(full.sum()) + active.always_in
                outside = plain[1:] & ~full
                other = np.flatnonzero((outside | (inside ^ full)).any(axis=1))
                mine, times = inside[other], counts[other]
                common = (mine & full).sum(axis=1) + active.always_in
                either = (mine | full).sum(axis=1) + active.always_in
                tally.broken.append(units[other[common < active.k]])
                tally.uncovered += int(times[outside[other].any(axis=1)].sum())
                tally.lost_jaccard += float(np.dot(times, 1 - common / either))
        return [self._row(name, k, tally) for (name, k), tally in tallies.items()]

    def _row(self, name: str, k: int, tally: _Tally) -> AuditRow:
        """Return what was found of all units."""
        from steadyrank.study.audit.rows import AuditRow  # who stands where needs no table

        active, total = self._active[k], self._facts.units.total
        broken = np.sort(np.concatenate([np.empty(0, np.int64), *tally.broken]))
        shares = self._facts.share(broken), tally.uncovered / total, 1 - tally.lost_jaccard / total
        if not tally.size:  # no unit moves anything
            tally.size = int(active.answer(tally.members, self._loo.scores).sum()) + active.always_in
        eps = None if name == "topk" else self._eps[k]
        return AuditRow(name, k, *shares, tally.size, eps, broken=broken)

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
            known = kth_range(self._loo, highest, k) if len(active.items) > MANY else None
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

    def flips(self, method: str, k: int, members: Members, units: IntArray) -> tuple[Flip, ...]:
        """Return, for each of these units, the items that leave and that enter when it is left out."""
        if not len(units):
            return ()
        known, found = self._facts.units, {}
        wanted = np.bincount(units, minlength=len(known)) > 0
        for actives, among in self._looks:
            asked = wanted if among is None else wanted & among
            mine = [active for active in actives if active.k == k]
            for active, chunk, rows in self._changed_rows(mine, asked, inflated=True) if mine else ():
                full = active.answer(members, self._loo.scores)
                for unit, left_out in zip(chunk.tolist(), active.answers(members, rows), strict=True):
                    label, count = known.labels[unit], int(known.counts[unit])
                    leaves = self._named(active, full & ~left_out)
                    enters = self._named(active, left_out & ~full)
                    found[unit] = Flip(method, label, count, leaves, enters, unit)
        return tuple(found[unit] for unit in sorted(found))

    def _named(self, active: Active, inside: BoolArray) -> tuple[object, ...]:
        return tuple(self._facts.items[item] for item in active.items[inside])


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


@dataclass(frozen=True)
class NearRows:
    """Scores without each of some units: of the items they touch, then of the others near rank k.

    The k-th best score of all is that of rank ``places`` among them.
    """

    units: IntArray
    items: IntArray
    rows: FloatArray
    places: int


def blocks_near(loo: LeaveOneOut, highest: FloatArray, k: int, few: int) -> Iterator[SparseBlock] | None:
    """Yield what units change among the items that can reach the rank ``few`` below the k-th.

    All other items are behind ``u_k``, with and without a unit that touches few. None where units may
    touch all items, or where there are hardly more.

    Parameters
    ----------
    loo : LeaveOneOut
        The scores with and without each unit.
    highest : float array (items,)
        The highest score of each item, with and without each unit.
    k, few : int
        The rank, and how many items may be touched.
    """
    rank = len(highest) - k - few
    if rank < 0:
        return None
    floor = np.partition(loo.scores, rank)[rank]
    return loo.touching(np.flatnonzero(highest >= floor))


def near_rows(loo: LeaveOneOut, block: SparseBlock, k: int, few: int) -> Iterator[NearRows]:
    """Yield the rows of those units of the block that touch 1 to ``few`` items."""
    order = np.argsort(-loo.scores, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    touched = np.diff(block.indptr)
    for number in np.unique(touched[(touched > 0) & (touched <= few)]).tolist():
        place = np.flatnonzero(touched == number)
        entries = block.indptr[place][:, np.newaxis] + np.arange(number)
        items, units = block.items[entries], place + block.start
        first = max(0, k - number - 1)
        others = order[_untouched(np.sort(rank[items], axis=1), first, k)]
        kept = block.untouched(place, others, loo.scores)
        scores = np.concatenate([block.scores[entries], kept], axis=1)
        yield NearRows(units, np.concatenate([items, others], axis=1), scores, k - first)


def kth_range(
    loo: LeaveOneOut, highest: FloatArray, k: int, few: int = FEW
) -> tuple[float, float, BoolArray] | None:
    """Return the least and the largest k-th best score, and which units touch too many items to tell.

    None where that is unknown of all units.
    """
    blocks = blocks_near(loo, highest, k, few)
    if blocks is None:
        return None
    kth = np.argsort(-loo.scores, kind="stable")[k - 1 : k]
    ends = [float(loo.scores[kth[0]])]
    many = np.zeros(len(loo.units), dtype=np.bool_)
    for block in blocks:
        touched = np.diff(block.indptr)
        many[block.start + np.flatnonzero(touched > few)] = True
        untouched = np.flatnonzero(touched == 0)
        same = np.repeat(kth[np.newaxis], len(untouched), axis=0)
        found = [block.untouched(untouched, same, loo.scores)]
        found += [
            np.partition(near.rows, -near.places, axis=1)[:, -near.places]
            for near in near_rows(loo, block, k, few)
        ]
        ends += [float(end(part)) for part in found if part.size for end in (np.min, np.max)]
    return min(ends), max(ends), many


def _untouched(ranks: IntArray, first: int, last: int) -> IntArray:
    """Return the ranks of ``u_(first + 1) .. u_last``, given those that each unit touches, in order."""
    found = np.repeat(np.arange(first, last)[np.newaxis], len(ranks), axis=0)
    for touched in ranks.T:
        found += touched[:, np.newaxis] <= found
    return found


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
        for near in near_rows(loo, block, k, few):
            both = np.maximum(critical[near.items], critical_eps(near.rows, near.places))
            known = np.where(near.rows >= near.rows[:, -1:], both, np.inf)
            for bound, values in ((lower, both), (upper, known)):
                bound[near.units] = np.partition(values, near.places - 1, axis=1)[:, near.places - 1]
    return lower, upper
