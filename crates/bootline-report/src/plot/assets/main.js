// SPDX-License-Identifier: MIT OR Apache-2.0
// Puts the page together.

const data = JSON.parse(document.getElementById("data").textContent);
const boots = data.boots.map(readBoot);
const view = new View(boots);
const CLOCKS = { stored: "the boot's axis", kernel: "the kernel's clock", arrival: "arrival" };
let wanted = false;

/** One frame for however many changes. */
function redraw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    for (const chart of charts) drawIfSeen(chart);
  });
}

/** Of twenty boots no more is drawn than is in the window. */
function drawIfSeen(chart) {
  const { top, bottom } = chart.box.getBoundingClientRect();
  if (bottom > -50 && top < innerHeight + 50) chart.draw();
  else chart.stale = true;
}

const theme = new Colours(redraw);
for (const hidden of document.querySelectorAll(".controls, .side")) hidden.hidden = false;
const charts = boots.map((boot) => new Chart(boot, view, theme, document.querySelector(`figure[data-boot="${boot.number}"]`)));
const range = document.getElementById("range");
const log = new Log(view);
const search = new Search(view, log, charts);
const voice = new Voice();
new Selected(view, voice);
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
const seen = new IntersectionObserver((entries) => {
  for (const chart of charts) if (chart.stale && entries.some((e) => e.isIntersecting && e.target === chart.box)) chart.draw();
}, { rootMargin: "50px" });
for (const chart of charts) seen.observe(chart.box);
addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details.explanations")) d.open = true; });
view.whole();
for (const chart of charts) drawIfSeen(chart);
view.listen((what) => {
  if (what === "range") voice.say("range", `shown: ${range.textContent}`);
  if (what === "clock") voice.say("clock", `time by ${CLOCKS[view.clock]}`);
});

/** For tests and for those who look closer; nothing in the page uses it. */
window.bootline = Object.freeze({ view, charts, boots, log, search });
