"""Answers made again from raw rows that are deleted, appended or exchanged.

Nothing here removes units by the project's own means: data are made of other rows and
the same question is asked of them. An item without rows in the new data is gone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice, permutations
from typing import TYPE_CHECKING, NamedTuple

import pytest

from contracts.cases import (
    EVERY_WAY,
    N_SEEDS,
    SEEDS,
    Way,
    every_way,
    name_of,
    small,
    small_case,
)
from contracts.door import Asked, RefusedError, asked, asked_of_file, sayable
from contracts.draws import SHAPES, Case, Row, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from contracts.oracle import Contract
    from contracts.truth import Truth

N_NEW_UNITS = 2


class Neighbour(NamedTuple):
    """A case that differs from another by one unit.

    ``keeps_items``: whether the rows that both have carry the items of both.
    """

    how: str
    case: Case
    unit: Unit
    keeps_items: bool


def keeps_items(case: Case, unit: Unit) -> bool:
    return case.without([unit], keep_items=False).items == case.items


def neighbours(case: Case, way: Way, seed: int) -> Iterator[Neighbour]:
    """Yield the case without each unit, and with some new ones, added or exchanged."""
    for unit in case.units:
        rest = case.without([unit], keep_items=False)
        yield Neighbour("remove", rest, unit, keeps_items(case, unit))
    units = list(case.units)
    new_units = islice(units_of_another_case(case, way, seed), N_NEW_UNITS)
    for number, rows in enumerate(new_units):
        added = case.with_rows(rows)
        new = added.unit_of(len(case.rows))
        yield Neighbour("add", added, new, keeps_items(added, new))

        old = units[number % len(units)]
        rest = case.without([old], keep_items=False)
        replaced = rest.with_rows(rows)
        new = replaced.unit_of(len(rest.rows))
        both_keep = keeps_items(case, old) and keeps_items(replaced, new)
        yield Neighbour("replace", replaced, old, both_keep)


def units_of_another_case(case: Case, way: Way, seed: int) -> Iterator[list[Row]]:
    """The rows of each unit of another case, under a name that is not taken."""
    other = small(case.kind, way, case.ordered, seed + 1000 * N_SEEDS)
    if case.kind == "regression" and other.items != case.items:
        return
    for unit in other.units:
        rows = other.rows_of(unit)
        if case.declared and not other.carried <= set(case.declared):
            continue
        group = "new" if case.grouped else None
        yield [replace(row, person=f"new {row.person}", group=group) for row in rows]


class Story(NamedTuple):
    """A case, and its neighbours that were made again."""

    truth: Truth
    before: Asked
    after: list[tuple[Neighbour, Asked]]


@cache
def told(contract: Contract, kind: str, way: Way, seed: int) -> Story | None:
    found = small_case(contract, kind, way, seed)
    if found is None:
        return None
    truth, before = found
    after = []
    for neighbour in neighbours(truth.case, way, seed):
        try:
            again = asked(neighbour.case, contract.scorer)
            again.ranking()
        except RefusedError:
            continue  # these rows cannot be scored, or not without each unit
        after.append((neighbour, again))
    return Story(truth, before, after)


def stories(contract: Contract, kind: str, way: Way) -> Iterator[Story]:
    for seed in SEEDS:
        story = told(contract, kind, way, seed)
        if story is not None:
            yield story


@every_way
def test_answers_made_again_keep_what_was_promised(
    contract: Contract, kind: str, way: Way
):
    """Where the rows that both share carry every item."""
    for story in stories(contract, kind, way):
        kept = [each for each in story.after if each[0].keeps_items]
        for neighbour, again in kept:
            about = (story.truth.case, neighbour.how, neighbour.unit)
            for k in range(1, len(story.truth.items)):
                old, new = story.before.standings(k), again.standings(k)
                assert_lists_share(old, new, k, about)
            old_ranks = story.before.ranking()["ranks"]
            assert_ranks_meet(old_ranks, again.ranking()["ranks"], about)
        removed = [
            (neighbour.unit, again.order())
            for neighbour, again in kept
            if neighbour.how == "remove"
        ]
        assert_removals_are_covered(story.truth, story.before, removed)


@every_way
def test_lists_of_files_made_again_share_k_items(
    contract: Contract, kind: str, way: Way, tmp_path: Path
):
    """The same of files: lines are deleted, appended or exchanged, and read again."""
    path = tmp_path / "rows.csv"
    found = small_case(contract, kind, way, 0)
    if found is None or not sayable(found[0].case):
        return
    case = found[0].case
    before = asked_of_file(case, contract.scorer, path)
    for neighbour in neighbours(case, way, 0):
        if not neighbour.keeps_items or not sayable(neighbour.case):
            continue
        about = (case, neighbour.how, neighbour.unit)
        try:
            again = asked_of_file(neighbour.case, contract.scorer, path)
            again.ranking()
        except RefusedError:
            continue  # these rows cannot be scored, or not without each unit
        order = again.order()
        for k in range(1, len(case.items)):
            standings = before.standings(k)
            assert_lists_share(standings, again.standings(k), k, about)
            if neighbour.how == "remove":
                assert set(order[:k]) <= listed(standings), (*about, k)


def listed(standings: dict[str, str]) -> set[str]:
    return {item for item, standing in standings.items() if standing != "out"}


def assert_lists_share(
    old: dict[str, str], new: dict[str, str], k: int, about: tuple
) -> None:
    """Definition 1 at delta = 0, for units that are removed, added or replaced."""
    assert len(listed(old) & listed(new)) >= k, (*about, k, old, new)
    for item, standing in old.items():
        assert {standing, new[item]} != {"sure", "out"}, (*about, k, item)


def assert_ranks_meet(
    old: dict[str, tuple[int, int]], new: dict[str, tuple[int, int]], about: tuple
) -> None:
    """Ranges have a rank in common, and settled pairs are never turned round."""
    for item, (best, worst) in old.items():
        new_best, new_worst = new[item]
        assert max(best, new_best) <= min(worst, new_worst), (*about, item)
    for one, other in permutations(old, 2):
        settled = old[one][1] < old[other][0]
        turned = new[other][1] < new[one][0]
        assert not (settled and turned), (*about, one, other)


def assert_removals_are_covered(
    truth: Truth, before: Asked, removed: list[tuple[Unit, list[str]]]
) -> None:
    """Each new plain answer is inside the old one and counted by it."""
    ranks = before.ranking()["ranks"]
    for unit, order in removed:
        for place, item in enumerate(order, start=1):
            best, worst = ranks[item]
            assert best <= place <= worst, (truth.case, unit, item)
    for k in range(1, len(truth.items)):
        answer = before.topk(k)
        flips = before.flips(k)
        topk = set(answer["order"][:k])
        for unit, order in removed:
            new_topk = set(order[:k])
            assert new_topk <= set(answer["list"]), (truth.case, k, unit)
            _, leaves, enters = flips.get(unit, (0, set(), set()))
            moved = (topk - new_topk, new_topk - topk)
            assert (leaves, enters) == moved, (truth.case, k, unit)
        if {unit for unit, _ in removed} == set(truth.units):
            assert_shares_are_true(truth, k, answer, removed)


def assert_shares_are_true(
    truth: Truth, k: int, answer: dict, removed: list[tuple[Unit, list[str]]]
) -> None:
    changing = sum(
        truth.units[unit]
        for unit, order in removed
        if set(order[:k]) != set(answer["order"][:k])
    )
    assert answer["n_changing"] == changing, (truth.case, k)
    for item, share in answer["shares"].items():
        inside = sum(truth.units[unit] for unit, order in removed if item in order[:k])
        assert share == inside / truth.n_units, (truth.case, k, item)


@pytest.mark.xfail(
    strict=True,
    raises=AssertionError,
    reason="Only what is true: items that leave with their only unit",
)
def test_lists_share_k_items_even_if_an_item_leaves_with_its_only_unit():
    broken = [
        (name_of(contract, kind, way), story.truth.case, neighbour.unit, k)
        for contract, kind, way in EVERY_WAY
        for story in stories_of_lonely_items(contract, kind, way)
        for neighbour, k in broken_without_items(story)
    ]
    assert not broken, (len(broken), broken[:2])


def stories_of_lonely_items(contract: Contract, kind: str, way: Way) -> Iterator[Story]:
    n_shapes = len(SHAPES)
    for seed in range(SHAPES.index("lonely"), max(N_SEEDS, n_shapes), n_shapes):
        story = told(contract, kind, way, seed)
        if story is not None:
            yield story


def broken_without_items(story: Story) -> Iterator[tuple[Neighbour, int]]:
    """Yield each removal of an item's only unit after which lists share too little."""
    truth, before, after = story
    for neighbour, again in after:
        if neighbour.how != "remove" or neighbour.keeps_items:
            continue
        for k in range(1, min(len(truth.items), len(again.items) + 1)):
            common = listed(before.standings(k)) & listed(again.standings(k))
            if len(common) < k:
                yield neighbour, k
