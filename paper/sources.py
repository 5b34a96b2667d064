"""Where the ratings of a Netflix trial come from: the look-alike, or the true Prize files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paper.lookalike import DEFAULT_SEED, Lookalike, lookalike_population, trial_users
from steadyrank.data import Ratings

if TYPE_CHECKING:
    from collections.abc import Callable

    from paper.array_types import IntArray
    from paper.lookalike import RatingTable


class RatingsSource(Protocol):
    """A population of users, of which a trial takes some."""

    @property
    def name(self) -> str:
        """What to call it in a report."""
        ...

    @property
    def seed(self) -> int:
        """Draws the users of the trials."""
        ...

    @property
    def n_users(self) -> int:
        """How many users there are."""
        ...

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial."""
        ...

    def everybody(self, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return all ratings there are."""
        ...


@dataclass(frozen=True)
class LookalikeSource:
    """The seeded look-alike of the Prize data: each trial makes the ratings of its users.

    Examples
    --------
    >>> LookalikeSource.of(users=3000, seed=1).trial(0, n=100)
    <Ratings: 100 user units, 17,770 items>
    """

    population: Lookalike = field(repr=False)

    @classmethod
    def of(cls, *, seed: int = DEFAULT_SEED, **settings: Any) -> LookalikeSource:
        """Prepare a population; the settings are those of `lookalike_population`."""
        return cls(lookalike_population(seed=seed, **settings))

    @property
    def name(self) -> str:
        """What to call it in a report."""
        return "look-alike"

    @property
    def seed(self) -> int:
        """Makes the population, and draws the users of the trials."""
        return self.population.seed

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.population.n_users

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial."""
        return as_ratings(self.population.trial(number, n=n))

    def everybody(self, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return the ratings of the whole population."""
        return as_ratings(self.population.everybody(progress=progress))


@dataclass(frozen=True)
class StoredSource:
    """Ratings that are all in memory: trials pick users from them."""

    ratings: Ratings
    seed: int = DEFAULT_SEED
    name: str = "Netflix Prize files"

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.ratings.n_units

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial."""
        return ratings_of_users(self.ratings, trial_users(self.n_users, number, n=n, seed=self.seed))

    def everybody(self, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return all ratings."""
        if progress is not None:
            progress(self.n_users)
        return self.ratings


def as_ratings(table: RatingTable) -> Ratings:
    """Return the ratings of look-alike users as data for an audit."""
    return Ratings.from_csr(table.indptr, table.rated, table.values, items=table.n_movies)


def ratings_of_users(ratings: Ratings, users: IntArray) -> Ratings:
    """Return the ratings of some of the users, over the same items.

    Examples
    --------
    >>> all_of_them = Ratings.from_csr([0, 2, 3, 4], [0, 1, 1, 0], [4, 5, 3, 1], items=2)
    >>> ratings_of_users(all_of_them, np.array([0, 2])).values
    array([4, 5, 1], dtype=int8)
    """
    starts, lengths = ratings.indptr[users], np.diff(ratings.indptr)[users]
    indptr = np.append(0, np.cumsum(lengths))
    places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)
    return Ratings.from_csr(
        indptr,
        ratings.rated[places],
        ratings.values[places],
        items=ratings.items,
        users=np.asarray(ratings.user_labels)[users].tolist(),
    )
