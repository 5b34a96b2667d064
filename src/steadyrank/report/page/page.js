/* The page: sliders in, words and drawings out. */

(() => {
  const report = LIVE.unpack(JSON.parse(document.getElementById("report-data").textContent));
  const at = (id) => document.getElementById(id);
  const ROWS = 40;

  const whole = (value) => value.toLocaleString("en");
  const format = (value) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) return value.toExponential(3);
    return String(Number(value.toPrecision(5)));
  };
  const percent = (share) => {
    if (share === 0) return "0%";
    const value = 100 * share;
    return `${value < 0.01 ? "under 0.01" : Number(value.toPrecision(value < 1 ? 2 : 3))}%`;
  };
  const plural = (count, word) => `${whole(count)} ${word}${count === 1 ? "" : "s"}`;

  const least = report.firstK;
  const most = Math.max(report.k, Math.min(report.lastK, Math.max(2 * report.k, report.k + 20)));
  let found = LIVE.state(report, report.k, report.eps);
  let from = 1;

  /* Words */

  const headline = () => {
    const { k, size, certain } = found;
    const contenders = size - certain;
    if (k === report.n_items) return `The top ${whole(k)} is everything: there ${k === 1 ? "is 1 item" : `are ${whole(k)} items`} in all.`;
    if (contenders === 0 && k === 1) return "A clear first place: no other item comes close enough.";
    if (contenders === 0) return `A clear top ${whole(k)}: all ${whole(k)} are surely in, and no other item comes close enough.`;
    const places = k - certain;
    const target = certain === 0 ? `the whole top ${whole(k)}` : places === 1 ? "the last place" : `the last ${whole(places)} places`;
    const sure = certain === 0 ? "none is surely in" : `${whole(certain)} ${certain === 1 ? "is" : "are"} surely in`;
    return `The top ${whole(k)} needs ${plural(size, "item")}: ${sure}, ${whole(contenders)} contend for ${target}.`;
  };

  const stability = () => {
    const asked = found.k === report.k;
    const { plain_breaking_units: plain } = report.summary;
    const everyone = `${whole(report.n_units)} ${report.units}`;
    if (found.delta === null) {
      return report.curves.size ? `The stability of k = ${whole(found.k)} is not in this report; that of k = ${whole(report.k)} is.`
        : "No unit was left out for this report, so nothing is claimed about stability.";
    }
    const broken = Math.round(found.delta * report.n_units);
    const bound = found.atMost && broken ? "at most " : "";
    const kept = broken === 0 ? `this answer keeps at least ${whole(found.k)} of its items whichever ${report.unit} is left out`
      : `this answer breaks for ${bound}${whole(broken)} (${percent(found.delta)})`;
    if (!asked || plain === null) return `Of ${everyone}, left out one at a time: ${kept}.`;
    const flips = plain === 0 ? `the plain top ${whole(found.k)} never changes` : `the plain top ${whole(found.k)} changes for ${whole(plain)} (${percent(report.summary.plain_delta)})`;
    return `Of ${everyone}, left out one at a time: ${flips}; ${kept}.`;
  };

  const tiles = () => {
    const asked = found.k === report.k;
    const delta = found.delta === null ? "–" : `${found.atMost && found.delta ? "≤ " : ""}${percent(found.delta)}`;
    const plain = report.summary.plain_delta;
    const list = [
      ["items in the answer", whole(found.size), ""],
      ["surely in", whole(found.certain), "certain"],
      ["contenders", whole(found.size - found.certain), "contender"],
      ["delta of the plain answer", asked && plain !== null ? percent(plain) : "–", ""],
      ["delta of this answer", delta, ""],
      ["eps", found.eps < 1e-4 ? found.eps.toExponential(2) : String(Number(found.eps.toPrecision(3))), ""],
    ];
    at("tiles").replaceChildren(...list.map(([name, value, kind]) => {
      const made = TABLE.element("div", undefined, kind);
      made.append(TABLE.element("dt", name), TABLE.element("dd", value));
      return made;
    }));
  };

  /* Everything that depends on k and eps */

  const drawIntervals = () => {
    const to = Math.min(report.count, from + ROWS - 1);
    at("page-text").textContent = `Ranks ${whole(from)} to ${whole(to)} of ${whole(report.count)}`;
    at("page-back").disabled = from === 1;
    at("page-on").disabled = to === report.count;
    CHARTS.intervals(report, found, from, to, format);
    if (report.count > ROWS) CHARTS.overview(report, found, from, to);
  };

  let all = [];
  const drawTable = () => TABLE.draw(all, report.standings, format, drawTable);

  const draw = () => {
    const { k, eps } = found;
    at("headline").textContent = headline();
    at("stability").textContent = stability();
    for (const place of document.querySelectorAll(".k")) place.textContent = whole(k);
    at("k").value = k;
    at("eps").value = Math.round(1000 * Math.sqrt(eps / report.limit));
    at("eps").setAttribute("aria-valuetext", format(eps));
    if (document.activeElement !== at("k-number")) at("k-number").value = k;
    if (document.activeElement !== at("eps-number")) at("eps-number").value = Number(eps.toPrecision(6));
    at("reset").disabled = k === report.k && eps === report.eps;
    tiles();
    CHARTS.cliff(report, found, format);
    drawIntervals();
    CHARTS.curves(report, found, format, percent);
    all = TABLE.rows(report, found);
    drawTable();
  };

  /* How many may leave: the items that so many units could bring across rank k, as far as is known. */
  const leaving = () => {
    const near = report.distances;
    const m = Math.min(Number(at("leaving").max), Math.max(0, Math.round(number("leaving"))));
    const within = m < report.margin.lower ? [] : near.items.filter((row) => row.lower <= m);
    const out = within.filter((row) => row.rank <= near.k);
    const into = within.filter((row) => row.rank > near.k);
    const moves = Math.min(out.length, into.length); // a place changes hands from one to another
    const k = whole(near.k);
    const whoever = `Whichever ${whole(m)} of the ${whole(report.n_units)} ${report.units} leave,`;
    at("leaving-text").textContent = m === 0 ? `Nobody leaves: the plain top ${k} stays as it is.`
      : moves === 0 ? `${whoever} the plain top ${k} stays as it is.`
        : `${whoever} at most ${plural(moves, "place")} of the top ${k} can change hands; ${whole(near.k - out.length)} of its items are sure to stay.`;
    const named = (rows) => rows.flatMap((row, place) => [...(place ? [", "] : []), TABLE.isolated(String(row.item))]);
    const lists = [["could drop out", out], ["could come in", into]].filter(() => moves);
    at("leaving-items").replaceChildren(...lists.flatMap(([name, rows]) => {
      const shown = TABLE.element("dd", "");
      shown.append(...named(rows));
      return [TABLE.element("dt", name), shown];
    }));
    at("leaving-number").value = m;
    at("leaving").value = m;
    document.documentElement.dataset.leaving = m;
  };

  const prepareLeaving = () => {
    const near = report.distances;
    at("leave").hidden = !report.margin;
    if (!report.margin) return;
    at("margin").textContent = report.margin.sentence;
    at("leaving-rule").textContent = `Rule: ${report.margin.rule}. What could happen is what the bounds do not rule out. This is about leaving out units of these data, not a statement about other data.`;
    const furthest = near ? Math.max(0, ...near.items.map((row) => row.lower)) : 0;
    const known = near && near.items.length < report.n_items ? near.beyond - 1 : furthest;
    const end = Math.min(furthest, known, report.n_units - 1);
    for (const id of ["leaving-control", "leaving-text", "leaving-items"]) at(id).hidden = end < 1;
    if (end < 1) return;
    at("leaving-units").textContent = report.units;
    for (const id of ["leaving", "leaving-number"]) at(id).max = end;
    at("leaving").value = Math.min(end, report.margin.lower);
    at("leaving").addEventListener("input", leaving);
    at("leaving-number").addEventListener("change", () => { at("leaving").value = number("leaving-number"); leaving(); });
    leaving();
  };

  let waiting = false;
  const move = (k, eps) => {
    const inside = Math.min(most, Math.max(least, Math.round(k)));
    found = LIVE.state(report, inside, Math.min(eps, report.limit));
    document.documentElement.dataset.k = found.k;
    document.documentElement.dataset.eps = found.eps;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };

  /* The slider is finer where eps is small, for that is where answers differ. */
  const number = (id) => Number(at(id).value);
  const connect = () => {
    for (const id of ["k", "k-number"]) { at(id).min = least; at(id).max = most; }
    at("eps-number").max = report.limit;
    at("eps-number").min = 0;
    at("k").addEventListener("input", () => move(number("k"), found.eps));
    at("k-number").addEventListener("input", () => { if (number("k-number") >= 1) move(number("k-number"), found.eps); });
    at("eps").addEventListener("input", () => move(found.k, report.limit * (number("eps") / 1000) ** 2));
    at("eps-number").addEventListener("input", () => { if (number("eps-number") > 0) move(found.k, number("eps-number")); });
    for (const id of ["k-number", "eps-number"]) at(id).addEventListener("change", draw);
    at("reset").addEventListener("click", () => move(report.k, report.eps));
    at("page-back").addEventListener("click", () => { from = Math.max(1, from - ROWS); drawIntervals(); });
    at("page-on").addEventListener("click", () => { from += ROWS; drawIntervals(); });
    at("search").addEventListener("input", drawTable);
    at("show").addEventListener("change", drawTable);
    at("more").addEventListener("click", () => { TABLE.showMore(); drawTable(); });
    at("csv").addEventListener("click", () => TABLE.save(`steadyrank-top-${found.k}.csv`, "text/csv;charset=utf-8", TABLE.csv(all)));
    at("json").addEventListener("click", () => TABLE.save(`steadyrank-top-${found.k}.json`, "application/json", TABLE.json(report, found, all)));
  };

  /* What stays as it is */

  const fixed = () => {
    const source = report.source ? [TABLE.isolated(report.source), " · "] : [];
    at("about").replaceChildren(...source, `${whole(report.n_units)} ${report.units} · ${plural(report.n_items, "item")} · scores: `,
      TABLE.isolated(report.scorer));
    at("claim").textContent = report.certificate.sentence;
    const numbers = [["status", report.certificate.status], ["rule", report.certificate.rule], ["k", whole(report.k)],
      ["eps", String(report.certificate.eps)],
      ["delta", report.certificate.delta === null ? "not claimed" : String(report.certificate.delta)]];
    at("claim-numbers").replaceChildren(...numbers.flatMap(([name, value]) => [TABLE.element("dt", name), TABLE.element("dd", value)]));
    const rules = [...new Set([...Object.values(report.policies), ...report.notes])];
    at("policies").replaceChildren(...rules.map((rule) => TABLE.element("li", rule)));
    at("made").textContent = `Made by ${report.software.name} ${report.software.version}. This file is complete in itself and loads nothing.`;
    TABLE.flips(report);
    const many = report.count > ROWS;
    at("overview-figure").hidden = !many;
    at("pager").hidden = !many;
    at("delta-figure").hidden = report.curves.size === 0;
  };

  const theme = () => {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const set = (dark) => {
      root.dataset.theme = dark ? "dark" : "light";
      at("theme").textContent = dark ? "Light mode" : "Dark mode";
      at("theme").setAttribute("aria-pressed", String(dark));
      at("theme").setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    };
    let own = false;
    set(system.matches);
    system.addEventListener("change", (event) => { if (!own) set(event.matches); });
    at("theme").addEventListener("click", () => { own = true; set(root.dataset.theme !== "dark"); });
  };

  theme();
  fixed();
  prepareLeaving();
  connect();
  draw();
  const figures = ["cliff", "intervals", "size", ...(report.count > ROWS ? ["overview"] : []), ...(report.curves.size ? ["delta"] : [])];
  CHARTS.start(figures).then(() => { draw(); document.documentElement.dataset.ready = "yes"; });
})();
