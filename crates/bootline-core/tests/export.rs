// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports read back: traces by Perfetto's published field numbers and as JSON, grabserial's form by our own decoder.
#![allow(clippy::disallowed_methods, reason = "the cases are files")]

#[path = "export/perfetto.rs"]
mod perfetto;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bootline_core::boot::{Boot, BootRecords, Clock, Options};
use bootline_core::records::Source;
use bootline_core::report::{Chrome, Grabserial, Perfetto, SourceName};
use bootline_core::rules::findings;
use bootline_core::units::Dur;
use serde_json::Value;

fn boots(bytes: &[u8], clock: Option<Clock>) -> Vec<Boot> {
    let options = Options { clock, ..Options::default() };
    BootRecords::all(bytes).into_iter().map(|records| Boot::analyse(records, &options)).collect()
}

/// Logs of all kinds: those of the reports' cases, and the corpus' captures.
fn logs() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut logs = Vec::new();
    for (folder, name) in [("tests/report", "boot.log"), ("../../corpus", "boot.cap")] {
        let entries = fs::read_dir(here.join(folder)).unwrap().map(|e| e.unwrap().path().join(name));
        logs.extend(entries.filter(|p| p.is_file()));
    }
    logs.sort();
    assert!(logs.len() >= 20, "the logs are gone: {logs:?}");
    logs
}

fn source(n: usize) -> SourceName {
    SourceName { input: "boot.log".to_owned(), index: n, one_of_several: true }
}

fn perfetto_of(boots: &[Boot]) -> Vec<u8> {
    let (mut trace, mut bytes) = (Perfetto::new(), Vec::new());
    for (n, boot) in boots.iter().enumerate() {
        trace.boot(boot, &findings(boot), &source(n), &mut |b| bytes.extend_from_slice(b));
    }
    bytes
}

fn chrome_of(boots: &[Boot]) -> Value {
    let mut trace = Chrome::new();
    let mut text = trace.open().into_bytes();
    for (n, boot) in boots.iter().enumerate() {
        trace.boot(boot, &findings(boot), &source(n), &mut |b| text.extend_from_slice(b));
    }
    text.extend_from_slice(trace.close().as_bytes());
    serde_json::from_slice(&text).unwrap()
}

/// A process and the name of its track.
type Row = (u64, String);

/// What a trace holds, whatever its notation: by track's name the slices (start, length, name), the instants, and the counts.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    /// (process, track) to slices.
    pub slices: BTreeMap<Row, Vec<(u64, u64, String)>>,
    /// (process, track) to instants.
    pub instants: BTreeMap<Row, Vec<(u64, String)>>,
    /// (process, track) to values.
    pub counts: BTreeMap<Row, Vec<(u64, i64)>>,
}

fn told_by_chrome(trace: &Value) -> Told {
    let mut told = Told::default();
    let mut names: BTreeMap<(u64, u64), String> = BTreeMap::new();
    let mut running: BTreeMap<(u64, u64), Vec<(u64, String)>> = BTreeMap::new();
    for e in trace["traceEvents"].as_array().unwrap() {
        let number = |key: &str| e[key].as_u64().unwrap_or_else(|| panic!("no {key} in {e}"));
        let pid = number("pid");
        // Microseconds with three decimals; a float keeps them up to some days.
        let at = || (e["ts"].as_f64().unwrap() * 1_000.0).round() as u64;
        let text = |key: &str| e[key].as_str().unwrap_or_else(|| panic!("no {key} in {e}")).to_owned();
        let track = || (pid, names[&(pid, number("tid"))].clone());
        match e["ph"].as_str().unwrap() {
            "M" if text("name") == "thread_name" => {
                let name = e["args"]["name"].as_str().unwrap().to_owned();
                assert_eq!(names.insert((pid, number("tid")), name), None, "a thread is named twice");
            }
            "M" => assert!(text("name").ends_with("_sort_index") || text("name") == "process_name"),
            "B" => running.entry((pid, number("tid"))).or_default().push((at(), text("name"))),
            "E" => {
                let (from, name) =
                    running.get_mut(&(pid, number("tid"))).and_then(Vec::pop).expect("an end of nothing");
                told.slices.entry(track()).or_default().push((from, at().checked_sub(from).unwrap(), name));
            }
            "i" => told.instants.entry(track()).or_default().push((at(), text("name"))),
            "C" => {
                let values: Vec<i64> = e["args"].as_object().unwrap().values().map(|v| v.as_i64().unwrap()).collect();
                assert_eq!(values.len(), 1);
                told.counts.entry((pid, text("name"))).or_default().push((at(), values[0]));
            }
            other => panic!("a phase `{other}`"),
        }
    }
    assert!(running.values().all(Vec::is_empty), "something never ends");
    told
}

#[test]
fn both_traces_tell_the_same_by_either_clock() {
    for log in logs() {
        let bytes = fs::read(&log).unwrap();
        for clock in [None, Some(Clock::Kernel)] {
            let boots = boots(&bytes, clock);
            let (perfetto, chrome) = (perfetto::told(&perfetto_of(&boots)), told_by_chrome(&chrome_of(&boots)));
            assert_eq!(perfetto, chrome, "{} {clock:?}", log.display());
        }
    }
}

#[test]
fn sums_are_the_boots() {
    for log in logs() {
        let boots = boots(&fs::read(&log).unwrap(), None);
        let told = perfetto::told(&perfetto_of(&boots));
        for (n, boot) in boots.iter().enumerate() {
            let pid = n as u64 + 1;
            let of = |name: &str| told.slices.get(&(pid, name.to_owned())).map_or(&[][..], Vec::as_slice);
            let lanes = |name: &str| {
                told.slices
                    .iter()
                    .filter(|((p, t), _)| *p == pid && t.split(", ").next() == Some(name))
                    .flat_map(|(_, s)| s)
                    .map(|s| s.1 as i64)
                    .sum::<i64>()
            };
            let sum = |name: &str| of(name).iter().map(|s| s.1 as i64).sum::<i64>();
            assert_eq!(sum("phases"), covered(boot), "{}", log.display());
            assert_eq!(
                lanes("silence"),
                boot.gaps.iter().map(|g| g.length.as_nanos()).sum::<i64>(),
                "{}",
                log.display()
            );
            let waits = boot.waits.iter().map(|w| w.time.best().as_nanos()).sum::<i64>();
            assert_eq!(sum("console waits"), waits, "{}", log.display());
            let spans: usize = told
                .slices
                .iter()
                .filter(|((p, t), _)| *p == pid && t.starts_with("task "))
                .map(|(_, s)| s.len())
                .sum();
            assert_eq!(spans, boot.spans.len(), "{}", log.display());
            let counted = told.counts.get(&(pid, "stored".to_owned())).and_then(|c| c.last()).map_or(0, |c| c.1);
            assert_eq!(counted, boot.backlog().last().map_or(0, |p| p.stored as i64));
        }
    }
}

/// The time that phases cover: behind `quiet` their first records are so few that some overlap, and one track can't show that.
fn covered(boot: &Boot) -> i64 {
    let mut phases: Vec<(Dur, Dur)> = boot.phases.iter().map(|p| (p.start, p.end)).collect();
    phases.sort();
    let mut until = Dur::from_nanos(i64::MIN);
    let part = |(from, to): (Dur, Dur)| {
        let length = (to - from.max(until)).max_zero();
        until = until.max(to);
        length.as_nanos()
    };
    phases.into_iter().map(part).sum()
}

#[test]
fn boots_follow_each_other_as_they_ran() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/two-boots/boot.log");
    let boots = boots(&fs::read(log).unwrap(), None);
    assert_eq!(boots.len(), 2);
    let told = perfetto::told(&perfetto_of(&boots));
    let of = |pid: u64| told.instants[&(pid, "records".to_owned())].iter().map(|i| i.0).collect::<Vec<_>>();
    let arrival = boots.iter().all(|b| b.timeline.clock == Clock::Arrival);
    assert!(!arrival || of(1).last() <= of(2).first());
}

#[test]
fn grabserials_form_is_read_back() {
    for log in logs() {
        let bytes = fs::read(&log).unwrap();
        for boot in boots(&bytes, None).into_iter().filter(|b| b.timeline.clock == Clock::Arrival) {
            let mut out = Vec::new();
            Grabserial::new().boot(&boot, &mut |b| out.extend_from_slice(b));
            let again = boots_again(&out);
            // What was escaped comes back as its code; empty lines are no records.
            let texts = |b: &Boot| -> Vec<(Option<i64>, String)> {
                let kernel = b.records.iter().filter(|r| r.source == Source::Kernel && r.arrival.is_some());
                kernel
                    .map(|r| {
                        (r.stamp.map(|s| s.as_nanos() / 1_000), bootline_core::report::escaped(r.text).into_owned())
                    })
                    .collect()
            };
            let clean = |all: Vec<(Option<i64>, String)>| -> Vec<(Option<i64>, String)> {
                all.into_iter().filter(|(_, t)| !t.contains('\\') && !t.trim().is_empty()).collect()
            };
            assert_eq!(clean(texts(&again)), clean(texts(&boot)), "{}", log.display());
            // Lengths between arrivals stay, to the microsecond that the form has.
            let span = |b: &Boot| {
                let all: Vec<_> = b.records.iter().filter_map(|r| r.arrival).collect();
                Some((all.last()?.first - all.first()?.first).as_nanos())
            };
            let off = span(&again).unwrap_or(0) - span(&boot).unwrap_or(0);
            assert!(off.abs() <= 2_000, "{}: {off} ns", log.display());
        }
    }
}

fn boots_again(bytes: &[u8]) -> Boot {
    let mut all = boots(bytes, None);
    assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(bytes));
    all.remove(0)
}
