"""Mean ranks and who is joined: by brute force over removals, by a published example, and by name."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from steadyrank import Ballots, CriticalDifference, ScoreMatrix, Study, Votes
from steadyrank.errors import (
    InvalidDataError,
    InvalidSettingError,
    InvalidValueError,
    TooFewUnitsError,
    WrongDataError,
)
from steadyrank.study.mean_ranks import groups, holm


def learners() -> ScoreMatrix:
    """Return 14 rows of four items: two of them close, then two more."""
    orders = ["abcd"] * 5 + ["bacd"] * 4 + ["abdc"] * 2 + ["badc", "dcab", "cdba"]
    return ScoreMatrix(
        [[-order.index(item) for item in "abcd"] for order in orders],
        items=list("abcd"),
    )


def ranks_of(row: list[float]) -> list[Fraction]:
    """Return the ranks of a row, counted: those ahead, and half of those beside."""
    return [
        Fraction(1)
        + sum(other > mine for other in row)
        + Fraction(row.count(mine) - 1, 2)
        for mine in row
    ]


def joined_by_hand(rows: list[list[float]]) -> set[tuple[int, int]]:
    """Return the pairs whose order some removal changes or ties, from mean ranks without each row."""

    def means(kept: list[list[float]]) -> list[Fraction]:
        return [
            sum(each, Fraction(0)) / len(kept)
            for each in zip(*map(ranks_of, kept), strict=True)
        ]

    every = [
        means(rows),
        *(means(rows[:gone] + rows[gone + 1 :]) for gone in range(len(rows))),
    ]
    items = range(len(rows[0]))
    return {
        (i, j)
        for i, j in combinations(items, 2)
        if not all(one[i] < one[j] for one in every)
        and not all(one[i] > one[j] for one in every)
    }


def pairs_in(found: tuple[tuple[Any, ...], ...]) -> set[tuple[Any, Any]]:
    return {tuple(sorted(pair)) for group in found for pair in combinations(group, 2)}


@pytest.mark.parametrize("seed", range(40))
def test_bars_of_stability_are_the_pairs_that_single_removals_reorder(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    size = rng.integers(2, 9), rng.integers(3, 8)
    rows = rng.integers(0, int(rng.integers(2, 9)), size=size) + rng.integers(
        0, 4, size=size[1]
    )
    found = CriticalDifference.of(ScoreMatrix(rows))
    expected = joined_by_hand(rows.tolist())
    assert pairs_in(found.joined_by_removals) == expected
    assert len({*found.joined_by_removals}) == len(found.joined_by_removals)
    for group in found.joined_by_removals:  # each is as large as it can be
        others = {*range(size[1])} - {*group}
        assert all(
            any(tuple(sorted((o, i))) not in expected for i in group) for o in others
        )
    study = Study(ScoreMatrix(rows), "mean-rank")
    assert found.items == study.ranking().ranking
    assert found.mean_ranks == pytest.approx(
        (-study.scores[study.facts.order]).tolist()
    )


def test_who_is_joined_by_nemenyi() -> None:
    """Of four items in 14 rows, the critical differences are those of Demšar (JMLR 7, 2006)."""
    found = CriticalDifference.of(learners(), alpha=0.10)
    assert found.items == tuple("abcd")
    assert [round(14 * rank) for rank in found.mean_ranks] == [24, 26, 42, 48]
    assert round(found.critical_difference or 0, 2) == 1.12
    assert found.joined_by_test == (("a", "b"), ("c", "d"))
    assert (
        found.joined_by_removals == ()
    )  # 2 and 6 ranks ahead in all, of 1 at most in a row
    assert round(CriticalDifference.of(learners()).critical_difference or 0, 2) == 1.25


@pytest.mark.parametrize(
    ("items", "quantile"),
    [(3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (10, 3.164)],
)
def test_critical_values_are_those_of_the_published_table(
    items: int, quantile: float
) -> None:
    """Table 5(a) of Demšar (JMLR 7, 2006), for 0.05."""
    rows = 30
    data = ScoreMatrix(np.tile(np.arange(items), (rows, 1)))
    found = CriticalDifference.of(data).critical_difference
    assert found == pytest.approx(
        quantile * (items * (items + 1) / (6 * rows)) ** 0.5, abs=2e-3
    )


def test_without_a_difference_by_friedman_all_are_joined() -> None:
    rows = np.array([[1, 2, 3], [3, 1, 2], [2, 3, 1], [1, 3, 2]])
    for test in ("nemenyi", "holm"):
        found = CriticalDifference.of(ScoreMatrix(rows), test=test)
        assert found.joined_by_test == (tuple(found.items),)
        assert found.critical_difference is None
        assert found.meanings[1].startswith("All joined: Friedman's test (p = ")
    same = CriticalDifference.of(ScoreMatrix(np.ones((4, 3))))
    assert same.friedman == 1.0
    assert same.joined_by_removals == same.joined_by_test == ((0, 1, 2),)


def test_meanings_say_what_joins_and_which_test() -> None:
    removals, tested = CriticalDifference.of(learners(), alpha=0.10).meanings
    assert removals == (
        "None joined by single removals: removing one of the 14 rows changes or ties no order. "
        "Stability is not statistical confidence."
    )
    assert tested == (
        "Joined by Nemenyi's test after Friedman's test (p = 0.00044): less than the critical "
        "difference of 1.12 ranks apart, alpha = 0.1."
    )
    clear = np.tile(np.arange(3), (30, 1))
    clear[:2, 1:] = [[0, 3], [4, 3]]
    removals, tested = CriticalDifference.of(ScoreMatrix(clear), test="holm").meanings
    assert removals.startswith("None joined")
    assert tested == (
        "None joined by Wilcoxon's test with Holm's correction after Friedman's test (p < 0.0001): "
        "every pair differs, alpha = 0.05."
    )
    removals, tested = CriticalDifference.of(ScoreMatrix(clear)).meanings
    assert tested.endswith(
        "all at least the critical difference of 0.61 ranks apart, alpha = 0.05."
    )
    close = ScoreMatrix([[3, 2, 0], [2, 3, 1], [3, 2, 0]], unit_kind="task")
    assert CriticalDifference.of(close).meanings == (
        (
            "Joined by single removals: removing one of the 3 tasks can change or tie their order. "
            "Stability is not statistical confidence."
        ),
        "All joined: Friedman's test (p = 0.097) finds no difference, alpha = 0.05.",
    )


def test_two_items_are_compared_by_wilcoxon_alone() -> None:
    rows = np.stack([np.arange(12) + 1.0, np.zeros(12)], axis=1)
    found = CriticalDifference.of(ScoreMatrix(rows), test="holm")
    assert (found.friedman, found.joined_by_test) == (None, ())
    assert CriticalDifference.of(ScoreMatrix(rows * 0), test="holm").joined_by_test == (
        (0, 1),
    )
    with pytest.raises(
        InvalidValueError, match=r'Nemenyi.s test: 2 items.*test="holm"'
    ):
        CriticalDifference.of(ScoreMatrix(rows))


def test_differences_that_tie_but_for_rounding_tie() -> None:
    cells = np.array(
        [[0.3, 0.2], [0.2, 0.1], [0.4, 0.5], [0.9, 0.8], [0.6, 0.5], [0.7, 0.9]]
    )
    whole = (cells * 10).round()
    one, other = (
        CriticalDifference.of(ScoreMatrix(each), test="holm", alpha=0.4)
        for each in (cells, whole)
    )
    assert one == other


def test_pairs_without_an_order_make_groups_that_pass_over_items() -> None:
    joined = np.zeros((4, 4), dtype=bool)
    for pair in ((0, 1), (0, 2), (1, 3), (2, 3)):
        joined[pair] = True
    assert groups(joined, "abcd") == (("a", "c"), ("a", "b"), ("b", "d"), ("c", "d"))


def test_holm_is_a_step_down_of_bonferroni() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        given = rng.random(6) ** 3
        order = sorted(range(6), key=given.__getitem__)
        for alpha in (0.01, 0.05, 0.3):
            rejected: set[int] = set()
            for step, place in enumerate(order):
                if given[place] > alpha / (6 - step):
                    break
                rejected.add(place)
            assert {*np.flatnonzero(holm(given) <= alpha).tolist()} == rejected


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (Ballots([["a", "b"]]), WrongDataError, "Of ballots, make a matrix of ranks"),
        (Votes(["a", "b"]), WrongDataError, "needs ScoreMatrix, but was given Votes"),
        ([[1, 2, 3]], WrongDataError, "but was given list"),
        (ScoreMatrix([[1, 2, 3]]), TooFewUnitsError, "only one unit"),
        (ScoreMatrix([[1], [2]]), InvalidValueError, "too little to compare.*: 1 item"),
        (
            ScoreMatrix([[1, 2, 3]] * 2, weights=[1, 2]),
            InvalidDataError,
            "all count the same",
        ),
        (
            ScoreMatrix([[1, 2, 3]] * 3, units=list("aab")),
            InvalidDataError,
            "all count the same",
        ),
        (
            ScoreMatrix([[1, 2, np.nan], [1, 2, 3], [3, 1, 2]], missing="available"),
            InvalidDataError,
            "have no gaps",
        ),
    ],
)
def test_what_has_no_diagram_is_refused_by_name(
    data: Any, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        CriticalDifference.of(data)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"test": "tukey"}, "test must be nemenyi or holm, but is 'tukey'"),
        ({"alpha": 5}, "alpha must be"),
        ({"alpha": 0}, "alpha must be a finite number above 0 to below 0.5"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSettingError, match=said):
        CriticalDifference.of(learners(), **settings)
