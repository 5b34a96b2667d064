"""The scripts in examples/ run and say what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SAYS = {
    "election.py": ["lead of 2: ann or bob", "lead of 3: ann\n", "Proved"],
    "feature_selection.py": [
        "sure: bmi s4 s5",
        "without a row in 100.0% of 120 rows",
        "overlap",
    ],
    "gate.py": [
        "Changing the top 3 takes the removal of 6 of the 48 tasks; fewer are never enough."
    ],
    "leaderboard.py": [
        "Sixth place hangs on single judges",
        "change the top 6",
        "look at leaderboard.html",
    ],
    "learning_to_rank.py": ["pointwise: ", "pairwise: ", "of 10 sure", "list: 0.000"],
    "own_scorer.py": ["mean: CrossNet", "medians: "],
    "own_scores.py": [
        "eps 0.001: items [0, 1], as inflated_topk says: True",
        "ranks at eps 0.005",
    ],
}


def test_every_script_is_known_and_explained() -> None:
    scripts = {path.name for path in (ROOT / "examples").glob("*.py")}
    explained = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert scripts == set(SAYS)
    assert [name for name in sorted(scripts) if f"`{name}`" not in explained] == []


@pytest.mark.parametrize("name", sorted(SAYS))
def test_a_script_runs(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / name],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for words in SAYS[name]:
        assert words in done.stdout
