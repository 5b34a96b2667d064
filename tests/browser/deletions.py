"""What happens when units leave, found by taking them away: sums in whole numbers, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from steadyrank import ScoreMatrix


@dataclass(frozen=True)
class Deletions:
    """Small data whose scores are means of whole numbers: units are rows, items are columns."""

    values: np.ndarray

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Deletions:
        """Draw some data on a coarse grid, with ties, near-ties and clear leads."""
        units, items = int(rng.integers(3, 8)), int(rng.integers(3, 7))
        quality = rng.integers(0, int(rng.integers(2, 9)), size=items)
        return cls(quality + rng.integers(-2, 3, size=(units, items)))

    @property
    def data(self) -> ScoreMatrix:
        return ScoreMatrix(self.values, items=self.names)

    @cached_property
    def names(self) -> list[str]:
        return [f"item {letter}" for letter in "abcdefgh"[: self.values.shape[1]]]

    def order(self, gone: tuple[int, ...] = ()) -> list[str]:
        """The items by score without some units; the smaller index first among equal ones."""
        sums = np.delete(self.values, gone, axis=0).sum(axis=0).tolist()
        return sorted(
            self.names, key=lambda name: (-sums[self.names.index(name)], name)
        )

    def orders(self, most: int) -> list[list[str]]:
        """The orders of the data, and without every set of at most so many units."""
        units = range(len(self.values))
        return [
            self.order(gone) for m in range(most + 1) for gone in combinations(units, m)
        ]

    def ranges(self) -> dict[str, tuple[int, int]]:
        """The best and worst rank of each item, over the data and all deletions of one unit."""
        seen = [
            [order.index(name) + 1 for order in self.orders(1)] for name in self.names
        ]
        return {
            name: (min(ranks), max(ranks))
            for name, ranks in zip(self.names, seen, strict=True)
        }

    def tops(self, k: int, most: int) -> list[set[str]]:
        return [set(order[:k]) for order in self.orders(most)]

    def standings(self, k: int) -> dict[str, str]:
        """Where each item stands, by the top k of the data and of the data without each unit."""
        tops = self.tops(k, 1)
        ever, always = set.union(*tops), set.intersection(*tops)
        return {
            name: "sure" if name in always else "contender" if name in ever else "out"
            for name in self.order()
        }
