"""Certificates: what may be claimed of an answer, by which rule, and in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from steadyrank.wording import counted, plural, rounded_down, rounded_up

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


def _holds(what: str, *, cover: bool) -> str:
    """Return what holds of the new answer."""
    if what == "ranking":
        return "plain ranking is one of this set" if cover else "set shares a ranking with this one"
    if cover:
        return f"plain top {int(what):,} is inside this list"
    return f"list at the same eps shares at least {counted(int(what), 'item')} with this one"


def _made(
    eps: float,
    delta: float,
    *,
    status: Status,
    rule: str,
    told: tuple[str, str, str],
    cover: bool,
    numbers: Mapping[str, float],
    what: str,
) -> Certificate:
    """Return a certificate from its promise, where it comes from, and why: three parts of a sentence."""
    promise, where, why = told
    new = "plain ranking is one of the set" if what == "ranking" else f"top {what} is in the list"
    beyond = "" if cover else f" It is not promised that the new {new}."
    sentence = f"{where}: {promise}{why}.{beyond} {CAVEAT}"
    guarantee: Guarantee = "cover" if cover else "overlap"
    short = f"{status.capitalize()}: {promise}.{beyond}"
    return Certificate(
        eps, delta, status, rule, sentence, Numbers(numbers), guarantee=guarantee, promise=short
    )


def proved_by_sensitivity(
    eps: float, bound: Sensitivity, unit: str, what: str, *, cover: bool
) -> Certificate:
    """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``."""
    because = bound.sentence[:1].lower() + bound.sentence[1:].removesuffix(".")
    larger = "more than 2 + √2 times that" if cover else "larger"
    promise = f"leave out any one {unit}, and the new {_holds(what, cover=cover)} (delta = 0)"
    why = f", because {because}, and eps = {rounded_down(eps, 6)} is {larger}"
    return _made(
        eps,
        0.0,
        status="proved",
        rule=bound.rule,
        told=(promise, "Proved for every dataset of this kind and size", why),
        cover=cover,
        numbers={**bound.numbers, "bound": bound.eps},
        what=what,
    )


def _where(
    n: int,
    unit: str,
    eps: float | None,
    *,
    chosen: bool,
    kept: str = " and kept fixed while units were left out",
) -> str:
    """Return which dataset it is about, and where eps comes from; without one, ties are inflated."""
    at = f"chosen on it{kept}" if chosen else "which was given"
    told = f"at eps = {rounded_up(eps)}, {at}" if eps is not None else "with equal scores kept together"
    return f"on this dataset of {counted(n, unit)}, {told}"


def observed(
    eps: float, broken: int, n: int, unit: str, what: str, *, cover: bool, chosen: bool, ties: bool
) -> Certificate:
    """Return the certificate of an audit of this very dataset, at an eps given or chosen on it.

    ``ties``: it inflates nothing but equal scores, so that the number says nothing.
    """
    delta = broken / n
    seen = "every time (delta = 0)"
    if broken:
        seen = f"but not without {broken:,} of them (delta = {rounded_up(delta)})"
    promise = f"each of the {n:,} {plural(unit)} was left out in turn, and the new "
    promise += f"{_holds(what, cover=cover)}{',' if broken else ''} {seen}"
    where = f"Observed {_where(n, unit, None if ties else eps, chosen=chosen)}"
    return _made(
        eps,
        delta,
        status="observed",
        rule="audit" if not chosen else "covering eps" if cover else "breaking eps",
        told=(promise, where, ""),
        cover=cover,
        numbers={"n": n, "broken": broken},
        what=what,
    )


def by_shifts(found: Certificate) -> Certificate:
    """Return an observed certificate whose numbers rest on how far each unit moves the scores."""
    bound = (
        "No ranking was compared: how far each unit moves the scores bounds the number that break it."
    )
    told = f"{found.sentence.removesuffix(CAVEAT)}{bound} {CAVEAT}"
    most = found.promise.replace("not without ", "not without at most ")
    return replace(found, rule="shifts of the scores", sentence=told, promise=f"{most} {bound}")


def withstanding(
    eps: float, removals: int, n: int, unit: str, what: str, *, cover: bool, chosen: bool
) -> Certificate:
    """Return the certificate of an answer that holds whichever units leave, up to so many of them."""
    promise = (
        f"whichever of the {n:,} {plural(unit)} leave, up to {removals:,} of them together, if the rest "
        f"can still be scored, the new {_holds(what, cover=cover)} (delta = 0)"
    )
    why = ". No removal was tried: bounds of what any removal does to pairs of items prove it"
    found = _made(
        eps,
        0.0,
        status="certified",
        rule="bounds of pairs",
        told=(promise, f"Certified {_where(n, unit, eps, chosen=chosen, kept='')}", why),
        cover=cover,
        numbers={"n": n, "removals": removals},
        what=what,
    )
    return replace(found, removals=removals)


def nothing_left_out(found: Certificate) -> Certificate:
    """Return the certificate of an answer that holds everything there is, and so promises nothing."""
    empty = "The claim is vacuous here: the answer leaves nothing out."
    told = f"{found.sentence.removesuffix(CAVEAT)}{empty} {CAVEAT}"
    return replace(found, sentence=told, promise=f"{found.promise} {empty}", vacuous=True)


def proved_by_bagging(
    eps: float,
    delta: float,
    numbers: Mapping[str, float],
    unit: str,
    what: str,
    *,
    factor: float,
    cover: bool,
) -> Certificate:
    """Return the certificate of a bagged scorer with bounded outputs (in expectation over the bags).

    It says nothing where delta reaches 1, nor where eps exceeds so often the diameter of the ball that
    holds all outputs: any two outputs are then close enough, bagged or not.
    """
    reach = factor * 2 * math.sqrt(numbers["radius_squared"])
    promise, why = _bagging_claim(eps, delta, reach, unit, _holds(what, cover=cover))
    how, term = "drawn anew without each", "2/B = "
    if numbers.get("reuse"):
        how, term = "used again without each, none of which is in all of them", ""
    why += (
        f". There are {numbers['n']:,} {plural(unit)}; the price of {numbers['bags']:,} bags, {how}, is "
        f"the term {term}{numbers['finite_bags']:.3g} beside C = {numbers['C']:.3g}"
    )
    found = _made(
        eps,
        min(delta, 1.0),
        status="proved",
        rule="bagging",
        told=(promise, "Proved for bagging", why),
        cover=cover or delta >= 1,
        numbers=numbers,
        what=what,
    )
    guarantee: Guarantee = "cover" if cover else "overlap"
    return replace(found, vacuous=delta >= 1 or eps > reach, guarantee=guarantee)


def _bagging_claim(eps: float, delta: float, reach: float, unit: str, holds: str) -> tuple[str, str]:
    """Return what is promised, and what is to be said of it."""
    if delta >= 1:
        why = ". More bags, smaller bags or a larger eps would help"
        return "the bound is vacuous here (delta >= 1): it promises nothing", why
    promise = (
        f"leave out one {unit} at random, and with probability at least {rounded_down(1 - delta)} "
        f"(delta = {rounded_up(delta)}) over the {unit} and the bags the new {holds}"
    )
    if eps <= reach:
        return promise, ""
    return promise, (
        f". The bound is vacuous here: eps = {rounded_down(eps, 6)} is larger than {reach:.6g}, which "
        "is enough for any two possible outputs without bagging. More bags or smaller bags would help"
    )


def unchecked(eps: float, guarantee: Guarantee) -> Certificate:
    """Return the certificate of an eps given by hand, without an audit."""
    promise = "Nothing is claimed: no unit was left out."
    sentence = (
        f"Nothing is claimed: eps = {eps:.6g} was given by hand, "
        f"and no unit was left out to check it. {CAVEAT}"
    )
    return Certificate(eps, None, "none", "given", sentence, guarantee=guarantee, promise=promise)
