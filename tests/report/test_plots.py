"""Plots: the numbers that are drawn are those of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from browser.examples import (
    close_votes,
    hostile_matrix,
    many_items,
    restaurants,
)
from steadyrank import Study
from steadyrank.errors import MissingPackageError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402

from steadyrank.report import plots  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def points(ax: Any) -> dict[str, list[tuple[float, float]]]:
    """The points of each standing."""
    return {
        part.get_label(): [tuple(point) for point in part.get_offsets()]
        for part in ax.collections
    }


def test_standings_draws_ranks_by_standing() -> None:
    answer = Study(restaurants()).topk(5)
    ax = plots.standings(answer)
    rows, drawn = list(answer.rows()), points(ax)
    for standing in ("sure", "contender", "out"):
        expected = [(row.rank, row.rank) for row in rows if row.standing == standing]
        assert expected
        assert drawn[standing] == expected
    bars = [tuple(line.get_xdata()) for line in ax.lines[: len(rows)]]
    assert bars == [(row.best_rank, row.worst_rank) for row in rows]
    across, along = ax.lines[-2:]
    assert across.get_xdata()[0] == along.get_ydata()[0] == 5.5
    told = [text.get_text() for text in ax.texts]
    assert told[:2] == ["in top 5", "reviewers to flip"]
    assert [words.removeprefix("≥ ") for words in told[3::2]] == [
        str(row.away) for row in rows
    ]
    assert told[2 + 2 * 4] == "81.1%"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the best on top


def test_standings_draws_a_window_around_the_cut_and_no_bar_for_what_is_not_known() -> (
    None
):
    ax = plots.standings(Study(many_items(90)).topk(40), limit=12)
    labels = [text.get_text().split(".")[0] for text in ax.get_yticklabels()]
    assert labels == [str(rank) for rank in range(33, 45)]
    plain = plots.standings(Study(close_votes()).topk(3, proved=True))
    assert len(plain.lines) == 2  # the cut, in both directions


def test_rank_intervals_draws_those_of_the_inflated_ranking() -> None:
    unasked = Study(close_votes()).ranking()
    drawn = [
        tuple(line.get_xdata()) for line in plots.rank_intervals(unasked, limit=6).lines
    ]
    assert drawn == [(row.best_rank, row.worst_rank) for row in unasked.rows(6)]
    answer = Study(close_votes()).ranking(eps=0.1)
    ax = plots.rank_intervals(answer, limit=6)
    drawn = [tuple(line.get_xdata()) for line in ax.lines]
    ranks = (
        ends[answer.order[:6]].tolist() for ends in answer.rankings.rank_intervals()
    )
    assert drawn == list(zip(*ranks, strict=True))


def test_curve_is_that_of_the_audit() -> None:
    found = Study(restaurants()).audit(k=5, eps=0.01)
    ax = found.curve(5).plot(eps=0.01)
    eps, delta = ax.lines[0].get_data()
    steps = found.curve(5)
    np.testing.assert_array_equal(
        delta[:-1], steps.delta(np.nextafter(eps[:-1], np.inf))
    )
    size = ax.figure.axes[1].lines[0].get_ydata()
    np.testing.assert_array_equal(size[:-1], steps.size(np.nextafter(eps[:-1], np.inf)))
    assert ax.lines[1].get_xdata()[0] == 0.01
    assert len(steps.plot().lines) == 1


def test_answers_draw_themselves() -> None:
    assert Study(close_votes()).topk(3).plot().get_xlabel() == "rank"
    _, ax = plt.subplots()
    assert Study(close_votes()).ranking().plot(ax) is ax
    assert ax.get_xlabel() == "rank"


def test_given_axes_are_used_and_hostile_names_drawn() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    answer = Study(hostile_matrix()).topk(5, eps=0.3)
    assert plots.standings(answer, left) is left
    assert plots.rank_intervals(answer.study.ranking(), ax=right) is right
    labels = [text.get_text() for text in right.get_yticklabels()]
    assert all(len(label) < 40 for label in labels)
    plain = Study(close_votes()).topk(3)
    drawn = plots.standings(plain, plt.figure().subplots())
    drawn.figure.canvas.draw()
    plt.close(figure)


def test_missing_matplotlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"steadyrank\[plot\]"):
        plots.standings(Study(close_votes()).topk(3))


@pytest.mark.parametrize("k", [1, 5, 19])
def test_numbers_stand_inside_the_axes_and_legends_below_them(k: int) -> None:
    ax = plots.standings(Study(restaurants()).topk(k))
    ax.figure.canvas.draw()
    around = ax.get_window_extent()
    ends = [line.get_window_extent().x1 for line in ax.lines[:-2]]
    for text in ax.texts:
        box = text.get_window_extent()
        assert around.x0 <= box.x0
        assert box.x1 <= around.x1
        assert around.y0 <= box.y0
        assert box.y1 <= around.y1
        assert box.x0 > max(ends)
    for drawn in (ax, plots.rank_intervals(Study(restaurants()).ranking())):
        drawn.figure.canvas.draw()
        assert drawn.get_title(loc="left")
        assert (
            not drawn.get_legend()
            .get_window_extent()
            .overlaps(drawn.get_window_extent())
        )
