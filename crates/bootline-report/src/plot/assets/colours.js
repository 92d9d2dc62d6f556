// SPDX-License-Identifier: MIT OR Apache-2.0
// Colours: those of the style sheet, for the canvas.

const COLOURS = ["bg", "panel", "ink", "soft", "rule", "focus", "in", "phase0", "phase1", "wait", "mark", "initcall", "probe",
  "async", "service", "other", "stored", "delivered", "backlog", "flush", "hit", "chosen"];

class Colours extends Theme {
  constructor(changed) { super(COLOURS, changed); }

  read() {
    super.read();
    this.silence = hatch(this.panel, this.other);
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
