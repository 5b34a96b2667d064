"""What each command does, from options to the document that every view is drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steadyrank.cli.inputs import STANDARD_INPUT, load, scorer_named
from steadyrank.cli.output import working

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.cli.options import AnswerOptions, InputOptions
    from steadyrank.scorers.base import LeaveOneOut, Scorer
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
    """Data, a scorer and settings: everything that a command works on."""

    def __init__(self, source: InputOptions, wanted: AnswerOptions) -> None:
        from steadyrank.scorers.defaults import default_scorer

        given = scorer_named(wanted.scorer)
        with working("Reading"):
            self.data = load(source)
        self.scorer: Scorer = cast("Scorer", Once(default_scorer(self.data) if given is None else given))
        self.given_scorer = given
        self.settings: dict[str, Any] = {
            "eps": wanted.eps,
            "delta": wanted.delta,
            "claim": cast("Claim", wanted.claim),
        }
        self.source = STANDARD_INPUT if source.file == STANDARD_INPUT else Path(source.file).name
        self.policies = _policies(source)

    def topk(self, k: int) -> dict[str, Any]:
        """Return the document of a stable top-k, audited unless nothing is to be claimed."""
        from steadyrank.report.schema import document
        from steadyrank.stability.answers import stable_topk
        from steadyrank.stability.audit import audit

        with working("Leaving every unit out"):
            answer = stable_topk(self.data, k, scorer=self.scorer, **self.settings)
            found = None
            if self.settings["claim"] != "none":
                found = audit(self.data, k=k, eps=answer.eps, scorer=self.scorer, methods=TOPK_METHODS)
            return document(self.data, answer, found, source=self.source, policies=self.policies)

    def ranking(self) -> dict[str, Any]:
        """Return the document of a stable full ranking."""
        from steadyrank.report.schema import ranking_document
        from steadyrank.stability.answers import stable_ranking

        with working("Leaving every unit out"):
            answer = stable_ranking(self.data, scorer=self.scorer, **self.settings)
            return ranking_document(self.data, answer, source=self.source, policies=self.policies)

    def audit(self, ks: Sequence[int]) -> dict[str, Any]:
        """Return the document of an audit; eps comes from the shifts where it is not given."""
        from steadyrank.report.schema import audit_document
        from steadyrank.stability.answers import stable_ranking
        from steadyrank.stability.audit import audit

        with working("Leaving every unit out"):
            eps = self.settings["eps"]
            if eps is None:
                eps = stable_ranking(self.data, scorer=self.scorer, **self.settings).eps
            found = audit(self.data, k=ks, eps=eps, scorer=self.scorer)
            return audit_document(self.data, found, source=self.source, policies=self.policies)

    def check(self, k: int, max_delta: float) -> dict[str, Any]:
        """Return the document of a gate: how unstable the plain (with eps, the inflated) top-k is."""
        from steadyrank.report.schema import check_document
        from steadyrank.stability.answers import stable_topk
        from steadyrank.stability.audit import audit

        with working("Leaving every unit out"):
            remedy = stable_topk(self.data, k, scorer=self.scorer, delta=max_delta)
            eps = self.settings["eps"]
            found = audit(
                self.data, k=k, eps=eps or remedy.eps, scorer=self.scorer, methods=TOPK_METHODS
            )
            return check_document(
                self.data,
                found,
                remedy,
                method="topk" if eps is None else "inflated_topk",
                max_delta=max_delta,
                source=self.source,
                policies=self.policies,
            )


def _policies(source: InputOptions) -> dict[str, str]:
    said = {"missing": source.missing, "duplicates": source.duplicates}
    return {name: value for name, value in said.items() if value is not None}


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    Examples
    --------
    >>> parse_ks("5,10, 20")
    [5, 10, 20]
    """
    from steadyrank.errors import InvalidValueError, shorten

    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidValueError(
            f"-k takes whole numbers separated by commas, such as 5,10,20, but is {shorten(text)}."
        ) from None
