"""Where items stand, said slowly: each unit is taken away, the data scored again, and places counted."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from oracles.leaving_out import left_out

ORDINALS = "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth".split()  # noqa: SIM905


@dataclass(frozen=True)
class Stands:
    """The plain ranking of the data, and without each unit so many times."""

    ranking: list[int]
    others: list[tuple[int, list[int]]]

    @classmethod
    def of(cls, data, scorer):
        rankings = [
            (copies, plain(scorer.score(rest))) for copies, rest in left_out(data)
        ]
        return cls(plain(scorer.score(data)), rankings)

    @property
    def total(self):
        return sum(copies for copies, _ in self.others)

    def ranks(self, item):
        places = [ranking.index(item) + 1 for _, ranking in self.others]
        places.append(self.ranking.index(item) + 1)
        return min(places), max(places)

    def share(self, item, k):
        return (
            sum(copies for copies, ranking in self.others if item in ranking[:k])
            / self.total
        )

    def changing(self, k):
        return sum(
            n for n, ranking in self.others if set(ranking[:k]) != set(self.ranking[:k])
        )

    def uncovered(self, members, k):
        return sum(
            copies
            for copies, ranking in self.others
            if not set(ranking[:k]) <= set(members)
        )

    @property
    def rankings(self):
        return [self.ranking, *(ranking for _, ranking in self.others)]

    def listed(self, k):
        """Return the union of all top k's, in the order of the plain ranking."""
        union = {item for ranking in self.rankings for item in ranking[:k]}
        return [item for item in self.ranking if item in union]

    def tiers(self):
        """Return the sizes of the smallest blocks that every ranking keeps apart."""
        ends = [
            end
            for end in range(1, len(self.ranking) + 1)
            if all(
                set(ranking[:end]) == set(self.ranking[:end])
                for ranking in self.rankings
            )
        ]
        return [end - start for start, end in zip([0, *ends], ends, strict=False)]

    def standing(self, item, k):
        always = all(item in ranking[:k] for _, ranking in self.others)
        ever = any(item in ranking[:k] for _, ranking in self.others)
        if item in self.ranking[:k]:
            return "sure" if always else "contender"
        return "contender" if ever else "out"


def plain(scores):
    return sorted(range(len(scores)), key=lambda item: (-float(scores[item]), item))


def check_headline(sentence, stands, k, names, unit):
    """Take what a headline says apart, and compute each part of it again."""
    total, changing = stands.total, stands.changing(k)
    standing = {item: stands.standing(item, k) for item in stands.ranking}
    sure = [item for item in stands.ranking if standing[item] == "sure"]
    contenders = [item for item in stands.ranking if standing[item] == "contender"]
    if k == len(names):
        assert re.fullmatch(
            r"The top [\d,]+ holds every item: there (is|are) [\d,]+ items?\.", sentence
        )
        return "everything"
    every = rf"the {total:,} {unit}s?"
    if not changing:
        match = re.fullmatch(
            rf"(.+) (comes first|are the top {k:,}), no matter which one of {every} is removed\.",
            sentence,
        )
        assert match, sentence
        assert (match[2] == "comes first") == (k == 1)
        check_names(match[1], stands.ranking[:k], names, "and")
        return "nobody"
    if k - len(sure) == 1:
        check_one_place(sentence, stands, k, names, unit)
        return "one place"
    whoever = (
        rf"any one of {changing:,} of {every}" if changing > 1 else rf"1 of {every}"
    )
    match = re.fullmatch(
        rf"(.+) items contend for (.+) (.+) places: (.+)\. "
        rf"Removing {whoever} changes the top {k:,}\.",
        sentence,
    )
    assert match, sentence
    words = dict(
        enumerate(["no", "one", "two", "three", "four", "five", "six", "seven"])
    )
    assert match[1] == f"{len(contenders):,}"
    free = k - len(sure)
    assert match[2] == ("all" if free == k else f"{words.get(free, free)} of the")
    assert match[3] == words.get(k, f"{k:,}")
    check_names(match[4], contenders, names, "and")
    return "several places"


def check_one_place(sentence, stands, k, names, unit):
    """Take away each unit, and see who replaces whom, and at which place."""
    total, changing, plain_top = (
        stands.total,
        stands.changing(k),
        set(stands.ranking[:k]),
    )
    tops = [
        (copies, ranking)
        for copies, ranking in stands.others
        if set(ranking[:k]) != plain_top
    ]
    (holder,) = {item for _, ranking in tops for item in plain_top - set(ranking[:k])}
    came = {item for _, ranking in tops for item in set(ranking[:k]) - plain_top}
    place = f"The top {k:,}"
    if {ranking[k - 1] for ranking in stands.rankings} <= {holder, *came}:
        place = (
            f"{ORDINALS[k - 1]} place"
            if k <= 10
            else f"The last place in the top {k:,}"
        )
        moved = [
            n for n, ranking in stands.others if ranking[k - 1] != stands.ranking[k - 1]
        ]
        assert changing == sum(moved)
    whoever = rf"one of the {total:,} {unit}s?: remove that one"
    if changing > 1:
        those = "them" if changing == total else f"{changing:,} of the {total:,}"
        whoever = rf"single {unit}s: remove any one of {those}"
    match = re.fullmatch(
        rf"{place} hangs on {whoever}, and (.+) replaces (.+)\.", sentence
    )
    assert match, sentence
    assert match[2] == str(names[holder])
    rivals = [item for item in stands.ranking if item in came]
    if len(rivals) > 5:
        assert match[1] == f"one of {len(rivals):,} others"
    else:
        check_names(match[1], rivals, names, "or")


def check_names(text, items, names, last):
    told = [str(names[item]) for item in items]
    if len(told) > 5:
        told, last = [*told[:4], f"{len(told) - 4:,} more"], "and"
    expected = (
        told[0] if len(told) == 1 else f"{', '.join(told[:-1])} {last} {told[-1]}"
    )
    assert text == expected, (text, expected)


def covering_list(stands, scores, k, allowed):
    """Return the shortest list down the plain order, equal scores together, that so few units break."""
    order = stands.ranking
    for size in range(k, len(order) + 1):
        whole = size == len(order) or scores[order[size]] != scores[order[size - 1]]
        if whole and stands.uncovered(order[:size], k) <= allowed:
            return order[:size]
    raise AssertionError("the list of everything covers")


def shift(first, second):
    return float(np.sqrt(((first - second) ** 2).sum()))
