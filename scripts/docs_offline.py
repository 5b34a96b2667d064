"""Refuse a page that would load from a network, and mend small things; mkdocs calls this for each."""

from __future__ import annotations

import re
from typing import Any

LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'\s>]*"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//[^"'\s>]*"""
)

SPOILT = "klzzwxh:"
"""What Markdown puts in the place of an escaped sign; inside a formula it stays there."""
OPTION = re.compile(r"<code>(--[^<]{1,30})</code>")


def outside_loads(html: str) -> list[str]:
    """Return the tags of a page that load something from elsewhere.

    Examples
    --------
    >>> outside_loads('<img src="figures/a.png"><a href="https://example.org">a link is fine</a>')
    []
    >>> outside_loads('<script src="https://example.org/x.js"></script>')
    ['<script src="https://example.org/x.js']
    """
    return LOADS.findall(html)


def beside_the_pages(html: str) -> str:
    """Return a page that finds the pictures of CONTRIBUTING.md, which stands a folder above the pages.

    Examples
    --------
    >>> beside_the_pages('<img src="docs/figures/house.svg">')
    '<img src="figures/house.svg">'
    """
    return html.replace('src="docs/figures/', 'src="figures/')


def options_whole(html: str) -> str:
    """Return a page whose short options, such as ``--left home``, are not broken at a hyphen.

    Examples
    --------
    >>> options_whole("<code>--unit judge</code>")
    '<code class="option">--unit judge</code>'
    """
    return OPTION.sub(r'<code class="option">\1</code>', html)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Mend the places of pictures, and stop the build at the first page that loads from elsewhere."""
    from mkdocs.exceptions import PluginError

    found = outside_loads(output)
    if found:
        raise PluginError(f"{page.file.src_uri} would load from a network: {found[0]}")
    if SPOILT in output:
        raise PluginError(
            f"{page.file.src_uri} has a sign that Markdown took out of a formula, as \\{{."
        )
    return options_whole(beside_the_pages(output))
