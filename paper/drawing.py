"""How a look-alike user chooses movies and rates them, for a block of users at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paper import streams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paper.array_types import AnyArray, BoolArray, FloatArray, IntArray
    from paper.streams import KeyArray

CUTS = (1.5, 2.288, 3.381, 4.5)
LENIENCY_SD = 0.444
NOISE_SD = 1.0545
"""Fitted to the published shares of stars, which the tests compare."""

KEYED_DRAWS = 16_000.0
"""From here on, drawing until enough different movies are found costs more than one arrival
time for each movie, which gives the same distribution."""

_CHOICES, _RATINGS, _LENIENCY = range(1, 4)


@dataclass(frozen=True)
class Behaviour:
    """What the users of a population have in common, and how much each of them rates.

    Attributes
    ----------
    seed : int
        Everything is reproducible from it.
    degrees, expected_draws : arrays (users,)
        How many movies each user rates, and about how many draws it takes to find them.
    shares : float array (movies,)
        How likely each movie is to be the next one drawn.
    table : array
        The alias table of the shares.
    locations : array (movies,)
        Where each movie stands before its liking is cut into stars.
    keyed_from : float
        Who needs more draws than this is given arrival times instead.
    """

    seed: int
    degrees: NDArray[np.int32]
    expected_draws: FloatArray
    shares: FloatArray
    table: NDArray[np.uint32]
    locations: NDArray[np.float32]
    keyed_from: float = KEYED_DRAWS

    @property
    def n_movies(self) -> int:
        """The number of movies."""
        return len(self.shares)


def chosen_movies(behaviour: Behaviour, users: IntArray) -> AnyArray:
    """Return the movies of each user, one user after the other, in increasing order."""
    keys = streams.stream_keys(behaviour.seed, _CHOICES, users)
    heavy = behaviour.expected_draws[users] > behaviour.keyed_from
    cells = [
        row * behaviour.n_movies
        + _keyed_choice(behaviour, keys[row : row + 1], int(degree))
        for row, degree in zip(
            np.flatnonzero(heavy), behaviour.degrees[users[heavy]], strict=True
        )
    ]
    cells += _drawn_choices(behaviour, users, keys, np.flatnonzero(~heavy))
    chosen = np.sort(np.concatenate(cells).astype(np.int32))
    first_cells = np.arange(len(users), dtype=np.int32) * np.int32(behaviour.n_movies)
    return chosen - np.repeat(first_cells, behaviour.degrees[users])


def _keyed_choice(behaviour: Behaviour, key: KeyArray, degree: int) -> IntArray:
    # The first d different movies of repeated draws are those with the d earliest arrival times,
    # exponential with the movies' shares as rates.
    bits = streams.stream_bits(key, np.arange(behaviour.n_movies))
    arrivals = -np.log(streams.uniforms(bits)) / behaviour.shares
    if degree == len(arrivals):
        return np.arange(degree)
    return np.argpartition(arrivals, degree)[:degree]


def _drawn_choices(
    behaviour: Behaviour, users: IntArray, keys: KeyArray, rows: IntArray
) -> list[IntArray]:
    """Return row * movies + movie for the first d different movies that each user draws."""
    found = []
    draws = behaviour.expected_draws[users]
    slack = 2.5
    while len(rows):
        pairs = ((draws[rows] + slack * np.sqrt(draws[rows]) + 3) / 2).astype(np.int64)
        cells, different = _draw(behaviour, keys, rows, pairs, behaviour.degrees[users])
        found.append(cells[np.isin(cells // behaviour.n_movies, rows[different])])
        # Who has not enough draws more of the same stream: the result does not depend on slack.
        rows = rows[~different]
        slack *= 4
    return found


def _draw(
    behaviour: Behaviour,
    keys: KeyArray,
    rows: IntArray,
    pairs: IntArray,
    degrees: AnyArray,
) -> tuple[IntArray, BoolArray]:
    movies = behaviour.n_movies
    owner = np.repeat(np.arange(len(rows)), pairs)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    bits = streams.stream_bits(keys[rows][owner], place).astype("<u8", copy=False)
    drawn = streams.draw_from_table(behaviour.table, bits.view("<u4"))
    owner = np.repeat(owner, 2)
    cells = owner * movies + drawn
    new = _first_occurrences(cells, len(rows) * movies)
    seen = np.cumsum(new)
    last = np.cumsum(2 * pairs) - 1
    before = np.concatenate(([0], seen[last[:-1]]))
    wanted = degrees[rows]
    kept = new & (seen <= (before + wanted)[owner])
    enough = seen[last] - before >= wanted
    return cells[kept] + (rows[owner[kept]] - owner[kept]) * movies, enough


def _first_occurrences(cells: IntArray, size: int) -> BoolArray:
    order = np.arange(len(cells), dtype=np.int32)
    earliest = np.empty(size, dtype=np.int32)
    earliest[cells] = len(cells)
    np.minimum.at(earliest, cells, order)
    return np.asarray(earliest[cells] == order)


def star_ratings(
    behaviour: Behaviour, users: IntArray, rated: AnyArray
) -> NDArray[np.int8]:
    """Return the stars that the users give to the movies that they have chosen."""
    degrees = behaviour.degrees[users]
    keys = streams.stream_keys(behaviour.seed, _RATINGS, users)
    leniency = streams.normals(streams.stream_keys(behaviour.seed, _LENIENCY, users))
    liking = behaviour.locations[rated]
    liking += np.repeat(np.float32(LENIENCY_SD) * leniency, degrees)
    noise = streams.normals(streams.stream_bits(np.repeat(keys, degrees), rated))
    liking += np.float32(NOISE_SD) * noise
    stars = np.ones(len(rated), dtype=np.int8)
    for cut in CUTS:
        stars += liking > np.float32(cut)
    return stars
