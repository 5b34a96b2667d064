"""Small sound files of every format, and ways to damage them. Run as a script, it reads damaged ones."""

from __future__ import annotations

import io
import json
import pickle
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

TEXTS: dict[str, bytes] = {
    "csv": b'choice,count,note\nann,3,"a ""b"", c"\nbob,1,\n007,2,"x\ny"\n\n12,4,z\n',
    "tsv": b"user\titem\trating\n1\ta\t4.5\n2\tb\tNA\n2\ta\t3\n\xc3\xa9\tb\t1e3\n",
    "jsonl": b'{"choice": "x", "count": 2}\n{"choice": 7, "n": [1, null]}\n\n{"choice": "7", "b": 0}\n',
    "preflib": (
        b"# FILE NAME: a.toc\n# TITLE: t\n# DATA TYPE: toc\n# NUMBER ALTERNATIVES: 3\n"
        b"# NUMBER VOTERS: 6\n# NUMBER UNIQUE ORDERS: 3\n# ALTERNATIVE NAME 1: ann\n"
        b"# ALTERNATIVE NAME 2: b b\n# ALTERNATIVE NAME 3: c\n3: 1,2,3\n2: 2,{1,3}\n1: 3\n"
    ),
    "movielens": b"196\t242\t3\t881250949\n186\t302\t3\t891717742\n22\t377\t1\t878887116\n",
}

TOKENS = [
    b"\n", b"\r", b"\r\n", b'"', b'""', b",", b"\t", b";", b"|", b":", b"::", b"{", b"}", b"#", b" ",
    b"\0", b"\xef\xbb\xbf", b"\xff", b"\xc3\xa9", b"1", b"007", b"1e5", b"9" * 25, b"-", b"NA",
    b"\\", b"[", b"null", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1f", b"\x0b", b"'", b'{"a":1,"a":2}',
    b"1e999", b"\\u0000", b"\\ud800",
]  # fmt: skip


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Return the content with one to three changes: other bytes, tokens put in, pieces cut or moved."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, to = sorted(rng.integers(0, len(data) + 1, 2).tolist())
        way = rng.integers(5)
        if way == 0 and at < len(data):
            data[at] = rng.integers(256)
        elif way in {1, 2}:
            data[at:at] = TOKENS[rng.integers(len(TOKENS))]
        elif way == 3:
            del data[at : min(to, at + 12)]
        else:
            data[to:to] = data[at : at + 20]
    return bytes(data)


def parquet_files() -> dict[str, bytes]:
    """Return one table as Parquet of several writers, codecs, encodings and page versions."""
    import polars as pl
    import pyarrow as pa
    from pyarrow import parquet

    rows = range(40)
    table = pa.table(
        {
            "user": [row % 7 for row in rows],
            "item": [f"i{row % 5}" for row in rows],
            "rating": [row % 5 + 0.5 if row % 11 else None for row in rows],
            "flag": [bool(row % 2) for row in rows],
            "list": [[row, row + 1] for row in rows],
        }
    )
    flat = table.select(["user", "item", "rating"])
    delta = {
        "user": "DELTA_BINARY_PACKED",
        "item": "DELTA_BYTE_ARRAY",
        "rating": "BYTE_STREAM_SPLIT",
    }
    plain = {"user": "PLAIN", "item": "DELTA_LENGTH_BYTE_ARRAY", "rating": "PLAIN"}
    files: dict[str, Any] = {}
    for codec in ("none", "snappy", "gzip", "zstd", "brotli", "lz4"):
        for version in ("1.0", "2.0"):
            options = {
                "compression": codec,
                "data_page_version": version,
                "use_dictionary": codec != "gzip",
            }
            files[f"pyarrow {codec} {version}"] = table, options
        files[f"pyarrow {codec} checksums"] = (
            table,
            {"compression": codec, "write_page_checksum": True},
        )
    files["pyarrow delta"] = flat, {"use_dictionary": False, "column_encoding": delta}
    files["pyarrow plain"] = flat, {
        "use_dictionary": False, "column_encoding": plain, "row_group_size": 10
    }  # fmt: skip
    found = {}
    for name, (content, options) in files.items():
        parquet.write_table(content, out := io.BytesIO(), **options)
        found[name] = out.getvalue()
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4"):
        pl.DataFrame(table).write_parquet(
            out := io.BytesIO(), compression=codec, row_group_size=17
        )
        found[f"polars {codec}"] = out.getvalue()
    return found


def damaged_parquet(rng: np.random.Generator, content: bytes) -> tuple[str, bytes]:
    """Return a damaged Parquet file, half of the time in its footer, and what was done to it."""
    data = bytearray(content)
    footer = len(data) - int.from_bytes(data[-8:-4], "little") - 8
    start = footer if rng.random() < 0.5 else 4
    at, to = sorted(rng.integers(start, len(data), 2).tolist())
    way = ("byte", "bit", "bytes", "number", "cut", "take out", "repeat")[
        rng.integers(7)
    ]
    if way == "byte":
        data[at] = rng.integers(256)
    elif way == "bit":
        data[at] ^= 1 << rng.integers(8)
    elif way == "bytes":
        for place in rng.integers(start, len(data), 5).tolist():
            data[place] = rng.integers(256)
    elif (
        way == "number"
    ):  # a length of thrift or of a page, spliced in: small, large or endless
        wide = [
            b"\xff" * 9 + b"\x01",
            b"\xff\xff\xff\xff\x0f",
            b"\x80\x80\x80\x80\x08",
            b"\x00",
            b"\x7f",
        ]
        new = wide[rng.integers(len(wide))]
        data[at : at + len(new)] = new
    elif way == "cut":
        del data[at:]
    elif way == "take out":
        del data[at:to]
    else:
        data[to:to] = data[at:to]
    return way, bytes(data)


def contents(source: bytes) -> str:
    """Return all that a file holds, as text that also tells types apart."""
    from steadyrank.reading.formats import read_table

    table = read_table(io.BytesIO(source), format="parquet")
    return repr([(name, table.cells(name)) for name in table.names])


def read_each(path: str) -> None:
    """Read pickled files one after the other; say the number of each before, and its fate after."""
    from steadyrank.errors import InvalidDataError

    warnings.simplefilter("error")
    for number, content in enumerate(pickle.loads(Path(path).read_bytes())):
        print(json.dumps(["reading", number]), flush=True)
        try:
            print(json.dumps(["read", contents(content)]), flush=True)
        except InvalidDataError as error:
            print(json.dumps(["refused", str(error)]), flush=True)


if __name__ == "__main__":
    read_each(sys.argv[1])
