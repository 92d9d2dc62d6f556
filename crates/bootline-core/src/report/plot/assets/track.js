// SPDX-License-Identifier: MIT OR Apache-2.0
// What is drawn where: tracks from top to bottom, each of rows of bars that don't overlap.

const AXIS = 26;
const TRACK_GAP = 6;
const CONSOLE_HEIGHT = 170;
const LAG_HEIGHT = 56;
const LOG_HEIGHT = 18;

/** Bars in one row, by their starts. One with words above its bars has them as a stroke. */
class Row {
  constructor(y, height) {
    this.y = y;
    this.height = height;
    this.bars = [];
  }

  add(bar) { this.bars.push(bar); }

  /** Puts the bars where they are by a clock. */
  place(warp) {
    this.bars.sort((a, b) => a.start - b.start || a.end - b.end);
    const n = this.bars.length;
    this.from = new Float64Array(n);
    this.to = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      this.from[k] = warp.there(this.bars[k].start);
      this.to[k] = warp.there(this.bars[k].end);
    }
  }
}

/** The tracks of a boot: {name, y, height, rows} and those that aren't bars: {kind}. */
function tracksOf(boot) {
  const tracks = [{ kind: "axis", name: "seconds", y: 0, height: AXIS, rows: [] }];
  let y = AXIS + 4;
  const track = (name, rowHeight, rows, more = {}) => {
    const t = { kind: "bars", name, y, height: rows * rowHeight, rows: [], ...more };
    for (let r = 0; r < rows; r++) t.rows.push(new Row(y + r * rowHeight, rowHeight - 1));
    tracks.push(t);
    y += t.height + TRACK_GAP;
    return t;
  };
  const number = boot.number;

  if (boot.phases.length > 0) {
    const t = track("phases", 26, 1);
    boot.phases.forEach((p, index) => {
      t.rows[0].add({ start: p.start, end: p.end, colour: `phase${index % 2}`, ink: "ink", label: p.title,
        longer: p.longer, item: { boot: number, kind: "phase", index } });
    });
  }
  if (boot.line) {
    const t = track("waited for console", 20, 1);
    joinedWaits(boot).forEach((w) => t.rows[0].add({ ...w, colour: "wait", ink: "in", label: length(w.time) }));
  }
  const told = boot.findings.map((f, index) => ({ f, index })).filter(({ f }) => f.stretches.length > 0).slice(0, 6);
  if (told.length > 0) {
    const t = track("findings", 25, told.length);
    told.forEach(({ f, index }, r) => {
      for (const [start, end] of f.stretches) {
        t.rows[r].add({ start, end, colour: "mark", item: { boot: number, kind: "finding", index } });
      }
      t.rows[r].above = `${f.rule.split(" ")[0]} ${f.title}`;
    });
  }
  boot.groups.forEach((g, index) => {
    if (g.rows === 0) return;
    const more = g.notDrawn > 0 ? ` (${g.notDrawn} deeper)` : "";
    const t = track(g.title + more, 17, g.rows);
    for (let i = 0; i < boot.spans.count; i++) {
      if (boot.spans.group[i] !== index) continue;
      t.rows[boot.spans.row[i]].add({ start: boot.spans.start[i], end: boot.spans.end[i], colour: boot.spans.kind[i],
        ink: "in", label: boot.spans.name[i], longer: boot.spans.longer[i], failed: boot.spans.returned[i] === null,
        item: { boot: number, kind: "span", index: i } });
    }
  });
  if (boot.services.length > 0) {
    const rows = serviceRows(boot);
    const t = track("services", 17, rows.count);
    boot.services.forEach((s, index) => {
      if (rows.of[index] < 0) return;
      const start = s.start ?? s.end;
      t.rows[rows.of[index]].add({ start, end: s.end ?? boot.to, colour: "service", ink: "in", label: s.name,
        failed: s.state !== "up", item: { boot: number, kind: "service", index } });
    });
  }
  tracks.push({ kind: "log", name: "records", y, height: LOG_HEIGHT, rows: [] });
  y += LOG_HEIGHT + TRACK_GAP;
  if (boot.line && boot.curve.total > 0) {
    tracks.push({ kind: "console", name: `console ${boot.line.name}`, y, height: CONSOLE_HEIGHT, rows: [] });
    y += CONSOLE_HEIGHT + TRACK_GAP;
    tracks.push({ kind: "lag", name: "lag", y, height: LAG_HEIGHT, rows: [] });
    y += LAG_HEIGHT + TRACK_GAP;
  }
  tracks.height = y;
  return tracks;
}

/** Waits that follow one another without a pause are one bar: a writer that waits record after record. */
function joinedWaits(boot) {
  const bars = [];
  boot.waits.forEach((w, index) => {
    const [start, end] = [w.start, w.start + w.time[1]];
    const last = bars[bars.length - 1];
    if (last && start - last.end < 1e6 && last.cause === w.cause) {
      last.end = Math.max(last.end, end);
      last.time += w.time[1];
      last.item.last = index;
    } else {
      bars.push({ start, end, time: w.time[1], cause: w.cause, item: { boot: boot.number, kind: "wait", index, last: index } });
    }
  });
  return bars;
}

/** Services in as few rows as they need; a name may stand behind its bar. */
function serviceRows(boot) {
  const room = (boot.to - boot.from) * 0.1;
  const free = [];
  const of = boot.services.map((s) => {
    const start = s.start ?? s.end;
    let row = free.findIndex((f) => f <= start);
    if (row < 0) row = free.length < 30 ? free.length : -1;
    if (row >= 0) free[row] = Math.max(s.end ?? boot.to, start + room);
    return row;
  });
  return { of, count: free.length };
}
