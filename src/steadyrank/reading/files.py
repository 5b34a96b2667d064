"""Opening files and streams: gzip, byte order marks, encodings, and damage, in one place."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from steadyrank import errors
from steadyrank.errors import Option, listing, shorten
from steadyrank.progress import READ, tell
from steadyrank.writing import remember_input

Source: TypeAlias = (
    "str | os.PathLike[str] | BinaryIO | Sequence[str | os.PathLike[str]]"
)

HEAD = 1 << 16
BLOCK = 1 << 24
"""How many bytes are read at a time: memory of more is not used again."""
MEGABYTE = 10**6
NEWLINE = b"\n"
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
MARK = "\ufeff".encode()
MARKED = re.compile(rb"\A(?:%b)+" % MARK)  # some programs write it again

MISSING_PART = "Get it again: part of the data is missing."
IN_BINARY = 'Open it in binary mode ("rb", sys.stdin.buffer).'
BINARY = (
    "It is binary, packed, damaged, or in another encoding: try ",
    Option("encoding", "utf-16"),
)
OTHERS = "cp1251 (Cyrillic), gb18030 (Chinese), shift_jis (Japanese), cp949 (Korean) or another one."
USUAL = "cp1252"
ENCODED = (
    "Give its encoding: ",
    Option("encoding", USUAL),
    " (Western Europe), cp1250 (Central Europe), ",
    OTHERS,
)
WIDE = "; UTF-16 without a byte order mark is utf-16-le or utf-16-be."
"""What to do about text that is none, or none in the encoding it was said to be in."""


class _Lent(io.RawIOBase):
    """A stream of the caller, which stays open when what reads it is closed."""

    def __init__(self, stream: Any) -> None:
        if not hasattr(stream, "readinto"):
            raise errors.InvalidDataError("the stream gives text", way_out=IN_BINARY)
        self.readinto = stream.readinto  # type: ignore[method-assign]

    def readable(self) -> bool:
        return True


@dataclass
class OpenFile:
    """An open source of bytes, unpacked, with a look at its beginning.

    Parameters
    ----------
    name : str
        What to call it in messages: the file's name without its folder.
    encoding : str or None
        Of the text in it; None where nobody said it. Then it is UTF-8, unless a byte order mark tells
        UTF-16.
    path : Path or None
        Where it lies, if it is a file or a folder.
    several : sequence of Path
        The files of a list, or those of a folder that are to be read.
    size : int
        How many bytes the file has, packed as it is; 0 where that is not known.
    opened : ExitStack
        What to close in the end; a stream of the caller stays open.
    given : mapping
        What the user said about the data; a format may need to know.
    raw, stream : stream or None
        Where the bytes come from, as they are and unpacked; None for a folder.
    head : bytes
        The first bytes, unpacked, to the end of the first line at least.
    """

    name: str
    encoding: str | None
    path: Path | None = None
    several: Sequence[Path] = ()
    size: int = 0
    opened: ExitStack = field(default_factory=ExitStack)
    given: Mapping[str, Any] = field(default_factory=dict)
    raw: Any = None
    stream: Any = None
    head: bytes = b""

    def begin(self, stream: Any) -> None:
        """Look at the beginning of a stream, and unpack it if it is packed."""
        self.raw, self.stream = stream, io.BufferedReader(_Lent(stream), HEAD)
        if self.stream.peek().startswith(GZIP):
            self.stream = self.opened.enter_context(gzip.GzipFile(fileobj=self.stream))
        head = more = self._read(HEAD)
        # A list in JSON may be one line as long as the file, and is told by its beginning.
        while more and NEWLINE not in head.lstrip() and head.lstrip()[:1] != b"[":
            more = self._read(len(head))
            head += more
        if not head:
            raise errors.EmptyDataError(
                f"{self.name} is empty: there is nothing to read in it."
            )
        self.head = head
        if self.encoding is None and head.startswith(
            (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        ):
            self.encoding = "utf-16"

    def _read(self, size: int) -> bytes:
        try:
            part: bytes = self.stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            told = f"the gzip file {self.name} is cut short or damaged ({error})"
            raise errors.UnreadableFileError(told, way_out=MISSING_PART) from None
        return part

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder or a list of files, which only some formats are."""
        return self.stream is None

    @property
    def zipped(self) -> bytes:
        """The beginning of the first name in a zip archive; empty for all else."""
        return self.head[30:60] if self.head.startswith(ZIP) else b""

    def files(self) -> Sequence[Path]:
        """Return the files of a list, or all in a folder but hidden ones, in sorted order."""
        if self.path is None:
            return self.several
        inside = [
            path.relative_to(self.path)
            for path in self.path.rglob("*")
            if path.is_file()
        ]
        shown = (
            path
            for path in inside
            if not any(part.startswith(".") for part in path.parts)
        )
        return sorted(self.path / path for path in shown)

    def parts(self) -> Iterator[OpenFile]:
        """Yield this file, or each of a list, opened."""
        if not self.is_folder:
            yield self
        for path in self.several:
            with closing(open_source(path, encoding=self.encoding)) as part:
                part.given = self.given
                yield part

    def place(self, where: object, part: str) -> object:
        """Return the place of a row, with the file that it is in where there are several."""
        return f"{where} ({part})" if self.is_folder else where

    @property
    def is_utf8(self) -> bool:
        """Whether its text needs no decoding."""
        return self.encoding is None or codecs.lookup(self.encoding).name == "utf-8"

    @cached_property
    def text_head(self) -> bytes:
        """The first bytes, as UTF-8 without a byte order mark."""
        if self.is_utf8:
            return MARKED.sub(b"", self.head)
        text = self.head.decode(self.encoding or "", "ignore").lstrip("\ufeff")
        return text.encode("utf-8", "ignore")

    @cached_property
    def first_line(self) -> bytes:
        """The first line that is not blank."""
        return next((line for line in self.text_head.splitlines() if line.strip()), b"")

    def begins_with(self, opening: bytes, *names: str) -> bool:
        """Tell whether JSON begins with this bracket, and its first bytes name these keys."""
        head = self.text_head.lstrip()
        keys = (rb'(?<!\\)"%b"\s*:' % name.encode() for name in names)
        return head.startswith(opening) and all(re.search(key, head) for key in keys)

    def read_all(self) -> bytes:
        """Return all bytes, unpacked."""
        return b"".join(self._chunks())

    def read_text(self) -> str:
        """Return all of a text, which may be one long line."""
        return self._checked(b"".join(self._as_utf8()), 1).decode()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line that is not blank, with its number."""
        texts = (line for block in self.blocks() for line in block.splitlines())
        for number, line in enumerate(texts, 1):
            if line.strip():
                yield number, line.decode()

    def blocks(self) -> Iterator[bytes]:
        """Yield the text as UTF-8 in blocks of whole lines, without a byte order mark.

        Each block but the last ends with a line end. NUL bytes and text in another encoding are
        refused with their line.
        """
        waiting, line, block = list[bytes](), 1, b""
        for chunk in self._as_utf8():
            if cut := chunk.rfind(NEWLINE) + 1:
                line += block.count(NEWLINE)  # of the last one, nobody asks
                block = b"".join([*waiting, chunk[:cut]])
                waiting.clear()
                yield self._checked(block, line)
            waiting.append(chunk[cut:])
        if last := b"".join(waiting):
            yield self._checked(last, line + block.count(NEWLINE))

    def _as_utf8(self) -> Iterator[bytes]:
        chunks = self._chunks() if self.is_utf8 else self._decoded()
        yield MARKED.sub(b"", next(chunks, b""))
        yield from chunks

    def _decoded(self) -> Iterator[bytes]:
        try:
            for text in codecs.iterdecode(self._chunks(), self.encoding or ""):
                yield text.encode()
        except UnicodeError as error:  # not all codecs know where and why
            told = f"is not text in {self.encoding}: {getattr(error, 'reason', error)}"
            raise self.wrong(
                told, ["Give its encoding as ", Option("encoding"), WIDE]
            ) from None

    def _chunks(self) -> Iterator[bytes]:
        chunk = self.head + self._read(BLOCK)
        try:
            while chunk:
                if self.size:
                    tell(self.raw.tell() // MEGABYTE, self.size // MEGABYTE, READ)
                yield chunk
                chunk = self._read(BLOCK)
        finally:
            self.close()

    def _checked(self, block: bytes, line: int) -> bytes:
        """Return text as UTF-8; complain about what is binary or in another encoding, on which line."""
        nul = block.find(b"\0")
        if nul >= 0:
            place = line + block.count(NEWLINE, 0, nul)
            raise self.wrong(f"holds a NUL byte on line {place}", BINARY)
        try:
            block.decode()
        except UnicodeDecodeError as error:
            place = line + block.count(NEWLINE, 0, error.start)
            told = (
                f"is not text in UTF-8: byte {block[error.start]:#04x} on line {place}"
            )
            raise self.wrong(told, ENCODED) from None
        return block

    def chosen(self, what: str, there: Collection[str], usual: str | None) -> str:
        """Return which of several tables or the like to take: as the user says, or the usual one."""
        asked = self.given.get("sheet")
        found = usual if asked is None else str(asked)
        if found is None or found not in there:
            which = (
                f"several {what}s:"
                if asked is None
                else f"no {what} {shorten(asked)}, but"
            )
            told = f"{self.name} has {which} {listing(map(shorten, there))}"
            raise errors.ColumnError(
                told, way_out=["Choose one of these as ", Option("sheet")]
            )
        return found

    def needs(self, extra: str, *packages: str) -> None:
        """Say how to install packages without which it cannot be read, where one is not there."""
        if any(find_spec(name) is None for name in packages):
            be = "is" if len(packages) == 1 else "are"
            told = f"to read {self.name}, {' and '.join(packages)} {be} needed"
            raise errors.MissingPackageError(told, extra)

    def close(self) -> None:
        """Close what was opened for it."""
        self.opened.close()

    @contextmanager
    def sound(
        self, what: str, way_out: str = "Get or write it again."
    ) -> Iterator[None]:
        """Say what a library stumbles over as a fault of this file, which should be a sound one."""
        try:
            yield
        except (errors.SteadyrankError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a library is no Exception
            told = f"is not a valid {what}: {shorten(str(error), 120)}"
            raise self.wrong(told, way_out) from None

    def wrong(
        self, told: str, way_out: errors.WayOut, line: int = 0
    ) -> errors.UnreadableFileError:
        """Return the error that something is wrong with this file, or with a line of it."""
        place = f"line {line} of " if line else ""
        return errors.UnreadableFileError(f"{place}{self.name} {told}", way_out=way_out)


def open_source(source: Source, *, encoding: str | None = None) -> OpenFile:
    """Open a path or a binary stream, unpack gzip, and look at the first bytes.

    Examples
    --------
    >>> import io
    >>> open_source(io.BytesIO(b"a,b")).head
    b'a,b'
    """
    _check_encoding(encoding)
    if isinstance(source, list | tuple):
        paths = [_there(path) for path in source]
        if not paths:
            raise errors.EmptyDataError("the list of files is empty")
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        return OpenFile(f"{paths[0].name}{more}", encoding, several=paths)
    remember_input(source)
    stream: Any = source
    if isinstance(source, str | os.PathLike):
        path = _there(source)
        file = OpenFile(path.name or str(path), encoding, path)
        if path.is_dir():
            return file
        stream = file.opened.enter_context(path.open("rb"))
        file.size = os.fstat(stream.fileno()).st_size
    elif hasattr(source, "read"):
        name = getattr(source, "name", None)
        file = OpenFile(
            Path(name).name if isinstance(name, str) else "the stream", encoding
        )
    else:
        told = f"{shorten(source)} is neither a path nor a binary stream"
        raise errors.InvalidDataError(
            told, way_out="For dataframes and columns use from_frame(...)."
        )
    try:
        file.begin(stream)
    except BaseException:
        file.close()
        raise
    return file


def _check_encoding(encoding: str | None) -> None:
    try:
        "\xe9".encode().decode(
            "utf-8" if encoding is None else encoding, "ignore"
        )  # as no lookup does
    except (
        LookupError,
        ValueError,
    ):  # the latter where even the name cannot be looked up
        told = f"there is no encoding {shorten(encoding)} of files"
        raise errors.InvalidDataError(told, way_out=ENCODED) from None


def _there(path: str | os.PathLike[str]) -> Path:
    if not Path(path).exists():
        raise errors.FileNotThereError(
            f"there is no file {str(path)!r} (seen from {Path.cwd()})."
        )
    return Path(path)
