// SPDX-License-Identifier: MIT OR Apache-2.0
// The log beside the timeline. Only the rows in sight are elements, however long it is.

const ROW = 18;
/** Browsers lay out no element that is much higher. */
const HIGHEST = 8e6;

class Log {
  constructor(view) {
    this.view = view;
    this.box = document.getElementById("log");
    this.all = this.box.firstElementChild;
    this.chooser = document.getElementById("log-boot");
    this.range = document.getElementById("log-range");
    this.hits = view.boots.map(() => new Set());
    view.boots.forEach((b, i) => {
      const option = element("option", b.source);
      option.value = i;
      this.chooser.append(option);
    });
    this.chooser.hidden = view.boots.length === 1;
    this.chooser.addEventListener("change", () => view.setActive(Number(this.chooser.value)));
    this.box.addEventListener("scroll", () => this.render());
    this.all.addEventListener("click", (e) => this.pick(e.target.closest(".row")));
    this.all.addEventListener("dblclick", () => view.selected && zoomTo(view, view.selected));
    view.listen((what) => this.viewChanged(what));
    this.setBoot();
  }

  get boot() { return this.view.boots[this.view.active]; }

  setBoot() {
    this.shown = this.view.active;
    this.chooser.value = String(this.view.active);
    this.rows = this.boot.records.count;
    this.height = Math.min(this.rows * ROW, HIGHEST);
    this.all.style.height = `${this.height}px`;
    this.box.scrollTop = 0;
    this.box.setAttribute("aria-label", `Log of ${this.boot.source}, ${this.rows} records`);
    this.render();
  }

  pick(row) {
    if (row) this.view.select({ boot: this.view.active, kind: "record", index: Number(row.dataset.index) });
  }

  viewChanged(what) {
    if (this.shown !== this.view.active) this.setBoot();
    if (what === "selected") {
      const item = this.view.selected;
      if (item) {
        const [first] = tell(this.boot, item).records;
        if (first !== undefined) this.reveal(first);
      }
      this.render();
    } else if (what === "range" && !this.scrollingByHand) {
      this.followRange();
    } else if (what === "clock" || what === "hits") {
      this.render();
    }
  }

  /** The first record of what is shown comes to the top, unless the log shows some of it. */
  followRange() {
    const { boot, view } = this;
    const back = view.warp(boot);
    const [from, to] = [back.back(view.from), back.back(view.to)];
    const first = boot.order[firstWhere(0, boot.order.length, (k) => boot.records.stored[boot.order[k]] >= from)];
    const [top, bottom] = this.inSight();
    const seen = boot.records.stored[Math.min(Math.ceil((top + bottom) / 2), this.rows - 1)];
    if (first !== undefined && !(seen >= from && seen <= to)) this.scrollTo(first, 0);
    this.render();
  }

  inSight() {
    const first = this.firstRow();
    return [first, Math.min(first + Math.ceil(this.box.clientHeight / ROW), this.rows - 1)];
  }

  firstRow() {
    const room = this.height - this.box.clientHeight;
    const hidden = this.rows - this.box.clientHeight / ROW;
    return room > 0 ? Math.max(0, (this.box.scrollTop / room) * hidden) : 0;
  }

  scrollTo(index, share) {
    const hidden = this.rows - this.box.clientHeight / ROW;
    const room = this.height - this.box.clientHeight;
    const first = Math.min(Math.max(index - (this.box.clientHeight / ROW) * share, 0), Math.max(hidden, 0));
    this.box.scrollTop = hidden > 0 ? (first / hidden) * room : 0;
  }

  reveal(index) {
    const [top, bottom] = this.inSight();
    if (index < top + 1 || index > bottom - 2) this.scrollTo(index, 0.4);
  }

  render() {
    const { boot, view } = this;
    const r = boot.records;
    const first = this.firstRow();
    const [from, to] = [Math.floor(first), Math.min(Math.ceil(first + this.box.clientHeight / ROW) + 1, this.rows)];
    const back = view.warp(boot);
    const [low, high] = [back.back(view.from), back.back(view.to)];
    const chosen = view.selected && view.selected.boot === view.active ? new Set(tell(boot, view.selected).records) : new Set();
    const rows = [];
    for (let i = from; i < to; i++) {
      const row = element("div", null, "row");
      row.id = `record-${i}`;
      row.dataset.index = i;
      row.setAttribute("role", "option");
      row.setAttribute("aria-setsize", this.rows);
      row.setAttribute("aria-posinset", i + 1);
      row.setAttribute("aria-selected", chosen.has(i));
      if (this.hits[view.active].has(i)) row.classList.add("hit");
      const at = r.stored[i];
      if (!(at >= low && at <= high)) row.classList.add("out");
      const shownAt = view.clock === "kernel" && !Number.isNaN(r.stamp[i]) ? r.stamp[i] : back.there(at);
      const wait = boot.waitOf.get(i);
      const head = element("span", null, "head");
      head.append(element("span", Number.isNaN(at) ? "" : seconds(shownAt), "time"),
        element("span", wait && wait.time[1] >= 1e6 ? length(wait.time[1]) : "", "cost"));
      row.append(head, element("span", r.text[i]));
      // The column is narrow: what is cut is shown in full by the pointer, and above once it is selected.
      row.title = r.text[i];
      row.style.top = `${this.box.scrollTop + (i - first) * ROW}px`;
      rows.push(row);
    }
    this.all.replaceChildren(...rows);
    const selected = view.selected;
    const active = selected && selected.kind === "record" && selected.boot === view.active ? `record-${selected.index}` : "";
    // Only a row that is there can be the active one.
    if (active && document.getElementById(active)) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
    this.range.textContent = `${count(r.id[from] ?? 0)}–${count(r.id[Math.max(to - 2, from)] ?? 0)} of ${count(this.rows)}`;
    this.seen = [this.timeNear(from, 1), this.timeNear(Math.max(to - 2, from), -1)];
    view.changed("log");
  }

  timeNear(index, step) {
    const { stored } = this.boot.records;
    for (let i = index; i >= 0 && i < this.rows; i += step) if (!Number.isNaN(stored[i])) return stored[i];
    return this.boot.from;
  }

  /** The record `by` further than the selected one. */
  step(by) {
    const { selected, active } = this.view;
    const [top] = this.inSight();
    const chosen = selected && selected.boot === active ? tell(this.boot, selected).records[0] : undefined;
    const index = chosen === undefined ? Math.ceil(top) : Math.min(Math.max(chosen + by, 0), this.rows - 1);
    const item = { boot: active, kind: "record", index };
    this.view.select(item);
    const at = this.boot.records.stored[index];
    if (!Number.isNaN(at)) this.view.reveal(this.view.warp(this.boot).there(at));
  }
}
