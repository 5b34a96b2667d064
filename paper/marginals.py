"""Curves through the published figures: ratings per user, per movie, and movies' means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paper import netflix_figures as published

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paper.array_types import AnyArray, FloatArray

# Between two published points a curve may bend. How much it bends is fitted once, so that the
# published totals and standard deviations come out too; the tests hold them.
DEGREE_BEND = 0.64
TOP_MOVIES = 600
TOP_BEND = 0.634
OTHER_BEND = -0.268
LEAST_POPULAR_DROP = 40
MEANS_TAIL_POWER = 4.3


def user_degrees(users: int) -> NDArray[np.int32]:
    """Return the number of ratings of each user, fewest first.

    Straight lines and a smooth curve through the logarithm of the published quantiles,
    blended so that the published mean comes out; with all users of the Prize data the total
    is met exactly. A smaller population takes evenly spaced users of the same curve.
    """
    from scipy.interpolate import PchipInterpolator

    once = published.USERS_WITH_ONE_RATING / published.USERS
    fewer = published.USERS_WITH_FEWER_THAN_TEN / published.USERS
    inner = published.USER_COUNT_QUANTILES
    # Counts are whole, so the border between 1 and 2 lies at 1.5, that between 9 and 10 at 9.5.
    levels = np.array(
        [0.0, once, fewer, *(level for level, _ in inner), 1 - 0.5 / published.USERS]
    )
    counts = np.array(
        [1.0, 1.5, 9.5, *(count for _, count in inner), published.USER_MAX_COUNT]
    )
    knots, heights = -np.log1p(-levels), np.log(counts)
    places = -np.log1p(-(np.arange(users) + 0.5) / users)
    straight = np.interp(places, knots, heights)
    smooth = PchipInterpolator(knots, heights)(places)
    curve = np.exp(straight + DEGREE_BEND * (smooth - straight))
    degrees = np.asarray(np.rint(curve), dtype=np.int32)
    if users == published.USERS:
        _meet_total(degrees, published.RATINGS)
    return degrees


def _meet_total(degrees: NDArray[np.int32], total: int) -> None:
    missing = total - int(degrees.sum(dtype=np.int64))
    # One rating more or less for evenly spaced users of the upper half, where it is least felt.
    upper = np.linspace(
        len(degrees) // 2, len(degrees) - 1, abs(missing), endpoint=False
    )
    degrees[upper.astype(np.int64)] += np.sign(missing)


def movie_counts() -> FloatArray:
    """Return the published popularity curve: ratings of each movie, most popular first."""
    places = np.arange(1, published.MOVIES + 1, dtype=np.float64)
    points = [
        (edge, count) for b in published.POPULARITY_BINS for edge, count in _edges(b)
    ]
    points += [
        (1 + (1 - level) * (published.MOVIES - 1), count)
        for level, count in published.MOVIE_COUNT_QUARTILES
    ]
    knots, counts = np.array(sorted(points)).T
    by_place = np.interp(places, knots, np.log(counts))
    by_log_place = np.interp(np.log(places), np.log(knots), np.log(counts))
    bend = np.where(places <= TOP_MOVIES, TOP_BEND, OTHER_BEND)
    curve = np.asarray(np.exp(by_place + bend * (by_log_place - by_place)))
    tail = _least_popular()
    curve[-len(tail) :] = tail
    return curve


def _edges(popularity: published.PopularityBin) -> list[tuple[float, int]]:
    return [
        (popularity.first, popularity.count_first),
        (popularity.last, popularity.count_last),
    ]


def _least_popular() -> FloatArray:
    # A straight fall to the minimum would give a thousand movies with fewer than ten ratings.
    # The curve keeps its slope instead, and falls to the minimum over the last few movies.
    before, last = published.POPULARITY_BINS[-2:]
    slope = np.log(before.count_last / before.count_first) / (before.size - 1)
    way = np.arange(last.size) / (last.size - 1)
    gentle = slope * (last.size - 1)
    drop = np.log(last.count_last / last.count_first) - gentle
    return np.asarray(
        last.count_first * np.exp(gentle * way + drop * way**LEAST_POPULAR_DROP)
    )


def movie_means(counts: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return a mean rating for each movie, most popular first.

    Within a bin of popularity the means follow the published quantiles. Their order is
    shuffled with a slight preference for popular movies, such that the mean over all ratings
    comes out, and the three favourites get their published popularity.
    """
    noise = [rng.permutation(b.size) / b.size for b in published.POPULARITY_BINS]
    low, high = 0.0, 1.0
    for _ in range(20):
        preference = (low + high) / 2
        means = _arranged(noise, preference)
        if np.average(means, weights=counts) < _PRECISE_MEAN:
            low = preference
        else:
            high = preference
    return means


_PRECISE_MEAN = float(np.dot(published.STARS, published.STAR_SHARES))


def _arranged(noise: list[FloatArray], preference: float) -> FloatArray:
    parts = []
    for popularity, shuffled in zip(published.POPULARITY_BINS, noise, strict=True):
        sorted_means = _bin_means(popularity)
        standing = shuffled - preference * np.linspace(0, 1, popularity.size)
        shuffled_means = sorted_means[np.argsort(np.argsort(standing))]
        parts.append(_with_favourites(popularity, shuffled_means))
    return np.concatenate(parts)


def _bin_means(popularity: published.PopularityBin) -> FloatArray:
    levels, points = np.array(published.MEAN_QUANTILES), np.array(popularity.means)
    places = (np.arange(popularity.size) + 0.5) / popularity.size
    means = np.interp(places, levels, points)
    # The extremes are outliers: outside the 5 % and 95 % points the means hug those points.
    for end, tail, way in (
        (0, places < levels[1], 1 - places / levels[1]),
        (-1, places > levels[-2], (places - levels[-2]) / (1 - levels[-2])),
    ):
        border = points[1] if end == 0 else points[-2]
        reach = way[tail] / way[tail].max()
        means[tail] = border + (points[end] - border) * reach**MEANS_TAIL_POWER
    return np.asarray(means)


def _with_favourites(
    popularity: published.PopularityBin, means: FloatArray
) -> FloatArray:
    """Give the best means of the bin to the places of the favourites; the rest keep their order."""
    members = range(popularity.first, popularity.last + 1)
    inside = [(place, mean) for place, mean in published.FAVOURITES if place in members]
    taken = np.zeros(len(means), dtype=bool)
    taken[[place - popularity.first for place, _ in inside]] = True
    best = np.argsort(means)[len(means) - len(inside) :]
    arranged = np.empty_like(means)
    arranged[taken] = [mean for _, mean in inside]
    arranged[~taken] = np.delete(means, best)
    return arranged


def expected_means(
    means: FloatArray, counts: FloatArray, rating_sd: float
) -> FloatArray:
    """Return what a movie's mean must be in expectation for ``means`` to describe the outcome.

    The mean of a few ratings scatters around its expectation, so the expectations of seldom
    rated movies must lie closer together than the published means.
    """
    shrunk = means.copy()
    for popularity in published.POPULARITY_BINS:
        members = slice(popularity.first - 1, popularity.last)
        centre, spread = means[members].mean(), means[members].var()
        kept = np.sqrt(np.maximum(0.0, 1 - rating_sd**2 / counts[members] / spread))
        shrunk[members] = centre + (means[members] - centre) * kept
    return shrunk


@dataclass(frozen=True)
class Inclusion:
    """How users choose movies.

    A user with d ratings draws movies with ``shares`` until d different ones are found.
    ``expected_draws`` are the draws that takes, for each of the ``degrees``.
    """

    shares: FloatArray
    degrees: FloatArray
    expected_draws: FloatArray


def inclusion(counts: FloatArray, degrees: AnyArray, *, rounds: int = 40) -> Inclusion:
    """Solve for the shares with which movies are drawn such that the counts come out.

    A movie that half of the heavy users have rated must be drawn more often than in
    proportion to its count, since a second draw by the same user adds nothing. With ``t``
    draws a movie of share p is found with probability ``1 - exp(-t p)``; ``t`` is solved for
    each degree, the shares for each movie, in turns, until both sides agree.

    Examples
    --------
    >>> solved = inclusion(np.array([9.0, 4.0, 2.0]), np.array([1] * 5 + [2] * 5))
    >>> solved.shares.round(2)
    array([0.88, 0.08, 0.03])
    """
    grid, weights = _on_grid(degrees, len(counts))
    shares = counts / counts.sum()
    wanted = counts * (float(degrees.sum(dtype=np.int64)) / counts.sum())
    draws = grid.copy()
    for _ in range(rounds):
        draws = _draws_for(grid, shares, draws, steps=2)
        found = -np.expm1(-np.outer(draws, shares))
        shares = shares * (wanted / (weights @ found))
        total = shares.sum()
        shares, draws = shares / total, draws * total
    return Inclusion(shares, grid, _draws_for(grid, shares, draws, steps=4))


def _draws_for(
    grid: FloatArray, shares: FloatArray, draws: FloatArray, steps: int
) -> FloatArray:
    # Newton on the logarithm of the draws: the number found is increasing and concave in them.
    for _ in range(steps):
        missed = np.exp(-np.outer(draws, shares))
        found = missed.shape[1] - missed.sum(axis=1)
        rate = missed @ shares
        draws = draws * np.exp(np.clip((grid - found) / (rate * draws), -1.0, 1.0))
    return draws


def _on_grid(degrees: AnyArray, movies: int) -> tuple[FloatArray, FloatArray]:
    """Split every user between two neighbours of a grid, such that the total stays exact."""
    largest = min(int(degrees.max()), movies)
    grid = np.unique(np.rint(np.geomspace(1, largest, 60))).astype(np.float64)
    if len(grid) == 1:
        return grid, np.array([float(len(degrees))])
    upper = np.clip(np.searchsorted(grid, degrees), 1, len(grid) - 1)
    share = (degrees - grid[upper - 1]) / (grid[upper] - grid[upper - 1])
    weights = np.bincount(upper, share, len(grid)) + np.bincount(
        upper - 1, 1 - share, len(grid)
    )
    return grid, np.asarray(weights, dtype=np.float64)


def latent_means(wanted: FloatArray, cuts: FloatArray, spread: float) -> FloatArray:
    """Return the location at which a normal number, cut into stars, has the wanted mean."""
    from scipy.special import ndtr

    grid = np.linspace(-10.0, 16.0, 8001)
    mean = 1 + np.sum(1 - ndtr((cuts[:, np.newaxis] - grid) / spread), axis=0)
    return np.asarray(np.interp(wanted, mean, grid))
