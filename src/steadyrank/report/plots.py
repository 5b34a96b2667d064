"""Plots for papers and notebooks: each function draws on matplotlib Axes and returns them.

Colours are those of the HTML report (after Okabe and Ito); marks differ in shape as well, so that
a print in grey still tells standings apart.
"""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import MissingPackageError
from steadyrank.report.picture import around_cut
from steadyrank.report.sharing import COLOURS
from steadyrank.text import RANK_STANDINGS, STANDINGS, counted, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

MARKERS = {"sure": "o", "contender": "D", "out": "s"}
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F8894")
EDGE = "#7A3E8F"
DASHED: dict[str, Any] = {"color": EDGE, "linestyle": "--", "linewidth": 1.2}
BAR: dict[str, Any] = {"linewidth": 5, "alpha": 0.45, "solid_capstyle": "round"}
LONGEST_LABEL = 34
BETWEEN, TICKS = 0.6, 1.1
"""From one bar to the next, and for the numbers of the axis between them, in rows of names."""
NARROW = 5.0
"""Figures up to so many inches have all names on one side."""


def rank_intervals(answer: Any, ax: Axes | None = None, *, limit: int = 40) -> Axes:
    """Draw the best to worst rank of the first items of a ranking, or of those around rank k.

    These are those of the inflated ranking at its eps; without one, those of the data without each unit.

    Parameters
    ----------
    answer : StableTopK or StableRanking
        The answer to draw.
    ax : Axes, optional
        Where to draw; a new figure by default.
    limit : int
        How many items to draw.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30), delta=0)
    >>> [text.get_text() for text in rank_intervals(answer).get_yticklabels()]
    ['1. ann', '2. bob', '3. cyd']
    """
    shown = range(limit) if answer.k is None else around_cut(len(answer.items), answer.k, limit)
    rows = list(answer.rows(shown.stop))[shown.start :]
    ax = _axes(ax, len(rows))
    ends = ("best_rank", "worst_rank") if answer.eps is None else ("inflated_best", "inflated_worst")
    words = RANK_STANDINGS if answer.k is None else STANDINGS
    _ranges(ax, rows, [tuple(getattr(row, end) for end in ends) for row in rows], words)
    if answer.k is not None and answer.k < len(answer.items):
        ax.axvline(answer.k + 0.5, **DASHED)
        ax.axhline(answer.k + 0.5, **DASHED)
    if answer.told:
        _legend(ax)
    ax.set_title(f"Best to worst rank of each {answer.item_name}", loc="left")
    return ax


def critical_difference(found: Any, ax: Axes | None = None) -> Axes:
    """Draw mean ranks on a line, and bars that join what cannot be told apart, in two meanings.

    Bars above the line join items by single removals, those below by a test; a mark is an item on a bar.

    Parameters
    ----------
    found : CriticalDifference
        What to draw.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> from steadyrank import CriticalDifference, ScoreMatrix
    >>> tasks = ScoreMatrix([[9, 8, 1, 2], [8, 9, 2, 1], [9, 7, 0, 1], [9, 8, 2, 1], [9, 8, 1, 0]])
    >>> critical_difference(CriticalDifference.of(tasks)).get_title()
    'Mean rank over 5 rows'
    """
    ranks, last = dict(zip(found.items, found.mean_ranks, strict=True)), len(found.items)
    above, below = found.joined_by_removals, found.joined_by_test
    top, bottom = BETWEEN * len(above) + 0.6, BETWEEN * len(below) + TICKS + 0.4
    ax = _axes(ax, 0.8 * (top + bottom + last / 2) + 4)
    width = ax.figure.bbox.width / ax.figure.dpi
    # Names stand on both sides, or of a narrow figure all to the left.
    half, room, middle = ((last + 1) // 2, 4, 0.5) if width > NARROW else (last, 5, 1.0)
    low, high = math.floor(min(ranks.values())), math.floor(max(ranks.values())) + 1
    for place, (item, rank) in enumerate(ranks.items()):
        left, name = place < half, shortened(item, min(LONGEST_LABEL, round(room * width)))
        y, end = (bottom + place, low) if left else (bottom + last - 1 - place, high)
        ax.plot([rank, rank, end], [-top, y, y], color=COLOURS["out"], linewidth=0.7)
        text = ax.annotate("", (end, y), (-4 if left else 4, 0), textcoords="offset points")
        text.set(text=f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}", parse_math=False)
        text.set(ha="right" if left else "left", va="center", fontsize="small")
    handles = []
    for groups, first, step, number in ((above, 0, -BETWEEN, 0), (below, TICKS, BETWEEN, 1)):
        line: dict[str, Any] = {"color": SERIES[number], "linewidth": 3, "clip_on": False}
        dots = line | {"marker": "oD"[number], "markersize": 6, "mec": "white", "mew": 0.5}
        for place, group in enumerate(groups):
            x, y = np.array([ranks[item] for item in group]), first + (place + 0.6) * step
            beyond = 0.1 / width * (high - low)  # so that equal ranks make a bar, too
            ax.plot([x[0] - beyond, x[-1] + beyond], [y, y], **line)
            ax.plot(x, np.full(len(x), y), **dots | {"linestyle": ""})
        handles += ax.plot([], [], label=fill(found.meanings[number], round(12 * width)), **dots)
    ax.spines["bottom"].set_position(("data", 0))
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.locator_params(axis="x", integer=True)
    ax.set(xlim=(low, high), ylim=(bottom + half - 0.4, -top), yticks=[])
    over = f"Mean rank over {counted(found.n_units, found.unit)}"
    ax.set_title(over, loc="center" if half < last else "right")
    where = {"loc": "upper center" if half < last else "upper right", "bbox_to_anchor": (middle, 0)}
    _legend(ax, handles=handles, ncols=1, fontsize="small", **where)
    return ax


def curve(found: Any, ax: Axes | None = None, *, eps: float | None = None) -> Axes:
    """Draw the exact step functions delta(eps), and size or tiers on an axis of its own to the right.

    Parameters
    ----------
    found : StabilityCurve or RankingCurve
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
    beside, label = ax.twinx(), found.beside.partition(":")[0]
    x = np.append(places[shown], right)
    # The last value holds to the end of the axis.
    one, other = (np.append(values[shown], values[shown][-1]) for values in (delta, size))
    (first,) = ax.step(x, one, where="post", color=COLOURS["contender"], label="delta")
    (second,) = beside.step(x, other, "--", where="post", color=COLOURS["sure"], label=label)
    beside.set_ylabel(found.beside)
    beside.locator_params(axis="y", integer=True)
    ax.set(xlabel="eps", ylabel="delta: share of units that break the answer", xlim=(0, right))
    ax.set_ylim(bottom=0)
    if eps is not None:
        ax.axvline(eps, **DASHED)
    what = "the full ranking" if found.k is None else f"the top {found.k:,}"
    ax.set_title(f"Stability of {what} at each eps", loc="left")
    _legend(ax, handles=[first, second])
    return ax


def _legend(ax: Axes, **more: Any) -> None:
    """Put the legend below the axes, where it covers nothing."""
    ax.legend(
        **{"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 3, "frameon": False} | more
    )


def _axes(ax: Axes | None, rows: float = 16) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise MissingPackageError("plots need matplotlib", "plot") from None
    _, made = plt.subplots(figsize=(7, max(2.5, 0.25 * rows + 0.8)), layout="constrained")
    return made


def _ranges(
    ax: Axes, rows: Sequence[Any], ranges: Sequence[tuple[int | None, ...]], words: Mapping[str, str]
) -> None:
    """Draw ranks as bars and plain ranks as marks; what is not known has no bar, or no standing."""
    for row, (best, worst) in zip(rows, ranges, strict=True):
        if best is not None and worst is not None:
            ax.plot([best, worst], [row.rank, row.rank], color=COLOURS[row.standing or "out"], **BAR)
    for standing, marker in MARKERS.items():
        ranks = [row.rank for row in rows if (row.standing or "out") == standing]
        if ranks:
            colour = COLOURS[standing]
            label = words.get(standing, "")
            ax.scatter(ranks, ranks, color=colour, marker=marker, s=32, label=label, zorder=3)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("rank")
    names = [f"{row.rank}. {shortened(row.item, LONGEST_LABEL)}" for row in rows]
    ax.set_yticks([row.rank for row in rows], names)
    for text in ax.get_yticklabels():
        text.set_parse_math(False)  # a dollar in a name is a dollar
    ax.set_ylim(rows[-1].rank + 0.7, rows[0].rank - 0.7)
    ax.grid(axis="y", alpha=0.25)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
