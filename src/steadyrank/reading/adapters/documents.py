"""JSON from outside: told by the names in its beginning, and walked with the way to each value.

A value of another type than its tool writes is refused with its place, wherever it stands.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from steadyrank.errors import UnreadableFileError, shorten
from steadyrank.reading.files import OpenFile

Found = TypeVar("Found")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; one that names something twice is no JSON that can be trusted."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise ValueError(f"{shorten(min(name for name in times if times[name] > 1))} is named twice")
    return found


def load(file: OpenFile) -> Node:
    """Return the one value that a file of JSON holds."""
    try:
        return Node(json.loads(file.read_text(), object_pairs_hook=_once), "", file.name)
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(
            f"{file.name} is not JSON: {error}", way_out="Get or write it again: it may be cut short."
        ) from None


def load_lines(file: OpenFile) -> Iterator[tuple[int, Node]]:
    """Yield the objects of JSON lines, each with its line."""
    for line, text in file.lines():
        try:
            found = json.loads(text, object_pairs_hook=_once)
            why = f"there is {shorten(found)} instead of an object"
        except (ValueError, RecursionError) as error:
            found, why = None, str(error)
        if not isinstance(found, dict):
            raise UnreadableFileError(
                f"line {line} of {file.name} is not one JSON object: {why}",
                way_out='Write one object on each line, such as {"choice": "x"}.',
            )
        yield line, Node(found, f"line {line}", file.name)


@dataclass(frozen=True)
class Node:
    """A value in a document of JSON.

    Parameters
    ----------
    value : any
        As JSON gives it; None also where there is nothing.
    where : str
        The way to it, such as ``samples[3].scores``.
    file : str
        The name of the file.
    """

    value: Any
    where: str
    file: str

    def __getitem__(self, name: str) -> Node:
        return self._inner(name, self.object().get(name))

    def __iter__(self) -> Iterator[Node]:
        """Yield the elements of a list."""
        for place, value in enumerate(self._as(list, "a list")):
            yield Node(value, f"{self.where}[{place}]", self.file)

    def object(self) -> dict[str, Any]:
        """Return an object."""
        return self._as(dict, "an object")

    def inside(self) -> dict[str, Node]:
        """Return the values of an object by name; none where there is no object at all."""
        found = {} if self.value is None else self.object()
        return {name: self._inner(name, value) for name, value in found.items()}

    def label(self) -> str:
        """Return text, or a whole number as text."""
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        return str(self.value) if whole else self._as(str, "text")

    def labels(self) -> list[str]:
        """Return the labels in a list; none where there is no list at all."""
        return [] if self.value is None else [node.label() for node in self]

    def wrong(self, what: str) -> UnreadableFileError:
        """Return the error that something else should stand here."""
        place = f"{self.where or 'the top'} of {self.file}"
        return UnreadableFileError(
            f"there is {shorten(self.value)} instead of {what} at {place}",
            way_out="Get or write it again, or name its format.",
        )

    def _inner(self, name: str, value: Any) -> Node:
        return Node(value, f"{self.where}.{shorten(name, 40)[1:-1]}".lstrip("."), self.file)

    def _as(self, kind: type[Found], what: str) -> Found:
        if not isinstance(self.value, kind):
            raise self.wrong(what)
        return self.value
