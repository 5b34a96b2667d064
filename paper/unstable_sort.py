"""The plain top-k with exact ties left to an unstable sort, as in the authors' script.

The rule of the paper's text is that the smaller index wins a tie. A quicksort follows no rule: where
equal scores end up depends on all the other numbers, so that leaving out a user who has nothing
to do with the tied movies can swap them.

NumPy's quicksort takes another route on each kind of processor for 64-bit numbers. Here scores are
replaced by their places in the order, as 16-bit numbers, for which it is the same introsort
everywhere; equal scores stay equal, so it does what the portable routine does with the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.scorers import MeanRating

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paper.array_types import AnyArray, IntArray
    from steadyrank.data import Ratings


@dataclass(frozen=True)
class PlainStability:
    """Instability and mean Jaccard similarity of a plain top-k on one dataset."""

    delta: float
    jaccard: float


def unstable_top_k(ratings: Ratings, ks: Sequence[int]) -> dict[int, PlainStability]:
    """Audit the plain top-k of mean ratings when an unstable sort breaks the ties.

    Parameters
    ----------
    ratings : Ratings
        The unit left out is the user.
    ks : sequence of int
        How many items are wanted. Only items with a rating are ranked.

    Examples
    --------
    >>> from steadyrank import Ratings
    >>> ratings = Ratings(["u", "v", "v"], ["film", "film", "book"], [5, 3, 4])
    >>> unstable_top_k(ratings, [1])[1]
    PlainStability(delta=0.5, jaccard=0.5)
    """
    left_out = _LeftOut.of(ratings)
    deepest = max(ks)
    full = _best(left_out.codes, left_out.rated, deepest)
    tops = np.array([_best(*row, deepest) for row in left_out.rows()])
    results = {}
    for k in ks:
        common = np.isin(tops[:, :k], full[:k]).sum(axis=1)
        results[k] = PlainStability(
            delta=float(np.mean(common < k)), jaccard=float(np.mean(common / (2 * k - common)))
        )
    return results


def _best(codes: AnyArray, rated: AnyArray, k: int) -> IntArray:
    """Return the k best of the rated items: the smallest codes, by an unstable sort."""
    items = np.flatnonzero(rated)
    return np.asarray(items[np.argsort(codes[items], kind="quicksort")[:k]])


@dataclass(frozen=True)
class _LeftOut:
    """Codes of the scores (0 is the best score of all), with and without each user."""

    ratings: Ratings
    codes: AnyArray
    rated: AnyArray
    without: AnyArray
    lonely: AnyArray
    """For each rating, whether its item has no other."""

    @classmethod
    def of(cls, ratings: Ratings) -> _LeftOut:
        loo = MeanRating().leave_one_out(ratings)
        without = np.concatenate([np.asarray(block.scores) for block in loo.blocks()])
        levels, places = np.unique(np.append(-loo.scores, -without), return_inverse=True)
        # Beyond 16 bits long doubles serve: sorted by the same routine, only slower.
        codes = places.astype(np.uint16 if len(levels) <= 1 << 16 else np.longdouble)
        counts = np.bincount(ratings.rated, minlength=ratings.n_items)
        return cls(
            ratings=ratings,
            codes=codes[: ratings.n_items],
            rated=counts > 0,
            without=codes[ratings.n_items :],
            lonely=counts[ratings.rated] == 1,
        )

    def rows(self) -> Iterable[tuple[AnyArray, AnyArray]]:
        """Yield the codes and the rated items without each user."""
        pointers = self.ratings.indptr
        for start, stop in pairwise(pointers.tolist()):
            items = self.ratings.rated[start:stop]
            codes, rated = self.codes.copy(), self.rated.copy()
            codes[items] = self.without[start:stop]
            rated[items[self.lonely[start:stop]]] = False
            yield codes, rated
