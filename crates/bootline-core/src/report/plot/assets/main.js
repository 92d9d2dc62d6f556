// SPDX-License-Identifier: MIT OR Apache-2.0
// Puts the page together.

const data = JSON.parse(document.getElementById("data").textContent);
const boots = data.boots.map(readBoot);
const view = new View(boots);
let wanted = false;

/** One frame for however many changes. */
function redraw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    for (const chart of charts) chart.draw();
  });
}

const theme = new Theme(redraw);
for (const hidden of document.querySelectorAll(".controls, .side")) hidden.hidden = false;
const charts = boots.map((boot) => new Chart(boot, view, theme, document.querySelector(`figure[data-boot="${boot.number}"]`)));
const range = document.getElementById("range");
const log = new Log(view);
const search = new Search(view, log, charts);
new Selected(view);
new SpanTable(view);
new Input(view, charts, log, search);

view.listen((what) => {
  if (what === "clock") for (const chart of charts) chart.place();
  if (what === "range") range.textContent = `${seconds(view.from)} to ${seconds(view.to)} s`;
  for (const chart of charts) chart.logRange = chart.boot.number === view.active ? log.seen : null;
  redraw();
});
new ResizeObserver(() => {
  for (const chart of charts) chart.resize();
  log.render();
  redraw();
}).observe(document.querySelector(".charts"));
addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details.explanations")) d.open = true; });
view.whole();
for (const chart of charts) chart.draw();

/** For tests and for those who look closer; nothing in the page uses it. */
window.bootline = Object.freeze({ view, charts, boots, log, search });
