r"""How far one unit can move the scores, whatever the data: the numbers behind "proved".

All additive scorers rest on one line. Let ``z_i`` be what unit i adds and ``w`` the mean of all
n of them. Then ``n w = (n - 1) w\i + z_i``, hence

    w - w\i = (z_i - w\i) / n,

where ``w\i`` is a mean of the same kind of vectors. So ``n ||w - w\i||`` is at most the largest
distance between a possible vector and a mean of possible vectors, and, distance being convex,
at most the largest distance between two possible vectors: the diameter of what a unit may say.
It is reached where all the others say the opposite of the one.

*Weights, and groups.* Let unit i have the weight ``w_i`` (a group: the sum of its members' weights) and
W the sum of all. With ``z_i`` what it says (a group: the weighted mean of what its members say, which
lies in the convex hull of what a person may say), and ``v`` the scores, ``W v = (W - w_i) v\i + w_i
z_i``, hence

    v - v\i = (w_i / W) (z_i - v\i),

where ``v\i`` is again a mean of such vectors. So no unit moves the scores by more than its share of the
weight times the diameter, and the one with the largest share, if its members agree and all others say
the opposite, moves them as far as any can. Weights and groups are taken as given.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

from steadyrank._typing import IntArray
from steadyrank.data.observations import Observations
from steadyrank.data.rows import check_total
from steadyrank.errors import NOBODY_COUNTS, EmptyDataError, InvalidSettingError
from steadyrank.scorers.base import Scorer


@dataclass(frozen=True)
class Sensitivity:
    r"""A bound on ``||w - w\i||_2`` that holds before any value is seen.

    Attributes
    ----------
    eps : float
        No unit moves the scores by more than this: the smallest float that is not below
        the bound.
    rule : str
        The name of the argument.
    numbers : mapping
        What went into it: n, L, and the range of values where there is one.
    sentence : str
        The claim in one sentence.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> from steadyrank.scorers import Plurality
    >>> Plurality().sensitivity(Votes(["ann", "bob", "ann", "ann"])).sentence
    'Removing one of 4 votes moves the shares by at most 0.353553, for any votes.'
    """

    eps: float
    rule: str
    numbers: Mapping[str, float]
    sentence: str

    @classmethod
    def of(
        cls,
        data: Observations,
        eps: float | Fraction,
        *,
        rule: str,
        moved: str,
        scope: str,
        units: str = "",
        numbers: Mapping[str, float] | None = None,
    ) -> Sensitivity:
        """Put a bound into words.

        Parameters
        ----------
        data : Observations
            What it is about.
        eps : float or Fraction
            The bound, or its exact square as a fraction.
        rule, moved, scope, units : str
            The argument; what the units move; for which data it holds; and what they are called, if not
            as the data are.
        numbers : mapping, optional
            What went into it, besides the numbers of units and items.
        """
        if isinstance(eps, Fraction):
            eps = root_rounded_up(eps)
        if not math.isfinite(eps):
            raise InvalidSettingError(
                f"one unit can move the {moved} by more than the largest float, for {scope}",
                way_out="Divide all values, and their range, by one number, for example by 1e10.",
            )
        units = units or (
            data.kind.name if data.unit is None else f"{data.units.kind} units"
        )
        sentence = (
            f"Removing one of {data.n_units:,} {units} moves the {moved} by at most {eps:.6g}, "
            f"for any {scope}."
        )
        return cls(
            eps,
            rule,
            {"n": data.n_units, "L": data.n_items, **(numbers or {})},
            sentence,
        )


def same_people(data: Observations) -> str:
    """Say what a bound takes as given about the units: their weights, and who is in a group."""
    groups = (
        f" in {data.units.kind} units of the same sizes" if data.units.grouped else ""
    )
    return groups + ("" if data.weights is None else " with these weights")


def root_rounded_up(square: Fraction) -> float:
    """Return the smallest float whose square is at least ``square``, infinity where none is.

    Examples
    --------
    >>> root_rounded_up(Fraction(1, 4)), Fraction(root_rounded_up(Fraction(2))) ** 2 >= 2
    (0.5, True)
    """
    if square <= 0:
        return 0.0
    with localcontext(prec=40):
        found = float((Decimal(square.numerator) / square.denominator).sqrt())
    while found < math.inf and Fraction(found) ** 2 < square:
        found = math.nextafter(found, math.inf)
    while found > 0 and Fraction(below := math.nextafter(found, 0.0)) ** 2 >= square:
        found = below
    return found


def each_alone(data: Any) -> bool:
    """Tell whether each unit is one observation that counts once."""
    return all(getattr(data, name, None) is None for name in ("unit", "weights"))


def size_of_all(data: Observations, sizes: IntArray) -> int:
    """Return the sizes of all units together; complain where nobody counts."""
    total = check_total(sizes, data.kind.name, data.units.counts)
    if not total:
        raise EmptyDataError(NOBODY_COUNTS)
    return total


class UnitShares(Scorer):
    """Scores that a unit moves by at most its share of all units times a diameter."""

    rule: ClassVar[str]
    scope: ClassVar[str] = "{kind} over {items:,} items"
    moved: ClassVar[str] = "shares"

    @abstractmethod
    def sizes(self, data: Any) -> IntArray:
        """Return the size of each distinct unit, in whole parts of a person."""

    @abstractmethod
    def squared_diameter(self, items: int) -> Fraction:
        """Return that of what a person may say."""

    def sensitivity(self, data: Any) -> Sensitivity | None:
        """Return the most that one unit can move the scores: the diameter of points, times its share.

        The share is 1/n, or of persons with weights, or of groups, the largest; see
        :mod:`steadyrank.scorers.sensitivity`.
        """
        data = self.prepared(data)
        sizes = self.sizes(data)
        share = Fraction(int(sizes.max()), size_of_all(data, sizes))
        numbers = {} if each_alone(data) else {"largest_share": float(share)}
        scope = self.scope.format(
            kind=data.kind.name, items=data.n_items
        ) + same_people(data)
        said = {"rule": self.rule, "moved": self.moved, "scope": scope}
        square = self.squared_diameter(data.n_items) * share**2
        return Sensitivity.of(data, square, **said, numbers=numbers)

    def output_radius_squared(self, data: Observations) -> float:
        """Return the radius of what a unit may say, which lies around a centre as a box does."""
        return float(self.squared_diameter(data.n_items) / 4)
