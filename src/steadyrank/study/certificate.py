"""Certificates: what may be claimed of an answer, by which rule, and in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from steadyrank.text import counted, eps_in_words, plural, rounded_down, rounded_up

if TYPE_CHECKING:
    from steadyrank.scorers.sensitivity import Sensitivity

Status = Literal["proved", "observed", "certified"]
Guarantee = Literal["overlap", "cover"]
Kind: TypeAlias = "tuple[float | None, float, Status, str]"
Parts: TypeAlias = "tuple[str, str, str]"
Numbers: TypeAlias = Mapping[str, float]

CAVEAT = "This is stability under deletion, not statistical confidence in a true ranking."
NOTHING_LEFT_OUT = "This says nothing here: the answer holds everything."


@dataclass(frozen=True)
class Certificate:
    """What is claimed of an answer.

    Attributes
    ----------
    eps : float or None
        The inflation, or the radius of the ball; None where the answer needs none.
    delta : float
        The share of units whose removal may break the answer.
    status : {"proved", "observed", "certified"}
        ``proved``: holds for every dataset that the sentence speaks of. ``observed``: checked on this
        dataset, by leaving out every unit. ``certified``: proved of this dataset, for every removal of
        up to ``removals`` units.
    rule : str
        The name of the rule.
    numbers : mapping
        The numbers that the rule used.
    sentence : str
        The claim for statisticians: of which data, at which eps, by which rule.
    promise : str
        The same for everybody: what holds of a new answer.
    vacuous : bool
        Whether the claim is true but says nothing.
    removals : int
        How many units, at most, may be removed together.
    guarantee : {"overlap", "cover"}
        ``overlap``: the new answer and this one share k items, or a ranking. ``cover``: the new plain
        top k, or the new plain ranking, is inside this answer.
    given : bool
        Whether eps was given; otherwise it was chosen.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> certificate = stable_topk(votes, k=2).certificate
    >>> certificate.status, certificate.delta, certificate.numbers["n"]
    ('proved', 0.0, 100)
    >>> print(certificate.promise)  # doctest: +NORMALIZE_WHITESPACE
    We removed each of the 100 votes in turn. The top 2 always stayed within these 3 names. Proved for
    every dataset: remove any one vote, and the list made again shares at least 2 items with this one.
    This says nothing here: the answer holds everything.
    """

    eps: float | None
    delta: float
    status: Status
    rule: str
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict, hash=False)
    vacuous: bool = False
    removals: int = 1
    guarantee: Guarantee = "overlap"
    promise: str = ""
    given: bool = False

    def __str__(self) -> str:
        """Return the claim in plain words."""
        return self.sentence

    def empty(self) -> Certificate:
        """Return the same of an answer that holds everything there is."""
        return _remarked(replace(self, vacuous=True), NOTHING_LEFT_OUT)


def _remarked(found: Certificate, remark: str) -> Certificate:
    """Return a certificate with a remark before its caveat, and after its promise."""
    told = f"{found.sentence.removesuffix(CAVEAT)}{remark} {CAVEAT}"
    return replace(found, sentence=told, promise=f"{found.promise} {remark}")


@dataclass(frozen=True)
class Claims:
    """Words the certificates of one answer: a top k, or without a k the ranking, of ``n`` units.

    ``apart`` says why the scores without a unit are not those that the scorer gives by itself on what is
    left, so that nothing follows for an answer made anew; "" where they are. ``given``: whether the eps
    was given; one that was chosen was chosen on the data, or by a rule.
    """

    n: int
    unit: str
    k: int | None
    guarantee: Guarantee
    apart: str = ""
    given: bool = False
    item: str = "item"

    @property
    def cover(self) -> bool:
        """Whether the new plain answer is to be inside."""
        return self.guarantee == "cover"

    @property
    def _plain(self) -> str:
        return "plain ranking" if self.k is None else f"plain top {self.k:,}"

    @property
    def _holds(self) -> str:
        """What holds of the new answer."""
        if self.cover:
            return f"{self._plain} is {'one of this set' if self.k is None else 'inside this list'}"
        if self.k is None:
            return "set shares a ranking with this one"
        return f"list at the same eps shares at least {counted(self.k, self.item)} with this one"

    def _where(self, told: str = "") -> str:
        return f"on this dataset of {counted(self.n, self.unit)}{told}"

    def _made(self, kind: Kind, told: Parts, numbers: Numbers, *, plain: str = "") -> Certificate:
        """Return a certificate from where it comes from, its promise, and why: parts of a sentence.

        ``plain``: the promise for everybody, where it is another one than for statisticians.
        """
        where, promise, why = told
        new = "plain ranking is one of the set" if self.k is None else f"top {self.k} is in the list"
        beyond = "" if self.cover else f" It is not promised that the new {new}."
        sentence = f"{where}: {promise}{why}.{beyond} {CAVEAT}"
        about: Any = {"guarantee": self.guarantee, "given": self.given}
        made = Certificate(*kind, sentence, dict(numbers), **about)
        short = plain or f"{made.status.capitalize()}: {promise}"
        return replace(made, promise=f"{short}.{beyond}")

    def left_out(self, size: int | None) -> Certificate:
        """Return the certificate of an answer that holds the plain ones without each unit.

        Of a list it is told how many items it has; without that it is the ranks of a ranking.
        """
        held, always = "every new rank is in its range", "Every rank always stayed within its range"
        if size is not None:
            always = f"The top {self.k:,} always stayed within these {size:,} names"
            always = f"The top {self.k:,} never changed" if size == self.k else always
            held = f"the new {self._holds}"
        kind: Kind = None, 0.0, "observed", "left out in turn"
        return self._anew(self._seen(kind, f"{held} every time", always, 0), 0.0)

    def _seen(self, kind: Kind, held: str, plain: str, broken: int, where: str = "") -> Certificate:
        """Return what leaving each unit out has shown, for statisticians and for everybody."""
        each = f"each of the {self.n:,} {plural(self.unit)}"
        seen = f"{each} was left out in turn, and {held} (delta = {rounded_up(kind[1])})"
        where, plain = f"Observed {self._where(where)}", f"We removed {each} in turn. {plain}"
        return self._made(kind, (where, seen, ""), {"n": self.n, "broken": broken}, plain=plain)

    def observed(self, eps: float, broken: int, *, ties: bool, target: float = 0.0) -> Certificate:
        """Return the certificate of an audit of this very dataset, at an eps given or chosen on it.

        ``ties``: it inflates nothing but equal scores, so that the number says nothing. ``target``: the
        share of units that eps was chosen for, where it was.
        """
        held = f"{self._holds}{f', except without {broken:,} of them' if broken else ' every time'}"
        where = self._at(eps, f"chosen on it and kept fixed while {plural(self.unit)} were left out")
        where = ", with equal scores kept together" if ties else where
        rule = "audit" if self.given else "covering eps" if self.cover else "breaking eps"
        kind: Kind = eps, broken / self.n, "observed", rule
        found = self._seen(kind, f"the new {held}", f"The new {held}", broken, where)
        return found if self.given or not self.cover else self._anew(found, target)

    def _at(self, eps: float, chosen: str) -> str:
        """Return which eps it is, and where it comes from."""
        came = "which was given" if self.given else chosen
        return f", at eps = {eps_in_words(eps, given=self.given)}, {came}"

    def certified(self, removals: int) -> Certificate:
        """Return the certificate of a list of all items that bounds do not rule out, up to so many."""
        promise = (
            f"remove any {removals:,} of the {self.n:,} {plural(self.unit)}, or fewer, and if the rest "
            f"can be scored, the new {self._holds} (delta = 0)"
        )
        why = ". No removal was tried: bounds on what any removal does to two scores prove it"
        told = f"Certified {self._where()}", promise, why
        numbers = {"n": self.n, "removals": removals}
        found = self._made((None, 0.0, "certified", "bounds of pairs"), told, numbers)
        return self._anew(replace(found, removals=removals), 0.0)

    def _anew(self, found: Certificate, delta: float) -> Certificate:
        """Return a certificate of cover as the proof it is, what was seen on these data coming second.

        A rule whose answers hold the plain one of their own data, and those without all but a share
        delta of the units, gives two answers that share the plain one without the unit.
        """
        if self.apart:
            return _remarked(found, f"Nothing is claimed of an answer made again: {self.apart}.")
        what, kind, stable = "set", "a ranking", "full-ranking stability, Definition 2"
        if self.k is not None:
            what, kind = "list", f"at least {counted(self.k, self.item)}"
            stable = "top-k stability, Definition 1"
        every, removed, it = "dataset and every scorer", f"any one {self.unit}", f"that {self.unit}"
        if found.removals > 1:
            removed = f"any {found.removals:,} {plural(self.unit)} or fewer"
            every, it = "dataset", "these"
        elif delta:
            removed = f"one {self.unit}, any but a share {rounded_up(delta)} of them"
        anew = f"remove {removed}, and the {what} made again shares {kind} with this one"
        why = f"because both hold the {self._plain} of the data without {it}, if these can be scored"
        proved = f"Proved for every {every}: {anew} ({stable}, delta = {delta:.4g}), {why}."
        promise = f"{found.promise} Proved for every dataset: {anew}."
        return replace(found, status="proved", sentence=f"{proved} {found.sentence}", promise=promise)

    def proved_by_sensitivity(self, eps: float, bound: Sensitivity, factor: float | None) -> Certificate:
        """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``.

        Without a factor it is of the ball's list; with one, of an answer inflated by more than so many
        times the bound.
        """
        because = bound.sentence[:1].lower() + bound.sentence[1:].removesuffix(".")
        why = f", because {because}, and eps = {rounded_down(eps, 6)} is {_more_than(factor)}"
        promise = f"remove any one {self.unit}, and the new {self._holds} (delta = 0)"
        told = "Proved for every dataset of this size and the kind named here", promise, why
        numbers = {**bound.numbers, "bound": bound.eps}
        return self._made((eps, 0.0, "proved", bound.rule), told, numbers)

    def proved_by_bagging(self, eps: float, delta: float, numbers: Numbers) -> Certificate:
        """Return the certificate of a bagged scorer: bounded outputs, in expectation over the bags."""
        promise = (
            f"remove one {self.unit} at random, and with probability at least "
            f"{rounded_down(1 - delta)} (delta = {rounded_up(delta)}) over the {self.unit} and the "
            f"bags, if every bag can be scored, the new {self._holds}"
        )
        why = (
            f". There are {numbers['n']:,} {plural(self.unit)}; the price of {numbers['bags']:,} bags, "
            f"drawn anew without each, is the term 2/B = {numbers['finite_bags']:.3g} beside C = "
            f"{numbers['C']:.3g}"
        )
        told = "Proved for bagging", promise, why
        return self._made((eps, delta, "proved", "bagging"), told, numbers)


def _more_than(factor: float | None) -> str:
    """Return how an eps compares with what one unit can do, and why that is enough."""
    if factor is None:
        return (
            "larger: the list holds every name that scores within eps of these could put into the top k"
        )
    times = f"{factor:.4g}"
    return "larger" if times == "1" else f"more than {times} times that"
