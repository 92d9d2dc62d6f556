// SPDX-License-Identifier: MIT OR Apache-2.0
// Other clocks than the axis: a time of the axis is carried over between the records that both clocks know.

/** A monotone map through known points, of slope 1 outside of them. */
class Warp {
  constructor(pairs) {
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    this.from = [];
    this.to = [];
    for (const [x, y] of pairs) {
      const last = this.from.length - 1;
      if (last >= 0 && x === this.from[last]) {
        this.to[last] = Math.max(this.to[last], y);
      } else {
        this.from.push(x);
        this.to.push(last >= 0 ? Math.max(this.to[last], y) : y);
      }
    }
  }

  there(t) { return between(this.from, this.to, t); }
  back(t) { return between(this.to, this.from, t); }
}

function between(from, to, t) {
  const n = from.length;
  if (n === 0) return t;
  const i = firstWhere(0, n, (k) => from[k] > t);
  if (i === 0) return to[0] + (t - from[0]);
  if (i === n) return to[n - 1] + (t - from[n - 1]);
  const width = from[i] - from[i - 1];
  return width > 0 ? to[i - 1] + (to[i] - to[i - 1]) * ((t - from[i - 1]) / width) : to[i];
}

const STAYS = { there: (t) => t, back: (t) => t };

/** The clocks of a boot by name; those that it doesn't know are missing. */
function clocksOf(boot) {
  const { stored, stamp, start } = boot.records;
  const clocks = { stored: STAYS };
  const pairs = (other) => {
    const list = [];
    for (let i = 0; i < stored.length; i++) {
      if (!Number.isNaN(stored[i]) && !Number.isNaN(other[i])) list.push([stored[i], other[i]]);
    }
    return list;
  };
  if (boot.clock === "arrival") {
    const stamps = pairs(stamp);
    if (stamps.length > 1) clocks.kernel = new Warp(stamps);
  }
  const arrivals = pairs(start);
  if (arrivals.length > 1) clocks.arrival = new Warp(arrivals);
  return clocks;
}
