"""Everything together: kind, scorer, weights, groups, counts, gaps, direction, scaling, k and question.

Faults lay between features that are tested apart, so each case here draws all of them at once, and every
answer is compared with one oracle of raw rows and fractions (``oracles/raw_rows.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from oracles.raw_rows import Raw, Said
from scorers_of_kinds import scorers_for
from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, Study, Votes, topk
from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

VALUES = (
    ("0", "1"),
    ("1", "2", "3", "4", "5"),
    ("0.1", "0.2", "0.3"),
    ("-0.5", "0", "0.25", "1"),
)
WEIGHTS = (("1", "2"), ("0.1", "0.2", "0.3"), ("0", "1"), ("0.5", "2"))
"""Coarse grids, so that ties occur; weights of 0, too."""

ALL_UNITS = 6
"""The most units of a case: all sets of them are tried."""


@dataclass(frozen=True)
class Mixture:
    """One dataset, how the package is told of it, and the same as raw rows."""

    told: str
    data: Callable[[], Any]
    scorer: str
    raw: Raw

    @property
    def items(self) -> list[str]:
        return names(self.raw.items)


def names(number: int) -> list[str]:
    return [f"i{place}" for place in range(number)]


class Draw:
    """One draw of who is behind rows, and of values."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.items = int(rng.integers(2, 5))
        self.rows = int(rng.integers(2, ALL_UNITS + 1))
        self.weighted, self.grouped = rng.random(2) < 0.4
        self.grid = WEIGHTS[rng.integers(len(WEIGHTS))]
        self.values = VALUES[rng.integers(len(VALUES))]
        self.weights = [
            str(self.one_of(self.grid)) if self.weighted else "1"
            for _ in range(self.rows)
        ]
        self.groups = [f"g{rng.integers(4)}" for _ in range(self.rows)]

    def one_of(self, choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def people(self, rows: list[int] | None = None) -> dict[str, Any]:
        """Return the arguments that say who is behind each row."""
        places = range(self.rows) if rows is None else rows
        found: dict[str, Any] = {}
        if self.weighted:
            found["weights"] = [float(self.weights[row]) for row in places]
        if self.grouped:
            found["units"] = [self.groups[row] for row in places]
        return found

    def said(
        self, gives: list[dict[int, Fraction]], counts: list[int] | None = None
    ) -> list[Said]:
        """Return each observation alone; those that occur 0 times are not there."""
        found = []
        for row, given in enumerate(gives):
            for copy in range(1 if counts is None else counts[row]):
                unit = self.groups[row] if self.grouped else (row, copy)
                found.append(Said(given, Fraction(self.weights[row]), unit))
        return found

    def counts(self) -> list[int]:
        """Return how often each row occurs: at most so many in all that every set can be tried."""
        left, found = ALL_UNITS, []
        for _ in range(self.rows):
            found.append(int(self.rng.integers(0, min(3, left + 1))))
            left -= found[-1]
        return found

    def told(self, *more: object) -> str:
        return repr(
            (
                self.weights if self.weighted else "",
                self.groups if self.grouped else "",
                *more,
            )
        )


def votes(draw: Draw) -> Mixture:
    chosen = [int(draw.rng.integers(draw.items)) for _ in range(draw.rows)]
    counts, items = draw.counts(), names(draw.items)
    raw = Raw(
        draw.said([{one: Fraction(1)} for one in chosen], counts), draw.items, "share"
    )

    def data() -> Any:
        return Votes(
            [items[one] for one in chosen], counts=counts, items=items, **draw.people()
        )

    return Mixture(draw.told("votes", chosen, counts), data, "plurality", raw)


def ballots(draw: Draw) -> Mixture:
    approval, counts, items = (
        bool(draw.rng.random() < 0.5),
        draw.counts(),
        names(draw.items),
    )
    orders = [
        [int(i) for i in draw.rng.permutation(draw.items)] for _ in range(draw.rows)
    ]
    if approval:
        orders = [order[: draw.rng.integers(1, draw.items + 1)] for order in orders]
        gives = [{i: Fraction(1) for i in order} for order in orders]
    else:
        gives = [
            {i: Fraction(draw.items - 1 - p) for p, i in enumerate(order)}
            for order in orders
        ]
    scorer = "approval" if approval else "borda"
    if not approval and draw.rng.random() < 0.5:
        numbers = draw.one_of(
            (("5", "4", "3", "2", "1"), ("12", "10", "8"), ("1", "0.5"))
        )
        scorer = f"points:{','.join(numbers)}"
        orders = [order[: draw.rng.integers(1, draw.items + 1)] for order in orders]
        gives = [
            {i: Fraction(n) for i, n in zip(order, numbers, strict=False)}
            for order in orders
        ]
    raw = Raw(
        draw.said(gives, counts), draw.items, "total" if "points" in scorer else "share"
    )

    def data() -> Any:
        named = [[items[i] for i in order] for order in orders]
        return Ballots(
            named, counts=counts, items=items, approval=approval, **draw.people()
        )

    return Mixture(draw.told(scorer, orders, counts), data, scorer, raw)


def ratings(draw: Draw) -> Mixture:
    items, shrinkage = names(draw.items), draw.one_of(("0", "0", "1", "0.5", "5"))
    given = [
        {
            i: draw.one_of(draw.values)
            for i in range(draw.items)
            if draw.rng.random() < 0.7
        }
        for _ in range(draw.rows)
    ]
    given = [each or {0: draw.one_of(draw.values)} for each in given]
    whole = [{item: Fraction(value) for item, value in each.items()} for each in given]
    raw = Raw(draw.said(whole), draw.items, "mean", Fraction(shrinkage))
    rows = [
        (user, item, float(value))
        for user, each in enumerate(given)
        for item, value in each.items()
    ]

    def data() -> Any:
        users, rated, values = zip(*rows, strict=True)
        labels = [items[item] for item in rated]
        return Ratings(users, labels, values, items=items, **draw.people(list(users)))

    return Mixture(
        draw.told("ratings", given, shrinkage),
        data,
        f"mean:shrinkage={shrinkage}",
        raw,
    )


def matrix(draw: Draw) -> Mixture:
    items, scorer = (
        names(draw.items),
        draw.one_of(("mean", "mean-rank", "mean-win-rate", "median")),
    )
    gappy = scorer == "mean" and draw.rng.random() < 0.4
    lower = bool(draw.rng.random() < 0.3)
    given = [
        {
            i: draw.one_of(draw.values)
            for i in range(draw.items)
            if not gappy or draw.rng.random() < 0.75
        }
        for _ in range(draw.rows)
    ]
    sign = -1 if lower else 1
    whole = [
        {item: sign * Fraction(value) for item, value in each.items()} for each in given
    ]
    scored = {"mean": "mean"}.get(scorer, scorer)
    raw = Raw(draw.said(whole), draw.items, scored)

    def data() -> Any:
        values = [
            [float(each.get(i, "nan")) for i in range(draw.items)] for each in given
        ]
        signed = [[sign * value for value in row] for row in values]
        missing = "available" if gappy else "error"
        return ScoreMatrix(signed, items=items, missing=missing, **draw.people())

    return Mixture(draw.told(scorer, given, lower), data, scorer, raw)


def battles(draw: Draw) -> Mixture:
    counts, items = draw.counts(), names(draw.items)
    pairs = [
        [int(i) for i in draw.rng.choice(draw.items, 2, replace=False)]
        for _ in range(draw.rows)
    ]
    said = draw.one_of(
        (
            ("left", "right", "tie"),
            ("left", "right", "tie"),
            ("0.7", "0.5", "0.25", "1"),
        )
    )
    results = [str(draw.one_of(said)) for _ in range(draw.rows)]
    win, tie, loss = (
        ("1", "0.5", "0")
        if "0.7" in said
        else draw.one_of((("1", "0.5", "0"), ("3", "1", "0"), ("2", "1.5", "1")))
    )
    points = {"left": (win, loss), "right": (loss, win), "tie": (tie, tie)}
    points |= {
        share: (share, 1 - Fraction(share)) for share in said if share[-1].isdigit()
    }
    gives = [
        {one: Fraction(points[result][0]), two: Fraction(points[result][1])}
        for (one, two), result in zip(pairs, results, strict=True)
    ]
    scorer = "win-rate" if win == "1" else f"points:win={win},draw={tie},loss={loss}"
    raw = Raw(draw.said(gives, counts), draw.items, "mean" if win == "1" else "total")

    in_order = bool(draw.rng.random() < 0.5)  # one row per battle, or counted
    rows = (
        [row for row, n in enumerate(counts) for _ in range(n)]
        if in_order
        else [*range(draw.rows)]
    )

    def data() -> Any:
        left, right = ([items[pairs[row][side]] for row in rows] for side in (0, 1))
        said, times = [results[row] for row in rows], None if in_order else counts
        return Battles(
            left, right, said, counts=times, items=items, **draw.people(rows)
        )

    return Mixture(draw.told(scorer, pairs, results, counts), data, scorer, raw)


KINDS = (votes, ballots, ratings, matrix, battles)


def drawn(rng: np.random.Generator) -> Mixture:
    return KINDS[rng.integers(len(KINDS))](Draw(rng))


def studied(mixture: Mixture) -> Study | None:
    """Return the study, or None where it is refused by name."""
    try:
        study = Study(mixture.data(), mixture.scorer)
        study.facts.leave_one_out  # noqa: B018 (what it refuses is refused)
    except SteadyrankError:
        return None
    return study


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_standings_and_ranks_are_those_of_raw_rows(kind: Any, cases: Cases) -> None:
    answered = 0
    for rng in cases(60):
        mixture = kind(Draw(rng))
        study = studied(mixture)
        if study is None:
            continue
        raw, items = mixture.raw, mixture.items
        assert raw.defined(), mixture.told
        answered += 1
        k = int(rng.integers(1, raw.items + 1))
        order = raw.order()
        assert order is not None
        assert [items[i] for i in order] == [
            study.items[i] for i in study.facts.order
        ], mixture.told
        answer = study.topk(k)
        assert set(answer.sure) == {items[i] for i in raw.sure(k)}, mixture.told
        listed = {items[i] for i in raw.listed(k)}
        assert {*answer.sure, *answer.contenders} == listed, mixture.told
        found = {row.item: (row.best_rank, row.worst_rank) for row in answer.rows()}
        for item, (best, worst) in found.items():
            assert (best, worst) == raw.ranks(items.index(str(item))), mixture.told
    assert answered > 10


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_margins_are_those_of_raw_rows(kind: Any, cases: Cases) -> None:
    asked = 0
    for rng in cases(40):
        mixture = kind(Draw(rng))
        study = studied(mixture)
        if study is None:
            continue
        raw, items = mixture.raw, mixture.items
        k = int(rng.integers(1, raw.items))
        top = frozenset((raw.order() or ())[:k])
        one, two = (raw.order() or ())[:2]
        item = int(rng.integers(raw.items))
        questions: list[tuple[dict[str, Any], Callable[[tuple[int, ...]], bool]]] = [
            ({"k": k}, lambda order, k=k, top=top: frozenset(order[:k]) != top),
            (
                {"k": k, "item": items[item]},
                lambda o, k=k, i=item, t=top: (i in o[:k]) != (i in t),
            ),
            (
                {"pair": (items[one], items[two])},
                lambda o, a=one, b=two: o.index(b) < o.index(a),
            ),
            ({}, lambda order, raw=raw: order != raw.order()),
        ]
        for given, changed in questions:
            found = study.margin(**given)
            fewest = raw.fewest(changed, ALL_UNITS)
            told = (
                mixture.told,
                mixture.scorer,
                given,
                found.lower,
                found.upper,
                fewest,
            )
            asked += 1
            if fewest is None:
                assert found.upper is None, told
            else:
                assert found.lower <= fewest <= (found.upper or fewest), told
                assert (found.lower == 1) == (fewest == 1), told
            if found.upper is not None:
                left = Study(mixture.data().without(found.units), study.scorer)
                ranked = tuple(
                    items.index(str(left.items[i])) for i in left.facts.order
                )
                assert changed(ranked), told
    assert asked > 20


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_units_of_margins_are_numbered_as_in_the_data_that_were_given(
    kind: Any, cases: Cases
) -> None:
    seen = set()
    for rng in cases(30):
        mixture = kind(Draw(rng))
        for scorer in scorers_for(mixture.data().kind.name) if studied(mixture) else ():
            try:
                found = Study(mixture.data(), scorer).margin(1)
                if found.upper is None:
                    continue
                rest = mixture.data().without(found.units)
                left = found.study.scorer.score(rest)
            except SteadyrankError:  # not every scorer takes gaps, weights or ties
                continue
            again = found.study.scorer.score(found.rest)
            assert left.tolist() == again.tolist(), mixture.told
            before = tuple(topk(found.study.scores, 1))
            assert tuple(topk(left, 1)) != before, mixture.told
            seen.add(scorer)
    assert seen
    assert kind is not battles or "elo" in seen  # which has units of its own


def test_an_oracle_that_is_wrong_is_noticed(cases: Cases) -> None:
    """Who takes weights for 1 disagrees with the package somewhere, so the comparison can fail."""
    differ = 0
    for rng in cases(60):
        mixture = drawn(rng)
        study = studied(mixture)
        if study is not None:
            equal = [
                Said(each.gives, Fraction(1), each.unit) for each in mixture.raw.said
            ]
            wrong = Raw(
                equal, mixture.raw.items, mixture.raw.scored, mixture.raw.shrinkage
            )
            differ += tuple(study.facts.order) != (wrong.order() or ())
    assert differ


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_lists_against_two_removals_hold_every_top_k(kind: Any, cases: Cases) -> None:
    held = 0
    for rng in cases(40):
        mixture = kind(Draw(rng))
        study = studied(mixture)
        if study is None or len(mixture.raw.units) < 4 or not mixture.raw.defined(2):
            continue
        k = int(rng.integers(1, mixture.raw.items + 1))
        try:
            answer = study.topk(k, removals=2)
        except SteadyrankError:
            continue
        held += 1
        assert {mixture.items[i] for i in mixture.raw.listed(k, 2)} <= set(answer), (
            mixture.told
        )
    assert held
