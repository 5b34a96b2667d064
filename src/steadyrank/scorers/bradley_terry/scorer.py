"""Bradley-Terry: strengths from battles, with exact scores without each battle or group."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.data.battles import Battles
from steadyrank.data.observations import shares_of
from steadyrank.errors import (
    RIDGE,
    Option,
    UndefinedScoresError,
    listing,
)
from steadyrank.operators.checks import setting
from steadyrank.scorers.base import LeaveOneOut, Scorer, check_several, snapped
from steadyrank.scorers.bradley_terry.fit import strengths
from steadyrank.scorers.bradley_terry.folds import BattleFolds, BattlesOut
from steadyrank.scorers.bradley_terry.sketch import PairFolds
from steadyrank.scorers.sensitivity import Sensitivity, each_alone

ONE_GROUP = (
    ", or leave the items of all groups but one out with ",
    Option("sql", "FROM data WHERE ..."),
)
RESOLUTION = 1e-9
"""How close log odds are equal."""
BOUND_ROUNDING = 1 + 4e-9
"""More than what rounding takes from a bound."""
SCALES = {"log-odds": (0.0, 1.0), "arena": (1000.0, 400.0 / math.log(10.0))}
"""Where log odds of 0 are on each scale, and how much log odds of 1 are."""
ENTRY = ("winner", "loser", "weight")


@dataclass(frozen=True)
class BradleyTerry(Scorer):
    """Maximum likelihood strengths, as natural log odds with mean 0, or on the scale of the Arena.

    Item i beats item j with probability ``1 / (1 + exp(s_j - s_i))``; a tie counts as half a
    win for each side. Without a ridge the scores exist only where every two items are joined by
    chains of wins (or ties) in both directions, on all the data and without each unit; anything
    else is refused with an error that lists the groups of items. Leave-one-out scores are those
    of a full refit (to about 1e-12), not of one Newton step. Weights of battles multiply their terms
    of the likelihood. Scores closer than the resolution of
    1e-9, odds of 1.000000001 : 1, are equal, with and without any unit: that is a thousand times the
    error of the fit.

    Parameters
    ----------
    ridge : float
        Adds ``ridge / 2 * ||scores||^2`` to the negative log likelihood, a Gaussian prior of
        variance ``1 / ridge``. It stays the same when a unit leaves.
    scale : {"log-odds", "arena"}
        ``"arena"`` gives ``1000 + 400 / ln(10)`` times the log odds, as Chatbot Arena does: an item
        that is ahead by 400 wins with odds of 10 to 1. All that is in units of scores (eps, bounds,
        margins, the resolution) goes with it.

    Examples
    --------
    >>> from steadyrank.data import Battles
    >>> battles = Battles.from_pairs(["ann"], ["bob"], [3], [1])
    >>> BradleyTerry().score(battles).round(4)  # odds of 3 : 1
    array([ 0.5493, -0.5493])
    >>> BradleyTerry(scale="arena").score(battles).round(1)
    array([1095.4,  904.6])
    >>> without = BradleyTerry(ridge=1.0).leave_one_out(battles)
    >>> without.shifts().round(4)  # one win of ann less, one win of bob less
    array([0.1983, 0.4306])
    """

    takes = ("battles",)

    ridge: float = setting(0.0)
    scale: str = setting("log-odds", tuple(SCALES))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        scale = "" if self.scale == "log-odds" else f", {self.scale} scale"
        return f"Bradley-Terry{f', ridge {self.ridge:g}' if self.ridge else ''}{scale}"

    @property
    def resolution(self) -> float:
        """How close scores are equal."""
        return RESOLUTION * SCALES[self.scale][1]

    def score(self, data: Battles) -> FloatArray:
        """Return the strengths."""
        return self._placed(self._fit(self.prepared(data))[1])

    def leave_one_out(self, data: Battles) -> LeaveOneOut:
        """Return the strengths without each distinct battle, or without each group."""
        data = self.prepared(data)
        check_several(data)
        removals, (wins, scores) = Removals.of(data), self._fit(data)
        if not self.ridge:
            check_connected_without_each(wins, removals, data)
        scale = SCALES[self.scale]
        folds = BattleFolds(
            scores, wins, removals, self.ridge * removals.battle, scale=scale
        )
        return BattlesOut(
            self._placed(scores),
            data.units,
            lambda units: self._placed(folds.rows(units)),
            block_numbers=2_000_000,  # 16 MB
            kept_numbers=8_000_000,
            folds=folds,
            resolution=self.resolution,
            placed=self._placed,
        )

    def _placed(self, log_odds: FloatArray) -> FloatArray:
        offset, factor = SCALES[self.scale]
        return np.asarray(offset + factor * snapped(log_odds, RESOLUTION))

    def sensitivity(self, data: Battles) -> Sensitivity | None:
        """Return the most that one battle can move the strengths, or None without a ridge.

        One battle's gradient has size ``sqrt(2) p``, with p the probability, by the scores of all
        battles, that the one who won would lose; a tie's is below ``sqrt(2)/2``. The ridge makes the
        rest of the function strongly convex, so the scores move by at most ``sqrt(2) p / ridge``. Each
        of the other battles adds less than 2 to ``ridge`` times a difference of scores, and the battle
        itself only draws its winner ahead, so ``p < 1 / (1 + exp(-2 (n-1) / ridge))``. The scores have
        mean 0 of themselves. The bound does not go down with n unless the ridge goes up with it. Nothing
        is proved of groups of battles here.
        """
        data = self.prepared(data)
        if not self.ridge or not each_alone(data):
            return None
        # A chain of equal scores has fewer than L links, each of them no longer than the resolution.
        lost = 1 / (1 + math.exp(-2 * (data.n_units - 1) / self.ridge))
        eps = (
            math.sqrt(2) / self.ridge * lost * BOUND_ROUNDING
            + RESOLUTION * data.n_items**1.5
        )
        said = {
            "rule": "Bradley-Terry with a ridge",
            "moved": "strengths",
            "scope": "battles",
        }
        return Sensitivity.of(
            data, eps * SCALES[self.scale][1], **said, numbers={"ridge": self.ridge}
        )

    def _fit(self, data: Battles) -> tuple[FloatArray, FloatArray]:
        wins, battle = win_counts(data)
        if not self.ridge:
            check_connected(wins > 0, data)
        return wins, strengths(wins, self.ridge * battle)


def win_counts(data: Battles) -> tuple[FloatArray, float]:
    """Return how often each item beat each other one, and what a battle of weight 1 counts in it.

    Counts are whole numbers but for a power of two, by which a battle is from 1 to less than 2.
    """
    won, parts = data.win_parts()
    unit = math.ldexp(1.0, 1 - parts.bit_length())
    return won * unit, parts * unit


@dataclass(frozen=True)
class Removals:
    """The win counts that leave with each distinct unit, ties as half a win each way.

    Entry by entry: unit ``owner`` takes ``weight`` out of ``wins[winner, loser]``. Owners are in
    order, weights are positive, and no ordered pair occurs twice within a unit. Weights are half parts
    of that of a battle, whole numbers but for a power of two: what leaves leaves nothing behind,
    however small it is beside the rest. A ``battle`` of weight 1 has from 1 to less than 2 of them.
    """

    owner: IntArray
    winner: IntArray
    loser: IntArray
    weight: FloatArray
    battle: float

    @classmethod
    def of(cls, data: Battles) -> Removals:
        """Read them off the battles."""
        pairs = data.unit_pairs
        items, owner = (
            data.n_items,
            np.repeat(np.arange(len(data.units)), np.diff(pairs.indptr)),
        )
        half = pairs.ties / 2.0
        forth = (owner * items + pairs.winner) * items + pairs.loser
        back = (owner * items + pairs.loser) * items + pairs.winner
        parts = 2 * shares_of(data).scale * data.fineness
        weight = np.rint(np.concatenate([pairs.wins + half, half]) * parts)
        some = np.flatnonzero(weight)
        key, place = np.unique(np.concatenate([forth, back])[some], return_inverse=True)
        weight = np.asarray(
            np.bincount(place, weight[some], minlength=len(key)), dtype=np.float64
        )
        owner, pair = np.divmod(key, items * items)
        unit = math.ldexp(1.0, 1 - parts.bit_length())
        return cls(owner, pair // items, pair % items, weight * unit, parts * unit)

    @cached_property
    def by_pair(self) -> tuple[IntArray, PairFolds]:
        """The units, once for each pair of items that they have battles of, and these battles."""
        first, second = (
            np.minimum(self.winner, self.loser),
            np.maximum(self.winner, self.loser),
        )
        order = np.lexsort((second, first, self.owner))
        key = np.stack([self.owner, first, second])[:, order]
        begins = np.flatnonzero(np.diff(key, prepend=-1).any(axis=0))
        won = np.where(self.winner == first, self.weight, 0.0)[order]
        battles = np.add.reduceat(self.weight[order], begins)
        owner, first, second = key[:, begins]
        return owner, PairFolds(first, second, battles, np.add.reduceat(won, begins))

    @cached_property
    def one_pair(self) -> tuple[IntArray, PairFolds]:
        """The units whose battles are all of one pair, and these battles."""
        owner, battles = self.by_pair
        single = np.flatnonzero(np.bincount(owner)[owner] == 1)
        return owner[single], battles.part(single)

    def some(self, chosen: IntArray) -> Removals:
        """Return the entries of the chosen units; their owners are the places of the units in them."""
        starts = np.searchsorted(self.owner, chosen)
        sizes = np.searchsorted(self.owner, chosen, side="right") - starts
        place = np.repeat(np.arange(len(chosen)), sizes)
        first = np.cumsum(sizes) - sizes
        entries = np.repeat(starts - first, sizes) + np.arange(len(place))
        return replace(
            self, owner=place, **{name: getattr(self, name)[entries] for name in ENTRY}
        )


def check_connected(arcs: BoolArray, data: Battles, without: str = "") -> None:
    """Complain unless chains of wins join every two items, in both directions."""
    groups = [[data.items[item] for item in part] for part in components(arcs)]
    if len(groups) > 1:
        told = listing(
            (f"[{listing(map(str, group), len(group))}]" for group in groups),
            len(groups),
        )
        where = f"without {without}, " if without else ""
        raise UndefinedScoresError(
            f"{where}Bradley-Terry scores do not exist: the items fall into {len(groups):,} "
            "groups, best first where one group is compared with another, and no item of a later "
            f"group has won (or tied) against an earlier one, or they were never compared: {told}",
            way_out=("Use a ridge, for example ", RIDGE, *ONE_GROUP),
            components=groups,
        )


def check_connected_without_each(
    wins: FloatArray, removals: Removals, data: Battles
) -> None:
    """Complain if one unit is all that joins some items to the others."""
    arcs = wins > 0
    cut = np.flatnonzero(wins[removals.winner, removals.loser] <= removals.weight)
    # A way round over one other item for every arc that is gone settles it at once. Such ways of a
    # unit of one pair use none of its arcs; those of other units are looked at once more.
    ways = arcs.astype(np.float32) @ arcs.astype(np.float32)
    open_arcs = cut[ways[removals.winner[cut], removals.loser[cut]] == 0]
    owners, several = (
        removals.owner[cut],
        removals.owner[cut][1:] == removals.owner[cut][:-1],
    )
    asked = np.union1d(removals.owner[open_arcs], owners[1:][several])
    for unit in asked.tolist():
        mine = cut[slice(*np.searchsorted(owners, [unit, unit + 1]))]
        winner, loser = removals.winner[mine], removals.loser[mine]
        arcs[winner, loser] = False
        # With a way round for each that is gone, chains join all that they joined.
        ends = zip(winner.tolist(), loser.tolist(), strict=True)
        if not all(_leads(arcs, start, end) for start, end in ends):
            label = data.units.labels[unit]
            check_connected(arcs, data, f"{data.units.kind} {label!r}")
        arcs[winner, loser] = True


def _leads(arcs: BoolArray, start: int, end: int) -> bool:
    """Tell whether a chain of wins leads from one item to another."""
    seen = new = arcs[start].copy()
    while not seen[end] and new.any():
        new = arcs[new].any(axis=0) & ~seen
        seen = seen | new
    return bool(seen[end])


def components(arcs: BoolArray) -> list[IntArray]:
    """Return the strongly connected parts of a directed graph, those that beat others first.

    Examples
    --------
    >>> arcs = np.array([[0, 1, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)
    >>> components(arcs)
    [array([2]), array([0, 1])]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, shortest_path

    winner, loser = np.nonzero(arcs)
    ends = np.searchsorted(winner, np.arange(len(arcs) + 1))
    graph = csr_array(
        (np.ones(len(loser), dtype=np.int8), loser, ends), shape=arcs.shape
    )
    number, part = connected_components(graph, directed=True, connection="strong")
    if number == 1:
        return [np.arange(len(arcs))]
    between = np.zeros((number, number), dtype=np.bool_)
    between[part[winner], part[loser]] = True
    reached = np.isfinite(shortest_path(between, unweighted=True)).sum(axis=1)
    # Whoever reaches a part also reaches all that this part reaches, so counting sorts them.
    order = np.argsort(-reached, kind="stable")
    return [np.flatnonzero(part == label) for label in order]
