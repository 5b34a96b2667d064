"""Standings on real files, as the notes on cover have them: sure, in some top k, and the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Study

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "FROM data WHERE COLUMNS(*) <> ''"  # those without a gap
BATTLES = {"left": "left", "right": "right", "winner": "winner"}
JESTER = {"item": "joke", "rating": "rating", "unit": "user"}
FILES = [
    (
        "scores/cls_bin_mean.csv",
        {"wide": True, "unit": "Dataset", "sql": ROWS},
        5,
        (3, 7, 7),
    ),
    (
        "scores/cls_bin_mean.csv",
        {"wide": True, "unit": "Dataset", "sql": ROWS},
        10,
        (8, 11, 11),
    ),
    ("battles/llmfao.csv", BATTLES, 5, (4, 7, 7)),
    ("battles/llmfao.csv", {**BATTLES, "unit": "worker"}, 10, (7, 13, 13)),
    ("battles/llmfao.csv", {**BATTLES, "unit": "prompt"}, 10, (4, 15, 15)),
    ("ratings/jester5k.csv.gz", JESTER, 53, (52, 54, 54)),
    ("ballots/00001-00000003.soi", {}, 3, (3, 3, 3)),
]


@pytest.mark.parametrize(("name", "options", "k", "expected"), FILES)
def test_standings(
    shared_data: Path,
    name: str,
    options: dict[str, Any],
    k: int,
    expected: tuple[int, int, int],
) -> None:
    answer = Study(shared_data / name, **options).topk(k)
    ever = len(answer.sure) + len(answer.contenders)
    assert (len(answer.sure), ever, len(answer)) == expected


def test_a_prompt_that_leaves_moves_a_model_from_rank_2_to_rank_15(
    shared_data: Path,
) -> None:
    """What was once called sure: six of the first ten leave the top ten when some prompt does."""
    path = shared_data / "battles" / "llmfao.csv"
    answer = Study(path, **BATTLES, unit="prompt").topk(10)
    (row,) = [row for row in answer.rows() if row.item == "command"]
    assert row.standing == "contender"
    assert row.worst_rank == 15
    leaving = [row.item for row in answer.rows(10) if row.standing == "contender"]
    assert len(leaving) == 6
