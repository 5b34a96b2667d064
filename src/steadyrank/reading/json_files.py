"""JSON and JSON lines: objects are rows, and values the text that they are written as."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from steadyrank.errors import EmptyDataError, shorten
from steadyrank.reading.text_files import Packed
from steadyrank.reading.written import Part, Record, recorded

BLANKS = re.compile(r"[ \t\n\r]*")
UNFIT = re.compile("[\0\ud800-\udfff]")  # no text that a database or a file may hold
DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
FLAT = json.JSONDecoder(object_pairs_hook=list, parse_int=str, parse_float=str)
CONSTANTS: dict[object, str] = {None: "", True: "true", False: "false"}
OBJECTS = (
    'It must be a list of objects, or an object on each line, such as {"item": "A"}.'
)


def open_json(file: Packed, copy: Path) -> Part:
    """Open a file of objects, one on each line or all in a list."""
    file.look()
    part = recorded(file.name, lambda: _records(file), copy)
    if not part.names:
        raise EmptyDataError(f"{file.name} holds no objects", way_out=OBJECTS)
    return part


def _records(file: Packed) -> Iterator[tuple[str, Record]]:
    """Yield each object with the line where it begins."""
    with file.lines() as lines:
        for line, first_text in enumerate(lines, 1):
            text = first_text
            place = _after_blanks(text, 0)
            if place == len(text):
                continue
            counted = 0  # characters whose line ends are counted
            try:
                if not _is_whole(text, place):
                    text += "".join(lines)
                for record, start in _objects(text, place):
                    line += text.count("\n", counted, start)  # noqa: PLW2901
                    counted = start
                    yield f"line {line:,}", record
            except json.JSONDecodeError as error:
                line += text.count("\n", counted, error.pos)  # noqa: PLW2901
                raise file.wrong(error.msg, line, OBJECTS) from None
            except RecursionError:
                raise file.wrong("nested too deep", line, OBJECTS) from None


def _is_whole(text: str, place: int) -> bool:
    """Whether a list or an object ends on the line where it begins."""
    try:
        DECODER.raw_decode(text, place)
    except json.JSONDecodeError as error:
        return error.pos < len(text.rstrip())
    return True


def _objects(text: str, place: int) -> Iterator[tuple[Record, int]]:
    """Yield the objects of a list, or those that stand behind one another."""
    is_list = text[place] == "["
    place = _after_blanks(text, place + is_list)
    while text[place : place + 1] not in {"", "]"}:
        start = place
        record, place = _object(text, place)
        yield record, start
        if is_list and text[place : place + 1] != "]":
            place = _behind(text, place, ",")
    if is_list:
        place = _behind(text, place, "]")
    if place < len(text):
        raise json.JSONDecodeError("more than one list", text, place)


def _object(text: str, place: int) -> tuple[Record, int]:
    """Return an object, whose values stay as they are written, and the place behind it."""
    if flat := _flat_object(text, place):
        return flat
    record: Record = {}
    place = _behind(text, place, "{")
    while text[place : place + 1] != "}" or record:
        start = place
        if text[place : place + 1] != '"':
            raise json.JSONDecodeError("a name in quotes is missing", text, place)
        key, place = _value(text, place)
        place = _behind(text, place, ":")
        if key in record:
            raise json.JSONDecodeError(f"the key {shorten(key)} twice", text, start)
        record[key], place = _value(text, place)
        if text[place : place + 1] == "}":
            break
        place = _behind(text, place, ",")
    return record, _behind(text, place, "}")


def _flat_object(text: str, place: int) -> tuple[Record, int] | None:
    """Return an object at once if nothing in it is nested, escaped or wrong."""
    if text[place] != "{":
        return None
    try:
        pairs, end = FLAT.raw_decode(text, place)
    except json.JSONDecodeError:
        return None
    record: Record = {
        key: value if type(value) is str else CONSTANTS[value]
        for key, value in pairs
        if type(value) is not list and type(value) is not float
    }
    if len(record) < len(pairs) or "\\u" in text[place:end]:
        return None
    return record, _after_blanks(text, end)


def _value(text: str, place: int) -> tuple[str, int]:
    """Return a value as text, and the place behind it and blanks."""
    value, end = DECODER.raw_decode(text, place)
    behind = _after_blanks(text, end)
    if value is None:
        return "", behind
    if text[place] != '"':
        return text[place:end], behind
    if UNFIT.search(value):
        raise json.JSONDecodeError("NUL or half a character", text, place)
    return value, behind


def _behind(text: str, place: int, mark: str) -> int:
    """Return the place behind a mark, and blanks; refuse where something else stands."""
    if text[place : place + 1] != mark:
        raise json.JSONDecodeError(f"{mark} is missing", text, place)
    return _after_blanks(text, place + 1)


def _after_blanks(text: str, place: int) -> int:
    return BLANKS.match(text, place).end()  # type: ignore[union-attr]
