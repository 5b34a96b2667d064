/* Two versions of a ranking: a line from the old place to the new one for each item in both, and a table. */

SWITCH.begin((report) => {
  const MOST = 100;
  const AT_ONCE = 200;
  const at = (id) => document.getElementById(id);
  const { element, isolated, named } = TABLE;
  const { whole } = WORDS;
  const both = report.rows.filter((row) => row.old_place !== null);
  const verdict = (row) => row.verdict || "unjudged";

  const MEANINGS = {
    beyond: `moved more than removing one ${report.unit} could explain`,
    inside: "moved within its range",
    same: "did not move",
    unjudged: "moved; not judged",
  };

  /* Places from the top; what goes below the last that is drawn leaves the picture there. */
  const count = Math.min(MOST, both.length);
  const height = (place) => Math.min(place, count + 1) - 0.5;

  const lines = () => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 0 100 ${count}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const order = ["same", "unjudged", "inside", "beyond"]; // the most telling ones on top
    const drawn = both.filter((row) => Math.min(row.old_place, row.new_place) <= count);
    drawn.sort((one, other) => order.indexOf(verdict(one)) - order.indexOf(verdict(other)));
    for (const row of drawn) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const [from, to] = [height(row.old_place), height(row.new_place)];
      path.setAttribute("d", `M0 ${from}C40 ${from} 60 ${to} 100 ${to}`);
      path.setAttribute("class", verdict(row));
      svg.append(path);
    }
    return svg;
  };

  const side = (key) => {
    const list = element("ol", undefined, key);
    const ranked = [...both].sort((one, other) => one[key] - other[key]).slice(0, count);
    list.append(...ranked.map((row) => {
      const entry = element("li", undefined, verdict(row));
      const label = isolated(WORDS.letters(row.item, 30));
      label.title = String(row.item);
      const parts = [label, element("span", whole(row[key]), "place"), element("span", undefined, "mark")];
      entry.append(...(key === "old_place" ? parts.slice(0, 2) : parts.reverse()));
      return entry;
    }));
    return list;
  };

  const chart = () => {
    at("slopes").style.setProperty("--count", count);
    const titles = [element("b", "old"), element("span"), element("b", "new")];
    at("slopes").replaceChildren(...titles, side("old_place"), lines(), side("new_place"));
    const seen = new Set(both.map(verdict));
    at("legend").replaceChildren(...Object.keys(MEANINGS).filter((kind) => seen.has(kind))
      .map((kind) => element("span", `${kind}: ${MEANINGS[kind]}`, kind)));
    at("undrawn").textContent = count < both.length
      ? `The first ${whole(count)} of ${whole(both.length)} places are drawn.` : "";
  };

  const range = (best, worst) => (best === null ? "" : best === worst ? whole(best) : `${whole(best)}–${whole(worst)}`);
  const number = (value) => (value === null ? "" : whole(value));
  const alike = WORDS.alike(report.rows.flatMap((row) => [row.old_score, row.new_score]).filter((one) => one !== null));
  const score = (value) => (value === null ? "" : alike(value));
  const COLUMNS = [
    ["rank", (row) => number(row.new_rank)], ["item", (row) => named(row.item)], ["rank before", (row) => number(row.old_rank)],
    ["place", (row) => number(row.new_place)], ["place before", (row) => number(row.old_place)],
    ["range before", (row) => range(row.old_best, row.old_worst)],
    ["verdict", (row) => element("span", row.verdict || "not judged", `standing ${verdict(row)}`)],
    ["score", (row) => score(row.new_score)], ["score before", (row) => score(row.old_score)],
    ["stood before", (row) => row.standing || ""],
  ];
  const TEXTS = new Set(["item", "verdict", "stood before"]);

  const table = (limit) => {
    const columns = COLUMNS.filter(([title]) => title !== "stood before" || report.k !== null);
    const head = element("thead");
    const titles = element("tr");
    titles.append(...columns.map(([title]) => Object.assign(element("th", WORDS.capital(title === "item" ? report.item_name : title), TEXTS.has(title) ? "" : "number"), { scope: "col" })));
    head.append(titles);
    const body = element("tbody");
    body.append(...report.rows.slice(0, limit).map((row) => {
      const line = element("tr");
      line.append(...columns.map(([title, of]) => {
        const cell = element("td", undefined, title === "item" ? "name" : TEXTS.has(title) ? "" : "number");
        cell.dataset.title = title;
        cell.append(of(row));
        return cell;
      }));
      return line;
    }));
    at("moves").replaceChildren(head, body);
    at("more").hidden = limit >= report.rows.length;
    at("more").textContent = `Show all ${whole(report.rows.length)} ${report.item_names}`;
  };

  const about = (one) => [...(one.source ? [isolated(one.source), ": "] : []),
    `${WORDS.plural(one.n_units, one.unit, one.units)}, ${WORDS.plural(one.n_items, one.item_name, one.item_names)}`];
  at("about").replaceChildren(...about(report), " → ", ...about(report.new), " · scores: ", isolated(report.scorer));
  at("made").textContent = WORDS.made(report);
  at("sentences").replaceChildren(...report.sentences.map((text) => element("p", text)));
  const old = new Set([...Object.values(report.policies), ...report.notes]);
  const rules = [...old, ...report.new.notes.filter((note) => !old.has(note)).map((note) => `new: ${note}`)];
  at("policies").replaceChildren(...rules.map((rule) => element("li", rule)));
  at("json").onclick = () => TABLE.save("steadyrank-comparison.json", new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  at("more").onclick = () => table(report.rows.length);
  chart();
  table(AT_ONCE);
});
