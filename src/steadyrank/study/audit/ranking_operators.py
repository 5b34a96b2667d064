"""Operators of a user's own that give rankings: functions of the scores alone."""

from __future__ import annotations

import contextlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidPermutationError, InvalidValueError, shorten
from steadyrank.operators.checks import check_permutation
from steadyrank.study.audit.rows import AuditRow, rows_of, size_of_rankings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.study.audit.rows import Operator


@dataclass(frozen=True)
class Listed:
    """Rankings that an operator listed."""

    rankings: frozenset[tuple[int, ...]]

    def __contains__(self, ranking: Iterable[Any]) -> bool:
        return tuple(map(int, ranking)) in self.rankings

    def intersects(self, other: Any) -> bool:
        """Tell whether the two sets share a ranking."""
        return any(ranking in other for ranking in self.rankings)

    def count(self) -> int:
        """Return the number of rankings."""
        return len(self.rankings)


def gives_rankings(name: str, operator: object) -> bool:
    """Tell by its arguments what an operator gives: (scores, k) items, scores alone rankings.

    A second argument that has a default and is not called k is none of ours.

    Examples
    --------
    >>> own = (lambda w, k: [0], lambda w, k=5: [0], lambda w, eps=1: [[0]])
    >>> [gives_rankings("own", one) for one in own]
    [False, False, True]
    """
    if callable(operator):
        try:
            signature = inspect.signature(operator)
        except ValueError:  # some compiled functions have none
            return False
        known = signature.parameters.values()
        for arguments in (("scores",), ("scores", "k")):
            with contextlib.suppress(TypeError):
                signature.bind(*arguments)
                k_too = any(each.name == "k" or each.kind == each.VAR_POSITIONAL for each in known)
                return len(arguments) == 1 and not k_too
    raise InvalidValueError(
        f"operator {name!r} must be a function of (scores, k) that gives items, or of the scores alone "
        f"that gives rankings, but is {shorten(operator)}"
    )


def ranking_operator_row(loo: LeaveOneOut, name: str, operator: Operator, max_states: int) -> AuditRow:
    """Audit one operator that gives rankings: broken where the answers with and without a unit part."""
    full, counts = _answer(operator(loo.scores.copy()), len(loo.scores), name), loo.units.counts
    tells = hasattr(full, "__contains__")
    broken, uncovered = [], 0
    for unit, row in rows_of(loo):
        if tells:
            plain = np.argsort(-row, kind="stable")
            uncovered += int(counts[unit]) * (plain not in full)
        if not full.intersects(_answer(operator(row.copy()), len(row), name)):
            broken.append(unit)
    units, total = np.array(broken, dtype=np.int64), loo.units.total
    size, note = size_of_rankings(full, max_states)
    share = uncovered / total if tells else None
    return AuditRow(
        name, None, int(counts[units].sum()) / total, share, None, size, note=note, broken=units
    )


def _answer(given: Any, items: int, name: str) -> Any:
    if callable(getattr(given, "intersects", None)):
        return given
    try:
        listed = (check_permutation(ranking, items) for ranking in given)
        return Listed(frozenset(tuple(ranking.tolist()) for ranking in listed))
    except (TypeError, InvalidPermutationError) as error:
        raise InvalidValueError(
            f"operator {name!r} must give rankings of items 0 to {items - 1}, or an object with the "
            f"method intersects, but gave {shorten(given)}: {error}"
        ) from error
