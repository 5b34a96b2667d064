"""The rows of an audit: how much of each answer stays, and which units break it.

Two sets of full rankings are asked whether they meet, and never listed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank._typing import frozen
from steadyrank.errors import TooLargeError
from steadyrank.operators.inflation import STEEPEST
from steadyrank.operators.meeting import Rival
from steadyrank.operators.rankings import MAX_STATES, RankingSet
from steadyrank.operators.topk_sets import windows_from
from steadyrank.study.results import MAX_FLIPS, label, labels
from steadyrank.study.standings import Active, Members, TopKRows, plain_changes
from steadyrank.text import counted, html_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.study.facts import Facts
    from steadyrank.study.study import Study

ROUGHLY = 1e-5
"""Nearer to eps than this share of it, bounds leave it to the operators, which know of rounding."""

UNDERSTOOD = {"topk", "inflated_topk"}
"""Methods of which it is known how far scores must move to change them."""

NOT_JACCARD = (
    "Jaccard similarity is defined for sets of items, not for sets of rankings"
)


@dataclass(frozen=True)
class AuditRow:
    """One row of an audit: a method, and how it fared when each unit was left out.

    Attributes
    ----------
    method : str
        ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking``, or a name the user gave.
    k : int or None
        The k of a top-k method, None for full rankings.
    delta : float
        The share of units whose removal leaves fewer than k common items (no common ranking).
    jaccard : float or None
        The mean Jaccard similarity with the full answer; None where it does not apply.
    size : int or None
        How many items (rankings) the full answer holds, exactly; None where it was not counted.
    eps : float or None
        The inflation of an inflated answer.
    note : str
        Why a value is missing, in plain words.
    broken : int array
        The distinct units whose removal breaks the answer.

    Examples
    --------
    >>> AuditRow("ranking", None, delta=0.0, jaccard=None, size=10**400).log10_size
    400.0
    """

    method: str
    k: int | None
    delta: float
    jaccard: float | None
    size: int | None = field(repr=False)  # of thousands of digits
    eps: float | None = None
    note: str = ""
    broken: IntArray = field(
        default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "broken", frozen(self.broken))

    @property
    def log10_size(self) -> float | None:
        """The decimal logarithm of the size, also where the size is beyond any float."""
        return None if self.size is None else math.log10(self.size)


@dataclass(frozen=True)
class Flip:
    """One kind of unit that changes the plain top k.

    Attributes
    ----------
    unit : object
        The label of the unit.
    count : int
        How many such units there are.
    leaves, enters : tuple of labels
        The items that leave and that enter the top k when one such unit is removed.
    number : int
        Its number among the distinct units, for ``data.without``.
    """

    unit: object
    count: int
    leaves: tuple[object, ...]
    enters: tuple[object, ...]
    number: int


@dataclass(frozen=True)
class Flips:
    """All units that change the plain top k; iterate over it, or look at ``plain``.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]], items=["x", "y", "z"])
    >>> flips = Study(matrix).flips(2)
    >>> print(flips)
    1 of the 4 rows changes the top 2 when removed
    >>> [(flip.unit, flip.leaves, flip.enters) for flip in flips]
    [(2, ('y',), ('z',))]
    """

    k: int
    unit_kind: str
    units: int
    plain: tuple[Flip, ...]

    def __iter__(self) -> Iterator[Flip]:
        return iter(self.plain)

    def __len__(self) -> int:
        """Return the number of distinct units that change it."""
        return len(self.plain)

    def _repr_html_(self) -> str:
        """Show the first of them in a notebook."""
        columns: dict[str, list[object]] = {
            "without": [flip.unit for flip in self],
            "times": [flip.count for flip in self],
            "drops out": [", ".join(map(str, flip.leaves)) for flip in self],
            "comes in": [", ".join(map(str, flip.enters)) for flip in self],
        }
        if {*columns["times"]} == {1}:
            del columns["times"]
        return html_of(f"{self}.", columns)

    def __str__(self) -> str:
        """Say how many units change the top k."""
        number = sum(flip.count for flip in self)
        change = "changes" if number == 1 else "change"
        units = counted(self.units, self.unit_kind)
        return f"{number:,} of the {units} {change} the top {self.k:,} when removed"


def flips_of(facts: Facts, k: int) -> Flips:
    """Return the units that change the plain top k, with the items that leave and that enter."""
    known, found = facts.units, dict[int, Flip]()
    wanted = np.bincount(facts.deletions(k).changing, minlength=len(known)) > 0

    def named(active: Active, inside: BoolArray) -> tuple[object, ...]:
        return tuple(facts.items[item] for item in active.items[inside])

    for active, units, full, inside in (
        plain_changes(facts, k, wanted) if wanted.any() else ()
    ):
        for unit, now in zip(units.tolist(), inside, strict=True):
            moved = named(active, full & ~now), named(active, now & ~full)
            found[unit] = Flip(
                known.labels[unit], int(known.counts[unit]), *moved, unit
            )
    return Flips(
        k, facts.unit, known.total, tuple(found[unit] for unit in sorted(found))
    )


def flip_findings(study: Study, k: int) -> dict[str, Any]:
    """Return the units that change the plain top k: the first by name, with what they said."""
    found = study.flips(k)
    shown, place = (
        found.plain[:MAX_FLIPS],
        {item: n for n, item in enumerate(study.items)},
    )
    moved = [[place[item] for item in (*flip.leaves, *flip.enters)] for flip in shown]
    said = study.data.said([flip.number for flip in shown], moved) if shown else ()
    listed = [
        {"unit": label(flip.unit), "count": flip.count, "said": words}
        | {"leaves": labels(flip.leaves), "enters": labels(flip.enters)}
        for flip, words in zip(shown, said, strict=True)
    ]
    units = sum(flip.count for flip in found)
    return {
        "k": k,
        "plain": {"units": units, "distinct_units": len(found), "listed": listed},
    }


@dataclass
class _Tally:
    """Running sums of one method for one k."""

    members: Members
    broken: list[IntArray] = field(default_factory=list)
    lost_jaccard: float = 0.0


class TopKAudit(TopKRows):
    """Top-k answers without each unit, for several k at once."""

    def rows(self, methods: Mapping[str, Callable[[float], Members]]) -> list[AuditRow]:
        """Audit every method for every k in one pass over the leave-one-out scores."""
        tallies = {
            (name, k): _Tally(make(eps))
            for name, make in methods.items()
            for k, eps in self._eps.items()
        }
        every = not methods.keys() <= UNDERSTOOD
        for active, units, left_out in self.changed_rows(
            inflated="inflated_topk" in methods, every=every
        ):
            rows = np.concatenate(
                [self._loo.scores[active.items][np.newaxis], left_out]
            )
            window, counts = (
                windows_from(rows, active.places),
                self._facts.units.counts[units],
            )
            for name in methods:
                tally = tallies[name, active.k]
                answers = tally.members(rows, window, active.places)
                full, inside = answers[0], answers[1:]
                other = np.flatnonzero((inside ^ full).any(axis=1))
                mine, times = inside[other], counts[other]
                common = (mine & full).sum(axis=1) + active.always_in
                either = (mine | full).sum(axis=1) + active.always_in
                tally.broken.append(units[other[common < active.k]])
                tally.lost_jaccard += float(np.dot(times, 1 - common / either))
        return [self._row(name, k, tally) for (name, k), tally in tallies.items()]

    def _row(self, name: str, k: int, tally: _Tally) -> AuditRow:
        """Return what was found of all units."""
        active, total = self._active[k], self._facts.units.total
        broken = np.sort(np.concatenate([np.empty(0, np.int64), *tally.broken]))
        shares = self._facts.share(broken), 1 - tally.lost_jaccard / total
        size = (
            int(active.answer(tally.members, self._loo.scores).sum()) + active.always_in
        )
        eps = None if name == "topk" else self._eps[k]
        return AuditRow(name, k, *shares, size, eps, broken=broken)


def ranking_row(facts: Facts, eps: float | None, max_states: int | None) -> AuditRow:  # noqa: ARG001 (same call)
    """Audit the plain ranking: broken wherever any two items change places."""
    loo = facts.leave_one_out
    broken = loo.reordered(facts.order)
    return AuditRow(
        "ranking", None, facts.share(broken), None, 1, note=NOT_JACCARD, broken=broken
    )


def inflated_ranking_row(facts: Facts, eps: float, max_states: int | None) -> AuditRow:
    """Audit the inflated ranking: broken where the two sets share no ranking."""
    broken, size, note = units_without_common_ranking(facts, eps), None, NOT_JACCARD
    limit = MAX_STATES if max_states is None else max_states
    try:
        size = RankingSet(facts.scores, eps).count(max_states=limit)
    except TooLargeError as error:
        note += f"; size not counted: {error}"
    return AuditRow(
        "inflated_ranking", None, facts.share(broken), None, size, eps, note, broken
    )


def units_without_common_ranking(facts: Facts, eps: float) -> IntArray:
    """Return the distinct units without which no ranking of the set remains.

    Where scores move by less than eps, Theorem 8 settles it without a look.
    """
    loo, reaching = facts.leave_one_out, facts.reaching(eps)
    rival, full, broken = Rival(loo.scores), RankingSet(loo.scores, eps), list[int]()
    slack = ROUGHLY * (eps + float(np.abs(loo.scores).max()) * ROUGHLY)

    def shared(row: FloatArray, at: float) -> bool:
        return RankingSet(loo.scores, at).intersects(RankingSet(row, at))

    def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
        (lower, upper), reach = (
            rival.meeting_bounds(rows),
            STEEPEST * errors.max(axis=1) + slack,
        )
        apart, common = lower - reach > eps, upper + reach < eps
        for number in np.flatnonzero(~apart & ~common & (reach < eps)).tolist():
            near = float(reach[number])
            common[number] = shared(rows[number], eps - near)
            if not common[number]:
                apart[number] = not shared(rows[number], eps + near)
        return np.asarray(apart | common)

    for units, rows in loo.columns(np.arange(len(loo.scores)), reaching, settled):
        lower, upper = rival.meeting_bounds(rows)
        apart = lower > eps + slack
        for number in np.flatnonzero(~apart & ~(upper < eps - slack)).tolist():
            apart[number] = not full.intersects(RankingSet(rows[number], eps))
        broken += units[apart].tolist()
    return np.sort(np.array(broken, dtype=np.int64))
