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
POINT = {"type": "point", "filled": True, "opacity": 1, "stroke": "var(--card)"}
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


def _chart(*layers: Spec, height: int, **parts: Any) -> Spec:
    return {"width": "container", "config": CONFIG, "height": height, "layer": list(layers), **parts}


def _layer(mark: Spec, data: str | None = None, **encoding: Spec | list[Spec]) -> Spec:
    own = {} if data is None else {"data": {"name": data}}
    return {**own, "mark": mark, "encoding": encoding}


def _numbers(field: str, scale: Spec, **axis: Any) -> Spec:
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _names(field: str, domain: list[str], values: list[Any]) -> Spec:
    scale = {"domain": domain, "range": values}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def _standing(values: list[str]) -> Spec:
    return _names("standing", list(STANDINGS.values()), values)


def _row_axis(**more: Any) -> Spec:
    # Rows arrive by rank, and their labels begin with it: no two are alike, and none is re-sorted.
    axis = {"title": None, "ticks": False, "domain": False, "labelPadding": 8, "grid": True}
    return {"field": "label", "type": "ordinal", "sort": None, "axis": axis, **more}


def _tooltip(**titles: str) -> list[Spec]:
    return [{"field": field, "title": title, "type": "nominal"} for field, title in titles.items()]


def cliff() -> Spec:
    """Draw the scores around rank k, one row for each item."""
    axis = {"title": "score", "grid": False, "tickCount": 6, "format": ".6~g"}
    score = _numbers("score", {"zero": False, "nice": True}, **axis)
    tooltip = _tooltip(name="item", rank="rank", value="score", standing="standing")
    style = {"align": "right", "baseline": "bottom", "dy": -2, "fontWeight": 600}
    words = {"type": "text", "color": "var(--accent)", **style}
    edge = _row_axis(bandPosition=1)
    last = {"transform": [{"filter": "datum.last"}]}
    # Points come first: the order of the rows is that of the first layer.
    return _chart(
        _layer(
            POINT | {"size": 90},
            x=score,
            color=_standing(COLOURS),
            shape=_standing(SHAPES),
            tooltip=tooltip,
        ),
        last | _layer(EDGE, y=edge),
        last | _layer(words, y=edge, x={"value": "width"}, text={"field": "cut"}),
        data={"name": "rows"},
        height=ROW_HEIGHT,  # for each row; the page multiplies
        encoding={"y": _row_axis()},
    )


def intervals() -> Spec:
    """Draw the best to worst rank of each item of one page of rows."""

    def rank(field: str) -> Spec:
        scale = {"zero": False, "nice": False, "padding": 12}
        return _numbers(field, scale, title="rank", orient="top", **WHOLE)

    bar = {"type": "rule", "strokeWidth": 7, "strokeCap": "round", "opacity": 0.55}
    tooltip = _tooltip(name="item", rank="plain rank", span="rank interval", standing="standing")
    shared: Spec = {"y": _row_axis(), "color": _standing(COLOURS), "tooltip": tooltip}
    return _chart(
        _layer(EDGE, "cut", x=rank("x")),
        _layer(bar, x=rank("best_rank"), x2={"field": "worst_rank"}, **shared),
        _layer(POINT | {"size": 70}, x=rank("rank"), shape=_standing(SHAPES), **shared),
        data={"name": "rows"},
        height=ROW_HEIGHT,  # for each row; the page multiplies
    )


def overview() -> Spec:
    """Draw the rank intervals of all items at a glance: a band around the diagonal."""

    def rank(field: str) -> Spec:
        return _numbers(field, {"nice": False, "zero": False}, title="plain rank", **WHOLE, grid=False)

    scale = {"reverse": True, "nice": False, "zero": False}
    place = _numbers("best_rank", scale, title="rank interval", **WHOLE, tickCount=5)
    here = {"type": "rect", "color": "var(--accent)", "opacity": 0.12}
    band = {"type": "area", "color": "var(--certain)", "opacity": 0.6, "interpolate": "step"}
    return _chart(
        _layer(here, "page", x=rank("from"), x2={"field": "to"}),
        _layer(band, x=rank("rank"), y=place, y2={"field": "worst_rank"}),
        _layer(EDGE, "cut", x=rank("x")),
        data={"name": "rows"},
        height=200,
    )


def steps(colour: str, scale: Spec, **axis: Any) -> Spec:
    """Draw a step function of eps, with the chosen eps (dotted) and the one of the slider.

    The axis is finer where eps is small, as the slider is: that is where answers differ.
    """
    labels = {"grid": False, "tickCount": 6, "labelOverlap": "greedy", "labelSeparation": 8}
    eps = _numbers("eps", {"type": "sqrt", "nice": False, "zero": True}, title="eps", **labels)
    here: Spec = {"x": eps, "y": _numbers("value", scale, **axis)}
    marks = ["chosen", "slider"]
    line = {"type": "line", "interpolate": "step-after", "color": colour, "strokeWidth": 2.2}
    ring = {"type": "point", "filled": False, "size": 60, "color": "var(--text)", "opacity": 1}
    words = {"type": "text", "color": "var(--text)", "align": "left", "dx": 3, "dy": -11}
    return _chart(
        _layer(line, "steps", **here),
        _layer(
            {"type": "rule", "strokeWidth": 1.5},
            "marks",
            x=eps,
            color=_names("what", marks, ["var(--muted)", "var(--accent)"]),
            strokeDash=_names("what", marks, [[2, 3], [1, 0]]),
        ),
        _layer(POINT | {"size": 80, "color": "var(--accent)"}, "here", **here),
        _layer(ring, "plain", **here),
        _layer(words, "plain", **here, text={"field": "label"}),
        height=190,
        params=[{"name": "top", "value": 1}],
    )


def charts() -> dict[str, Spec]:
    """Return all charts of the page by the id of their figure."""
    # A curve that is 0 all along still needs an axis, hence a top that the page sets.
    shares = {"domainMin": 0, "domainMax": {"expr": "top"}, "nice": True}
    whole = {"zero": False, "nice": True}
    broken, held = "units that break the answer", "items in the answer"
    return {
        "cliff": cliff(),
        "overview": overview(),
        "intervals": intervals(),
        "delta": steps("var(--contender)", shares, title=broken, format=".1~%", tickCount=5),
        "size": steps("var(--certain)", whole, title=held, tickCount=5, **WHOLE),
    }
