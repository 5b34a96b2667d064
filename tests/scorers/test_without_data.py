"""Items that have no data, or none left: last, by what ``empty`` says; told again from the raw rows.

The twin adds up fractions row by row, and tries every set of units that could leave.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from engine_makers import relation
from oracles.refitting import all_rows, assert_answers_agree
from steadyrank import (
    Battles,
    Mean,
    Ratings,
    ScoreMatrix,
    Study,
    WinRate,
    read,
)
from steadyrank.errors import (
    InvalidSettingError,
    InvalidValueError,
)
from steadyrank.margins.known import pair_margins
from steadyrank.scorers import named_scorer

if TYPE_CHECKING:
    from collections.abc import Iterator

ITEMS = ("ann", "bob", "cyd", "dan")


class Case(NamedTuple):
    """Data, their scorer, and by unit what it gives: item, value and how much that counts."""

    data: Any
    scorer: Any
    given: list[list[tuple[int, Fraction, Fraction]]]

    def scores(self, gone: tuple[int, ...] = ()) -> list[float]:
        sums, counts = (
            defaultdict[int, Fraction](Fraction),
            defaultdict[int, Fraction](Fraction),
        )
        for unit, rows in enumerate(self.given):
            for item, value, weight in rows if unit not in gone else ():
                sums[item] += value * weight
                counts[item] += weight
        empty = Fraction(self.scorer.empty)
        return [
            float(sums[i] / counts[i] if counts[i] else empty)
            for i in range(len(ITEMS))
        ]


def ratings(
    rng: np.random.Generator, *, weighted: bool = False, grouped: bool = False
) -> Case:
    users = int(rng.integers(3, 7))
    cells = [
        (u, i) for u in range(users) for i in range(len(ITEMS)) if rng.random() < 0.4
    ]
    cells += [(0, 0)] * ((0, 0) not in cells)
    present = sorted({user for user, _ in cells})
    values = [Fraction(int(rng.integers(-3, 4)), 2) for _ in cells]
    weights = {user: Fraction(int(rng.integers(1, 4)), 2) for user in present}
    groups = {user: int(rng.integers(3)) for user in present}
    people: dict[str, Any] = {}
    if weighted:
        people["weights"] = [float(weights[user]) for user, _ in cells]
    if grouped:
        people["units"] = [groups[user] for user, _ in cells]
    data = Ratings(
        [user for user, _ in cells],
        [ITEMS[item] for _, item in cells],
        [float(value) for value in values],
        items=ITEMS,
        users=present,
        **people,
    )
    label = {user: groups[user] if grouped else user for user in present}
    order = {unit: place for place, unit in enumerate(data.units.labels)}
    given: list[list[Any]] = [[] for _ in order]
    for (user, item), value in zip(cells, values, strict=True):
        given[order[label[user]]].append(
            (item, value, weights[user] if weighted else Fraction(1))
        )
    return Case(data, Mean(shrinkage=0, empty=-2.5), given)


def matrix(rng: np.random.Generator) -> Case:
    values = rng.integers(0, 4, size=(int(rng.integers(3, 7)), len(ITEMS))).astype(
        float
    )
    values[rng.random(values.shape) < 0.5] = np.nan
    values[0, np.isnan(values).all(axis=0)] = 1.0
    values = values[~np.isnan(values).all(axis=1)]  # what says nothing is no unit
    data = ScoreMatrix(values, items=ITEMS, missing="available")
    given = [
        [(i, Fraction(v), Fraction(1)) for i, v in enumerate(row) if v == v]
        for row in values.tolist()
    ]
    return Case(data, Mean(empty=-1), given)


def battles(rng: np.random.Generator) -> Case:
    pairs = [rng.permutation(len(ITEMS))[:2] for _ in range(rng.integers(3, 8))]
    results = rng.integers(-1, 2, size=len(pairs))
    words = [["right", "tie", "left"][int(result) + 1] for result in results]
    left, right = ([ITEMS[pair[side]] for pair in pairs] for side in (0, 1))
    data = Battles(left, right, words, items=ITEMS, units=range(len(pairs)))
    given = []
    for pair, result in zip(pairs, results.tolist(), strict=True):
        half = Fraction(1 + result, 2)
        given.append(
            [(int(pair[0]), half, Fraction(1)), (int(pair[1]), 1 - half, Fraction(1))]
        )
    return Case(data, WinRate(empty=-1), given)


def cases(number: int) -> Iterator[tuple[np.random.Generator, Case]]:
    for seed in range(number):
        rng = np.random.default_rng([seed, 24])
        for make in (ratings, matrix, battles):
            case = make(rng)
            if len(case.data.units) > 1:
                yield rng, case
        case = ratings(rng, weighted=bool(seed % 2), grouped=bool(seed % 3))
        if len(case.data.units) > 1:
            yield rng, case


def test_leaving_one_out_is_scoring_anew() -> None:
    emptied = 0
    for rng, case in cases(60):
        data, scorer = case.data, case.scorer
        out = scorer.leave_one_out(data)
        assert out.scores.tolist() == case.scores()
        rows = all_rows(out)
        for unit in range(len(data.units)):
            assert rows[unit].tolist() == case.scores((unit,))
            assert rows[unit].tolist() == scorer.score(data.without(unit)).tolist()
        assert_answers_agree(out, rng)
        emptied += int((rows == scorer.empty).sum())
    assert emptied > 400


def above(scores: list[float], one: int, other: int) -> bool:
    return scores[one] > scores[other] or (scores[one] == scores[other] and one < other)


def fewest(case: Case, ahead: int, behind: int) -> int | None:
    """Return the fewest units without which the one behind is ahead; somebody must stay."""
    for number in range(1, len(case.given)):
        for gone in combinations(range(len(case.given)), number):
            if above(case.scores(gone), behind, ahead):
                return number
    return None


def test_margins_of_pairs_against_every_removal() -> None:
    by_emptying = 0
    for _, case in cases(40):
        out, scores = case.scorer.leave_one_out(case.data), case.scores()
        known = pair_margins(out)
        pairs = [(a, b) for a in range(len(ITEMS)) for b in range(len(ITEMS)) if a != b]
        pairs = [(a, b) for a, b in pairs if above(scores, a, b)]
        ahead, behind = np.array(pairs).T
        quick, close = (
            known.at_least(ahead, behind),
            known.at_least(ahead, behind, closely=True),
        )
        for place, ((a, b), exact) in enumerate(
            zip(pairs, known.fewest(pairs), strict=True)
        ):
            true = fewest(case, a, b)
            if true is None:
                continue
            assert quick[place] <= close[place] <= true
            assert exact <= true
            assert exact == true or not known.rule.startswith("exact")
            removal, gone = (
                known.remove(a, b),
                [u for u, n in enumerate(case.given) if n],
            )
            gone = [u for u in gone if any(item == a for item, _, _ in case.given[u])]
            by_emptying += true == len(gone)
            if known.rule.startswith("exact"):
                assert above(case.scores(tuple(removal.units[:true].tolist())), b, a)
    assert by_emptying > 100


def test_margins_of_answers_against_every_removal() -> None:
    for _, case in cases(25):
        study = Study(case.data, case.scorer)
        found, scores = study.margin(1), case.scores()
        best = next(
            i
            for i in range(len(ITEMS))
            if all(above(scores, i, j) for j in range(4) if i != j)
        )
        tried = [
            fewest(case, best, other) for other in range(len(ITEMS)) if other != best
        ]
        true = min((number for number in tried if number is not None), default=None)
        if true is None:
            assert found.upper is None
        else:
            assert found.lower <= true
            assert found.upper is None or true <= found.upper


def test_engines_give_the_same() -> None:
    rows = [(1, "x", 5.0), (1, "y", 3.0), (2, "x", 4.0), (3, "z", 2.5), (2, "w", 1.0)]
    columns = {
        name: [row[place] for row in rows]
        for place, name in enumerate(("user", "item", "rating"))
    }
    said = {"unit": "user", "item": "item", "rating": "rating"}
    scorer = named_scorer("mean:empty=0")
    here, there = (
        Study(data, scorer)
        for data in (read(columns, **said), read(relation(columns), **said))
    )
    for k in (1, 2, 3):
        assert list(here.topk(k).rows()) == list(there.topk(k).rows())
        assert here.margin(k).lower == there.margin(k).lower


def test_what_it_is_called_and_what_is_refused() -> None:
    data = Ratings([1, 2, 2], ["x", "x", "y"], [3, 4, 1])
    assert named_scorer("mean:empty=0").name == "mean, 0 for items without data"
    assert WinRate(empty=-1).name == "win rate, -1 for items without data"
    without_y = all_rows(Mean(0).leave_one_out(data))[1]
    assert without_y.tolist() == [3, 0]  # less than all ratings
    assert Mean(0).remarks_on(data) == [
        "with data from one user alone, and last without that user: 'y'"
    ]
    with pytest.raises(
        InvalidSettingError, match=r"not below all ratings: .* Give a number below 1"
    ):
        Mean(0, empty=1).score(data)
    with pytest.raises(InvalidSettingError, match="with a shrinkage"):
        Mean(1, empty=0)
    with pytest.raises(InvalidSettingError, match="empty must be a finite number"):
        Mean(empty=float("nan"))
    assert Mean(0, (1, 5), 0).sensitivity(data) is None  # y falls as far as scores go
    assert Mean(0, (1, 5)).output_radius_squared(data) == 2 * 2.5**2
    assert Mean(0, (1, 5), -1).output_radius_squared(data) == 2 * 3**2
    full = Ratings([1, 2, 1, 2], ["x", "x", "y", "y"], [3, 4, 1, 2])
    one, other = (Mean(0, (1, 5), empty).sensitivity(full) for empty in (0, None))
    assert one is not None
    assert other is not None
    assert one.eps == other.eps


def test_draws_without_an_item_say_nothing_about_chance() -> None:
    rng = np.random.default_rng(8)
    often = [
        (user, item, float(rng.integers(1, 6))) for user in range(30) for item in "xyz"
    ]
    rows = [*often, (0, "w", 3.0)]
    data = Ratings(*([row[place] for row in rows] for place in range(3)))
    with pytest.raises(InvalidValueError, match="resamples cannot be scored, too many"):
        Study(data, Mean(0, empty=0)).confidence(draws=100)
    kept = data.with_min_count(2)
    given = [
        Study(kept, Mean(0, empty=empty)).confidence(draws=100) for empty in (0, None)
    ]
    assert list(given[0].rows()) == list(given[1].rows())


def test_lists_against_two_removals_cover_all_of_them() -> None:
    tried = 0
    for _, case in cases(25):
        study = Study(case.data, case.scorer)
        for k in (1, 2) if len(case.given) > 3 else ():
            answer = study.topk(k, removals=2)
            listed = {answer.items[index] for index in answer.indices.tolist()}
            for number in (1, 2):
                for gone in combinations(range(len(case.given)), number):
                    scores = case.scores(gone)
                    top = sorted(range(len(ITEMS)), key=lambda i: (-scores[i], i))[:k]
                    assert {ITEMS[index] for index in top} <= listed
                    tried += 1
    assert tried > 1000
