"""The audit: leave every unit out, and see what each method's answer does.

A method of ours is audited by its function in one of the two tables below: one line for a new one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import InvalidValueError, Option, listing, shorten
from steadyrank.operators.checks import check_k
from steadyrank.report.export import COLUMNS
from steadyrank.study import document
from steadyrank.study.audit.rankings import inflated_ranking_row, ranking_row
from steadyrank.study.audit.rows import operator_rows
from steadyrank.study.audit.topk import Flips, Members, TopKAudit, inflated_members, plain_members
from steadyrank.study.calibration import Calibration
from steadyrank.study.headlines import border_warnings
from steadyrank.study.results import Result, some_of
from steadyrank.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steadyrank._typing import FloatArray
    from steadyrank.data import Units
    from steadyrank.study import AuditRow, Margin, RankingCurve, StabilityCurve, StableTopK
    from steadyrank.study.audit.rows import EpsOf, Operator
    from steadyrank.study.certificate import Guarantee
    from steadyrank.study.facts import Facts

TOPK_METHODS: dict[str, Callable[[float], Members]] = {
    "topk": lambda _: plain_members,
    "inflated_topk": inflated_members,
}
"""Answers for a k: from eps to a function that tells the members. Audited together, in one pass.

A function gets rows of scores, what each row holds from its k-th best score on (that one first), and k.
No member may be eps / sqrt(2) or more below the k-th best.
"""

RANKING_METHODS: dict[str, Callable[[Facts, EpsOf, int | None], AuditRow]] = {
    "ranking": ranking_row,
    "inflated_ranking": inflated_ranking_row,
}
"""Answers without a k: from facts, where eps comes from, and a limit for counting to a row."""

BEHIND_THE_TABLE = ("eps", "log10_size", "note")
"""What documents tell of a row beside the columns of its table."""


@dataclass(frozen=True)
class Inflation:
    """Where the eps of inflated answers comes from: it was given, or is the tightest for a target.

    Attributes
    ----------
    eps : float or None
        The one that was given.
    target : float
        The share of units that may break an answer.
    guarantee : {"cover", "overlap"}
        What breaking means.
    """

    study: Facts
    eps: float | None
    target: float
    guarantee: Guarantee

    def eps_of(self, k: int | None) -> float:
        """Return the eps of the top k, or without a k of the ranking."""
        if self.eps is not None:
            return self.eps
        return Calibration(self.study, k, self.guarantee).eps_needed(self.target)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """What leaving each unit out did to each method's answer.

    It has a length and can be iterated over, row by row.

    Attributes
    ----------
    table : tuple of AuditRow
        One row for each method and k.
    inflation : Inflation
        Where the eps of inflated answers comes from; each row has its own.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> audit(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]), 2, eps=0.5)
    Audit(4 rows left out in turn, 3 items, eps=0.5, methods=['topk', 'inflated_topk', 'ranking', 'inflated_ranking'])
    """  # noqa: E501 (what it shows)

    document = "audit"

    table: tuple[AuditRow, ...]
    inflation: Inflation
    folds: Facts = field(kw_only=True)
    """What was left out: each unit in turn, or each of some sets of them."""

    @property
    def units(self) -> Units:
        """What was left out."""
        return self.folds.units

    @property
    def eps(self) -> float | None:
        """The inflation that was given, if one was."""
        return self.inflation.eps

    @property
    def shifts(self) -> FloatArray:
        """How far the scores move when each distinct unit is left out, ``units.counts`` times."""
        return self.folds.shifts

    def __repr__(self) -> str:
        methods = list(dict.fromkeys(row.method for row in self))
        told = f"delta={self.inflation.target:.3g}" if self.eps is None else f"eps={self.eps:.3g}"
        return (
            f"Audit({counted(self.n_units, self.unit)} left out in turn, "
            f"{counted(len(self.items), 'item')}, {told}, methods={some_of(methods)})"
        )

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[AuditRow]:
        return iter(self.table)

    @cached_property
    def share_reaching_eps(self) -> float | None:
        """The share of units that move the scores by eps or more: Theorems 4 and 8 bound delta by it.

        A shift that is eps up to rounding counts, as for the operators. None unless eps was given.
        """
        return None if self.eps is None else self.folds.share(self.folds.reaching(self.eps))

    def row(self, method: str, k: int | None = None) -> AuditRow:
        """Return the row of one method (and k)."""
        if found := [row for row in self if (row.method, row.k) == (method, k)]:
            return found[0]
        known = [f"{row.method}" + (f" with k={row.k}" if row.k else "") for row in self]
        asked = method if k is None else f"{method} with k={k}"
        raise InvalidValueError(f"{asked} was not audited; audited were: {listing(known)}")

    def curve(self, k: int) -> StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        return self.folds.curve(check_k(k, len(self.items)))

    def ranking_curve(self) -> RankingCurve:
        """Return the exact step functions delta(eps) and tiers(eps) of the full ranking."""
        return self.folds.ranking_curve()

    def flips(self, k: int) -> Flips:
        """Return the units that break the plain or the inflated top-k, and what they change.

        Works for every k, also one that is not in the table.
        """
        k = check_k(k, len(self.items))
        folds, eps = self.folds, self.inflation.eps_of(k)
        topk = TopKAudit(folds, {k: eps})
        members = {name: TOPK_METHODS[name](eps) for name in Flips.METHODS}
        broken = {row.method: row.broken for row in self if row.k == k}
        if missing := {name: TOPK_METHODS[name] for name in Flips.METHODS if name not in broken}:
            broken |= {row.method: row.broken for row in topk.rows(missing)}
        plain, inflated = (topk.flips(name, k, members[name], broken[name]) for name in members)
        return Flips(k, folds.unit, folds.units.total, plain, inflated)

    def plot(self, k: int | None = None, ax: Axes | None = None) -> Axes:
        """Draw delta(eps) and size(eps) for one k with matplotlib, and return the Axes."""
        audited = list(dict.fromkeys(row.k for row in self if row.k is not None))
        if k is None and len(audited) != 1:
            listed = ", ".join(map(str, audited)) or "none"
            raise InvalidValueError(
                f"say which k to draw; audited were: {listed}", way_out=["Give ", Option("k"), "."]
            )
        chosen = audited[0] if k is None else k
        return self.curve(chosen).plot(ax, eps=self.inflation.eps_of(chosen))

    def _found(self) -> dict[str, Any]:
        how = self.inflation
        ks = [row.k for row in self if row.method == "topk" and row.k is not None]
        data = self.study.data if self.folds is self.study.facts else None  # else sets of units flip
        flips = [document.flip_findings(self.flips(k), data) for k in ks]
        target = {"eps": how.eps, "delta": how.target, "guarantee": how.guarantee}
        return target | self.audited() | {"flips": flips}

    def audited(self) -> dict[str, Any]:
        """Return the table as plain data."""
        names = (*COLUMNS[self.document], *BEHIND_THE_TABLE)
        rows = [{**document.told(row, *names), "size": document.counted_size(row.size)} for row in self]
        return {"audit": rows, "share_reaching_eps": self.share_reaching_eps}

    def _columns(self) -> dict[str, list[Any]]:
        """Return the table by column; sizes beyond the largest float are infinite there."""
        names = COLUMNS[self.document]
        columns = {name: [getattr(row, name) for row in self] for name in names}
        return columns | {"size": [_as_float(row.size) for row in self]}


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Whether the plain top-k, or the inflated one at a given eps, is stable enough.

    Attributes
    ----------
    k : int
        How many items were asked for.
    eps : float or None
        The eps that was given; None where the plain top-k was checked.
    max_delta : float
        The largest share of units whose removal may break the answer.
    row : AuditRow
        How the answer fared.
    flips : Flips
        Who breaks it.
    remedy : StableTopK
        The smallest answer that keeps to ``max_delta``.
    remedy_eps : float
        The smallest eps at which the inflated top k keeps to it, too.
    margin : Margin
        How many units must leave before the answer that was checked changes.
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
    eps: float | None
    max_delta: float
    row: AuditRow
    flips: Flips
    remedy: StableTopK
    remedy_eps: float
    margin: Margin
    min_margin: int | None

    def __repr__(self) -> str:
        return f"Check(stable={self.stable}, max_delta={self.max_delta:.3g}, row={self.row!r})"

    @property
    def stable(self) -> bool:
        """Whether the answer passes."""
        held = self.row.uncovered is not None and self.row.uncovered <= self.max_delta
        return held and (self.margin.never or self.margin.lower >= (self.min_margin or 0))

    def assert_stable(self) -> None:
        """Fail a test unless the answer passes.

        Raises
        ------
        AssertionError
            In the words of the check: who changes the top k, how many must leave, what would pass.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 31 + ["abe"] * 30))
        >>> study.check(1, min_margin=9).assert_stable()
        >>> try:
        ...     study.check(2).assert_stable()
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[0])
        UNSTABLE: plain top 2
        """
        __tracebackhide__ = True  # pytest shows the test that called
        if not self.stable:
            raise AssertionError(str(self))

    def _found(self) -> dict[str, Any]:
        row, remedy = self.row, self.remedy
        return {
            "k": self.k,
            "method": row.method,
            "eps": self.eps,
            "delta": row.delta,
            "breaking_units": round(row.delta * self.n_units),
            **document.told(row, "uncovered", "size"),
            "max_delta": self.max_delta,
            "margin": self.margin.parts(),
            "warnings": list(border_warnings(remedy)) if self.eps is None else [],
            **document.told(self, "min_margin", "stable"),
            "remedy": {
                "eps": self.remedy_eps,
                "size": remedy.size,
                "uncovered": remedy.certificate.delta,
                "items": document.labels(remedy.members),
            },
            "flips": document.flip_findings(self.flips, self.study.data),
        }


class AuditPlan:
    """What is to be audited, checked before anything is left out, which may take hours."""

    def __init__(
        self,
        ks: list[int],
        methods: Iterable[str] | None,
        operators: Mapping[str, Operator],
        max_states: int | None,
    ) -> None:
        known = (*TOPK_METHODS, *RANKING_METHODS)  # with those that were registered since
        chosen = known if methods is None else methods
        self._ks, self._operators, self._max_states = ks, operators, max_states
        self._methods = (chosen,) if isinstance(chosen, str) else tuple(chosen)
        if unknown := [name for name in self._methods if name not in known]:
            told = ", ".join(known)
            raise InvalidValueError(f"unknown method {shorten(unknown[0])}; known are: {told}")
        if taken := [name for name in self._operators if name in known]:
            raise InvalidValueError(
                f"an operator of your own cannot be called {shorten(taken[0])}: "
                "a method of steadyrank has that name"
            )
        if wrong := [name for name, operator in operators.items() if not _takes_k(operator)]:
            raise InvalidValueError(
                f"operator {wrong[0]!r} must be a function of (scores, k) that gives items, but is "
                f"{shorten(operators[wrong[0]])}"
            )

    def rows(self, facts: Facts, eps_of: EpsOf) -> Iterator[AuditRow]:
        """Audit everything that was asked for: ours, then the user's own."""
        if methods := {name: make for name, make in TOPK_METHODS.items() if name in self._methods}:
            yield from TopKAudit(facts, {k: eps_of(k) for k in self._ks}).rows(methods)
        for name, audited in RANKING_METHODS.items():
            if name in self._methods:
                yield audited(facts, eps_of, self._max_states)
        for name, operator in self._operators.items():
            yield from operator_rows(facts.leave_one_out, self._ks, name, operator)


def _takes_k(operator: Any) -> bool:
    """Tell whether an operator can be called with scores and k."""
    try:
        inspect.signature(operator).bind("scores", "k")
    except ValueError:  # some compiled functions do not say
        return True
    except TypeError:
        return False
    return True


def _as_float(size: int | None) -> float | None:
    if size is None:
        return None
    return float(size) if size.bit_length() < 1024 else np.inf


def check_ks(k: int | Iterable[int], items: int) -> list[int]:
    """Return the one or the several values of k, each of them once."""
    one = not isinstance(k, Iterable) or (isinstance(k, np.ndarray) and k.ndim == 0)
    several: list[Any] = [k] if one else list(k)  # type: ignore[arg-type]
    checked = list(dict.fromkeys(check_k(value, items) for value in several))
    if not checked:
        raise InvalidValueError("k is empty", way_out="Give one value of k, or several.")
    return checked
