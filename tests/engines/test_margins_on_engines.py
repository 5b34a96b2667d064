"""How many must leave, asked of data in an engine: the same answers as in memory, from a few passes."""

from __future__ import annotations

import numpy as np
import pytest

from engine_makers import in_batches, maker, relation, scan_ratings
from steadyrank import Mean, Ratings, SteadyrankError, Study, Votes, read
from steadyrank.errors import EngineError, InvalidSettingError
from steadyrank.margins import sums
from steadyrank.scorers.sums import scores_without

SCALES = {
    "stars": lambda rng, size: rng.integers(1, 4, size),
    "half stars": lambda rng, size: rng.integers(2, 8, size) / 2,
    "single": lambda rng, size: (rng.integers(10, 15, size) / 10).astype(np.float32),
    "cents": lambda rng, size: rng.integers(100, 500, size) / 100,
    "huge": lambda rng, size: np.where(
        rng.random(size) < 0.1, 1e12 / 8, rng.integers(1, 30, size) / 10
    ),
}


def ratings(rng, scale, *, users=9, items=5):
    """Return columns of ratings in no order."""
    user, item = np.nonzero(rng.random((users, items)) < 0.6)
    order = rng.permutation(len(user))
    return {
        "user": user[order] * 3,
        "item": item[order],
        "rating": SCALES[scale](rng, len(user)),
    }


def matrix(rng, scale, *, gaps):
    row, item = (column.ravel() for column in np.indices((9, 4)))
    score = np.round(SCALES[scale](rng, len(row)).astype(float), 2)
    columns = {"row": row, "item": item, "score": score}
    kept = rng.permutation(len(row))[: 27 if gaps else None]
    return {name: column[kept] for name, column in columns.items()}


def answers(data, scorer=None, *, all_items=False):
    """Return what questions about a few items come to, or how they are refused."""
    found = []
    try:
        study = Study(data, scorer)
        order = [study.items[item] for item in np.argsort(-study.scores, kind="stable")]
        asked = [
            {},
            {"pair": (order[1], order[0])},
            {"k": 2},
            {"k": 2, "item": order[2]},
        ]
        if all_items:
            asked += [{"k": k} for k in range(1, len(order) + 1)] + [
                {"pair": (order[0], order[-1])}
            ]
            asked += [{"k": 2, "item": item} for item in order]
        for question in asked:
            told = study.margin(**question)
            found.append(
                (question, told.lower, told.upper, told.units, told.leaves,
                 told.enters, told.pair, told.rule, told.sentence)
            )  # fmt: skip
    except SteadyrankError as error:
        found.append((type(error), str(error)))
    return found


def both_ratings(make, columns):
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    return scan_ratings(make(columns), batch_rows=7), loaded


def both_scores(make, columns):
    said = {"unit": "row", "item": "item", "score": "score"}
    return in_batches(read(make(columns), **said), 11), read(columns, **said)


@pytest.mark.parametrize("scale", SCALES)
def test_every_margin_of_ratings(scale):
    for seed in range(2 if "stars" in scale else 1):
        rng = np.random.default_rng([seed, 1])
        columns = ratings(rng, scale)
        scorer = Mean(float(rng.choice([0, 0.1, 1])))
        scanned, loaded = both_ratings(relation, columns)
        every = scale != "huge"  # of which each look takes several passes
        assert answers(scanned, scorer, all_items=every) == answers(
            loaded, scorer, all_items=every
        )


@pytest.mark.parametrize(
    ("scale", "gaps"),
    [("half stars", True), ("half stars", False), ("cents", False), ("cents", True)],
)
def test_every_margin_of_scores(scale, gaps):
    columns = matrix(np.random.default_rng(2), scale, gaps=gaps)
    scanned, loaded = both_scores(relation, columns)
    assert answers(scanned, all_items=True) == answers(loaded, all_items=True)


@pytest.mark.spark
def test_margins_on_spark(spark_session):
    make, rng = maker("spark", spark_session), np.random.default_rng(3)
    for scanned, loaded in (
        both_ratings(make, ratings(rng, "half stars")),
        both_scores(make, matrix(rng, "cents", gaps=True)),
    ):
        mine, other = (Study(data).margin(2) for data in (scanned, loaded))
        assert (mine.lower, mine.upper, mine.units, mine.pair, mine.leaves, mine.enters) == (
            other.lower, other.upper, other.units, other.pair, other.leaves, other.enters
        )  # fmt: skip


def test_margins_of_counted_votes(lazily_here):
    choices = np.random.default_rng(0).choice(["ann", "bob", "cyd"], 40).astype(object)
    assert answers(read(lazily_here({"vote": choices}), choice="vote")) == answers(
        Votes(choices)
    )


@pytest.mark.parametrize("scale", SCALES)
def test_scores_without_units_are_those_of_memory(scale):
    """To the last bit, whatever form the values have once the odd ones are gone."""
    rng = np.random.default_rng(4)
    pairs = [both_ratings(relation, ratings(rng, scale))]
    for gaps in (False, True):
        pairs.append(both_scores(relation, matrix(rng, scale, gaps=gaps)))
    for scanned, loaded in pairs:
        for size in (1, 2, len(loaded.units) - 1):
            gone = rng.permutation(len(loaded.units))[:size].tolist()
            mine, other = (Study(data.without(gone)) for data in (scanned, loaded))
            try:
                expected = other.scores
            except SteadyrankError as error:
                with pytest.raises(type(error)):
                    _ = mine.scores
                continue
            np.testing.assert_array_equal(mine.scores, expected)
            assert list(mine.units.labels) == list(other.units.labels)
            found = _known_without(Study(scanned), gone)
            carried = other.data.item_counts > 0  # others are last, by any score
            if found is not None:
                np.testing.assert_array_equal(found[carried], expected[carried])
                if not carried.all():
                    assert found[~carried].max() < found[carried].min()


def _known_without(study, gone):
    try:
        out = study.facts.leave_one_out
    except SteadyrankError:  # a unit has all values of an item
        return None
    return scores_without(out, np.bincount(gone, minlength=len(study.units)))


def close_ratings(items, users=60):
    """Return ratings of many items, all of them close, by all users but some."""
    rng = np.random.default_rng(items)
    user, item = np.nonzero(rng.random((users, items)) < 0.8)
    return {"user": user, "item": item, "rating": rng.integers(3, 6, len(user))}


class Passes:
    """Counts what an engine is asked for during one question."""

    def __init__(self, data, monkeypatch):
        self.steps, self.items = [], []
        collect, values_of = data.entries.source.collect, data.entries.values_of

        def spied(frame, step):
            columns = collect(frame, step)
            self.steps.append((step, len(next(iter(columns.values())))))
            return columns

        def noted(items):
            self.items.append(items)
            return values_of(items)

        monkeypatch.setattr(data.entries.source, "collect", spied)
        monkeypatch.setattr(data.entries, "values_of", noted)


def test_a_margin_takes_few_passes_however_many_pairs_there_are(
    lazily_here, monkeypatch
):
    numbers = set()
    for items in (12, 24, 48):
        data = scan_ratings(lazily_here(close_ratings(items)))
        study = Study(data)
        _ = study.facts.leave_one_out
        seen = Passes(data, monkeypatch)
        k = items // 2
        # The search itself: a margin of 1 is known from the standings, before any pair is looked at.
        search, order = (
            study.facts.margin_search(),
            np.argsort(-study.scores, kind="stable"),
        )
        found = search.topk(k)
        assert found.lower == found.upper
        numbers.add(len(seen.steps))
        limit = search.fewest([(int(order[k - 1]), int(order[k]))])[0]
        inside, outside = (part.ravel() for part in np.meshgrid(order[:k], order[k:]))
        near = search.pairs.at_least(inside, outside) <= limit
        needed = set(inside[near].tolist()) | set(outside[near].tolist())
        assert near.sum() >= items // 3  # there are more and more pairs to look at
        assert set(np.concatenate(seen.items).tolist()) <= needed
        fetched = sum(
            rows for step, rows in seen.steps if step.startswith("ratings of")
        )
        assert fetched == sum(
            int(data.entries.counts[some].sum()) for some in seen.items
        )
    assert (
        max(numbers) <= 3
    )  # two items for a limit, those within it, what the units gave that left


def test_little_room_gives_the_same_answers(monkeypatch):
    columns = close_ratings(10, users=20)
    plenty = answers(scan_ratings(relation(columns)))
    monkeypatch.setattr(sums, "HELD", 25)
    assert answers(scan_ratings(relation(columns))) == plenty


def test_a_failing_engine_is_no_answer(monkeypatch):
    data = scan_ratings(relation(ratings(np.random.default_rng(5), "cents")))
    study = Study(data)
    _ = study.facts.margin_search().fewest([(0, 1)])

    def broken(*_):
        raise EngineError("out of reach")

    for name in ("given_by", "of_units"):
        monkeypatch.setattr(type(data.entries), name, broken)
    with pytest.raises(EngineError, match="out of reach"):
        study.margin(pair=(0, 1))


def test_the_range_of_values_is_that_of_the_units_that_stay(lazily_here):
    columns = {
        "user": [1, 1, 2, 3, 3],
        "item": ["a", "b", "a", "a", "b"],
        "rating": [1, 2, 3, 9, 9],
    }
    scorer = Mean(1.0, value_range=(1, 5))
    for data in both_ratings(lazily_here, columns):
        with pytest.raises(InvalidSettingError, match="go from 1 to 9"):
            scorer.score(data)
        assert scorer.score(data.without(2)).tolist() == [4 / 3, 1.0]
