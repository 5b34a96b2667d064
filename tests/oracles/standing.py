"""Where items stand, said slowly: each unit is taken away, the data scored again, and places counted."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from oracles.leaving_out import left_out


@dataclass(frozen=True)
class Stands:
    """The plain ranking of the data, and without each unit so many times."""

    ranking: list[int]
    others: list[tuple[int, list[int]]]

    @classmethod
    def of(cls, data, scorer):
        rankings = [(copies, plain(scorer.score(rest))) for copies, rest in left_out(data)]
        return cls(plain(scorer.score(data)), rankings)

    @property
    def total(self):
        return sum(copies for copies, _ in self.others)

    def ranks(self, item):
        places = [ranking.index(item) + 1 for _, ranking in self.others]
        places.append(self.ranking.index(item) + 1)
        return min(places), max(places)

    def share(self, item, k):
        return sum(copies for copies, ranking in self.others if item in ranking[:k]) / self.total

    def changing(self, k):
        return sum(n for n, ranking in self.others if set(ranking[:k]) != set(self.ranking[:k]))

    def uncovered(self, members, k):
        return sum(copies for copies, ranking in self.others if not set(ranking[:k]) <= set(members))

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
            if all(set(ranking[:end]) == set(self.ranking[:end]) for ranking in self.rankings)
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
        assert re.fullmatch(r"The top [\d,]+ is everything: there (is|are) [\d,]+ items?\.", sentence)
        return "everything"
    every = rf"the {total:,} {unit}s?"
    if not changing:
        match = re.fullmatch(
            rf"(.+) (comes first|are the top {k:,}), whichever one of {every} leaves\.", sentence
        )
        assert match, sentence
        assert (match[2] == "comes first") == (k == 1)
        check_names(match[1], stands.ranking[:k], names, "and")
        return "nobody"
    whoever = rf"any one of {changing:,} of {every}" if changing > 1 else rf"one of {every}"
    if k - len(sure) == 1:
        holders = [ranking[k - 1] for _, ranking in [*stands.others, (1, stands.ranking)]]
        last = "comes first" if k == 1 else f"is in the top {k:,}"
        if k > 1 and set(holders) <= set(contenders):
            last = f"takes the last place in the top {k:,}"
            assert changing == sum(
                copies for copies, ranking in stands.others if ranking[k - 1] != stands.ranking[k - 1]
            )
        match = re.fullmatch(rf"(.+)\? Leaving out {whoever} changes who {last}\.", sentence)
        assert match, sentence
        check_names(match[1], contenders, names, "or")
        return "one place"
    match = re.fullmatch(
        rf"(.+) items contend for (.+) (.+) places: (.+)\. "
        rf"Leaving out {whoever} changes who is in the top {k:,}\.",
        sentence,
    )
    assert match, sentence
    words = dict(enumerate(["no", "one", "two", "three", "four", "five", "six", "seven"]))
    assert match[1] == f"{len(contenders):,}"
    free = k - len(sure)
    assert match[2] == ("all" if free == k else f"{words.get(free, free)} of the")
    assert match[3] == words.get(k, f"{k:,}")
    check_names(match[4], contenders, names, "and")
    return "several places"


def check_names(text, items, names, last):
    told = [str(names[item]) for item in items]
    if len(told) > 4:
        told, last = [*told[:3], f"{len(told) - 3:,} more"], "and"
    expected = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} {last} {told[-1]}"
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
