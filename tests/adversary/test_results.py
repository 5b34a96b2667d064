"""Results in every spelling, under every pair of columns: the right winner, or a refusal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from steadyrank import Battles
from steadyrank.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

SPELLINGS = {  # of a win of the left side, a tie and a win of the right side
    "sides": ("left", "tie", "right"),
    "letters": ("L", "tie", "R"),
    "a and b": ("a", "draw", "b"),
    "models": ("model_a", "both bad", "model_b"),
    "home": ("H", "D", "A"),
    "home in words": ("home", "draw", "away"),
    "toto": ("1", "X", "2"),
    "view": ("W", "D", "L"),
    "view in words": ("win", "draw", "loss"),
    "points": ("1", "0.5", "0"),
    "truth": ("True", "tie", "False"),
    "chess": ("1-0", "1/2-1/2", "0-1"),
}
COLUMNS = {  # and the spellings that take the left column for the first, the home side or a
    ("left", "right"): set(SPELLINGS),
    ("model_a", "model_b"): set(SPELLINGS),
    ("player_1", "player_2"): set(SPELLINGS),
    ("HomeTeam", "AwayTeam"): set(SPELLINGS),
    ("team", "opponent"): set(SPELLINGS),
    ("white", "black"): set(SPELLINGS) - {"a and b"},
}
OWN = {
    "left": {"l": 1, "r": -1},
    "model_a": {"a": 1, "b": -1},
    "HomeTeam": {"h": 1, "a": -1},
    "white": {"w": 1, "b": -1},
}
"""What letters mean under columns that are called by them, whatever else they could mean."""


def test_the_right_side_wins_or_nobody(cases: Cases) -> None:
    read = refused = 0
    for rng in cases(300):
        left, right = list(COLUMNS)[rng.integers(len(COLUMNS))]
        spelling = sorted(COLUMNS[left, right])[rng.integers(len(COLUMNS[left, right]))]
        outcomes = rng.integers(-1, 2, rng.integers(1, 6)).tolist()
        words = [SPELLINGS[spelling][1 - outcome] for outcome in outcomes]
        words = [word.upper() if rng.random() < 0.2 else word for word in words]
        text = "\n".join(
            [f"{left},{right},outcome", *(f"p,q,{word}" for word in words), ""]
        )
        try:
            found = Battles.read(
                io.BytesIO(text.encode()), left=left, right=right
            ).outcome.tolist()
        except InvalidDataError:
            refused += 1
            # Only what lacks the letters that would tell may be refused.
            assert len(set(outcomes)) < 3
        else:
            read += 1
            own = OWN.get(left, {}) | {"tie": 0, "draw": 0}
            if all(
                word.lower() in own for word in words
            ):  # a column called so is meant
                outcomes = [own[word.lower()] for word in words]
            assert found == outcomes, (left, right, words)
    assert read > 5 * refused
