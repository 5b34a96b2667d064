"""The table of file formats: how each is told by its content, read, and scanned by engines."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from steadyrank.errors import InvalidPolicyError, NotRecognisedError
from steadyrank.reading.delimited import looks_like_movielens, read_delimited, read_movielens
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
        Tells by the beginning of an open file whether it is of this format.
    read : callable
        Reads the file.
    on_engine : {"parquet", "delimited"}, optional
        How an engine gets it: reads it itself, or as stretches of rows that ``read`` hands to its
        argument ``take``. Without it the format is read into memory only.
    folders : bool
        Whether a folder may be of this format.
    also_as_csv : bool
        Whether its data also go round as ordinary tables, which users call by the same name.
    """

    name: str
    looks: Callable[[OpenFile], bool]
    read: Callable[..., Table]
    on_engine: Literal["parquet", "delimited"] | None = None
    folders: bool = False
    also_as_csv: bool = False


def _read_delimited(
    file: OpenFile, *, delimiter: str | None = None, take: Callable[[Table], None] | None = None
) -> Table:
    delimiter = delimiter or delimiter_of(file)
    table = read_delimited(file.blocks(), delimiter, source=file.name, take=take)
    if delimiter not in ",\t":
        table.notes.insert(0, f"fields taken as separated by {delimiter!r}")
    if all(name.replace(".", "", 1).isdecimal() for name in table.names):
        table.notes.append("the first line, all numbers, taken as the names of the columns")
    return table


def _tabs_prevail(first_line: bytes) -> bool:
    return first_line.count(b"\t") > first_line.count(b",")


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("parquet", lambda f: f.head.startswith(PARQUET), read_parquet, on_engine="parquet"),
        Format("preflib", lambda f: looks_like_preflib(f.text_head), read_preflib),
        Format(
            "netflix",
            lambda f: looks_like_netflix(f.first_line),
            read_netflix,
            folders=True,
            also_as_csv=True,
        ),
        Format(
            "movielens", lambda f: looks_like_movielens(f.first_line), read_movielens, also_as_csv=True
        ),
        Format("jsonl", lambda f: f.first_line.lstrip().startswith(b"{"), read_json_lines),
        Format(
            "tsv",
            lambda f: _tabs_prevail(f.first_line),
            partial(_read_delimited, delimiter="\t"),
            on_engine="delimited",
        ),
        Format("csv", lambda _: True, _read_delimited, on_engine="delimited"),
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
        file.given = given or {}
        found = format_of(file, format)
        if file.is_folder and not found.folders:
            raise NotRecognisedError(
                f"{file.name} is a folder", way_out="Give the path of a file in it."
            )
        return replace(found.read(file), format=found.name)


def format_of(file: OpenFile, name: str | None = None) -> Format:
    """Return the format of a file: as given, or told by its first bytes."""
    if name is not None and name not in FORMATS:
        raise InvalidPolicyError("format", name, tuple(FORMATS))
    if name is not None and not FORMATS[name].also_as_csv:
        return FORMATS[name]
    known = FORMATS.values() if name is None else [FORMATS[name]]
    fitting = (entry for entry in known if (entry.folders if file.is_folder else entry.looks(file)))
    return next(fitting, FORMATS["csv"])


def delimiter_of(file: OpenFile) -> str:
    """Return what stands between the fields: the commonest delimiter of the first line."""
    first = file.first_line
    return max(DELIMITERS, key=lambda mark: first.count(mark.encode()))
