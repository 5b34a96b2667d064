"""Spark with real executors, one of which is killed in the middle of a job; and bad files."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine_makers import SPARK_SETTINGS, need, scan_ratings
from steadyrank import Ratings, Study
from steadyrank.errors import UnreadableFileError
from steadyrank.scorers import Mean

pytestmark = pytest.mark.spark

KILL_ONE = """
    import json, os, sys
    import psutil, pyspark
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,600]")
        .config(map=json.loads(sys.argv[3]))
        .config("spark.executor.memory", "600m")
        .config("spark.shuffle.io.maxRetries", "1")
        .config("spark.shuffle.io.retryWait", "100ms")
        .config("spark.local.dir", sys.argv[2])
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")

    def executors():
        found = []
        for child in psutil.Process().children(recursive=True):
            try:
                if any("CoarseGrainedExecutorBackend" in word for word in child.cmdline()):
                    found.append(child)
            except psutil.Error:
                pass
        return found

    from steadyrank import Study, read

    frame = session.read.parquet(sys.argv[1])
    assert frame.rdd.getNumPartitions() == 2
    scanned = read(frame, item="item", rating="rating", unit="user")
    victim = executors()[0]  # what it holds of the first queries is lost, and is made again
    victim.kill()
    result = Study(scanned).audit(k=5, eps=0.01, methods=("topk", "inflated_topk"))
    rows = [(row.method, row.k, row.delta, row.size) for row in result.table]
    print(json.dumps({"rows": rows, "killed": [victim.pid]}))
    session.stop()
"""


def write_ratings(*paths, rows=2000):
    """Write ratings, in as many files as there are paths."""
    rng = np.random.default_rng(8)
    pairs = rng.choice(rows * 10, rows, replace=False)
    table = pa.table(
        {
            "user": pairs // 50,
            "item": pairs % 50,
            "rating": rng.integers(1, 6, rows).astype(np.int8),
        }
    )
    for number, path in enumerate(paths):
        part = rows // len(paths)
        pq.write_table(table.slice(number * part, part), path)
    return Ratings(*(table[name].to_numpy() for name in ("user", "item", "rating")))


def test_a_killed_executor_changes_nothing(tmp_path, in_ci):
    need("pyspark", in_ci)
    pytest.importorskip("psutil")
    folder = tmp_path / "ratings"
    folder.mkdir()
    loaded = write_ratings(
        *(folder / f"{part}.parquet" for part in range(4))
    )  # two for each executor
    script = tmp_path / "kill.py"
    script.write_text(textwrap.dedent(KILL_ONE))
    command = [sys.executable, script, folder, tmp_path, json.dumps(SPARK_SETTINGS)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found["killed"]) == 1
    expected = (
        Study(loaded).audit(k=5, eps=0.01, methods=("topk", "inflated_topk")).table
    )
    assert [tuple(row) for row in found["rows"]] == [
        (row.method, row.k, row.delta, row.size) for row in expected
    ]


def test_a_damaged_file_is_named(spark_session, tmp_path):
    write_ratings(tmp_path / "good.parquet")
    write_ratings(tmp_path / "ill.parquet")
    content = bytearray((tmp_path / "ill.parquet").read_bytes())
    content[4:400] = b"\xff" * 396
    (tmp_path / "ill.parquet").write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"ill\.parquet.*leave it out"):
        scan_ratings(tmp_path, engine="spark")


def test_columns_whose_names_are_syntax(spark_session):
    names = ["a.b", "`", "a`.b c"]
    frame = spark_session.createDataFrame(
        [(1, "x", 2.0), (2, "x", 3.0), (2, "y", 1.0)], names
    )
    with scan_ratings(frame, unit="a.b", item="`", rating="a`.b c") as scanned:
        assert scanned.items == ("x", "y")
        assert Mean(shrinkage=0).score(scanned).tolist() == [2.5, 1.0]


def test_files_by_path(spark_session, tmp_path):
    columns = {"user": ["007", "7"], "item": ["x", "x"], "rating": [1.5, 4.0]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    columns = {
        "rating": [2.5, 3.0],
        "user": ["7", "8"],
        "item": ["y", "y"],
    }  # put down anew
    pq.write_table(pa.table(columns), tmp_path / "b.parquet")
    with scan_ratings(str(tmp_path / "*.parquet"), engine="spark") as scanned:
        assert list(scanned.units.labels) == ["007", "7", "8"]
        assert Mean(1.0).score(scanned).tolist() == [5.5 / 3, 5.5 / 3]
    assert (
        spark_session.sparkContext.getConf().get("spark.master") == "local[2]"
    )  # left running
