"""The report: one HTML file that opens offline, with live sliders for k and eps.

The page computes nothing: it compares eps with numbers that the library computed (see
:mod:`steadyrank.stability.thresholds`), and shows names, which come from strangers, as text alone.

It carries the findings with two changes for size alone: long lists of numbers become base64 of
little-endian 64-bit floats (exact, and half as long as digits), and rows become columns. Nothing is
rounded: a slider at a boundary decides as the library does.

Why Vega-Lite: charts are declared and a library made for it draws them, with scales, axes and tooltips
that we need not maintain, as SVG whose colours follow the page. ``vl-convert`` bundles
the runtime offline, as one script of about 0.9 MB; of the 2 MB that a report of 1,000 items may have,
that leaves enough. A smaller library would have to be vendored and kept up to date here.

Why the full bundle: Vega turns expressions into functions with ``eval`` unless it is given an
interpreter, which comes with vega-embed. With it the page needs no ``unsafe-eval``: it may run the
scripts whose hashes it names and nothing else, and may load nothing at all.
"""

from __future__ import annotations

import html
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import MissingPackageError
from steadyrank.report.export import to_json
from steadyrank.safe_text import shown
from steadyrank.wording import STANDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

SCRIPTS = ("live.js", "specs.js", "charts.js", "table.js", "page.js")

EXPOSE = "window.vegaEmbed = vegaEmbed;"
"""The one name that the page needs of the runtime."""

STEPS_OF_OTHERS = 300
"""Steps that the page keeps of the curve of a k that was not the one asked for."""

RESHAPED = frozenset({"rows", "thresholds", "curve", "curves"})
"""What the page gets in another form."""


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
        "verdict": _text(findings["headline"]),
        "certificate": _text(findings["certificate"]["sentence"]),
        "margin": _text((findings["margin"] or {}).get("sentence", "")),
        "style": asset("report.css"),
        "licence": asset("runtime-licence.txt"),
        "data": to_json(packed(findings), indent=None),
        **scripts,
    }
    # Split first, so that no text that is filled in can bring a placeholder of its own.
    fixed = asset("report.html").split("@@")
    return "".join(parts[part] if place % 2 else part for place, part in enumerate(fixed))


def _text(value: str) -> str:
    """Escape text for the page, and show what would steer or reorder it, or UTF-8 cannot hold."""
    return html.escape(shown(value), quote=True)


@cache
def chart_runtime() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script for a page."""
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError(
            "the charts of an HTML report need vl-convert-python", "report"
        ) from None
    script = vl_convert.javascript_bundle(EXPOSE)
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def asset(name: str) -> str:
    """Return a file of the page by name."""
    return files("steadyrank.report").joinpath("page", name).read_text(encoding="utf-8")


def content_policy(scripts: Iterable[str]) -> str:
    """Return the Content-Security-Policy of a page that may run these scripts and load nothing.

    Examples
    --------
    >>> content_policy(["1"]).split("; ")[:2]
    ["default-src 'none'", "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"]
    """
    hashes = (b64encode(sha256(script.encode()).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{value}'" for value in hashes)
    # Vega and its tooltip set styles on elements; the empty icon of the page is a data: address.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def packed(findings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the compact form of the findings of a top-k.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> page = packed(stable_topk(votes, 2, eps=0.1, claim="none").findings())
    >>> page["columns"]["item"], page["curves"]
    (['ann', 'bob', 'cyd'], [])
    """
    limit = findings["thresholds"]["limit"]
    page = {name: value for name, value in findings.items() if name not in RESHAPED}
    return page | {
        "standings": STANDINGS,
        "columns": _columns(findings["rows"]),
        "thresholds": _thresholds(findings["thresholds"]),
        "curves": [_curve(found, findings["k"], limit) for found in findings.get("curves", ())],
    }


def floats(values: ArrayLike) -> str:
    """Return numbers as base64 of little-endian 64-bit floats.

    Examples
    --------
    >>> floats([1.0])
    'AAAAAAAA8D8='
    """
    return b64encode(np.asarray(values, dtype="<f8").tobytes()).decode("ascii")


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # The rank is the place, and standing follows from the interval, as for every other eps.
    names = ("item", "score", "best_rank", "worst_rank", "critical_eps")
    found: dict[str, Any] = {name: [row[name] for row in rows] for name in names}
    return found | {name: floats(found[name]) for name in ("score", "critical_eps")}


def _thresholds(found: Mapping[str, Any]) -> dict[str, Any]:
    made = {name: found[name] for name in ("limit", "first_k", "last_k")}
    for name in ("enters", "swaps"):
        parts: list[list[float]] = found[name]
        values = floats([value for part in parts for value in part])
        made[name] = {"lengths": [len(part) for part in parts], "values": values}
    return made


def _curve(found: Mapping[str, Any], asked: int, limit: float) -> dict[str, Any]:
    """Keep the steps of delta up to ``limit``; fewer for a k that is not the one asked for.

    Delta never grows with eps, so the value at the last step that was kept is never too small.
    """
    eps, delta = np.array(found["eps"]), np.array(found["delta"])
    kept = np.flatnonzero((eps < limit) & np.append(True, np.diff(delta) < 0))
    thinned = bool(found["thinned"])
    if found["k"] != asked and len(kept) > STEPS_OF_OTHERS:
        kept = kept[np.linspace(0, len(kept) - 1, STEPS_OF_OTHERS).round().astype(np.int64)]
        thinned = True
    return {"k": found["k"], "eps": floats(eps[kept]), "delta": floats(delta[kept]), "thinned": thinned}
