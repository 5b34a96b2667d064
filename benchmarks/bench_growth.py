"""How the cost of an answer grows with its input: three sizes, each twice the one before.

The ratio is the exponent: 1 is linear in what is doubled, 2 quadratic. Where rows and items are doubled
together, the input itself grows with exponent 2, which the target allows for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from measure import Row, best_times
from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, Study, Votes

Asked = Callable[[], object]
"""A question to be timed; its data are made before."""


def run(quick: bool) -> list[Row]:
    return [grown(*case, quick=quick) for case in CASES]


def grown(
    name: str, largest: int, made: Callable[[int], Asked], most: float, quick: bool
) -> Row:
    """Time a question at three sizes; the exponent is that of the power through the outer two."""
    largest = largest // 8 if quick else largest
    sizes = (largest // 4, largest // 2, largest)
    times = [best_times([made(size)], 1, process_time)[0] for size in sizes]
    exponent = math.log2(times[-1] / times[0]) / 2
    shown = ", ".join(
        f"{size:,}: {time:.2g} s" for size, time in zip(sizes, times, strict=True)
    )
    return Row(
        name,
        times[0],
        times[-1],
        exponent,
        f"exponent at most {most:g}",
        exponent <= most,
        shown,
    )


def polls_with_gaps(rows: int) -> Asked:
    """Polls that ask after some of the candidates: a matrix with gaps, whose margins are of ratios."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 400, (rows, 40)) / 10
    values[rng.random(values.shape) < 0.5] = np.nan
    data = ScoreMatrix(values, missing="available")
    return lambda: str(Study(data).topk(5))


def square(items: int) -> Any:
    rng = np.random.default_rng(2)
    return ScoreMatrix(rng.integers(0, 1000, (items, items)) / 10)


def square_ranking(items: int) -> Asked:
    data = square(items)
    return lambda: str(Study(data).ranking())


def square_audit(items: int) -> Asked:
    data = square(items)
    return lambda: str(Study(data).audit(10))


def many_votes(items: int) -> Any:
    rng = np.random.default_rng(3)
    chosen = np.minimum(rng.geometric(8 / items, 20 * items) - 1, items - 1)
    return Votes(chosen, items=range(items))


def vote_ranking(items: int) -> Asked:
    data = many_votes(items)
    return lambda: str(Study(data).ranking())


def vote_audit(items: int) -> Asked:
    data = many_votes(items)
    return lambda: str(Study(data).audit(10))


def rated(items: int, each: int) -> Any:
    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(items), each)
    user = rng.integers(0, items, len(item))
    keys = np.unique(user * items + item)
    user, item = np.divmod(keys, items)
    return Ratings(user, item, rng.integers(1, 6, len(keys)), items=range(items))


def rating_ranking(items: int) -> Asked:
    data = rated(items, 5)
    return lambda: str(Study(data, "mean:shrinkage=5").ranking())


def rating_audit(items: int) -> Asked:
    """From so many units and items on, the eps of the full ranking is a bound, and said to be one."""
    data = rated(items, 5)
    return lambda: str(Study(data, "mean:shrinkage=5").audit(10))


def sparse_topk(items: int) -> Asked:
    data = rated(items, 2)
    return lambda: str(Study(data, "mean:shrinkage=5").topk(10))


def league(items: int, battles: int) -> Any:
    rng = np.random.default_rng(5)
    strength = rng.normal(size=items)
    one = rng.integers(0, items, battles)
    two = (one + rng.integers(1, items, battles)) % items
    won = rng.random(battles) < 1 / (1 + np.exp(strength[two] - strength[one]))
    return Battles(one, two, np.where(won, "left", "right"), items=range(items))


def league_topk(battles: int) -> Asked:
    data = league(1000, battles)
    return lambda: str(Study(data, "bradley-terry:ridge=0.01").topk(10))


def chain_topk(items: int) -> Asked:
    place = np.arange(items - 1)
    left, right = np.tile(place, 4), np.tile(place + 1, 4)
    result = np.repeat(["left", "right", "left", "right"], items - 1)  # one may go
    data = Battles(left, right, result, items=range(items))
    return lambda: str(Study(data).topk(10))


def orders(items: int) -> Any:
    rng = np.random.default_rng(6)
    return Ballots(
        [rng.permutation(items).tolist() for _ in range(items)], items=range(items)
    )


def pairwise(scorer: str) -> Callable[[int], Asked]:
    def made(items: int) -> Asked:
        data = orders(items)
        return lambda: str(Study(data, scorer).topk(3))

    return made


def vote_confidence(items: int) -> Asked:
    data = many_votes(items)
    return lambda: str(Study(data).confidence())


def square_confidence(items: int) -> Asked:
    data = square(items)
    return lambda: str(Study(data).confidence())


def elo_fit(battles: int) -> Asked:
    data = league(100, battles)
    return lambda: Study(data, "elo").scores


CASES: tuple[tuple[str, int, Callable[[int], Asked], float], ...] = (
    ("top 5 of 40 items in polls with gaps, by rows", 600, polls_with_gaps, 1.5),
    ("ranking of a square matrix, by side", 2000, square_ranking, 2.3),
    ("audit of a square matrix, by side", 2000, square_audit, 2.3),
    ("ranking of 20 votes an item, by items", 5000, vote_ranking, 1.5),
    ("audit of 20 votes an item, by items", 5000, vote_audit, 2.3),
    ("ranking of 5 ratings an item, by items", 100_000, rating_ranking, 1.5),
    ("audit of 5 ratings an item, by items", 100_000, rating_audit, 1.7),
    ("top 10 of 2 ratings an item, by items", 80_000, sparse_topk, 1.3),
    ("top 10 of 1,000 models, Bradley-Terry, by battles", 100_000, league_topk, 1.3),
    ("top 10 of a chain, Bradley-Terry, by items", 3000, chain_topk, 2.3),
    ("top 3 by Condorcet, ballots as many as items", 300, pairwise("condorcet"), 3.3),
    ("top 3 by Copeland, ballots as many as items", 300, pairwise("copeland"), 3.3),
    ("confidence of 20 votes an item, by items", 5000, vote_confidence, 2.3),
    ("confidence of a square matrix, by side", 500, square_confidence, 2.3),
    ("Elo, by battles", 1_000_000, elo_fit, 1.2),
)
