"""The audit: leave every unit out, and see what each method's answer does.

The way of the data, top to bottom: data -> scorer -> leave-one-out scores -> operators -> outcomes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidValueError, listing, shorten
from steadyrank.operators.checks import check_eps, check_k
from steadyrank.operators.states import MAX_STATES
from steadyrank.reading.arrays import frozen
from steadyrank.stability.curve import StabilityCurve, stability_curve
from steadyrank.stability.flips import Flip, Flips
from steadyrank.stability.frames import frame_of
from steadyrank.stability.policies import checked_items, policies
from steadyrank.stability.ranking_audit import inflated_ranking_outcome, ranking_outcome
from steadyrank.stability.reaching import reaching
from steadyrank.stability.text import audit_text
from steadyrank.stability.topk_audit import TopKAudit, inflated_members, plain_members
from steadyrank.stability.user_operator import operator_outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank._typing import FloatArray
    from steadyrank.data.units import Units
    from steadyrank.scorers.base import LeaveOneOut, Scorer
    from steadyrank.stability.outcomes import Outcome
    from steadyrank.stability.topk_audit import Change, Members
    from steadyrank.stability.user_operator import Operator

METHODS = ("topk", "inflated_topk", "ranking", "inflated_ranking")


def audit(
    data: Any,
    *,
    k: int | Iterable[int],
    eps: float,
    scorer: Scorer | None = None,
    methods: Iterable[str] = METHODS,
    operators: Mapping[str, Operator] | None = None,
    max_states: int = MAX_STATES,
) -> Audit:
    r"""Leave every unit out in turn and measure how stable each method's answer is.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
        The observations.
    k : int or several
        How many items are wanted.
    eps : float
        The inflation. It stays fixed across the data sets D\i.
    scorer : Scorer, optional
        How data become scores; by default the usual one for the kind of data.
    methods : iterable of str
        Which of ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking`` to audit.
    operators : mapping, optional
        Operators of your own by name: functions of (scores, k) that give item indices or a mask.
    max_states : int
        The limit for counting rankings; beyond it the size says "not counted".

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> result = audit(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]), k=2, eps=0.5)
    >>> for row in result.table:
    ...     print(row.method, row.k, row.delta, row.size)
    topk 2 0.25 2
    inflated_topk 2 0.0 2
    ranking None 0.25 1
    inflated_ranking None 0.0 1
    """
    from steadyrank.scorers.registry import resolve_scorer

    # Everything is checked before anything is left out, which may take hours.
    chosen = resolve_scorer(scorer, data)
    items = checked_items(data, chosen.name)
    ks = _check_ks(k, len(items))
    eps = check_eps(eps)
    wanted = _check_methods(methods)
    own = _check_operators(operators)
    loo = chosen.leave_one_out(data)
    shifts = loo.shifts()
    outcomes = _topk_outcomes(loo, ks, eps, wanted)
    if "ranking" in wanted:
        outcomes.append(ranking_outcome(loo))
    if "inflated_ranking" in wanted:
        outcomes.append(inflated_ranking_outcome(loo, eps, shifts, max_states))
    for name, operator in own.items():
        outcomes += operator_outcomes(loo, ks, name, operator)
    return Audit(
        table=tuple(outcomes),
        eps=eps,
        scores=frozen(loo.scores),
        shifts=frozen(shifts),
        units=loo.units,
        items=items,
        scorer=chosen.name,
        notes=policies(data),
        _loo=loo,
    )


def _topk_outcomes(
    loo: LeaveOneOut, ks: list[int], eps: float, wanted: tuple[str, ...]
) -> list[Outcome]:
    chosen = {name: function for name, function in _members(eps).items() if name in wanted}
    return TopKAudit(loo, ks, eps).outcomes(chosen) if chosen else []


def _members(eps: float) -> dict[str, Members]:
    return {"topk": plain_members, "inflated_topk": inflated_members(eps)}


@dataclass(frozen=True, eq=False)
class Audit:
    """What leaving each unit out did to each method's answer.

    Attributes
    ----------
    table : tuple of Outcome
        One row for each method and k.
    eps : float
        The inflation.
    scores : float array (items,)
        The scores on all the data.
    shifts : float array (distinct units,)
        How far the scores move when each distinct unit is left out; ``units.counts`` are its weights.
    units : Units
        What was left out.
    items : tuple
        The labels of the items.
    scorer : str
        How data became scores.
    notes : tuple of str
        What was guessed, which policies were applied, how ties were treated.
    """

    table: tuple[Outcome, ...]
    eps: float
    scores: FloatArray = field(repr=False)
    shifts: FloatArray = field(repr=False)
    units: Units = field(repr=False)
    items: tuple[object, ...] = field(repr=False)
    scorer: str
    notes: tuple[str, ...] = field(repr=False)
    _loo: LeaveOneOut = field(repr=False)
    _curves: dict[int, StabilityCurve] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        """Show the table in plain text."""
        return audit_text(self)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        from steadyrank.report.notebook import audit_html

        return audit_html(self)

    @cached_property
    def share_reaching_eps(self) -> float:
        """The share of units that move the scores by eps or more: Theorems 4 and 8 bound delta by it.

        A shift that is eps up to rounding counts, as it does for the operators.
        """
        moved = reaching(self.shifts, self.scores, self.eps)
        return int(self.units.counts[moved].sum()) / self.units.total

    def outcome(self, method: str, k: int | None = None) -> Outcome:
        """Return the row of one method (and k)."""
        for row in self.table:
            if row.method == method and row.k == k:
                return row
        known = [f"{row.method}" + (f" with k={row.k}" if row.k else "") for row in self.table]
        asked = method if k is None else f"{method} with k={k}"
        raise InvalidValueError(f"{asked} was not audited; audited were: {listing(known)}.")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a dataframe (polars, pandas or pyarrow: the first that is installed).

        Columns: ``method``, ``k``, ``delta``, ``jaccard``, ``size``, ``log10_size``, ``note``. Sizes
        beyond the largest float are infinite there; ``table`` has them exactly.
        """
        columns: dict[str, list[Any]] = {
            "method": [row.method for row in self.table],
            "k": [row.k for row in self.table],
            "delta": [row.delta for row in self.table],
            "jaccard": [row.jaccard for row in self.table],
            "size": [_as_float(row.size) for row in self.table],
            "log10_size": [row.log10_size for row in self.table],
            "note": [row.note for row in self.table],
        }
        return frame_of(columns, backend)

    def curve(self, k: int) -> StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        k = check_k(k, len(self.scores))
        if k not in self._curves:
            self._curves[k] = stability_curve(self._loo, k, self.shifts)
        return self._curves[k]

    def flips(self, k: int) -> Flips:
        """Return the units that break the plain or the inflated top-k, and what they change.

        Works for every k, also one that is not in the table.
        """
        k = check_k(k, len(self.scores))
        known = {row.method: row.broken for row in self.table if row.k == k}
        members = _members(self.eps)
        topk = TopKAudit(self._loo, [k], self.eps)
        missing = {name: function for name, function in members.items() if name not in known}
        if missing:
            known |= {row.method: row.broken for row in topk.outcomes(missing)}
        plain, inflated = (
            self._named(name, topk.changes(k, function, known[name]))
            for name, function in members.items()
        )
        return Flips(k, self.units.kind, self.units.total, plain, inflated)

    def _named(self, method: str, changes: list[Change]) -> tuple[Flip, ...]:
        return tuple(
            Flip(
                method=method,
                unit=self.units.labels[change.unit],
                count=int(self.units.counts[change.unit]),
                leaves=tuple(self.items[item] for item in change.leaves),
                enters=tuple(self.items[item] for item in change.enters),
            )
            for change in changes
        )


def _as_float(size: int | None) -> float | None:
    if size is None:
        return None
    return float(size) if size.bit_length() < 1024 else np.inf


def _check_ks(k: int | Iterable[int], items: int) -> list[int]:
    one = not isinstance(k, Iterable) or (isinstance(k, np.ndarray) and k.ndim == 0)
    several: list[Any] = [k] if one else list(k)  # type: ignore[arg-type]
    checked = list(dict.fromkeys(check_k(value, items) for value in several))
    if not checked:
        raise InvalidValueError("k is empty: give one value of k, or several.")
    return checked


def _check_operators(operators: Mapping[str, Operator] | None) -> dict[str, Operator]:
    own = dict(operators or {})
    taken = [name for name in own if name in METHODS]
    if taken:
        raise InvalidValueError(
            f"an operator of your own cannot be called {shorten(taken[0])}: "
            "a method of steadyrank has that name."
        )
    return own


def _check_methods(methods: Iterable[str]) -> tuple[str, ...]:
    wanted = (methods,) if isinstance(methods, str) else tuple(methods)
    unknown = [name for name in wanted if name not in METHODS]
    if unknown:
        raise InvalidValueError(
            f"unknown method {shorten(unknown[0])}; known are: {', '.join(METHODS)}."
        )
    return wanted
