"""Which format a file has, told by its content, and the table it holds."""

from __future__ import annotations

import codecs
from contextlib import closing
from typing import TYPE_CHECKING

from steadyrank.data.observations import check_choice
from steadyrank.errors import NotRecognisedError
from steadyrank.reading.delimited import read_delimited
from steadyrank.reading.files import PARQUET, OpenFile, Source, open_source
from steadyrank.reading.json_lines import read_json_lines
from steadyrank.reading.movielens import looks_like_movielens, read_movielens
from steadyrank.reading.netflix import looks_like_netflix, read_netflix
from steadyrank.reading.parquet import read_parquet
from steadyrank.reading.preflib import looks_like_preflib

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

FORMATS = ("csv", "tsv", "jsonl", "parquet", "netflix", "movielens", "preflib")


def read_table(source: Source, *, format: str | None = None, encoding: str = "utf-8") -> Table:  # noqa: A002
    r"""Read a table from a path or a binary stream.

    Parameters
    ----------
    source : path or binary stream
    format : str, optional
        One of ``FORMATS``; told from the content where not given.
    encoding : str
        Of a text file.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"choice\nx\n")).names
    ['choice']
    """
    with closing(open_source(source, encoding=encoding)) as file:
        return table_from(file, format)


def detect(file: OpenFile, format: str | None) -> str:  # noqa: A002
    """Return the format of a file: as given, or told by its first bytes."""
    if format is not None:
        check_choice("format", format, FORMATS)
        return format
    if file.is_folder:
        return "netflix"
    if file.head.startswith(PARQUET):
        return "parquet"
    return _text_format(_text_head(file))


def _text_format(head: bytes) -> str:
    first = _first_line(head)
    if looks_like_preflib(head):
        return "preflib"
    if looks_like_netflix(first):
        return "netflix"
    if looks_like_movielens(first):
        return "movielens"
    if first.lstrip().startswith(b"{"):
        return "jsonl"
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"


def table_from(file: OpenFile, format: str | None = None) -> Table:  # noqa: A002
    """Read the table in an open file."""
    found = detect(file, format)
    if file.is_folder and found != "netflix":
        raise NotRecognisedError(f"{file.name} is a folder", way_out="Give the path of a file in it.")
    first = _first_line(_text_head(file))
    if found == "parquet":
        return read_parquet(file)
    if found == "jsonl":
        return read_json_lines(file.blocks(), file.name)
    if found == "netflix" and (file.is_folder or looks_like_netflix(first)):
        return read_netflix(file)
    if found == "movielens" and looks_like_movielens(first):
        return read_movielens(file, first)
    if found == "preflib":
        raise NotRecognisedError(
            f"{file.name} is a PrefLib file, which holds ballots", way_out="Use Ballots.read."
        )
    # The long CSV of the Netflix Prize and MovieLens' ratings.csv are ordinary tables.
    return _read_delimited(file, "\t" if found == "tsv" else _delimiter(first))


def _read_delimited(file: OpenFile, delimiter: str) -> Table:
    table = read_delimited(file.blocks(), delimiter, source=file.name)
    if delimiter not in ",\t":
        table.notes.insert(0, f"fields taken as separated by {delimiter!r}")
    if all(name.replace(".", "", 1).isdecimal() for name in table.names):
        table.notes.append("the first line, all numbers, taken as the names of the columns")
    return table


def _delimiter(first: bytes) -> str:
    return max(",;\t|", key=lambda mark: first.count(mark.encode()))


def _text_head(file: OpenFile) -> bytes:
    if codecs.lookup(file.encoding).name != "utf-8":
        return file.head.decode(file.encoding, errors="ignore").encode()
    return file.head.removeprefix(codecs.BOM_UTF8)


def _first_line(head: bytes) -> bytes:
    return next((line for line in head.splitlines() if line.strip()), b"")
