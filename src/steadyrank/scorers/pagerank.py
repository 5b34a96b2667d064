"""PageRank and eigenvector scores: to beat somebody who is good counts for more.

Losers vote for those who beat them. Both scores are the eigenvector without a negative entry of a matrix
A, scaled to sum 1, and column l of A is what the votes of l make: the votes themselves, or for PageRank
their shares, damped. There is only one such vector where chains of positive entries join any two items
(Perron and Frobenius).

For x > 0 let r be the largest of ``(A x)_i / x_i``; then ``(r - A)^-1 x``, scaled, is positive again,
and these steps settle from any start, in the end quadratically (Noda's iteration). Without a unit the
columns of few losers change. Such folds go on from the scores of all the data with one matrix for all of
them, the inverse Jacobian of ``(A s - r s, sum of s)``: what settles there and is positive is the vector
that is sought. All others are found from scratch.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import ONE_GROUP, InvalidSettingError, Option, SteadyrankError, shorten
from steadyrank.scorers.base import UNUSED, LeaveOneOut, RowsOut, Scorer, check_several
from steadyrank.scorers.bradley_terry.fit import CHUNK_NUMBERS
from steadyrank.scorers.bradley_terry.scorer import (
    Removals,
    check_connected,
    check_connected_without_each,
)
from steadyrank.scorers.resolution import snapped
from steadyrank.sums.blocks import slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.battles import Battles
    from steadyrank.data.observations import Observations

CHORD_STEPS, NEAR = 30, 1e-13
STEPS, SETTLED = 200, 1e-9
"""A step of this size leaves an error of about its square."""
INSTEAD = ("Use ", Option("scorer", "pagerank"), *ONE_GROUP)


class WinGraph(Scorer):
    """Scores that follow from the table of wins alone, a tie as half a win each way."""

    takes = ("battles",)
    covariates = UNUSED

    @abstractmethod
    def columns(self, votes: FloatArray) -> FloatArray:
        """Return the columns of the matrix, as rows, that rows of votes make."""

    def check_wins(self, wins: FloatArray, removals: Removals, data: Battles) -> None:
        """Complain where there are no scores, on all the data or without some unit."""

    def score(self, data: Battles) -> FloatArray:
        """Return the shares of the items."""
        return self._out(data).scores

    def leave_one_out(self, data: Battles) -> LeaveOneOut:
        """Return the shares without each distinct battle, or without each group."""
        self.check(data)
        check_several(data)
        return self._out(data, each=True)

    def _out(self, data: Battles, *, each: bool = False) -> RowsOut:
        self.check(data)
        removals, width = Removals.of(data), self.resolution
        wins = removals.wins(data.units.counts, data.n_items)
        self.check_wins(wins, removals.some(np.arange(each * len(data.units))), data)
        folds = GraphFolds(wins, removals, self.columns)
        rows: Callable[[slice], FloatArray] = lambda units: snapped(folds.rows(units), width)  # noqa: E731
        return RowsOut(snapped(folds.scores, width), data.units, rows, kept_numbers=8_000_000)


class GraphFolds:
    """The eigenvector of all the data, and without units."""

    def __init__(
        self, wins: FloatArray, removals: Removals, columns: Callable[[FloatArray], FloatArray]
    ) -> None:
        self.wins, self.removals, self.columns, size = wins, removals, columns, len(wins)
        self._votes = columns(wins.T)
        self.scores = np.asarray(perron(self._votes.T[np.newaxis])[0])
        self._value = float((self.scores @ self._votes).sum())
        jacobian = np.ones((size + 1, size + 1))
        jacobian[:size, :size] = self._votes - self._value * np.eye(size)
        jacobian[size] = -np.append(self.scores, 0.0)
        self._inverse = np.linalg.inv(jacobian)

    def rows(self, units: slice) -> FloatArray:
        """Return the scores without each of some units."""
        chosen, removals, size = np.arange(units.start, units.stop), self.removals, len(self.wins)
        losers = np.unique(removals.owner * size + removals.loser) // size
        most = int(np.bincount(losers, minlength=1).max())
        parts = slices(len(chosen), CHUNK_NUMBERS, most * size)
        return np.concatenate([self._without(removals.some(chosen[part]), part) for part in parts])

    def _without(self, taken: Removals, part: slice) -> FloatArray:
        pairs, place = np.unique(taken.owner * len(self.wins) + taken.loser, return_inverse=True)
        owner, loser = np.divmod(pairs, len(self.wins))
        votes = self.wins.T[loser]
        np.subtract.at(votes, (place, taken.winner), taken.weight)
        change = self.columns(votes) - self._votes[loser]
        found, sound = self._near(owner, loser, change, part.stop - part.start)
        for some in slices(len(rest := np.flatnonzero(~sound)), CHUNK_NUMBERS, self.wins.size):
            matrices = np.repeat(self._votes.T[np.newaxis], len(rest[some]), axis=0)
            here = np.flatnonzero(np.isin(owner, rest[some]))
            matrices[np.searchsorted(rest[some], owner[here]), :, loser[here]] += change[here]
            found[rest[some]] = perron(matrices)
        return found

    @np.errstate(over="ignore", invalid="ignore")  # what is no number is not sound
    def _near(
        self, owner: IntArray, loser: IntArray, change: FloatArray, folds: int
    ) -> tuple[FloatArray, BoolArray]:
        """Return the scores of folds, as far as they are near those of all the data, and which are."""
        found = np.tile(np.append(self.scores, self._value), (folds, 1))
        for _ in range(CHORD_STEPS):
            scores, values = found[:, :-1], found[:, -1:]
            missing = scores @ self._votes - values * scores
            np.add.at(missing, owner, change * scores[owner, loser][:, np.newaxis])
            step = np.hstack([missing, scores.sum(axis=1, keepdims=True) - 1.0]) @ self._inverse
            found -= step
            near = np.abs(step[:, :-1]).sum(axis=1) <= NEAR
            if near.all():
                break
        return found[:, :-1], near & (found[:, :-1] > 0).all(axis=1)


def perron(matrices: FloatArray) -> FloatArray:
    """Return the positive eigenvector of each of some matrices, with sum 1.

    Examples
    --------
    >>> perron(np.array([[[0.0, 4.0], [1.0, 0.0]]])).round(4)  # to beat the better one counts double
    array([[0.6667, 0.3333]])
    """
    size, active = matrices.shape[1], np.arange(len(matrices))
    scores = np.full(matrices.shape[:2], 1.0 / size)
    for _ in range(STEPS):
        now, some = scores[active], matrices[active]
        ratio = (some @ now[..., np.newaxis])[..., 0] / now
        # A little above the eigenvalue, so that the matrix is never singular.
        shift = ratio.max(axis=1)[:, np.newaxis, np.newaxis] * (1 + 1e-13)
        found = np.linalg.solve(shift * np.eye(size) - some, now[..., np.newaxis])[..., 0]
        scores[active] = found / found.sum(axis=1, keepdims=True)
        active = active[np.abs(scores[active] - now).sum(axis=1) > SETTLED]
        if not len(active):
            return scores
    raise SteadyrankError(
        "the eigenvector does not settle: groups of items hardly ever met, or one hardly ever won",
        way_out=INSTEAD,
    )


@dataclass(frozen=True)
class PageRank(WinGraph):
    """PageRank: where somebody is who goes from item to item, each time to one that beat the last.

    With probability ``damping`` the next item is one that beat the present one, in proportion to its
    wins; otherwise, or if nobody beat it, any item is as likely as any other. The scores are the
    shares of time, and sum to 1; an item without battles, or groups that never met, are no
    difficulty. Scores without each unit are those of the table without it. Scores closer than the
    resolution, 1e-12 over 1 - damping, are equal: rounding is far below that. One battle
    that is all that an item lost changes where all its votes go, so nothing is proved that does not go
    without saying.

    Parameters
    ----------
    damping : float
        From 0 to below 1.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "x", "y", "z"], ["y", "z", "z", "x"], ["left"] * 4)
    >>> PageRank().score(battles).round(4)
    array([0.3974, 0.2148, 0.3878])
    """

    damping: float = 0.85

    def __post_init__(self) -> None:
        if not (isinstance(self.damping, int | float | np.number) and 0 <= self.damping < 1):
            raise InvalidSettingError(
                f"damping must be a number from 0 to below 1, but is {shorten(self.damping)}"
            )

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"PageRank (damping {self.damping:g})"

    @property
    def resolution(self) -> float:
        """How close scores are equal."""
        return 1e-12 / (1 - self.damping)

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, shrunk: everybody has ``(1 - damping) / L`` for certain."""
        return self.damping**2 * (1.0 - 1.0 / data.n_items)

    def columns(self, votes: FloatArray) -> FloatArray:
        """Return shares of votes, damped; who never lost votes for everybody."""
        size, lost = votes.shape[1], votes.sum(axis=1, keepdims=True)
        shares = np.where(lost > 0, votes / np.where(lost > 0, lost, 1.0), 1.0 / size)
        return np.asarray(self.damping * shares + (1.0 - self.damping) / size)


@dataclass(frozen=True)
class Eigenvector(WinGraph):
    """The eigenvector of the table of wins: a win counts as much as the score of the one who was beaten.

    Each score is, up to one common factor, the sum over an item's wins (a tie is half a win) of the
    scores of those whom it beat; they sum to 1. More battles mean more wins: items should have met
    about equally often. The scores exist where every two items are joined by chains of wins (or ties)
    in both directions, on all the data and without each unit; anything else is refused with an
    error that lists the groups of items. Scores closer than 1e-10 are equal.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles(["x", "x", "y", "z"], ["y", "z", "z", "x"], ["left"] * 4)
    >>> Eigenvector().score(battles).round(4)
    array([0.4302, 0.2451, 0.3247])
    """

    name = "eigenvector of wins"
    resolution = 1e-10

    def output_radius_squared(self, data: Observations) -> float:
        """Return that of the simplex, around its centre."""
        return 1.0 - 1.0 / data.n_items

    def check_wins(self, wins: FloatArray, removals: Removals, data: Battles) -> None:
        """Complain unless chains of wins join every two items."""
        words: dict[str, Any] = {"scores": "eigenvector scores", "way_out": INSTEAD}
        check_connected(wins > 0, data, **words)
        check_connected_without_each(wins, removals, data, **words)

    def columns(self, votes: FloatArray) -> FloatArray:
        """Return the votes as they are."""
        return votes
