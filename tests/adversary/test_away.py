"""How far each item is from rank k, found for all items together: every set of units says no less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adversary.test_mixtures import ALL_UNITS, KINDS, Draw, studied
from steadyrank import Ballots, Battles, Elo, Ratings, ScoreMatrix, Study, Votes
from steadyrank.margins import ratios, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_away_is_no_more_than_raw_rows_say(kind: Any, cases: Cases) -> None:
    """It is 1 exactly where a single unit moves the item across the border."""
    asked = 0
    for rng in cases(40):
        mixture = kind(Draw(rng))
        study = studied(mixture)
        if study is None:
            continue
        raw, k = mixture.raw, int(rng.integers(1, mixture.raw.items))
        top, away = frozenset((raw.order() or ())[:k]), study.topk(k).away
        assert away is not None
        for item in range(raw.items):
            fewest = raw.fewest(
                lambda o, k=k, i=item, top=top: (i in o[:k]) != (i in top), ALL_UNITS
            )
            asked += 1
            assert fewest is None or away[item] <= fewest, (mixture.told, k, item)
            assert (away[item] == 1) == (fewest == 1), (mixture.told, k, item)
    assert asked > 20


def sparse_ratings(rng: np.random.Generator) -> Study:
    users, items = np.nonzero(rng.random((60, 7)) < rng.choice([0.4, 0.8]))
    units = None
    if rng.random() < 0.3:
        units = rng.integers(0, 40, 60)[users]
    given = np.clip(np.rint(rng.normal(3 + items / 6, 1.2)), 1, 5)
    return Study(Ratings(users, items, given, items=range(7), units=units))


def borda(rng: np.random.Generator) -> Study:
    worth = np.arange(6) * 0.3
    orders = [
        np.argsort(-(worth + rng.gumbel(size=6)))[: rng.integers(1, 7)].tolist()
        for _ in range(50)
    ]
    return Study(Ballots(orders, items=range(6)))


def gaps(rng: np.random.Generator) -> Study:
    values = np.round(rng.normal(np.arange(6) / 3, 1, (50, 6)), 1)
    values[rng.random(values.shape) < 0.3] = np.nan
    return Study(ScoreMatrix(values, missing="available"))


def rows(rng: np.random.Generator) -> Study:
    return Study(ScoreMatrix(np.round(rng.normal(np.arange(6) / 3, 1, (50, 6)), 1)))


def votes(rng: np.random.Generator) -> Study:
    return Study(
        Votes(rng.choice(5, 60, p=[0.4, 0.25, 0.2, 0.1, 0.05]), items=range(5))
    )


@pytest.mark.parametrize("make", [sparse_ratings, borda, gaps, rows, votes])
def test_away_is_between_one_and_what_is_seen(
    make: Callable[..., Study], cases: Cases
) -> None:
    """Larger data: units that are seen to move an item are no fewer, and contenders are 1 away."""
    for rng in cases(3):
        study = make(rng)
        k = int(rng.integers(1, len(study.items)))
        answer = study.topk(k)
        assert answer.away is not None
        for place, item in enumerate(study.items):
            found = study.margin(k, item=item)
            assert found.upper is None or answer.away[place] <= found.upper
            assert answer.away[place] >= min(answer.margin.lower, 2)
            assert (
                (answer.away[place] == 1)
                == (found.lower == 1)
                == (item in answer.contenders)
            )


@pytest.mark.parametrize("make", [sparse_ratings, borda, gaps, rows, votes])
def test_bounds_of_pairs_at_once_are_those_of_pairs_one_by_one(
    make: Callable[..., Study], cases: Cases
) -> None:
    """None is beyond the best number for a pair, and sums reach it."""
    for rng in cases(4):
        study = make(rng)
        known, order = study.facts.margin_search().pairs, study.facts.order
        first, second = np.triu_indices(len(order), 1)
        pairs = list(zip(order[first].tolist(), order[second].tolist(), strict=True))
        best = np.array(known.fewest(pairs))
        quick = known.at_least(order[first], order[second])
        close = known.at_least(order[first], order[second], closely=True)
        assert (quick <= close).all()
        assert (close <= best).all()
        if make in (borda, rows, votes):
            assert (close == best).all()
        else:
            assert close.sum() > 0.7 * best.sum()


def test_little_work_gives_an_interval(
    monkeypatch: pytest.MonkeyPatch, cases: Cases
) -> None:
    """Where the splits of units are not all tried, fewer units are certified and no more are seen."""
    for rng in cases(4):
        study = gaps(rng)
        exact = study.margin(2)
        monkeypatch.setattr(ratios, "WORK", 1)
        bounded = Study(study.data).margin(2)
        monkeypatch.undo()
        assert exact.lower == exact.upper
        assert bounded.lower <= exact.lower <= (bounded.upper or exact.lower)


@pytest.mark.parametrize("make", [sparse_ratings, borda, gaps, rows, votes])
def test_of_many_items_fewer_units_may_be_certified_and_never_more(
    make: Callable[..., Study], monkeypatch: pytest.MonkeyPatch, cases: Cases
) -> None:
    for rng in cases(3):
        study = make(rng)
        k = int(rng.integers(1, len(study.items)))
        closely = study.topk(k).away
        monkeypatch.setattr(search, "CLOSELY", (0, 0))
        found = Study(study.data).topk(k).away
        monkeypatch.undo()
        assert closely is not None
        assert found is not None
        assert (found <= closely).all()
        assert ((found == 1) == (closely == 1)).all()


def test_where_pairs_are_too_many_the_margin_is_the_bound(
    monkeypatch: pytest.MonkeyPatch, cases: Cases
) -> None:
    for rng in cases(3):
        study = borda(rng)
        answer = study.topk(2)
        monkeypatch.setattr(search, "MOST_PAIRS", 1)
        moves = np.isin(np.array(study.items), np.array(answer.contenders))
        found = study.facts.margin_search().away(2, moves, answer.margin.lower)
        monkeypatch.undo()
        assert (found == np.where(moves, 1, max(2, answer.margin.lower))).all()
        assert (found <= answer.away).all()


def played(battles: list[tuple[int, int, float]], k: float) -> list[float]:
    """Play matches in their order: (left, right, points of the left)."""
    ratings = [1000.0] * 3
    for left, right, points in battles:
        chance = 1 / (1 + 10 ** ((ratings[right] - ratings[left]) / 400))
        ratings[left] += k * (points - chance)
        ratings[right] -= k * (points - chance)
    return ratings


def test_the_rest_of_a_margin_is_what_was_seen(cases: Cases) -> None:
    """Elo has units of its own, each battle in its place: the margin hands out what is left."""
    seen = merged = 0
    for rng in cases(30):
        left = rng.integers(0, 3, 12)
        right, points = (left + rng.integers(1, 3, 12)) % 3, rng.integers(0, 3, 12) / 2
        said = np.array(["right", "tie", "left"])[(2 * points).astype(int)]
        data, scorer = Battles(left, right, said, items=range(3)), Elo(k=60.0)
        found = Study(data, scorer).margin(1)
        if found.upper is None:
            continue
        every = list(zip(left.tolist(), right.tolist(), points.tolist(), strict=True))
        ratings = played(
            [match for row, match in enumerate(every) if row not in found.units], 60.0
        )
        assert scorer.score(found.rest) == pytest.approx(ratings, abs=1e-6)
        assert scorer.score(data.without(found.units)) == pytest.approx(
            ratings, abs=1e-6
        )
        assert found.rest.n_units == 12 - found.upper
        assert np.argmax(ratings) in found.enters
        seen, merged = seen + 1, merged + (len(data.units) < 12)
    assert min(seen, merged) > 5
