"""Files of every format, plain and gzipped, from paths and from streams."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from steadyrank.data import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Votes,
    read_any,
)
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidDataError,
    InvalidSettingError,
    MissingPackageError,
    NotRecognisedError,
    UnreadableFileError,
)
from steadyrank.reading.files import open_source
from steadyrank.reading.typed_files import read_parquet

ROWS = [("007", 3), ("x y", 2), ("é", 1)]


def as_csv(mark: str = ",") -> bytes:
    lines = [
        mark.join(("choice", "count")),
        *(f"{label}{mark}{count}" for label, count in ROWS),
    ]
    return "\n".join(lines).encode()


def as_json_lines() -> bytes:
    return "\n".join(
        json.dumps({"choice": label, "count": n}) for label, n in ROWS
    ).encode()


def as_parquet() -> bytes:
    pl = pytest.importorskip("polars")
    out = io.BytesIO()
    frame = pl.DataFrame(
        {"choice": [label for label, _ in ROWS], "count": [n for _, n in ROWS]}
    )
    frame.write_parquet(out)
    return out.getvalue()


FORMATS = {
    "csv": as_csv,
    "tsv": lambda: as_csv("\t"),
    "jsonl": as_json_lines,
    "parquet": as_parquet,
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("named", [False, True], ids=["by content", "by name"])
@pytest.mark.parametrize("name", FORMATS)
def test_formats(name: str, named: bool, packed: bool, tmp_path: Path) -> None:
    content = FORMATS[name]()
    path = tmp_path / "data.bin"
    path.write_bytes(gzip.compress(content) if packed else content)
    for source in (path, str(path), io.BytesIO(path.read_bytes())):
        votes = Votes.read(source, format=name if named else None)
        assert votes.items == ("007", "x y", "é")
        assert votes.tally.tolist() == [3, 2, 1]


def test_other_delimiters_are_said() -> None:
    for mark in ";|":
        votes = Votes.read(io.BytesIO(as_csv(mark)))
        assert votes.tally.tolist() == [3, 2, 1]
        assert votes.notes[0] == f"fields read as separated by {mark!r}"


def test_parquet_without_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    content = as_parquet()
    monkeypatch.setattr("steadyrank.reading.files.find_spec", lambda _: None)
    with pytest.raises(
        MissingPackageError, match=r'pip install "steadyrank\[frames\]"'
    ):
        read_parquet(open_source(io.BytesIO(content)))


def test_damaged_parquet() -> None:
    content = as_parquet()
    with pytest.raises(UnreadableFileError, match="not a valid Parquet file"):
        read_parquet(open_source(io.BytesIO(content[: len(content) // 2])))


def test_every_kind_reads() -> None:
    def source(text: str) -> io.BytesIO:
        return io.BytesIO(text.encode())

    assert Ratings.read(source("user,item,rating\n1,2,3\n")).n_units == 1
    assert Battles.read(source("left,right,winner\nx,y,tie\n")).n_units == 1
    assert ScoreMatrix.read(source("x,y\n1,2\n")).items == ("x", "y")
    assert Regression.read(source("x,y\n1,2\n")).items == ("x",)
    assert Ballots.read(source("ballot,count\nx>y,2\n")).n_units == 2


class TestMovieLens:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("196\t242\t3\t881250949\n186\t302\t3\t891717742\n", "movielens"),
            ("196::242::3::881250949\n186::302::3::891717742\n", "movielens"),
            (
                "userId,movieId,rating,timestamp\n196,242,3.0,881250949\n186,302,3.0,891717742\n",
                None,
            ),
        ],
        ids=["u.data", "ratings.dat", "ratings.csv"],
    )
    def test_files(self, text: str, name: str | None) -> None:
        for told in (None, name):
            ratings = Ratings.read(io.BytesIO(text.encode()), format=told)
            assert (ratings.items, list(ratings.user_labels)) == (
                (242, 302),
                [186, 196],
            )
            assert ratings.values.tolist() == [3, 3]

    def test_lines_of_a_file_without_header(self) -> None:
        text = b"1::2::3::881250949\n1::2::4::881250949\n"
        with pytest.raises(InvalidDataError, match="on line 2 of the stream"):
            Ratings.read(io.BytesIO(text))


def preflib(orders: str, kind: str = "toi", **header: object) -> io.BytesIO:
    lines = [f"# FILE NAME: f.{kind}", "# TITLE: A test", f"# DATA TYPE: {kind}"]
    lines += [f"# {key.replace('_', ' ')}: {value}" for key, value in header.items()]
    lines += [
        f"# ALTERNATIVE NAME {n}: {name}"
        for n, name in enumerate(("Ann", "Bob", "Ann B."), 1)
    ]
    return io.BytesIO("\n".join([*lines, orders]).encode())


class TestPrefLib:
    @pytest.mark.parametrize("kind", ["soc", "soi", "toc", "toi"])
    def test_orders(self, kind: str) -> None:
        ballots = Ballots.read(preflib("2: 3,{1,2}\n1: 2\n", kind))
        assert ballots.items == ("Ann", "Bob", "Ann B.")
        assert list(ballots.units.labels) == ["Ann B. > Ann = Bob", "Bob"]
        assert ballots.counts.tolist() == [2, 1]
        assert ballots.notes == (f"read as PrefLib ({kind}): A test",)

    def test_categories(self) -> None:
        header = {
            "NUMBER_CATEGORIES": 2,
            "CATEGORY_NAME_1": "Yes",
            "CATEGORY_NAME_2": "No",
        }
        orders = "5: {1,3},{2}\n2: {},{1,2,3}\n1: 2,{1,3}"
        ballots = Ballots.read(preflib(orders, "cat", **header))
        assert ballots.approval
        assert list(ballots.units.labels) == ["{Ann, Ann B.}", "{}", "{Bob}"]
        assert ballots.notes[1] == "category 'Yes' read as approved"
        tiers = Ballots.read(preflib("5: {1,3},{2}", "cat", **header), approval=False)
        assert list(tiers.units.labels) == ["Ann = Ann B. > Bob"]

    @pytest.mark.parametrize(
        ("orders", "header", "match"),
        [
            ("2: 1,2", {"NUMBER_VOTERS": 3}, "NUMBER VOTERS 3, but there are 2"),
            (
                "2: 1,2",
                {"NUMBER_ALTERNATIVES": 4},
                "NUMBER ALTERNATIVES 4, but there are 3",
            ),
            ("2: 1,2\n1: 2,", {}, "line 8 of the stream is not of the form"),
            ("2: 1,9", {}, "line 7 of the stream ranks alternative 9"),
            ("2,1,3", {}, "not of the form"),
            ("x: 1,3", {}, "not of the form"),
        ],
    )
    def test_damage(self, orders: str, header: Any, match: str) -> None:
        with pytest.raises(UnreadableFileError, match=match):
            Ballots.read(preflib(orders, **header))

    def test_an_item_twice(self) -> None:
        with pytest.raises(
            InvalidDataError, match="names 'Bob' twice, on line 8 of the stream"
        ):
            Ballots.read(preflib("2: 1,2\n1: 2,{2,3}"))

    def test_no_ballots(self) -> None:
        with pytest.raises(EmptyDataError, match="no ballots"):
            Ballots.read(preflib(""))

    def test_names_that_occur_again(self) -> None:
        text = b"# DATA TYPE: soc\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Ann\n1: 2,1\n"
        ballots = Ballots.read(io.BytesIO(text))
        assert ballots.items == ("Ann (1)", "Ann (2)")
        assert "got their number added: 'Ann'" in ballots.notes[1]

    def test_wrong_uses(self) -> None:
        with pytest.raises(InvalidDataError, match="holds orders"):
            Ballots.read(preflib("1: 1"), approval=True)
        with pytest.raises(ColumnError, match="no column 'order' for the ballot"):
            Ballots.read(preflib("1: 1"), ballot="order")
        with pytest.raises(NotRecognisedError, match="holds ballots, not votes"):
            Votes.read(preflib("1: 1"))
        with pytest.raises(UnreadableFileError, match="not of the form"):
            Ballots.read(io.BytesIO(b"3\n1,Ann\n"), format="preflib")


def test_an_unknown_format() -> None:
    with pytest.raises(
        InvalidSettingError,
        match=r"format must be one of 'parquet'.*'csv', but is 'xlsx'",
    ):
        Votes.read(io.BytesIO(b"a\nb\n"), format="xlsx")


def test_files_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    real = Path.open

    def spy(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        stream = real(self, mode, *args, **kwargs)
        if "w" not in mode:  # the test itself writes
            opened.append(stream)
        return stream

    monkeypatch.setattr(Path, "open", spy)
    for content in (as_csv(), gzip.compress(as_csv()), as_json_lines(), as_parquet()):
        path = tmp_path / "f"
        path.write_bytes(content)
        Votes.read(path)
    for wrong in (
        b"",
        gzip.compress(as_csv())[:20],
        b"PK\x03\x04",
        b"a,b\n1\n",
        b'{"a": }',
    ):
        path.write_bytes(wrong)
        with pytest.raises(Exception, match=r"."):
            Votes.read(path)
    path.write_bytes(as_csv())
    for read in (Ballots.read, Votes.read, read_any):
        with pytest.raises(InvalidSettingError, match="format"):
            read(path, format="xlsx")
    path.write_bytes(preflib("1: 1,2").getvalue())
    Ballots.read(path)
    with pytest.raises(InvalidDataError, match="holds ballots, not votes"):
        read_any(path, kind="votes")
    assert len(opened) == 14
    assert all(stream.closed for stream in opened)
