// SPDX-License-Identifier: MIT OR Apache-2.0
// The timeline as a table: for screen readers, and to copy from.

/** More rows than anybody reads; the longest are told. */
const MOST_ROWS = 1000;

class SpanTable {
  constructor(view) {
    this.view = view;
    this.details = document.getElementById("spans");
    this.details.hidden = false;
    // Not made before somebody asks for it.
    this.details.addEventListener("toggle", () => { if (this.details.open) this.fill(); }, { once: true });
  }

  fill() {
    const box = this.details.querySelector(".scroll");
    for (const boot of this.view.boots) {
      const rows = [
        ...boot.stages.map((s, index) => ["stage", s.title, s.start, s.end, null, "", { kind: "stage", index }]),
        ...boot.phases.map((p, index) => ["phase", p.title, p.start, p.end, p.console, "", { kind: "phase", index }]),
        ...this.spans(boot),
        ...boot.services.map((s, index) => ["service", s.name, s.start, s.end, null, "", { kind: "service", index }]),
        ...boot.sourceBars.slice(0, MOST_ROWS).map((b, index) => [b.about, b.name, b.start, b.end, null, "", { kind: "source", index }]),
      ];
      const table = element("table");
      table.append(element("caption", `${boot.source}: ${boot.kernel}`));
      const head = element("tr");
      for (const title of ["what", "name", "start [s]", "length [s]", "console [s]", "thread"]) {
        const cell = element("th", title);
        cell.scope = "col";
        head.append(cell);
      }
      const thead = element("thead");
      thead.append(head);
      const body = element("tbody");
      for (const [what, name, start, end, console, thread, item] of rows) {
        const row = element("tr");
        const button = element("button", name);
        button.type = "button";
        button.addEventListener("click", () => {
          this.view.select({ boot: boot.number, ...item });
          zoomTo(this.view, this.view.selected);
        });
        const cell = element("td");
        cell.append(button);
        const number = (t) => element("td", t === null ? "" : seconds(t), "number");
        row.append(element("td", what), cell, number(start), number(start === null || end === null ? null : end - start),
          number(console), element("td", thread));
        body.append(row);
      }
      table.append(thead, body);
      box.append(table);
    }
  }

  spans(boot) {
    const s = boot.spans;
    const all = Array.from(s.start.keys());
    all.sort((a, b) => s.end[b] - s.start[b] - (s.end[a] - s.start[a]));
    return all.slice(0, MOST_ROWS).sort((a, b) => s.start[a] - s.start[b]).map((index) => [KINDS[s.kind[index]], s.name[index],
      s.start[index], s.end[index], s.console[index], s.task[index] ?? "", { kind: "span", index }]);
  }
}
