"""Score matrices: rows are questions, tasks or judges; columns are items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.matrix_columns import matrix_from_table
from steadyrank.data.observations import Observations, check_choice, check_some, fill, remaining_groups
from steadyrank.data.units import Units
from steadyrank.engines.dense_entries import DenseEntries
from steadyrank.errors import SHOWN, MissingValuesError, SizeMismatchError, listing, shorten
from steadyrank.reading.arrays import as_matrix, check_length
from steadyrank.reading.kinds import Kind
from steadyrank.reading.labels import encode, unique_labels
from steadyrank.reading.table import as_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.data.scanned import ScannedEntries
    from steadyrank.engines.settings import Engine
    from steadyrank.reading.files import Source

MISSING = ("error", "drop", "available")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreMatrix(Observations):
    """One number for each row and item. The unit left out is the row, or a group of rows.

    Parameters
    ----------
    values : matrix
        Rows are units, columns are items.
    items : iterable, optional
        The labels of the columns; 0, 1, 2... by default.
    rows : iterable, optional
        The labels of the rows; 0, 1, 2... by default.
    units : array, series or iterable, optional
        For each row, the label of the group that leaves together.
    unit_kind : str
        What one such group is, in the singular.
    missing : {"error", "drop", "available"}
        What to do with missing values (NaN): complain and list them, drop their rows, or keep
        them, for scorers that take the mean over the values that are available.

    Attributes
    ----------
    values : float64 array (rows, items)
        NaN only with ``missing="available"``.
    row_labels : sequence
    unit : int64 array or None
        For each row, the place of its group in ``unit_labels``.
    unit_labels : tuple or None

    Examples
    --------
    >>> matrix = ScoreMatrix([[0.9, 0.8], [0.7, 0.9]], items=["x", "y"])
    >>> matrix
    <ScoreMatrix: 2 row units, 2 items>
    """

    kind: ClassVar[Kind] = Kind("scores", "row", "column-means")

    items: tuple[object, ...]
    values: FloatArray
    row_labels: Sequence[object]
    unit: IntArray | None
    unit_labels: tuple[object, ...] | None
    unit_kind: str
    missing: str
    notes: tuple[str, ...]

    def __init__(
        self,
        values: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        units: Any = None,
        unit_kind: str = "group",
        missing: str = "error",
    ) -> None:
        check_choice("missing", missing, MISSING)
        matrix = as_matrix(values, "values", missing=True)
        check_some(len(matrix), "rows")
        check_some(matrix.shape[1], "items")
        labels = column_labels(items, matrix.shape[1], "items")
        row_labels: Sequence[object] = _row_labels(rows, len(matrix))
        gaps = np.isnan(matrix)
        notes: tuple[str, ...] = ()
        kept = np.ones(len(matrix), dtype=bool)
        if gaps.any():
            kept, notes = _apply_policy(missing, gaps, row_labels, labels)
            matrix = matrix[kept]
            row_labels = [row_labels[row] for row in np.flatnonzero(kept).tolist()]
        unit, unit_labels = None, None
        if units is not None:
            unit, unit_labels = _groups(units, kept)
        fill(
            self,
            items=labels,
            values=matrix,
            row_labels=row_labels if isinstance(row_labels, range) else tuple(row_labels),
            unit=unit,
            unit_labels=unit_labels,
            unit_kind="row" if unit is None else unit_kind,
            missing=missing,
            notes=notes,
        )

    @cached_property
    def units(self) -> Units:
        """The rows, or the groups of rows."""
        labels = self.row_labels if self.unit_labels is None else self.unit_labels
        return Units(self.unit_kind, np.ones(len(labels), dtype=np.int64), labels)

    @cached_property
    def entries(self) -> DenseEntries:
        """The matrix as values that units give to items, with their sums."""
        return DenseEntries(self.values, self.unit, row_labels=self.row_labels, item_labels=self.items)

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        times = copies if self.unit is None else copies[self.unit]
        rows = np.repeat(np.arange(len(times)), times)
        changed = {
            "values": self.values[rows],
            "row_labels": tuple(self.row_labels[row] for row in rows.tolist()),
        }
        if self.unit is None or self.unit_labels is None:
            return changed
        return changed | remaining_groups(self.unit[rows], self.unit_labels, copies > 0)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        items: Sequence[str] | None = None,
        row: str | None = None,
        item: str | None = None,
        value: str | None = None,
        units: str | None = None,
        missing: str = "error",
    ) -> Self:
        """Take a matrix from a dataframe, wide (a column for each item) or long.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        items : sequence of str, optional
            Wide form: the columns that are items; all columns of numbers by default.
        row : str, optional
            The column of row labels; in wide form, the first column if it is text.
        item, value : str, optional
            Long form (row, item, value): the columns of item labels and of values. Giving
            either means long form.
        units : str, optional
            The column whose equal values leave together.
        missing
            As for the class. In long form, a pair that does not occur is missing.

        Examples
        --------
        >>> frame = {"task": ["t1", "t2"], "x": [1.0, 2.0], "y": [3.0, 4.0]}
        >>> matrix = ScoreMatrix.from_frame(frame)
        >>> matrix.items, matrix.row_labels, matrix.notes
        (('x', 'y'), ('t1', 't2'), ("the first column, 'task', taken as the row labels",))
        """
        return matrix_from_table(cls, as_table(frame), items, row, item, value, units, missing)

    @classmethod
    def read(
        cls,
        source: Source,
        *,
        format: str | None = None,  # noqa: A002 (the word users know from other readers)
        encoding: str = "utf-8",
        items: Sequence[str] | None = None,
        row: str | None = None,
        item: str | None = None,
        value: str | None = None,
        units: str | None = None,
        missing: str = "error",
    ) -> Self:
        """Read a matrix from a CSV, TSV, Parquet or JSON-lines file, plain or gzipped.

        Parameters
        ----------
        source : path or binary stream
        format : {"csv", "tsv", "parquet", "jsonl"}, optional
            Told from the content where not given.
        encoding : str
            Of a text file.
        items, row, item, value, units, missing
            As for :meth:`from_frame`.
        """
        from steadyrank.reading.formats import read_table

        table = read_table(source, format=format, encoding=encoding)
        return cls.from_frame(
            table, items=items, row=row, item=item, value=value, units=units, missing=missing
        )

    @classmethod
    def scan(
        cls,
        source: Any,
        *,
        row: str | None = None,
        item: str | None = None,
        value: str | None = None,
        units: str | None = None,
        missing: str = "error",
        engine: str | Engine | None = None,
        max_units: int | None = None,
    ) -> ScannedEntries:
        """Leave a long score table (row, item, value) where it is, in an engine, and audit it there.

        Parameters
        ----------
        source : lazy frame or path
            A polars LazyFrame, DuckDB relation or PySpark DataFrame; or Parquet, CSV or TSV files
            by a path with wildcards.
        row, item, value, units, missing
            As for :meth:`from_frame`.
        engine : {"duckdb", "polars", "spark"} or an engine of steadyrank.engines, optional
            What reads the files; DuckDB by default. A frame runs where it is.
        max_units : int, optional
            The most units whose labels and shifts are brought back; 100 million by default.

        Examples
        --------
        >>> import polars
        >>> cells = {"task": [1, 1, 2, 2], "model": list("xyxy"), "score": [0, 1, 1, 1]}
        >>> with ScoreMatrix.scan(polars.LazyFrame(cells)) as matrix:
        ...     print(matrix)
        <scanned scores: 2 row units, 2 items>
        """
        from steadyrank.engines.lazy_entries import MAX_UNITS
        from steadyrank.engines.scan import scan_matrix

        return scan_matrix(
            source,
            row=row,
            item=item,
            value=value,
            units=units,
            missing=missing,
            engine=engine,
            max_units=MAX_UNITS if max_units is None else max_units,
        )


def column_labels(labels: Iterable[object] | None, size: int, what: str) -> tuple[object, ...]:
    """Return one unique label for each column, 0, 1, 2... where none are given."""
    if labels is None:
        return tuple(range(size))
    named = unique_labels(labels, what)
    if len(named) != size:
        raise SizeMismatchError(f"{what} has {len(named):,} labels for {size:,} columns.")
    return named


def _row_labels(rows: Iterable[object] | None, size: int) -> Sequence[object]:
    if rows is None:
        return range(size)
    labels = tuple(encode_once(rows))
    if len(labels) != size:
        raise SizeMismatchError(f"rows has {len(labels):,} labels for {size:,} rows.")
    return labels


def encode_once(rows: Iterable[object]) -> list[object]:
    """Return usable labels for rows; unlike items, two rows may share a name."""
    codes, labels = encode(rows, what="rows")
    return [labels[code] for code in codes]


def _groups(units: Any, kept: AnyArray) -> tuple[IntArray, tuple[object, ...]]:
    codes, labels = encode(units, what="units")
    check_length(codes, len(kept), "units")
    left, codes = np.unique(codes[kept], return_inverse=True)
    return codes.astype(np.int64), tuple(labels[code] for code in left)


def _apply_policy(
    missing: str, gaps: AnyArray, rows: Sequence[object], items: Sequence[object]
) -> tuple[AnyArray, tuple[str, ...]]:
    """Return which rows stay, and what was done about the gaps."""
    total, gappy = int(gaps.sum()), np.asarray(gaps.any(axis=1))
    if missing == "error":
        raise _missing_error(gaps, rows, items)
    empty = np.flatnonzero(gaps.all(axis=0)).tolist()
    if len(empty):
        raise MissingValuesError(
            f"no values at all for {listing(shorten(items[item]) for item in empty)}",
            way_out="Leave these items out.",
        )
    if missing == "available":
        return ~np.asarray(gaps.all(axis=1)), _available_notes(gaps, total)
    if gappy.all():
        raise MissingValuesError(
            'every row has a missing value, so missing="drop" leaves nothing',
            way_out='Use missing="available", or leave out the items with the most gaps.',
        )
    names = listing((shorten(rows[row]) for row in np.flatnonzero(gappy).tolist()), int(gappy.sum()))
    return ~gappy, (f"{int(gappy.sum()):,} rows with {total:,} missing values dropped: {names}",)


def _available_notes(gaps: AnyArray, total: int) -> tuple[str, ...]:
    empty = int(gaps.all(axis=1).sum())
    notes = [f"{total:,} missing values left out of the means"]
    if empty:
        notes.append(f"{empty:,} rows without any value dropped")
    return tuple(notes)


def _missing_error(
    gaps: AnyArray, rows: Sequence[object], items: Sequence[object]
) -> MissingValuesError:
    where = np.argwhere(gaps)
    shown = listing(
        (f"row {shorten(rows[row])} item {shorten(items[item])}" for row, item in where[:SHOWN]),
        len(where),
    )
    lines = np.flatnonzero(gaps.any(axis=1))
    return MissingValuesError(
        f"{len(where):,} values are missing ({shown})",
        rows=lines[:SHOWN],
        total=len(lines),
        way_out='Drop these rows with missing="drop", or take means over the values that are '
        'there with missing="available".',
    )
