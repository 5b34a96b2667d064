"""Beside evalica and choix, in one process and on one thread: fits, and the whole stable answer.

A fit starts from lists of battles and ends with scores, as a user has it. The whole answer (scores, who
is sure, who contends, ranks without each battle) is compared with a bootstrap of 100 fits of the faster
peer: one fit to all the battles is timed, and counted a hundred times (resamples may fall apart). Times
are processor time, which no other process lengthens.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import choix
import evalica
import numpy as np

from measure import Row, at_most, best_times
from steadyrank import Ballots, Battles, BradleyTerry, Elo, Study

SIZES = ((100_000, 100), (100_000, 1_000), (1_000_000, 100), (1_000_000, 1_000))
FITS = 100
"""How many fits a bootstrap takes."""


def run(quick: bool) -> list[Row]:
    rows: list[Row] = []
    for battles, models in SIZES:
        fought = Fought(
            battles // 20 if quick else battles, models // 5 if quick else models
        )
        rows += fought.rows()
    return [*rows, borda(2_000 if quick else 100_000)]


class Fought:
    """Battles of models of unlike strength, a tenth of them ties."""

    def __init__(self, battles: int, models: int) -> None:
        rng = np.random.default_rng(battles + models)
        self.models = models
        self.left = rng.integers(models, size=battles)
        self.right = (self.left + rng.integers(1, models, size=battles)) % models
        strength = rng.normal(size=models) / 2
        chance = 1 / (1 + np.exp(strength[self.right] - strength[self.left]))
        drawn = rng.random(battles)
        self.won = np.where(drawn < 0.9 * chance, 1, np.where(drawn < 0.9, -1, 0))
        self.said = f"{battles:,} battles, {models:,} models"
        named = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
        winners = [named[won] for won in self.won.tolist()]
        self.lists = self.left.tolist(), self.right.tolist(), winners

    def data(self) -> Battles:
        named = np.array(["right", "tie", "left"])
        return Battles(
            self.left, self.right, named[self.won + 1], items=range(self.models)
        )

    def peers(self) -> dict[str, Callable[[], object]]:
        # choix has no ties: they go to the left side, which changes the figures and not the work.
        swapped = self.won < 0
        winner, loser = np.where(
            swapped, (self.right, self.left), (self.left, self.right)
        ).tolist()
        pairs = list(zip(winner, loser, strict=True))
        return {
            "evalica": lambda: evalica.bradley_terry(
                *self.lists, tie_weight=0.5, tolerance=1e-10, limit=10_000
            ),
            "choix": lambda: choix.ilsr_pairwise(self.models, pairs),
        }

    def rows(self) -> list[Row]:
        elo = at_most(
            f"Elo, {self.said}: fit",
            lambda: evalica.elo(*self.lists),
            lambda: Elo().score(self.data()),
            1.0,
            repeats=2,
            note="against evalica",
            clock=process_time,
        )
        peers = self.peers()
        times = dict(
            zip(peers, best_times(list(peers.values()), 1, process_time), strict=True)
        )
        name = min(times, key=times.__getitem__)
        fit = at_most(
            f"Bradley-Terry, {self.said}: fit",
            peers[name],
            lambda: BradleyTerry().score(self.data()),
            1.0,
            repeats=2,
            note=f"against {name}",
            clock=process_time,
        )
        asked = [lambda: Study(self.data(), BradleyTerry()).topk(10)]
        mine = best_times(asked, 1, process_time)[0]
        base = FITS * times[name]
        whole = f"Bradley-Terry, {self.said}: the whole answer"
        note = f"against a bootstrap of {FITS} fits of {name}"
        answer = Row(
            whole,
            base,
            mine,
            mine / base,
            "at most 1x the baseline",
            mine <= base,
            note,
        )
        return [fit, answer, elo]


def borda(ballots: int, items: int = 20) -> Row:
    """Compare the whole answer with a bootstrap that adds up points for each of 100 resamples."""
    rng = np.random.default_rng(1)
    orders = rng.permuted(np.tile(np.arange(items), (ballots, 1)), axis=1)
    data = Ballots(orders.tolist(), items=range(items))
    points = items - 1 - np.argsort(orders, axis=1)

    def bootstrap() -> None:
        for _ in range(FITS):
            points[rng.integers(ballots, size=ballots)].mean(axis=0)

    return at_most(
        f"Borda, {ballots:,} ballots of {items} items: the whole answer",
        bootstrap,
        lambda: Study(data, "borda").topk(5),
        1.0,
        repeats=2,
        note=f"against a bootstrap of {FITS} sums in NumPy",
        clock=process_time,
    )
