"""Sums without rounding, so that equal totals are equal numbers.

Ties decide rankings, and a total that depends on the order of its addends breaks them at
random. So values are written in a form whose sums are exact, and a total without one of its
addends is the difference of exact numbers, the same as if that addend had never been there:

- Values that are decimals of a few places (whole numbers, half stars, 9.95) become whole
  numbers of the last place: 9.95 is taken as 995 hundredths, which is what was meant, and not
  as the binary number next to it. A mean of such values is one division of whole numbers and
  correctly rounded: equal ratios are equal floats.
- All other values are split into a coarse and a fine half, each a multiple of a power of two
  that leaves room for the sum of n of them. What the split drops of a value is below
  ``n^2 2^-100`` of the largest one, ``2^-60`` for a million: totals are then right to the last
  bit, save for rare cases half way between two floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from steadyrank._typing import AnyArray, BoolArray, FloatArray

MOST_DECIMALS = 6
EXACT = 2.0**53
"""Whole numbers up to here are exact in double precision."""
SINGLE_DIGITS = 10.0**6
"""Decimals of up to six digits survive single precision, longer ones may not."""
SMALLEST_EXPONENT = -960
"""Numbers below two to this power are not scaled up all the way, lest the scale overflow."""


@dataclass(frozen=True)
class ExactForm:
    """How values are written so that their sums are exact.

    Parameters
    ----------
    scale : float
        What the values are multiplied by: a power of ten for decimals, else of two.
    whole : bool
        Whether the scaled values are whole numbers.
    coarse, fine : float
        For values that are not: adding and subtracting these rounds to the two halves.
    lowest, highest : float
        The range of the values, scaled.
    """

    scale: float
    whole: bool
    coarse: float = 0.0
    fine: float = 0.0
    lowest: float = 0.0
    highest: float = 0.0

    def parts(self, values: AnyArray) -> tuple[FloatArray, ...]:
        """Return one or two arrays whose sums are exact and together give the scaled values.

        Examples
        --------
        >>> exact_form([np.array([0.5, 9.95])], addends=2).parts(np.array([0.5, 9.95]))
        (array([ 50., 995.]),)
        """
        if values.dtype.kind in "iu" and self.scale == 1.0:
            return (values.astype(np.float64),)
        scaled = np.multiply(values, self.scale, dtype=np.float64)
        if self.whole:
            return (np.rint(scaled, out=scaled),)
        upper = (scaled + self.coarse) - self.coarse
        scaled -= upper
        lower = (scaled + self.fine) - self.fine
        return upper, lower


def exact_form(chunks: Iterable[AnyArray], *, addends: int) -> ExactForm:
    """Find the exact form for all values in ``chunks``, of which ``addends`` enter one sum.

    Parameters
    ----------
    chunks : iterable of arrays
        The values, finite. The iterable is walked once.
    addends : int
        The most values that any sum has.

    Examples
    --------
    >>> exact_form([np.array([3.5, 4.0])], addends=10).scale
    10.0
    >>> exact_form([np.array([np.pi])], addends=10).whole
    False
    """
    decimals, lowest, highest = 0, np.inf, -np.inf
    single = False
    for values in chunks:
        if not values.size:
            continue
        single = values.dtype.kind == "f" and values.dtype.itemsize < 8
        low, high = float(values.min()), float(values.max())
        lowest, highest = min(lowest, low), max(highest, high)
        top = max(abs(low), abs(high))
        while decimals <= MOST_DECIMALS and not _are_decimals(values, decimals, top):
            decimals += 1
    # Whole numbers of one chunk may have too many digits for the decimals of a later one.
    if single and decimals and max(-lowest, highest) * 10.0**decimals >= SINGLE_DIGITS:
        decimals = MOST_DECIMALS + 1
    return form_of(decimals, lowest, highest, addends=addends)


def form_of(decimals: int, lowest: float, highest: float, *, addends: int) -> ExactForm:
    """Choose the form from what is known of the values: their decimal places and their range.

    Examples
    --------
    >>> form_of(1, 0.5, 5.0, addends=10)
    ExactForm(scale=10.0, whole=True, coarse=0.0, fine=0.0, lowest=5.0, highest=50.0)
    """
    if lowest > highest:
        return ExactForm(1.0, whole=True)
    scale, largest = 10.0**decimals, max(abs(lowest), abs(highest))
    if decimals <= MOST_DECIMALS and largest * scale * max(addends, 1) < EXACT:
        ends = np.rint(np.array([lowest, highest]) * scale)
        return ExactForm(scale, whole=True, lowest=float(ends[0]), highest=float(ends[1]))
    return _split_form(lowest, highest, addends)


def _are_decimals(values: AnyArray, decimals: int, top: float) -> bool:
    """Tell whether all values are what decimals of so many places are read as."""
    if values.dtype.kind in "iub":
        return True
    scale = 10.0**decimals
    single = values.dtype.itemsize < 8
    if top * scale >= (SINGLE_DIGITS if single and decimals else EXACT):
        return False
    scaled = np.multiply(values, scale, dtype=np.float64)
    meant = (np.rint(scaled, out=scaled) / scale).astype(values.dtype)
    same: BoolArray = meant == values
    return bool(same.all())


def _split_form(lowest: float, highest: float, addends: int) -> ExactForm:
    """Choose the halves: both leave room for ``addends`` values in 53 bits."""
    exponent = int(np.frexp(max(abs(lowest), abs(highest)))[1])
    scale = 2.0 ** -max(exponent, SMALLEST_EXPONENT)
    room = max(addends, 2).bit_length() + 1
    return ExactForm(
        scale,
        whole=False,
        coarse=1.5 * 2.0**room,
        fine=1.5 * 2.0 ** (2 * room - 53),
        lowest=lowest * scale,
        highest=highest * scale,
    )


def difference(totals: tuple[FloatArray, ...], parts: tuple[FloatArray, ...]) -> FloatArray:
    """Return totals minus parts, rounded once at the end.

    Examples
    --------
    >>> difference((np.array([7.0]),), (np.array([2.0]),))
    array([5.])
    """
    left = totals[0] - parts[0]
    for total, part in zip(totals[1:], parts[1:], strict=True):
        left += total - part
    return left


def together(totals: tuple[FloatArray, ...]) -> FloatArray:
    """Return the totals as one array of floats."""
    return totals[0].copy() if len(totals) == 1 else totals[0] + totals[1]
