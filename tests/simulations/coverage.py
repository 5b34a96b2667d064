"""How often confidence holds: data drawn again and again from a population whose true scores are known.

``make simulate`` prints the tables of ``docs/research/confidence.md``; ``make test`` runs a small
form, by ``test_coverage.py``. Each trial has a generator of its own, seeded by its number.
"""

from __future__ import annotations

import sys
from itertools import permutations
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from scipy.stats import binom

from steadyrank import Ratings, ScoreMatrix, Study, Votes
from steadyrank.study.rank_sets import Noise

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank.study import Confidence

    Trial = Callable[
        [np.random.Generator, float], tuple[np.ndarray, dict[str, np.ndarray]]
    ]

LEVEL, FEW_LEVEL = 0.9, 0.95
UNITS = (2, 3, 5, 10, 20, 50, 100)
TAU = 3
ORDERS = list(permutations(range(3)))


def true_ranks(truth: np.ndarray) -> tuple[list[int], list[int]]:
    """Return for each item the best and worst rank that equal true scores leave open."""
    best = [1 + sum(other > own for other in truth) for own in truth]
    worst = [sum(other >= own for other in truth) for own in truth]
    return best, worst


def holds(truth: np.ndarray, ranks: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Tell of each item whether its set of ranks holds all those that are true."""
    best, worst = true_ranks(truth)
    return (ranks[0] <= best) & (ranks[1] >= worst)


def unit_trial(kind: str) -> Trial:
    """Return a trial with units: rows of scores that share their difficulty, or votes."""

    def trial(
        rng: np.random.Generator, level: float
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        if kind == "votes":
            truth = np.array([0.3, 0.3, 0.2, 0.15, 0.05])
            data = Votes(rng.choice(5, p=truth, size=300), items=range(5))
        else:
            truth = np.array([0.0, 0.0, 0.1, 0.4, 0.5])
            rows = (
                2 * rng.standard_normal((100, 1))
                + rng.standard_exponential((100, 5))
                - 1
            )
            data = ScoreMatrix(truth + rows)
        found: Confidence = Study(data).confidence(
            level, draws=100, seed=int(rng.integers(2**31))
        )
        # The list of the tau best, for each tau, tells the best rank of each item.
        tops = [set(found.top(tau)) for tau in range(1, data.n_items + 1)]
        best = np.array(
            [1 + sum(item not in top for top in tops) for item in data.items]
        )
        ranks = {"simultaneous": found.simultaneous, "marginal": found.marginal}
        return truth, ranks | {"one-sided": (best, found.simultaneous[1])}

    return trial


def runoff_rounds(counts: np.ndarray) -> np.ndarray:
    """Return the rounds (draws, 3) of instant-runoff counts, from so many ballots of each order."""
    rounds, stay = np.zeros((len(counts), 3)), np.ones((len(counts), 3), dtype=bool)
    while stay.any():
        rounds += stay
        votes, unused = np.zeros_like(rounds), counts.astype(float)
        for place in range(3):
            for which, order in enumerate(ORDERS):
                now = unused[:, which] * stay[:, order[place]]
                votes[:, order[place]] += now
                unused[:, which] -= now
        stay &= votes > np.where(stay, votes, np.inf).min(axis=1, keepdims=True)
    return rounds


def runoff_trial(
    rng: np.random.Generator, level: float
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Hold a runoff among three that are equally liked: its rounds jump, whoever is just ahead."""
    ballots, shares = 600, np.full(len(ORDERS), 1 / len(ORDERS))
    counts = rng.multinomial(ballots, shares)
    scores = runoff_rounds(counts[np.newaxis])[0]
    draws = (
        runoff_rounds(rng.multinomial(ballots, counts / ballots, size=400)) - scores
    ).T.copy()
    noise = Noise(scores, np.cov(draws), draws, ballots)
    ranks = {
        "simultaneous": noise.simultaneous(level),
        "marginal": noise.marginal(level),
    }
    return np.zeros(3), ranks | {"one-sided": noise.simultaneous(level, one_sided=True)}


TRIALS = {
    name: unit_trial(kind)
    for name, kind in (("300 votes", "votes"), ("100 rows", "rows"))
}
TRIALS["600 ballots, runoff"] = runoff_trial


def _losing(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Return rows whose first item mostly gains 1, and loses 19 in one of twenty."""
    rows = 0.3 * rng.standard_normal(shape)
    rows[:, 0] += np.where(rng.random(len(rows)) < 0.05, -19, 1)
    return rows


ROWS: dict[
    str, tuple[float, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]]
] = {
    "normal": (0.0, lambda rng, shape: rng.standard_normal(shape)),
    "lognormal": (
        float(np.exp(0.5)),
        lambda rng, shape: np.exp(rng.standard_normal(shape)),
    ),
    "0 or 1": (0.5, lambda rng, shape: rng.random(shape) < 0.5),
    "1 in 20 is 1": (0.05, lambda rng, shape: rng.random(shape) < 0.05),
    "1 in 20 loses 19": (0.0, _losing),
}
"""How one row of equally good items is drawn, and their true score."""


def means_at_once(
    data: ScoreMatrix, scorer: object, draws: int, seed: int
) -> tuple[np.ndarray, dict]:
    """Return the means of rows drawn anew, all draws in one product: as the library's, but fast."""
    assert scorer is not None
    number = data.n_units
    copies = np.random.default_rng(seed).multinomial(
        number, np.full(number, 1 / number), size=draws
    )
    return copies @ data.values / number, {}


def few_trial(kind: str, units: int, items: int = 5, draws: int = 299) -> Trial:
    """Return a trial with so many rows of equally good items, which also tells one score interval."""
    true, rows = ROWS[kind]

    def trial(
        rng: np.random.Generator, level: float
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        data = ScoreMatrix(np.asarray(rows(rng, (units, items)), dtype=float))
        with patch("steadyrank.study.confidence.bootstrap_scores", means_at_once):
            found: Confidence = Study(data).confidence(
                level, draws=draws, seed=int(rng.integers(2**31))
            )
        low, high = found.score_intervals[:, 0]
        inside = (
            np.isnan(low) or low <= true + 1e-9 <= high + 2e-9
        )  # an unknown one claims nothing
        return np.zeros(items), {
            "simultaneous": found.simultaneous,
            "interval": np.array(inside),
        }

    return trial


def sparse_trial(users: int, items: int, each: int) -> Trial:
    """Return a trial with ratings of equally good items, of which every user rates a few."""

    def trial(
        rng: np.random.Generator, level: float
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        rated = np.concatenate(
            [rng.choice(items, size=each, replace=False) for _ in range(users)]
        )
        owners, stars = (
            np.repeat(np.arange(users), each),
            rng.integers(1, 6, size=users * each),
        )
        data = Ratings(owners, rated, stars)
        found: Confidence = Study(data).confidence(
            level, draws=299, seed=int(rng.integers(2**31))
        )
        ranks = {"simultaneous": found.simultaneous, "marginal": found.marginal}
        return np.zeros(data.n_items), ranks | {"one-sided": found.simultaneous}

    return trial


def covered_by_few(
    trial: Trial, number: int, level: float = FEW_LEVEL
) -> tuple[int, int]:
    """Return in how many trials all simultaneous ranks hold, and the interval of item 0."""
    found = [trial(np.random.default_rng([8, which]), level) for which in range(number)]
    ranks = sum(bool(holds(truth, told["simultaneous"]).all()) for truth, told in found)
    return ranks, sum(bool(told["interval"]) for _, told in found)


def covered(trial: Trial, number: int, level: float = LEVEL) -> dict[str, int]:
    """Return in how many trials all simultaneous ranks, those of item 0, one top, and all tops hold."""
    found = dict.fromkeys(("simultaneous", "marginal", "top", "tops"), 0)
    for which in range(number):
        truth, ranks = trial(np.random.default_rng([7, which]), level)
        found["simultaneous"] += bool(holds(truth, ranks["simultaneous"]).all())
        found["marginal"] += bool(holds(truth, ranks["marginal"])[0])
        best = np.array(true_ranks(truth)[0])
        found["top"] += bool((ranks["one-sided"][0][best <= TAU] <= TAU).all())
        found["tops"] += bool((ranks["one-sided"][0] <= best).all())
    return found


def fewest(number: int, level: float = LEVEL, chance: float = 1e-4) -> int:
    """Return the fewest of so many trials that such a coverage reaches, but for a small chance."""
    return int(binom.ppf(chance, number, level))


def main(number: int) -> int:
    """Print the tables, and return 1 if the coverage of large samples is too low to be chance."""
    print_few(number)
    print(
        f"| {number:,} trials at {100 * LEVEL:g} % | all ranks together | one item's ranks | top {TAU} "
        "| every top |"
    )
    print("|---|---|---|---|---|")
    low = False
    for name, trial in TRIALS.items():
        found = covered(trial, number)
        low |= min(found.values()) < fewest(number)
        print(
            f"| {name} | "
            + " | ".join(f"{100 * one / number:.1f} %" for one in found.values())
            + " |"
        )
    return int(low)


def print_few(number: int) -> None:
    """Print how often confidence holds with few rows: all ranks together, and one score interval."""
    print(
        f"| {number:,} trials at {100 * FEW_LEVEL:g} % | {' | '.join(f'{n} rows' for n in UNITS)} |"
    )
    print("|---" * (1 + len(UNITS)) + "|")
    for kind in ROWS:
        found = [covered_by_few(few_trial(kind, units), number) for units in UNITS]
        cells = [
            " / ".join(f"{100 * one / number:.0f}" for one in both) for both in found
        ]
        print(f"| {kind} | {' | '.join(cells)} |")
    print()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
