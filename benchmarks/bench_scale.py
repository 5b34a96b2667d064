"""Data larger than memory: DuckDB against memory, against a small memory limit, and against Spark.

Every measurement is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from measure import Row, peak_memory

KS = (5, 10, 20, 50, 100)
EPS = 0.01
MARGIN_K = 20
GIGA = 1e9


def run(quick: bool) -> list[Row]:
    from paper.lookalike import lookalike_population

    sizes = {"small": 500, "middle": 2_000, "large": 5_000} if quick else {
        "small": 4_800, "middle": 48_000, "large": 480_189,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="steadyrank-bench-") as place:
        folder = Path(place)
        counts = {}
        for name, users in sizes.items():
            table = lookalike_population(users=users).everybody()
            counts[name] = len(table.values)
            write_parts(table, folder / name)
            if name == "large":
                width = write_wide(table, folder / "wide")
            del table
        rows = [*against_memory(folder / "large", counts["large"])]
        rows.append(margin_row(folder / "large", counts["large"]))
        rows += small_memory(folder / "wide", counts["large"], width)
        rows += spark_rows(folder / "middle", counts["middle"])
        rows += sizes_rows(folder, counts)
    return rows


def write_parts(table: Any, folder: Path, parts: int = 8) -> None:
    """Write the ratings in order of user and movie, in several files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    cuts = np.linspace(0, table.n_units, parts + 1).astype(int)
    for number, (first, last) in enumerate(pairwise(cuts)):
        some = slice(int(table.indptr[first]), int(table.indptr[last]))
        degrees = np.diff(table.indptr[first : last + 1])
        users = np.repeat(np.arange(first, last, dtype=np.int32), degrees)
        columns = {
            "user": users,
            "item": table.rated[some],
            "rating": table.values[some],
        }
        pq.write_table(pa.table(columns), folder / f"part-{number}.parquet")


def write_wide(table: Any, folder: Path) -> int:
    """Write one plain, uncompressed file, last users first: 17 bytes a rating, and in no order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    path = folder / "ratings.parquet"
    schema = pa.schema(
        [("user", pa.int64()), ("item", pa.int64()), ("rating", pa.int8())]
    )
    step = max(1, table.n_units // 200)
    with pq.ParquetWriter(
        path, schema, compression="none", use_dictionary=False
    ) as writer:
        for last in range(table.n_units, 0, -step):
            first = max(0, last - step)
            some = slice(int(table.indptr[first]), int(table.indptr[last]))
            users = np.repeat(
                np.arange(first, last), np.diff(table.indptr[first : last + 1])
            )
            columns = [
                users.astype(np.int64),
                table.rated[some].astype(np.int64),
                table.values[some],
            ]
            writer.write_table(
                pa.table([column[::-1].copy() for column in columns], schema=schema)
            )
    return path.stat().st_size


def child(engine: str, folder: Path, **options: Any) -> dict[str, Any]:
    """Audit in a process of its own."""
    command = [sys.executable, __file__, engine, str(folder), json.dumps(options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{engine} failed: {done.stderr[-1500:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def against_memory(folder: Path, ratings: int) -> list[Row]:
    memory = child("memory", folder)
    duck = child("duckdb", folder, memory_limit="2GB")
    agree(memory, duck)
    ratio = duck["seconds"] / memory["seconds"]
    peak = duck["peak"] / GIGA
    return [
        Row(
            f"audit of {ratings:,} ratings from Parquet for five k: DuckDB with 2 GB against memory",
            memory["seconds"], duck["seconds"], ratio, "at most 3x the baseline", ratio <= 3,
            f"in memory {memory['peak'] / GIGA:.2f} GB at most; the same deltas", duck["peak"],
        ),
        Row(
            "its peak memory", float("nan"), float("nan"), peak / 3, "below 3 GB", peak < 3,
            f"{duck['brought'] / 1e6:.1f} MB left the engine", duck["peak"],
        ),
    ]  # fmt: skip


def margin_row(folder: Path, ratings: int) -> Row:
    """How many must leave, on the engine, against one pass that adds up the items there."""
    memory, duck = (
        child("memory-margin", folder),
        child("margin", folder, memory_limit="2GB"),
    )
    agree(memory, duck)
    ratio = duck["seconds"] / duck["scoring"]
    return Row(
        f"margin of the top {MARGIN_K} of {ratings:,} ratings in DuckDB against its pass for the scores",
        duck["scoring"], duck["seconds"], ratio, "at most 10x the baseline", ratio <= 10,
        f"{duck['deciding']:,} of the ratings brought back in {duck['passes']} passes; the same units",
    )  # fmt: skip


def small_memory(folder: Path, ratings: int, size: int) -> list[Row]:
    limit = max(size // 10, 60_000_000)
    found = child("duckdb", folder, memory_limit=f"{limit // 1_000_000}MB")
    return [
        Row(
            f"{ratings:,} ratings in no order, {size / GIGA:.2f} GB, a tenth of it as memory limit",
            float("nan"), found["seconds"], float("nan"), "finishes", True,
            f"limit {limit / 1e6:.0f} MB; every pair was looked at for repetitions, on disk",
            found["peak"],
        )
    ]  # fmt: skip


def spark_rows(folder: Path, ratings: int) -> list[Row]:
    duck = child("duckdb", folder, memory_limit="2GB")
    try:
        spark = child("spark", folder)
    except RuntimeError as error:
        note = str(error).replace("\n", " ")[:200]
        return [
            Row(
                "Spark local",
                duck["seconds"],
                float("nan"),
                float("nan"),
                "",
                None,
                note,
            )
        ]
    agree(duck, spark)
    return [
        Row(
            f"audit of {ratings:,} ratings for five k: Spark on this machine against DuckDB",
            duck["seconds"], spark["seconds"], spark["seconds"] / duck["seconds"], "", None,
            f"and {spark['start']:.0f} s until Spark is up; the same deltas",
        )
    ]  # fmt: skip


def sizes_rows(folder: Path, counts: dict[str, int]) -> list[Row]:
    rows = []
    for name, ratings in counts.items():
        size = sum(path.stat().st_size for path in (folder / name).iterdir())
        found = child("duckdb", folder / name, memory_limit="2GB")
        rows.append(
            Row(
                f"DuckDB, {ratings:,} ratings", float("nan"), found["seconds"], float("nan"), "", None,
                f"{size / ratings:.2f} bytes a rating on disk; {found['units']:,} users; "
                f"{found['brought'] / found['units']:.0f} bytes brought back for each user, "
                f"{found['deciding']:,} of the ratings ({found['deciding'] / ratings:.2%})",
            )
        )  # fmt: skip
    return rows


def agree(one: dict[str, Any], two: dict[str, Any]) -> None:
    if one["table"] != two["table"]:
        raise AssertionError(f"different answers: {one['table']} and {two['table']}")


def measured(engine: str, folder: str, options: dict[str, Any]) -> dict[str, Any]:
    """Audit, and say how long it took from the files on, and how much memory it took at most."""
    from steadyrank import Study

    start = perf_counter()
    if engine == "spark":
        start_spark()
    up = perf_counter() - start
    start = perf_counter()
    data = load(engine, folder, options)
    result = Study(data).audit(k=KS, eps=EPS, methods=("topk", "inflated_topk"))
    seconds = perf_counter() - start
    steps = getattr(getattr(data, "traffic", None), "steps", {})
    deciding = sum(
        rows for step, (_, rows, _) in steps.items() if step.startswith("ratings of")
    )
    return {
        "seconds": seconds,
        "start": up,
        "peak": peak_memory(),
        "brought": sum(size for _, _, size in steps.values()),
        "deciding": deciding,
        "units": data.n_units,
        "table": [[row.method, row.k, row.delta, row.size] for row in result.table],
    }


def margin_measured(
    engine: str, folder: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Ask how many must leave, and say how long that took beside the scores."""
    from steadyrank import Study

    study = Study(
        load("memory" if engine == "memory-margin" else "duckdb", folder, options)
    )
    start = perf_counter()
    _ = replace(
        study.data.entries
    ).totals  # the pass that scores are made of, once more
    scored = perf_counter()
    steps = getattr(getattr(study.data, "traffic", None), "steps", {})
    before = {step: times for step, (times, _, _) in steps.items()}
    found = study.margin(MARGIN_K)
    return {
        "scoring": scored - start,
        "seconds": perf_counter() - scored,
        "passes": sum(
            times - before.get(step, 0) for step, (times, _, _) in steps.items()
        ),
        "deciding": sum(
            rows
            for step, (_, rows, _) in steps.items()
            if step.startswith("ratings of")
        ),
        "table": [found.lower, found.upper, list(found.units), list(found.pair)],
    }


def load(engine: str, folder: str, options: dict[str, Any]) -> Any:
    from steadyrank import Ratings, read
    from steadyrank.engines import DuckDB

    if engine == "memory":
        import pyarrow as pa
        import pyarrow.parquet as pq

        parts = [pq.read_table(path) for path in sorted(Path(folder).glob("*.parquet"))]
        table = pa.concat_tables(parts)
        return Ratings(*(table[name].to_numpy() for name in ("user", "item", "rating")))
    return read(
        folder,
        item="item",
        rating="rating",
        unit="user",
        engine=DuckDB(threads=2, **options) if engine == "duckdb" else engine,
    )


def start_spark() -> None:
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config(
        "spark.ui.enabled", "false"
    )
    builder = builder.config("spark.driver.memory", "3g").config(
        "spark.sql.shuffle.partitions", "8"
    )
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")


if __name__ == "__main__":
    asked = margin_measured if sys.argv[1].endswith("margin") else measured
    print(json.dumps(asked(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))))
