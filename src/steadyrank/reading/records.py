"""Tables in documents of JSON: records, wherever they lie.

A list of objects is a table, and so is an object of equally long lists. Of objects within objects, the
first on the way down that name the same are records, and the names on the way make columns; lists of
records and numbers at the end of the way are named so, too. Otherwise tables are looked for inside.
Objects within records become columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, islice
from typing import Any

from steadyrank import errors
from steadyrank.arrays import is_missing
from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.adapters.documents import load, load_lines
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.text_columns import TextColumn

LIKE_THIS = 'A table in JSON looks like [{"choice": "x"}, {"choice": "y"}].'
KEYS, VALUE = ("name", "key"), "value"
"""What the columns are called that hold names of objects, if none of these is there, and numbers."""
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
"""What is a number also in quotes."""
ALIKE = 0.5
"""Objects of one sort have more than this share of all their names, in the mean."""
FIELDS = 10
"""With more numbers by name than this, an object on the only line is no row."""
MOST_COLUMNS = 500
Record = dict[str, Any]


def read_json_lines(file: OpenFile) -> Table:
    r"""Read one object on each line; a name that a line lacks is a missing value.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> table = read_json_lines(open_source(io.BytesIO(b'{"a": "007"}\n{"a": "8", "b": 1}\n')))
    >>> table.labels("a").tolist(), table.labels("b").tolist()
    (['007', '8'], [None, 1])
    """
    return _table_of(
        file, lambda part: ((line, node.value) for line, node in load_lines(part)), []
    )


def read_json(file: OpenFile) -> Table:
    r"""Read the records of a document, such as a list of objects.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> table = read_json(open_source(io.BytesIO(b'{"x": {"a": 1},\n "y": {"a": 2, "b": {"c": 3}}}')))
    >>> {name: table.labels(name).tolist() for name in table.names}
    {'name': ['x', 'y'], 'a': [1, 2], 'b.c': [None, 3]}
    """
    notes, guessed = list[str](), dict[str, Any]()
    table = _table_of(
        file, lambda part: enumerate(_rows_of(part, notes, guessed)), notes
    )
    return replace(table, lead="at index", guessed=guessed)


def is_one_document(file: OpenFile) -> bool:
    """Tell whether a file is one value of JSON, and not an object on each line.

    An object on the only line is a row, such as a ballot, unless it holds a table.
    """
    first, *more = [line for line in file.text_head.splitlines() if line.strip()][
        :2
    ] or [b""]
    if not first.lstrip().startswith(b"{"):
        return first.lstrip().startswith(b"[")
    try:
        found = json.loads(first)
        inner = [*found.values()]
        row = more or (
            len(inner) == 1
            and isinstance(inner[0], list)
            and not _are_objects(inner[0])
        )
        sizes = ((len(rows), {*rows[0]}) for _, rows in tables_in(found))
        return not row and any(
            n > (FIELDS if names == {KEYS[0], VALUE} else 1) for n, names in sizes
        )
    except (ValueError, RecursionError):
        return not (more and more[0].lstrip().startswith(b"{"))


def tables_in(value: Any, path: str = "") -> Iterator[tuple[str, list[Record]]]:
    """Yield the tables of a document, each with the way to it.

    Examples
    --------
    >>> list(tables_in({"season": 7, "games": [{"home": "x"}, {"home": "y"}]}))
    [('games', [{'home': 'x'}, {'home': 'y'}])]
    >>> list(tables_in({"x": {"t1": 0.8, "t2": 0.9}, "y": {"t3": 0.7}, "z": {"t4": 0.6}}))[0][1][:2]
    [{'name': 'x', 'key': 't1', 'value': 0.8}, {'name': 'x', 'key': 't2', 'value': 0.9}]
    """
    inside = value if isinstance(value, dict) else {}
    columns = _rows_of_columns(inside)
    rows = value if _are_objects(value) else columns or _rows_of_object(inside)
    if rows:
        yield path, rows
    lists = any(
        isinstance(one, list) for one in inside.values()
    )  # each of which is a table, too
    for name, inner in inside.items() if not columns and (lists or not rows) else ():
        yield from tables_in(inner, f"{path}.{name}".lstrip("."))


def _rows_of_columns(found: Mapping[str, Any]) -> list[Record]:
    """Return an object of columns as records: lists of one length, or as pandas writes a frame."""
    columns = list(found.values())
    if columns and all(isinstance(one, dict) and len(one) > 1 for one in columns):
        counted = [str(row) for row in range(len(columns[0]))]
        columns = [list(one.values()) if [*one] == counted else one for one in columns]
    lists = (
        all(isinstance(one, list) for one in columns) and len({*map(len, columns)}) == 1
    )
    if not lists or all(map(_are_objects, columns)):
        return []  # where each of the lists is a table, too
    return [dict(zip(found, row, strict=True)) for row in zip(*columns, strict=True)]


def _rows_of_object(found: Mapping[str, Any]) -> list[Record]:
    """Return what lies in objects of objects as records, which the names on the way to it name.

    That are the first objects on the way that are of one sort, or lists of such, or numbers.
    """
    level: list[tuple[tuple[str, ...], Any]] = [
        ((name,), one) for name, one in found.items()
    ]
    while len(level) > 1 and all(isinstance(one, dict) for _, one in level):
        deeper = [
            ((*way, name), one) for way, each in level for name, one in each.items()
        ]
        lists = all(isinstance(one, list) for _, one in deeper) and len(deeper) > len(
            level
        )
        # Objects that hold nothing but objects of objects would have too many columns.
        deep = all(
            isinstance(one, dict) and _are_objects([*one.values()]) for _, one in deeper
        )
        if not lists and not deep and _overlap([one for _, one in level]) > ALIKE:
            return _with_names(level)
        level = deeper
    if len(level) > 1 and all(_are_objects(one) for _, one in level):
        every = [(way, one) for way, several in level for one in several]
        several = len({name for _, one in every for name in one}) > 1
        return (
            _with_names(every)
            if several and _overlap([one for _, one in every]) > ALIKE
            else []
        )
    if len(level) < 2 or not all(
        isinstance(one, int | float | None) for _, one in level
    ):
        return []
    return _with_names([(way, {VALUE: one}) for way, one in level])


def _with_names(placed: Sequence[tuple[tuple[str, ...], Record]]) -> list[Record]:
    """Return records with the names on the way to each."""
    taken = {name for _, one in placed for name in one}
    called = (
        key for key in chain(KEYS, map("key_{}".format, count(2))) if key not in taken
    )
    keys = list(islice(called, len(placed[0][0])))
    return [dict(zip(keys, way, strict=True)) | fields for way, fields in placed]


def _overlap(objects: Sequence[Mapping[str, Any]]) -> float:
    """Return which share of all names an object has in the mean."""
    names = {name for one in objects for name in one}
    return sum(map(len, objects)) / max(1, len(names) * len(objects))


def _are_objects(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, dict) for one in found)


def _rows_of(part: OpenFile, notes: list[str], guessed: dict[str, Any]) -> list[Record]:
    """Return the only table, that which was asked for, or the longest."""
    top, asked = load(part), part.given.get("sheet")
    if isinstance(top.value, list) and (
        not top.value or isinstance(top.value[0], dict)
    ):
        if asked is not None:
            told = f"sheet says nothing about json that is one list, as {top.file} is"
            raise errors.InvalidDataError(told, way_out=["Omit ", Option("sheet")])
        return _inner([node.object() for node in top], notes)
    every = dict(tables_in(top.value))
    # Numbers by name may also be settings, beside a table.
    tables = {
        path: rows for path, rows in every.items() if not {*rows[0]} <= {*KEYS, VALUE}
    } or every
    if not tables:
        columns = top.value if isinstance(top.value, dict) else {}
        named = (
            f", but an object of {listing(map(shorten, columns))}" if columns else ""
        )
        told = f"{top.file} is neither a list of objects nor an object of equally long lists{named}"
        raise errors.NotRecognisedError(told, way_out=LIKE_THIS)
    chosen = part.chosen(
        "table", tables, max(tables, key=lambda name: len(tables[name]))
    )
    if asked is None and not all(name.startswith(chosen) for name in tables):
        guessed["sheet"] = chosen
    if chosen:
        notes.append(
            f"the table {shorten(chosen)} taken of {listing(map(shorten, tables))}"
        )
    return _inner(tables[chosen], notes)


def _inner(rows: list[Record], notes: list[str]) -> list[Record]:
    """Return the records that lie in one list of each record, with what is beside it.

    Examples
    --------
    >>> _inner([{"season": 7, "teams": [{"name": "x"}, {"name": "y"}]}], [])
    [{'season': 7, 'name': 'x'}, {'season': 7, 'name': 'y'}]
    """
    names = (
        [name for name, inside in rows[0].items() if inside and _are_objects(inside)]
        if rows
        else []
    )
    whole = len(names) == 1 and all(_are_objects(row.get(names[0])) for row in rows)
    inner = [(row, one) for row in rows for one in row[names[0]]] if whole else []
    if len(inner) <= len(rows) or _overlap([one for _, one in inner]) <= ALIKE:
        return rows
    notes.append(f"what is in {shorten(names[0])} read as rows")
    twice = {name for row, one in inner for name in row.keys() & one.keys()}
    return [
        {name: value for name, value in row.items() if name not in names}
        | {
            f"{names[0]}.{name}" if name in twice else name: value
            for name, value in one.items()
        }
        for row, one in inner
    ]


def _table_of(
    file: OpenFile,
    placed: Callable[[OpenFile], Iterable[tuple[int, Record]]],
    notes: list[str],
) -> Table:
    """Return the table of objects, which come with their places in each file."""
    every = [
        (file.place(at, part.name), row)
        for part in file.parts()
        for at, row in placed(part)
    ]
    if not every:
        raise errors.EmptyDataError(f"{file.name} holds no rows")
    names = dict.fromkeys(name for _, row in every for name in row)
    columns = _set_out(
        {n: [row.get(n) for _, row in every] for n in names}, {*names}, notes
    )
    texts = {name: TextColumn.of(["" if is_missing(v) else v for v in cells])
             for name, cells in columns.items() if _are_numbers_in_text(cells)}  # fmt: skip
    if texts:
        notes.append(
            f"numbers in quotes read as numbers: {listing(map(shorten, texts))}"
        )
    made = {**as_table(columns).columns, **texts}
    return Table(
        made, file.name, [place for place, _ in every], list(dict.fromkeys(notes))
    )


def _are_numbers_in_text(cells: Sequence[Any]) -> bool:
    """Tell whether a column holds plain numbers in quotes, as on the web; 007 is none."""
    there = [value for value in cells if not is_missing(value)]
    return bool(there) and all(
        isinstance(v, str) and NUMBER.fullmatch(v.strip()) for v in there
    )


def _set_out(
    given: dict[str, list[Any]], taken: set[str], notes: list[str]
) -> dict[str, list[Any]]:
    """Return columns; objects inside that name the same become columns, too."""
    columns: dict[str, list[Any]] = {}
    for name, cells in given.items():
        there = [value for value in cells if not is_missing(value)]
        objects = there if all(isinstance(value, dict) for value in there) else []
        full = {part: f"{name}.{part}" for one in objects for part in one}
        alike = 0 < len(full) <= MOST_COLUMNS and _overlap(objects) > ALIKE
        if not alike or not taken.isdisjoint(full.values()):
            columns[name] = cells
            continue
        taken |= {*full.values()}
        notes.append(
            f"what is in {shorten(name)} read as columns {listing(map(shorten, full.values()))}"
        )
        every = [{} if is_missing(value) else value for value in cells]
        parts = {to: [one.get(part) for one in every] for part, to in full.items()}
        columns |= _set_out(parts, taken, notes)
    return columns
