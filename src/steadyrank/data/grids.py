"""Wide tables of scores: which columns hold them, what the rows are called, and where the items are.

Leaderboards put a model on each row and a benchmark in each column; tables of experiments put a task on
each row and a method in each column. A table looks the same both ways, and the two answers have
nothing in common. So the orientation is decided by what names say, and said; where they say nothing, or
contradict each other, both ways are shown and neither is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steadyrank._typing import IntArray
from steadyrank.data.observations import ITEM_NAMES
from steadyrank.errors import ColumnError, NotRecognisedError, Option, listing, shorten, two_readings
from steadyrank.reading.roles import Resolved
from steadyrank.reading.table import Guess, Table, simplify
from steadyrank.reading.unit_columns import sounds_like_a_unit
from steadyrank.reading.words import known, pattern, words_of

ROW_NAMES = known("row_columns")
"""What a column of tasks, questions or other rows is often called, best first."""

NUMBERED = re.compile(r"[A-Za-z_#-]{0,12}[ _-]?\d+\Z")
"""Names that only count: q17, task_3, 42."""
NEARLY = 0.5
"""The share of numbers from which on a column is one of numbers with faults."""
LOOKED_AT = 1000
"""How many names are looked at."""

FAR = 5
"""How many times the usual size of columns makes one that is perhaps no item."""
ITEMS = Option("items", several=True)

WAYS = {
    "rows": "a row for each item, a column for each task",
    "columns": "a column for each item, a row for each task",
}
"""The orientations of a wide table."""


@dataclass(frozen=True)
class Grid:
    """A wide table.

    Attributes
    ----------
    labels : str or None
        The column that names the rows.
    values : list of str
        The columns of scores.
    items_in : {"rows", "columns"}
    rows : int array
        The rows that hold scores, not sums of others.
    """

    labels: str | None
    values: list[str]
    items_in: str
    rows: IntArray


def grid_of(found: Resolved) -> Grid:
    """Find out how a wide table is laid out, and note what was guessed.

    The user may have named the column of what the rows are called, those of the scores, and where the
    items are; columns that play other roles are set apart.
    """
    table, columns, items_in = found.table, found.columns, found.settings.get("items_in")
    labels, values = columns.get("row") or columns.get("item"), columns.get("items")
    apart = {columns.get("unit"), columns.get("weights")}
    free = [name for name in table.names if name not in apart]
    numbers, texts = parted(table, [name for name in free if name != labels])
    if labels is not None or values is not None:
        items_in = items_in or "columns"  # who names the rows, or the columns as items, says so
    if labels is None and values is None:
        _check_no_long_table(table, texts, numbers)
        _check_no_winners(table, texts)
        labels = _label_column(table, texts, numbers)
    elif labels is None:
        labels = _first_text(table, free, values or ())
    if labels is not None:
        table.check_header(labels, table.labels(labels), droppable=False)
    numbers = numbers or table.number_columns({*apart, labels})  # which refuses texts
    scores = list(values) if values is not None else without_ids(table, numbers, labels)
    if items_in is None:
        items_in = _decided(table, labels, scores)
    if items_in == "rows":
        if labels is None:
            raise ColumnError(
                "no column names the items in the rows", way_out=["Name it as ", Option("row")]
            )
        if values is None:
            scores = _without_summaries(table, scores)
    elif scores and not values:
        _warn(table, labels, scores)
    rows = np.arange(len(table))
    if items_in == "columns" and labels is not None and values is None:
        rows = _without_summary_rows(table, labels)
    unused = [name for name in texts if name != labels]
    if unused and values is None:
        table.notes.append(f"columns without numbers not used: {listing(map(shorten, unused))}")
    return Grid(labels, scores, items_in, rows)


def parted(table: Table, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Part columns of numbers from columns of text; one that is nearly of numbers is refused.

    A field that was mistyped must not make a whole column go unread.
    """
    numeric = {name: not len(table) or table.is_numeric(name) for name in names}
    texts = [name for name in numeric if not numeric[name]]
    for name in texts:
        if is_nearly_numeric(table, name):
            table.numbers(name, missing=True)  # complains about the fields that are none
    return [name for name in numeric if numeric[name]], texts


def _check_no_long_table(table: Table, texts: Sequence[str], numbers: Sequence[str]) -> None:
    """Refuse a table with a column of rows, one of items that repeat, and others that may be scores."""
    ids = [name for name in numbers if simplify(name) not in known("trials") and table.is_whole(name)]
    item = next((name for name in (*texts, *ids) if simplify(name) in ITEM_NAMES), None)
    every = [name for name in (*texts, *numbers) if name != item]
    rows = [name for name in every if simplify(name) in ROW_NAMES or is_id(table, name)]
    scores = [name for name in numbers if name not in (item, *rows)]
    if item is None or not rows or not scores:
        return
    labels = table.labels(item).tolist()
    if len(set(labels)) == len(labels):
        return
    said = f"{shorten(item)} and {shorten(rows[0])} name an item and a row on each line, but "
    if len(scores) == 1:
        raise ColumnError(
            f"{said}{shorten(scores[0])} is not known as a score",
            way_out=["Say it with ", Option("score", scores[0]), " and ", Option("row", rows[0])],
        )
    raise two_readings(
        f"{said}{listing(map(shorten, scores))} can all be the score",
        [(Option("score", name), f"the score in {shorten(name)}") for name in scores[:2]],
    )


def _check_no_winners(table: Table, texts: Sequence[str]) -> None:
    """Refuse games whose sides nobody found; a winner among the columns is the best of a row."""
    for name in texts:
        if simplify(name) in {"winner", "loser"} and not set(table.labels(name)) <= {*table.names}:
            raise NotRecognisedError(
                f"{shorten(name)} says who won or lost, but no columns look like the two sides",
                way_out=[
                    "Name them as ", Option("left"), " and ", Option("right"),
                    ", or read scores without it: ", Option("ignore", name),
                ],
            )  # fmt: skip


def is_nearly_numeric(table: Table, name: str) -> bool:
    """Tell whether a column holds numbers, but perhaps for some fields."""
    return table.is_numeric(name) or table.columns[name].share_of_numbers() >= NEARLY


def is_id(table: Table, name: str) -> bool:
    """Tell whether a column of whole numbers is called like something that is numbered, not scored.

    Examples
    --------
    >>> from steadyrank.reading.table import as_table
    >>> names = ["query_id", "index", "Unnamed: 0", "session", "x1", "hard task"]
    >>> table = as_table({name: [1, 2] for name in names})
    >>> [name for name in names if is_id(table, name)]
    ['query_id', 'index', 'Unnamed: 0', 'session']
    """
    words = words_of(name)
    numbered = bool(words) and (words[-1] in known("ids", "numberings") or "id" in words)
    a_row = simplify(name) in {*ROW_NAMES, *known("trials")}
    a_unit = len(words) == 1 and sounds_like_a_unit(name)
    called = numbered or a_row or a_unit or words == ["unnamed", "0"]
    return called and table.is_numeric(name) and table.is_whole(name)


def _label_column(table: Table, texts: Sequence[str], numbers: Sequence[str]) -> str | None:
    """Return the column that names the rows: one called so, the first of text, or one of ids."""
    called = (name for name in texts if simplify(name) in {*ITEM_NAMES, *ROW_NAMES})
    ids = (name for name in numbers if is_id(table, name))
    return next(called, None) or next(iter(texts), None) or next(ids, None)


def _first_text(table: Table, free: Sequence[str], values: Sequence[str]) -> str | None:
    first = next((name for name in free if name not in values), None)
    return None if first is None or table.is_numeric(first) else first


def without_ids(table: Table, numbers: Sequence[str], labels: str | None = None) -> list[str]:
    """Return columns of numbers but for those of labels and ids, and note the latter."""
    ids = [name for name in numbers if name != labels and is_id(table, name)]
    if ids:
        shown = listing(map(shorten, ids))
        table.notes.append(
            Guess(f"taken as ids, not as numbers to compare: {shown}", f"{shown} as ids", ITEMS)
        )
    return [name for name in numbers if name != labels and name not in ids]


def _without_summaries(table: Table, names: list[str]) -> list[str]:
    words = {name: words_of(name) or [""] for name in names}
    first, last = known("facts_of_items"), known("spreads")
    about = [name for name in names if words[name][0] in first or words[name][-1] in last]
    if not about or len(about) == len(names):
        return names
    shown = listing(map(shorten, about))
    note = f"not taken as scores, but as sums or facts of the items: {shown}"
    table.notes.append(Guess(note, f"{shown} left out", ITEMS))
    return [name for name in names if name not in about]


def _without_summary_rows(table: Table, labels: str) -> IntArray:
    """Return the rows but for those that sum the others up, and note these."""
    names = table.labels(labels).tolist()
    sums = [name for name in names if simplify(name) in known("sums")]
    if not sums or len(sums) + 2 > len(names):
        return np.arange(len(names))
    shown = listing(map(shorten, sums))
    note = f"rows not taken as scores, but as sums of the others: {shown}"
    table.notes.append(Guess(note, f"the rows {shown} left out", ITEMS))
    return np.array([row for row, name in enumerate(names) if name not in sums])


def _decided(table: Table, labels: str | None, names: Sequence[str]) -> str:
    """Return where the items are, and note why; refuse where that cannot be told."""
    if labels is None:
        return "columns"
    if len(names) > 1 and {*map(str, table.labels(labels).tolist())} == {*names}:
        raise ColumnError(
            f"rows and columns have the same names: {listing(map(shorten, names))}",
            way_out=[
                "Wins are battles: give a row for each pair, with ", Option("wins_left"), " and ",
                Option("wins_right"), ". To take opponents as tasks, say ", Option("items_in", "rows"),
            ],
        )  # fmt: skip
    called = simplify(labels)
    told = {"rows": called in ITEM_NAMES, "columns": called in ROW_NAMES or sounds_like_a_unit(labels)}
    if sum(told.values()) == 1:
        found = "rows" if told["rows"] else "columns"
        return _noted(table, labels, found, f"the column {shorten(labels)}")
    signs = _signs(table, labels, names)
    if len(signs) == 1:
        ((found, why),) = signs.items()
        return _noted(table, labels, found, why)
    rows = listing(map(shorten, table.labels(labels)[:3].tolist()), len(table))
    raise two_readings(
        f"items can be the rows ({rows} in {shorten(labels)}) or the columns "
        f"({listing(map(shorten, names[:3]), len(names))})",
        [(Option("items_in", way), meaning) for way, meaning in WAYS.items()],
    )


def _signs(table: Table, labels: str, names: Sequence[str]) -> dict[str, str]:
    """Return for each orientation that something speaks for what that is."""
    rows = [str(label) for label in table.labels(labels)[:LOOKED_AT].tolist()]
    signs = {}
    is_model = pattern("models").search
    if _mostly(names, _is_measure) or _mostly(rows, is_model):
        signs["rows"] = "names of tasks and measures" if _mostly(names, _is_measure) else "model names"
    repeated = len(set(rows)) < len(rows)
    numbered = _mostly(rows, NUMBERED.match) and not _mostly(rows, is_model)
    tasks = _mostly(rows, _is_measure)
    if repeated or numbered or tasks or _mostly(names, is_model):
        signs["columns"] = "repeated rows" if repeated else "the names in it"
    return signs


def _warn(table: Table, labels: str | None, items: Sequence[str]) -> None:
    """Note that the items look like benchmarks or ids, which nobody ranks."""
    looks = {"benchmarks or measures": _is_measure, "ids": NUMBERED.match}
    what = next((what for what, test in looks.items() if _mostly(items, test)), None)
    if what is not None and labels is not None:
        brief = f"the items look like {what}: {listing(map(shorten, items))}"
        table.notes.append(Guess(brief, brief, Option("items_in", "rows")))
    peaks = np.nanmax(np.abs(table.matrix(items, missing=True)), axis=0, initial=0.0)
    far = [name for name, is_far in zip(items, peaks > FAR * np.median(peaks), strict=True) if is_far]
    if far:
        shown = listing(map(shorten, far))
        note = f"{shown} reaches {FAR} times as far as most columns and is taken as an item all the same"
        table.notes.append(Guess(note, f"{shown} as an item, though on another scale", ITEMS))


def _is_measure(name: str) -> bool:
    measured = any(word in known("measures") for word in words_of(name))
    return measured or pattern("benchmarks").match(simplify(name)) is not None


def _mostly(names: Sequence[str], test: object) -> bool:
    shown = names[:LOOKED_AT]
    return bool(shown) and 2 * sum(bool(test(str(name))) for name in shown) > len(shown)  # type: ignore[operator]


def _noted(table: Table, labels: str, found: str, why: str) -> str:
    other = "columns" if found == "rows" else "rows"
    brief = f"{WAYS[found]}, by {why}"
    note = (
        f"{shorten(labels)} taken as the names of the {'items' if found == 'rows' else 'rows'}: {brief}"
    )
    table.notes.append(Guess(note, brief, Option("items_in", other)))
    return found
