/* Words and numbers. A sentence here says what holds in the state it is made from, and no more. */

const WORDS = (() => {
  const STANDINGS = {
    sure: "sure", contender: "contender", out: "out",
    in: "in", stays: "stays in", may: "may cross",
  };

  const whole = (value) => value.toLocaleString("en");
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const plural = (count, one, more) => `${whole(count)} ${count === 1 ? one : more}`;
  const number = (value) => {
    const size = Math.abs(value);
    if (value === 0) return "0";
    return size >= 1e6 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
  };

  /* A bound with five digits, rounded outward: what was between the bounds still is. */
  const bound = (value, up) => {
    let text = Number(value.toPrecision(5));
    if (up ? text < value : text > value) text += (up ? 1 : -1) * 10 ** (Math.floor(Math.log10(Math.abs(text || value))) - 4);
    return (up ? text < value : text > value) ? String(value) : number(text);
  };

  /* A share in percent, as wording.py says it: only none is 0%, only all is 100%. */
  const percent = (share) => {
    if (share === 0 || share === 1) return `${100 * share}%`;
    return share > 0.999 ? ">99.9%" : share < 0.001 ? "<0.1%" : `${(100 * share).toFixed(1)}%`;
  };

  /* Shortened in the middle: the ends of names often tell them apart. */
  const letters = (name, most) => {
    const text = String(name);
    const all = Array.from(text);
    const tail = Math.floor(most / 3);
    return all.length > most ? `${all.slice(0, most - tail - 1).join("")}…${all.slice(-tail).join("")}` : all.join("");
  };
  /* A name within a sentence: short, and isolated, so that its direction stays its own. */
  const named = (name) => `\u2068${letters(name, 40).replace(/[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ")}\u2069`;
  const names = (rows, most = 5) => {
    const shown = rows.slice(0, most).map((row) => named(row.item));
    if (rows.length > most) return `${shown.join(", ")} and ${plural(rows.length - most, "other", "others")}`;
    return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
  };

  /* As many decimals for all as tell different scores apart, from two to six. */
  const alike = (values) => {
    const different = new Set(values).size;
    const digits = [2, 3, 4, 5].find((count) => new Set(values.map((value) => value.toFixed(count))).size === different) ?? 6;
    const far = (size) => size >= 1e9 || (size !== 0 && size < 1e-6);
    return (value) => (far(Math.abs(value)) ? number(value) : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"));
  };

  const of = (rows, standing) => rows.filter((row) => row.standing === standing);

  const withoutOne = ({ unit, item_name: item, item_names: items }, { k, rows }) => {
    const whoever = `No matter which ${unit} is removed,`;
    const sure = of(rows, "sure");
    const contenders = of(rows, "contender");
    if (!contenders.length) return `${whoever} the top ${whole(k)} stays the same: ${names(sure)}.`;
    const fight = `${names(contenders)} ${contenders.length === 1 ? "contends" : "contend"} for`;
    if (!sure.length) return `No ${item} is sure of the top ${whole(k)}: ${fight} it, depending on which ${unit} is removed.`;
    const held = `${plural(sure.length, `${item} is`, `${items} are`)} sure of the top ${whole(k)}`;
    return `${whoever} ${held}; ${fight} the ${plural(k - sure.length, "other place", "other places").replace(/^1 /, "")}.`;
  };

  const withoutSeveral = ({ n_units: all, units, item_name: item, item_names: items }, { k, m, rows }) => {
    const whoever = `No matter which ${whole(m)} of the ${whole(all)} ${units} are removed,`;
    const may = of(rows, "may");
    const out = may.filter((row) => row.rank <= k);
    const into = may.filter((row) => row.rank > k);
    if (!may.length) return `${whoever} the top ${whole(k)} stays the same.`;
    if (may.length === rows.length) return `Nothing is known for the removal of ${whole(m)} of the ${whole(all)} ${units}: the bounds rule out no change of the top ${whole(k)}.`;
    const stay = k - out.length;
    return `${whoever} at most ${plural(Math.min(out.length, into.length), "place", "places")} of the top ${whole(k)} can change hands: `
      + `${names(out)} may drop out, ${names(into)} may come in`
      + `${stay ? `; its other ${plural(stay, `${item} stays`, `${items} stay`)}` : ""}.`;
  };

  const sentence = (report, state) => {
    const { k, m, rows } = state;
    if (k === report.n_items) return `The top ${whole(k)} holds every ${report.item_name}: there ${k === 1 ? "is" : "are"} ${plural(k, report.item_name, report.item_names)} in all.`;
    if (m > 1) return withoutSeveral(report, state);
    if (m === 1) return withoutOne(report, state);
    return `Nothing is removed: by score alone, the top ${whole(k)} is ${names(rows.slice(0, k))}.`;
  };

  const between = (best, worst) => (best === worst ? whole(best) : `${whole(best)}–${whole(worst)}`);
  const ranks = (row) => between(row.best_rank, row.worst_rank);
  const away = (row, units) => (row.away === null ? "" : row.away >= units ? "never" : row.away === 1 ? "1" : `≥ ${whole(row.away)}`);

  /* All that is known of one item, line by line. */
  const about = (report, state, row) => {
    const { k } = state;
    const { unit, units } = report;
    const without = `without any one ${unit}`;
    const score = row.lowest_score === null ? "" : `, between ${bound(row.lowest_score, false)} and ${bound(row.highest_score, true)} whichever ${unit} is removed`;
    const range = row.best_rank === null ? "" : row.best_rank === row.worst_rank ? `, whichever ${unit} is removed` : `, ${ranks(row)} ${without}`;
    const lines = [`score ${number(row.score)}${score}`, `rank ${whole(row.rank)}${range}`, STANDINGS[row.standing]];
    if (row.share !== null) lines.push(`in the top ${whole(k)} in ${percent(row.share)} of the removals of one ${unit}`);
    if (row.away !== null && row.away < report.n_units) {
      lines.push(`${row.rank <= k ? "pushing it out" : "bringing it in"} takes the removal of ${row.away === 1 ? `1 ${unit}` : `at least ${whole(row.away)} ${units}`}`);
    }
    if (row.count !== null) lines.push(`${report.counted_as}: ${row.coverage || whole(row.count)}`);
    return lines;
  };

  const made = ({ software }) => `Made by ${software.name} ${software.version}. This file is complete and loads nothing.`;

  return { STANDINGS, made, whole, capital, plural, number, alike, percent, letters, names, named, sentence, between, ranks, away, about };
})();
