from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.split_mix import MASK, STEP, split_mix
from paper import drawing, streams
from paper.lookalike import Lookalike, lookalike_population
from paper.sources import trial_users
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from steadyrank import Ratings


def row(table: Ratings, i: int) -> tuple[list[int], list[int]]:
    place = slice(table.indptr[i], table.indptr[i + 1])
    return table.rated[place].tolist(), table.values[place].tolist()


def slow_user(population: Lookalike, user: int) -> tuple[list[int], list[int]]:
    """One user, draw by draw, in Python's integers."""
    behaviour = population.behaviour
    owner = np.array([user])
    choices, ratings, leniency = (
        int(streams.stream_keys(population.seed, purpose, owner)[0])
        for purpose in (1, 2, 3)
    )
    chosen: set[int] = set()
    place = 0
    while len(chosen) < behaviour.degrees[user]:
        word = split_mix((choices + (place // 2 + 1) * STEP) & MASK)
        bits = (word >> 32 if place % 2 else word) & 0xFFFFFFFF
        slot, rest = bits >> 17, bits & 0x1FFFF
        entry = int(behaviour.table[slot])
        chosen.add(slot if rest < entry >> 15 else entry & 0x7FFF)
        place += 1
    normal = streams._normal_quantiles()
    stars = []
    for movie in sorted(chosen):
        noise = normal[split_mix((ratings + (movie + 1) * STEP) & MASK) >> 48]
        liking = behaviour.locations[movie] + np.float32(0.444) * normal[leniency >> 48]
        liking += np.float32(1.0545) * noise
        stars.append(1 + sum(bool(liking > np.float32(cut)) for cut in drawing.CUTS))
    return sorted(chosen), stars


def test_users_are_those_of_the_slow_twin(small: Lookalike) -> None:
    users = np.flatnonzero(small.behaviour.expected_draws <= drawing.KEYED_DRAWS)[:100]
    table = small.ratings_of(users)
    for i, user in enumerate(users.tolist()):
        assert row(table, i) == slow_user(small, user)


def test_a_user_is_the_same_in_any_company(small: Lookalike) -> None:
    everybody = small.everybody()
    order = np.random.default_rng(0).permutation(small.n_users)
    heaviest = int(np.argmax(small.degrees))
    assert small.behaviour.expected_draws[heaviest] > drawing.KEYED_DRAWS
    shuffled = small.ratings_of(order, threads=3)
    for i in (0, 1, 700, 2999, int(np.flatnonzero(order == heaviest)[0])):
        expected = row(everybody, int(order[i]))
        assert row(shuffled, i) == expected
        assert row(small.ratings_of(order[i : i + 1]), 0) == expected


def test_running_short_of_draws_changes_nothing(small: Lookalike) -> None:
    behaviour = small.behaviour
    stingy = replace(behaviour, expected_draws=behaviour.expected_draws * 0.3)
    light = np.flatnonzero(small.behaviour.expected_draws <= drawing.KEYED_DRAWS)[:500]
    found = replace(small, behaviour=stingy).ratings_of(light)
    assert np.array_equal(found.rated, small.ratings_of(light).rated)


def test_rows_hold_different_movies_in_order(small: Lookalike) -> None:
    table = small.everybody()
    assert np.array_equal(np.diff(table.indptr), small.degrees)
    same_user = np.diff(np.repeat(np.arange(table.n_units), small.degrees)) == 0
    assert np.all(np.diff(table.rated.astype(np.int64))[same_user] > 0)
    assert table.rated.min() >= 0
    assert table.rated.max() < small.n_movies
    assert set(np.unique(table.values)) == {1, 2, 3, 4, 5}
    assert (table.indptr.dtype, table.rated.dtype, table.values.dtype) == (
        np.int64,
        np.int32,
        np.int8,
    )


def test_arrival_times_and_draws_agree_in_distribution(small: Lookalike) -> None:
    users = np.flatnonzero((small.degrees > 100) & (small.degrees < 900))[:1000]
    drawn = small.ratings_of(users)
    all_keyed = replace(small.behaviour, keyed_from=0.0)
    keyed = replace(small, behaviour=all_keyed).ratings_of(users)
    popular = np.argsort(-small.counts)[:300]
    a, b = (
        np.bincount(t.rated, minlength=small.n_movies)[popular] for t in (drawn, keyed)
    )
    assert not np.array_equal(a, b)
    share = (a + b) / (2 * len(users))
    z = (a - b) / np.sqrt(2 * len(users) * share * (1 - share))
    assert np.abs(z).max() < 4.5
    assert z.std() == pytest.approx(1.0, abs=0.15)


def test_trials_draw_different_users_without_replacement(population: Lookalike) -> None:
    first, again, other = (
        trial_users(population.n_users, number, n=1000, seed=population.seed)
        for number in (0, 0, 1)
    )
    assert len(np.unique(first)) == 1000
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    pooled = np.concatenate(
        [
            trial_users(population.n_users, number, n=2000, seed=population.seed)
            for number in range(5)
        ]
    )
    assert pooled.mean() == pytest.approx(population.n_users / 2, rel=0.03)


def test_a_trial_holds_the_ratings_of_its_users(population: Lookalike) -> None:
    users = trial_users(population.n_users, 7, n=50, seed=population.seed)
    trial, expected = population.trial(7, n=50), population.ratings_of(users)
    assert np.array_equal(np.diff(trial.indptr), population.degrees[users])
    assert np.array_equal(trial.rated, expected.rated)
    assert np.array_equal(trial.values, expected.values)


def test_seeds_give_different_populations(small: Lookalike) -> None:
    other = lookalike_population(users=3000, seed=12)
    assert not np.array_equal(other.degrees, small.degrees)
    assert np.array_equal(np.sort(other.degrees), np.sort(small.degrees))


def test_codes_tell_neither_popularity_nor_mean(population: Lookalike) -> None:
    codes = np.arange(population.n_movies)
    for values in (np.log(population.counts), population.means):
        assert abs(np.corrcoef(codes, values)[0, 1]) < 4 / np.sqrt(len(codes))


def test_progress_counts_the_users(small: Lookalike) -> None:
    steps: list[int] = []
    small.ratings_of(np.arange(300), progress=steps.append)
    assert sum(steps) == 300
    assert len(steps) > 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda p: p.ratings_of(np.array([0, 3000])),
            "from 0 to 2,999, but reach from 0 to 3,000",
        ),
        (lambda p: p.ratings_of(np.array([-1])), "but reach from -1 to -1"),
        (
            lambda p: p.ratings_of(np.array([0.5])),
            "whole numbers, but has 1 dimensions and type",
        ),
        (lambda p: p.ratings_of(np.array([], dtype=np.int64)), "ratings"),
        (lambda p: p.trial(0, n=3001), "n must be from 1 to 3,000"),
        (lambda p: p.trial(0, n=0), "but is 0"),
        (lambda p: lookalike_population(users=0), "users must be at least 1, but is 0"),
    ],
)
def test_wrong_requests_are_named(small: Lookalike, call, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        call(small)
