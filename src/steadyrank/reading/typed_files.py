"""Files that are tables already.

JSON, JSON lines, Parquet and Excel, whose values keep their types; and tables as Markdown and LaTeX
write them, with cells between bars or ampersands, without emphasis.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

from steadyrank import errors
from steadyrank.errors import ColumnError, Option, UnreadableFileError, listing, shorten
from steadyrank.reading.adapters.documents import Node, load, load_lines
from steadyrank.reading.files import OpenFile
from steadyrank.reading.headers import LOOKED_AT, find_header, header_names, header_size
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.text_columns import TextColumn, number_in
from steadyrank.text import counted

LIKE_THIS = 'A table in JSON looks like [{"choice": "x"}, {"choice": "y"}].'
RULE = re.compile(r"\s*+\|?[\s:|-]*-[\s:|-]*+\Z")
"""The line below the header of Markdown."""
TABULAR = re.compile(r"\\begin\{(tabular\*?|tabularx|longtable)\}(.*?)\\end\{\1\}", re.DOTALL)
COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
NOTHING = re.compile(r"[*`_$]{1,2}(?=\S)|(?<=\S)[*`$]{1,2}|[{}]")
ESCAPED = {"\\%": "%", "\\_": "_", "\\&": "and", "\\#": "#", "~": " "}

Rows = list[tuple[int, list[str]]]
"""The cells of each row, with its line."""


def read_json_lines(file: OpenFile) -> Table:
    r"""Read one object on each line; a name that a line lacks is a missing value.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> table = read_json_lines(open_source(io.BytesIO(b'{"a": "007"}\n{"a": "8", "b": 1}\n')))
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    (['007', '8'], [None, 1])
    """
    return _table_of(file, lambda part: ((line, node.value) for line, node in load_lines(part)))


def is_one_document(file: OpenFile) -> bool:
    """Tell whether a file is one value of JSON, and not an object on each line.

    An object on the only line is a row, such as a ballot, unless it holds several lists of one length.
    """
    first, *more = [line for line in file.text_head.splitlines() if line.strip()][:2] or [b""]
    if not first.lstrip().startswith(b"{"):
        return first.lstrip().startswith(b"[")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return not (more and more[0].lstrip().startswith(b"{"))
    return not more and len(found) > 1 and _are_columns(found)


def _are_columns(found: dict[str, Any]) -> bool:
    lists = [value for value in found.values() if isinstance(value, list)]
    return bool(found) and len(lists) == len(found) and len(set(map(len, lists))) == 1


def read_json(file: OpenFile) -> Table:
    r"""Read a list of objects, one for each row, or an object of lists, one for each column.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> table = read_json(open_source(io.BytesIO(b'[{"a": "007"},\n {"a": "8", "b": 1}]')))
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    (['007', '8'], [None, 1])
    """
    return replace(_table_of(file, lambda part: enumerate(_rows_of(load(part)))), lead="at index")


def _rows_of(top: Node) -> list[dict[str, Any]]:
    columns = top.value if isinstance(top.value, dict) else {}
    if _are_columns(columns):
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if columns or not isinstance(top.value, list):
        named = f", but an object of {listing(map(shorten, columns))}" if columns else ""
        told = f"{top.file} is neither a list of objects nor an object of equally long lists{named}"
        raise errors.NotRecognisedError(told, way_out=LIKE_THIS)
    return [node.object() for node in top]


def _table_of(file: OpenFile, placed: Callable[[OpenFile], Iterable[tuple[int, Any]]]) -> Table:
    """Return the table of objects, which come with their places in each file.

    Those inside that all name the same become columns, too.
    """
    rows: list[dict[str, Any]] = []
    places: list[object] = []
    for part in file.parts():
        for place, row in placed(part):
            rows.append(row)
            places.append(file.place(place, part.name))
    if not rows:
        raise errors.EmptyDataError(f"{file.name} holds no rows")
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, list[Any]] = {}
    notes = []
    for name in names:
        values: list[Any] = [row.get(name) for row in rows]
        inner = {f"{name}.{part}": part for part in _common_names(values)}
        if inner and inner.keys().isdisjoint({*names, *columns}):
            columns |= {full: [value[part] for value in values] for full, part in inner.items()}
            notes.append(f"objects in {shorten(name)} read as columns {listing(map(shorten, inner))}")
        else:
            columns[name] = values
    return Table(as_table(columns).columns, file.name, places, notes)


def _common_names(values: Sequence[Any]) -> list[str]:
    """Return what objects name, if all of these are objects that name the same."""
    first = values[0].keys() if isinstance(values[0], dict) else ()
    alike = all(isinstance(value, dict) and value.keys() == first for value in values)
    return list(first) if alike else []


def read_parquet(file: OpenFile, library: str = "pyarrow") -> Table:
    """Read a Parquet file with pyarrow, or say how to install it.

    Other readers take a damaged file for their own fault and end the whole process.
    """
    content = file.read_all()
    if find_spec(library) is None:
        told = f"to read the Parquet file {file.name}, {library} is needed"
        raise errors.MissingPackageError(told, "frames")
    from pyarrow import BufferReader, parquet  # type: ignore[import-untyped,unused-ignore]

    with file.sound("Parquet file"):
        opened = partial(parquet.ParquetFile, page_checksum_verification=True, pre_buffer=False)
        whole = opened(BufferReader(content))
        texts = [part.name for part in whole.schema_arrow if str(part.type).endswith("string")]
        # Threads that still read when a file proves damaged can abort the process as it ends.
        try:
            found = opened(BufferReader(content), read_dictionary=texts).read(use_threads=False)
        except OSError:  # damaged, or text is stored in a way that cannot be read as codes
            found = whole.read(use_threads=False)
        return replace(as_table(found), source=file.name)


def read_excel(file: OpenFile) -> Table:
    """Read the first sheet of a spreadsheet, or the one that the user names; cells keep their types."""
    if find_spec("fastexcel") is None or find_spec("polars") is None:
        told = f"to read {file.name}, polars and fastexcel are needed"
        raise errors.MissingPackageError(told, "excel")
    content = file.read_all()
    with file.sound("spreadsheet", "Save it again, or export the sheet as CSV."):
        import fastexcel

        book, asked = fastexcel.read_excel(content), file.given.get("sheet")
        sheet = book.sheet_names[0] if asked is None else asked
        listed = listing(map(shorten, book.sheet_names))
        if sheet not in book.sheet_names:
            told = f"{file.name} has no sheet {shorten(asked)}, but {listed}"
            raise errors.ColumnError(told, way_out=["Choose one of these as ", Option("sheet")])
        notes = [f"the sheet {shorten(sheet)} taken of {listed}"] if len(book.sheet_names) > 1 else []
        load_sheet = partial(book.load_sheet, sheet, header_row=None, schema_sample_rows=None)
        table = _sheet(load_sheet, file.name, sheet, header_size(file.given))
        return replace(table, notes=notes + table.notes)


def _sheet(load_sheet: Callable[..., Any], source: str, sheet: str, size: int | None) -> Table:
    """Return the rows and columns that hold something; say what else there is."""
    cells = load_sheet(skip_rows=0, dtypes="string").to_polars()
    texts = [[text or "" for text in row] for row in cells.rows()]
    there = [row for row, fields in enumerate(texts) if any(fields)]
    used = [place for place in range(cells.width) if any(fields[place] for fields in texts)]
    first = [[texts[row][place] for place in used] for row in there[:LOOKED_AT]]
    header = find_header(first or [[""]], size)
    lines = there[header.before + header.size :]
    filled = [at for at, place in enumerate(used) if any(texts[row][place] for row in lines)]
    if not filled:
        raise errors.EmptyDataError(f"the sheet {shorten(sheet)} of {source} holds no rows")
    fields = [cells.columns[used[at]] for at in filled]
    frame = load_sheet(skip_rows=lines[0], use_columns=fields).to_polars()
    columns = frame[[row - lines[0] for row in lines]].get_columns()
    table = as_table(dict(zip((header.names[at] for at in filled), columns, strict=True)))
    notes = list(header.notes)
    if gaps := lines[-1] + 1 - lines[0] - len(lines):
        notes.append(f"{counted(gaps, 'empty row')} skipped")
    if empty := [name for at, name in enumerate(header.names) if at not in filled]:
        notes.append(f"empty columns left out: {listing(map(shorten, empty))}")
    return Table(table.columns, source, [row + 1 for row in lines], notes, lead="on row")


def read_markup(file: OpenFile) -> Table:
    """Read the only table that holds numbers, or the one whose number the user gives."""
    text = file.read_text()
    found = list(_latex_tables(text) if "\\begin{" in text else _markdown_tables(text))
    tables = {str(number): rows for number, rows in enumerate(found, 1) if len(rows) > 1}
    of_numbers = [number for number, rows in tables.items() if _holds_numbers(rows)]
    chosen = file.given.get("sheet") or next(iter(of_numbers if len(of_numbers) == 1 else ()), None)
    if not tables:
        raise UnreadableFileError(f"{file.name} holds a header and no rows of a table")
    if chosen not in tables:
        each = (
            f"{number} ({len(rows) - 1} rows below {_title(rows)})" for number, rows in tables.items()
        )
        told = f"{file.name} holds several tables: {listing(each, len(tables))}"
        largest = max(tables, key=lambda number: len(tables[number]))
        raise ColumnError(told, way_out=["Choose one by its number, such as ", Option("sheet", largest)])
    (_, header), *body = tables[chosen]
    for line, row in body:
        if len(row) != len(header):
            raise UnreadableFileError(
                f"line {line} of {file.name} has {len(row)} cells instead of {len(header)}",
                way_out="Correct this line.",
            )
    names, notes = header_names(header)
    notes += [f"table {chosen} taken of {len(found)}"] if len(found) > 1 else []
    columns = {
        name: TextColumn.of(cells) for name, *cells in zip(names, *(row for _, row in body), strict=True)
    }
    return Table(columns, file.name, [line for line, _ in body], notes)


def _holds_numbers(rows: Rows) -> bool:
    return any(number_in(cell) is not None for _, row in rows[1:] for cell in row[1:])


def _title(rows: Rows) -> str:
    return listing((shorten(cell, 20) for cell in rows[0][1][:3]), len(rows[0][1]))


def _markdown_tables(text: str) -> Iterator[Rows]:
    """Yield the tables: a line with bars, a rule, and more lines with bars."""
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if "|" in line and RULE.match(line)]
    for rule in places:
        end = next((at for at in range(rule + 1, len(lines)) if "|" not in lines[at]), len(lines))
        if rule and "|" in lines[rule - 1]:
            kept = [rule - 1, *(at for at in range(rule + 1, end) if at not in places)]
            yield [(at + 1, _cells(lines[at].strip().strip("|").split("|"))) for at in kept]


def _latex_tables(text: str) -> Iterator[Rows]:
    for found in TABULAR.finditer(text):
        rows: Rows = []
        line = text.count("\n", 0, found.start(2)) + 1
        for part in found[2].split("\\\\"):
            if "&" in part:
                body = part.split("}\n", 1)[-1] if not rows else part
                rows.append((line, _cells(body.replace("\\&", "\0").split("&"))))
            line += part.count("\n")
        yield rows


def _cells(cells: list[str]) -> list[str]:
    return [_plain(cell) for cell in cells]


def _plain(cell: str) -> str:
    """Return a cell without emphasis and commands."""
    for escape, letter in ESCAPED.items():
        cell = cell.replace(escape, letter)
    return NOTHING.sub("", COMMAND.sub("", cell.replace("\0", "&").replace("\\pm", "±"))).strip()
