"""The report: one HTML file that opens offline, with live sliders for k and eps.

``write_report`` is data to file in one call; ``render_html`` draws a document that is already there.
The page computes nothing: it compares eps with numbers that the library computed (see
:mod:`steadyrank.report.windows`), and shows names, which come from strangers, as text alone.
"""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.report.html_charts import charts
from steadyrank.report.html_pack import packed
from steadyrank.report.html_runtime import asset, chart_runtime, content_policy
from steadyrank.report.html_words import verdict
from steadyrank.report.schema import document as document_of, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steadyrank.scorers.base import Scorer
    from steadyrank.stability.calibration import Claim

AFFORDABLE = 4_000_000
"""Distinct units times items up to which the curves of the k near by are computed, too."""

NEAR = 20
"""How far from k the curves of other k reach."""

SCRIPTS = ("live.js", "charts.js", "table.js", "page.js")


def write_report(
    data: Any,
    k: int,
    path: str | os.PathLike[str],
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: Scorer | None = None,
    claim: Claim = "observed",
    title: str | None = None,
    source: str | None = None,
) -> Path:
    """Write the report of a stable top-k as one HTML file, and return its path.

    Parameters
    ----------
    data, k, delta, eps, scorer, claim
        As for :func:`steadyrank.stable_topk`. With ``claim="none"`` no unit is left out, so the report
        has no curve and no flips.
    path : path
        The file to write. It appears complete or not at all.
    title : str, optional
        A heading of your own.
    source : str, optional
        What to call the data, for example the name of a file.

    Examples
    --------
    >>> import tempfile
    >>> from steadyrank import Votes
    >>> votes = Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(votes, 2, Path(folder) / "report.html", delta=0).name
    'report.html'
    """
    made = report_document(data, k, delta=delta, eps=eps, scorer=scorer, claim=claim, source=source)
    return write_whole(render_html(made, title=title), path)


def report_document(
    data: Any,
    k: int,
    *,
    delta: float | None = None,
    eps: float | None = None,
    scorer: Scorer | None = None,
    claim: Claim = "observed",
    source: str | None = None,
) -> dict[str, Any]:
    """Return the results document of a report: the answer, its audit, and the curves near k."""
    from steadyrank.stability.answers import stable_topk
    from steadyrank.stability.audit import audit

    answer = stable_topk(data, k, delta=delta, eps=eps, scorer=scorer, claim=claim)
    if claim == "none":
        return document_of(data, answer, source=source)
    found = audit(data, k=k, eps=answer.eps, scorer=scorer, methods=("topk", "inflated_topk"))
    near = range(max(1, k - NEAR), min(len(data.items), k + NEAR) + 1)
    cheap = len(found.units) * len(found.items) <= AFFORDABLE
    return document_of(data, answer, found, source=source, curve_ks=near if cheap else ())


def render_html(document: Mapping[str, Any], *, title: str | None = None) -> str:
    """Return the page of a top-k document of :func:`steadyrank.report.schema.document`.

    Examples
    --------
    >>> from steadyrank import Votes
    >>> page = render_html(report_document(Votes(["<name>"] * 5 + ["c"] * 3), 1), title="A & B")
    >>> "A &amp; B" in page, "<name>" in page
    (True, False)
    """
    heading = title or f"Stable top {document['k']:,} of {document['n_items']:,} items"
    scripts = {"runtime": chart_runtime(), "page": "\n".join(asset(name) for name in SCRIPTS)}
    parts = {
        "policy": html.escape(content_policy(scripts.values()), quote=True),
        "title": _text(heading),
        "verdict": _text(verdict(document)),
        "certificate": _text(document["certificate"]["sentence"]),
        "style": asset("report.css"),
        "licence": asset("runtime-licence.txt"),
        "data": to_json(packed(document), indent=None),
        "charts": to_json(charts(), indent=None),
        **scripts,
    }
    # Split first, so that no text that is filled in can bring a placeholder of its own.
    fixed = asset("report.html").split("@@")
    return "".join(parts[part] if place % 2 else part for place, part in enumerate(fixed))


def write_whole(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a text file so that nobody ever sees half of it."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def _text(value: str) -> str:
    """Escape text for the page; what UTF-8 cannot hold becomes a question mark."""
    return html.escape(value.encode("utf-8", "replace").decode("utf-8"), quote=True)


def _umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
