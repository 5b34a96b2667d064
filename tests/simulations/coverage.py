"""How often confidence holds: data drawn again and again from a population whose true scores are known.

``make simulate`` prints the table of ``docs/confidence.md``; ``make test`` runs a small form of it, by
``test_coverage.py``. Each trial has a generator of its own, seeded by its number.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from steadyrank import ScoreMatrix, Votes, confidence
from steadyrank.chance.rank_sets import Noise, normal_draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank.stability import Confidence

    Trial = Callable[[np.random.Generator, float], tuple[np.ndarray, dict[str, np.ndarray]]]

LEVEL = 0.9
TAU = 3
TRUTHS = {
    "all equal": np.zeros(8),
    "two clusters": np.array([0.0] * 4 + [6.0] * 4),
    "near ties": 0.3 * np.arange(8),
    "steps of 2 errors": 2.0 * np.arange(8),
    "mixed": np.array([0.0, 0.0, 1.0, 1.2, 3.0, 3.0, 9.0, 9.1]),
}


def true_ranks(truth: np.ndarray) -> tuple[list[int], list[int]]:
    """Return for each item the best and worst rank that equal true scores leave open."""
    best = [1 + sum(other > own for other in truth) for own in truth]
    worst = [sum(other >= own for other in truth) for own in truth]
    return best, worst


def holds(truth: np.ndarray, ranks: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Tell of each item whether its set of ranks holds all those that are true."""
    best, worst = true_ranks(truth)
    return (ranks[0] <= best) & (ranks[1] >= worst)


def normal_trial(truth: np.ndarray, shrunk: float = 1.0) -> Trial:
    """Return a trial with independent estimates; errors may be understated, to see that it is found."""

    def trial(rng: np.random.Generator, level: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        errors = rng.uniform(0.7, 1.5, len(truth))
        scores = truth + errors * rng.standard_normal(len(truth))
        covariance = np.diag((shrunk * errors) ** 2)
        draws = normal_draws(covariance, 400, int(rng.integers(2**31)))
        noise = Noise(scores, covariance, draws.T.copy())
        ranks = {"simultaneous": noise.simultaneous(level), "marginal": noise.marginal(level)}
        return truth, ranks | {"one-sided": noise.simultaneous(level, one_sided=True)}

    return trial


def unit_trial(kind: str) -> Trial:
    """Return a trial with units: rows of scores that share their difficulty, or votes."""

    def trial(rng: np.random.Generator, level: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        if kind == "votes":
            truth = np.array([0.3, 0.3, 0.2, 0.15, 0.05])
            data = Votes(rng.choice(5, p=truth, size=300), items=range(5))
        else:
            truth = np.array([0.0, 0.0, 0.1, 0.4, 0.5])
            rows = 2 * rng.standard_normal((100, 1)) + rng.standard_exponential((100, 5)) - 1
            data = ScoreMatrix(truth + rows)
        found: Confidence = confidence(data, level, draws=100, seed=int(rng.integers(2**31)))
        # The list of the tau best, for each tau, tells the best rank of each item.
        tops = [set(found.top(tau)) for tau in range(1, data.n_items + 1)]
        best = np.array([1 + sum(item not in top for top in tops) for item in data.items])
        ranks = {"simultaneous": found.simultaneous, "marginal": found.marginal}
        return truth, ranks | {"one-sided": (best, found.simultaneous[1])}

    return trial


TRIALS = {f"normal, {name}": normal_trial(truth) for name, truth in TRUTHS.items()}
TRIALS |= {name: unit_trial(kind) for name, kind in (("300 votes", "votes"), ("100 rows", "rows"))}


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
    """Print the table, and return 1 if a coverage is too low to be chance."""
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
            f"| {name} | " + " | ".join(f"{100 * one / number:.1f} %" for one in found.values()) + " |"
        )
    return int(low)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
