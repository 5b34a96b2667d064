"""Mean rating with shrinkage: the paper's ``sum / (shrinkage + count)``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.engines.item_sums import Prior
from steadyrank.errors import InvalidSettingError, Option, shorten
from steadyrank.scorers.base import box_radius_squared
from steadyrank.scorers.entry_sums import EntrySums
from steadyrank.scorers.sensitivity import ROUNDING, Sensitivity, checked_range

if TYPE_CHECKING:
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.entry_sums import EntryData


@dataclass(frozen=True)
class MeanRating(EntrySums):
    """The sum of an item's ratings over ``shrinkage`` plus their number.

    It is the mean rating pulled towards 0, as if every item had ``shrinkage`` more ratings of
    0, so that one enthusiast does not make a best seller. Without a user only the items that
    the user rated change. An item without any rating has score 0; with ``shrinkage=0`` it has
    none, and that is an error, both in the data and once a user is gone.

    Ratings that are short decimals (whole stars, half stars, 9.95) are added without rounding
    as what they are meant to be, so that equal scores are equal numbers, with and without any user.

    Parameters
    ----------
    shrinkage : float
        Not negative. The paper's value is 1.
    value_range : (float, float), optional
        The lowest and the highest rating that anybody could give; needed only for a proved
        bound, and checked against the data.

    Examples
    --------
    >>> from steadyrank.data import Ratings
    >>> ratings = Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4])
    >>> ratings.items, MeanRating().score(ratings).round(4)
    (('book', 'film'), array([2.    , 2.6667]))
    >>> without_u = next(MeanRating().leave_one_out(ratings).blocks())
    >>> without_u.items, without_u.scores, without_u.indptr
    (array([0, 1, 1], dtype=int32), array([0. , 1.5, 2.5]), array([0, 2, 3]))
    """

    takes = ("ratings",)
    way_out = ("Use ", Option("scorer", "mean-rating:shrinkage=1"), ", or leave such items out.")

    shrinkage: float = 1.0
    value_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        try:
            shrinkage = float(self.shrinkage)
        except (TypeError, ValueError):
            shrinkage = math.nan
        if not (math.isfinite(shrinkage) and shrinkage >= 0):
            raise InvalidSettingError(
                "shrinkage must be a finite number from 0 on, "
                f"but is {shorten(self.shrinkage)}. The paper's value is 1."
            )
        object.__setattr__(self, "shrinkage", shrinkage)
        object.__setattr__(self, "value_range", checked_range(self.value_range))

    @property
    def name(self) -> str:
        """What to call this scorer in a report."""
        return f"mean rating (shrinkage {self.shrinkage:g})"

    @property
    def prior(self) -> Prior:
        """The shrinkage as a ratio."""
        return Prior.of(self.shrinkage)

    def bound(self, data: EntryData, lowest: float, highest: float) -> Sensitivity:
        r"""Return the most that one user can move the scores.

        Write s for the shrinkage and N for the number of an item's ratings. Without a rating r
        the score changes by ``w - w\i = (r - w\i) / (s + N)``, and ``w\i`` lies between a and b
        times ``(N - 1) / (s + N - 1)`` if ratings lie in [a, b]. So one rating moves the score
        by at most

            max(b - a (N-1)/(s+N-1), b (N-1)/(s+N-1) - a) / (s + N),

        and a user by at most the root of the sum of squares over the items they rated. Each
        item's bound is reached, all of them at once.

        No bound for *all* ratings by n users goes down with n: everybody else may rate nothing,
        and one user everything. So this bound takes as given who rated what, and holds for any
        ratings in the range that these users give to these items.
        """
        most = data.entries.largest_squared_reach(self.shrinkage, lowest, highest)
        return Sensitivity.of(
            data,
            math.sqrt(most) * ROUNDING,
            rule="mean rating of bounded ratings",
            units="users",
            moved="scores",
            scope=(
                f"ratings from {lowest:g} to {highest:g} that these users give to the items they rated"
            ),
            numbers={"lowest": lowest, "highest": highest, "shrinkage": self.shrinkage},
        )

    def output_radius_squared(self, data: Observations) -> float | None:
        """Return that of the box of the ratings' range, which shrinkage extends to 0."""
        if self.value_range is None:
            return None
        return box_radius_squared(data.n_items, min(*self.value_range, 0.0), max(*self.value_range, 0.0))
