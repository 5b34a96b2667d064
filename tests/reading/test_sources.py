"""Files, several files, streams, dataframes and columns as one table."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steadyrank
from steadyrank.errors import (
    EmptyDataError,
    FileNotThereError,
    InvalidDataError,
    InvalidSettingError,
    TooLargeError,
)
from steadyrank.reading.frames import is_lazy
from steadyrank.reading.table import open_table
from tests.reading.opened import cells, read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three text files, one in a folder within, and a hidden one."""
    (tmp_path / "b.csv").write_text("a,b\n3,4\n")
    (tmp_path / "a.csv").write_text('a,b\n1,"2"\n')
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("b,a\n6,5\n8,7\n")
    (tmp_path / ".hidden").write_text("x")
    return tmp_path


ALL = (
    ["a", "b", "filename"],
    [
        ["1", "2", "a.csv"],
        ["3", "4", "b.csv"],
        ["5", "6", "in/a.csv"],
        ["7", "8", "in/a.csv"],
    ],
)


class TestSeveral:
    def test_folder(self, folder: Path) -> None:
        assert read(folder) == ALL
        assert read(str(folder) + "/") == ALL

    def test_patterns(self, folder: Path) -> None:
        assert read(f"{folder}/**/*.csv") == ALL
        assert read(f"{folder}/*.csv") == (ALL[0], ALL[1][:2])
        assert read(f"{folder}/b*") == (ALL[0], ALL[1][1:2])

    def test_list(self, folder: Path) -> None:
        found = read([folder / "b.csv", str(folder / "a.csv")])
        assert found == (ALL[0], [ALL[1][1], ALL[1][0]])

    def test_places(self, folder: Path) -> None:
        with open_table(folder) as table:
            table.keep(["a"])
            assert table.source == "a.csv, b.csv, in/a.csv"
            places = [table.place(row) for row in range(4)]
        files = [
            "a.csv, line 2",
            "b.csv, line 2",
            "in/a.csv, line 2",
            "in/a.csv, line 3",
        ]
        assert places == files

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a,c\n1,2\n", "c.csv and a.csv differ in their columns: 'b', 'c'"),
            ("a\n1\n", "c.csv and a.csv differ in their columns: 'b'"),
            ("a,b\n1\n", "c.csv, line 2: 1 cell"),
            ("a,filename\n1,2\n", "c.csv has a column 'filename'"),
            ("", "c.csv is empty"),
        ],
    )
    def test_files_that_differ(self, text: str, message: str, folder: Path) -> None:
        (folder / "c.csv").write_text(text)
        with pytest.raises(InvalidDataError, match=message):
            read(folder)

    def test_objects_with_other_keys(self, tmp_path: Path) -> None:
        (tmp_path / "1.json").write_text('{"a": 1}')
        (tmp_path / "2.json").write_text('{"b": 2}')
        assert read(tmp_path) == cells("a filename b/1 1.json ~/~ 2.json 2")

    def test_none(self, tmp_path: Path) -> None:
        with pytest.raises(EmptyDataError, match=r"no files in '\[\]'"):
            read([])
        for missing in ("x.csv", "*.csv", "[x].csv"):
            with pytest.raises(FileNotThereError, match="there is no file") as caught:
                read(tmp_path / missing)
            assert missing in str(caught.value)
        with pytest.raises(FileNotThereError, match="the name of the file is empty"):
            read("")
        with pytest.raises(InvalidDataError, match="no files"):
            read(tmp_path)

    def test_no_permission(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)  # root may read all files
        with pytest.raises(InvalidDataError, match=r"a.csv cannot be read: Permission"):
            read(folder / "a.csv")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.csv", {"sheet": "1"}),
        ("x.parquet", {"delimiter": ","}),
        ("x.parquet", {"encoding": "cp1252"}),
    ],
)
def test_options_of_other_formats(
    name: str, said: dict[str, str], tmp_path: Path
) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(InvalidSettingError, match=f"{name} has no {next(iter(said))}"):
        read(tmp_path / name, **said)
    with pytest.raises(InvalidSettingError, match=r"columns in memory has no"):
        read({"a": [1]}, **said)


class TestStreams:
    def test_pipe(self, tmp_path: Path) -> None:
        path = tmp_path / "pipe.csv"
        os.mkfifo(path)
        code = "import sys; open(sys.argv[1], 'w').write('a,b\\n1,2\\n')"
        with subprocess.Popen([sys.executable, "-c", code, str(path)]):
            assert read(path) == cells("a b/1 2")

    def test_names(self, folder: Path) -> None:
        with (folder / "a.csv").open("rb") as stream, open_table(stream) as table:
            assert table.source == "a.csv"
        with open_table(io.BytesIO(b"a\n1\n")) as table:
            assert table.source == "the stream"

    def test_standard_input(self) -> None:
        code = (
            "import sys; from steadyrank.reading.table import open_table\n"
            "with open_table(sys.stdin.buffer) as table: print(table.source, table.examples())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=b"a;b\n1;2\n",
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode().split(" ", 2)[:2] == ["standard", "input"]
        assert b"{'a': ['1'], 'b': ['2']}" in done.stdout
        assert not done.stderr

    def test_text(self) -> None:
        with pytest.raises(InvalidDataError, match="the stream gives text"):
            read(io.StringIO("a,b\n1,2\n"))


def frames() -> list[Any]:
    columns = {"a": ["x ", None, "007"], "b": [1.5, None, 2.0], "c": [1, 2, 3]}
    strings = pd.DataFrame(columns).astype({"a": object})
    return [
        pd.DataFrame(columns),
        strings,
        strings.set_index(pd.Index([5, 5, 5])),
        strings.astype({"a": "category"}),
        pl.DataFrame(columns),
        pl.DataFrame(columns).with_columns(pl.col("a").cast(pl.Categorical)),
        pa.table(columns),
        columns,
        {name: np.array(values) for name, values in columns.items() if name != "a"}
        | {"a": columns["a"]},
    ]


class TestFrames:
    @pytest.mark.parametrize("place", range(len(frames())))
    def test_values(self, place: int) -> None:
        with open_table(frames()[place]) as table:
            assert sorted(table.columns) == ["a", "b", "c"]
            table.keep(["a", "b", "c"])
            rows = table.con.execute(
                "SELECT a, b, c FROM held ORDER BY rowid"
            ).fetchall()
        assert rows == [("x ", 1.5, 1), (None, None, 2), ("007", 2.0, 3)]

    def test_names_and_places(self) -> None:
        libraries = []
        for frame in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), {"a": [1]}):
            with open_table(frame) as table:
                libraries.append((table.library, table.source))
                table.keep(["a"])
                assert table.place(0) == f"row 1 of {table.source}"
        frame_names = [("pandas", "the dataframe"), ("polars", "the dataframe")]
        assert libraries == [*frame_names, (None, "the columns")]

    def test_order_of_many_rows(self) -> None:
        many = np.arange(500_000)
        for frame in (
            {"a": many},
            pd.DataFrame({"a": many}),
            pl.DataFrame({"a": many}),
        ):
            with open_table(frame) as table:
                table.keep(["a"])
                assert (table.con.execute("FROM held").fetchnumpy()["a"] == many).all()

    @pytest.mark.parametrize("made", [dict, pd.DataFrame, pl.DataFrame, pa.table])
    def test_columns_without_names(self, made: Any) -> None:
        found = read(made({"b": [1], "": [2]}))
        assert found == (["b", "column2"], [[1, 2]])

    def test_categories_are_text(self) -> None:
        frame = pd.DataFrame({"a": pd.Categorical(["x", "", "y"])})
        for sql in (None, "FROM data"):
            with open_table(frame, sql=sql) as table:
                assert table.types == {"a": "VARCHAR"}

    def test_mixed_values_are_text(self) -> None:
        assert read({"a": [1, "x", None]})[1] == [["1"], ["x"], [None]]
        assert read(pd.DataFrame({1: [1, "x"], "b": [0, 1]}))[0] == ["1", "b"]

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ({}, "the columns has no columns"),
            (pd.DataFrame(), "has no columns"),
            ({"a": [1, 2], "b": [1]}, r"differ in length: 'a': 2, 'b': 1"),
            ({"a": "xyz"}, "column 'a' is 'xyz', and no list"),
            ({"a": np.ones((2, 2))}, "column 'a' has 2 dimensions"),
            ({"a": [1], "A": [2]}, "'a' and 'A'"),
            (pl.DataFrame({"a": [1], "A": [2]}), "'a' and 'A'"),
            ([3], "is nothing that can be read"),
            ([{"a": 1}], "is nothing that can be read"),
            (3, "3 is nothing that can be read"),
            (SimpleNamespace(), "is nothing that can be read"),
        ],
    )
    def test_refused(self, source: object, message: str) -> None:
        with pytest.raises(InvalidDataError, match=message):
            read(source)

    def test_lazy(self) -> None:
        import duckdb

        assert is_lazy(pl.LazyFrame({"a": [1]}))
        assert is_lazy(duckdb.sql("SELECT 1 a"))
        for eager in (*frames(), "x.csv", Path("x.csv"), ["x.csv"], io.BytesIO()):
            assert not is_lazy(eager)

    def test_frames_without_pyarrow(self) -> None:
        code = (
            "import sys; sys.modules['pyarrow'] = None\n"
            "import pandas, polars; from steadyrank.reading.table import open_table\n"
            "for kind in (pandas.DataFrame, polars.DataFrame, dict):\n"
            "    with open_table(kind({'a': ['x', 'y'], 'b': [1.0, 2.5]})) as table:\n"
            "        table.keep(['a', 'b'])\n"
            "        assert table.examples() == {'a': ['x', 'y'], 'b': ['1.0', '2.5']}\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=False
        )
        assert not done.stderr.decode()


def test_files_need_neither_polars_nor_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('a,b\n"1",2\n')
    code = (
        "import sys; from steadyrank.reading.table import open_table\n"
        "with open_table(sys.argv[1]) as table: table.keep(['a'])\n"
        "print([name for name in ('pandas', 'polars', 'pyarrow') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x.csv")]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


@pytest.mark.parametrize(
    "ending", ["csv", "csv.gz", "json", "jsonl", "parquet", "xlsx"]
)
def test_random_tables_come_back(ending: str, tmp_path: Path) -> None:
    """A table is written by polars, pandas or the standard library, and comes back."""
    draws = np.random.default_rng(7)
    alphabet = np.array([*"ab 07;,'\"#-.é\u20ac|", "NA", "null", "1e5"])
    for round_ in range(5):
        n_columns, n_rows = draws.integers(1, 6), draws.integers(1, 40)
        names = [
            f"{name}{place}"
            for place, name in enumerate(draws.choice(alphabet, n_columns))
        ]
        lengths = draws.integers(1, 5, (n_rows, n_columns))
        rows = [
            ["".join(draws.choice(alphabet, length)) for length in row]
            for row in lengths
        ]
        frame = pd.DataFrame(rows, columns=names)
        path = tmp_path / f"{round_}.{ending}"
        delimiter = str(draws.choice([",", ";", "\t", "|"]))
        said = {"delimiter": delimiter} if "csv" in ending else {}
        if "csv" in ending:
            frame.to_csv(path, index=False, sep=delimiter)
        elif ending == "xlsx":
            rows = [["" if not cell.strip() else cell for cell in row] for row in rows]
            frame.to_excel(path, index=False)
        elif ending == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_json(path, orient="records", lines=ending == "jsonl")
        rows = [row for row in rows if ending != "xlsx" or any(row)]
        assert read(path, **said) == (names, rows)


def test_memory_limit(tmp_path: Path) -> None:
    rows = "\n".join(f"{row},{row % 9}" for row in range(300_000))
    (tmp_path / "x.csv").write_text("a,b\n" + rows)
    with open_table(tmp_path / "x.csv", memory_limit="150MB") as table:
        table.keep(["a"])
        assert table.con.execute("SELECT max(a::INT) FROM held").fetchall() == [
            (299_999,)
        ]
    with pytest.raises(InvalidSettingError, match="memory_limit is 'much'"):
        read({"a": [1]}, memory_limit="much")
    with pytest.raises(TooLargeError, match="1MB is not enough"):
        steadyrank.read(tmp_path / "x.csv", choice="b", memory_limit="1MB")


def test_temporary_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with open_table(io.BytesIO(b'a\n"1"\n')):
        assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(InvalidDataError):
        open_table(io.BytesIO(b'a\n"1'))
    assert not list(tmp_path.iterdir())
