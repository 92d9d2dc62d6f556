// SPDX-License-Identifier: MIT OR Apache-2.0
// Wheel, pointer and keys.

class Input {
  constructor(view, charts, log, search) {
    Object.assign(this, { view, charts, log, search });
    this.tip = new Tip();
    this.pointers = new Map();
    for (const chart of charts) this.listenTo(chart);
    addEventListener("keydown", (e) => this.key(e));
    const on = (id, act) => document.getElementById(id).addEventListener("click", act);
    on("zoom-in", () => view.zoom(0.5));
    on("zoom-out", () => view.zoom(2));
    on("whole", () => view.whole());
    on("help-button", () => document.getElementById("help").showModal());
    for (const radio of document.querySelectorAll("input[name=clock]")) {
      radio.disabled = radio.value !== "stored" && !view.boots.some((b) => b.clocks[radio.value]);
      radio.addEventListener("change", () => view.setClock(radio.value));
    }
    for (const button of document.querySelectorAll(".finding, button.difference")) {
      const { boot, kind, index } = button.dataset;
      button.addEventListener("click", () => {
        view.select({ boot: Number(boot), kind, index: Number(index) });
        zoomTo(view, view.selected);
        const chart = charts[Number(boot)];
        (charts.length > 1 ? chart.figure : document.querySelector(".controls")).scrollIntoView({ block: "start" });
      });
    }
  }

  listenTo(chart) {
    const { box } = chart;
    const place = (e) => {
      const r = chart.canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    box.addEventListener("wheel", (e) => this.wheel(e, chart, place(e)[0]), { passive: false });
    // Fingers may be on two boots' charts, which have one axis.
    const { pointers } = this;
    box.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      const [x, y] = place(e);
      pointers.set(e.pointerId, [x, y]);
      this.drag = this.dragOf(chart, x, y, e.shiftKey);
      if (pointers.size === 2) this.pinch = this.pinchOf();
      box.setPointerCapture(e.pointerId);
      this.tip.hide();
    });
    box.addEventListener("pointermove", (e) => {
      const [x, y] = place(e);
      if (!pointers.has(e.pointerId)) return this.hover(chart, x, y, e);
      pointers.set(e.pointerId, [x, y]);
      if (pointers.size === 1) this.dragMove(x, y);
      else if (pointers.size === 2) this.pinchMove(chart);
    });
    const end = (e) => {
      if (!pointers.delete(e.pointerId)) return;
      const [x, y] = place(e);
      const drag = this.drag;
      this.drag = null;
      if (chart.mark) {
        const [a, b] = chart.mark;
        chart.mark = null;
        this.view.show(Math.min(a, b), Math.max(a, b));
      } else if (drag && !drag.moved && e.type === "pointerup" && !this.pinch) {
        this.view.select(chart.at(x, y));
      }
      if (pointers.size === 0) {
        this.pinch = null;
      } else {
        // The finger that is left goes on from where it is.
        this.drag = this.dragOf(chart, ...pointers.values().next().value, false);
        this.drag.moved = true;
      }
    };
    box.addEventListener("pointerup", end);
    box.addEventListener("pointercancel", end);
    box.addEventListener("pointerleave", () => {
      this.tip.hide();
      chart.cursor = null;
      this.view.setHover(null);
    });
    box.addEventListener("dblclick", (e) => {
      const item = chart.at(...place(e));
      if (item) zoomTo(this.view, item);
    });
  }

  wheel(e, chart, x) {
    // Beside the tracks, and where there is nothing to be zoomed out of, the wheel is the page's.
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
    if (x < chart.left || (!sideways && !e.shiftKey && e.deltaY > 0 && this.view.isWhole)) return;
    e.preventDefault();
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    const width = this.view.to - this.view.from;
    if (sideways || e.shiftKey) this.view.pan(((sideways ? e.deltaX : e.deltaY) * unit * width) / chart.plotWidth);
    else this.view.zoom(Math.exp(Math.max(-1, Math.min(1, (e.deltaY * unit) / 400))), chart.time(x));
  }

  dragOf(chart, x, y, mark) {
    return { chart, x, y, from: this.view.from, to: this.view.to, moved: false, mark };
  }

  dragMove(x, y) {
    const d = this.drag;
    if (!d) return;
    d.moved ||= Math.abs(x - d.x) > 3 || Math.abs(y - d.y) > 8;
    if (!d.moved) return;
    if (d.mark) {
      d.chart.mark = [d.chart.time(d.x), d.chart.time(x)];
      this.view.changed("hover");
    } else {
      const by = ((d.x - x) / d.chart.plotWidth) * (d.to - d.from);
      this.view.show(d.from + by, d.to + by);
    }
  }

  pinchOf() {
    const [[x0, y0], [x1, y1]] = this.pointers.values();
    return { width: Math.max(Math.hypot(x1 - x0, y1 - y0), 10), middle: (x0 + x1) / 2 };
  }

  /** What lay between the fingers stays between them. */
  pinchMove(chart) {
    const { view, pinch } = this;
    const now = this.pinchOf();
    const t = chart.time(pinch.middle);
    const width = Math.max((view.to - view.from) * (pinch.width / now.width), LEAST_VIEW);
    const share = (now.middle - chart.left) / chart.plotWidth;
    view.show(t - width * share, t + width * (1 - share));
    this.pinch = now;
  }

  hover(chart, x, y, e) {
    const { view } = this;
    const item = chart.at(x, y);
    for (const c of this.charts) c.cursor = x >= chart.left && x <= chart.right ? chart.time(x) : null;
    if (!same(item, view.hover)) view.setHover(item);
    else view.changed("hover");
    const track = chart.trackAt(y);
    const boot = chart.boot;
    if (track && (track.kind === "console" || track.kind === "lag")) {
      const t = chart.lineTime(chart.time(x));
      const now = boot.curve.now(t);
      this.tip.show(e.clientX, e.clientY, `${seconds(chart.time(x))} s`, [
        `${count(now.stored)} bytes stored, ${count(now.delivered)} transmitted`,
        `${count(now.waiting)} waiting; lag ${length(now.lag)}`]);
    } else if (item) {
      const told = tell(boot, item);
      this.tip.show(e.clientX, e.clientY, told.title, [told.about, ...told.facts.slice(0, 6).map(([k, v]) => `${k}: ${v}`)]);
    } else {
      this.tip.hide();
    }
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.target.type !== "radio" && e.target.closest("input, select, textarea, dialog[open]")) return;
    const { view } = this;
    const width = view.to - view.from;
    const inLog = e.target.id === "log";
    const chart = this.charts.find((c) => c.box === e.target);
    const across = (by) => (inLog ? () => this.log.step(by) : chart && (() => this.beside(chart, 0, by)));
    const along = (by) => (chart && e.shiftKey ? () => this.beside(chart, by, 0) : () => view.pan(by * width * 0.15));
    const keys = {
      ArrowLeft: along(-1),
      ArrowRight: along(1),
      ArrowUp: across(-1),
      ArrowDown: across(1),
      Enter: chart && (() => view.selected && zoomTo(view, view.selected)),
      "+": () => view.zoom(0.6),
      "=": () => view.zoom(0.6),
      "-": () => view.zoom(1 / 0.6),
      0: () => view.whole(),
      z: () => view.selected && zoomTo(view, view.selected),
      j: () => this.log.step(1),
      k: () => this.log.step(-1),
      n: () => this.search.step(1),
      p: () => this.search.step(-1),
      c: () => this.nextClock(),
      b: () => view.boots.length > 1 && view.setActive((view.active + 1) % view.boots.length),
      "/": () => this.search.input.select(),
      "?": () => document.getElementById("help").showModal(),
      Escape: () => {
        this.tip.hide();
        view.select(null);
      },
    };
    const act = keys[e.key];
    if (!act || (e.target.type === "radio" && e.key.startsWith("Arrow"))) return;
    e.preventDefault();
    act();
  }

  /** Chooses the bar beside the one that is chosen, and shows it. */
  beside(chart, along, across) {
    const { view } = this;
    const item = chart.beside(view.selected, along, across);
    if (!item) return;
    view.select(item);
    const { range, line } = tell(chart.boot, item);
    if (!range) return;
    const warp = line ? chart.lineWarp : chart.warp;
    const [from, to] = range.map((t) => warp.there(t));
    if (to < view.from || from > view.to) view.show(from - (view.to - view.from) * 0.2, from + (view.to - view.from) * 0.8);
  }

  nextClock() {
    const radios = [...document.querySelectorAll("input[name=clock]:not(:disabled)")];
    const next = radios[(radios.findIndex((r) => r.checked) + 1) % radios.length];
    next.checked = true;
    this.view.setClock(next.value);
  }
}
