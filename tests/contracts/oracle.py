"""Scores from raw rows: obvious, slow, and in fractions where there is a closed form.

Nothing of the project is imported. Scores are a dictionary from item to number, or None
where an item has none. Scores of numerical fits (Elo, Bradley-Terry, least squares) are
rounded, so that what is equal by symmetry is equal here. A new scorer needs its obvious
form and a line in ``CONTRACTS``; all contracts then hold for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from contracts.draws import Case

Scores = dict[str, Fraction]
Points = Callable[[Any, tuple[str, ...]], dict[str, Fraction]]
Score = Callable[[Case], Scores | None]

ZERO = Fraction(0)
HALF = Fraction(1, 2)
ONE = Fraction(1)


def weighted_rows(case: Case) -> Iterator[tuple[Any, Fraction]]:
    """Yield what each row says, and its weight over all its copies."""
    for row in case.rows:
        weight = row.weight_as_fraction * row.count
        if weight:
            yield row.content, weight


# Points: what one row gives to items.


def one_vote(item: Any, items: tuple[str, ...]) -> Scores:
    return {item: ONE}


def first_tier(tiers: Any, items: tuple[str, ...]) -> Scores:
    return {item: Fraction(1, len(tiers[0])) for item in tiers[0]}


def approved(named: Any, items: tuple[str, ...]) -> Scores:
    return dict.fromkeys(named, ONE)


def shared_points(tiers: Any, points: list[Fraction]) -> Scores:
    """Tied items share the points of the places that they take."""
    given = {}
    first = 0
    for tier in tiers:
        worth = sum(points[first : first + len(tier)], ZERO)
        given |= dict.fromkeys(tier, worth / len(tier))
        first += len(tier)
    return given


def borda_points(tiers: Any, items: tuple[str, ...]) -> Scores:
    """One point for each item ranked below; items that are not ranked share the end."""
    named = {item for tier in tiers for item in tier}
    unranked = tuple(item for item in items if item not in named)
    points = [Fraction(len(items) - 1 - place) for place in range(len(items))]
    return shared_points([*tiers, unranked] if unranked else tiers, points)


def borda_points_of_approvals(named: Any, items: tuple[str, ...]) -> Scores:
    return borda_points([named] if named else [], items)


def points_5_3_1(tiers: Any, items: tuple[str, ...]) -> Scores:
    """Points of the first three places; items that are not ranked have none."""
    return shared_points(tiers, [Fraction(5), Fraction(3), ONE, *[ZERO] * len(items)])


def result_points(win: Fraction, draw: Fraction, loss: Fraction) -> Points:
    points_of_sides = {"left": (win, loss), "right": (loss, win), "tie": (draw, draw)}

    def points(battle: Any, items: tuple[str, ...]) -> Scores:
        left, right, winner = battle
        of_left, of_right = points_of_sides[winner]
        return {left: of_left, right: of_right}

    return points


def values(content: Any, items: tuple[str, ...]) -> Scores:
    """The values of a row of scores, or of one rating."""
    pairs = content.items() if isinstance(content, dict) else [content]
    return {item: Fraction(value) for item, value in pairs if value is not None}


def row_ranks(content: Any, items: tuple[str, ...]) -> Scores:
    """Minus the rank within the row; equal values share the middle of their ranks."""
    row = values(content, items)
    ranks = {}
    for item, value in row.items():
        above = sum(other > value for other in row.values())
        tied = sum(other == value for other in row.values()) - 1
        ranks[item] = -(1 + above + HALF * tied)
    return ranks


def row_wins(content: Any, items: tuple[str, ...]) -> Scores:
    """The share of the row's other items that each beats; one item compares nothing."""
    ranks = row_ranks(content, items)
    others = len(ranks) - 1
    if not others:
        return {}
    return {item: (others + 1 + rank) / others for item, rank in ranks.items()}


# Scores: how points add up.


def total(points: Points) -> Score:
    def score(case: Case) -> Scores:
        totals = dict.fromkeys(case.items, ZERO)
        for content, weight in weighted_rows(case):
            for item, given in points(content, case.items).items():
                totals[item] += weight * given
        return totals

    return score


def mean_over_all_rows(points: Points) -> Score:
    def score(case: Case) -> Scores | None:
        size = sum(weight for _, weight in weighted_rows(case))
        if not size:
            return None
        totals = total(points)(case) or {}
        return {item: sum_of_points / size for item, sum_of_points in totals.items()}

    return score


class Last(Fraction):
    """The score of an item without data: some number less than all values."""


def mean_over_rows_of_item(
    points: Points, *, shrinkage: int = 0, empty: int | None = None
) -> Score:
    """The total over the weight of the rows that say something of the item."""

    def score(case: Case) -> Scores | None:
        totals = total(points)(case) or {}
        sizes = dict.fromkeys(case.items, Fraction(shrinkage))
        for content, weight in weighted_rows(case):
            for item in points(content, case.items):
                sizes[item] += weight
        if not any(sizes.values()):
            return None
        return {
            item: totals[item] / sizes[item] if sizes[item] else last(case)
            for item in case.items
        }

    def last(case: Case) -> Fraction:
        if empty is not None:
            return Fraction(empty)
        given = (points(row.content, case.items) for row in case.before or case.rows)
        lowest = min(value for each in given for value in each.values())
        return Last(lowest - max(ONE, abs(lowest)))

    return score


def mean_of_middle(trimmed_at_each_end: Callable[[int], int]) -> Score:
    """The mean of each column without its smallest and largest values."""

    def score(case: Case) -> Scores | None:
        scores = {}
        for item in case.items:
            rows = [values(content, case.items) for content, _ in weighted_rows(case)]
            column = sorted(row[item] for row in rows if item in row)
            if not column:
                return None
            trimmed = trimmed_at_each_end(len(column))
            middle = column[trimmed : len(column) - trimmed]
            scores[item] = sum(middle, ZERO) / len(middle)
        return scores

    return score


def all_but_middle(n_values: int) -> int:
    return (n_values - 1) // 2


def one_fifth(n_values: int) -> int:
    return n_values // 5


# Elections and pairs.


def instant_runoff(case: Case) -> Scores | None:
    """The round that an item reaches; all items with the fewest votes are eliminated."""
    if not any(weight for _, weight in weighted_rows(case)):
        return None
    scores = {}
    staying = set(case.items)
    round_number = 0
    while staying:
        round_number += 1
        votes = dict.fromkeys(staying, ZERO)
        for tiers, weight in weighted_rows(case):
            staying_tiers = [
                [item for item in tier if item in staying] for tier in tiers
            ]
            best = next((tier for tier in staying_tiers if tier), [])
            for item in best:
                votes[item] += weight / len(best)
        scores |= dict.fromkeys(staying, Fraction(round_number))
        fewest = min(votes.values())
        staying = {item for item in staying if votes[item] > fewest}
    return scores


def places_in_row(case: Case, content: Any) -> dict[str, int]:
    """The place of each item that a row compares: smaller is better."""
    if case.kind == "battles":
        left, right, winner = content
        return {left: int(winner == "right"), right: int(winner == "left")}
    tiers = [content] if case.kind == "approvals" else content
    places = dict.fromkeys(case.items, len(tiers))
    for place, tier in enumerate(tiers):
        places |= dict.fromkeys(tier, place)
    return places


def pair_margins(case: Case) -> dict[str, dict[str, Fraction]]:
    """Weight of the rows with one item ahead of the other, minus the reverse."""
    items = case.items
    margins = {one: {o: ZERO for o in items if o != one} for one in items}
    for content, weight in weighted_rows(case):
        places = places_in_row(case, content)
        for one, place in places.items():
            for other, other_place in places.items():
                if place < other_place:
                    margins[one][other] += weight
                    margins[other][one] -= weight
    return margins


def copeland(case: Case) -> Scores | None:
    """Pairs won, and half of those tied."""
    if not any(weight for _, weight in weighted_rows(case)):
        return None
    scores = {}
    for item, margins in pair_margins(case).items():
        won = sum(margin > 0 for margin in margins.values())
        tied = sum(margin == 0 for margin in margins.values())
        scores[item] = won + HALF * tied
    return scores


def condorcet(case: Case) -> Scores | None:
    """The smallest pair margin, as a share of all weight."""
    size = sum((weight for _, weight in weighted_rows(case)), ZERO)
    if not size:
        return None
    margins = pair_margins(case)
    return {item: min(margins[item].values(), default=size) / size for item in margins}


# Fits, in floats.


def rounded(case: Case, scores: Any, digits: int = 9) -> Scores:
    pairs = zip(case.items, scores, strict=True)
    return {item: Fraction(str(round(float(score), digits))) for item, score in pairs}


SHARE_OF_LEFT = {"left": 1.0, "right": 0.0, "tie": 0.5}


def elo(case: Case) -> Scores:
    """Ratings from 1000 on, in the order of rows, with steps of at most 4 points."""
    ratings = dict.fromkeys(case.items, 1000.0)
    for (left, right, winner), weight in weighted_rows(case):
        expected = 1 / (1 + 10 ** ((ratings[right] - ratings[left]) / 400))
        step = 4.0 * float(weight) * (SHARE_OF_LEFT[winner] - expected)
        ratings[left] += step
        ratings[right] -= step
    return rounded(case, [ratings[item] for item in case.items], digits=6)


def bradley_terry(ridge: float) -> Score:
    """Newton's method on the log likelihood less ridge/2 |scores|^2."""

    def score(case: Case) -> Scores | None:
        place = {item: number for number, item in enumerate(case.items)}
        n_items = len(place)
        wins = np.zeros((n_items, n_items))
        for (left, right, winner), weight in weighted_rows(case):
            won = SHARE_OF_LEFT[winner]
            wins[place[left], place[right]] += won * float(weight)
            wins[place[right], place[left]] += (1 - won) * float(weight)
        beats = np.eye(n_items) + (wins > 0)
        connected = np.linalg.matrix_power(beats, n_items) > 0
        if not ridge and not connected.all():
            return None  # some items won or lost everything against the others
        met = wins + wins.T
        scores = np.zeros(n_items)
        for _ in range(200):
            chance = 1 / (1 + np.exp(scores[np.newaxis] - scores[:, np.newaxis]))
            slope = (wins - met * chance).sum(axis=1) - ridge * scores
            bend = met * chance * (1 - chance)
            fixed_mean = 0 if ridge else 1 / n_items
            hessian = np.diag(bend.sum(axis=1) + ridge) - bend + fixed_mean
            step = np.linalg.solve(hessian, slope)
            scores += step / max(1.0, np.abs(step).max())
        return rounded(case, scores - scores.mean())

    return score


def least_squares(
    *, penalty: float = 0.0, radius: float = math.inf, unique: bool = False
) -> Score:
    """Absolute coefficients, with the smallest penalty at which they fit the radius."""

    def score(case: Case) -> Scores | None:
        contents = [row.content for row in case.rows]
        if not contents:
            return None
        x = np.array([[float(value) for value in features] for features, _ in contents])
        y = np.array([float(response) for _, response in contents])
        if unique and np.linalg.matrix_rank(x) < x.shape[1]:
            return None

        def coefficients(penalty: float) -> Any:
            padded = np.vstack([x, math.sqrt(penalty) * np.eye(x.shape[1])])
            response = np.append(y, np.zeros(x.shape[1]))
            return np.linalg.lstsq(padded, response, rcond=1e-10)[0]

        if np.linalg.norm(coefficients(penalty)) <= radius:
            return rounded(case, np.abs(coefficients(penalty)))
        low, high = penalty, 1e9
        for _ in range(100):
            middle = (low + high) / 2
            if np.linalg.norm(coefficients(middle)) > radius:
                low = middle
            else:
                high = middle
        return rounded(case, np.abs(coefficients(high)))

    return score


@dataclass(frozen=True)
class Contract:
    """A scorer with its settings, the kinds it takes, and its scores from raw rows."""

    scorer: str
    kinds: tuple[str, ...]
    score: Score
    weights: bool = True
    counts: bool = True
    digits: float = 1e-12  # agreement, relative to the largest score
    fitted: bool = False  # near-ties are up to the solver
    ordered: bool = False  # the order of rows matters

    @property
    def name(self) -> str:
        return self.scorer.partition(":")[0]


def fitted(scorer: str, kind: str, score: Score, **differs: Any) -> Contract:
    return Contract(scorer, (kind,), score, digits=2e-9, fitted=True, **differs)


WIN_LOSS = result_points(ONE, HALF, ZERO)
PAIRED = ("ballots", "approvals", "battles")
LOWEST = -2 * 10**12  # below every value that is drawn

CONTRACTS = (
    Contract("plurality", ("votes",), mean_over_all_rows(one_vote)),
    Contract("plurality", ("ballots",), mean_over_all_rows(first_tier)),
    Contract("approval", ("approvals",), mean_over_all_rows(approved)),
    Contract("borda", ("ballots",), mean_over_all_rows(borda_points)),
    Contract("borda", ("approvals",), mean_over_all_rows(borda_points_of_approvals)),
    Contract(
        "points:win=3,draw=1",
        ("battles",),
        total(result_points(Fraction(3), ONE, ZERO)),
    ),
    Contract("points:5,3,1", ("ballots",), total(points_5_3_1)),
    Contract("instant-runoff", ("ballots",), instant_runoff),
    Contract("copeland", PAIRED, copeland),
    Contract("condorcet", PAIRED, condorcet),
    Contract(
        "mean:shrinkage=1", ("ratings",), mean_over_rows_of_item(values, shrinkage=1)
    ),
    Contract("mean", ("ratings", "scores"), mean_over_rows_of_item(values)),
    Contract(
        f"mean:empty={LOWEST}",
        ("ratings",),
        mean_over_rows_of_item(values, empty=LOWEST),
    ),
    Contract("win-rate", ("battles",), mean_over_rows_of_item(WIN_LOSS)),
    Contract(
        "win-rate:empty=-1", ("battles",), mean_over_rows_of_item(WIN_LOSS, empty=-1)
    ),
    Contract("mean-rank", ("scores",), mean_over_rows_of_item(row_ranks)),
    Contract("mean-win-rate", ("scores",), mean_over_rows_of_item(row_wins)),
    Contract("median", ("scores",), mean_of_middle(all_but_middle), weights=False),
    Contract(
        "trimmed-mean:share=0.2", ("scores",), mean_of_middle(one_fifth), weights=False
    ),
    fitted("elo", "battles", elo, counts=False, ordered=True),
    fitted("bradley-terry:ridge=0.5", "battles", bradley_terry(0.5)),
    fitted("bradley-terry", "battles", bradley_terry(0.0)),
    fitted("ridge:penalty=2", "regression", least_squares(penalty=2.0)),
    fitted("ordinary-least-squares", "regression", least_squares(unique=True)),
    fitted("constrained-least-squares", "regression", least_squares(radius=1.0)),
)
"""Every registered scorer; a test compares the names with the registry."""
