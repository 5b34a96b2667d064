"""Results as one JSON document with a version: what every view is drawn from.

``docs/json-schema.md`` describes each field. The version is ``major.minor``: a new field raises the
minor number, a field that goes or changes its meaning raises the major one.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from steadyrank.report.cells import csv_text
from steadyrank.report.findings import curve, flips, label, outcome
from steadyrank.report.windows import BUDGET, windows
from steadyrank.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from steadyrank.data.observations import Observations
    from steadyrank.stability.answers import Answer, StableRanking, StableTopK
    from steadyrank.stability.audit import Audit
    from steadyrank.stability.certificate import Certificate

SCHEMA_VERSION = "1.0"

NEXT_IN_LINE = 6
"""How many items beyond k a view may want to let in."""

ROW_NAMES = ("rank", "item", "score", "lowest", "highest", "standing", "critical_eps")
OUTCOME_NAMES = ("method", "k", "delta", "jaccard", "size", "log10_size", "note")

POLICIES = {
    "ties": (
        "Equal scores: the smaller item index wins in plain answers; equal scores enter inflated "
        "answers together."
    ),
    "eps": "eps is the same for the full data and for the data without each unit.",
    "boundary": "A distance of exactly eps counts as out: the inequality is strict.",
}
"""Rules that hold for every result, in plain words."""


def document(
    data: Any,
    answer: StableTopK,
    audit: Audit | None = None,
    *,
    source: str | None = None,
    policies: Mapping[str, str] | None = None,
    curve_ks: Iterable[int] = (),
    max_rows: int | None = None,
    budget: int = BUDGET,
) -> dict[str, Any]:
    """Return a stable top-k, and the audit of it, as a JSON-safe document.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression
        The observations.
    answer : StableTopK
        The answer.
    audit : Audit, optional
        An audit that has the same k, for ``audit``, ``curves`` and ``flips``.
    source : str, optional
        The name of the file, without its folder.
    policies : mapping, optional
        Further policies that were applied, by name, in plain words.
    curve_ks : iterable of int
        Further k whose curves a live view needs; each takes a pass over the units.
    max_rows : int, optional
        How many items to list, by rank; all by default.
    budget : int
        How many numbers each family of ``windows`` may hold.

    Examples
    --------
    >>> from steadyrank import Votes, audit, stable_topk
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> answer = stable_topk(votes, 2)
    >>> made = document(votes, answer, audit(votes, k=2, eps=answer.eps))
    >>> made["schema_version"], made["kind"], made["summary"]["size"]
    ('1.0', 'votes', 3)
    """
    made = _common("top-k", data, answer, source, policies, max_rows)
    made |= {
        "k": answer.k,
        "size": answer.size,
        "summary": _summary(answer, audit),
        "windows": windows(
            answer.scores,
            answer.order,
            k=answer.k,
            eps=answer.eps,
            limit=_limit(answer, audit),
            budget=budget,
        ),
    }
    if audit is not None:
        made |= _audited(audit, answer.k, answer.eps, curve_ks)
    return made


def ranking_document(
    data: Any,
    answer: StableRanking,
    audit: Audit | None = None,
    *,
    source: str | None = None,
    policies: Mapping[str, str] | None = None,
    max_rows: int | None = None,
) -> dict[str, Any]:
    """Return a stable full ranking as a JSON-safe document; parameters as for :func:`document`."""
    made = _common("ranking", data, answer, source, policies, max_rows)
    made["tiers"] = [[label(item) for item in tier] for tier in answer.tiers]
    if audit is not None:
        made["audit"] = [outcome(row) for row in audit.table]
    return made


def audit_document(
    data: Any, audit: Audit, *, source: str | None = None, policies: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the table of an audit, and the flips of each of its k, as a JSON-safe document."""
    made = _about("audit", data, audit.scorer, source, policies)
    ks = [row.k for row in audit.table if row.method == "topk" and row.k is not None]
    return made | {
        "eps": audit.eps,
        "share_reaching_eps": audit.share_reaching_eps,
        "audit": [outcome(row) for row in audit.table],
        "flips": [flips(audit, k) for k in ks],
        "notes": list(audit.notes),
    }


def check_document(
    data: Any,
    audit: Audit,
    remedy: StableTopK,
    *,
    method: str,
    max_delta: float,
    source: str | None = None,
    policies: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the finding of a gate as a JSON-safe document.

    Parameters
    ----------
    data, source, policies
        As for :func:`document`.
    audit : Audit
        An audit of ``method`` for the k of the remedy.
    remedy : StableTopK
        The smallest answer that keeps to ``max_delta``.
    method : {"topk", "inflated_topk"}
        What was checked.
    max_delta : float
        The largest instability that passes.
    """
    row = audit.outcome(method, remedy.k)
    return _about("check", data, audit.scorer, source, policies) | {
        "k": remedy.k,
        "method": method,
        "eps": audit.eps if method == "inflated_topk" else None,
        "delta": row.delta,
        "breaking_units": round(row.delta * audit.units.total),
        "size": row.size,
        "max_delta": max_delta,
        "stable": row.delta <= max_delta,
        "remedy": {"eps": remedy.eps, "size": remedy.size, "delta": remedy.certificate.delta},
        "flips": flips(audit, remedy.k),
        "notes": list(audit.notes),
    }


def to_json(made: Mapping[str, Any], *, indent: int | None = 2) -> str:
    r"""Return a document as JSON text that can stand anywhere.

    It is ASCII, so that no name can steer a terminal, and holds no ``<``, ``>`` or ``&``, so that none
    can end the ``script`` element of a page that carries it.

    Examples
    --------
    >>> to_json({"item": "</script>"}, indent=None)
    '{"item": "\\u003c/script\\u003e"}'
    """
    text = json.dumps(made, indent=indent, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def answer_csv(made: Mapping[str, Any]) -> str:
    """Return the rows of a document as CSV; see :mod:`steadyrank.report.cells` for guarded cells."""
    return csv_text(ROW_NAMES, ([row[name] for name in ROW_NAMES] for row in made["rows"]))


def audit_csv(made: Mapping[str, Any]) -> str:
    """Return the audit's table of a document as CSV."""
    return csv_text(OUTCOME_NAMES, ([row[name] for name in OUTCOME_NAMES] for row in made["audit"]))


def check_csv(made: Mapping[str, Any]) -> str:
    """Return the finding of a gate as a CSV of one row."""
    names = ("k", "method", "eps", "delta", "breaking_units", "size", "max_delta", "stable")
    return csv_text(names, [[made[name] for name in names]])


def kind_of(data: Observations) -> str:
    """Return what a kind of data is called on the command line.

    Examples
    --------
    >>> from steadyrank import Votes
    >>> kind_of(Votes(["x"]))
    'votes'
    """
    return data.kind.name


def _about(
    what: str, data: Any, scorer: str, source: str | None, policies: Mapping[str, str] | None
) -> dict[str, Any]:
    from steadyrank import __version__

    return {
        "schema_version": SCHEMA_VERSION,
        "document": what,
        "software": {"name": "steadyrank", "version": __version__},
        "source": source,
        "kind": kind_of(data),
        "unit": str(data.units.kind),
        "units": plural(str(data.units.kind)),
        "n_units": int(data.units.total),
        "n_distinct_units": len(data.units),
        "n_items": len(data.items),
        "scorer": scorer,
        "policies": {**POLICIES, **(policies or {})},
    }


def _common(
    what: str,
    data: Any,
    answer: Answer,
    source: str | None,
    policies: Mapping[str, str] | None,
    max_rows: int | None,
) -> dict[str, Any]:
    return _about(what, data, answer.scorer, source, policies) | {
        "eps": answer.eps,
        "certificate": _certificate(answer.certificate),
        "rows": [
            {name: getattr(row, name) for name in ROW_NAMES} | {"item": label(row.item)}
            for row in answer.rows(max_rows)
        ],
        "notes": list(answer.notes),
    }


def _certificate(certificate: Certificate) -> dict[str, Any]:
    return {
        "status": certificate.status,
        "eps": certificate.eps,
        "delta": certificate.delta,
        "rule": certificate.rule,
        "sentence": certificate.sentence,
        "vacuous": certificate.vacuous,
        "numbers": {
            name: float(value) if math.isfinite(value) else None
            for name, value in certificate.numbers.items()
        },
    }


def _summary(answer: StableTopK, audit: Audit | None) -> dict[str, Any]:
    """Return what a verdict in words is made of."""
    made: dict[str, Any] = {
        "size": answer.size,
        "certain": len(answer.certain),
        "contenders": len(answer.contenders),
    }
    for name, method in (("plain", "topk"), ("inflated", "inflated_topk")):
        delta = None if audit is None else audit.outcome(method, answer.k).delta
        made[f"{name}_delta"] = delta
        made[f"{name}_breaking_units"] = None if delta is None else round(delta * answer.n_units)
    return made


def _limit(answer: StableTopK, audit: Audit | None) -> float:
    """Return how far a view may want to move eps: to calm, and to a few more items."""
    calm = 0.0 if audit is None else float(audit.curve(answer.k).breaking_eps.max(initial=0.0))
    tenth_in_line = answer.order[min(answer.k + 10, len(answer.items)) - 1]
    return max(2 * answer.eps, 1.25 * calm, 1.01 * float(answer.critical_eps[tenth_in_line]))


def _audited(audit: Audit, k: int, eps: float, curve_ks: Iterable[int]) -> dict[str, Any]:
    return {
        "audit": [outcome(row) for row in audit.table],
        "share_reaching_eps": audit.share_reaching_eps,
        "curve": curve(audit.curve(k), eps),
        "curves": [curve(audit.curve(other), eps) for other in dict.fromkeys((k, *curve_ks))],
        "flips": flips(audit, k),
    }
