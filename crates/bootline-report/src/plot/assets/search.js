// SPDX-License-Identifier: MIT OR Apache-2.0
// Search in all logs; from hit to hit in that of the boot at hand.

class Search {
  constructor(view, log, charts) {
    Object.assign(this, { view, log, charts });
    this.input = document.getElementById("search");
    this.output = document.getElementById("hits");
    this.lower = view.boots.map(() => null);
    this.list = [];
    this.at = -1;
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.step(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape") this.leave();
      else return;
      e.preventDefault();
    });
    document.getElementById("hit-next").addEventListener("click", () => this.step(1));
    document.getElementById("hit-before").addEventListener("click", () => this.step(-1));
    view.listen((what) => {
      if ((what === "active" || what === "selected") && view.active !== this.shownIn) this.show();
    });
  }

  /** All hits in all boots. */
  find() {
    const wanted = this.input.value.toLowerCase();
    this.view.boots.forEach((boot, n) => {
      const { text, count: records } = boot.records;
      this.lower[n] ??= text.map((t) => t.toLowerCase());
      const list = [];
      if (wanted) for (let i = 0; i < records; i++) if (this.lower[n][i].includes(wanted)) list.push(i);
      this.log.hits[n] = new Set(list);
      this.charts[n].hits = list;
      this.charts[n].placeHits();
    });
    this.show();
    this.view.changed("hits");
  }

  /** Those of the boot at hand. */
  show() {
    this.shownIn = this.view.active;
    this.list = this.charts[this.shownIn].hits;
    this.at = -1;
    this.tell();
  }

  step(by) {
    const n = this.list.length;
    if (n === 0) return this.tell();
    const { view } = this;
    if (this.at < 0) this.at = this.nearSelected(by);
    else this.at = (this.at + by + n) % n;
    const index = this.list[this.at];
    view.select({ boot: view.active, kind: "record", index });
    const boot = view.boots[view.active];
    if (!Number.isNaN(boot.records.stored[index])) view.reveal(view.warp(boot).there(boot.records.stored[index]));
    this.tell();
  }

  /** The first hit is the one behind (or before) what is selected. */
  nearSelected(by) {
    const { selected, active } = this.view;
    const n = this.list.length;
    const here = selected && selected.kind === "record" && selected.boot === active ? selected.index : null;
    if (here === null) return by > 0 ? 0 : n - 1;
    const behind = firstWhere(0, n, (k) => this.list[k] > here);
    if (by > 0) return behind % n;
    return (firstWhere(0, n, (k) => this.list[k] >= here) - 1 + n) % n;
  }

  leave() {
    this.input.value = "";
    this.find();
    this.input.blur();
    this.charts[this.view.active].box.focus();
  }

  tell() {
    const n = this.list.length;
    const hits = n === 1 ? "1 match" : `${count(n)} matches`;
    const elsewhere = this.charts.reduce((sum, chart) => sum + chart.hits.length, 0) - n;
    const others = elsewhere > 0 ? `, ${count(elsewhere)} in other boots` : "";
    this.output.textContent = !this.input.value ? "" : n === 0 ? `no match${others}` : this.at < 0 ? hits + others : `${count(this.at + 1)} of ${count(n)}`;
  }
}
