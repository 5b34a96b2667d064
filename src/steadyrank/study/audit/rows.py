"""The rows of an audit, and those of operators that a user passes: called on all scores, by unit."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from steadyrank.errors import InvalidValueError, shorten
from steadyrank.operators.topk_sets import topk
from steadyrank.reading.arrays import frozen
from steadyrank.text import size_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.scorers.base import LeaveOneOut

EpsOf: TypeAlias = "Callable[[int | None], float]"
"""From a k, or None for the full ranking, to the inflation."""

Operator: TypeAlias = "Callable[..., Any]"
"""From scores and k to item indices or a mask of the items."""


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
