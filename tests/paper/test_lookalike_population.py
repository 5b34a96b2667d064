"""The outcome, all 100 million ratings, beside the published figures."""

from __future__ import annotations

import numpy as np
import pytest

from paper import netflix_figures as published
from paper.lookalike import Lookalike, RatingTable, lookalike_population


@pytest.fixture(scope="module")
def population() -> Lookalike:
    return lookalike_population()


@pytest.fixture(scope="module")
def table(population: Lookalike) -> RatingTable:
    return population.everybody()


@pytest.fixture(scope="module")
def counts(table: RatingTable) -> np.ndarray:
    return np.bincount(table.rated, minlength=published.MOVIES)


@pytest.fixture(scope="module")
def means(table: RatingTable, counts: np.ndarray) -> np.ndarray:
    return np.bincount(table.rated, table.values, published.MOVIES) / counts


def test_size(table: RatingTable) -> None:
    assert len(table.users) == published.USERS
    assert len(table.values) == published.RATINGS


def test_stars(table: RatingTable) -> None:
    shares = np.bincount(table.values, minlength=6)[1:] / len(table.values)
    assert shares == pytest.approx(np.array(published.STAR_SHARES), abs=0.001)
    assert table.values.mean() == pytest.approx(published.MEAN_RATING, abs=0.002)
    assert table.values.std() == pytest.approx(published.SD_RATING, abs=0.003)


def test_ratings_per_movie(population: Lookalike, counts: np.ndarray) -> None:
    assert counts.max() == pytest.approx(published.MOVIE_MAX_COUNT, rel=0.005)
    # The expectation of the least popular movie is 3; what comes out scatters about it.
    assert 0 < counts.min() <= 2 * published.MOVIE_MIN_COUNT
    assert counts.std() == pytest.approx(published.MOVIE_SD_COUNT, rel=0.005)
    for level, count in published.MOVIE_COUNT_QUARTILES:
        assert np.quantile(counts, level) == pytest.approx(count, rel=0.01)
    ordered = np.sort(counts)[::-1]
    for b in published.POPULARITY_BINS:
        assert ordered[b.first - 1] == pytest.approx(b.count_first, rel=0.01)
        assert ordered[b.last - 1] == pytest.approx(b.count_last, rel=0.01, abs=3)
    z = (counts - population.counts) / np.sqrt(population.counts)
    assert np.sqrt(np.mean(z**2)) == pytest.approx(1.0, abs=0.05)


def test_movie_means(counts: np.ndarray, means: np.ndarray) -> None:
    assert means.mean() == pytest.approx(published.MOVIE_MEAN_OF_MEANS, abs=0.005)
    assert means.std() == pytest.approx(published.MOVIE_SD_OF_MEANS, abs=0.005)
    for level, mean in published.MOVIE_MEAN_QUARTILES:
        assert np.quantile(means, level) == pytest.approx(mean, abs=0.015)
    order = np.argsort(-counts)
    for b in published.POPULARITY_BINS:
        found = np.quantile(means[order[b.first - 1 : b.last]], published.MEAN_QUANTILES)
        # The extremes are single movies, and a bin border moves a few of 40 movies.
        allowed = np.array([0.1, *[0.06] * 7, 0.1])
        assert np.all(np.abs(found - b.means) < allowed), b


def test_favourites(counts: np.ndarray, means: np.ndarray) -> None:
    best = np.argsort(-means)[:3]
    assert np.all((means[best] > 4.69) & (means[best] < 4.735))
    assert counts[best] == pytest.approx(np.full(3, 73_000), rel=0.01)
