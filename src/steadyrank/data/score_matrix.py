"""Score matrices: rows are questions, tasks or judges; columns are items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from steadyrank import errors
from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.arrays import as_matrix
from steadyrank.data.families import EntryObservations
from steadyrank.data.kinds import SCORES
from steadyrank.data.observations import set_fields
from steadyrank.data.rows import check_some, column_labels, row_names
from steadyrank.data.units import People, of_people
from steadyrank.errors import MEANS_OF_REST, listing, shorten
from steadyrank.sums.sparse import SparseEntries
from steadyrank.text import counted, counted_are, plural

GAPS = ("error", "drop", "available")
"""What may be done about missing values."""
LEFT_OUT = "{} left out of the means"
RESOLUTION = 1e-12
"""How close means of values on one scale are equal: a thousand times what rounding adds up to."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreMatrix(EntryObservations):
    """One number for each row and item. The unit left out is the row, or a group of rows.

    Parameters
    ----------
    values : matrix
        Rows are units, columns are items.
    items : iterable, optional
        The labels of the columns; 0, 1, 2... by default.
    rows : iterable, optional
        The labels of the rows; 0, 1, 2... by default.
    weights : iterable of float, optional
        How much each row counts, from 0 on; 1 each by default.
    units : array, series or iterable, optional
        For each row, the label of the group that leaves together.
    unit_kind : str
        What one such group is, in the singular; without groups, what one row is.
    missing : {"error", "drop", "available"}
        What to do with missing values (NaN): complain and list them, drop their rows, or keep
        them, for scorers that take the mean over the values that are available.
    resolution : float
        How close means of the values are equal, where the values were computed and rounded, as those on
        one scale are; short decimals are exact. Default: 0.

    Attributes
    ----------
    values : float64 array (rows, items)
        NaN only with ``missing="available"``.
    row_labels : sequence
    weights, unit
        As for all observations.

    Examples
    --------
    >>> matrix = ScoreMatrix([[0.9, 0.8], [0.7, 0.9]], items=["x", "y"])
    >>> matrix
    <ScoreMatrix: 2 rows, 2 items: 'x', 'y'>
    """

    kind = SCORES

    _row_fields, _item_fields = ("values", "row_labels"), ("values",)
    values: FloatArray
    row_labels: Sequence[object]
    missing: str
    resolution: float

    def __init__(
        self,
        values: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        missing: str = "error",
        resolution: float = 0.0,
        **people: Unpack[People],
    ) -> None:
        if missing not in GAPS:
            raise errors.not_a_choice("missing", missing, GAPS)
        matrix = as_matrix(values, "values", missing=True)
        check_some(len(matrix), "scores")
        check_some(matrix.shape[1], "items")
        labels = column_labels(items, matrix.shape[1])
        row_labels = row_names(rows, len(matrix))
        gaps = np.isnan(matrix)
        row = (
            "row" if people.get("units") is not None else people.get("unit_kind", "row")
        )
        fields = of_people(np.ones(len(matrix), dtype=np.int64), row, **people)
        fields |= {"missing": missing, "resolution": float(resolution)}
        set_fields(self, items=labels, values=matrix, row_labels=row_labels, **fields)
        if gaps.any():
            kept, notes = without_gaps(missing, gaps, row_labels, labels, row=row)
            set_fields(self, **self._rows(kept), notes=self.notes + notes)
        self._filled()

    @cached_property
    def entries(self) -> SparseEntries:
        """The matrix as values that units give to items, with their sums."""
        return self.entries_of(self.values, resolution=self.resolution)

    def entries_of(
        self, values: FloatArray, parts: int = 1, *, resolution: float = RESOLUTION
    ) -> SparseEntries:
        """Return other values in the same places, such as ranks, as whole numbers of parts of 1.

        Means that no such numbers make exact are equal within the resolution.

        Examples
        --------
        >>> ScoreMatrix([[7.0, 5.0]]).entries_of(np.array([[1 / 3, 2 / 3]]), parts=3).totals
        (array([1., 2.]),)
        """
        there = ~np.isnan(values)
        indptr = np.append(0, np.cumsum(there.sum(axis=1)))
        rated = np.broadcast_to(np.arange(self.n_items, dtype=np.int32), values.shape)[
            there
        ]
        named = {"what": "values", "parts": parts, "resolution": resolution}
        return self._added_up(indptr, rated, values[there], **named)

    def _of_items(self, kept: BoolArray) -> dict[str, Any]:
        values = self.values[:, kept]
        return self._rows(np.flatnonzero(~np.isnan(values).all(axis=1)), values=values)


def without_gaps(
    missing: str,
    gaps: AnyArray,
    rows: Sequence[object],
    items: Sequence[object],
    otherwise: str = MEANS_OF_REST,
    row: str = "row",
) -> tuple[IntArray, tuple[str, ...]]:
    """Return which rows stay, and what was done about the gaps; errors say what could be done else.

    What is a row here may be a column of the file, and is called ``row``.
    """
    total, gappy = int(gaps.sum()), np.asarray(gaps.any(axis=1))
    if missing == "error":
        where = [
            f"{row} {shorten(rows[place])} item {shorten(items[item])}"
            for place, item in np.argwhere(gaps)[:5]
        ]
        raise errors.MissingValuesError(
            f"{counted_are(total, 'value', 'missing')} ({listing(where, total)})",
            rows=gappy,
            way_out=f'Drop these {plural(row)} with missing="drop"{otherwise}.',
        )
    unknown = listing(
        shorten(items[item]) for item in np.flatnonzero(gaps.all(axis=0)).tolist()
    )
    if unknown:
        told = f"no values at all for {unknown}"
        raise errors.MissingValuesError(told, way_out="Leave these items out.")
    if missing == "available":
        there, empty = (~gaps).sum(axis=0), np.asarray(gaps.all(axis=1))
        few = listing(
            f"{shorten(items[item])} in {there[item]:,} of {len(gaps):,} {plural(row)}"
            for item in np.flatnonzero(2 * there < there.max()).tolist()
        )
        notes = [LEFT_OUT.format(counted(total, "missing value"))]
        notes += [f"fewer values than others: {few}"] if few else []
        notes += (
            [f"{counted(int(empty.sum()), row)} without any value dropped"]
            if empty.any()
            else []
        )
        return np.flatnonzero(~empty), tuple(notes)
    if gappy.all():
        raise errors.MissingValuesError(
            f"every {row} has a missing value, so that dropping them leaves nothing",
            way_out=f"Leave out the items with the most gaps{otherwise}.",
        )
    names = listing(shorten(rows[place]) for place in np.flatnonzero(gappy).tolist())
    rows_gone, gone = counted(int(gappy.sum()), row), counted(total, "missing value")
    return np.flatnonzero(~gappy), (f"{rows_gone} with {gone} dropped: {names}",)
