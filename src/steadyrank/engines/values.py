"""Ratings and long score tables that stay in an engine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from steadyrank.data.ratings import Ratings
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.data.units import Units
from steadyrank.engines.entries import KeyLabels
from steadyrank.engines.out import EngineOut, GroupSums
from steadyrank.errors import InvalidDataError
from steadyrank.scorers.scanned import ScannedMatrix, ScannedRatings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from steadyrank._typing import IntArray
    from steadyrank.engines.entries import Entries
    from steadyrank.engines.exact_sums import ExactForm
    from steadyrank.engines.source import Traffic
    from steadyrank.scorers.rating_sums import Prior, RatingSums


class _OnEngine:
    """What ratings and matrices on an engine have in common.

    Use it as a context manager, or call :meth:`close`, to give up what was opened for it: a
    connection and the temporary files of DuckDB, a Spark session that was started for it.
    """

    def __init__(self, entries: Entries, kind: str, said: tuple[str, ...]) -> None:
        self.items = entries.labels
        self._entries = entries
        self._kind = kind
        self._said = said

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, which policies were applied, and what left the engine so far."""
        source = self._entries.source
        return (*self._said, source.traffic.sentence(source.engine))

    @property
    def traffic(self) -> Traffic:
        """What left the engine so far, step by step."""
        return self._entries.source.traffic

    @cached_property
    def units(self) -> Units:
        """The units; of each, only its label and its number of entries are here."""
        keys = self._entries.keys
        return Units(self._kind, np.ones(len(keys), dtype=np.int64), KeyLabels(keys))

    @property
    def form(self) -> ExactForm:
        """How the values are written so that their sums are exact."""
        return self._entries.form

    def sums(self, prior: Prior) -> RatingSums:
        """Return the sum and the count of each item's values, from one group-by."""
        table = self._entries.table
        return GroupSums(self.form, prior, table.counts, table.totals)

    def most_in_a_unit(self) -> IntArray:
        """Return the most values of each item that leave with one unit."""
        return self._entries.table.most_leaving

    def close(self) -> None:
        """Close the engine's connection, if one was opened, and remove temporary files."""
        self._entries.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _copied(self, copies: IntArray) -> Mapping[str, Any]:  # noqa: ARG002 (always refused)
        raise InvalidDataError(
            "units cannot be taken away from data that stay in an engine, as a scorer that refits must",
            way_out="It needs the data in memory: use read or from_frame instead of scan.",
        )

    def _out(self, sums: RatingSums, *, plainly: bool) -> EngineOut:
        grouped = GroupSums(sums.form, sums.prior, sums.counts, sums.totals)
        return EngineOut(self._entries, self.units, grouped, plainly=plainly)


class EngineRatings(_OnEngine, ScannedRatings):  # type: ignore[override]  # notes grow
    """Ratings on an engine; made by ``Ratings.scan``.

    Item sums, user labels and user shifts are brought back, and the ratings of the few items that
    decide an audit; all else stays where it is. ``notes`` and ``traffic`` say how much that was.
    """

    kind = Ratings.kind

    def leave_one_out(self, sums: RatingSums) -> EngineOut:
        """Return the scores without each user."""
        return self._out(sums, plainly=False)

    def largest_squared_reach(self, shrinkage: float, lowest: float, highest: float) -> float:
        """Return the most that a user's ratings, anywhere in the range, can move the scores, squared."""
        count = nw.col("count").cast(nw.Float64)
        others = count - 1
        pull = others / (others + shrinkage) if shrinkage else nw.lit(1.0)
        high, low = pull * -lowest + highest, pull * highest - lowest
        reach: Any = nw.max_horizontal(high, low) / (count + shrinkage)
        return self._entries.largest_sum(reach * reach)


class EngineMatrix(_OnEngine, ScannedMatrix):  # type: ignore[override]  # notes grow
    """A long score table on an engine; made by ``ScoreMatrix.scan``."""

    kind = ScoreMatrix.kind

    def __init__(
        self, entries: Entries, kind: str, said: tuple[str, ...], *, rows: int, gaps: bool
    ) -> None:
        super().__init__(entries, kind, said)
        self.rows = rows
        self.gaps = gaps
        self.grouped = entries.grouped

    def leave_one_out(self, sums: RatingSums) -> EngineOut:
        """Return the means without each unit."""
        return self._out(sums, plainly=True)

    def largest_unit(self) -> int:
        """Return the most rows that any unit has."""
        return int(self._entries.table.most_leaving.max())

    def largest_squared_share(self) -> float:
        """Return the largest sum over columns of the squared share of a unit in the values."""
        leaving = nw.col("leaving").cast(nw.Float64) if self.grouped else nw.lit(1.0)
        share: Any = leaving / nw.col("count")
        return self._entries.largest_sum(share * share)
