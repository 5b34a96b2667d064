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
    const { columns, thresholds } = page;
    const count = columns.item.length;
    return {
      ...page,
      count,
      item: columns.item,
      score: floats(columns.score),
      critical: floats(columns.critical_eps),
      best: columns.best_rank,
      worst: columns.worst_rank,
      limit: thresholds.limit,
      firstK: thresholds.first_k,
      lastK: thresholds.last_k,
      enters: parts(thresholds.enters),
      swaps: parts(thresholds.swaps),
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

  /* The state of all items at (k, eps). Ranks that the thresholds do not cover keep what they had. */
  const state = (report, k, eps) => {
    const { firstK, lastK, count } = report;
    const chosen = eps === report.eps;
    const best = new Array(count).fill(null);
    const worst = new Array(count).fill(null);
    let reached = 0; // all ranks up to here have their best rank
    let size = k;
    for (let rank = firstK; rank <= lastK; rank += 1) {
      const end = rank + exceeded(report.enters[rank - firstK], eps);
      if (rank === k) size = end;
      // With a first k above 1, ranks reached by it may go higher still, which is not known here.
      if (rank === firstK && firstK > 1) reached = end;
      for (; reached < Math.min(end, count); reached += 1) best[reached] = rank;
      if (rank <= count) worst[rank - 1] = rank + exceeded(report.swaps[rank - firstK], eps);
    }
    if (chosen) {
      for (let place = 0; place < count; place += 1) {
        best[place] = report.best[place];
        worst[place] = report.worst[place];
      }
    }
    // The worst rank grows with the rank, so the sure ones are the first few. Where it is not known
    // here, nobody is called sure.
    let certain = Math.min(k, count);
    while (certain > 0 && !(worst[certain - 1] !== null && worst[certain - 1] <= k)) certain -= 1;
    return { k, eps, size, certain, best, worst, ...delta(report, k, eps) };
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

  /* The eps above which the item of this rank is in the answer; null where it is beyond the thresholds. */
  const critical = (report, k, rank) => {
    if (k === report.k) return report.critical[rank - 1];
    if (rank <= k) return 0;
    const value = report.enters[k - report.firstK][rank - k - 1];
    return value === undefined ? null : value;
  };

  return { unpack, state, standing, critical, exceeded };
})();
