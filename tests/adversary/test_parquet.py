"""Damaged Parquet files: read right, or refused by name, and never the end of the process."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from oracles import damaged_files
from oracles.damaged_files import contents, damaged_parquet, parquet_files
from steadyrank.cli import main
from steadyrank.errors import ColumnError
from steadyrank.reading.files import open_source
from steadyrank.reading.typed_files import read_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("polars")


def read_in_children(files: list[bytes], folder: Path) -> list[tuple[str, str]]:
    """Read files in processes of their own, many in each, and return what came of each."""
    found: list[tuple[str, str]] = []
    for start in range(0, len(files), 1000):
        path = folder / "files.pickle"
        path.write_bytes(pickle.dumps(files[start : start + 1000]))
        script = [sys.executable, damaged_files.__file__, str(path)]
        child = subprocess.run(script, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in child.stdout.splitlines()]
        assert child.returncode == 0, (
            lines[-1:],
            child.returncode,
            child.stderr[-2000:],
        )
        assert not child.stderr
        found += [(what, said) for what, said in lines if what != "reading"]
    assert len(found) == len(files)
    return found


def test_damaged_files_are_refused_and_nothing_dies(
    cases: Cases, tmp_path: Path
) -> None:
    sound = list(parquet_files().values())
    right = [contents(content) for content in sound]
    drawn = []
    for rng in cases(1000):
        which = int(rng.integers(len(sound)))
        drawn.append((which, *damaged_parquet(rng, sound[which])))
    results = read_in_children([content for _, _, content in drawn], tmp_path)
    for (which, way, content), (what, said) in zip(drawn, results, strict=True):
        assert what in {"read", "refused"}
        if way == "cut" and content != sound[which]:
            assert what == "refused"
        if content == sound[which]:
            assert said == right[which]
        if what == "refused":
            assert (
                said.endswith("Get or write it again.")
                or "column" in said
                or "format" in said
            ), said
    assert {"read", "refused"} == {what for what, _ in results}


def test_values_that_a_checksum_guards_are_right_or_refused(
    cases: Cases, tmp_path: Path
) -> None:
    files = {
        name: content
        for name, content in parquet_files().items()
        if "checksums" in name
    }
    sound = list(files.values())
    right = [contents(content) for content in sound]
    drawn = []
    for rng in cases(100):
        which = int(rng.integers(len(sound)))
        group = parquet.read_metadata(io.BytesIO(sound[which])).row_group(0)
        column = group.column(int(rng.integers(group.num_columns)))
        start = column.dictionary_page_offset or column.data_page_offset
        last = (
            start + column.total_compressed_size - 1
        )  # the end of a page's content, never of a header
        data = bytearray(sound[which])
        data[last] ^= 1 << int(rng.integers(8))
        drawn.append((which, bytes(data)))
    for (which, _), (what, said) in zip(
        drawn,
        read_in_children([content for _, content in drawn], tmp_path),
        strict=True,
    ):
        assert what == "refused" or said == right[which]


def test_odd_but_sound_files() -> None:
    def read(table: Any) -> Any:
        parquet.write_table(table, out := io.BytesIO())
        return read_parquet(open_source(io.BytesIO(out.getvalue())))

    column = pyarrow.array([1, 2])
    with pytest.raises(ColumnError, match="the same name"):
        read(pyarrow.table([column, column], names=["a", "a"]))
    assert len(read(pyarrow.table({"a": pyarrow.array([], pyarrow.int64())}))) == 0
    wide = read(
        pyarrow.table({"a": pyarrow.array([2**64 - 1, 2**63], pyarrow.uint64())})
    )
    assert wide.labels("a").tolist() == [2**64 - 1, 2**63]
    assert read(pyarrow.table({"a": ["x\0", "x"]})).cells("a") == ["x\0", "x"]


def test_a_damaged_file_has_the_exit_code_of_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = next(iter(parquet_files().values()))
    path = tmp_path / "ratings.parquet"
    path.write_bytes(content[:-200] + content[-8:])
    assert main(["check", str(path), "-k", "1"]) == 2
    assert "ratings.parquet is not a valid Parquet file" in capsys.readouterr().err
