"""Tables as Markdown and LaTeX write them: cells between bars or ampersands, without emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steadyrank.errors import ColumnError, Option, UnreadableFileError, listing, shorten
from steadyrank.reading.files import OpenFile
from steadyrank.reading.headers import header_names
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn, number_in

RULE = re.compile(r"\s*+\|?[\s:|-]*-[\s:|-]*+\Z")
"""The line below the header of Markdown."""
TABULAR = re.compile(r"\\begin\{(tabular\*?|tabularx|longtable)\}(.*?)\\end\{\1\}", re.DOTALL)
COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
NOTHING = re.compile(r"[*`_$]{1,2}(?=\S)|(?<=\S)[*`$]{1,2}|[{}]")
ESCAPED = {"\\%": "%", "\\_": "_", "\\&": "and", "\\#": "#", "~": " "}

Rows = list[tuple[int, list[str]]]
"""The cells of each row, with its line."""


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
