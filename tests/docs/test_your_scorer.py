"""The recipe of PageRank and eigenvector scores against fractions, evalica and scoring anew."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from docs.page_examples import DOCS, examples_of, run_python
from oracles.decimals import win_counts
from oracles.refitting import all_rows
from steadyrank import Battles, Refit, Study
from steadyrank.errors import InvalidSettingError, RefitError

RECIPE: dict[str, Any] = {}
for block in examples_of(
    (DOCS / "guides" / "your-scorer.md").read_text(encoding="utf-8")
):
    run_python(block.code, RECIPE, "your-scorer.md")
pagerank, eigenvector = RECIPE["pagerank"], RECIPE["eigenvector"]


def some_battles(items: int = 5, size: int = 80, **people: object) -> Battles:
    rng = np.random.default_rng(7)
    left = rng.integers(items, size=size)
    right = (left + rng.integers(1, items, size=size)) % items
    outcome = rng.choice(["left", "right", "tie"], size=size, p=[0.5, 0.2, 0.3])
    return Battles(left, right, outcome, items=range(items), **people)  # type: ignore[arg-type]


def winners(data: Battles, *, swapped: bool = False) -> list[object]:
    import evalica

    sign = -1 if swapped else 1
    named = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    return [named[sign * int(outcome)] for outcome in data.outcome]


def exact_pagerank(wins: np.ndarray, damping: Fraction) -> list[Fraction]:
    """Solve the equations by elimination, in fractions."""
    size = len(wins)
    rows = []
    for item in range(size):
        row = [Fraction(int(item == other)) for other in range(size)]
        for other in range(size):
            lost = sum(Fraction(float(part)) for part in wins[:, other])
            share = (
                Fraction(float(wins[item, other])) / lost if lost else Fraction(1, size)
            )
            row[other] -= damping * share
        rows.append([*row, (1 - damping) / size])
    for place in range(size):
        pivot = next(row for row in range(place, size) if rows[row][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [part / rows[place][place] for part in rows[place]]
        for other in range(size):
            if other != place and rows[other][place]:
                times = rows[other][place]
                pairs = zip(rows[other], rows[place], strict=True)
                rows[other] = [mine - times * given for mine, given in pairs]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85, 0.99])
def test_pagerank_solves_its_equations(damping: float) -> None:
    unbeaten = Battles(
        ["x", "y", "x"], ["y", "z", "z"], ["left"] * 3, items=["w", "x", "y", "z"]
    )
    for data in (some_battles(), unbeaten):
        exact = exact_pagerank(win_counts(data), Fraction(damping))
        found = pagerank(data, damping)
        assert found == pytest.approx([float(part) for part in exact], abs=1e-13)


@pytest.mark.parametrize("scorer", [pagerank, eigenvector])
def test_weights_count_battles_as_so_many(scorer: Any) -> None:
    times = np.arange(80) % 3 + 1
    weighted, counted = some_battles(weights=times / 4), some_battles(counts=times)
    assert scorer(weighted) == pytest.approx(scorer(counted), abs=1e-13)


def test_both_agree_with_evalica() -> None:
    """Its eigen passes the scores of winners on to losers, so it is asked with the results turned."""
    import evalica

    data, sure = some_battles(), {"tolerance": 1e-15, "limit": 10_000}
    sides = data.left.tolist(), data.right.tolist()
    theirs = evalica.pagerank(
        *sides, winners(data), damping=0.8, **sure
    ).scores.sort_index()
    assert pagerank(data, 0.8) == pytest.approx(theirs, abs=1e-12)
    turned = evalica.eigen(
        *sides, winners(data, swapped=True), **sure
    ).scores.sort_index()
    assert eigenvector(data) == pytest.approx(turned / turned.sum(), abs=1e-12)


def test_the_eigenvector_of_a_circle_needs_no_power_iteration() -> None:
    """Powers of this table go round for ever; the eigenvector is there all the same."""
    data = Battles(list("xyz"), list("yzx"), ["left"] * 3, counts=[8, 1, 1])
    assert eigenvector(data) == pytest.approx(np.array([4, 1, 2]) / 7, abs=1e-12)


@pytest.mark.parametrize("units", [None, np.arange(80) % 7], ids=["battles", "judges"])
@pytest.mark.parametrize(
    "scorer", [pagerank, partial(pagerank, damping=0.3), eigenvector]
)
def test_leaving_one_out_is_scoring_anew(scorer: Any, units: object) -> None:
    data = some_battles(units=units, weights=np.arange(80) % 3 + 0.5)
    rows = all_rows(Refit(scorer).leave_one_out(data))
    for unit in range(len(data.units)):
        assert rows[unit] == pytest.approx(scorer(data.without(unit)), abs=1e-13)


def test_the_last_loss_of_an_item_takes_its_votes_away() -> None:
    data = Battles(
        list("xyz"), list("yzy"), ["left", "left", "tie"], items=list("wxyz")
    )
    rows = all_rows(Refit(pagerank).leave_one_out(data))
    for unit in range(3):
        exact = exact_pagerank(win_counts(data.without(unit)), Fraction(0.85))
        assert rows[unit] == pytest.approx([float(part) for part in exact], abs=1e-14)


def test_an_eigenvector_needs_chains_of_wins() -> None:
    apart = Battles(["x", "x"], ["y", "z"], ["left", "tie"])
    with pytest.raises(ValueError, match="chains of wins must join all items"):
        eigenvector(apart)
    assert pagerank(apart).argmax() == 0
    thin = Battles(
        ["x", "y", "x", "y"], ["y", "x", "z", "z"], ["left", "left", "tie", "right"]
    )
    assert eigenvector(thin).shape == (3,)
    with pytest.raises(
        RefitError, match=r"without battle .*chains of wins must join all items"
    ):
        Refit(eigenvector).leave_one_out(thin)


@pytest.mark.parametrize("name", ["pagerank", "PageRank:damping=0.5", "eigenvector"])
def test_the_names_lead_to_the_recipe(name: str) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"no scorer called .*docs/guides/your-scorer\.md"
    ):
        Study(some_battles(), name)


def test_style_control_is_a_logistic_regression_with_and_without_each_battle() -> None:
    from sklearn.linear_model import LogisticRegression

    data, longer = RECIPE["judged"], RECIPE["longer"]
    study = Study(data, Refit(RECIPE["at_equal_length"]))
    rows = all_rows(study.facts.leave_one_out)
    design = np.zeros((len(data.left), data.n_items))
    design[np.arange(len(design)), data.left] += 1
    design[np.arange(len(design)), data.right] -= 1
    design[:, 0] = longer  # the first item is at 0
    for kept, found in [(slice(None), study.scores), *enumerate(rows)]:
        these = np.ones(len(design), dtype=bool)
        if isinstance(kept, int):
            these[kept] = False
        model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10)
        fit = model.fit(design[these], data.outcome[these]).coef_[0]
        strengths = np.append(0.0, fit[1:])
        expected = strengths - strengths.mean()
        assert found - found.mean() == pytest.approx(expected, abs=1e-4)
