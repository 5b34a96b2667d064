"""Generated files of shapes that people have: verdicts, two sides in a cell, ballots, records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steadyrank.data.read import read_any
from steadyrank.errors import NotRecognisedError
from steadyrank.reading.results import TIE, UNKNOWN, verdict

NAMES = ["Arden", "Belmont", "Corvus", "Dunmore", "Elston"]
GAMES = 60


def games(rng: np.random.Generator) -> list[tuple[str, str, bool]]:
    """Return who met, and whether the first won: mostly the one that comes earlier in the alphabet."""
    found = []
    for _ in range(GAMES):
        one, two = rng.choice(len(NAMES), 2, replace=False)
        found.append((NAMES[one], NAMES[two], bool(rng.random() < (0.85 if one < two else 0.15))))
    return found


def orders(rng: np.random.Generator, size: int = 12) -> list[list[str]]:
    """Return orders of all names that mostly agree."""
    keys = np.arange(len(NAMES)) + rng.normal(size=(size, len(NAMES)))
    return [[NAMES[place] for place in np.argsort(one)] for one in keys]


def text(header: Sequence[object] | None, rows: Sequence[Sequence[object]]) -> io.BytesIO:
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


RESULTS: dict[str, Callable[[str, str, bool], str]] = {
    "won by": lambda one, two, wins: f"{one if wins else two} won by 3 runs",
    "better": lambda _one, _two, wins: f"{'A' if wins else 'B'} is slightly better",
    "response": lambda _one, _two, wins: f"Response {1 if wins else 2} is better",
    "victory": lambda _one, _two, wins: "Victory" if wins else "Defeat",
}


@pytest.mark.parametrize("how", RESULTS)
def test_verdicts_name_who_won(how: str, rng: np.random.Generator) -> None:
    played = games(rng)
    rows = [(one, two, RESULTS[how](one, two, wins)) for one, two, wins in played]
    expected = {name: sum(name == (a if wins else b) for a, b, wins in played) for name in NAMES}
    assert won(first(text(("team_a", "team_b", "outcome"), rows))) == expected


def test_a_verdict_needs_a_whole_name_and_says_that_it_won() -> None:
    assert verdict("maybe", "a", "b") == UNKNOWN
    assert verdict("arden withdrew", "arden", "belmont") == UNKNOWN
    assert verdict("1er tour", "x", "y") == UNKNOWN
    assert verdict("2 to 1", "x", "y") == UNKNOWN
    assert verdict("about the same", "x", "y") == TIE


def test_0_and_1_of_a_winner_are_read_both_ways(rng: np.random.Generator) -> None:
    played = games(rng)
    rows = [(one, two, int(not wins)) for one, two, wins in played]
    with pytest.raises(NotRecognisedError) as caught:
        read_any(text(("player_a", "player_b", "winner"), rows))
    numbered, flagged = caught.value.readings[:2]
    sides = [(one.arguments["left"], one.arguments["right"]) for one in (numbered, flagged)]
    assert sides == [("player_b", "player_a"), ("player_a", "player_b")]
    assert won(numbered.read()) == {
        name: sum(name == (a if wins else b) for a, b, wins in played) for name in NAMES
    }


@pytest.mark.parametrize("between", [" vs ", " v. ", " – ", " @ "])
def test_two_sides_in_one_cell(between: str, rng: np.random.Generator) -> None:
    played = games(rng)
    rows = [(f"{one}{between}{two}", "2-1" if wins else "0:1") for one, two, wins in played]
    data = first(text(("game", "score"), rows))
    assert sorted(data.items) == NAMES
    assert won(data) == {name: sum(name == (a if w else b) for a, b, w in played) for name in NAMES}


def test_a_first_line_that_comes_again_in_parts_is_data(rng: np.random.Generator) -> None:
    played = games(rng)
    data = first(text(None, [(one, two, one if wins else two) for one, two, wins in played]))
    assert (data.kind.name, data.n_units) == ("battles", GAMES)


def asserts_orders(data: Any, expected: list[list[str]]) -> None:
    named = sorted(" > ".join(one) for one in expected)
    found = [
        label for label, n in zip(data.units.labels, data.units.counts, strict=True) for _ in range(n)
    ]
    assert sorted(map(str, found)) == named


class TestBallotsInCells:
    """Ballots whose cells have to become rows, and lists in cells."""

    def test_a_column_for_each_ballot_lists_names(self, rng: np.random.Generator) -> None:
        made = orders(rng)
        header = ["", *(f"critic {n}" for n in range(len(made)))]
        rows = [[place + 1, *(one[place] for one in made)] for place in range(len(NAMES))]
        asserts_orders(first(text(header, rows)), made)

    def test_columns_give_places_to_items_in_rows(self, rng: np.random.Generator) -> None:
        made = [one[: 3 + n % 3] for n, one in enumerate(orders(rng))]
        rows = [[name, *(one.index(name) + 1 if name in one else "" for one in made)] for name in NAMES]
        asserts_orders(first(text(["film", *(f"critic {n}" for n in range(len(made)))], rows)), made)

    def test_rows_give_places_to_some_columns(self, rng: np.random.Generator) -> None:
        made = [one[: 2 + n % 4] for n, one in enumerate(orders(rng, 30))]
        rows = [[one.index(name) + 1 if name in one else "" for name in NAMES] for one in made]
        asserts_orders(
            first(text(["who", *NAMES], [[f"p{n}", *row] for n, row in enumerate(rows)])), made
        )

    def test_what_was_typed_is_read_again(self, rng: np.random.Generator, tmp_path: Path) -> None:
        made = orders(rng)
        path = tmp_path / "lists.csv"
        rows = [[one[place] for one in made] for place in range(4)]
        path.write_bytes(text([f"voter{n}" for n in range(len(made))], rows).getvalue())
        with pytest.raises(NotRecognisedError) as caught:
            read_any(path)
        reading = caught.value.readings[0]
        assert reading.arguments["unpivot"] == [f"voter{n}" for n in range(len(made))]
        again = read_any(path, **reading.arguments)
        assert again.items == reading.read().items
        assert list(again.units.labels) == list(reading.read().units.labels)

    @pytest.mark.parametrize("mark", [", ", "; ", " | "])
    def test_lists_of_names_under_any_name(self, mark: str, rng: np.random.Generator) -> None:
        made = [one[: 1 + n % 3] for n, one in enumerate(orders(rng, 30))]
        rows = [(f"5/{n}/2024", mark.join(sorted(one))) for n, one in enumerate(made, 1)]
        data = first(text(("When", "Which clubs do you like?"), rows))
        assert (data.kind.name, data.approval) == ("ballots", True)
        assert set(data.items) == {name for one in made for name in one}

    def test_places_by_shape(self, rng: np.random.Generator) -> None:
        made = orders(rng)
        rows = [(n, name, place) for n, one in enumerate(made) for place, name in enumerate(one, 1)]
        asserts_orders(first(text(("race_id", "athlete", "finish"), rows)), made)

    def test_two_contests_are_not_taken_at_once(self, rng: np.random.Generator) -> None:
        made = orders(rng, 40)
        rows = [[n, *one[:3], *("yx" if n % 2 else "xy")] for n, one in enumerate(made)]
        header = ["id", *(f"Mayor Choice {n}" for n in (1, 2, 3)), "Clerk Choice 1", "Clerk Choice 2"]
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
        rows = [{"winner": a if w else b, "loser": b if w else a} for a, b, w in games(rng)]
        weeks = {f"week {n}": rows[10 * n : 10 * n + 10] for n in range(6)}
        assert self.read({"season": 7, "weeks": weeks}).n_units == GAMES


class TestListsInCells:
    """Several names in a cell, and marks of those who were chosen."""

    @pytest.mark.parametrize("mark", ["; ", " | ", ", ", "\n", " > "])
    def test_names_in_more_than_one_order_are_ranked(self, mark: str, rng: np.random.Generator) -> None:
        made = [one[: 2 + n % 4] for n, one in enumerate(orders(rng, 30))]
        rows = [(f"5/{n}/2024", mark.join(one)) for n, one in enumerate(made, 1)]
        asserts_orders(first(text(("When", "Rank your favourites"), rows)), made)

    def test_names_in_one_order_are_ticks(self, rng: np.random.Generator) -> None:
        made = [sorted(one[: 1 + n % 3]) for n, one in enumerate(orders(rng, 30))]
        rows = [(n, ";".join(one)) for n, one in enumerate(made)]
        data = first(text(("id", "Which clubs did you choose?"), rows))
        assert (data.kind.name, data.approval, data.n_units) == ("ballots", True, 30)

    @pytest.mark.parametrize("written", [json.dumps, repr])
    def test_written_lists(self, written: Callable[[list[str]], str], rng: np.random.Generator) -> None:
        made = [one[: 2 + n % 4] for n, one in enumerate(orders(rng))]
        rows = [(f"v{n}", written(one)) for n, one in enumerate(made)]
        asserts_orders(first(text(("voter", "ranking"), rows)), made)

    @pytest.mark.parametrize("named", [False, True])
    def test_marks_in_columns(self, named: bool, rng: np.random.Generator) -> None:
        made = [one[: 1 + n % 4] for n, one in enumerate(orders(rng, 30))]
        rows = [[n, *((name if named else "X") * (name in one) for name in NAMES)]
                for n, one in enumerate(made)]  # fmt: skip
        header = ["id", *(f"Q3_{n}" for n in range(5))] if named else ["id", *NAMES]
        data = first(text(header, rows))
        assert (data.kind.name, {*data.items}, data.n_units) == ("votes", {*NAMES}, 30)
        votes = {name: sum(name in one for one in made) for name in NAMES}
        assert dict(zip(data.items, data.tally.tolist(), strict=True)) == votes
