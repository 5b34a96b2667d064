"""The report: one HTML file that opens offline, with levers for how many are removed and for k.

The page computes nothing: the standings for other k follow from rank ranges, and those for several who
leave from distances, which the library worked out. Names, which come from strangers, are shown as text.

It carries the findings with one change for size alone: rows become columns. Charts are plain elements
and SVG, drawn by the page itself: it runs one script, whose hash it names, and may load nothing at all.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from steadyrank.report.export import to_json
from steadyrank.report.picture import share_image
from steadyrank.report.sharing import table_fragment, title_of
from steadyrank.report.tables import name_of, problems, split_tables
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import guessed
from steadyrank.text import as_markup, counted, html_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGES = {
    "top-k": (
        "report.html", "theme.js", "switch.js", "state.js", "words.js",
        "hero.js", "curves.js", "table.js", "page.js",
    ),
    "comparison": ("comparison.html", "theme.js", "switch.js", "words.js", "table.js", "slopes.js"),
}  # fmt: skip
"""What stands in the frame of each page, and the scripts that draw it."""

NAMES = {
    "item": "item_name", "items": "item_names", "unit": "unit", "units": "units", "headline": "headline"
}  # fmt: skip
"""What a page says of every document, and where that stands."""

OPTIONS = re.compile(r" [A-Z][^.]*--.*", re.DOTALL)
"""Sentences with options, which are for those who type them."""

VARYING = '<p id="certificate">@@certificate@@</p>@@guesses@@'
"""What else differs between categories, beside the first section of a page."""


def render_html(
    findings: Mapping[str, Any], *, title: str | None = None, date: str | None = None
) -> str:
    """Return the page of a top-k, a comparison, or a split of one of them, with the date it was made.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> answer = Study(Votes(["<name>"] * 5 + ["c"] * 3)).topk(1)
    >>> page = render_html(answer.findings(), title="A & B")
    >>> "A &amp; B" in page, "<name>" in page
    (True, False)
    """
    shown, overview, by = [("", findings)], "", ""
    if findings["document"] == "split":
        answered = [
            one for one in findings["categories"] if one["findings"] is not None
        ]
        shown = [(name_of(one), one["findings"]) for one in answered]
        overview, by = _overview(findings, answered), f", by {findings['split']}"
    title = title or title_of(shown[0][1]) + by
    content, *scripts = PAGES[shown[0][1]["document"]]
    script = "\n".join(map(asset, [*scripts, "ready.js"]))
    data = [
        packed(one, f"{title}: {name}" if name else title, date)
        if "size" in one
        else one
        for name, one in shown
    ]
    words = [_words(one) for _, one in shown]
    # What differs between categories lies ready in templates, in which nothing runs or is shown.
    varying = asset(content).partition("\n<noscript>")[0] + VARYING
    parts = words[0] | {
        "policy": html.escape(content_policy(script), quote=True),
        "title": as_markup(title),
        "date": as_markup(date or ""),
        "overview": overview,
        "templates": "".join(
            f"<template>{_filled(varying, one)}</template>" for one in words if overview
        ),
        "table": "".join(
            (name and f"<h3>{as_markup(name)}</h3>") + table_fragment(one)
            for name, one in shown
        ),
        "style": asset("report.css"),
        "data": to_json(data if overview else data[0], indent=None),
        "page": script,
    }
    return _filled(asset("frame.html").replace("@@main@@", asset(content)), parts)


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Return a page; it is split first, so that no text can bring a placeholder of its own."""
    pieces = enumerate(template.split("@@"))
    return "".join(parts[piece] if place % 2 else piece for place, piece in pieces)


def _words(findings: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a page that are there without any script."""
    texts = {name: findings[full] for name, full in NAMES.items()} | {
        "size": counted(findings.get("size", 0), findings["item_name"]),
        "promise": findings["certificate"]["promise"],
        "certificate": findings["certificate"]["sentence"],
        "margin": (findings["margin"] or {}).get("sentence", ""),
        "rule": findings.get("rule", ""),
    }
    marked = {name: as_markup(text) for name, text in texts.items()}
    return marked | {"guesses": _guesses(findings), "warnings": _warnings(findings)}


def _overview(found: Mapping[str, Any], answered: Sequence[Mapping[str, Any]]) -> str:
    """Return all categories side by side, who stands where, and the switch between them."""
    names = [(one["category"] or "", name_of(one)) for one in answered]
    parts = {
        "headline": as_markup(found["headline"]),
        "options": "".join(
            f'<option value="{as_markup(one)}">{as_markup(two)}' for one, two in names
        ),
        "tables": "".join(
            html_table("", *one) for one in split_tables(found, Terminal())
        ),
        "said": "".join(
            f"<p>{as_markup(OPTIONS.sub('', text))}</p>" for text in problems(found)
        ),
    }
    return _filled(asset("split.html"), parts)


def _guesses(findings: Mapping[str, Any]) -> str:
    """Return what was guessed, and what else could be asked: about each file of a comparison."""
    new = findings.get("new")
    files = (
        {"": findings} if new is None else {"Old file: ": findings, "New file: ": new}
    )
    guesses = {
        lead: guessed(one, Terminal(options=True)) for lead, one in files.items()
    }
    told = [lead + guess for lead, guess in guesses.items() if guess]
    told += [f"{one['text']} ({one['option']})" for one in findings["suggestions"]]
    return f'<p id="guesses">{"<br>".join(map(as_markup, told))}</p>'


def _warnings(findings: Mapping[str, Any]) -> str:
    """Return what a reader must know first; options, for those who ran it, stand in the details."""
    texts = [*findings["warnings"], *(one["text"] for one in findings["suggestions"])]
    told = [as_markup(re.sub(r" \(--[^)]*\)", "", text)) for text in texts]
    return (
        f'<ul id="warnings">{"".join(f"<li>{text}</li>" for text in told)}</ul>'
        if told
        else ""
    )


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


def packed(
    findings: Mapping[str, Any], title: str | None = None, date: str | None = None
) -> dict[str, Any]:
    """Return what the page carries: rows as columns, and the picture to pass on.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> packed(Study(votes).topk(2).findings())["columns"]["item"]
    ['ann', 'bob', 'cyd']
    """
    rows = findings["rows"]
    return {name: value for name, value in findings.items() if name != "rows"} | {
        "columns": {name: [row[name] for row in rows] for name in rows[0]},
        "image": share_image(findings, title=title, date=date),
    }
