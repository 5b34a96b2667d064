"""One seeded generator of raw rows of every kind.

A case is plain Python data: rows with what each says, who says it, how much it weighs,
how often it occurs and which group it belongs to. The same seed always gives the same
case. A new kind needs a function in ``CONTENTS`` and a branch in ``carries``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

KINDS = (
    "votes",
    "ballots",
    "approvals",
    "ratings",
    "scores",
    "battles",
    "regression",
)
NAMED = ("ratings", "scores", "regression")  # a person's rows are one unit, with a name
WEIGHTED = ("votes", "ballots", "approvals", "ratings", "scores", "battles")
COUNTED = ("votes", "ballots", "approvals", "battles")

SHAPES = ("usual", "ties", "near", "extreme", "lonely", "declared", "few")
"""What is odd about a case.

ties: values from a coarse grid; near: values that differ in their last digits; extreme:
magnitudes far apart; lonely: one item that a single unit carries; declared: a list of
items that is not sorted and holds an item without data; few: two or three rows.
"""

WEIGHTS = (
    ("1", "2"),
    ("0.1", "0.2", "0.3"),
    ("0.5", "1", "1.5"),
    ("0", "0.3", "0.7", "1"),
    ("0.25", "0.333", "2"),
)
USUAL_VALUES = ("0", "0.5", "1", "1.5", "2", "3.25", "4", "5")
VALUES = {
    "ties": ("0", "1", "2"),
    "near": ("1", "1.000000001", "0.999999999", "1.1", "1.2", "1.3"),
    "extreme": ("-1000000000000", "0.000001", "3", "7.5", "1000000000000"),
    "lonely": (*USUAL_VALUES, "-1", "-2.5"),
}

Unit = Hashable


@dataclass(frozen=True)
class Row:
    """One observation.

    ``content`` is an item (votes), tiers of items (ballots), items (approvals), an item
    and a value (ratings), item -> value or None (scores), left, right and result
    (battles), features and response (regression). Numbers are text, as in a file.
    """

    content: Any
    person: str
    weight: str = "1"
    count: int = 1
    group: str | None = None

    @property
    def weight_as_fraction(self) -> Fraction:
        return Fraction(self.weight)


@dataclass(frozen=True)
class Case:
    """Rows of one kind, and which of their columns are used."""

    kind: str
    rows: tuple[Row, ...]
    declared: tuple[str, ...] | None = None
    weighted: bool = False
    grouped: bool = False
    counted: bool = False
    ordered: bool = False  # the order of rows matters, so that equal rows are not alike
    shape: str = "usual"
    before: tuple[Row, ...] = ()  # with the rows that were deleted, if any were

    @property
    def carried(self) -> set[str]:
        """The items that some row says something about."""
        return {item for row in self.rows for item in carries(self.kind, row.content)}

    @property
    def items(self) -> tuple[str, ...]:
        """The declared items, or those that some row carries, by name."""
        return self.declared or tuple(sorted(self.carried))

    def unit_of(self, place: int) -> Unit:
        """The unit of a row: its group, its person, its place, or what it says."""
        row = self.rows[place]
        if self.grouped:
            return row.group
        if self.kind in NAMED:
            return row.person
        if self.ordered:
            return place
        return canonical(self.kind, row.content), row.weight

    @property
    def units(self) -> dict[Unit, int]:
        """Distinct units with the number of their copies; weights of 0 are no units."""
        copies: Counter[Unit] = Counter()
        for place, row in enumerate(self.rows):
            unit = self.unit_of(place)
            if self.grouped or self.kind in NAMED:
                copies[unit] = max(copies[unit], int(row.weight_as_fraction > 0))
            elif row.weight_as_fraction:
                copies[unit] += row.count
        return {unit: number for unit, number in copies.items() if number}

    def without(self, removed: Iterable[Unit], *, keep_items: bool) -> Case:
        """Delete the rows of units, one copy for each time that a unit is named.

        With ``keep_items`` the list of items stays; else it follows from the other rows.
        """
        still_to_remove = Counter(removed)
        rows = []
        for place, row in enumerate(self.rows):
            unit = self.unit_of(place)
            if self.grouped or self.kind in NAMED:
                if unit not in still_to_remove:
                    rows.append(row)
                continue
            removed_here = min(still_to_remove[unit], row.count)
            still_to_remove[unit] -= removed_here
            if row.count > removed_here:
                rows.append(replace(row, count=row.count - removed_here))
        declared = self.items if keep_items else self.declared
        before = self.before or self.rows if keep_items else ()
        return replace(self, rows=tuple(rows), declared=declared, before=before)

    def with_rows(self, rows: Iterable[Row]) -> Case:
        """Append rows."""
        return replace(self, rows=(*self.rows, *rows))

    def rows_of(self, unit: Unit) -> list[Row]:
        """The rows of one unit, of a unit with copies one copy."""
        places = [p for p in range(len(self.rows)) if self.unit_of(p) == unit]
        if self.grouped or self.kind in NAMED:
            return [self.rows[place] for place in places]
        return [replace(self.rows[places[0]], count=1)]


def carries(kind: str, content: Any) -> tuple[str, ...]:
    """The items that a row says something about."""
    if kind == "votes":
        return (content,)
    if kind == "ballots":
        return tuple(item for tier in content for item in tier)
    if kind == "approvals":
        return tuple(content)
    if kind == "ratings":
        return content[:1]
    if kind == "battles":
        return content[:2]
    if kind == "scores":
        return tuple(item for item, value in content.items() if value is not None)
    return tuple(f"x{place}" for place in range(len(content[0])))


def canonical(kind: str, content: Any) -> Hashable:
    """What a row says, written in one way: equal for rows that say the same."""
    if kind == "ballots":
        return tuple(tuple(sorted(tier)) for tier in content)
    if kind == "approvals":
        return tuple(sorted(content))
    if kind == "battles":
        left, right, winner = content
        if winner == "tie":
            return (*sorted((left, right)), "tie")
        return (left, right, "won") if winner == "left" else (right, left, "won")
    return content


def draw(
    seed: int,
    kind: str,
    *,
    weighted: bool = False,
    grouped: bool = False,
    counted: bool = False,
    ordered: bool = False,
    most_rows: int = 8,
    most_items: int = 5,
) -> Case:
    """Draw a case; shapes come in turn."""
    rng = random.Random(f"{seed} {kind} {weighted} {grouped} {counted}")
    shape = SHAPES[seed % len(SHAPES)]
    items = [f"i{number}" for number in range(rng.randint(2, most_items))]
    n_people = rng.randint(2, 3) if shape == "few" else rng.randint(4, most_rows)
    if kind == "regression":
        items = items[:3]
        n_people = max(n_people, 5)
    values = VALUES.get(shape, USUAL_VALUES)
    contents = [CONTENTS[kind](rng, items, values) for _ in range(n_people)]
    if shape == "lonely" and kind != "regression":
        contents[0] = with_lonely_item(kind, contents[0], items, rng.choice(values))

    grid = rng.choice(WEIGHTS)
    rows = []
    for number, content in enumerate(contents):
        person = Row(
            content,
            person=f"p{number}",
            weight=rng.choice(grid) if weighted else "1",
            count=rng.randint(1, 3) if counted else 1,
            group=f"g{rng.randrange(max(2, n_people // 2))}" if grouped else None,
        )
        if kind == "ratings":
            rows += [replace(person, content=rated) for rated in content.items()]
        else:
            rows.append(person)
    if not any(row.weight_as_fraction for row in rows):
        rows[0] = replace(rows[0], weight="1")

    declared = None
    if shape == "declared" and kind not in ("scores", "regression"):
        declared = tuple(sorted({*items, "unseen"}, reverse=True))
    return Case(
        kind,
        tuple(rows),
        declared=declared,
        weighted=weighted,
        grouped=grouped,
        counted=counted,
        ordered=ordered,
        shape=shape,
    )


def drawn_vote(rng: random.Random, items: list[str], values: Any) -> str:
    return rng.choice(items)


def drawn_ballot(rng: random.Random, items: list[str], values: Any) -> Any:
    order = rng.sample(items, rng.randint(1, len(items)))
    tiers = [[order[0]]]
    for item in order[1:]:
        if rng.random() < 0.3:
            tiers[-1].append(item)
        else:
            tiers.append([item])
    return tuple(tuple(tier) for tier in tiers)


def drawn_approval(rng: random.Random, items: list[str], values: Any) -> Any:
    return tuple(item for item in items if rng.random() < 0.5)


def drawn_ratings(rng: random.Random, items: list[str], values: Any) -> Any:
    rated = [item for item in items if rng.random() < 0.7] or items[:1]
    return {item: rng.choice(values) for item in rated}


def drawn_scores(rng: random.Random, items: list[str], values: Any) -> Any:
    row = {item: rng.choice(values) for item in items}
    for item in items[1:]:
        if rng.random() < 0.12:
            row[item] = None
    return row


def drawn_battle(rng: random.Random, items: list[str], values: Any) -> Any:
    result = rng.choice(("left", "right", "left", "right", "tie"))
    return (*rng.sample(items, 2), result)


def drawn_regression(rng: random.Random, items: list[str], values: Any) -> Any:
    features = tuple(rng.choice(("-1", "0", "0.5", "1", "2", "3")) for _ in items)
    return features, rng.choice(("-2", "0", "1", "2.5", "4"))


CONTENTS = {
    "votes": drawn_vote,
    "ballots": drawn_ballot,
    "approvals": drawn_approval,
    "ratings": drawn_ratings,
    "scores": drawn_scores,
    "battles": drawn_battle,
    "regression": drawn_regression,
}


def with_lonely_item(kind: str, content: Any, items: list[str], value: str) -> Any:
    """The same content, in front of it an item that no other row carries."""
    if kind == "votes":
        return "lone"
    if kind == "ballots":
        return (("lone",), *content)
    if kind == "approvals":
        return ("lone", *content)
    if kind == "battles":
        return ("lone", items[0], "left")
    return {**content, "lone": value}
