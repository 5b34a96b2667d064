"""The audit: leave every unit out, and see what each method's answer does; and whether that will do.

A method of ours is audited by its function in one of the two tables below: one line for a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from steadyrank.errors import InvalidValueError, Option, listing, shorten
from steadyrank.operators.checks import check_k, check_whole
from steadyrank.report.export import COLUMNS
from steadyrank.study.answers import border_warnings
from steadyrank.study.audit.rows import (
    Flips,
    TopKAudit,
    flip_findings,
    flips_of,
    inflated_ranking_row,
    ranking_row,
)
from steadyrank.study.certificate import check_delta, check_target
from steadyrank.study.margin import known_margin
from steadyrank.study.results import Result, counted_size, labels, origin, told
from steadyrank.study.standings import Members, inflated_members, plain_members

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray
    from steadyrank.data import Units
    from steadyrank.study import (
        AuditRow,
        Margin,
        StabilityCurve,
        StableTopK,
        Study,
    )
    from steadyrank.study.facts import Facts

TOPK_METHODS: dict[str, Callable[[float], Members]] = {
    "topk": lambda _: plain_members,
    "inflated_topk": inflated_members,
}
"""Answers for a k: from eps to a function that tells the members. Audited together, in one pass.

A function gets rows of scores, what each row holds from its k-th best score on (that one first), and k.
No member may be eps / sqrt(2) or more below the k-th best.
"""

RANKING_METHODS: dict[str, Callable[[Facts, Any, int | None], AuditRow]] = {
    "ranking": ranking_row,
    "inflated_ranking": inflated_ranking_row,
}
"""Answers without a k: from facts, the eps that was given, and a limit for counting to a row."""

BEHIND_THE_TABLE = ("eps", "log10_size", "note")
"""What documents tell of a row beside the columns of its table."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """What leaving each unit out did to each method's answer.

    It has a length and can be iterated over, row by row.

    Attributes
    ----------
    table : tuple of AuditRow
        One row for each method and k.
    eps : float or None
        The inflation that was given, if one was; each row has its own.
    delta : float
        The share of units that may break an inflated list, where none was given.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]])).audit(2, eps=0.5)
    Audit('audit of 3 items, 4 rows')
    """

    document = "audit"

    table: tuple[AuditRow, ...]
    eps: float | None
    delta: float

    @property
    def units(self) -> Units:
        """What was left out."""
        return self.study.facts.units

    @property
    def shifts(self) -> FloatArray:
        """How far the scores move when each distinct unit is left out, ``units.counts`` times."""
        return self.study.facts.shifts

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[AuditRow]:
        return iter(self.table)

    @cached_property
    def share_reaching_eps(self) -> float | None:
        """The share of units that move the scores by eps or more: Theorems 4 and 8 bound delta by it.

        A shift that is eps up to rounding counts, as for the operators. None unless eps was given.
        """
        return (
            None
            if self.eps is None
            else self.study.facts.share(self.study.facts.reaching(self.eps))
        )

    def row(self, method: str, k: int | None = None) -> AuditRow:
        """Return the row of one method (and k)."""
        if found := [row for row in self if (row.method, row.k) == (method, k)]:
            return found[0]
        known = [
            f"{row.method}" + (f" with k={row.k}" if row.k else "") for row in self
        ]
        asked = method if k is None else f"{method} with k={k}"
        raise InvalidValueError(
            f"{asked} was not audited; audited were: {listing(known)}"
        )

    def curve(self, k: int) -> StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        return self.study.facts.curve(check_k(k, len(self.items)))

    def flips(self, k: int) -> Flips:
        """Return the units that change the plain top k, and what they change; for every k."""
        return flips_of(self.study.facts, check_k(k, len(self.items)))

    def _found(self) -> dict[str, Any]:
        ks = [row.k for row in self if row.method == "topk" and row.k is not None]
        return self.audited() | {"flips": [flip_findings(self.study, k) for k in ks]}

    def audited(self) -> dict[str, Any]:
        """Return the table as plain data, and what it rests on."""
        names = (*COLUMNS[self.document], *BEHIND_THE_TABLE)
        rows = [told(row, *names) | {"size": counted_size(row.size)} for row in self]
        return told(self, "eps", "share_reaching_eps", "delta") | {"audit": rows}

    def _columns(self) -> dict[str, list[Any]]:
        """Return the table by column; sizes beyond the largest float are infinite there."""
        names = COLUMNS[self.document]
        columns = {name: [getattr(row, name) for row in self] for name in names}
        return columns | {"size": [_as_float(row.size) for row in self]}


class Audited(TypedDict, total=False):
    """How an audit is made, beside the k."""

    eps: float | None
    delta: float
    methods: Iterable[str] | None
    max_states: int | None


def audit_of(
    study: Study,
    k: int | Iterable[int],
    *,
    eps: float | None = None,
    delta: float = 0.0,
    methods: Iterable[str] | None = None,
    max_states: int | None = None,
) -> Audit:
    """Leave every unit out, and audit each method.

    Everything is checked before anything is left out, which may take hours.
    """
    ks = check_ks(k, len(study.items))
    known = (*TOPK_METHODS, *RANKING_METHODS)  # with those that were registered since
    chosen = (
        known
        if methods is None
        else (methods,)
        if isinstance(methods, str)
        else tuple(methods)
    )
    if unknown := [name for name in chosen if name not in known]:
        raise InvalidValueError(
            f"unknown method {shorten(unknown[0])}; known are: {', '.join(known)}"
        )
    target, eps = check_target(delta, eps)
    if eps is None and methods is not None and "inflated_ranking" in chosen:
        raise InvalidValueError(
            "an inflated ranking is audited at an eps, which was not given",
            way_out=["Give ", Option("eps"), "."],
        )
    if eps is None:
        chosen = tuple(name for name in chosen if name != "inflated_ranking")

    def rows(facts: Facts) -> Iterator[AuditRow]:
        if asked := {
            name: make for name, make in TOPK_METHODS.items() if name in chosen
        }:
            each = {
                k: facts.curve(k).smallest_eps(target) if eps is None else eps
                for k in ks
            }
            yield from TopKAudit(facts, each).rows(asked)
        for name, audited in RANKING_METHODS.items():
            if name in chosen:
                yield audited(facts, eps, max_states)

    table = tuple(rows(study.facts))  # first: it makes the scores, too
    return Audit(**origin(study), table=table, eps=eps, delta=target)


def _as_float(size: int | None) -> float | None:
    if size is None:
        return None
    return float(size) if size.bit_length() < 1024 else np.inf


def check_ks(k: int | Iterable[int], items: int) -> list[int]:
    """Return the one or the several values of k, each of them once."""
    several = k if isinstance(k, Iterable) else [k]
    checked = list(dict.fromkeys(check_k(value, items) for value in several))
    if not checked:
        raise InvalidValueError(
            "k is empty", way_out="Give one value of k, or several."
        )
    return checked


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Whether the plain top-k is stable enough.

    Attributes
    ----------
    k : int
        How many items were asked for.
    max_delta : float
        The largest share of units whose removal may break the answer.
    audit : Audit
        How the plain top k fared.
    row : AuditRow
        How the plain top k fared.
    flips : Flips
        Who breaks it.
    remedy : StableTopK
        The smallest answer that keeps to ``max_delta``.
    margin : Margin
        The fewest units whose removal changes the top k.
    min_margin : int or None
        The number that it must reach, for certain; an answer that never changes reaches every number.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, Study
    >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
    >>> found = study.check(2)
    >>> found.stable, found.row.delta, found.remedy.size
    (False, 0.25, 3)
    """

    document = "check"

    k: int
    max_delta: float
    audit: Audit
    remedy: StableTopK
    margin: Margin
    min_margin: int | None

    @property
    def sentence(self) -> str:
        """The verdict."""
        return f"{'STABLE' if self.stable else 'UNSTABLE'}: top {self.k:,}"

    @property
    def row(self) -> AuditRow:
        """How the answer fared."""
        return self.audit.row("topk", self.k)

    @cached_property
    def flips(self) -> Flips:
        """Who breaks it."""
        return self.study.flips(self.k)

    @property
    def stable(self) -> bool:
        """Whether the answer passes."""
        held = self.row.delta <= self.max_delta
        return held and (
            self.margin.never or self.margin.lower >= (self.min_margin or 0)
        )

    def assert_stable(self) -> None:
        """Fail a test unless the answer passes.

        Raises
        ------
        AssertionError
            In the words of the check: who changes the top k, the margin, what would pass.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 31 + ["abe"] * 30))
        >>> study.check(1, min_margin=9).assert_stable()
        >>> try:
        ...     study.check(2).assert_stable()
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        UNSTABLE: top 2
        """
        __tracebackhide__ = True  # pytest shows the test that called
        if not self.stable:
            raise AssertionError(str(self))

    def _found(self) -> dict[str, Any]:
        row, remedy = self.row, self.remedy
        found = told(self, "k", "max_delta", "min_margin", "stable")
        return found | {
            "delta": row.delta,
            "breaking_units": round(row.delta * self.n_units),
            "margin": self.margin.parts(),
            "warnings": list(border_warnings(remedy)),
            "remedy": {
                "size": remedy.size,
                "uncovered": remedy.certificate.delta,
                "items": labels(remedy.members),
            },
            "flips": flip_findings(self.study, self.k),
        }


def check_of(study: Study, k: int, max_delta: float, min_margin: int | None) -> Check:
    """Check whether the plain top k is stable enough."""
    most = check_delta(max_delta, "max_delta")
    fewest = None if min_margin is None else check_whole("min_margin", min_margin, 0)
    remedy = study.topk(k, delta=most)
    return Check(
        **origin(study),
        k=remedy.k,
        max_delta=most,
        audit=study.audit(k, methods="topk"),
        remedy=remedy,
        margin=known_margin(study, remedy.k),
        min_margin=fewest,
    )
