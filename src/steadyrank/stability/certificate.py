"""Certificates: what may be claimed of an answer, by which rule, and in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from steadyrank.operators.inflation import just_above

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank.scorers.sensitivity import Sensitivity

Status = Literal["proved", "observed", "none"]

CAVEAT = "This is stability under deletion, not statistical confidence in a true ranking."


@dataclass(frozen=True)
class Certificate:
    """What is claimed of an answer.

    Attributes
    ----------
    eps, delta : float
        The inflation, and the share of units whose removal may break the answer. ``delta`` is None
        where nothing is claimed.
    status : {"proved", "observed", "none"}
        ``proved``: holds for every dataset of this kind and size. ``observed``: checked on this
        dataset, by leaving out every unit. ``none``: nothing was proved or checked.
    rule : str
        The name of the rule.
    numbers : mapping
        The numbers that the rule used.
    sentence : str
        The claim in plain words.
    vacuous : bool
        Whether the claim is true but says nothing.
    """

    eps: float
    delta: float | None
    status: Status
    rule: str
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    vacuous: bool = False

    def __str__(self) -> str:
        """Return the claim in plain words."""
        return self.sentence


def _kept(what: str) -> str:
    return "share a ranking with" if what == "ranking" else f"still share at least {what} items with"


def proved_by_sensitivity(eps: float, bound: Sensitivity, unit: str, what: str) -> Certificate:
    """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``."""
    sentence = (
        f"Proved: leave out any one {unit}, and the new answer will {_kept(what)} this one "
        f"(delta = 0), because {bound.sentence} {CAVEAT}"
    )
    numbers = MappingProxyType({**bound.numbers, "bound": bound.eps})
    return Certificate(eps, 0.0, "proved", bound.rule, sentence, numbers)


def observed(eps: float, delta: float, n: int, unit: str, what: str, rule: str) -> Certificate:
    """Return the certificate of an audit of this very dataset."""
    broken = round(delta * n)
    finding = (
        f"none of them breaks the answer: every new one would {_kept(what)} this one"
        if broken == 0
        else f"{broken:,} of them ({delta:.3g}) break the answer; without any other, the new one "
        f"would {_kept(what)} this one"
    )
    sentence = (
        f"Observed on this dataset: each of the {n:,} {unit}s was left out in turn, "
        f"and {finding}. {CAVEAT}"
    )
    numbers = MappingProxyType({"n": float(n), "broken": float(broken)})
    return Certificate(eps, delta, "observed", rule, sentence, numbers)


def proved_by_bagging(
    eps: float, delta: float, numbers: Mapping[str, float], unit: str, what: str
) -> Certificate:
    """Return the certificate of a bagged scorer with bounded outputs (in expectation over the bags)."""
    vacuous = delta >= 1
    claim = (
        "The bound is vacuous here (delta >= 1): it promises nothing. More bags, smaller bags or a "
        "larger eps would help."
        if vacuous
        else f"leave out a {unit} at random, and with probability at least {1 - delta:.3g} over the "
        f"{unit} and the bags the new answer will {_kept(what)} this one."
    )
    sentence = (
        f"Proved for bagging: {claim} The price of finitely many bags is the term 2/B = "
        f"{numbers['finite_bags']:.3g} beside C = {numbers['C']:.3g}. {CAVEAT}"
    )
    return Certificate(
        eps, min(delta, 1.0), "proved", "bagging", sentence, MappingProxyType(dict(numbers)), vacuous
    )


def unchecked(eps: float) -> Certificate:
    """Return the certificate of an eps given by hand, without an audit."""
    sentence = (
        f"Nothing is claimed: eps = {eps:.6g} was given by hand, "
        f"and no unit was left out to check it. {CAVEAT}"
    )
    return Certificate(eps, None, "none", "given", sentence)


def above_bound(bound: Sensitivity) -> float:
    """Return the tightest eps that a sensitivity bound proves."""
    return just_above(bound.eps)
