"""PrefLib files: strict and tied orders (.soc .soi .toc .toi) and categories (.cat)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from steadyrank.errors import EmptyDataError, InvalidDataError, UnreadableFileError, listing, shorten
from steadyrank.reading.arrays import objects
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table

# Every quantifier keeps what it took ("++"): no line, however odd, is gone over again and again.
HEADER = re.compile(r"#\s*+([A-Z]++(?: ++[A-Z]++)*+)\s*+([0-9]*+)\s*+:(.*+)\Z", re.ASCII)
COUNT = re.compile(r"[0-9]{1,20}\s*+\Z", re.ASCII)
NUMBERED = re.compile(r"[0-9]{1,18}\s*+\Z", re.ASCII)
NUMBER = r"\s*+[0-9]{1,18}+\s*+"
TIED = rf"\s*+\{{(?:{NUMBER}(?:,{NUMBER})*+|\s*+)\}}\s*+"
ORDER = re.compile(rf"(?:{NUMBER}|{TIED})(?:,(?:{NUMBER}|{TIED}))*+\Z", re.ASCII)
TIER = re.compile(r"\{[^}]*\}|[0-9]+")
NUMBERS = re.compile("[0-9]+")
OLD_FORM = "PrefLib files from before 2022 have another form: get the present one."


@dataclass
class _Parsed:
    header: dict[str, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    categories: dict[int, str] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)
    orders: list[list[list[int]]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_preflib(file: OpenFile) -> Table:
    """Read ballots; of a .cat file the first category is the approved one.

    If the user said ``approval=False``, the categories of a .cat file are tiers, best first.
    """
    parsed, approval = _parse(file), file.given.get("approval")
    _check_header(parsed, file.name)
    kind, title = parsed.header.get("DATA TYPE", "orders"), parsed.header.get("TITLE", "no title")
    notes = [f"read as PrefLib ({kind}): {title}"]
    if parsed.categories or kind == "cat":
        approval = True if approval is None else approval
        best = parsed.categories.get(1, "1")
        notes.append(f"category {best!r} read as approved" if approval else "categories read as tiers")
    elif approval:
        raise InvalidDataError(f"{file.name} holds orders, not sets of approved items")
    labels = _unique_names(parsed, notes)
    orders = [[[labels[number] for number in tier] for tier in order] for order in parsed.orders]
    ballots = [order[0] if approval else [tier for tier in order if tier] for order in orders]
    table = as_table({"ballot": objects(ballots), "count": parsed.counts})
    said = {"items": list(labels.values()), "approval": bool(approval)}
    return Table(table.columns, file.name, parsed.lines, notes, kind="ballots", settings=said)


def _parse(file: OpenFile) -> _Parsed:
    parsed = _Parsed()
    for line, text in ((line, text.strip()) for line, text in file.lines()):
        if text.startswith("#"):
            _take_header(parsed, text, line, file)
            continue
        count, colon, order = text.partition(":")
        if not colon or not COUNT.match(count) or not ORDER.match(order):
            told = f"is not of the form count: 1,2,{{3,4}}: {shorten(text)}"
            raise file.wrong(told, OLD_FORM, line)
        tiers = [[int(number) for number in NUMBERS.findall(tier)] for tier in TIER.findall(order)]
        if strange := [number for tier in tiers for number in tier if number not in parsed.names]:
            raise file.wrong(f"ranks alternative {strange[0]}, which the header does not name", (), line)
        parsed.counts.append(int(count))
        parsed.orders.append(tiers)
        parsed.lines.append(line)
    return parsed


def _take_header(parsed: _Parsed, text: str, line: int, file: OpenFile) -> None:
    match = HEADER.match(text)
    if match is None:
        return  # a remark
    key, number, value = match.groups()
    named = {"ALTERNATIVE NAME": parsed.names, "CATEGORY NAME": parsed.categories}.get(key)
    if not number:
        parsed.header[key] = value.strip()
    elif named is not None:
        if not NUMBERED.match(number) or int(number) in named:
            told = f"names {key.split()[0].lower()} {shorten(number)} again, or the number is too long"
            raise file.wrong(told, "Give each a number of its own, of at most 18 digits.", line)
        named[int(number)] = value.strip()


def _check_header(parsed: _Parsed, name: str) -> None:
    if not parsed.orders:
        raise EmptyDataError(f"{name} holds no ballots")
    found = {
        "NUMBER ALTERNATIVES": len(parsed.names),
        "NUMBER VOTERS": sum(parsed.counts),
        "NUMBER UNIQUE ORDERS": len(parsed.orders),
    }
    for key, number in found.items():
        text = parsed.header.get(key, "")
        promised = int(text) if COUNT.match(text) else shorten(text)
        if text and promised != number:
            told = f"the header of {name} promises {key} {promised}, but there are {number:,}"
            raise UnreadableFileError(told, way_out="It is cut short or was changed: get it again.")


def _unique_names(parsed: _Parsed, notes: list[str]) -> dict[int, str]:
    """Return the names in order of the file; equal ones get their number behind them."""
    names = {number: name or str(number) for number, name in parsed.names.items()}
    doubled = {name for name, times in Counter(names.values()).items() if times > 1}
    if doubled:
        shown = listing(map(shorten, sorted(doubled)))
        notes.append(f"names that occur again got their number added: {shown}")
    return {number: f"{name} ({number})" if name in doubled else name for number, name in names.items()}
