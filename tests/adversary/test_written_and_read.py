"""A table, written in every format and every way round, is the same study when it is read back."""

from __future__ import annotations

import csv
import gzip
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Study, read_any
from steadyrank.data import Ballots, Battles, Ratings, ScoreMatrix, Votes
from steadyrank.errors import NotRecognisedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np

    Columns = dict[str, list[Any]]
    Cases = Callable[[int], Iterable[np.random.Generator]]

NAMES = ["ann", "bob b", "Übel", "d,e", 'f"g', "h;i", "模型", "x>y"]


def delimited(
    mark: str, ending: str = "\n", *, packed: bool = False
) -> Callable[[Columns], bytes]:
    def written(columns: Columns) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=mark, lineterminator=ending)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        plain = text.getvalue().encode()
        return gzip.compress(plain) if packed else plain

    return written


def objects(columns: Columns) -> list[dict[str, Any]]:
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def json_lines(columns: Columns) -> bytes:
    return "\n".join(
        json.dumps(one, ensure_ascii=False) for one in objects(columns)
    ).encode()


def json_array(columns: Columns) -> bytes:
    return json.dumps(objects(columns), indent=1).encode()


def json_columns(columns: Columns) -> bytes:
    return json.dumps(columns, indent=1).encode()


def excel(columns: Columns) -> bytes:
    import openpyxl

    book, made = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    book.active.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        book.active.append(list(row))
    book.save(made)
    return made.getvalue()


def parquet(columns: Columns) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet as pq

    made = io.BytesIO()
    pq.write_table(pa.table(columns), made)
    return made.getvalue()


WRITERS: dict[str, Callable[[Columns], bytes]] = {
    "csv": delimited(","),
    "semicolons": delimited(";", "\r\n"),
    "bars": delimited("|"),
    "tsv": delimited("\t"),
    "packed csv": delimited(",", packed=True),
    "json lines": json_lines,
    "json array": json_array,
    "json columns": json_columns,
    "excel": excel,
    "parquet": parquet,
}


def scores(rng: np.random.Generator) -> tuple[ScoreMatrix, list[Columns]]:
    rows, items = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    values = rng.integers(0, 5, size=(rows, items)) / float(rng.choice([1, 2, 10]))
    tasks = [f"{NAMES[n]} task" for n in rng.permutation(len(NAMES))[:rows]]
    models = [NAMES[n] for n in rng.permutation(len(NAMES))[:items]]
    wide = {"task": tasks} | {
        model: values[:, n].tolist() for n, model in enumerate(models)
    }
    turned = {"model": models} | {
        task: values[n].tolist() for n, task in enumerate(tasks)
    }
    places = rng.permutation(rows * items)  # lines in any order
    long = {
        "task": [tasks[place // items] for place in places],
        "model": [models[place % items] for place in places],
        "score": [float(values.ravel()[place]) for place in places],
    }
    return ScoreMatrix(values, items=models, rows=tasks), [wide, turned, long]


def ratings(rng: np.random.Generator) -> tuple[Ratings, list[Columns]]:
    size = int(rng.integers(3, 12))
    pairs = sorted({(int(u), NAMES[i]) for u, i in rng.integers(0, 4, size=(size, 2))})
    users, items = map(list, zip(*pairs, strict=True))
    stars = rng.integers(1, 6, size=len(pairs)).tolist()
    return Ratings(users, items, stars), [
        {"userId": users, "movie": items, "rating": stars}
    ]


def battles(rng: np.random.Generator) -> tuple[Battles, list[Columns]]:
    size = int(rng.integers(3, 15))
    sides = [rng.permutation(4)[:2] for _ in range(size)]
    left, right = ([NAMES[pair[side]] for pair in sides] for side in (0, 1))
    won = [str(word) for word in rng.choice(["left", "right", "tie"], size=size)]
    spelt = [
        {"left": "model_a", "right": "model_b", "tie": "tie (bothbad)"}[word]
        for word in won
    ]
    return Battles(left, right, won), [
        {"left": left, "right": right, "winner": won},
        {"model_a": left, "model_b": right, "winner": spelt},
        {
            "model_a": left,
            "model_b": right,
            "wins_a": [int(word == "left") for word in won],
            "wins_b": [int(word == "right") for word in won],
            "ties": [int(word == "tie") for word in won],
        },
    ]


def votes(rng: np.random.Generator) -> tuple[Votes, list[Columns]]:
    choices = [NAMES[n] for n in rng.integers(0, 4, size=int(rng.integers(3, 12)))]
    counted = {name: choices.count(name) for name in choices}
    return Votes(choices), [
        {"choice": choices},
        {"candidate": list(counted), "votes": list(counted.values())},
        {"voter": list(range(len(choices))), "choice": choices},
    ]


def ballots(rng: np.random.Generator) -> tuple[Ballots, list[Columns]]:
    plain = [name for name in NAMES if not set(name) & set(",;>|")]
    orders = [
        [
            plain[n]
            for n in rng.permutation(len(plain))[: rng.integers(1, len(plain) + 1)]
        ]
        for _ in range(int(rng.integers(2, 9)))
    ] + [plain[:2]]
    entries = [
        (voter, name, rank)
        for voter, order in enumerate(orders)
        for rank, name in enumerate(order, 1)
    ]
    voters, names, ranks = map(list, zip(*entries, strict=True))
    return Ballots(orders), [
        {"ballot": [" > ".join(order) for order in orders], "count": [1] * len(orders)},
        {"voter": voters, "candidate": names, "rank": ranks},
    ]


@pytest.mark.parametrize("make", [scores, ratings, battles, votes, ballots])
def test_every_format_and_way_round(make: Callable[..., Any], cases: Cases) -> None:
    for rng in cases(12):
        data, layouts = make(rng)
        scorer = "bradley-terry:ridge=0.5" if isinstance(data, Battles) else None
        known = sorted(
            zip(map(str, data.items), Study(data, scorer).scores.tolist(), strict=True)
        )
        for layout in layouts:
            for name, write in WRITERS.items():
                settings = (
                    {"lower_is_better": False} if isinstance(data, ScoreMatrix) else {}
                )
                if len(layout) == 1 and name in {"semicolons", "bars", "tsv"}:
                    continue  # one column has nothing between its fields to tell the format by
                try:
                    found = read_any(io.BytesIO(write(layout)), **settings)
                except (
                    NotRecognisedError
                ):  # "d,e" may be a name or two: what is said is not guessed
                    assert any("," in str(item) for item in data.items), (name, layout)
                    found = read_any(
                        io.BytesIO(write(layout)), kind=data.kind.name, **settings
                    )
                assert type(found) is type(data), (name, layout)
                study = Study(found, scorer)
                scored = sorted(
                    zip(map(str, found.items), study.scores.tolist(), strict=True)
                )
                assert scored == known, (name, layout)
                assert found.n_units == data.n_units
                assert sorted(found.units.counts.tolist()) == sorted(
                    data.units.counts.tolist()
                )
