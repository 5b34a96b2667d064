"""Opening files and streams: gzip, byte order marks, encodings, and damage, in one place."""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from steadyrank.errors import (
    EmptyDataError,
    FileNotThereError,
    InvalidDataError,
    Option,
    UnreadableFileError,
    shorten,
)
from steadyrank.writing import remember_input

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Source: TypeAlias = "str | os.PathLike[str] | BinaryIO"

HEAD = 1 << 16
BLOCK = 1 << 24
NEWLINE = b"\n"
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
OTHER_PACKAGES = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstandard",
}


@dataclass
class OpenFile:
    """An open source of bytes, unpacked, with a look at its beginning.

    Parameters
    ----------
    name : str
        What to call it in messages: the file's name without its folder.
    encoding : str
        Of the text in it.
    stream : binary stream or None
        Where the bytes come from; None for a folder.
    path : Path or None
        Where it lies, if it is a file or a folder.
    opened : tuple of streams
        What to close in the end; a stream of the caller stays open.
    head : bytes
        The first bytes, unpacked, which the stream gives no more.
    given : mapping
        What the user said about the data; a format may need to know.
    look_at, block : int
        How many bytes the first look takes in, and how many are read at a time after it.
    """

    name: str
    encoding: str
    stream: Any = None
    path: Path | None = None
    opened: tuple[Any, ...] = ()
    head: bytes = b""
    given: Mapping[str, Any] = field(default_factory=dict)
    look_at: int = HEAD
    block: int = BLOCK

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder, which only the Netflix reader takes."""
        return self.stream is None

    @property
    def is_utf8(self) -> bool:
        """Whether its text needs no decoding."""
        return codecs.lookup(self.encoding).name == "utf-8"

    @property
    def text_head(self) -> bytes:
        """The first bytes, as UTF-8 without a byte order mark."""
        if self.is_utf8:
            return self.head.removeprefix(codecs.BOM_UTF8)
        return self.head.decode(self.encoding, errors="ignore").encode()

    @property
    def first_line(self) -> bytes:
        """The first line that is not blank."""
        return next((line for line in self.text_head.splitlines() if line.strip()), b"")

    def read_all(self) -> bytes:
        """Return all bytes, unpacked."""
        return self.head + b"".join(self._rest())

    def blocks(self) -> Iterator[bytes]:
        """Yield the text as UTF-8 in blocks of whole lines, without a byte order mark.

        Each block but the last ends with a line end. NUL bytes and text in another encoding are
        refused with their line.
        """
        waiting: list[bytes] = []
        line = 1
        for chunk in self._as_utf8():
            cut = chunk.rfind(NEWLINE) + 1
            if not cut:
                waiting.append(chunk)
                continue
            block = b"".join([*waiting, chunk[:cut]])
            waiting = [chunk[cut:]]
            self._check_text(block, line)
            line += block.count(NEWLINE)
            yield block
        if last := b"".join(waiting):
            self._check_text(last, line)
            yield last

    def _as_utf8(self) -> Iterator[bytes]:
        if self.is_utf8:
            if self.head.startswith(UTF16):
                raise UnreadableFileError(
                    f"{self.name} is text in UTF-16, not in UTF-8",
                    way_out=["Read it with ", Option("encoding", "utf-16")],
                )
            yield self.head.removeprefix(codecs.BOM_UTF8)
            yield from self._rest()
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            yield decoder.decode(self.head).encode()
            for chunk in self._rest():
                yield decoder.decode(chunk).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeDecodeError as error:
            raise UnreadableFileError(
                f"{self.name} is not text in {self.encoding}: {error.reason}",
                way_out=["Give its encoding as ", Option("encoding")],
            ) from None

    def _rest(self) -> Iterator[bytes]:
        try:
            while chunk := self._read(self.block):
                yield chunk
        finally:
            self.close()

    def _read(self, size: int) -> bytes:
        try:
            part = self.stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableFileError(
                f"the gzip file {self.name} is cut short or damaged ({error})",
                way_out="Get it again: part of the data is missing.",
            ) from None
        if not isinstance(part, bytes):
            raise InvalidDataError(
                "the stream gives text", way_out='Open it in binary mode ("rb", sys.stdin.buffer).'
            )
        return part

    def look(self) -> bytes:
        """Read the first bytes, and keep them; a pipe may hand out less than asked for at a time."""
        while len(self.head) < self.look_at and (part := self._read(self.look_at - len(self.head))):
            self.head += part
        return self.head

    def close(self) -> None:
        """Close what was opened for it."""
        for stream in self.opened:
            stream.close()

    def _check_text(self, block: bytes, line: int) -> None:
        """Complain about text that is binary or in another encoding, on which line."""
        nul = block.find(b"\0")
        if nul >= 0:
            raise UnreadableFileError(
                f"{self.name} holds a NUL byte on line {line + block.count(NEWLINE, 0, nul)}",
                way_out=[
                    "It is binary, damaged, or text in another encoding: try ",
                    Option("encoding", "utf-16"),
                ],
            )
        if block.isascii():
            return
        try:
            block.decode()
        except UnicodeDecodeError as error:
            where = (
                f"byte {block[error.start]:#04x} on line {line + block.count(NEWLINE, 0, error.start)}"
            )
            raise UnreadableFileError(
                f"{self.name} is not text in UTF-8: {where}",
                way_out=[
                    "Give its encoding, for example ", Option("encoding", "latin-1"),
                    " or ", Option("encoding", "cp1252"),
                ],
            ) from None  # fmt: skip


def open_source(source: Source, *, encoding: str = "utf-8") -> OpenFile:
    """Open a path or a binary stream, unpack gzip, and look at the first bytes.

    Examples
    --------
    >>> import io
    >>> open_source(io.BytesIO(b"a,b")).head
    b'a,b'
    """
    try:
        "".encode(encoding)  # unlike a lookup, this refuses codecs that are not for text
    except LookupError:
        raise InvalidDataError(f"there is no encoding {shorten(encoding)}") from None
    remember_input(source)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            return OpenFile(path.name, encoding, path=path)
        if not path.exists():
            raise FileNotThereError(f"there is no file {str(path)!r} (seen from {Path.cwd()}).")
        stream = path.open("rb")
        return _looked_at(OpenFile(path.name, encoding, stream, path, (stream,)))
    if not hasattr(source, "read"):
        raise InvalidDataError(
            f"{shorten(source)} is neither a path nor a binary stream",
            way_out="For a dataframe or columns in memory use from_frame(...).",
        )
    name = getattr(source, "name", None)
    return _looked_at(
        OpenFile(Path(name).name if isinstance(name, str) else "the stream", encoding, source)
    )


def _looked_at(file: OpenFile) -> OpenFile:
    try:
        return _unpacked(file)
    except BaseException:
        file.close()
        raise


def _unpacked(file: OpenFile) -> OpenFile:
    """Look at the beginning of a file, and unpack it if it is packed."""
    if not file.look():
        raise EmptyDataError(f"{file.name} is empty", way_out="There is nothing to read in it.")
    for magic, what in OTHER_PACKAGES.items():
        if file.head.startswith(magic):
            raise UnreadableFileError(f"{file.name} is {what}", way_out="Unpack it, or export as CSV.")
    if not file.head.startswith(GZIP):
        return file
    unpacked = gzip.GzipFile(fileobj=cast("BinaryIO", _Joined(file.head, file.stream)))
    inner = replace(file, stream=unpacked, head=b"", opened=(unpacked, *file.opened))
    if not inner.look():
        raise EmptyDataError(f"{file.name} holds nothing once unpacked")
    return inner


class _Joined:
    """The bytes already read, and then the stream they came from."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._first = first
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if self._first:
            size = len(self._first) if size < 0 else size
            part, self._first = self._first[:size], self._first[size:]
            return part
        return self._stream.read(size)
