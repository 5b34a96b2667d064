"""Names cut in the middle: exact columns, both ends kept, nothing that belongs together torn."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from steadyrank.text import columns_of, fitted, shortened, shown

if TYPE_CHECKING:
    from numpy.random import Generator

    from adversary.conftest import Cases

ALPHABET = [
    "a",
    "Z",
    " ",
    "7",
    "漢",
    "名",
    "é",
    "e\u0301",
    "\x1b",
    "\u202e",
    "👩\u200d🔬",
    "☕",
    "\n",
    "ß",
]
"""Each belongs together: a letter with its accent, an emoji of two that are joined, an escape."""


def pieces(rng: Generator) -> list[str]:
    size = int(rng.choice([0, 1, 3, 8, 30, 400]))
    return [ALPHABET[place] for place in rng.integers(len(ALPHABET), size=size)]


def the_slow_way(whole: list[str], most: int, encoding: str, more: str) -> str:
    """Try every pair of ends, and take the longest that are no longer than their halves."""
    safe = [shown(piece, encoding) for piece in whole]
    if columns_of("".join(safe)) <= most:
        return "".join(safe)
    room = most - len(more)
    starts = [safe[:size] for size in range(len(safe) + 1)]
    ends = [safe[size:] for size in range(len(safe), -1, -1)]
    start = max(
        (s for s in starts if columns_of("".join(s)) <= room - room // 2),
        key=len,
        default=[],
    )
    end = max(
        (e for e in ends if columns_of("".join(e)) <= room // 2), key=len, default=[]
    )
    return "".join([*start, more[:most], *end])


def test_both_ends_are_kept_whole(cases: Cases) -> None:
    for rng in cases(100):
        whole, most = pieces(rng), int(rng.integers(0, 45))
        # Where a poor terminal shows a joined emoji in parts, those may be parted.
        encoding, more = ("utf-8", "…") if rng.random() < 0.7 else ("utf-8", "...")
        found = shortened("".join(whole), most, encoding=encoding, more=more)
        assert found == the_slow_way(whole, most, encoding, more)


def test_exactly_the_columns_asked_for_in_any_encoding(cases: Cases) -> None:
    for rng in cases(300):
        name, width = "".join(pieces(rng)), int(rng.integers(0, 45))
        encoding = str(rng.choice(["utf-8", "ascii", "latin-1", "cp1252", "gb2312"]))
        found = fitted(name, width, encoding=encoding, more="...")
        assert columns_of(found) == width
        assert cell_len(found) == width
        assert not any(unicodedata.category(letter) == "Cc" for letter in found)


@pytest.mark.parametrize("length", [50, 10_000, 300_000])
def test_a_long_name_shows_its_end(length: int) -> None:
    name = "item " + "x" * length + " no. 7"
    assert shortened(name, 12) == "item x… no. 7"[:6] + "…no. 7"


def test_letters_without_columns_do_not_hide_that_something_was_cut() -> None:
    name = "a" + "\u0301" * 5_000 + "b" * 3
    assert "…" in shortened(name, 4)
