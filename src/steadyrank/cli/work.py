"""What each command does, from options to the document that every view is drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steadyrank.cli.inputs import STANDARD_INPUT, load
from steadyrank.cli.output import working
from steadyrank.errors import InvalidValueError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.cli.options import InputOptions
    from steadyrank.scorers.base import LeaveOneOut, Scorer
    from steadyrank.stability.audit import Audit
    from steadyrank.stability.calibration import Claim

TOPK_METHODS = ("topk", "inflated_topk")


class Once:
    """A scorer that leaves the units out once, however many questions follow."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._found: LeaveOneOut | None = None

    @property
    def name(self) -> str:
        """The name of the scorer itself."""
        return self._scorer.name

    def score(self, data: Any) -> Any:
        """Return the scores."""
        return self._scorer.score(data)

    def leave_one_out(self, data: Any) -> LeaveOneOut:
        """Return the scores without each unit, computed at the first call."""
        if self._found is None:
            self._found = self._scorer.leave_one_out(data)
        return self._found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scorer, name)


class Job:
    """Data and a scorer: what every command works on."""

    def __init__(self, source: InputOptions, scorer: str | None = None) -> None:
        from steadyrank.scorers.registry import as_scorer, resolve_scorer

        given = None if scorer is None else as_scorer(scorer)  # a wrong name: before reading
        with working("Reading"):
            self.data = load(source)
        self.scorer: Scorer = cast("Scorer", Once(resolve_scorer(given, self.data)))
        self.source = STANDARD_INPUT if source.file == STANDARD_INPUT else Path(source.file).name
        self.policies = _policies(source)

    def topk(
        self, k: int, *, eps: float | None = None, delta: float | None = None, claim: Claim = "observed"
    ) -> dict[str, Any]:
        """Return the document of a stable top-k, audited unless nothing is to be claimed."""
        from steadyrank.report.schema import document
        from steadyrank.stability.answers import stable_topk

        with working("Leaving every unit out"):
            answer = stable_topk(self.data, k, scorer=self.scorer, eps=eps, delta=delta, claim=claim)
            found = None if claim == "none" else self._audit(k, answer.eps, TOPK_METHODS)
            return document(self.data, answer, found, **self._about)

    def ranking(
        self, *, eps: float | None = None, delta: float | None = None, claim: Claim = "observed"
    ) -> dict[str, Any]:
        """Return the document of a stable full ranking."""
        from steadyrank.report.schema import ranking_document
        from steadyrank.stability.answers import stable_ranking

        with working("Leaving every unit out"):
            answer = stable_ranking(self.data, scorer=self.scorer, eps=eps, delta=delta, claim=claim)
            return ranking_document(self.data, answer, **self._about)

    def audit(
        self, ks: Sequence[int], *, eps: float | None = None, delta: float | None = None
    ) -> dict[str, Any]:
        """Return the document of an audit; eps comes from the shifts where it is not given."""
        from steadyrank.report.schema import audit_document
        from steadyrank.stability.answers import stable_ranking

        if eps is not None and delta is not None:
            raise InvalidValueError("give either --eps or --delta, not both.")
        with working("Leaving every unit out"):
            if eps is None:
                eps = stable_ranking(self.data, scorer=self.scorer, delta=delta).eps
            return audit_document(self.data, self._audit(ks, eps), **self._about)

    def check(self, k: int, max_delta: float, *, eps: float | None = None) -> dict[str, Any]:
        """Return the document of a gate: how unstable the plain (with eps, the inflated) top-k is."""
        from steadyrank.report.schema import check_document
        from steadyrank.stability.answers import stable_topk

        with working("Leaving every unit out"):
            remedy = stable_topk(self.data, k, scorer=self.scorer, delta=max_delta)
            found = self._audit(k, remedy.eps if eps is None else eps, TOPK_METHODS)
            method = "topk" if eps is None else "inflated_topk"
            return check_document(
                self.data, found, remedy, method=method, max_delta=max_delta, **self._about
            )

    @property
    def _about(self) -> dict[str, Any]:
        return {"source": self.source, "policies": self.policies}

    def _audit(self, k: int | Sequence[int], eps: float, methods: Sequence[str] | None = None) -> Audit:
        from steadyrank.stability.audit import METHODS, audit

        return audit(self.data, k=k, eps=eps, scorer=self.scorer, methods=methods or METHODS)


WORDS = {
    ("missing", "error"): "Missing values are refused.",
    ("missing", "drop"): "Rows with missing values were left out.",
    ("missing", "available"): "Means are over the values that are there.",
    ("duplicates", "error"): "Two ratings of one item by one user are refused.",
    ("duplicates", "last"): "Of several ratings of one item by one user, the last one counts.",
    ("duplicates", "mean"): "Several ratings of one item by one user count as their mean.",
    ("duplicates", "trust"): "Nobody looked for several ratings of one item by one user.",
}
"""The policies that options choose, in plain words."""


def _policies(source: InputOptions) -> dict[str, str]:
    chosen = {"missing": source.missing, "duplicates": source.duplicates}
    return {name: WORDS.get((name, value), value) for name, value in chosen.items() if value is not None}


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    Examples
    --------
    >>> parse_ks("5,10, 20")
    [5, 10, 20]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidValueError(
            f"-k takes whole numbers separated by commas, such as 5,10,20, but is {shorten(text)}."
        ) from None
