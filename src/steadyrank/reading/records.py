"""Tables in documents of JSON and YAML: records, wherever they lie.

A list of objects is a table, and so is an object of equally long lists, or of objects that name the
same: there the names by which these go make a column. Otherwise tables are looked for inside. Objects
within records become columns, and a list of records below a few headings takes these along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from steadyrank import errors
from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.adapters.documents import Node, load, load_lines
from steadyrank.reading.arrays import is_missing
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.text_columns import TextColumn
from steadyrank.reading.words import known, words_of

LIKE_THIS = 'A table in JSON looks like [{"choice": "x"}, {"choice": "y"}].'
KEYS = ("name", "key", "key_")
"""What the column is called that holds the names of objects, the first that none of them has."""
ALIKE = 0.5
"""The share of all names that objects of one sort have at least, in the mean."""
HEADINGS = 3
"""With so many fields beside a list of records, these are what the file is about."""
MOST_COLUMNS = 500
LIST = "list"
"""What the only column is called of a list of lists."""
BOTH = ("1", "2")
"""What the columns are called of a list that always holds two: both sides, or their points."""

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
    return _table_of(file, lambda part: ((line, node.value) for line, node in load_lines(part)))


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
    return _document(file, load)


def read_yaml(file: OpenFile) -> Table:
    r"""Read the same as YAML writes it; numbers are told as in other files of text.

    Examples
    --------
    >>> import io
    >>> from steadyrank.reading.files import open_source
    >>> read_yaml(open_source(io.BytesIO(b"- team: x\n  points: 7\n- team: y\n"))).cells("points")
    ['7', '']
    """
    table = _document(file, _load_yaml)
    cells = {name: column.cells() for name, column in table.columns.items()}
    texts = {n: those for n, those in cells.items() if all(isinstance(c, str | None) for c in those)}
    plain = {name: TextColumn.of([cell or "" for cell in those]) for name, those in texts.items()}
    return replace(table, columns={**table.columns, **plain})


def _load_yaml(file: OpenFile) -> Node:
    file.needs("yaml", "yaml")
    file.needs("cli", "polars")
    import yaml  # type: ignore[import-untyped,unused-ignore]

    text = file.read_text()
    try:
        # What refers to another part of the file may stand for any amount of data.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            raise file.wrong("holds references, which are not followed", "Write them out.")
        return Node(yaml.load(text, yaml.BaseLoader), "", file.name)  # noqa: S506 (it makes texts alone)
    except (yaml.YAMLError, RecursionError) as error:
        told = f"is not valid YAML: {shorten(' '.join(str(error).split()), 120)}"
        raise file.wrong(told, "Get or write it again.") from None


def is_one_document(file: OpenFile) -> bool:
    """Tell whether a file is one value of JSON, and not an object on each line.

    An object on the only line is a row, such as a ballot, unless it holds a table.
    """
    first, *more = [line for line in file.text_head.splitlines() if line.strip()][:2] or [b""]
    if not first.lstrip().startswith(b"{"):
        return first.lstrip().startswith(b"[")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        return not (more and more[0].lstrip().startswith(b"{"))
    with suppress(RecursionError):
        row = more or (len(found) == 1 and _are_columns(found))
        return not row and any(len(rows) > 1 for _, rows in tables_in(found))
    return True


def tables_in(value: Any, path: str = "") -> Iterator[tuple[str, list[Record]]]:
    """Yield the tables of a document, each with the way to it.

    Examples
    --------
    >>> list(tables_in({"season": 7, "rounds": [{"day": 1, "games": [{"home": "x"}, {"home": "y"}]}]}))
    [('rounds', [{'day': 1, 'home': 'x'}, {'day': 1, 'home': 'y'}])]
    """
    if isinstance(value, list) and _are_named_one_by_one(value):
        yield from tables_in({name: inner for one in value for name, inner in one.items()}, path)
    elif isinstance(value, list):
        yield from ((path, rows) for rows in [_records_of(value, path)] if rows)
    elif isinstance(value, dict):
        data = value.get("data")
        split = [value.get("columns"), *(data if isinstance(data, list) else ())]
        if _are_rows(split):  # as pandas splits a frame
            yield from tables_in(split, path)
        elif _are_counted(value):
            rows = zip(*(one.values() for one in value.values()), strict=True)
            yield path, [dict(zip(value, row, strict=True)) for row in rows]
        elif _are_columns(value):
            yield path, [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]
        elif _are_records(value):
            yield path, _with_names({name: [fields] for name, fields in value.items()})
        else:
            if _are_parts(value):
                yield path, _unfolded(_with_names(value))
            for name, inner in value.items():
                yield from tables_in(inner, f"{path}.{name}".lstrip("."))


def _records_of(found: list[Any], path: str) -> list[Record]:
    """Return a list as records: objects, rows below a header, or ballots; none where it is neither."""
    if found and _are_objects(found):
        return _unfolded(found)
    if _are_rows(found):
        return [dict(zip(found[0], row, strict=True)) for row in found[1:]]
    ballots = len(found) > 1 and _are_ballots(found)
    return [{path.rpartition(".")[2] or LIST: one} for one in found] if ballots else []


def _are_rows(found: list[Any]) -> bool:
    """Tell whether a list holds lists of one length, the first of them a header."""
    if len(found) < 2 or not all(isinstance(one, list) and len(one) == len(found[0]) for one in found):
        return False
    texts = {name for name in found[0] if isinstance(name, str)}
    return len(texts) == len(found[0]) and texts.isdisjoint(map(str, found[1]))


def _are_ballots(found: list[Any]) -> bool:
    """Tell whether a list holds nothing but lists of names, or orders such as a > b."""
    if all(isinstance(one, list) for one in found):
        return all(isinstance(name, str) for one in found for name in one)
    return all(isinstance(one, str) and ">" in one for one in found)


def _are_counted(found: Mapping[str, Any]) -> bool:
    """Tell whether an object holds columns whose rows are numbered 0, 1, 2..., as pandas writes them."""
    inner = list(found.values())
    if not all(isinstance(one, dict) and len(one) > 1 for one in inner) or not inner:
        return False
    return all([*one] == [str(row) for row in range(len(inner[0]))] for one in inner)


def _are_columns(found: Mapping[str, Any]) -> bool:
    lists = [value for value in found.values() if isinstance(value, list)]
    if not found or len(lists) < len(found) or len(set(map(len, lists))) > 1:
        return False
    return not lists[0] or not all(map(_are_objects, lists))  # else each of them is a table


def _are_records(found: Mapping[str, Any]) -> bool:
    """Tell whether an object holds objects that are of one sort: they name the same, or only numbers."""
    inner = list(found.values())
    if len(inner) < 2 or not all(isinstance(one, dict) and one for one in inner):
        return False
    numbers = all(isinstance(value, int | float) for one in inner for value in one.values())
    return numbers or _overlap(inner) >= ALIKE


def _are_parts(found: Mapping[str, Any]) -> bool:
    """Tell whether an object holds lists of records that are all of one sort: a list for each week."""
    lists = list(found.values())
    if len(lists) < 2 or not all(one and _are_objects(one) for one in lists):
        return False
    every = [one for part in lists for one in part]
    return len({name for one in every for name in one}) > 1 and _overlap(every) >= ALIKE


def _are_named_one_by_one(found: list[Any]) -> bool:
    """Tell whether a list holds objects of one name each, no two the same, with more inside."""
    names = [name for one in found if isinstance(one, dict) and len(one) == 1 for name in one]
    apart = len({*names}) == len(names) == len(found) > 1
    return apart and all(isinstance(inner, list | dict) for one in found for inner in one.values())


def _with_names(parts: Mapping[str, list[Record]]) -> list[Record]:
    """Return records with the name of the part that each stands in."""
    taken = {name for part in parts.values() for one in part for name in one}
    key = next((key for key in KEYS if key not in taken), KEYS[0])
    return [{key: name} | fields for name, part in parts.items() for fields in part]


def _overlap(objects: Sequence[Mapping[str, Any]]) -> float:
    """Return which share of all names an object has in the mean."""
    names = {name for one in objects for name in one}
    return sum(map(len, objects)) / max(1, len(names) * len(objects))


def _unfolded(records: list[Record]) -> list[Record]:
    """Return the records that stand in lists below a few headings, with these; else those given."""
    lists = {n for one in records for n, v in one.items() if v and isinstance(v, list)}
    lists = {n for n in lists if all(_are_objects(one.get(n) or []) for one in records)}
    beside = {name for one in records for name in one} - lists
    about = {word for name in lists for word in words_of(name)[-1:]} <= {*known("records")}
    if len(lists) != 1 or (len(beside) > HEADINGS and not about):
        return records
    [name] = lists
    inside = [({n: one[n] for n in one if n != name}, one.get(name) or []) for one in records]
    return _unfolded([{**above, **below} for above, several in inside for below in several])


def _are_objects(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, dict) for one in found)


def _document(file: OpenFile, parsed: Callable[[OpenFile], Node]) -> Table:
    notes: list[str] = []
    guessed: dict[str, Any] = {}

    def rows(part: OpenFile) -> Iterable[tuple[int, Record]]:
        return enumerate(_rows_of(parsed(part), file.given.get("sheet"), notes, guessed))

    table = _table_of(file, rows)
    notes = list(dict.fromkeys([*notes, *table.notes]))
    return replace(table, lead="at index", notes=notes, guessed=guessed)


def _rows_of(top: Node, asked: str | None, notes: list[str], guessed: dict[str, Any]) -> list[Record]:
    """Return the only table, that which was asked for, or the longest."""
    plain = isinstance(top.value, list) and not _are_named_one_by_one(top.value)
    if plain and not any(isinstance(one, list) for one in top.value):
        if asked is not None:
            told = f"sheet says nothing about json that is one list, as {top.file} is"
            raise errors.InvalidDataError(told, way_out=["Omit ", Option("sheet")])
        return _unfolded([node.object() for node in top])
    tables = dict(tables_in(top.value))
    if not tables:
        columns = top.value if isinstance(top.value, dict) else {}
        named = f", but an object of {listing(map(shorten, columns))}" if columns else ""
        told = f"{top.file} is neither a list of objects nor an object of equally long lists{named}"
        raise errors.NotRecognisedError(told, way_out=LIKE_THIS)
    if asked is not None and asked not in tables:
        told = f"{top.file} has no table {shorten(asked)}, but {listing(map(shorten, tables))}"
        raise errors.ColumnError(told, way_out=["Choose one of these as ", Option("sheet")])
    chosen = asked or max(tables, key=lambda name: len(tables[name]))
    if chosen != asked and not all(name.startswith(chosen) for name in tables):
        guessed["sheet"] = chosen
    if chosen:
        notes.append(f"the table {shorten(chosen)} taken of {listing(map(shorten, tables))}")
    return tables[chosen]


def _table_of(file: OpenFile, placed: Callable[[OpenFile], Iterable[tuple[int, Any]]]) -> Table:
    """Return the table of objects, which come with their places in each file."""
    rows: list[Record] = []
    places: list[object] = []
    for part in file.parts():
        for place, row in placed(part):
            rows.append(row)
            places.append(file.place(place, part.name))
    if not rows:
        raise errors.EmptyDataError(f"{file.name} holds no rows")
    notes: list[str] = []
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, list[Any]] = {}
    _set_out({n: [row.get(n) for row in rows] for n in names}, columns, {*names}, notes)
    return Table(as_table(columns).columns, file.name, places, notes)


def _set_out(
    given: dict[str, list[Any]], columns: dict[str, list[Any]], taken: set[str], notes: list[str]
) -> None:
    """Put columns beside others; objects inside that name the same become columns, too."""
    for name, cells in given.items():
        values, there = cells, [value for value in cells if not is_missing(value)]
        if len(there) > 1 and all(isinstance(v, list) and len(v) == len(BOTH) for v in there):
            columns[name] = cells  # which may be a ballot, too
            values = [v if is_missing(v) else dict(zip(BOTH, v, strict=True)) for v in cells]
            there = [value for value in values if not is_missing(value)]
        inner = dict.fromkeys(n for v in there if isinstance(v, dict) for n in v)
        full = {part: f"{name}.{part}" for part in inner}
        alike = bool(inner) and all(isinstance(value, dict) for value in there)
        alike = alike and len(inner) <= MOST_COLUMNS and _overlap(there) >= ALIKE
        if not alike or not taken.isdisjoint(full.values()):
            columns.setdefault(name, values)
            continue
        taken |= {*full.values()}
        notes.append(
            f"what is in {shorten(name)} read as columns {listing(map(shorten, full.values()))}"
        )
        parts = {to: [(value or {}).get(part) for value in values] for part, to in full.items()}
        _set_out(parts, columns, taken, notes)
