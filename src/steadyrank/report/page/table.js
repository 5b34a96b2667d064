/* Tables and downloads. Names go in as text, never as markup. */

const TABLE = (() => {
  const AT_ONCE = 50;
  const FLIPS_AT_ONCE = 12;
  const LONG = 120;
  const BLANK = /[\p{Zs}\u200c\u200d]/u;
  const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/u;
  const COLUMNS = [
    { key: "rank", title: "Rank" }, { key: "item", title: "Item" }, { key: "score", title: "Score" },
    { key: "standing", title: "Standing" }, { key: "best_rank", title: "Best rank" },
    { key: "worst_rank", title: "Worst rank" }, { key: "share", title: "In the top" },
    { key: "away", title: "To flip" }, { key: "count", title: "Count" },
  ];
  const CSV = ["rank", "item", "score", "best_rank", "worst_rank", "share", "listed", "standing", "away", "count", "critical_eps"];
  const ORDER = ["sure", "stays", "in", "contender", "may", "out"];
  const isText = (key) => key === "item" || key === "standing";

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
    const details = element("details", undefined, "long");
    const summary = element("summary");
    summary.append(isolated(`${letters.slice(0, LONG - 40).join("")}…`), ` (${letters.length} characters)`);
    details.append(summary, isolated(text));
    return details;
  };

  const sorted = { key: "rank", down: false };
  const compare = (a, b, key) => {
    if (key === "item") return String(a.item).localeCompare(String(b.item), undefined, { numeric: true });
    if (key === "standing") return ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing);
    return a[key] - b[key];
  };

  const chosen = (all) => {
    const wanted = document.getElementById("search").value.trim().toLocaleLowerCase();
    const standing = document.getElementById("show").value;
    const kept = all.filter((row) => (!standing || row.standing === standing)
      && (!wanted || String(row.item).toLocaleLowerCase().includes(wanted)));
    const { key, down } = sorted;
    const blank = (row) => row[key] === null; // what is not known comes last, whichever way one sorts
    return kept.sort((a, b) => blank(a) - blank(b) || (down ? -1 : 1) * (blank(a) ? 0 : compare(a, b, key)) || a.rank - b.rank);
  };

  const head = (columns, redraw) => {
    const row = element("tr");
    for (const column of columns) {
      const cell = element("th", undefined, isText(column.key) ? "" : "number");
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

  const line = (report, columns, row) => {
    const texts = {
      score: report.score,
      share: WORDS.percent,
      away: () => WORDS.away(row, report.n_units),
    };
    const made = element("tr");
    made.dataset.rank = row.rank;
    made.append(...columns.map(({ key, title }) => {
      const value = row[key];
      const cell = element("td", undefined, key === "item" ? "name" : key === "standing" ? "" : "number");
      cell.dataset.title = title;
      if (key === "item") cell.append(named(value), ...(row.coverage ? [element("span", ` (${row.coverage})`, "muted few")] : []));
      else if (key === "standing") cell.append(element("span", WORDS.STANDINGS[value], `standing ${value}`));
      else cell.textContent = value === null ? "" : (texts[key] || WORDS.whole)(value);
      return cell;
    }));
    return made;
  };

  let shownRows = AT_ONCE;
  const draw = (report, state, redraw) => {
    const all = state.rows;
    const kept = chosen(all);
    // A column of blanks tells nothing, nor do counts that are all the same.
    const columns = COLUMNS.filter(({ key }) => all.some((row) => row[key] !== (key === "count" ? all[0].count : null)))
      .map((column) => (column.key === "share" ? { ...column, title: `In top ${WORDS.whole(state.k)}` }
        : column.key === "item" ? { ...column, title: WORDS.capital(report.item_name) }
          : column.key === "count" ? { ...column, title: WORDS.capital(report.counted_as) } : column));
    const body = element("tbody");
    body.append(...kept.slice(0, shownRows).map((row) => line(report, columns, row)));
    document.getElementById("items").replaceChildren(head(columns, redraw), body);
    const shown = Math.min(shownRows, kept.length);
    document.getElementById("count").textContent = kept.length === all.length
      ? `${WORDS.whole(shown)} of ${WORDS.plural(all.length, report.item_name, report.item_names)} shown.`
      : `${WORDS.whole(kept.length)} of ${WORDS.plural(all.length, report.item_name, report.item_names)} match, ${WORDS.whole(shown)} shown.`;
    const more = document.getElementById("more");
    more.hidden = shown === kept.length;
    more.textContent = `Show ${WORDS.whole(Math.min(AT_ONCE * 5, kept.length - shown))} more`;
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

  const csv = (state) => {
    return [CSV, ...state.rows.map((row) => CSV.map((name) => row[name]))]
      .map((values) => `${values.map(cell).join(",")}\n`).join("");
  };

  /* The document of this view. What the page was not asked for, it does not certify. */
  const json = (report, state) => {
    const { columns, audited, mostK, mostLeaving, image, score, bands, rows, ...made } = report;
    if (state.asked && state.m === 1) return `${JSON.stringify({ ...made, rows }, null, 2)}\n`;
    const about = ["schema_version", "document", "software", "source", "kind", "unit", "n_units", "n_items", "scorer", "policies", "notes"];
    const kept = Object.fromEntries(about.map((name) => [name, made[name]]));
    return `${JSON.stringify({ ...kept, k: state.k, leaving: state.m, certificate: null, rows: state.rows }, null, 2)}\n`;
  };

  const save = (name, blob) => {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  /* Those who decide, by what changes and by what they said: equal ones are one row with their number. */
  const grouped = (listed) => {
    const groups = new Map();
    for (const flip of listed) {
      const key = JSON.stringify([flip.leaves, flip.enters, flip.said ?? null]);
      const group = groups.get(key) || { ...flip, count: 0, who: [] };
      group.count += flip.count;
      group.who.push(flip.unit);
      groups.set(key, group);
    }
    return [...groups.values()].sort((a, b) => b.count - a.count);
  };

  const several = (names, most = names.length) => {
    const made = element("td", undefined, "name");
    names.slice(0, most).forEach((name, place) => made.append(place ? ", " : "", named(name)));
    if (names.length > most) {
      const rest = element("details");
      rest.append(element("summary", `and ${WORDS.whole(names.length - most)} more`), ...several(names.slice(most)).childNodes);
      made.append(" ", rest);
    }
    return made;
  };

  const flips = (report, all = false) => {
    const table = document.getElementById("flips");
    const button = document.getElementById("flips-more");
    const plain = report.flips ? report.flips.plain : null;
    table.hidden = !plain || !plain.units;
    button.hidden = true;
    document.getElementById("flips-text").textContent = deciding(report, plain);
    if (table.hidden) return;
    const groups = grouped(plain.listed);
    const said = groups.some((group) => group.said);
    const titles = [WORDS.capital(report.units), "Drops out", "Comes in", said ? "Who, and what they said" : "Who"];
    const row = element("tr");
    row.append(...titles.map((title, place) => element("th", title, place ? "" : "number")));
    const top = element("thead");
    top.append(row);
    const body = element("tbody");
    for (const group of all ? groups : groups.slice(0, FLIPS_AT_ONCE)) {
      const made = element("tr");
      made.append(element("td", WORDS.whole(group.count), "number"), several(group.leaves), several(group.enters),
        several(group.who, 4));
      if (group.said) made.lastChild.append(element("div", group.said, "muted"));
      [...made.children].forEach((one, place) => { one.dataset.title = titles[place]; });
      body.append(made);
    }
    table.replaceChildren(top, body);
    button.hidden = all || groups.length <= FLIPS_AT_ONCE;
    button.textContent = `Show ${WORDS.whole(groups.length - FLIPS_AT_ONCE)} more`;
  };

  const deciding = (report, plain) => {
    if (!plain) return "No unit was removed for this report, so it does not know.";
    const top = `the top ${WORDS.whole(report.k)}`;
    if (!plain.units) return `No single ${report.unit}: ${top} stays the same, no matter which one is removed.`;
    const cut = plain.listed.length < plain.distinct_units
      ? ` The first ${WORDS.whole(plain.listed.length)} of ${WORDS.whole(plain.distinct_units)} different ones are listed.` : "";
    const any = plain.units === 1 ? "1" : `any one of ${WORDS.whole(plain.units)}`;
    return `Removing ${any} of the ${WORDS.plural(report.n_units, report.unit, report.units)} changes ${top}.${cut}`;
  };

  return { draw, showMore, csv, json, save, flips, element, isolated, named };
})();
