"""Confidence: every fast routine against loops over pairs and draws, with ties and zero variances."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import norm, t as student_t

from adversary.test_margins import ballots, battles, matrix, medians, votes
from steadyrank import (
    Battles,
    Refit,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
)
from steadyrank.data.observations import shares_of
from steadyrank.demo import demo_file
from steadyrank.report.export import to_csv, to_json
from steadyrank.report.text import plain_text
from steadyrank.scorers.sums import scores_of_copies
from steadyrank.study.confidence import bootstrap_scores
from steadyrank.study.rank_sets import Noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def quantile_of(values: list[float], level: float) -> float:
    """Return the smallest value that at most a share 1 - level of the values and one more exceed."""
    for value in sorted(values):
        if sum(other <= value for other in values) >= level * (len(values) + 1) - 1e-9:
            return value
    return max(values)


def least_limit(level: float, questions: int, units: int) -> float:
    """Return what a difference must exceed at least if so many units were drawn."""
    return math.sqrt(units / (units - 1)) * float(
        student_t.isf((1 - level) / questions, units - 1)
    )


def agreed(
    scores: np.ndarray,
    noise: np.ndarray,
    above: int,
    below: int,
    questions: int,
    level: float,
) -> bool:
    """Tell whether all draws put one above the other, but for a share of the probability left."""
    gap = scores[above] - scores[below]
    return sum(draw[above] - draw[below] <= -gap for draw in noise) <= (
        1 - level
    ) / questions * len(noise)


def decided(
    scores: np.ndarray,
    covariance: np.ndarray,
    noise: np.ndarray,
    level: float,
    pairs: list,
    units: int,
) -> set[tuple[int, int]]:
    """Return the pairs (above, below) that are decided, by loops over pairs and draws."""
    error, found = {}, set()
    for i, j in pairs:
        variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
        small = variance <= 1e-12 * (covariance[i, i] + covariance[j, j])
        error[i, j] = 0.0 if small else math.sqrt(variance)
    left = [pair for pair in pairs if error[pair]]
    while left:
        largest = [
            max(abs(draw[i] - draw[j]) / error[i, j] for i, j in left) for draw in noise
        ]
        questions = 2 * (len(pairs) - len(found))
        limit = max(quantile_of(largest, level), least_limit(level, questions, units))
        over = [
            (i, j) for i, j in left if abs(scores[i] - scores[j]) > limit * error[i, j]
        ]
        ordered = [
            ((i, j), (i, j) if scores[i] > scores[j] else (j, i)) for i, j in over
        ]
        over = [
            pair
            for pair, way in ordered
            if agreed(scores, noise, *way, questions, level)
        ]
        if not over:
            break
        found |= {(i, j) if scores[i] > scores[j] else (j, i) for i, j in over}
        left = [pair for pair in left if pair not in over]
    return found


def above_one_sided(
    scores: np.ndarray,
    covariance: np.ndarray,
    noise: np.ndarray,
    level: float,
    units: int,
) -> set[tuple[int, int]]:
    """Return the ordered pairs (above, below) decided one-sided, each of them a question of its own."""
    size = len(scores)
    left = {(i, j) for i in range(size) for j in range(size) if i != j}
    error, found = {}, set()
    for i, j in left:
        both = covariance[i, i] + covariance[j, j]
        variance = both - 2 * covariance[i, j]
        error[i, j] = math.sqrt(variance) if variance > 1e-12 * both else 0.0
    left = {pair for pair in left if error[pair]}
    while left:
        largest = [
            max(0.0, *((draw[i] - draw[j]) / error[i, j] for i, j in left))
            for draw in noise
        ]
        questions = size * (size - 1) - len(found)
        limit = max(quantile_of(largest, level), least_limit(level, questions, units))
        over = {(i, j) for i, j in left if scores[i] - scores[j] > limit * error[i, j]}
        over = {way for way in over if agreed(scores, noise, *way, questions, level)}
        if not over:
            break
        found |= over
        left -= over
    return found


def estimates(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return scores, half of them on a grid, and a covariance with zeros and perfect correlations."""
    size = int(rng.integers(1, 7))
    scores = rng.normal(size=size) * 4
    if rng.random() < 0.5:
        scores = np.round(scores)
    root = (
        rng.integers(-1, 2, size=(size, size))
        if rng.random() < 0.5
        else rng.normal(size=(size, size))
    )
    return scores, (root @ root.T).astype(float)


def some_units(rng: np.random.Generator) -> int:
    """Return from how many units the noise was drawn."""
    return int(rng.choice([2, 3, 9, 50, 10**6]))


def drawn_noise(
    rng: np.random.Generator, covariance: np.ndarray, draws: int
) -> np.ndarray:
    """Draw (draws, items) from the normal distribution with a covariance that may be singular."""
    middle = np.zeros(len(covariance))
    return rng.multivariate_normal(middle, covariance, draws, check_valid="ignore")


def test_rank_sets_are_those_of_loops_over_pairs(cases: Cases) -> None:
    for rng in cases(60):
        scores, covariance = estimates(rng)
        size, level = len(scores), float(rng.choice([0.6, 0.8, 0.9]))
        noise = drawn_noise(rng, covariance, 40)
        units = some_units(rng)
        found = Noise(scores, covariance, noise.T.copy(), units)
        every = [(i, j) for i in range(size) for j in range(i + 1, size)]
        above = decided(scores, covariance, noise, level, every, units)
        best, worst = found.simultaneous(level)
        assert best.tolist() == [
            1 + sum(low == j for _, low in above) for j in range(size)
        ]
        assert worst.tolist() == [
            size - sum(high == j for high, _ in above) for j in range(size)
        ]
        best, worst = found.marginal(level)
        for item in range(size):
            own = [pair for pair in every if item in pair]
            above = decided(scores, covariance, noise, level, own, units)
            assert best[item] == 1 + sum(low == item for _, low in above)
            assert worst[item] == size - sum(high == item for high, _ in above)


def test_the_top_is_that_of_ordered_pairs_one_by_one(cases: Cases) -> None:
    wider = 0
    for rng in cases(60):
        scores, covariance = estimates(rng)
        size, level = len(scores), float(rng.choice([0.6, 0.8, 0.9]))
        noise = drawn_noise(rng, covariance, 40)
        if rng.random() < 0.5:
            noise = (
                noise**3 + rng.random()
            )  # as the draws of a bootstrap may be: skewed, and off centre
        units = some_units(rng)
        found = Noise(scores, covariance, noise.T.copy(), units)
        above = above_one_sided(scores, covariance, noise, level, units)
        best, worst = found.simultaneous(level, one_sided=True)
        assert best.tolist() == [
            1 + sum(low == j for _, low in above) for j in range(size)
        ]
        assert worst.tolist() == [
            size - sum(high == j for high, _ in above) for j in range(size)
        ]
        two_sided = found.simultaneous(level)
        assert (best <= two_sided[0]).all()
        assert (worst >= two_sided[1]).all()
        wider += bool((best < two_sided[0]).any())
    assert wider  # there is a difference to be found


def test_blocks_change_nothing(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    for rng in cases(10):
        scores, covariance = estimates(rng)
        noise = Noise(scores, covariance, drawn_noise(rng, covariance, 60).T.copy(), 50)
        whole = [ends.tolist() for ends in noise.simultaneous(0.8)]
        monkeypatch.setattr(
            "steadyrank.study.rank_sets.BLOCK_NUMBERS", int(rng.integers(1, 200))
        )
        assert [ends.tolist() for ends in noise.simultaneous(0.8)] == whole
        monkeypatch.undo()


def alike(data: Any) -> float:
    """Return how many equal units vary as much as these, from the weight of each one of them."""
    sizes, groups = [], Counter()
    rows = data.counts if hasattr(data, "counts") else data.units
    for row in range(len(rows if data.unit is None else data.unit)):
        weight = 1.0 if data.weights is None else float(data.weights[row])
        times = int(data.counts[row]) if hasattr(data, "counts") else 1
        if data.unit is None:
            sizes += [weight] * times
        else:
            groups[int(data.unit[row])] += weight * times
    sizes += groups.values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes)


def telling(data: Any) -> np.ndarray:
    """Return how many units tell the score of each item, by hand: at most as many as count alike."""
    kinds = {"battles": lambda row: {int(data.left[row]), int(data.right[row])}}
    kinds["scores"] = lambda row: set(
        np.flatnonzero(~np.isnan(data.values[row])).tolist()
    )
    if data.kind.name not in kinds:
        return np.full(data.n_items, alike(data))
    found = [Counter() for _ in data.items]
    times = (
        data.counts if hasattr(data, "counts") else np.ones(len(data.values), dtype=int)
    )
    for row in range(len(times)):
        for item in kinds[data.kind.name](row):
            one = row if data.unit is None else int(data.unit[row])
            found[item][one] = int(times[row]) if data.unit is None else 1
    return np.array(
        [min(alike(data), sum(each.values())) for each in found], dtype=float
    )


def test_unequal_units_count_as_fewer_equal_ones() -> None:
    unequal = Votes(["x"] * 30 + ["y"] * 50, weights=[20.0] * 4 + [0.5] * 76)
    grouped = Votes(["x"] * 50 + ["y"] * 50, units=[0] * 40 + list(range(1, 61)))
    for data, number in (
        (unequal, alike(unequal)),
        (grouped, 100**2 / (40**2 + 60)),
        (Votes(["x"] * 30 + ["y"] * 19), 49),
    ):
        found = Study(data).confidence(draws=200)
        assert shares_of(data).n_alike == pytest.approx(number)
        few = f"few {data.units.kind}s, which count as fewer than 50 equal ones: if rare, very"
        assert f" Some scores rest on {few}" in found.sentence
    assert (
        "few"
        not in Study(Votes(["x"] * 30 + ["y"] * 20)).confidence(draws=200).sentence
    )


@pytest.mark.parametrize("make", [votes, ballots, matrix, battles])
def test_bootstrap_draws_units_as_numpy_does(make: Callable, cases: Cases) -> None:
    """Each draw is scored on data in which every unit occurs as often as a multinomial draw says."""
    for rng in cases(3):
        study, seed = make(rng), int(rng.integers(50))
        data, counts, rows = study.data, study.units.counts, []
        if data.n_units < 2:
            continue
        for which in range(10):
            drawn = np.random.default_rng([seed, which]).multinomial(
                counts.sum(), counts / counts.sum()
            )
            with suppress(SteadyrankError):  # an item without data
                rows.append(study.scorer.score(data.with_copies(drawn)))
        if len(rows) < 9:
            with pytest.raises(
                SteadyrankError, match="of 10 resamples cannot be scored"
            ):
                study.confidence(0.8, draws=10, seed=seed)
            continue
        found = study.confidence(0.8, draws=10, seed=seed)
        assert any("resamples cannot be scored" in note for note in found.notes) == (
            len(rows) < 10
        )
        assert np.allclose(found.errors, np.std(rows, axis=0, ddof=1))
        number, error = telling(data), np.std(rows, axis=0, ddof=1)
        limits = [least_limit(0.8, 2, each) if each > 1 else np.nan for each in number]
        far = (
            np.array(limits) * error
        )  # 10 draws reach no tail that is less than a tenth
        far[error < 1e-12] = np.nan
        assert np.allclose(
            found.score_intervals,
            [study.scores - far, study.scores + far],
            equal_nan=True,
        )


def test_means_of_drawn_rows_by_hand(cases: Cases) -> None:
    for rng in cases(5):
        values = rng.integers(0, 3, size=(int(rng.integers(2, 9)), 3)).astype(float)
        found, number = (
            Study(ScoreMatrix(values)).confidence(0.6, draws=20, seed=4),
            len(values),
        )
        means = []
        for which in range(20):
            drawn = np.random.default_rng([4, which]).multinomial(
                number, np.full(number, 1 / number)
            )
            means.append(
                [
                    sum(drawn[r] * values[r][i] for r in range(number)) / number
                    for i in range(3)
                ]
            )
        assert np.allclose(found.errors, np.std(means, axis=0, ddof=1))


def test_the_number_of_workers_changes_nothing() -> None:
    joblib = pytest.importorskip("joblib")
    data = ScoreMatrix(np.random.default_rng(2).normal(size=(12, 4)))
    found = [Study(data, Refit(medians, n_jobs=1)).confidence(0.9, draws=30).findings()]
    with joblib.parallel_config(backend="threading", n_jobs=3):
        found.append(Study(data, Refit(medians)).confidence(0.9, draws=30).findings())
    assert to_json(found[0]["rows"]) == to_json(found[1]["rows"])


def test_more_draws_begin_with_the_same_ones() -> None:
    study = Study(Votes(["a"] * 5 + ["b"] * 4))
    few, more = (
        bootstrap_scores(study.data, study.scorer, number, 3)[0] for number in (5, 9)
    )
    assert np.array_equal(few, more[:5])


@pytest.mark.parametrize("scale", [1e-119, 1e-9, 1.0, 1e9, 1e118])
def test_the_scale_of_scores_changes_no_ranks(scale: float) -> None:
    values = np.random.default_rng(5).normal(size=(20, 5)) + np.arange(5)
    plain, scaled = (
        Study(ScoreMatrix(values * one)).confidence(0.9, draws=40)
        for one in (1.0, scale)
    )
    assert np.array_equal(plain.simultaneous, scaled.simultaneous)


def test_intervals_are_percentiles_further_out_for_fewer_units(cases: Cases) -> None:
    for rng in cases(3):
        number, draws = int(rng.integers(4, 40)), 60
        study = Study(ScoreMatrix(rng.normal(size=(number, 3))))
        drawn = bootstrap_scores(study.data, study.scorer, draws, 5)[0]
        tail = float(norm.sf(least_limit(0.7, 2, number)))
        assert tail < 0.15
        found = study.confidence(0.7, draws=draws, seed=5)
        for item in range(3):
            ordered = sorted(drawn[:, item])
            low = next(one for n, one in enumerate(ordered, 1) if n >= tail * draws)
            high = next(
                one
                for n, one in enumerate(ordered, 1)
                if n >= (1 - tail) * draws - 1e-9
            )
            assert found.score_intervals[:, item].tolist() == [low, high]


def test_differences_that_never_vary() -> None:
    """A difference that no unit changes is not known: other units may change it."""
    row = np.random.default_rng(1).normal(size=(9, 1))
    together = Study(ScoreMatrix(np.hstack([row, row + 1, row]))).confidence(draws=40)
    assert [ends.tolist() for ends in together.simultaneous] == [[1, 1, 1], [3, 3, 3]]
    assert "Where no draw changes the difference of two scores" in together.sentence
    assert together.top(1) == (1, 0, 2)


@pytest.mark.parametrize("number", [2, 3, 7, 200])
def test_units_that_all_agree_decide_nothing(number: int) -> None:
    """Nothing is known of units that were not seen."""
    values = np.tile([0.1, 0.3, 0.7, 1 / 3], (number, 1))
    alike = [
        ScoreMatrix(values),
        ScoreMatrix(values * 1e119),
        Votes([0] * number, items=range(4)),
    ]
    for data in alike:
        found = Study(data).confidence(draws=40)
        for best, worst in (found.simultaneous, found.marginal):
            assert (best.tolist(), worst.tolist()) == ([1] * 4, [4] * 4)
        assert len(found.top(1)) == 4
        assert np.isnan(found.score_intervals).all()
        rows = found.findings()["rows"]
        assert {(row["score_low"], row["score_high"]) for row in rows} == {(None, None)}
        assert (
            "Where no draw changes the difference of two scores, it is undecided"
            in found.sentence
        )
        assert ("rest on few" in found.sentence) == (number < 50)
        assert "unknown" in plain_text(found.findings())


def means_by_a_detour(data: ScoreMatrix) -> np.ndarray:
    """Return column means; those of the first columns with the last one added and taken away again."""
    last = data.values[:, -1:]
    return np.append(
        (data.values[:, :-1] + last).mean(axis=0) - last.mean(), last.mean()
    )


def test_sums_that_are_rounded_otherwise_do_not_vary(cases: Cases) -> None:
    rounded = 0
    for rng in cases(12):
        rows = np.tile(
            rng.uniform(0.1, 1, 4) * 10.0 ** rng.integers(-9, 9),
            (int(rng.integers(5, 60)), 1),
        )
        rows[:, 3] *= rng.random(len(rows))  # so that rows differ; the others never do
        found = Study(ScoreMatrix(rows), Refit(means_by_a_detour, n_jobs=1)).confidence(
            draws=40
        )
        rounded += bool(0 < found.errors[0] < 1e-12 * found.scores[0])
        assert np.isnan(found.score_intervals).all(axis=0).tolist() == [
            True,
            True,
            True,
            False,
        ]
        assert "Where no draw changes the difference of two scores" in found.sentence
        for best, worst in (found.simultaneous, found.marginal):
            assert (
                (worst - best)[:3] >= 2
            ).all()  # none of the three is told from the others
    assert rounded  # the sums of some draws differ in their last digits


def test_wider_levels_hold_narrower_ones(cases: Cases) -> None:
    for rng in cases(20):
        scores, covariance = estimates(rng)
        noise = Noise(scores, covariance, drawn_noise(rng, covariance, 99).T.copy(), 50)
        narrow, wide = noise.simultaneous(0.7), noise.simultaneous(0.95)
        assert (wide[0] <= narrow[0]).all()
        assert (wide[1] >= narrow[1]).all()
        own = noise.marginal(0.7)
        assert (narrow[0] <= own[0]).all()
        assert (narrow[1] >= own[1]).all()
        order = np.argsort(-scores, kind="stable")
        assert all(low <= place <= high for place, low, high in _placed(order, narrow))


def _placed(
    order: np.ndarray, ranks: tuple[np.ndarray, np.ndarray]
) -> Iterator[tuple[int, int, int]]:
    for place, item in enumerate(order, 1):
        yield place, int(ranks[0][item]), int(ranks[1][item])


def test_a_list_that_the_ranks_shown_would_shorten_says_so() -> None:
    with demo_file("restaurants.csv") as path:
        study = Study(path, item="restaurant", rating="stars", unit="reviewer")
        found = study.confidence(draws=999).asking(3)
    ranks = dict(zip(found.items, found.simultaneous[0].tolist(), strict=True))
    assert [item for item in found.top(3) if ranks[item] > 3] == ["Kettle Row"]
    assert "In the table, the ranks of 1 of these begin below 3" in found.top_sentence


def test_what_is_said_is_true(cases: Cases) -> None:
    """Sentences and tables, recomputed from the noise and the sets of ranks alone."""
    for rng in cases(6):
        data = votes(rng).data
        if data.n_units < 2:
            continue
        k = int(rng.integers(1, data.n_items + 1))
        found = Study(data).confidence(0.9, draws=30).asking(k)
        noise = found._noise
        above = above_one_sided(
            noise.scores, noise.covariance, noise.draws.T, 0.9, data.n_units
        )
        behind = [sum(low == item for _, low in above) for item in range(data.n_items)]
        may = [
            item for item, number in zip(data.items, behind, strict=True) if number < k
        ]
        document = found.findings()
        assert set(document["top"]) == set(may) == set(found.top(k))
        noun = "item" if len(may) == 1 else "items"
        best = "the best" if k == 1 else f"among the {k} best"
        assert (
            f"only {'this' if len(may) == 1 else 'these'} {len(may)} {noun} may truly be {best}:"
            in found.top_sentence
        )
        ranks = dict(zip(found.items, found.simultaneous[0], strict=True))
        below = sum(ranks[item] > k for item in may)
        assert (f"The ranks of {below} of these begin" in found.top_sentence) == (
            below > 0
        )
        text = plain_text(document)
        assert "ranks, 90% confidence" in text
        assert (
            to_csv(document)
            .splitlines()[0]
            .startswith("rank,item,score,error,score_low,score_high")
        )


def test_few_draws_far_out_tell_the_same_as_all(cases: Cases) -> None:
    """The quick way through many pairs, against every pair and draw."""
    for rng in cases(12):
        items, draws = int(rng.integers(2, 25)), int(rng.choice([60, 300]))
        mixed = (
            rng.normal(size=(items, items))
            if rng.random() < 0.4
            else np.eye(items) + rng.random()
        )
        noise = mixed @ rng.normal(size=(items, draws))
        noise = np.round(noise) if rng.random() < 0.3 else noise
        units = rng.integers(1, 400, size=items).astype(float)
        scores, silent = (
            rng.choice([0.5, 3.0, 10.0]) * rng.normal(size=items),
            int(rng.integers(3)),
        )
        ways = [
            Noise(scores, np.cov(noise), noise, units, silent, few_numbers=few)
            for few in (0, 10**12)
        ]
        for level in (0.9, 0.95):
            quick, slow = (
                [way.simultaneous(level), way.marginal(level)] for way in ways
            )
            assert np.array_equal(quick, slow)
            quick, slow = (way.simultaneous(level, one_sided=True) for way in ways)
            assert np.array_equal(quick, slow)


def test_sums_of_draws_are_scores_of_draws(cases: Cases) -> None:
    """Many draws at once, against data that hold the same copies."""
    for rng in cases(8):
        for make in (votes, ballots, matrix):
            study = make(rng)
            copies = rng.integers(0, 3, size=(6, len(study.units)))
            rows = scores_of_copies(study.scorer, study.data, copies)
            for row, held in zip([] if rows is None else rows, copies, strict=True):
                with suppress(SteadyrankError):
                    anew = study.scorer.score(study.data.with_copies(held))
                    assert np.allclose(row, anew, rtol=1e-15, atol=0)


def test_draws_without_an_answer_leave_more_open() -> None:
    """A bridge of few battles is missing from some draws: they count against everything."""
    wins = [("a", "b", 40), ("b", "a", 30), ("b", "c", 6), ("c", "b", 6), ("a", "c", 5)]
    pairs = [(one, other) for one, other, times in wins for _ in range(times)]
    left, right = zip(*pairs, strict=True)
    study = Study(Battles(left, right, ["left"] * len(pairs)))
    found = study.confidence(draws=1000)
    (note,) = [note for note in found.notes if "resamples cannot be scored" in note]
    silent = int(note.split()[0])
    assert 0 < silent < 50
    assert found._noise.silent == silent
    passed_over = replace(found._noise, silent=0)
    for one, other in zip(
        found.simultaneous, passed_over.simultaneous(0.95), strict=True
    ):
        assert (np.abs(one - 2) >= np.abs(other - 2)).all()
    with pytest.raises(SteadyrankError, match="too many to decide anything"):
        Study(
            Battles([*left, *"bbdd"], [*right, *"ddbb"], ["left"] * (len(left) + 4))
        ).confidence()
