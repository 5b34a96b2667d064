"""A file of finished refits: an SQLite database, so that it survives being cut off anywhere.

It says whose refits these are, and holds the scores without each unit with a checksum. What was
added stays, whatever kills the process; a file that is damaged is refused.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from steadyrank._typing import FloatArray
from steadyrank.errors import CheckpointError, UnwritableFileError, shorten
from steadyrank.writing import CHECKPOINT_MARK, holds_refits, resolved

Kept: TypeAlias = "tuple[dict[int, FloatArray], Callable[[int, FloatArray], object]]"
"""The scores that a checkpoint holds, by unit, and what adds those without one more unit."""
TABLES = f"""
    BEGIN;
    PRAGMA application_id = {int.from_bytes(CHECKPOINT_MARK, "big")};
    CREATE TABLE owner (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE refits (unit INTEGER PRIMARY KEY, scores BLOB, checksum INTEGER);
"""
ANOTHER = "It was left as it is; give another path, or delete it."
KEPT_IN_A_FILE = "Give a path in a folder that exists and that you may write to."


@contextmanager
def open_checkpoint(
    path: str | os.PathLike[str], owner: Mapping[str, str], *, patience: float = 5.0
) -> Iterator[Kept]:
    """Open a checkpoint, or make one; afterwards nothing else stays beside the file.

    Parameters
    ----------
    path : path
        Made if it does not exist.
    owner : mapping of str
        What the scores depend on, by name: a file with another owner is refused.
    patience : float
        How many seconds to wait for another process that uses it.
    """
    path = Path(path)
    new = _is_new(path)
    try:
        with closing(sqlite3.connect(path, timeout=patience, isolation_level=None)) as base:
            base.execute("PRAGMA locking_mode = EXCLUSIVE")
            if new:
                base.executescript(TABLES)
                base.executemany("INSERT INTO owner VALUES (?, ?)", owner.items())
                base.execute("COMMIT")
            done = _records(base, path, owner)
            # With a log of changes ahead of the file no refit waits for the disk.
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("PRAGMA synchronous = NORMAL")
            try:
                yield done, partial(_add, base)
            finally:
                base.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        way_out = "Is another process using it, or the disk full, or the file read-only?"
        raise _refusal(path, f"cannot be used: {error}", way_out) from error
    except sqlite3.DatabaseError as error:
        raise _refusal(path, f"is damaged: {shorten(str(error))}") from error


def _is_new(path: Path) -> bool:
    """Tell whether nothing is there yet; a foreign file is not even opened as a database."""
    try:
        target = resolved(path)
        if not target.is_file:
            raise _refusal(path, "would be a device or a pipe, which keeps nothing", KEPT_IN_A_FILE)
        new = target.found is None or not target.found.st_size
        if not new and not holds_refits(target.path):
            with target.path.open("rb") as file:
                found = f"(it begins with {shorten(file.read(40))})"
            raise _refusal(path, f"is not a checkpoint of refits {found}")
    except OSError as error:
        why = error.problem if isinstance(error, UnwritableFileError) else str(error)
        raise _refusal(path, f"cannot be written: {why}", KEPT_IN_A_FILE) from error
    return new


def _refusal(path: Path, problem: str, way_out: str = ANOTHER) -> CheckpointError:
    return CheckpointError(f"the checkpoint {str(path)!r} {problem}", way_out=way_out)


def _records(base: sqlite3.Connection, path: Path, owner: Mapping[str, str]) -> dict[int, FloatArray]:
    """Return the scores that are there; complain of damage, and of those of somebody else."""
    (found,) = base.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    kept = dict(base.execute("SELECT name, value FROM owner"))
    other = [name for name in owner if kept.get(name) != owner[name]]
    if other:
        why = f"belongs to other {' and '.join(other)}, so its scores cannot be used here"
        raise _refusal(path, why)
    done = {}
    for unit, record, checksum in base.execute("SELECT unit, scores, checksum FROM refits"):
        if _checksum(unit, record) != checksum:
            raise sqlite3.DatabaseError(f"the record of unit {unit} has another checksum")
        done[unit] = np.frombuffer(record, dtype=np.float64)
    return done


def _add(base: sqlite3.Connection, unit: int, scores: FloatArray) -> None:
    """Keep the scores without a unit; they are there wholly or not."""
    record = np.ascontiguousarray(scores, np.float64).tobytes()
    row = (unit, record, _checksum(unit, record))
    base.execute("INSERT OR REPLACE INTO refits VALUES (?, ?, ?)", row)


def _checksum(unit: int, record: bytes) -> int:
    return zlib.crc32(record, zlib.crc32(unit.to_bytes(8, "little", signed=True)))
