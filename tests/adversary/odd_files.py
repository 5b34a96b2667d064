"""Files as nobody should write them, and as somebody does: drawn at random, mostly sound, often odd."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from steadyrank import Battles, Ratings, ScoreMatrix, Votes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

LABELS = (
    ("x", "y", "z"),
    ("7", "12", "-3", "0"),
    (
        "9223372036854775807",
        "9223372036854775806",
        "-9223372036854775808",
        "1000000000000000000",
    ),
    ("9223372036854775808", "18446744073709551615", "12"),
    ("007", "7", "+7", "1.0", "1e3", "-0"),
    ("a,b", "a;b", 'say "hi"', '"', "two\nlines", "a\tb", "|", "cr\rlf"),
    (" x", "x ", "NA", "nan", "None", "null", "true", "N/A"),
    ("ä€", "😀", "[x]", "*", "{y}", "a'b", "\\", "%", "$1", "\x1b[31m"),
)
"""Pools of labels; a column takes its own from one of them, or from two."""
NUMBERS = (
    ("1", "2", "3", "4", "5"),
    ("0.5", "1.5", "2.25", "4"),
    (" 3 ", "4.", "+2", ".5", "1e0", "00"),
    ("0.1", "0.7", "3.3333333333", "1e-3", "2.000001"),
    ("9007199254740993", "9007199254740992", "1"),
)
ODD_NUMBERS = (
    "NA",
    "",
    " ",
    "NaN",
    "inf",
    "-Infinity",
    "x",
    "1,5",
    "٣",
    "0x10",
    "1_0",
    "--1",
    "null",
)
ODD_COUNTS = ("NA", "", "-1", "1.5", "x", "inf", "5e18", "1e3", " 2 ")
WINNERS = ("left", "right", "tie", "A", "draw", "1", "0", "0.5", "")
PATHS = (
    "plain", "a[1]", "*", "?", "_hidden", ".hidden", "choice=zz/x", "user=7/item=a/x", "a b", "ä",
    "a\nb", "a'b", 'a"b', "{a,b}", "a%20b", "a#b", "a,b", "back\\slash", os.fsdecode(b"\xff"), "a:b",
    "~", "$x",
)  # fmt: skip


@dataclass
class OddFile:
    """A file, and how to read it."""

    kind: Any
    content: bytes
    arguments: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path, name: str, ending: str) -> Path:
        """Write it, whatever it is called."""
        path = folder / f"{name}{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.content)
        return path


def odd_path(rng: np.random.Generator) -> str:
    """Return a name that some engine takes for something else than a name."""
    return str(rng.choice(PATHS[:1] if rng.random() < 0.3 else PATHS))


def odd_parts(rng: np.random.Generator, parts: int) -> tuple[OddFile, list[OddFile]]:
    """Return one file, and the same rows in several files with a header each."""
    kind, header, rows, arguments = _KINDS[int(rng.integers(len(_KINDS)))](rng)
    cuts = [0, *sorted(rng.integers(0, len(rows) + 1, parts - 1).tolist()), len(rows)]
    pieces = [rows, *(rows[cuts[part] : cuts[part + 1]] for part in range(parts))]
    made = [
        OddFile(kind, _joined(header, piece, ",", "\n", rng, 0.2), arguments)
        for piece in pieces
    ]
    return made[0], made[1:]


def labels(rng: np.random.Generator, size: int, *, odd: float = 0.05) -> list[str]:
    """Return labels out of one pool or two, so few that they repeat; now and then none at all."""
    pool = list(LABELS[int(rng.integers(len(LABELS)))])
    if rng.random() < 0.2:
        pool += LABELS[int(rng.integers(len(LABELS)))]
    found = [str(label) for label in rng.choice(pool, size)]
    if size and rng.random() < odd:
        found[int(rng.integers(size))] = str(rng.choice(["", " ", "\t ", "\u2028"]))
    return found


def _numbers(rng: np.random.Generator, size: int, odd: Sequence[str]) -> list[str]:
    found = [
        str(number)
        for number in rng.choice(NUMBERS[int(rng.integers(len(NUMBERS)))], size)
    ]
    if size and rng.random() < 0.2:
        found[int(rng.integers(size))] = str(rng.choice(odd))
    return found


def _ratings(rng: np.random.Generator) -> tuple[Any, ...]:
    size = int(rng.integers(0, 25))
    rows = list(
        zip(
            labels(rng, size),
            labels(rng, size),
            _numbers(rng, size, ODD_NUMBERS),
            strict=True,
        )
    )
    policy = str(rng.choice(["mean", "mean", "error"]))
    if policy == "error" and rng.random() < 0.7:
        rows = list({row[:2]: row for row in rows}.values())
    return Ratings, ["user", "item", "rating"], rows, {"duplicates": policy}


def _votes(rng: np.random.Generator) -> tuple[Any, ...]:
    size = int(rng.integers(0, 25))
    if rng.random() < 0.5:
        return Votes, ["choice"], [(label,) for label in labels(rng, size)], {}
    counts = [str(count) for count in rng.integers(0, 4, size)]
    if size and rng.random() < 0.3:
        counts[int(rng.integers(size))] = str(rng.choice(ODD_COUNTS))
    return (
        Votes,
        ["choice", "count"],
        list(zip(labels(rng, size), counts, strict=True)),
        {},
    )


def _battles(rng: np.random.Generator) -> tuple[Any, ...]:
    size = int(rng.integers(0, 25))
    pool = LABELS[int(rng.integers(len(LABELS)))]
    pairs = [
        tuple(map(str, rng.choice(pool, 2, replace=rng.random() < 0.005)))
        for _ in range(size)
    ]
    few = WINNERS[:3] if rng.random() < 0.6 else WINNERS
    by_label = rng.random() < 0.3
    rows = [
        (*pair, pair[int(rng.integers(2))] if by_label else str(rng.choice(few)))
        for pair in pairs
    ]
    return Battles, ["left", "right", "winner"], rows, {}


def _scores(rng: np.random.Generator) -> tuple[Any, ...]:
    tasks, models = (list(dict.fromkeys(labels(rng, size))) for size in (9, 5))
    kept = rng.random() if rng.random() < 0.5 else 1.0
    pairs = [
        (task, model) for task in tasks for model in models if rng.random() <= kept
    ]
    if pairs and rng.random() < 0.1:
        pairs.append(pairs[0])
    values = _numbers(rng, len(pairs), ODD_NUMBERS)
    rows = [(*pair, value) for pair, value in zip(pairs, values, strict=True)]
    arguments = {"row": "task", "item": "model", "score": "score"}
    return ScoreMatrix, list(arguments.values()), rows, {
        **arguments, "missing": str(rng.choice(["error", "drop", "available"])),
    }  # fmt: skip


_KINDS = (_ratings, _votes, _battles, _scores)


def _joined(
    header: Sequence[str],
    rows: Any,
    between: str,
    end: str,
    rng: np.random.Generator,
    quoted: float,
) -> bytes:
    def written(text: str) -> str:
        if rng.random() < quoted or any(
            mark in text for mark in (between, '"', "\n", "\r")
        ):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [between.join(map(written, row)) for row in (header, *rows)]
    return (end.join(lines) + end).encode()


def odd_typed(
    rng: np.random.Generator, *, beyond_int64: bool = True
) -> tuple[Any, Any, dict[str, Any]]:
    """Return a kind, a table of Arrow whose columns have types, and odd names, and how to read it."""
    import pyarrow as pa

    kind = [Ratings, Votes, ScoreMatrix][int(rng.integers(3))]
    roles = {
        Ratings: ("user", "item", "score"),
        Votes: ("choice",),
        ScoreMatrix: ("row", "item", "score"),
    }
    names = [
        str(name) for name in rng.choice(ODD_NAMES, len(roles[kind]), replace=False)
    ]
    size = int(rng.integers(1, 25))
    columns = [_typed_labels(rng, size, 3 if beyond_int64 else 1) for _ in roles[kind]]
    if kind is not Votes:
        columns[-1] = _typed_numbers(rng, size)
        pairs = dict.fromkeys(
            zip(*(column.to_pylist() for column in columns[:2]), strict=True)
        )
        firsts = {
            pair: row
            for row, pair in reversed(
                list(
                    enumerate(
                        zip(
                            *(column.to_pylist() for column in columns[:2]), strict=True
                        )
                    )
                )
            )
        }
        if rng.random() < 0.8:
            columns = [
                column.take(pa.array(sorted(firsts[pair] for pair in pairs)))
                for column in columns
            ]
    arguments = dict(zip(roles[kind], names, strict=True))
    if kind is ScoreMatrix:
        arguments["missing"] = str(rng.choice(["error", "drop", "available"]))
    return kind, pa.table(columns, names), arguments


ODD_NAMES = (
    "plain",
    "a.b",
    "a`b",
    "a b",
    "A",
    "a",
    "ä",
    "x[0]",
    "`",
    "a.b.c",
    "select",
    "1",
    'é"q',
)


def _typed_labels(rng: np.random.Generator, size: int, offsets: int) -> Any:
    import numpy as np
    import pyarrow as pa

    whole = rng.integers(0, 5, size)
    made = [
        lambda: pa.array(
            whole,
            str(rng.choice(["int8", "int16", "int32", "int64", "uint8", "uint32"])),
        ),
        lambda: pa.array(
            whole.astype(np.uint64)
            + np.uint64([0, 2**63, 2**64 - 9][int(rng.integers(offsets))]),
            "uint64",
        ),
        lambda: pa.array(whole / 2 - 1, str(rng.choice(["float32", "float64"]))),
        lambda: pa.array(whole > 2),
        lambda: pa.array(labels(rng, size, odd=0.02)),
        lambda: pa.array(labels(rng, size, odd=0.02)).dictionary_encode(),
    ]
    column = made[int(rng.integers(len(made)))]()
    return column if str(column.type) == "bool" else _with_nulls(rng, column, 0.03)


def _typed_numbers(rng: np.random.Generator, size: int) -> Any:
    import pyarrow as pa

    tenths, normal = rng.integers(-20, 50, size) / 10, rng.normal(size=size)
    made = [
        lambda: pa.array((tenths * 10).astype(int), str(rng.choice(["int8", "int64"]))),
        lambda: pa.array(rng.integers(0, 5, size), "uint64"),
        lambda: pa.array(tenths, str(rng.choice(["float32", "float64"]))),
        lambda: pa.array(normal, str(rng.choice(["float32", "float64"]))),
        lambda: pa.array(tenths > 0),
        lambda: pa.array([round(value, 1) for value in tenths.tolist()]).cast(
            pa.decimal128(9, 1)
        ),
        lambda: pa.array([float("nan"), *tenths[1:].tolist()]),
        lambda: pa.array([float(rng.choice(["inf", "-inf"])), *tenths[1:].tolist()]),
        lambda: pa.array([str(value) for value in tenths.tolist()]),
    ]
    weights = [3, 1, 3, 3, 1, 1, 2, 0.3, 0.3]
    place = int(rng.choice(len(made), p=[weight / sum(weights) for weight in weights]))
    return _with_nulls(rng, made[place](), 0.2)


def _with_nulls(rng: np.random.Generator, column: Any, share: float) -> Any:
    import pyarrow as pa

    if rng.random() > share:
        return column
    gone = rng.random(len(column)) < 0.2
    kept = pa.array(
        [None if missing else row for row, missing in enumerate(gone.tolist())], "int64"
    )
    return column.take(kept)
