// SPDX-License-Identifier: MIT OR Apache-2.0
// The line under the boot: characters stored against delivered, and how far the one lags behind the other.

/** Sums over time: `total[k]` from `at[k]` on. */
function sums(pairs) {
  pairs.sort((a, b) => a[0] - b[0]);
  const at = new Float64Array(pairs.length);
  const total = new Float64Array(pairs.length);
  let sum = 0;
  pairs.forEach(([t, n], k) => {
    at[k] = t;
    total[k] = sum += n;
  });
  return { at, total };
}

class Curve {
  constructor(boot) {
    const r = boot.records;
    const [stored, delivered] = [[], []];
    this.lagAt = [];
    for (const i of boot.order) {
      if (!r.kernel[i] || Number.isNaN(r.start[i])) continue;
      const end = Math.max(r.end[i], r.stored[i]);
      stored.push([r.stored[i], r.bytes[i]]);
      delivered.push([end, r.bytes[i]]);
      this.lagAt.push([r.stored[i], end - r.stored[i]]);
    }
    this.stored = sums(stored);
    this.delivered = sums(delivered);
    this.waiting = this.waits();
    this.total = stored.length > 0 ? this.stored.total[stored.length - 1] : 0;
  }

  /** The line at an instant of the axis. */
  now(t) {
    const upTo = ({ at, total }) => {
      const k = firstWhere(0, at.length, (i) => at[i] > t);
      return k === 0 ? 0 : total[k - 1];
    };
    const [stored, delivered] = [upTo(this.stored), upTo(this.delivered)];
    return { stored, delivered, waiting: Math.max(stored - delivered, 0), lag: this.lag(t) };
  }

  /** How old what the line carries then is: the last record's lag, less the time since. */
  lag(t) {
    const k = firstWhere(0, this.lagAt.length, (i) => this.lagAt[i][0] > t) - 1;
    if (k < 0) return 0;
    return Math.max(0, this.lagAt[k][1] - (t - this.lagAt[k][0]));
  }

  /** What waited when each record was stored. What is delivered at the same instant is delivered after it. */
  waits() {
    const waiting = new Float64Array(this.stored.at.length);
    let d = 0;
    for (let k = 0; k < waiting.length; k++) {
      while (d < this.delivered.at.length && this.delivered.at[d] < this.stored.at[k]) d++;
      waiting[k] = this.stored.total[k] - (d > 0 ? this.delivered.total[d - 1] : 0);
    }
    return waiting;
  }

  /** The most that waited at some instant of a range. */
  peak(from, to) {
    let most = this.now(from).waiting;
    const { at } = this.stored;
    for (let k = firstWhere(0, at.length, (i) => at[i] >= from); k < at.length && at[k] <= to; k++) {
      most = Math.max(most, this.waiting[k]);
    }
    return most;
  }
}

/** Draws stored, delivered, the backlog between them, the flush and what the line could carry. */
function drawConsole(c, chart, track) {
  const { boot, theme } = chart;
  const { top, bottom } = { top: track.y + 4, bottom: track.y + track.height - 1 };
  const columns = Math.ceil(chart.plotWidth);
  const toAxis = (x) => chart.lineTime(chart.time(chart.left + x));
  const [stored, delivered] = [new Float64Array(columns + 1), new Float64Array(columns + 1)];
  const walk = ({ at, total }, out) => {
    let k = firstWhere(0, at.length, (i) => at[i] > toAxis(0));
    for (let x = 0; x <= columns; x++) {
      const t = toAxis(x);
      while (k < at.length && at[k] <= t) k++;
      out[x] = k === 0 ? 0 : total[k - 1];
    }
  };
  walk(boot.curve.stored, stored);
  walk(boot.curve.delivered, delivered);
  const low = delivered[0];
  const high = Math.max(stored[columns], low + 1);
  const y = (n) => bottom - ((n - low) / (high - low)) * (bottom - top);

  const flush = boot.line.flush;
  if (flush) {
    const [x0, x1] = [chart.lineX(flush.start), chart.lineX(flush.end)];
    if (x1 > chart.left && x0 < chart.right) {
      const from = Math.max(x0, chart.left);
      const to = Math.min(x1, chart.right);
      c.fillStyle = theme.flush;
      c.fillRect(from, top, to - from, bottom - top);
      const words = [`flush: ${count(flush.bytes)} characters`, `flush: ${count(flush.bytes)}`, "flush"];
      chart.text(words.find((w) => chart.measure(w) <= to - from - 8) ?? "", from + 5, top + 12, "soft", Infinity);
    }
  }
  const path = (values, backwards) => {
    for (let n = 0; n <= columns; n++) {
      const x = backwards ? columns - n : n;
      c.lineTo(chart.left + x, y(values[x]));
    }
  };
  c.fillStyle = theme.backlog;
  c.beginPath();
  path(stored, false);
  path(delivered, true);
  c.fill();
  for (const [values, colour] of [[delivered, "delivered"], [stored, "stored"]]) {
    c.strokeStyle = theme[colour];
    c.lineWidth = 1.5;
    c.beginPath();
    path(values, false);
    c.stroke();
  }
  drawLimit(c, chart, { high, y, delivered });
  c.strokeStyle = theme.rule;
  c.lineWidth = 1;
  c.strokeRect(chart.left + 0.5, top - 0.5, chart.plotWidth - 1, bottom - top + 1);
  const waiting = boot.curve.peak(toAxis(0), toAxis(columns));
  const said = [`to ${count(high)} bytes`, `backlog ≤ ${count(waiting)}`];
  if (boot.line.rate) said.push(`limit ${count(Math.round(boot.line.rate))} B/s`);
  said.forEach((words, n) => chart.gutter(words, top + 27 + n * 16, n === 1 ? "stored" : "soft"));
  if (low > 0) chart.gutter(`from ${count(low)}`, bottom - 2);
  return said.join(", ");
}

/** As steep as the line is fast: nothing is delivered faster. By a clock that loses time it bends as that does. */
function drawLimit(c, chart, { high, y, delivered }) {
  const { rate, opened } = chart.boot.line;
  if (!rate) return;
  const start = Math.max(chart.lineTime(chart.view.from), opened ?? -Infinity);
  const first = Math.max(0, Math.round(chart.lineX(start) - chart.left));
  if (first >= delivered.length) return;
  c.save();
  c.setLineDash([5, 4]);
  c.strokeStyle = chart.theme.soft;
  c.lineWidth = 1.25;
  c.beginPath();
  for (let x = first; x < delivered.length; x++) {
    const carried = delivered[first] + ((chart.lineTime(chart.time(chart.left + x)) - start) / 1e9) * rate;
    c.lineTo(chart.left + x, y(Math.min(Math.max(carried, delivered[first]), high)));
    if (carried >= high) break;
  }
  c.stroke();
  c.restore();
}

/** How long what is stored then takes until it is delivered. */
function drawLag(c, chart, track) {
  const { boot, theme } = chart;
  const [top, bottom] = [track.y + 4, track.y + track.height - 1];
  const columns = Math.ceil(chart.plotWidth);
  const lags = boot.curve.lagAt;
  const values = new Float64Array(columns + 1);
  let k = firstWhere(0, lags.length, (i) => lags[i][0] > chart.lineTime(chart.view.from));
  let most = 0;
  for (let x = 0; x <= columns; x++) {
    const t = chart.lineTime(chart.time(chart.left + x));
    let peak = 0;
    while (k < lags.length && lags[k][0] <= t) peak = Math.max(peak, lags[k++][1]);
    const before = k > 0 ? Math.max(0, lags[k - 1][1] - (t - lags[k - 1][0])) : 0;
    values[x] = Math.max(peak, before);
    most = Math.max(most, values[x]);
  }
  c.fillStyle = theme.backlog;
  c.strokeStyle = theme.stored;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(chart.left, bottom);
  for (let x = 0; x <= columns; x++) c.lineTo(chart.left + x, bottom - (most > 0 ? values[x] / most : 0) * (bottom - top));
  c.lineTo(chart.right, bottom);
  c.fill();
  c.stroke();
  const said = `≤ ${length(most)}`;
  chart.gutter(said, top + 26);
  return said;
}
