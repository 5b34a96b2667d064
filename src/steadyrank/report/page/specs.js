/* The charts as Vega-Lite specifications; data arrive by name whenever a slider moves.
   Colours are CSS variables, so that light, dark and printed pages need no second drawing.
   Shape and fill tell standings apart as colour does. */

const SPECS = (() => {
  const KEYS = ["certain", "contender", "out"];
  const COLOURS = KEYS.map((key) => `var(--${key})`);
  const SHAPES = ["circle", "M0,-1.25L1.25,0L0,1.25L-1.25,0Z", "square"]; // the ready-made diamond is too slim
  const ROW_HEIGHT = 19; // for each row; the page multiplies
  const EDGE = { type: "rule", color: "var(--accent)", strokeDash: [5, 3], strokeWidth: 1.5 };
  // Vega may still place ticks at halves of short ranges; those get no label.
  const WHOLE = { tickMinStep: 1, format: "d", labelExpr: "datum.value % 1 ? '' : datum.label" };

  const CONFIG = {
    background: "transparent",
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    view: { stroke: null },
    axis: {
      labelColor: "var(--text)", titleColor: "var(--muted)", titleFontWeight: "normal",
      labelFontSize: 12, titleFontSize: 12, gridColor: "var(--grid)", domainColor: "var(--line)",
      tickColor: "var(--line)", labelFlush: false,
    },
    text: { fontSize: 12 },
    // One description for each chart, on its figure; a tree of marks would bury it.
    aria: false,
  };

  const chart = (parts) => ({ width: "container", config: CONFIG, ...parts });
  const standing = (range) => ({ field: "key", type: "nominal", scale: { domain: KEYS, range }, legend: null });
  const tooltip = (fields) => Object.entries(fields).map(([field, title]) => ({ field, title, type: "nominal" }));
  const points = (size) => ({ type: "point", size, filled: true, opacity: 1, stroke: "var(--card)" });
  // Rows arrive by rank, and their labels begin with it: no two are alike, and none is re-sorted.
  const rows = {
    field: "label", type: "ordinal", sort: null,
    axis: { title: null, ticks: false, domain: false, labelPadding: 8, grid: true },
  };

  /* The scores around rank k, one row for each item. */
  const cliff = () => {
    const edge = { ...rows, bandPosition: 1 };
    const onlyLast = [{ filter: "datum.last" }];
    const score = {
      field: "score", type: "quantitative", scale: { zero: false, nice: true },
      axis: { title: "score", grid: false, tickCount: 6, format: ".6~g" },
    };
    // Points come first: the order of the rows is that of the first layer.
    return chart({
      data: { name: "rows" },
      height: ROW_HEIGHT,
      encoding: { y: rows },
      layer: [
        {
          mark: points(90),
          encoding: {
            x: score, color: standing(COLOURS), shape: standing(SHAPES),
            tooltip: tooltip({ name: "item", rank: "rank", value: "score", standing: "standing" }),
          },
        },
        { transform: onlyLast, encoding: { y: edge }, mark: EDGE },
        {
          transform: onlyLast,
          mark: { type: "text", color: "var(--accent)", align: "right", baseline: "bottom", dy: -2, fontWeight: 600 },
          encoding: { y: edge, x: { value: "width" }, text: { field: "cut" } },
        },
      ],
    });
  };

  /* The best to worst rank of each item of one page of rows. */
  const intervals = () => {
    const rank = {
      type: "quantitative", scale: { zero: false, nice: false, padding: 12 },
      axis: { title: "rank", orient: "top", ...WHOLE },
    };
    const told = tooltip({ name: "item", rank: "plain rank", span: "rank interval", standing: "standing" });
    return chart({
      data: { name: "rows" },
      height: ROW_HEIGHT,
      layer: [
        { data: { name: "cut" }, mark: EDGE, encoding: { x: { field: "x", ...rank } } },
        {
          mark: { type: "rule", strokeWidth: 7, strokeCap: "round", opacity: 0.55 },
          encoding: {
            y: rows, x: { field: "best_rank", ...rank }, x2: { field: "worst_rank" },
            color: standing(COLOURS), tooltip: told,
          },
        },
        {
          mark: points(70),
          encoding: {
            y: rows, x: { field: "rank", ...rank }, color: standing(COLOURS), shape: standing(SHAPES), tooltip: told,
          },
        },
      ],
    });
  };

  /* The rank intervals of all items at a glance: a band around the diagonal. */
  const overview = () => {
    const rank = {
      field: "rank", type: "quantitative", scale: { nice: false, zero: false },
      axis: { title: "plain rank", ...WHOLE, grid: false },
    };
    const place = {
      type: "quantitative", scale: { reverse: true, nice: false, zero: false },
      axis: { title: "rank interval", ...WHOLE, tickCount: 5 },
    };
    return chart({
      data: { name: "rows" },
      height: 200,
      layer: [
        {
          data: { name: "page" },
          mark: { type: "rect", color: "var(--accent)", opacity: 0.12 },
          encoding: { x: { ...rank, field: "from" }, x2: { field: "to" } },
        },
        {
          mark: { type: "area", color: "var(--certain)", opacity: 0.6, interpolate: "step" },
          encoding: { x: rank, y: { field: "best_rank", ...place }, y2: { field: "worst_rank" } },
        },
        { data: { name: "cut" }, mark: EDGE, encoding: { x: { ...rank, field: "x" } } },
      ],
    });
  };

  /* A step function of eps, with the chosen eps (dotted) and the one of the slider.
     The axis is finer where eps is small, as the slider is: that is where answers differ. */
  const steps = (title, colour, format) => {
    const eps = {
      field: "eps", type: "quantitative", scale: { type: "sqrt", nice: false, zero: true },
      axis: { title: "eps", grid: false, tickCount: 6, labelOverlap: "greedy", labelSeparation: 8 },
    };
    const whole = format === "d";
    const value = {
      field: "value", type: "quantitative",
      // A curve that is 0 all along still needs an axis, hence a top that the page sets.
      scale: whole ? { zero: false, nice: true } : { domainMin: 0, domainMax: { expr: "top" }, nice: true },
      axis: { title, format, tickCount: 5, ...(whole ? WHOLE : {}) },
    };
    const here = { x: eps, y: value };
    const told = (range) => ({
      field: "what", type: "nominal", legend: null, scale: { domain: ["chosen", "slider"], range },
    });
    const point = { type: "point", opacity: 1 };
    return chart({
      height: 190,
      params: [{ name: "top", value: 1 }],
      layer: [
        {
          data: { name: "steps" },
          mark: { type: "line", interpolate: "step-after", color: colour, strokeWidth: 2.2 },
          encoding: here,
        },
        {
          data: { name: "marks" },
          mark: { type: "rule", strokeWidth: 1.5 },
          encoding: { x: eps, color: told(["var(--muted)", "var(--accent)"]), strokeDash: told([[2, 3], [1, 0]]) },
        },
        {
          data: { name: "here" },
          mark: { ...point, filled: true, size: 80, color: "var(--accent)", stroke: "var(--card)" },
          encoding: here,
        },
        { data: { name: "plain" }, mark: { ...point, filled: false, size: 60, color: "var(--text)" }, encoding: here },
        {
          data: { name: "plain" },
          mark: { type: "text", color: "var(--text)", align: "left", dx: 3, dy: -11 },
          encoding: { ...here, text: { field: "label" } },
        },
      ],
    });
  };

  return {
    cliff: cliff(),
    overview: overview(),
    intervals: intervals(),
    delta: steps("units that break the answer", "var(--contender)", ".1~%"),
    size: steps("items in the answer", "var(--certain)", "d"),
  };
})();
