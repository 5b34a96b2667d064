"""Full rankings of features without each row, for many datasets of one size at once.

The same as `steadyrank.audit` gives for one dataset after the other; here the arithmetic of all
trials and all left-out rows is done together, since a thousand small datasets cost mostly overhead.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from paper.in_a_ball import constrained_coefficients
from steadyrank.errors import TooLargeError
from steadyrank.operators import RankingSet, inflated_topk_mask, tiers

if TYPE_CHECKING:
    from paper.array_types import BoolArray, FloatArray
    from paper.regression import RegressionTrials

MAX_STATES = 200_000
"""Beyond this a number of rankings is not counted: some trials would take minutes."""

SURE = 1 - 1e-6
"""Shifts this close to eps are looked at, not settled by the theorem: rounding must not decide."""


@dataclass(frozen=True)
class TrialScores:
    """``full`` (trials, features): scores on all rows; ``left_out`` (trials, rows, features)."""

    full: FloatArray
    left_out: FloatArray


def trial_scores(trials: RegressionTrials, *, radius: float) -> TrialScores:
    """Return ``|b|`` of the constrained fit of every trial, with and without each row.

    Where there are more features than rows, every solution lies in the span of the rows, so the
    problem is solved in coordinates of that span: fewer than the features, and the same answer.

    Examples
    --------
    >>> from paper.regression import regression_trials
    >>> scores = trial_scores(regression_trials(trials=2), radius=1.0)
    >>> scores.full.shape, scores.left_out.shape
    ((2, 5), (2, 50, 5))
    """
    X, y, back = trials.X, trials.y, None
    if X.shape[2] > X.shape[1]:
        left, sizes, back = np.linalg.svd(X, full_matrices=False)
        X = left * sizes[:, np.newaxis, :]
    gram, moment = X.transpose(0, 2, 1) @ X, np.einsum("tnl,tn->tl", X, y)
    full = constrained_coefficients(gram, moment, radius=radius)
    left_out = np.empty(X.shape)
    for trial, (rows, responses) in enumerate(zip(X, y, strict=True)):
        # One trial's folds at a time stay in the cache, however many features there are.
        outer = rows[:, :, np.newaxis] * rows[:, np.newaxis, :]
        moments = moment[trial] - rows * responses[:, np.newaxis]
        left_out[trial] = constrained_coefficients(
            gram[trial] - outer, moments, radius=radius
        )
    if back is not None:
        full = np.einsum("tr,trl->tl", full, back)
        left_out = left_out @ back
    return TrialScores(np.abs(full), np.abs(left_out))


def shifts(scores: TrialScores) -> FloatArray:
    """Return for each trial and row how far the scores move without the row."""
    return np.asarray(
        np.linalg.norm(scores.left_out - scores.full[:, np.newaxis], axis=-1)
    )


def furthest_pieces(scores: TrialScores) -> FloatArray:
    """Return for each trial and row how far the scores move on the piece that moves furthest.

    Pieces lie between the places where the same features come before, with and without the row; one of
    a single feature does not count. The local version of Theorem 8 is about them.
    """
    order, theirs = (
        np.argsort(-part, axis=-1, kind="stable")
        for part in (scores.full, scores.left_out)
    )
    order = np.broadcast_to(order[:, np.newaxis], theirs.shape)
    squares = np.take_along_axis(
        (scores.left_out - scores.full[:, np.newaxis]) ** 2, order, axis=-1
    )
    furthest, square, length = (np.zeros(theirs.shape[:-1]) for _ in range(3))
    for last in range(theirs.shape[-1]):
        square, length = square + squares[..., last], length + 1
        same = np.sort(order[..., : last + 1]) == np.sort(theirs[..., : last + 1])
        cut = same.all(axis=-1)
        furthest = np.where(cut & (length > 1), np.maximum(furthest, square), furthest)
        square, length = np.where(cut, 0.0, square), np.where(cut, 0, length)
    return np.asarray(np.sqrt(furthest))


def changed_rankings(scores: TrialScores) -> BoolArray:
    """Return for each trial and row whether the plain ranking changes without the row."""
    order = np.argsort(-scores.full, axis=-1, kind="stable")
    left_out = np.argsort(-scores.left_out, axis=-1, kind="stable")
    changed: BoolArray = np.any(left_out != order[:, np.newaxis], axis=-1)
    return changed


def separated_rankings(
    scores: TrialScores, changed: BoolArray, eps: float
) -> BoolArray:
    """Return for each trial and row whether the inflated rankings with and without it are disjoint.

    They share the plain ranking where it is unchanged, and some ranking, by Theorem 8, where the
    scores move by less than eps. All other pairs are compared.
    """
    trial, row = np.nonzero(changed & (shifts(scores) >= eps * SURE))
    separated = np.zeros(changed.shape, dtype=np.bool_)
    separated[trial, row] = ~share_a_ranking(
        scores.full[trial], scores.left_out[trial, row], eps
    )
    return separated


def share_a_ranking(first: FloatArray, second: FloatArray, eps: float) -> BoolArray:
    """Return for each pair of score rows whether their inflated rankings have one in common.

    Place, pair by pair, all items that both sides allow next, until all are placed or none can
    be: an item once allowed stays allowed, so this greedy choice never misses a common ranking.

    Examples
    --------
    >>> share_a_ranking(np.array([[1.0, 0.5], [1.0, 0.5]]), np.array([[0.5, 1.0], [0.9, 1.0]]), 0.2)
    array([False,  True])
    """
    first, second = first.copy(), second.copy()
    shares = np.zeros(len(first), dtype=np.bool_)
    placed = np.zeros(first.shape, dtype=np.bool_)
    # Placed items go where they cannot be allowed again nor hinder others.
    depths = first.min(initial=0.0) - 4 * eps, second.min(initial=0.0) - 4 * eps
    pairs = np.arange(len(first))
    while len(pairs):
        allowed = inflated_topk_mask(first[pairs], 1, eps) & inflated_topk_mask(
            second[pairs], 1, eps
        )
        allowed &= ~placed[pairs]
        placed[pairs] |= allowed
        first[pairs] = np.where(allowed, depths[0], first[pairs])
        second[pairs] = np.where(allowed, depths[1], second[pairs])
        complete = placed[pairs].all(axis=1)
        shares[pairs[complete]] = True
        pairs = pairs[~complete & allowed.any(axis=1)]
    return shares


def number_of_rankings(
    scores: FloatArray, eps: float, *, max_states: int = MAX_STATES
) -> int | None:
    """Return the number of inflated rankings, or None where counting would pass ``max_states``.

    No ranking mixes tiers, so their counts multiply; two items of one tier may come in both orders.

    Examples
    --------
    >>> number_of_rankings(np.array([5.0, 4.9, 1.0, 0.9, 0.8]), eps=0.5)
    12
    """
    sizes = [(len(tier), tier) for tier in tiers(scores, eps)]
    try:
        return prod(
            size
            if size < 3
            else RankingSet(scores[tier], eps).count(max_states=max_states)
            for size, tier in sizes
        )
    except TooLargeError:
        return None


def estimated_log10_rankings(
    scores: FloatArray, eps: float, *, paths: int, seed: int
) -> float:
    """Return log10 of an unbiased estimate of the number of inflated rankings.

    Build rankings at random, every allowed item equally likely to be the next; the product of the
    numbers of allowed items, averaged over such rankings, has the number sought as its mean.

    Examples
    --------
    >>> round(10 ** estimated_log10_rankings(np.array([1.0, 0.5, 0.0]), 1.0, paths=4000, seed=1), 1)
    3.0
    """
    rng = np.random.default_rng(seed)
    left = np.repeat(scores[np.newaxis], paths, axis=0)
    bottom = float(scores.min()) - 4 * eps
    logs = np.zeros(paths)
    every = np.arange(paths)
    for _ in range(len(scores)):
        allowed = inflated_topk_mask(left, 1, eps) & (left > bottom)
        logs += np.log(allowed.sum(axis=1))
        left[every, np.argmax(allowed * rng.random(left.shape), axis=1)] = bottom
    largest = logs.max()
    return float((largest + np.log(np.mean(np.exp(logs - largest)))) / np.log(10))
