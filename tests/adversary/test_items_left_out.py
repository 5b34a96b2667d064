"""Counts behind items, items left out, and what units said: all told again from the raw rows.

The twin never asks the data: it counts rows, drops the rows (or parts of rows) about other items, makes
the data anew from what is left, and writes out what a unit said from its rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from engine_makers import relation, scan_ratings
from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
    read,
)
from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    InvalidLabelError,
    InvalidValueError,
)
from steadyrank.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

NAMES = ["ann", "bob", "cyd", "dan", "eve", "fay"]


class Case(NamedTuple):
    """Raw rows, how data are made of them, and what a row says about which items."""

    rows: list[Any]
    make: Callable[[list[Any], list[str]], Any]
    cut: Callable[[Any, set[str]], Any]
    """A row without the other items; None where nothing of it is left."""
    counts: Callable[[Any], dict[str, int]]


def votes(rng: np.random.Generator) -> Case:
    rows = [
        (str(rng.choice(NAMES)), int(rng.integers(0, 4)))
        for _ in range(rng.integers(1, 12))
    ]
    return Case(
        [*rows, ("ann", 1)],
        lambda rows, items: Votes(
            [row[0] for row in rows], counts=[row[1] for row in rows], items=items
        ),
        lambda row, kept: row if row[0] in kept else None,
        lambda row: {row[0]: row[1]},
    )


def ballots(rng: np.random.Generator, *, approval: bool = False) -> Case:
    rows = []
    for _ in range(rng.integers(1, 9)):
        names = rng.permutation(NAMES)[: rng.integers(not approval, 6)].tolist()
        tiers = (
            [names]
            if approval
            else [
                part.tolist()
                for part in np.split(names, np.sort(rng.integers(0, len(names), 2)))
            ]
        )
        rows.append(([tier for tier in tiers if tier], int(rng.integers(1, 4))))

    def make(rows: list[Any], items: list[str]) -> Ballots:
        orders = [
            [name for tier in row[0] for name in tier] if approval else row[0]
            for row in rows
        ]
        return Ballots(
            orders, counts=[row[1] for row in rows], items=items, approval=approval
        )

    def cut(row: Any, kept: set[str]) -> Any:
        tiers = [
            left for tier in row[0] if (left := [name for name in tier if name in kept])
        ]
        return (tiers, row[1]) if tiers or approval else None

    return Case(
        rows, make, cut, lambda row: {name: row[1] for tier in row[0] for name in tier}
    )


def ratings(rng: np.random.Generator) -> Case:
    pairs = {
        (int(rng.integers(5)), str(rng.choice(NAMES)))
        for _ in range(rng.integers(1, 20))
    }
    scale = int(rng.choice([1, 2, 100, 7]))
    rows = [
        (user * 3 - 4, item, int(rng.integers(1, 9)) / scale)
        for user, item in sorted(pairs)
    ]
    rng.shuffle(rows)
    return Case(
        rows,
        lambda rows, items: Ratings(*map(list, zip(*rows, strict=True)), items=items),
        lambda row, kept: row if row[1] in kept else None,
        lambda row: {row[1]: 1},
    )


def scores(rng: np.random.Generator, *, grouped: bool = False) -> Case:
    rows = []
    for row in range(rng.integers(1, 9)):
        seen = [name for name in NAMES if rng.random() < 0.6] or ["ann"]
        rows.append(
            (
                f"r{row}",
                f"g{rng.integers(3)}",
                {name: int(rng.integers(9)) / 4 for name in seen},
            )
        )
    rows.append(("last", "g0", dict.fromkeys(NAMES, 0.5)))

    def make(rows: list[Any], items: list[str]) -> ScoreMatrix:
        values = [[row[2].get(item) for item in items] for row in rows]
        units = {"units": [row[1] for row in rows]} if grouped else {}
        return ScoreMatrix(
            values,
            items=items,
            rows=[row[0] for row in rows],
            missing="available",
            **units,
        )

    def cut(row: Any, kept: set[str]) -> Any:
        left = {name: value for name, value in row[2].items() if name in kept}
        return (*row[:2], left) if left else None

    return Case(rows, make, cut, lambda row: dict.fromkeys(row[2], 1))


def battles(rng: np.random.Generator, *, grouped: bool = False) -> Case:
    rows = []
    for _ in range(rng.integers(1, 14)):
        one, two = rng.permutation(NAMES)[:2].tolist()
        rows.append(
            (
                one,
                two,
                str(rng.choice(["left", "right", "tie"])),
                int(rng.integers(0, 3)),
                int(rng.integers(4)),
            )
        )
    rows.append(("ann", "bob", "left", 1, 0))

    def make(rows: list[Any], items: list[str]) -> Battles:
        left, right, outcome, counts, units = map(list, zip(*rows, strict=True))
        return Battles(
            left,
            right,
            outcome,
            counts=counts,
            items=items,
            units=units if grouped else None,
        )

    return Case(
        rows,
        make,
        lambda row, kept: row if {row[0], row[1]} <= kept else None,
        lambda row: dict.fromkeys(row[:2], row[3]),
    )


KINDS: dict[str, Callable[[np.random.Generator], Case]] = {
    "votes": votes,
    "ballots": ballots,
    "approvals": lambda rng: ballots(rng, approval=True),
    "ratings": ratings,
    "scores": scores,
    "groups of scores": lambda rng: scores(rng, grouped=True),
    "battles": battles,
    "groups of battles": lambda rng: battles(rng, grouped=True),
}


def counted(case: Case, rows: list[Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        found.update(case.counts(row))
    return found


def left(case: Case, kept: set[str]) -> list[Any]:
    return [part for row in case.rows if (part := case.cut(row, kept)) is not None]


def assert_same(one: Any, two: Any) -> None:
    assert one.items == two.items
    for each in fields(one):
        if each.name not in {
            "notes",
            "narrowed",
            "_least",
        }:  # what happened to the data, not what they are
            mine, other = getattr(one, each.name), getattr(two, each.name)
            if isinstance(mine, np.ndarray):
                np.testing.assert_array_equal(mine, other)
            else:
                assert (
                    mine
                    if mine is None or isinstance(mine, str | bool | float)
                    else list(mine)
                ) == (
                    other
                    if other is None or isinstance(other, str | bool | float)
                    else list(other)
                )
    assert list(one.units.labels) == list(two.units.labels)
    np.testing.assert_array_equal(one.units.counts, two.units.counts)
    np.testing.assert_array_equal(one.item_counts, two.item_counts)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_rows(cases: Cases, kind: str) -> None:
    for rng in cases(40):
        case = KINDS[kind](rng)
        data = case.make(case.rows, NAMES)
        expected = counted(case, case.rows)
        assert data.item_counts.tolist() == [expected[name] for name in NAMES]
        assert data.item_counts.dtype == np.int64
        called = {"approvals": "ballots"}.get(kind, kind.removeprefix("groups of "))
        assert plural(data.kind.observation) == called


@pytest.mark.parametrize("kind", KINDS)
def test_keeping_some_items_is_reading_what_is_left(cases: Cases, kind: str) -> None:
    refused = 0
    for rng in cases(60):
        case = KINDS[kind](rng)
        data = case.make(case.rows, NAMES)
        kept = [name for name in NAMES if rng.random() < 0.5]
        rows = left(case, set(kept))
        if not sum(counted(case, rows).values()):
            refused += 1
            with pytest.raises(
                EmptyDataError, match=f"no {plural(data.kind.observation)} are left"
            ):
                data.keeping(kept)
            continue
        found = data.keeping(rng.permutation(kept).tolist())
        again = case.make(rows, kept)
        assert_same(found, again)
        gone = data.n_units - again.n_units
        said = found.notes[-1] if len(kept) < len(NAMES) else ""
        assert ("had nothing else" in said) == (gone > 0)
        assert f"; {gone:,} " in said or not gone
        assert (
            data.notes == case.make(case.rows, NAMES).notes
        )  # the data themselves stay as they are
    assert refused


@pytest.mark.parametrize("kind", KINDS)
def test_few_observations_are_left_out_once(cases: Cases, kind: str) -> None:
    fewer_left = 0
    for rng in cases(40):
        case = KINDS[kind](rng)
        data = case.make(case.rows, NAMES)
        least = int(rng.integers(1, 6))
        numbers = counted(case, case.rows)
        kept = [name for name in NAMES if numbers[name] >= least]
        rows = left(case, set(kept))
        after = counted(case, rows)
        if not sum(after.values()):
            with pytest.raises(EmptyDataError, match="are left: "):
                data.with_min_count(least)
            continue
        found = data.with_min_count(least)
        assert_same(found, case.make(rows, kept))
        out = len(NAMES) - len(kept)
        one = data.kind.observation if least == 1 else plural(data.kind.observation)
        items, are = ("items", "are") if out > 1 else ("item", "is")
        text = f"{out} {items} with fewer than {least} {one} {are} left out"
        assert any(note.startswith(text) for note in found.notes) == (out > 0)
        fewer_left += sum(after[name] < least for name in kept)
    assert (fewer_left > 0) == (data.kind.name == "battles")


def told(case: Case, kind: str, data: Any, unit: int, items: list[int]) -> str | None:
    """Write out what a unit said about items, from the rows alone."""
    names = [NAMES[item] for item in items]
    label = data.units.labels[unit]
    if kind == "votes":
        return f"voted for {label}" if label in names else None
    if kind in {"ballots", "approvals"}:
        return told_ballot(str(label), names, approval=kind == "approvals")
    if kind in {"ratings", "scores", "groups of scores"}:
        place = 1 if kind == "groups of scores" else 0
        given = defaultdict(list)
        for row in case.rows:
            for name, value in [row[1:]] if kind == "ratings" else row[2].items():
                if row[place] == label:
                    given[name].append(Fraction(value))
        parts = [
            f"{name} {float(sum(given[name]) / len(given[name])):.6g}"
            + (f" (mean of {len(given[name])})" if len(given[name]) > 1 else "")
            for name in names
            if given[name]
        ]
        return shortened(parts, ", ")
    if kind == "battles":
        one, verb, two = str(label).split(" ")
        return (
            f"{one} {'beat' if verb == 'beats' else 'tied with'} {two}"
            if {one, two} & {*names}
            else None
        )
    return told_group(case, label, names)


def told_ballot(label: str, names: list[str], *, approval: bool) -> str | None:
    tiers = (
        [label.strip("{}").split(", ")]
        if approval
        else [tier.split(" = ") for tier in label.split(" > ")]
    )
    there = [
        in_it for tier in tiers if (in_it := [name for name in tier if name in names])
    ]
    if not there:
        return None
    absent = [name for name in names if not any(name in tier for tier in there)]
    text = (
        "approves " + ", ".join(there[0])
        if approval
        else " > ".join(" = ".join(tier) for tier in there)
    )
    return f"{text}; not {', '.join(absent)}" if absent else text


def told_group(case: Case, label: object, names: list[str]) -> str | None:
    rows = [row for row in case.rows if row[4] == label]
    numbers = {name: sum(row[3] for row in rows if name in row[:2]) for name in names}
    parts = [f"{name} in {numbers[name]:,}" for name in names if numbers[name]]
    size = sum(row[3] for row in rows)
    told = shortened(parts, ", ")
    return told and f"{told} of {size} battle{'' if size == 1 else 's'}"


def shortened(parts: list[str], between: str) -> str | None:
    more = f" and {len(parts) - 5} more" if len(parts) > 5 else ""
    return between.join(parts[:5]) + more or None


@pytest.mark.parametrize("kind", KINDS)
def test_what_units_said_is_what_their_rows_say(cases: Cases, kind: str) -> None:
    silent = 0
    for rng in cases(40):
        case = KINDS[kind](rng)
        data = case.make(case.rows, NAMES)
        units = rng.integers(0, len(data.units), 5).tolist()
        items = [
            rng.permutation(len(NAMES))[: rng.integers(0, 7)].tolist() for _ in units
        ]
        found = data.said(units, items)
        assert found == [
            told(case, kind, data, *asked) for asked in zip(units, items, strict=True)
        ]
        silent += found.count(None)
    assert silent
    assert data.said([], []) == []


def columns_of(rows: list[Any], *names: str) -> dict[str, Any]:
    return {
        name: list(column)
        for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


SAID = {
    "ratings": {"unit": "user", "item": "item", "rating": "rating"},
    "votes": {"choice": "choice", "count": "count"},
    "battles": {"left": "left", "right": "right", "winner": "winner", "count": "count"},
    "scores": {"unit": "row", "item": "item", "score": "score"},
}


@pytest.mark.parametrize("kind", SAID)
def test_engines_leave_out_and_say_the_same(cases: Cases, kind: str) -> None:
    for rng in cases(2):
        rows = KINDS[kind](rng).rows
        if kind == "battles":
            rows = [row[:4] for row in rows]
        elif kind == "scores":
            cells = [(row[0], row[2].items()) for row in rows]
            rows = [(row, *cell) for row, given in cells for cell in given]
        columns = columns_of(rows, *SAID[kind].values())
        if kind == "ratings":  # decimals alone
            columns["rating"] = [round(value, 4) for value in columns["rating"]]
        scanned = read(relation(columns), **SAID[kind])
        loaded = read(columns, **SAID[kind])
        assert_alike(rng, scanned, loaded)
        kept = [item for item in loaded.items if rng.random() < 0.6]
        answers = [after_keeping(data, kept) for data in (scanned, loaded)]
        if isinstance(answers[0], str):
            assert answers[0] == answers[1]
            continue
        found, expected = answers
        assert_alike(rng, found, expected)
        assert [note for note in found.notes if "left out: " in note] == [
            note for note in expected.notes if "left out: " in note
        ]
        assert_alike(rng, scanned.with_min_count(1), loaded.with_min_count(1))


def after_keeping(data: Any, kept: list[object]) -> Any:
    try:
        return data.keeping(kept)
    except EmptyDataError as error:
        return str(error)


def assert_alike(rng: np.random.Generator, scanned: Any, loaded: Any) -> None:
    assert scanned.items == loaded.items
    assert scanned.item_counts.tolist() == loaded.item_counts.tolist()
    assert scanned.kind.observation == loaded.kind.observation
    assert list(scanned.units.labels) == list(loaded.units.labels)
    np.testing.assert_array_equal(scanned.units.counts, loaded.units.counts)
    units = rng.integers(0, len(loaded.units), 4).tolist()
    items = [rng.permutation(loaded.n_items)[:3].tolist() for _ in units]
    assert scanned.said(units, items) == loaded.said(units, items)
    if loaded.kind.name == "ratings":
        np.testing.assert_array_equal(Study(scanned).scores, Study(loaded).scores)


def test_one_query_tells_what_many_units_said() -> None:
    pytest.importorskip("duckdb")
    columns = {
        "user": np.repeat(np.arange(30), 4),
        "item": np.tile(NAMES[:4], 30),
        "rating": np.arange(120) % 5,
    }
    with scan_ratings(relation(columns)) as ratings:
        asked, collect = [], ratings.entries.source.collect
        ratings.item_counts  # noqa: B018 (the pass that is made anyway)
        ratings.entries.source.collect = lambda *given: (
            asked.append(given) or collect(*given)
        )
        said = ratings.said(list(range(30)), [[0, 3]] * 30)
        assert len(asked) == 1
        assert said[2] == "ann 3, dan 1"


def test_users_of_the_list_who_rated_nothing_stay() -> None:
    given = Ratings([1, 2], ["ann", "bob"], [3, 4], users=[0, 1, 2])
    found = given.keeping(["ann"])
    assert list(found.units.labels) == [0, 1]
    assert found.indptr.tolist() == [0, 0, 1]


def test_names_are_safe_and_short() -> None:
    long = "x" * 300
    votes = Votes(["red\x1b[31m", long])
    found = votes.said([0, 1], [[0], [1]])
    assert found[0] == "voted for red\\x1b[31m"
    assert len(found[1]) == len("voted for ") + 40


def test_regressions_lose_no_item() -> None:
    data = Regression([[1.5, 2.0], [3.0, 4.25]], [7.0, 8.5], items=["a", "b"])
    assert data.item_counts.tolist() == [2, 2]
    assert plural(data.kind.observation) == "rows"
    assert_same(data.with_min_count(2), data)
    assert data.keeping(["a", "b"]) is data
    with pytest.raises(InvalidDataError, match="no item can be left out of regression"):
        data.keeping(["a"])
    with pytest.raises(EmptyDataError, match="no rows are left: "):
        data.with_min_count(3)


@pytest.mark.parametrize("least", [0, -1, 2.5, "3", None, True])
def test_a_number_that_is_none_is_refused(least: Any) -> None:
    with pytest.raises(
        InvalidValueError, match="the fewest votes must be a whole number from 1 on"
    ):
        Votes(["a"]).with_min_count(least)


def test_items_that_are_not_there_are_refused() -> None:
    votes = Votes(["a", "b", "ab"])
    for wrong in (["a", "c"], ["a", ["b"]], [1], ["a", None]):
        with pytest.raises(
            InvalidLabelError, match=r"there is no item .* The items are 'a', 'ab', 'b'"
        ):
            votes.keeping(wrong)
    assert votes.keeping("ab").items == ("ab",)  # one name, not its letters
    with pytest.raises(EmptyDataError, match="Keep more items"):
        votes.keeping([])
