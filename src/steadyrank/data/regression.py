"""Regression: features X and a response y; the items to rank are the features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from steadyrank._typing import AnyArray, FloatArray, IntArray
from steadyrank.arrays import (
    as_column,
    as_doubles,
    as_matrix,
    as_scores,
    check_length,
    objects,
)
from steadyrank.data.kinds import REGRESSION
from steadyrank.data.observations import Observations, set_fields, with_notes
from steadyrank.data.rows import check_some, column_labels, row_names
from steadyrank.data.score_matrix import without_gaps
from steadyrank.data.units import People, of_people
from steadyrank.errors import InvalidCountError, not_a_choice
from steadyrank.labels import encode

GAPS = ("error", "drop")
"""What may be done about missing values."""
STANDARDISED = (
    "features and response brought to mean 0 and standard deviation 1 over all rows (to 0 where all are "
    "equal), once; removing a row does not change these scales"
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Regression(Observations):
    """Rows of features and a response; the items are features. The unit is the row, or a group of rows.

    Parameters
    ----------
    X : matrix or dataframe
        One row for each observation, one column for each feature.
    y : array, series or iterable
        The responses: numbers, or texts, which only a classifier takes as a scorer.
    items : iterable, optional
        The labels of the columns; by default the names of a dataframe's, or 0, 1, 2...
    rows : iterable, optional
        The labels of the rows; by default 0, 1, 2...
    missing : {"error", "drop"}
        What to do with missing values (NaN): complain and list them, or drop their rows.
    units : array, series or iterable, optional
        For each row, the label of the group (site, fold) that leaves together.
    unit_kind : str
        What one such group is, in the singular.
    weights : None
        Refused: the scorers of regressions take every row for one.

    Attributes
    ----------
    X : float64 array (rows, items)
    y : float64 array (rows,)
        The responses; of texts, their places in ``classes``.
    row_labels : sequence
    classes : tuple of str or None
    unit
        As for all observations.

    Examples
    --------
    >>> Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, 3.0], items=["height", "age"])
    <Regression: 2 rows, 2 items: 'height', 'age'>
    """

    kind = REGRESSION

    _row_fields, _item_fields = ("X", "y", "row_labels"), ("X",)
    X: FloatArray
    y: FloatArray
    row_labels: Sequence[object]
    classes: tuple[object, ...] | None

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        missing: str = "error",
        **people: Unpack[People],
    ) -> None:
        if missing not in GAPS:
            raise not_a_choice("missing", missing, GAPS)
        if people.get("weights") is not None:
            raise InvalidCountError(
                "rows of a regression take no weights",
                way_out="Multiply the features and the response of a row by the root of its weight.",
            )
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            X, columns = _columns_of(X)
            items = columns if items is None else items
        matrix = as_matrix(X, "X", missing=True)
        check_some(len(matrix), "rows")
        check_some(matrix.shape[1], "features")
        column, classes = as_column(y, "y"), None
        if len(column) and all(isinstance(one, str) for one in column):
            column, classes = encode(column, what="y")
        response = np.array(
            as_scores(column, "y", missing=missing == "drop"), dtype=np.float64
        )
        check_length(response, len(matrix), "y")
        labels, names = (
            column_labels(items, matrix.shape[1]),
            row_names(rows, len(matrix)),
        )
        gaps = np.column_stack([np.isnan(matrix), np.isnan(response)])
        fields = of_people(np.ones(len(matrix), dtype=np.int64), "row", **people)
        made = {"X": matrix, "y": response, "row_labels": names, "classes": classes}
        set_fields(self, items=labels, **made, **fields)
        if gaps.any():
            kept, notes = without_gaps(
                missing, gaps, names, (*labels, "y"), otherwise=""
            )
            set_fields(self, **self._rows(kept), notes=notes)

    @property
    def responses(self) -> AnyArray:
        """The responses as they were given: numbers, or texts."""
        return (
            self.y
            if self.classes is None
            else objects(self.classes)[self.y.astype(np.int64)]
        )

    @property
    def item_counts(self) -> IntArray:
        """The number of rows, for each feature."""
        return np.full(self.n_items, len(self.y))


def _columns_of(frame: Any) -> tuple[FloatArray, list[str]]:
    """Return the columns of a dataframe as a matrix, and their names."""
    import narwhals as nw  # takes longer to load than a small file

    columns = nw.from_native(frame, eager_only=True)
    values = [as_scores(columns[name], name, missing=True) for name in columns.columns]
    return as_doubles(np.column_stack(values)), columns.columns


def standardised(data: Regression) -> Regression:
    """Return the same rows with features and response of mean 0 and standard deviation 1.

    A column whose values are all equal becomes 0.

    Examples
    --------
    >>> standardised(Regression([[1.0], [3.0]], [10.0, 30.0])).X.ravel().tolist()
    [-1.0, 1.0]
    """
    columns = np.column_stack([data.X, data.y])
    # Scaled by powers of two first: squares of the largest floats are none.
    columns = np.ldexp(columns, -np.frexp(np.abs(columns).max(axis=0))[1])
    columns -= columns.mean(axis=0)
    deviation = np.sqrt((columns**2).mean(axis=0))
    columns /= np.where(deviation > 0, deviation, 1.0)
    made = data._changed({"X": columns[:, :-1], "y": columns[:, -1]})  # noqa: SLF001 (one of us)
    return with_notes(made, STANDARDISED)
