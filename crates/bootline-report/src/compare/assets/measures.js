// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of measures: filter, order, and the runs behind a measure.

/** The orders, each with how rows compare; what compares equal stays as measured. */
const ORDERS = {
  measured: () => 0,
  size: (a, b) => b.size - a.size,
  name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  rank: (a, b) => a.rank - b.rank || b.size - a.size,
};

class Measures {
  constructor() {
    this.section = document.querySelector(".measures");
    this.body = document.querySelector("#measures tbody");
    this.only = document.getElementById("only");
    this.filter = document.getElementById("filter");
    this.shown = document.getElementById("shown");
    this.order = "measured";
    this.backwards = false;
    this.rows = Array.from(this.body.rows, (row) => ({
      row, detail: null, button: row.querySelector(".measure"), n: Number(row.dataset.n),
      size: Math.abs(Number(row.dataset.size)), rank: Number(row.dataset.rank),
      name: row.querySelector(".measure").textContent.toLowerCase(),
      text: `${row.querySelector(".measure").textContent} ${row.querySelector(".verdict").textContent}`.toLowerCase(),
    }));
    document.getElementById("filtering").hidden = false;
    this.filter.addEventListener("input", () => this.narrow());
    this.only.addEventListener("change", () => this.count());
    this.body.addEventListener("click", (event) => {
      const button = event.target.closest(".measure");
      if (button) this.toggle(this.rows.find((r) => r.button === button));
    });
    for (const button of document.querySelectorAll("#measures [data-sort]")) {
      button.addEventListener("click", () => this.sort(button.dataset.sort));
    }
    this.count();
  }

  /** Only rows that hold all words of the filter. */
  narrow() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const r of this.rows) {
      const out = !words.every((word) => r.text.includes(word));
      r.row.hidden = out;
      if (r.detail) r.detail.hidden = out;
    }
    this.count();
  }

  /** Whatever its name. */
  all() {
    this.filter.value = "";
    this.narrow();
  }

  visible() {
    const only = this.only.checked;
    return this.rows.filter((r) => !r.row.hidden && !(only && r.row.classList.contains("same")));
  }

  count() {
    this.shown.textContent = `${this.visible().length} of ${this.rows.length} shown`;
  }

  /** By this; again: the other way round; a third time: as measured. */
  sort(by) {
    if (by !== this.order) [this.order, this.backwards] = [by, false];
    else if (!this.backwards) this.backwards = true;
    else [this.order, this.backwards] = ["measured", false];
    const compare = ORDERS[this.order];
    this.rows.sort((a, b) => (this.backwards ? compare(b, a) : compare(a, b)) || a.n - b.n);
    const focused = document.activeElement;
    for (const r of this.rows) this.body.append(...[r.row, r.detail].filter(Boolean));
    // What is taken to another place loses the focus.
    focused?.focus();
    for (const button of document.querySelectorAll("#measures [data-sort]")) {
      const head = button.closest("th");
      if (button.dataset.sort !== this.order) head.removeAttribute("aria-sort");
      // What is greatest comes first.
      else head.setAttribute("aria-sort", (this.order === "size") !== this.backwards ? "descending" : "ascending");
    }
  }

  /** Opens the runs behind a measure below its row, or closes them. */
  toggle(r) {
    const open = !r.detail;
    r.button.setAttribute("aria-expanded", String(open));
    if (!open) {
      r.detail.remove();
      r.detail = null;
      return;
    }
    r.detail = document.createElement("tr");
    r.detail.className = r.row.classList.contains("same") ? "runs-of same" : "runs-of";
    const cell = document.createElement("td");
    cell.colSpan = r.row.cells.length;
    cell.append(r.row.querySelector("template").content.cloneNode(true));
    r.detail.append(cell);
    drawRuns(cell);
    r.row.after(r.detail);
  }

  /** The focus to another measure: so many further on. */
  step(by) {
    const rows = this.visible();
    const at = rows.findIndex((r) => r.button === document.activeElement);
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
    next?.button.focus();
  }
}
