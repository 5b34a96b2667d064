"""Tables 1 and 3 of the paper and its figure: top-k lists of movies by mean rating."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from paper.local_shares import local_share
from paper.lookalike import lookalike_population
from paper.summaries import MethodSummary, at_least_one, for_json, summary_of
from paper.unstable_sort import unstable_top_k
from steadyrank import Study
from steadyrank.errors import InvalidValueError
from steadyrank.scorers import Mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paper.sources import RatingsSource
    from steadyrank.data import Ratings

TRIALS, USERS = 100, 1000
KS = (5, 10, 20, 50, 100)
EPS = 0.01
TOP_K, INFLATED_TOP_K = "top-k", "inflated top-k"
METHODS = {TOP_K: "topk", INFLATED_TOP_K: "inflated_topk"}
"""What the tables call a method, and what an audit calls it."""

Ties = Literal["text", "script"]


@dataclass(frozen=True)
class Cell:
    """One method and k on one dataset.

    ``tied`` tells whether the k-th best score and the next one are exactly equal. ``reaching`` is the
    share of users that move the scores by eps or more, ``local`` that of the local version of Theorem 4.
    """

    delta: float
    jaccard: float
    size: int
    tied: bool
    reaching: float | None = None
    local: float | None = None


@dataclass(frozen=True)
class NetflixExperiment:
    """The paper's Tables 1 and 3, made by `netflix_experiment`.

    Attributes
    ----------
    methods : dict
        For each k, for ``"top-k"`` and ``"inflated top-k"``, the columns of the tables.
    tied_borders : dict
        For each k, the share of trials in which the k-th and the next best movie tie exactly.
    tied_without_shrinkage : dict
        The same for plain mean ratings, without the 1 in the denominator.
    source : str
        The look-alike, or the Prize files.
    ties : {"text", "script"}
        How the plain top-k breaks exact ties: smallest index, or an unstable sort.
    seed, trials, users, eps
        The settings.
    """

    methods: dict[int, dict[str, MethodSummary]]
    tied_borders: dict[int, float]
    tied_without_shrinkage: dict[int, float]
    source: str
    ties: Ties
    seed: int
    trials: int
    users: int
    eps: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON."""
        return {"experiment": "netflix", **for_json(self)}


def netflix_experiment(
    source: RatingsSource | None = None,
    *,
    trials: int = TRIALS,
    users: int = USERS,
    ks: Sequence[int] = KS,
    eps: float = EPS,
    ties: Ties = "text",
    threads: int = 2,
    progress: Callable[[int], object] | None = None,
) -> NetflixExperiment:
    """Audit the top-k movies of many samples of users, as the paper does.

    Parameters
    ----------
    source : RatingsSource, optional
        Where ratings come from; by default the seeded look-alike of the Prize data.
    trials, users : int
        How many samples, and how many users in each.
    ks : sequence of int
        The lengths of the lists.
    eps : float
        The inflation.
    ties : {"text", "script"}
        Whether the plain top-k breaks ties by the smallest index, as the paper's text says, or
        leaves them to an unstable sort, as the authors' script does. Inflated answers do not
        depend on it: equal scores enter together.
    threads : int
        How many trials are worked on at once.
    progress : callable, optional
        Called with 1 after each trial.

    Examples
    --------
    >>> source = lookalike_population(users=4000, seed=3)
    >>> result = netflix_experiment(source, trials=2, users=200, ks=[5, 10])
    >>> result.methods[10]["top-k"].size
    10.0
    """
    if ties not in get_args(Ties):
        raise InvalidValueError(f"ties must be 'text' or 'script', but is {ties!r}.")
    trials = at_least_one("trials", trials)
    population = lookalike_population() if source is None else source

    def one_trial(number: int) -> tuple[dict[tuple[int, str], Cell], dict[int, bool]]:
        ratings = population.trial(number, n=users)
        cells = audited(ratings, ks, eps, shares=True)
        if ties == "script":
            for k, plain in unstable_top_k(ratings, ks).items():
                cells[k, TOP_K] = replace(
                    cells[k, TOP_K], delta=plain.delta, jaccard=plain.jaccard
                )
        return cells, tied_plain_means(ratings, ks)

    found, tied = [], []
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for cells, ties_of_means in pool.map(one_trial, range(trials)):
            found.append(cells)
            tied.append(ties_of_means)
            if progress is not None:
                progress(1)
    return NetflixExperiment(
        methods=summaries(found, ks),
        tied_borders={
            k: sum(cells[k, TOP_K].tied for cells in found) / trials for k in ks
        },
        tied_without_shrinkage={k: sum(one[k] for one in tied) / trials for k in ks},
        source=population.name,
        ties=ties,
        seed=population.seed,
        trials=trials,
        users=users,
        eps=eps,
    )


def audited(
    ratings: Ratings, ks: Sequence[int], eps: float, *, shares: bool = False
) -> dict[tuple[int, str], Cell]:
    """Leave out every user in turn: both methods, every k, from one audit.

    With ``shares`` the inflated answers also have those that bound their delta.

    Examples
    --------
    >>> from steadyrank import Ratings
    >>> ratings = Ratings(["u", "v", "v"], ["film", "film", "book"], [5, 3, 4])
    >>> cell = audited(ratings, [1], eps=0.01)[1, "top-k"]
    >>> cell.delta, cell.jaccard, cell.size, cell.tied
    (0.5, 0.5, 1, False)
    """
    study = Study(ratings, Mean(1.0))
    result = study.audit(ks, eps=eps, methods=METHODS.values())
    places = [place for k in ks for place in (k - 1, k) if place < len(result.scores)]
    at_places = np.partition(-result.scores, places)
    cells = {}
    for name, method in METHODS.items():
        for k in ks:
            row = result.row(method, k)
            # Sizes and similarities of top-k answers are always known.
            similarity, size = float(row.jaccard or 0.0), int(row.size or 0)
            tied = k < len(at_places) and bool(at_places[k - 1] == at_places[k])
            cells[k, name] = Cell(row.delta, similarity, size, tied)
            if shares and name == INFLATED_TOP_K:
                bounds = result.share_reaching_eps, local_share(study, k, eps)
                cells[k, name] = replace(
                    cells[k, name], reaching=bounds[0], local=bounds[1]
                )
    return cells


def tied_plain_means(ratings: Ratings, ks: Sequence[int]) -> dict[int, bool]:
    """Return for each k whether the k-th and the next best mean rating are equal, rated movies only.

    Examples
    --------
    >>> from steadyrank import Ratings
    >>> tied_plain_means(Ratings(["u", "v", "v"], ["film", "film", "book"], [5, 3, 4]), [1])
    {1: True}
    """
    counts = np.bincount(ratings.rated)
    sums = np.bincount(ratings.rated, ratings.values)
    means = np.sort(sums[counts > 0] / counts[counts > 0])[::-1]
    return {k: k < len(means) and bool(means[k - 1] == means[k]) for k in ks}


def summaries(
    trials: Sequence[dict[tuple[int, str], Cell]], ks: Sequence[int]
) -> dict[int, dict[str, MethodSummary]]:
    """Summarise what was found in several trials, for each k and method."""
    return {
        k: {
            name: summary_of(
                [cells[k, name].delta for cells in trials],
                [cells[k, name].size for cells in trials],
                [cells[k, name].jaccard for cells in trials],
                reaching=_mean([cells[k, name].reaching for cells in trials]),
                local=_mean([cells[k, name].local for cells in trials]),
            )
            for name in METHODS
        }
        for k in ks
    }


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return float(np.mean(known)) if known else None
