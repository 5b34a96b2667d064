"""Make the data sets that ``steadyrank demo`` shows: invented names, and near-ties worth seeing.

Run it from the repository: ``python scripts/make_demo_data.py``. The same seed gives the same files.
For each data set, seeds are tried in order from the first one until the plain top k is fragile (some
units change it when they leave) and a few contenders make it stable: a near-tie, found and not made up.
"""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank import Battles, Ratings, ScoreMatrix, Study, inflated_topk

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_SEED = 2025
FOLDER = Path(__file__).resolve().parents[1] / "src" / "steadyrank" / "demo"

RESTAURANTS = (
    "Amber & Oak", "Bluebird Bakery", "Café Lumière", "Dockside Roasters", "Eleven Spoons",
    "Fennel & Fig", "Grain Store", "Harbour Lights", "Ivy Court", "Juniper Corner", "Kettle Row",
    "Lark & Loaf", "Mill Pond Tea", "North Quay", "Old Post Office", "Paper Lantern",
    "Quince & Co", "Red Door", "Saltmarsh", "Tin Roof",
)  # fmt: skip

MODELS = (
    "Albatross 70B", "Bramble Chat", "Cobalt 3", "Driftwood 13B", "Ember Large", "Ferrous 8B",
    "Gannet Mini", "Heron 2", "Ibex Instruct", "Jackdaw 7B",
)  # fmt: skip

METHODS = (
    "BoostTree", "CrossNet", "DeepLinear", "EnsembleX", "ForestPlus", "GaussNet", "KernelMix",
    "LogitBase", "NearestK", "PatchTab", "StackedMLP", "TokenTab",
)  # fmt: skip


NEXT_METHODS = (*METHODS[:-1], "VectorTab")


def ratings(rng: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """Return stars that guests gave to restaurants, each guest to some of them."""
    quality = rng.permutation(np.linspace(4.4, 2.6, len(RESTAURANTS)))
    rows: list[list[Any]] = []
    for guest in range(1, 181):
        mood = rng.normal(0, 0.4)
        for place in np.sort(
            rng.choice(len(RESTAURANTS), size=rng.integers(4, 13), replace=False)
        ):
            stars = int(
                np.clip(np.rint(quality[place] + mood + rng.normal(0, 0.8)), 1, 5)
            )
            rows.append([f"guest {guest:03d}", RESTAURANTS[place], stars])
    return ["reviewer", "restaurant", "stars"], rows


def battles(rng: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """Return which of two chat models a judge preferred."""
    strength = rng.permutation(np.linspace(1.2, -1.2, len(MODELS)))
    rows: list[list[Any]] = []
    for _ in range(900):
        left, right = rng.choice(len(MODELS), size=2, replace=False)
        judge = f"judge {rng.integers(1, 41):02d}"
        chance = 1 / (1 + np.exp(strength[right] - strength[left]))
        draw = rng.random()
        winner = "tie" if draw < 0.15 else "left" if rng.random() < chance else "right"
        rows.append([MODELS[left], MODELS[right], winner, judge])
    return ["left", "right", "winner", "judge"], rows


def benchmark(rng: np.random.Generator) -> tuple[list[str], list[list[Any]]]:
    """Return the accuracy of methods on tasks."""
    ability = rng.permutation(np.linspace(0.06, -0.06, len(METHODS)))
    rows: list[list[Any]] = []
    for task in range(1, 49):
        level = rng.uniform(0.62, 0.9)
        accuracy = np.clip(level + ability + rng.normal(0, 0.03, len(METHODS)), 0, 1)
        rows.append([f"task {task:02d}", *(f"{value:.4f}" for value in accuracy)])
    return ["task", *METHODS], rows


def next_benchmark(
    rng: np.random.Generator, folder: Path
) -> tuple[list[str], list[list[Any]]]:
    """Return the benchmark a month later: more tasks, one method better, one new, one gone."""
    with (folder / "benchmark.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            [task, *map(float, values)] for task, *values in list(csv.reader(file))[1:]
        ]
    ability = np.mean([row[1:] for row in rows], axis=0) - np.mean(
        [row[1:] for row in rows]
    )
    for task in range(49, 61):
        accuracy = np.clip(
            rng.uniform(0.62, 0.9) + ability + rng.normal(0, 0.03, len(METHODS)), 0, 1
        )
        rows.append([f"task {task:02d}", *accuracy])
    better = NEXT_METHODS.index("KernelMix") + 1
    for row in rows:
        row[-1] = np.mean(row[1:-1]) + rng.normal(
            0.02, 0.03
        )  # TokenTab gives way to a new method
        row[better] += abs(rng.normal(0.03, 0.01))
    return ["task", *NEXT_METHODS], [
        [row[0], *(f"{value:.4f}" for value in row[1:])] for row in rows
    ]


def as_ratings(rows: list[list[Any]]) -> Ratings:
    """Return the rows as ratings."""
    guests, places, stars = zip(*rows, strict=True)
    return Ratings(guests, places, stars)


def as_battles(rows: list[list[Any]]) -> Battles:
    """Return the rows as battles, judges as units."""
    left, right, winner, judges = zip(*rows, strict=True)
    return Battles(left, right, winner, units=judges)


def as_scores(rows: list[list[Any]]) -> ScoreMatrix:
    """Return the rows as a score matrix."""
    return ScoreMatrix(
        [[float(value) for value in row[1:]] for row in rows], items=METHODS
    )


def worth_seeing(data: Any, k: int) -> bool:
    """Tell whether the plain top k is fragile and one or two contenders more make it stable."""
    study = Study(data)
    answer = study.topk(k, eps=study.curve(k).smallest_eps(0.05))
    plain = Study(data).audit(k=k, eps=answer.eps, methods=("topk",)).row("topk", k)
    always = len(inflated_topk(answer.scores, k, answer.eps).always_indices)
    return 0.1 <= plain.delta <= 0.4 and k < answer.size <= k + 2 and always >= k - 1


def write(
    name: str,
    make: Callable[[np.random.Generator], tuple[list[str], list[list[Any]]]],
    as_data: Callable[[list[list[Any]]], Any],
    k: int,
    folder: Path,
) -> None:
    """Write the first data set with a near-tie at rank k."""
    seed = FIRST_SEED
    header, rows = make(np.random.default_rng(seed))
    while not worth_seeing(as_data(rows), k):
        seed += 1
        header, rows = make(np.random.default_rng(seed))
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    print(f"{name}: seed {seed}, {len(rows):,} rows")  # noqa: T201 (a script says what it did)


def main(folder: Path = FOLDER) -> None:
    """Write the four files."""
    write("restaurants.csv", ratings, as_ratings, k=5, folder=folder)
    write("chat_battles.csv", battles, as_battles, k=3, folder=folder)
    write("benchmark.csv", benchmark, as_scores, k=4, folder=folder)
    write(
        "benchmark_next.csv",
        partial(next_benchmark, folder=folder),
        as_scores,
        k=4,
        folder=folder,
    )


if __name__ == "__main__":
    main()
