"""PGN: games of chess and the like, each with tags that name the players and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steadyrank.errors import EmptyDataError
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted

TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*+)"\]\s*+\Z')
WINNER = {"1-0": "left", "0-1": "right", "1/2-1/2": "tie"}
BESIDE = ("Event", "Date", "Round")
"""Tags that may tell which games belong together."""


def read_pgn(file: OpenFile) -> Table:
    """Read the games as battles, White on the left; those without a result are left out."""
    games = list(_games(file))
    kept = [(line, tags) for line, tags in games if tags.get("Result") in WINNER]
    if not kept:
        raise EmptyDataError(f"{file.name} holds no game with a result")
    for line, tags in kept:
        if not tags.get("White") or not tags.get("Black"):
            raise file.wrong("begins a game without White or Black", "Correct its tags.", line)
    columns = {
        "left": [tags["White"] for _, tags in kept],
        "right": [tags["Black"] for _, tags in kept],
        "winner": [WINNER[tags["Result"]] for _, tags in kept],
    }
    for name in BESIDE:
        columns[name.lower()] = [tags.get(name, "") for _, tags in kept]
    notes = ["read as games (PGN): White is left, Black is right"]
    if gone := len(games) - len(kept):
        notes.append(f"{counted(gone, 'game')} without a result left out")
    made = as_table(columns).columns
    return Table(made, file.name, [line for line, _ in kept], notes, kind="battles")


def _games(file: OpenFile) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the tags of each game, with the line of the first."""
    begun, tags, moves = 0, dict[str, str](), False
    for line, text in file.lines():
        found = TAG.match(text.strip())
        if found is None:
            moves = True
            continue
        if not tags or moves or found[1] in tags:
            if tags:
                yield begun, tags
            begun, tags, moves = line, {}, False
        tags[found[1]] = found[2].replace("\\", "")
    if tags:
        yield begun, tags
