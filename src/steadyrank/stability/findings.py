"""Findings: a result as one plain document with a version, which every view is drawn from.

``docs/json-schema.md`` describes each field. The version is ``major.minor``: a new field raises the
minor number, a field that goes or changes its meaning raises the major one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.stability.margins import NEAREST
from steadyrank.stability.verdict import ranking_headline, suggestions, topk_headline, topk_warnings
from steadyrank.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.stability.answers import Answer, StableRanking, StableTopK
    from steadyrank.stability.auditing import Audit, Check
    from steadyrank.stability.curve import StabilityCurve
    from steadyrank.stability.explanation import Explanation, Needed
    from steadyrank.stability.margin_results import Margin
    from steadyrank.stability.random_audit import RandomAudit
    from steadyrank.stability.results import Result
    from steadyrank.stability.study import Study
    from steadyrank.stability.topk_audit import Flip, Flips

SCHEMA_VERSION = "3.0"

RULES = {
    "ties": (
        "equal scores: the smaller item index wins in plain answers; equal scores enter inflated ones "
        "together"
    ),
    "eps": "eps is the same for the full data and for the data without each unit",
    "boundary": "a distance of exactly eps counts as out: the inequality is strict",
}
"""Rules that hold for every result, in plain words."""

COLUMNS = {
    "top-k": (
        "rank", "item", "score", "best_rank", "worst_rank", "share", "standing", "away", "count",
        "critical_eps",
    ),
    "ranking": (
        "rank", "item", "score", "best_rank", "worst_rank", "standing", "count", "inflated_best",
        "inflated_worst",
    ),
    "audit": ("method", "k", "delta", "uncovered", "jaccard", "size"),
    "random-audit": ("method", "k", "delta", "lower", "upper", "uncovered", "jaccard", "size"),
    "explanation": ("unit", "number", "count", "contribution", "gap_without"),
    "needed": ("k", "ahead", "behind", "gap", "confidence", "needed", "n_units", "tie", "basis"),
    "margin": ("k", "item", "lower", "upper", "exact", "n_units", "passed", "passing", "rule"),
    "check": ("k", "method", "eps", "delta", "breaking_units", "size", "max_delta", "stable"),
}  # fmt: skip
"""The columns of the table of each document, for dataframes and CSV."""

MAX_STEPS = 2000
"""Steps of a curve that a document holds; beyond it a part of them, each of them exact."""

MAX_FLIPS = 200
"""Flips of each method that a document lists; the rest is counted."""

EXACT_IN_JSON = 1 << 53
"""Whole numbers up to this are exact in every JSON reader."""


def about(
    result: Result, source: str | None = None, policies: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what every document begins with: what was studied, and how."""
    from steadyrank import __version__

    return {
        "schema_version": SCHEMA_VERSION,
        "document": result.document,
        "software": {"name": "steadyrank", "version": __version__},
        "source": source,
        **_told(result, "kind", "unit"),
        "units": plural(result.unit),
        **_told(result, "n_units", "n_distinct_units"),
        "n_items": len(result.items),
        **_told(result, "counted_as", "scorer"),
        "policies": {**RULES, **(policies or {})},
        "notes": list(result.notes),
    }


def _told(result: object, *names: str) -> dict[str, Any]:
    """Return what a result says under its own names."""
    return {name: getattr(result, name) for name in names}


def answer_findings(answer: Answer, max_rows: int | None) -> dict[str, Any]:
    """Return the items of an answer, and what is claimed of it."""
    certificate = answer.certificate
    numbers = {name: _finite(float(value)) for name, value in certificate.numbers.items()}
    return {
        "eps": answer.eps,
        "certificate": {**vars(certificate), "numbers": numbers},
        "rows": [
            {**vars(row), "item": label(row.item), "critical_eps": _finite(row.critical_eps)}
            for row in answer.rows(max_rows)
        ],
    }


def _finite(number: float | None) -> float | None:
    """Return a number as JSON can hold it: an eps that is beyond all floats is never reached."""
    return number if number is not None and math.isfinite(number) else None


def topk_findings(answer: StableTopK) -> dict[str, Any]:
    """Return what an answer says first: who is in, who contends, how many decide."""
    told = answer.deletions
    summary: dict[str, Any] = {"size": answer.size}
    names = ("sure", "contenders", "near")
    summary |= {name: None if told is None else len(getattr(answer, name)) for name in names}
    changing = None if told is None else told.changing_units()
    uncovered = None if told is None else told.uncovered_units(answer.eps)
    for name, number in (("changing", changing), ("uncovered", uncovered)):
        share = None if number is None else number / answer.n_units
        summary |= {f"{name}_units": number, f"{name}_share": share}
    return {
        "headline": topk_headline(answer),
        "warnings": list(topk_warnings(answer)),
        "suggestions": suggestions(answer),
        "k": answer.k,
        "size": answer.size,
        "summary": summary,
        "margin": _margin_of(answer),
    }


def ranking_findings(answer: StableRanking) -> dict[str, Any]:
    """Return what a ranking says first, and its tiers."""
    return {
        "headline": ranking_headline(answer),
        "warnings": [],
        "suggestions": suggestions(answer),
        "tiers": [labels(tier) for tier in answer.tiers],
        "margin": _margin_of(answer),
    }


def _margin_of(answer: Answer) -> dict[str, Any] | None:
    return margin_findings(answer.margin) if answer.told and answer.has_study else None


def audited_findings(answer: StableTopK, audit: Audit) -> dict[str, Any]:
    """Return the audit of an answer: who changes it, and what each eps would do."""
    flips = flip_findings(audit.flips(answer.k), answer.study.data)
    return _table(audit) | {"curve": curve_findings(audit.curve(answer.k), answer.eps), "flips": flips}


def audit_findings(audit: Audit) -> dict[str, Any]:
    """Return the table of an audit, and the flips of each k whose plain top-k was audited."""
    ks = [row.k for row in audit if row.method == "topk" and row.k is not None]
    how = audit.inflation
    target = {"eps": how.eps, "delta": how.target, "guarantee": how.guarantee}
    flips = [flip_findings(audit.flips(k), audit.flipping_data) for k in ks]
    return target | _table(audit) | {"flips": flips}


def random_audit_findings(audit: RandomAudit) -> dict[str, Any]:
    """Return the table of an audit of random removals, and what was drawn."""
    drawn = _told(audit, "removals", "samples", "seed", "unscored", "confidence", "sentence")
    return drawn | audit_findings(audit)


def check_findings(check: Check) -> dict[str, Any]:
    """Return what a gate found."""
    remedy = check.remedy
    return {
        "k": check.k,
        "method": check.row.method,
        "eps": check.eps,
        "delta": check.row.delta,
        "breaking_units": round(check.row.delta * check.n_units),
        **_told(check.row, "uncovered", "size"),
        "max_delta": check.max_delta,
        "margin": margin_findings(check.margin),
        **_told(check, "min_margin", "stable"),
        "remedy": {
            **_told(remedy, "eps", "size"),
            "uncovered": remedy.certificate.delta,
            "items": labels(remedy.members),
        },
        "flips": flip_findings(check.flips, check.study.data),
    }


def margin_findings(margin: Margin) -> dict[str, Any]:
    """Return how many units must leave, which ones, and what then happens."""
    passed, passing = labels(margin.pair)
    return {
        "k": margin.k,
        "item": None if margin.item is None else label(margin.item),
        **_told(margin, "eps", "by", "lower", "upper", "exact", "never"),
        "passed": passed,
        "passing": passing,
        "leaves": labels(margin.leaves),
        "enters": labels(margin.enters),
        "units_removed": _removed(margin),
        "unit_added": None if margin.added is None else label(margin.added),
        "rule": margin.rule,
        "neighbours": [
            {"item": label(item), "next": label(other), "lower": lower}
            for item, other, lower in margin.neighbours
        ],
        "assumed": list(margin.assumed),
        "sentence": margin.sentence,
    }


def distance_findings(study: Study, k: int) -> dict[str, Any]:
    """Return how many units the items around rank k are away from crossing it, at least."""
    answer, search = study.topk(k), study.margin_search()
    order = answer.order
    away = search.away(k, answer.moves)[order]
    sides = (range(k), range(k, len(order)))
    near = [sorted(side, key=lambda place: away[place])[:NEAREST] for side in sides]
    shown = sorted(place for side in near for place in side)
    rest = np.delete(away, shown)
    items = [
        {"item": label(study.items[order[place]]), "rank": place + 1, "lower": int(away[place])}
        for place in shown
    ]
    return {"k": k, "items": items, "beyond": int(rest.min(initial=study.units.total))}


def explanation_findings(found: Explanation) -> dict[str, Any]:
    """Return an item's rivals, and all units for and against it."""
    rivals = [
        {"item": label(rival.item), **_told(rival, "rank", "gap")}
        | _told(rival.margin, "lower", "upper", "sentence")
        for rival in found.rivals
    ]
    study, place = found.study, found.items.index(found.item)
    away = study.topk(found.k).away
    return _told(found, "k", "rank", "inside", "gap", "additive", "sentence") | {
        "item": label(found.item),
        "away": None if away is None else int(away[place]),
        "rivals": rivals,
        "units_for": found.number(1),
        "units_against": found.number(-1),
        "rows": _said_rows(found, place),
    }


def _said_rows(found: Explanation, place: int) -> list[dict[str, Any]]:
    """Return the units of an explanation; the first on each side with what they said of the two."""
    rows, data = list(found.rows()), found.study.data
    sides = [[row for row in rows if row["contribution"] * sign > 0][:MAX_FLIPS] for sign in (1, -1)]
    shown = [row["number"] for side in sides for row in side]
    pair = [place, *(data.items.index(rival.item) for rival in found.rivals[:1])]
    said = dict(zip(shown, data.said(shown, [pair] * len(shown)), strict=True))
    return [row | {"said": said.get(row["number"])} for row in rows]


def needed_findings(found: Needed) -> dict[str, Any]:
    """Return how many units a model says it would take, and that it is a model."""
    told = _told(found, "k", "gap", "confidence", "needed", "tie", "basis", "sentence")
    return told | {"ahead": label(found.ahead), "behind": label(found.behind), "status": "model"}


def _removed(margin: Margin) -> dict[str, Any]:
    """Return the units of the removal set, the first of them by name and the rest counted."""
    numbers = np.flatnonzero(margin.leaving)
    copies = margin.leaving[numbers]
    known = margin.study.units.labels
    listed = [
        {"unit": label(known[number]), "number": number, "count": count}
        for number, count in zip(numbers[:MAX_FLIPS].tolist(), copies.tolist(), strict=False)
    ]
    return {"units": int(copies.sum()), "distinct_units": len(numbers), "listed": listed}


def label(name: object) -> str | int | float | bool:
    """Return a label as JSON can hold it: text and numbers as they are, anything else in words.

    Examples
    --------
    >>> label("x"), label(np.int64(3)), label(("a", 1))
    ('x', 3, "('a', 1)")
    """
    plain = name.item() if isinstance(name, np.generic) else name
    if isinstance(plain, bool | str):
        return plain
    if isinstance(plain, int) and abs(plain) <= EXACT_IN_JSON:
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    return str(plain)


def labels(names: Iterable[object]) -> list[str | int | float | bool]:
    """Return labels as JSON can hold them."""
    return [label(name) for name in names]


def curve_findings(found: StabilityCurve, eps: float) -> dict[str, Any]:
    """Return a curve by its steps: delta and size are those for any eps just above each step."""
    steps, delta, size = found.steps()
    kept = _kept_steps(steps, eps)
    return {
        "k": found.k,
        "eps": steps[kept].tolist(),
        "delta": delta[kept].tolist(),
        "size": size[kept].tolist(),
        "n_steps": len(steps),
        "thinned": len(kept) < len(steps),
    }


def _kept_steps(steps: FloatArray, eps: float, most: int = MAX_STEPS) -> IntArray:
    """Choose steps evenly by number and evenly by eps, and all those next to the chosen eps."""
    if len(steps) <= most:
        return np.arange(len(steps))
    by_number = np.linspace(0, len(steps) - 1, most // 2).round().astype(np.int64)
    grid = np.linspace(steps[0], steps[-1], most // 4)
    by_eps = np.searchsorted(steps, grid).clip(0, len(steps) - 1)
    here = int(np.searchsorted(steps, eps))
    near = np.arange(max(0, here - most // 8), min(len(steps), here + most // 8))
    return np.unique(np.concatenate([by_number, by_eps, near]))


def _table(audit: Audit) -> dict[str, Any]:
    more = ("eps", "log10_size", "note", "recalibrated", "eps_without")
    rows = [_told(row, *COLUMNS[audit.document], *more) for row in audit]
    for row in rows:
        if row["size"] is not None and row["size"] > EXACT_IN_JSON:
            row["size"] = None
    return {"audit": rows, "share_reaching_eps": audit.share_reaching_eps}


def flip_findings(found: Flips, data: Observations | None) -> dict[str, Any]:
    """Return the units that break each answer, the first of them by name and the rest counted.

    What they said is told where the data are at hand, and the units are those of the data.
    """
    parts = {"plain": found.plain, "inflated": found.inflated}
    return {"k": found.k} | {name: _listed(part, data) for name, part in parts.items()}


def _listed(found: Sequence[Flip], data: Observations | None) -> dict[str, Any]:
    shown = found[:MAX_FLIPS]
    said: list[str | None] = [None] * len(shown)
    if data is not None and shown:
        place = {item: index for index, item in enumerate(data.items)}
        moved = [[place[item] for item in (*flip.leaves, *flip.enters)] for flip in shown]
        said = data.said([flip.number for flip in shown], moved)
    listed = [
        {"unit": label(flip.unit), "count": flip.count, "said": told}
        | {"leaves": labels(flip.leaves), "enters": labels(flip.enters)}
        for flip, told in zip(shown, said, strict=True)
    ]
    units = sum(flip.count for flip in found)
    return {"units": units, "distinct_units": len(found), "listed": listed}
