"""Stable answers for every kind of data and scorer: what is promised and what is shown."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.leaving_out import brute_audit, differences
from steadyrank import (
    Study,
    critical_eps,
    inflated_ranking,
    inflated_topk,
    rank_intervals,
    tiers,
    topk,
)
from steadyrank.errors import SteadyrankError
from study.answer_cases import CASES, ballots, gappy, votes

TARGETS = (0.0, 0.1, 0.3)


@pytest.mark.parametrize("delta", TARGETS)
def test_a_stable_topk_keeps_to_its_target_and_a_smaller_eps_does_not(case, delta):
    data, scorer = case
    for k in range(1, data.n_items + 1):
        study = Study(data, scorer)
        answer = study.topk(k, eps=study.curve(k).smallest_eps(delta))
        result = Study(data, scorer).audit(
            k=k, eps=answer.eps, methods=["inflated_topk"]
        )
        audited = result.row("inflated_topk", k)
        assert audited.delta == answer.certificate.delta <= delta
        assert audited.size == answer.size
        curve = result.curve(k)
        less = answer.eps * (1 - 1e-5)
        smaller = Study(data, scorer).audit(k=k, eps=less, methods=["inflated_topk"])
        assert smaller.table[0].delta == curve.delta(less)
        # Where ties alone decide, no unit beyond the target breaks at any eps.
        broken = curve.counts[curve.breaking_eps > 0].sum() / data.n_units
        assert (
            (curve.delta(less) > delta)
            == (broken > delta)
            == (answer.eps != curve.tie_eps)
        )


# The bags of a bagged scorer depend on the number of the unit: see test_refits.py.
@pytest.mark.parametrize("name", [name for name in CASES if name != "bagged"])
def test_the_audit_at_the_chosen_eps_is_that_of_brute_force(name):
    data, scorer = CASES[name][0](), CASES[name][1]
    ks = [1, 2, data.n_items]
    for eps in (Study(data, scorer).topk(2, delta=0.1).eps, 0.07):
        result = Study(data, scorer).audit(k=ks, eps=eps)
        assert not differences(
            result, brute_audit(data, scorer, ks, eps), tolerance=1e-9
        )


def test_what_a_topk_shows_is_what_the_operators_say(case):
    data, scorer = case
    for k in (1, 2, data.n_items):
        answer = Study(data, scorer).topk(k, eps=0.05)
        plain = inflated_topk(answer.scores, k, answer.eps)
        assert answer.members == tuple(data.items[j] for j in plain.indices)
        assert (answer.k, answer.size) == (k, len(plain))
        np.testing.assert_array_equal(
            answer.critical_eps, critical_eps(answer.scores, k)
        )
        best, _ = rank_intervals(answer.scores, 0.05)
        rows = list(answer.rows())
        assert [row.item for row in rows] == [
            data.items[j] for j in topk(answer.scores, data.n_items)
        ]
        assert [row.rank for row in rows] == list(range(1, data.n_items + 1))
        for row in rows:
            # A member is what the critical eps and the best rank of the set say it is.
            member = row.item in answer.members
            assert (
                member
                == (row.critical_eps < answer.eps)
                == (best[data.items.index(row.item)] <= k)
            )
        assert list(answer.rows(2)) == rows[:2]


def test_what_a_ranking_shows_is_what_the_operators_say(case):
    data, scorer = case
    answer = Study(data, scorer).ranking(eps=0.05)
    orders = [tuple(order.tolist()) for order in inflated_ranking(answer.scores, 0.05)]
    assert answer.rankings.count() == len(orders)
    assert answer.ranking == tuple(data.items[j] for j in orders[0])
    assert [len(tier) for tier in answer.tiers] == [
        len(t) for t in tiers(answer.scores, 0.05)
    ]
    assert sum(answer.tiers, ()) == answer.ranking
    for item, best, worst in zip(
        range(data.n_items), *answer.rankings.rank_intervals(), strict=True
    ):
        places = {order.index(item) + 1 for order in orders}
        assert (best, worst) == (min(places), max(places))


def test_a_proof_removes_nobody_and_tells_no_standings():
    answer = Study(votes()).topk(2, proved=True)
    with pytest.raises(SteadyrankError, match="no unit was removed"):
        _ = answer.sure
    for row in (*answer.rows(), *Study(votes()).ranking(proved=True).rows()):
        assert {row.standing, row.best_rank, row.worst_rank, row.share, row.away} == {
            None
        }


def test_labels_units_and_policies_survive_to_the_answer(case):
    data, scorer = case
    for answer in (
        Study(data, scorer).topk(1),
        Study(data, scorer).ranking(),
    ):
        assert answer.items == data.items
        assert answer.unit == data.units.kind
        assert answer.n_units == data.units.total
        assert answer.scorer == scorer.name
        assert set(data.notes) < set(answer.notes)
        assert any(
            f"one {data.units.kind}, of {data.n_units}" in note for note in answer.notes
        )
        assert any("equal scores" in note for note in answer.notes)
    assert Study(data, scorer).audit(k=1, eps=0.1).notes == answer.notes


def test_numbers_stay_numbers_and_foreign_letters_stay_themselves():
    assert (
        Study(ballots()).topk(4, delta=0).members == Study(ballots()).ranking().ranking
    )
    assert set(Study(ballots()).topk(4, delta=0).members) == {1, 2, 3, 4}
    assert Study(votes()).topk(1, delta=0).members == ("Ärger",)
    assert Study(votes()).topk(1, eps=0.2).members == ("Ärger", "模型", "gpt 4")


def test_missing_values_are_said_with_the_answer():
    assert any(
        "missing values left out of the means" in note
        for note in Study(gappy()).topk(2).notes
    )
