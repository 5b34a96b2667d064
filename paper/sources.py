"""Where the ratings of a Netflix trial come from: the look-alike, or the true Prize files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paper.prize_files import prize_files, read_prize
from steadyrank import Ratings
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from paper.array_types import IntArray

SCRIPT_SEED = 124
"""The seed of the authors' script."""

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
    name: str = field(default="Netflix Prize files", kw_only=True)

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.ratings.n_units

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users, drawn by the number of the trial."""
        return ratings_of_users(
            self.ratings, trial_users(self.n_users, number, n=n, seed=self.seed)
        )

    def everybody(self, *, progress: Callable[[int], object] | None = None) -> Ratings:
        """Return all ratings."""
        if progress is not None:
            progress(self.n_users)
        return self.ratings


@dataclass(frozen=True)
class ScriptSource(StoredSource):
    """Ratings in memory, of which trials pick users as the authors' script does.

    One generator draws for all trials in turn, from the users in the order in which they first appear in
    the files.
    """

    first_seen: IntArray
    """The numbers of the users, by first appearance."""

    @classmethod
    def read(cls, folder: Path, files: Sequence[str]) -> ScriptSource:
        """Read a folder of Prize files; the order of ``files`` is the one that the users appear in.

        The script takes them as the operating system happens to list the folder; without any given, they
        are taken by name.
        """
        ratings = read_prize(folder)
        there = [path.name for path in prize_files(folder)]
        if files and sorted(files) != there:
            raise InvalidValueError(
                f"the files there are {', '.join(there)}, but the order given is {', '.join(files)}"
            )
        paths = [folder / name for name in files or there]
        numbers = {
            int(str(user)): number for number, user in enumerate(ratings.user_labels)
        }
        seen = users_by_first_appearance(paths, len(numbers))
        order = np.array([numbers[user] for user in seen])
        return cls(ratings, SCRIPT_SEED, first_seen=order)

    def trial(self, number: int, *, n: int) -> Ratings:
        """Return the ratings of ``n`` different users: the next draw after those of earlier trials."""
        check_sample(n, self.n_users)
        rng = np.random.default_rng(self.seed)
        for _ in range(number + 1):
            drawn = rng.choice(self.n_users, n, replace=False)
        return ratings_of_users(self.ratings, np.sort(self.first_seen[drawn]))


def users_by_first_appearance(paths: Iterable[Path], users: int) -> list[int]:
    """Return the customers in the order in which the lines of the files first name them.

    The files are left once all ``users`` are found.
    """
    seen: dict[int, None] = {}
    for path in paths:
        with path.open(encoding="ascii") as lines:
            for line in lines:
                if len(seen) == users:
                    return list(seen)
                customer, comma, _ = line.partition(",")
                if comma:  # a line without one opens a movie
                    seen[int(customer)] = None
    return list(seen)


def trial_users(users: int, number: int, *, n: int, seed: int) -> IntArray:
    """Return ``n`` different users out of ``users``, in increasing order, by the number of the trial.

    Examples
    --------
    >>> trial_users(100, 0, n=3, seed=1)
    array([38, 39, 59])
    """
    check_sample(n, users)
    rng = np.random.default_rng([seed, TRIAL_STREAM, number])
    return np.sort(rng.choice(users, n, replace=False, shuffle=False))


def check_sample(n: int, users: int) -> None:
    """Refuse a sample that cannot be drawn."""
    if not 1 <= n <= users:
        raise InvalidValueError(
            f"n must be from 1 to {users:,} (the users there are), but is {n!r}."
        )


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
