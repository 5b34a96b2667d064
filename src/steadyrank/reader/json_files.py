"""JSON and JSON lines: objects are rows, and values the text that they are written as."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from steadyrank.errors import EmptyDataError, shorten
from steadyrank.reader.query import check_names
from steadyrank.reader.text_files import Packed
from steadyrank.reader.written import CHUNK, Chunks, written

BLANKS = re.compile(r"[ \t\n\r]*")
UNFIT = re.compile("[\0\ud800-\udfff]")  # no text that a database or a file may hold
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
OBJECTS = (
    'It must be a list of objects, or an object on each line, such as {"item": "A"}.'
)

Record = dict[str, str]


@dataclass
class JsonFile:
    """A file of objects, one on each line or all in a list."""

    file: Packed
    names: tuple[str, ...] = ()
    query: str = field(default="", repr=False)
    n_rows: int = 0

    @classmethod
    def open(cls, file: Packed, copy: Path) -> JsonFile:
        """Write the rows as text to the free path ``copy``, for a query over them."""
        file.look()
        found = cls(file)
        n_known = -1
        while n_known < len(found.names):  # again where later objects have other keys
            n_known = len(found.names)
            found.query, found.n_rows = written(found.chunks, found.names, copy)
        if not found.names:
            raise EmptyDataError(f"{file.name} holds no objects", way_out=OBJECTS)
        check_names(file.name, found.names)
        return found

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.file.name

    def chunks(self) -> Chunks:
        """Yield the rows in blocks: a cell for each key that was seen so far."""
        keys = dict.fromkeys(self.names)
        records = self.records()
        while block := list(islice(records, CHUNK)):
            for _, record in block:
                keys.update(dict.fromkeys(record))
            yield [[record.get(key, "") for key in keys] for _, record in block]
        self.names = tuple(keys)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield each object with the line where it begins."""
        with self.file.lines() as lines:
            line = 0
            for line, text in enumerate(lines, 1):
                place = _after_blanks(text, 0)
                first = text[place : place + 1]
                if first == "[" or (first == "{" and not _is_whole(text, place)):
                    whole = text + "".join(lines)
                    yield from self._objects(whole, place, line)
                elif first:
                    yield from self._objects(text, place, line)

    def _objects(
        self, text: str, place: int, line: int
    ) -> Iterator[tuple[int, Record]]:
        """Yield the objects of a list, or those that stand behind one another."""
        is_list = text[place] == "["
        counted = 0  # characters whose line ends are counted
        try:
            place = _after_blanks(text, place + is_list)
            while text[place : place + 1] not in {"", "]"}:
                line += text.count("\n", counted, place)
                counted = place
                record, place = _object(text, place)
                yield line, record
                place = _after_blanks(text, place)
                if is_list and text[place : place + 1] != "]":
                    place = _after_blanks(text, _behind(text, place, ","))
            if is_list:
                place = _after_blanks(text, _behind(text, place, "]"))
            _check_end(text, place)
        except json.JSONDecodeError as error:
            line += text.count("\n", counted, error.pos)
            raise self.file.wrong(error.msg, line, OBJECTS) from None
        except RecursionError:
            raise self.file.wrong("nested too deep", line, OBJECTS) from None

    def place(self, row: int) -> str:
        """Return where a row, counted from 0, begins."""
        line, _ = next(islice(self.records(), row, None))
        return f"{self.file.name}, line {line:,}"


def _check_end(text: str, place: int) -> None:
    if place < len(text):
        raise json.JSONDecodeError("more than one list", text, place)


def _after_blanks(text: str, place: int) -> int:
    return BLANKS.match(text, place).end()  # type: ignore[union-attr]


def _behind(text: str, place: int, mark: str) -> int:
    if text[place : place + 1] != mark:
        raise json.JSONDecodeError(f"{mark!r} is missing", text, place)
    return place + 1


def _is_whole(text: str, place: int) -> bool:
    """Whether an object ends on the line where it begins."""
    try:
        DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        return error.pos < len(text.rstrip())
    return True


def _object(text: str, place: int) -> tuple[Record, int]:
    """Return an object, whose values stay as they are written, and the place behind it."""
    if text[place] != "{":
        raise json.JSONDecodeError("this is no object", text, place)
    record: Record = {}
    place = _after_blanks(text, place + 1)
    if text[place : place + 1] == "}":
        return record, place + 1
    while True:
        start = place
        _behind(text, place, '"')
        key, place = _value(text, place)
        place = _behind(text, _after_blanks(text, place), ":")
        if key in record:
            raise json.JSONDecodeError(f"the key {shorten(key)} twice", text, start)
        record[key], place = _value(text, _after_blanks(text, place))
        place = _after_blanks(text, place)
        if text[place : place + 1] == "}":
            return record, place + 1
        place = _after_blanks(text, _behind(text, place, ","))


def _value(text: str, place: int) -> tuple[str, int]:
    value, end = DECODER.raw_decode(text, place)
    if value is None:
        return "", end
    if text[place] != '"':
        return text[place:end], end
    if UNFIT.search(value):
        raise json.JSONDecodeError("NUL or half a character", text, place)
    return value, end
