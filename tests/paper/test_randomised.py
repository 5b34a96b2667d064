"""Randomised algorithms against slow loops over seeds, random ties against every order of the items."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

from paper.randomised import _in_order, random_ties, randomised_audit, same_topk
from steadyrank import (
    Bagged,
    Plurality,
    Refit,
    ScoreMatrix,
    Study,
    Votes,
    inflated_topk,
    topk,
)
from steadyrank.errors import InvalidValueError


def best(scores: np.ndarray, k: int, priority: tuple[int, ...]) -> frozenset[int]:
    """Return the top k, the item with the smaller priority first among equals."""
    return frozenset(
        sorted(range(len(scores)), key=lambda item: (-scores[item], priority[item]))[:k]
    )


def same_by_listing(w: np.ndarray, v: np.ndarray, k: int, *, shared: bool) -> Fraction:
    orders = list(permutations(range(len(w))))
    first, second = ([best(scores, k, order) for order in orders] for scores in (w, v))
    if shared:
        return Fraction(
            sum(a == b for a, b in zip(first, second, strict=True)), len(orders)
        )
    return Fraction(sum(second.count(a) for a in first), len(orders) ** 2)


def test_the_chance_of_the_same_topk_is_that_of_listing_all_orders() -> None:
    rng, seen = np.random.default_rng(0), set()
    for _ in range(120):
        items = int(rng.integers(1, 6))
        w = rng.integers(0, 3, items).astype(float)
        v = w + (rng.random(items) < 0.4) * rng.integers(-1, 2, items)
        for k in range(1, items + 1):
            for shared in (True, False):
                found = same_topk(w, v, k, shared=shared)
                assert found == same_by_listing(w, v, k, shared=shared)
                assert same_topk(v, w, k, shared=shared) == found
                seen.add(found)
    assert len(seen) >= 8


def test_the_chance_that_two_blocks_are_in_order_is_that_of_listing() -> None:
    """Kinds 0 and 1 must come before 3 and 4 (the first block), kinds 1 and 2 before 4 and 5."""
    later = {0: {3, 4}, 1: {3, 4, 5}, 2: {4, 5}}
    for sizes in product(range(4), repeat=6):
        if sum(sizes) != 6 or 0 in (sizes[0] + sizes[3], sizes[2] + sizes[5]):
            continue
        letters = [kind for kind, size in enumerate(sizes) for _ in range(size)]
        words = set(permutations(letters))
        good = sum(
            not any(
                one in later.get(other, ())
                for place, one in enumerate(word)
                for other in word[place:]
            )
            for word in words
        )
        assert _in_order(sizes[:3], sizes[3:]) == Fraction(good, len(words))


@pytest.mark.parametrize("shared", [True, False])
def test_large_blocks_of_ties_agree_with_drawing_orders(shared: bool) -> None:
    """Two blocks of 12 and 13 items overlap in 8; some of each alone are in, some out, of the other."""
    w, v = np.zeros(24), np.zeros(24)
    w[:3], v[:2] = 2.0, 2.0
    w[3:15], v[2:15] = 1.0, 1.0
    v[13:15], v[15:17] = 0.0, 1.0  # tied in one alone and below the border of the other
    rng, draws, k = np.random.default_rng(1), 20_000, 13
    agree = 0
    for _ in range(draws):
        first, second = rng.permutation(24), rng.permutation(24)
        one = np.lexsort((first, -w))[:k]
        other = np.lexsort((first if shared else second, -v))[:k]
        agree += set(one.tolist()) == set(other.tolist())
    chance = float(same_topk(w, v, k, shared=shared))
    assert 0 < chance < 1
    assert abs(agree / draws - chance) < 5 * math.sqrt(chance * (1 - chance) / draws)


@pytest.mark.parametrize("shared", [True, False])
def test_random_ties_of_data_agree_with_leaving_out_and_listing(shared: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(12):
        matrix = ScoreMatrix(rng.integers(0, 2, (5, 4)))
        for k in (1, 2, 3):
            full = matrix.values.mean(axis=0)
            rows = [
                np.delete(matrix.values, row, axis=0).mean(axis=0) for row in range(5)
            ]
            broken = sum(
                1 - same_by_listing(full, row, k, shared=shared) for row in rows
            )
            assert random_ties(Study(matrix), k, shared=shared) == float(broken / 5)


def test_without_ties_it_is_the_plain_topk_and_ties_need_not_matter() -> None:
    apart = Votes(["x", "y", "z"], counts=[9, 7, 4])
    assert {
        random_ties(Study(apart), 2, shared=shared) for shared in (True, False)
    } == {0.0}
    matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2.5, 2]])
    assert (
        random_ties(Study(matrix), 2)
        == Study(matrix).audit(2, eps=0.1).row("topk", 2).delta
    )
    # Two candidates are tied for the second place, and the first alone may leave a vote.
    tied = Votes(["ann"] * 5 + ["bob"] * 2 + ["cyd"] * 2)
    assert random_ties(Study(tied), 2) == 4 / 9 / 2
    assert random_ties(Study(tied), 2, shared=False) == 0.5


def noisy(data: Votes, seed: int) -> np.ndarray:
    """Shares of votes, to which a random start adds something; votes decide how much of it stays."""
    rng = np.random.default_rng(seed)
    return data.tally / data.n_units + rng.normal(size=data.n_items) * 2 / data.n_units


VOTES = Votes(["ann"] * 7 + ["bob"] * 6 + ["cyd"] * 5 + ["dan"] * 2)


@pytest.mark.parametrize("shared", [True, False])
def test_averages_over_seeds_are_those_of_slow_loops(shared: bool) -> None:
    seeds, eps = (3, 1, 4, 15), 0.12
    rows = randomised_audit(
        VOTES,
        [1, 2],
        lambda seed: Refit(noisy, seed=seed),
        seeds=seeds,
        eps=eps,
        shared=shared,
    )
    assert [(row.method, row.k) for row in rows] == [
        ("topk", 1), ("topk", 2), ("inflated_topk", 1), ("inflated_topk", 2),
        ("ranking", None), ("inflated_ranking", None),
    ]  # fmt: skip
    plain = [row for row in rows if row.method in {"topk", "inflated_topk"}]
    for row in plain:
        slow = {}
        for one in seeds:
            for other in [one] if shared else [seed for seed in seeds if seed != one]:
                slow[one, other] = sum(
                    count
                    * broken(row.method, row.k, eps, VOTES.without(unit), one, other)
                    for unit, count in enumerate(VOTES.units.counts)
                )
        assert row.shared is shared
        assert row.deltas == pytest.approx(
            [part / VOTES.n_units for part in slow.values()]
        )
        assert row.delta == pytest.approx(np.mean(row.deltas))
        assert row.standard_error == pytest.approx(slow_error(slow, seeds, shared))
    assert any(0 < row.delta < 1 for row in plain)


def broken(
    method: str, k: int, eps: float, without: Votes, one: int, other: int
) -> bool:
    full, left = noisy(VOTES, one), noisy(without, other)
    if method == "topk":
        sets = set(topk(full, k)), set(topk(left, k))
    else:
        sets = set(inflated_topk(full, k, eps)), set(inflated_topk(left, k, eps))
    return len(sets[0] & sets[1]) < k


def slow_error(
    slow: dict[tuple[int, int], int], seeds: tuple[int, ...], shared: bool
) -> float:
    shares = {pair: part / VOTES.n_units for pair, part in slow.items()}
    number = len(seeds)
    if shared:
        centre = sum(shares.values()) / number
        return math.sqrt(
            sum((share - centre) ** 2 for share in shares.values())
            / (number - 1)
            / number
        )
    left = [
        np.mean([share for pair, share in shares.items() if seed not in pair])
        for seed in seeds
    ]
    return math.sqrt(
        (number - 1) / number * sum((part - np.mean(left)) ** 2 for part in left)
    )


@pytest.mark.parametrize("shared", [True, False])
def test_theorems_4_and_8_hold_on_average_over_seeds(shared: bool) -> None:
    """The average share of units that moves the scores by eps bounds the average instability."""
    seeds = range(3)
    counts = VOTES.units.counts
    rows = [[noisy(VOTES.without(unit), seed) for unit in range(4)] for seed in seeds]
    for eps in (0.03, 0.1, 0.3):
        found = randomised_audit(
            VOTES,
            [1, 2, 3],
            lambda seed: Refit(noisy, seed=seed),
            seeds=seeds,
            eps=eps,
            shared=shared,
        )
        pairs = [
            (one, other) for one in seeds for other in seeds if (one == other) == shared
        ]
        far = [
            counts
            @ (
                np.linalg.norm(noisy(VOTES, one) - np.array(rows[other]), axis=1)
                >= eps * (1 - 1e-9)
            )
            for one, other in pairs
        ]
        for row in found:
            if row.method.startswith("inflated"):
                assert row.delta <= np.mean(far) / VOTES.n_units


def test_fresh_randomness_breaks_what_no_unit_does() -> None:
    def coin(data: Votes, seed: int) -> np.ndarray:
        return np.random.default_rng(seed).permutation(data.n_items).astype(float)

    deltas = {}
    for shared in (True, False):
        row, *_ = randomised_audit(
            VOTES, [1], lambda seed: Refit(coin, seed=seed), seeds=range(12), eps=0.1, shared=shared,
        )  # fmt: skip
        deltas[shared] = row
    assert deltas[True].delta == deltas[True].standard_error == 0.0
    assert deltas[False].delta == pytest.approx(
        3 / 4, abs=4 * deltas[False].standard_error
    )


def test_a_scorer_without_randomness_has_its_plain_audit_either_way() -> None:
    expected = [row.delta for row in Study(VOTES).audit(2, eps=0.02)]
    for shared in (True, False):
        rows = randomised_audit(
            VOTES, [2], lambda _: Plurality(), seeds=[1, 2, 3], eps=0.02, shared=shared
        )
        assert [row.delta for row in rows] == expected
        assert {row.standard_error for row in rows} == {0.0}


def test_seeds_of_bags_and_too_few_seeds() -> None:
    def bagged(seed: int) -> Bagged:
        return Bagged(Plurality(), bags=20, seed=seed)

    one, *_ = randomised_audit(VOTES, [1], bagged, seeds=[5], eps=0.1)
    assert one.delta == Study(VOTES, bagged(5)).audit(1, eps=0.1).row("topk", 1).delta
    assert one.standard_error is None
    two, *_ = randomised_audit(VOTES, [1], bagged, seeds=[5, 6], eps=0.1, shared=False)
    assert (len(two.deltas), two.standard_error) == (2, None)
    for seeds, shared in (([], True), ([1], False), ([1, 1], True)):
        with pytest.raises(InvalidValueError, match="seeds must be different"):
            randomised_audit(VOTES, [1], bagged, seeds=seeds, eps=0.1, shared=shared)


def test_the_table_of_the_page_is_what_comes_out() -> None:
    """docs/research/eps.md shows them."""
    votes = Votes(["ann", "bob", "cyd", "dan"], counts=[52, 51, 31, 9])

    def halves(data: Votes, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        drawn = rng.multivariate_hypergeometric(data.tally, data.n_units // 2)
        return drawn / drawn.sum()

    page = (Path(__file__).parents[2] / "docs" / "research" / "eps.md").read_text(
        encoding="utf-8"
    )
    for shared in (True, False):
        rows = randomised_audit(
            votes,
            [1],
            lambda seed: Refit(halves, seed=seed),
            seeds=range(20),
            eps=0.05,
            shared=shared,
        )
        cells = [f"{row.delta:.3f} ± {row.standard_error:.3f}" for row in rows[:2]]
        assert f"| {'shared' if shared else 'fresh'} | {' | '.join(cells)} |" in page
