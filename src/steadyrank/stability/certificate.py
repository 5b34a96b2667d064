"""Certificates: what may be claimed of an answer, by which rule, and in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from steadyrank.wording import counted, plural

if TYPE_CHECKING:
    from steadyrank.scorers.sensitivity import Sensitivity

Status = Literal["proved", "observed", "certified", "none"]
Guarantee = Literal["overlap", "cover"]

CAVEAT = "This is stability under deletion, not statistical confidence in a true ranking."


class Numbers(Mapping[str, float]):
    """A mapping that nobody can change, and that can be copied and sent to another process.

    Examples
    --------
    >>> Numbers({"n": 3})["n"], Numbers({"n": 3})
    (3, Numbers({'n': 3}))
    """

    def __init__(self, numbers: Mapping[str, float] | None = None) -> None:
        self._numbers = dict(numbers or {})

    def __getitem__(self, name: str) -> float:
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"Numbers({self._numbers!r})"

    def __hash__(self) -> int:
        return hash(frozenset(self._numbers.items()))


@dataclass(frozen=True)
class Certificate:
    """What is claimed of an answer.

    Attributes
    ----------
    eps, delta : float
        The inflation, and the share of units whose removal may break the answer. ``delta`` is None
        where nothing is claimed.
    status : {"proved", "observed", "certified", "none"}
        ``proved``: holds for every dataset of this kind and size. ``observed``: checked on this
        dataset, by leaving out every unit. ``certified``: proved of this dataset, for every removal of
        up to ``removals`` units. ``none``: nothing was proved or checked.
    rule : str
        The name of the rule.
    numbers : mapping
        The numbers that the rule used.
    sentence : str
        The claim in plain words.
    vacuous : bool
        Whether the claim is true but says nothing.
    removals : int
        How many units, at most, may leave together.
    guarantee : {"overlap", "cover"}
        ``overlap``: the new answer and this one share k items, or a ranking. ``cover``: the new plain
        top k, or the new plain ranking, is inside this answer.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> certificate = stable_topk(votes, k=2, claim="proved").certificate
    >>> certificate.status, certificate.delta, certificate.numbers["n"]
    ('proved', 0.0, 100)
    """

    eps: float
    delta: float | None
    status: Status
    rule: str
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=Numbers)
    vacuous: bool = False
    removals: int = 1
    guarantee: Guarantee = "overlap"

    def __str__(self) -> str:
        """Return the claim in plain words."""
        return self.sentence


def _kept(what: str) -> str:
    if what == "ranking":
        return "share a ranking with"
    return f"still share at least {counted(int(what), 'item')} with"


def proved_by_sensitivity(eps: float, bound: Sensitivity, unit: str, what: str) -> Certificate:
    """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``."""
    because = bound.sentence[:1].lower() + bound.sentence[1:].removesuffix(".")
    sentence = (
        f"Proved: leave out any one {unit}, and the new answer will {_kept(what)} this one "
        f"(delta = 0), because {because}, and eps = {eps:.6g} is larger. {CAVEAT}"
    )
    numbers = Numbers({**bound.numbers, "bound": bound.eps})
    return Certificate(eps, 0.0, "proved", bound.rule, sentence, numbers)


def observed(
    eps: float, delta: float, n: int, unit: str, what: str, *, chosen: bool = False
) -> Certificate:
    """Return the certificate of an audit of this very dataset, at an eps given or chosen on it."""
    broken = round(delta * n)
    rule, at = ("breaking eps quantile", ", at an eps chosen on it") if chosen else ("audit", "")
    finding = (
        f"none of them breaks the answer (delta = 0): every new one would {_kept(what)} this one"
        if broken == 0
        else f"{broken:,} of them {'breaks' if broken == 1 else 'break'} the answer "
        f"(delta = {delta:.3g}); without any other, the new one would {_kept(what)} this one"
    )
    sentence = (
        f"Observed on this dataset{at}: each of the {n:,} {plural(unit)} was left out in turn, "
        f"and {finding}. {CAVEAT}"
    )
    return Certificate(eps, delta, "observed", rule, sentence, Numbers({"n": n, "broken": broken}))


def withstanding(
    eps: float, removals: int, n: int, unit: str, what: str, *, cover: bool, chosen: bool, vacuous: bool
) -> Certificate:
    """Return the certificate of an answer that holds whichever units leave, up to so many of them."""
    at = ", at an eps chosen on it" if chosen else ""
    new = "ranking is one of this set" if what == "ranking" else f"top {int(what):,} is inside this list"
    kept = f"the new plain {new}" if cover else f"the new answer will {_kept(what)} this one"
    if removals == 1:
        status: Status = "observed"
        sentence = (
            f"Observed on this dataset{at}: each of the {n:,} {plural(unit)} was left out in turn, "
        )
        sentence += f"and {kept} every time (delta = 0)."
    else:
        status = "certified"
        sentence = f"Certified on this dataset{at}: whichever of the {n:,} {plural(unit)} leave, up to "
        sentence += (
            f"{removals:,} of them together, if the rest can still be scored, {kept} (delta = 0)."
        )
        sentence += " No removal was tried: bounds of what any removal does to pairs of items prove it."
    if vacuous:
        sentence += " The claim is vacuous here: the answer leaves nothing out."
    rule = "covering eps" if removals == 1 else "bounds of pairs"
    numbers = Numbers({"n": n, "removals": removals})
    promised: Guarantee = "cover" if cover else "overlap"
    return Certificate(
        eps, 0.0, status, rule, f"{sentence} {CAVEAT}", numbers, vacuous, removals, promised
    )


def proved_by_bagging(
    eps: float, delta: float, numbers: Mapping[str, float], unit: str, what: str
) -> Certificate:
    """Return the certificate of a bagged scorer with bounded outputs (in expectation over the bags).

    It says nothing where delta reaches 1, nor where eps exceeds the diameter of the ball that holds
    all outputs: any two outputs are then closer than eps, bagged or not.
    """
    diameter = 2 * math.sqrt(numbers["radius_squared"])
    vacuous = delta >= 1 or eps > diameter
    sentence = (
        f"Proved for bagging: {_bagging_claim(eps, delta, diameter, unit, what)} There are "
        f"{numbers['n']:,} {plural(unit)}; the price of {numbers['bags']:,} bags is the term 2/B = "
        f"{numbers['finite_bags']:.3g} beside C = {numbers['C']:.3g}. {CAVEAT}"
    )
    return Certificate(eps, min(delta, 1.0), "proved", "bagging", sentence, Numbers(numbers), vacuous)


def _bagging_claim(eps: float, delta: float, diameter: float, unit: str, what: str) -> str:
    if delta >= 1:
        return (
            "the bound is vacuous here (delta >= 1): it promises nothing. More bags, smaller bags or "
            "a larger eps would help."
        )
    claim = (
        f"leave out one {unit} at random, and with probability at least {1 - delta:.3g} "
        f"(delta = {delta:.3g}) over the {unit} and the bags the new answer will {_kept(what)} this one."
    )
    if eps > diameter:
        claim += (
            f" The bound is vacuous here: no two possible outputs are further apart than {diameter:.6g} "
            f"and eps = {eps:.6g} is larger, so it holds without bagging. More bags or smaller bags "
            "would help."
        )
    return claim


def unchecked(eps: float) -> Certificate:
    """Return the certificate of an eps given by hand, without an audit."""
    sentence = (
        f"Nothing is claimed: eps = {eps:.6g} was given by hand, "
        f"and no unit was left out to check it. {CAVEAT}"
    )
    return Certificate(eps, None, "none", "given", sentence)
