"""Borda points against breaking the ties in every way, and against counting again."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import chain, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank.data import Ballots, Votes
from steadyrank.errors import TooFewUnitsError, WrongDataError
from steadyrank.scorers import Borda

Tiers = tuple[frozenset[str], ...]
ITEMS = list("abcd")


@st.composite
def orders(draw: st.DrawFn) -> Tiers:
    """Draw an order of some items with ties, all of them at times."""
    named = draw(st.lists(st.sampled_from(ITEMS), unique=True, min_size=1))
    tiers: list[set[str]] = []
    for item in named:
        if tiers and draw(st.booleans()):
            tiers[-1].add(item)
        else:
            tiers.append({item})
    return tuple(map(frozenset, tiers))


def points_of(tiers: Tiers) -> list[Fraction]:
    """Average the points over all complete orders that agree with the ballot."""
    named = set(chain.from_iterable(tiers))
    whole = [*tiers, frozenset(ITEMS) - named]
    level = {item: place for place, tier in enumerate(whole) for item in tier}
    agreeing = [
        order
        for order in permutations(ITEMS)
        if all(level[one] <= level[two] for one, two in pairwise(order))
    ]
    top = len(ITEMS) - 1
    return [
        sum((Fraction(top - order.index(item)) for order in agreeing), Fraction(0))
        / len(agreeing)
        for item in ITEMS
    ]


def ballots_of(tiers: list[Tiers]) -> Ballots:
    return Ballots([[set(tier) for tier in ballot] for ballot in tiers], items=ITEMS)


@given(st.lists(orders(), min_size=1, max_size=5))
def test_points_are_the_mean_over_all_ways_to_break_ties(tiers: list[Tiers]) -> None:
    each = [points_of(ballot) for ballot in tiers]
    means = [
        float(sum(points, Fraction(0)) / len(tiers))
        for points in zip(*each, strict=True)
    ]
    assert Borda().score(ballots_of(tiers)).tolist() == means


@given(st.lists(orders(), min_size=2, max_size=8), st.integers(0, 10**6), st.booleans())
def test_leave_one_out_is_counting_again(
    tiers: list[Tiers], seed: int, twice: bool
) -> None:
    tiers = tiers * 2 if twice else tiers
    out = Borda().leave_one_out(ballots_of(tiers))
    refitted = []
    for ballot in Counter(tiers):
        fewer = tiers.copy()
        fewer.remove(ballot)
        refitted.append(Borda().score(ballots_of(fewer)))
    np.testing.assert_array_equal(all_rows(out), refitted)
    assert_answers_agree(out, np.random.default_rng(seed))


def test_without_room_for_the_table_the_bounds_come_from_the_blocks() -> None:
    ballots = Ballots(
        [["a"], ["b", "a"], ["c", "b", "a"], ["d", ("a", "c")]], items=ITEMS
    )
    out = Borda().leave_one_out(ballots)
    few = replace(out.added, table_numbers=4, exact_squares=1, block_numbers=9)
    small = replace(out, added=few)
    assert_answers_agree(small, np.random.default_rng(1))


def test_equal_ballots_are_one_unit_and_counts_weigh() -> None:
    counted = Ballots([["a", "b"], ["b"]], counts=[5, 2], items=ITEMS)
    listed = Ballots([["a", "b"]] * 5 + [["b"]] * 2, items=ITEMS)
    one, two = Borda().leave_one_out(counted), Borda().leave_one_out(listed)
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(all_rows(one), all_rows(two))
    assert one.units.counts.tolist() == [5, 2]


def test_approval_ballots_have_two_tiers() -> None:
    approvals = Ballots([{"a", "b"}, {"d"}], items=ITEMS, approval=True)
    tiers = Ballots([[{"a", "b"}], ["d"]], items=ITEMS)
    np.testing.assert_array_equal(Borda().score(approvals), Borda().score(tiers))


def test_a_single_ballot_and_other_data() -> None:
    with pytest.raises(TooFewUnitsError):
        Borda().leave_one_out(Ballots([["a", "b"]]))
    with pytest.raises(
        WrongDataError, match="Borda needs ballots, but was given votes"
    ):
        Borda().score(Votes(["a"]))  # type: ignore[arg-type]


@given(st.lists(orders(), min_size=2, max_size=8))
def test_no_ballot_moves_more_than_the_proved_bound(tiers: list[Tiers]) -> None:
    ballots = ballots_of(tiers)
    bound = Borda().sensitivity(ballots)
    assert Borda().leave_one_out(ballots).shifts().max() <= bound.eps * (1 + 1e-12)


@pytest.mark.parametrize("items", [1, 2, 3, 14, 50])
@pytest.mark.parametrize("n", [2, 7])
def test_one_order_against_its_reverse_reaches_the_bound(items: int, n: int) -> None:
    order = list(range(items))
    ballots = Ballots([order, order[::-1]], counts=[1, n - 1], items=order)
    bound = Borda().sensitivity(ballots)
    assert bound.eps == pytest.approx(
        math.sqrt(items * (items**2 - 1) / 3) / n, rel=1e-14
    )
    assert Borda().leave_one_out(ballots).shifts()[0] == pytest.approx(
        bound.eps, rel=1e-13
    )
