"""Tables as Markdown and LaTeX write them: cells between bars or ampersands, without emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steadyrank.errors import UnreadableFileError, listing, shorten
from steadyrank.reading.files import OpenFile
from steadyrank.reading.headers import LOOKED_AT, find_header
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn, number_in

RULE = re.compile(r"\s*+\|?[\s:|-]*-[\s:|-]*+\Z")
"""The line below the header of Markdown."""
GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
TABULAR = re.compile(
    rf"\\begin\{{(?:tabular[xy*]\}}\s*{GROUP}|(?:tabular|longtable)\}})\s*(?:\[\w*\])?\s*{GROUP}"
    r"(.*?)\\end\{(?:tabular[xy*]?|longtable)\}",
    re.DOTALL,
)
ACROSS = re.compile(r"\\multicolumn\{(\d{1,3})\}\{[^{}]*\}\{((?:[^{}]|\{[^{}]*\})*)\}")
DOWN = re.compile(
    r"\\multirow(?:\[[^\[\]]*\])?\{(\d{1,3})\}\{[^{}]*\}\{((?:[^{}]|\{[^{}]*\})*)\}"
)
STACKED = re.compile(rf"\\(?:makecell|shortstack)(?:\[\w*\])?({GROUP})")
UNSEEN = re.compile(
    r"(?<!\\)%.*|\\(?:text|cell|row)?color(?:\[\w*\])?\{[^{}]*\}"
    r"|\\(?:cmidrule|cline|hhline|addlinespace|vspace)(?:\([a-z]*\)|\[[^\[\]]*\]|\{[^{}]*\})*"
)
"""Cells over several columns and rows or of several lines; remarks, colours and lines between rows."""
BEHIND = re.compile(r"(?<=[\d}])\s?(?:\$?_|\\[a-zA-Z]+)\{([^{}]+)\}")
MARK = re.compile(
    r"(?<=[\w}])\$?\^(?:\{[^{}\d]*\}|\\\w+|\*)|\\textsuperscript\{[^{}]*\}|<sup>[^<>]*</sup>|\[\^\w+\]"
)
"""What is written below or behind a number, such as its error, and marks of notes above anything."""
COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
TAG = re.compile(r"</?(?:a|b|br|code|em|i|img|span|strong|sub)\b[^<>]*>")
NOTHING = re.compile(r"(?<!\w)[*`_~$]{1,3}(?=\S)|(?<=\S)[*`_~$]{1,3}(?!\w)|[{}]")
LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
BAR = re.compile(r"(?<!\\)\|")
ESCAPED = {"\\%": "%", "\\_": "_", "\\&": "and", "\\#": "#", "\\|": "|", "~": " "}

Rows = list[tuple[int, list[str]]]
"""The cells of each row, with its line."""


def read_markup(file: OpenFile) -> Table:
    """Read the longest table that is full of numbers, or the one whose number the user gives."""
    file.needs("cli", "polars")
    text = file.read_text()
    found = list(_latex_tables(text) if "\\begin{" in text else _markdown_tables(text))
    tables = {
        str(number): rows for number, rows in enumerate(found, 1) if len(rows) > 1
    }
    if not tables:
        raise UnreadableFileError(f"{file.name} holds a header and no rows of a table")
    full = {number: _share_of_numbers(rows) for number, rows in tables.items()}
    chosen = file.chosen(
        "table", tables, max(tables, key=lambda n: (full[n] > 0.5, len(tables[n])))
    )
    each = (
        f"{number} ({len(rows) - 1} rows below {_title(rows)})"
        for number, rows in tables.items()
    )
    lines, rows = zip(*tables[chosen], strict=True)
    width = len(rows[0])
    for line, row in tables[chosen]:
        if len(row) != width:
            raise file.wrong(
                f"has {len(row)} cells instead of {width}", "Correct this line.", line
            )
    header = find_header(rows[:LOOKED_AT], None if "\\begin{" in text else 1)
    notes = (
        [f"table {chosen} taken of {listing(each, len(tables))}"]
        if len(found) > 1
        else []
    )
    columns = {
        name: TextColumn.of(cells)
        for name, *cells in zip(header.names, *rows[header.size :], strict=True)
    }
    several = file.given.get("sheet") is None and sum(map(bool, full.values())) > 1
    guessed = {"sheet": chosen} if several else {}
    return Table(
        columns, file.name, lines[header.size :], notes + header.notes, guessed=guessed
    )


def _share_of_numbers(rows: Rows) -> float:
    numbers = sum(
        number_in(cell) is not None for _, row in rows[1:] for cell in row[1:]
    )
    return numbers / (len(rows) * len(rows[0][1]))


def _title(rows: Rows) -> str:
    return listing((shorten(cell, 20) for cell in rows[0][1][:3]), len(rows[0][1]))


def _markdown_tables(text: str) -> Iterator[Rows]:
    """Yield the tables: a line with bars, a rule, and more lines with bars."""
    lines = text.splitlines()
    places = [
        place for place, line in enumerate(lines) if "|" in line and RULE.match(line)
    ]
    for rule in places:
        end = next(
            (at for at in range(rule + 1, len(lines)) if "|" not in lines[at]),
            len(lines),
        )
        if rule and "|" in lines[rule - 1]:
            kept = [rule - 1, *(at for at in range(rule + 1, end) if at not in places)]
            cells = {at: BAR.split(lines[at].strip().strip("|")) for at in kept}
            yield [(at + 1, [*map(_plain, row)]) for at, row in cells.items()]


def _latex_tables(text: str) -> Iterator[Rows]:
    text = STACKED.sub(
        lambda cell: cell[1].replace("\\\\", " ").replace("\n", " "), text
    )
    for found in TABULAR.finditer(UNSEEN.sub("", text)):
        rows: Rows = []
        line, left, above = found.string.count("\n", 0, found.start(1)) + 1, 0, ""
        for part in found[1].split("\\\\"):
            line += part.count("\n")
            if "&" in part:
                begun = DOWN.search(part.partition("&")[0])
                spread = ACROSS.sub(
                    lambda cell: cell[2] + "&" * (int(cell[1]) - 1),
                    DOWN.sub(r"\2", part),
                )
                cells = [*map(_plain, spread.replace("\\&", "\0").split("&"))]
                left, above = (int(begun[1]), cells[0]) if begun else (left - 1, above)
                row = [cells[0] or (above if left > 0 else ""), *cells[1:]]
                if (
                    not rows or row != rows[0][1]
                ):  # which a long table says again on each page
                    rows.append((line, row))
        yield rows


def _plain(cell: str) -> str:
    """Return a cell without emphasis, commands and what it links to."""
    cell = BEHIND.sub(
        r" (\1)", MARK.sub("", LINK.sub(r"\1", cell)).replace("\\pm", "±")
    )
    for escape, letter in ESCAPED.items():
        cell = cell.replace(escape, letter)
    cell = TAG.sub(" ", COMMAND.sub("", cell.replace("\0", "&")))
    return " ".join(NOTHING.sub("", cell).split())
