"""Files of every format, plain and gzipped, from paths and from streams."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steadyrank.data import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes, read_any
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidDataError,
    InvalidSettingError,
    MissingPackageError,
    NotRecognisedError,
    UnreadableFileError,
)
from steadyrank.reading import netflix
from steadyrank.reading.files import OpenFile, open_source
from steadyrank.reading.formats import read_table
from steadyrank.reading.typed_files import read_parquet

ROWS = [("007", 3), ("x y", 2), ("é", 1)]


def as_csv(mark: str = ",") -> bytes:
    lines = [mark.join(("choice", "count")), *(f"{label}{mark}{count}" for label, count in ROWS)]
    return "\n".join(lines).encode()


def as_json_lines() -> bytes:
    return "\n".join(json.dumps({"choice": label, "count": n}) for label, n in ROWS).encode()


def as_parquet() -> bytes:
    pl = pytest.importorskip("polars")
    out = io.BytesIO()
    frame = pl.DataFrame({"choice": [label for label, _ in ROWS], "count": [n for _, n in ROWS]})
    frame.write_parquet(out)
    return out.getvalue()


FORMATS = {"csv": as_csv, "tsv": lambda: as_csv("\t"), "jsonl": as_json_lines, "parquet": as_parquet}


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
        assert votes.notes[0] == f"fields taken as separated by {mark!r}"


def test_parquet_without_a_library() -> None:
    with pytest.raises(MissingPackageError, match=r'pip install "steadyrank\[frames\]"'):
        read_parquet(open_source(io.BytesIO(as_parquet())), "no_such_library")


def test_damaged_parquet() -> None:
    content = as_parquet()
    with pytest.raises(UnreadableFileError, match="not a sound Parquet file"):
        read_parquet(open_source(io.BytesIO(content[: len(content) // 2])))


def test_every_kind_reads() -> None:
    def source(text: str) -> io.BytesIO:
        return io.BytesIO(text.encode())

    assert Ratings.read(source("user,item,rating\n1,2,3\n")).n_units == 1
    assert Battles.read(source("left,right,winner\nx,y,tie\n")).n_units == 1
    assert ScoreMatrix.read(source("x,y\n1,2\n")).items == ("x", "y")
    assert Regression.read(source("x,y\n1,2\n")).items == ("x",)
    assert Ballots.read(source("ballot,count\nx>y,2\n")).n_units == 2


NETFLIX = "1:\n10,3,2005-09-06\n20,5,2005-05-13\n12:\n10,4,2005-10-19\n"


class TestNetflix:
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("block", [1, 7, 1 << 20])
    def test_blocks(self, end: str, block: int) -> None:
        text = io.BytesIO(NETFLIX.replace("\n", end).encode())
        file = OpenFile("ratings.txt", "utf-8", text, look_at=4, block=block)
        file.look()
        ratings = Ratings.from_table(netflix.read_netflix(file), {})
        assert (ratings.items, list(ratings.user_labels)) == ((1, 12), [10, 20])
        assert ratings.values.tolist() == [3, 4, 5]
        assert ratings.values.dtype == np.int8

    def test_folder(self, tmp_path: Path) -> None:
        (tmp_path / "mv_0000001.txt").write_text("1:\n10,3,2005-09-06\n")
        (tmp_path / "mv_0000002.txt").write_text("2:\n10,4,2005-09-06\n11,1,2005-09-06")
        ratings = Ratings.read(tmp_path)
        assert (ratings.items, ratings.values.tolist()) == ((1, 2), [3, 4, 1])
        assert "2 files of the folder read, mv_0000001.txt the first" in ratings.notes
        (tmp_path / "combined_data_1.txt").write_text(NETFLIX)
        assert Ratings.read(tmp_path).items == (1, 12)

    def test_long_csv(self) -> None:
        long = b"Cust_Id,Movie_Id,Rating,Date\n10,1,3,2005-09-06\n"
        assert Ratings.read(io.BytesIO(long), format="netflix").items == (1,)

    def test_duplicates_are_placed_by_file_and_line(self, tmp_path: Path) -> None:
        (tmp_path / "combined_data_1.txt").write_text(NETFLIX)
        (tmp_path / "combined_data_2.txt").write_text("1:\n30,1,2005-09-06\n20,2,2005-09-06\n")
        with pytest.raises(InvalidDataError, match=r"on line 3 \(combined_data_2.txt\)"):
            Ratings.read(tmp_path)

    def test_places_against_the_lines(self) -> None:
        table = read_table(io.BytesIO(NETFLIX.encode()))
        assert table.lines is not None
        assert [table.lines[row] for row in range(3)] == [f"{n} (the stream)" for n in (2, 3, 5)]

    @pytest.mark.parametrize(
        ("text", "match"),
        [
            ("1:\n10,3,2005-09-06\n10;4\n", "line 3 of the stream is neither"),
            ("1:\n10,x,2005-09-06\n", "line 2 of the stream is neither.*'10,x,2005-09-06'"),
            ("1:\n10\n", "line 2"),
            ("1:\n10,2005-09-06\n", "line 2"),
            ("1:\n10,1,2005-09-06,7\n11,2\n", "line 2"),
            ("1:\n\n10,1,2005-09-06\n", "line 2"),
        ],
    )
    def test_wrong_lines(self, text: str, match: str) -> None:
        with pytest.raises(UnreadableFileError, match=match):
            Ratings.read(io.BytesIO(text.encode()))

    def test_a_rating_before_the_first_movie(self) -> None:
        file = open_source(io.BytesIO(b"10,3,2005-09-06\n1:\n"))
        with pytest.raises(UnreadableFileError, match=r"line 1 .* before the first movie"):
            netflix.read_netflix(file)

    def test_no_ratings(self, tmp_path: Path) -> None:
        with pytest.raises(EmptyDataError, match="no ratings"):
            Ratings.read(io.BytesIO(b"1:\n2:\n"))
        with pytest.raises(NotRecognisedError, match="is a folder of nothing"):
            Ratings.read(tmp_path)


class TestMovieLens:
    @pytest.mark.parametrize("name", [None, "movielens"])
    @pytest.mark.parametrize(
        "text",
        [
            "196\t242\t3\t881250949\n186\t302\t3\t891717742\n",
            "196::242::3::881250949\n186::302::3::891717742\n",
            "userId,movieId,rating,timestamp\n196,242,3.0,881250949\n186,302,3.0,891717742\n",
        ],
        ids=["u.data", "ratings.dat", "ratings.csv"],
    )
    def test_files(self, text: str, name: str | None) -> None:
        ratings = Ratings.read(io.BytesIO(text.encode()), format=name)
        assert (ratings.items, list(ratings.user_labels)) == ((242, 302), [186, 196])
        assert ratings.values.tolist() == [3, 3]

    def test_lines_of_a_file_without_header(self) -> None:
        text = b"1::2::3::881250949\n1::2::4::881250949\n"
        with pytest.raises(InvalidDataError, match="on line 2 of the stream"):
            Ratings.read(io.BytesIO(text))


def preflib(orders: str, kind: str = "toi", **header: object) -> io.BytesIO:
    lines = [f"# FILE NAME: f.{kind}", "# TITLE: A test", f"# DATA TYPE: {kind}"]
    lines += [f"# {key.replace('_', ' ')}: {value}" for key, value in header.items()]
    lines += [f"# ALTERNATIVE NAME {n}: {name}" for n, name in enumerate(("Ann", "Bob", "Ann B."), 1)]
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
        header = {"NUMBER_CATEGORIES": 2, "CATEGORY_NAME_1": "Yes", "CATEGORY_NAME_2": "No"}
        orders = "5: {1,3},{2}\n2: {},{1,2,3}\n1: 2,{1,3}"
        ballots = Ballots.read(preflib(orders, "cat", **header))
        assert ballots.approval
        assert list(ballots.units.labels) == ["{Ann, Ann B.}", "{}", "{Bob}"]
        assert ballots.notes[1] == "category 'Yes' taken as approved"
        tiers = Ballots.read(preflib("5: {1,3},{2}", "cat", **header), approval=False)
        assert list(tiers.units.labels) == ["Ann = Ann B. > Bob"]

    @pytest.mark.parametrize(
        ("orders", "header", "match"),
        [
            ("2: 1,2", {"NUMBER_VOTERS": 3}, "NUMBER VOTERS 3, but there are 2"),
            ("2: 1,2", {"NUMBER_ALTERNATIVES": 4}, "NUMBER ALTERNATIVES 4, but there are 3"),
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
        with pytest.raises(InvalidDataError, match="names 'Bob' twice, on line 8 of the stream"):
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
        InvalidSettingError, match=r"format must be one of 'parquet'.*'csv', but is 'xlsx'"
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
    for wrong in (b"", gzip.compress(as_csv())[:20], b"PK\x03\x04", b"a,b\n1\n", b'{"a": }'):
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
