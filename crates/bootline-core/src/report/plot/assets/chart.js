// SPDX-License-Identifier: MIT OR Apache-2.0
// One boot's canvas. It draws only what a pixel can show: the cost of a frame follows the width, not the log.

class Chart {
  constructor(boot, view, theme, figure) {
    Object.assign(this, { boot, view, theme, figure });
    this.box = figure.querySelector(".chart");
    this.box.hidden = false;
    this.canvas = figure.querySelector("canvas");
    this.c = this.canvas.getContext("2d", { alpha: false });
    this.tracks = tracksOf(boot);
    this.widths = new Map();
    this.hits = [];
    this.logRange = null;
    this.cursor = null;
    this.mark = null;
    this.place();
    this.resize();
  }

  /** Puts all bars where they are by the view's clock. */
  place() {
    const warp = this.view.warp(this.boot);
    this.warp = warp;
    for (const t of this.tracks) for (const row of t.rows) row.place(warp);
    const { records, order } = this.boot;
    this.recordAt = Float64Array.from(order, (i) => warp.there(records.stored[i]));
    // The line's own times are the host's; only the kernel's clock moves them.
    this.lineWarp = this.view.clock === "kernel" ? warp : STAYS;
    this.placeHits();
  }

  placeHits() {
    const stored = this.boot.records.stored;
    this.hitAt = Float64Array.from(this.hits.filter((i) => !Number.isNaN(stored[i])), (i) => this.warp.there(stored[i])).sort();
  }

  resize() {
    const width = Math.max(this.box.clientWidth, 200);
    this.left = width < 560 ? 8 : 138;
    this.narrow = this.left === 8;
    this.right = width - 8;
    this.plotWidth = this.right - this.left;
    const scale = window.devicePixelRatio || 1;
    const height = this.tracks.height;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    this.scale = scale;
    this.width = width;
  }

  x(t) { return this.left + ((t - this.view.from) / (this.view.to - this.view.from)) * this.plotWidth; }
  time(x) { return this.view.from + ((x - this.left) / this.plotWidth) * (this.view.to - this.view.from); }
  lineX(t) { return this.x(this.lineWarp.there(t)); }
  lineTime(t) { return this.lineWarp.back(t); }

  draw() {
    const { c, theme } = this;
    c.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    c.fillStyle = theme.bg;
    c.fillRect(0, 0, this.width, this.tracks.height);
    this.drawAxis();
    for (const track of this.tracks) {
      if (!this.narrow) this.gutter(track.name, track.y + 14, track.kind === "console" || track.kind === "lag" ? "ink" : "soft");
      c.save();
      c.beginPath();
      c.rect(track.kind === "bars" ? this.left : 0, track.y - 2, this.right - (track.kind === "bars" ? this.left : 0), track.height + 4);
      c.clip();
      if (track.kind === "console") drawConsole(c, this, track);
      else if (track.kind === "lag") drawLag(c, this, track);
      else if (track.kind === "log") this.drawRecords(track);
      else for (const row of track.rows) this.drawRow(row);
      c.restore();
      if (this.narrow && (track.kind === "console" || track.kind === "lag")) this.text(track.name, this.left + 6, track.y + track.height - 8, "soft", 200);
    }
    this.drawOver();
  }

  drawAxis() {
    const { c, theme, view } = this;
    const step = tickStep(view.to - view.from, Math.max(2, Math.floor(this.plotWidth / 100)));
    c.font = `11.5px ${theme.sans}`;
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
    let k = firstWhere(0, n, (i) => row.to[i] >= view.from);
    let drawnTo = -Infinity;
    const stroke = row.above ? 6 : row.height;
    const [top, height] = [row.y + row.height - stroke, stroke];
    if (row.above && k < n) this.drawAbove(row, this.x(row.from[k]));
    for (; k < n && row.from[k] <= view.to; k++) {
      const x1 = this.x(row.to[k]);
      if (x1 < drawnTo + 0.5) {
        // On to the first that reaches beyond.
        const beyond = this.time(drawnTo + 0.5);
        k = firstWhere(k + 1, n, (i) => row.to[i] >= beyond) - 1;
        continue;
      }
      const bar = row.bars[k];
      const x0 = Math.max(this.x(row.from[k]), this.left - 2);
      const width = Math.max(Math.min(x1, this.right + 2) - x0, 1);
      drawnTo = x0 + width;
      c.fillStyle = theme[bar.colour];
      c.fillRect(x0, top, width > 3 ? width - 0.5 : width, height);
      if (width > 4) this.drawBarMarks(bar, x0, width, top, height);
      if (width > 22 && bar.label) this.drawLabel(bar, x0, width, row);
    }
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
    let label = bar.label;
    if (bar.longer) label += bar.longer === "new" ? " (new)" : ` ${signed(bar.longer)}`;
    const from = Math.max(x0, this.left);
    this.text(label, from + 4, row.y + row.height / 2 + 4, bar.ink, x0 + width - from - 7);
  }

  /** Words above a stroke, from its left on as far as there is room. */
  drawAbove(row, start) {
    const from = Math.max(Math.min(start, this.right - this.measure(row.above) - 6), this.left) + 2;
    this.text(row.above, from, row.y + 13, "mark", this.right - from);
  }

  drawRecords(track) {
    const { c, theme, view } = this;
    c.fillStyle = theme.panel;
    c.fillRect(this.left, track.y, this.plotWidth, track.height);
    if (this.logRange) {
      const [from, to] = this.logRange.map((t) => this.x(this.warp.there(t)));
      c.fillStyle = theme.chosen;
      c.fillRect(from - 1, track.y, Math.max(to - from, 2) + 1, track.height);
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
      for (const box of this.boxesOf(item)) {
        c.strokeStyle = theme[colour];
        c.lineWidth = 2;
        c.strokeRect(box.x0 - 1, box.y - 1, Math.max(box.x1 - box.x0, 2) + 2, box.height + 2);
      }
    }
  }

  boxesOf(item) {
    const boxes = [];
    for (const t of this.tracks) {
      for (const row of t.rows) {
        row.bars.forEach((bar, k) => {
          if (!same(bar.item, item) || row.to[k] < this.view.from || row.from[k] > this.view.to) return;
          const x0 = Math.max(this.x(row.from[k]), this.left);
          boxes.push({ x0, x1: Math.min(this.x(row.to[k]), this.right), y: row.y, height: row.height });
        });
      }
    }
    return boxes;
  }

  /** What is at a point: a bar, or in the tracks without bars the nearest record. */
  at(x, y) {
    if (x < this.left || x > this.right) return null;
    const track = this.tracks.find((t) => y >= t.y && y < t.y + t.height);
    if (!track) return null;
    if (track.kind !== "bars") return track.kind === "axis" ? null : this.recordNear(x);
    const row = track.rows.find((r) => y >= r.y && y < r.y + r.height + 1);
    if (!row) return null;
    const [from, to] = [this.time(x - 2), this.time(x + 2)];
    const t = this.time(x);
    let best = null;
    let distance = Infinity;
    for (let k = firstWhere(0, row.bars.length, (i) => row.to[i] >= from); k < row.bars.length && row.from[k] <= to; k++) {
      const d = Math.max(row.from[k] - t, t - row.to[k], 0);
      if (d < distance) [best, distance] = [row.bars[k].item, d];
    }
    return best;
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
    this.text(this.fit(text, this.left - 14), this.left - 8, y, colour, 0, "right");
  }

  /** Text, cut to a width. */
  text(text, x, y, colour, width, align = "left") {
    const { c, theme } = this;
    c.font = `11.5px ${theme.sans}`;
    c.textAlign = align;
    c.fillStyle = theme[colour];
    const shown = width > 0 ? this.fit(text, width) : align === "right" ? text : "";
    if (shown) c.fillText(shown, x, y);
    c.textAlign = "left";
  }

  fit(text, width) {
    if (width < 8) return "";
    if (text.length > 200) text = text.slice(0, 200);
    const whole = this.measure(text);
    if (whole <= width) return text;
    const kept = Math.floor((text.length * (width - 8)) / whole);
    return kept < 2 ? "" : `${text.slice(0, kept)}…`;
  }

  measure(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      this.c.font = `11.5px ${this.theme.sans}`;
      width = this.c.measureText(text).width;
      if (this.widths.size > 20000) this.widths.clear();
      this.widths.set(text, width);
    }
    return width;
  }
}
