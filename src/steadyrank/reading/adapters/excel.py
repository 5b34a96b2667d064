"""Spreadsheets: one sheet of an ``.xlsx`` file, through polars and fastexcel. Cells keep their types."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

from steadyrank import errors
from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted


def read_excel(file: OpenFile) -> Table:
    """Read the first sheet, or the one that the user names, and say what has no value."""
    if find_spec("fastexcel") is None or find_spec("polars") is None:
        raise errors.MissingPackageError(
            f"to read {file.name}, polars and fastexcel are needed", "excel"
        )
    content = file.read_all()
    with file.sound("spreadsheet", "Save it again, or export the sheet as CSV."):
        return _table(content, file)


def _table(content: bytes, file: OpenFile) -> Table:
    import fastexcel

    book, asked = fastexcel.read_excel(content), file.given.get("sheet")
    sheet = book.sheet_names[0] if asked is None else asked
    listed = listing(map(shorten, book.sheet_names))
    if sheet not in book.sheet_names:
        way_out = ("Choose one of these as ", Option("sheet"))
        raise errors.ColumnError(
            f"{file.name} has no sheet {shorten(asked)}, but {listed}", way_out=way_out
        )
    notes = [f"the sheet {shorten(sheet)} taken of {listed}"] if len(book.sheet_names) > 1 else []
    load = partial(book.load_sheet, sheet, header_row=None, schema_sample_rows=None)
    cells = load(skip_rows=0, dtypes="string").to_polars()
    texts = cells.rows()
    head = next((row for row, fields in enumerate(texts) if any(fields)), 0)
    lines = [row for row in range(head + 1, len(texts)) if any(texts[row])]
    filled = [place for place in range(cells.width) if any(texts[row][place] for row in lines)]
    if not filled:
        raise errors.EmptyDataError(f"the sheet {shorten(sheet)} of {file.name} holds no rows")
    kept = load(skip_rows=head + 1, use_columns=[cells.columns[place] for place in filled]).to_polars()
    frame = kept[[row - head - 1 for row in lines]]
    names = [texts[head][place] or f"column_{place + 1}" for place in filled]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise errors.ColumnError(f"{file.name} names {shorten(twice)} more than once")
    table = as_table(dict(zip(names, frame.get_columns(), strict=True)))
    notes += [f"column {place + 1} has no name" for place in filled if not texts[head][place]]
    if gaps := len(texts) - head - 1 - len(lines):
        notes.append(f"{counted(gaps, 'empty row')} skipped")
    empty = [name for place, name in enumerate(texts[head]) if name and place not in filled]
    notes += [f"empty columns left out: {listing(map(shorten, empty))}"] if empty else []
    table.source, table.notes, table.lead = file.name, notes, "on row"
    table.lines = [row + 1 for row in lines]
    return table
