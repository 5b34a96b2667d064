"""Plots for papers and notebooks: each function draws on matplotlib Axes and returns them.

Colours are those of the HTML report (after Okabe and Ito); marks differ in shape as well, so that
a print in grey still tells standings apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.engines.backends import needed
from steadyrank.report.picture import RankScale, around_cut
from steadyrank.report.sharing import COLOURS
from steadyrank.text import (
    RANK_STANDINGS,
    STANDINGS,
    ends_in_words,
    plural,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

MARKERS = {"sure": "o", "contender": "D", "out": "s"}
EDGE = "#7A3E8F"
DASHED: dict[str, Any] = {"color": EDGE, "linestyle": "--", "linewidth": 1.2}
BAR: dict[str, Any] = {"linewidth": 5, "alpha": 0.45, "solid_capstyle": "round"}
LONGEST_LABEL = 34
NUMBERS = 0.36
"""The part of a plot, on the right, that shares and distances take."""


def standings(answer: Any, ax: Axes | None = None, *, limit: int = 30) -> Axes:
    """Draw the ranks that items around rank k have without any one unit, with their standings.

    At the end of each row stand the share of the deletions in which the item is in the top k, and how
    many units it takes to flip. What was not worked out is blank.

    Parameters
    ----------
    answer : StableTopK
        The answer to draw.
    ax : Axes, optional
        Where to draw; a new figure by default.
    limit : int
        How many rows to draw, around rank k.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> answer = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])).topk(k=2)
    >>> standings(answer).get_xlabel()
    'rank'
    """
    shown = around_cut(len(answer.items), answer.k, limit)
    rows = list(answer.rows(shown.stop))[shown.start :]
    scale = RankScale.of([vars(row) for row in rows])
    ax = _ranges(ax, answer, rows, [(row.best_rank, row.worst_rank) for row in rows])
    titles = f"in top {answer.k:,}", f"{shortened(plural(answer.unit), 12)} to flip"
    _inside(ax, rows[0].rank - 1, titles)
    for row in rows:
        _inside(ax, row.rank, ends_in_words(vars(row), answer.n_units))
    if answer.k < len(answer.items):
        ax.axvline(answer.k + 0.5, **DASHED)
        ax.axhline(answer.k + 0.5, **DASHED)
    ax.set_title(f"Top {answer.k:,}: ranks without any one {answer.unit}", loc="left")
    ax.set_xticks(scale.ticks())
    width = scale.high - scale.low + 1.4
    ax.set_xlim(scale.low - 0.7, scale.low - 0.7 + width / (1 - NUMBERS))
    ax.set_ylim(top=rows[0].rank - 1.7)
    return ax


def rank_intervals(answer: Any, ax: Axes | None = None, *, limit: int = 40) -> Axes:
    """Draw the best to worst rank of the first ``limit`` items over the rankings of an answer.

    These are those of its set of rankings at its eps; without one, those of the data without each unit.

    Parameters
    ----------
    answer : StableRanking
        The answer to draw.
    ax : Axes, optional
        Where to draw; a new figure by default.
    limit : int
        How many items to draw, by plain rank.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> answer = Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)).ranking()
    >>> [text.get_text() for text in rank_intervals(answer).get_yticklabels()]
    ['1. ann', '2. bob', '3. cyd']
    """
    rows = list(answer.rows(limit))
    ends = [(row.best_rank, row.worst_rank) for row in rows]
    if answer.rankings is not None:
        ranks = (
            side[answer.order[:limit]].tolist()
            for side in answer.rankings.rank_intervals()
        )
        ends = list(zip(*ranks, strict=True))
    ax = _ranges(ax, answer, rows, ends)
    ax.set_title(f"Best to worst rank of each {answer.item_name}", loc="left")
    return ax


def curve(found: Any, ax: Axes | None = None, *, eps: float | None = None) -> Axes:
    """Draw the exact step function delta(eps), and size(eps) on an axis of its own to the right.

    Parameters
    ----------
    found : StabilityCurve
        The curve.
    ax : Axes, optional
        Where to draw; a new figure by default. The axis to the right is among its figure's axes.
    eps : float, optional
        An eps to mark.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
    >>> curve(study.curve(2)).get_ylabel()
    'delta: share of units that break the answer'
    """
    ax = _axes(ax)
    places, delta, size = found.steps()
    calm = float(found.breaking_eps.max(initial=0.0))
    right = 2.5 * max(calm, eps or 0.0) or 1.1 * found.near or 1.0
    shown = places < right
    beside = ax.twinx()
    x = np.append(places[shown], right)
    # The last value holds to the end of the axis.
    one, other = (
        np.append(values[shown], values[shown][-1]) for values in (delta, size)
    )
    (first,) = ax.step(x, one, where="post", color=COLOURS["contender"], label="delta")
    (second,) = beside.step(
        x, other, "--", where="post", color=COLOURS["sure"], label="size"
    )
    beside.set_ylabel("size: items in the answer")
    beside.locator_params(axis="y", integer=True)
    ax.set(
        xlabel="eps",
        ylabel="delta: share of units that break the answer",
        xlim=(0, right),
    )
    ax.set_ylim(bottom=0)
    if eps is not None:
        ax.axvline(eps, **DASHED)
    ax.set_title(f"Stability of the top {found.k:,} at each eps", loc="left")
    _legend(ax, handles=[first, second])
    return ax


def _legend(ax: Axes, **more: Any) -> None:
    """Put the legend below the axes, where it covers nothing."""
    ax.legend(
        **{
            "loc": "upper center",
            "bbox_to_anchor": (0.5, -0.14),
            "ncols": 3,
            "frameon": False,
        }
        | more
    )


def _axes(ax: Axes | None, rows: float = 16) -> Axes:
    if ax is not None:
        return ax
    needed("matplotlib", "plots need matplotlib", "plot")
    from matplotlib import pyplot as plt

    _, made = plt.subplots(
        figsize=(7, max(2.5, 0.25 * rows + 0.8)), layout="constrained"
    )
    return made


def _ranges(
    ax: Axes | None, answer: Any, rows: Sequence[Any], ends: Sequence[Any]
) -> Axes:
    """Draw ranks as bars and plain ranks as marks; what is not known has no bar, or no standing."""
    ax, words = _axes(ax, len(rows)), RANK_STANDINGS if answer.k is None else STANDINGS
    for row, (best, worst) in zip(rows, ends, strict=True):
        if best is not None and worst is not None:
            ax.plot(
                [best, worst],
                [row.rank, row.rank],
                color=COLOURS[row.standing or "out"],
                **BAR,
            )
    for standing, marker in MARKERS.items():
        ranks = [row.rank for row in rows if (row.standing or "out") == standing]
        if ranks:
            shape: dict[str, Any] = {
                "color": COLOURS[standing],
                "marker": marker,
                "s": 32,
            }
            ax.scatter(ranks, ranks, label=words.get(standing, ""), zorder=3, **shape)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("rank")
    names = [f"{row.rank}. {shortened(row.item, LONGEST_LABEL)}" for row in rows]
    ax.set_yticks([row.rank for row in rows], names)
    for text in ax.get_yticklabels():
        text.set_parse_math(False)  # a dollar in a name is a dollar
    ax.set_ylim(rows[-1].rank + 0.7, rows[0].rank - 0.7)
    ax.grid(axis="y", alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    if answer.ranks is not None:
        _legend(ax)
    return ax


def _inside(ax: Axes, y: float, texts: Sequence[str]) -> None:
    """Write two texts at the right end of the Axes, where nothing is drawn."""
    for right, text in zip((1 - 0.6 * NUMBERS, 0.995), texts, strict=True):
        place = ax.text(right, y, text, transform=ax.get_yaxis_transform())
        place.set(ha="right", va="center", fontsize="small")
