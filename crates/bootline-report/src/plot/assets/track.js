// SPDX-License-Identifier: MIT OR Apache-2.0
// What is drawn where: tracks from top to bottom, each of rows of bars that don't overlap.

const AXIS = 26;
const TRACK_GAP = 6;
/** Where there is no room beside a track its name stands above it. */
const NAME_ABOVE = 15;
/** Findings with words of their own above their marks, of a boot alone and of one of several; more are packed below. */
const TOLD_FINDINGS = [8, 5];
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

  /** Puts the bars where they are by a clock; those of the line (`line`) have one of their own. */
  place(warp, lineWarp) {
    const at = (bar) => {
      const w = bar.line ? lineWarp : warp;
      return { bar, from: w.there(bar.start), to: w.there(bar.end) };
    };
    const placed = this.bars.map(at).sort((a, b) => a.from - b.from || a.to - b.to);
    const n = placed.length;
    this.bars = placed.map((p) => p.bar);
    this.from = Float64Array.from(placed, (p) => p.from);
    this.to = Float64Array.from(placed, (p) => p.to);
    // How far the bars up to each reach: ascending, whatever the clock has made of their ends.
    this.reach = new Float64Array(n);
    for (let k = 0; k < n; k++) this.reach[k] = Math.max(this.to[k], k > 0 ? this.reach[k - 1] : -Infinity);
    if (this.thread) {
      const w = this.thread.line ? lineWarp : warp;
      this.threadAt = [w.there(this.thread.from), w.there(this.thread.to)];
    }
  }
}

/** The tracks of a boot: {name, y, height, rows} and those that aren't bars: {kind}. */
function tracksOf(boot, narrow, alone) {
  const tracks = [{ kind: "axis", name: "seconds", y: 0, height: AXIS, rows: [] }];
  let y = AXIS + 4;
  const head = () => { if (narrow) y += NAME_ABOVE; };
  const track = (name, rowHeight, rows, more = {}) => {
    head();
    const t = { kind: "bars", name, y, height: rows * rowHeight, rows: [], ...more };
    for (let r = 0; r < rows; r++) t.rows.push(new Row(y + r * rowHeight, rowHeight - 1));
    tracks.push(t);
    y += t.height + TRACK_GAP;
    return t;
  };
  const number = boot.number;

  if (boot.stages.length > 0) {
    const t = track("stages", 26, 1);
    boot.stages.forEach((s, index) => {
      t.rows[0].add({ start: s.start, end: s.end, colour: `phase${index % 2}`, ink: "ink", label: s.title,
        item: { boot: number, kind: "stage", index } });
    });
  }
  if (boot.phases.length > 0) {
    const t = track("phases", 26, 1);
    boot.phases.forEach((p, index) => {
      t.rows[0].add({ start: p.start, end: p.end, colour: `phase${index % 2}`, ink: "ink", label: p.title,
        longer: p.longer, item: { boot: number, kind: "phase", index } });
    });
  }
  if (boot.criticalPath) {
    const t = track("critical path", 22, 1);
    const { segments } = boot.criticalPath;
    // By the host's clock, as what was waited for the line: it is made of both.
    for (let i = 0; i < segments.count; i++) {
      const colour = SEGMENT_COLOURS[segments.kind[i]];
      t.rows[0].add({ start: segments.start[i], end: segments.end[i], line: true, colour, parted: true,
        ink: colour === "silence" || colour === "phase1" ? "ink" : "in", label: segments.label[i],
        item: { boot: number, kind: "segment", index: i } });
    }
  }
  if (boot.line) {
    const t = track("waited for console", 20, 1);
    joinedWaits(boot).forEach((w) => t.rows[0].add({ ...w, line: true, colour: "wait", ink: "in", forms: lengths(w.time) }));
  }
  const shown = boot.findings.map((f, index) => ({ f, index })).filter(({ f }) => f.shown);
  // Findings that tell another's time in other words come behind those.
  shown.sort((a, b) => a.f.part - b.f.part);
  const most = TOLD_FINDINGS[alone ? 0 : 1];
  const told = shown.slice(0, most);
  if (told.length > 0) {
    const t = track("findings", 24, told.length);
    told.forEach(({ f, index }, r) => {
      const row = t.rows[r];
      addMarks(row, boot, f, index);
      row.above = `${f.rule.split(" ")[0]} ${f.title}`;
      row.stroke = f.part ? 3 : 6;
    });
  }
  const packed = pack(shown.slice(most), (s) => s.f.range);
  if (packed.length > 0) {
    const t = track("more findings", 14, packed.length);
    packed.forEach((items, r) => items.forEach(({ f, index }) => addMarks(t.rows[r], boot, f, index)));
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
    const rows = rowsOf(boot, boot.services);
    const t = track("services" + shorter(rows), 17, rows.count);
    boot.services.forEach((s, index) => {
      if (rows.of[index] < 0) return;
      const start = s.start ?? s.end;
      t.rows[rows.of[index]].add({ start, end: s.end ?? boot.to, colour: "service", ink: "in", label: s.name,
        failed: s.state !== "up", item: { boot: number, kind: "service", index } });
    });
  }
  boot.sourceTracks.forEach((name, n) => {
    const indices = Array.from(boot.sourceBars.keys()).filter((i) => boot.sourceBars[i].track === n);
    if (indices.length === 0) return;
    const rows = rowsOf(boot, indices.map((i) => boot.sourceBars[i]));
    const t = track(name + shorter(rows), 17, rows.count);
    indices.forEach((index, k) => {
      if (rows.of[k] < 0) return;
      const b = boot.sourceBars[index];
      t.rows[rows.of[k]].add({ start: b.start, end: b.end ?? Math.max(boot.to, b.start), colour: n === 0 ? "initcall" : "service", ink: "in",
        label: b.name, item: { boot: number, kind: "source", index } });
    });
  });
  head();
  tracks.push({ kind: "log", name: "records", y, height: LOG_HEIGHT, rows: [] });
  y += LOG_HEIGHT + TRACK_GAP;
  if (boot.line && boot.curve.total > 0) {
    head();
    tracks.push({ kind: "console", name: `console ${boot.line.name}`, y, height: CONSOLE_HEIGHT, rows: [] });
    y += CONSOLE_HEIGHT + TRACK_GAP;
    head();
    tracks.push({ kind: "lag", name: "lag", y, height: LAG_HEIGHT, rows: [] });
    y += LAG_HEIGHT + TRACK_GAP;
  }
  tracks.height = y;
  return tracks;
}

const SEGMENT_COLOURS = { initcall: "initcall", async: "async", root: "service", flush: "wait", silence: "silence", phase: "phase1",
  stage: "phase1", unit: "service", queue: "silence" };

/** The marks of a finding: its ranges, the waits that it is made of, or just where its evidence lies. */
function addMarks(row, boot, f, index) {
  const item = { boot: boot.number, kind: "finding", index };
  const { line } = f.shown;
  const add = (start, end) => row.add({ start, end, line, colour: "mark", least: 2.5, item });
  if (f.shown.kind === "waits") joinedWaits(boot, f.shown.cause).forEach((w) => add(w.start, w.end));
  else if (f.shown.kind === "evidence") evidence(boot, f).forEach((t) => add(t, t));
  else for (const [start, end] of f.shown.list) add(start, end);
  if (f.shown.kind !== "time-ranges") row.thread = { from: f.range[0], to: f.range[1], line };
}

/** Things in as few rows as they need, by the ranges that they take. */
function pack(things, rangeOf) {
  const rows = [];
  for (const thing of things) {
    const [from, to] = rangeOf(thing);
    const row = rows.find((r) => r.every((o) => rangeOf(o)[1] < from || rangeOf(o)[0] > to));
    if (row) row.push(thing);
    else rows.push([thing]);
  }
  return rows;
}

/** Waits that follow one another without a pause are one bar: a writer that waits record after record. */
function joinedWaits(boot, cause = null) {
  const bars = [];
  boot.waits.forEach((w, index) => {
    if (cause !== null && w.cause !== cause) return;
    const [start, end] = [w.start, w.start + w.time[1]];
    const last = bars[bars.length - 1];
    if (last && start - last.end < 1e6 && (cause !== null || last.cause === w.cause)) {
      last.end = Math.max(last.end, end);
      last.time += w.time[1];
      last.item.last = index;
    } else {
      bars.push({ start, end, time: w.time[1], cause: w.cause, item: { boot: boot.number, kind: "wait", index, last: index } });
    }
  });
  return bars;
}

/** What a track's name says of those that it has no row for. */
function shorter(rows) {
  return rows.notDrawn > 0 ? ` (${rows.notDrawn} shorter)` : "";
}

/** Services, or processes, in as few rows as they need; a name may stand after its bar. Where 30 rows do not hold all,
 * only the longest are drawn. */
function rowsOf(boot, list) {
  const room = (boot.to - boot.from) * 0.1;
  const bars = list.map((s) => {
    const start = s.start ?? s.end;
    return { start, end: s.end ?? boot.to };
  });
  const longest = Array.from(bars.keys()).sort((a, b) => bars[b].end - bars[b].start - (bars[a].end - bars[a].start));
  const rank = [];
  longest.forEach((i, n) => { rank[i] = n; });
  const pack = (count) => {
    const free = [];
    let all = true;
    const of = bars.map((bar, i) => {
      if (rank[i] >= count) return -1;
      let row = free.findIndex((f) => f <= bar.start);
      if (row < 0) row = free.length < 30 ? free.length : -1;
      if (row >= 0) free[row] = Math.max(bar.end, bar.start + room);
      else all = false;
      return row;
    });
    return { of, all, count: free.length, notDrawn: bars.length - count };
  };
  let fits = 0;
  let tooMany = bars.length + 1;
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    if (pack(count).all) fits = count;
    else tooMany = count;
  }
  return pack(fits);
}
