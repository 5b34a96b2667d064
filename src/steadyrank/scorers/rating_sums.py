"""Sums and counts of ratings, and what becomes of them without one rating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.engines.exact_sums import ExactForm, difference, exact_form, together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.data.ratings import Ratings

SCAN = 1 << 18
"""How many ratings one pass handles at a time: few enough to stay in the cache."""


@dataclass(frozen=True)
class Prior:
    """The shrinkage as a ratio ``weight / share`` of whole numbers where it is a short decimal.

    With it ``sum / (shrinkage + count)`` is one division of whole numbers, correctly rounded:
    0.1 is one tenth here, not the binary number next to it.
    """

    weight: float
    share: float

    @classmethod
    def of(cls, shrinkage: float) -> Prior:
        """Write a shrinkage as a ratio.

        Examples
        --------
        >>> Prior.of(1.0), Prior.of(0.1)
        (Prior(weight=1.0, share=1.0), Prior(weight=1.0, share=10.0))
        """
        form = exact_form([np.array([shrinkage])], addends=1)
        if form.whole:
            return cls(form.highest, form.scale)
        return cls(shrinkage, 1.0)


@dataclass(frozen=True)
class RatingSums:
    """The sum and the count of each item's ratings, and the scores that follow.

    Parameters
    ----------
    form : ExactForm
        How the ratings are written.
    prior : Prior
        The shrinkage.
    counts : int array (items,)
        How many ratings each item has.
    totals : one or two float arrays (items,)
        Their exact sums, in that form.
    """

    form: ExactForm
    prior: Prior
    counts: IntArray
    totals: tuple[FloatArray, ...]

    def scores(self) -> FloatArray:
        """Return ``sum / (shrinkage + count)``."""
        return self._ratio(together(self.totals), self.counts)

    def without(self, items: AnyArray, parts: tuple[FloatArray, ...]) -> FloatArray:
        """Return the scores of ``items`` when each loses the one rating in ``parts``."""
        left = difference(tuple(total[items] for total in self.totals), parts)
        return self._ratio(left, self.counts[items] - 1)

    def moves(self, items: AnyArray, parts: tuple[FloatArray, ...]) -> FloatArray:
        r"""Return ``w - w\i`` of ``items`` when each loses the one rating in ``parts``.

        From ``(shrinkage + count) w = (shrinkage + count - 1) w\i + rating`` follows
        ``w - w\i = (rating - w\i) / (shrinkage + count)``, which does not cancel.
        """
        gap = together(parts) / self.form.scale - self.without(items, parts)
        counts = self.counts[items]
        return np.asarray(gap * self.prior.share / (self.prior.weight + self.prior.share * counts))

    def _ratio(self, sums: FloatArray, counts: IntArray) -> FloatArray:
        share = self.prior.share
        below = self.form.scale * (self.prior.weight + share * counts)
        return np.asarray(sums * share / below if share != 1.0 else sums / below)


def scan_form(data: Ratings) -> ExactForm:
    """Find the exact form of the ratings."""
    values = data.values
    if values.dtype.kind in "iu":
        return exact_form([values], addends=data.n_units)
    chunks = (values[start : start + SCAN] for start in range(0, len(values), SCAN))
    return exact_form(chunks, addends=data.n_units)


def user_ranges(indptr: IntArray, entries: int) -> Iterator[tuple[int, int]]:
    """Cut the users into ranges of about ``entries`` ratings, no user in two of them.

    Examples
    --------
    >>> list(user_ranges(np.array([0, 3, 4, 4, 9]), 4))
    [(0, 3), (3, 4)]
    """
    users = len(indptr) - 1
    marks = np.searchsorted(indptr, np.arange(0, int(indptr[-1]), entries), side="right") - 1
    marks[0] = 0
    cuts = np.append(np.unique(marks), users)
    yield from zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
