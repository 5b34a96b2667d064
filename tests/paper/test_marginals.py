from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from paper import marginals, netflix_figures as published


@pytest.fixture(scope="module")
def degrees() -> np.ndarray:
    return marginals.user_degrees(published.USERS)


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    return marginals.movie_counts()


@pytest.fixture(scope="module")
def means(counts: np.ndarray) -> np.ndarray:
    return marginals.movie_means(counts, np.random.default_rng(5))


def test_published_bins_cover_all_movies() -> None:
    bins = published.POPULARITY_BINS
    assert bins[0].first == 1
    assert bins[-1].last == published.MOVIES
    assert all(a.last + 1 == b.first for a, b in pairwise(bins))
    assert sum(published.STAR_SHARES) == pytest.approx(1.0, abs=1e-9)


def test_degrees_meet_the_published_figures(degrees: np.ndarray) -> None:
    assert degrees.sum(dtype=np.int64) == published.RATINGS
    assert degrees.min() == 1
    assert degrees.max() == published.USER_MAX_COUNT
    assert np.count_nonzero(degrees == 1) == published.USERS_WITH_ONE_RATING
    assert np.count_nonzero(degrees < 10) == published.USERS_WITH_FEWER_THAN_TEN
    assert degrees.std() == pytest.approx(published.USER_SD_COUNT, rel=0.02)
    for level, count in published.USER_COUNT_QUANTILES:
        assert np.quantile(degrees, level) == pytest.approx(count, abs=1.0)


def test_smaller_populations_keep_the_curve() -> None:
    assert marginals.user_degrees(1).tolist() == [96]
    assert marginals.user_degrees(2).tolist() == [39, 259]
    assert marginals.user_degrees(5)[::2].tolist() == [18, 96, 545]


def test_counts_meet_the_published_figures(counts: np.ndarray) -> None:
    assert len(counts) == published.MOVIES
    assert np.all(np.diff(counts) <= 1e-9)
    assert counts.sum() == pytest.approx(published.RATINGS, rel=1e-4)
    assert counts.std() == pytest.approx(published.MOVIE_SD_COUNT, rel=1e-3)
    assert counts.mean() == pytest.approx(published.MOVIE_MEAN_COUNT, abs=1.0)
    assert counts[-1] == pytest.approx(published.MOVIE_MIN_COUNT)
    for b in published.POPULARITY_BINS:
        assert counts[b.first - 1] == pytest.approx(b.count_first)
        assert counts[b.last - 1] == pytest.approx(b.count_last)
    for level, count in published.MOVIE_COUNT_QUARTILES:
        assert np.quantile(counts, level) == pytest.approx(count, rel=1e-3)


def test_means_meet_the_published_figures(
    counts: np.ndarray, means: np.ndarray
) -> None:
    assert means.mean() == pytest.approx(published.MOVIE_MEAN_OF_MEANS, abs=0.005)
    assert means.std() == pytest.approx(published.MOVIE_SD_OF_MEANS, abs=0.005)
    assert (means.min(), means.max()) == pytest.approx(published.MOVIE_MEAN_RANGE)
    assert np.average(means, weights=counts) == pytest.approx(
        published.MEAN_RATING, abs=0.001
    )
    for level, mean in published.MOVIE_MEAN_QUARTILES:
        assert np.quantile(means, level) == pytest.approx(mean, abs=0.01)
    for b in published.POPULARITY_BINS:
        found = np.quantile(means[b.first - 1 : b.last], published.MEAN_QUANTILES)
        # Up to one movie of a bin of 40 beside the published quantile.
        assert found == pytest.approx(np.array(b.means), abs=0.03)


def test_the_favourites_are_popular(counts: np.ndarray, means: np.ndarray) -> None:
    best = np.argsort(-means)[:3]
    assert np.all(np.abs(counts[best] - 73_000) < 1000)
    assert means[best].min() >= 4.70


def test_expected_means_leave_popular_movies_alone(
    counts: np.ndarray, means: np.ndarray
) -> None:
    shrunk = marginals.expected_means(means, counts, 1.085)
    assert np.abs(shrunk - means)[:1000].max() < 1e-3
    last = slice(published.POPULARITY_BINS[-1].first - 1, None)
    assert shrunk[last].std() < means[last].std()
    noise = 1.085**2 / counts[last]
    scattered = np.sqrt(shrunk[last].var() + noise.mean())
    assert scattered == pytest.approx(means[last].std(), abs=0.03)


def test_inclusion_brings_out_the_counts(
    counts: np.ndarray, degrees: np.ndarray
) -> None:
    solved = marginals.inclusion(counts, degrees)
    assert solved.shares.sum() == pytest.approx(1.0)
    found = -np.expm1(-np.outer(solved.expected_draws, solved.shares))
    assert found.sum(axis=1) == pytest.approx(solved.degrees, rel=1e-6)
    draws = np.interp(degrees, solved.degrees, solved.expected_draws)
    for movie in (0, 10, 500, 5000, published.MOVIES - 1):
        expected = -np.expm1(-draws * solved.shares[movie]).sum()
        assert expected == pytest.approx(counts[movie], rel=0.005)


@given(
    st.lists(st.integers(1, 30), min_size=3, max_size=8),
    st.lists(st.integers(1, 2), min_size=1, max_size=12),
)
def test_users_are_split_on_the_grid_without_loss(
    counts: list[int], degrees: list[int]
) -> None:
    wanted = np.array(degrees)
    grid, weights = marginals._on_grid(wanted, len(counts))
    assert weights.sum() == pytest.approx(len(degrees))
    assert weights @ grid == pytest.approx(wanted.sum())


@given(st.floats(1.05, 4.95), st.floats(0.3, 1.5))
def test_latent_means_give_the_wanted_mean(wanted: float, spread: float) -> None:
    cuts = np.array([1.5, 2.3, 3.4, 4.5])
    location = marginals.latent_means(np.array([wanted]), cuts, spread)[0]
    levels = (np.arange(20_000) + 0.5) / 20_000
    from scipy.special import ndtri

    numbers = location + spread * ndtri(levels)
    assert 1 + (numbers[:, np.newaxis] > cuts).sum(axis=1).mean() == pytest.approx(
        wanted, abs=2e-3
    )
