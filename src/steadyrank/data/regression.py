"""Regression: features X and a response y; the items to rank are the features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.data.observations import Observations, check_some, fill, said_first
from steadyrank.data.score_matrix import column_labels, encode_once
from steadyrank.data.units import Units
from steadyrank.errors import ColumnError, listing, shorten
from steadyrank.reading.arrays import as_matrix, as_numbers, check_length
from steadyrank.reading.kinds import Kind
from steadyrank.reading.table import as_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.reading.files import Source
    from steadyrank.reading.table import Table


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Regression(Observations):
    """Rows of features and a response. The unit left out is the row; the items are features.

    Parameters
    ----------
    X : matrix
        One row for each observation, one column for each feature.
    y : array, series or iterable
        The responses.
    features : iterable, optional
        The labels of the columns; 0, 1, 2... by default.
    rows : iterable, optional
        The labels of the rows; 0, 1, 2... by default.

    Attributes
    ----------
    X : float64 array (rows, items)
    y : float64 array (rows,)
    row_labels : sequence

    Examples
    --------
    >>> Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, 3.0], features=["height", "age"])
    <Regression: 2 row units, 2 items>
    """

    kind: ClassVar[Kind] = Kind("regression", "row", "constrained-least-squares")

    items: tuple[object, ...]
    X: FloatArray
    y: FloatArray
    row_labels: Sequence[object]
    notes: tuple[str, ...]

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        features: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
    ) -> None:
        matrix = as_matrix(X, "X")
        check_some(len(matrix), "rows")
        check_some(matrix.shape[1], "features")
        response = np.array(as_numbers(y, "y"), dtype=np.float64)
        check_length(response, len(matrix), "y")
        labels = column_labels(features, matrix.shape[1], "features")
        names: Sequence[object] = range(len(matrix))
        if rows is not None:
            names = tuple(encode_once(rows))
            check_length(np.empty(len(names)), len(matrix), "rows")
        fill(self, items=labels, X=matrix, y=response, row_labels=names, notes=())

    @cached_property
    def units(self) -> Units:
        """The rows."""
        return Units("row", np.ones(len(self.y), dtype=np.int64), self.row_labels)

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        rows = np.repeat(np.arange(len(copies)), copies)
        labels = tuple(self.row_labels[row] for row in rows.tolist())
        return {"X": self.X[rows], "y": self.y[rows], "row_labels": labels}

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        response: str | None = None,
        features: Sequence[str] | None = None,
        row: str | None = None,
    ) -> Self:
        """Take a regression from a dataframe.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        response : str, optional
            The column of the response; guessed from common names where not given.
        features : sequence of str, optional
            The columns of the features; all the others by default.
        row : str, optional
            The column of row labels.

        Examples
        --------
        >>> data = Regression.from_frame({"age": [1, 2], "height": [3, 5], "y": [1.5, 2.5]})
        >>> data.items, data.notes
        (('age', 'height'), ("column 'y' taken as the response",))
        """
        table = as_table(frame)
        if row is not None:
            table.check_column("row", row)
        target = table.names_for({"response": response})["response"]
        names = _feature_columns(table, target, features, row)
        X = np.empty((len(table), len(names)))
        for place, name in enumerate(names):
            X[:, place] = table.numbers(name)
        with table.errors({"y": target, "rows": row}):
            data = cls(
                X,
                table.numbers(target),
                features=names,
                rows=None if row is None else table.labels(row),
            )
            return said_first(data, table.notes)

    @classmethod
    def read(
        cls,
        source: Source,
        *,
        format: str | None = None,  # noqa: A002 (the word users know from other readers)
        encoding: str = "utf-8",
        response: str | None = None,
        features: Sequence[str] | None = None,
        row: str | None = None,
    ) -> Self:
        """Read a regression from a CSV, TSV, Parquet or JSON-lines file, plain or gzipped.

        Parameters
        ----------
        source : path or binary stream
        format : {"csv", "tsv", "parquet", "jsonl"}, optional
            Told from the content where not given.
        encoding : str
            Of a text file.
        response, features, row
            As for :meth:`from_frame`.
        """
        from steadyrank.reading.formats import read_table

        table = read_table(source, format=format, encoding=encoding)
        return cls.from_frame(table, response=response, features=features, row=row)


def _feature_columns(
    table: Table, target: str, features: Sequence[str] | None, row: str | None
) -> list[str]:
    if features is not None:
        for name in features:
            table.check_column("features", name)
        return list(features)
    names = [name for name in table.names if name not in {target, row}]
    text = [name for name in names if len(table) and not table.is_numeric(name)]
    if text:
        raise ColumnError(
            f"features that are not numbers: {listing(map(shorten, text))}",
            way_out="Name the columns of the features as features=[...].",
        )
    return names
