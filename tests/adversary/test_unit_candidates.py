"""Columns that could be the unit: those with which the same data can be read, on engines, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank import Battles, Ratings, ScoreMatrix
from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from numpy.random import Generator

    from adversary.conftest import Cases

CALLED_SO = ["judge", "Prompt_ID", "sessionId", "regions", "question hash", "uid"]
OTHERS = ["comment", "user_rating", "grid", "time", "question 1"]


def column(rng: Generator, size: int) -> list[Any]:
    """Return values of one type: text or numbers, few or many, equal, all different, or with gaps."""
    how, few = int(rng.integers(6)), int(rng.integers(1, 5))
    texts = [f"v{value}" for value in rng.integers(few, size=size)]
    if how == 0:
        return rng.integers(few, size=size).tolist()
    if how == 1:
        return rng.permutation(size).tolist()
    if how == 2:
        texts[int(rng.integers(size))] = str(rng.choice(["", " "]))
    if how == 3:
        return [value + 0.5 for value in rng.integers(few, size=size).tolist()]
    if how == 4:
        return [f"all {place}" for place in range(size)]
    return texts


def battles(rng: Generator, size: int) -> dict[str, list[Any]]:
    left = [f"m{place}" for place in rng.integers(0, 3, size=size)]
    right = [f"m{place}" for place in rng.integers(3, 6, size=size)]
    return {
        "left": left,
        "right": right,
        "winner": rng.choice(["left", "right"], size=size).tolist(),
    }


def with_further(rng: Generator, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    size = len(next(iter(columns.values())))
    named = rng.choice([*CALLED_SO, *OTHERS], size=int(rng.integers(4)), replace=False)
    both = {**columns, **{str(name): column(rng, size) for name in named}}
    order = rng.permutation(list(both))
    return {str(name): both[str(name)] for name in order}


def tried(
    make: Any, columns: dict[str, list[Any]], rows: int
) -> tuple[tuple[str, int], ...]:
    """Read the data with each column of such a name as the unit, and keep those that work."""
    kept = []
    for name, values in columns.items():
        if name not in CALLED_SO or any(isinstance(value, float) for value in values):
            continue
        try:
            units = make(unit=name).n_units
        except SteadyrankError:
            continue
        if 1 < units < rows:
            kept.append((name, units))
    return tuple(kept)


def test_battles_offer_what_could_be_read_as_the_unit(cases: Cases) -> None:
    found = 0
    for rng in cases(150):
        size = int(rng.integers(2, 12))
        columns = with_further(rng, battles(rng, size))
        data = Battles.from_frame(columns)
        assert data.unit_candidates == tried(
            lambda columns=columns, **unit: Battles.from_frame(columns, **unit),
            columns,
            size,
        )
        found += len(data.unit_candidates)
        for name, number in data.unit_candidates:
            grouped = Battles.from_frame(columns, unit=name)
            assert (grouped.n_units, grouped.unit_candidates) == (number, ())
    assert found > 20


def long_scores(rng: Generator) -> tuple[dict[str, list[Any]], int]:
    rows, items = int(rng.integers(2, 8)), int(rng.integers(2, 4))
    columns: dict[str, list[Any]] = {
        "task": [f"t{row}" for row in range(rows) for _ in range(items)],
        "model": [f"m{item}" for _ in range(rows) for item in range(items)],
        "value": rng.integers(0, 9, size=rows * items).tolist(),
    }
    of_rows = with_further(rng, {"": [0] * rows})
    del of_rows[""]
    for name, values in of_rows.items():
        columns[name] = [value for value in values for _ in range(items)]
        if rng.random() < 0.3:  # one entry of a row says otherwise
            columns[name][0] = columns[name][-1]
    return columns, rows


NAMED = {"row": "task", "item": "model", "score": "value"}


def test_long_tables_offer_columns_that_are_one_value_a_row(cases: Cases) -> None:
    found = 0
    for rng in cases(150):
        columns, rows = long_scores(rng)
        data = ScoreMatrix.from_frame(columns, **NAMED)
        assert data.unit_candidates == tried(
            lambda columns=columns, **unit: ScoreMatrix.from_frame(
                columns, **NAMED, **unit
            ),
            columns,
            rows,
        )
        found += len(data.unit_candidates)
    assert found > 10


def test_wide_tables_offer_row_names_that_repeat_and_numbers_that_are_no_scores() -> (
    None
):
    columns = {"judge": ["a", "a", "b"], "x": [1.0, 2.0, 3.0], "y": [2.0, 1.0, 0.5]}
    assert ScoreMatrix.from_frame(columns).unit_candidates == (("judge", 2),)
    assert ScoreMatrix.from_frame(
        {**columns, "worker_id": [7, 8, 7]}
    ).unit_candidates == (
        ("judge", 2),
        ("worker_id", 2),
    )
    named = ScoreMatrix.from_frame(columns, items=["x", "y"], unit="judge")
    assert (named.n_units, named.unit_candidates) == (2, ())


def test_kinds_whose_unit_is_fixed_offer_none() -> None:
    ratings = {
        "user": [1, 1, 2],
        "item": ["a", "b", "a"],
        "rating": [1, 2, 3],
        "region": ["x", "y", "x"],
    }
    assert Ratings.from_frame(ratings).unit_candidates == ()


def test_what_is_left_of_the_data_offers_the_same() -> None:
    columns = {
        "left": list("aab"),
        "right": list("bcc"),
        "winner": ["left"] * 3,
        "judge": list("xyx"),
    }
    data = Battles.from_frame(columns)
    assert data.without(0).unit_candidates == data.unit_candidates == (("judge", 2),)


def test_a_row_of_two_judges_has_no_unit() -> None:
    columns: dict[str, list[Any]] = {
        "task": ["s", "s", "t", "t", "u", "u"],
        "model": ["x", "y"] * 3,
        "value": [1, 2, 3, 1, 2, 2],
        "judge": ["a", "a", "b", "b", "b", "b"],
        "session": ["a", "a", "b", "b", "b", "a"],
    }
    assert ScoreMatrix.from_frame(columns, **NAMED).unit_candidates == (("judge", 2),)
