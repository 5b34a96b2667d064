"""AlpacaEval: ``annotations.json``, where two generators answer an instruction and one is preferred."""

from __future__ import annotations

from typing import Any

from steadyrank.errors import EmptyDataError
from steadyrank.reading.adapters.documents import Node, load
from steadyrank.reading.arrays import is_missing
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted

EVEN = 1.5


def read_alpaca_eval(file: OpenFile) -> Table:
    """Read the preferences as battles, with the instruction as what could be the unit."""
    rows: list[tuple[Any, ...]] = []
    missing = shares = 0
    for part in file.parts():
        for node in load(part):
            if is_missing(node["preference"].value):
                missing += 1
                continue
            winner, instruction = _winner(node["preference"]), node["instruction"]
            shares += node["preference"].value not in {0, 1, EVEN, 2}
            sides = node["generator_1"].label(), node["generator_2"].label()
            place = file.place(node.where, part.name)
            rows.append((*sides, winner, instruction.value and instruction.label(), place))
    if not rows:
        raise EmptyDataError(f"{file.name} holds no preferences")
    notes = ["preferences of 1 to 2 taken as battles: below 1.5 the first wins, above it the second"]
    if shares:
        notes.append(f"{counted(shares, 'preference')} between 1 and 2 counted as a whole win")
    if missing:
        notes.append(f"{counted(missing, 'annotation')} without a preference left out")
    *columns, places = zip(*rows, strict=True)
    names = ("left", "right", "winner", "instruction")
    made = as_table(dict(zip(names, columns, strict=True))).columns
    return Table(made, file.name, places, notes, kind="battles", lead="at")


def _winner(node: Node) -> str:
    value = node.value
    if isinstance(value, bool | str | list | dict) or not (value == 0 or 1 <= value <= 2):
        raise node.wrong("a preference from 1 to 2, or 0 for a tie,")
    return "tie" if value in {0, EVEN} else "left" if value < EVEN else "right"
