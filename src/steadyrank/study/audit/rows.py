"""The rows of an audit: those of full rankings, and of operators that a user passes.

Two sets of rankings are asked whether they meet, and never listed. Operators are called on all scores,
by unit.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from steadyrank.errors import InvalidValueError, TooLargeError, shorten
from steadyrank.operators.critical import STEEPEST
from steadyrank.operators.meeting import Rival
from steadyrank.operators.rankings import RankingSet
from steadyrank.operators.states import MAX_STATES
from steadyrank.operators.topk_sets import topk
from steadyrank.reading.arrays import frozen
from steadyrank.scorers.base import Sketched
from steadyrank.text import size_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.study.facts import Facts

EpsOf: TypeAlias = "Callable[[int | None], float]"
"""From a k, or None for the full ranking, to the inflation."""

Operator: TypeAlias = "Callable[..., Any]"
"""From scores and k to item indices or a mask of the items."""

ROUGHLY = 1e-5
"""Nearer to eps than this share of it, bounds leave it to the operators, which know of rounding."""

STEEPEST_COVER = 3.42
"""A little more than 2 + sqrt(2)."""

COVERED = 20_000_000
"""Up to so many scores of units that may not be covered are looked at."""


@dataclass(frozen=True, repr=False)
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
    uncovered : float or None
        The share of units without which the plain top k (the plain ranking) is not inside the answer;
        None where that was not computed.
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
    lower, upper : float or None
        Of random removals: confidence limits of the share of all removals that break the answer.

    Examples
    --------
    >>> AuditRow("ranking", None, delta=0.0, uncovered=0.0, jaccard=None, size=10**400).log10_size
    400.0
    """

    method: str
    k: int | None
    delta: float
    uncovered: float | None
    jaccard: float | None
    size: int | None
    eps: float | None = None
    note: str = ""
    broken: IntArray = field(default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False)
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "broken", frozen(self.broken))

    def __repr__(self) -> str:
        """Show the row; a size of thousands of digits is shown by its logarithm."""
        jaccard = "not applicable" if self.jaccard is None else f"{self.jaccard:.6g}"
        return (
            f"AuditRow(method={self.method!r}, k={self.k}, delta={self.delta:.6g}, "
            f"jaccard={jaccard}, size={self.size_in_words})"
        )

    @property
    def size_in_words(self) -> str:
        """The size for people: exact, or its logarithm where that is clearer."""
        return size_in_words(self.size, self.log10_size)

    @property
    def log10_size(self) -> float | None:
        """The decimal logarithm of the size, also where the size is beyond any float."""
        if self.size is None:
            return None
        excess = max(0, self.size.bit_length() - 1000)
        return math.log10(self.size >> excess) + excess * math.log10(2)


NOT_JACCARD = "Jaccard similarity is defined for sets of items, not for sets of rankings"


def ranking_row(facts: Facts, eps_of: EpsOf, max_states: int | None) -> AuditRow:  # noqa: ARG001 (same call)
    """Audit the plain ranking: broken wherever any two items change places."""
    loo = facts.leave_one_out
    broken = loo.reordered(facts.order)
    share = facts.share(broken)
    return AuditRow("ranking", None, share, share, None, 1, note=NOT_JACCARD, broken=broken)


def inflated_ranking_row(facts: Facts, eps_of: EpsOf, max_states: int | None) -> AuditRow:
    """Audit the inflated ranking: broken where the two sets share no ranking."""
    eps = eps_of(None)
    broken = units_without_common_ranking(facts, eps)
    delta, uncovered = facts.share(broken), uncovered_share(facts, eps)
    size, note, limit = None, NOT_JACCARD, MAX_STATES if max_states is None else max_states
    try:
        size = RankingSet(facts.scores, eps).count(max_states=limit)
    except TooLargeError as error:
        note += f"; size not counted: {error}"
    return AuditRow("inflated_ranking", None, delta, uncovered, None, size, eps, note, broken)


def uncovered_share(facts: Facts, eps: float) -> float | None:
    """Return the share of units without which the plain ranking is not in the set, where it is cheap.

    A unit that moves the scores by less than eps over 2 + sqrt(2) never is one of them.
    """
    loo, rival = facts.leave_one_out, Rival(facts.scores)
    chosen = facts.reaching(eps / STEEPEST_COVER)
    exact = not isinstance(loo, Sketched)
    if int(chosen.sum()) * len(loo.scores) > (COVERED if exact else COVERED // 100):
        return None
    moved = np.zeros(len(chosen), dtype=np.bool_)
    moved[loo.reordered(rival.order)] = True

    def settled(rows: FloatArray, errors: FloatArray) -> BoolArray:
        gaps = np.diff(np.sort(rows, axis=1), axis=1).min(axis=1, initial=np.inf)
        return np.asarray(gaps > 2 * errors.max(axis=1))

    lost = [
        unit
        for units, rows in loo.columns(np.arange(len(loo.scores)), chosen & moved, settled)
        for unit, row in zip(units.tolist(), rows, strict=True)
        if rival.meeting_and_covering(row)[1] >= eps
    ]
    return facts.share(np.array(lost, dtype=np.int64))


def units_without_common_ranking(facts: Facts, eps: float) -> IntArray:
    """Return the distinct units without which no ranking of the set remains.

    Where scores move by less than eps, Theorem 8 settles it without a look. Of units that do the same
    to items with the same scores, one is looked at: names do not matter here.
    """
    loo = facts.leave_one_out
    reaching = np.flatnonzero(facts.reaching(eps))
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


def rows_of(loo: LeaveOneOut) -> Iterator[tuple[int, FloatArray]]:
    """Yield (unit, all its scores) for all units."""
    for block in loo.blocks():
        for number in range(len(block)):
            yield block.start + number, block.row(number, loo.scores)


def check_operators(operators: Mapping[str, Operator], taken: Sequence[str]) -> None:
    """Complain about an operator whose name is taken, or that cannot be called with scores and k."""
    for name, operator in operators.items():
        if name in taken:
            raise InvalidValueError(
                f"an operator of your own cannot be called {shorten(name)}: "
                "a method of steadyrank has that name"
            )
        try:
            inspect.signature(operator).bind("scores", "k")
        except ValueError:  # some compiled functions do not say
            continue
        except TypeError:
            raise InvalidValueError(
                f"operator {name!r} must be a function of (scores, k) that gives items, but is "
                f"{shorten(operator)}"
            ) from None


def operator_rows(loo: LeaveOneOut, ks: Sequence[int], name: str, operator: Operator) -> list[AuditRow]:
    """Audit one operator for every k; it sees all the scores, so this takes a call for each unit."""
    full = {k: _mask(operator(loo.scores.copy(), k), len(loo.scores), name) for k in ks}
    counts, total = loo.units.counts, loo.units.total
    broken: dict[int, list[int]] = {k: [] for k in ks}
    jaccard, uncovered = dict.fromkeys(ks, 0.0), dict.fromkeys(ks, 0)
    for unit, row in rows_of(loo):
        for k in ks:
            inside = _mask(operator(row.copy(), k), len(row), name)
            uncovered[k] += int(counts[unit]) * (not full[k][topk(row, k)].all())
            common, either = int((inside & full[k]).sum()), int((inside | full[k]).sum())
            jaccard[k] += int(counts[unit]) * (common / either if either else 1.0)
            if common < k:
                broken[k].append(unit)
    rows = []
    for k in ks:
        units = np.array(broken[k], dtype=np.int64)
        delta, size = int(counts[units].sum()) / total, int(full[k].sum())
        shares = delta, uncovered[k] / total, jaccard[k] / total
        rows.append(AuditRow(name, k, *shares, size, broken=units))
    return rows


def _mask(answer: ArrayLike, items: int, name: str) -> BoolArray:
    """Return the answer of an operator as a mask; it may be a mask or item indices."""
    given = np.asarray(answer)
    if given.dtype == np.bool_ and given.shape == (items,):
        return given
    if given.ndim != 1 or given.dtype.kind not in "iu" or ((given < 0) | (given >= items)).any():
        raise InvalidValueError(
            f"operator {name!r} must give item indices from 0 to {items - 1} or a mask of {items} "
            f"truth values, but gave {shorten(answer)}"
        )
    mask = np.zeros(items, dtype=np.bool_)
    mask[given] = True
    return mask
