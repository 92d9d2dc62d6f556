// SPDX-License-Identifier: MIT OR Apache-2.0
// Search in the log of the boot at hand.

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
      if (what === "active" || what === "selected") this.find(true);
    });
  }

  /** All hits; again only where the boot at hand has changed. */
  find(ifOther = false) {
    const active = this.view.active;
    if (ifOther && active === this.foundIn) return;
    this.foundIn = active;
    const wanted = this.input.value.toLowerCase();
    const { text, count: n } = this.view.boots[active].records;
    this.lower[active] ??= text.map((t) => t.toLowerCase());
    this.list = [];
    if (wanted) for (let i = 0; i < n; i++) if (this.lower[active][i].includes(wanted)) this.list.push(i);
    this.at = -1;
    this.log.hits[active] = new Set(this.list);
    this.charts[active].hits = this.list;
    this.charts[active].placeHits();
    this.tell();
    this.view.changed("hits");
  }

  step(by) {
    const n = this.list.length;
    if (n === 0) return this.tell();
    const from = this.at < 0 && by < 0 ? n : this.at;
    this.at = (from + by + n) % n;
    const index = this.list[this.at];
    const { view } = this;
    view.select({ boot: view.active, kind: "record", index });
    const boot = view.boots[view.active];
    if (!Number.isNaN(boot.records.stored[index])) view.reveal(view.warp(boot).there(boot.records.stored[index]));
    this.tell();
  }

  leave() {
    this.input.value = "";
    this.find();
    this.input.blur();
    this.charts[this.view.active].box.focus();
  }

  tell() {
    const n = this.list.length;
    this.output.textContent = !this.input.value ? "" : n === 0 ? "no hit" : this.at < 0 ? `${count(n)} hits` : `${count(this.at + 1)} of ${count(n)}`;
  }
}
