/* Charts: Vega-Lite draws; this file hands it rows. */

const CHARTS = (() => {
  const views = new Map();

  /* A name as one short line for an axis: no control or direction characters, isolated from its neighbours. */
  const short = (name, most = 44) => {
    const letters = Array.from(String(name).slice(0, 4 * most).replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " "));
    const cut = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
    return `\u2068${cut}\u2069`;
  };

  /* A mark of direction first, so that a name that runs to the left does not take its rank along. */
  const labelled = (rank, name) => `\u200e${rank}. ${short(name)}`;

  const items = (count) => `${count.toLocaleString("en")} item${count === 1 ? "" : "s"}`;
  const ranks = (from, to) => (from === to ? `rank ${from}` : `ranks ${from} to ${to}`);

  const fitted = (spec, element) => {
    const copy = structuredClone(spec);
    const width = element.clientWidth;
    copy.config.axisY = { labelLimit: Math.round(Math.min(260, Math.max(118, 0.34 * width))) };
    return copy;
  };

  const make = async (id) => {
    const element = document.getElementById(id);
    const made = await vegaEmbed(element, fitted(SPECS[id], element), {
      mode: "vega-lite", ast: true, renderer: "svg", actions: false, tooltip: { theme: "custom" }, logLevel: 1,
    });
    // Vega takes the element for a document of marks; here it is one picture, told in one sentence.
    element.setAttribute("role", "img");
    element.removeAttribute("aria-roledescription");
    views.set(id, made.view);
  };

  const start = (ids) => Promise.all(ids.map(make));

  /* Give a chart its data sets by name, and say in words what it shows. */
  const show = (id, sets, words, top) => {
    const element = document.getElementById(id);
    element.setAttribute("aria-label", words);
    document.getElementById(`${id}-text`).textContent = words;
    const view = views.get(id);
    if (!view) return;
    for (const [name, rows] of Object.entries(sets)) view.data(name, rows);
    if (id === "cliff" || id === "intervals") view.height(Math.max(3, sets.rows.length) * SPECS[id].height);
    if (top !== undefined) view.signal("top", top);
    view.runAsync();
  };

  const row = (report, found, place, format) => {
    const rank = place + 1;
    const key = LIVE.standing(found, rank);
    return {
      rank,
      key,
      label: labelled(rank, report.item[place]),
      name: short(report.item[place], 200),
      score: report.score[place],
      value: format(report.score[place]),
      standing: report.standings[key],
      best_rank: found.best[place],
      worst_rank: found.worst[place],
      span: `${found.best[place]}–${found.worst[place]}`,
      last: rank === found.k,
      cut: rank === found.k ? `top ${found.k}` : "",
    };
  };

  /* Rows around the edge: the last sure ones, all contenders, and some that are out; 45 at most. */
  const aroundEdge = (found, count) => {
    const from = Math.max(1, Math.min(found.k - 7, found.certain - 3), found.k - 24);
    const to = Math.min(count, Math.max(found.size + 6, found.k + 8), from + 44);
    return [from, to];
  };

  const cliff = (report, found, format) => {
    const [from, to] = aroundEdge(found, report.count);
    const rows = [];
    for (let rank = from; rank <= to; rank += 1) rows.push(row(report, found, rank - 1, format));
    const next = found.k < report.count ? report.score[found.k - 1] - report.score[found.k] : null;
    const gap = next === null ? "" : next === 0 ? ` Ranks ${found.k} and ${found.k + 1} are tied.`
      : ` The gap between rank ${found.k} and rank ${found.k + 1} is ${format(next)}.`;
    show("cliff", { rows }, `Scores of ${ranks(from, to)}: ${items(found.certain)} surely in the top ${found.k}, `
      + `${found.size - found.certain} contender${found.size - found.certain === 1 ? "" : "s"}, then those that are out.${gap}`);
  };

  const intervals = (report, found, from, to, format) => {
    const rows = [];
    for (let place = from - 1; place < to; place += 1) {
      if (found.best[place] !== null && found.worst[place] !== null) rows.push(row(report, found, place, format));
    }
    const most = rows.reduce((best, one) => (one.worst_rank - one.best_rank > best.worst_rank - best.best_rank ? one : best), rows[0]);
    const widest = most && most.worst_rank > most.best_rank
      ? ` The widest is that of rank ${most.rank}, from ${most.best_rank} to ${most.worst_rank}.` : "";
    const words = rows.length ? `Rank intervals of ${ranks(from, to)}.${widest}`
      : "This page holds no intervals for these ranks at this eps; the chosen eps has them.";
    const edge = found.k + 0.5;
    const inside = rows.length && rows.some((one) => one.best_rank <= edge) && rows.some((one) => one.worst_rank >= edge);
    show("intervals", { rows, cut: inside ? [{ x: edge }] : [] }, words);
  };

  const overview = (report, found, from, to) => {
    const rows = [];
    for (let place = 0; place < report.count; place += 1) {
      if (found.best[place] !== null && found.worst[place] !== null) {
        rows.push({ rank: place + 1, best_rank: found.best[place] - 0.5, worst_rank: found.worst[place] + 0.5 });
      }
    }
    const missing = report.count - rows.length;
    const more = missing ? ` ${missing.toLocaleString("en")} ranks have intervals at the chosen eps only.` : "";
    show("overview", { rows, cut: [{ x: found.k + 0.5 }], page: [{ from: from - 0.5, to: to + 0.5 }] },
      `Rank intervals of all ${report.count.toLocaleString("en")} items; the shaded ranks are drawn below.${more}`);
  };

  const marks = (report, found) => [{ eps: report.eps, what: "chosen" }, { eps: found.eps, what: "slider" }];

  const curves = (report, found, format, percent) => {
    const own = report.curves.get(found.k);
    const deltas = own ? own.eps.map((eps, place) => ({ eps, value: own.delta[place] })) : [];
    if (own) deltas.push({ eps: report.limit, value: own.delta[own.delta.length - 1] });
    const here = found.delta === null ? [] : [{ eps: found.eps, value: found.delta }];
    const bound = found.atMost ? "at most " : "";
    const share = found.k === report.k ? report.summary.plain_delta : null;
    const plain = share === null ? [] : [{ eps: 0, value: share, label: share ? "plain answer" : "" }];
    const top = 1.15 * Math.max(0.005, share || 0, deltas.length ? deltas[0].value : 0);
    show("delta", { steps: deltas, marks: own ? marks(report, found) : [], here, plain }, own
      ? `At eps = ${format(found.eps)}, ${bound}${percent(found.delta)} of the ${report.units} break the answer for k = ${found.k}.`
      : report.curves.size ? `The curve of k = ${found.k} is not in this report; that of k = ${report.k} is.`
        : "No unit was left out, so nothing is known about stability here.", top);
    const sizes = [{ eps: 0, value: found.k }];
    report.enters[found.k - report.firstK].forEach((eps, place) => sizes.push({ eps, value: found.k + place + 1 }));
    sizes.push({ eps: report.limit, value: sizes[sizes.length - 1].value });
    show("size", { steps: sizes, marks: marks(report, found), here: [{ eps: found.eps, value: found.size }], plain: [] },
      `At eps = ${format(found.eps)} the answer holds ${items(found.size)} for k = ${found.k}.`);
  };

  return { start, cliff, intervals, overview, curves };
})();
