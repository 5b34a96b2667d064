"""JSON, Parquet and Excel: values as the file has them."""

from __future__ import annotations

import gzip
import io
import json
import random
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import openpyxl
import pytest

from steadyrank.errors import ColumnError, EmptyDataError, InvalidDataError
from steadyrank.reading.table import open_table
from tests.reading.opened import cells, read

if TYPE_CHECKING:
    from pathlib import Path

JSON_READ = {
    "lines": ('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', cells("a b/1 x/2 y")),
    "list": ('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', cells("a b/1 x/2 y")),
    "list over lines": ('[\n{"a": 1},\n{"a": 2}\n]\n', cells("a/1/2")),
    "one object": ('{\n"a": 1,\n"b":\n"x"}', cells("a b/1 x")),
    "objects in a row": ('{"a":1}{"a":2}\n{"a":3} {"a":4}', cells("a/1/2/3/4")),
    "pretty objects": ('{\n"a": 1\n}\n{\n"a": 2\n}\n', cells("a/1/2")),
    "blank lines": ('\n{"a": 1}\r\n\r\n{"a": 2}\n\n', cells("a/1/2")),
    "as spelt": ('[{"a": 1.50, "b": 1e5}, {"a": -0, "b": 12345678901234567890.1}]',
                 cells("a b/1.50 1e5/-0 12345678901234567890.1")),
    "texts of numbers": ('[{"a": "007", "b": " x "}]', (["a", "b"], [["007", " x "]])),
    "truth and null": ('[{"a": true, "b": null}, {"a": false, "b": ""}]', cells("a b/true ~/false ~")),
    "late keys": ('{"a": 1}\n{"b": 2}\n{"c": 3, "a": 4}\n', cells("a b c/1 ~ ~/~ 2 ~/4 ~ 3")),
    "keys in any order": ('{"b": 1, "a": 2}\n{"a": 3, "b": 4}\n', cells("b a/1 2/4 3")),
    "empty objects": ('{"a": 1}\n{}\n', cells("a/1/~")),
    "no names": ('{"": 1, "b": 2, " ": 3}', cells("column1 b column3/1 2 3")),
    "nested": ('[{"a": {"z": [1.0, "é"]}, "b": [ ]}]', (["a", "b"], [['{"z": [1.0, "é"]}', "[ ]"]])),
    "escapes": (r'[{"a": "\u00e9\"\\", "b\t": "\ud83d\ude00"}]',
                (["a", "b\t"], [['é"\\', "\U0001f600"]])),
    "marked": ('\ufeff[{"a": "é"}]', cells("a/é")),
    "brackets in texts": ('{"a": "}]"}\n{"a": "[{"}\n', cells("a/}]/[{")),
}  # fmt: skip

JSON_REFUSED = {
    "key twice": ('{"a": 1}\n{"a": 2, "a": 3}\n', "line 2: the key 'a' twice"),
    "names in capitals": ('{"a": 1, "A": 2}', "'a' and 'A'"),
    "cut short": ('{"a": 1}\n{"a": 2', "line 2: , is missing"),
    "cut list": ('[{"a": 1},\n{"a": 2}', "line 2: , is missing"),
    "cut text": ('{"a": 1}\n{"a": "2\n{"a": 3}\n', "line 2: Invalid control character"),
    "numbers": ("[1, 2]", "line 1: { is missing"),
    "list of lists": ('[{"a": 1},\n[1]]', "line 2: { is missing"),
    "two lists": ("[]\n\n[]", "line 3: more than one list|holds no objects"),
    "no value": ('[\n{"a": }]', "line 2: Expecting value"),
    "comma too many": ('{"a": 1,}', "line 1: a name in quotes is missing"),
    "half a character": (r'{"a": "\ud83d"}', "line 1: NUL or half a character"),
    "NUL": (r'{"a": "\u0000"}', "line 1: NUL or half a character"),
    "text": ("{a: 1}", "line 1: a name in quotes is missing"),
    "no objects": ("[]", "holds no objects"),
    "no keys": ("[{}, {}]", "holds no objects"),
    "deep": ('{"a": ' + "[" * 100_000, "nested too deep"),
}


class TestJson:
    @pytest.mark.parametrize("name", JSON_READ)
    def test_read_to_the_letter(self, name: str, tmp_path: Path) -> None:
        text, expected = JSON_READ[name]
        assert read(io.BytesIO(text.encode())) == expected
        assert read(io.BytesIO(gzip.compress(text.encode()))) == expected
        path = tmp_path / "x.jsonl"
        path.write_bytes(text.encode("utf-16"))
        assert read(path) == expected

    @pytest.mark.parametrize("name", JSON_REFUSED)
    def test_refused_with_the_line(self, name: str) -> None:
        text, message = JSON_REFUSED[name]
        with pytest.raises(InvalidDataError, match=message) as caught:
            read(io.BytesIO(text.encode()))
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("indent", [None, 1])
    def test_as_written(self, indent: int | None) -> None:
        draws = random.Random(0)
        values: list[object] = [None, True, 3, -2.5, "x", "", "é\n", '"', [1, {"k": 2}]]
        records = [
            {key: draws.choice(values) for key in draws.sample("abcd", 3)}
            for _ in range(200)
        ]
        found = read(io.BytesIO(json.dumps(records, indent=indent).encode()))
        names, rows = found
        assert sorted(names) == list("abcd")
        for record, row in zip(records, rows, strict=True):
            for name, cell in zip(names, row, strict=True):
                value = record.get(name)
                if value is None or isinstance(value, str):
                    assert cell == (value or "")
                else:
                    assert json.loads(cell) == value

    def test_places(self) -> None:
        text = '{"a": 1}\n\n{"a": 2}\n[{"a": 3},\n\n{"a": 4}]\n'
        with open_table(io.BytesIO(text.encode())) as table:
            table.keep(["a"])
            places = [table.place(row) for row in range(4)]
        assert places == [f"the stream, line {line}" for line in (1, 3, 4, 6)]

    def test_text_that_begins_as_json_does(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_text("[a],b\n1,2\n")
        assert read(tmp_path / "x.csv") == cells("[a] b/1 2")


def parquet(path: Path, query: str) -> Path:
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


class TestParquet:
    def test_types_stay(self, tmp_path: Path) -> None:
        query = (
            "SELECT 'x ' a, 7::BIGINT b, 2.5::DOUBLE c UNION ALL SELECT NULL, NULL, 1"
        )
        path = parquet(tmp_path / "x.parquet", query)
        with open_table(path) as table:
            assert table.types == {"a": "VARCHAR", "b": "BIGINT", "c": "DOUBLE"}
            assert table.examples() == {
                "a": ["x ", ""],
                "b": ["7", ""],
                "c": ["2.5", "1.0"],
            }
            table.keep(["b"])
            assert table.place(1) == "x.parquet, row 2"
        assert read(path)[1] == [["x ", 7, 2.5], [None, None, 1.0]]
        assert read(io.BytesIO(path.read_bytes()))[1] == read(path)[1]

    @pytest.mark.parametrize("first", [0, 1])
    def test_whole_numbers_first(self, first: int, tmp_path: Path) -> None:
        parquet(tmp_path / f"{first}.parquet", "SELECT 7::BIGINT a")
        parquet(tmp_path / f"{1 - first}.parquet", "SELECT 2.5::DOUBLE a")
        assert sorted(row[0] for row in read(tmp_path)[1]) == [2.5, 7.0]

    @pytest.mark.parametrize(
        ("other", "message"),
        [
            ("SELECT '7' a", "'a' is VARCHAR in 2.parquet and BIGINT in 1.parquet"),
            ("SELECT 7::BIGINT b", "differ in their columns: 'a', 'b'"),
            ("SELECT 7::BIGINT a, 1 b", "differ in their columns: 'b'"),
            ('SELECT 7::BIGINT "A"', "differ in their columns: 'A', 'a'"),
        ],
    )
    def test_files_that_differ(self, other: str, message: str, tmp_path: Path) -> None:
        parquet(tmp_path / "1.parquet", "SELECT 7::BIGINT a")
        parquet(tmp_path / "2.parquet", other)
        with pytest.raises(InvalidDataError, match=message):
            read(tmp_path)

    def test_names_in_capitals(self, tmp_path: Path) -> None:
        import pyarrow as pa
        from pyarrow import parquet as writer

        for names in (["a", "A"], ["a", "a"]):
            table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=names)
            writer.write_table(table, tmp_path / "x.parquet")
            with pytest.raises(InvalidDataError, match=r"tell apart|same name"):
                read(tmp_path / "x.parquet")

    @pytest.mark.parametrize("size", [4, 12, 100, -1])
    def test_cut(self, size: int, tmp_path: Path) -> None:
        raw = parquet(
            tmp_path / "x.parquet", "SELECT range a FROM range(999)"
        ).read_bytes()
        (tmp_path / "x.parquet").write_bytes(raw[:size])
        with pytest.raises(InvalidDataError, match="no sound Parquet file") as caught:
            read(tmp_path / "x.parquet")
        assert "\n" not in str(caught.value)


def sheet(path: Path, *rows: Any, **others: Any) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    for name, cell in others.items():
        book.create_sheet(name)["C4"] = cell
    book.save(path)
    return path


class TestExcel:
    def test_as_written(self, tmp_path: Path) -> None:
        rows = [
            ["item", "score", "when", "won"],
            ["a ", 1, date(2024, 1, 2), True],
            ["a", 1 / 3, datetime(2024, 1, 2, 3, 4, 5), False],  # noqa: DTZ001
            [" 007", None, None, "é\n<&>"],
            [],
            [12345678901, 2.5, "#N/A", "=1+1"],
        ]
        expected = [
            ["a ", "1", "2024-01-02", "true"],
            ["a", "0.3333333333333333", "2024-01-02 03:04:05", "false"],
            [" 007", "", "", "é\n<&>"],
            ["12345678901", "2.5", "#N/A", ""],
        ]
        path = sheet(tmp_path / "x.xlsx", *rows)
        assert read(path) == (rows[0], expected)
        assert read(io.BytesIO(path.read_bytes())) == (rows[0], expected)
        with open_table(path) as table:
            table.keep(["score"])
            assert [table.place(row) for row in (0, 3)] == [
                "x.xlsx, row 2",
                "x.xlsx, row 6",
            ]

    def test_blank_rows_and_columns(self, tmp_path: Path) -> None:
        rows = [[], [None, "a", None, "b"], [None, 1], [None, 2, None, 3, 4]]
        found = read(sheet(tmp_path / "x.xlsx", *rows))
        assert found == cells("a b column5/1 ~ ~/2 3 4")

    def test_sheets(self, tmp_path: Path) -> None:
        path = sheet(tmp_path / "x.xlsx", ["a"], [1], other="b")
        assert read(path) == cells("a/1")
        assert read(path, sheet="other") == (["b"], [])
        with pytest.raises(ColumnError, match="no sheet 'third', but 'Sheet', 'other'"):
            read(path, sheet="third")

    def test_empty(self, tmp_path: Path) -> None:
        with pytest.raises(EmptyDataError, match=r"sheet 'Sheet' of x.xlsx is empty"):
            read(sheet(tmp_path / "x.xlsx"))

    def test_same_names(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidDataError, match="'a' and 'A'"):
            read(sheet(tmp_path / "x.xlsx", ["a", "A"], [1, 2]))

    @pytest.mark.parametrize("name", ["x.xls", "x.ods", "x.xlsx", "y.xlsx"])
    def test_other_files(self, name: str, tmp_path: Path) -> None:
        raw = sheet(tmp_path / "x.xlsx", ["a"], [1]).read_bytes()
        (tmp_path / name).write_bytes(raw[:-50] if name[0] == "x" else b"a,b\n1,2\n")
        with pytest.raises(InvalidDataError, match=name):
            read(tmp_path / name)
