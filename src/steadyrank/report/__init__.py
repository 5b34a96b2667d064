"""Views of finished results: text, JSON, CSV, plots and a page to look at. Nothing is computed here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steadyrank.report.html import render_html, report_document, write_report

__all__ = ["render_html", "report_document", "write_report"]


def __getattr__(name: str) -> object:
    """Load the report when it is first asked for: most views do without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.html"), name)
    globals()[name] = value
    return value
