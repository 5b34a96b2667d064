"""What every scorer promises, for every kind it takes, weighted, grouped and counted."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from contracts import door
from contracts.cases import (
    Way,
    asked_cases,
    assert_agree,
    cases,
    close,
    every_way,
    largest,
    refused,
)
from contracts.door import Asked, asked, asked_of_engine, asked_of_file
from contracts.draws import KINDS, NAMED, Case, Row, Unit
from contracts.oracle import CONTRACTS, Contract, Last, Scores
from contracts.truth import Truth


def test_every_registered_scorer_and_kind_has_its_contract():
    assert {contract.name for contract in CONTRACTS} == door.registered_scorers()
    assert {kind for contract in CONTRACTS for kind in contract.kinds} == set(KINDS)


@every_way
def test_scores_and_units_are_those_of_the_raw_rows(
    contract: Contract, kind: str, way: Way
):
    for case in cases(contract, kind, way):
        truth = Truth(case, contract.score)
        if truth.scores is None:
            assert refused(lambda case=case: asked(case, contract.scorer).scores())
            continue
        found = asked(case, contract.scorer)
        assert found.items == case.items
        assert found.units == truth.units, case
        assert_agree(found.scores(), truth.scores, contract, case)


@every_way
def test_scores_without_each_unit_are_those_of_the_other_rows(
    contract: Contract, kind: str, way: Way
):
    for case in cases(contract, kind, way):
        truth = Truth(case, contract.score)
        if not truth.defined:
            assert refused(
                lambda case=case: asked(
                    case, contract.scorer
                ).scores_without_each_unit()
            ), case
            continue
        found = asked(case, contract.scorer).scores_without_each_unit()
        assert found.keys() == truth.units.keys()
        for unit, scores in found.items():
            true = truth.scores_without_each[unit]
            assert true is not None
            assert_agree(scores, true, contract, (case, unit))


@every_way
def test_all_views_of_the_removals_show_the_same_scores(
    contract: Contract, kind: str, way: Way
):
    for truth, found in asked_cases(contract, kind, way):
        rng = random.Random(truth.n_units)
        rows = found.scores_without_each_unit()
        plain = found.scores()
        size = max(1.0, *map(abs, plain.values()))

        for item, (low, high) in found.score_ranges(outer=False).items():
            seen = [plain[item], *(row[item] for row in rows.values())]
            assert close(low, min(seen), 1e-9, size), (truth.case, item)
            assert close(high, max(seen), 1e-9, size), (truth.case, item)
        for item, (low, high) in found.score_ranges(outer=True).items():
            seen = [plain[item], *(row[item] for row in rows.values())]
            assert low <= min(seen) + 1e-9 * size, (truth.case, item)
            assert high >= max(seen) - 1e-9 * size, (truth.case, item)

        for unit, move in found.moves().items():
            differences = (rows[unit][item] - plain[item] for item in plain)
            true_move = sum(difference**2 for difference in differences) ** 0.5
            assert close(move, true_move, 1e-9, size), (truth.case, unit)

        items = rng.sample(found.items, rng.randint(1, len(found.items)))
        some = found.scores_of_items_without_each_unit(items)
        assert some.keys() == rows.keys()
        for unit, scores in some.items():
            for item, score in scores.items():
                assert close(score, rows[unit][item], 1e-9, size), (truth.case, unit)
        for unit, scores in found.scores_of_touched_items(items):
            for item, score in scores.items():
                assert close(score, rows[unit][item], 1e-9, size), (truth.case, unit)

        if not contract.fitted:
            reordering = {r.unit for r in truth.removals if r.order != truth.plain}
            assert found.units_that_change_the_order() == reordering, truth.case


def some_units(truth: Truth, rng: random.Random) -> list[Unit]:
    """A random set of units, at least one, not all."""
    copies = [unit for unit, number in truth.units.items() for _ in range(number)]
    return rng.sample(copies, rng.randint(1, len(copies) - 1))


def leaves_items_out(scores: Scores | None) -> bool:
    return scores is None or any(isinstance(each, Last) for each in scores.values())


@every_way
def test_scores_without_several_units_are_those_of_the_other_rows(
    contract: Contract, kind: str, way: Way
):
    for seed, (truth, found) in enumerate(asked_cases(contract, kind, way)):
        rng = random.Random(seed)
        for _ in range(3):
            removed = some_units(truth, rng)
            true = truth.scores_without(tuple(removed))
            for how, scores in found.scores_without(removed).items():
                if how == "by copies" and scores is None and leaves_items_out(true):
                    continue  # then rows are scored again
                if true is None or scores is None:
                    assert true is None, (how, truth.case, removed)
                    assert scores is None, (how, truth.case, removed)
                else:
                    about = (how, truth.case, removed)
                    assert_agree(scores, true, contract, about)


@every_way
def test_scores_depend_on_rows_alone(contract: Contract, kind: str, way: Way):
    """Not on their order, nor on a scorer's way through another process."""
    for truth, found in asked_cases(contract, kind, way):
        assert found.scores_of_a_copy() == found.scores()
        if not contract.ordered:
            turned = replace(truth.case, rows=truth.case.rows[::-1])
            assert truth.scores is not None
            scores = asked(turned, contract.scorer).scores()
            assert_agree(scores, truth.scores, contract, turned)


# Bounds that hold for every dataset.

REACHED = (
    ("plurality", "votes"),
    ("plurality", "ballots"),
    ("approval", "approvals"),
    ("borda", "ballots"),
    ("mean", "scores"),
    ("mean", "ratings"),
    ("condorcet", "ballots"),
)
"""Scorers whose proved move some data reach: one unit against all others."""


def opposed(case: Case, unit: Unit) -> Case:
    """The same rows, where one unit says one end of the range and all others the other.

    Of a unit with copies one copy says it.
    """
    whole = case.grouped or case.kind in NAMED
    rows: list[Row] = []
    is_said = False
    for place, row in enumerate(case.rows):
        top = replace(row, content=end_of_range(case, row, top=True))
        bottom = replace(row, content=end_of_range(case, row, top=False))
        if case.unit_of(place) != unit or (is_said and not whole):
            rows.append(bottom)
            continue
        is_said = True
        if whole or row.count == 1:
            rows.append(top)
        else:
            rows += [replace(top, count=1), replace(bottom, count=row.count - 1)]
    declared = None if case.kind == "scores" else case.items
    return replace(case, rows=tuple(rows), declared=declared)


def end_of_range(case: Case, row: Row, *, top: bool) -> object:
    """The largest or the smallest that a row can say."""
    value = "5" if top else "-2"
    if case.kind == "votes":
        return case.items[0 if top else 1]
    if case.kind == "ballots":
        items = case.items if top else case.items[::-1]
        return tuple((item,) for item in items)
    if case.kind == "approvals":
        return case.items if top else ()
    if case.kind == "ratings":
        return row.content[0], value
    return {item: given and value for item, given in row.content.items()}


def largest_move(found: Asked) -> float:
    return max(found.moves().values())


@every_way
def test_no_unit_moves_scores_further_than_is_proved(
    contract: Contract, kind: str, way: Way
):
    """And on the worst that the units of a case can say the proved move is reached."""
    scorer = door.with_stated_range(contract.scorer)
    for truth, _ in asked_cases(contract, kind, way):
        # Values of these shapes are outside the stated range.
        if truth.case.shape in ("extreme", "near", "lonely") or len(truth.items) < 2:
            continue
        found = asked(truth.case, scorer)
        proved = found.proved_move()
        if proved is None:
            continue
        assert largest_move(found) <= proved * (1 + 1e-9), truth.case
        if (contract.name, kind) not in REACHED or "empty" in scorer:
            continue
        worst = [asked(opposed(truth.case, unit), scorer) for unit in truth.units]
        moved = max(largest_move(case) for case in worst)
        proved = max(case.proved_move() or 0.0 for case in worst)
        assert moved <= proved * (1 + 1e-9), truth.case
        if contract.name != "condorcet" or len(truth.items) == 2:
            assert moved == pytest.approx(proved, rel=1e-6), truth.case


def rows_of_scores(*rows: str) -> Case:
    """A table with a row for each text, such as "3 2 1"."""
    contents = [dict(zip("abc", row.split(), strict=False)) for row in rows]
    people = [Row(content, f"p{number}") for number, content in enumerate(contents)]
    return Case("scores", tuple(people))


def rows_of_battles(*battles: tuple[str, str, str]) -> Case:
    rows = [Row(battle, f"p{number}") for number, battle in enumerate(battles)]
    return Case("battles", tuple(rows))


WORST_CASES = {
    "mean-rank": (rows_of_scores("3 2 1", *["1 2 3"] * 9), 8**0.5 / 10),
    "mean-win-rate": (rows_of_scores("3 2 1", *["1 2 3"] * 9), 2**0.5 / 10),
    "median:value_range=0..5": (rows_of_scores("5 5", "0 0"), 2.5 * 2**0.5),
    "win-rate": (
        rows_of_battles(("a", "b", "right"), ("a", "c", "left"), ("b", "c", "left")),
        0.5**0.5,
    ),
    "elo": (rows_of_battles(("a", "b", "left"), ("a", "b", "right")), 4 * 2**0.5),
}


@pytest.mark.parametrize("scorer", WORST_CASES)
def test_other_proved_moves_are_the_numbers_of_the_theorems(scorer: str):
    case, proved = WORST_CASES[scorer]
    case = replace(case, ordered=scorer == "elo")
    assert asked(case, scorer).proved_move() == pytest.approx(proved, rel=1e-5)


# Doors: files with told roles, and engines.


@every_way
def test_files_and_engines_hold_the_same_data(
    contract: Contract, kind: str, way: Way, tmp_path: Path
):
    for number, (truth, found) in enumerate(asked_cases(contract, kind, way)):
        if number % 3:
            continue
        case = truth.case
        if not door.sayable(case):
            continue
        path = tmp_path / f"{number}.csv"
        doors = [asked_of_file(case, contract.scorer, path)]
        if not case.declared:
            of_engine = asked_of_engine(case, contract.scorer, path)
            doors += [of_engine] if of_engine else []
        assert truth.scores is not None
        for other in doors:
            assert other.items == found.items, door.csv_text(case)
            assert other.units == found.units, door.csv_text(case)
            assert_agree(other.scores(), truth.scores, contract, case)
            k = 1 + number % len(truth.items)
            if not contract.fitted:
                standings = {item: truth.standing(item, k) for item in truth.items}
                assert other.standings(k) == standings, (case, k)
            for unit, scores in other.scores_without_each_unit().items():
                true = truth.scores_without_each[unit]
                assert true is not None
                size = largest(true)
                for item, score in scores.items():
                    assert close(score, float(true[item]), 1e-8, size), (case, unit)
