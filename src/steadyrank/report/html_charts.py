"""The charts of the page as Vega-Lite specifications.

Data arrive in the page, by name, whenever a slider moves. Colours are CSS variables, so that light,
dark and printed pages need no second drawing. Shape and fill tell standings apart as colour does.
"""

from __future__ import annotations

from typing import Any

from steadyrank.wording import STANDINGS

Spec = dict[str, Any]

COLOURS = ["var(--certain)", "var(--contender)", "var(--out)"]
SHAPES = ["circle", "M0,-1.25L1.25,0L0,1.25L-1.25,0Z", "square"]  # the ready-made diamond is too slim
ROW_HEIGHT = 19
EDGE = {"type": "rule", "color": "var(--accent)", "strokeDash": [5, 3], "strokeWidth": 1.5}
# Vega may still place ticks at halves of short ranges; those get no label.
WHOLE = {"tickMinStep": 1, "format": "d", "labelExpr": "datum.value % 1 ? '' : datum.label"}

CONFIG: Spec = {
    "background": "transparent",
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--text)",
        "titleColor": "var(--muted)",
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "gridColor": "var(--grid)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFlush": False,
    },
    "text": {"fontSize": 12},
    # One description for each chart, on its figure; a tree of marks would bury it.
    "aria": False,
}


def _chart(**parts: Any) -> Spec:
    return {"width": "container", "config": CONFIG, **parts}


def _standing(channel: str, values: list[str]) -> Spec:
    scale = {"domain": list(STANDINGS.values()), "range": values}
    return {channel: {"field": "standing", "type": "nominal", "scale": scale, "legend": None}}


def _row_axis() -> Spec:
    # Rows arrive by rank, and their labels begin with it: no two are alike, and none is re-sorted.
    axis = {"title": None, "ticks": False, "domain": False, "labelPadding": 8, "grid": True}
    return {"field": "label", "type": "ordinal", "sort": None, "axis": axis}


def _tooltip(*fields: tuple[str, str]) -> list[Spec]:
    return [{"field": field, "title": title, "type": "nominal"} for field, title in fields]


def _points(size: int) -> Spec:
    return {"type": "point", "size": size, "filled": True, "opacity": 1, "stroke": "var(--card)"}


def cliff() -> Spec:
    """Draw the scores around rank k, one row for each item."""
    score = {
        "field": "score",
        "type": "quantitative",
        "scale": {"zero": False, "nice": True},
        "axis": {"title": "score", "grid": False, "tickCount": 6, "format": ".6~g"},
    }
    edge = {**_row_axis(), "bandPosition": 1}
    only_last = [{"filter": "datum.last"}]
    # Points come first: the order of the rows is that of the first layer.
    return _chart(
        data={"name": "rows"},
        height=ROW_HEIGHT,  # for each row; the page multiplies
        encoding={"y": _row_axis()},
        layer=[
            {
                "mark": _points(90),
                "encoding": {
                    "x": score,
                    **_standing("color", COLOURS),
                    **_standing("shape", SHAPES),
                    "tooltip": _tooltip(
                        ("name", "item"), ("rank", "rank"), ("value", "score"), ("standing", "standing")
                    ),
                },
            },
            {"transform": only_last, "encoding": {"y": edge}, "mark": EDGE},
            {
                "transform": only_last,
                "mark": {
                    "type": "text",
                    "color": "var(--accent)",
                    "align": "right",
                    "baseline": "bottom",
                    "dy": -2,
                    "fontWeight": 600,
                },
                "encoding": {"y": edge, "x": {"value": "width"}, "text": {"field": "cut"}},
            },
        ],
    )


def intervals() -> Spec:
    """Draw the best to worst rank of each item of one page of rows."""
    rank = {"type": "quantitative", "scale": {"zero": False, "nice": False, "padding": 12}}
    axis = {"title": "rank", "orient": "top", **WHOLE}
    tooltip = _tooltip(
        ("name", "item"), ("rank", "plain rank"), ("span", "rank interval"), ("standing", "standing")
    )
    return _chart(
        data={"name": "rows"},
        height=ROW_HEIGHT,  # for each row; the page multiplies
        layer=[
            {
                "data": {"name": "cut"},
                "mark": EDGE,
                "encoding": {"x": {"field": "x", **rank, "axis": axis}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 7, "strokeCap": "round", "opacity": 0.55},
                "encoding": {
                    "y": _row_axis(),
                    "x": {"field": "best_rank", **rank, "axis": axis},
                    "x2": {"field": "worst_rank"},
                    **_standing("color", COLOURS),
                    "tooltip": tooltip,
                },
            },
            {
                "mark": _points(70),
                "encoding": {
                    "y": _row_axis(),
                    "x": {"field": "rank", **rank, "axis": axis},
                    **_standing("color", COLOURS),
                    **_standing("shape", SHAPES),
                    "tooltip": tooltip,
                },
            },
        ],
    )


def overview() -> Spec:
    """Draw the rank intervals of all items at a glance: a band around the diagonal."""
    rank = {
        "field": "rank",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False},
        "axis": {"title": "plain rank", **WHOLE, "grid": False},
    }
    place = {
        "type": "quantitative",
        "scale": {"reverse": True, "nice": False, "zero": False},
        "axis": {"title": "rank interval", **WHOLE, "tickCount": 5},
    }
    return _chart(
        data={"name": "rows"},
        height=200,
        layer=[
            {
                "data": {"name": "page"},
                "mark": {"type": "rect", "color": "var(--accent)", "opacity": 0.12},
                "encoding": {"x": {**rank, "field": "from"}, "x2": {"field": "to"}},
            },
            {
                "mark": {
                    "type": "area",
                    "color": "var(--certain)",
                    "opacity": 0.6,
                    "interpolate": "step",
                },
                "encoding": {
                    "x": rank,
                    "y": {"field": "best_rank", **place},
                    "y2": {"field": "worst_rank"},
                },
            },
            {"data": {"name": "cut"}, "mark": EDGE, "encoding": {"x": {**rank, "field": "x"}}},
        ],
    )


def steps(title: str, colour: str, axis_format: str) -> Spec:
    """Draw a step function of eps, with the chosen eps (dotted) and the one of the slider.

    The axis is finer where eps is small, as the slider is: that is where answers differ.
    """
    eps = {
        "type": "quantitative",
        "scale": {"type": "sqrt", "nice": False, "zero": True},
        "axis": {
            "title": "eps",
            "grid": False,
            "tickCount": 6,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
        },
    }
    axis: Spec = {"title": title, "format": axis_format, "tickCount": 5}
    # A curve that is 0 all along still needs an axis, hence a top that the page sets.
    scale: Spec = {"domainMin": 0, "domainMax": {"expr": "top"}, "nice": True}
    if axis_format == "d":
        axis |= WHOLE
        scale = {"zero": False, "nice": True}
    value = {"field": "value", "type": "quantitative", "scale": scale, "axis": axis}
    here = {"x": {"field": "eps", **eps}, "y": value}
    return _chart(
        height=190,
        params=[{"name": "top", "value": 1}],
        layer=[
            {
                "data": {"name": "steps"},
                "mark": {
                    "type": "line",
                    "interpolate": "step-after",
                    "color": colour,
                    "strokeWidth": 2.2,
                },
                "encoding": here,
            },
            {
                "data": {"name": "marks"},
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {
                    "x": {"field": "eps", **eps},
                    "color": {
                        "field": "what",
                        "type": "nominal",
                        "legend": None,
                        "scale": {
                            "domain": ["chosen", "slider"],
                            "range": ["var(--muted)", "var(--accent)"],
                        },
                    },
                    "strokeDash": {
                        "field": "what",
                        "type": "nominal",
                        "legend": None,
                        "scale": {"domain": ["chosen", "slider"], "range": [[2, 3], [1, 0]]},
                    },
                },
            },
            {
                "data": {"name": "here"},
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 80,
                    "color": "var(--accent)",
                    "opacity": 1,
                    "stroke": "var(--card)",
                },
                "encoding": here,
            },
            {
                "data": {"name": "plain"},
                "mark": {
                    "type": "point",
                    "filled": False,
                    "size": 60,
                    "color": "var(--text)",
                    "opacity": 1,
                },
                "encoding": here,
            },
            {
                "data": {"name": "plain"},
                "mark": {"type": "text", "color": "var(--text)", "align": "left", "dx": 3, "dy": -11},
                "encoding": {**here, "text": {"field": "label"}},
            },
        ],
    )


def charts() -> dict[str, Spec]:
    """Return all charts of the page by the id of their figure."""
    return {
        "cliff": cliff(),
        "overview": overview(),
        "intervals": intervals(),
        "delta": steps("units that break the answer", "var(--contender)", ".1~%"),
        "size": steps("items in the answer", "var(--certain)", "d"),
    }
