"""What each unit takes out of the win counts, and whether the rest still fixes all scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.errors import DisconnectedComparisonsError
from steadyrank.scorers.paired_curves import PairFolds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data.battles import Battles


@dataclass(frozen=True)
class Removals:
    """The win counts that leave with each distinct unit, ties as half a win each way.

    Entry by entry: unit ``owner`` takes ``weight`` out of ``wins[winner, loser]``. Owners are in
    order, weights are positive, and no ordered pair occurs twice within a unit.
    """

    units: int
    owner: IntArray
    winner: IntArray
    loser: IntArray
    weight: FloatArray

    @classmethod
    def of(cls, data: Battles) -> Removals:
        """Read them off the battles."""
        pairs = data.unit_pairs
        units, items = len(pairs.indptr) - 1, data.n_items
        owner = np.repeat(np.arange(units), np.diff(pairs.indptr))
        half = pairs.ties / 2.0
        forth = np.flatnonzero(pairs.wins + half)
        back = np.flatnonzero(half)
        key = np.concatenate(
            [
                (owner[forth] * items + pairs.winner[forth]) * items + pairs.loser[forth],
                (owner[back] * items + pairs.loser[back]) * items + pairs.winner[back],
            ]
        )
        weight = np.concatenate([(pairs.wins + half)[forth], half[back]])
        order = np.argsort(key, kind="stable")
        key, weight = key[order], weight[order]
        begins = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else order
        weight = np.add.reduceat(weight, begins) if len(key) else weight
        owner, pair = np.divmod(key[begins], items * items)
        return cls(units, owner, pair // items, pair % items, weight)

    def wins(self, counts: IntArray, items: int) -> FloatArray:
        """Return the win counts of all units, each as often as it occurs."""
        weight = self.weight * counts[self.owner]
        flat = np.bincount(self.winner * items + self.loser, weight, minlength=items * items)
        return flat.astype(np.float64, copy=False).reshape(items, items)

    def one_pair(self, items: int) -> tuple[IntArray, PairFolds]:
        """Return the units whose battles are all of one pair, and these battles."""
        low, high = np.minimum(self.winner, self.loser), np.maximum(self.winner, self.loser)
        pair = low * items + high
        begins = np.flatnonzero(np.append(True, self.owner[1:] != self.owner[:-1]))
        if not len(self.owner):
            return begins[:0], PairFolds(begins[:0], begins[:0], np.empty(0), np.empty(0))
        single = np.minimum.reduceat(pair, begins) == np.maximum.reduceat(pair, begins)
        battles = np.add.reduceat(self.weight, begins)
        wins = np.add.reduceat(np.where(self.winner == low, self.weight, 0.0), begins)
        heads = begins[single]
        folds = PairFolds(low[heads], high[heads], battles[single], wins[single])
        return self.owner[heads], folds

    def of_units(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """Return the entries of the chosen units, and for each the place of its unit in them."""
        starts = np.searchsorted(self.owner, chosen)
        sizes = np.searchsorted(self.owner, chosen, side="right") - starts
        place = np.repeat(np.arange(len(chosen)), sizes)
        first = np.cumsum(sizes) - sizes
        return np.repeat(starts - first, sizes) + np.arange(len(place)), place


def check_connected(wins: FloatArray, data: Battles) -> None:
    """Complain unless chains of wins join every two items, in both directions."""
    parts = components(wins > 0)
    if len(parts) > 1:
        raise DisconnectedComparisonsError(_labels(parts, data))


def check_connected_without_each(wins: FloatArray, removals: Removals, data: Battles) -> None:
    """Complain if one unit is all that joins some items to the others."""
    for unit, rest in _units_that_cut_an_arc(wins > 0, wins, removals):
        parts = components(rest)
        if len(parts) > 1:
            name = f"{data.units.kind} {data.units.labels[unit]!r}"
            raise DisconnectedComparisonsError(_labels(parts, data), name)


def _units_that_cut_an_arc(
    arcs: BoolArray, wins: FloatArray, removals: Removals
) -> Iterator[tuple[int, BoolArray]]:
    """Yield the units that may disconnect the graph, each with the arcs that it leaves."""
    cut = np.flatnonzero(wins[removals.winner, removals.loser] <= removals.weight)
    if not len(cut):
        return
    for unit in np.unique(removals.owner[cut]).tolist():
        mine = cut[np.searchsorted(removals.owner[cut], unit) :]
        mine = mine[removals.owner[mine] == unit]
        winner, loser = removals.winner[mine], removals.loser[mine]
        rest = arcs.copy()
        rest[winner, loser] = False
        # A way round over one other item for every arc that is gone settles it at once.
        if not (rest[winner] & rest[:, loser].T).any(axis=1).all():
            yield unit, rest


def components(arcs: BoolArray) -> list[IntArray]:
    """Return the strongly connected parts of a directed graph, those that beat others first.

    Examples
    --------
    >>> arcs = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)
    >>> components(arcs)
    [array([2]), array([0, 1])]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array(arcs.astype(np.int8))
    number, part = connected_components(graph, directed=True, connection="strong")
    if number == 1:
        return [np.arange(len(arcs))]
    between = np.zeros((number, number), dtype=np.bool_)
    winner, loser = np.nonzero(arcs)
    between[part[winner], part[loser]] = True
    np.fill_diagonal(between, val=True)
    while True:
        further = (between.astype(np.float32) @ between.astype(np.float32)) > 0
        if (further == between).all():
            break
        between = further
    # Whoever reaches a part also reaches all that this part reaches, so counting sorts them.
    order = np.argsort(-between.sum(axis=1), kind="stable")
    return [np.flatnonzero(part == label) for label in order]


def _labels(parts: list[IntArray], data: Battles) -> list[list[object]]:
    return [[data.items[item] for item in part] for part in parts]
