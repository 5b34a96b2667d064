"""The paper's experiments done the straightforward way, as their descriptions read.

Left-out scores are recomputed from the data without the unit; the inflated argmax projects
the whole score vector once for each candidate; full rankings are enumerated. Nothing here
uses steadyrank: these are the baselines of the speed claims and oracles of the tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from steadyrank._typing import FloatArray, IntArray


@dataclass(frozen=True)
class MethodResult:
    """What the paper's tables report about one method on one dataset."""

    delta: float
    jaccard: float
    size: int


# ------------------------------------------------------------------- projections and sets


def distance_to_clear_winner(
    descending: FloatArray, winner: int, margin: float
) -> float:
    """Return how far sorted scores are from vectors in which the winner leads by the margin.

    The nearest such vector lowers all others to a level t where they exceed it, and lifts
    the winner to t + margin; running sums tell how many are lowered.
    """
    others = np.delete(descending, winner)
    target = descending[winner] - margin
    lowered = np.arange(len(others) + 1)
    levels = (np.concatenate(([0.0], np.cumsum(others))) + target) / (lowered + 1)
    # The right number m of lowered scores is the first whose level reaches the next score.
    m = int(np.argmax(levels >= np.append(others, -np.inf)))
    below = levels[m] - target
    if below < 0:
        return 0.0
    return float(math.sqrt(np.sum((others[:m] - levels[m]) ** 2) + below**2))


def inflated_argmax_size(descending: FloatArray, eps: float) -> int:
    """Return how many of the sorted scores are in the inflated argmax: always the first ones."""
    margin = eps / math.sqrt(2)
    size = 0
    while (
        size < len(descending)
        and distance_to_clear_winner(descending, size, margin) < eps
    ):
        size += 1
    return size


def best_first(scores: FloatArray) -> IntArray:
    """Return the items from best to worst; the smaller index wins a tie."""
    return np.argsort(-scores, kind="stable")


def top_k(scores: FloatArray, k: int) -> set[int]:
    """Return the k best items; the smaller index wins a tie."""
    return set(best_first(scores)[:k].tolist())


def inflated_top_k(scores: FloatArray, k: int, eps: float) -> set[int]:
    """Return the best k - 1 items and the inflated argmax of the others."""
    order = best_first(scores)
    return set(
        order[: k - 1 + inflated_argmax_size(scores[order[k - 1 :]], eps)].tolist()
    )


def inflated_rankings(scores: FloatArray, eps: float) -> set[tuple[int, ...]]:
    """Return all rankings that place an item of the inflated argmax of the rest at each step."""
    return set(_extended((), best_first(scores).tolist(), scores, eps))


def _extended(
    placed: tuple[int, ...], rest: list[int], scores: FloatArray, eps: float
) -> Iterator[tuple[int, ...]]:
    if not rest:
        yield placed
    for place in range(inflated_argmax_size(scores[rest], eps) if rest else 0):
        others = rest[:place] + rest[place + 1 :]
        yield from _extended((*placed, rest[place]), others, scores, eps)


# --------------------------------------------------------------------- top-k on ratings


def mean_ratings(ratings: pd.DataFrame, n_movies: int) -> FloatArray:
    """Return sum / (1 + count) of each movie's ratings; a movie without any has 0."""
    grouped = ratings.groupby("movie")["rating"].agg(["sum", "count"])
    scores = np.zeros(n_movies)
    scores[grouped.index] = grouped["sum"] / (1 + grouped["count"])
    return scores


def ratings_frame(indptr: IntArray, rated: IntArray, values: IntArray) -> pd.DataFrame:
    """Return one row for each rating: user, movie, rating."""
    import pandas as pd

    users = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return pd.DataFrame(
        {"user": users, "movie": rated, "rating": values.astype(np.int64)}
    )


def audit_ratings(
    ratings: pd.DataFrame,
    n_movies: int,
    ks: Sequence[int],
    *,
    eps: float,
    users: Sequence[int] | None = None,
) -> dict[int, dict[str, MethodResult]]:
    """Leave out each user (or only the given ones) and compare both kinds of top-k."""
    full = _both_top_ks(mean_ratings(ratings, n_movies), ks, eps)
    overlaps: dict[tuple[int, str], list[tuple[int, int]]] = {
        (k, name): [] for k in ks for name in ("top-k", "inflated top-k")
    }
    for user in ratings["user"].unique() if users is None else users:
        remaining = ratings[ratings["user"] != user]
        for key, items in _both_top_ks(
            mean_ratings(remaining, n_movies), ks, eps
        ).items():
            overlaps[key].append((len(full[key] & items), len(full[key] | items)))
    results: dict[int, dict[str, MethodResult]] = {k: {} for k in ks}
    for (k, name), pairs in overlaps.items():
        common, union = np.array(pairs).T
        results[k][name] = MethodResult(
            delta=float(np.mean(common < k)),
            jaccard=float(np.mean(common / union)),
            size=len(full[k, name]),
        )
    return results


def _both_top_ks(
    scores: FloatArray, ks: Sequence[int], eps: float
) -> dict[tuple[int, str], set[int]]:
    order = best_first(scores)
    descending = scores[order]
    sets = {}
    for k in ks:
        size = k - 1 + inflated_argmax_size(descending[k - 1 :], eps)
        sets[k, "top-k"] = set(order[:k].tolist())
        sets[k, "inflated top-k"] = set(order[:size].tolist())
    return sets


# -------------------------------------------------------------- full rankings of features


def coefficients_by_bisection(
    X: FloatArray, y: FloatArray, *, radius: float = 1.0, tolerance: float = 1e-12
) -> FloatArray:
    """Return least squares coefficients of norm at most radius, bisecting on the penalty."""
    gram, moment, identity = X.T @ X, X.T @ y, np.eye(X.shape[1])

    def solved(penalty: float) -> FloatArray:
        return np.asarray(np.linalg.solve(gram + penalty * identity, moment))

    if np.linalg.norm(solved(0.0)) <= radius:
        return solved(0.0)
    low, high = 0.0, 1.0
    while np.linalg.norm(solved(high)) > radius:
        low, high = high, 2 * high
    while high - low > tolerance * high:
        middle = (low + high) / 2
        if np.linalg.norm(solved(middle)) > radius:
            low = middle
        else:
            high = middle
    return solved(high)


def audit_regression(
    X: FloatArray, y: FloatArray, *, eps: float, radius: float = 1.0
) -> dict[str, MethodResult]:
    """Leave out each row, refit, and compare the ranking and the inflated rankings of |b|."""
    scores = np.abs(coefficients_by_bisection(X, y, radius=radius))
    plain, inflated = tuple(best_first(scores)), inflated_rankings(scores, eps)
    changed, apart = [], []
    jaccards = []
    for row in range(len(y)):
        left_out = np.abs(
            coefficients_by_bisection(
                np.delete(X, row, axis=0), np.delete(y, row), radius=radius
            )
        )
        others = inflated_rankings(left_out, eps)
        changed.append(tuple(best_first(left_out)) != plain)
        apart.append(not inflated & others)
        jaccards.append(len(inflated & others) / len(inflated | others))
    return {
        "ranking": MethodResult(
            float(np.mean(changed)), 1 - float(np.mean(changed)), 1
        ),
        "inflated ranking": MethodResult(
            float(np.mean(apart)), float(np.mean(jaccards)), len(inflated)
        ),
    }
