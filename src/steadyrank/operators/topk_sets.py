"""Plain and inflated top-k, for one vector or a batch, and the list that a ball of scores needs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from steadyrank._typing import BoolArray, FloatArray, IntArray
from steadyrank.operators.checks import (
    check_eps,
    check_k,
    check_score_batch,
    check_scores,
)
from steadyrank.operators.inflation import (
    eligible_of_few,
    eligible_prefix,
    entry_eps,
    swap_eps,
)

FIRST_LOOK = 16
"""How many scores from rank k on are looked at first; most inflations end among them."""

FEW = 256
"""Up to so many scores of one vector are looked at one by one."""

CHUNK = 1 << 19
"""Scores of a batch handled at once, 4 MiB: with fewer, calls cost more than passes over them do."""

STRIDE = 64
"""How many scores share one maximum when a floor under the m-th best is looked for."""

LONG = 1 << 14
"""From so many scores on, sorting whole numbers beats sorting indices."""

HUGE, SMALLER = 2.0**900, 2.0**-100
"""Where scores are beyond the first, sums of them may overflow: they are multiplied with the other."""


@dataclass(frozen=True, eq=False)
class InflatedTopK:
    """The items that may belong to the top k: k of them, or a few more where the data cannot tell.

    Attributes
    ----------
    indices : int array
        The members, best first; the smaller index first among equal scores.
    k : int
        How many items were asked for.
    eps : float
        The inflation.
    always_indices : int array
        Members that are in the top k of *every* ranking of the inflated ranking set, best first.
    sometimes_indices : int array
        The other members, best first: some ranking of the set leaves them out of its top k.
    """

    indices: IntArray
    k: int
    eps: float
    always_indices: IntArray

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.indices)

    @cached_property
    def sometimes_indices(self) -> IntArray:
        """Members that some ranking of the set leaves out of its top k, best first."""
        return self.indices[len(self.always_indices) :]

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self.indices)

    def __iter__(self) -> Iterator[int]:
        """Go through the indices of the members, best first."""
        return iter(self.indices.tolist())

    def __contains__(self, item: object) -> bool:
        """Tell whether the item with this index is a member."""
        return bool(np.any(self.indices == item))


def topk(scores: ArrayLike, k: int) -> IntArray:
    """Return the indices of the k best scores, best first; the smaller index wins a tie.

    Examples
    --------
    >>> topk([0.2, 0.9, 0.9, 0.1], 2)
    array([1, 2])
    """
    values = check_scores(scores)
    return best_indices(values, check_k(k, len(values)))


def inflated_argmax(scores: ArrayLike, eps: float) -> IntArray:
    """Return the indices of the items that may be the best, best first.

    This is ``inflated_topk(scores, 1, eps).indices``. Boundary cases (an item exactly at
    distance eps, up to rounding) are out; see :mod:`steadyrank.operators.inflation`.

    Examples
    --------
    >>> inflated_argmax([1.0, 0.5, 0.0], 1.0)
    array([0, 1])
    """
    return inflated_topk(scores, 1, eps).indices


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def inflated_topk(scores: ArrayLike, k: int, eps: float) -> InflatedTopK:
    """Return the k best items and those that cannot be told from the k-th.

    The members are the k - 1 best items and the inflated argmax of the others. If two score
    vectors are closer than ``eps`` (Euclidean distance), their inflated top-k sets share at
    least k items. Boundary cases are out, ties enter together, and rounding does not decide:
    see :mod:`steadyrank.operators.inflation`.

    Parameters
    ----------
    scores : array-like (items,)
        One finite number for each item, bigger is better.
    k : int
        How many items are wanted, from 1 to the number of items.
    eps : float
        The inflation, positive, on the scale of the scores.

    Examples
    --------
    >>> answer = inflated_topk([1.0, 0.5, 0.0], k=2, eps=1.0)
    >>> answer.indices, answer.always_indices, answer.sometimes_indices
    (array([0, 1, 2]), array([0]), array([1, 2]))
    >>> len(answer), 2 in answer, list(answer)
    (3, True, [0, 1, 2])
    """
    values = check_scores(scores)
    k = check_k(k, len(values))
    eps = check_eps(eps)
    window = windows_from(values[np.newaxis], k)
    (cut,) = member_cut(values[np.newaxis], window, k, eps)
    members, certain = reaching_indices(values, cut), k
    if k < len(values):  # who is at least c above the item of rank k + 1
        leaders = values[members[:k]]
        certain = int(
            np.count_nonzero(eps <= swap_eps(leaders - window[0, 1], leaders))
        )
    return InflatedTopK(members, k, eps, always_indices=members[:certain])


def _eligible(windows: FloatArray, eps: float) -> tuple[IntArray, FloatArray]:
    """Return how many of the scores from rank k on are eligible, and how deep eligibility reaches."""
    if len(windows) == 1 and windows.shape[1] < FEW:
        eligible, depth = eligible_of_few(windows[0], eps)
        return np.array([eligible]), np.array([depth])
    return eligible_prefix(windows[:, :1] - windows, windows[:, 0], eps)


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def inflated_topk_mask(scores: ArrayLike, k: int, eps: float) -> BoolArray:
    """Return which items are in the inflated top-k, along the last axis of a batch of any shape.

    Examples
    --------
    >>> inflated_topk_mask([[1.0, 0.5, 0.0], [1.0, 0.0, 0.9]], k=1, eps=1.0)
    array([[ True,  True, False],
           [ True, False,  True]])
    """
    values = check_score_batch(scores)
    k = check_k(k, values.shape[-1])
    eps = check_eps(eps)
    return member_mask(values.reshape(-1, values.shape[-1]), k, eps).reshape(
        values.shape
    )


def member_mask(rows: FloatArray, k: int, eps: float, chunk: int = CHUNK) -> BoolArray:
    """Return which items of each row are in its inflated top-k, ``chunk`` scores at a time."""
    mask = np.empty(rows.shape, dtype=np.bool_)
    step = max(1, chunk // rows.shape[1])
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        cut = member_cut(part, windows_from(part, k), k, eps)
        np.greater_equal(part, cut[:, np.newaxis], out=mask[start : start + step])
    return mask


def member_cut(rows: FloatArray, window: FloatArray, k: int, eps: float) -> FloatArray:
    """Return, for each row and its window from rank k on, the lowest score of an inflated top-k.

    The members are exactly the items that reach this score, since equal scores enter together.
    """
    eligible, depth = _eligible(window, eps)
    row = np.arange(len(rows))
    cut, after = (
        window[row, eligible - 1],
        window[row, np.minimum(eligible, window.shape[1] - 1)],
    )
    ended = (eligible == window.shape[1]) | np.isneginf(after)
    unsettled = np.flatnonzero(ended & (k - 1 + eligible < rows.shape[1]))
    if len(
        unsettled
    ):  # those windows ended before the inflation did: look as deep as it can go
        wider = reaching_windows(
            rows[unsettled], window[unsettled, 0] - depth[unsettled]
        )[:, k - 1 :]
        cut[unsettled] = wider[np.arange(len(unsettled)), _eligible(wider, eps)[0] - 1]
    return cut


@np.errstate(over="ignore")  # a distance that overflows is infinite, and as far as any
def best_first(scores: FloatArray, long: int = LONG) -> tuple[IntArray, FloatArray]:
    """Return the items from best to worst, the smaller index first in a tie, and their scores.

    NumPy sorts numbers several times as fast as it sorts indices by them. So many scores are sorted
    roughly first, by their distance from the best with the index in its lowest bits: floats from 0 on
    are in the order of their bits. What is left to a stable sort is nearly in order.
    """
    order = np.arange(len(scores))
    if len(scores) >= long:
        low = (1 << len(scores).bit_length()) - 1
        best = scores.max() + 0.0  # not -0.0, from which 0.0 would be -0.0 away
        order |= (best - scores).view(np.int64) & ~low
        order.sort()
        order &= low
        scores = scores[order]
    finer = np.argsort(-scores, kind="stable")
    order = order[finer]
    return order, scores[finer]


def best_indices(scores: FloatArray, m: int) -> IntArray:
    """Return the indices of the m best scores, best first; the smaller index wins a tie.

    Examples
    --------
    >>> best_indices(np.array([0.1, 0.9, 0.5, 0.9]), 3)
    array([1, 3, 2])
    """
    if m >= len(scores):
        return best_first(scores)[0]
    return reaching_indices(scores, _floor(scores[np.newaxis], m)[0])[:m]


def reaching_indices(scores: FloatArray, floor: float) -> IntArray:
    """Return the indices of the scores that reach ``floor``, best first, smaller index first."""
    few = np.flatnonzero(scores >= floor)
    return few[best_first(scores[few])[0]]


def _floor(rows: FloatArray, m: int) -> FloatArray:
    """Return a value that at least m scores of each row reach, and usually not many more.

    The m-th largest of column maxima is such a value: the columns are disjoint. Maxima over
    columns take one fast pass; a selection among all scores would take several.
    """
    columns = rows.shape[1] // STRIDE
    if columns >= 2 * m:
        rows = rows[:, : STRIDE * columns].reshape(-1, STRIDE, columns).max(axis=1)
    return np.partition(rows, -m, axis=1)[:, -m]


def windows_from(rows: FloatArray, k: int) -> FloatArray:
    """Return the first scores of each row from rank k on, best first, or all that there are.

    Rows may be padded with minus infinity.
    """
    width = rows.shape[1]
    if width // STRIDE >= 2 * (k + FIRST_LOOK):
        return reaching_windows(rows, _floor(rows, k + FIRST_LOOK))[:, k - 1 :]
    kth = width - k
    least = max(0, kth + 1 - FIRST_LOOK)
    best = np.partition(rows, least, axis=1)[
        :, least:
    ]  # for two ranks at once it would be slow
    best.sort(axis=1)
    return best[:, kth - least :: -1]


def reaching_windows(rows: FloatArray, floor: FloatArray) -> FloatArray:
    """Return the scores of each row that reach its floor, best first, padded with minus infinity."""
    width = rows.shape[1]
    row, column = np.divmod(np.flatnonzero(rows >= floor[:, np.newaxis]), width)
    number = np.bincount(row, minlength=len(rows))
    place = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    window = np.full((len(rows), int(number.max())), np.inf)
    window[row, place] = -rows[row, column]
    window.sort(axis=1)
    return -window


def ball_topk(scores: ArrayLike, k: int, eps: float) -> IntArray:
    """Return the items that scores closer than ``eps`` could put into the plain top k, best first.

    Boundary cases are out, as for every operator; equal scores enter together.

    Examples
    --------
    >>> [ball_topk([1.0, 0.97, 0.96, 0.6], k=1, eps=eps).tolist() for eps in (0.02, 0.03)]
    [[0], [0, 1, 2]]
    """
    values = check_scores(scores)
    inside = _ball_distances(values, check_k(k, len(values))) < check_eps(eps)
    order, _ = best_first(values)
    return order[inside[order]]


@np.errstate(over="ignore")  # a distance that overflows is infinite, and far enough
def _ball_distances(values: FloatArray, k: int) -> FloatArray:
    r"""Return for each item the eps above which it is in the ball's list: 0 in the plain top k.

    Item j is in that list exactly if ``d_j < eps``, with ``d_j`` the distance from ``w`` to the scores
    by which at most k - 1 items are ahead of j.

    The cheapest such scores let the k - 1 best items be and bring j and m of the others to one level.
    With ``g_1 >= g_2 >= ...`` how far the items from rank k on are ahead of j, that level is
    ``(g_1 + ... + g_m) / (m + 1)`` above j, m being the largest number with
    ``g_m > (g_1 + ... + g_(m-1)) / m``, so that

        d_j^2 = g_1^2 + ... + g_m^2 - (g_1 + ... + g_m)^2 / (m + 1).

    Written with drops ``y`` below the k-th best, the condition is
    ``y_j > m y_m - (y_1 + ... + y_(m-1))``. The right side grows with m, so that one search in a sorted
    array finds m for all items.
    """
    order, ranked = best_first(values)
    scale = SMALLER if np.abs(ranked[[0, -1]]).max() > HUGE else 1.0
    drops = (scale * ranked[k - 1]) - (scale * ranked[k - 1 :])
    sums, roots = np.cumsum(drops), np.hypot.accumulate(drops)
    numbers = np.arange(1, len(drops) + 1)
    begins = np.maximum.accumulate(
        numbers * drops - (sums - drops)
    )  # rounding must not let it fall
    moved = np.searchsorted(begins, drops, side="left")
    last, below = np.maximum(moved, 1) - 1, np.where(moved > 0, drops, 1.0)
    # In units of the item's own drop: its square may be beyond all floats.
    ahead = moved - sums[last] / below
    squared = (
        moved
        - 2 * (sums[last] / below)
        + (roots[last] / below) ** 2
        - ahead**2 / (moved + 1)
    )
    apart = np.where(moved > 0, drops, 0.0) * np.sqrt(np.maximum(squared, 0.0)) / scale
    distances = np.zeros(len(values))
    distances[order[k - 1 :]] = entry_eps(apart, ranked[k - 1]) * (moved > 0)
    return distances


def cover_factor(window: int) -> float:
    r"""Return how many eps to inflate by, so that scores closer than eps have their answer inside.

    If ``|w - v| < eps``, the plain top k by ``v`` is in the inflated top k of ``w`` at ``factor * eps``,
    for ``window = L - k``, and the ranking by ``v`` is in the inflated ranking, for ``window = L - 1``.
    No smaller factor serves all scores of so many items: equal ones above a single one need all of it.

    Examples
    --------
    >>> [round(cover_factor(window), 3) for window in (0, 1, 2, 3, 4, 10**9)]
    [1.0, 2.0, 2.366, 2.58, 2.721, 3.414]
    """
    root = math.sqrt(2)
    return root / (root - math.sqrt(window / (window + 1))) * (1 + 1e-12)
