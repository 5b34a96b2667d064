"""Mean ranks and mean win rates: gaps, ties, refusals, and what is proved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine_makers import relation
from oracles.refitting import all_rows
from steadyrank import MeanRank, MeanWinRate, ScoreMatrix, Study, read
from steadyrank.errors import (
    InvalidDataError,
    TooFewUnitsError,
    WrongDataError,
)

BOTH = pytest.mark.parametrize(
    "scorer", [MeanRank(), MeanWinRate()], ids=["rank", "rate"]
)
NAN = math.nan


def test_ties_share_the_middle_and_gaps_are_left_out() -> None:
    matrix = ScoreMatrix([[3, 3, 1], [5, NAN, 9], [NAN, 2, 1]], missing="available")
    assert MeanRank().score(matrix).tolist() == [-1.75, -1.25, -2.0]
    assert MeanWinRate().score(matrix).tolist() == [0.375, 0.875, 1 / 3]


def test_a_row_with_one_value_has_a_rank_and_no_win_rate() -> None:
    matrix = ScoreMatrix([[1, 2], [2, 1], [NAN, 7], [1, 2]], missing="available")
    assert MeanRank().score(matrix).tolist() == [-5 / 3, -1.25]
    assert MeanWinRate().score(matrix).tolist() == [1 / 3, 2 / 3]
    rows = all_rows(MeanWinRate().leave_one_out(matrix))
    assert rows[2].tolist() == [1 / 3, 2 / 3]  # it had no say


def test_an_item_alone_beats_nothing() -> None:
    single = ScoreMatrix([[1.0], [2.0]])
    assert MeanRank().score(single).tolist() == [-1.0]
    assert MeanRank().sensitivity(single).eps == 0.0
    assert MeanWinRate().remarks_on(single) == ["without data, and so last: 0"]


def test_thirds_tie_with_halves() -> None:
    """1/3 + 2/3 and 1/2 + 1/2: as sums of doubles, or of other parts, they would differ."""
    matrix = ScoreMatrix([[1, 2, 4, 3], [2, 3, 1, 4], [5, 5, 5, 5], [5, 5, 5, 5]])
    scores = MeanWinRate().score(matrix)
    assert scores[0] == pytest.approx(1 / 3)
    assert scores[1] == 0.5 == MeanWinRate().score(ScoreMatrix([[1, 1, 1, 1]]))[0]
    assert all_rows(MeanWinRate().leave_one_out(matrix))[2][1] == 0.5


def test_rows_of_many_sizes_have_parts_that_do_not_fit() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=(60, 60))
    for row in range(60):
        values[row, rng.permutation(60)[: row // 2]] = NAN
    matrix = ScoreMatrix(values, missing="available")
    present = np.isfinite(values).sum(axis=1)
    assert math.lcm(*(present - 1).tolist()) > 2**53
    rates = [
        [
            np.nan if np.isnan(x) else np.mean(row[np.isfinite(row) & (row != x)] < x)
            for x in row
        ]
        for row in values
    ]
    np.testing.assert_allclose(
        MeanWinRate().score(matrix), np.nanmean(rates, axis=0), rtol=1e-14
    )
    ranks = 1 + np.array(
        [[np.nan if np.isnan(x) else (row > x).sum() for x in row] for row in values]
    )
    np.testing.assert_array_equal(
        MeanRank().score(matrix),
        -np.nansum(ranks, axis=0) / np.isfinite(values).sum(axis=0),
    )


@BOTH
def test_only_the_order_within_rows_counts(scorer) -> None:
    values = np.random.default_rng(1).normal(size=(9, 4))
    wild = (
        np.exp(values * 3) * np.array([1e-9, 1, 1e9, 7, 3, 1e5, 2, 1, 1])[:, np.newaxis]
    )
    same = scorer.score(ScoreMatrix(values)), scorer.score(ScoreMatrix(wild))
    np.testing.assert_array_equal(*same)


def test_with_complete_rows_the_two_rank_alike() -> None:
    values = np.random.default_rng(2).integers(0, 5, size=(20, 6))
    ranks, rates = (
        Study(ScoreMatrix(values), scorer) for scorer in ("mean-rank", "mean-win-rate")
    )
    by_rank, by_rate = (
        np.argsort(-study.scores, kind="stable") for study in (ranks, rates)
    )
    assert by_rank.tolist() == by_rate.tolist()
    np.testing.assert_allclose(rates.scores, (6 + ranks.scores) / 5)


@BOTH
def test_opposite_rows_reach_the_bound(scorer) -> None:
    rows = np.array([[1, 2, 3, 4], *[[4, 3, 2, 1]] * 5])
    study = Study(ScoreMatrix(rows), scorer)
    assert study.facts.shifts.max() == pytest.approx(
        scorer.sensitivity(study.data).eps, rel=1e-12
    )


def test_what_is_proved_says_of_which_rows() -> None:
    rows = [[1, 2, 3], [3, 2, 1], [1, 2, 3], [2, 1, 3]]
    told = MeanWinRate().sensitivity(ScoreMatrix(rows)).sentence
    assert (
        told
        == "Removing one of 4 row units moves the win rates by at most 0.353553, for any scores."
    )
    rows[0][0] = NAN
    gaps = MeanRank().sensitivity(ScoreMatrix(rows, missing="available"))
    assert "mean ranks" in gaps.sentence
    assert gaps.sentence.endswith("for any scores where there is one now.")
    answer = Study(ScoreMatrix(rows[1:]), "mean-rank").topk(1, proved=True)
    assert answer.certificate.status == "proved"


@BOTH
def test_outputs_lie_in_the_ball(scorer) -> None:
    for seed in range(20):
        values = np.random.default_rng(seed).integers(0, 3, size=(3, 4)).astype(float)
        matrix = ScoreMatrix(values)
        centre = np.mean(scorer.ends(matrix))
        radius = scorer.output_radius_squared(matrix)
        assert ((scorer.score(matrix) - centre) ** 2).sum() <= radius * (1 + 1e-12)


@BOTH
def test_refusals(scorer) -> None:
    from steadyrank import Votes

    with pytest.raises(
        WrongDataError, match="needs scores or ratings, but was given votes"
    ):
        scorer.score(Votes(["a", "b"]))
    with pytest.raises(TooFewUnitsError):
        scorer.leave_one_out(ScoreMatrix([[1, 2]]))


@pytest.mark.parametrize(
    "name", ["mean-rank", "mean-win-rate", "median", "trimmed-mean"]
)
def test_scores_in_an_engine_are_refused(name: str) -> None:
    pytest.importorskip("duckdb")
    frame = relation(
        {"task": [1, 1, 2, 2], "model": ["x", "y"] * 2, "score": [1.0, 2, 3, 1]}
    )
    with read(frame, item="model", score="score", unit="task") as data:
        study = Study(data, name)
        with pytest.raises(
            InvalidDataError, match=r"stay in an engine.* without an engine"
        ):
            _ = study.scores


def test_three_that_tie_for_the_last_place_beat_each_other_by_halves() -> None:
    """HELM's win rates treat ties alike: a quarter each among five."""
    values = [[1, 1, 1, 2, 3], [1, 1, 1, 2, 3]]
    assert MeanWinRate().score(ScoreMatrix(values)).tolist() == [
        0.25,
        0.25,
        0.25,
        0.75,
        1.0,
    ]
