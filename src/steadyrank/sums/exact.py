"""Sums without rounding, so that equal totals are equal numbers.

Ties decide rankings, and a total that depends on the order of its addends breaks them at
random. So values are written in a form whose sums are exact, and a total without one of its
addends is the difference of exact numbers, the same as if that addend had never been there:

- Values that are decimals of a few places (whole numbers, half stars, 9.95) become whole
  numbers of the last place: 9.95 is taken as 995 hundredths, which is what was meant, and not
  as the binary number next to it. A mean of such values is one division of whole numbers and
  correctly rounded: equal ratios are equal floats.
- All other values are split into coarser and finer parts, each a multiple of a power of two
  that leaves room for the sum of n of them. Two parts drop what is below ``n^2 2^-100`` of the largest
  value, ``2^-60`` for a million: totals are then right to the last bit, save for rare cases half way
  between two floats. Where an item has values that are far smaller than its largest, there are as many
  parts as hold them too: a huge value that leaves leaves the others as they are.

Where the values of all items are decimals that fit, one form serves them all. Else every item has its
own: a huge or an odd value of one item changes nothing about the others.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.arrays import (
    MOST_DECIMALS,
    SINGLE_DIGITS,
    are_decimals,
    most_digits,
)
from steadyrank.errors import InvalidSettingError

NO_DECIMALS = MOST_DECIMALS + 1
"""Stands for values that are no decimals of so few places."""
EXACT = 2.0**53
"""Whole numbers up to here are exact in double precision."""
DIGITS, ORDINARY = 53, 24
"""How many binary digits a float has, and up to how many powers of two values differ by in most data."""
LARGEST, SMALLEST = 1e120, 1e-120
"""Products and squares of sums of values up to here, and from there on, are floats."""
SMALLEST_EXPONENT = -960
"""Numbers below two to this power are not scaled up all the way, lest a sum of counts overflow."""
SURELY_NESTED = 2.0**50 / 10.0**MOST_DECIMALS
"""Below it decimals of some places are also decimals of more, whatever rounding does."""
WHOLE_ROWS, MOST_PLACES = 2.0**50, 22
"""Decimals of so many parts survive being multiplied by a power of ten, up to this one."""
MOST_PARTS = 64
"""Into more parts no values are split."""
TO_WHOLE = 1.5 * 2.0**52
"""Adding and subtracting this rounds numbers below ``2^51`` to whole ones."""


@dataclass(frozen=True, eq=False)
class ExactForm:
    """How values are written so that their sums are exact: one form for all items, or for each.

    Parameters
    ----------
    scale : float, or float array (items,)
        What the values are multiplied by: a power of ten for decimals, or the number of parts of which
        they are whole numbers; else a power of two.
    tens : float, or float array (items,)
        The scale where it makes whole numbers, else 1.
    whole : bool
        Whether the scaled values of all items are whole numbers of one scale.
    steps : tuple of floats, or of float arrays (items,)
        Otherwise: adding and subtracting these rounds to the parts, the coarsest first.
    lowest, highest : float
        The range of the values.
    """

    scale: Any
    tens: Any
    whole: bool
    steps: tuple[float | FloatArray, ...] = ()
    lowest: float = 0.0
    highest: float = 0.0

    def parts(
        self, values: AnyArray, items: AnyArray | slice = slice(None)
    ) -> tuple[FloatArray, ...]:
        """Return one or more arrays whose sums are exact and together give the scaled values.

        ``items`` are those that the values, or the columns of a matrix of values, belong to.

        Examples
        --------
        >>> exact_form([np.array([0.5, 9.95])], addends=2).parts(np.array([0.5, 9.95]))
        (array([ 50., 995.]),)
        """
        if values.dtype.kind in "iu" and self.whole and self.scale == 1.0:
            return (values.astype(np.float64),)
        scaled = np.multiply(values, of_items(self.scale, items), dtype=np.float64)
        if self.whole:
            return (np.rint(scaled, out=scaled),)
        found = []
        for step in (of_items(step, items) for step in self.steps):
            found.append((scaled + step) - step)
            scaled -= found[-1]
        return tuple(found)

    def ratio(self, sums: Any, share: float, below: Any, items: Any) -> Any:
        """Return ``sums * share / below`` of sums in this form: one division for decimals.

        A power of two is divided by last, since its product with a count may not be a normal number.
        """
        tens = of_items(self.tens, items)
        found = sums * share / (below * tens) if share != 1.0 else sums / (below * tens)
        return found if self.whole else found / (of_items(self.scale, items) / tens)


def either(condition: Any, one: Any, other: float) -> Any:
    """Return the one where a condition holds, and the other elsewhere: of arrays, or of columns."""
    if isinstance(condition, np.ndarray | np.bool_ | bool):
        return np.where(condition, one, other)
    from narwhals import when

    return when(condition).then(one).otherwise(other)


def of_items(numbers: float | FloatArray, items: Any) -> Any:
    """Return one number for all items as it is, and of one for each those of the ``items``."""
    return numbers[items] if isinstance(numbers, np.ndarray) else numbers


def exact_form(
    chunks: Iterable[AnyArray], *, addends: int, parts: int = 1
) -> ExactForm:
    """Find the exact form for all values in ``chunks``, of which ``addends`` enter one sum.

    Parameters
    ----------
    chunks : iterable of arrays
        The values, finite. The iterable is walked once.
    addends : int
        The most values that any sum has.
    parts : int
        A number of parts of 1 that all values are whole numbers of, where one is known beforehand.

    Examples
    --------
    >>> exact_form([np.array([3.5, 4.0])], addends=10).scale
    10.0
    >>> exact_form([np.array([1 / 3, 1.0])], addends=10, parts=3).scale
    3.0
    >>> exact_form([np.array([np.pi])], addends=10).whole
    False
    """
    decimals, lowest, highest = 0, np.inf, -np.inf
    single = False
    for values in chunks:
        if not values.size:
            continue
        single = is_single(values)
        low, high = float(values.min()), float(values.max())
        lowest, highest = min(lowest, low), max(highest, high)
        top = max(abs(low), abs(high))
        while decimals <= MOST_DECIMALS and not (
            top * 10.0**decimals < most_digits(decimals, single=single)
            and are_decimals(values, decimals).all()
        ):
            decimals += 1
    if parts > 1 and parts * max(addends, 4) < EXACT / max(-lowest, highest, 1.0):
        return ExactForm(
            float(parts), float(parts), whole=True, lowest=lowest, highest=highest
        )
    # Whole numbers of one chunk may have too many digits for the decimals of a later one.
    if single and decimals and max(-lowest, highest) * 10.0**decimals >= SINGLE_DIGITS:
        decimals = MOST_DECIMALS + 1
    return form_of(decimals, lowest, highest, addends=addends)


def form_of(decimals: int, lowest: float, highest: float, *, addends: int) -> ExactForm:
    """Choose one form from what is known of the values: their decimal places and their range.

    Examples
    --------
    >>> form_of(1, 0.5, 5.0, addends=10).scale, form_of(NO_DECIMALS, 0.5, 5.0, addends=10).scale
    (10.0, 0.125)
    """
    if lowest > highest:
        return ExactForm(1.0, 1.0, whole=True)
    scale, largest = 10.0**decimals, max(abs(lowest), abs(highest))
    if fit_as_decimals(decimals, largest * scale, addends):
        return ExactForm(scale, scale, whole=True, lowest=lowest, highest=highest)
    split = form_of_items(
        np.array([NO_DECIMALS]), np.array([largest]), (lowest, highest), addends
    )
    steps = tuple(float(of_items(step, 0)) for step in split.steps)
    return ExactForm(
        float(of_items(split.scale, 0)), 1.0, False, steps, lowest, highest
    )


def form_of_items(
    decimals: IntArray,
    largest: FloatArray,
    ends: tuple[float, float],
    addends: int,
    parts: int = 2,
) -> ExactForm:
    """Choose a form for each item, from the places and the largest size of its values.

    Values that do not fit as decimals are split into so many ``parts``.

    Examples
    --------
    >>> form_of_items(np.array([1, 7]), np.array([0.3, 3.0]), (0.1, 3.0), addends=4).scale
    array([10.  ,  0.25])
    """
    tens = 10.0 ** np.minimum(decimals, MOST_DECIMALS)
    with np.errstate(over="ignore"):
        are_whole = fit_as_decimals(decimals, largest * tens, addends)
    exponent = np.frexp(largest)[1].astype(np.int64)
    reached, room = np.maximum(exponent, SMALLEST_EXPONENT), room_for(addends)
    if parts > 2:  # the least must not lose a digit
        reached = np.zeros_like(exponent)
    size = np.ldexp(
        1.5, exponent - reached
    )  # the parts of what could not be scaled up are finer
    scale = np.where(are_whole, tens, np.ldexp(1.0, -reached))
    places = (room - part * (DIGITS - room) for part in range(parts))
    steps = tuple(np.where(are_whole, TO_WHOLE, size * 2.0**bits) for bits in places)
    return ExactForm(scale, np.where(are_whole, tens, 1.0), False, steps, *ends)


def room_for(addends: int) -> int:
    """Return how many binary digits sums of so many numbers have beyond those of one."""
    return max(addends, 2).bit_length() + 1


def parts_for(least: FloatArray, largest: FloatArray, addends: int) -> int:
    """Return into how many parts values are split, from their least size, but for 0, and the largest.

    Too many are refused, and values that are so large, or all so small, that no float holds
    their squares.

    Examples
    --------
    >>> parts_for(np.array([0.1, 1.0]), np.array([7.0, 3.4e38]), addends=3)
    4
    """
    top, bottom = (np.frexp(sizes)[1] for sizes in (largest, np.fmin(least, largest)))
    spread = int((top - bottom).max(initial=0))
    held = spread + DIGITS if spread > ORDINARY else 0
    parts = max(2, -(-held // (DIGITS - room_for(addends))))
    peak = float(largest.max(initial=0.0))
    if peak and not SMALLEST < peak < LARGEST:
        raise InvalidSettingError(
            f"values of {peak:g} are too large or too small to be added up exactly",
            way_out="Divide all by one number; if the largest marks missing values, leave those out.",
        )
    if parts > MOST_PARTS:
        raise InvalidSettingError(
            f"a value of an item is 2^{spread} times as large as another: too far apart to be added "
            "up exactly",
            way_out="If the largest marks missing values, leave those out.",
        )
    return parts


def widen_sizes(
    least: FloatArray, largest: FloatArray, items: AnyArray, values: AnyArray
) -> None:
    """Let the least size, but for 0, and the largest of each item hold some more of its values."""
    sizes = np.abs(values.astype(np.float64))
    np.maximum.at(largest, items, sizes)
    np.minimum.at(least, items, np.where(sizes > 0, sizes, np.inf))


def fit_as_decimals(decimals: Any, scaled: Any, addends: int) -> Any:
    """Tell for which items sums of whole numbers up to ``scaled`` are exact."""
    return (decimals <= MOST_DECIMALS) & (scaled * max(addends, 4) < EXACT)


def places_of_items(items: AnyArray, values: AnyArray, largest: FloatArray) -> IntArray:
    """Return the fewest places that write all values of each item, whose largest size is known."""
    places, single = np.full(len(largest), NO_DECIMALS), is_single(values)
    for decimals in reversed(range(NO_DECIMALS)):
        odd = (
            np.bincount(items[~are_decimals(values, decimals)], minlength=len(largest))
            > 0
        )
        places[
            ~odd & (largest < most_digits(decimals, single=single) / 10.0**decimals)
        ] = decimals
        if odd.all() and (largest < SURELY_NESTED).all():
            break  # what is no decimal of more places is none of fewer
    return places


def is_single(values: AnyArray) -> bool:
    """Tell whether values have single precision, or less."""
    return values.dtype.kind == "f" and values.dtype.itemsize < 8


def whole_rows(values: FloatArray) -> FloatArray:
    """Return rows of decimals as whole numbers from 0 on without a common factor; others as they are.

    So rows that differ by their unit alone, as percentages and shares do, are the same numbers.

    Examples
    --------
    >>> whole_rows(np.array([[0.26, 0.19], [26.0, 19.0], [0.3, np.nan], [1 / 3, 0.0]]))
    array([[1.        , 0.        ],
           [1.        , 0.        ],
           [0.        ,        nan],
           [0.33333333, 0.        ]])
    """
    found, left = values.copy(), np.arange(len(values))
    peaks = np.fmax.reduce(np.abs(values), axis=1, initial=0.0)
    for places in range(MOST_PLACES + 1):
        left = left[peaks[left] * 10.0**places < WHOLE_ROWS]
        fits = are_decimals(values[left], places).all(axis=1)
        whole = np.rint(values[left[fits]] * 10.0**places)
        whole -= np.fmin.reduce(whole, axis=1, keepdims=True)
        common = np.gcd.reduce(
            np.nan_to_num(whole).astype(np.int64), axis=1, keepdims=True
        )
        found[left[fits]] = whole / np.maximum(common, 1)
        left = left[~fits]
    return found


def together(totals: tuple[Any, ...]) -> Any:
    """Return the totals as one array of floats, or one column, rounded once: the finest added first."""
    return reduce(operator.add, reversed(totals))
