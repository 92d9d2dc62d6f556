// SPDX-License-Identifier: MIT OR Apache-2.0
// Puts the page together.

new Theme([], () => {});
const measures = new Measures();
const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => help.showModal());

const KEYS = {
  "/": () => { measures.filter.focus(); measures.filter.select(); },
  "?": () => help.showModal(),
  j: () => measures.step(1),
  k: () => measures.step(-1),
  d: () => measures.only.click(),
  a: () => document.querySelector("#decades:not(:checked), #even:not(:checked)").click(),
  Escape: () => measures.all(),
  s: () => measures.sort({ measured: "size", size: "name", name: "rank", rank: "measured" }[measures.order]),
};

document.addEventListener("keydown", (event) => {
  if (help.open || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target === measures.filter) {
    if (event.key === "Escape") {
      measures.all();
      measures.filter.blur();
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      measures.step(1);
      event.preventDefault();
    }
    return;
  }
  // Among the measures the arrows go from one to the next; elsewhere they are the page's.
  const arrow = event.target.classList?.contains("measure") ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined;
  const act = arrow ? () => measures.step(arrow) : KEYS[event.key];
  if (!act) return;
  act();
  event.preventDefault();
});

/** For tests and for those who look closer; nothing in the page uses it. */
window.bootline = Object.freeze({ measures });
