"""Where the ratings of a Netflix trial come from: the look-alike, or the true Prize files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from steadyrank import Ratings
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from paper.array_types import IntArray

TRIAL_STREAM = 4
"""Sets the random numbers that pick users apart from those that make them."""


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

    def everybody(self, *, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return all ratings there are."""
        ...


@dataclass(frozen=True)
class StoredSource:
    """Ratings that are all in memory: trials pick users from them."""

    ratings: Ratings
    seed: int
    name: str = "Netflix Prize files"

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.ratings.n_units

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial."""
        return ratings_of_users(self.ratings, trial_users(self.n_users, number, n=n, seed=self.seed))

    def everybody(self, *, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return all ratings."""
        if progress is not None:
            progress(self.n_users)
        return self.ratings


def trial_users(users: int, number: int, *, n: int, seed: int) -> IntArray:
    """Return ``n`` different users out of ``users``, in increasing order, by the number of the trial.

    Examples
    --------
    >>> trial_users(100, 0, n=3, seed=1)
    array([38, 39, 59])
    """
    if not 1 <= n <= users:
        raise InvalidValueError(f"n must be from 1 to {users:,} (the users there are), but is {n!r}.")
    rng = np.random.default_rng([seed, TRIAL_STREAM, number])
    return np.sort(rng.choice(users, n, replace=False, shuffle=False))


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
