"""A table that is changed a little never gets another answer with the same confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import read_any
from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable

    Columns = dict[str, list[Any]]

SIZE = 60


def tables(rng: np.random.Generator) -> dict[str, Columns]:
    left = rng.integers(5, size=SIZE)
    right = (left + rng.integers(1, 5, size=SIZE)) % 5
    users, items = np.divmod(np.arange(SIZE), 6)
    orders = [rng.permutation(4) for _ in range(SIZE)]
    return {
        "battles": {
            "model_a": [f"m{n}" for n in left],
            "model_b": [f"m{n}" for n in right],
            "winner": rng.choice(["model_a", "model_b", "tie"], SIZE).tolist(),
            "judge": [f"j{n}" for n in rng.integers(9, size=SIZE)],
        },
        "ratings": {
            "user": [f"u{n}" for n in users],
            "movie": [f"f{n}" for n in items],
            "rating": rng.integers(1, 6, size=SIZE).tolist(),
        },
        "choices": {
            f"choice_{n + 1}": [f"c{order[n]}" for order in orders] for n in range(3)
        },
        "scores": {"task": [f"t{n}" for n in range(SIZE)]}
        | {name: rng.random(SIZE).tolist() for name in ("adam", "sgd", "lion", "muon")},
        "games": {
            "Team 1": [f"m{n}" for n in left],
            "FT": [
                f"{one}-{two}" for one, two in rng.integers(4, size=(SIZE, 2)).tolist()
            ],
            "Team 2": [f"m{n}" for n in right],
        },
        "long": {
            "dataset": [f"d{n}" for n in users],
            "classifier": [f"c{n}" for n in items],
            "accuracy": rng.random(SIZE).tolist(),
        },
        "votes": {"candidate": ["ann", "bob", "cat"], "votes": [12, 9, 4]},
    }


def renamed(rng: np.random.Generator, columns: Columns) -> Columns:
    return {
        f"{chr(97 + n)}{rng.integers(100)}q": values
        for n, values in enumerate(columns.values())
    }


def shuffled(rng: np.random.Generator, columns: Columns) -> Columns:
    return {name: columns[name] for name in rng.permutation(list(columns))}


def dropped(rng: np.random.Generator, columns: Columns) -> Columns:
    gone = rng.choice(list(columns))
    return {name: values for name, values in columns.items() if name != gone}


def added(rng: np.random.Generator, columns: Columns) -> Columns:
    size = len(next(iter(columns.values())))
    # On the scale of the others it would be one of them, and nobody could tell.
    other: list[Any] = (
        (1000 * rng.random(size)).tolist() if rng.random() < 0.5 else ["x"] * size
    )
    return {**columns, "zq": other}


def of_text(rng: np.random.Generator, columns: Columns) -> Columns:
    name = rng.choice(list(columns))
    return {**columns, name: [f"v{rng.integers(9)}" for _ in columns[name]]}


@pytest.mark.parametrize("change", [renamed, shuffled, dropped, added, of_text])
@pytest.mark.parametrize(
    "name", ["battles", "games", "ratings", "choices", "scores", "long", "votes"]
)
def test_never_another_answer(
    name: str,
    change: Callable[[np.random.Generator, Columns], Columns],
    rng: np.random.Generator,
) -> None:
    for _ in range(5):
        columns = tables(rng)[name]
        plain = read_any(columns)
        try:
            found = read_any(change(rng, columns))
        except SteadyrankError:
            continue
        assert found.kind is plain.kind
        labels = {str(item) for item in plain.items}
        # Text in a column of names is a table of other names; what is known of others stays.
        if change is not of_text:
            assert {str(item) for item in found.items} <= labels
