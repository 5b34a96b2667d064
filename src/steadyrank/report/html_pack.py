"""The findings of a top-k in the compact form that a page carries.

The page gets them with two changes for size alone: long lists of numbers become base64 of little-endian
64-bit floats (exact, and half as long as digits), and rows become columns. Nothing is rounded: a slider
at a boundary decides as the library does.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.report.export import ROW_NAMES
from steadyrank.wording import STANDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

STEPS_OF_OTHERS = 300
"""Steps that the page keeps of the curve of a k that was not the one asked for."""

RESHAPED = frozenset({"rows", "thresholds", "curve", "curves"})
"""What the page gets in another form."""


def packed(findings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the compact form of the findings of a top-k.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> page = packed(stable_topk(votes, 2, eps=0.1, claim="none").findings())
    >>> page["columns"]["item"], page["curves"]
    (['ann', 'bob', 'cyd'], [])
    """
    limit = findings["thresholds"]["limit"]
    page = {name: value for name, value in findings.items() if name not in RESHAPED}
    return page | {
        "standings": STANDINGS,
        "columns": _columns(findings["rows"]),
        "thresholds": _thresholds(findings["thresholds"]),
        "curves": [_curve(found, findings["k"], limit) for found in findings.get("curves", ())],
    }


def floats(values: ArrayLike) -> str:
    """Return numbers as base64 of little-endian 64-bit floats.

    Examples
    --------
    >>> floats([1.0])
    'AAAAAAAA8D8='
    """
    return b64encode(np.asarray(values, dtype="<f8").tobytes()).decode("ascii")


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # The rank is the place, and standing follows from the interval, as for every other eps.
    found = {name: [row[name] for row in rows] for name in ROW_NAMES if name not in {"rank", "standing"}}
    return found | {name: floats(found[name]) for name in ("score", "critical_eps")}


def _thresholds(found: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: found[name] for name in ("limit", "first_k", "last_k")}
    for name in ("enters", "swaps"):
        parts: list[list[float]] = found[name]
        made[name] = {
            "lengths": [len(part) for part in parts],
            "values": floats([value for part in parts for value in part]),
        }
    return made


def _curve(found: Mapping[str, Any], asked: int, limit: float) -> dict[str, Any]:
    """Keep the steps of delta up to ``limit``; fewer for a k that is not the one asked for.

    Delta never grows with eps, so the value at the last step that was kept is never too small.
    """
    eps, delta = np.array(found["eps"]), np.array(found["delta"])
    kept = np.flatnonzero((eps < limit) & np.append(True, np.diff(delta) < 0))
    thinned = bool(found["thinned"])
    if found["k"] != asked and len(kept) > STEPS_OF_OTHERS:
        kept = kept[np.linspace(0, len(kept) - 1, STEPS_OF_OTHERS).round().astype(np.int64)]
        thinned = True
    return {"k": found["k"], "eps": floats(eps[kept]), "delta": floats(delta[kept]), "thinned": thinned}
