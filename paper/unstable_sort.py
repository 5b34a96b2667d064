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

from steadyrank.scorers import Mean

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
        How many items are wanted. Ranked are the items with a rating, and they stay in the list when
        their only rater leaves, with a score of 0: the script keeps an array of fixed length.

    Examples
    --------
    >>> from steadyrank import Ratings
    >>> ratings = Ratings(["u", "v", "v"], ["film", "film", "book"], [5, 3, 4])
    >>> unstable_top_k(ratings, [1])[1]
    PlainStability(delta=0.5, jaccard=0.5)
    """
    left_out = _LeftOut.of(ratings)
    deepest = max(ks)
    full = _best(left_out.codes, deepest)
    tops = np.array([_best(codes, deepest) for codes in left_out.rows()])
    results = {}
    for k in ks:
        common = np.isin(tops[:, :k], full[:k]).sum(axis=1)
        results[k] = PlainStability(
            delta=float(np.mean(common < k)),
            jaccard=float(np.mean(common / (2 * k - common))),
        )
    return results


def _best(codes: AnyArray, k: int) -> IntArray:
    """Return the k best: the smallest codes, by an unstable sort."""
    return np.asarray(np.argsort(codes, kind="quicksort")[:k])


@dataclass(frozen=True)
class _LeftOut:
    """Codes of the scores of the rated items (0 is the best of all), with and without each user."""

    ratings: Ratings
    codes: AnyArray
    places: AnyArray
    """For each rating, which of the rated items it is about."""
    without: AnyArray
    """For each rating, the code of its item without its user."""

    @classmethod
    def of(cls, ratings: Ratings) -> _LeftOut:
        loo = Mean(1.0).leave_one_out(ratings)
        without = np.concatenate([np.asarray(block.scores) for block in loo.blocks()])
        levels, places = np.unique(
            np.append(-loo.scores, -without), return_inverse=True
        )
        # Beyond 16 bits long doubles serve: sorted by the same routine, only slower.
        codes = places.astype(np.uint16 if len(levels) <= 1 << 16 else np.longdouble)
        rated, among_rated = np.unique(ratings.rated, return_inverse=True)
        return cls(
            ratings=ratings,
            codes=codes[: ratings.n_items][rated],
            places=among_rated,
            without=codes[ratings.n_items :],
        )

    def rows(self) -> Iterable[AnyArray]:
        """Yield the codes without each user."""
        for start, stop in pairwise(self.ratings.indptr.tolist()):
            codes = self.codes.copy()
            codes[self.places[start:stop]] = self.without[start:stop]
            yield codes
