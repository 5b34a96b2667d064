"""Print certified Bradley-Terry margins beside what first-order influences find.

Run from anywhere: ``python scripts/influence_margins.py [FILE]``. The file has one line for each pair of
models with its wins and ties; by default ``shared/data/battles/arena_pairs.csv`` beside the checkout.
Influences as Broderick, Giordano and Meager use them, and for this model Huang, Shen, Wei and
Broderick: the change of a lead when one battle is dropped, to first order; those of the most influential
are added up until the lead is gone. *predicted* is how many that takes, *refitted* how many of them must
be dropped until a new fit has another top k. Fits are made here, from counts, by Newton's method.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from real_data_table import FOLDER, PAIRS, WANTED_K

from steadyrank import Study, read

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE = FOLDER / "battles" / "arena_pairs.csv"
RESULTS = (1.0, 0.0, 0.5)
"""What the first model has of a battle: it wins, loses or ties."""


class Battles(NamedTuple):
    """Kinds of battles: who plays, what the first has of each, and how many there are."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    result: NDArray[np.float64]
    number: NDArray[np.int64]


def battles_of(file: Path, names: list[str]) -> Battles:
    """Read the counts."""
    table = np.genfromtxt(file, delimiter=",", names=True, dtype=None, encoding="utf-8")
    place = {name: number for number, name in enumerate(names)}
    ends = [
        np.array([place[name] for name in table[side]])
        for side in ("model_a", "model_b")
    ]
    ties = table["ties"] + table["ties_bothbad"]
    count = np.concatenate([table["wins_a"], table["wins_b"], ties])
    first, second = (np.tile(end, len(RESULTS)) for end in ends)
    return Battles(first, second, np.repeat(RESULTS, len(table)), count)


def fit(
    battles: Battles, items: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the strengths and the inverse of the information."""
    strengths: NDArray[np.float64] = np.zeros(items)
    while True:
        chance = 1 / (1 + np.exp(strengths[battles.second] - strengths[battles.first]))
        slope = np.zeros(items)
        np.add.at(slope, battles.first, battles.number * (battles.result - chance))
        np.add.at(slope, battles.second, -battles.number * (battles.result - chance))
        told = np.zeros((items, items))
        np.add.at(
            told,
            (battles.first, battles.second),
            battles.number * chance * (1 - chance),
        )
        told += told.T
        inverse = np.asarray(
            np.linalg.pinv(np.diag(told.sum(axis=1)) - told), dtype=np.float64
        )
        step = inverse @ slope
        strengths += step
        if np.abs(step).max() < 1e-10:
            return strengths, inverse


def dropped(battles: Battles, order: NDArray[np.int64], number: int) -> Battles:
    """Return the battles without so many, the kinds in this order."""
    before = np.cumsum(battles.number[order]) - battles.number[order]
    left = battles.number.copy()
    left[order] -= np.clip(number - before, 0, battles.number[order])
    return battles._replace(number=left)


def needed(battles: Battles, influence: NDArray[np.float64], lead: float) -> int:
    """Return how many of the most influential battles add up to more than a lead."""
    order = np.argsort(-influence)
    upto = np.cumsum(battles.number[order] * np.maximum(influence[order], 0))
    place = int(np.searchsorted(upto, lead, side="right"))
    if place == len(order):
        return int(battles.number.sum())
    before = upto[place - 1] if place else 0.0
    number = int(battles.number[order][:place].sum())
    return number + int((lead - before) // influence[order][place]) + 1


def by_influence(battles: Battles, items: int, k: int) -> tuple[int, int]:
    """Return the smallest number that influences predict for any pair, and what a refit needs."""
    strengths, inverse = fit(battles, items)
    chance = 1 / (1 + np.exp(strengths[battles.second] - strengths[battles.first]))
    ranked = np.argsort(-strengths)
    found = []
    for ahead in ranked[:k]:
        for behind in ranked[k:]:
            along = inverse[ahead] - inverse[behind]
            influence = (battles.result - chance) * (
                along[battles.first] - along[battles.second]
            )
            number = needed(battles, influence, strengths[ahead] - strengths[behind])
            found.append((number, tuple(np.argsort(-influence).tolist())))
    predicted, kinds = min(found, key=lambda each: each[0])
    top, order, refitted = set(ranked[:k].tolist()), np.array(kinds), predicted

    def changed(number: int) -> bool:
        without = fit(dropped(battles, order, number), items)[0]
        return set(np.argsort(-without)[:k].tolist()) != top

    while not changed(refitted):
        refitted += 1
    while changed(refitted - 1):
        refitted -= 1
    return predicted, refitted


def main() -> None:
    """Print the table."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    data: Any = read(file, **PAIRS)
    study, names = Study(data), [str(item) for item in data.items]
    battles = battles_of(file, names)
    sys.stdout.write(
        "k   certified below   seen above   predicted by influence   refitted\n"
    )
    for k in WANTED_K:
        margin = study.margin(k)
        predicted, refitted = by_influence(battles, len(names), k)
        sys.stdout.write(
            f"{k:<4}{margin.lower:<18,}{margin.upper:<13,}{predicted:<25,}{refitted:,}\n"
        )


if __name__ == "__main__":
    main()
