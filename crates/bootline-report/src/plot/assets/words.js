// SPDX-License-Identifier: MIT OR Apache-2.0
// What the panel shows of an item: title, sentences, facts, its range on the axis, the records that show it.

const KINDS = { initcall: "initcall", probe: "probe", async: "async call" };
const CAUSES = {
  own: "The writer waited for its own record.",
  flush: "The boot waited for the flush of everything stored before the console registered.",
  processor: "The printer kthread occupied the boot's only CPU until the line had drained.",
  lock: "The boot waited for the console lock, which the printer kthread held until the line had drained.",
};

function tell(boot, item) {
  return { record: tellRecord, span: tellSpan, phase: tellPhase, wait: tellWait, finding: tellFinding,
    segment: tellSegment, service: tellService, stage: tellStage, source: tellSourceBar }[item.kind](boot, item.index, item);
}

function interval([low, best, high]) {
  return high - low > 5e4 ? `${seconds(best)} s (${seconds(low)}..${seconds(high)} s)` : `${seconds(best)} s`;
}

/** A time of the axis, and by the kernel's clock where that is another. */
function times(boot, facts, name, t) {
  facts.push([name, `${seconds(t)} s`]);
  if (boot.clocks.kernel) facts.push([`${name}, kernel clock`, `${seconds(boot.clocks.kernel.there(t))} s`]);
}

function tellRecord(boot, i) {
  const r = boot.records;
  const facts = [["record", String(r.id[i])]];
  if (!Number.isNaN(r.stamp[i])) facts.push(["kernel clock", `${seconds(r.stamp[i])} s`]);
  if (!Number.isNaN(r.stored[i])) facts.push([r.kernel[i] ? "stored" : "began", `${seconds(r.stored[i])} s`]);
  if (!Number.isNaN(r.start[i])) {
    const how = boot.line && !boot.line.measured ? "on the line (modelled)" : "arrival";
    facts.push([how, `${seconds(r.start[i])}..${seconds(r.end[i])} s`]);
    facts.push(["time on the line", `${seconds(r.end[i] - r.start[i])} s, ${r.bytes[i]} bytes`]);
    const lag = r.end[i] - r.stored[i];
    if (r.kernel[i] && lag > 0) facts.push(["lag", `${seconds(lag)} s from stored to transmitted`]);
  }
  const wait = boot.waitOf.get(i);
  facts.push(["console cost", wait ? `the boot waited ${interval(wait.time)} after it` : "the boot did not wait for it"]);
  if (r.level[i] !== null) facts.push(["level", String(r.level[i])]);
  if (!r.kernel[i]) facts.push(["from", "not the kernel: firmware, boot loader or user space"]);
  const at = r.stored[i];
  return { title: r.text[i], about: "record", text: wait ? [CAUSES[wait.cause]] : [], facts, records: [i],
    range: Number.isNaN(at) ? null : [at, wait ? at + wait.time[1] : at] };
}

function tellSpan(boot, i) {
  const s = boot.spans;
  const facts = [];
  const gross = s.end[i] - s.start[i];
  if (s.returned[i] === null) facts.push(["returned", "never, in this log"]);
  facts.push(["took", `${seconds(gross)} s`]);
  const segment = boot.segmentOf.get(`${s.kind[i]} ${s.first[i]}`);
  if (segment !== undefined) facts.push(["on the critical path", worth(boot.criticalPath.segments.maxSaving[segment])]);
  else if (s.slack[i] !== null) facts.push(["slack", `${seconds(s.slack[i])} s: it is off the critical path and could end this much later`]);
  facts.push(["without the console", `${seconds(Math.max(gross - s.console[i], 0))} s`]);
  facts.push(["waited for console", `${seconds(s.console[i])} s`]);
  facts.push(["own work", `${seconds(s.own[i])} s, without nested spans`]);
  if (!Number.isNaN(s.reported[i])) facts.push(["reported by the kernel", `${seconds(s.reported[i])} s`]);
  times(boot, facts, "start", s.start[i]);
  times(boot, facts, "end", s.end[i]);
  if (s.returned[i] !== null) facts.push(["returned", String(s.returned[i])]);
  if (s.task[i] !== null) facts.push(["thread", String(s.task[i])]);
  if (s.module[i]) facts.push(["module", s.module[i]]);
  if (s.parent[i] !== null) facts.push(["in", s.name[s.parent[i]]]);
  if (s.longer[i] === "new") facts.push(["first boot", "does not have it"]);
  else if (s.longer[i] !== null) facts.push(["compared with the first boot", signed(s.longer[i])]);
  const records = [s.first[i], s.last[i]].filter((r, k, all) => r !== null && all.indexOf(r) === k);
  return { title: s.name[i], about: KINDS[s.kind[i]], text: [], facts, records, range: [s.start[i], s.end[i]] };
}

function tellStage(boot, i) {
  const s = boot.stages[i];
  const facts = [["took", `${seconds(s.end - s.start)} s`]];
  times(boot, facts, "start", s.start);
  times(boot, facts, "end", s.end);
  facts.push(["its start is shown by", s.evidence]);
  return { title: s.title, about: "stage", text: [], facts, records: [], range: [s.start, s.end] };
}

function tellPhase(boot, i) {
  const p = boot.phases[i];
  const facts = [["took", `${seconds(p.end - p.start)} s`], ["waited for console", `${seconds(p.console)} s`],
    ["without the console", `${seconds(Math.max(p.end - p.start - p.console, 0))} s`]];
  times(boot, facts, "start", p.start);
  times(boot, facts, "end", p.end);
  if (p.longer !== null) facts.push(["compared with the first boot", signed(p.longer)]);
  return { title: p.title, about: "phase", text: [], facts, records: [], range: [p.start, p.end] };
}

function tellWait(boot, i, { last }) {
  const waits = boot.waits.slice(i, last + 1);
  const sum = [0, 1, 2].map((k) => waits.reduce((s, w) => s + w.time[k], 0));
  const [start, end] = [waits[0].start, waits[waits.length - 1].start + waits[waits.length - 1].time[1]];
  const facts = [["waited", interval(sum)]];
  if (waits.length > 1) facts.push(["records", String(waits.length)]);
  times(boot, facts, "start", start);
  times(boot, facts, "end", end);
  return { title: `waited for ${boot.line.name}`, about: "wait", text: [CAUSES[waits[0].cause]], facts,
    records: [...new Set([waits[0].record, waits[waits.length - 1].record])], range: [start, end], line: true };
}

function tellFinding(boot, i) {
  const f = boot.findings[i];
  const facts = [["cost", interval(f.cost)]];
  const text = [f.why];
  if (f.remedy) {
    facts.push(["do", f.remedy.action]);
    if (f.remedy.setting) facts.push(["setting", f.remedy.setting]);
    facts.push(["effort", f.remedy.effort]);
    if (f.remedy.price) facts.push(["price", f.remedy.price]);
    if (f.remedy.saves) facts.push(["predicted to save", interval(f.remedy.saves)]);
  }
  if (f.shown?.kind === "waits") facts.push(["shown", "all the waits that it consists of"]);
  if (f.shown?.kind === "evidence") facts.push(["shown", "the records that show it, not where the time was lost"]);
  if (f.part) facts.push(["part of", "other findings"]);
  return { title: `${f.rule}: ${f.title}`, about: "finding", text, facts, records: f.records.slice(0, 12),
    range: f.range, line: f.shown?.line };
}

const BASES = {
  "async-calls": "",
  initcalls: "Waits inside an initcall count as its work.",
  records: "The path is derived from records alone, and between two records nothing distinguishes work from waiting.",
};

function worth(maxSaving) {
  if (Number.isNaN(maxSaving)) return "not known";
  return maxSaving > 0 ? `the boot would take ${seconds(maxSaving)} s less` : "the boot would take as long";
}

function tellSegment(boot, i) {
  const { segments, start, end, basis } = boot.criticalPath;
  const gross = segments.end[i] - segments.start[i];
  const facts = [["took", `${seconds(gross)} s, ${share(gross, end - start)} of the path`]];
  if (!Number.isNaN(segments.console[i])) facts.push(["waited for console", `${seconds(segments.console[i])} s`]);
  facts.push(["without it", worth(segments.maxSaving[i])]);
  if (segments.nested[i] > 0) facts.push(["contains", `${count(segments.nested[i])} probes and calls`]);
  times(boot, facts, "start", segments.start[i]);
  times(boot, facts, "end", segments.end[i]);
  const records = [segments.first[i], segments.last[i]].filter((r, k, all) => r !== null && all.indexOf(r) === k);
  const text = segments.maxSaving[i] > 0 && segments.console[i] > 0 ? ["This leaves its waits for the console in place; the findings show what removes those."] : [];
  if (segments.kind[i] === "queue") text.push("No unit's own time: a unit could start and did not yet.");
  if (BASES[basis] && !["stage", "unit", "queue"].includes(segments.kind[i])) text.push(BASES[basis]);
  return { title: segments.title[i], about: "critical path", text, facts, records, range: [segments.start[i], segments.end[i]], line: true };
}

function tellService(boot, i) {
  const s = boot.services[i];
  const facts = [["state", s.state]];
  if (s.start !== null && s.end !== null) facts.push(["took", `${seconds(s.end - s.start)} s`]);
  if (s.start !== null) times(boot, facts, "starting", s.start);
  else facts.push(["starting", "not in the log"]);
  if (s.after) facts.push(["waited for", s.after.name]);
  if (s.after && s.after.queue !== null) facts.push(["then waited for its turn", `${seconds(s.after.queue)} s`]);
  if (s.processor !== null) facts.push(["processor time, at most", `${seconds(s.processor)} s`]);
  if (s.end !== null) times(boot, facts, s.state === "failed" ? "failed" : "up", s.end);
  return { title: s.name, about: "service", text: [], facts, records: [s.first, s.last].filter((r) => r !== null),
    range: [s.start ?? s.end, s.end ?? boot.to] };
}

/** What a bootchart or a trace shows. */
function tellSourceBar(boot, i) {
  const b = boot.sourceBars[i];
  const facts = [];
  if (b.end !== null && b.end > b.start) facts.push(["took", `${seconds(b.end - b.start)} s`]);
  if (b.end === null) facts.push(["end", "not shown by the source"]);
  times(boot, facts, "start", b.start);
  if (b.end !== null && b.end > b.start) times(boot, facts, "end", b.end);
  facts.push(...b.facts);
  return { title: b.name, about: b.about, text: [], facts, records: [], range: [b.start, b.end ?? Math.max(boot.to, b.start)] };
}

/** The panel that shows what is selected. */
class Selected {
  constructor(view, voice) {
    Object.assign(this, { view, voice });
    this.box = document.getElementById("selected");
    view.listen((what) => { if (what === "selected") this.show(); });
    this.show();
  }

  show() {
    const item = this.view.selected;
    this.box.replaceChildren();
    if (!item) {
      this.box.append(element("p", "Click on a bar, a finding or a line of the log."));
      return;
    }
    const boot = this.view.boots[item.boot];
    const told = tell(boot, item);
    this.voice.say("selected", `${told.about}: ${told.title}. ${told.facts.slice(0, 4).map(([name, value]) => `${name}: ${value}`).join(". ")}`);
    this.box.append(element("p", told.about, "about"), element("h2", told.title));
    for (const sentence of told.text) this.box.append(element("p", sentence));
    const list = element("dl", null, "facts");
    for (const [name, value] of told.facts) list.append(element("dt", name), element("dd", value));
    this.box.append(list);
    if (told.range) {
      const button = element("button", "Zoom to it");
      button.type = "button";
      button.addEventListener("click", () => zoomTo(this.view, item));
      this.box.append(button);
    }
    if (item.kind === "segment") {
      const span = spanOfSegment(boot, item.index);
      if (span >= 0) this.link(`${KINDS[boot.spans.kind[span]]} ${boot.spans.name[span]}`, { boot: item.boot, kind: "span", index: span });
    }
    if (item.kind === "record") {
      const span = spanOfRecord(boot, item.index);
      if (span >= 0) this.link(`${KINDS[boot.spans.kind[span]]} ${boot.spans.name[span]}`, { boot: item.boot, kind: "span", index: span });
      return;
    }
    for (const i of told.records) this.link(`record ${boot.records.id[i]}`, { boot: item.boot, kind: "record", index: i });
  }

  link(text, item) {
    const button = element("button", text);
    button.type = "button";
    button.addEventListener("click", () => this.view.select(item));
    this.box.append(button);
  }
}

function zoomTo(view, item) {
  const boot = view.boots[item.boot];
  const { range, line } = tell(boot, item);
  if (!range) return;
  const warp = line ? view.lineWarp(boot) : view.warp(boot);
  const [from, to] = range.map((t) => warp.there(t));
  if (to - from > LEAST_VIEW) view.frame(from, to);
  else view.show(from - 5e7, to + 5e7);
}

/** What a screen reader announces when something has changed: the last of several quick changes. */
class Voice {
  constructor() {
    this.box = document.getElementById("said");
    this.timer = null;
    this.pending = new Map();
  }

  say(of, text) {
    this.pending.set(of, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.box.textContent = [...this.pending.values()].join(". ");
      this.pending.clear();
    }, 300);
  }
}

/** The tooltip next to the pointer. */
class Tip {
  constructor() { this.box = document.getElementById("tip"); }

  hide() { this.box.hidden = true; }

  show(x, y, title, lines) {
    this.box.replaceChildren(element("b", title.length > 160 ? `${title.slice(0, 160)}…` : title),
      ...lines.map((line) => element("span", line, "more")));
    this.box.hidden = false;
    const { width, height } = this.box.getBoundingClientRect();
    const left = x + 16 + width > innerWidth ? x - 16 - width : x + 16;
    const top = y + 18 + height > innerHeight ? y - 12 - height : y + 18;
    this.box.style.left = `${Math.max(left, 4)}px`;
    this.box.style.top = `${Math.max(top, 4)}px`;
  }
}
