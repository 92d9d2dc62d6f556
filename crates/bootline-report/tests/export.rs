// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports read back: traces by Perfetto's published field numbers and as JSON, grabserial's form by our own decoder.
#![allow(clippy::disallowed_methods, reason = "the cases are files")]

#[path = "export/chrome.rs"]
mod chrome;
#[path = "export/conservation.rs"]
mod conservation;
#[path = "export/forms.rs"]
mod forms;
#[path = "export/perfetto.rs"]
mod perfetto;
#[path = "export/systems.rs"]
mod systems;
#[path = "export/told.rs"]
mod told;

use std::fs;
use std::path::{Path, PathBuf};

use bootline_analysis::rules::findings;
use bootline_boot::{Boot, BootOptions, BootRecords, Clock};
use bootline_records::RecordOrigin;
use bootline_report::{
    BootEmitter, BootLabel, Chrome, Csv, Dmesg, ExportJson, Grabserial, JunitBoots, Lava, MarkdownSummary, Perfetto,
    ReportedBoot,
};
use told::Told;

fn boots(bytes: &[u8], clock: Option<Clock>) -> Vec<Boot> {
    let options = BootOptions { clock, ..BootOptions::default() };
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

fn source(n: usize) -> BootLabel {
    BootLabel { input: "boot.log".to_owned(), index: n, one_of_several: true }
}

/// What an export writes of these boots.
fn exported(mut emitter: impl BootEmitter, boots: &[Boot]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, boot) in boots.iter().enumerate() {
        let reported = ReportedBoot { boot, findings: &findings(boot), label: &source(n) };
        emitter.boot(&reported, &mut out).unwrap();
    }
    emitter.close(&mut out).unwrap();
    out
}

fn text(emitter: impl BootEmitter, boot: &Boot) -> String {
    String::from_utf8(exported(emitter, std::slice::from_ref(boot))).unwrap()
}

fn perfetto_of(boots: &[Boot]) -> Vec<u8> {
    exported(Perfetto::new(), boots)
}

fn chrome_of(boots: &[Boot]) -> Vec<u8> {
    exported(Chrome::new(), boots)
}

#[test]
fn both_traces_tell_the_same_by_either_clock() {
    for log in logs() {
        let bytes = fs::read(&log).unwrap();
        for clock in [None, Some(Clock::Kernel)] {
            let boots = boots(&bytes, clock);
            let (perfetto, chrome) = (perfetto::told(&perfetto_of(&boots)), chrome::told(&chrome_of(&boots)));
            assert!(perfetto.fits_doubles());
            assert_eq!(perfetto, chrome, "{} {clock:?}", log.display());
        }
    }
}

/// The forms of text of a boot, each by its own strict reader, with what it must keep.
fn check_forms(boot: &Boot) {
    let found = findings(boot);
    conservation::csv(&forms::csv(&text(Csv::default(), boot)), boot, &found);

    let (xml, signals) = (text(JunitBoots::default(), boot), text(Lava, boot));
    forms::junit(&xml);
    forms::lava(&signals);
    conservation::results(&xml, &signals, boot, &found);

    conservation::json(&text(ExportJson::default(), boot), boot);

    let page = text(MarkdownSummary::default(), boot);
    forms::markdown(&page);
    conservation::markdown(&page, boot, &found);

    forms::dmesg(&text(Dmesg, boot));
}

#[test]
fn every_form_is_what_its_readers_demand_and_keeps_what_the_boot_holds() {
    for log in logs() {
        let boots = boots(&fs::read(&log).unwrap(), None);
        boots.iter().for_each(check_forms);
        forms::grabserial(&String::from_utf8(exported(Grabserial::default(), &boots)).unwrap());
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
            let phases = boot.phases.iter().map(|p| p.length().as_nanos()).sum::<i64>();
            assert_eq!(sum("phases"), phases, "{}", log.display());
            assert_eq!(
                lanes("silence"),
                boot.gaps().iter().map(|g| g.length.as_nanos()).sum::<i64>(),
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
            assert_eq!(spans, boot.spans().len(), "{}", log.display());
            let counted = told.counts.get(&(pid, "stored".to_owned())).and_then(|c| c.last()).map_or(0, |c| c.1);
            assert_eq!(counted, boot.backlog().last().map_or(0, |p| p.stored as i64));
        }
    }
}

#[test]
fn phases_tile_the_time() {
    for log in logs() {
        for clock in [None, Some(Clock::Kernel)] {
            for boot in boots(&fs::read(&log).unwrap(), clock) {
                assert!(boot.phases.windows(2).all(|p| p[0].end == p[1].start), "{} {:?}", log.display(), boot.phases);
                assert!(boot.phases.windows(2).all(|p| p[0].name < p[1].name), "{} {:?}", log.display(), boot.phases);
            }
        }
    }
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
            let again = boots_again(text(Grabserial::default(), &boot).as_bytes());
            // What was escaped comes back as its code; empty lines are no records.
            let texts = |b: &Boot| -> Vec<(Option<i64>, String)> {
                let kernel = b.records.iter().filter(|r| r.source == RecordOrigin::Kernel && r.arrival.is_some());
                kernel
                    .map(|r| (r.stamp.map(|s| s.as_nanos() / 1_000), bootline_report::escaped(r.text).into_owned()))
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

#[test]
fn dmesgs_form_is_read_back_at_its_times() {
    for log in logs() {
        for boot in boots(&fs::read(&log).unwrap(), None).into_iter().filter(|b| b.timeline.clock != Clock::None) {
            let text = text(Dmesg, &boot);
            let mut lines = text.lines();
            for (i, r) in boot.records.iter().enumerate().filter(|(_, r)| r.source == RecordOrigin::Kernel) {
                let Some(stored) = boot.timeline.stored(i) else { continue };
                for part in r.text.split('\n') {
                    let (stamp, said) = lines.next().and_then(|l| l.strip_prefix('[')?.split_once("] ")).unwrap();
                    assert_eq!(said, bootline_report::escaped(part));
                    let off = stamp.trim().parse::<f64>().unwrap() - stored.max_zero().as_secs_f64();
                    assert!(off.abs() < 2e-6, "{}: {stamp} {stored}", log.display());
                }
            }
            assert_eq!(lines.next(), None);
            let again = boots_again(text.as_bytes());
            assert_eq!(
                (again.timeline.clock, again.kernel.release),
                (Clock::Kernel, boot.kernel.release.map(|r| bootline_report::escaped(&r).into_owned())),
                "{}",
                log.display()
            );
        }
    }
}

fn boots_again(bytes: &[u8]) -> Boot {
    let mut all = boots(bytes, None);
    assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(bytes));
    all.remove(0)
}
