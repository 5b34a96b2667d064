"""How many units like those seen would settle two neighbours: a model, and said to be one.

Let d be what a unit adds to the lead of rank k over rank k + 1. If units are drawn independently from
where those seen came from, n of them have a mean d that is nearly normal with the spread of d over the
root of n, so the order comes out right with the asked probability from ``n = (z spread / mean)^2`` on,
where z is the normal quantile of that probability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from steadyrank.errors import InvalidValueError, shorten
from steadyrank.stability import findings
from steadyrank.stability.explanation import check_border, contributions_of
from steadyrank.stability.results import Result
from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from steadyrank.stability.study import Study

TIE = 1000
"""Two items are called a tie where more than so many times the units seen would be needed."""

BASES = {
    True: "what each unit adds to the gap",
    False: "jackknife pseudo-values: n times the gap, less n - 1 times the gap without the unit",
}
"""Where the d of the model come from, for additive scorers and for others."""


@dataclass(frozen=True, eq=False, repr=False)
class Needed(Result):
    """How many units like those seen would settle ranks k and k + 1: a model.

    Attributes
    ----------
    k : int
        The border is the one after this rank.
    ahead, behind : labels
        The items with rank k and k + 1.
    gap : float
        The difference of their scores.
    confidence : float
        The asked probability that the one ahead comes out ahead.
    mean, spread : float
        Mean and standard deviation, over the units, of what each adds to the lead.
    needed : int or None
        How many units it takes in all, those seen included; None where no number would do.
    basis : str
        Where ``mean`` and ``spread`` come from.

    Examples
    --------
    >>> from steadyrank import Votes, needed
    >>> print(needed(Votes(["ann"] * 55 + ["bob"] * 45), 1).sentence)  # doctest: +NORMALIZE_WHITESPACE
    By a model (votes like those seen, each drawn by itself), 271 votes in all would put 'ann' ahead of
    'bob' with probability 0.95; 100 were seen.
    """

    document = "needed"

    ASSUMED: ClassVar = (
        "further units are like those seen, each drawn by itself",
        "the mean over so many units is nearly normal",
    )

    k: int
    ahead: object
    behind: object
    gap: float
    confidence: float
    mean: float
    spread: float
    needed: int | None
    basis: str

    def __repr__(self) -> str:
        return f"Needed({self.sentence!r})"

    @property
    def tie(self) -> bool:
        """Whether no number of units, or more than 1,000 times those seen, would settle it."""
        return self.needed is None or self.needed > TIE * self.n_units

    @property
    def sentence(self) -> str:
        """The number in plain words."""
        ahead, behind = shorten(self.ahead), shorten(self.behind)
        seen = counted(self.n_units, self.unit)
        model = f"By a model ({plural(self.unit)} like those seen, each drawn by itself)"
        if self.needed is None:
            return f"{model}, {ahead} and {behind} are a tie: no number of them would settle it."
        number = counted(self.needed, self.unit)
        if self.tie:
            return (
                f"{model}, {ahead} and {behind} are a tie: {number} in all would be needed, more than "
                f"{TIE:,} times the {seen} seen."
            )
        return (
            f"{model}, {number} in all would put {ahead} ahead of {behind} with probability "
            f"{self.confidence}; {self.n_units:,} were seen."
        )

    def _found(self) -> dict[str, Any]:
        return findings.needed_findings(self)


def needed_of(study: Study, k: int, confidence: float) -> Needed:
    """Return how many units would settle a border; see :func:`steadyrank.needed`."""
    k, confidence = check_border(k, len(study.items)), _check_confidence(confidence)
    ahead, behind = study.margin_search().order[k - 1 : k + 1].tolist()
    gap = float(study.scores[ahead] - study.scores[behind])
    given, without, additive = contributions_of(study, ahead, behind)
    counts, n = study.units.counts, study.units.total
    with np.errstate(over="ignore", invalid="ignore"):
        given = given * n if additive else n * gap - (n - 1) * without
        mean = gap if additive else float(counts @ given / n)
        spread = math.sqrt(float(counts @ (given - mean) ** 2 / (n - 1)))
    if not math.isfinite(spread):
        raise InvalidValueError(
            "what units add to the scores is too large to be squared",
            way_out="Divide all values by one number.",
        )
    return Needed(
        **study.about(),
        k=k,
        ahead=study.items[ahead],
        behind=study.items[behind],
        gap=gap,
        confidence=confidence,
        mean=mean,
        spread=spread,
        needed=_number(mean, spread, confidence),
        basis=BASES[additive],
    )


def _number(mean: float, spread: float, confidence: float) -> int | None:
    """Return the number of units; None where there is no lead to settle."""
    from scipy.special import ndtri

    if mean <= 0:
        return None
    quantile = Fraction(float(ndtri(confidence)))
    return max(1, math.ceil((quantile * Fraction(spread) / Fraction(mean)) ** 2))


def _check_confidence(confidence: object) -> float:
    if isinstance(confidence, bool) or not isinstance(confidence, int | float | np.number):
        raise InvalidValueError(
            f"confidence must be a number between 0.5 and 1, but is {shorten(confidence)}"
        )
    if not 0.5 < float(confidence) < 1:  # at one half, no unit at all would do
        raise InvalidValueError(f"confidence must be between 0.5 and 1, but is {shorten(confidence)}")
    return float(confidence)
