/* The page: levers in, words and drawings out. */

(() => {
  let report = null;
  const at = (id) => document.getElementById(id);
  const { whole, plural } = WORDS;
  let usual = 1;
  let state = null;
  let hideTip = () => {};

  /* What depends on the levers */

  const drawTable = () => TABLE.draw(report, state, drawTable);
  const drawHero = () => { hideTip(); HERO.draw(report, state); };

  const fill = (id, value, most) => {
    for (const name of [id, `${id}-number`]) {
      at(name).max = most;
      if (name === id || document.activeElement !== at(name)) at(name).value = value;
    }
  };

  const LEGENDS = { 0: ["in", "out"], 1: ["sure", "contender", "out"], 2: ["stays", "may", "out"] };
  const legend = () => {
    const kinds = LEGENDS[Math.min(2, state.m)];
    const bar = state.m ? [TABLE.element("span", `ranks without any one ${report.unit}`, "bar-key")] : [];
    at("legend").replaceChildren(...kinds.map((kind) => TABLE.element("span", WORDS.STANDINGS[kind], kind)), ...bar,
      TABLE.element("span", `cut after rank ${whole(state.k)}`, "cut-key"),
      ...(state.end > state.k ? [TABLE.element("span", `end of the list: rank ${whole(state.end)}`, "end-key")] : []));
  };

  const standings = () => {
    const chosen = at("show").value;
    const kinds = LEGENDS[Math.min(2, state.m)];
    at("show").replaceChildren(...["", ...kinds].map((kind) => {
      const option = TABLE.element("option", kind ? WORDS.STANDINGS[kind] : "all");
      option.value = kind;
      return option;
    }));
    at("show").value = kinds.includes(chosen) ? chosen : "";
  };

  const draw = () => {
    const { k, m, most, asked, wanted } = state;
    const beyond = wanted > most ? `What the removal of ${whole(wanted)} ${report.units} does is not known here; shown is ${whole(m)}. ` : "";
    at("told").textContent = WORDS.sentence(report, state);
    at("limits").textContent = beyond + (!report.audited ? "No unit was removed for this report: it knows the plain ranks only."
      : !asked ? `For a k other than ${whole(report.k)} this page knows the removal of one ${report.unit}, not of several.`
        : m > 1 ? "May: the bounds do not rule it out. The bars are the ranks when one is removed; those for several are not known here." : "");
    fill("k", k, report.mostK);
    fill("m", m, most);
    at("reset").disabled = asked && m === usual;
    legend();
    standings();
    drawHero();
    drawTable();
  };

  /* The levers, and their permalink */

  const link = () => `#k=${state.k}&leave=${state.m}${SWITCH.now() && `&category=${encodeURIComponent(SWITCH.now())}`}`;
  const move = (k, m, { keep = true } = {}) => {
    const inside = Math.min(report.mostK, Math.max(1, Math.round(k) || report.k));
    if (inside !== state?.k) HERO.toCut(report, inside);
    state = STATE.at(report, inside, Math.round(m) || 0);
    Object.assign(document.documentElement.dataset, { k: state.k, leave: state.m });
    at("permalink").href = link();
    try { if (keep) history.replaceState(null, "", link()); } catch { /* a page in a frame may have no address */ }
    draw();
  };
  const restore = () => {
    const found = new URLSearchParams(location.hash.slice(1));
    SWITCH.find(show, found.get("category") ?? "");
    if (found.has("k") || found.has("leave")) {
      move(Number(found.get("k") ?? report.k), Number(found.get("leave") ?? usual), { keep: false });
    }
  };

  const picture = (type) => {
    const name = `steadyrank-top-${report.k}.${type}`;
    if (type === "svg") return TABLE.save(name, new Blob([report.image], { type: "image/svg+xml" }));
    const drawn = new Image();
    drawn.addEventListener("load", () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 2 * drawn.naturalWidth, height: 2 * drawn.naturalHeight });
      canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => TABLE.save(name, blob), "image/png");
    });
    drawn.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(report.image)}`;
    return undefined;
  };

  const connect = () => {
    const value = (id) => Number(at(id).value);
    at("k").addEventListener("input", () => move(value("k"), state.m));
    at("m").addEventListener("input", () => move(state.k, value("m")));
    at("k-number").addEventListener("input", () => { if (value("k-number") >= 1) move(value("k-number"), state.m); });
    at("m-number").addEventListener("input", () => { if (at("m-number").value !== "") move(state.k, value("m-number")); });
    for (const id of ["k-number", "m-number"]) at(id).addEventListener("change", () => { at(id).blur(); draw(); });
    at("reset").addEventListener("click", () => move(report.k, usual));
    window.addEventListener("hashchange", restore);
    at("page-back").addEventListener("click", () => { HERO.turn(report, -1); drawHero(); });
    at("page-on").addEventListener("click", () => { HERO.turn(report, 1); drawHero(); });
    at("page-cut").addEventListener("click", () => { HERO.toCut(report, state.k); drawHero(); });
    at("search").addEventListener("input", drawTable);
    at("show").addEventListener("change", drawTable);
    at("more").addEventListener("click", () => { TABLE.showMore(); drawTable(); });
    at("flips-more").addEventListener("click", () => TABLE.flips(report, true));
    const saved = (type, kind, text) => TABLE.save(`steadyrank-top-${state.k}.${type}`, new Blob([text], { type: kind }));
    at("csv").addEventListener("click", () => saved("csv", "text/csv;charset=utf-8", TABLE.csv(state)));
    at("json").addEventListener("click", () => saved("json", "application/json", TABLE.json(report, state)));
    at("svg").addEventListener("click", () => picture("svg"));
    at("png").addEventListener("click", () => picture("png"));
    // Paper cannot be opened further.
    let closed = [];
    window.addEventListener("beforeprint", () => {
      closed = [...document.querySelectorAll("details:not([open]):not(.long)")];
      for (const one of closed) one.open = true;
    });
    window.addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
  };

  /* What stays as it is */

  const tiles = () => {
    const { summary, margin, k, n_units: all, unit, units } = report;
    if (!report.audited) return [];
    const list = [
      ["sure", summary.sure, `sure: in the top ${whole(k)}, no matter which ${unit} is removed`],
      ["contender", summary.contenders, `${summary.contenders === 1 ? "contender" : "contenders"}: in or out, depending on which ${unit} is removed`],
      ["", `${whole(summary.changing_units)} of ${whole(all)}`, `${units}: removing any one of them changes the top ${whole(k)}`],
    ];
    if (margin) {
      const number = margin.never ? "never" : `${margin.exact ? "" : "≥ "}${whole(margin.lower)}`;
      const told = margin.never ? `margin: no removal of ${units} changes the top ${whole(k)}`
        : `margin: the fewest ${units} whose removal changes the top ${whole(k)}`;
      list.push(["", number, told]);
    }
    return list.map(([kind, value, name]) => {
      const made = TABLE.element("div", undefined, kind);
      made.append(TABLE.element("dt", name), TABLE.element("dd", typeof value === "number" ? whole(value) : value));
      return made;
    });
  };

  const fixed = () => {
    const source = report.source ? [TABLE.isolated(report.source), " · "] : [];
    at("about").replaceChildren(...source, `${whole(report.n_units)} ${report.n_units === 1 ? report.unit : report.units} · ${plural(report.n_items, report.item_name, report.item_names)} · scores: `,
      TABLE.isolated(report.scorer));
    at("tiles").replaceChildren(...tiles());
    at("how").textContent = `How to read this: each line is one ${report.item_name}, and the mark is its rank. `
      + (report.audited ? `The bar holds the ranks it takes when any one ${report.unit} is removed: where it crosses the dashed line, a single ${report.unit} decides. `
        + `Where lines share a shaded band, a single removal can change their order; across bands it cannot. To flip: the fewest ${report.units} whose removal can move it across the line.` : "");
    at("m-control").hidden = !report.audited;
    const { certificate } = report;
    const numbers = [["status", certificate.status], ["guarantee", certificate.guarantee], ["rule", certificate.rule], ["eps", certificate.eps === null ? "none needed" : WORDS.number(certificate.eps)],
      ["delta", WORDS.number(certificate.delta)], ...(report.margin ? [["margin", report.margin.rule]] : [])];
    at("claim-numbers").replaceChildren(...numbers.flatMap(([name, value]) => [TABLE.element("dt", name), TABLE.element("dd", value)]));
    const every = [...new Set([...Object.values(report.policies), ...report.notes])];
    const rules = every.filter((rule) => !every.some((other) => other !== rule && other.startsWith(rule)));
    at("policies").replaceChildren(...rules.map((rule) => TABLE.element("li", rule)));
    at("made").textContent = WORDS.made(report);
    at("curves").hidden = !report.curve;
    CURVES.show(report);
    TABLE.flips(report);
  };

  const show = (page, keep = false) => {
    report = STATE.unpack(page);
    usual = Math.min(1, report.mostLeaving);
    state = null;
    fixed();
    move(report.k, usual, { keep });
  };

  hideTip = HERO.telling(() => report, () => state);
  SWITCH.begin(show);
  connect();
  restore();
})();
