"""Who beats whom: Copeland scores and Condorcet winners, from the margins of all pairs of items.

The margin of one item over another is how many ballots put it ahead less how many put it behind, or how
many of their battles it won less how many it lost. A unit that leaves takes its own margins along: only
the items that it compares are looked at again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.data.ballots import Ballots
from steadyrank.data.observations import shares_of
from steadyrank.scorers.base import LeaveOneOut, RowsOut, Scorer, check_several
from steadyrank.scorers.sensitivity import UnitShares, size_of_all
from steadyrank.scorers.voting import Borda
from steadyrank.sums.blocks import segment_sums

MANY = 1 << 62
"""More than any margin: that of an item over itself."""

ROOM = 1 << 22
"""How many margins of units are computed at a time: 32 MB."""


@dataclass(frozen=True)
class Compared:
    """What units say of pairs of items, in whole parts of a person.

    Parameters
    ----------
    sizes : int array (units,)
        How large each distinct unit is.
    totals : int array (items, items)
        The margins of all units together.
    most : int
        How many items a unit compares at most.
    margins : callable
        From a range of units to the items that each compares, (units, items, their margins over all).
    """

    sizes: IntArray
    totals: IntArray
    most: int
    margins: Callable[[slice], tuple[IntArray, IntArray, IntArray]]


def of_ballots(data: Ballots) -> Compared:
    """Compare all items: those that a ballot does not list are behind all that it does, and tied."""
    shares = shares_of(data)
    order = np.argsort(shares.unit, kind="stable")
    rows, unit, times = (
        part[order] for part in (shares.rows, shares.unit, shares.parts)
    )
    place = np.full((len(data.counts), data.n_items), data.n_items)
    place[np.repeat(np.arange(len(place)), np.diff(data.indptr)), data.ranked] = (
        data.levels
    )
    place, starts = place[rows], np.searchsorted(unit, np.arange(len(data.units) + 1))
    alone, every = bool((np.diff(starts) == 1).all()), times * data.units.counts[unit]

    def margins(units: slice) -> tuple[IntArray, IntArray, IntArray]:
        some, ends = (
            slice(starts[units.start], starts[units.stop]),
            starts[units.start : units.stop + 1],
        )
        ahead = (np.sign(place[some] - one[:, np.newaxis]) for one in place[some].T)
        by_item = [over * times[some, np.newaxis] for over in ahead]
        if not alone:
            by_item = [segment_sums(over, ends - some.start) for over in by_item]
        given = np.stack(by_item, axis=1)
        return *np.divmod(
            np.arange(len(given) * data.n_items), data.n_items
        ), np.concatenate(given)

    totals = np.stack([every @ np.sign(place - one[:, np.newaxis]) for one in place.T])
    return Compared(segment_sums(times, starts), totals, data.n_items, margins)


def of_battles(data: Any) -> Compared:
    """Compare those that met."""
    pairs, items = data.unit_pairs, data.n_items
    wins, ties = np.rint(
        np.stack([pairs.wins, pairs.ties]) * shares_of(data).scale
    ).astype(np.int64)
    unit = np.repeat(np.arange(len(data.units)), np.diff(pairs.indptr))
    most = min(items, 2 * int(np.diff(pairs.indptr).max(initial=1)))

    def margins(units: slice) -> tuple[IntArray, IntArray, IntArray]:
        some = slice(pairs.indptr[units.start], pairs.indptr[units.stop])
        one, other = pairs.winner[some], pairs.loser[some]
        keys = (unit[some] - units.start) * items + np.stack([one, other])
        touched, place = np.unique(keys, return_inverse=True)
        given = np.zeros((len(touched), items), dtype=np.int64)
        by = np.stack([wins[some], -wins[some]])
        np.add.at(given, (place.reshape(keys.shape), np.stack([other, one])), by)
        return *np.divmod(touched, items), given

    totals = np.zeros((items, items), dtype=np.int64)
    np.add.at(totals, (pairs.winner, pairs.loser), wins * data.units.counts[unit])
    return Compared(
        segment_sums(wins + ties, pairs.indptr), totals - totals.T, most, margins
    )


class Pairwise(Scorer):
    """Scores that follow from the margins between all pairs of items."""

    takes = ("ballots", "battles")
    _shares = False

    @abstractmethod
    def worth(self, margins: IntArray, items: IntArray) -> IntArray:
        """Return what rows of margins are worth, of one item each."""

    @abstractmethod
    def shares(self, worth: IntArray, size: Any) -> FloatArray:
        """Return the scores, where comparisons are out of so many."""

    def score(self, data: Any) -> FloatArray:
        """Return the score of each item."""
        compared = self._compared(data)
        return self.shares(self._worth(compared), size_of_all(data, compared.sizes))

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each distinct unit, whose margins are taken away."""
        compared = self._compared(data)
        check_several(data)
        worth, size = self._worth(compared), size_of_all(data, compared.sizes)
        rest = size - compared.sizes

        def rows(units: slice) -> FloatArray:
            unit, item, given = compared.margins(units)
            found = np.repeat(worth[np.newaxis], units.stop - units.start, axis=0)
            found[unit, item] = self.worth(compared.totals[item] - given, item)
            return self.shares(found, rest[units, np.newaxis])

        room = max(1, ROOM // compared.most)
        scores = self.shares(worth, size)
        return RowsOut(scores, data.units, rows, room, kept_numbers=8_000_000)

    def _worth(self, compared: Compared) -> IntArray:
        return self.worth(compared.totals.copy(), np.arange(len(compared.totals)))

    def _compared(self, data: Any) -> Compared:
        data = self.prepared(data)
        return of_ballots(data) if isinstance(data, Ballots) else of_battles(data)


@dataclass(frozen=True)
class Copeland(Pairwise):
    """How many of the others an item beats in a majority of their comparisons; a tie counts half.

    A ballot compares all pairs: items that it does not list are behind all that it does, and tied with
    each other. Battles compare the two that met. A pair that never met, or that all who compared it
    left tied, is a tie. One ballot can turn all pairs from a win to a tie, however many there are.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y", "z"], ["x"], ["y", "z", "x"]])
    >>> Copeland().score(ballots)  # x beats both by 2 to 1, and y beats z by 2 to 0
    array([2., 1., 0.])
    >>> next(Copeland().leave_one_out(ballots).blocks()).scores
    array([[1. , 1.5, 0.5],
           [1. , 1.5, 0.5],
           [2. , 1. , 0. ]])
    """

    name = "Copeland score"

    def worth(self, margins: IntArray, items: IntArray) -> IntArray:  # noqa: ARG002 (a tie with itself)
        """Count wins less losses, from 0 to twice the number of others."""
        return np.asarray(np.sign(margins).sum(axis=1) + margins.shape[1] - 1)

    def shares(self, worth: IntArray, size: Any) -> FloatArray:  # noqa: ARG002 (signs will do)
        """Count ties half."""
        return np.asarray(worth / 2)

    def output_radius_squared(self, data: Any) -> float:
        """Return that of Borda points, in whose hull lie the wins in any tournament."""
        return Borda().output_radius_squared(data)


@dataclass(frozen=True)
class Condorcet(Pairwise, UnitShares):
    """The worst margin of an item over any other, as a share of all ballots, or battles.

    It is positive for the Condorcet winner, who beats each other item in a majority of their
    comparisons, and for nobody else. Ask for the top 1. Where the best score is 0 or less there is no
    such winner, which a note says, and the best is who loses by the least (the minimax rule).
    Ballots and battles are compared as for :class:`Copeland`. A single item has 1.

    Examples
    --------
    >>> from steadyrank.data import Ballots
    >>> ballots = Ballots([["x", "y", "z"], ["y", "x", "z"], ["x", "z", "y"], ["z", "x", "y"]])
    >>> Condorcet().score(ballots)
    array([ 0.5, -0.5, -0.5])
    >>> next(Condorcet().leave_one_out(ballots).blocks()).scores.round(4)
    array([[ 0.3333, -0.3333, -0.3333],
           [ 0.3333, -1.    , -0.3333],
           [ 0.3333, -0.3333, -0.3333],
           [ 0.3333, -0.3333, -1.    ]])
    """

    name = "worst margin (Condorcet)"
    rule, moved = "Condorcet", "worst margins"

    def worth(self, margins: IntArray, items: IntArray) -> IntArray:
        """Take the least margin over the others."""
        margins[np.arange(len(items)), items] = MANY
        return np.asarray(margins.min(axis=1))

    def shares(self, worth: IntArray, size: Any) -> FloatArray:
        """Divide by all; a single item, which has no margin, has all of them."""
        return np.asarray(np.minimum(worth, size) / size)

    def remarks(self, scores: FloatArray) -> tuple[str, ...]:
        """Say so where nobody beats all others."""
        nobody = "there is no Condorcet winner: every item loses to another one, or ties with it"
        return () if scores.max() > 0 else (nobody,)

    def sizes(self, data: Any) -> IntArray:
        """Return the size of each unit."""
        return self._compared(data).sizes

    def squared_diameter(self, items: int) -> Fraction:
        r"""Return 4 L: one ballot moves the scores by at most ``2 sqrt(L) / n``.

        With s from -1 to 1 what a unit says of a pair, and v the margin of the pair as a share,
        ``v - v\i = (s - v\i) / n`` is at most ``2 / n`` in size, as for all means. The least of some
        numbers moves no further than the one of them that moves most, so each of the L scores moves
        by at most ``2 / n``. One ballot against n - 1 ballots in the opposite order reaches it.
        """
        return Fraction(4 * items * (items > 1))
