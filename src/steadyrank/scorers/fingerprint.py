"""Short names for data and scorers that change whenever a result could change."""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

NOT_DATA = {"notes"}
"""Fields that only tell how the data were read."""


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
    functools.partial: lambda value: [value.func, value.args, value.keywords],
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
