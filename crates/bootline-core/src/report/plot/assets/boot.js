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
  for (const name of ["id", "stored", "stamp", "start", "end", "chars"]) boot.records[name] = numbers(raw.records[name]);
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
  boot.clocks = clocksOf(boot);
  boot.curve = new Curve(boot);
  return boot;
}

/** The spans in which a record lies, or which it begins or ends: the innermost last. */
function spanOfRecord(boot, index) {
  const { first, last, count } = boot.spans;
  for (let i = 0; i < count; i++) if (last[i] === index || first[i] === index) return i;
  return -1;
}
