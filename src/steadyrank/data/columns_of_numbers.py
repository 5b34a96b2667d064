"""What a matrix of scores and a regression share: columns of numbers are items, rows have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank.errors import ColumnError, Option, SizeMismatchError, listing, shorten
from steadyrank.reading.kinds import Role
from steadyrank.reading.labels import encode, unique_labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from steadyrank.reading.table import Table


def column_list(what: str, others: str) -> Role:
    """Return the role of columns that are items."""
    return Role(f"the {what}; all {others} if not given", several=True)


def column_labels(labels: Iterable[object] | None, size: int) -> tuple[object, ...]:
    """Return one unique label for each column, 0, 1, 2... where none are given."""
    if labels is None:
        return tuple(range(size))
    named = unique_labels(labels)
    if len(named) != size:
        raise SizeMismatchError(f"items has {len(named):,} labels for {size:,} columns")
    return named


def row_names(rows: Iterable[object] | None, size: int) -> Sequence[object]:
    """Return a label for each row, 0, 1, 2... where none are given; two rows may share a name."""
    if rows is None:
        return range(size)
    codes, labels = encode(rows, what="rows")
    if len(codes) != size:
        raise SizeMismatchError(f"rows has {len(codes):,} labels for {size:,} rows")
    return tuple(labels[code] for code in codes)


def number_columns(table: Table, apart: Collection[str | None]) -> list[str]:
    """Return the columns that are items where the user named none: all that are not set apart."""
    names = [name for name in table.names if name not in apart]
    text = [name for name in names if len(table) and not table.is_numeric(name)]
    if text:
        raise ColumnError(
            f"columns that hold something else than numbers: {listing(map(shorten, text))}",
            way_out=[
                "Name the columns of the items as ",
                Option("items", several=True),
                ", or correct these columns.",
            ],
        )
    return names
