"""The rivals' own arithmetic against slower ways, and the page that compares them."""

from __future__ import annotations

from itertools import permutations
from math import factorial, sqrt

import numpy as np
import pytest
from scipy.optimize import minimize

from docs.page_examples import DOCS
from oracles import projection
from paper import baselines as made, tables
from paper.rivals import (
    BALL,
    MARGIN,
    LinearExtensions,
    ball_critical,
    ranking_distance,
    top_k_operator,
)
from steadyrank import Study, Votes, inflated_topk_mask

CASES = 20


def some_scores(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    items = int(rng.integers(1, 7))
    return rng.integers(0, 5, items) / 4 if seed % 2 else rng.random(items)


@pytest.mark.parametrize("seed", range(CASES))
def test_the_distance_to_the_top_k_is_that_of_a_search_over_what_may_be_passed(
    seed: int,
) -> None:
    scores = some_scores(seed)
    for k in range(1, len(scores) + 1):
        slow = projection.topk_distances(
            scores, k, 0.0
        )  # a lead of 0: drawing level is enough
        assert ball_critical(scores, k) == pytest.approx(2 * slow, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_distance_to_a_ranking_is_that_of_a_constrained_search(seed: int) -> None:
    scores = some_scores(seed)
    for ranking in list(permutations(range(len(scores))))[::7]:
        order = np.array(ranking)
        steps = {"type": "ineq", "fun": lambda v: -np.diff(v)}
        mean = np.full(len(order), scores.mean())
        found = minimize(
            lambda v, o=order: ((v - scores[o]) ** 2).sum(), mean, constraints=[steps]
        )
        assert ranking_distance(scores, order) == pytest.approx(
            np.sqrt(found.fun), abs=1e-3
        )


def test_linear_extensions_are_counted_where_nothing_is_certain_and_where_all_is() -> (
    None
):
    assert LinearExtensions(np.zeros(7), 0.1).count() == factorial(7)
    assert LinearExtensions(np.arange(7.0), 0.1).count() == 1


def test_rivals_hold_where_ours_does_and_are_no_shorter() -> None:
    study = Study(Votes([0] * 6 + [1] * 5 + [2] * 5 + [3] * 2))
    eps = (1 + 2e-6) * float(study.facts.shifts.max())
    rules = [lambda scores, k: inflated_topk_mask(scores, k, eps)]
    rules += [top_k_operator(name, eps) for name in (BALL, MARGIN)]
    folds = [
        Study(study.data.without([unit])).scores for unit in range(len(study.units))
    ]
    found = study.audit([1, 2], eps=eps)
    for k in (1, 2):
        lists = [rule(study.scores, k) for rule in rules]
        sizes = [found.row("inflated_topk", k).size, *(some.sum() for some in lists)]
        assert sizes == sorted(sizes)
        for without in folds:
            for rule, some in zip(rules, lists, strict=True):
                assert (some & rule(without, k)).sum() >= k
    extensions = LinearExtensions(study.scores, eps)
    for without in folds:
        assert extensions.intersects(LinearExtensions(without, eps))
    assert extensions.count() >= found.row("inflated_ranking").size


def test_the_tables_of_the_page_are_what_comes_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All but the movies, which take a while, and but the last generated rows, which take longer."""
    monkeypatch.setattr(made, "MOVIE_TRIALS", 1)
    monkeypatch.setattr(made, "MOVIE_KS", (1,))
    monkeypatch.setattr(made, "WITHIN", made.WITHIN[:2])
    monkeypatch.setattr(made, "WITHIN_OF_FEW", made.WITHIN_OF_FEW[:1])

    class OneList:
        def trial(self, number: int, *, n: int) -> Votes:
            return Votes([0, 0, 1])

    found = made.baselines(OneList())
    page = (DOCS / "research" / "baselines.md").read_text(encoding="utf-8")
    lists, rankings = (
        tables.top_k_rivals_table([*found.top_k[:-1], *found.generated]),
        tables.ranking_rivals_table([*found.rankings, *found.generated_rankings]),
    )
    for table in (lists, rankings):
        for line in table.to_markdown().splitlines():
            assert line in page


def test_the_shares_that_the_page_reads_off_its_tables() -> None:
    """Where 10 to 40 of 200 scores are within c of the 20th, and 3 to 5 of 12 of each other."""
    page = (DOCS / "research" / "baselines.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ")
        for line in page.splitlines()
        if "| uniform scores |" in line
    ]
    lists = [[float(cell) for cell in row[3:]] for row in rows if row[1] == "200"]
    times = [
        float(row[-1])
        for row in rows
        if row[1] == "12" and float(row[2]) > sqrt(2) * 2.9 / 12
    ]
    long = [sizes for eps, *sizes in lists if eps > sqrt(2) * 9 / 200]
    ball, margin = (
        [100 * (sizes[rule] / sizes[0] - 1) for sizes in long] for rule in (1, 2)
    )
    ends = [f"{min(shares):.0f} to {max(shares):.0f} %" for shares in (ball, margin)]
    assert (
        f"ball is {ends[0]} longer than the inflated list and the margin rule {ends[1]}"
        in (page.replace("\n", " "))
    )
    assert [round(min(times)), round(max(times))] == [
        2,
        3,
    ]  # two to three times as many
