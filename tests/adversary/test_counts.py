"""Counts of any size: the exact answer of Python's whole numbers, or a refusal that names the total."""

from __future__ import annotations

import io
from fractions import Fraction

import numpy as np
import pytest

from engine_makers import relation
from steadyrank import Ballots, Battles, Ratings, Study, Votes, read
from steadyrank.errors import InvalidCountError, NotANumberError
from steadyrank.scorers import Approval, Borda, Plurality

LIMIT = 2**63


def counts_near_the_limit(rng, size):
    """Return counts whose total is often just below, at or above the limit."""
    how = rng.integers(0, 4)
    if how == 0:
        return [int(rng.integers(0, 100)) for _ in range(size)]
    if how == 1:
        return [int(rng.integers(0, 2**61)) for _ in range(size)]
    counts = [int(rng.integers(0, LIMIT // size // 2)) for _ in range(size)]
    rest, place = LIMIT - sum(counts) + int(rng.integers(-1, 2)), 0
    while rest:
        given = min(rest, 2**62 + 2**61 - counts[place % size])
        counts[place % size] += given
        rest, place = rest - given, place + 1
        if place > size:
            break
    return counts


def test_five_rows_do_not_make_the_other_one_the_winner():
    text = "candidate,votes\n" + "x,3689348814741910324\n" * 5 + "y,7\n"
    with pytest.raises(
        NotANumberError, match=r"'3689348814741910324' is not a number \(5 of 6 rows\)"
    ):
        read(io.BytesIO(text.encode()), choice="candidate", count="votes")


def test_votes_are_counted_exactly_or_refused(cases):
    refused = 0
    for rng in cases(50):
        choices = rng.integers(0, 3, int(rng.integers(2, 9))).tolist()
        counts = counts_near_the_limit(rng, len(choices))
        total = sum(counts)
        if total >= LIMIT:
            refused += 1
            with pytest.raises(InvalidCountError, match=f"{total:,}"):
                Votes(choices, counts=counts)
            continue
        if total < 2:
            continue
        votes = Votes(choices, counts=counts)
        tally = [
            sum(c for c, who in zip(counts, choices, strict=True) if who == x)
            for x in votes.items
        ]
        assert votes.tally.tolist() == tally
        assert votes.n_units == total
        expected = [float(Fraction(each, total)) for each in tally]
        np.testing.assert_allclose(Plurality().score(votes), expected, rtol=1e-15)
        np.testing.assert_allclose(
            Study(votes).audit(1, eps=0.1).scores, expected, rtol=1e-15
        )
    assert refused


def test_points_times_counts_are_exact_or_refused(cases):
    refused = 0
    for rng in cases(100):
        items = list(range(int(rng.integers(2, 6))))
        orders = [
            rng.permutation(items)[: rng.integers(1, len(items) + 1)].tolist()
            for _ in range(4)
        ]
        counts = [
            count // int(rng.choice([1, 2, 4, 8]))
            for count in counts_near_the_limit(rng, 4)
        ]
        if not 1 < sum(counts) < LIMIT:
            continue
        for approval, scorer in ((False, Borda()), (True, Approval())):
            ballots = Ballots(orders, counts=counts, items=items, approval=approval)
            most = 1 if approval else 2 * (len(items) - 1)
            if sum(counts) * max(most, 1 if approval else 2) >= LIMIT:
                refused += 1
                with pytest.raises(InvalidCountError, match="points"):
                    scorer.score(ballots)
                continue
            points = dict.fromkeys(items, 0)
            for order, count in zip(orders, counts, strict=True):
                rest = Fraction(len(items) - len(order) - 1, 2)
                for item in items:
                    listed = (
                        len(items) - 1 - order.index(item) if item in order else rest
                    )
                    points[item] += count * (int(item in order) if approval else listed)
            expected = [float(Fraction(points[item]) / sum(counts)) for item in items]
            np.testing.assert_allclose(scorer.score(ballots), expected, rtol=1e-15)
    assert refused


def test_battles_of_any_counts_add_up_or_are_refused(cases):
    refused = 0
    for rng in cases(100):
        wins = counts_near_the_limit(rng, 3)
        if sum(wins) >= LIMIT:
            refused += 1
            with pytest.raises(InvalidCountError, match=f"{sum(wins):,}"):
                Battles.from_pairs(["x"], ["y"], wins[:1], wins[1:2], ties=wins[2:])
            with pytest.raises(InvalidCountError):
                Battles(
                    ["x"] * 3,
                    ["y"] * 3,
                    ["left", "right", "tie"],
                    counts=wins,
                    units=[1, 1, 2],
                )
        elif sum(wins):
            battles = Battles.from_pairs(
                ["x"], ["y"], wins[:1], wins[1:2], ties=wins[2:]
            )
            assert battles.n_units == sum(wins)
    assert refused


def test_copies_are_whole_numbers_whose_total_fits():
    battles = Battles(
        ["x", "y"], ["y", "x"], ["left", "left"], counts=[2**40, 3], units=["u", "v"]
    )
    assert battles.with_copies([2, 1]).counts.tolist() == [2**41, 3]
    with pytest.raises(InvalidCountError, match="battles"):
        battles.with_copies([2**24, 1])
    for data in (
        battles,
        Votes(["x", "y"]),
        Ballots([["x"], ["y"]]),
        Ratings([1, 2], [1, 1], [3, 4]),
    ):
        with pytest.raises(InvalidCountError, match="copies"):
            data.with_copies([2**62, 2**62])
        for wrong in ([-1, 2], [0.5, 1]):
            with pytest.raises(InvalidCountError, match="copies"):
                data.with_copies(wrong)


def test_engines_count_or_refuse_like_memory(cases):
    pytest.importorskip("duckdb")
    said = {"choice": "choice", "count": "count"}
    for rng in cases(3):
        choices = rng.integers(0, 3, 6)
        columns = {"choice": choices, "count": np.array(counts_near_the_limit(rng, 6))}
        if max(columns["count"]) >= 2**53:  # beyond the whole numbers of floats
            for source in (columns, relation(columns)):
                with pytest.raises((NotANumberError, InvalidCountError)):
                    read(source, **said)
        else:
            one, two = read(columns, **said), read(relation(columns), **said)
            assert one.tally.tolist() == two.tally.tolist()
