"""Regression: features X and a response y; the items to rank are the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

import numpy as np

from steadyrank.data.observations import Observations, check_some, column_labels, row_names, set_fields
from steadyrank.data.people import UNIT, People, of_people
from steadyrank.errors import InvalidWeightError, listing
from steadyrank.reading.arrays import as_matrix, as_numbers, check_length
from steadyrank.reading.kinds import Form, Kind, ReadingArguments, Role
from steadyrank.reading.table import Table, as_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.units import Units
    from steadyrank.reading.kinds import Columns
    from steadyrank.reading.roles import Resolved

RESPONSE = Role("the response", ("y", "target", "response", "label"), holds="numbers", argument="y")

FEATURES = Role("the features; all other columns if not given", several=True)


class RegressionArguments(ReadingArguments, total=False):
    """What :meth:`Regression.from_frame` and ``read`` can be told."""

    response: Annotated[str | None, RESPONSE]
    items: Annotated[Sequence[str] | None, FEATURES]
    row: Annotated[str | None, Role("what to call each row")]
    unit: Annotated[str | None, UNIT]


def _all_numbers(table: Table, columns: Columns) -> bool:
    apart = {columns["response"], columns.get("row"), columns.get("unit")}
    rest = [name for name in table.names if name not in apart]
    return bool(rest) and len(table) > 0 and all(table.is_numeric(name) for name in rest)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Regression(Observations):
    """Rows of features and a response; the items are features. The unit is the row, or a group of rows.

    Parameters
    ----------
    X : matrix
        One row for each observation, one column for each feature.
    y : array, series or iterable
        The responses.
    items : iterable, optional
        The labels of the columns; 0, 1, 2... by default.
    rows : iterable, optional
        The labels of the rows; 0, 1, 2... by default.
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
    row_labels : sequence
    unit, unit_labels
        As for all observations.

    Examples
    --------
    >>> Regression([[1.0, 0.0], [0.0, 1.0]], [2.0, 3.0], items=["height", "age"])
    <Regression: 2 rows, 2 items: 'height', 'age'>
    """

    kind: ClassVar[Kind] = Kind(
        name="regression",
        unit="row",
        scorer="constrained-least-squares",
        arguments=RegressionArguments,
        forms=(
            Form(
                "one row an observation", ("response",), named=("items", "row"), recognised=_all_numbers
            ),
        ),
    )

    X: FloatArray
    y: FloatArray
    row_labels: Sequence[object]

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        items: Iterable[object] | None = None,
        rows: Iterable[object] | None = None,
        **people: Unpack[People],
    ) -> None:
        if people.get("weights") is not None:
            raise InvalidWeightError(
                "rows of a regression take no weights",
                way_out="Multiply the features and the response of a row by the root of its weight.",
            )
        matrix = as_matrix(X, "X")
        check_some(len(matrix), "rows")
        check_some(matrix.shape[1], "features")
        response = np.array(as_numbers(y, "y"), dtype=np.float64)
        check_length(response, len(matrix), "y")
        set_fields(
            self,
            items=column_labels(items, matrix.shape[1]),
            X=matrix,
            y=response,
            row_labels=row_names(rows, len(matrix)),
            **of_people(np.ones(len(matrix), dtype=np.int64), "row", **people),
        )

    @cached_property
    def units(self) -> Units:
        """The rows, or the groups of rows."""
        return self._units(self.row_labels)

    @property
    def item_counts(self) -> IntArray:
        """The number of rows, for each feature."""
        return np.full(self.n_items, len(self.y))

    def said(self, units: Sequence[int], items: Sequence[Sequence[int]]) -> list[str | None]:
        """Return the features of rows, and their responses."""
        told = []
        for unit, those in zip(units, items, strict=True):
            rows = np.array([unit]) if self.unit is None else np.flatnonzero(self.unit == unit)
            means, response = self.X[rows].mean(axis=0), self.y[rows].mean()
            values = listing(f"{self._named(item)} {means[item]:.6g}" for item in those)
            mean = f" (means of {len(rows):,} rows)" if len(rows) > 1 else ""
            told.append(f"{values}; response {response:.6g}{mean}" if values else None)
        return told

    def _copied(self, copies: IntArray) -> dict[str, Any]:
        times = copies if self.unit is None else copies[self.unit]
        rows = np.repeat(np.arange(len(times)), times)
        labels = tuple(self.row_labels[row] for row in rows.tolist())
        return {"X": self.X[rows], "y": self.y[rows], "row_labels": labels, **self._people(rows)}

    @classmethod
    def from_frame(cls, frame: Any, **arguments: Unpack[RegressionArguments]) -> Self:
        """Take a regression from a dataframe.

        Parameters
        ----------
        frame : dataframe of any library, or mapping from names to columns
        response : str, optional
            The column of the response; guessed from common names where not given.
        items : sequence of str, optional
            The columns of the features; all the others by default.
        row : str, optional
            The column of row labels.
        unit : str, optional
            The column whose equal values leave together (site, fold); it is no feature.

        Examples
        --------
        >>> data = Regression.from_frame({"age": [1, 2], "height": [3, 5], "y": [1.5, 2.5]})
        >>> data.items, data.notes
        (('age', 'height'), ("column 'y' taken as the response",))
        """
        return cls.from_table(as_table(frame), arguments)

    @classmethod
    def _from_columns(cls, found: Resolved) -> Self:
        apart = {found.columns["response"], found.columns.get("row"), found.columns.get("unit")}
        names = found.columns.get("items") or found.table.number_columns(apart)
        X = found.table.matrix(names)
        return cls(X, found.values("response"), items=names, rows=found.values("row"), **found.people())
