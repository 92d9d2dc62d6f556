// SPDX-License-Identifier: MIT OR Apache-2.0
// Times as text. All times are nanoseconds.

/** Seconds with six decimals, as everywhere in bootline. */
function seconds(ns) {
  const us = Math.round(Math.abs(ns) / 1e3);
  return `${ns < 0 && us > 0 ? "-" : ""}${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, "0")}`;
}

/** A length for the eye: `7.05 s`, `12.3 ms`, `45 µs`. */
function length(ns) {
  const size = Math.abs(ns);
  const [value, unit] = size >= 1e9 ? [ns / 1e9, "s"] : size >= 1e6 ? [ns / 1e6, "ms"] : [ns / 1e3, "µs"];
  return `${digits(value, 3)} ${unit}`;
}

/** So many digits and never fewer than the whole number has. `toPrecision` would write 99.7 as 1.0e+2. */
function digits(value, most) {
  const near = Number(value.toPrecision(most));
  const before = near === 0 ? 1 : Math.floor(Math.log10(Math.abs(near))) + 1;
  return before > most ? String(Math.round(value)) : near.toFixed(Math.max(0, most - before));
}

/** The same, and shorter for where there is little room: half a number is another number. */
function lengths(ns) {
  const [value, unit] = length(ns).split(" ");
  return [`${value} ${unit}`, `${digits(Number(value), 2)} ${unit}`];
}

function share(part, whole) {
  if (!(whole > 0)) return "all";
  const percent = (part / whole) * 100;
  return `${percent < 0.95 && part > 0 ? percent.toFixed(1) : Math.round(percent)}\u00a0%`;
}

function signed(ns) {
  return `${ns > 0 ? "+" : "−"}${length(Math.abs(ns))}`;
}

/** A round step of which `most` or fewer fit. */
function tickStep(ns, most) {
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 5]) {
      if (ns / (power * factor) <= most) return power * factor;
    }
  }
}

/** A tick in seconds, with the decimals that its step needs. */
function tickLabel(at, step) {
  const decimals = Math.max(0, Math.ceil(9 - Math.log10(step) - 1e-9));
  const text = (at / 1e9).toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text;
}

function count(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** The first position in `array[from..to)` for which `past` holds, which holds for all behind it. */
function firstWhere(from, to, past) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (past(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** An element with text in it: the only way in which text of a log gets into the page. */
function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined && text !== null) e.textContent = text;
  if (className) e.className = className;
  return e;
}
