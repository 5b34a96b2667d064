"""Excel sheets (.xlsx), cell by cell as the file spells them.

The usual libraries cut 0.3333333333333333 to nine digits in columns of mixed cells, and
turn cells such as #N/A into blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile

from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    Option,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.query import check_names
from steadyrank.reading.written import Part, Record, recorded

DATES = {str(number) for number in (*range(14, 23), *range(45, 48))}  # Excel's formats
DATE_LETTERS = re.compile(r"[dmyhs]", re.IGNORECASE)
NOT_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')  # texts and colours in a format
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a sheet spells control characters
DAY_0 = datetime(1899, 12, 30)  # noqa: DTZ001 (a sheet knows no time zones)
SAVE_AGAIN = "Save it again as .xlsx, or export the sheet as CSV."

Row = tuple[int, dict[int, str]]  # its number, and cells by the number of the column


@dataclass
class Book:
    """A workbook: where its sheets are, its texts, and the styles that show dates."""

    path: Path
    sheets: dict[str, str]
    strings: list[str]
    dates: set[str]

    @classmethod
    def open(cls, path: Path) -> Book:
        """Read all but the cells."""
        with ZipFile(path) as file:
            parts = file.namelist()
            roots = {
                part: ET.parse(file.open(f"xl/{part}.xml")).getroot()
                for part in ("workbook", "sharedStrings", "styles")
                if f"xl/{part}.xml" in parts
            }
            links = ET.parse(file.open("xl/_rels/workbook.xml.rels")).getroot()
        targets = {link.get("Id"): link.get("Target", "") for link in links}
        sheets = {
            sheet.get("name", ""): targets[_relation(sheet)]
            for sheet in _all(roots["workbook"], "sheet")
        }
        strings = [_text(entry) for entry in roots.get("sharedStrings", ())]
        styles = roots.get("styles")
        return cls(path, sheets, strings, set() if styles is None else _dates(styles))

    def rows(self, sheet: str) -> Iterator[Row]:
        """Yield the rows that hold something."""
        target = self.sheets[sheet]
        member = target[1:] if target.startswith("/") else f"xl/{target}"
        with ZipFile(self.path) as book, book.open(member) as file:
            number = 0
            for _, element in ET.iterparse(file):
                if _tag(element) == "row":
                    number = int(element.get("r", number + 1))
                    if cells := self._cells(element):
                        yield number, cells
                    element.clear()

    def _cells(self, row: ET.Element) -> dict[int, str]:
        cells: dict[int, str] = {}
        place = 0
        for cell in row:
            place = _column_number(cell.get("r", "")) or place + 1
            if (text := self._cell(cell)).strip():
                cells[place] = text
        return cells

    def _cell(self, cell: ET.Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(map(_text, _all(cell, "is")))
        value = "".join(found.text or "" for found in _all(cell, "v"))
        if kind == "s":
            return self.strings[int(value)]
        if kind == "b":
            return "true" if value == "1" else "false"
        if kind == "n" and value and cell.get("s") in self.dates:
            moment = DAY_0 + timedelta(days=float(value))
            return moment.isoformat(" ", "seconds").removesuffix(" 00:00:00")
        return _unescaped(value) if kind == "str" else value


def open_excel(path: Path, name: str, sheet: str | None, copy: Path) -> Part:
    """Open a sheet, the first unless said; its first row with cells is the header."""
    try:
        book = Book.open(path)
        chosen = next(iter(book.sheets)) if sheet is None else sheet
        if chosen not in book.sheets:
            raise ColumnError(
                f"{name} has no sheet {shorten(sheet)}, but "
                f"{listing(map(shorten, book.sheets))}",
                way_out=("Choose one as ", Option("sheet", next(iter(book.sheets)))),
            )
        _, header = next(book.rows(chosen), (0, {}))
        if not header:
            problem = f"the sheet {shorten(chosen)} of {name} is empty"
            raise EmptyDataError(problem, way_out=("Choose another: ", Option("sheet")))
        check_names(name, header.values())

        def records() -> Iterator[tuple[str, Record]]:
            for number, cells in islice(book.rows(chosen), 1, None):
                record = {header.get(at, f"column{at}"): cells[at] for at in cells}
                yield f"row {number:,}", record

        return recorded(name, records, copy, tuple(header.values()))
    except (BadZipFile, ET.ParseError, KeyError, IndexError) as error:
        raise UnreadableFileError(
            f"{name} is no Excel sheet of today's form: {shorten(str(error))}",
            way_out=SAVE_AGAIN,
        ) from None


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _all(element: ET.Element, tag: str) -> Iterator[ET.Element]:
    return (found for found in element.iter() if _tag(found) == tag)


def _relation(sheet: ET.Element) -> str:
    return next(value for key, value in sheet.items() if key.endswith("}id"))


def _text(element: ET.Element) -> str:
    """Return a text of one or several runs, without its reading aids (rPh)."""
    parts = [element, *(run for run in element if _tag(run) == "r")]
    texts = (found.text or "" for part in parts for found in part if _tag(found) == "t")
    return _unescaped("".join(texts))


def _unescaped(text: str) -> str:
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _column_number(address: str) -> int:
    number = 0
    for letter in address.rstrip("0123456789"):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _dates(styles: ET.Element) -> set[str]:
    """Return the numbers of the cell styles that show dates."""
    custom = {
        found.get("numFmtId", "")
        for found in _all(styles, "numFmt")
        if DATE_LETTERS.search(NOT_LETTERS.sub("", found.get("formatCode", "")))
    }
    cell_styles = next(_all(styles, "cellXfs"), ())
    return {
        str(number)
        for number, style in enumerate(cell_styles)
        if style.get("numFmtId") in DATES | custom
    }
