"""How large the set of a scorer's possible outputs is, for the bound on bagged scorers."""

from __future__ import annotations

from typing import Any


def output_radius_squared(scorer: Any, data: Any) -> float | None:
    """Return the squared radius of a ball that holds every possible output, or None.

    It must hold for any data of this shape, not only for these, so a scorer without a stated
    range of values has none. Shares of votes lie in the simplex, ``1 - 1/L``. A box ``[a, b]^L``
    has ``L (b-a)^2 / 4``: shares of approval, column means, and mean ratings, which shrinkage
    pulls towards 0. Borda points lie in the hull of the permutations of ``0 .. L-1``, whose
    squared distance from their mean is ``L (L^2 - 1) / 12``. Constrained coefficients lie in
    their ball.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> from steadyrank.scorers.plurality import Plurality
    >>> output_radius_squared(Plurality(), Votes(["ann", "bob"]))
    0.5
    """
    items: int = data.n_items
    # By name, so that no scorer need be imported; but only ours are known to be what they are called.
    kind = type(scorer).__name__ if type(scorer).__module__.startswith("steadyrank.") else ""
    fixed: dict[str, float] = {
        "Plurality": 1.0 - 1.0 / items,
        "Approval": items / 4.0,
        "Borda": items * (items**2 - 1) / 12.0,
    }
    if kind in fixed:
        return fixed[kind]
    if kind == "ConstrainedLeastSquares":
        return float(scorer.radius) ** 2
    if kind in {"ColumnMeans", "MeanRating"} and scorer.value_range is not None:
        lowest, highest = scorer.value_range
        if kind == "MeanRating":
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        return float(items * (highest - lowest) ** 2 / 4.0)
    return None
