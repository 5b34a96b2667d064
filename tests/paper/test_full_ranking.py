"""Table 2, every delta digit for digit, and the arithmetic behind it against slower ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

import authors_way
from paper import dimensions, full_ranking, published_tables
from paper.dimensions import dimension_study
from paper.document import OTHER_SEED
from paper.full_ranking import RegressionExperiment, regression_experiment
from paper.regression import regression_trials
from paper.regression_folds import (
    changed_rankings,
    estimated_log10_rankings,
    number_of_rankings,
    separated_rankings,
    share_a_ranking,
    trial_scores,
)
from steadyrank import Regression, Study
from steadyrank.errors import InvalidValueError
from steadyrank.operators import RankingSet, certainly_above
from steadyrank.scorers import ConstrainedLeastSquares

if TYPE_CHECKING:
    from collections.abc import Callable

    Table2 = Callable[..., RegressionExperiment]

BETAS = ["script", "text"]
METHODS = {"ranking": "ranking", "inflated ranking": "inflated_ranking"}
SIZES = {
    ("script", "inflated ranking"): (1.766, 0.038),
    ("text", "inflated ranking"): (1.845, 0.036),
}
"""What the authors' script and an independent solver give, to three decimals; plain rankings are one."""

GRID = st.integers(0, 8).map(lambda place: place / 8)
EPS = st.sampled_from([0.11, 0.2, 0.37, 0.8])


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("method", METHODS)
def test_every_printed_delta_of_table_2_and_the_sizes_of_the_script(
    table_2: Table2, beta: str, method: str
) -> None:
    printed = published_tables.FULL_RANKING[beta][method]
    found = table_2(beta=beta).methods[method]
    assert found.trials == 1000
    assert round(found.max_delta, 2) == printed.max_delta
    assert round(found.mean_delta, 4) == printed.mean_delta
    assert round(found.se_delta, 4) == printed.se_delta
    size, error = SIZES.get((beta, method), (1.0, 0.0))
    assert (round(found.size, 3), round(found.se_size, 3)) == (size, error)
    assert abs(size - printed.size) < 0.01  # the paper cuts where it should round


def test_another_seed_stays_within_its_standard_error(table_2: Table2) -> None:
    result = table_2(seed=OTHER_SEED)
    for method, printed in published_tables.FULL_RANKING["paper"].items():
        found = result.methods[method]
        assert abs(found.mean_delta - printed.mean_delta) < 3 * np.hypot(
            found.se_delta, printed.se_delta
        )
        assert found.mean_delta != printed.mean_delta
    size, printed_size = result.methods["inflated ranking"], 1.766
    assert abs(size.size - printed_size) < 3 * np.hypot(size.se_size, 0.038)


@pytest.mark.parametrize(("features", "eps"), [(5, 0.05), (5, 0.3), (8, 0.1)])
def test_each_trial_is_what_the_audit_says(features: int, eps: float) -> None:
    trials = 12
    result = regression_experiment(trials=trials, features=features, eps=eps)
    data = regression_trials(trials=trials, features=features)
    sizes = []
    for trial in range(trials):
        audited = Study(
            Regression(data.X[trial], data.y[trial]),
            ConstrainedLeastSquares(radius=1.0),
        ).audit(k=1, eps=eps, methods=list(METHODS.values()))
        for ours, theirs in METHODS.items():
            assert result.methods[ours].deltas[trial] == audited.row(theirs).delta
        sizes.append(audited.row("inflated_ranking").size)
    assert result.methods["inflated ranking"].size == np.mean(sizes)


def test_each_trial_is_what_enumeration_says() -> None:
    trials = 8
    result = regression_experiment(trials=trials, beta="text")
    data = regression_trials(trials=trials, beta="text")
    theirs = [
        authors_way.audit_regression(X, y, eps=0.05)
        for X, y in zip(data.X, data.y, strict=True)
    ]
    for method, summary in result.methods.items():
        assert summary.deltas.tolist() == [found[method].delta for found in theirs]
        assert summary.size == np.mean([found[method].size for found in theirs])


@pytest.mark.parametrize(("rows", "features"), [(12, 4), (12, 12), (12, 30)])
def test_scores_are_those_of_the_scorer(rows: int, features: int) -> None:
    data = regression_trials(trials=3, rows=rows, features=features, seed=5)
    scores = trial_scores(data, radius=1.0)
    for trial in range(3):
        loo = ConstrainedLeastSquares(radius=1.0).leave_one_out(
            Regression(data.X[trial], data.y[trial])
        )
        assert scores.full[trial] == pytest.approx(loo.scores, abs=1e-9)
        left_out = np.concatenate([block.dense(loo.scores) for block in loo.blocks()])
        assert scores.left_out[trial] == pytest.approx(left_out, abs=1e-9)


@given(
    st.integers(2, 5).flatmap(
        lambda items: st.tuples(
            *[st.lists(GRID | st.floats(0, 1), min_size=items, max_size=items)] * 2
        )
    ),
    EPS,
)
def test_common_rankings_are_found(
    pair: tuple[list[float], list[float]], eps: float
) -> None:
    first, second = (np.array(scores) for scores in pair)
    expected = RankingSet(first, eps).intersects(RankingSet(second, eps))
    assert share_a_ranking(first[np.newaxis], second[np.newaxis], eps).tolist() == [
        expected
    ]
    listed = {tuple(ranking) for ranking in RankingSet(first, eps)}
    assert expected == any(
        tuple(ranking) in listed for ranking in RankingSet(second, eps)
    )


@given(st.lists(GRID | st.floats(0, 1), min_size=1, max_size=6), EPS)
def test_rankings_are_counted_tier_by_tier(values: list[float], eps: float) -> None:
    scores = np.array(values)
    assert number_of_rankings(scores, eps) == len(list(RankingSet(scores, eps)))


def test_a_batch_of_pairs_is_decided_pair_by_pair() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 12, (300, 7)) / 12
    second = np.clip(first + rng.normal(0, 0.15, first.shape), 0, 1)
    together = share_a_ranking(first, second, 0.15)
    alone = [
        RankingSet(a, 0.15).intersects(RankingSet(b, 0.15))
        for a, b in zip(first, second, strict=True)
    ]
    assert together.tolist() == alone
    assert 20 < together.sum() < 280


def test_nothing_to_compare() -> None:
    assert share_a_ranking(np.empty((0, 4)), np.empty((0, 4)), 0.1).shape == (0,)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_estimate_is_close_to_the_count(seed: int) -> None:
    scores = np.random.default_rng(seed).random(15)
    counted = number_of_rankings(scores, 0.2)
    assert counted is not None
    assert counted > 1000
    estimate = estimated_log10_rankings(scores, 0.2, paths=4000, seed=seed)
    assert estimate == pytest.approx(np.log10(counted), abs=0.03)


def test_a_count_out_of_reach_is_said_to_be() -> None:
    crowded = np.linspace(0.0, 0.1, 60)
    assert number_of_rankings(crowded, 0.5, max_states=1000) is None
    with pytest.raises(
        InvalidValueError,
        match="trial 0 has too many inflated rankings to count for 100",
    ):
        regression_experiment(trials=1, features=100, max_states=1000)


def test_the_study_is_the_experiment_where_both_can_be_done() -> None:
    study = dimension_study(features=[5], trials=30)
    experiment = regression_experiment(trials=30)
    row = study.rows[0]
    assert row.plain_delta == experiment.methods["ranking"].mean_delta
    assert row.inflated_delta == experiment.methods["inflated ranking"].mean_delta
    assert row.inflated_se == experiment.methods["inflated ranking"].se_delta


def test_rows_of_the_study_against_listing() -> None:
    trials, eps = 6, 0.2
    (row,) = dimension_study(features=[6], trials=trials, eps=eps).rows
    scores = trial_scores(regression_trials(trials=trials, features=6), radius=1.0)
    widths, pairs, logs = [], [], []
    for full in scores.full:
        ranks = np.argsort(np.array(list(RankingSet(full, eps))), axis=1)
        widths.append(np.mean(ranks.max(axis=0) - ranks.min(axis=0) + 1))
        pairs.append(certainly_above(full, eps).sum() / 15)
        logs.append(np.log10(len(ranks)))
    assert row.interval_width == pytest.approx(np.mean(widths))
    assert row.certain_pairs == pytest.approx(np.mean(pairs))
    assert row.log10_rankings == pytest.approx(np.mean(logs))
    assert row.log10_all == pytest.approx(np.log10(720))
    moved = np.linalg.norm(scores.left_out - scores.full[:, np.newaxis], axis=2)
    assert row.reaching_eps == pytest.approx(np.mean(moved >= eps))
    assert row.inflated_delta <= row.reaching_eps


def test_many_features_are_compared_without_counting() -> None:
    (row,) = dimension_study(features=[100], trials=1, max_states=1000).rows
    assert row.log10_rankings is None
    assert 60 < row.log10_estimate < row.log10_all
    data = regression_trials(trials=1, features=100)
    scores = trial_scores(data, radius=1.0)
    separated = separated_rankings(scores, changed_rankings(scores), 0.05)[0]
    full = RankingSet(scores.full[0], 0.05)
    expected = [
        not full.intersects(RankingSet(row, 0.05)) for row in scores.left_out[0]
    ]
    assert separated.tolist() == expected
    assert 0 < sum(expected) < 50
    assert row.inflated_delta == np.mean(expected)


def test_progress_adds_up() -> None:
    done: list[int] = []
    regression_experiment(trials=120, progress=done.append)
    assert sum(done) == 120
    assert len(done) > 1
    done.clear()
    dimension_study(features=[5, 6], trials=7, progress=done.append)
    assert sum(done) == 14


def test_results_become_plain_numbers() -> None:
    import json

    result = json.loads(json.dumps(regression_experiment(trials=4).to_dict()))
    assert result["beta"] == "script"
    assert len(result["methods"]["ranking"]["deltas"]) == 4
    study = json.loads(json.dumps(dimension_study(features=[5], trials=4).to_dict()))
    assert study["rows"][0]["features"] == 5
    assert study["eps"] == 0.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: full_ranking.regression_experiment(trials=0),
            "trials must be .* but is 0",
        ),
        (lambda: full_ranking.regression_experiment(beta="none"), "but is 'none'"),
        (lambda: full_ranking.regression_experiment(eps=-1), "eps must be"),
        (
            lambda: dimensions.dimension_study(trials=2.5),
            "trials must be .* but is 2.5",
        ),
    ],
)
def test_wrong_requests_are_named(call, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        call()
