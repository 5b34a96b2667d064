"""Hostile files: each has the right answer, or an error that names value, place and way out."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.data import Ballots, Battles, Ratings, ScoreMatrix, Votes, read_any
from steadyrank.errors import (
    EmptyDataError,
    FileNotThereError,
    InvalidCountError,
    InvalidDataError,
    InvalidLabelError,
    MissingValuesError,
    NotANumberError,
    NotRecognisedError,
    SteadyrankError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from pathlib import Path


def stream(text: str | bytes) -> io.BytesIO:
    return io.BytesIO(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize("kind", [Votes, Ballots, Ratings, Battles, ScoreMatrix])
@pytest.mark.parametrize(
    "content", [b"", gzip.compress(b"", mtime=0), b"\n\n", b"\xef\xbb\xbf", b"\r\n"]
)
def test_empty_files(kind: Any, content: bytes) -> None:
    with pytest.raises(EmptyDataError, match=r"empty|holds no"):
        kind.read(stream(content))


@pytest.mark.parametrize(
    ("kind", "header"),
    [
        (Votes, "choice,count"),
        (Ballots, "ballot,count"),
        (Ratings, "user,item,rating"),
        (Battles, "left,right,winner"),
        (Battles, "model_a,model_b,wins_a,wins_b"),
        (ScoreMatrix, "task,x,y"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_header_only(kind: Any, header: str, end: str) -> None:
    with pytest.raises(EmptyDataError, match="there are no"):
        kind.read(stream(header + end))


def test_one_unit_and_one_item() -> None:
    votes = Votes.read(stream("choice\nx\n"))
    assert (votes.n_units, votes.items) == (1, ("x",))
    ratings = Ratings.read(stream("user,item,rating\n1,2,3\n"))
    assert (ratings.n_units, ratings.n_items) == (1, 1)
    matrix = ScoreMatrix.read(stream("x\n0.5\n"))
    assert (matrix.n_units, matrix.items) == (1, ("x",))


def test_huge_values() -> None:
    ratings = Ratings.read(stream(f"user,item,rating\n1,1,{10**15}\n2,1,-{10**15}\n"))
    assert ratings.values.tolist() == [10**15, -(10**15)]
    assert ScoreMatrix.read(stream("x,y\n1e15,-1e15\n")).values.tolist() == [
        [1e15, -1e15]
    ]
    votes = Votes.read(stream(f"choice,count\nx,{10**15}\ny,1\n"))
    assert votes.n_units == 10**15 + 1


def test_values_beyond_all_numbers() -> None:
    with pytest.raises(NotANumberError, match=r"finite, but there is inf.* on line 2"):
        Ratings.read(stream("user,item,rating\n1,1,1e999\n"))
    with pytest.raises(
        NotANumberError, match=r"there is 9{20} in column 'count', on line 3 of"
    ):
        Votes.read(stream("choice,count\nx,1\ny,99999999999999999999\n"))


def test_unicode_and_doubled_labels() -> None:
    votes = Votes.read(stream("choice\nÅngström\n日本\nÅngström\n\U0001f600\n"))
    assert set(votes.items) == {"Ångström", "日本", "\U0001f600"}
    assert votes.n_units == 4
    matrix = ScoreMatrix.read(stream("x,y,x\n1,2,3\n"))
    assert matrix.items == ("x_1", "y", "x_3")
    assert (
        matrix.notes[0]
        == "columns without a name, or with that of another, are called 'x_1', 'x_3'"
    )


def test_labels_that_look_like_numbers() -> None:
    assert Votes.read(stream("choice\n7\n12\n")).items == (7, 12)
    assert Votes.read(stream("choice\n007\n7\n")).items == ("007", "7")
    assert Votes.read(stream("choice\n1.10\n1.1\n")).items == ("1.1", "1.10")
    assert Votes.read(stream('{"choice": "7"}\n{"choice": "007"}')).items == (
        "007",
        "7",
    )


def test_mixed_types() -> None:
    assert Votes.read(stream("choice\n12\nx\n")).items == ("12", "x")
    assert Votes.read(stream('{"choice": 12}\n{"choice": "12"}')).items == (12, "12")
    with pytest.raises(
        NotANumberError, match="'good' is not a number in column 'rating', on line 3"
    ):
        Ratings.read(stream("user,item,rating\n1,1,5\n2,1,good\n"))
    with pytest.raises(NotANumberError, match="'5', on line 2"):
        Ratings.read(
            stream(
                '{"user": 1, "item": 1, "rating": 4}\n{"user": 2, "item": 3, "rating": "5"}'
            )
        )


def test_numbers_in_quotes() -> None:
    """As interfaces of the web write them: a column in which every value is one is read, and said."""
    quoted = '{"user": "07", "item": 1, "rating": "5"}\n{"user": "10", "item": 2, "rating": " 4.5"}'
    ratings = Ratings.read(stream(quoted), missing=None)
    assert "numbers in quotes read as numbers: 'rating'" in ratings.notes
    plain = Ratings.read(stream(quoted.replace('"5"', "5").replace('" 4.5"', "4.5")))
    assert ratings.values.tolist() == plain.values.tolist() == [5.0, 4.5]
    assert not [note for note in plain.notes if "quotes" in note]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packed", [False, True])
def test_byte_order_mark(mark: bytes, packed: bool) -> None:
    content = mark + b"choice,count\nx,2\n"
    votes = Votes.read(stream(gzip.compress(content) if packed else content))
    assert votes.notes[0] == "column 'choice' read as the choice"
    assert Votes.read(stream(mark + b'{"choice": "x"}')).n_units == 1


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends(end: str, last: bool) -> None:
    text = end.join(["choice,count", "x,2", "y,1"]) + (end if last else "")
    votes = Votes.read(stream(text))
    assert (votes.items, votes.tally.tolist()) == (("x", "y"), [2, 1])


@pytest.mark.parametrize("cut", [3, 15, -9, -4, -1])
def test_truncated_gzip(cut: int) -> None:
    rows = "".join(f"x{number},{number}\n" for number in range(20000))
    packed = gzip.compress(("choice,count\n" + rows).encode())
    with pytest.raises(
        UnreadableFileError, match=r"cut short or damaged.*Get it again"
    ):
        Votes.read(stream(packed[:cut]))


def test_damaged_gzip() -> None:
    packed = bytearray(gzip.compress(b"choice\n" + b"x\n" * 9999))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(UnreadableFileError, match="damaged"):
        Votes.read(stream(bytes(packed)))


@pytest.mark.parametrize(
    ("row", "fields"), [("b", 1), ("b,1,2", 3), ('"b,1"', 1), ('"b",1,2', 3)]
)
def test_ragged_rows(row: str, fields: int) -> None:
    with pytest.raises(
        UnreadableFileError, match=f"line 3 of the stream has {fields} fields instead"
    ):
        Votes.read(stream(f"choice,count\na,1\n{row}\nc,2\n"))


def test_quotes() -> None:
    text = 'choice,count\n"two\nlines",1\n"a ""b"", c",2\n'
    assert Votes.read(stream(text)).items == ('a "b", c', "two\nlines")
    with pytest.raises(InvalidCountError, match="on line 4 of the stream"):
        Votes.read(stream('choice,count\n"two\nlines",1\nb,-1\n'))
    for broken in ('choice\n"never closed\nx\n', 'choice,count\n"a"b,1\n'):
        with pytest.raises(UnreadableFileError, match="not proper CSV on line 2"):
            Votes.read(stream(broken))


def test_blank_lines_are_said() -> None:
    votes = Votes.read(stream("choice,count\n\nx,2\n\n\ny,1\n\n"))
    assert votes.n_units == 3
    assert votes.notes[0] == "3 blank lines skipped"


def test_wrong_encoding() -> None:
    text = "choice\nx\nÅngström\n"
    with pytest.raises(
        UnreadableFileError, match=r"not text in UTF-8: byte 0xc5 on line 3.*cp1252"
    ):
        Votes.read(stream(text.encode("latin-1")), encoding="utf-8")
    assert Votes.read(stream(text.encode("latin-1")), encoding="latin-1").items == (
        "x",
        "Ångström",
    )
    with pytest.raises(UnreadableFileError, match='encoding="utf-16"'):
        Votes.read(stream(text.encode("utf-16-le")))
    assert Votes.read(stream(text.encode("utf-16")), encoding="utf-16").n_units == 2
    with pytest.raises(UnreadableFileError, match="not text in ascii"):
        Votes.read(stream(text), encoding="ascii")
    with pytest.raises(InvalidDataError, match="no encoding 'utf-99'"):
        Votes.read(stream(text), encoding="utf-99")
    with pytest.raises(InvalidDataError, match="no encoding 'hex'"):
        Votes.read(stream(text), encoding="hex")


@pytest.mark.parametrize("text", ["choice\nx\0y\n", "choice\n\0\n"])
def test_nul_bytes(text: str) -> None:
    with pytest.raises(UnreadableFileError, match="NUL byte on line 2"):
        Votes.read(stream(text))


def test_missing_labels_and_values() -> None:
    with pytest.raises(
        InvalidLabelError, match="None in column 'choice', on line 3 of the stream"
    ):
        Votes.read(stream("choice,count\nx,1\n,2\n"))
    with pytest.raises(
        InvalidLabelError, match="in column 'choice', on line 2 of the stream"
    ):
        Votes.read(stream('{"choice": "x"}\n{"choice": null}'))
    with pytest.raises(
        InvalidLabelError, match="in column 'choice', on line 2 of the stream"
    ):
        Votes.read(stream('{"choice": "x"}\n{"vote": "y"}'))
    with pytest.raises(
        MissingValuesError, match=r"rating has missing values.*on line 3"
    ):
        Ratings.read(stream("user,item,rating\n1,1,5\n2,1,NA\n"))
    with pytest.raises(
        MissingValuesError, match=r"row 'u' item 'y'\), on line 3 of the stream"
    ):
        ScoreMatrix.read(stream("task,x,y\nt,1,2\nu,1,\n"))
    assert Votes.read(stream("choice\nNA\nNone\n")).items == ("NA", "None")


@pytest.mark.parametrize("wrong", ["-1", "1.5", "inf"])
def test_bad_counts(wrong: str) -> None:
    with pytest.raises(InvalidDataError, match="on line 3 of the stream"):
        Votes.read(stream(f"choice,count\nx,1\ny,{wrong}\n"))
    with pytest.raises(InvalidDataError, match="on line 3 of the stream"):
        Ballots.read(stream(f"ballot,count\nx>y,1\ny,{wrong}\n"))
    text = f"model_a,model_b,wins_a,wins_b,ties\nx,y,1,1,0\nx,z,1,1,{wrong}\n"
    with pytest.raises(
        InvalidDataError, match=r"in column 'ties'.*on line 3|ties must.*on line 3"
    ):
        Battles.read(stream(text))


def test_unknown_outcomes_and_bad_ballots() -> None:
    with pytest.raises(
        InvalidDataError, match="'won' in column 'winner', on line 3, 4 of the"
    ):
        Battles.read(stream("left,right,winner\nx,y,left\nx,y,won\nx,y,won\n"))
    with pytest.raises(
        InvalidDataError, match="names 'x' twice, on line 3 of the stream"
    ):
        Ballots.read(stream("ballot\nx>y\nx>x\n"))
    with pytest.raises(
        InvalidDataError, match="in column 'ballot', on line 3 of the stream"
    ):
        Ballots.read(stream("ballot,count\nx>y,1\n,2\n"))


@pytest.mark.parametrize(
    "text", ['[{"choice": 1}]', '{"choice": 1', '{"choice": 1}\n7', '{"a":1,"a":2}']
)
def test_broken_json(text: str) -> None:
    with pytest.raises(UnreadableFileError, match="is not one JSON object"):
        Votes.read(stream(text), format="jsonl")


def test_deep_json() -> None:
    with pytest.raises(UnreadableFileError, match="is not one JSON object"):
        Votes.read(stream('{"a":' * 100_000), format="jsonl")


def test_other_packages() -> None:
    with pytest.raises(
        UnreadableFileError, match=r"zip archive or spreadsheet.*Unpack"
    ):
        Votes.read(stream(b"PK\x03\x04 and more"))


def test_folders_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(NotRecognisedError, match="is a folder"):
        Votes.read(tmp_path)
    with pytest.raises(NotRecognisedError, match="is a folder"):
        Votes.read(tmp_path, format="csv")
    with pytest.raises(FileNotThereError, match=r"no file .*nothing.csv"):
        Votes.read(tmp_path / "nothing.csv")
    with pytest.raises(FileNotFoundError):
        read_any(tmp_path / "nothing.csv")


def test_what_is_no_source() -> None:
    with pytest.raises(InvalidDataError, match="neither a path nor a binary stream"):
        Votes.read(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidDataError, match="gives text"):
        Votes.read(io.StringIO("choice\nx\n"))  # type: ignore[arg-type]


def test_a_stream_that_gives_a_byte_at_a_time() -> None:
    class Drip(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size, 3) if size and size > 0 else 3)

    content = b"choice,count\nx,2\ny,1\n"
    assert Votes.read(Drip(content)).n_units == 3
    assert Votes.read(Drip(gzip.compress(content))).n_units == 3


def test_unnamed_columns_get_a_name() -> None:
    matrix = ScoreMatrix.read(stream(",x,y\nt,1,2\n"), items_in="columns")
    assert (matrix.items, matrix.row_labels) == (("x", "y"), ("t",))
    assert (
        matrix.notes[0]
        == "columns without a name, or with that of another, are called 'column_1'"
    )


def test_a_header_of_numbers_is_said() -> None:
    matrix = ScoreMatrix.read(stream("1,2\n3,4\n"))
    assert matrix.notes == (
        "the first line, all numbers, read as the names of the columns",
    )


def test_every_error_is_one_of_ours() -> None:
    wrong = [
        b"\x89PNG\r\n\x1a\n\0\0",
        b"%PDF-1.4\n\xe2\xe3",
        b"PAR1",
        b"\x1f\x8b",
        b'"',
        b",\n,,",
        b"{",
    ]
    for content in wrong:
        with pytest.raises(SteadyrankError):
            read_any(stream(content))
