// SPDX-License-Identifier: MIT OR Apache-2.0
//! A source, placed on the axis of a boot.
use bootline_analysis::rules::findings;
use bootline_analysis::user_space::{UnitChain, unit_times};
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;
use bootline_records::source::read;

/// A log in which a unit of each kind of name is started.
const LOG: &[u8] = b"[    0.000000] Linux version 6.12.1 (gcc) #1 SMP Mon\n[    1.000000] Run /init as init process\n\
    [    2.000000] systemd[1]: Starting a.service - A...\n[    3.000000] systemd[1]: Started a.service - A.\n";

/// Reads a source that begins as one of its kind does, adds it to a boot, and explains that.
///
/// # Panics
/// Stages leave a gap or overlap, a chain does, or a dependency is no unit.
pub fn places(head: &str, data: &[u8]) {
    let text = [head.as_bytes(), data].concat();
    joins_source(SourceContent::Facts(read(&text)));
}

/// As [`places`], with a journal.
///
/// # Panics
/// As [`places`].
pub fn places_journal(data: &[u8]) {
    joins_source(SourceContent::Journal(BootRecords::all(data)));
}

fn joins_source(content: SourceContent) {
    let source = BootSource { name: "source".to_owned(), content };
    let app = AppMarker::parse("a.service").expect("a unit's name");
    let records = BootRecords::all(LOG).pop().expect("a boot");
    let boot = Boot::analyse(records, &BootOptions::default()).with_sources(&[source], Some(&app));
    let stages = &boot.whole.stages;
    assert!(stages.windows(2).all(|pair| pair[0].end == pair[1].start), "{stages:?}");
    assert!(stages.iter().all(|s| s.end > s.start), "{stages:?}");
    let units = boot.whole.units.len();
    assert!(boot.whole.units.iter().all(|u| u.after.iter().chain(&u.requires).chain(&u.wants).all(|i| *i < units)));
    assert_eq!(unit_times(&boot).len(), units);
    if let Some(chain) = UnitChain::of(&boot) {
        let sum: Dur = chain.links.iter().map(|l| l.queue() + l.activation()).sum();
        assert_eq!(sum, chain.length(), "{chain:?}");
    }
    findings(&boot);
}
