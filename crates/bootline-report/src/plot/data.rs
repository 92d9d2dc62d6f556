// SPDX-License-Identifier: MIT OR Apache-2.0
//! A picture as the page's script reads it: columns of numbers, times in integer nanoseconds on the boot's axis.
//!
//! A script's numbers are exact up to 2^53 ns, 104 days; a later time (only a broken clock has one) is accurate to a
//! microsecond, which is the precision shown.
use serde_json::{Value, json};

use super::critical_path::DrawnPath;
use super::difference::{Difference, SpanChange};
use super::mark::{FindingMark, MarkPlacement};
use super::picture::{DrawnWait, Picture};
use super::source_bar::SOURCE_TRACKS;
use crate::escape::escaped;
use crate::shell::TOOL;
use crate::wire::word;
use bootline_boot::WaitCause;
use bootline_capture::units::{Dur, Interval};

/// All pictures.
pub(super) fn data(pictures: &[Picture], differences: &[Difference]) -> Value {
    let boots: Vec<Value> = pictures.iter().zip(differences).map(|(p, d)| boot(p, d)).collect();
    json!({ "tool": TOOL, "boots": boots })
}

fn boot(p: &Picture, difference: &Difference) -> Value {
    let columns = |count: usize, of: &dyn Fn(usize) -> Value| -> Value { (0..count).map(of).collect() };
    let r = &p.records;
    let records = json!({
        "id": columns(r.len(), &|i| r[i].id.0.into()),
        "kernel": columns(r.len(), &|i| u8::from(r[i].kernel).into()),
        "level": columns(r.len(), &|i| r[i].level.into()),
        "stored": columns(r.len(), &|i| nanos(r[i].stored)),
        "stamp": columns(r.len(), &|i| r[i].stamp.into()),
        "start": columns(r.len(), &|i| nanos(r[i].transmitted.map(|p| p.0))),
        "end": columns(r.len(), &|i| nanos(r[i].transmitted.map(|p| p.1))),
        "bytes": columns(r.len(), &|i| r[i].bytes.into()),
        "text": columns(r.len(), &|i| r[i].text.as_str().into()),
    });
    let s = &p.spans;
    let at = |id| p.position(id);
    let spans = json!({
        "kind": columns(s.len(), &|i| word(&s[i].kind).into()),
        "name": columns(s.len(), &|i| escaped(&s[i].name).into()),
        "module": columns(s.len(), &|i| s[i].module.as_deref().map(escaped).into()),
        "start": columns(s.len(), &|i| s[i].start.as_nanos().into()),
        "end": columns(s.len(), &|i| p.drawn_end(&s[i]).as_nanos().into()),
        "returned": columns(s.len(), &|i| if s[i].end.is_some() { s[i].returned.into() } else { Value::Null }),
        "reported": columns(s.len(), &|i| nanos(s[i].reported)),
        "task": columns(s.len(), &|i| s[i].task.into()),
        "parent": columns(s.len(), &|i| s[i].parent.into()),
        "console": columns(s.len(), &|i| s[i].console.as_nanos().into()),
        "own": columns(s.len(), &|i| s[i].self_time().as_nanos().into()),
        "group": columns(s.len(), &|i| p.stacks.of[i].map(|l| l.group).into()),
        "row": columns(s.len(), &|i| p.stacks.of[i].map(|l| l.row).into()),
        "first": columns(s.len(), &|i| at(s[i].first).into()),
        "last": columns(s.len(), &|i| s[i].last.and_then(at).into()),
        "slack": columns(s.len(), &|i| nanos(p.critical_path.as_ref().and_then(|c| c.slack.get(i).copied().flatten()))),
        "longer": columns(s.len(), &|i| match difference.spans.get(i).copied().flatten() {
            Some(SpanChange::By(d)) => d.as_nanos().into(),
            Some(SpanChange::New) => "new".into(),
            None => Value::Null,
        }),
    });
    json!({
        "source": escaped(&p.source),
        "kernel": escaped(&p.kernel),
        "clock": word(&p.clock),
        "from": p.from.as_nanos(),
        "to": p.to.as_nanos(),
        "end": p.end.map(|e| json!({ "record": e.index, "at": e.at.as_nanos(), "elapsed": e.elapsed.best().as_nanos() })),
        "endLater": nanos(difference.end),
        "phases": p.phases.iter().enumerate().map(|(i, b)| json!({
            "title": b.title, "start": b.start.as_nanos(), "end": b.end.as_nanos(), "console": b.console.as_nanos(),
            "longer": nanos(difference.phases.get(i).copied().flatten()),
        })).collect::<Vec<_>>(),
        "waits": waits(&p.waits),
        "criticalPath": p.critical_path.as_ref().map(critical_path),
        "findings": p.findings.iter().map(finding).collect::<Vec<_>>(),
        "groups": p.stacks.groups.iter().map(|g| json!({
            "title": g.title, "rows": g.rows, "notDrawn": g.not_drawn,
        })).collect::<Vec<_>>(),
        "spans": spans,
        "stages": p.stages.iter().map(|s| json!({
            "title": s.title, "start": s.start.as_nanos(), "end": s.end.as_nanos(), "evidence": escaped(&s.evidence),
        })).collect::<Vec<_>>(),
        "services": p.services.iter().map(|s| json!({
            "name": escaped(&s.name), "start": nanos(s.start), "end": nanos(s.end), "state": word(&s.state),
            "first": s.first.and_then(at), "last": s.last.and_then(at), "processor": nanos(s.processor),
            "after": s.after.as_ref().map(|(name, queue)| json!({ "name": escaped(name), "queue": nanos(*queue) })),
        })).collect::<Vec<_>>(),
        "sourceTracks": SOURCE_TRACKS,
        "sourceBars": p.source_bars.iter().map(|b| json!({
            "track": b.track, "about": b.about, "name": escaped(&b.name), "start": b.start.as_nanos(), "end": nanos(b.end),
            "facts": b.facts.iter().map(|(name, value)| json!([name, escaped(value)])).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "records": records,
        "line": p.line.as_ref().map(|l| json!({
            "name": escaped(&l.name), "rate": l.rate, "opened": nanos(l.opened), "peak": l.peak,
            "cost": interval(l.cost), "measured": l.measured,
            "flush": l.flush.map(|(from, to, bytes)| json!({
                "start": from.as_nanos(), "end": to.as_nanos(), "bytes": bytes,
            })),
        })),
    })
}

fn nanos(d: Option<Dur>) -> Value {
    d.map(Dur::as_nanos).into()
}

fn interval(i: Interval) -> [i64; 3] {
    [i.low(), i.best(), i.high()].map(Dur::as_nanos)
}

fn waits(list: &[DrawnWait]) -> Value {
    let columns = |of: &dyn Fn(&DrawnWait) -> Value| list.iter().map(of).collect::<Vec<_>>();
    json!({
        "record": columns(&|w| w.index.into()),
        "start": columns(&|w| w.from.as_nanos().into()),
        "low": columns(&|w| w.time.low().as_nanos().into()),
        "best": columns(&|w| w.time.best().as_nanos().into()),
        "high": columns(&|w| w.time.high().as_nanos().into()),
        "cause": columns(&|w| wait_word(w.cause).into()),
    })
}

fn critical_path(c: &DrawnPath) -> Value {
    let columns = |of: &dyn Fn(usize) -> Value| (0..c.segments.len()).map(of).collect::<Vec<_>>();
    let l = &c.segments;
    json!({
        "basis": word(&c.basis), "since": word(&c.since), "start": c.start.as_nanos(), "end": c.end.as_nanos(),
        "segments": {
            "kind": columns(&|i| l[i].kind.into()),
            "title": columns(&|i| escaped(&l[i].title).into()),
            "label": columns(&|i| escaped(&l[i].label).into()),
            "start": columns(&|i| l[i].start.as_nanos().into()),
            "end": columns(&|i| l[i].end.as_nanos().into()),
            "console": columns(&|i| nanos(l[i].console)),
            "maxSaving": columns(&|i| nanos(l[i].max_saving)),
            "first": columns(&|i| l[i].first.into()),
            "last": columns(&|i| l[i].last.into()),
            "nested": columns(&|i| l[i].nested.into()),
        },
    })
}

fn finding(m: &FindingMark) -> Value {
    let pair = |s: &bootline_analysis::rules::TimeRange| [s.from.as_nanos(), s.to.as_nanos()];
    let shown = match &m.shown {
        MarkPlacement::TimeRanges { list, line } => json!({
            "kind": "time-ranges", "line": line, "list": list.iter().map(pair).collect::<Vec<_>>(),
        }),
        MarkPlacement::Waits(cause) => json!({ "kind": "waits", "line": true, "cause": cause.map(wait_word) }),
        MarkPlacement::Evidence(s) => json!({ "kind": "evidence", "line": false, "list": [pair(s)] }),
        MarkPlacement::Nowhere => Value::Null,
    };
    json!({
        "rule": m.rule.title(), "title": escaped(&m.title), "why": escaped(&m.why), "cost": interval(m.cost), "part": m.part,
        "shown": shown,
        "records": m.records,
        "remedy": m.remedy.as_ref().map(|r| json!({
            "action": escaped(&r.action), "setting": r.setting().as_deref().map(escaped), "saves": r.saves.map(interval),
            "effort": r.effort.name(), "price": escaped(&r.price),
        })),
    })
}

fn wait_word(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::OwnRecord => "own",
        WaitCause::Flush => "flush",
        WaitCause::ConsoleLock => "lock",
        WaitCause::Processor => "processor",
    }
}
