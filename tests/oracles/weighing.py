"""People with weights, in groups or alone, and their weighted scores in rational numbers.

A person says something, with a weight that is a decimal in text, and may belong to a group. Scores are
sums over people, written out; nothing of the package is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from oracles.last import with_last
from steadyrank import (
    Approval,
    Ballots,
    Battles,
    Borda,
    BradleyTerry,
    Mean,
    Plurality,
    Ratings,
    ScoreMatrix,
    Votes,
)

WAYS = pytest.mark.parametrize(
    ("weighted", "grouped"),
    [(False, False), (True, False), (False, True), (True, True)],
    ids=["plain", "w", "g", "wg"],
)
"""People with and without weights, alone and in groups."""

GRIDS = (
    ("1", "2"),
    ("0.1", "0.2", "0.3"),
    ("0.5", "1", "1.5"),
    ("0", "0.3", "0.7", "1"),
    ("0.25", "0.333", "2"),
    ("0.000001", "0.000002", "0.000003"),
)
"""Weights on coarse grids, so that sums of some are those of others."""


@dataclass(frozen=True)
class Person:
    says: Any
    weight: str = "1"
    group: int = 0

    @property
    def share(self) -> Fraction:
        return Fraction(self.weight)


@dataclass(frozen=True)
class Case:
    kind: str
    scorer: Any
    items: int
    people: list[Person]
    weighted: bool
    grouped: bool
    settings: dict[str, Any] = field(default_factory=dict)

    def units(self) -> list[list[Person]]:
        """The people who leave together; whoever weighs nothing is not there."""
        there = [person for person in self.people if person.share]
        if not self.grouped:
            return [[person] for person in there]
        groups = sorted({person.group for person in there})
        return [
            [person for person in there if person.group == group] for group in groups
        ]

    def without(self, gone: list[Person]) -> list[Person]:
        """Everybody else; people are told apart by who they are, not by what they say."""
        return [
            person
            for person in self.people
            if not any(person is other for other in gone)
        ]

    def data(self, people: list[Person] | None = None) -> Any:
        """The same people as data of the package."""
        chosen = self.people if people is None else people
        further: dict[str, Any] = {}
        if self.weighted:
            further["weights"] = [float(person.weight) for person in chosen]
        if self.grouped:
            further |= {
                "units": [person.group for person in chosen],
                "unit_kind": "household",
            }
        return DATA[self.kind](self.items, chosen, further)

    def scores(self, people: list[Person]) -> list[Fraction] | None:
        """The exact scores, None where there are none."""
        return SCORES[self.kind](self, people)


def votes_data(items, people, further):
    return Votes([person.says for person in people], items=range(items), **further)


def ballots_data(items, people, further):
    return Ballots([person.says for person in people], items=range(items), **further)


def approvals_data(items, people, further):
    ballots = [sorted(person.says) for person in people]
    return Ballots(ballots, items=range(items), approval=True, **further)


def ratings_data(items, people, further):
    rows = [
        (user, item, value)
        for user, person in enumerate(people)
        for item, value in person.says.items()
    ]
    each = {
        name: [values[user] for user, _, _ in rows]
        for name, values in further.items()
        if name != "unit_kind"
    }
    kind = {name: value for name, value in further.items() if name == "unit_kind"}
    users, rated, stars = zip(*rows, strict=True)
    return Ratings(
        users,
        rated,
        [float(star) for star in stars],
        items=range(items),
        **each,
        **kind,
    )


def scores_data(items, people, further):
    values = [
        [np.nan if value is None else float(value) for value in person.says]
        for person in people
    ]
    return ScoreMatrix(values, items=range(items), missing="available", **further)


def battles_data(items, people, further):
    left, right, outcome = zip(*[person.says for person in people], strict=True)
    return Battles(left, right, outcome, items=range(items), **further)


DATA = {
    "votes": votes_data,
    "ballots": ballots_data,
    "first choices": ballots_data,
    "approvals": approvals_data,
    "ratings": ratings_data,
    "scores": scores_data,
    "battles": battles_data,
}


def mean_points(points):
    """Return the weighted mean of what people give, a dictionary of points for each of them."""

    def scores(case, people):
        total = sum(person.share for person in people)
        if not total:
            return None
        sums = [Fraction(0)] * case.items
        for person in people:
            for item, given in points(case.items, person.says).items():
                sums[item] += person.share * given
        return [part / total for part in sums]

    return scores


def one_vote(items, choice):
    return {choice: Fraction(1)}


def first_choice(items, tiers):
    return {item: Fraction(1, len(tiers[0])) for item in tiers[0]}


def approved(items, chosen):
    return dict.fromkeys(chosen, Fraction(1))


def borda(items, tiers):
    """Return the mean of the places that tied items take together; those left out are a last tier."""
    named = {item for tier in tiers for item in tier}
    rest = [item for item in range(items) if item not in named]
    given, place = {}, 0
    for tier in [*tiers, rest]:
        taken = [items - 1 - p for p in range(place, place + len(tier))]
        given |= {item: Fraction(sum(taken), len(tier)) for item in tier}
        place += len(tier)
    return given


def mean_ratings(case, people):
    shrinkage = Fraction(str(case.settings["shrinkage"]))
    found = []
    for item in range(case.items):
        rated = [
            (person.share, person.says[item])
            for person in people
            if item in person.says
        ]
        below = shrinkage + sum(weight for weight, _ in rated)
        if not below:
            found.append(None)
            continue
        found.append(
            sum((weight * star for weight, star in rated), Fraction(0)) / below
        )
    return with_last(found)


def column_means(case, people):
    found = []
    for item in range(case.items):
        there = [
            (person.share, person.says[item])
            for person in people
            if person.says[item] is not None
        ]
        below = sum(weight for weight, _ in there)
        if not below:
            found.append(None)
            continue
        found.append(
            sum((weight * value for weight, value in there), Fraction(0)) / below
        )
    return with_last(found)


def strengths(case, people):
    """Maximise the weighted log likelihood less the ridge, one item at a time until nothing moves."""
    ridge, found = float(case.settings["ridge"]), np.zeros(case.items)
    for _ in range(4000):
        before = found.copy()
        for item in range(case.items):
            slope, bend = -ridge * found[item], -ridge
            for person in people:
                left, right, outcome = person.says
                if item in (left, right):
                    other = right if item == left else left
                    won = (
                        0.5
                        if outcome == "tie"
                        else float((outcome == "left") == (item == left))
                    )
                    chance = 1 / (1 + np.exp(found[other] - found[item]))
                    slope += float(person.share) * (won - chance)
                    bend -= float(person.share) * chance * (1 - chance)
            found[item] -= slope / bend
        if np.abs(found - before).max() < 1e-13:
            break
    return (found - found.mean()).tolist()


SCORES = {
    "votes": mean_points(one_vote),
    "ballots": mean_points(borda),
    "first choices": mean_points(first_choice),
    "approvals": mean_points(approved),
    "ratings": mean_ratings,
    "scores": column_means,
    "battles": strengths,
}


def said(rng: np.random.Generator, kind: str, items: int) -> Any:
    """Draw what a person says."""
    if kind == "votes":
        return int(rng.integers(items))
    if kind in {"ballots", "first choices"}:
        order = rng.permutation(items)[: rng.integers(1, items + 1)].tolist()
        tiers = [[order[0]]]
        for item in order[1:]:
            if rng.random() < 0.3:
                tiers[-1].append(item)
            else:
                tiers.append([item])
        return tiers
    if kind == "approvals":
        return frozenset(np.flatnonzero(rng.random(items) < 0.5).tolist())
    if kind == "ratings":
        rated = np.flatnonzero(rng.random(items) < 0.7).tolist() or [0]
        return {item: Fraction(int(rng.integers(1, 7)), 2) for item in rated}
    if kind == "scores":
        return [
            None if rng.random() < 0.15 else Fraction(int(rng.integers(0, 5)), 4)
            for _ in range(items)
        ]
    left = int(rng.integers(items))
    return (
        left,
        (left + int(rng.integers(1, items))) % items,
        str(rng.choice(["left", "right", "tie"])),
    )


def a_case(
    rng: np.random.Generator,
    kind: str,
    *,
    weighted: bool,
    grouped: bool,
    people: int = 7,
    items: int = 3,
) -> Case:
    grid = GRIDS[rng.integers(len(GRIDS))]
    drawn = [
        Person(
            said(rng, kind, items),
            str(rng.choice(grid)) if weighted else "1",
            int(rng.integers(0, max(2, people - 2))) if grouped else 0,
        )
        for _ in range(people)
    ]
    if kind == "scores":  # one that says something of every item, so that all have data
        drawn = [
            person
            for person in drawn
            if any(value is not None for value in person.says)
        ]
    scorers = {
        "votes": Plurality(),
        "ballots": Borda(),
        "first choices": Plurality(),
        "approvals": Approval(),
        "scores": Mean(),
    }
    settings: dict[str, Any] = {}
    if kind == "ratings":
        settings["shrinkage"] = float(rng.choice([0.1, 0.5, 1.0, 2.0]))
        scorers[kind] = Mean(settings["shrinkage"])
    if kind == "battles":
        settings["ridge"] = float(rng.choice([0.3, 1.0]))
        scorers[kind] = BradleyTerry(settings["ridge"])
    return Case(kind, scorers[kind], items, drawn, weighted, grouped, settings)
