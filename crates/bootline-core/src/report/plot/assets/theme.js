// SPDX-License-Identifier: MIT OR Apache-2.0
// Colours: those of the style sheet, for the canvas.

const COLOURS = ["bg", "panel", "ink", "soft", "rule", "focus", "in", "phase0", "phase1", "wait", "mark", "initcall", "probe",
  "async", "service", "other", "stored", "delivered", "backlog", "flush", "hit", "chosen"];

class Theme {
  constructor(changed) {
    this.choice = "system";
    this.changed = changed;
    this.read();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
    const button = document.getElementById("theme");
    button.addEventListener("click", () => {
      this.choice = { system: "light", light: "dark", dark: "system" }[this.choice];
      button.textContent = `Theme: ${this.choice}`;
      if (this.choice === "system") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = this.choice;
      this.refresh();
    });
  }

  refresh() {
    this.read();
    this.changed();
  }

  read() {
    // `light-dark()` is told apart only where it colours something.
    const probe = document.createElement("i");
    probe.hidden = true;
    document.body.append(probe);
    for (const name of COLOURS) {
      probe.style.color = `var(--${name})`;
      this[name] = getComputedStyle(probe).color;
    }
    this.silence = hatch(this.panel, this.other);
    const style = getComputedStyle(document.documentElement);
    this.sans = style.getPropertyValue("--sans");
    this.mono = style.getPropertyValue("--mono");
    probe.remove();
  }
}

/** A fill of strokes: nothing is known of what was done there. */
function hatch(ground, stroke) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const c = tile.getContext("2d");
  c.fillStyle = ground;
  c.fillRect(0, 0, 6, 6);
  c.strokeStyle = stroke;
  c.globalAlpha = 0.55;
  c.beginPath();
  for (const x of [-6, 0, 6]) {
    c.moveTo(x, 6);
    c.lineTo(x + 6, 0);
  }
  c.stroke();
  return c.createPattern(tile, "repeat");
}
