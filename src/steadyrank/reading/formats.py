"""The table of file formats: how each is told by its content, read, and scanned by engines."""

from __future__ import annotations

import codecs
import csv
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from steadyrank.errors import InvalidPolicyError, NotRecognisedError, UnreadableFileError
from steadyrank.reading.delimited import (
    header_names,
    looks_like_movielens,
    read_delimited,
    read_movielens,
)
from steadyrank.reading.files import PARQUET, OpenFile, Source, open_source
from steadyrank.reading.netflix import looks_like_netflix, read_netflix
from steadyrank.reading.preflib import looks_like_preflib, read_preflib
from steadyrank.reading.typed_files import read_json_lines, read_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from steadyrank.reading.table import Table

DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Format:
    """One format of files.

    Parameters
    ----------
    name : str
        What users call it.
    looks : callable
        Tells by the first bytes of a file, and its first line, whether it is of this format.
    read : callable
        Reads an open file; the mapping holds the arguments that the user gave.
    on_engine : {"parquet", "delimited"}, optional
        How an engine reads it; without it the format is read into memory only.
    folders : bool
        Whether a folder may be of this format.
    also_as_csv : bool
        Whether its data also go round as ordinary tables, which users call by the same name.
    """

    name: str
    looks: Callable[[bytes, bytes], bool]
    read: Callable[[OpenFile, Mapping[str, Any]], Table]
    on_engine: Literal["parquet", "delimited"] | None = None
    folders: bool = False
    also_as_csv: bool = False


@dataclass(frozen=True)
class TextLayout:
    """How a delimited file is laid out: what stands between fields, and the names of the columns."""

    delimiter: str
    names: tuple[str, ...]


def _read_delimited(file: OpenFile, delimiter: str | None = None) -> Table:
    delimiter = delimiter or delimiter_of(file)
    table = read_delimited(file.blocks(), delimiter, source=file.name)
    if delimiter not in ",\t":
        table.notes.insert(0, f"fields taken as separated by {delimiter!r}")
    if all(name.replace(".", "", 1).isdecimal() for name in table.names):
        table.notes.append("the first line, all numbers, taken as the names of the columns")
    return table


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "parquet",
            lambda head, _: head.startswith(PARQUET),
            lambda file, _: read_parquet(file),
            on_engine="parquet",
        ),
        Format(
            "preflib",
            lambda head, _: looks_like_preflib(head),
            lambda file, given: read_preflib(file, approval=given.get("approval")),
        ),
        Format(
            "netflix",
            lambda _, first: looks_like_netflix(first),
            lambda file, _: read_netflix(file),
            folders=True,
            also_as_csv=True,
        ),
        Format(
            "movielens",
            lambda _, first: looks_like_movielens(first),
            lambda file, _: read_movielens(file.blocks(), first_line(file), file.name),
            also_as_csv=True,
        ),
        Format(
            "jsonl",
            lambda _, first: first.lstrip().startswith(b"{"),
            lambda file, _: read_json_lines(file.blocks(), file.name),
        ),
        Format(
            "tsv",
            lambda _, first: first.count(b"\t") > first.count(b","),
            lambda file, _: _read_delimited(file, "\t"),
            on_engine="delimited",
        ),
        Format(
            "csv",
            lambda _head, _first: True,
            lambda file, _: _read_delimited(file),
            on_engine="delimited",
        ),
    )
}
"""All formats by name, in the order in which a file is tried for them."""


def read_table(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str = "utf-8",
    given: Mapping[str, Any] | None = None,
) -> Table:
    r"""Read a table from a path or a binary stream.

    Parameters
    ----------
    source : path or binary stream
    format : str, optional
        One of ``FORMATS``; told from the content where not given.
    encoding : str
        Of a text file.
    given : mapping, optional
        What the user said about the data; a format may need to know.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"choice\nx\n")).names
    ['choice']
    """
    with closing(open_source(source, encoding=encoding)) as file:
        found = format_of(file, format)
        if file.is_folder and not found.folders:
            raise NotRecognisedError(
                f"{file.name} is a folder", way_out="Give the path of a file in it."
            )
        return found.read(file, given or {})


def format_of(file: OpenFile, name: str | None = None) -> Format:
    """Return the format of a file: as given, or told by its first bytes."""
    if name is not None and name not in FORMATS:
        raise InvalidPolicyError("format", name, tuple(FORMATS))
    known = [FORMATS[name]] if name is not None else FORMATS.values()
    if file.is_folder:
        return next((entry for entry in known if entry.folders), FORMATS["csv"])
    head, first = _text_head(file), first_line(file)
    if name is not None and not FORMATS[name].also_as_csv:
        return FORMATS[name]
    return next((entry for entry in known if entry.looks(head, first)), FORMATS["csv"])


def text_layout(file: OpenFile, found: Format) -> TextLayout:
    """Return the delimiter and the names of the columns of a delimited file, as reading it would."""
    delimiter = "\t" if found.name == "tsv" else delimiter_of(file)
    try:
        fields = next(csv.reader([first_line(file).decode()], delimiter=delimiter, strict=True), [])
    except (csv.Error, UnicodeDecodeError) as error:
        raise UnreadableFileError(
            f"the first line of {file.name} does not name the columns: {error}",
            way_out="Write the names on one line of UTF-8 text.",
        ) from None
    names, _ = header_names(fields, file.name)
    return TextLayout(delimiter, tuple(names))


def delimiter_of(file: OpenFile) -> str:
    """Return what stands between the fields: the commonest delimiter of the first line."""
    first = first_line(file)
    return max(DELIMITERS, key=lambda mark: first.count(mark.encode()))


def first_line(file: OpenFile) -> bytes:
    """Return the first line of a text file that is not blank."""
    return next((line for line in _text_head(file).splitlines() if line.strip()), b"")


def _text_head(file: OpenFile) -> bytes:
    if file.is_utf8:
        return file.head.removeprefix(codecs.BOM_UTF8)
    return file.head.decode(file.encoding, errors="ignore").encode()
