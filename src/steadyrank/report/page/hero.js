/* The chart: a row for each item, its ranks as a bar, its plain rank as a mark, the cut as a line. */

const HERO = (() => {
  const ROWS = 30;
  let from = 0;

  const make = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  /* The first place of a window in which the cut stands after two thirds of the rows. */
  const aroundCut = (count, k) => Math.max(0, Math.min(k - Math.round(2 * ROWS / 3), count - ROWS));

  /* Ranks from left to right. One item that falls far must not flatten all others: its bar is cut off
     there, and says how far it goes. */
  const axis = (rows, k, all) => {
    const slack = Math.max(5, Math.round(rows.length / 2));
    const first = rows[0].rank;
    const last = rows[rows.length - 1].rank;
    const best = Math.min(first, ...rows.map((row) => row.best_rank ?? row.rank));
    const worst = Math.max(last, ...rows.map((row) => row.worst_rank ?? row.rank));
    const low = Math.max(best, first - slack);
    const high = Math.min(worst, last + slack, all);
    const place = (rank) => 100 * (rank - low + 0.5) / (high - low + 1);
    return { low, high, place, cut: k >= low && k < high ? place(k + 0.5) : null };
  };

  const ticks = ({ low, high, place }) => {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((size) => (high - low) / size <= 8) || 1000;
    const track = make("div", "track");
    for (let rank = low; rank <= high; rank += 1) {
      if (rank !== low && rank % step) continue;
      if (rank === low && step > 1 && low % step && step - (low % step) < step / 2) continue;
      const tick = make("span", "tick", WORDS.whole(rank));
      tick.style.left = `${place(rank)}%`;
      track.append(tick);
    }
    return track;
  };

  const bar = (row, { low, high, place }) => {
    const made = make("span", "bar");
    const start = Math.max(low, row.best_rank);
    const end = Math.min(high, row.worst_rank);
    made.style.left = `${place(start)}%`;
    made.style.width = `${place(end) - place(start)}%`;
    const beyond = [];
    if (row.best_rank < low) beyond.push(make("span", "beyond start", `◂ ${WORDS.whole(row.best_rank)}`));
    if (row.worst_rank > high) beyond.push(make("span", "beyond end", `${WORDS.whole(row.worst_rank)} ▸`));
    return [made, ...beyond];
  };

  const line = (report, state, row, scale) => {
    const made = make("tr", `${row.standing}${row.rank === state.k ? " last" : row.rank === state.end ? " end" : ""} ${state.m ? report.bands[row.rank - 1] : ""}`);
    made.dataset.rank = row.rank;
    const head = make("th");
    head.scope = "row";
    const name = make("bdi", "label", WORDS.named(row.item).slice(1, -1));
    name.dir = "auto";
    const entry = make("div", "entry");
    entry.append(make("span", "place", `${WORDS.whole(row.rank)}.`), name);
    if (row.coverage) entry.append(make("span", "muted few", `(${row.coverage})`));
    head.append(entry);
    const track = make("div", "track");
    if (scale.cut !== null) {
      const cut = make("span", "cut");
      cut.style.left = `${scale.cut}%`;
      track.append(cut);
    }
    const ranged = state.m > 0 && row.best_rank !== null;
    if (ranged) track.append(...bar(row, scale));
    const mark = make("span", "mark");
    mark.style.left = `${scale.place(row.rank)}%`;
    track.append(mark, make("span", "hidden", `${WORDS.STANDINGS[row.standing]}, rank ${row.rank}${ranged ? `, ranks ${WORDS.ranks(row)}` : ""}`));
    const range = make("td", "range");
    range.append(track);
    made.append(head, range, make("td", "number", row.share === null ? "" : WORDS.percent(row.share)),
      make("td", "number", WORDS.away(row, report.n_units)));
    return made;
  };

  const draw = (report, state) => {
    const rows = state.rows.slice(from, from + ROWS);
    const scale = axis(rows, state.k, report.n_items);
    const head = make("tr");
    const titled = (title, className) => { const cell = make("th", className, title); cell.scope = "col"; return cell; };
    const ranks = titled("", "range");
    ranks.append(make("span", "hidden", "ranks"), ticks(scale));
    head.append(titled(WORDS.capital(report.item_name)), ranks, titled(`In top ${WORDS.whole(state.k)}`, "number"), titled("To flip", "number away"));
    const top = make("thead");
    top.append(head);
    const body = make("tbody");
    body.append(...rows.map((row) => line(report, state, row, scale)));
    document.getElementById("hero").replaceChildren(top, body);
    const last = from + rows.length;
    document.getElementById("page-text").textContent = `Ranks ${WORDS.whole(from + 1)} to ${WORDS.whole(last)} of ${WORDS.whole(report.n_items)}`;
    document.getElementById("pager").hidden = report.n_items <= ROWS;
    document.getElementById("page-back").disabled = from === 0;
    document.getElementById("page-on").disabled = last >= report.n_items;
  };

  const toCut = (report, k) => { from = aroundCut(report.n_items, k); };
  const turn = (report, pages) => { from = Math.max(0, Math.min(from + pages * ROWS, report.n_items - ROWS)); };

  /* What is known of an item, beside its row: under the pointer, by touch, or with the arrow keys. */
  const telling = (report, current) => {
    const box = document.getElementById("tip");
    const hero = document.getElementById("hero");
    const figure = document.getElementById("hero-figure");
    let chosen = null;
    const hide = () => { box.hidden = true; if (chosen) chosen.classList.remove("chosen"); chosen = null; };
    const tell = (row) => {
      if (!row || row === chosen) return;
      hide();
      chosen = row;
      row.classList.add("chosen");
      const state = current();
      const found = state.rows[row.dataset.rank - 1];
      const name = make("b");
      name.append(Object.assign(make("bdi", "", WORDS.named(found.item).slice(1, -1)), { dir: "auto" }));
      box.replaceChildren(name, ...WORDS.about(report(), state, found).map((text) => make("div", "", text)));
      box.hidden = false;
      const below = row.offsetTop + row.offsetHeight + hero.offsetTop + 4;
      box.style.top = `${below}px`;
    };
    hero.addEventListener("pointerover", (event) => tell(event.target.closest("tbody tr")));
    hero.addEventListener("click", (event) => tell(event.target.closest("tbody tr")));
    figure.addEventListener("pointerleave", hide);
    figure.addEventListener("focusout", hide);
    figure.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      const rows = [...hero.querySelectorAll("tbody tr")];
      const next = rows.indexOf(chosen) + (event.key === "ArrowDown" ? 1 : -1);
      tell(rows[Math.max(0, Math.min(next, rows.length - 1))]);
    });
    return hide;
  };

  return { draw, toCut, turn, telling };
})();
