"""A file of finished refits: an append-only log that survives being cut off anywhere.

The first line is JSON and says whose refits these are. After it come records of one size:
the number of the unit, its scores, and a checksum of both. A record that is incomplete or
damaged is computed again; nothing else is lost.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import CheckpointError, shorten

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from steadyrank._typing import FloatArray

FORMAT = "steadyrank refits 1"
FULL = -1
"""The unit number of the scores on all the data."""
LONGEST_HEADER = 1 << 16


class Checkpoint:
    """An open checkpoint.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    owner : dict of str
        What the scores depend on, by name: a file with another owner is refused.
    items : int
        The number of scores in a record.
    """

    def __init__(self, path: str | os.PathLike[str], owner: dict[str, str], items: int) -> None:
        self.path = Path(path)
        self.items = items
        header: dict[str, Any] = {"format": FORMAT, **owner, "items": str(items)}
        if not self.path.exists() or self.path.stat().st_size == 0:
            self._create(header)
        self.body = self._checked_header(header)
        self.done = self._records()
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(self, unit: int, scores: FloatArray) -> None:
        """Append the scores without a unit; one write, so that it is there wholly or not."""
        record = np.int64(unit).tobytes() + np.ascontiguousarray(scores, np.float64).tobytes()
        os.write(self._file, record + zlib.crc32(record).to_bytes(4, "little"))

    def close(self) -> None:
        """Write everything to the disk and close the file."""
        os.fsync(self._file)
        os.close(self._file)

    def _create(self, header: dict[str, Any]) -> None:
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            fresh.write_bytes(json.dumps(header).encode() + b"\n")
            fresh.replace(self.path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise CheckpointError(
                f"cannot write the checkpoint {str(self.path)!r}: {error}. "
                "Give a path in a folder that exists and that you may write to."
            ) from error

    def _checked_header(self, header: dict[str, Any]) -> int:
        with self.path.open("rb") as file:
            line = file.readline(LONGEST_HEADER)
        try:
            found = json.loads(line)
            known = found.get("format") == FORMAT
        except (ValueError, AttributeError):
            known = False
        if not known or not line.endswith(b"\n"):
            raise CheckpointError(
                f"{str(self.path)!r} is not a checkpoint of refits (it begins with "
                f"{shorten(line)}). It was left as it is; give another path."
            )
        other = [name for name in header if found.get(name) != header[name]]
        if other:
            raise CheckpointError(
                f"the checkpoint {str(self.path)!r} belongs to other {' and '.join(other)}, so its "
                "scores cannot be used here. It was left as it is; give another path, or delete it."
            )
        return len(line)

    def _records(self) -> dict[int, FloatArray]:
        """Read the sound records, and cut off a last one that is not complete."""
        size = 8 + 8 * self.items + 4
        content = self.path.read_bytes()[self.body :]
        whole = len(content) // size
        if len(content) % size:
            os.truncate(self.path, self.body + whole * size)
        done = {}
        for start in range(0, whole * size, size):
            record = content[start : start + size - 4]
            if zlib.crc32(record).to_bytes(4, "little") == content[start + size - 4 : start + size]:
                unit = int.from_bytes(record[:8], "little", signed=True)
                done[unit] = np.frombuffer(record, dtype=np.float64, offset=8)
        return done
