"""Generated files of shapes that people have: verdicts, two sides in a cell, ballots, records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from steadyrank.data.read import read_any
from steadyrank.errors import NotRecognisedError

NAMES = ["Arden", "Belmont", "Corvus", "Dunmore", "Elston"]
GAMES = 60


def games(rng: np.random.Generator) -> list[tuple[str, str, bool]]:
    """Return who met, and whether the first won: mostly the one that comes earlier in the alphabet."""
    found = []
    for _ in range(GAMES):
        one, two = rng.choice(len(NAMES), 2, replace=False)
        found.append(
            (NAMES[one], NAMES[two], bool(rng.random() < (0.85 if one < two else 0.15)))
        )
    return found


def orders(rng: np.random.Generator, size: int = 12) -> list[list[str]]:
    """Return orders of all names that mostly agree."""
    keys = np.arange(len(NAMES)) + rng.normal(size=(size, len(NAMES)))
    return [[NAMES[place] for place in np.argsort(one)] for one in keys]


def text(
    header: Sequence[object] | None, rows: Sequence[Sequence[object]]
) -> io.BytesIO:
    out = io.StringIO()
    csv.writer(out).writerows([*([header] if header else []), *rows])
    return io.BytesIO(out.getvalue().encode())


def first(source: Any) -> Any:
    """Return the data that are taken, or those of the first suggestion."""
    try:
        return read_any(source)
    except NotRecognisedError as error:
        return error.readings[0].read()


def won(data: Any) -> dict[str, int]:
    """Return how often each item won."""
    winner = np.where(data.outcome > 0, data.left, data.right)
    times = np.bincount(winner, minlength=data.n_items)
    return dict(zip(data.items, times.tolist(), strict=True))


def test_0_and_1_of_a_winner_are_shares_of_the_left_side(
    rng: np.random.Generator,
) -> None:
    played = games(rng)
    rows = [(one, two, int(wins)) for one, two, wins in played]
    data = first(text(("player_a", "player_b", "winner"), rows))
    assert won(data) == {
        name: sum(name == (a if wins else b) for a, b, wins in played) for name in NAMES
    }


def test_a_first_line_that_comes_again_in_parts_is_data(
    rng: np.random.Generator,
) -> None:
    played = games(rng)
    data = first(
        text(None, [(one, two, one if wins else two) for one, two, wins in played])
    )
    assert (data.kind.name, data.n_units) == ("battles", GAMES)


def asserts_orders(data: Any, expected: list[list[str]]) -> None:
    named = sorted(" > ".join(one) for one in expected)
    found = [
        label
        for label, n in zip(data.units.labels, data.units.counts, strict=True)
        for _ in range(n)
    ]
    assert sorted(map(str, found)) == named


class TestBallotsInCells:
    """Ballots by entries, by lists in cells, and by lines."""

    @pytest.mark.parametrize("mark", [", ", "; ", " | "])
    def test_lists_of_names_under_any_name(
        self, mark: str, rng: np.random.Generator
    ) -> None:
        made = [one[: 1 + n % 3] for n, one in enumerate(orders(rng, 30))]
        rows = [
            (f"5/{n}/2024", mark.join(sorted(one))) for n, one in enumerate(made, 1)
        ]
        data = first(text(("When", "Which clubs do you like?"), rows))
        assert (data.kind.name, data.approval) == ("ballots", True)
        assert set(data.items) == {name for one in made for name in one}

    def test_places_by_shape(self, rng: np.random.Generator) -> None:
        made = orders(rng)
        rows = [
            (n, name, place)
            for n, one in enumerate(made)
            for place, name in enumerate(one, 1)
        ]
        asserts_orders(first(text(("race_id", "athlete", "finish"), rows)), made)

    def test_two_contests_are_not_taken_at_once(self, rng: np.random.Generator) -> None:
        made = orders(rng, 40)
        rows = [[n, *one[:3], *("yx" if n % 2 else "xy")] for n, one in enumerate(made)]
        header = [
            "id",
            *(f"Mayor Choice {n}" for n in (1, 2, 3)),
            "Clerk Choice 1",
            "Clerk Choice 2",
        ]
        with pytest.raises(NotRecognisedError):
            read_any(text(header, rows))


class TestRecords:
    """Documents of JSON, on one line."""

    def read(self, document: object) -> Any:
        return first(io.BytesIO(json.dumps(document).encode()))

    def test_a_list_inside_an_object(self, rng: np.random.Generator) -> None:
        rows = [{"home": {"name": a, "goals": int(w)}, "away": {"name": b, "goals": int(not w)}}
                for a, b, w in games(rng)]  # fmt: skip
        assert self.read({"matches": rows}).n_units == GAMES

    def test_a_list_for_each_week(self, rng: np.random.Generator) -> None:
        rows = [
            {"winner": a if w else b, "loser": b if w else a} for a, b, w in games(rng)
        ]
        weeks = {f"week {n}": rows[10 * n : 10 * n + 10] for n in range(6)}
        assert self.read({"season": 7, "weeks": weeks}).n_units == GAMES


class TestListsInCells:
    """Several names in a cell, and marks of those who were chosen."""

    def test_names_in_one_order_are_ticks(self, rng: np.random.Generator) -> None:
        made = [sorted(one[: 1 + n % 3]) for n, one in enumerate(orders(rng, 30))]
        rows = [(n, ";".join(one)) for n, one in enumerate(made)]
        data = first(text(("id", "Which clubs did you choose?"), rows))
        assert (data.kind.name, data.approval, data.n_units) == ("ballots", True, 30)

    @pytest.mark.parametrize("written", [json.dumps, repr])
    def test_written_lists(
        self, written: Callable[[list[str]], str], rng: np.random.Generator
    ) -> None:
        made = [one[: 2 + n % 4] for n, one in enumerate(orders(rng))]
        rows = [(f"v{n}", written(one)) for n, one in enumerate(made)]
        asserts_orders(first(text(("voter", "ranking"), rows)), made)
