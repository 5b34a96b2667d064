"""The experiments as pictures, each written as SVG and as PNG."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from paper.full_ranking import INFLATED_RANKING, RANKING
from paper.movie_lists import INFLATED_TOP_K, TOP_K
from steadyrank.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paper.baselines import Baselines
    from paper.dimensions import DimensionStudy
    from paper.full_ranking import RegressionExperiment
    from paper.movie_lists import NetflixExperiment
    from paper.population import PopulationStudy
    from paper.summaries import MethodSummary

# Okabe and Ito's colours, which differ for every kind of colour vision; lines differ in dashes, too.
PLAIN, INFLATED, SORT = "#D55E00", "#0072B2", "#000000"
FIVE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000")
MARKERS = "os^Dv"
RESOLUTION = 150
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "steadyrank",  # the same picture, byte for byte, whenever it is made
}


@contextmanager
def _drawing(
    width: float, height: float, columns: int, **options: Any
) -> Iterator[tuple[Any, Any]]:
    """Give a figure and its panels, side by side, to draw on in our style."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError("figures need matplotlib", "plot") from error
    with rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(1, columns, **options)


def _save(figure: Any, folder: Path, name: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None})
    figure.savefig(paths[1], dpi=RESOLUTION, metadata={"Software": None})
    return paths


def _survival(
    axes: Any, summary: MethodSummary, colour: str, label: str, dashes: Any = "-"
) -> None:
    levels, shares = summary.survival()
    axes.step(levels, shares, where="post", color=colour, linestyle=dashes, label=label)


def regression_figure(
    results: Sequence[RegressionExperiment], folder: Path
) -> list[Path]:
    """Draw, for each choice of coefficients, how delta is distributed over the trials."""
    with _drawing(
        4.2 * len(results), 3.3, len(results), sharey=True, squeeze=False
    ) as (figure, panels):
        for axes, result in zip(panels[0], results, strict=True):
            _survival(
                axes, result.methods[RANKING], PLAIN, "full ranking", (0, (5, 1.5))
            )
            _survival(
                axes,
                result.methods[INFLATED_RANKING],
                INFLATED,
                "inflated full ranking",
            )
            which = (
                "0, 1, ..., 4 (script)"
                if result.beta == "script"
                else "1, 2, ..., 5 (text)"
            )
            axes.set_title(f"coefficients ∝ {which}", fontsize=10)
            axes.set_xlabel("instability δ")
        panels[0, 0].set_ylabel("share of trials with δ greater than this")
        panels[0, -1].legend(loc="upper right")
        name = (
            "paper-regression"
            if len(results) > 1
            else f"paper-regression-{results[0].beta}"
        )
        return _save(figure, folder, name)


def dimension_figure(result: DimensionStudy, folder: Path) -> list[Path]:
    """Draw delta, the number of rankings and the rank intervals against the number of features."""
    features = np.array([row.features for row in result.rows])
    with _drawing(11.5, 3.4, 3) as (figure, (left, middle, right)):
        plain, inflated = zip(
            *((r.plain_delta, r.inflated_delta) for r in result.rows), strict=True
        )
        left.plot(features, plain, "s--", color=PLAIN, label="full ranking")
        left.plot(
            features, inflated, "o-", color=INFLATED, label="inflated full ranking"
        )
        left.set_ylabel("mean instability δ")
        left.legend(loc="center right")
        middle.plot(
            features, [r.log10_all for r in result.rows], "k:", label="all rankings"
        )
        middle.plot(
            features,
            [r.log10_estimate for r in result.rows],
            "o-",
            mfc="white",
            color=INFLATED,
            label="inflated, estimated",
        )
        counted = [
            (r.features, r.log10_rankings)
            for r in result.rows
            if r.log10_rankings is not None
        ]
        middle.plot(
            *zip(*counted, strict=True), "o", color=INFLATED, label="inflated, counted"
        )
        middle.set_yscale("symlog", linthresh=1)
        middle.set_ylabel("log10 of the number of rankings")
        middle.legend(loc="upper left")
        right.plot(
            features,
            [r.interval_width / r.features for r in result.rows],
            "o-",
            color=INFLATED,
        )
        right.set_ylabel("ranks that a feature may have,\nas a share of all ranks")
        right.set_ylim(0, 1)
        left.set_ylim(-0.03, 1.05)
        for axes in (left, middle, right):
            axes.set_xscale("log")
            axes.set_xticks(features, [str(n) for n in features])
            axes.minorticks_off()
            axes.set_xlabel("features L")
        return _save(figure, folder, "paper-dimensions")


def netflix_figure(results: Sequence[NetflixExperiment], folder: Path) -> list[Path]:
    """Draw the survival curves of delta over the trials, one panel for each k.

    The inflated curve is that of the first result; plain curves are drawn for all of them.
    """
    ks = list(results[0].methods)
    with _drawing(2.2 * len(ks) + 0.5, 3.6, len(ks), sharey=True, squeeze=False) as (
        figure,
        panels,
    ):
        for axes, k in zip(panels[0], ks, strict=True):
            for result in results:
                by_rule = result.ties == "text"
                name = "top-k" + ("" if len(results) == 1 else _TIES[result.ties])
                dashes: Any = (0, (5, 1.5)) if by_rule else (0, (1, 1))
                colour = PLAIN if by_rule or len(results) == 1 else SORT
                _survival(axes, result.methods[k][TOP_K], colour, name, dashes)
            _survival(
                axes, results[0].methods[k][INFLATED_TOP_K], INFLATED, "inflated top-k"
            )
            axes.set_title(f"k = {k}", fontsize=10)
            axes.set_xlabel("instability δ")
            axes.set_xlim(-0.02, 1.02)
            axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        panels[0, 0].set_ylabel("share of trials with δ greater than this")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
        name = (
            "paper-netflix" if len(results) > 1 else f"paper-netflix-{results[0].ties}"
        )
        return _save(figure, folder, name)


_TIES = {"text": ", ties by smallest index", "script": ", ties by an unstable sort"}


def population_figure(result: PopulationStudy, folder: Path) -> list[Path]:
    """Draw mean delta against the number of users, plain beside inflated, one line for each k."""
    users = np.array([row.users for row in result.rows])
    smallest = 1 / result.rows[-1].users
    with _drawing(9.5, 4.0, 2, sharey=True) as (figure, panels):
        for axes, method in zip(panels, (TOP_K, INFLATED_TOP_K), strict=True):
            for number, k in enumerate(result.ks):
                deltas = [row.methods[k][method].mean_delta for row in result.rows]
                style = {
                    "color": FIVE[number % 5],
                    "marker": MARKERS[number % 5],
                    "markersize": 5,
                }
                axes.plot(users, deltas, label=f"k = {k}", **style)
            axes.set_xscale("log")
            axes.set_yscale("symlog", linthresh=smallest, linscale=0.6)
            axes.set_ylim(-0.4 * smallest, 0.6)
            axes.axhline(0.01, color="#666666", linewidth=1, linestyle=":")
            powers = [
                10**power
                for power in range(9)
                if users[0] <= 10**power <= 0.7 * users[-1]
            ]
            axes.set_xticks([*powers, users[-1]], [*(f"{n:,}" for n in powers), "all"])
            axes.set_title(method, fontsize=10)
            axes.set_xlabel("users that the list is built on")
        panels[0].set_ylabel("mean instability δ")
        panels[0].text(
            users[-1], 0.0115, "δ = 0.01", ha="right", va="bottom", color="#666666"
        )
        panels[1].legend(loc="lower left")
        return _save(figure, folder, "paper-population")


def baselines_figure(result: Baselines, folder: Path) -> list[Path]:
    """Draw the sizes of the rules against eps, for lists and for rankings of generated scores."""
    with _drawing(9.5, 3.8, 2) as (figure, (left, right)):
        lists = result.generated
        for number, rule in enumerate(lists[0].sizes):
            style = {"color": FIVE[number], "marker": MARKERS[number], "markersize": 5}
            left.plot(
                [row.eps for row in lists],
                [row.sizes[rule] for row in lists],
                label=rule,
                **style,
            )
        left.set_title(
            f"top {lists[0].k} of {lists[0].items} uniform scores", fontsize=10
        )
        left.set_ylabel("items in the answer")
        rankings = result.generated_rankings
        for label, log_sizes, number in (
            ("inflated ranking", [row.inflated for row in rankings], 0),
            ("linear extensions", [row.extensions for row in rankings], 2),
        ):
            style = {"color": FIVE[number], "marker": MARKERS[number], "markersize": 5}
            right.plot([row.eps for row in rankings], log_sizes, label=label, **style)
        right.set_title(f"rankings of {rankings[0].items} uniform scores", fontsize=10)
        right.set_ylabel("log10 of the number of rankings")
        for axes in (left, right):
            axes.set_xlabel("eps")
            axes.legend(loc="upper left")
        return _save(figure, folder, "baselines")
