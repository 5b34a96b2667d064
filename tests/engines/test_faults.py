"""What goes wrong with real files and real engines, and what is said and left behind then."""

from __future__ import annotations

import errno
import gzip
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine_makers import scan_ratings
from signals import signals_as_usual
from steadyrank import Ratings, Study, read
from steadyrank.engines import DuckDB
from steadyrank.engines.backends import PREFIX
from steadyrank.engines.files import find_files, in_strict_order
from steadyrank.errors import (
    EmptyDataError,
    EngineError,
    FileNotThereError,
    InvalidDataError,
    InvalidLabelError,
    InvalidSettingError,
    InvalidValueError,
    MissingValuesError,
    NotANumberError,
    UnreadableFileError,
)
from steadyrank.scorers import Bagged, Mean, Refit


def ratings_table(seed, rows=400, users=50, items=20):
    rng = np.random.default_rng(seed)
    pairs = rng.choice(users * items, rows, replace=False)
    return pa.table(
        {
            "user": pairs // items + seed * users,
            "item": pairs % items,
            "rating": rng.integers(1, 6, rows).astype(np.int8),
        }
    )


def write_parts(folder, parts=3):
    tables = [ratings_table(seed) for seed in range(parts)]
    for number, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{number}.parquet")
    return pa.concat_tables(tables)


def in_memory(table):
    return Ratings(*(table[name].to_numpy() for name in ("user", "item", "rating")))


def deltas(data):
    return [
        (row.method, row.k, row.delta, row.size)
        for row in Study(data).audit(k=[1, 5], eps=0.01).table
    ]


class TestGoodFiles:
    def test_a_glob_of_parquet(self, tmp_path):
        table = write_parts(tmp_path)
        with scan_ratings(str(tmp_path / "*.parquet")) as scanned:
            assert deltas(scanned) == deltas(in_memory(table))

    def test_a_folder_stands_for_its_parquet_files(self, tmp_path):
        table = write_parts(tmp_path)
        (tmp_path / "readme.txt").write_text("not data")
        with scan_ratings(tmp_path) as scanned:
            assert scanned.n_units == in_memory(table).n_units

    def test_what_is_brought_back_is_bounded_and_reported(self, tmp_path):
        write_parts(tmp_path)
        with scan_ratings(tmp_path) as scanned:
            Study(scanned).audit(k=1, eps=0.001, methods=("topk", "inflated_topk"))
            brought = scanned.traffic.steps
            ratings = [
                rows
                for step, (_, rows, _) in brought.items()
                if step.startswith("ratings of")
            ]
            assert 0 < sum(ratings) < 1200
            assert any(
                "brought back from duckdb while scanning" in note
                for note in scanned.notes
            )


class TestOrder:
    """Files in strict order prove that no pair repeats; all others are looked at pair by pair."""

    @staticmethod
    def write(folder, *parts):
        for number, rows in enumerate(parts):
            user, item = (list(column) for column in zip(*rows, strict=True))
            table = pa.table({"user": user, "item": item, "rating": [3] * len(rows)})
            pq.write_table(table, folder / f"{number}.parquet")

    @pytest.mark.parametrize(
        ("parts", "ordered"),
        [
            ([[(1, 1), (1, 2), (2, 1)]], True),
            ([[(1, 1), (2, 1), (1, 2)]], False),  # by item, then by user
            ([[(1, 1), (1, 2)], [(1, 3), (2, 1)]], True),
            ([[(1, 1), (1, 2)], [(1, 2), (2, 1)]], False),
            ([[(1, 2), (1, 1)]], False),
            ([[(1, 1), (1, 1)]], False),
            ([[(1, 1), (2, 2)], [(2, 1), (1, 3)]], False),
        ],
    )
    def test_order(self, tmp_path, parts, ordered):
        self.write(tmp_path, *parts)
        assert in_strict_order(find_files(tmp_path).paths, "user", "item") == ordered

    def test_a_pair_repeated_in_another_file(self, tmp_path):
        self.write(tmp_path, [(1, 1), (1, 2)], [(1, 2), (2, 1)])
        with pytest.raises(InvalidDataError, match="unit 1 has 2 more than once"):
            scan_ratings(tmp_path)

    def test_the_order_is_said(self, tmp_path):
        self.write(tmp_path, [(1, 1), (1, 2), (2, 1)])
        with scan_ratings(tmp_path) as scanned:
            assert any("no value is repeated" in note for note in scanned.notes)


class TestBadFiles:
    def test_a_damaged_page_names_the_file(self, tmp_path):
        write_parts(tmp_path)
        bad = tmp_path / "part-1.parquet"
        content = bytearray(bad.read_bytes())
        content[4:400] = b"\xff" * 396
        bad.write_bytes(content)
        with pytest.raises(UnreadableFileError, match=r"part-1\.parquet.*leave it out"):
            scan_ratings(tmp_path)

    def test_a_file_cut_short_names_the_file(self, tmp_path):
        write_parts(tmp_path)
        bad = tmp_path / "part-2.parquet"
        bad.write_bytes(bad.read_bytes()[:-30])
        with pytest.raises(
            UnreadableFileError, match=r"part-2\.parquet.*cannot be read as Parquet"
        ):
            scan_ratings(tmp_path)

    def test_an_empty_file_names_the_file(self, tmp_path):
        write_parts(tmp_path)
        (tmp_path / "part-3.parquet").write_bytes(b"")
        with pytest.raises(InvalidDataError, match=r"part-3\.parquet' is none"):
            scan_ratings(tmp_path)

    def test_other_columns_in_one_file(self, tmp_path):
        write_parts(tmp_path)
        other = ratings_table(9).rename_columns(["user", "movie", "rating"])
        pq.write_table(other, tmp_path / "part-9.parquet")
        with pytest.raises(
            UnreadableFileError, match=r"part-9\.parquet' has the columns .*movie"
        ):
            scan_ratings(tmp_path)

    def test_another_type_in_one_file(self, tmp_path):
        write_parts(tmp_path)
        table = ratings_table(9)
        other = table.set_column(1, "item", table["item"].cast(pa.string()))
        pq.write_table(other, tmp_path / "part-9.parquet")
        with pytest.raises(
            UnreadableFileError, match=r"column 'item' is string in .*part-9"
        ):
            scan_ratings(tmp_path)

    def test_a_column_that_plays_a_role_in_some_files_only(self, tmp_path):
        pq.write_table(pa.table({"choice": ["x"]}), tmp_path / "a.parquet")
        pq.write_table(
            pa.table({"choice": ["x"], "count": [5]}), tmp_path / "b.parquet"
        )
        with pytest.raises(
            UnreadableFileError, match=r"b\.parquet' has the columns 'choice', 'count'"
        ):
            read(tmp_path, choice="choice", engine="duckdb")

    def test_columns_in_another_order_are_the_same_and_further_ones_are_not(
        self, tmp_path
    ):
        table, more = write_parts(tmp_path), ratings_table(9)
        pq.write_table(
            more.select(["rating", "item", "user"]), tmp_path / "part-9.parquet"
        )
        with scan_ratings(tmp_path) as scanned:
            assert deltas(scanned) == deltas(in_memory(pa.concat_tables([table, more])))
        more = ratings_table(10).append_column("when", pa.array(range(400)))
        pq.write_table(more, tmp_path / "part-x.parquet")
        with pytest.raises(
            UnreadableFileError, match=r"part-x\.parquet' has .*'when'.*union_by_name"
        ):
            scan_ratings(tmp_path)
        together = duckdb.read_parquet(f"{tmp_path}/*.parquet", union_by_name=True)
        assert scan_ratings(together).entries.counts.sum() == 5 * 400

    def test_packed_parquet_is_refused_by_name(self, tmp_path):
        write_parts(tmp_path, 1)
        packed = gzip.compress((tmp_path / "part-0.parquet").read_bytes())
        (tmp_path / "a.parquet.gz").write_bytes(packed)
        with pytest.raises(InvalidDataError, match=r"a\.parquet\.gz' is none"):
            scan_ratings(tmp_path / "a.parquet.gz")

    def test_a_pipe_is_refused_by_name(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(
            InvalidDataError, match=r"pipe\.csv' is a pipe or a device.*into memory"
        ):
            scan_ratings(tmp_path / "pipe.csv")

    def test_no_files_and_odd_files(self, tmp_path):
        with pytest.raises(FileNotThereError, match="no file matches"):
            scan_ratings(str(tmp_path / "*.parquet"))
        (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
        with pytest.raises(InvalidDataError, match=r"x\.xlsx' is none"):
            scan_ratings(tmp_path / "x.xlsx")
        write_parts(tmp_path, 1)
        (tmp_path / "y.csv").write_text("user,item,rating\n")
        with pytest.raises(
            InvalidDataError, match=r"scan Parquet files, and .*y\.csv' is none"
        ):
            scan_ratings(str(tmp_path / "*.[cp]*"))

    @pytest.mark.parametrize(
        "said",
        [
            {"choice": "choice"},
            {"choice": "choice", "count": "count"},
            {"item": "item", "rating": "rating", "unit": "user"},
            {"left": "model_a", "right": "model_b", "winner": "winner"},
            {"item": "model", "score": "score", "unit": "task"},
        ],
    )
    def test_files_without_rows_are_refused(self, tmp_path, said):
        numbers = {"count": pa.int64(), "rating": pa.float64(), "score": pa.float64()}
        schema = pa.schema(
            [(name, numbers.get(name, pa.string())) for name in said.values()]
        )
        path = tmp_path / "none.parquet"
        pq.write_table(schema.empty_table(), path)
        for engine in (None, "duckdb"):
            with pytest.raises(EmptyDataError, match=r"there are no|has no rows"):
                read(path, engine=engine, **said)


class TestBadValues:
    @pytest.mark.parametrize(
        ("row", "error", "words"),
        [
            ((1, None, 3.0), InvalidLabelError, r"there is None \(1 of 3 rows"),
            (
                (1, "c", None),
                MissingValuesError,
                r"rating has missing values \(1 of 3 rows\)",
            ),
            (
                (1, "a", 5.0),
                InvalidDataError,
                "1 rating is repeated: unit 1 has 'a' more than once",
            ),
        ],
    )
    def test_one_bad_row(self, tmp_path, row, error, words):
        rows = [(1, "a", 3.0), (2, "a", 4.0), row]
        names = ["user", "item", "rating"]
        columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        pq.write_table(pa.table(columns), tmp_path / "r.parquet")
        with pytest.raises(error, match=words) as refused:
            scan_ratings(tmp_path / "r.parquet")
        assert "drop" not in str(refused.value)

    def test_text_in_place_of_numbers(self, lazily_here):
        columns = {"user": [1, 2], "item": ["a", "a"], "rating": ["1", "good"]}
        with pytest.raises(
            NotANumberError, match="rating must be numbers, but there is '1'"
        ):
            scan_ratings(lazily_here(columns))

    def test_values_that_are_not_finite(self, lazily_here):
        columns = {"user": [1, 2], "item": ["a", "a"], "rating": [1.0, np.inf]}
        with pytest.raises(NotANumberError, match="1 of 2 rows"):
            scan_ratings(lazily_here(columns))

    def test_a_repeated_pair_of_text_labels(self, lazily_here):
        columns = {
            "user": ["u", "v", "u"],
            "item": ["a", "a", "a"],
            "rating": [1, 2, 3],
        }
        with pytest.raises(
            InvalidDataError, match=r"unit 'u' has 'a' more than.*in memory"
        ):
            scan_ratings(lazily_here(columns))

    def test_labels_of_an_odd_type(self, lazily_here):
        days = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[us]")
        columns = {"user": days, "item": ["a", "a"], "rating": [1, 2]}
        with pytest.raises(
            InvalidLabelError, match="units must be numbers of up to 64 bits or text"
        ):
            scan_ratings(lazily_here(columns))

    def test_policies_and_engines_that_do_not_exist(self, tmp_path):
        write_parts(tmp_path, 1)
        with pytest.raises(
            InvalidValueError, match=r"no engine called 'polars'.*duckdb, spark"
        ):
            scan_ratings(tmp_path, engine="polars")
        with pytest.raises(InvalidValueError, match="goes with a path"):
            scan_ratings(ratings_table(0), engine="duckdb")
        with pytest.raises(InvalidSettingError, match="DuckDB does not take"):
            scan_ratings(tmp_path, engine=DuckDB(memory_limit="a lot"))


@pytest.mark.parametrize(
    "scorer",
    [Refit(lambda data: np.zeros(data.n_items)), Bagged(Mean(1.0), bags=2, size=1)],
)
def test_scorers_that_refit_say_that_they_need_memory(lazily_here, scorer):
    columns = {
        "user": [1, 2, 3, 1],
        "item": ["a", "a", "b", "b"],
        "rating": [1, 2, 3, 4],
    }
    with pytest.raises(
        InvalidDataError, match="in memory: read the files without an engine"
    ):
        Study(scan_ratings(lazily_here(columns)), scorer).audit(k=1, eps=0.1)


@pytest.fixture(scope="module")
def many_users(tmp_path_factory):
    """Return a folder with 5 million ratings by as many users: too many for 60 MB of memory."""
    folder = tmp_path_factory.mktemp("many")
    rows = 5_000_000
    users = np.random.default_rng(0).permutation(rows).astype(np.int64) * 1_000_003
    table = pa.table(
        {"user": users, "item": users % 7, "rating": (users % 5).astype(np.int8)}
    )
    pq.write_table(table, folder / "many.parquet")
    return folder


def left_behind(folder):
    return sorted(path.name for path in Path(folder).glob(f"{PREFIX}*"))


class TestSpilling:
    def test_it_finishes_by_spilling_and_cleans_up(self, many_users, tmp_path):
        engine = DuckDB(memory_limit="60MB", threads=2, spill=tmp_path)
        with scan_ratings(many_users, engine=engine) as scanned:
            assert left_behind(tmp_path)
            assert scanned.n_units == 5_000_000
        assert not left_behind(tmp_path)

    def test_a_full_disk(self, many_users, tmp_path):
        engine = DuckDB(memory_limit="60MB", threads=2, spill=tmp_path, max_spill="1MB")
        with pytest.raises(
            EngineError,
            match=r"OutOfMemoryException.*memory or disk ran out.*max_spill",
        ):
            scan_ratings(many_users, engine=engine)
        assert not left_behind(tmp_path)

    def test_a_full_disk_while_columns_are_put_down(self, tmp_path, monkeypatch):
        columns = {"user": [1, 2], "item": [1, 1], "rating": [1, 3], "User": [0, 0]}
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")

        def full(*_, **__):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(
            EngineError, match=r"No space left.*memory or disk ran out.*spill="
        ):
            scan_ratings(tmp_path / "a.parquet", engine=DuckDB(spill=tmp_path))
        assert not left_behind(tmp_path)

    @pytest.mark.parametrize(
        "limit", ["-5", "0", "0GB", "nan", "2 XB", "2", "", "-1GB", "1e400GB", 5]
    )
    def test_sizes_that_are_none(self, tmp_path, limit):
        write_parts(tmp_path, 1)
        if limit == "0GB":  # room for nothing, which is a limit
            with pytest.raises(EngineError, match=r"raise memory_limit="):
                scan_ratings(tmp_path, engine=DuckDB(memory_limit=limit))
            return
        with pytest.raises(
            InvalidSettingError, match=r"memory_limit must be a|DuckDB does not take"
        ):
            scan_ratings(tmp_path, engine=DuckDB(memory_limit=limit))
        with pytest.raises(
            InvalidSettingError, match=r"max_spill must be a|DuckDB does not take"
        ):
            scan_ratings(tmp_path, engine=DuckDB(max_spill=limit))

    def test_settings_that_are_none(self, tmp_path):
        for threads in (0, -1, 1.5, "two", True):
            with pytest.raises(
                InvalidSettingError, match="threads must be a whole number"
            ):
                DuckDB(threads=threads)
        write_parts(tmp_path, 1)
        with pytest.raises(EngineError, match=r"No such file.*absent.*spill="):
            scan_ratings(tmp_path, engine=DuckDB(spill=tmp_path / "absent"))

    def test_a_forgotten_scan_leaves_nothing(self, tmp_path):
        write_parts(tmp_path, 1)
        scanned = scan_ratings(
            tmp_path / "part-0.parquet", engine=DuckDB(spill=tmp_path)
        )
        assert left_behind(tmp_path)
        del scanned
        import gc

        gc.collect()
        assert not left_behind(tmp_path)


SCAN_FOREVER = """
    import sys
    from pathlib import Path
    from steadyrank import Study, read
    from steadyrank.engines import DuckDB
    engine = DuckDB(memory_limit="60MB", threads=1, spill=sys.argv[2])
    scanned = read(sys.argv[1], item="item", rating="rating", unit="user", engine=engine)
    Path(sys.argv[3]).touch()
    while True:
        Study(scanned).audit(k=2, eps=0.01, methods=("topk",))
"""


@contextmanager
def running(arguments, complaint, **environment):
    """Run Python in a process of its own, which has ended and been reaped when the block is left.

    Its complaints go into a file: a pipe that nobody reads would fill up and stop it.
    """
    with (
        complaint.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            stdout=subprocess.DEVNULL, stderr=stderr, env={**os.environ, **environment},
            preexec_fn=signals_as_usual,  # noqa: PLW1509 (no threads here)
        ) as process,
    ):  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition, process):
    """Wait for a condition as long as it takes; without the process it would never come."""
    while not condition():
        assert process.poll() is None, "the process ended before"
        time.sleep(0.02)


def spilled(folder):
    """Return what has been written into folders for what memory cannot hold."""
    return [path for path in Path(folder).glob(f"{PREFIX}*/**/*") if path.is_file()]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_the_command_line_leaves_no_temporary_files(many_users, tmp_path, number, code):
    command = ["-m", "steadyrank", "audit", many_users / "*.parquet"]
    options = ["-k", "2", "--eps", "0.01", "--memory-limit", "60MB"]
    options += ["--item", "item", "--rating", "rating", "--unit", "user"]
    options += ["--engine", "duckdb"]
    complaint = tmp_path / "complaint"
    with running([*command, *options], complaint, TMPDIR=str(tmp_path)) as process:
        wait_until(lambda: spilled(tmp_path), process)
        process.send_signal(number)
        assert process.wait() == code
    assert "Traceback" not in complaint.read_text()
    assert not left_behind(tmp_path)


def test_interruption_leaves_no_temporary_files(many_users, tmp_path):
    script, complaint, done = (
        tmp_path / name for name in ("forever.py", "complaint", "scanned")
    )
    script.write_text(textwrap.dedent(SCAN_FOREVER))
    spill = tmp_path / "spill"
    spill.mkdir()
    with running([script, many_users, spill, done], complaint) as process:
        wait_until(done.exists, process)
        assert left_behind(spill)
        process.send_signal(signal.SIGINT)
        assert process.wait() != 0
    assert "KeyboardInterrupt" in complaint.read_text()
    assert not left_behind(spill)
