"use strict";
/* What holds for the top k when so many units may leave. It is read off the rank ranges and distances that
   the library computed; what they do not tell is null, and no lever leads there. */

const STATE = (() => {
  const rowsOf = (columns) => {
    const names = Object.keys(columns);
    return columns.item.map((_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
  };

  const unpack = (page) => {
    const report = { ...page, rows: rowsOf(page.columns), audited: page.summary.sure !== null };
    const blank = report.audited && report.rows.some((row) => row.worst_rank === null);
    // An item without a range is out for the k asked for, and so for every smaller k; beyond, it is not known.
    report.mostK = blank ? report.k : Math.min(report.n_items, Math.max(2 * report.k, report.k + 20));
    report.mostLeaving = mostLeaving(report);
    report.score = WORDS.alike(report.rows.map((row) => row.score));
    report.bands = bands(report.rows);
    return report;
  };

  /* Tiers: blocks that no single removal mixes. Those of several items are drawn as bands. */
  const bands = (rows) => {
    const found = rows.map(() => "");
    let [first, worst, number] = [0, 0, 0];
    rows.forEach((row, place) => {
      worst = row.worst_rank === null ? Infinity : Math.max(worst, row.worst_rank);
      if (worst > place + 1) return;
      if (place > first) {
        number += 1;
        found.fill(number % 2 ? "band" : "band other", first, place + 1);
      }
      first = place + 1;
    });
    return found;
  };

  /* Up to how many may leave before some item is nearer than is known. */
  const mostLeaving = ({ audited, rows, margin, away_beyond: beyond, n_units: units }) => {
    if (!audited) return 0;
    const known = rows.filter((row) => row.away !== null);
    const furthest = known.reduce((most, row) => Math.max(most, row.away), 1);
    const calm = margin ? margin.lower - 1 : 1; // so many change nothing, whatever else is known
    const told = known.length === rows.length ? furthest : Math.min(furthest, (beyond || 2) - 1);
    return Math.max(1, Math.min(Math.max(calm, told), units - 1));
  };

  const withoutOne = (report, k) => {
    if (k === report.k) return report.rows.map((row) => row.standing);
    return report.rows.map((row) => {
      if (row.worst_rank !== null && row.worst_rank <= k) return "sure";
      return row.best_rank !== null && row.best_rank <= k ? "contender" : "out";
    });
  };

  /* With several leaving: an item may cross rank k unless it is further away than that. */
  const withoutSeveral = (report, k, m) => {
    const may = report.rows.map((row) => m >= report.margin.lower && (row.standing === "contender" || (row.away !== null && row.away <= m)));
    const out = may.filter((crosses, place) => crosses && place < k).length;
    const into = may.filter((crosses, place) => crosses && place >= k).length;
    const moves = Math.min(out, into); // a place that one item loses, another one takes
    return report.rows.map((_, place) => (moves && may[place] ? "may" : place < k ? "stays" : "out"));
  };

  const at = (report, k, m) => {
    const asked = k === report.k;
    const most = asked && report.margin ? report.mostLeaving : Math.min(1, report.mostLeaving);
    const leaving = Math.max(0, Math.min(m, most));
    const standing = leaving > 1 ? withoutSeveral(report, k, leaving)
      : leaving === 1 ? withoutOne(report, k) : report.rows.map((row) => (row.rank <= k ? "in" : "out"));
    const rows = report.rows.map((row, place) => ({
      ...row,
      listed: asked ? row.listed : leaving === 1 && standing[place] !== "out",
      standing: standing[place],
      share: asked ? row.share : null,
      away: asked ? row.away : null,
      critical_eps: asked ? row.critical_eps : null,
    }));
    // The last place of the list: items between may be out of it.
    const end = leaving !== 1 ? null : rows.reduce((last, row) => (row.listed ? row.rank : last), k);
    return { k, m: leaving, wanted: m, most, end, asked, rows };
  };

  return { unpack, at };
})();
