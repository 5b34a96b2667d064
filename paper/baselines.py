"""By how much the rivals of the inflated answers are larger, on generated and on bundled data."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from paper.lookalike import lookalike_population
from paper.movie_lists import EPS
from paper.rivals import TOP_K_RULES, LinearExtensions
from paper.summaries import for_json
from steadyrank import Study, inflated_ranking, read
from steadyrank.demo import demo_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paper.array_types import FloatArray
    from paper.sources import RatingsSource
    from steadyrank.data import Observations

DRAWS, SEED = 200, 1
MANY, K_OF_MANY = 200, 20
FEW = 12
WITHIN = (1, 2, 5, 10, 20, 40)
"""How many generated scores are within c below another one, on average: eps is chosen for it."""
WITHIN_OF_FEW = (0.5, 1, 2, 3, 4, 5)
MOVIE_TRIALS, MOVIE_KS = 20, (20, 100)


@dataclass(frozen=True)
class TopKSizes:
    """The size of the answer of each rule, a mean over score vectors where there are several."""

    scores: str
    items: int
    k: int
    eps: float
    sizes: dict[str, float]


@dataclass(frozen=True)
class RankingSizes:
    """How many rankings the inflated one and the linear extensions hold: log10, and their ratio.

    Means over score vectors where there are several.
    """

    scores: str
    items: int
    eps: float
    inflated: float
    extensions: float
    ratio: float


@dataclass(frozen=True)
class Baselines:
    """Everything that ``docs/research/baselines.md`` shows; made by `baselines`.

    ``generated`` and ``generated_rankings`` are for growing eps, and drawn.
    """

    top_k: tuple[TopKSizes, ...]
    rankings: tuple[RankingSizes, ...]
    generated: tuple[TopKSizes, ...]
    generated_rankings: tuple[RankingSizes, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON."""
        return {"experiment": "baselines", **for_json(self)}


def baselines(source: RatingsSource | None = None) -> Baselines:
    """Compare the inflated answers with their rivals.

    On data eps is the smallest that no unit moves the scores by, so that Theorems 4 and 8 promise
    delta = 0 to every rule; movies have the eps of the paper.
    """
    top_k, rankings = [], []
    for name, k, data in _bundled():
        study = Study(data)
        eps = (1 + 2e-6) * float(study.facts.shifts.max())  # more than rounding
        top_k.append(_top_k(name, [study.scores], k, eps))
        rankings.append(_rankings(name, [study.scores], eps))
    movies = lookalike_population() if source is None else source
    trials = [
        Study(movies.trial(number, n=1000)).scores for number in range(MOVIE_TRIALS)
    ]
    top_k += [
        _top_k("look-alike movies, 1,000 users", trials, k, EPS) for k in MOVIE_KS
    ]
    rng = np.random.default_rng(SEED)
    many, few = list(rng.random((DRAWS, MANY))), list(rng.random((DRAWS, FEW)))
    return Baselines(
        tuple(top_k),
        tuple(rankings),
        tuple(
            _top_k("uniform scores", many, K_OF_MANY, sqrt(2) * n / MANY)
            for n in WITHIN
        ),
        tuple(
            _rankings("uniform scores", few, sqrt(2) * n / FEW) for n in WITHIN_OF_FEW
        ),
    )


def _bundled() -> Iterator[tuple[str, int, Observations]]:
    with demo_file("restaurants.csv") as path:
        data = read(path, item="restaurant", rating="stars", unit="reviewer")
        yield "restaurants, by guest", 5, data
    with demo_file("benchmark.csv") as path:
        yield "benchmark, by task", 4, read(path)
    with demo_file("chat_battles.csv") as path:
        yield "chat battles, by judge", 3, read(path, unit="judge")


def _top_k(name: str, vectors: Sequence[FloatArray], k: int, eps: float) -> TopKSizes:
    near = [near_kth(scores, k, eps) for scores in vectors]
    sizes = {
        rule: float(np.mean([(critical(scores, k) < eps).sum() for scores in near]))
        for rule, critical in TOP_K_RULES.items()
    }
    return TopKSizes(name, len(vectors[0]), k, eps, sizes)


def near_kth(scores: FloatArray, k: int, eps: float) -> FloatArray:
    """Return the scores that any of the rules may admit: those not far below the k-th best.

    Examples
    --------
    >>> near_kth(np.array([3.0, 1.0, 2.5, 2.0]), 2, 1.0)
    array([3. , 2.5, 2. ])
    """
    kth = np.partition(scores, len(scores) - k)[len(scores) - k]
    return np.asarray(scores[scores >= kth - eps])


def _rankings(name: str, vectors: Sequence[FloatArray], eps: float) -> RankingSizes:
    ours = [inflated_ranking(scores, eps).count() for scores in vectors]
    theirs = [LinearExtensions(scores, eps).count() for scores in vectors]
    return RankingSizes(
        name,
        len(vectors[0]),
        eps,
        float(np.mean([log10(count) for count in ours])),
        float(np.mean([log10(count) for count in theirs])),
        float(np.mean([b / a for a, b in zip(ours, theirs, strict=True)])),
    )
