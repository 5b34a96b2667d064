"""Which list, or which set of rankings, answers a question, and what may be claimed of it.

Without an eps an answer *covers*: it is what holds the plain answers without each unit, and nothing
else. A target delta takes the tightest eps that covers all but such a share. At an eps that is given it
is the inflated answer of the paper, which *overlaps*: the new one shares k items, or a ranking, with it.
Either may be *proved* by a bound of the scorer, without leaving any unit out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np

from steadyrank.data.families import EntryObservations
from steadyrank.data.observations import must_keep
from steadyrank.errors import (
    InvalidValueError,
    NoProofError,
    Option,
    shorten,
)
from steadyrank.operators.checks import Range, check_eps, check_whole
from steadyrank.operators.inflation import just_above
from steadyrank.operators.topk_sets import ball_topk, cover_factor, inflated_topk
from steadyrank.scorers.base import check_several, declared
from steadyrank.text import counted, eps_in_words, plural, rounded_down, rounded_up

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data import Observations
    from steadyrank.scorers.sensitivity import Sensitivity
    from steadyrank.study.facts import Facts

Status = Literal["proved", "observed", "certified"]
Guarantee = Literal["overlap", "cover"]
Kind: TypeAlias = "tuple[float | None, float, Status, str]"
Parts: TypeAlias = "tuple[str, str, str]"
Numbers: TypeAlias = Mapping[str, float]

CAVEAT = (
    "This is stability under deletion, not statistical confidence in a true ranking."
)
ONE_ROW_EACH = (
    "Each {item} has one row, so no {unit} can be removed without its {item}: this is the "
    "{answer}."
)
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
        top k, or the new plain ranking, is inside this answer. It overlaps where an eps was given.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> certificate = Study(votes).topk(k=2).certificate
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

    def __str__(self) -> str:
        """Return the claim in plain words."""
        return self.sentence


def _remarked(found: Certificate, remark: str) -> Certificate:
    """Return a certificate with a remark before its caveat, and after its promise."""
    told = f"{found.sentence.removesuffix(CAVEAT)}{remark} {CAVEAT}"
    return replace(found, sentence=told, promise=f"{found.promise} {remark}")


@dataclass(frozen=True)
class Claims:
    """Words the certificates of one answer: a top k, or without a k the ranking, of ``n`` units.

    ``apart`` says why the scores without a unit are not those that the scorer gives by itself on what is
    left, so that nothing follows for an answer made again; "" where they are. An answer that overlaps
    has an eps that was given; any other eps was chosen on the data, or by a rule. ``kept``: what every
    item must keep to be one without a unit; "" where all surely do.
    """

    n: int
    unit: str
    k: int | None
    guarantee: Guarantee
    apart: str = ""
    item: str = "item"
    kept: str = ""

    @property
    def _condition(self) -> str:
        """What must hold of the items, at the end of a promise."""
        if not self.kept:
            return ""
        return f", as long as every {self.item} keeps {self.kept}"

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

    def _made(
        self, kind: Kind, told: Parts, numbers: Numbers, *, plain: str = ""
    ) -> Certificate:
        """Return a certificate from where it comes from, its promise, and why: parts of a sentence.

        ``plain``: the promise for everybody, where it is another one than for statisticians.
        """
        where, promise, why = told
        new = (
            "plain ranking is one of the set"
            if self.k is None
            else f"top {self.k} is in the list"
        )
        beyond = "" if self.cover else f" It is not promised that the new {new}."
        sentence = f"{where}: {promise}{why}.{beyond} {CAVEAT}"
        short = plain or f"{kind[2].capitalize()}: {promise}"
        about: Any = {
            "guarantee": self.guarantee,
            "promise": f"{short}.{beyond}",
        }
        return Certificate(*kind, sentence, dict(numbers), **about)

    def left_out(self, size: int | None) -> Certificate:
        """Return the certificate of an answer that holds the plain ones without each unit.

        Of a list it is told how many items it has; without that it is the ranks of a ranking.
        """
        held, always = (
            "every new rank is in its range",
            "Every rank always stayed within its range",
        )
        if size is not None:
            always = f"The top {self.k:,} always stayed within these {size:,} names"
            always = f"The top {self.k:,} never changed" if size == self.k else always
            held = f"the new {self._holds}"
        kind: Kind = None, 0.0, "observed", "left out in turn"
        return self._anew(self._seen(kind, f"{held} every time", always, 0), 0.0)

    def _seen(
        self, kind: Kind, held: str, plain: str, broken: int, where: str = ""
    ) -> Certificate:
        """Return what leaving each unit out has shown, for statisticians and for everybody."""
        each = f"each of the {self.n:,} {plural(self.unit)}"
        turn = f"in turn, with every {self.item} kept" if self.kept else "in turn"
        seen = f"{each} was left out {turn}, and {held} (delta = {rounded_up(kind[1])})"
        where, plain = (
            f"Observed {self._where(where)}",
            f"We removed {each} {turn}. {plain}",
        )
        return self._made(
            kind, (where, seen, ""), {"n": self.n, "broken": broken}, plain=plain
        )

    def observed(
        self, eps: float, broken: int, *, ties: bool, target: float = 0.0
    ) -> Certificate:
        """Return the certificate of an audit of this very dataset, at an eps given or chosen on it.

        ``ties``: it inflates nothing but equal scores, so that the number says nothing. ``target``: the
        share of units that eps was chosen for, where it was.
        """
        held = f"{self._holds}{f', except without {broken:,} of them' if broken else ' every time'}"
        came = "which was given"
        if self.cover:
            came = (
                f"chosen on it and kept fixed while {plural(self.unit)} were left out"
            )
        where = f", at eps = {eps_in_words(eps, given=not self.cover)}, {came}"
        where = ", with equal scores kept together" if ties else where
        rule = "covering eps" if self.cover else "audit"
        kind: Kind = eps, broken / self.n, "observed", rule
        found = self._seen(kind, f"the new {held}", f"The new {held}", broken, where)
        return self._anew(found, target) if self.cover else found

    def certified(self, removals: int) -> Certificate:
        """Return the certificate of a list of all items that bounds do not rule out, up to so many."""
        promise = (
            f"remove any {removals:,} of the {self.n:,} {plural(self.unit)}, or fewer, and if the rest "
            f"can be scored, the new {self._holds}{self._condition} (delta = 0)"
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
            return _remarked(
                found, f"Nothing is claimed of an answer made again: {self.apart}."
            )
        what, kind, stable = "set", "a ranking", "full-ranking stability, Definition 2"
        if self.k is not None:
            what, kind = "list", f"at least {counted(self.k, self.item)}"
            stable = "top-k stability, Definition 1"
        every, removed, it = (
            "dataset and every scorer",
            f"any one {self.unit}",
            f"that {self.unit}",
        )
        if found.removals > 1:
            removed = f"any {found.removals:,} {plural(self.unit)} or fewer"
            every, it = "dataset", "these"
        elif delta:
            removed = f"one {self.unit}, any but a share {rounded_up(delta)} of them"
        shares = f"the {what} made again shares {kind} with this one"
        anew = f"remove {removed}, and {shares}{self._condition}"
        why = f"because both hold the {self._plain} of the data without {it}, if these can be scored"
        proved = (
            f"Proved for every {every}: {anew} ({stable}, delta = {delta:.4g}), {why}."
        )
        promise = f"{found.promise} Proved for every dataset: {anew}."
        return replace(
            found,
            status="proved",
            sentence=f"{proved} {found.sentence}",
            promise=promise,
        )

    def proved_by_sensitivity(
        self, eps: float, bound: Sensitivity, factor: float = 1.0
    ) -> Certificate:
        """Return the certificate of a scorer that no single unit can move by more than ``bound.eps``.

        A list that covers is the ball's; all else is inflated by more than ``factor`` times the bound.
        """
        because = bound.sentence[:1].lower() + bound.sentence[1:].removesuffix(".")
        larger = "larger" if factor == 1.0 else f"more than {factor:.4g} times that"
        if self.cover and self.k is not None:
            larger += (
                ": the list holds every name that scores within eps of these could put into "
                "the top k"
            )
        stated = rounded_down(eps, 6) if self.cover else eps_in_words(eps, given=True)
        why = f", because {because}, and eps = {stated} is {larger}"
        new = f"the new {self._holds}{self._condition}"
        promise = f"remove any one {self.unit}, and {new} (delta = 0)"
        told = (
            "Proved for every dataset of this size and the kind named here",
            promise,
            why,
        )
        numbers = {**bound.numbers, "bound": bound.eps}
        return self._made((eps, 0.0, "proved", bound.rule), told, numbers)

    def proved_by_bagging(
        self, eps: float, delta: float, numbers: Numbers
    ) -> Certificate:
        """Return the certificate of a bagged scorer: bounded outputs, in expectation over the bags."""
        promise = (
            f"remove one {self.unit} at random, and with probability at least "
            f"{rounded_down(1 - delta)} (delta = {rounded_up(delta)}) over the {self.unit} and the "
            f"bags, if every bag can be scored, the new {self._holds}{self._condition}"
        )
        why = (
            f". There are {numbers['n']:,} {plural(self.unit)}; the price of {numbers['bags']:,} bags, "
            f"drawn anew without each, is the term 2/B = {numbers['finite_bags']:.3g} beside C = "
            f"{numbers['C']:.3g}"
        )
        told = "Proved for bagging", promise, why
        return self._made((eps, delta, "proved", "bagging"), told, numbers)


class Target(TypedDict, total=False):
    """How an answer is made: a target or an eps, and whether a proof is asked for."""

    delta: float
    eps: float | None
    proved: bool


class How(Target, total=False):
    """The same of a list, and how many units may leave together."""

    removals: int


NOTHING: IntArray = np.empty(0, dtype=np.int64)
SHARE = Range(0.0, 1.0, below=True)


def check_delta(delta: object, called: str = "delta") -> float:
    """Return ``delta`` as a float from 0 to below 1."""
    if isinstance(delta, bool) or delta not in SHARE:
        allowed = (
            "a number from 0 to below 1 (the share of units that may break the answer)"
        )
        raise InvalidValueError(f"{called} must be {allowed}, but is {shorten(delta)}")
    return float(delta)  # type: ignore[arg-type]


def check_target(delta: float, eps: float | None) -> tuple[float, float | None]:
    """Return a target delta and an eps, not both of them: one follows from the other."""
    target = check_delta(delta)
    if target and eps is not None:
        told = "take either delta or eps, not both"
        raise InvalidValueError(
            told, way_out=["Omit ", Option("delta"), " or ", Option("eps")]
        )
    return target, None if eps is None else check_eps(eps)


def check_ranking(delta: float, eps: float | None) -> None:
    """Complain about a share of units without an eps, which no ranking is made for."""
    if eps is None and delta:
        told = "no ranking is made for a share of units: it covers them all, or is inflated by an eps"
        way_out = ("Omit ", Option("delta"), ", or give ", Option("eps"), ".")
        raise InvalidValueError(told, way_out=way_out)


def check_removals(facts: Facts, removals: int) -> int:
    """Return a number of units that may leave and leave somebody, or complain."""
    check_several(facts.data)
    return check_whole(
        "removals", removals, 1, facts.units.total - 1, " (one unit must stay)"
    )


class Made(NamedTuple):
    """What an answer is made of: the claim, the list (of no ranking), whether units are left out."""

    certificate: Certificate
    listed: IntArray
    told: bool = True


def made(
    facts: Facts,
    k: int | None,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    removals: int = 1,
    proved: bool = False,
) -> Made:
    """Return the answer for a target delta, or for an eps that was given."""
    if not isinstance(proved, bool):
        raise InvalidValueError(
            f"proved must be True or False, but is {shorten(proved)}"
        )
    target, eps = check_target(delta, eps)
    if k is None and not proved:
        check_ranking(target, eps)
    check_several(facts.data)
    found = Calibration(facts, k, "cover" if eps is None else "overlap")
    if one_row_each(facts.data):
        return found.plain(eps)
    usual = not proved and eps is None and not target
    if removals != 1 and check_removals(facts, removals) > 1:
        if not usual:
            told = "a list that holds against several removals takes no delta, eps or proof"
            raise InvalidValueError(
                told, way_out=["Omit them, or use ", Option("removals", "1"), "."]
            )
        answer = found.whichever_leave(removals)
    elif proved:
        answer = found.proved(target, eps)
    elif eps is not None:
        answer = found.inflated(eps)
    else:
        answer = found.left_out() if usual else found.covering(target)
    if len(answer.listed) == len(facts.items):
        empty = replace(answer.certificate, vacuous=True)
        return answer._replace(certificate=_remarked(empty, NOTHING_LEFT_OUT))
    return answer


def one_row_each(data: Observations) -> bool:
    """Tell whether each item has one row of scores, which no other item shares."""
    return (
        isinstance(data, EntryObservations)
        and data.n_units == data.n_items
        and bool((data.item_counts == 1).all())
    )


@dataclass(frozen=True)
class Calibration:
    """Makes the list of the top k, or without a k the set of rankings, of one study.

    The leave-one-out scores are touched only by rules that ask for them: a proof needs none.
    """

    study: Facts
    k: int | None
    guarantee: Guarantee = "cover"

    @property
    def _claims(self) -> Claims:
        return self._claims_without(1)

    def _claims_without(self, removals: int) -> Claims:
        """Return what words the claims of an answer that so many units may leave together."""
        study = self.study
        apart = declared(study.scorer, "apart", study.data) or ""
        about = study.units.total, study.unit, self.k, self.guarantee, apart
        return Claims(*about, study.item_name, must_keep(study.data, removals))

    def left_out(self) -> Made:
        """Return what holds the plain answers without each unit, and nothing else."""
        if self.k is None:
            self.study.leave_one_out  # noqa: B018 (first: it makes the scores, too)
            return Made(self._claims.left_out(None), NOTHING)
        listed = self.study.deletions(self.k).listed(self.study.order, self.k)
        return Made(self._claims.left_out(len(listed)), listed)

    def plain(self, eps: float | None) -> Made:
        """Return the plain answer, or the paper's inflated one, of data from which no row can leave."""
        study = self.study
        answer = "plain answer"
        if eps is not None:
            answer = f"paper's inflated answer at eps = {eps_in_words(eps, given=True)}"
        promise = ONE_ROW_EACH.format(
            item=study.item_name, unit=study.unit, answer=answer
        )
        certificate = Certificate(
            eps,
            0.0,
            "observed",
            "no removal",
            promise,
            promise=promise,
            guarantee=self.guarantee,
        )
        if eps is None:
            return Made(certificate, study.order[: self.k or 0], told=False)
        return self._inflated(certificate, eps)._replace(told=False)

    def _inflated(self, certificate: Certificate, eps: float) -> Made:
        if self.k is None:
            return Made(certificate, NOTHING)
        return Made(certificate, inflated_topk(self.study.scores, self.k, eps).indices)

    def eps_needed(self, delta: float) -> float:
        """Return the tightest eps on these data that covers all but a share ``delta`` of the units."""
        each = self._each_needs  # first: it makes the scores, too
        return eps_above(
            check_delta(delta), each, self.study.units.counts, self.study.tie_eps
        )

    @property
    def _each_needs(self) -> FloatArray:
        """The eps, for each distinct unit, above which the list holds the top k without it."""
        study, k = self.study, self.k or 1
        reach = study.deletions(k).reach  # first: it makes the scores, too
        return np.asarray(study.critical_eps(k)[study.order][reach - 1])

    def whichever_leave(self, removals: int) -> Made:
        """Return the list that holds the top k whichever units leave, up to so many of them together."""
        study, search = self.study, self.study.margin_search()
        if not search.pairs.certified:
            told = f"nothing bounds what {removals:,} {plural(study.unit)} removed together can do"
            way_out = (
                "Use ",
                Option("removals", "1"),
                ", or a scorer whose margins are bounded below.",
            )
            raise NoProofError(study.scorer.name, told, way_out=way_out)
        from steadyrank.margins.search import Withstanding

        listed = study.order[Withstanding(search, removals).listed(self.k or 1)]
        claims = self._claims_without(removals)
        return Made(claims.certified(removals), listed)

    def covering(self, target: float) -> Made:
        """Return the list at the tightest eps that covers all but a share of the units."""
        study, eps = self.study, self.eps_needed(target)
        broken = int(study.units.counts[self._each_needs >= eps].sum())
        ties = eps == study.tie_eps
        claim = self._claims.observed(eps, broken, ties=ties, target=target)
        return self._inflated(claim, eps)

    def inflated(self, eps: float) -> Made:
        """Return the inflated answer at an eps that was given, and how many units break it."""
        study = self.study
        broken: BoolArray | IntArray
        if self.k is None:
            from steadyrank.study.audit.rows import units_without_common_ranking

            broken = units_without_common_ranking(study, eps)
        else:
            broken = study.curve(self.k).breaking_eps >= eps
        number = int(study.units.counts[broken].sum())
        return self._inflated(self._claims.observed(eps, number, ties=False), eps)

    def proved(self, delta: float, eps: float | None) -> Made:
        """Return what holds if no unit moves the scores further than a rule says.

        Without an eps that is the ball's list, or a ranking inflated so far that it covers; at an eps
        that was given the inflated answer of Theorems 4 and 8, if the rule bounds all moves below it.
        """
        study = self.study
        bound = study.scorer.sensitivity(study.data)
        if bound is None:
            least, share, numbers = self._bagging(delta, eps)
            claim = partial(
                self._claims.proved_by_bagging, delta=share, numbers=numbers
            )
        else:
            least = just_above(bound.eps)
            claim = partial(self._claims.proved_by_sensitivity, bound=bound)
        if eps is not None:
            if eps < least:
                told = f"an eps below {rounded_up(least)} proves nothing"
                raise NoProofError(
                    study.scorer.name,
                    told,
                    way_out=["Give a larger ", Option("eps"), "."],
                )
            return self._inflated(claim(eps), eps)._replace(told=False)
        if self.k is not None:
            listed = ball_topk(study.scores, self.k, least)
            return Made(claim(least), listed, told=False)
        factor = cover_factor(len(study.items) - 1)
        wide = just_above(factor * least)
        if bound is not None:
            claim = partial(claim, factor=factor)
        return self._inflated(claim(wide), wide)._replace(told=False)

    def _bagging(self, delta: float, eps: float | None) -> tuple[float, float, Numbers]:
        """Return the eps and the share delta that bagging proves together, and the numbers of its bound.

        One follows from the other: ``eps^2 delta`` is the squared radius times ``C + 2/B``.
        """
        scorer = self.study.scorer
        numbers = declared(scorer, "bagging_numbers", self.study.data)
        if numbers is None or not (delta or eps):
            raise NoProofError(scorer.name, f"no rule proves delta = {delta:g}")
        radius = math.sqrt(numbers["radius_squared"])
        product = numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"])
        if eps is None:
            asked, eps = f"delta = {delta:g}", just_above(math.sqrt(product / delta))
        else:
            asked, delta = f"eps = {eps:g}", just_above(product / eps**2)
        if eps > 2 * radius or delta >= 1:
            told = f"at {asked} the bound of bagging is so wide that it proves nothing"
            more = "Use more bags, smaller bags or a larger delta."
            raise NoProofError(scorer.name, told, way_out=more)
        return eps, delta, numbers


def eps_above(delta: float, values: FloatArray, counts: IntArray, ties: float) -> float:
    """Return an eps just above all of the values but a share ``delta``; ``ties`` where those are 0."""
    needed = exceeded_by_at_most(delta, values, counts)
    return just_above(needed) if needed > 0 else ties


def exceeded_by_at_most(delta: float, values: FloatArray, counts: IntArray) -> float:
    """Return the smallest of the values that at most a share ``delta`` of all exceed."""
    order = np.argsort(-values, kind="stable")
    allowed = allowed_units(delta, int(counts.sum()))
    last = int(np.searchsorted(np.cumsum(counts[order]), allowed, side="right"))
    return float(values[order[last]]) if last < len(order) else 0.0


def allowed_units(delta: float, total: int) -> int:
    """Return the largest number of units whose share, as a float, is at most ``delta``.

    Examples
    --------
    >>> allowed_units(0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    number = round(delta * total)
    return number if number / total <= delta else number - 1
