"""The charts of the page as Vega-Lite specifications.

Data arrive in the page, by name, whenever a slider moves. Colours are CSS variables, so that light,
dark and printed pages need no second drawing. Shape and fill tell standings apart as colour does.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"  # a name, never loaded

STANDINGS = ["surely in", "contender", "out"]
COLOURS = ["var(--certain)", "var(--contender)", "var(--out)"]
SHAPES = ["circle", "diamond", "square"]
ROW_HEIGHT = 19

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
    },
    "text": {"fontSize": 12},
    # One description for each chart, on its figure; a tree of marks would bury it.
    "aria": False,
}


def _chart(**parts: Any) -> Spec:
    return {"$schema": SCHEMA, "width": "container", "autosize": {"type": "fit-x", "contains": "padding"},
            "config": CONFIG, **parts}  # fmt: skip


def _standing(channel: str, values: list[str]) -> Spec:
    scale = {"domain": STANDINGS, "range": values}
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
    """Scores around rank k, one row for each item."""
    score = {"field": "score", "type": "quantitative", "scale": {"zero": False, "nice": True},
             "axis": {"title": "score", "grid": False, "tickCount": 6}}  # fmt: skip
    edge = {**_row_axis(), "bandPosition": 1}
    only_last = [{"filter": "datum.last"}]
    return _chart(
        data={"name": "rows"},
        height={"step": ROW_HEIGHT},
        encoding={"y": _row_axis()},
        layer=[
            {"transform": only_last, "encoding": {"y": edge},
             "mark": {"type": "rule", "color": "var(--accent)", "strokeDash": [5, 3], "strokeWidth": 1.5}},
            {"transform": only_last,
             "mark": {"type": "text", "color": "var(--accent)", "align": "right", "baseline": "bottom",
                      "dy": -3, "fontWeight": 600},
             "encoding": {"y": edge, "x": {"value": "width"}, "text": {"field": "cut"}}},
            {"mark": _points(90),
             "encoding": {"x": score, **_standing("color", COLOURS), **_standing("shape", SHAPES),
                          "tooltip": _tooltip(("name", "item"), ("rank", "rank"), ("value", "score"),
                                              ("standing", "standing"))}},
        ],
    )  # fmt: skip


def intervals() -> Spec:
    """Lowest to highest rank of each item of one page of rows."""
    rank = {"type": "quantitative", "scale": {"zero": False, "nice": False, "padding": 12}}
    axis = {"title": "rank", "orient": "top", "tickMinStep": 1, "format": "d"}
    tooltip = _tooltip(("name", "item"), ("rank", "plain rank"), ("span", "rank interval"),
                       ("standing", "standing"))  # fmt: skip
    return _chart(
        data={"name": "rows"},
        height={"step": ROW_HEIGHT},
        layer=[
            {"data": {"name": "cut"}, "mark": {"type": "rule", "color": "var(--accent)",
                                               "strokeDash": [5, 3], "strokeWidth": 1.5},
             "encoding": {"x": {"field": "x", **rank, "axis": axis}}},
            {"mark": {"type": "rule", "strokeWidth": 7, "strokeCap": "round", "opacity": 0.55},
             "encoding": {"y": _row_axis(), "x": {"field": "lowest", **rank, "axis": axis},
                          "x2": {"field": "highest"}, **_standing("color", COLOURS), "tooltip": tooltip}},
            {"mark": _points(70),
             "encoding": {"y": _row_axis(), "x": {"field": "rank", **rank, "axis": axis},
                          **_standing("color", COLOURS), **_standing("shape", SHAPES),
                          "tooltip": tooltip}},
        ],
    )  # fmt: skip


def overview() -> Spec:
    """The rank intervals of all items at a glance: a band around the diagonal."""
    rank = {"field": "rank", "type": "quantitative", "scale": {"nice": False, "zero": False},
            "axis": {"title": "plain rank", "tickMinStep": 1, "format": "d", "grid": False}}  # fmt: skip
    place = {"type": "quantitative", "scale": {"reverse": True, "nice": False, "zero": False},
             "axis": {"title": "rank interval", "tickMinStep": 1, "format": "d", "tickCount": 5}}  # fmt: skip
    return _chart(
        data={"name": "rows"},
        height=200,
        layer=[
            {"data": {"name": "page"}, "mark": {"type": "rect", "color": "var(--accent)", "opacity": 0.12},
             "encoding": {"x": {**rank, "field": "from"}, "x2": {"field": "to"}}},
            {"mark": {"type": "area", "color": "var(--certain)", "opacity": 0.6, "interpolate": "step"},
             "encoding": {"x": rank, "y": {"field": "lowest", **place}, "y2": {"field": "highest"}}},
            {"data": {"name": "cut"}, "mark": {"type": "rule", "color": "var(--accent)",
                                               "strokeDash": [5, 3], "strokeWidth": 1.5},
             "encoding": {"x": {**rank, "field": "x"}}},
        ],
    )  # fmt: skip


def steps(title: str, colour: str, axis_format: str) -> Spec:
    """A step function of eps, with the chosen eps (dashed) and the one of the slider."""
    eps = {"type": "quantitative", "scale": {"nice": False, "zero": True},
           "axis": {"title": "eps", "grid": False, "tickCount": 6}}  # fmt: skip
    value = {"field": "value", "type": "quantitative", "scale": {"zero": True, "nice": True},
             "axis": {"title": title, "format": axis_format, "tickCount": 5, "tickMinStep": 0}}  # fmt: skip
    if axis_format == "d":
        value["axis"]["tickMinStep"] = 1
        value["scale"] = {"zero": False, "nice": True}
    return _chart(
        height=190,
        layer=[
            {"data": {"name": "steps"},
             "mark": {"type": "line", "interpolate": "step-after", "color": colour, "strokeWidth": 2.2},
             "encoding": {"x": {"field": "eps", **eps}, "y": value}},
            {"data": {"name": "marks"}, "mark": {"type": "rule", "strokeWidth": 1.5},
             "encoding": {"x": {"field": "eps", **eps},
                          "color": {"field": "what", "type": "nominal", "legend": None,
                                    "scale": {"domain": ["chosen", "slider"],
                                              "range": ["var(--muted)", "var(--accent)"]}},
                          "strokeDash": {"field": "what", "type": "nominal", "legend": None,
                                         "scale": {"domain": ["chosen", "slider"],
                                                   "range": [[2, 3], [1, 0]]}}}},
            {"data": {"name": "here"},
             "mark": {"type": "point", "filled": True, "size": 80, "color": "var(--accent)", "opacity": 1,
                      "stroke": "var(--card)"},
             "encoding": {"x": {"field": "eps", **eps}, "y": value}},
        ],
    )  # fmt: skip


def charts() -> dict[str, Spec]:
    """Return all charts of the page by the id of their figure."""
    return {
        "cliff": cliff(),
        "overview": overview(),
        "intervals": intervals(),
        "delta": steps("units that break the answer", "var(--contender)", ".1~%"),
        "size": steps("items in the answer", "var(--certain)", "d"),
    }
