"""Real files, where they lie beside the checkout: the published numbers come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank.data import Battles, Ratings, ScoreMatrix, read_any
from steadyrank.errors import MissingValuesError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "kind", "units", "items"),
    [
        ("battles/arena_pairs.csv", "Battles", 1_670_250, 129),
        ("battles/llmfao.csv", "Battles", 8_931, 59),
        ("ballots/00001-00000001.soi", "Ballots", 43_942, 12),
        ("ballots/00001-00000002.soi", "Ballots", 29_988, 9),
        ("ballots/00001-00000003.soi", "Ballots", 64_081, 14),
        ("ballots/00002-00000001.toc", "Ballots", 475, 4),
        ("ballots/00002-00000005.toc", "Ballots", 482, 9),
        ("ratings/jester5k.csv.gz", "Ratings", 5_000, 100),
    ],
)
def test_sizes(shared_data: Path, name: str, kind: str, units: int, items: int) -> None:
    data = read_any(shared_data / name)
    assert (type(data).__name__, data.n_units, data.n_items) == (kind, units, items)


def test_jester(shared_data: Path) -> None:
    ratings: Any = read_any(shared_data / "ratings" / "jester5k.csv.gz")
    assert isinstance(ratings, Ratings)
    assert len(ratings.values) == 363_209
    assert (ratings.values.min(), ratings.values.max()) == (-9.95, 9.9)


def test_workers_as_units(shared_data: Path) -> None:
    battles = Battles.read(shared_data / "battles" / "llmfao.csv", unit="worker")
    assert battles.units.kind == "worker"
    pairs = battles.unit_pairs
    assert pairs.wins.sum() + pairs.ties.sum() == 8_931
    assert round(100 * pairs.ties.sum() / 8_931) == 39


@pytest.mark.parametrize(
    ("name", "rows"), [("cls_bin_mean.csv", 120), ("cls_multi_mean.csv", 80)]
)
def test_scores(shared_data: Path, name: str, rows: int) -> None:
    path = shared_data / "scores" / name
    with pytest.raises(MissingValuesError, match="values are missing"):
        ScoreMatrix.read(path)
    matrix = ScoreMatrix.read(path, missing="available")
    assert matrix.values.shape == (rows, 31)
    dropped = ScoreMatrix.read(path, missing="drop")
    assert dropped.n_units == rows - int(np.isnan(matrix.values).any(axis=1).sum())
