"""Findings: a result as one plain document with a version, which every view is drawn from.

Each result tells its own (``_found``); here is what several of them share.
``docs/json-schema.md`` describes each field. The version is ``major.minor``: a new field raises the
minor number, a field that goes or changes its meaning raises the major one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.reading.table import Guess
from steadyrank.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.study import Flip, Flips, StabilityCurve
    from steadyrank.study.results import Result

SCHEMA_VERSION = "4.0"

RULES = {
    "ties": (
        "equal scores: the smaller item index wins in plain answers; equal scores enter inflated ones "
        "together"
    ),
    "eps": "eps is the same for the full data and for the data without each unit",
    "boundary": "a distance of exactly eps counts as out: the inequality is strict",
}
"""Rules that hold for every result, in plain words."""

MAX_STEPS = 2000
"""Steps of a curve that a document holds; beyond it a part of them, each of them exact."""

MAX_FLIPS = 200
"""Flips of each method that a document lists; the rest is counted."""

EXACT_IN_JSON = 1 << 53
"""Whole numbers up to this are exact in every JSON reader."""


def about(
    result: Result, source: str | None = None, policies: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what every document begins with: what was studied, and how."""
    from steadyrank import __version__

    return {
        "schema_version": SCHEMA_VERSION,
        "document": result.document,
        "software": {"name": "steadyrank", "version": __version__},
        "source": source,
        **told(result, "kind", "unit"),
        "units": plural(result.unit),
        **told(result, "n_units", "n_distinct_units"),
        "n_items": len(result.items),
        **told(result, "counted_as", "scorer"),
        "policies": {**RULES, **(policies or {})},
        "guesses": guesses_of(result.notes),
        "notes": list(result.notes),
    }


def guesses_of(notes: Iterable[str]) -> list[dict[str, str]]:
    """Return what was guessed about the data, in a few words each, with the option that changes it."""
    guesses = (note for note in notes if isinstance(note, Guess) and note.brief)
    return [
        {"text": guess.brief, "note": guess, "option": guess.option.typed().removesuffix(" ...")}
        for guess in guesses
    ]


def told(result: object, *names: str) -> dict[str, Any]:
    """Return what a result says under its own names."""
    return {name: getattr(result, name) for name in names}


def finite(number: float | None) -> float | None:
    """Return a number as JSON can hold it: an eps that is beyond all floats is never reached."""
    return number if number is not None and math.isfinite(number) else None


def counted_size(size: int | None) -> int | None:
    """Return the size of an answer; one that JSON cannot hold is told by its logarithm alone."""
    return size if size is not None and size <= EXACT_IN_JSON else None


def label(name: object) -> str | int | float | bool:
    """Return a label as JSON can hold it: text and numbers as they are, anything else in words.

    Examples
    --------
    >>> label("x"), label(np.int64(3)), label(("a", 1))
    ('x', 3, "('a', 1)")
    """
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, bool | str):
        return plain
    if isinstance(plain, int) and abs(plain) <= EXACT_IN_JSON:
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    return str(plain)


def labels(names: Iterable[object]) -> list[str | int | float | bool]:
    """Return labels as JSON can hold them."""
    return [label(name) for name in names]


def curve_findings(found: StabilityCurve, eps: float) -> dict[str, Any]:
    """Return a curve by its steps: delta and size are those for any eps just above each step."""
    steps, delta, size = found.steps()
    kept = _kept_steps(steps, eps)
    return {
        "k": found.k,
        "chosen": eps,
        "eps": steps[kept].tolist(),
        "delta": delta[kept].tolist(),
        "size": size[kept].tolist(),
        "n_steps": len(steps),
        "thinned": len(kept) < len(steps),
    }


def _kept_steps(steps: FloatArray, eps: float, most: int = MAX_STEPS) -> IntArray:
    """Choose steps evenly by number and evenly by eps, and all those next to the chosen eps."""
    if len(steps) <= most:
        return np.arange(len(steps))
    by_number = np.linspace(0, len(steps) - 1, most // 2).round().astype(np.int64)
    grid = np.linspace(steps[0], steps[-1], most // 4)
    by_eps = np.searchsorted(steps, grid).clip(0, len(steps) - 1)
    here = int(np.searchsorted(steps, eps))
    near = np.arange(max(0, here - most // 8), min(len(steps), here + most // 8))
    return np.unique(np.concatenate([by_number, by_eps, near]))


def flip_findings(found: Flips, data: Observations | None) -> dict[str, Any]:
    """Return the units that break each answer, the first of them by name and the rest counted.

    What they said is told where the data are at hand, and the units are those of the data.
    """
    parts = {"plain": found.plain, "inflated": found.inflated}
    return {"k": found.k} | {name: _listed(part, data) for name, part in parts.items()}


def _listed(found: Sequence[Flip], data: Observations | None) -> dict[str, Any]:
    shown = found[:MAX_FLIPS]
    said: list[str | None] = [None] * len(shown)
    if data is not None and shown:
        place = {item: index for index, item in enumerate(data.items)}
        moved = [[place[item] for item in (*flip.leaves, *flip.enters)] for flip in shown]
        said = data.said([flip.number for flip in shown], moved)
    listed = [
        {"unit": label(flip.unit), "count": flip.count, "said": told}
        | {"leaves": labels(flip.leaves), "enters": labels(flip.enters)}
        for flip, told in zip(shown, said, strict=True)
    ]
    units = sum(flip.count for flip in found)
    return {"units": units, "distinct_units": len(found), "listed": listed}
