"""Draw the figures of the documentation into docs/figures/.

Run from anywhere: ``python scripts/docs_figures.py``. Colours are those of Okabe and Ito, which people
who see colours differently can tell apart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from steadyrank import ScoreMatrix, Study, inflated_topk_mask, read
from steadyrank.demo import demo_file

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#E69F00", "#009E73", "#555555"
RESAMPLES = 4000


def restaurants() -> Any:
    """Return the bundled ratings."""
    with demo_file("restaurants.csv") as path:
        return read(path, item="restaurant", rating="stars", unit="reviewer")


def benchmark() -> Any:
    """Return the bundled benchmark matrix."""
    with demo_file("benchmark.csv") as path:
        return read(path)


def bootstrap_ranks(matrix: ScoreMatrix, seed: int = 0) -> Any:
    """Return the ranks of each item in means of resampled rows, one row for each resample."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(len(matrix.values), size=(RESAMPLES, len(matrix.values)))
    means = matrix.values[rows].mean(axis=1)
    return 1 + np.argsort(np.argsort(-means, axis=1, kind="stable"), axis=1)


def draw_curve() -> None:
    """Draw delta and size against eps for the three best restaurants."""
    result = Study(restaurants()).audit(k=3)
    found = result.curve(3)
    figure, (upper, lower) = plt.subplots(
        2, 1, figsize=(7, 4.4), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
    eps = np.geomspace(5e-4, 0.6, 2000)
    upper.plot(eps, found.delta(eps), color=BLUE)
    upper.fill_between(eps, found.delta(eps), color=BLUE, alpha=0.12)
    upper.set_ylabel("delta: share of guests\nthat break the answer")
    upper.axvline(found.smallest_eps(0.01), color=ORANGE, linestyle="--")
    upper.annotate(
        "smallest eps for delta = 0.01",
        (found.smallest_eps(0.01), 0.13),
        xytext=(6, 0),
        textcoords="offset points",
        color=GREY,
    )
    lower.plot(eps, found.size(eps), color=GREEN)
    lower.axvline(found.smallest_eps(0.01), color=ORANGE, linestyle="--")
    lower.set_ylabel("size: items\nin the answer")
    lower.set_xlabel("eps (logarithmic)")
    lower.set_xscale("log")
    save(figure, "curve.png")


def draw_comparison() -> None:
    """Draw stability intervals beside bootstrap intervals of the same matrix."""
    matrix = benchmark()
    answer = Study(matrix).ranking()
    ranks = {row.item: (row.best_rank, row.worst_rank) for row in answer.rows()}
    low, high = np.quantile(
        bootstrap_ranks(matrix), [0.025, 0.975], axis=0, method="inverted_cdf"
    )
    figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
    for place, item in enumerate(answer.order):
        for ends, offset, colour in (
            (ranks[matrix.items[item]], -0.16, BLUE),
            ((low[item], high[item]), 0.16, ORANGE),
        ):
            axes.plot(
                [ends[0] - 0.1, ends[1] + 0.1],
                [place + offset] * 2,
                color=colour,
                linewidth=5,
            )
    axes.set_yticks(range(len(answer.order)), answer.ranking)
    axes.set_xticks(range(1, len(answer.order) + 1))
    axes.invert_yaxis()
    axes.set_xlabel("rank")
    axes.grid(axis="x", alpha=0.3)
    axes.legend(
        handles=[
            Patch(color=BLUE, label="ranks without any one task"),
            Patch(
                color=ORANGE,
                label="95% bootstrap interval (other tasks of the same kind)",
            ),
        ],
        loc="upper right",
        frameon=False,
    )
    save(figure, "intervals.png")


def draw_regions() -> None:
    """Draw the inflated argmax of three items over the plane of their differences."""
    steps = np.linspace(-1.5, 1.5, 601)
    first, second = np.meshgrid(steps, steps)
    scores = np.stack([first, second, np.zeros_like(first)], axis=-1)
    members = inflated_topk_mask(scores, k=1, eps=1.0)
    code = (members * np.array([1, 2, 4])).sum(axis=-1)
    order = [1, 2, 4, 3, 5, 6, 7]
    names = ["{A}", "{B}", "{C}", "{A, B}", "{A, C}", "{B, C}", "{A, B, C}"]
    colours = [
        "#0072B2",
        "#E69F00",
        "#009E73",
        "#CC79A7",
        "#56B4E9",
        "#F0E442",
        "#dddddd",
    ]
    figure, axes = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    place = np.searchsorted(np.sort(order), code)
    colour_of = dict(zip(order, colours, strict=True))
    palette = ListedColormap([colour_of[number] for number in sorted(order)])
    axes.imshow(
        place,
        origin="lower",
        extent=(-1.5, 1.5, -1.5, 1.5),
        cmap=palette,
        vmin=-0.5,
        vmax=6.5,
        interpolation="nearest",
    )
    axes.set_xlabel("score of A less score of C")
    axes.set_ylabel("score of B less score of C")
    handles = [
        Patch(color=colour, label=name)
        for colour, name in zip(colours, names, strict=True)
    ]
    axes.legend(
        handles=handles,
        title="inflated argmax",
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
    )
    save(figure, "regions.png")


def save(figure: Any, name: str) -> None:
    """Write a figure without the date and version that would change with every run."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURES / name, dpi=130, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Draw all figures."""
    for draw in (draw_curve, draw_comparison, draw_regions):
        draw()


if __name__ == "__main__":
    main()
