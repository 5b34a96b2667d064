"""Slow, obvious readers of text files, which share nothing with ours: None where a file is refused."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

BLANKS = " \t\n\r\f\v"
Read = list[tuple[str, list[Any]]]
"""Columns with their names, in order; cells of text files as text."""


def as_text(content: bytes) -> str | None:
    """Return UTF-8 text without its mark, or None where it is none or holds NUL."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return None
    return (
        None if "\0" in text or content.startswith((b"\xff\xfe", b"\xfe\xff")) else text
    )


def first_line(text: str) -> str:
    """Return the first line that is not blank; only carriage returns and newlines end lines."""
    lines = text.replace("\r", "\n").split("\n")
    return next((line for line in lines if line.encode().strip()), "")


def read_csv(content: bytes, delimiter: str | None = None) -> Read | None:
    """Read a table with a header; the delimiter is the commonest of the first line."""
    text = as_text(content)
    if text is None:
        return None
    found = delimiter or max(",;\t|", key=first_line(text).count)
    try:
        rows = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=found, strict=True)
        )
    except csv.Error:
        return None
    rows = [row for row in rows if row]
    while rows and len(rows[0]) == 1 and not rows[0][0].strip():
        rows.pop(0)
    if not rows:
        return None
    names = [
        name.strip() or f"column_{place + 1}" for place, name in enumerate(rows.pop(0))
    ]
    if len(names) > 1:
        rows = [row for row in rows if len(row) > 1 or row[0].strip()]
    if len(set(names)) < len(names) or any(len(row) != len(names) for row in rows):
        return None
    return [(name, [row[place] for row in rows]) for place, name in enumerate(names)]


def read_json_lines(content: bytes) -> Read | None:
    """Read one object on each line, each name once."""
    text = as_text(content)
    if text is None:
        return None
    rows = []
    for line in text.replace("\r", "\n").split("\n"):
        if line.encode().strip():
            try:
                twice: list[bool] = []
                row = json.loads(
                    line,
                    object_pairs_hook=lambda pairs: _noted(pairs, twice),  # noqa: B023
                )
            except (ValueError, RecursionError):
                return None
            if not isinstance(row, dict) or twice:
                return None
            rows.append(row)
    columns: dict[str, list[Any]] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        columns[name] = [row.get(name) for row in rows]
        there = [cell for cell in columns[name] if cell is not None]
        if there and all(
            isinstance(cell, str) and _decimal(cell.strip()) for cell in there
        ):
            columns[name] = [cell or "" for cell in columns[name]]  # as in a text
        if len(there) > 1 and all(
            isinstance(cell, list) and len(cell) == 2 for cell in there
        ):
            for place in (0, 1):
                columns[f"{name}.{place + 1}"] = [
                    cell and cell[place] for cell in columns[name]
                ]
    return list(columns.items()) if rows else None


def _noted(pairs: list[tuple[str, Any]], twice: list[bool]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice += [True] * (len(set(names)) < len(names))
    return dict(pairs)


def _digits(text: str) -> bool:
    return 0 < len(text) <= 18 and all(letter in "0123456789" for letter in text)


def _decimal(text: str) -> bool:
    whole, point, part = text.removeprefix("-").partition(".")
    digits = all(letter in "0123456789" for letter in whole + part)
    return (
        digits
        and bool(whole)
        and (whole == "0" or whole[0] != "0")
        and bool(part) == bool(point)
    )


def _plain(text: str) -> bool:
    return _digits(text) and (text == "0" or not text.startswith("0"))


def read_preflib(content: bytes) -> tuple[list[list[list[str]]], list[int]] | None:
    """Read the ballots, each a list of tiers of names, and how often each occurs."""
    text = as_text(content)
    if text is None:
        return None
    header: dict[str, str] = {}
    names: dict[int, str] = {}
    orders: list[tuple[list[list[int]], int]] = []
    for line in map(str.strip, text.replace("\r", "\n").split("\n")):
        key, colon, value = line.removeprefix("#").partition(":")
        words = key.strip(BLANKS).rstrip("0123456789")
        number = key.strip(BLANKS).removeprefix(words)
        if line.startswith("#"):
            if colon and words.strip(BLANKS) == "ALTERNATIVE NAME" and number:
                if not _digits(number) or int(number) in names:
                    return None
                names[int(number)] = value.strip()
            elif colon and not number:
                header[words.strip(BLANKS)] = value.strip()
        elif line:
            tiers = _tiers(value)
            if not colon or not _digits(key.strip(BLANKS)) or tiers is None:
                return None
            if any(number not in names for tier in tiers for number in tier):
                return None
            orders.append((tiers, int(key)))
    if not orders or not _as_promised(header, names, orders):
        return None
    known = {number: name or str(number) for number, name in names.items()}
    often = list(known.values())
    called = {
        number: name if often.count(name) == 1 else f"{name} ({number})"
        for number, name in known.items()
    }
    ballots = [
        [[called[number] for number in tier] for tier in tiers if tier]
        for tiers, _ in orders
    ]
    return ballots, [count for _, count in orders]


def _as_promised(
    header: dict[str, str], names: dict[int, str], orders: list[Any]
) -> bool:
    sizes = {
        "NUMBER ALTERNATIVES": len(names),
        "NUMBER VOTERS": sum(count for _, count in orders),
        "NUMBER UNIQUE ORDERS": len(orders),
    }
    said = {key: header[key] for key in sizes if header.get(key)}
    return all(_digits(text) and int(text) == sizes[key] for key, text in said.items())


def _tiers(text: str) -> list[list[int]] | None:
    """Split at commas outside of braces, letter by letter."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if depth not in {0, 1}:
            return None
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    tiers = []
    for part in (part.strip(BLANKS) for part in parts):
        inside = part[1:-1] if part.startswith("{") and part.endswith("}") else part
        numbers = (
            [] if inside != part and not inside.strip(BLANKS) else inside.split(",")
        )
        if any(not _digits(number.strip(BLANKS)) for number in numbers):
            return None
        tiers.append([int(number) for number in numbers])
    return None if depth else tiers
