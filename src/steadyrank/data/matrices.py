"""Scores in long form as a matrix, for scorers that look at rows or columns as a whole."""

from __future__ import annotations

import numpy as np

from steadyrank._typing import FloatArray, IntArray
from steadyrank.data.observations import origin_of, set_fields
from steadyrank.data.ratings import Ratings, RowScores, merged_values
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.errors import InvalidDataError, Option, TooLargeError, shorten
from steadyrank.text import counted, plural

MOST_CELLS = 1 << 28  # 2 GB of doubles, of which scorers make a few copies
COMPARED = "{} of an item in a {}: their mean is compared"


def compared_rows(data: Ratings) -> ScoreMatrix:
    """Return one value for each row and item: the mean where an item has several in a row.

    Rows are those that were said, or else the units.

    Examples
    --------
    >>> ratings = Ratings(["t", "t", "u", "u"], ["x", "y", "x", "y"], [3, 1, 2, 4])
    >>> compared_rows(ratings).values
    array([[3., 1.],
           [2., 4.]])
    """
    owner = np.repeat(np.arange(len(data.user_labels)), np.diff(data.indptr))
    unit = owner if data.unit is None else data.unit[owner]
    names = data.units.labels
    row, word = unit, data.units.kind
    if isinstance(data, RowScores):
        names = data.row_names
        row, word = data.row, "row"
    row_codes, first, row = np.unique(row, return_index=True, return_inverse=True)
    labels = [names[code] for code in row_codes.tolist()]
    _check_within_units(data, row, unit, first)
    order = np.lexsort((data.rated, row))
    row, rated = row[order], data.rated[order]
    starts = np.flatnonzero(
        np.append(True, (np.diff(row) != 0) | (np.diff(rated) != 0))
    )
    if len(starts) == len(labels):  # one item in each
        raise InvalidDataError(
            f"each {word} has one item, so there is nothing to compare within it",
            way_out=["Say what has scores of several items: ", Option("unit")],
        )
    values = merged_values(data.values[order], starts, rated, data.n_items, "mean")
    made = _matrix(data, (row[starts], rated[starts], values), labels, unit[first])
    repeated = len(row) - len(starts)
    if not repeated:
        return made
    note = COMPARED.format(counted(repeated, "repeated score"), word)
    return set_fields(made, notes=(*data.notes, note))


def _check_within_units(
    data: Ratings, row: IntArray, unit: IntArray, first: IntArray
) -> None:
    """Complain about a row whose scores belong to several units: it would change, not leave."""
    parted = np.flatnonzero(unit != unit[first][row])
    if not len(parted):
        return
    where = row[parted[0]]
    names = [
        shorten(data.units.labels[each]) for each in np.unique(unit[row == where])[:2]
    ]
    raise InvalidDataError(
        f"items are compared within rows, but one row has scores of several "
        f"{plural(data.units.kind)}: {' and '.join(names)}",
        way_out=["Say the column of the rows as the unit, too: ", Option("unit")],
    )


def all_observations(data: Ratings) -> ScoreMatrix:
    """Return every value in the column of its item; the rows of a unit leave together.

    Examples
    --------
    >>> data = Ratings(["u", "v", "w"], ["x", "x", "y"], [3, 1, 2], units=["a", "a", "b"])
    >>> matrix = all_observations(data)
    >>> matrix.values, matrix.unit
    (array([[ 3., nan],
           [ 1., nan],
           [nan,  2.]]), array([0, 0, 1]))
    """
    owner = np.repeat(np.arange(len(data.user_labels)), np.diff(data.indptr))
    unit = owner if data.unit is None else data.unit[owner]
    order = np.lexsort((data.rated, unit))
    unit, rated = unit[order], data.rated[order]
    places = np.arange(len(order))
    new = np.append(True, (np.diff(unit) != 0) | (np.diff(rated) != 0))
    # The first value of a unit for an item is in its first row, the second in its second...
    occurrence = places - np.maximum.accumulate(np.where(new, places, 0))
    _, first, row = np.unique(
        unit * (int(occurrence.max()) + 1) + occurrence,
        return_index=True,
        return_inverse=True,
    )
    cells = row, rated, data.values[order].astype(np.float64)
    labels = [data.units.labels[each] for each in unit[first].tolist()]
    return _matrix(data, cells, labels, unit[first])


def _matrix(
    data: Ratings,
    cells: tuple[IntArray, IntArray, FloatArray],
    labels: list[object],
    unit: IntArray,
) -> ScoreMatrix:
    """Return a matrix of cells (row, item, value), of which ``unit`` is the unit of each row."""
    shape = (len(labels), data.n_items)
    if shape[0] * shape[1] > MOST_CELLS:
        raise TooLargeError(
            f"this scorer needs a matrix of {shape[0]:,} rows and {shape[1]:,} items, "
            f"{shape[0] * shape[1] * 8 / 1e9:,.0f} GB",
            way_out=["Use ", Option("scorer", "mean"), ", or leave rare items out."],
        )
    values = np.full(shape, np.nan)
    row, item, value = cells
    values[row, item] = value
    weights = None
    if data.weights is not None:
        weight_of_unit = np.zeros(len(data.units))
        owner = slice(None) if data.unit is None else data.unit
        weight_of_unit[owner] = data.weights
        weights = weight_of_unit[unit]
    units = [data.units.labels[each] for each in unit.tolist()]
    made = ScoreMatrix(
        values,
        items=data.items,
        rows=labels,
        missing="available",
        weights=weights,
        units=None if units == labels and len({*units}) == len(units) else units,
        unit_kind=data.units.kind,
    )
    return set_fields(made, notes=data.notes, _origin=origin_of(data))
