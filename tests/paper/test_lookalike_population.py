"""The look-alike beside the published figures.

What 100 million ratings add up to is compared in expectation, without their noise; that ratings behave
as expected is seen on those of every tenth user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.special import ndtr

from paper import drawing, netflix_figures as published

if TYPE_CHECKING:
    from paper.lookalike import Lookalike
    from steadyrank import Ratings

SHARE = 0.1


@pytest.fixture(scope="module")
def sample(population: Lookalike) -> Ratings:
    return population.ratings_of(
        np.arange(0, population.n_users, round(1 / SHARE)), threads=2
    )


@pytest.fixture(scope="module")
def counts(sample: Ratings) -> np.ndarray:
    return np.bincount(sample.rated, minlength=published.MOVIES)


@pytest.fixture(scope="module")
def star_shares(population: Lookalike) -> np.ndarray:
    """The probability of each number of stars, movie by movie."""
    spread = np.hypot(drawing.LENIENCY_SD, drawing.NOISE_SD)
    cuts = np.array(drawing.CUTS)[:, np.newaxis]
    above = 1 - ndtr(
        (cuts - population.behaviour.locations.astype(np.float64)) / spread
    )
    return -np.diff(above, axis=0, prepend=1.0, append=0.0)


@pytest.fixture(scope="module")
def rating_sd(star_shares: np.ndarray) -> np.ndarray:
    stars = np.array(published.STARS)
    return np.sqrt(stars**2 @ star_shares - (stars @ star_shares) ** 2)


@pytest.fixture(scope="module")
def outcomes(population: Lookalike, star_shares: np.ndarray) -> np.ndarray:
    """Means as they may come out for everybody: those of as many stars as a movie has ratings."""
    counts = np.rint(population.counts).astype(np.int64)
    rng = np.random.default_rng(1)
    drawn = [
        rng.multinomial(counts, star_shares.T) @ np.array(published.STARS)
        for _ in range(9)
    ]
    return np.array(drawn) / counts


@pytest.fixture(scope="module")
def outcome_means(outcomes: np.ndarray) -> np.ndarray:
    return outcomes[0]


def by_popularity(population: Lookalike) -> list[np.ndarray]:
    order = np.argsort(-population.counts)
    return [order[b.first - 1 : b.last] for b in published.POPULARITY_BINS]


def test_size(population: Lookalike) -> None:
    assert population.n_users == published.USERS
    assert population.degrees.sum(dtype=np.int64) == published.RATINGS
    assert population.counts.sum() == pytest.approx(published.RATINGS)


def test_stars(population: Lookalike, star_shares: np.ndarray) -> None:
    shares = np.average(star_shares, axis=1, weights=population.counts)
    assert shares == pytest.approx(np.array(published.STAR_SHARES), abs=0.001)
    stars = np.array(published.STARS)
    assert stars @ shares == pytest.approx(published.MEAN_RATING, abs=0.002)
    assert np.sqrt(stars**2 @ shares - (stars @ shares) ** 2) == pytest.approx(
        published.SD_RATING, abs=0.003
    )


def test_ratings_per_movie(population: Lookalike) -> None:
    counts = np.sort(population.counts)[::-1]
    assert counts[0] == pytest.approx(published.MOVIE_MAX_COUNT, rel=0.005)
    assert counts[-1] == pytest.approx(published.MOVIE_MIN_COUNT, rel=0.005)
    assert counts.std() == pytest.approx(published.MOVIE_SD_COUNT, rel=0.005)
    for level, count in published.MOVIE_COUNT_QUARTILES:
        assert np.quantile(counts, level) == pytest.approx(count, rel=0.01)
    for b in published.POPULARITY_BINS:
        assert counts[b.first - 1] == pytest.approx(b.count_first, rel=0.01)
        assert counts[b.last - 1] == pytest.approx(b.count_last, rel=0.01)


def test_movie_means(
    population: Lookalike, outcomes: np.ndarray, outcome_means: np.ndarray
) -> None:
    assert outcome_means.mean() == pytest.approx(
        published.MOVIE_MEAN_OF_MEANS, abs=0.005
    )
    assert outcome_means.std() == pytest.approx(published.MOVIE_SD_OF_MEANS, abs=0.005)
    for level, mean in published.MOVIE_MEAN_QUARTILES:
        assert np.quantile(outcome_means, level) == pytest.approx(mean, abs=0.015)
    for b, members in zip(
        published.POPULARITY_BINS, by_popularity(population), strict=True
    ):
        # The extremes are single movies, of few ratings in the last bins: hence the median of draws.
        drawn = np.quantile(outcomes[:, members], published.MEAN_QUANTILES, axis=1)
        found = np.median(drawn, axis=1)
        allowed = np.array([0.12, *[0.04] * 7, 0.12])
        assert np.all(np.abs(found - b.means) < allowed), b


def test_favourites(population: Lookalike, outcome_means: np.ndarray) -> None:
    best = np.argsort(-outcome_means)[:3]
    assert np.all((outcome_means[best] > 4.69) & (outcome_means[best] < 4.735))
    assert population.counts[best] == pytest.approx(np.full(3, 73_000), rel=0.01)


def test_the_sample_counts_what_is_expected(
    population: Lookalike, sample: Ratings, counts: np.ndarray
) -> None:
    assert len(sample.values) == pytest.approx(SHARE * published.RATINGS, rel=0.02)
    expected = population.counts * len(sample.values) / published.RATINGS
    z = (counts - expected) / np.sqrt(expected)
    assert np.sqrt(np.mean(z**2)) == pytest.approx(1.0, abs=0.05)
    for members in by_popularity(population):
        together = expected[members].sum()
        assert counts[members].sum() == pytest.approx(
            together, rel=0.005, abs=4 * np.sqrt(together)
        )


def test_the_sample_rates_as_expected(
    population: Lookalike,
    sample: Ratings,
    counts: np.ndarray,
    star_shares: np.ndarray,
    rating_sd: np.ndarray,
) -> None:
    # Users differ in leniency, so that shares of stars scatter more than independent ratings do.
    shares = np.bincount(sample.values, minlength=6)[1:] / len(sample.values)
    assert shares == pytest.approx(star_shares @ counts / counts.sum(), abs=0.003)
    often = counts >= 30
    means = (
        np.bincount(sample.rated, sample.values, published.MOVIES)[often]
        / counts[often]
    )
    z = (means - population.means[often]) / (rating_sd[often] / np.sqrt(counts[often]))
    assert np.sqrt(np.mean(z**2)) == pytest.approx(1.0, abs=0.05)
