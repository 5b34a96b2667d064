"""What a scorer asks of data that stay in an engine.

Item sums and counts come out of one group-by; everything else that a scorer needs follows from
them, or is asked for through the leave-one-out scores.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from steadyrank.data.observations import Observations
from steadyrank.errors import InvalidDataError

if TYPE_CHECKING:
    from steadyrank._typing import IntArray
    from steadyrank.engines.exact_sums import ExactForm
    from steadyrank.scorers.base import LeaveOneOut
    from steadyrank.scorers.rating_sums import Prior, RatingSums


class ScannedValues(Observations):
    """Values that units give to items, in an engine."""

    @property
    @abstractmethod
    def form(self) -> ExactForm:
        """How the values are written so that their sums are exact."""

    @abstractmethod
    def sums(self, prior: Prior) -> RatingSums:
        """Return the sum and the count of each item's values."""

    @abstractmethod
    def most_in_a_unit(self) -> IntArray:
        """Return the most values of each item that leave with one unit."""

    @abstractmethod
    def leave_one_out(self, sums: RatingSums) -> LeaveOneOut:
        """Return the scores without each unit."""


def check_in_memory(data: object) -> None:
    """Complain about data in an engine, for scorers that must take units away from the data."""
    if isinstance(data, ScannedValues):
        raise InvalidDataError(
            "a scorer that refits cannot take units away from data that stay in an engine",
            way_out="It needs the data in memory: use read or from_frame instead of scan.",
        )


class ScannedRatings(ScannedValues):
    """Ratings in an engine; the unit is the user."""

    @abstractmethod
    def largest_squared_reach(self, shrinkage: float, lowest: float, highest: float) -> float:
        """Return the most that a user's ratings, anywhere in the range, can move the scores, squared."""


class ScannedMatrix(ScannedValues):
    """A score matrix in long form in an engine; the unit is the row, or a group of rows.

    Attributes
    ----------
    rows : int
        The number of rows.
    gaps : bool
        Whether any value is missing.
    grouped : bool
        Whether a unit is a group of rows.
    """

    rows: int
    gaps: bool
    grouped: bool

    @abstractmethod
    def largest_unit(self) -> int:
        """Return the most rows that any unit has."""

    @abstractmethod
    def largest_squared_share(self) -> float:
        """Return the largest sum over columns of the squared share of a unit in the values."""
