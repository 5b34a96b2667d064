"""Certificates: what may be claimed of an answer, by which rule, and in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from steadyrank.text import counted, plural, rounded_down, rounded_up

if TYPE_CHECKING:
    from steadyrank.scorers.sensitivity import Sensitivity

Status = Literal["proved", "observed", "certified", "none"]
Guarantee = Literal["overlap", "cover"]

CAVEAT = "This is stability under deletion, not statistical confidence in a true ranking."
BY_SHIFTS = (
    "No ranking was compared: how far each unit moves the scores bounds the number that break it."
)
NOTHING_LEFT_OUT = "The claim is vacuous here: the answer leaves nothing out."


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
        ``proved``: holds for every dataset of this size and of the kind that the sentence names.
        ``observed``: checked on this dataset, by leaving out every unit. ``certified``: proved of this
        dataset, for every removal of up to ``removals`` units. ``none``: nothing was proved or checked.
    rule : str
        The name of the rule.
    numbers : mapping
        The numbers that the rule used.
    sentence : str
        The claim in plain words: of which data, at which eps, by which rule.
    promise : str
        The same in short: what holds of a new answer.
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
    promise: str = ""

    def __str__(self) -> str:
        """Return the claim in plain words."""
        return self.sentence

    def by_shifts(self) -> Certificate:
        """Return the same of numbers that rest on how far each unit moves the scores."""
        most = self.promise.replace("not without ", "not without at most ")
        return _remarked(replace(self, rule="shifts of the scores", promise=most), BY_SHIFTS)

    def nothing_left_out(self) -> Certificate:
        """Return the same of an answer that holds everything there is, and so promises nothing."""
        return _remarked(replace(self, vacuous=True), NOTHING_LEFT_OUT)


def _remarked(found: Certificate, remark: str) -> Certificate:
    """Return a certificate with a remark before its caveat, and after its promise."""
    told = f"{found.sentence.removesuffix(CAVEAT)}{remark} {CAVEAT}"
    return replace(found, sentence=told, promise=f"{found.promise} {remark}")


@dataclass(frozen=True)
class Claims:
    """Words the certificates of one answer: a top k, or without a k the ranking, of ``n`` units."""

    n: int
    unit: str
    k: int | None
    guarantee: Guarantee

    @property
    def cover(self) -> bool:
        """Whether the new plain answer is to be inside."""
        return self.guarantee == "cover"

    @property
    def _holds(self) -> str:
        """What holds of the new answer."""
        if self.k is None and self.cover:
            return "plain ranking is one of this set"
        if self.k is None:
            return "set shares a ranking with this one"
        if self.cover:
            return f"plain top {self.k:,} is inside this list"
        return f"list at the same eps shares at least {counted(self.k, 'item')} with this one"

    def _where(self, eps: float | None, *, chosen: bool, kept: str = "") -> str:
        """Return which dataset it is about, and where eps comes from; without one, ties are inflated."""
        at = f"chosen on it{kept}" if chosen else "which was given"
        told = "with equal scores kept together" if eps is None else f"at eps = {rounded_up(eps)}, {at}"
        return f"on this dataset of {counted(self.n, self.unit)}, {told}"

    def _made(
        self,
        eps: float,
        delta: float,
        status: Status,
        rule: str,
        told: tuple[str, str, str],
        numbers: Mapping[str, float],
        *,
        bare: bool = False,
    ) -> Certificate:
        """Return a certificate from where it comes from, its promise, and why: parts of a sentence.

        ``bare``: nothing is promised, so that it need not be said what is not.
        """
        where, promise, why = told
        new = "plain ranking is one of the set" if self.k is None else f"top {self.k} is in the list"
        beyond = "" if self.cover or bare else f" It is not promised that the new {new}."
        sentence = f"{where}: {promise}{why}.{beyond} {CAVEAT}"
        short = f"{status.capitalize()}: {promise}.{beyond}"
        known = Numbers(numbers)
        return Certificate(
            eps, delta, status, rule, sentence, known, guarantee=self.guarantee, promise=short
        )

    def observed(self, eps: float, broken: int, *, chosen: bool, ties: bool) -> Certificate:
        """Return the certificate of an audit of this very dataset, at an eps given or chosen on it.

        ``ties``: it inflates nothing but equal scores, so that the number says nothing.
        """
        delta, seen = broken / self.n, " every time (delta = 0)"
        if broken:
            seen = f", but not without {broken:,} of them (delta = {rounded_up(delta)})"
        left_out = f"each of the {self.n:,} {plural(self.unit)} was left out in turn"
        kept = " and kept fixed while units were left out"
        where = f"Observed {self._where(None if ties else eps, chosen=chosen, kept=kept)}"
        rule = "audit" if not chosen else "covering eps" if self.cover else "breaking eps"
        told = where, f"{left_out}, and the new {self._holds}{seen}", ""
        return self._made(eps, delta, "observed", rule, told, {"n": self.n, "broken": broken})

    def certified(self, eps: float, removals: int, *, chosen: bool) -> Certificate:
        """Return the certificate of an answer that holds whichever units leave, up to so many."""
        promise = (
            f"whichever of the {self.n:,} {plural(self.unit)} leave, up to {removals:,} of them "
            f"together, if the rest can still be scored, the new {self._holds} (delta = 0)"
        )
        why = ". No removal was tried: bounds of what any removal does to pairs of items prove it"
        told = f"Certified {self._where(eps, chosen=chosen)}", promise, why
        numbers = {"n": self.n, "removals": removals}
        found = self._made(eps, 0.0, "certified", "bounds of pairs", told, numbers)
        return replace(found, removals=removals)

    def proved_by_sensitivity(self, eps: float, bound: Sensitivity) -> Certificate:
        """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``."""
        because = bound.sentence[:1].lower() + bound.sentence[1:].removesuffix(".")
        larger = "more than 2 + √2 times that" if self.cover else "larger"
        promise = f"leave out any one {self.unit}, and the new {self._holds} (delta = 0)"
        why = f", because {because}, and eps = {rounded_down(eps, 6)} is {larger}"
        told = "Proved for every dataset of this size and the kind named here", promise, why
        return self._made(eps, 0.0, "proved", bound.rule, told, {**bound.numbers, "bound": bound.eps})

    def proved_by_bagging(
        self, eps: float, delta: float, numbers: Mapping[str, float], factor: float
    ) -> Certificate:
        """Return the certificate of a bagged scorer with bounded outputs (in expectation over the bags).

        It says nothing where delta reaches 1, nor where eps exceeds so often the diameter of the ball
        that holds all outputs: any two outputs are then close enough, bagged or not.
        """
        reach = factor * 2 * math.sqrt(numbers["radius_squared"])
        promise, why = self._bagging_claim(eps, delta, reach)
        how, term = "drawn anew without each", "2/B = "
        if numbers.get("reuse"):
            how, term = "used again without each, given that none is in all of them", ""
        why += (
            f". There are {numbers['n']:,} {plural(self.unit)}; the price of {numbers['bags']:,} bags, "
            f"{how}, is the term {term}{numbers['finite_bags']:.3g} beside C = {numbers['C']:.3g}"
        )
        told = "Proved for bagging", promise, why
        found = self._made(eps, min(delta, 1.0), "proved", "bagging", told, numbers, bare=delta >= 1)
        return replace(found, vacuous=delta >= 1 or eps > reach)

    def _bagging_claim(self, eps: float, delta: float, reach: float) -> tuple[str, str]:
        """Return what is promised, and what is to be said of it."""
        if delta >= 1:
            why = ". More bags, smaller bags or a larger eps would help"
            return "the bound is vacuous here (delta >= 1): it promises nothing", why
        promise = (
            f"leave out one {self.unit} at random, and with probability at least "
            f"{rounded_down(1 - delta)} (delta = {rounded_up(delta)}) over the {self.unit} and the "
            f"bags, if every bag can be scored, the new {self._holds}"
        )
        if eps <= reach:
            return promise, ""
        return promise, (
            f". The bound is vacuous here: eps = {rounded_down(eps, 6)} is larger than {reach:.6g}, "
            "which is enough for any two possible outputs without bagging. More bags or smaller bags "
            "would help"
        )


def unchecked(eps: float, guarantee: Guarantee) -> Certificate:
    """Return the certificate of an eps given by hand, without an audit."""
    promise = "Nothing is claimed: no unit was left out."
    sentence = (
        f"Nothing is claimed: eps = {eps:.6g} was given by hand, "
        f"and no unit was left out to check it. {CAVEAT}"
    )
    return Certificate(eps, None, "none", "given", sentence, guarantee=guarantee, promise=promise)
