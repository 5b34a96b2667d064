"""Excel sheets (.xlsx), cell by cell as the file spells them.

The usual libraries cut 0.3333333333333333 to nine digits in columns of mixed cells, and
turn cells such as #N/A into blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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
from steadyrank.reader.query import check_names
from steadyrank.reader.written import CHUNK, Chunks, written

DATES = {*range(14, 23), *range(45, 48)}  # numbers of Excel's own formats of dates
DATE_LETTERS = re.compile(r"[dmyhs]", re.IGNORECASE)
NOT_LETTERS = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')  # texts and colours in a format
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a sheet spells control characters
DAY_0 = {"0": datetime(1899, 12, 30), "1": datetime(1904, 1, 1)}  # noqa: DTZ001
SAVE_AGAIN = "Save it again as .xlsx, or export the sheet as CSV."

Cells = dict[int, str]  # by the number of the column, from 1 on


@dataclass
class ExcelFile:
    """A sheet; its first row that is not blank is the header."""

    path: Path
    name: str
    names: tuple[str, ...] = ()
    query: str = field(default="", repr=False)
    n_rows: int = 0
    _member: str = ""
    _strings: list[str] = field(default_factory=list, repr=False)
    _dates: set[str] = field(default_factory=set, repr=False)
    _day_0: datetime = DAY_0["0"]

    @classmethod
    def open(cls, path: Path, name: str, sheet: str | None, copy: Path) -> ExcelFile:
        """Write the rows as text to the free path ``copy``, for a query over them."""
        found = cls(path, name)
        try:
            found._begin(sheet)
            found._write(copy)
        except (BadZipFile, ET.ParseError, KeyError, IndexError, OSError) as error:
            raise UnreadableFileError(
                f"{name} is no Excel sheet of today's form: {shorten(str(error))}",
                way_out=SAVE_AGAIN,
            ) from None
        return found

    def _begin(self, sheet: str | None) -> None:
        """Find the sheet, and what its cells refer to: texts, and formats of dates."""
        with ZipFile(self.path) as book:
            workbook = ET.parse(book.open("xl/workbook.xml")).getroot()
            links = ET.parse(book.open("xl/_rels/workbook.xml.rels")).getroot()
            targets = {link.get("Id"): link.get("Target", "") for link in links}
            sheets = {
                found.get("name", ""): targets[_relation(found)]
                for found in _all(workbook, "sheet")
            }
            for settings in _all(workbook, "workbookPr"):
                self._day_0 = DAY_0[settings.get("date1904", "0")[:1].replace("t", "1")]
            parts = book.namelist()
            if "xl/sharedStrings.xml" in parts:
                texts = ET.parse(book.open("xl/sharedStrings.xml")).getroot()
                self._strings = [_text(entry) for entry in texts]
            if "xl/styles.xml" in parts:
                self._dates = _date_styles(
                    ET.parse(book.open("xl/styles.xml")).getroot()
                )
        chosen = next(iter(sheets)) if sheet is None else sheet
        if chosen not in sheets:
            raise ColumnError(
                f"{self.name} has no sheet {shorten(sheet)}, but "
                f"{listing(map(shorten, sheets))}",
                way_out=("Choose one as ", Option("sheet", next(iter(sheets)))),
            )
        target = sheets[chosen]
        self._member = target[1:] if target.startswith("/") else f"xl/{target}"

    def _write(self, copy: Path) -> None:
        _, header = next(self.rows(), (0, Cells()))
        if not header:
            raise EmptyDataError(
                f"the sheet of {self.name} is empty",
                way_out=("Choose another: ", Option("sheet")),
            )
        self._places = {*header}
        n_known = -1
        while n_known < len(self._places):  # again where later rows are longer
            n_known = len(self._places)
            self.names = tuple(
                header.get(place, f"column{place}") for place in sorted(self._places)
            )
            self.query, self.n_rows = written(self.chunks, self.names, copy)
        check_names(self.name, self.names)

    def chunks(self) -> Chunks:
        """Yield the rows below the header in blocks."""
        rows = islice(self.rows(), 1, None)
        places = sorted(self._places)
        while block := list(islice(rows, CHUNK)):
            for _, cells in block:
                self._places.update(cells)
            yield [[cells.get(place, "") for place in places] for _, cells in block]

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield the rows that hold something, with their numbers."""
        with ZipFile(self.path) as book, book.open(self._member) as file:
            number = 0
            for _, element in ET.iterparse(file):
                if _tag(element) == "row":
                    number = int(element.get("r", number + 1))
                    cells = self._cells(element)
                    if cells:
                        yield number, cells
                    element.clear()

    def _cells(self, row: ET.Element) -> Cells:
        cells: Cells = {}
        place = 0
        for cell in row:
            letters = cell.get("r", "").rstrip("0123456789")
            place = _column_number(letters) if letters else place + 1
            if (text := self._cell(cell)).strip():
                cells[place] = text
        return cells

    def _cell(self, cell: ET.Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(map(_text, _all(cell, "is")))
        value = "".join(found.text or "" for found in _all(cell, "v"))
        if kind == "s":
            return self._strings[int(value)]
        if kind == "b":
            return "true" if value == "1" else "false"
        if kind == "n" and value and cell.get("s") in self._dates:
            moment = self._day_0 + timedelta(days=float(value))
            return moment.isoformat(" ", "seconds").removesuffix(" 00:00:00")
        return _unescaped(value) if kind == "str" else value

    def place(self, row: int) -> str:
        """Return where a row, counted from 0, is in the sheet."""
        number, _ = next(islice(self.rows(), row + 1, None))
        return f"{self.name}, row {number:,}"


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


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _date_styles(styles: ET.Element) -> set[str]:
    """Return the numbers of the cell styles that show dates."""
    dates = {str(number) for number in DATES}
    for custom in _all(styles, "numFmt"):
        if DATE_LETTERS.search(NOT_LETTERS.sub("", custom.get("formatCode", ""))):
            dates.add(custom.get("numFmtId", ""))
    cell_styles = next(_all(styles, "cellXfs"), ())
    return {
        str(number)
        for number, style in enumerate(cell_styles)
        if style.get("numFmtId") in dates
    }
