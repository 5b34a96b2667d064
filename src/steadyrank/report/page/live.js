"use strict";
/* What holds at (k, eps). Comparisons with numbers of the library, and nothing else. */

const LIVE = (() => {
  const floats = (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length / 8 }, (_, place) => view.getFloat64(8 * place, true));
  };

  const parts = ({ lengths, values }) => {
    const all = floats(values);
    let start = 0;
    return lengths.map((length) => all.slice(start, (start += length)));
  };

  const unpack = (page) => {
    const { columns, windows } = page;
    const count = columns.item.length;
    return {
      ...page,
      count,
      item: columns.item,
      score: floats(columns.score),
      critical: floats(columns.critical_eps),
      lowest: columns.lowest,
      highest: columns.highest,
      limit: windows.limit,
      firstK: windows.first_k,
      lastK: windows.last_k,
      enters: parts(windows.enters),
      swaps: parts(windows.swaps),
      curves: new Map(page.curves.map((curve) => [
        curve.k, { eps: floats(curve.eps), delta: floats(curve.delta), thinned: curve.thinned },
      ])),
    };
  };

  /* How many of the ascending values eps exceeds. */
  const exceeded = (values, eps) => {
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (eps > values[middle]) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /* The state of all items at (k, eps). Ranks that the windows do not cover keep what they had. */
  const state = (report, k, eps) => {
    const { firstK, lastK, count } = report;
    const chosen = eps === report.eps;
    const lowest = new Array(count).fill(null);
    const highest = new Array(count).fill(null);
    let reached = 0; // all ranks up to here have their lowest rank
    let size = k;
    for (let rank = firstK; rank <= lastK; rank += 1) {
      const end = rank + exceeded(report.enters[rank - firstK], eps);
      if (rank === k) size = end;
      // With a first k above 1, ranks reached by it may go higher still, which is not known here.
      if (rank === firstK && firstK > 1) reached = end;
      for (; reached < Math.min(end, count); reached += 1) lowest[reached] = rank;
      if (rank <= count) highest[rank - 1] = rank + exceeded(report.swaps[rank - firstK], eps);
    }
    if (chosen) {
      for (let place = 0; place < count; place += 1) {
        lowest[place] = report.lowest[place];
        highest[place] = report.highest[place];
      }
    }
    // The highest rank grows with the rank, so the sure ones are the first few. Where it is not known
    // here, nobody is called sure.
    let certain = Math.min(k, count);
    while (certain > 0 && !(highest[certain - 1] !== null && highest[certain - 1] <= k)) certain -= 1;
    return { k, eps, size, certain, lowest, highest, ...delta(report, k, eps) };
  };

  const delta = (report, k, eps) => {
    const curve = report.curves.get(k);
    if (!curve) return { delta: null, atMost: false };
    const passed = exceeded(curve.eps, eps);
    return { delta: passed ? curve.delta[passed - 1] : 1, atMost: curve.thinned };
  };

  const standing = (found, rank) => {
    if (rank > found.size) return "out";
    return rank <= found.certain ? "certain" : "contender";
  };

  /* The eps above which the item of this rank is in the answer; null where it is beyond the windows. */
  const critical = (report, k, rank) => {
    if (k === report.k) return report.critical[rank - 1];
    if (rank <= k) return 0;
    const value = report.enters[k - report.firstK][rank - k - 1];
    return value === undefined ? null : value;
  };

  return { unpack, state, standing, critical, exceeded };
})();
