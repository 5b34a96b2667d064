"""A seeded population that looks like the Netflix Prize data.

480,189 users give about 100 million ratings to 17,770 movies. A user has a number of ratings
from the published quantiles, draws that many different movies, popular ones more often, and
rates each by

    movie's location + user's leniency + noise, cut into 1 to 5 stars

The cut points and the spread are fitted such that the shares of the stars come out; the
location of a movie is solved such that its mean rating does. Every user depends on the seed
and on their own number alone, so a trial makes its 1,000 users without the other 479,189.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from paper import marginals, netflix_figures as published, streams
from paper.drawing import (
    CUTS,
    LENIENCY_SD,
    NOISE_SD,
    Behaviour,
    chosen_movies,
    star_ratings,
)
from paper.sources import trial_users
from steadyrank import Ratings
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from paper.array_types import AnyArray, FloatArray, IntArray

DEFAULT_SEED = 20090921
"""The day the Prize was awarded."""

BLOCK_USERS = 128

_POPULATION = 0


@dataclass(frozen=True)
class Lookalike:
    """A population that looks like the Netflix Prize data; make one by `lookalike_population`.

    Attributes
    ----------
    seed : int
        Everything is reproducible from it.
    counts, means : float arrays
        For each movie, the expected number of ratings and the expected mean rating.
    behaviour : Behaviour
        How the users choose and rate.
    """

    seed: int
    counts: FloatArray
    means: FloatArray
    behaviour: Behaviour = field(repr=False)

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return "look-alike"

    @property
    def degrees(self) -> NDArray[np.int32]:
        """The number of ratings of each user."""
        return self.behaviour.degrees

    @property
    def n_users(self) -> int:
        """The number of users of the population."""
        return len(self.degrees)

    @property
    def n_movies(self) -> int:
        """The number of movies."""
        return len(self.counts)

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial.

        Examples
        --------
        >>> lookalike_population(users=2000, seed=1).trial(0, n=3)
        <Ratings: 3 users, 17,770 items: 0, 1, 2, 3, 4 and 17,765 more>
        """
        return self.ratings_of(trial_users(self.n_users, number, n=n, seed=self.seed))

    def everybody(
        self, *, progress: Callable[[int], object] | None = None, threads: int = 2
    ) -> Ratings:
        """Return the ratings of the whole population: about 100 million, 500 MB.

        ``progress`` is called with the number of users that have been added.
        """
        return self.ratings_of(
            np.arange(self.n_users), threads=threads, progress=progress
        )

    def ratings_of(
        self,
        users: AnyArray,
        *,
        threads: int = 1,
        progress: Callable[[int], object] | None = None,
    ) -> Ratings:
        """Return the ratings of the given users, the same whoever else is asked for."""
        users = _checked_users(users, self.n_users)
        indptr = np.zeros(len(users) + 1, dtype=np.int64)
        np.cumsum(self.degrees[users], out=indptr[1:])
        rated = np.empty(indptr[-1], dtype=np.int32)
        values = np.empty(indptr[-1], dtype=np.int8)

        def fill(rows: slice) -> int:
            block = users[rows]
            place = slice(indptr[rows.start], indptr[rows.stop])
            rated[place] = chosen_movies(self.behaviour, block)
            values[place] = star_ratings(self.behaviour, block, rated[place])
            return len(block)

        with ThreadPoolExecutor(max_workers=threads) as pool:
            for done in pool.map(fill, _row_blocks(len(users))):
                if progress is not None:
                    progress(done)
        return Ratings.from_csr(indptr, rated, values, items=self.n_movies)


def lookalike_population(
    *, users: int = published.USERS, seed: int = DEFAULT_SEED
) -> Lookalike:
    """Make a population that looks like the Netflix Prize data.

    This only prepares it (about a second): ratings are made when they are asked for.

    Parameters
    ----------
    users : int
        A smaller population keeps the distribution of ratings per user; movies have
        proportionally fewer ratings.
    seed : int
        Everything is reproducible from it.

    Examples
    --------
    >>> population = lookalike_population(users=2000, seed=1)
    >>> ratings = population.everybody()
    >>> [round(float(np.mean(ratings.values == star)), 2) for star in (1, 2, 3, 4, 5)]
    [0.05, 0.1, 0.29, 0.34, 0.23]
    """
    if users < 1:
        raise InvalidValueError(f"users must be at least 1, but is {users!r}.")
    rng = np.random.default_rng([seed, _POPULATION])
    counts = marginals.movie_counts()
    means = marginals.movie_means(counts, rng)
    wanted = marginals.expected_means(means, counts, published.SD_RATING)
    degrees = rng.permutation(marginals.user_degrees(users))
    solved = marginals.inclusion(counts, degrees)
    spread = float(np.hypot(LENIENCY_SD, NOISE_SD))
    locations = marginals.latent_means(wanted, np.array(CUTS), spread)
    # Movies are numbered at random, since ties are broken by number.
    codes = rng.permutation(len(counts))
    shares = _placed(solved.shares, codes)
    behaviour = Behaviour(
        seed=seed,
        degrees=degrees,
        expected_draws=np.interp(degrees, solved.degrees, solved.expected_draws),
        shares=shares,
        table=streams.alias_table(shares),
        locations=_placed(locations, codes).astype(np.float32),
    )
    scale = float(degrees.sum(dtype=np.int64)) / counts.sum()
    return Lookalike(
        seed, _placed(counts * scale, codes), _placed(wanted, codes), behaviour
    )


def _checked_users(users: AnyArray, n_users: int) -> IntArray:
    numbers = np.asarray(users)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise InvalidValueError(
            "users must be a list of whole numbers, but has "
            f"{numbers.ndim} dimensions and type {numbers.dtype}."
        )
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n_users:
        raise InvalidValueError(
            f"users must be numbers from 0 to {n_users - 1:,}, "
            f"but reach from {numbers.min():,} to {numbers.max():,}."
        )
    return numbers.astype(np.int64)


def _placed(values: FloatArray, codes: IntArray) -> FloatArray:
    placed = np.empty_like(values)
    placed[codes] = values
    return placed


def _row_blocks(rows: int) -> Iterator[slice]:
    for start in range(0, rows, BLOCK_USERS):
        yield slice(start, min(start + BLOCK_USERS, rows))
