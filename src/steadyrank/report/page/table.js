/* Tables and downloads. Names go in as text, never as markup. */

const TABLE = (() => {
  const AT_ONCE = 200;
  const LONG = 120;
  const BLANK = /[\p{Zs}\u200c\u200d]/u;
  const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/u;
  const COLUMNS = [
    { key: "rank", title: "Rank", number: true },
    { key: "item", title: "Item" },
    { key: "score", title: "Score", number: true },
    { key: "standing", title: "Standing" },
    { key: "best_rank", title: "Best rank", number: true },
    { key: "worst_rank", title: "Worst rank", number: true },
    { key: "critical", title: "Enters above eps", number: true },
  ];
  const STANDINGS = { certain: 0, contender: 1, out: 2 };

  const element = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const isolated = (text) => {
    const made = element("bdi", text);
    made.dir = "auto";
    return made;
  };

  /* A name from a stranger: its own direction; if very long, cut, with the whole one click away. */
  const named = (name) => {
    const text = String(name);
    const letters = text.length > LONG ? Array.from(text) : [];
    if (letters.length <= LONG) return isolated(text);
    const details = element("details");
    const summary = element("summary");
    summary.append(isolated(`${letters.slice(0, LONG - 40).join("")}…`), ` (${letters.length} characters)`);
    details.append(summary, isolated(text));
    return details;
  };

  const rows = (report, found) => report.item.map((item, place) => ({
    rank: place + 1,
    item,
    score: report.score[place],
    standing: LIVE.standing(found, place + 1),
    best_rank: found.best[place],
    worst_rank: found.worst[place],
    critical: LIVE.critical(report, found.k, place + 1),
  }));

  const sorted = { key: "rank", down: false };
  const compare = (a, b, key) => {
    if (key === "item") return String(a.item).localeCompare(String(b.item), undefined, { numeric: true });
    if (key === "standing") return STANDINGS[a.standing] - STANDINGS[b.standing];
    if (a[key] === null || b[key] === null) return (a[key] === null) - (b[key] === null);
    return a[key] - b[key];
  };

  const chosen = (all) => {
    const wanted = document.getElementById("search").value.trim().toLocaleLowerCase();
    const standing = document.getElementById("show").value;
    const kept = all.filter((row) => (!standing || row.standing === standing)
      && (!wanted || String(row.item).toLocaleLowerCase().includes(wanted)));
    const sign = sorted.down ? -1 : 1;
    return kept.sort((a, b) => sign * compare(a, b, sorted.key) || a.rank - b.rank);
  };

  const head = (redraw) => {
    const row = element("tr");
    for (const column of COLUMNS) {
      const cell = element("th", undefined, column.number ? "number" : "");
      cell.scope = "col";
      if (sorted.key === column.key) cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      const button = element("button", column.title);
      button.type = "button";
      button.dataset.key = column.key;
      button.addEventListener("click", () => {
        sorted.down = sorted.key === column.key && !sorted.down;
        sorted.key = column.key;
        redraw();
        document.querySelector(`#items button[data-key="${column.key}"]`).focus();
      });
      cell.append(button);
      row.append(cell);
    }
    const made = element("thead");
    made.append(row);
    return made;
  };

  const line = (row, words, format) => {
    const made = element("tr");
    made.dataset.rank = row.rank;
    const number = (value, text) => element("td", value === null ? "–" : text(value), "number");
    const name = element("td", undefined, "name");
    name.append(named(row.item));
    const standing = element("td");
    standing.append(element("span", words[row.standing], `standing ${row.standing}`));
    const plain = (value) => value.toLocaleString("en");
    made.append(number(row.rank, plain), name, number(row.score, format), standing,
      number(row.best_rank, plain), number(row.worst_rank, plain),
      number(row.critical, (value) => (value === 0 ? "always in" : format(value))));
    return made;
  };

  let shownRows = AT_ONCE;
  const draw = (all, words, format, redraw) => {
    const kept = chosen(all);
    const body = element("tbody");
    body.append(...kept.slice(0, shownRows).map((row) => line(row, words, format)));
    document.getElementById("items").replaceChildren(head(redraw), body);
    const shown = Math.min(shownRows, kept.length);
    document.getElementById("count").textContent = kept.length === all.length
      ? `${shown.toLocaleString("en")} of ${all.length.toLocaleString("en")} items shown.`
      : `${kept.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} items match, ${shown.toLocaleString("en")} shown.`;
    const more = document.getElementById("more");
    more.hidden = shown === kept.length;
    more.textContent = `Show ${Math.min(AT_ONCE * 5, kept.length - shown).toLocaleString("en")} more`;
  };
  const showMore = () => { shownRows += AT_ONCE * 5; };

  // As export.py guards and quotes: the two are compared in a browser.
  const guarded = (text) => {
    let seen = "";
    for (const letter of text) {
      seen = letter;
      if (!BLANK.test(letter)) break;
    }
    const risky = !BLANK.test(seen) && (UNSAFE.test(seen) || /^[=+\-@\u2212]/u.test(seen.normalize("NFKC")));
    return risky || text.startsWith("'") ? `'${text}` : text;
  };

  const cell = (value) => {
    if (value === null) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = guarded(value);
    const quotes = /[",;\t\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/u.test(text) || text !== text.trim();
    return quotes ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const csv = (all) => {
    const lines = [["rank", "item", "score", "best_rank", "worst_rank", "standing", "critical_eps"]];
    for (const row of all) lines.push([row.rank, row.item, row.score, row.best_rank, row.worst_rank, row.standing, row.critical]);
    return lines.map((values) => `${values.map(cell).join(",")}\n`).join("");
  };

  const json = (report, found, all) => {
    const about = ["schema_version", "software", "source", "kind", "unit", "n_units", "n_items", "scorer", "policies", "notes"];
    const made = { document: "top-k" };
    for (const name of about) made[name] = report[name];
    const same = found.k === report.k && found.eps === report.eps;
    return `${JSON.stringify({
      ...made,
      k: found.k,
      eps: found.eps,
      size: found.size,
      delta: found.delta,
      certificate: same ? report.certificate : null,
      rows: all.map(({ critical, ...row }) => ({ ...row, critical_eps: critical })),
    }, null, 2)}\n`;
  };

  const save = (name, type, text) => {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const flips = (report) => {
    const text = document.getElementById("flips-text");
    const table = document.getElementById("flips");
    if (!report.flips) {
      text.textContent = "No unit was left out for this report, so it does not know.";
      document.getElementById("flips-scroll").hidden = true;
      return;
    }
    const { plain, inflated } = report.flips;
    const number = (value) => value.toLocaleString("en");
    const one = plain.units === 1 ? `this one of ${number(report.n_units)} ${report.units}`
      : `any one of these ${number(plain.units)} of ${number(report.n_units)} ${report.units}`;
    text.textContent = plain.units
      ? `Leaving out ${one} changes the plain top ${report.k}. `
        + `The chosen answer, with eps = ${Number(report.eps.toPrecision(4))}, breaks for ${inflated.units ? number(inflated.units) : "none of them"}.`
      : `Nobody: the plain top ${report.k} stays the same whichever ${report.unit} is left out.`;
    if (plain.listed.length < plain.distinct_units) {
      text.textContent += ` The first ${number(plain.listed.length)} of ${number(plain.distinct_units)} different ones are listed.`;
    }
    if (plain.units) text.append(...most(plain.listed, report.unit));
    document.getElementById("flips-scroll").hidden = !plain.units;
    const row = element("tr");
    for (const title of [`Without this ${report.unit}`, "how many", "leaves the top", "enters the top"]) row.append(element("th", title));
    row.children[1].className = "number";
    const top = element("thead");
    top.append(row);
    const body = element("tbody");
    for (const flip of plain.listed) {
      const made = element("tr");
      const unit = element("td", undefined, "name");
      unit.append(named(flip.unit));
      made.append(unit, element("td", number(flip.count), "number"), several(flip.leaves), several(flip.enters));
      body.append(made);
    }
    table.replaceChildren(top, body);
  };

  /* The change that most of the listed units make, in words. */
  const most = (listed, unit) => {
    const changes = new Map();
    for (const flip of listed) {
      const key = JSON.stringify([flip.leaves, flip.enters]);
      changes.set(key, (changes.get(key) || 0) + flip.count);
    }
    const [key, count] = [...changes].reduce((best, one) => (one[1] > best[1] ? one : best));
    const [leaves, enters] = JSON.parse(key).map((names) => names.slice(0, 3).map((name) => cut(String(name))).join(", "));
    return [" Most often ", isolated(leaves), " leaves and ", isolated(enters), ` enters (${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}).`];
  };

  const cut = (text) => (text.length > 60 ? `${Array.from(text.slice(0, 120)).slice(0, 59).join("")}…` : text);

  const several = (names) => {
    const made = element("td", undefined, "name");
    names.forEach((name, place) => made.append(place ? ", " : "", named(name)));
    return made;
  };

  return { rows, draw, showMore, csv, json, save, flips, element, isolated };
})();
