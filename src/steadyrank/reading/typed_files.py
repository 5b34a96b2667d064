"""Files whose values have types, and keep them: Parquet and Excel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from steadyrank import errors
from steadyrank.errors import listing, shorten
from steadyrank.reading.files import OpenFile
from steadyrank.reading.headers import LOOKED_AT, find_header, header_size
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted


def read_parquet(file: OpenFile) -> Table:
    """Read a Parquet file with pyarrow, or say how to install it.

    Other readers take a damaged file for their own fault and end the whole process.
    """
    content = file.read_all()
    file.needs("frames", "pyarrow")
    from pyarrow import BufferReader, parquet  # type: ignore[import-untyped,unused-ignore]

    with file.sound("Parquet file"):
        opened = partial(
            parquet.ParquetFile, page_checksum_verification=True, pre_buffer=False
        )
        whole = opened(BufferReader(content))
        texts = [
            part.name
            for part in whole.schema_arrow
            if str(part.type).endswith("string")
        ]
        # Threads that still read when a file proves damaged can abort the process as it ends.
        try:
            found = opened(BufferReader(content), read_dictionary=texts).read(
                use_threads=False
            )
        except (
            OSError
        ):  # damaged, or text is stored in a way that cannot be read as codes
            found = whole.read(use_threads=False)
        return replace(as_table(found), source=file.name)


def read_excel(file: OpenFile) -> Table:
    """Read the sheet that the user names, else the first; cells keep their types."""
    file.needs("excel", "polars", "fastexcel")
    content = file.read_all()
    with file.sound("spreadsheet", "Save it again, or export the sheet as CSV."):
        import fastexcel

        book = fastexcel.read_excel(content)
        sheet = file.chosen("sheet", book.sheet_names, book.sheet_names[0])
        listed = listing(map(shorten, book.sheet_names))
        notes = (
            [f"the sheet {shorten(sheet)} taken of {listed}"]
            if len(book.sheet_names) > 1
            else []
        )
        load_sheet = partial(
            book.load_sheet, sheet, header_row=None, schema_sample_rows=None
        )
        table = _sheet(load_sheet, file.name, sheet, header_size(file.given))
        return replace(table, notes=notes + table.notes)


def _sheet(
    load_sheet: Callable[..., Any], source: str, sheet: str, size: int | None
) -> Table:
    """Return the rows and columns that hold something; say what else there is."""
    cells = load_sheet(skip_rows=0, dtypes="string").to_polars()
    texts = [[text or "" for text in row] for row in cells.rows()]
    there = [row for row, fields in enumerate(texts) if any(fields)]
    used = [
        place for place in range(cells.width) if any(fields[place] for fields in texts)
    ]
    first = [[texts[row][place] for place in used] for row in there[:LOOKED_AT]]
    header = find_header(first or [[""]], size)
    lines = there[header.size :]
    filled = [
        at for at, place in enumerate(used) if any(texts[row][place] for row in lines)
    ]
    if not filled:
        raise errors.EmptyDataError(
            f"the sheet {shorten(sheet)} of {source} holds no rows"
        )
    fields = [cells.columns[used[at]] for at in filled]
    frame = load_sheet(skip_rows=lines[0], use_columns=fields).to_polars()
    columns = [
        _plain(part) for part in frame[[row - lines[0] for row in lines]].get_columns()
    ]
    table = as_table(
        dict(zip((header.names[at] for at in filled), columns, strict=True))
    )
    notes = list(header.notes)
    if gaps := lines[-1] + 1 - lines[0] - len(lines):
        notes.append(f"{counted(gaps, 'empty row')} skipped")
    if empty := [name for at, name in enumerate(header.names) if at not in filled]:
        notes.append(f"empty columns left out: {listing(map(shorten, empty))}")
    return Table(
        table.columns, source, [row + 1 for row in lines], notes, lead="on row"
    )


def _plain(column: Any) -> Any:
    """Return texts without blanks around them, and whole numbers as such: a sheet has none."""
    import polars as pl

    if column.dtype == pl.String:
        return column.str.strip_chars()
    if column.dtype != pl.Float64 or not column.count():
        return column
    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.cast(pl.Float64).equals(column) else column
