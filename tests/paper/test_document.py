"""The page of the documentation says what the experiments say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paper import figures, published_tables, tables
from paper.document import OTHER_SEED, TEMPLATE, filled
from paper.full_ranking import (
    INFLATED_RANKING,
    RANKING,
    RegressionExperiment,
    regression_experiment,
)
from paper.movie_lists import netflix_experiment
from paper.summaries import summary_of
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from paper.lookalike import Lookalike

METHODS = (RANKING, INFLATED_RANKING)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "research" / "paper.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("settings", [{"beta": "script"}, {"beta": "text"}])
def test_table_2_of_the_page_is_what_comes_out(
    page: str, table_2: Callable[..., RegressionExperiment], settings: dict[str, Any]
) -> None:
    assert tables.regression_table(table_2(**settings)).to_markdown() in page


def test_what_the_page_says_of_another_seed(
    page: str, table_2: Callable[..., RegressionExperiment]
) -> None:
    other, printed = (
        table_2(seed=OTHER_SEED).methods,
        published_tables.FULL_RANKING["paper"],
    )
    plain, inflated = (
        f"{tables.z_of(other[name], printed[name]):+.1f}" for name in METHODS
    )
    told = f"the mean δ lies {plain} (plain) and {inflated} (inflated) standard errors"
    assert told in " ".join(page.split())


def test_tables_1_and_3_of_the_page_are_what_comes_out(
    page: str, population: Lookalike
) -> None:
    assert tables.netflix_table(netflix_experiment(population)).to_markdown() in page


def test_the_page_has_all_figures_and_no_gaps(page: str) -> None:
    drawn = re.findall(r"\]\((\.\./figures/[^)]+)\)", page)
    assert len(drawn) == 4
    for name in drawn:
        assert (PAGE.parent / name).stat().st_size > 1000
    assert "{{" not in page
    sentences = re.split(r"\{\{\w+\}\}", TEMPLATE.read_text(encoding="utf-8"))
    assert all(sentence in page for sentence in sentences)


def test_template_and_values_must_agree() -> None:
    with pytest.raises(InvalidValueError, match="agree about: many, more"):
        filled("{{many}} users", {"more": "1"})


def test_a_picture_is_the_same_whenever_it_is_drawn(tmp_path: Path) -> None:
    result = regression_experiment(trials=5)
    first = [
        path.read_bytes()
        for path in figures.regression_figure([result], tmp_path / "a")
    ]
    second = [
        path.read_bytes()
        for path in figures.regression_figure([result], tmp_path / "b")
    ]
    assert first == second


def test_survival_is_the_share_of_trials_that_are_more_unstable() -> None:
    """The paper draws the share greater than a level, so that zeros start the curve below 1."""
    deltas = [0.1, 0.3, 0.1, 0.0]
    levels, shares = summary_of(deltas, [1, 1, 1, 1]).survival()
    assert levels.tolist() == [0.0, 0.1, 0.3]
    assert shares.tolist() == [
        sum(delta > level for delta in deltas) / 4 for level in levels
    ]
