// SPDX-License-Identifier: MIT OR Apache-2.0
// One boot's canvas. It draws only what a pixel can show: the cost of a frame follows the width, not the log.

/** Of a name that is cut at least so much is shown. */
const LEAST_KEPT = 4;

class Chart {
  constructor(boot, view, theme, figure) {
    Object.assign(this, { boot, view, theme, figure });
    this.box = figure.querySelector(".chart");
    this.box.hidden = false;
    this.canvas = figure.querySelector("canvas");
    this.c = this.canvas.getContext("2d", { alpha: false });
    this.widths = new Map();
    this.hits = [];
    this.logRange = null;
    this.cursor = null;
    this.mark = null;
    this.stale = true;
    this.resize();
  }

  /** Puts all bars where they are by the view's clock. */
  place() {
    const warp = this.view.warp(this.boot);
    this.warp = warp;
    // The line's own times are the host's; only the kernel's clock moves them.
    this.lineWarp = this.view.lineWarp(this.boot);
    for (const t of this.tracks) for (const row of t.rows) row.place(warp, this.lineWarp);
    const { records, order } = this.boot;
    this.recordAt = Float64Array.from(order, (i) => warp.there(records.stored[i]));
    this.placeHits();
  }

  placeHits() {
    const stored = this.boot.records.stored;
    this.hitAt = Float64Array.from(this.hits.filter((i) => !Number.isNaN(stored[i])), (i) => this.warp.there(stored[i])).sort();
  }

  resize() {
    const width = Math.max(this.box.clientWidth, 200);
    const narrow = width < 560;
    if (narrow !== this.narrow) {
      this.narrow = narrow;
      this.tracks = tracksOf(this.boot, narrow, this.view.boots.length === 1);
      this.place();
    }
    this.left = narrow ? 8 : 142;
    this.right = width - 8;
    this.plotWidth = this.right - this.left;
    const scale = window.devicePixelRatio || 1;
    const height = this.tracks.height;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    this.scale = scale;
    this.width = width;
    // A canvas that has another size has forgotten it.
    this.font = null;
  }

  x(t) { return this.left + ((t - this.view.from) / (this.view.to - this.view.from)) * this.plotWidth; }
  time(x) { return this.view.from + ((x - this.left) / this.plotWidth) * (this.view.to - this.view.from); }
  lineX(t) { return this.x(this.lineWarp.there(t)); }
  lineTime(t) { return this.lineWarp.back(t); }

  draw() {
    const { c, theme } = this;
    this.stale = false;
    this.setFont();
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = theme.bg;
    c.fillRect(0, 0, this.width, this.tracks.height);
    this.drawAxis();
    for (const track of this.tracks) {
      if (this.narrow && track.kind !== "axis") this.text(track.name, this.left, track.y - 4, "soft", this.plotWidth, { halo: true });
      this.gutter(track.name, track.y + 14, track.kind === "console" || track.kind === "lag" ? "ink" : "soft");
      c.save();
      c.beginPath();
      c.rect(track.kind === "bars" ? this.left : 0, track.y - 2, this.right - (track.kind === "bars" ? this.left : 0), track.height + 4);
      c.clip();
      let said = "";
      if (track.kind === "console") said = drawConsole(c, this, track);
      else if (track.kind === "lag") said = drawLag(c, this, track);
      else if (track.kind === "log") this.drawRecords(track);
      else for (const row of track.rows) this.drawRow(row);
      c.restore();
      if (this.narrow && said) this.text(said, this.right, track.y - 4, "soft", this.plotWidth - this.measure(track.name) - 8, { align: "right", halo: true });
    }
    this.drawOver();
  }

  drawAxis() {
    const { c, theme, view } = this;
    const step = tickStep(view.to - view.from, Math.max(2, Math.floor(this.plotWidth / 100)));
    this.setFont();
    c.textAlign = "center";
    c.lineWidth = 1;
    const first = Math.ceil(view.from / step);
    for (let n = first; n * step <= view.to; n++) {
      const x = Math.round(this.x(n * step)) + 0.5;
      c.strokeStyle = theme.rule;
      c.beginPath();
      c.moveTo(x, AXIS - 6);
      c.lineTo(x, this.tracks.height);
      c.stroke();
      c.fillStyle = theme.soft;
      const label = tickLabel(n * step, step) + (this.narrow ? " s" : "");
      const half = label.length * 3.5;
      c.fillText(label, Math.min(Math.max(x, this.left + half), this.right - half), 14);
    }
    c.textAlign = "left";
  }

  /** Bars that fall on the pixel of the one before are left out: something is shown there already. */
  drawRow(row) {
    const { c, theme, view } = this;
    const n = row.bars.length;
    let k = firstWhere(0, n, (i) => row.reach[i] >= view.from);
    let drawnTo = -Infinity;
    const stroke = row.stroke ?? row.height;
    const [top, height] = [row.y + row.height - stroke, stroke];
    if (row.thread) this.drawThread(row, top + height / 2);
    if (row.above) this.drawAbove(row, k);
    for (; k < n && row.from[k] <= view.to; k++) {
      const x1 = this.x(row.to[k]);
      if (x1 < drawnTo + 0.5) {
        // On to the first that reaches beyond.
        const beyond = this.time(drawnTo + 0.5);
        k = firstWhere(k + 1, n, (i) => row.reach[i] >= beyond) - 1;
        continue;
      }
      const bar = row.bars[k];
      const x0 = Math.max(this.x(row.from[k]), this.left - 2);
      const width = Math.max(Math.min(x1, this.right + 2) - x0, bar.least ?? 1);
      drawnTo = x0 + width;
      c.fillStyle = theme[bar.colour];
      c.fillRect(x0, top, width > 3 ? width - (bar.parted ? 1 : 0.5) : width, height);
      if (width > 4) this.drawBarMarks(bar, x0, width, top, height);
      if (width > 18 && (bar.label || bar.forms)) this.drawLabel(bar, x0, width, row);
    }
  }

  /** What lies between marks that are one finding's. */
  drawThread(row, y) {
    const { c, theme } = this;
    const [x0, x1] = row.threadAt.map((t) => Math.min(Math.max(this.x(t), this.left - 2), this.right + 2));
    c.fillStyle = theme.mark;
    c.globalAlpha = 0.45;
    c.fillRect(x0, Math.round(y) - 0.5, Math.max(x1 - x0, 0), 1);
    c.globalAlpha = 1;
  }

  drawBarMarks(bar, x0, width, top, height) {
    const { c, theme } = this;
    if (bar.longer) {
      c.strokeStyle = theme.ink;
      c.lineWidth = 2;
      c.strokeRect(x0 + 1, top + 1, width - 2.5, height - 2);
    }
    if (bar.failed) {
      // Open at its end: it never returned, failed, or isn't up.
      c.fillStyle = theme.bg;
      for (let y = top; y < top + height; y += 4) c.fillRect(x0 + width - 3, y, 3, 2);
    }
  }

  drawLabel(bar, x0, width, row) {
    const from = Math.max(x0, this.left);
    const room = x0 + width - from - 7;
    const whole = (text) => this.measure(text) <= room;
    let label = bar.label;
    if (bar.forms) {
      label = bar.forms.find(whole) ?? "";
    } else if (bar.longer) {
      // Rather the difference alone than a half of it.
      const by = bar.longer === "new" ? "new" : signed(bar.longer);
      label = [`${bar.label} ${by}`, by].find(whole) ?? bar.label;
    }
    this.text(label, from + 4, row.y + row.height / 2 + 4, bar.ink, room);
  }

  /** Words above a stroke, from its left on as far as there is room; beside what is shown, where to look for it. */
  drawAbove(row, k) {
    const { view } = this;
    const [from, to] = row.threadAt ?? [row.from[k], row.from[k]];
    const seen = (k < row.bars.length && row.from[k] <= view.to) || (from <= view.to && to >= view.from);
    const words = seen ? row.above : k < row.bars.length ? `${row.above} ›` : `‹ ${row.above}`;
    const start = k < row.bars.length ? this.x(row.threadAt ? Math.min(from, row.from[k]) : row.from[k]) : -Infinity;
    const x = Math.max(Math.min(start, this.right - this.measure(words) - 6), this.left) + 2;
    this.text(words, x, row.y + 13, seen ? "mark" : "soft", this.right - x, { halo: true });
  }

  drawRecords(track) {
    const { c, theme, view } = this;
    c.fillStyle = theme.panel;
    c.fillRect(this.left, track.y, this.plotWidth, track.height);
    if (this.logRange) {
      const inPlot = (x) => Math.min(Math.max(x, this.left), this.right);
      const [from, to] = this.logRange.map((t) => inPlot(this.x(this.warp.there(t))));
      c.fillStyle = theme.chosen;
      if (to > this.left && from < this.right) c.fillRect(from - 1, track.y, Math.max(to - from, 2) + 1, track.height);
    }
    const lines = (times, colour, top, height, width) => {
      c.fillStyle = theme[colour];
      let last = -Infinity;
      for (let k = firstWhere(0, times.length, (i) => times[i] >= view.from); k < times.length && times[k] <= view.to;) {
        const x = Math.round(this.x(times[k]));
        if (x > last) c.fillRect(x, top, width, height);
        last = x;
        // On to the first that falls on another pixel.
        const next = this.time(x + 0.5);
        k = next > times[k] ? firstWhere(k + 1, times.length, (i) => times[i] > next) : k + 1;
      }
    };
    lines(this.recordAt, "other", track.y + 5, track.height - 8, 1);
    lines(this.hitAt, "hit", track.y, track.height, 3);
  }

  /** The boot's end, what is selected, where the pointer is. */
  drawOver() {
    const { c, theme, view, boot } = this;
    const upright = (t, colour, dash) => {
      const x = Math.round(this.x(t)) + 0.5;
      if (x < this.left || x > this.right) return null;
      c.save();
      c.strokeStyle = theme[colour];
      c.setLineDash(dash);
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(x, 18);
      c.lineTo(x, this.tracks.height);
      c.stroke();
      c.restore();
      return x;
    };
    if (boot.end) upright(this.warp.there(boot.end.at), "ink", [2, 3]);
    if (this.cursor !== null) upright(this.cursor, "soft", []);
    if (this.mark) {
      const [a, b] = [this.x(this.mark[0]), this.x(this.mark[1])];
      c.fillStyle = theme.focus;
      c.globalAlpha = 0.18;
      c.fillRect(Math.min(a, b), AXIS, Math.abs(b - a), this.tracks.height - AXIS);
      c.globalAlpha = 1;
    }
    for (const [item, colour] of [[view.hover, "soft"], [view.selected, "ink"]]) {
      if (!item || item.boot !== boot.number) continue;
      if (item.kind === "record") {
        const at = boot.records.stored[item.index];
        if (!Number.isNaN(at)) upright(this.warp.there(at), "focus", []);
        continue;
      }
      this.drawSlack(item, theme[colour]);
      for (const box of this.boxesOf(item)) {
        c.strokeStyle = theme[colour];
        c.lineWidth = 2;
        c.strokeRect(box.x0 - 1, box.y - 1, Math.max(box.x1 - box.x0, 2) + 2, box.height + 2);
      }
    }
  }

  /** How much later a call beside the chain could end without effect. */
  drawSlack(item, colour) {
    const { spans } = this.boot;
    const slack = item.kind === "span" ? spans.slack[item.index] : null;
    if (!slack) return;
    for (const box of this.boxesOf(item)) {
      const to = Math.min(this.x(this.warp.there(spans.end[item.index] + slack)), this.right);
      const y = Math.round(box.y + box.height / 2);
      this.c.fillStyle = colour;
      this.c.fillRect(box.x1, y - 1, Math.max(to - box.x1, 0), 2);
      this.c.fillRect(to - 1, y - 5, 2, 10);
    }
  }

  /** Where an item is drawn; of many marks those that lie close are one box. */
  boxesOf(item) {
    const boxes = [];
    for (const t of this.tracks) {
      for (const row of t.rows) {
        let last = null;
        row.bars.forEach((bar, k) => {
          if (!same(bar.item, item) || row.to[k] < this.view.from || row.from[k] > this.view.to) return;
          const x0 = Math.max(this.x(row.from[k]), this.left);
          const x1 = Math.min(this.x(row.to[k]), this.right);
          if (last && x0 < last.x1 + 4) last.x1 = Math.max(last.x1, x1);
          else boxes.push(last = { x0, x1, y: row.y, height: row.height });
        });
      }
    }
    return boxes;
  }

  /** What is at a point: a bar, or in the tracks without bars the nearest record. */
  at(x, y) {
    if (x < this.left || x > this.right) return null;
    const track = this.trackAt(y);
    if (!track) return null;
    if (track.kind !== "bars") return track.kind === "axis" ? null : this.recordNear(x);
    const row = track.rows.find((r) => y >= r.y && y < r.y + r.height + 1);
    if (!row) return null;
    const [from, to] = [this.time(x - 2), this.time(x + 2)];
    const t = this.time(x);
    let best = null;
    let distance = Infinity;
    for (let k = firstWhere(0, row.bars.length, (i) => row.reach[i] >= from); k < row.bars.length && row.from[k] <= to; k++) {
      const d = Math.max(row.from[k] - t, t - row.to[k], 0);
      if (d < distance) [best, distance] = [row.bars[k].item, d];
    }
    return best;
  }

  trackAt(y) { return this.tracks.find((t) => y >= t.y && y < t.y + t.height) ?? null; }

  /** All rows with bars, from top to bottom. */
  get rows() { return this.tracks.flatMap((t) => t.rows).filter((r) => r.bars.length > 0); }

  /** The bar beside one: the next or the previous in its row, or the nearest in the row above or below. */
  beside(item, along, across) {
    const { rows, view } = this;
    const middle = (view.from + view.to) / 2;
    let at = -1;
    let k = -1;
    if (item && item.boot === this.boot.number) {
      at = rows.findIndex((row) => (k = row.bars.findIndex((b) => same(b.item, item))) >= 0);
    }
    if (at < 0) return rows.length > 0 ? nearest(rows[0], middle) : null;
    if (across === 0) return rows[at].bars[k + along]?.item ?? null;
    const row = rows[at + across];
    return row ? nearest(row, (rows[at].from[k] + Math.min(rows[at].to[k], rows[at].from[k] + 2 * (view.to - view.from))) / 2) : null;
  }

  recordNear(x) {
    const t = this.time(x);
    const n = this.recordAt.length;
    const k = firstWhere(0, n, (i) => this.recordAt[i] >= t);
    const near = [k - 1, k].filter((i) => i >= 0 && i < n);
    near.sort((a, b) => Math.abs(this.recordAt[a] - t) - Math.abs(this.recordAt[b] - t));
    if (near.length === 0 || Math.abs(this.x(this.recordAt[near[0]]) - x) > 6) return null;
    return { boot: this.boot.number, kind: "record", index: this.boot.order[near[0]] };
  }

  gutter(text, y, colour = "soft") {
    if (this.narrow) return;
    this.text(this.fit(text, this.left - 14), this.left - 8, y, colour, Infinity, { align: "right" });
  }

  setFont() {
    const font = `11.5px ${this.theme.sans}`;
    if (this.font !== font) this.c.font = this.font = font;
  }

  /** Text, cut to a width; with a halo where something may lie under it. */
  text(text, x, y, colour, width, { align = "left", halo = false } = {}) {
    const { c, theme } = this;
    this.setFont();
    const shown = this.fit(text, width);
    if (!shown) return;
    c.textAlign = align;
    if (halo) {
      c.strokeStyle = theme.bg;
      c.lineWidth = 4;
      c.lineJoin = "round";
      c.strokeText(shown, x, y);
    }
    c.fillStyle = theme[colour];
    c.fillText(shown, x, y);
    c.textAlign = "left";
  }

  /** As much of a text as a width has room for; nothing where that would tell nothing. */
  fit(text, width) {
    if (width < 8) return "";
    if (text.length > 200) text = text.slice(0, 200);
    const whole = this.measure(text);
    if (whole <= width) return text;
    let kept = Math.floor((text.length * (width - 10)) / whole);
    this.setFont();
    while (kept >= LEAST_KEPT && this.c.measureText(`${text.slice(0, kept)}…`).width > width) kept--;
    return kept < LEAST_KEPT ? "" : `${text.slice(0, kept).trimEnd()}…`;
  }

  measure(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      this.setFont();
      width = this.c.measureText(text).width;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(text, width);
    }
    return width;
  }
}

/** The bar of a row that lies nearest to an instant. */
function nearest(row, t) {
  let best = 0;
  let distance = Infinity;
  for (let k = 0; k < row.bars.length; k++) {
    const d = Math.max(row.from[k] - t, t - row.to[k], 0);
    if (d < distance) [best, distance] = [k, d];
  }
  return row.bars[best].item;
}
