"""JSON from outside, walked with the way to each value, and what files of scores come down to.

A value of another type than its tool writes is refused with its place, wherever it stands. In a file of
scores an item and a row of a task have metrics, of which one is taken.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

from steadyrank.arrays import is_missing
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    Option,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.files import OpenFile, open_source
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.words import known
from steadyrank.text import counted

Kind = TypeVar("Kind")
ONE_EACH = 'Write one object on each line, such as {"choice": "x"}.'


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; one that names something twice is no JSON that can be trusted."""
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise ValueError(
            f"{shorten(min(name for name in times if times[name] > 1))} is named twice"
        )
    return found


def load(file: OpenFile) -> Node:
    """Return the one value that a file of JSON holds."""
    try:
        return Node(
            json.loads(file.read_text(), object_pairs_hook=_once), "", file.name
        )
    except (ValueError, RecursionError) as error:
        told = f"is not JSON: {error}"
        raise file.wrong(told, "Get or write it again: it may be cut short.") from None


def load_lines(file: OpenFile) -> Iterator[tuple[int, Node]]:
    """Yield the objects of JSON lines, each with its line."""
    for line, text in file.lines():
        try:
            found = json.loads(text, object_pairs_hook=_once)
            why = f"there is {shorten(found)} instead of an object"
        except (ValueError, RecursionError) as error:
            found, why = None, str(error)
        if not isinstance(found, dict):
            raise file.wrong(f"is not one JSON object: {why}", ONE_EACH, line)
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
        told = f"there is {shorten(self.value)} instead of {what} at {place}"
        return UnreadableFileError(
            told, way_out="Get or write it again, or name its format."
        )

    def _inner(self, name: str, value: Any) -> Node:
        return Node(
            value, f"{self.where}.{shorten(name, 40)[1:-1]}".lstrip("."), self.file
        )

    def _as(self, kind: type[Kind], what: str) -> Kind:
        if not isinstance(self.value, kind):
            raise self.wrong(what)
        return self.value


class Entry(NamedTuple):
    """The metrics that an item has in a row.

    Attributes
    ----------
    item, row, task : str
        The task is what rows belong to, and may be the row itself.
    scores : mapping
        From the name of each metric to its value; lm-evaluation-harness adds a comma and a filter.
    node : Node
        Where it stands.
    lower : collection of str
        Metrics of which the file says that less is better.
    """

    item: str
    row: str
    task: str
    scores: Mapping[str, Any]
    node: Node
    lower: Collection[str] = ()


Found: TypeAlias = Iterator[Entry | str]
"""The entries of a file, and between them what is to be said; what is said again is counted."""


def read_scores(entries: Callable[[OpenFile], Found], file: OpenFile) -> Table:
    """Return a table of scores (row, item, score, task): one metric for each task.

    What is better when it is less gets a minus sign, unless the user said so, too.
    """
    every = list(entries(file))
    found = [one for one in every if isinstance(one, Entry)]
    said = Counter(one for one in every if isinstance(one, str))
    notes = [
        note if times == 1 else f"{note} ({times:,})" for note, times in said.items()
    ]
    chosen = _chosen(found, file, notes)
    of_tasks = [entry for entry in found if entry.task in chosen]
    kept = [entry for entry in of_tasks if chosen[entry.task] in entry.scores]
    if lost := {entry.row for entry in of_tasks} - {entry.row for entry in kept}:
        notes.append(f"{counted(len(lost), 'row')} without a score left out")
    scores = [entry.scores[chosen[entry.task]] for entry in kept]
    for row, entry in enumerate(kept):
        name = _metric(chosen[entry.task])
        if (
            name in entry.lower
            and _is_number(scores[row])
            and not file.given.get("lower_is_better")
        ):
            scores[row] = -scores[row]
            notes.append(f"less is better in {shorten(name)}: read with a minus sign")
    columns: dict[str, list[Any]] = {
        name: [getattr(entry, name) for entry in kept]
        for name in ("row", "item", "task")
    }
    if columns["task"] == columns["row"] or len(set(columns["task"])) == 1:
        del columns["task"]
    columns["score"] = scores
    places = [file.place(one.node.where, one.node.file) for one in kept]
    made, notes = as_table(columns).columns, list(dict.fromkeys(notes))
    return Table(made, file.name, places, notes, kind="scores", lead="at")


def _metric(name: str) -> str:
    """Return a metric without its filter."""
    return name.partition(",")[0]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not is_missing(value)


def _chosen(found: list[Entry], file: OpenFile, notes: list[str]) -> dict[str, str]:
    """Return the metric of each task but those that do not have the one asked for, and say it."""
    asked, metrics = file.given.get("metric"), dict[str, dict[str, None]]()
    asked = None if asked is None else str(asked)
    for entry in found:
        numbers = [name for name, value in entry.scores.items() if _is_number(value)]
        metrics.setdefault(entry.task, {}).update(dict.fromkeys(numbers))
    if not any(metrics.values()):
        raise EmptyDataError(f"{file.name} holds no scores")
    best = {task: _best(names, asked) for task, names in metrics.items()}
    chosen = {task: name for task, name in best.items() if name is not None}
    without = [task for task in best if task not in chosen]
    every = dict.fromkeys(name for names in metrics.values() for name in names)
    if not chosen or (without and asked is None):
        there = (
            listing(map(shorten, metrics[without[0]] if asked is None else every))
            or "no number"
        )
        told = (
            f"usual metric of {shorten(without[0])}"
            if asked is None
            else f"metric {shorten(asked)}"
        )
        way_out = ("Choose one that is there as ", Option("metric"))
        raise ColumnError(f"{file.name} holds no {told}, but {there}", way_out=way_out)
    tasks: dict[str, list[str]] = {}
    for task, name in chosen.items():
        tasks.setdefault(name, []).append(shorten(task))
    for name, of_tasks in tasks.items():
        which = f" of {listing(of_tasks)}" if len(tasks) > 1 else ""
        notes.append(f"{shorten(name)} read as the score{which}")
    if others := [shorten(name) for name in every if name not in tasks]:
        notes.append(f"metrics not taken: {listing(others)}")
    if without:
        notes.append(
            f"left out, without {shorten(asked)}: {listing(map(shorten, without))}"
        )
    return chosen


def _best(names: Collection[str], asked: str | None) -> str | None:
    """Return the metric to take of those that there are: as asked, as usual, or the only one."""
    if asked in names:
        return asked
    for wanted in known("metrics") if asked is None else [asked]:
        if fitting := [name for name in names if _metric(name) == wanted]:
            return min(fitting, key=lambda name: not name.endswith(",none"))
    return next(iter(names)) if asked is None and len(names) == 1 else None


def beside(file: OpenFile, name: str) -> Node | None:
    """Return what a file of JSON in the same folder holds, None where there is no such file."""
    path = file.path.absolute().with_name(name) if file.path else None
    if path is None or not path.exists():
        return None
    with closing(open_source(path)) as other:
        return load(other)


def folder_of(file: OpenFile, *apart: str) -> str:
    """Return the name of the nearest folder that a file is in, but those that are called so."""
    above = file.path.absolute().parents if file.path else ()
    return next(
        (path.name for path in above if path.name and path.name not in apart), file.name
    )
