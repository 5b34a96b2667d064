"""Battles added up by unit and pair, for scorers that take a unit's battles away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from steadyrank._typing import AnyArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Games:
    """For each distinct unit, its battles by pair.

    The entries of unit u are at ``indptr[u]:indptr[u + 1]``. An entry says that ``winner`` beat
    ``loser`` ``wins`` times and that the two tied ``ties`` times. Ties stand in the entry whose
    ``winner`` has the lower code. No ordered pair occurs twice within a unit.
    """

    indptr: IntArray
    winner: IntArray
    loser: IntArray
    wins: FloatArray
    ties: FloatArray


def pair_games(
    left: IntArray, right: IntArray, outcome: AnyArray, counts: IntArray, size: int
) -> tuple[Games, IntArray]:
    """Return the distinct battles, whichever side an item was on, and how often each occurs."""
    key = row_keys(left, right, outcome, size)
    distinct, which = np.unique(key, return_inverse=True)
    total = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(total, which, counts)
    happened = total > 0
    distinct, total = distinct[happened], total[happened]
    winner, loser = np.divmod(distinct >> 1, size)
    won = (distinct & 1).astype(np.float64)
    games = Games(np.arange(len(distinct) + 1), winner, loser, won, 1.0 - won)
    return games, total


def group_games(
    left: IntArray,
    right: IntArray,
    outcome: AnyArray,
    counts: IntArray,
    size: int,
    unit: IntArray,
    groups: int,
) -> Games:
    """Return the battles of each group, added up by ordered pair."""
    winner, loser = _winner_first(left, right, outcome)
    distinct, which = np.unique((unit * size + winner) * size + loser, return_inverse=True)
    wins, ties = np.zeros(len(distinct)), np.zeros(len(distinct))
    np.add.at(wins, which, np.where(outcome != 0, counts, 0))
    np.add.at(ties, which, np.where(outcome == 0, counts, 0))
    owner, pair = np.divmod(distinct, size * size)
    indptr = np.searchsorted(owner, np.arange(groups + 1))
    return Games(indptr, pair // size, pair % size, wins, ties)


def row_keys(left: IntArray, right: IntArray, outcome: AnyArray, size: int) -> IntArray:
    """Return one number for each row; rows have the same one exactly if their battles are equal."""
    winner, loser = _winner_first(left, right, outcome)
    return np.asarray(((winner * size + loser) << 1) | (outcome != 0))


def battle_keys(games: Games, size: int) -> IntArray:
    """Return the number that :func:`row_keys` gives to each of these distinct battles."""
    return np.asarray(((games.winner * size + games.loser) << 1) | (games.wins > 0))


def _winner_first(left: IntArray, right: IntArray, outcome: AnyArray) -> tuple[IntArray, IntArray]:
    """Return winner and loser of each battle; of a tie, the lower and the higher code."""
    turned = (outcome < 0) | ((outcome == 0) & (left > right))
    return np.where(turned, right, left), np.where(turned, left, right)
