"""The same generated data for us and for a peer."""

from __future__ import annotations

import numpy as np

from steadyrank import Ballots, Battles

SEEDS = range(1500)


def strict_profile(seed: int) -> tuple[list[list[int]], list[int]]:
    """Return complete strict orders of 3 to 6 items, most preferred first, and how often each was cast.

    Few ballots and small counts: ties for first and last place are frequent.
    """
    rng = np.random.default_rng(seed)
    items = int(rng.integers(3, 7))
    orders = [rng.permutation(items).tolist() for _ in range(int(rng.integers(1, 8)))]
    return orders, rng.integers(1, 6, size=len(orders)).tolist()


def truncated_profile(seed: int) -> tuple[list[list[int]], list[int], int]:
    """Return strict orders of the first few items, their counts, and how many items there are."""
    orders, counts = strict_profile(seed)
    rng = np.random.default_rng(seed + 10**6)
    return (
        [order[: int(rng.integers(1, len(order) + 1))] for order in orders],
        counts,
        len(orders[0]),
    )


def ballots(orders: list[list[int]], counts: list[int], items: int) -> Ballots:
    """Return our data for a profile."""
    return Ballots(orders, counts=counts, items=range(items))


def battles(seed: int, items: int = 8, size: int = 600) -> Battles:
    """Return single battles of items of unlike strength, a fifth of them ties."""
    rng = np.random.default_rng(seed)
    left = rng.integers(items, size=size)
    right = (left + rng.integers(1, items, size=size)) % items
    chance = 1 / (1 + np.exp((right - left) / 3))
    drawn = rng.random(size)
    outcome = np.where(
        drawn < 0.8 * chance, "left", np.where(drawn < 0.8, "right", "tie")
    )
    return Battles(left, right, outcome, items=range(items))


def winners(scores: np.ndarray) -> list[int]:
    """Return the items that share the best score."""
    return np.flatnonzero(scores == scores.max()).tolist()
