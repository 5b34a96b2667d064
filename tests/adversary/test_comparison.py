"""Two versions of a ranking: each unit taken away and scored anew says who moved how far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.leaving_out import left_out
from steadyrank import (
    Ballots,
    Battles,
    BradleyTerry,
    Mean,
    Ratings,
    Refit,
    ScoreMatrix,
    Study,
    Votes,
)
from steadyrank.study.standings import place_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


def votes(rng, items):
    return Study(Votes(rng.choice(items, 12).tolist(), items=items))


def ballots(rng, items):
    orders = [
        rng.permutation(items)[: rng.integers(1, len(items) + 1)].tolist()
        for _ in range(7)
    ]
    return Study(Ballots(orders, items=items))


def matrix(rng, items):
    return Study(ScoreMatrix(rng.integers(0, 4, (7, len(items))) / 4, items=items))


def ratings(rng, items):
    users, rated = np.nonzero(rng.random((8, len(items))) < 0.6)
    stars = rng.integers(1, 6, len(users))
    return Study(
        Ratings(users, [items[i] for i in rated], stars, items=items), Mean(1.0)
    )


def battles(rng, items):
    pairs = [rng.choice(items, 2, replace=False) for _ in range(10)]
    pairs += list(zip(items, items[1:] + items[:1], strict=True))
    left, right = zip(*pairs, strict=True)
    outcomes = rng.choice(["left", "right", "tie"], len(pairs))
    return Study(Battles(left, right, outcomes), BradleyTerry(0.5))


def medians(data):
    return np.median(data.values, axis=0)


def refitted(rng, items):
    return Study(
        ScoreMatrix(rng.integers(0, 5, (6, len(items))).astype(float), items=items),
        Refit(medians),
    )


KINDS = [votes, ballots, matrix, ratings, battles, refitted]
WORDS = {"sure": "(was sure)", "contender": "(was a contender)", "out": "(was out)"}
WORDS |= {None: "(not in the old data)"}


def drawn(make, rng):
    """Two versions: some items in both, some in one of them alone, in any order."""
    sides = [
        sorted("abcdef", key=lambda _: rng.random())[: rng.integers(3, 6)]
        for _ in range(2)
    ]
    sides[1] = sides[1] if set(sides[0]) & set(sides[1]) else [*sides[1], sides[0][0]]
    return [make(rng, side) for side in sides]


def scored(study, data=None):
    data = study.data if data is None else data
    return dict(zip(data.items, study.scorer.score(data).tolist(), strict=True))


def ranked(scores, before):
    """Items by score; equal ones as they stood before."""
    return sorted(scores, key=lambda item: (-scores[item], before.index(item)))


def places(scores, common, item):
    """The best and the worst place of an item among some, equal scores in either order."""
    ahead = sum(scores[other] > scores[item] for other in common)
    return ahead + 1, sum(scores[other] >= scores[item] for other in common)


def ranges(study, common):
    seen = [scored(study), *(scored(study, rest) for _, rest in left_out(study.data))]
    ends = {item: [places(scores, common, item) for scores in seen] for item in common}
    return {
        item: (min(b for b, _ in those), max(w for _, w in those))
        for item, those in ends.items()
    }


def verdict(item, old, new, allowed):
    if item not in old:
        return "new"
    if item not in new:
        return "gone"
    if old.index(item) == new.index(item):
        return "same"
    return (
        "inside"
        if allowed[item][0] <= new.index(item) + 1 <= allowed[item][1]
        else "beyond"
    )


def check_sentence(told, count, unit):
    """Take the first sentence apart, and return its form."""
    both = sum(count[name] for name in ("same", "inside", "beyond"))
    if count["beyond"]:
        match = re.fullmatch(
            rf"(\d+) of the (\d+) shared items? moved more than removing one {unit} could explain; "
            r"(\d+) moved less, (\d+) not at all\.",
            told,
        )
        assert match, told
        numbers = [int(match[part]) for part in (1, 2, 3, 4)]
        assert numbers == [count["beyond"], both, count["inside"], count["same"]]
        return "beyond"
    if count["inside"]:
        assert told == (
            f"{count['inside']} of the {both} shared items moved, none more than removing one {unit} "
            "could explain."
        )
        return "inside"
    assert re.fullmatch(
        rf"Nothing moved: {both} shared items?, in the same order\.", told
    )
    return "same"


@pytest.mark.parametrize("make", KINDS)
def test_verdicts_are_those_of_every_single_deletion(make, cases: Cases):
    seen, forms = set(), set()
    for rng in cases(9):
        old, new = drawn(make, rng)
        found = old.compare(new)
        before, after = (scored(study) for study in (old, new))
        common = set(before) & set(after)
        old_order = ranked(before, list(old.items))
        new_order = ranked(after, [*old_order, *new.items])
        was, now = (
            [item for item in order if item in common]
            for order in (old_order, new_order)
        )
        allowed = ranges(old, common)
        rows = list(found.rows())
        assert [row["item"] for row in rows] == [
            *new_order,
            *(i for i in old_order if i not in common),
        ]
        for row in rows:
            item = row["item"]
            assert row["verdict"] == verdict(
                item,
                was if item in common else old_order,
                now if item in common else new_order,
                allowed,
            )
            assert row["old_rank"] == (
                old_order.index(item) + 1 if item in before else None
            )
            assert row["new_rank"] == (
                new_order.index(item) + 1 if item in after else None
            )
            assert (row["old_score"], row["new_score"]) == (
                before.get(item),
                after.get(item),
            )
            in_both = (
                (was.index(item) + 1, now.index(item) + 1)
                if item in common
                else (None, None)
            )
            assert (row["old_place"], row["new_place"]) == in_both
            assert (row["old_best"], row["old_worst"]) == allowed.get(
                item, (None, None)
            )
        verdicts = [row["verdict"] for row in rows]
        seen |= set(verdicts)
        count = {name: verdicts.count(name) for name in ("same", "inside", "beyond")}
        forms.add(check_sentence(found.sentence, count, old.facts.unit))
        assert set(found.arrived) == set(after) - common
        assert set(found.gone) == set(before) - common
    assert seen == {"same", "inside", "beyond", "new", "gone"}
    assert len(forms) >= 2


@pytest.mark.parametrize("make", KINDS)
def test_the_new_top_k_is_held_against_the_old_list(make, cases: Cases):
    covered = set()
    for rng in cases(12):
        old, new = drawn(make, rng)
        k = int(rng.integers(1, min(len(old.items), len(new.items)) + 1))
        found, answer = old.compare(new, k), old.topk(k)
        old_order = ranked(scored(old), list(old.items))
        new_top = ranked(scored(new), [*old_order, *new.items])[:k]
        assert found.entered == tuple(
            item for item in new_top if item not in old_order[:k]
        )
        assert found.left == tuple(
            item for item in old_order[:k] if item not in new_top
        )
        assert found.covered == (set(new_top) <= set(answer.members))
        stands = {row.item: row.standing for row in answer.rows()}
        assert all(row["standing"] == stands.get(row["item"]) for row in found.rows())
        said = " ".join(found.findings()["sentences"])
        for item in (*found.entered, *found.left):
            assert f"{item} {WORDS[stands.get(item)]}" in said or "more." in said
        assert ("holds all of the new top" in said) == found.covered
        covered.add(found.covered)
    assert covered == {True, False}


@pytest.mark.parametrize("make", KINDS)
def test_the_order_in_which_new_items_are_listed_moves_nobody(make, cases: Cases):
    for rng in cases(4):
        old, _ = drawn(make, rng)
        scores, items = old.scores, list(old.items)
        rows = np.array([[scores[i] for i in range(len(items))]] * 3)
        shuffled = rng.permutation(len(items))
        same = Study(ScoreMatrix(rows[:, shuffled], items=[items[i] for i in shuffled]))
        found = Study(ScoreMatrix(rows, items=items)).compare(same, 1)
        assert found.sentence.startswith("Nothing moved")
        assert (found.entered, found.left) == ((), ())


def test_places_are_those_of_any_part_of_the_items(cases: Cases):
    for rng in cases(20):
        study, _ = drawn(KINDS[rng.integers(len(KINDS))], rng)
        chosen = rng.permutation(len(study.items))[
            : rng.integers(1, len(study.items) + 1)
        ]
        found = place_ranges(study.facts, chosen)
        slow = ranges(study, {study.items[place] for place in chosen})
        pairs = zip(found.best.tolist(), found.worst.tolist(), strict=True)
        assert list(pairs) == [slow[study.items[place]] for place in chosen]
