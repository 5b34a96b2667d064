"""Opening files and streams: gzip, byte order marks, encodings, and damage, in one place."""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from dataclasses import dataclass
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

if TYPE_CHECKING:
    from collections.abc import Iterator

Source: TypeAlias = "str | os.PathLike[str] | BinaryIO"

HEAD = 1 << 16
BLOCK = 1 << 24
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
    head : bytes
        The first bytes, unpacked.
    stream : binary stream or None
        The rest; None for a folder.
    path : Path or None
        Where it lies, if it is a file or a folder.
    encoding : str
        Of the text in it.
    """

    name: str
    head: bytes
    stream: Any
    path: Path | None
    encoding: str

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder, which only the Netflix reader takes."""
        return self.stream is None

    def read_all(self) -> bytes:
        """Return all bytes, unpacked."""
        return self.head + b"".join(self._rest(BLOCK))

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the text as UTF-8 in blocks of whole lines, without a byte order mark.

        Each block but the last ends with a line end. NUL bytes and text in another encoding are
        refused with their line.
        """
        waiting: list[bytes] = []
        line = 1
        for chunk in self._as_utf8(size):
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                waiting.append(chunk)
                continue
            block = b"".join([*waiting, chunk[:cut]])
            waiting = [chunk[cut:]]
            self._check_text(block, line)
            line += block.count(b"\n")
            yield block
        last = b"".join(waiting)
        if last:
            self._check_text(last, line)
            yield last

    def _as_utf8(self, size: int) -> Iterator[bytes]:
        if self.head.startswith(UTF16) and codecs.lookup(self.encoding).name == "utf-8":
            raise UnreadableFileError(
                f"{self.name} is text in UTF-16, not in UTF-8",
                way_out=["Read it with ", Option("encoding", "utf-16")],
            )
        if codecs.lookup(self.encoding).name == "utf-8":
            yield self.head.removeprefix(codecs.BOM_UTF8)
            yield from self._rest(size)
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            yield decoder.decode(self.head).encode()
            for chunk in self._rest(size):
                yield decoder.decode(chunk).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeDecodeError as error:
            raise UnreadableFileError(
                f"{self.name} is not text in {self.encoding}: {error.reason}",
                way_out=["Give its encoding as ", Option("encoding")],
            ) from None

    def _rest(self, size: int) -> Iterator[bytes]:
        try:
            while chunk := self.stream.read(size):
                yield chunk
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise self._damaged(error) from None
        finally:
            self.close()

    def close(self) -> None:
        """Close what was opened from a path; a stream of the caller stays open."""
        if self.path is not None and self.stream is not None:
            self.stream.close()

    def _damaged(self, error: Exception) -> UnreadableFileError:
        return UnreadableFileError(
            f"the gzip file {self.name} is cut short or damaged ({error})",
            way_out="Get it again: part of the data is missing.",
        )

    def _check_text(self, block: bytes, line: int) -> None:
        nul = block.find(b"\0")
        if nul >= 0:
            wrong = line + block.count(b"\n", 0, nul)
            raise UnreadableFileError(
                f"{self.name} holds a NUL byte on line {wrong}",
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
            wrong = line + block.count(b"\n", 0, error.start)
            raise UnreadableFileError(
                f"{self.name} is not text in UTF-8: byte {block[error.start]:#04x} on line {wrong}",
                way_out=[
                    "Give its encoding, for example ",
                    Option("encoding", "latin-1"),
                    " or ",
                    Option("encoding", "cp1252"),
                ],
            ) from None


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
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            return OpenFile(path.name, b"", None, path, encoding)
        if not path.exists():
            raise FileNotThereError(f"there is no file {str(path)!r} (seen from {Path.cwd()}).")
        return _unpack(path.open("rb"), path.name, path, encoding)
    if not hasattr(source, "read"):
        raise InvalidDataError(
            f"{shorten(source)} is neither a path nor a binary stream",
            way_out="For a dataframe or columns in memory use from_frame(...).",
        )
    return _unpack(source, _stream_name(source), None, encoding)


def _stream_name(stream: object) -> str:
    name = getattr(stream, "name", None)
    return Path(name).name if isinstance(name, str) else "the stream"


def _unpack(stream: BinaryIO, name: str, path: Path | None, encoding: str) -> OpenFile:
    first = _read_up_to(stream, HEAD)
    file = OpenFile(name, first, stream, path, encoding)
    if not first:
        file.close()
        raise EmptyDataError(f"{name} is empty", way_out="There is nothing to read in it.")
    for magic, what in OTHER_PACKAGES.items():
        if first.startswith(magic):
            file.close()
            raise UnreadableFileError(f"{name} is {what}", way_out="Unpack it, or export as CSV.")
    if not first.startswith(GZIP):
        return file
    unpacked = gzip.GzipFile(fileobj=cast("BinaryIO", _Joined(first, stream)))
    try:
        head = _read_up_to(cast("BinaryIO", unpacked), HEAD)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        file.close()
        raise file._damaged(error) from None  # noqa: SLF001 (its own class)
    if not head:
        file.close()
        raise EmptyDataError(f"{name} holds nothing once unpacked")
    return OpenFile(name, head, _Closing(unpacked, stream), path, encoding)


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    """Read ``size`` bytes or to the end; a pipe may hand out less at a time."""
    parts: list[bytes] = []
    while size > 0 and (part := stream.read(size)):
        if not isinstance(part, bytes):
            raise InvalidDataError(
                "the stream gives text", way_out='Open it in binary mode ("rb", sys.stdin.buffer).'
            )
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


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


class _Closing:
    """An unpacking stream that closes the packed one as well."""

    def __init__(self, unpacked: gzip.GzipFile, packed: BinaryIO) -> None:
        self.read = unpacked.read
        self._both = (unpacked, packed)

    def close(self) -> None:
        for stream in self._both:
            stream.close()
