"""Sums of values of any size, item by item, against fractions: nothing is lost beside a huge value."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from engine_makers import relation, scan_ratings
from steadyrank import Ratings, ScoreMatrix, Study, Votes
from steadyrank.errors import InvalidDataError, InvalidSettingError, SteadyrankError
from steadyrank.report.export import to_json
from steadyrank.report.text import plain_text
from steadyrank.scorers import Mean
from steadyrank.scorers.sensitivity import root_rounded_up

LARGEST = float(np.finfo(np.float64).max)


def column(rng, rows):
    """Return values of one item: decimals, any floats, or floats at an end of their range."""
    how = rng.integers(0, 6)
    if how == 0:
        return rng.integers(-3, 4, rows).astype(float)
    if how == 1:
        return rng.integers(0, 1000, rows) / 10.0 ** rng.integers(0, 4)
    if how == 2:
        return rng.normal(size=rows)
    if how == 3:
        return rng.normal(size=rows) * 10.0 ** rng.uniform(-110, 118)
    if how == 4:
        return (
            rng.choice([1, -1], rows) * 9e119 * rng.choice([1, 0.5, 1 / 3, 1e-15], rows)
        )
    return rng.integers(0, 9, rows) * 1e-118 * 2.0 ** rng.integers(0, 60)


def matrix(rng):
    rows, items = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    values = np.stack([column(rng, rows) for _ in range(items)], axis=1)
    if items > 1 and rng.random() < 0.5:
        values[:, -1] = rng.permutation(values[:, 0])  # a tie
    return values


def meant(values, addends):
    """Return what the values of one item are taken for: decimals of a few places, or any floats."""
    places = max(-min(Decimal(repr(value)).as_tuple().exponent, 0) for value in values)
    top = max(map(abs, values))
    if places <= 6 and Fraction(top) * 10**places * max(addends, 4) < 2**53:
        return [Fraction(repr(value)) for value in values]
    return [Fraction(value) for value in values]


def near(found, exact, top, count):
    """Tell whether a score is a fraction, to the last bit of sum and quotient; a split may drop some."""
    size = math.copysign(LARGEST, exact) if abs(exact) >= LARGEST else float(exact)
    slack = Fraction(top) * Fraction(count**2, 2**100)
    return abs(Fraction(found) - exact) <= 2 * Fraction(math.ulp(size)) + slack


def all_rows(out):
    return np.concatenate([block.dense(out.scores) for block in out.blocks()])


def test_one_huge_value_leaves_the_other_columns_as_they_are():
    values = [[3.4e38, 0.31, 0.72], [1, 0.33, 0.71], [2, 0.35, 0.77]]
    np.testing.assert_array_equal(
        Mean().score(ScoreMatrix(values))[1:], [0.33, 220 / 300]
    )
    ratings = Ratings(
        [0, 1, 2] * 3, np.repeat([0, 1, 2], 3), np.transpose(values).ravel()
    )
    np.testing.assert_array_equal(Mean(1.0).score(ratings)[1:], [0.99 / 4, 0.55])


def test_column_means_and_those_without_each_row_are_the_fractions(cases):
    for rng in cases(120):
        values = matrix(rng)
        out = Mean().leave_one_out(ScoreMatrix(values))
        without = all_rows(out)
        for item, column_values in enumerate(values.T.tolist()):
            given, top, n = (
                meant(column_values, len(values)),
                max(map(abs, column_values)),
                len(values),
            )
            assert near(out.scores[item], sum(given) / n, top, n)
            alone = Mean().score(ScoreMatrix(values[:, [item]]))
            np.testing.assert_array_equal(
                alone, out.scores[[item]]
            )  # whatever other columns hold
            for row in range(len(values)):
                assert near(
                    without[row, item], (sum(given) - given[row]) / (n - 1), top, n
                )
        tied = [
            item
            for item in range(values.shape[1])
            if sorted(values.T[item]) == sorted(values.T[0])
        ]
        assert len(set(out.scores[tied])) == 1


def exact_length(first, second):
    squares = [
        (Fraction(one) - Fraction(two)) ** 2
        for one, two in zip(first, second, strict=True)
    ]
    return root_of(sum(squares))


def root_of(square):
    """Return the root of a fraction as a fraction, to about 60 digits."""
    scale = 10**700
    return Fraction(math.isqrt(int(square * scale * scale)), scale)


@pytest.mark.parametrize("kind", ["matrix", "ratings"])
def test_shifts_are_the_lengths_of_the_moves(cases, kind):
    for rng in cases(80):
        values = matrix(rng)
        rows = len(values)
        data = ScoreMatrix(values)
        if kind == "ratings":
            user, item = (place.ravel() for place in np.indices(values.shape))
            data = Ratings(user, item, values.ravel())
        shrinkage = Fraction(kind == "ratings")
        sums = [meant(given, rows) for given in values.T.tolist()]
        full = [sum(given) / (rows + shrinkage) for given in sums]
        expected = [
            exact_length(
                full, [(sum(g) - g[row]) / (rows - 1 + shrinkage) for g in sums]
            )
            for row in range(rows)
        ]
        found = Study(data).facts.shifts
        # Two near scores are subtracted, item by item; one whose values are all the same never moves.
        moving = [
            max(map(abs, given)) for given in values.T.tolist() if len(set(given)) > 1
        ]
        rounding = sum(map(Fraction, moving), Fraction(0)) * Fraction(1, 2**50)
        for shift, exact in zip(found.tolist(), expected, strict=True):
            assert abs(Fraction(shift) - exact) <= exact / 10**9 + rounding + Fraction(
                5e-323
            )


def finite(found):
    """Tell whether a document holds no number that is not finite."""
    if isinstance(found, dict):
        return all(map(finite, found.values()))
    if isinstance(found, list | tuple):
        return all(map(finite, found))
    return not isinstance(found, float) or math.isfinite(found)


def test_studies_near_the_largest_float_answer_or_refuse_by_name(cases):
    """No warning (they are errors here), no infinity, nothing but errors of our own."""
    answered = 0
    for rng in cases(60):
        values = matrix(rng)
        if rng.random() < 0.5:
            values = np.where(
                rng.random(values.shape) < 0.5, -LARGEST, LARGEST * rng.choice([1, 0.1])
            )
        data, scorer = ScoreMatrix(values), Mean()
        if rng.random() < 0.5:
            scorer = Mean(
                value_range=(-LARGEST / 4, LARGEST / 4) if rng.random() < 0.5 else None
            )
        k = int(rng.integers(1, data.n_items + 1))
        try:
            answer = Study(data, scorer).topk(k)
            documents = [answer.findings(), Study(data, scorer).audit(k).findings()]
            documents.append(Study(data, scorer).ranking().findings())
        except SteadyrankError:
            continue
        answered += 1
        assert all(map(finite, documents))
        for document in documents:
            to_json(document)
            plain_text(document)
    assert answered


def test_engines_add_up_decimals_like_memory_and_refuse_the_rest(cases):
    pytest.importorskip("duckdb")
    for rng in cases(4):
        places = rng.integers(0, 7, 9)
        values = np.round(rng.normal(size=(6, 9)) * 10.0 ** rng.integers(0, 3, 9), 6)
        values = np.stack([np.round(values[:, n], places[n]) for n in range(9)], axis=1)
        if rng.random() < 0.5:
            values[:, -1] = column(rng, 6)
        user, item = (place.ravel() for place in np.indices(values.shape))
        kept = rng.permutation(len(user))[: -int(rng.integers(0, 20)) or None]
        columns = {
            "user": user[kept],
            "item": item[kept],
            "rating": values.ravel()[kept],
        }
        loaded = Ratings(*columns.values())
        if not loaded.entries.form.whole:
            with pytest.raises(InvalidDataError, match="at most 6 decimal places"):
                scan_ratings(relation(columns))
            continue
        scanned = scan_ratings(relation(columns), batch_rows=7)
        one, two = (Study(data, Mean(shrinkage=0.5)) for data in (loaded, scanned))
        np.testing.assert_array_equal(one.scores, two.scores)
        out, theirs = one.facts.leave_one_out, two.facts.leave_one_out
        np.testing.assert_array_equal(all_rows(out), all_rows(theirs))
        np.testing.assert_array_equal(out.bounds(), theirs.bounds())
        np.testing.assert_allclose(out.shifts(), theirs.shifts(), rtol=1e-9)


def test_roots_are_rounded_up_at_every_size(cases):
    for rng in cases(120):
        square = Fraction(int(rng.integers(1, 2**40)), int(rng.integers(1, 2**40)))
        square *= Fraction(10) ** int(rng.integers(-640, 612))
        root = root_rounded_up(square)
        assert Fraction(root) ** 2 >= square
        assert Fraction(math.nextafter(root, 0.0)) ** 2 < square


def test_a_bound_that_no_float_holds_is_refused():
    data = ScoreMatrix(np.zeros((2, 9)))
    with pytest.raises(InvalidSettingError, match="largest float"):
        Mean(value_range=(-LARGEST, LARGEST / 2))
    with pytest.raises(InvalidSettingError, match="largest float"):
        Mean(value_range=(0, LARGEST)).sensitivity(data)
    votes = Votes(["x", "y"])
    assert Study(votes).topk(1, proved=True).eps > 0


@pytest.mark.parametrize("shrinkage", [1e300, LARGEST, 2.0**54])
def test_a_shrinkage_beyond_all_counts_is_refused(shrinkage):
    with pytest.raises(SteadyrankError, match="shrinkage"):
        Mean(shrinkage=shrinkage)
