"""The bench against a commit: its table, and what it refuses."""

from __future__ import annotations

import json

import pytest

from against import commit_of, ratio_table
from run import checked

NEW_TURNS = [
    '[{"name": "topk", "ours": 3.0, "peak": NaN}, {"name": "audit", "ours": 0.2}]',
    '[{"name": "topk", "ours": 1.0, "peak": NaN}, {"name": "audit", "ours": 0.3}]',
]
OLD_TURNS = [
    '[{"name": "topk", "ours": 2.0, "peak": 4e9}, {"name": "curve", "ours": 5.0}]',
    '[{"name": "topk", "ours": 4.0, "peak": 3e9}, {"name": "curve", "ours": 4.0}]',
]


def cells(lines: list[str]) -> dict[str, list[str]]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return {row[0]: row[1:] for row in rows}


def test_ratios_are_those_of_the_least_times() -> None:
    new, old = ([json.loads(turn) for turn in side] for side in (NEW_TURNS, OLD_TURNS))
    found = cells(ratio_table(new, old))
    # Least times 1 and 2; single turns 3 / 2 and 1 / 4. The old side alone knows its peak.
    assert found["topk"] == ["1 s", "2 s", "0.50", "0.25 to 1.50", ""]
    assert found["audit"] == ["200 ms", "", "only here", "", ""]
    assert found["curve"] == ["", "4 s", "only there", "", ""]


def test_peak_memory_is_compared_where_both_measured_it() -> None:
    new = [[{"name": "scale", "ours": float("nan"), "peak": 2e9}]]
    old = [[{"name": "scale", "ours": float("nan"), "peak": 8e9}]]
    assert cells(ratio_table(new, old))["scale"] == ["", "", "", "", "0.25"]


def test_rows_are_only_here_where_no_scripts_run_with_the_commit() -> None:
    new = [json.loads(turn) for turn in NEW_TURNS]
    assert cells(ratio_table(new, []))["topk"] == ["1 s", "", "only here", "", ""]


def test_unknown_sections_and_commits_are_refused_by_name() -> None:
    with pytest.raises(SystemExit, match="unknown benchmark 'speed'; known are audit"):
        checked(["cli", "speed"])
    with pytest.raises(SystemExit, match="unknown commit 'no-such-commit'"):
        commit_of("no-such-commit")
