"""Names from strangers in cells: no formula, no torn line, no name lost, in every view."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from typing import TYPE_CHECKING

import pytest

from steadyrank import Study, Votes
from steadyrank.cli import main
from steadyrank.report.export import csv_text, guarded, to_csv, to_json
from steadyrank.report.sharing import table_fragment
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

SIGNS = [
    "=",
    "+",
    "-",
    "@",
    "＝",
    "＋",
    "－",
    "＠",
    "﹢",
    "﹣",
    "﹦",
    "﹫",
    "⁺",
    "₌",
    "−",
    "'",
    '"',
]
BLANKS = [
    " ",
    "\xa0",
    "\u2003",
    "\u3000",
    "\u200c",
    "\u200d",
    "\t",
    "\r",
    "\n",
    "\v",
    "\f",
    "\0",
    "\x1b",
]
BLANKS += [
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
    "\x85",
    "\u2028",
    "\u2029",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
]
OTHERS = [
    "a",
    "1",
    "é",
    "漢",
    "👩",
    ",",
    ";",
    "|",
    "(",
    "<",
    "&",
    "\\",
    "\u0301",
    "\ue000",
    "\u0378",
]


def drawn_name(rng: np.random.Generator) -> str:
    """Draw a name of a few letters, most of them harmful."""
    drawn = []
    for _ in range(int(rng.integers(1, 7))):
        pool = [SIGNS, BLANKS, BLANKS, OTHERS][int(rng.integers(4))]
        drawn.append(pool[int(rng.integers(len(pool)))])
    return "".join(drawn) + ["", "1+1", "x"][int(rng.integers(3))]


def is_formula(cell: str) -> bool:
    """Tell whether a spreadsheet that drops what cannot be seen at the beginning runs a cell."""
    while cell and (unicodedata.category(cell[0])[0] in "CZ" or cell[0].isspace()):
        cell = cell[1:]
    return cell != "" and unicodedata.normalize("NFKC", cell[0])[0] in "=+-@−"


def cells_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_no_cell_is_a_formula_and_none_is_lost(cases: Cases) -> None:
    risky = 0
    for rng in cases(3000):
        name = drawn_name(rng)
        cell = guarded(name)
        assert cell.removeprefix("'") == name
        assert not is_formula(cell)
        assert cell == name or cell == f"'{name}"
        assert cells_of(csv_text(["a", "b"], [(name, 1)]))[1] == [cell, "1"]
        tame = not is_formula(name) and name[0].isprintable() and name[0] != "'"
        if tame and all(letter.isprintable() for letter in name):
            assert cell == name  # what is harmless is left alone
        risky += is_formula(name)
    assert risky > 100


def test_no_name_ends_a_line_or_steers_a_view(cases: Cases) -> None:
    for rng in cases(40):
        names = list(dict.fromkeys(drawn_name(rng) for _ in range(4)))
        names = [name for name in names if name.strip()] + ["plain"]
        votes = Votes(
            [name for place, name in enumerate(names) for _ in range(20 - place)]
        )
        found = Study(votes).topk(1).findings()
        text = plain_text(found)
        assert text.splitlines() == text.split("\n")
        assert text.isprintable() or all(
            letter.isprintable() or letter in "\n\u200c\u200d\u3000\xa0\u2003"
            for letter in text
        )
        assert to_json(found).isascii()
        assert {row["item"] for row in json.loads(to_json(found))["rows"]} == set(names)
        assert {row[1].removeprefix("'") for row in cells_of(to_csv(found))[1:]} == set(
            names
        )
        page = table_fragment(found)
        assert not {"\u2028", "\u2029", "\x1b", "\u202e", "\0"} & set(page)


@pytest.mark.parametrize("length", [131_071, 131_073, 400_000])
def test_names_longer_than_the_csv_module_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    name = "=" + "x" * length
    rows = [{"choice": name, "count": 5}, {"choice": "b", "count": 3}]
    file = tmp_path / "votes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main(["topk", str(file), "-k", "1", "--csv"]) == 0
    found = capsys.readouterr()
    assert found.out.splitlines()[1].startswith(f"1,'{name},")
    assert found.err == ""
