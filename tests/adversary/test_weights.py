"""Weights, and units that are groups: every number is that of rational sums over the people."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import fields
from itertools import combinations
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import pytest

from oracles.weighing import SCORES, Case, Person, a_case, said
from scorers_of_kinds import scorers_for
from steadyrank import SteadyrankError, Study
from steadyrank.errors import EmptyDataError, TooFewUnitsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

SUMS = [kind for kind in SCORES if kind != "battles"]
WAYS = pytest.mark.parametrize(
    ("weighted", "grouped"),
    [(True, False), (False, True), (True, True)],
    ids=["w", "g", "wg"],
)


def floats(scores) -> tuple[float, ...]:
    return tuple(float(score) for score in scores)


def near(kind: str, scores) -> tuple[float, ...]:
    """Exact scores as they are, fitted ones without their last digits."""
    return (
        tuple(np.round(floats(scores), 7) + 0.0)
        if kind == "battles"
        else floats(scores)
    )


def study_of(case: Case) -> Study | None:
    """A study of the case, if every unit can leave."""
    left = [case.scores(case.without(unit)) for unit in case.units()]
    if case.scores(case.people) is None or None in left or len(left) < 2:
        return None
    return Study(case.data(), case.scorer)


@WAYS
@pytest.mark.parametrize("kind", SCORES)
def test_scores_with_and_without_each_unit(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(2 if kind == "battles" else 8):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped)
        study = study_of(case)
        if study is None:
            continue
        exact = case.scores(case.people)
        assert near(kind, study.scores) == near(kind, exact)
        left = Counter(
            near(kind, case.scores(case.without(unit))) for unit in case.units()
        )
        rows = np.concatenate(
            [block.dense(study.scores) for block in study.facts.leave_one_out.blocks()]
        )
        found: Counter = Counter()
        for row, count in zip(rows, study.units.counts.tolist(), strict=True):
            found[near(kind, row)] += count
        assert found == left
        assert study.units.total == len(case.units())
        # What is told without looking at all rows: the ends of the scores, the shifts, the columns.
        lowest, highest = study.facts.leave_one_out.bounds()
        every = np.vstack([study.scores, rows])
        assert np.allclose(lowest, every.min(axis=0), atol=1e-15)
        assert np.allclose(highest, every.max(axis=0), atol=1e-15)
        moved = np.sqrt(((rows - study.scores) ** 2).sum(axis=1))
        assert np.allclose(study.facts.shifts, moved, rtol=1e-9, atol=1e-15)
        seen = np.repeat(study.scores[np.newaxis, :2], len(rows), axis=0)
        for units, part in study.facts.leave_one_out.columns(np.array([0, 1])):
            seen[units] = part
        assert (seen == rows[:, :2]).all()
        order = study.facts.order
        changed = np.flatnonzero(
            (np.argsort(-rows, axis=1, kind="stable") != order).any(axis=1)
        )
        assert study.facts.leave_one_out.reordered(order).tolist() == changed.tolist()


def test_decimals_tie_as_they_are_written() -> None:
    from steadyrank import Mean, Plurality, Ratings, Votes

    votes = Votes(["b", "b", "a"], weights=[0.1, 0.2, 0.3])
    assert Plurality().score(votes).tolist() == [0.5, 0.5]
    single = Votes(["b", "b", "a"], weights=np.array([0.1, 0.2, 0.3], dtype=np.float32))
    assert Plurality().score(single).tolist() == [0.5, 0.5]
    ratings = Ratings(
        [1, 2, 3, 4], ["a", "b", "b", "a"], [3, 3, 3, 0], weights=[0.3, 0.1, 0.2, 0]
    )
    scores = Mean(0.1).score(ratings)
    assert scores[0] == scores[1] == 0.9 / 0.4


def subsets(case: Case) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Yield the scores of everybody but some units, the fewest first."""
    units = case.units()
    for size in range(1, len(units)):
        for gone in combinations(units, size):
            scores = case.scores(
                case.without([person for unit in gone for person in unit])
            )
            if scores is not None:
                yield size, scores


def order_of(scores) -> list[int]:
    return sorted(range(len(scores)), key=lambda item: (-scores[item], item))


@WAYS
@pytest.mark.parametrize("kind", SUMS)
def test_margins_against_all_subsets(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    exact_ones = 0
    for rng in cases(5):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped, people=6)
        study = study_of(case)
        if study is None:
            continue
        before = order_of(case.scores(case.people))
        every = list(subsets(case))
        for k in range(1, case.items):
            turned = [
                size
                for size, after in every
                if set(order_of(after)[:k]) != set(before[:k])
            ]
            truth = min(turned, default=None)
            found = study.margin(k)
            assert found.lower <= (truth or study.units.total)
            assert found.upper is None or (truth is not None and found.upper >= truth)
            if kind not in {"ratings", "scores"}:  # which may have gaps
                assert (found.upper, found.never) == (truth, truth is None)
                assert found.never or found.exact
                exact_ones += found.exact
    assert exact_ones or kind in {"ratings", "scores"}


def test_those_with_all_the_weight_never_leave_together() -> None:
    from steadyrank import Votes

    votes = Votes(["y", "y", "x", "x"], weights=[1, 1, 0, 0])
    assert Study(votes).margin(1).never


def test_battles_that_weigh_nothing_are_not_there() -> None:
    from steadyrank import Battles, BradleyTerry

    battles = Battles(
        ["x", "x", "y"], ["y", "z", "x"], ["left", "left", "left"], weights=[2, 1, 0]
    )
    assert battles.n_units == 2
    assert battles.without(0).n_units == battles.without(1).n_units == 1
    with pytest.raises(TooFewUnitsError):
        battles.without([0, 1])
    assert Study(battles, BradleyTerry(1.0)).margin(1).upper is None


WITHOUT_WEIGHTS = {"median", "trimmed-mean"}


def ways_to_score() -> list[tuple[str, str]]:
    """Return every kind of data that has weights, with each scorer that takes them."""
    kinds = ("votes", "ballots", "ratings", "scores", "battles")
    return [
        (kind, scorer)
        for kind in kinds
        for scorer in scorers_for(kind)
        if scorer not in WITHOUT_WEIGHTS
    ]


@pytest.mark.parametrize(("kind", "scorer"), ways_to_score())
@pytest.mark.parametrize("groups", [None, ["u", "v", "u"]])
def test_a_unit_with_all_the_weight_never_leaves(
    kind: str, scorer: str, groups: object
) -> None:
    """Neither where a scorer would make scores of nothing, from a ridge or a shrinkage."""
    from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, Votes

    weights = [2, 0, 0 if groups is None else 1]
    people = {"weights": weights, "units": groups}
    made = {
        "votes": lambda: Votes(["x", "y", "z"], **people),
        "ballots": lambda: Ballots(
            [["x", "y"], ["y"], ["z", "x"]], approval=scorer == "approval", **people
        ),
        "ratings": lambda: Ratings(
            ["p", "q", "r"], ["x", "y", "z"], [5, 4, 3], **people
        ),
        "scores": lambda: ScoreMatrix([[1, 2, 3], [2, 1, 3], [3, 1, 2]], **people),
        "battles": lambda: Battles(
            ["x", "y", "z"], ["y", "z", "x"], ["left"] * 3, **people
        ),
    }
    data = made[kind]()
    assert data.n_units == 1
    assert any("of weight 0 left out" in note for note in data.notes)
    with pytest.raises(SteadyrankError):
        Study(data, scorer).topk(1)


@pytest.mark.parametrize("scorer", [*scorers_for("votes"), *scorers_for("battles")])
def test_a_group_with_all_the_counts_never_leaves(scorer: str) -> None:
    """Groups of rows that were counted 0 times are no units, and the other one is alone."""
    from steadyrank import Battles, Votes

    counted: dict[str, Any] = {
        "counts": [2, 2, 0],
        "units": ["u", "u", "v"],
        "unit_kind": "region",
    }
    data: Any = Votes(["x", "y", "z"], **counted)
    if scorer not in scorers_for("votes"):
        data = Battles(["x", "y", "x"], ["y", "x", "y"], ["left"] * 3, **counted)
    assert (data.n_units, list(data.units.labels)) == (1, ["u"])
    with pytest.raises(SteadyrankError, match=r"nothing is left|counted"):
        Study(data, scorer).topk(1)


@WAYS
def test_margins_of_battles_are_intervals_around_the_truth(
    weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(4):
        case = a_case(rng, "battles", weighted=weighted, grouped=grouped)
        study, units, k = (
            Study(case.data(), case.scorer),
            case.units(),
            int(rng.integers(1, 3)),
        )
        if len(units) < 2:
            continue
        before, truth = set(study.facts.order[:k].tolist()), study.units.total
        for gone in (
            gone for size in range(1, len(units)) for gone in combinations(units, size)
        ):
            with suppress(EmptyDataError):  # all weights that are left are 0
                left = case.data(
                    case.without([person for unit in gone for person in unit])
                )
                after = np.argsort(-case.scorer.score(left), kind="stable")[:k]
                if set(after.tolist()) != before:
                    truth = len(gone)
                    break
        found = study.margin(k)
        assert found.lower <= truth
        assert found.upper is None or found.upper >= truth


@WAYS
@pytest.mark.parametrize("kind", SCORES)
def test_what_is_left_is_what_a_table_without_it_holds(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(1 if kind == "battles" else 4):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped)
        study = study_of(case)
        if study is None:
            continue
        data, rows = study.data, []
        for unit in range(len(study.units)):
            rest = data.without(unit)
            assert rest.n_units == data.n_units - 1
            rows.append((case.scorer.score(rest), rest.item_counts.min()))
        left = [case.scores(case.without(unit)) for unit in case.units()]
        if all(least for _, least in rows):
            assert {near(kind, row) for row, _ in rows} == {near(kind, r) for r in left}
        else:  # items without data are last, with some number
            orders = {tuple(order_of(row)) for row, _ in rows}
            assert orders == {tuple(order_of(row)) for row in left}
        # All of them twice: every score is the same, with shrinkage or a ridge another one.
        if kind not in {"ratings", "battles"}:
            twice = data.with_copies(2 * data.units.counts)
            assert floats(case.scorer.score(twice)) == floats(study.scores)
        assert data.item_counts.sum() == case.data().item_counts.sum()


@WAYS
@pytest.mark.parametrize("kind", SUMS)
def test_contributions_add_up(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(5):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped)
        study = study_of(case)
        if study is None:
            continue
        found = study.explain(1)
        if found.additive:
            assert found.contributions @ study.units.counts == pytest.approx(
                found.gap, abs=1e-12
            )
        assert all(
            text is None or text for text in study.data.said([0], [range(case.items)])
        )


def test_a_group_that_weighs_nothing_is_not_there() -> None:
    from steadyrank import Votes

    votes = Votes(
        ["x", "y", "y", "z"], weights=[0, 0, 1, 2], units=["u", "u", "v", "w"]
    )
    assert votes.said([0], [[0, 1]]) == ["y in 1 of 1 vote"]
    assert Study(votes).explain(1).contributions.tolist() == [-1 / 3, 2 / 3]


def opposite(kind: str, items: int) -> tuple[object, object]:
    """Two things that people can say, as far apart as any."""
    order = [[item] for item in range(items)]
    return {
        "votes": (0, 1),
        "first choices": (order, order[::-1]),
        "ballots": (order, order[::-1]),
        "approvals": (frozenset(range(items)), frozenset()),
        "scores": ([1] * items, [0] * items),
    }[kind]


@WAYS
@pytest.mark.parametrize(
    "kind", ["votes", "first choices", "ballots", "approvals", "scores"]
)
def test_the_proved_rule_holds_and_is_reached(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    from steadyrank import Mean

    for rng in cases(5):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped)
        scorer = Mean(value_range=(0, 1)) if kind == "scores" else case.scorer
        if kind == "scores":
            whole = [[value or 0 for value in person.says] for person in case.people]
            people = [
                Person(says, person.weight, person.group)
                for says, person in zip(whole, case.people, strict=True)
            ]
            case = Case(kind, scorer, case.items, people, weighted, grouped)
        if study_of(case) is None:
            continue
        proved = scorer.sensitivity(case.data())
        assert ("with these weights" in proved.sentence) == (
            case.data().weights is not None
        )
        assert ("household units of the same sizes" in proved.sentence) == grouped
        # Anybody may say anything, with the weights and groups that there are.
        for _ in range(6):
            people = []
            for person in case.people:
                says = said(rng, kind, case.items)
                if kind == "scores":
                    says = [value or 0 for value in says]
                people.append(Person(says, person.weight, person.group))
            other = Case(kind, scorer, case.items, people, weighted, grouped)
            assert Study(other.data(), scorer).facts.shifts.max() <= proved.eps * (
                1 + 1e-12
            )
        one, rest = opposite(kind, case.items)
        largest = max(
            case.units(), key=lambda unit: sum(person.share for person in unit)
        )
        people = [
            Person(
                one if any(person is each for each in largest) else rest,
                person.weight,
                person.group,
            )
            for person in case.people
        ]
        worst = Case(kind, scorer, case.items, people, weighted, grouped)
        assert Study(worst.data(), scorer).facts.shifts.max() == pytest.approx(
            proved.eps, rel=1e-12
        )


@WAYS
def test_the_proved_rule_of_ratings_holds_and_is_reached(
    weighted: bool, grouped: bool, cases: Cases
) -> None:
    from steadyrank import Mean

    for rng in cases(5):
        case = a_case(rng, "ratings", weighted=weighted, grouped=grouped)
        if study_of(case) is None:
            continue
        scorer = Mean(case.settings["shrinkage"], value_range=(-1, 4))
        proved, reached = scorer.sensitivity(case.data()), 0.0
        for unit in [None, *case.units()]:
            for ends in ((4, -1), (-1, 4)):
                people = []
                for person in case.people:
                    end = (
                        ends[any(person is each for each in unit)]
                        if unit
                        else rng.integers(-1, 5)
                    )
                    rated = dict.fromkeys(person.says, int(end))
                    people.append(Person(rated, person.weight, person.group))
                other = Case("ratings", scorer, case.items, people, weighted, grouped)
                reached = max(
                    reached, float(Study(other.data(), scorer).facts.shifts.max())
                )
        assert proved.eps * (1 - 1e-9) <= reached <= proved.eps * (1 + 1e-12)


HOW_READ = {"notes", "_origin"}


@pytest.mark.parametrize("kind", SCORES)
def test_weights_of_one_change_nothing(kind: str, cases: Cases) -> None:
    for rng in cases(5):
        case = a_case(rng, kind, weighted=False, grouped=bool(rng.integers(2)))
        ones = Case(
            kind,
            case.scorer,
            case.items,
            case.people,
            True,
            case.grouped,
            case.settings,
        )
        one, other = case.data(), ones.data()
        parts = [
            part.name
            for part in fields(one)
            if part.compare and part.name not in HOW_READ
        ]
        for name in parts:
            assert joblib.hash(getattr(one, name)) == joblib.hash(
                getattr(other, name)
            ), name


@pytest.mark.parametrize("kind", SCORES)
def test_whole_weights_score_as_copies_do(kind: str, cases: Cases) -> None:
    for rng in cases(2 if kind == "battles" else 8):
        case = a_case(rng, kind, weighted=True, grouped=False)
        if study_of(case) is None:
            continue
        people = [Person(one.says, str(int(rng.integers(1, 4)))) for one in case.people]
        weighted = Case(
            kind, case.scorer, case.items, people, True, False, case.settings
        )
        copies = [Person(one.says) for one in people for _ in range(int(one.weight))]
        copied = Case(
            kind, case.scorer, case.items, copies, False, False, case.settings
        )
        one, other = weighted.data(), copied.data()
        assert near(kind, case.scorer.score(one)) == near(
            kind, case.scorer.score(other)
        )
        assert one.n_units == len(people)
        assert other.n_units == len(copies)


@WAYS
@pytest.mark.parametrize("kind", SUMS)
def test_lists_hold_every_top_k_without_a_unit(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(3):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped, people=8)
        study = study_of(case)
        if study is None:
            continue
        every = [order_of(case.scores(case.without(unit))) for unit in case.units()]
        for k in range(1, case.items):
            assert set(study.topk(k).items) >= {
                item for order in every for item in order[:k]
            }
            inside = [
                sum(item in order[:k] for order in every) for item in range(case.items)
            ]
            assert study.facts.deletions(k).inside.tolist() == inside


def kept_of(kind: str, says, stays: list[int]):
    """What a person says about some items alone, by their new numbers; None for nothing."""
    place = {item: number for number, item in enumerate(stays)}
    if kind == "votes":
        return place.get(says)
    if kind in {"ballots", "first choices"}:
        tiers = [[place[item] for item in tier if item in place] for tier in says]
        return [tier for tier in tiers if tier] or None
    if kind == "approvals":
        return frozenset(place[item] for item in says if item in place)
    if kind == "ratings":
        return {
            place[item]: value for item, value in says.items() if item in place
        } or None
    if kind == "scores":
        values = [says[item] for item in stays]
        return values if any(value is not None for value in values) else None
    left, right, outcome = says
    return (
        (place[left], place[right], outcome) if {left, right} <= place.keys() else None
    )


@WAYS
@pytest.mark.parametrize("kind", SCORES)
def test_some_items_alone(
    kind: str, weighted: bool, grouped: bool, cases: Cases
) -> None:
    for rng in cases(1 if kind == "battles" else 4):
        case = a_case(rng, kind, weighted=weighted, grouped=grouped, items=4)
        stays = sorted(rng.choice(4, 3, replace=False).tolist())
        told = [(kept_of(kind, person.says, stays), person) for person in case.people]
        people = [
            Person(says, one.weight, one.group)
            for says, one in told
            if says is not None
        ]
        rest = Case(kind, case.scorer, 3, people, weighted, grouped, case.settings)
        if (
            not people
            or not sum(person.share for person in people)
            or rest.scores(people) is None
        ):
            continue
        try:
            kept = case.data().keeping(stays)
        except SteadyrankError as error:
            assert "are left: " in str(error)  # noqa: PT017 (only some cases do)
            continue
        assert kept.n_units == len(rest.units())
        assert near(kind, case.scorer.score(kept)) == near(kind, rest.scores(people))
        assert kept.item_counts.tolist() == rest.data().item_counts.tolist()
        fewest = int(np.median(case.data().item_counts))
        if fewest and (case.data().item_counts >= fewest).any() and kind != "battles":
            least = case.data().with_min_count(fewest)
            assert set(least.items) == set(
                np.flatnonzero(case.data().item_counts >= fewest).tolist()
            )
