// SPDX-License-Identifier: MIT OR Apache-2.0
// The boots as the page was given them: columns of numbers, NaN where a boot doesn't know.

function numbers(list) {
  const out = new Float64Array(list.length);
  for (let i = 0; i < list.length; i++) out[i] = list[i] === null ? NaN : list[i];
  return out;
}

function readBoot(raw, number) {
  const boot = { ...raw, number };
  boot.records = { ...raw.records };
  for (const name of ["id", "stored", "stamp", "start", "end", "bytes"]) boot.records[name] = numbers(raw.records[name]);
  boot.records.count = raw.records.id.length;
  boot.spans = { ...raw.spans };
  for (const name of ["start", "end", "console", "own", "reported"]) boot.spans[name] = numbers(raw.spans[name]);
  boot.spans.count = raw.spans.name.length;
  const w = raw.waits;
  boot.waits = w.record.map((record, i) => ({ record, start: w.start[i], time: [w.low[i], w.best[i], w.high[i]], cause: w.cause[i] }));
  // What each record's writer waited, the likeliest and its bounds.
  boot.waitOf = new Map(boot.waits.map((w) => [w.record, w]));
  // Records by the time at which they were stored.
  boot.order = Array.from(boot.records.stored.keys()).filter((i) => !Number.isNaN(boot.records.stored[i]));
  boot.order.sort((a, b) => boot.records.stored[a] - boot.records.stored[b] || a - b);
  if (raw.criticalPath) {
    const segments = { ...raw.criticalPath.segments, count: raw.criticalPath.segments.start.length };
    for (const name of ["start", "end", "console", "maxSaving"]) segments[name] = numbers(segments[name]);
    boot.criticalPath = { ...raw.criticalPath, segments };
  }
  // The segments that are an initcall or a call, by its first record.
  boot.segmentOf = new Map();
  for (let i = 0; i < (boot.criticalPath?.segments.count ?? 0); i++) {
    const { kind, first } = boot.criticalPath.segments;
    if (first[i] !== null) boot.segmentOf.set(`${kind[i]} ${first[i]}`, i);
  }
  boot.findings = raw.findings.map((f) => ({ ...f, range: rangeOf(boot, f) }));
  boot.clocks = clocksOf(boot);
  boot.curve = new Curve(boot);
  return boot;
}

/** From the first to the last moment at which a finding is shown. */
function rangeOf(boot, f) {
  if (!f.shown) return null;
  const { kind, list, cause } = f.shown;
  let [from, to] = [Infinity, -Infinity];
  const see = (a, b) => { from = Math.min(from, a); to = Math.max(to, b); };
  if (kind === "waits") for (const w of boot.waits) if (cause === null || w.cause === cause) see(w.start, w.start + w.time[1]);
  if (kind !== "waits") for (const [a, b] of list) see(a, b);
  return [from, to];
}

/** When the records that show a finding were stored. */
function evidence(boot, f) {
  return f.records.map((i) => boot.records.stored[i]).filter((t) => !Number.isNaN(t));
}

/** The initcall or the call that a segment of the chain is. */
function spanOfSegment(boot, i) {
  const { kind, first } = boot.criticalPath.segments;
  if (first[i] === null || (kind[i] !== "initcall" && kind[i] !== "async")) return -1;
  return boot.spans.first.findIndex((f, k) => f === first[i] && boot.spans.kind[k] === kind[i]);
}

/** The spans in which a record lies, or which it begins or ends: the innermost last. */
function spanOfRecord(boot, index) {
  const { first, last, count } = boot.spans;
  for (let i = 0; i < count; i++) if (last[i] === index || first[i] === index) return i;
  return -1;
}
