"""The answer is proved (docs/research/proved.md): brute force over small data and every scorer."""

from __future__ import annotations

import re
from itertools import combinations, combinations_with_replacement, product
from zlib import crc32

import numpy as np
import pytest

from oracles.standing import Stands, plain
from scorers_of_kinds import scorers_for
from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    TotalPoints,
    Votes,
    topk,
)
from steadyrank.errors import SteadyrankError
from steadyrank.scorers import (
    Bagged,
    BradleyTerry,
    Mean,
    Plurality,
    Refit,
    Ridge,
    as_scorer,
)
from steadyrank.study.standings import TopKDeletions
from steadyrank.text import rounded_up


def hashed(data):
    """Return scores that jump with every unit: a hash of the data."""
    values = np.ascontiguousarray(getattr(data, "values", np.zeros(0))).tobytes()
    seen = repr(
        [values, *(sorted(map(str, data.units.labels))), data.units.counts.tolist()]
    )
    return np.array(
        [crc32(f"{seen} {item}".encode()) % 7 for item in data.items], dtype=float
    )


def all_votes():
    for n in range(2, 6):
        for choices in combinations_with_replacement("abc", n):
            yield Votes(list(choices), items=list("abc"))


def all_ballots():
    orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", ("b", "c")]]
    for n in (2, 3):
        for chosen in combinations_with_replacement(orders, n):
            yield Ballots(list(chosen), items=list("abc"))


def all_matrices():
    for rows in combinations_with_replacement(
        list(product((0.0, 1.0, 3.0), repeat=3))[::4], 3
    ):
        yield ScoreMatrix(np.array(rows))


def some_ratings():
    rng = np.random.default_rng(1)
    for _ in range(25):
        chosen = [
            (user, item) for user in range(4) for item in range(3) if rng.random() < 0.8
        ]
        users, items = zip(*chosen, strict=True)
        yield Ratings(users, items, rng.integers(1, 4, len(chosen)).astype(float))


def some_battles():
    """Each beats each twice, so that every rating is defined without any two; some more are drawn."""
    rng, names = np.random.default_rng(2), np.array(list("abc"))
    for _ in range(8):
        left = np.array([0, 1, 2] * 4 + rng.integers(0, 3, 3).tolist())
        right = (
            left + np.array([1, 1, 1, 2, 2, 2] * 2 + rng.integers(1, 3, 3).tolist())
        ) % 3
        yield Battles(names[left], names[right], np.ones(15))


def some_approvals():
    for chosen in combinations_with_replacement(
        [{"a"}, {"a", "b"}, {"b", "c"}, set()], 3
    ):
        yield Ballots(list(chosen), items=list("abc"), approval=True)


def some_regressions():
    rng = np.random.default_rng(3)
    for _ in range(3):
        X = rng.normal(size=(7, 3))
        yield Regression(X, X @ [0.5, 0.4, 0.3] + rng.normal(size=7))


KINDS = {
    "votes": all_votes,
    "ballots": all_ballots,
    "scores": all_matrices,
    "approvals": some_approvals,
    "ratings": some_ratings,
    "battles": some_battles,
    "regression": some_regressions,
}


SETTINGS = {
    "bradley-terry": BradleyTerry(ridge=0.1),
    "ridge": Ridge(penalty=1.0),
    "a hash": Refit(hashed),
    ("ballots", "points"): TotalPoints(places=(3, 2, 1)),
    ("approvals", "points"): TotalPoints(places=(3, 2, 1)),
}
"""Scorers that need one, or that are defined for every data set with one."""


REFUSED = {
    ("ballots", "approval"),
    ("approvals", "plurality"),
    ("approvals", "instant-runoff"),
}


def cases():
    for kind, make in KINDS.items():
        name = next(iter(make())).kind.name
        for scorer in (*scorers_for(name), "a hash"):
            if (kind, scorer) not in REFUSED:
                made = SETTINGS.get((kind, scorer), SETTINGS.get(scorer, scorer))
                yield pytest.param(make, made, id=f"{kind}, {scorer}")


def listed(data, scorer, k, **asked):
    study = Study(data, scorer)
    if data.n_units < 2:  # nobody can be left out: the list is the plain top k
        return {study.items[item] for item in topk(study.scores, k)}
    return set(study.topk(k, **asked).members)


def check_definition_1(make, scorer, most=10_000, delta=0.0):
    """Check ``|list(D) & list(D without i)| >= k`` for all but a share of the units of every D."""
    model, pairs = as_scorer(scorer), 0
    for data in make():
        for k in range(1, data.n_items):
            try:
                mine = listed(data, model, k, delta=delta)
                kept = [data.without(unit) for unit in range(len(data.units))]
                others = [listed(rest, model, k, delta=delta) for rest in kept]
            except SteadyrankError:
                continue  # a unit without which there are no scores: nothing is claimed
            counts = data.units.counts
            apart = sum(
                int(n)
                for n, other in zip(counts, others, strict=True)
                if len(mine & other) < k
            )
            assert apart <= delta * data.n_units
            pairs += len(others)
        if pairs > most:
            break
    return pairs


@pytest.mark.parametrize(("make", "scorer"), list(cases()))
def test_the_list_and_the_list_made_anew_share_k_items(make, scorer) -> None:
    assert check_definition_1(make, scorer, most=60)


def without_each(data, scorer):
    """Return how items stand, by scoring what is left when each unit is taken away."""
    counts = enumerate(data.units.counts.tolist())
    others = [
        (copies, plain(scorer.score(data.without(unit)))) for unit, copies in counts
    ]
    return Stands(plain(scorer.score(data)), others)


@pytest.mark.parametrize(("make", "scorer"), list(cases()))
def test_the_list_is_the_union_of_all_top_ks(make, scorer) -> None:
    found, model = 0, as_scorer(scorer)
    for data in make():
        try:
            study, stands = Study(data, model), without_each(data, model)
            lists = [study.topk(k) for k in range(1, len(study.items) + 1)]
        except SteadyrankError:
            continue
        for answer in lists:
            assert [study.items[item] for item in stands.listed(answer.k)] == list(
                answer.members
            )
            assert answer.certificate.status == "proved"
        ranking = study.ranking()
        for place, item in enumerate(stands.ranking):
            assert (
                ranking.ranks.best[place],
                ranking.ranks.worst[place],
            ) == stands.ranks(item)
        assert [len(tier) for tier in ranking.tiers] == stands.tiers()
        found += 1
        if found > 12:
            break
    assert found


@pytest.mark.parametrize("delta", [0.2, 0.34, 0.5])
def test_with_a_share_the_list_made_anew_parts_from_no_more_than_that(
    delta: float,
) -> None:
    assert check_definition_1(all_votes, "plurality", delta=delta)
    assert check_definition_1(all_matrices, Refit(hashed), most=300, delta=delta)


@pytest.mark.parametrize("bags", [Bagged(Plurality(), bags=3, size=1, seed=5)])
def test_fresh_bags_of_one_seed_are_a_scorer_like_any_other(bags: Bagged) -> None:
    assert check_definition_1(all_votes, bags)
    assert Study(Votes(["a", "a", "b"]), bags).topk(1).certificate.status == "proved"


def test_of_bags_of_no_given_size_nothing_is_claimed_of_a_list_made_anew() -> None:
    bags = Bagged(Plurality(), bags=40)
    told = Study(Votes(["a"] * 5 + ["b"] * 3), bags).topk(1).certificate
    assert told.status == "observed"
    assert "Nothing is claimed of an answer made again: " in told.promise
    assert "Proved" not in told.sentence


def test_any_two_removals_leave_k_items_in_common() -> None:
    pairs = 0
    for data in all_votes():
        if data.n_units < 5:
            continue
        study = Study(data)
        for k in (1, 2):
            mine = listed(data, None, k, removals=2)
            for leaving in combinations(range(data.n_units), 2):
                choices = [
                    data.items[choice]
                    for choice in np.repeat(data.choices, data.counts)
                ]
                kept = [
                    choice
                    for place, choice in enumerate(choices)
                    if place not in leaving
                ]
                rest = Votes(kept, items=list("abc"))
                new = {rest.items[item] for item in topk(Study(rest).scores, k)}
                assert new <= mine
                assert len(mine & listed(rest, None, k, removals=2)) >= k
                pairs += 1
            assert study.topk(k, removals=2).certificate.status == "proved"
    assert pairs > 100


def test_a_list_for_removals_holds_nobody_who_cannot_come_in() -> None:
    """No longer than down the order to the last who may; and shorter where somebody between may not."""
    rng, shorter = np.random.default_rng(4), 0
    for _ in range(60):
        study = Study(
            ScoreMatrix(rng.integers(0, 9, (7, 6)) * rng.choice([0.2, 1, 4], 6))
        )
        for removals in (1, 2, 3):
            answer = study.topk(2, removals=removals)
            assert set(answer.order[: answer.last_place].tolist()) >= set(
                answer.indices.tolist()
            )
            shorter += answer.size < answer.last_place
            for size in range(1, removals + 1):
                for leaving in combinations(range(7), size):
                    kept = np.delete(study.data.values, leaving, axis=0)
                    assert set(topk(kept.mean(axis=0), 2).tolist()) <= set(
                        answer.indices.tolist()
                    )
    assert shorter


def test_a_far_outlier_lists_no_more_than_it_brings_in() -> None:
    """One item that a single row lifts from far below: those between are not listed."""
    values = np.array([[9.0, 5, 4, 3, 6]] * 5 + [[9.0, 5, 4, 3, -40]])
    answer = Study(ScoreMatrix(values, items=list("abcde"))).topk(2)
    assert answer.contenders == ("b", "e")
    assert answer.members == ("a", "b", "e")
    assert [row.listed for row in answer.rows()] == [True, True, False, False, True]
    assert (answer.last_place, answer.certificate.vacuous) == (5, False)


SENTENCES = (
    r"Proved for every dataset and every scorer: remove any one (\w+), and the list made again "
    r"shares at least (\d+) items? with this one \(top-k stability, Definition 1, delta = 0\), "
    r"because both hold the plain top (\d+) of the data without that \w+, if these can be scored\. "
    r"Observed on this dataset of (\d+) \w+: each of the (\d+) \w+ was left out in turn, and the "
    r"new plain top (\d+) is inside this list every time \(delta = 0\)\. "
)
PROMISES = (
    r"We removed each of the (\d+) \w+ in turn\. The top (\d+) (?:always stayed within these (\d+) "
    r"names|never changed)\. Proved for every dataset: remove any one \w+, and the list made again "
    r"shares at least (\d+) items? with this one\."
)


def test_every_number_of_a_certificate_is_recomputed() -> None:
    rng = np.random.default_rng(8)
    for _ in range(40):
        data = ScoreMatrix(
            rng.integers(0, 4, (5, 4)).astype(float), units=[0, 0, 1, 2, 3]
        )
        k, stands = int(rng.integers(1, 5)), Stands.of(data, Mean())
        told = Study(data).topk(k).certificate
        n, listed = str(stands.total), stands.listed(k)
        said = re.match(SENTENCES, told.sentence)
        assert said, told.sentence
        assert said.groups() == ("group", str(k), str(k), n, n, str(k))
        longer = str(len(listed)) if len(listed) > k else None
        assert re.match(PROMISES, told.promise).groups() == (n, str(k), longer, str(k))
        assert (longer is None) == (stands.changing(k) == 0)
        assert told.vacuous == (len(listed) == 4)
        assert ("the answer holds everything." in told.sentence) == (len(listed) == 4)
        assert all(set(ranking[:k]) <= set(listed) for ranking in stands.rankings)
        assert (told.eps, told.delta, dict(told.numbers)) == (
            None,
            0.0,
            {"n": 4, "broken": 0},
        )
        shares = Study(data).topk(k, delta=0.3).certificate
        but = (
            f"any but a share {rounded_up(0.3)} of them, and the list made again shares"
        )
        assert f"{but} at least {k} item" in shares.promise


@pytest.mark.parametrize(
    "fault", ["a contender is missing", "nobody is left out", "a state"]
)
def test_a_planted_fault_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, make = Refit(hashed), all_matrices
    if fault == "a contender is missing":
        real = TopKDeletions.listed
        monkeypatch.setattr(TopKDeletions, "listed", lambda *asked: real(*asked)[:-1])
    elif fault == "nobody is left out":
        monkeypatch.setattr(TopKDeletions, "listed", lambda _, order, k: order[:k])
    else:
        scorer, make = Refit(Forgetful()), wide_matrices
    with pytest.raises(AssertionError):
        check_definition_1(make, scorer, most=400)


def wide_matrices():
    rng = np.random.default_rng(5)
    return (ScoreMatrix(rng.random((3, 9))) for _ in range(20))


class Forgetful:
    """A scorer that remembers how often it was asked: no function of the data."""

    __name__ = "forgetful"

    def __init__(self):
        self.times = 0

    def __call__(self, data):
        self.times += 1
        return np.random.default_rng(self.times).random(data.n_items)
