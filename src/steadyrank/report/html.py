"""The report: one HTML file that opens offline, with live sliders for k and eps.

The page computes nothing: it compares eps with numbers that the library computed (see
:mod:`steadyrank.stability.thresholds`), and shows names, which come from strangers, as text alone.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from steadyrank.report.export import to_json
from steadyrank.report.html_pack import packed
from steadyrank.report.html_runtime import asset, chart_runtime, content_policy
from steadyrank.report.text import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPTS = ("live.js", "specs.js", "charts.js", "table.js", "page.js")


def render_html(findings: Mapping[str, Any], *, title: str | None = None) -> str:
    """Return the page of the findings of a top-k.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<name>"] * 5 + ["c"] * 3), 1)
    >>> page = render_html(answer.findings(), title="A & B")
    >>> "A &amp; B" in page, "<name>" in page
    (True, False)
    """
    heading = title or f"Stable top {findings['k']:,} of {findings['n_items']:,} items"
    scripts = {"runtime": chart_runtime(), "page": "\n".join(asset(name) for name in SCRIPTS)}
    parts = {
        "policy": html.escape(content_policy(scripts.values()), quote=True),
        "title": _text(heading),
        "verdict": _text(verdict(findings)),
        "certificate": _text(findings["certificate"]["sentence"]),
        "style": asset("report.css"),
        "licence": asset("runtime-licence.txt"),
        "data": to_json(packed(findings), indent=None),
        **scripts,
    }
    # Split first, so that no text that is filled in can bring a placeholder of its own.
    fixed = asset("report.html").split("@@")
    return "".join(parts[part] if place % 2 else part for place, part in enumerate(fixed))


def _text(value: str) -> str:
    """Escape text for the page; what UTF-8 cannot hold becomes a question mark."""
    return html.escape(value.encode("utf-8", "replace").decode("utf-8"), quote=True)
