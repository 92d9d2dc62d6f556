// SPDX-License-Identifier: MIT OR Apache-2.0
// What range of time is shown, by which clock, and what is selected. Who shows something listens.

/** Closer than this nothing is known: stamps are microseconds. */
const LEAST_VIEW = 1e4;

class View {
  constructor(boots) {
    this.boots = boots;
    this.clock = "stored";
    this.active = 0;
    this.selected = null;
    this.hover = null;
    this.listeners = [];
    this.bounds();
    this.from = this.low;
    this.to = this.high;
  }

  listen(listener) { this.listeners.push(listener); }
  changed(what) { for (const listener of this.listeners) listener(what); }

  /** How a boot's times are mapped now. */
  warp(boot) { return boot.clocks[this.clock] ?? boot.clocks.stored; }

  /** How times of the line are mapped: it has the host's clock, which only the kernel's differs from. */
  lineWarp(boot) { return this.clock === "kernel" ? this.warp(boot) : STAYS; }

  bounds() {
    const times = this.boots.flatMap((b) => {
      const warp = this.warp(b);
      const last = this.clock === "kernel" ? warp.there(b.to) : b.to;
      return [Math.min(warp.there(b.from), this.clock === "arrival" ? b.from : Infinity), last];
    });
    const low = Math.min(...times);
    const high = Math.max(...times, low + LEAST_VIEW);
    const edge = (high - low) * 0.01;
    [this.low, this.high] = [low - edge, high + edge];
  }

  show(from, to) {
    const room = this.high - this.low;
    const width = Math.min(Math.max(to - from, LEAST_VIEW), room);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - width / 2, this.low), this.high - width);
    this.to = this.from + width;
    this.changed("range");
  }

  /** Whether there is anything to be zoomed out of. */
  get isWhole() { return this.to - this.from >= (this.high - this.low) * 0.9999; }
  whole() { this.show(this.low, this.high); }
  pan(by) { this.show(this.from + by, this.to + by); }
  zoom(factor, at = (this.from + this.to) / 2) {
    const width = Math.max((this.to - this.from) * factor, LEAST_VIEW);
    const share = (at - this.from) / (this.to - this.from);
    this.show(at - width * share, at + width * (1 - share));
  }

  /** Shows a range with some room around it. */
  frame(from, to) {
    const room = Math.max((to - from) * 0.15, LEAST_VIEW / 2);
    this.show(from - room, to + room);
  }

  /** Moves as little as needed to show an instant. */
  reveal(at) {
    const width = this.to - this.from;
    if (at < this.from || at > this.to) this.show(at - width / 2, at + width / 2);
  }

  setClock(clock) {
    const boot = this.boots[this.active];
    const wasWhole = this.isWhole;
    const before = this.warp(boot);
    const [from, to] = [before.back(this.from), before.back(this.to)];
    this.clock = clock;
    this.bounds();
    this.changed("clock");
    const now = this.warp(boot);
    if (wasWhole) this.whole();
    else this.show(now.there(from), now.there(to));
  }

  select(item) {
    this.selected = item;
    if (item) this.active = item.boot;
    this.changed("selected");
  }

  setActive(boot) {
    this.active = boot;
    this.changed("active");
  }

  setHover(item) {
    this.hover = item;
    this.changed("hover");
  }
}

/** Two items are one. */
function same(a, b) {
  return Boolean(a && b && a.boot === b.boot && a.kind === b.kind && a.index === b.index);
}
