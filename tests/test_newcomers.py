"""What CONTRIBUTING says about adding a format, a kind of data and an operator, done here.

A scorer of one's own is added in tests/scorers/test_registry.py.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypedDict

import numpy as np
import pytest
from steadyrank.reading.declarations import Form, Kind, Role
from steadyrank.reading.formats import FORMATS, Format

from steadyrank import Study, Votes, read_any
from steadyrank.cli import main
from steadyrank.data import Units, scan_any
from steadyrank.data.kinds import KINDS
from steadyrank.data.observations import Observations
from steadyrank.labels import encode
from steadyrank.reading.table import GivenColumn, Table
from steadyrank.study.audit import audit as auditing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from steadyrank.reading.files import OpenFile


# A format: its reader, and one entry in the table of formats.


def read_tally(file: OpenFile) -> Table:
    """Read lines such as ``ann ||| ||``: a name and as many strokes as it has votes."""
    rows = [
        line.split(maxsplit=1) for line in file.read_all().decode().splitlines()[1:]
    ]
    columns = {
        "choice": [name for name, _ in rows],
        "count": [text.count("|") for _, text in rows],
    }
    return Table(
        {name: GivenColumn(column, name) for name, column in columns.items()},
        file.name,
        range(2, len(rows) + 2),
    )


TALLY = Format("tally", lambda file: file.first_line == b"TALLY", read_tally)


@contextmanager
def first_in(table: dict[str, Any], name: str, entry: Any) -> Iterator[None]:
    """Put an entry before all others of a table whose order matters, and take it away again."""
    known = dict(table)
    table.clear()
    table.update({name: entry, **known})
    try:
        yield
    finally:
        table.clear()
        table.update(known)


@pytest.fixture
def tally() -> Iterator[bytes]:
    with first_in(FORMATS, "tally", TALLY):  # before csv, which takes any text
        yield b"TALLY\nann |||| ||\nbob |||\n"


def test_a_new_format_is_its_reader_and_one_entry(
    tally: bytes, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert Votes.read(io.BytesIO(tally)).tally.tolist() == [6, 3]
    assert read_any(io.BytesIO(tally), format="tally").kind.name == "votes"
    file = tmp_path / "votes.txt"
    file.write_bytes(tally)
    assert main(["topk", str(file), "-k", "1"]) == 0
    assert "ann" in capsys.readouterr().out
    assert main(["topk", "--help"]) == 0
    assert "tally" in capsys.readouterr().out


# A kind of data: its class with one declaration, and its name in the table of kinds.


class PodiumArguments(TypedDict, total=False):
    """What podiums can be told."""

    gold: Annotated[str | None, Role("who came first", ("gold",))]
    silver: Annotated[str | None, Role("who came second", ("silver",))]
    count: Annotated[
        str | None, Role("how often", ("times",), holds="counts", argument="counts")
    ]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Podiums(Observations):
    """Races of which the first two are known; the unit is the race."""

    kind: ClassVar[Kind] = Kind(
        name="podiums",
        home=f"{__name__}.Podiums",
        unit="race",
        scorer="medals",
        arguments=PodiumArguments,
        forms=(Form("one row a race", ("gold", "silver"), may=("count",)),),
        on_engine="counted",
    )
    items: tuple[object, ...]
    gold: Any
    silver: Any
    notes: tuple[str, ...]

    def __init__(self, gold: Any, silver: Any, *, counts: Any = None) -> None:
        codes, items = encode([*gold, *silver])
        times = (
            np.ones(len(codes) // 2, dtype=int)
            if counts is None
            else np.asarray(counts)
        )
        first, second = np.array_split(codes, 2)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "gold", np.repeat(first, times))
        object.__setattr__(self, "silver", np.repeat(second, times))
        object.__setattr__(self, "notes", ())

    @cached_property
    def units(self) -> Units:
        return Units("race", np.ones(len(self.gold), dtype=int), range(len(self.gold)))

    @property
    def item_counts(self) -> Any:
        return np.bincount([*self.gold, *self.silver], minlength=len(self.items))

    def _copied(self, copies: Any) -> dict[str, Any]:
        return {
            "gold": np.repeat(self.gold, copies),
            "silver": np.repeat(self.silver, copies),
        }


def medals(data: Podiums) -> Any:
    """Two points for the first, one for the second."""
    size = len(data.items)
    return 2 * np.bincount(data.gold, minlength=size) + np.bincount(
        data.silver, minlength=size
    )


RACES = "gold,silver,times\nann,bob,3\nbob,ann,2\ncyd,ann,1\n"


@pytest.fixture
def podiums(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "races.csv"
    file.write_text(RACES, encoding="utf-8")
    with first_in(KINDS, "podiums", Podiums.kind):  # before votes, which take the rest
        yield file


def test_a_new_kind_is_its_declaration_and_one_name(
    podiums: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = read_any(podiums)
    assert isinstance(loaded, Podiums)
    assert loaded.notes[0] == "recognised as podiums by the columns 'gold', 'silver'"
    scanned = scan_any(pytest.importorskip("duckdb").read_csv(str(podiums)))
    assert isinstance(scanned, Podiums)
    assert sorted(scanned.gold) == sorted(loaded.gold)
    answer = Study(loaded, medals).topk(1, delta=0)
    assert answer.members[0] == "ann"
    assert loaded.without([0, 1]).n_units == 4
    assert main(["topk", "--help"]) == 0
    told = capsys.readouterr().out
    assert "--silver" in told
    assert "Podiums: who came second" in told
    assert main(["topk", str(podiums), "-k", "1", "--gold", "bronze"]) == 2
    assert "there is no column 'bronze' for the gold" in capsys.readouterr().err


# An audited operator: its function, and one line in the table of methods.


def within_half(eps: float) -> Any:
    """Return all items less than half of eps below the k-th best."""

    def members(rows: Any, window: Any, places: int) -> Any:
        return rows > window[:, :1] - eps / 2

    return members


def test_a_new_operator_is_its_function_and_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(auditing.TOPK_METHODS, "within_half", within_half)
    votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 29)
    found = Study(votes).audit(2, eps=0.05, methods=["topk", "within_half"])

    def same(data: Votes) -> set[object]:
        scores = Study(data).scores
        return set(np.array(data.items)[scores > np.sort(scores)[-2] - 0.025])

    broken = [len(same(votes) & same(votes.without([unit]))) < 2 for unit in range(3)]
    delta = votes.units.counts[broken].sum() / 99
    assert found.row("within_half", 2).delta == delta
    assert found.row("within_half", 2).size == len(same(votes)) == 3
    assert found.row("topk", 2).delta > 0
