"""Audits of random removals: drawn uniformly, judged as the exact audit does, limits that hold."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from adversary.test_margins import ballots, battles, gaps, made, matrix, medians, votes
from oracles.enumeration import projected_rankings
from steadyrank import (
    Bagged,
    Plurality,
    RandomAudit,
    Ratings,
    Refit,
    ScoreMatrix,
    SteadyrankError,
    Study,
    Votes,
    audit,
    inflated_topk_mask,
)
from steadyrank.report.export import to_csv, to_json
from steadyrank.report.text import plain_text
from steadyrank.study import Facts
from steadyrank.study.resampling import RandomRemovals, clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Make = Callable[[np.random.Generator], Study]

MAKERS = [votes, ballots, matrix, gaps, battles]
EPS = 0.3137
"""An eps that no distance between small fractions is equal to, so that projections decide alike."""


@cache
def all_rankings(scores: tuple[float, ...]) -> frozenset[tuple[int, ...]]:
    return frozenset(projected_rankings(scores, EPS))


def broken(before: np.ndarray, after: np.ndarray, k: int) -> dict[str, bool]:
    """Tell from the definitions which answers two score vectors have too little in common of."""
    orders = [
        sorted(range(len(part)), key=lambda item: (-part[item], item))
        for part in (before, after)
    ]
    masks = [inflated_topk_mask(part, k, EPS) for part in (before, after)]
    rankings = [all_rankings(tuple(part.tolist())) for part in (before, after)]
    return {
        "topk": len(set(orders[0][:k]) & set(orders[1][:k])) < k,
        "inflated_topk": (masks[0] & masks[1]).sum() < k,
        "ranking": orders[0] != orders[1],
        "inflated_ranking": not rankings[0] & rankings[1],
    }


def after(study: Study, leaving: list[int]) -> np.ndarray | None:
    try:
        return study.scorer.score(study.data.without(leaving))
    except SteadyrankError:
        return None


def tail(hits: int, trials: int, share: float) -> float:
    """The chance of so many hits or more."""
    return sum(
        math.comb(trials, number) * share**number * (1 - share) ** (trials - number)
        for number in range(hits, trials + 1)
    )


@pytest.mark.parametrize("make", MAKERS)
def test_each_removal_is_judged_by_the_definitions(make: Make, cases: Cases) -> None:
    for rng in cases(4):
        study = made(make, rng)
        if study is None:
            continue
        k, size = int(rng.integers(1, len(study.items) + 1)), int(rng.integers(2, 4))
        size, seed = min(size, study.units.total - 1), int(rng.integers(100))
        drawn = RandomRemovals(study.data, size, 15, seed)
        units = [
            np.repeat(np.arange(len(study.units)), drawn.leaving(which))
            for which in range(15)
        ]
        scores = [after(study, leaving.tolist()) for leaving in units]
        if size < 2 or all(one is None for one in scores):
            continue
        found = study.audit(k, eps=EPS, removals=size, samples=15, seed=seed)
        judged = [broken(study.scores, one, k) for one in scores if one is not None]
        assert found.unscored == sum(one is None for one in scores)
        assert ("without scores" in found.sentence) == bool(found.unscored)
        for row in found:
            hits = sum(one[row.method] for one in judged)
            assert row.delta == hits / 15
            assert (row.lower, row.upper) == (
                clopper_pearson(hits, 15, 0.95)[0],
                clopper_pearson(hits + found.unscored, 15, 0.95)[1],
            )


@pytest.mark.parametrize("make", [votes, ballots, matrix, gaps])
def test_the_share_among_all_subsets_is_what_is_sampled(
    make: Make, cases: Cases
) -> None:
    within = rows = 0
    for rng in cases(3):
        study = made(make, rng)
        if study is None:
            continue
        k, size, samples = 1, 2, 150
        units = np.repeat(np.arange(len(study.units)), study.units.counts).tolist()
        known: dict[tuple[int, ...], dict[str, bool] | None] = {}
        every: list[dict[str, bool] | None] = []
        for leaving in combinations(units, size):
            if leaving not in known:
                scores = after(study, list(leaving))
                known[leaving] = (
                    None if scores is None else broken(study.scores, scores, k)
                )
            every.append(known[leaving])
        if None in every:
            continue
        found = study.audit(
            k, eps=EPS, removals=size, samples=samples, seed=int(rng.integers(1000))
        )
        for row in found:
            share = sum(one[row.method] for one in every if one) / len(every)
            hits = round(row.delta * samples)
            # The limits miss the truth once in twenty at most; so far off it is never.
            assert tail(hits, samples, share) > 1e-9
            assert 1 - tail(hits + 1, samples, share) > 1e-9
            within += row.lower <= share <= row.upper
            rows += 1
    assert within >= 0.8 * rows


@pytest.mark.parametrize(
    ("counts", "size"), [([3, 1, 2], 3), ([1, 1, 1, 1, 1], 2), ([4, 1], 1)]
)
def test_every_subset_is_as_likely_as_any_other(counts: list[int], size: int) -> None:
    data = Votes(np.repeat(np.arange(len(counts)), counts))
    drawn, number = RandomRemovals(data, size, 4000, 7), 4000
    units = np.repeat(np.arange(len(counts)), counts).tolist()
    subsets = Counter(
        tuple(np.bincount(part, minlength=len(counts)).tolist())
        for part in combinations(units, size)
    )
    found = Counter(tuple(drawn.leaving(which).tolist()) for which in range(number))
    assert set(found) <= set(subsets)
    total = sum(subsets.values())
    for leaving, often in subsets.items():
        share = often / total
        deviation = math.sqrt(number * share * (1 - share))
        assert abs(found[leaving] - number * share) < 6 * deviation + 1e-9


@pytest.mark.parametrize("scorer", [Refit(medians), Bagged(Refit(medians), bags=3)])
def test_the_seed_decides_and_not_the_number_of_workers(scorer: Refit | Bagged) -> None:
    joblib = pytest.importorskip("joblib")
    data = ScoreMatrix(np.random.default_rng(1).integers(0, 5, (9, 4)).astype(float))

    def table(seed: int = 3) -> list[tuple[object, ...]]:
        found = audit(
            data, 2, eps=0.3, scorer=scorer, removals=3, samples=30, seed=seed
        )
        return [
            (row.method, row.delta, row.lower, row.upper, row.jaccard, row.size)
            for row in found
        ]

    alone = table()
    with joblib.parallel_config("threading", n_jobs=2):
        assert table() == alone
    assert table() == alone
    assert table(4) != alone


def test_removals_come_from_processes_the_same() -> None:
    joblib = pytest.importorskip("joblib")
    data = ScoreMatrix(np.random.default_rng(1).integers(0, 5, (9, 4)).astype(float))
    scorer = Refit(lambda data: np.median(data.values, axis=0))
    drawn = RandomRemovals(data, 3, 20, 0)
    alone = drawn.facts(Facts(data, scorer))[0].leave_one_out
    with joblib.parallel_config("loky", n_jobs=2):
        several = drawn.facts(Facts(data, scorer))[0].leave_one_out
    everybody = slice(0, 20)
    assert (alone.rows(everybody) == several.rows(everybody)).all()
    for which in range(20):
        leaving = np.repeat(np.arange(9), drawn.leaving(which)).tolist()
        assert (
            alone.rows(everybody)[which] == scorer.score(data.without(leaving))
        ).all()


@pytest.mark.parametrize("trials", [1, 7, 40])
def test_limits_are_where_the_binomial_tails_are_a_fortieth(trials: int) -> None:
    for hits in range(trials + 1):
        lower, upper = clopper_pearson(hits, trials, 0.95)
        if hits:
            assert tail(hits, trials, lower) == pytest.approx(0.025, rel=1e-8)
        else:
            assert lower == 0
        if hits < trials:
            assert 1 - tail(hits + 1, trials, upper) == pytest.approx(0.025, rel=1e-8)
        else:
            assert upper == 1


def test_removals_without_scores_are_counted_and_said() -> None:
    values = np.random.default_rng(0).integers(0, 9, (8, 3)).astype(float)
    values[2:, 2] = (
        np.nan
    )  # item 2 has two values, so that some removals of three leave none
    study = Study(ScoreMatrix(values, missing="available"))
    found = study.audit(1, eps=0.5, removals=3, samples=200)
    drawn = RandomRemovals(study.data, 3, 200, 0)
    empty = sum(drawn.leaving(which)[:2].sum() == 2 for which in range(200))
    assert found.unscored == empty > 0
    assert found.sentence.startswith(
        f"Observed on 200 random removals of 3 of the 8 rows (seed 0). {empty} of them left data "
        "without scores; the first: UndefinedScoresError: these items have no data, so no score: 2."
    )
    leaving = [
        np.repeat(np.arange(8), drawn.leaving(which)).tolist() for which in range(200)
    ]
    scores = [
        one for one in (after(study, units) for units in leaving) if one is not None
    ]
    hits = sum(broken(study.scores, one, 1)["topk"] for one in scores)
    row = found.row("topk", 1)
    assert row.delta == hits / 200 > 0
    assert row.lower == clopper_pearson(hits, 200, 0.95)[0]
    assert row.upper == clopper_pearson(hits + empty, 200, 0.95)[1]
    assert len(found.units) == 200 - empty


def refusing(data: ScoreMatrix) -> np.ndarray:
    if len(data.values) < 6:
        raise ValueError("too few rows")
    return medians(data)


def test_a_model_that_always_refuses_is_an_error_with_its_reason() -> None:
    data = ScoreMatrix(np.arange(21.0).reshape(7, 3))
    with pytest.raises(
        SteadyrankError, match=r"none of 5 random removals .* ValueError: too few rows"
    ):
        audit(data, 1, eps=0.5, scorer=Refit(refusing), removals=2, samples=5)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"removals": 0},
            "removals must be a whole number from 1 to 4 (one unit must stay), but is 0",
        ),
        (
            {"removals": 5},
            "removals must be a whole number from 1 to 4 (one unit must stay), but is 5",
        ),
        ({"removals": True}, "removals must be a whole number"),
        ({"removals": 1.5}, "removals must be a whole number"),
        ({"samples": 9}, "samples are for several removals at once"),
        (
            {"removals": 2, "samples": 0},
            "samples must be a whole number from 1 on, but is 0",
        ),
        (
            {"removals": 2, "seed": -1},
            "seed must be a whole number from 0 on, but is -1",
        ),
    ],
)
def test_drawings_that_are_none_are_refused(
    asked: dict[str, object], words: str
) -> None:
    with pytest.raises(SteadyrankError) as error:
        audit(Votes(["a"] * 3 + ["b"] * 2), 1, **asked)
    assert str(error.value).startswith(words)


def test_one_removal_stays_the_exact_audit() -> None:
    study = Study(Votes(["a"] * 3 + ["b"] * 2))
    exact = study.audit(1, removals=1)
    assert not isinstance(exact, RandomAudit)
    assert [(row.lower, row.upper) for row in exact] == [(None, None)] * 3


def test_every_view_says_observed_and_shows_what_was_counted() -> None:
    study = Study(Votes(["a"] * 6 + ["b"] * 5 + ["c"] * 3))
    found = study.audit([1, 2], removals=3, samples=80, seed=5)
    document = found.findings()
    assert isinstance(found, RandomAudit)
    assert json.loads(to_json(document)) == document
    assert (document["document"], document["samples"], document["seed"]) == (
        "random-audit",
        80,
        5,
    )
    assert "proved" not in plain_text(document)
    assert found.sentence in plain_text(document).replace("\n", " ")
    assert (
        found.sentence
        == "Observed on 80 random removals of 3 of the 14 votes (seed 5)."
    )
    for row in found:
        lower, upper = (
            float(part) for part in limits_of(plain_text(document), row.method, row.k)
        )
        assert lower <= row.lower <= row.delta <= row.upper <= upper
        assert (row.lower - lower, upper - row.upper) < (1e-4, 1e-4)
    assert (
        to_csv(document)
        .splitlines()[0]
        .startswith("method,k,delta,lower,upper,jaccard")
    )
    flips = found.flips(1)
    changing = round(found.row("topk", 1).delta * 80)
    assert str(flips).startswith(f"{changing} of the 80 random sets change")
    for flip in flips.plain:
        assert (flip.leaves, flip.enters) == (("a",), ("b",))
    assert found.curve(1).delta(1e-9) == found.row("topk", 1).delta
    assert "RandomAudit" in repr(found)
    assert "random removals" in found._repr_html_()


def limits_of(text: str, method: str, k: int | None) -> tuple[str, str]:
    names = {"topk": "plain top-k", "inflated_topk": "inflated top-k", "all": "all"}
    names |= {"ranking": "plain ranking", "inflated_ranking": "inflated ranking"}
    start = rf"{names[method]} +{'' if k is None else k}"
    (line,) = [line for line in text.splitlines() if re.match(rf"{start} +\d", line)]
    return re.search(r"([\d.]+) to ([\d.]+)", line).groups()


def test_closed_forms_need_no_joblib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    data = Votes(["a"] * 6 + ["b"] * 5 + ["c"] * 3)
    assert len(audit(data, 1, eps=0.1, removals=2, samples=9)) == 4
    with pytest.raises(SteadyrankError, match="joblib"):
        audit(data, 1, eps=0.1, scorer=Refit(Plurality().score), removals=2, samples=9)


def test_users_leave_with_all_their_ratings() -> None:
    users, items = np.nonzero(np.ones((6, 3)))
    data = Ratings(users, items, np.tile([5, 3, 1], 6))
    found = audit(data, 1, eps=0.1, removals=4, samples=20)
    assert [row.delta for row in found] == [0.0] * 4
