"""What CONTRIBUTING says about adding an operator, done here.

A scorer of one's own is added in tests/scorers/test_registry.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank import Study, Votes
from steadyrank.study.audit import audit as auditing

if TYPE_CHECKING:
    import pytest

# An audited operator: its function, and one line in the table of methods.


def within_half(eps: float) -> Any:
    """Return all items less than half of eps below the k-th best."""

    def members(rows: Any, window: Any, places: int) -> Any:
        return rows > window[:, :1] - eps / 2

    return members


def test_a_new_operator_is_its_function_and_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(auditing.TOPK_METHODS, "within_half", within_half)
    votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 29)
    found = Study(votes).audit(2, eps=0.05, methods=["topk", "within_half"])

    def same(data: Votes) -> set[object]:
        scores = Study(data).scores
        return set(np.array(data.items)[scores > np.sort(scores)[-2] - 0.025])

    broken = [len(same(votes) & same(votes.without([unit]))) < 2 for unit in range(3)]
    delta = votes.units.counts[broken].sum() / 99
    assert found.row("within_half", 2).delta == delta
    assert found.row("within_half", 2).size == len(same(votes)) == 3
    assert found.row("topk", 2).delta > 0
