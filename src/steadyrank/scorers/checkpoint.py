"""A file of finished refits: an SQLite database, so that it survives being cut off anywhere.

It says whose refits these are, and holds the scores without each unit with a checksum. What was
added stays, whatever kills the process; a file that is damaged is refused. Data and scorers are
known by their fingerprints, which change whenever a result could change.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import CheckpointError, shorten

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray

    Kept = tuple[dict[int, FloatArray], Callable[[int, FloatArray], object]]
    """The scores that a checkpoint holds, by unit, and what adds those without one more unit."""

FULL = -1
"""The unit number of the scores on all the data."""
MARK = b"STRK"
"""Tells a database of ours: its application id, in bytes 68 to 71 of the file."""
TABLES = f"""
    PRAGMA application_id = {int.from_bytes(MARK, "big")};
    CREATE TABLE owner (name TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE refits (unit INTEGER PRIMARY KEY, scores BLOB, checksum INTEGER);
"""
NOT_DATA = {"notes"}
"""Fields that only tell how the data were read."""
ANOTHER = "It was left as it is; give another path, or delete it."


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
    if not path.exists() or not path.stat().st_size:
        _create(path, owner)
    with path.open("rb") as file:
        begin = file.read(100)
    if begin[68:72] != MARK:  # a foreign file is not even opened as a database
        found = f"(it begins with {shorten(begin[:40])})"
        raise CheckpointError(f"{str(path)!r} is not a checkpoint of refits {found}", way_out=ANOTHER)
    try:
        with closing(sqlite3.connect(path, patience, isolation_level=None)) as base:
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


def _create(path: Path, owner: Mapping[str, str]) -> None:
    """Make it beside its place and move it there, so that it is never seen half made."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with closing(sqlite3.connect(fresh)) as base, base:
            base.executescript(TABLES)
            base.executemany("INSERT INTO owner VALUES (?, ?)", owner.items())
        fresh.replace(path)
    except (OSError, sqlite3.Error) as error:
        fresh.unlink(missing_ok=True)
        raise CheckpointError(
            f"cannot write the checkpoint {str(path)!r}: {error}",
            way_out="Give a path in a folder that exists and that you may write to.",
        ) from error


def _check_owner(base: sqlite3.Connection, path: Path, owner: Mapping[str, str]) -> None:
    (found,) = base.execute("PRAGMA integrity_check").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    kept = dict(base.execute("SELECT name, value FROM owner"))
    other = " and ".join(name for name in owner if kept.get(name) != owner[name])
    if other:
        raise _refusal(path, f"belongs to other {other}, so its scores cannot be used here")


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


def fingerprint(value: object) -> str:
    """Return a hexadecimal digest of a value and all that it is made of.

    Arrays count with type, shape and content; data classes with their fields; functions with
    their code, defaults and closure, not with the globals they use; other objects with their state.

    Examples
    --------
    >>> fingerprint([1, 2]) == fingerprint([1, 2]), fingerprint([1, 2]) == fingerprint([2, 1])
    (True, False)
    """
    digest = hashlib.sha256()
    _feed(value, digest.update, frozenset())
    return digest.hexdigest()


def _feed(value: object, update: Callable[[bytes], None], inside: frozenset[int]) -> None:
    """Write what identifies a value, each part with its type and its end marked."""
    update(f"<{type(value).__module__}.{type(value).__qualname__}:".encode())
    if id(value) in inside:
        update(b"itself")
    else:
        for part in _parts(value):
            if isinstance(part, bytes):
                update(len(part).to_bytes(8, "little") + part)
            else:
                _feed(part[0], update, inside | {id(value)})
    update(b">")


def _parts(value: object) -> Iterable[bytes | tuple[object]]:
    """Return bytes to be taken as they are, and one-tuples of parts to be looked into."""
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return [repr(value).encode("utf-8", "surrogatepass")]
    if isinstance(value, bytes):
        return [value]
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return [f"{value.dtype.str}{value.shape}".encode(), np.ascontiguousarray(value).tobytes()]
    return ((part,) for part in _state(value))


def _state(value: object) -> Iterable[object]:
    for kind, state in _STATES.items():
        if isinstance(value, kind):
            return state(value)
    if is_dataclass(value):
        return ((f.name, getattr(value, f.name)) for f in fields(value) if f.name not in NOT_DATA)
    if hasattr(value, "get_params"):
        params: dict[str, Any] = value.get_params()
        return sorted(params.items())
    if hasattr(value, "__dict__"):
        return sorted(vars(value).items())
    return [pickle.dumps(value)]


_STATES: dict[type, Callable[[Any], Iterable[object]]] = {
    Mapping: lambda value: value.items(),
    AbstractSet: lambda value: sorted(map(fingerprint, value)),
    Sequence: lambda value: value,
    np.ndarray: lambda value: value,
    type: lambda value: [value.__module__, value.__qualname__],
    partial: lambda value: [value.func, value.args, value.keywords],
    MethodType: lambda value: [value.__func__, value.__self__],
    CodeType: lambda value: [value.co_code, value.co_consts, value.co_names],
    FunctionType: lambda value: [
        value.__qualname__,
        value.__code__,
        value.__defaults__,
        value.__kwdefaults__,
        [cell.cell_contents for cell in value.__closure__ or ()],
    ],
}
