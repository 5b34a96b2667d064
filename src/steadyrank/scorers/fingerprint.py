"""What identifies data and models from one run to the next: a digest of all that they reach.

A function counts with its code, defaults and closure, and with every global that its code names, which
is looked into in turn: helpers, constants, classes with their methods, objects with their state. What an
installed package or Python itself defines counts by its name and the version. Nothing counts by where it
lies in memory or in a file, nor by an order that changes from run to run (that of sets).

Not seen is what a model finds only while it runs: files, the environment, names made up as text. Where
something cannot be told again in another run (an open file, a lock, a generator), a name for the model
is asked for instead of a guess.
"""

from __future__ import annotations

import copyreg
import dis
import importlib.util
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module, metadata
from itertools import chain, islice, takewhile
from operator import attrgetter
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from steadyrank.errors import CheckpointError, Option

ATOMS: dict[type, Callable[[Any], bytes]] = {
    bytes: bytes,
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    int: lambda value: b"%x" % value,
} | dict.fromkeys(
    (type(None), bool, float, complex, type(...), type(NotImplemented)),
    lambda value: repr(value).encode(),
)
"""What is known by its value alone, each with its bytes."""
HOUSE = "steadyrank"
NOT_DATA = {"notes", "unit_candidates"}
"""Fields of data that only tell how they were read."""
PLAIN = {tuple, list, dict, types.MappingProxyType}
NOT_STATE = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate_func__"),
    *("__annotations_cache__", "__firstlineno__", "__static_attributes__", "__dataclass_fields__"),
    *("__dataclass_params__", "__orig_bases__", "__parameters__", "__type_params__", "_abc_impl"),
}
"""What a class has beside what its author wrote, or without any effect on what it does."""
STANDARD = sysconfig.get_path("stdlib")
READS_A_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
READS_A_PART = {"LOAD_ATTR", "LOAD_METHOD"}
NAME_IT = (
    "Give the model a name, and another one whenever it changes: ",
    Option("model_name", "..."),
    " of Refit.",
)


def fingerprint(value: object) -> str:
    """Return a hexadecimal digest of a value and all that it is made of.

    Examples
    --------
    >>> fingerprint([1, 2]) == fingerprint([1, 2]), fingerprint([1, 2]) == fingerprint([2, 1])
    (True, False)
    >>> fingerprint(lambda data: data.tally) == fingerprint(lambda data: -data.tally)
    False
    """
    return _digest(value, {}, {}).hex()


class _Open:
    """A value whose parts are being looked at, and the digest of those that were."""

    def __init__(self, value: object, parts: Iterable[object]) -> None:
        self.value = value
        self.waiting = iter(parts)
        self.digest = sha256(_called(type(value)).encode())

    def add(self, kind: bytes, part: bytes) -> None:
        self.digest.update(b"%s %d:" % (kind, len(part)))
        self.digest.update(part)


def _digest(value: object, known: dict[int, tuple[bytes, object]], above: dict[int, int]) -> bytes:
    """Return the digest of a value, part by part, each value once, however they refer to each other.

    ``known`` are digests by the place in memory, with their values, so that no place is given anew;
    ``above`` are the values that are being looked at, by depth: one that comes again is a circle.
    """
    open_ones = [_Open(None, [value])]
    depth = len(above)
    while True:
        now = open_ones[-1]
        part = next(now.waiting, open_ones)
        if part is open_ones:  # there are no more parts
            open_ones.pop()
            if not open_ones:
                return now.digest.digest()
            above.pop(id(now.value))
            known[id(now.value)] = now.digest.digest(), now.value
            open_ones[-1].add(b"", now.digest.digest())
        elif type(part) in ATOMS:
            now.add(type(part).__name__.encode(), ATOMS[type(part)](part))
        elif id(part) in known:
            now.add(b"", known[id(part)][0])
        elif id(part) in above:
            now.add(b"up", b"%d" % (depth + len(open_ones) - above[id(part)]))
        else:
            above[id(part)] = depth + len(open_ones)
            open_ones.append(_Open(part, _parts_or_complaint(part, open_ones, above)))


def _parts_or_complaint(
    value: object, open_ones: list[_Open], above: dict[int, int]
) -> Iterable[object]:
    if isinstance(value, set | frozenset):
        # Each by itself: nothing may depend on which one is met first.
        return [type(value), *sorted(_digest(part, {}, dict(above)) for part in value)]
    try:
        return _parts(value)
    except (TypeError, ValueError, AttributeError) as error:
        way = [
            _called(one.value) for one in open_ones if isinstance(one.value, types.FunctionType | type)
        ]
        by = f" (by way of {', '.join(way)})" if way else ""
        raise CheckpointError(
            f"a checkpoint cannot tell {_called(type(value))}{by} again in another run: {error}",
            way_out=NAME_IT,
        ) from error


def _parts(value: Any) -> Iterable[object]:
    """Return what identifies a value, as values that are looked into in turn."""
    for kind, parts in _PARTS.items():
        if isinstance(value, kind):
            return parts(value)
    kind = type(value)
    if isinstance(getattr(kind, "checkpoint_identity", None), property):
        return [kind, value.checkpoint_identity]
    if kind.__module__.startswith(f"{HOUSE}.") and hasattr(kind, "__dataclass_fields__"):
        named = [part.name for part in fields(value) if part.compare and part.name not in NOT_DATA]
        return [kind, *((name, getattr(value, name)) for name in named)]
    if hasattr(value, "get_params") and hasattr(value, "fit"):
        return [kind, *sorted(value.get_params().items())]
    if _library(type(value).__module__) and hasattr(value, "__wrapped__"):
        return [value.__wrapped__]  # a cache, a compiler or a decorator around a function
    return _reduced(value)


def _reduced(value: Any) -> Iterable[object]:
    """Return an object as pickling would take it apart, one step deep.

    One that a package keeps is known by its name: the generator that all of NumPy shares, say, is in
    another state in each run.
    """
    module = type(value).__module__
    name = _kept_in(module).get(id(value), "")
    if name and _library(module) and _found(module, name) is value:
        return [_by_name(module, name)]
    reduce = copyreg.dispatch_table.get(type(value))
    parts = reduce(value) if reduce is not None else value.__reduce_ex__(4)
    if isinstance(parts, str):
        return [_by_name(getattr(value, "__module__", None) or type(value).__module__, parts)]
    made_by, arguments, state, *items = (*parts, None, None, None)[:5]
    if isinstance(state, dict):
        state = sorted(state.items())
    return [made_by, arguments, state, *(list(each) for each in items if each is not None)]


@cache
def _kept_in(module: str) -> dict[int, str]:
    return {id(value): name for name, value in vars(sys.modules.get(module, sys)).items()}


def _array(value: np.ndarray[Any, Any]) -> Iterable[object]:
    if type(value) is not np.ndarray:
        return _reduced(value)
    content = value.ravel().tolist() if value.dtype.hasobject else np.ascontiguousarray(value).tobytes()
    return [value.dtype, value.shape, content]


def _function(value: types.FunctionType) -> Iterable[object]:
    module = value.__globals__.get("__name__", "")
    version = _library(module)
    if version and _found(module, value.__qualname__) is value:
        return [_by_name(module, value.__qualname__)]
    cells = [_content(cell) for cell in value.__closure__ or ()]
    own = [value.__defaults__, value.__kwdefaults__, cells, sorted(vars(value).items())]
    if version:  # made by a package around something of ours
        return [version, value.__code__, *own]
    return [value.__code__, *own, *_globals(value.__code__, value.__globals__)]


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return "empty"


def _code(value: types.CodeType) -> Iterable[object]:
    counts = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
    names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    return [value.co_name, counts, names, value.co_code, value.co_exceptiontable, value.co_consts]


def _globals(code: types.CodeType, where: Mapping[str, Any]) -> Iterator[object]:
    """Yield the name of each global that code, or code inside it, reads or imports, and what it is."""
    for names in sorted(_names(code)):
        if names[0].startswith("."):  # it was imported
            yield from (".".join(names), _imported(names, where))
        elif names[0] in where:
            yield from (".".join(names), _reached(where[names[0]], names[1:]))


def _names(code: types.CodeType) -> set[tuple[str, ...]]:
    """Return the globals that code reads, with the parts it takes of them, and what it imports.

    An import is written with the dots of its level and one more, as ``("..", "package", "name")``.
    """
    found: set[tuple[str, ...]] = set()
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for place, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level, names = (before.argval for before in steps[place - 2 : place])
            dots = "." * (1 + int(level or 0))
            # After ``from ... import`` come names; without any the module itself counts.
            found |= {(dots, step.argval, name) for name in names or ()} or {(dots, step.argval)}
        elif step.opname in READS_A_GLOBAL:
            parts = takewhile(lambda after: after.opname in READS_A_PART, islice(steps, place + 1, None))
            found.add((step.argval, *(part.argval for part in parts)))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _imported(names: tuple[str, ...], where: Mapping[str, Any]) -> object:
    dots, module, *parts = names
    try:
        name = importlib.util.resolve_name(f"{dots[1:]}{module}", where.get("__package__") or "")
        return _reached(import_module(name), tuple(parts))
    except ImportError:
        return "missing"


def _reached(value: object, parts: tuple[str, ...]) -> object:
    """Follow parts of modules; of anything else, all of it counts."""
    for part in parts:
        if not isinstance(value, types.ModuleType) or _library(value.__name__):
            break
        value = getattr(value, part, "missing")
    return value


def _module(value: types.ModuleType) -> Iterable[object]:
    if _library(value.__name__):
        return [_by_name(value.__name__, "")]
    return sorted((name, part) for name, part in vars(value).items() if not name.startswith("__"))


def _class(value: type) -> Iterable[object]:
    if _library(value.__module__):
        return [_by_name(value.__module__, value.__qualname__)]
    own = sorted((name, part) for name, part in vars(value).items() if name not in NOT_STATE)
    return [value.__qualname__, type(value), value.__bases__, *own]


def _by_name(module: str, name: str) -> str:
    """Return what identifies something that a package defines; complain if it is of no package."""
    version = _library(module)
    if not version:
        raise TypeError(f"{module}.{name} is compiled, and of no installed package")
    return f"{module}.{name} of {version}"


def _found(module: str, name: str) -> object:
    try:
        return attrgetter(name)(sys.modules[module])
    except (KeyError, AttributeError):
        return None


@cache
def _library(module: str) -> str:
    """Return the version of the installed package, or of Python, that a module is part of, or nothing.

    A package that is worked on where it lies ("editable") is none: its version stays while it changes.
    """
    top = module.partition(".")[0]
    home = sys.modules.get(top)
    origin = getattr(home, "__file__", None) or next(iter(getattr(home, "__path__", ())), "")
    folders = set(Path(origin).parts)
    installed = top == HOUSE or folders & {"site-packages", "dist-packages"}
    if installed and (version := _version(top, home)):
        return f"{top} {version}"
    if top in sys.stdlib_module_names and (not origin or Path(origin).is_relative_to(STANDARD)):
        return f"Python {python_version()}"
    return ""


def _version(top: str, home: Any) -> str:
    # Its own word comes first: what is imported as sklearn is installed under another name.
    if isinstance(version := vars(home).get("__version__"), str):
        return version
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        return ""


def _called(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


_PARTS: dict[Any, Callable[[Any], Iterable[object]]] = {
    (tuple, list): lambda value: value if type(value) in PLAIN else _reduced(value),
    (dict, types.MappingProxyType): lambda value: (
        chain(*value.items()) if type(value) in PLAIN else _reduced(value)
    ),
    np.ndarray: _array,
    types.FunctionType: _function,
    types.CodeType: _code,
    type: _class,
    types.ModuleType: _module,
    property: lambda value: [value.fget, value.fset, value.fdel],
    cached_property: lambda value: [value.func],
    # What Python makes of __slots__ and the like.
    (types.MemberDescriptorType, types.GetSetDescriptorType): attrgetter("__objclass__", "__name__"),
}
