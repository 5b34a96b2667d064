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
from steadyrank.writing import CHECKPOINT_MARK, holds_refits, resolved, write_whole

Kept: TypeAlias = "tuple[dict[int, FloatArray], Callable[[int, FloatArray], object]]"
"""The scores that a checkpoint holds, by unit, and what adds those without one more unit."""
TABLES = f"""
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
    place, path = _made(Path(path), owner), Path(path)
    try:
        with closing(sqlite3.connect(place, timeout=patience, isolation_level=None)) as base:
            base.execute("PRAGMA locking_mode = EXCLUSIVE")
            _check_owner(base, path, owner)
            done = _records(base)
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


def _made(path: Path, owner: Mapping[str, str]) -> Path:
    """Return where the database lies, links followed; make it if nothing is there."""
    try:
        target = resolved(path)
        if not target.is_file:
            raise _refusal(path, "would be a device or a pipe, which keeps nothing", KEPT_IN_A_FILE)
        if target.found is None or not target.found.st_size:
            for left in ("-wal", "-journal"):  # of a deleted database, which they would bring back
                target.path.with_name(target.path.name + left).unlink(missing_ok=True)
            write_whole(_empty(owner), path)
        elif not holds_refits(target.path):  # a foreign file is not even opened as a database
            with target.path.open("rb") as file:
                found = f"(it begins with {shorten(file.read(40))})"
            raise CheckpointError(
                f"{str(path)!r} is not a checkpoint of refits {found}", way_out=ANOTHER
            )
    except OSError as error:
        why = error.problem if isinstance(error, UnwritableFileError) else str(error)
        raise CheckpointError(
            f"cannot write the checkpoint {str(path)!r}: {why}", way_out=KEPT_IN_A_FILE
        ) from error
    return target.path


def _empty(owner: Mapping[str, str]) -> bytes:
    with closing(sqlite3.connect(":memory:")) as base:
        base.executescript(TABLES)
        with base:
            base.executemany("INSERT INTO owner VALUES (?, ?)", owner.items())
        return base.serialize()


def _check_owner(base: sqlite3.Connection, path: Path, owner: Mapping[str, str]) -> None:
    (found,) = base.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    kept = dict(base.execute("SELECT name, value FROM owner"))
    other = [name for name in owner if kept.get(name) != owner[name]]
    if other:
        why = f"belongs to other {' and '.join(other)}, so its scores cannot be used here"
        raise _refusal(path, why)


def _refusal(path: Path, problem: str, way_out: str = ANOTHER) -> CheckpointError:
    return CheckpointError(f"the checkpoint {str(path)!r} {problem}", way_out=way_out)


def _records(base: sqlite3.Connection) -> dict[int, FloatArray]:
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
