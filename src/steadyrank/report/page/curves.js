/* Two exact step functions of eps, drawn as plain SVG. */

const CURVES = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const BOX = { width: 460, height: 200, left: 52, right: 14, top: 12, bottom: 40 };
  const LARGEST = 2 ** 1021; // beyond it, twice a number is none

  const make = (tag, attributes, text) => {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  /* As far as there is something to see: past calm, and past the eps that was chosen. */
  const end = ({ eps, delta }, chosen) => {
    const calm = eps[delta.findIndex((value) => value === delta[delta.length - 1])];
    return Math.min(LARGEST, Math.max(2 * chosen, 1.25 * calm) || 1);
  };

  const draw = (id, { eps, values, chosen, limit, low, high, format, title }) => {
    const x = (value) => BOX.left + (BOX.width - BOX.left - BOX.right) * Math.sqrt(Math.min(1, value / limit));
    const y = (value) => BOX.top + (BOX.height - BOX.top - BOX.bottom) * (1 - (value - low) / (high - low));
    const kept = eps.map((_, place) => place).filter((place) => eps[place] < limit);
    const path = kept.map((place, turn) => `${turn ? "H" : "M"}${x(eps[place]).toFixed(1)}${turn ? `V${y(values[place]).toFixed(1)}` : ` ${y(values[place]).toFixed(1)}`}`);
    const svg = make("svg", { viewBox: `0 0 ${BOX.width} ${BOX.height}`, class: "curve", "aria-hidden": "true" });
    for (const value of [low, (low + high) / 2, high].filter((one) => id !== "size" || Number.isInteger(one))) {
      svg.append(make("line", { x1: BOX.left, x2: BOX.width - BOX.right, y1: y(value), y2: y(value), class: "grid" }),
        make("text", { x: BOX.left - 6, y: y(value) + 4, "text-anchor": "end" }, format(value)));
    }
    // The axis is finer where eps is small: that is where answers differ.
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const value = limit * part * part;
      svg.append(make("text", { x: x(value), y: BOX.height - 22, "text-anchor": part === 1 ? "end" : "middle" },
        value === 0 ? "0" : value < 1e-4 || value >= 1e4 ? value.toExponential(1) : String(Number(value.toPrecision(2)))));
    }
    svg.append(make("text", { x: (BOX.left + BOX.width) / 2, y: BOX.height - 5, "text-anchor": "middle" }, "eps"),
      make("path", { d: `${path.join("")}H${x(limit).toFixed(1)}`, class: `steps ${id}` }),
      make("line", { x1: x(chosen), x2: x(chosen), y1: BOX.top, y2: BOX.height - BOX.bottom, class: "chosen" }));
    const figure = document.getElementById(id);
    figure.replaceChildren(svg);
    figure.setAttribute("aria-label", title);
    document.getElementById(`${id}-text`).textContent = title;
  };

  /* The value of a step function just above the last step that eps exceeds. */
  const valueAt = (eps, values, chosen) => values[Math.max(0, eps.filter((step) => chosen > step).length - 1)];

  const show = (report) => {
    const { curve, k, unit } = report;
    if (!curve) return;
    const { chosen } = curve;
    const where = report.eps === null ? "the smallest eps whose list holds every new top k" : "the eps that was chosen";
    const limit = end(curve, chosen);
    const common = { eps: curve.eps, chosen, limit };
    const shown = curve.size.filter((_, place) => curve.eps[place] < limit);
    const delta = valueAt(curve.eps, curve.delta, chosen);
    const size = valueAt(curve.eps, curve.size, chosen);
    draw("delta", {
      ...common, values: curve.delta, low: 0, high: Math.max(0.01, curve.delta[0]), format: WORDS.percent,
      title: `Share of the ${report.units} whose removal leaves fewer than ${WORDS.plural(k, report.item_name, report.item_names)} of the inflated top ${WORDS.whole(k)} in common with the new one: ${WORDS.percent(delta)} at ${where} (dotted).`,
    });
    draw("size", {
      ...common, values: curve.size, low: Math.min(k, ...shown), high: Math.max(k + 2, ...shown), format: WORDS.whole,
      title: `${WORDS.capital(report.item_names)} in the inflated top ${WORDS.whole(k)}: ${WORDS.whole(size)} at ${where} (dotted). No ${unit} is removed here.`,
    });
  };

  return { show };
})();
