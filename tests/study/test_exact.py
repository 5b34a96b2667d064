"""The audit of votes and ballots decided in whole numbers: no rounding, every boundary case included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles import enumeration, exact
from oracles.ball import squared_distances
from steadyrank import Ballots, Study, Votes
from steadyrank.operators.inflation import just_above
from steadyrank.scorers import Approval, Plurality


def share_scores(counts, total):
    return tuple(Fraction(count, total) for count in counts)


def without(counts, change):
    return [count - less for count, less in zip(counts, change, strict=True)]


def exact_audit(tallies, ballots, n, ks, eps):
    """Return {(method, k): delta} for shares ``tallies / n``; ``ballots`` is what each unit adds."""
    full = share_scores(tallies, n)
    others = [share_scores(without(tallies, ballot), n - 1) for ballot in ballots]
    found = {}
    for k in ks:
        plain = [set(exact.plain_ranking(w)[:k]) for w in (full, *others)]
        inflated = [exact.inflated_topk(w, k, eps) for w in (full, *others)]
        for method, (first, *rest) in (("topk", plain), ("inflated_topk", inflated)):
            found[method, k] = Fraction(
                sum(len(first & other) < k for other in rest), n
            )
    first, *rest = (exact.plain_ranking(w) for w in (full, *others))
    found["ranking", None] = Fraction(sum(order != first for order in rest), n)
    first, *rest = ({*enumeration.exact_rankings(w, eps)} for w in (full, *others))
    found["inflated_ranking", None] = Fraction(
        sum(not first & other for other in rest), n
    )
    return found


def compare(result, expected):
    assert {(row.method, row.k): row.delta for row in result.table} == {
        key: pytest.approx(float(delta), abs=1e-12) for key, delta in expected.items()
    }


def one_vote_each(counts):
    return np.repeat(np.eye(len(counts), dtype=int), counts, axis=0).tolist()


tallies = st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(
    lambda counts: sum(counts) > 1
)
steps = st.sampled_from([1, 1, 1, 2, 3])


@given(tallies, steps, st.booleans())
def test_votes(counts, step, times_root):
    n = sum(counts)
    size = Fraction(step, n)
    eps = exact.ExactEps(root=size) if times_root else exact.ExactEps(rational=size)
    data = Votes(range(len(counts)), counts=counts, items=range(len(counts)))
    units = one_vote_each(counts)
    ks = range(1, len(counts) + 1)
    compare(
        Study(data).audit(k=ks, eps=float(eps)), exact_audit(counts, units, n, ks, eps)
    )


@given(
    st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=2, max_size=7),
    steps,
    st.booleans(),
    st.booleans(),
)
def test_approvals(ballots, step, times_root, without_one):
    """Steps of 1/n are on the boundary of the full data, steps of 1/(n - 1) on that of the others."""
    n = len(ballots)
    size = Fraction(step, n - 1 if without_one else n)
    eps = exact.ExactEps(root=size) if times_root else exact.ExactEps(rational=size)
    data = Ballots(
        [{item for item in range(3) if ballot[item]} for ballot in ballots],
        items=range(3),
        approval=True,
    )
    counts = [sum(ballot[item] for ballot in ballots) for item in range(3)]
    expected = exact_audit(counts, ballots, n, (1, 2, 3), eps)
    compare(Study(data, Approval()).audit(k=(1, 2, 3), eps=float(eps)), expected)


@given(tallies, st.sampled_from([0, 1, 2]))
def test_the_chosen_eps_keeps_its_promise_in_whole_numbers(counts, allowed):
    """The audit in fractions, at the very eps that was chosen (a float is a fraction)."""
    n = sum(counts)
    allowed = min(allowed, n - 1)
    data = Votes(range(len(counts)), counts=counts, items=range(len(counts)))
    units = one_vote_each(counts)
    for asked in (
        {"delta": max(allowed / n, 1e-9)},
        {"proved": True, "eps": just_above(Plurality().sensitivity(data).eps)},
    ):
        answer = Study(data, Plurality()).topk(1, **asked)
        eps = exact.ExactEps(rational=Fraction(answer.eps))
        assert exact_audit(counts, units, n, [1], eps)["inflated_topk", 1] <= Fraction(
            allowed, n
        )
        members = exact.inflated_topk(share_scores(counts, n), 1, eps)
        assert set(answer.members) == set(members)
    ball = Study(data, Plurality()).topk(1, proved=True)
    squares = squared_distances(share_scores(counts, n), 1)
    assert set(ball.members) == {
        item for item, square in enumerate(squares) if square <= Fraction(2, n * n)
    }
