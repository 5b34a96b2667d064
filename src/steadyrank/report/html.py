"""The report: one HTML file that opens offline, with levers for how many are removed and for k.

The page computes nothing: the standings for other k follow from rank ranges, and those for several who
leave from distances, which the library worked out. Names, which come from strangers, are shown as text.

It carries the findings with one change for size alone: rows become columns. Charts are plain elements
and SVG, drawn by the page itself: it runs one script, whose hash it names, and may load nothing at all.
"""

from __future__ import annotations

import html
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from steadyrank.report.export import to_json
from steadyrank.report.picture import share_image
from steadyrank.report.sharing import as_markup, table_of
from steadyrank.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGES = {
    "top-k": (
        "Stable top {k:,} of {items}", "report.html", "theme.js", "state.js", "words.js",
        "hero.js", "curves.js", "table.js", "page.js",
    ),
    "comparison": ("What moved", "comparison.html", "theme.js", "words.js", "table.js", "slopes.js"),
}  # fmt: skip
"""The title of each page, what stands in its frame, and the scripts that draw it."""

LEFT_OUT = frozenset({"rows", "audit"})
"""What the page gets in another form or does not need."""


def render_html(findings: Mapping[str, Any], *, title: str | None = None) -> str:
    """Return the page of the findings of a top-k or of a comparison.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> answer = stable_topk(Votes(["<name>"] * 5 + ["c"] * 3), 1)
    >>> page = render_html(answer.findings(), title="A & B")
    >>> "A &amp; B" in page, "<name>" in page
    (True, False)
    """
    usual, content, *scripts = PAGES[findings["document"]]
    items = counted(findings["n_items"], "item")
    script = "\n".join(map(asset, [*scripts, "ready.js"]))
    parts = {
        "policy": html.escape(content_policy(script), quote=True),
        "title": as_markup(title or usual.format(**findings, items=items)),
        "guesses": _guesses(findings),
        "headline": as_markup(findings["headline"]),
        "warnings": _warnings(findings),
        "size": counted(findings.get("size", 0), "item"),
        "promise": as_markup(findings["certificate"]["promise"]),
        "certificate": as_markup(findings["certificate"]["sentence"]),
        "margin": as_markup((findings["margin"] or {}).get("sentence", "")),
        "rule": as_markup(findings.get("rule", "")),
        "table": table_of(findings),
        "style": asset("report.css"),
        "data": to_json(packed(findings) if "size" in findings else findings, indent=None),
        "page": script,
    }
    # Split first, so that no text that is filled in can bring a placeholder of its own.
    fixed = asset("frame.html").replace("@@main@@", asset(content)).split("@@")
    return "".join(parts[part] if place % 2 else part for place, part in enumerate(fixed))


def _guesses(findings: Mapping[str, Any]) -> str:
    """Return what was guessed: of a comparison, about the old file and about the new one."""
    new = findings.get("new")
    of = {"the file": findings} if new is None else {"the old file": findings, "the new file": new}
    told = {file: "; ".join(map(_with_option, one["guesses"])) for file, one in of.items()}
    said = [f"Guessed about {file}: {guesses}" for file, guesses in told.items() if guesses]
    return f'<p id="guesses" class="muted">{"<br>".join(said)}</p>' if said else ""


def _warnings(findings: Mapping[str, Any]) -> str:
    told = [as_markup(text) for text in findings["warnings"]]
    told += map(_with_option, findings["suggestions"])
    return f'<ul id="warnings">{"".join(f"<li>{text}</li>" for text in told)}</ul>' if told else ""


def _with_option(one: Mapping[str, Any]) -> str:
    option = f" <code>{as_markup(one['option'])}</code>" if one["option"] else ""
    return as_markup(one["text"]) + option


@cache
def asset(name: str) -> str:
    """Return a file of the page by name."""
    return files("steadyrank.report").joinpath("page", name).read_text(encoding="utf-8")


def content_policy(script: str) -> str:
    """Return the Content-Security-Policy of a page that may run this script and load nothing.

    Examples
    --------
    >>> content_policy("1").split("; ")[:2]
    ["default-src 'none'", "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"]
    """
    hashed = b64encode(sha256(script.encode()).digest()).decode("ascii")
    # The embedded table has styles of its own; the empty icon and the share image are data: addresses.
    return (
        f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def packed(findings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page carries: rows as columns, and the picture to pass on.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> packed(stable_topk(votes, 2).findings())["columns"]["item"]
    ['ann', 'bob', 'cyd']
    """
    rows = findings["rows"]
    return {name: value for name, value in findings.items() if name not in LEFT_OUT} | {
        "columns": {name: [row[name] for row in rows] for name in rows[0]},
        "image": share_image(findings).decode(),
    }
