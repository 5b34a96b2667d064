"""What the paper's tables report about one method, from the results of the trials."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paper.array_types import FloatArray


@dataclass(frozen=True)
class MethodSummary:
    """One method over many trials, in the columns of the paper's tables.

    Attributes
    ----------
    trials : int
        How many datasets.
    max_delta, mean_delta, se_delta : float
        Over the trials; the standard error is the population standard deviation over the root of
        the number of trials, as in the paper.
    size, se_size : float
        Mean number of items (or rankings) in the answer.
    jaccard, se_jaccard : float or None
        Mean similarity of the answers with and without a unit; None for rankings.
    reaching, local : float or None
        Of an inflated answer: the mean share of units that move the scores by eps or more, by which
        Theorems 4 and 8 bound delta, and the smaller share of their local versions.
    deltas : float array (trials,)
        Every trial by itself.
    """

    trials: int
    max_delta: float
    mean_delta: float
    se_delta: float
    size: float
    se_size: float
    jaccard: float | None
    se_jaccard: float | None
    reaching: float | None
    local: float | None
    deltas: FloatArray = field(repr=False, compare=False)

    def survival(self) -> tuple[FloatArray, FloatArray]:
        """Return levels and the share of trials whose delta is greater than each, as the paper draws it.

        The share stays the same from a level up to the next one.
        """
        levels = np.unique(np.append(0.0, self.deltas))
        up_to = np.searchsorted(np.sort(self.deltas), levels, side="right")
        return levels, 1 - up_to / self.trials


def summary_of(
    deltas: Sequence[float] | FloatArray,
    sizes: Sequence[float] | FloatArray,
    jaccards: Sequence[float] | FloatArray | None = None,
    *,
    reaching: float | None = None,
    local: float | None = None,
) -> MethodSummary:
    """Summarise the trials of one method.

    Examples
    --------
    >>> summary_of([0.0, 0.2], [1, 3])  # doctest: +ELLIPSIS
    MethodSummary(trials=2, max_delta=0.2, mean_delta=0.1, se_delta=0.0707..., size=2.0,
                  se_size=0.707..., jaccard=None, se_jaccard=None, reaching=None, local=None)
    """
    values, counts = (
        np.asarray(deltas, dtype=np.float64),
        np.asarray(sizes, dtype=np.float64),
    )
    return MethodSummary(
        trials=len(values),
        max_delta=float(values.max()),
        mean_delta=float(values.mean()),
        se_delta=standard_error(values),
        size=float(counts.mean()),
        se_size=standard_error(counts),
        jaccard=None if jaccards is None else float(np.mean(jaccards)),
        se_jaccard=None if jaccards is None else standard_error(np.asarray(jaccards)),
        reaching=reaching,
        local=local,
        deltas=values,
    )


def for_json(value: Any) -> Any:
    """Return dataclasses, arrays and dictionaries as what JSON knows.

    Examples
    --------
    >>> for_json({5: np.array([0.5, 1.0])})
    {'5': [0.5, 1.0]}
    >>> for_json(summary_of([0.5], [3]))["size"]
    3.0
    """
    if is_dataclass(value):
        return {
            part.name: for_json(getattr(value, part.name)) for part in fields(value)
        }
    if isinstance(value, dict):
        return {str(key): for_json(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [for_json(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def standard_error(values: FloatArray) -> float:
    """Return the population standard deviation over the root of the number of values."""
    return float(values.std() / np.sqrt(len(values)))


def at_least_one(name: str, value: int) -> int:
    """Return ``value``, or refuse it where it is not a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InvalidValueError(
            f"{name} must be a whole number, 1 or more, but is {value!r}."
        )
    return int(value)
