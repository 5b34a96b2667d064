"""From what the user names to the files and frames that are read."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import duckdb

from steadyrank.errors import (
    EmptyDataError,
    FileNotThereError,
    InvalidDataError,
    InvalidSettingError,
    Option,
    SteadyrankError,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.excel_files import SAVE_AGAIN, open_excel
from steadyrank.reading.frames import SOURCES, open_frame
from steadyrank.reading.grammars import GRAMMARS, Grammar, looks_scottish, read_stv
from steadyrank.reading.json_files import open_json
from steadyrank.reading.parquet_files import open_parquet
from steadyrank.reading.query import literal, quoted
from steadyrank.reading.text_files import DELIMITERS, Packed, TextFile, open_lines
from steadyrank.reading.written import Part
from steadyrank.writing import remember_input

JSON = {".json", ".jsonl", ".ndjson"}
TEXT = {*DELIMITERS, ".txt", ".data", ".dat"}
OTHER_SHEETS = {".xls", ".xlsb", ".ods", ".numbers"}
PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
HEAD = 1 << 16  # bytes that tell a grammar
FILE_NAME = "filename"  # the column that tells several files apart
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = {*INTEGERS, *(f"U{name}" for name in INTEGERS), "FLOAT", "DOUBLE"}


@dataclass
class Opener:
    """Opens sources, and knows what was said of how they are written."""

    con: duckdb.DuckDBPyConnection
    folder: str
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    paths: list[str] = field(default_factory=list)
    called: str = ""
    library: str | None = None
    grammar: Grammar | None = None
    _number: count[int] = field(default_factory=count)

    def parts(self, source: Any) -> list[Part]:
        """Open all files of a source, or a frame."""
        return self._each(source, self._file)

    def lines(self, source: Any) -> list[Part]:
        """Open all files of a source as lines of text."""
        return self._each(source, self._lines)

    def _each(self, source: Any, opened: Callable[[Path, str], Part]) -> list[Part]:
        if isinstance(source, str | os.PathLike):
            paths, several = _paths(os.fspath(source))
        elif isinstance(source, list | tuple):
            if not all(isinstance(entry, str | os.PathLike) for entry in source):
                raise InvalidDataError(
                    f"{shorten(source)} is nothing that can be read", way_out=SOURCES
                )
            paths = [path for entry in source for path in _paths(os.fspath(entry))[0]]
            several = True
        elif hasattr(source, "read"):
            path, name = self._spooled(source)
            return [self._sound(path, name, opened)]
        else:
            self._check_options("columns in memory")
            called = f"steadyrank_frame{next(self._number)}"
            frame, library = open_frame(self.con, source, called)
            self.called = self.called or frame.name
            self.library = self.library or library
            return [frame]
        if not several and not paths[0].is_file():  # a pipe is read once
            with paths[0].open("rb") as stream:
                return self._each(stream, opened)
        if not paths:
            raise EmptyDataError(f"no files in {shorten(str(source))}", way_out=SOURCES)
        names = _short_names(paths)
        self.called = self.called or listing(names)
        parts = [self._sound(*file, opened) for file in zip(paths, names, strict=True)]
        if several:
            for part, name in zip(parts, names, strict=True):
                part.query = _with_file_name(part, name)
                part.names += (FILE_NAME,)
        return parts

    def _sound(
        self, path: Path, name: str, opened: Callable[[Path, str], Part]
    ) -> Part:
        self.called = self.called or name
        if not _is_utf8(str(path)):
            raise UnreadableFileError(
                f"the path of {shorten(name)} is not UTF-8",
                way_out="Rename it, or give the file as standard input.",
            )
        self.paths.append(str(path))
        try:
            if not path.stat().st_size:
                raise EmptyDataError(f"{name} is empty", way_out="It needs a header.")
            return opened(path, name)
        except SteadyrankError:
            raise
        except OSError as error:
            raise UnreadableFileError(
                f"{name} cannot be read: {error.strerror or error}",
                way_out="Look at the path and at who may read it.",
            ) from None

    def _spooled(self, stream: Any) -> tuple[Path, str]:
        """Copy a stream to a file, which is read more than once."""
        if isinstance(stream.read(0), str):
            raise InvalidDataError(
                "the stream gives text",
                way_out='Open it in binary mode ("rb", sys.stdin.buffer).',
            )
        remember_input(stream)
        path = self._copy()
        with path.open("wb") as file:
            shutil.copyfileobj(stream, file)
        name = getattr(stream, "name", None)
        if isinstance(name, str) and not name.startswith("<"):
            return path, Path(name).name
        return path, "the stream" if name is None else "standard input"

    def _copy(self) -> Path:
        return Path(self.folder, str(next(self._number)))

    def _lines(self, path: Path, name: str) -> Part:
        return open_lines(Packed.of(path, name, self.encoding), self._copy())

    def _file(self, path: Path, name: str) -> Part:
        """Open a file as what its first bytes prove, or else its ending says."""
        remember_input(path)
        ending = Path(name.lower().removesuffix(".gz")).suffix
        if ending in OTHER_SHEETS:
            raise UnreadableFileError(f"{name} is a {ending} file", way_out=SAVE_AGAIN)
        file = Packed.of(path, name, self.encoding)
        head = file.head(HEAD)
        if head.startswith(PARQUET) and not file.gzipped:
            self._check_options(name)
            return open_parquet(self.con, path, name)
        if head.startswith(ZIP) and not file.gzipped:
            self._check_options(name, "sheet")
            return open_excel(path, name, self.sheet, self._copy())
        if ending in {".parquet", ".pq", ".xlsx", ".xlsm"}:
            kind = "Parquet" if "p" in ending else "Excel"
            raise UnreadableFileError(
                f"{name} does not begin as {kind} files do",
                way_out="Get or write it again.",
            )
        self._check_options(name, "delimiter", "encoding")
        if self.delimiter is None:
            grammar = read_stv if looks_scottish(head) else GRAMMARS.get(ending)
            if grammar is not None:
                self.grammar = Grammar(file)
                grammar(self.grammar)
                return self.grammar.open(self._copy())
            begins = head[:HEAD].decode(file.encoding, "ignore").lstrip("\ufeff \t\r\n")
            if ending in JSON or (ending not in TEXT and begins.startswith(("{", "["))):
                return open_json(file, self._copy())
        return TextFile.open(file, ending, self.delimiter, self._copy())

    def _check_options(self, name: str, *fitting: str) -> None:
        for option in ("delimiter", "encoding", "sheet"):
            value = getattr(self, option)
            if value is not None and option not in fitting:
                raise InvalidSettingError(
                    f"{name} has no {option}",
                    way_out=("Leave out ", Option(option, value)),
                )


def together(parts: Sequence[Part], types: Sequence[Mapping[str, str]]) -> str:
    """Return a query over all rows of several files, whose columns and types must agree."""
    first = parts[0]
    for part, kinds in zip(parts, types, strict=True):
        is_json = part.name.lower().removesuffix(".gz").endswith((*JSON,))
        differing = {*part.names} ^ {*first.names}
        if differing and not is_json:
            raise UnreadableFileError(
                f"{part.name} and {first.name} differ in their columns: "
                f"{listing(map(shorten, sorted(differing)))}",
                way_out="Read files with the same columns.",
            )
        for name, kind in kinds.items():
            other = types[0].get(name, kind)
            if kind != other and not {kind, other} <= NUMBERS:
                raise UnreadableFileError(
                    f"column {shorten(name)} is {kind} in {part.name} and {other} in "
                    f"{first.name}",
                    way_out="Write them with the same types.",
                )
    every = dict.fromkeys(name for part in parts for name in part.names)
    queries = []
    for part in parts:
        absent = [f"'' AS {quoted(name)}" for name in every if name not in part.names]
        shown = ", ".join(["*", *absent])
        queries.append(f"SELECT {shown} FROM ({part.query})")
    return " UNION ALL BY NAME ".join(queries)


def _with_file_name(part: Part, name: str) -> str:
    if FILE_NAME in map(str.lower, part.names):
        raise InvalidDataError(
            f"{part.name} has a column {FILE_NAME!r}, which several files get",
            way_out="Rename it.",
        )
    return f"SELECT *, {literal(name)} AS {FILE_NAME} FROM ({part.query})"


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _paths(source: str) -> tuple[list[Path], bool]:
    """Return the files of a path, a folder or a pattern, and whether they may be several."""
    path = Path(source)
    if not source:  # a variable of the shell that is not set, and not this folder
        raise FileNotThereError("the name of the file is empty")
    if path.is_dir():
        found = (entry for entry in path.rglob("*") if entry.is_file())
        return sorted(entry for entry in found if not _is_hidden(entry, path)), True
    if path.exists():
        return [path], False
    if glob.has_magic(source):
        matching = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 (or absolute)
        if files := [Path(entry) for entry in matching if Path(entry).is_file()]:
            return files, True
    raise FileNotThereError(
        f"there is no file {source!r}", way_out=f"It was looked for from {Path.cwd()}."
    )


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _short_names(paths: Sequence[Path]) -> list[str]:
    """Return the names of files, with as many folders as tell them apart."""
    if len(paths) == 1:
        return [paths[0].name]
    folder = os.path.commonpath([path.absolute().parent for path in paths])
    return [path.absolute().relative_to(folder).as_posix() for path in paths]
