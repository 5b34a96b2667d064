"""Opening files and streams: gzip, byte order marks, encodings, and damage, in one place.

Two limits keep a small or endless source from filling the memory; both lie far beyond real files: the
longest line, and how far a packed file may unpack.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np

from steadyrank import errors
from steadyrank.errors import Option, shorten
from steadyrank.progress import tell
from steadyrank.writing import remember_input

Source: TypeAlias = "str | os.PathLike[str] | BinaryIO | Sequence[str | os.PathLike[str]]"

HEAD = 1 << 16
BLOCK = 1 << 22
MEGABYTE = 10**6
NEWLINE = b"\n"
GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
ZIP = b"PK\x03\x04"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARK = "\ufeff".encode()
NOT_OF_FILES = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""What Python calls encodings, too, but no file is written in."""

LONGEST_LINE = 1 << 27
"""A line of 134,217,728 bytes holds ten million numbers; /dev/zero is one line without an end."""

UNPACKED_FREELY = 1 << 28
MOST_UNPACKED = 200
"""Beyond the first 268,435,456 bytes, how many may come out of each packed one: text seldom gives 20."""

OTHER_PACKAGES = {
    ZIP: "a zip archive or a spreadsheet",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstandard",
}

SPREADSHEET = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/")
EVAL_LOG = (b"_journal/", b"header.json", b"samples/", b"summaries.json")
"""How the first name begins in those zip archives that are files of a format."""


BINARY = ("It is binary, damaged, or text in another encoding: try ", Option("encoding", "utf-16"))
LATIN, WESTERN = Option("encoding", "latin-1"), Option("encoding", "cp1252")
ENCODED = ("Give its encoding, for example ", LATIN, " or ", WESTERN)
"""What to do about text that is none, or none in UTF-8."""


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
    packed : _Joined, optional
        Where the packed bytes come from, which counts them.
    taken : int
        How many bytes came out of the stream so far.
    size : int
        How many bytes the file has, packed as it is; 0 where that is not known.
    several : sequence of Path
        The files of a list, or those of a folder that are to be read.
    look_at, block, longest_line, unpacked_freely : int
        How many bytes the first look takes in, how many are read at a time after it, and the limits.
    """

    name: str
    encoding: str
    stream: Any = None
    path: Path | None = None
    opened: tuple[Any, ...] = ()
    head: bytes = b""
    given: Mapping[str, Any] = field(default_factory=dict)
    packed: _Joined | None = None
    taken: int = 0
    size: int = 0
    several: Sequence[Path] = ()
    look_at: int = HEAD
    block: int = BLOCK
    longest_line: int = LONGEST_LINE
    unpacked_freely: int = UNPACKED_FREELY

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
        return sorted(_files_below(self.path))

    def parts(self) -> Iterator[OpenFile]:
        """Yield this file, or each of a list, opened."""
        if not self.is_folder:
            yield self
        for path in self.several:
            with closing(open_source(path, encoding=self.encoding)) as part:
                part.given = self.given
                yield part

    @property
    def is_utf8(self) -> bool:
        """Whether its text needs no decoding."""
        return codecs.lookup(self.encoding).name == "utf-8"

    @cached_property
    def text_head(self) -> bytes:
        """The first bytes, as UTF-8 without a byte order mark."""
        if self.is_utf8:
            return self.head.removeprefix(MARK)
        return self.head.decode(self.encoding, "ignore").encode("utf-8", "ignore").removeprefix(MARK)

    @cached_property
    def first_line(self) -> bytes:
        """The first line that is not blank."""
        return next((line for line in self.text_head.splitlines() if line.strip()), b"")

    def read_all(self) -> bytes:
        """Return all bytes, unpacked."""
        return self.head + b"".join(self._rest())

    def read_text(self) -> str:
        """Return all of a text, which may be one long line."""
        text = b"".join(self._as_utf8())
        self._check_text(text, 1)
        return text.decode()

    def blocks(self) -> Iterator[bytes]:
        """Yield the text as UTF-8 in blocks of whole lines, without a byte order mark.

        Each block but the last ends with a line end. NUL bytes and text in another encoding are
        refused with their line.
        """
        waiting: list[bytes] = []
        line, held = 1, 0
        for chunk in self._as_utf8():
            cut = chunk.rfind(NEWLINE) + 1
            if not cut:
                waiting.append(chunk)
                held += len(chunk)
                self._check_line(held, line)
                continue
            block = b"".join([*waiting, chunk[:cut]])
            waiting, held = [chunk[cut:]], len(chunk) - cut
            self._check_text(block, line)
            line += times(block, NEWLINE)
            yield block
        if last := b"".join(waiting):
            self._check_text(last, line)
            yield last

    def _as_utf8(self) -> Iterator[bytes]:
        if self.is_utf8:
            if self.head.startswith(UTF16):
                raise errors.UnreadableFileError(
                    f"{self.name} is text in UTF-16, not in UTF-8",
                    way_out=["Read it with ", Option("encoding", "utf-16")],
                )
            yield self.head.removeprefix(MARK)
            yield from self._rest()
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            yield decoder.decode(self.head).encode().removeprefix(MARK)
            for chunk in self._rest():
                yield decoder.decode(chunk).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as error:  # not all codecs know where and why
            raise errors.UnreadableFileError(
                f"{self.name} is not text in {self.encoding}: {getattr(error, 'reason', error)}",
                way_out=[
                    "Give its encoding as ", Option("encoding"),
                    "; UTF-16 without a byte order mark is utf-16-le or utf-16-be.",
                ],
            ) from None  # fmt: skip

    def _rest(self) -> Iterator[bytes]:
        try:
            while chunk := self._read(self.block):
                taken = self.taken if self.packed is None else self.packed.taken
                if self.size:
                    tell(taken // MEGABYTE, self.size // MEGABYTE, "MB")
                yield chunk
        finally:
            self.close()

    def _read(self, size: int) -> bytes:
        try:
            part = self.stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise errors.UnreadableFileError(
                f"the gzip file {self.name} is cut short or damaged ({error})",
                way_out="Get it again: part of the data is missing.",
            ) from None
        if not isinstance(part, bytes):
            raise errors.InvalidDataError(
                "the stream gives text", way_out='Open it in binary mode ("rb", sys.stdin.buffer).'
            )
        self.taken += len(part)
        if self.packed is not None:
            self.check_unpacked(self.taken, self.packed.taken, "Unpack it, and read the plain file.")
        return part

    def look(self) -> bytes:
        """Read the first bytes, to the end of the first line, and keep them.

        A pipe may hand out less than asked for at a time.
        """
        head = bytearray()
        while len(head) < self.look_at and (part := self._read(self.look_at - len(head))):
            head += part
        # A list in JSON may be one line as long as the file, and is told by its beginning.
        whole = NEWLINE in head.lstrip() or head.lstrip().startswith((GZIP, PARQUET, ZIP, b"["))
        while len(head) >= self.look_at and not whole and (part := self._read(self.look_at)):
            head += part
            whole = NEWLINE in part
            self._check_line(len(head), 1)
        self.head = bytes(head)
        return self.head

    def close(self) -> None:
        """Close what was opened for it."""
        for stream in self.opened:
            stream.close()

    @contextmanager
    def sound(self, what: str, way_out: str = "Get or write it again.") -> Iterator[None]:
        """Say what a library stumbles over as a fault of this file, which should be a sound one."""
        try:
            yield
        except (errors.SteadyrankError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a library is no Exception
            raise errors.UnreadableFileError(
                f"{self.name} is not a sound {what}: {shorten(str(error), 120)}", way_out=way_out
            ) from None

    def check_unpacked(self, unpacked: int, packed: int, way_out: str) -> None:
        """Complain about a file that unpacks to more than the memory may be trusted with."""
        if unpacked > max(self.unpacked_freely, MOST_UNPACKED * packed):
            raise errors.UnreadableFileError(
                f"{self.name} unpacks to {unpacked:,} bytes or more, over {MOST_UNPACKED} times its "
                f"{packed:,} and over {self.unpacked_freely:,}: it would fill the memory",
                way_out=way_out,
            )

    def _check_line(self, size: int, line: int) -> None:
        if size > self.longest_line:
            raise errors.UnreadableFileError(
                f"line {line} of {self.name} does not end within {self.longest_line:,} bytes, the most "
                "that a line may have",
                way_out="It is no text, or lacks line ends (\\n): write it again with them.",
            )

    def _check_text(self, block: bytes, line: int) -> None:
        """Complain about text that is binary or in another encoding, on which line."""
        nul = block.find(b"\0")
        if nul >= 0:
            raise errors.UnreadableFileError(
                f"{self.name} holds a NUL byte on line {line + block.count(NEWLINE, 0, nul)}",
                way_out=BINARY,
            )
        if block.isascii():
            return
        try:
            block.decode()
        except UnicodeDecodeError as error:
            byte, place = block[error.start], line + block.count(NEWLINE, 0, error.start)
            raise errors.UnreadableFileError(
                f"{self.name} is not text in UTF-8: byte {byte:#04x} on line {place}", way_out=ENCODED
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
        known = codecs.lookup(encoding).name not in NOT_OF_FILES
    except (LookupError, ValueError):  # the latter where even the name cannot be looked up
        known = False
    if not known:
        raise errors.InvalidDataError(
            f"there is no encoding {shorten(encoding)} of files",
            way_out=["Common ones are ", Option("encoding", "latin-1"), ", cp1252 and utf-16."],
        )
    if isinstance(source, list | tuple):
        return _opened_list([Path(path) for path in source], encoding)
    remember_input(source)
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            return OpenFile(path.name, encoding, path=path)
        _check_there(path)
        stream = path.open("rb")
        size = os.fstat(stream.fileno()).st_size
        return _looked_at(OpenFile(path.name, encoding, stream, path, (stream,), size=size))
    if not hasattr(source, "read"):
        raise errors.InvalidDataError(
            f"{shorten(source)} is neither a path nor a binary stream",
            way_out="For a dataframe or columns in memory use from_frame(...).",
        )
    name = getattr(source, "name", None)
    return _looked_at(
        OpenFile(Path(name).name if isinstance(name, str) else "the stream", encoding, source)
    )


def _opened_list(paths: list[Path], encoding: str) -> OpenFile:
    if not paths:
        raise errors.EmptyDataError("the list of files is empty")
    for path in paths:
        _check_there(path)
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return OpenFile(f"{paths[0].name}{more}", encoding, several=paths)


def _check_there(path: Path) -> None:
    if not path.exists():
        raise errors.FileNotThereError(f"there is no file {str(path)!r} (seen from {Path.cwd()}).")


def _files_below(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(where, name) for name in names if not name.startswith("."))
        yield from (path for path in paths if path.is_file())


def times(block: bytes, mark: bytes) -> int:
    """Return how often a byte occurs; bytes.count takes several times as long where it is common."""
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == mark[0])) if mark in block else 0


def _looked_at(file: OpenFile) -> OpenFile:
    try:
        return _unpacked(file)
    except BaseException:
        file.close()
        raise


def _unpacked(file: OpenFile) -> OpenFile:
    """Look at the beginning of a file, and unpack it if it is packed."""
    if not file.look():
        raise errors.EmptyDataError(f"{file.name} is empty", way_out="There is nothing to read in it.")
    for magic, what in OTHER_PACKAGES.items():
        if file.head.startswith(magic) and not file.zipped.startswith(SPREADSHEET + EVAL_LOG):
            raise errors.UnreadableFileError(
                f"{file.name} is {what}", way_out="Unpack it, or export as CSV."
            )
    if not file.head.startswith(GZIP):
        return file
    packed = _Joined(file.head, file.stream)
    unpacked = gzip.GzipFile(fileobj=cast("BinaryIO", packed))
    inner = replace(
        file, stream=unpacked, head=b"", opened=(unpacked, *file.opened), packed=packed, taken=0
    )
    if not inner.look():
        raise errors.EmptyDataError(f"{file.name} holds nothing once unpacked")
    return inner


class _Joined:
    """The bytes already read, and then the stream they came from; counts what it gives."""

    def __init__(self, first: bytes, stream: BinaryIO) -> None:
        self._first = first
        self._stream = stream
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        if self._first:
            size = len(self._first) if size < 0 else size
            part, self._first = self._first[:size], self._first[size:]
        else:
            part = self._stream.read(size)
        self.taken += len(part)
        return part
