"""The one door from results to their views.

Results can print, draw and report themselves, so they must reach views, which are a later stage. That
stage is named here and nowhere else in ``stability/``, inside functions: results load without any view,
and whoever follows the imports of a stage finds one exception, not many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.writing import write_whole

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes

    from steadyrank.study.answers import Answer, StableTopK
    from steadyrank.study.curve import Curve


def text_of(findings: Mapping[str, Any]) -> str:
    """Return what a terminal shows of a result, without colours."""
    from steadyrank.report.text import plain_text

    return plain_text(findings)


def notebook_of(findings: Mapping[str, Any]) -> str:
    """Return a result as a small HTML table."""
    from steadyrank.report.notebook import table_of

    return table_of(findings)


def write_page(findings: Mapping[str, Any], path: str | os.PathLike[str], title: str | None) -> Path:
    """Write the HTML page of a top-k or of a comparison, whole or not at all."""
    from steadyrank.report.html import render_html

    return write_whole(render_html(findings, title=title), path)


def plot_topk(answer: StableTopK, ax: Axes | None) -> Axes:
    """Draw the ranks of the items around rank k."""
    from steadyrank.report.plots import standings

    return standings(answer, ax)


def plot_ranking(answer: Answer, ax: Axes | None) -> Axes:
    """Draw the ranks that each item may have."""
    from steadyrank.report.plots import rank_intervals

    return rank_intervals(answer, ax)


def plot_curve(found: Curve, ax: Axes | None, eps: float | None) -> Axes:
    """Draw delta(eps), and the size or the tiers beside it."""
    from steadyrank.report.plots import curve

    return curve(found, ax, eps=eps)
