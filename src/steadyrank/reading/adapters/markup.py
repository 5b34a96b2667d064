"""Tables as Markdown and LaTeX write them: cells between bars or ampersands, without emphasis."""

from __future__ import annotations

import re

from steadyrank.errors import UnreadableFileError
from steadyrank.reading.delimited import header_names
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import TextColumn

RULE = re.compile(r"\s*+\|?[\s:|-]*-[\s:|-]*+\Z")
"""The line below the header of Markdown."""
COMMAND = re.compile(r"\\[a-zA-Z]+\*?")
NOTHING = re.compile(r"[*`_$]{1,2}(?=\S)|(?<=\S)[*`$]{1,2}|[{}]")
WITH_ERROR = re.compile(r"([+-]?[\d.,]+%?)\s*(?:±|\+/-)\s*[\d.,]+%?")
ESCAPED = {"\\%": "%", "\\_": "_", "\\&": "and", "\\#": "#", "~": " "}


def looks_like_markup(file: OpenFile) -> bool:
    """Tell whether a file begins with a table of Markdown or LaTeX."""
    text = file.text_head.decode("utf-8", "ignore").lstrip()
    lines = text.splitlines()[:2]
    if len(lines) == 2 and "|" in lines[0] and "|" in lines[1] and RULE.match(lines[1]):
        return True
    return text.startswith(("\\begin{tab", "\\begin{longtab"))


def read_markup(file: OpenFile) -> Table:
    """Read the table; of a number with its error, 95.1 ± 0.2, the number is taken."""
    text = file.read_text()
    latex = text.lstrip().startswith("\\begin")
    found = list(_latex_rows(text) if latex else _markdown_rows(text))
    if len(found) < 2:
        raise UnreadableFileError(f"{file.name} holds a header and no rows of a table")
    rows = [(line, [_plain(cell) for cell in row]) for line, row in found]
    errors = sum(WITH_ERROR.fullmatch(cell) is not None for _, row in rows for cell in row)
    (_, header), *body = [(line, [WITH_ERROR.sub(r"\1", cell) for cell in row]) for line, row in rows]
    for line, row in body:
        if len(row) != len(header):
            raise UnreadableFileError(
                f"line {line} of {file.name} has {len(row)} cells instead of {len(header)}",
                way_out="Correct this line.",
            )
    names, notes = header_names(header, file.name)
    notes += [f"{errors:,} errors after ± left out"] if errors else []
    columns = {
        name: TextColumn.of(cells) for name, *cells in zip(names, *(row for _, row in body), strict=True)
    }
    return Table(columns, file.name, [line for line, _ in body], notes)


def _markdown_rows(text: str) -> list[tuple[int, list[str]]]:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    table = [(number, line) for number, line in lines if "|" in line and not RULE.match(line)]
    return [(number, line.strip("|").split("|")) for number, line in table]


def _latex_rows(text: str) -> list[tuple[int, list[str]]]:
    found, line = [], 1
    for part in text.split("\\\\"):
        if "&" in part:
            body = part.split("}\n", 1)[-1] if "\\begin" in part else part
            found.append((line, body.replace("\\&", "\0").split("&")))
        line += part.count("\n")
    return found


def _plain(cell: str) -> str:
    """Return a cell without emphasis and commands."""
    for escape, letter in ESCAPED.items():
        cell = cell.replace(escape, letter)
    return NOTHING.sub("", COMMAND.sub("", cell.replace("\0", "&").replace("\\pm", "±"))).strip()
