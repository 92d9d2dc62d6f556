// SPDX-License-Identifier: MIT OR Apache-2.0
//! A source, placed on the axis of a boot.
use bootline_analysis::rules::findings;
use bootline_analysis::user_space::{UnitChain, unit_times};
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;
use bootline_records::source::{ChartMember, read, read_bootchart};

/// A log in which a unit of each kind of name is started.
const LOG: &[u8] = b"[    0.000000] Linux version 6.12.1 (gcc) #1 SMP Mon\n\
    [    0.200000] calling  acpi_init+0x0/0x4f0 @ 1\n[    0.300000] initcall acpi_init+0x0/0x4f0 returned 0 after 100000 usecs\n[    1.000000] Run /init as init process\n\
    [    2.000000] systemd[1]: Starting a.service - A...\n[    3.000000] systemd[1]: Started a.service - A.\n";

/// Reads a source that begins as one of its kind does, adds it to a boot, and explains that.
///
/// # Panics
/// Stages leave a gap or overlap, a chain does, or a dependency is no unit.
pub fn places(head: &str, data: &[u8]) {
    let text = [head.as_bytes(), data].concat();
    joins_source(SourceContent::Facts(read(&text)));
}

/// As [`places`], with a bootstage stash: the first byte of the data is its byte order and its count, and its size is the data's length.
///
/// # Panics
/// As [`places`].
pub fn places_stash(data: &[u8]) {
    const MAGIC: u32 = 0xb007_57a3;
    let Some((first, rest)) = data.split_first() else { return };
    let words = [0, u32::from(*first >> 1) % 16, 16 + rest.len() as u32, MAGIC];
    let header = words.map(|word| if first & 1 == 0 { word.to_le_bytes() } else { word.to_be_bytes() });
    joins_source(SourceContent::Facts(read(&[header.as_flattened(), rest].concat())));
}

/// As [`places`], with a journal.
///
/// # Panics
/// As [`places`].
pub fn places_journal(data: &[u8]) {
    joins_source(SourceContent::Journal(BootRecords::all(data)));
}

/// As [`places`], with a bootchart whose members are the data between bytes of 0xff.
///
/// # Panics
/// As [`places`], or a process ends before it starts.
pub fn places_bootchart(data: &[u8]) {
    use ChartMember::*;
    let files = [ProcPs, ProcStat, ProcDiskstats, Taskstats, Cmdline2, Header];
    let parts = data.split(|b| *b == 0xff).map(|part| if part.is_empty() { PS } else { part });
    let members: Vec<_> = files.into_iter().zip(parts.map(<[u8]>::to_vec)).collect();
    joins_source(SourceContent::Facts(read_bootchart(&members)));
}

/// A sample of processes.
const PS: &[u8] = b"310\n1 (init) S 0 1 1 0 -1 4194560 801 0 3 0 12 7 0 0 20 0 1 0 100 9 9\n\n";

fn joins_source(content: SourceContent) {
    let source = BootSource::new("source", content);
    let app = AppMarker::parse("a.service").expect("a unit's name");
    let records = BootRecords::all(LOG).pop().expect("a boot");
    let boot = Boot::analyse(records, &BootOptions::default()).with_sources(&[source], Some(&app));
    let stages = &boot.whole.stages;
    assert!(stages.windows(2).all(|pair| pair[0].end == pair[1].start), "{stages:?}");
    assert!(stages.iter().all(|s| s.end > s.start), "{stages:?}");
    assert!(
        boot.whole.processes.iter().all(|p| p.length().is_none_or(|l| l >= Dur::ZERO)),
        "{:?}",
        boot.whole.processes
    );
    assert!(boot.whole.traced_initcalls.is_sorted_by_key(|c| c.start));
    let units = boot.whole.units.len();
    assert!(boot.whole.units.iter().all(|u| u.after.iter().chain(&u.requires).chain(&u.wants).all(|i| *i < units)));
    assert_eq!(unit_times(&boot).len(), units);
    if let Some(chain) = UnitChain::of(&boot) {
        let sum: Dur = chain.links.iter().map(|l| l.queue() + l.activation()).sum();
        assert_eq!(sum, chain.length(), "{chain:?}");
    }
    findings(&boot);
}
