// SPDX-License-Identifier: MIT OR Apache-2.0
//! The console's log and the kernel's own log of one boot, joined: by hand, and for every boot of the corpus.
#![allow(clippy::disallowed_methods, reason = "the corpus is files")]

use std::fs;
use std::path::Path;

use bootline_boot::{Boot, BootOptions, BootRecords, Clock, EndedBy, JoinError, LevelsJoin, join_levels};
use bootline_records::{RecordId, RecordOrigin};
use proptest::prelude::*;

fn boot(bytes: &[u8]) -> BootRecords {
    BootRecords::all(bytes).into_iter().next().unwrap_or_default()
}

const CONSOLE: &str = "\
[    0.000000] Linux version 6.1.0 (gcc) #1 SMP
[    0.000000] Kernel command line: console=ttyS0,9600
[    0.100000] first
[    0.200000] second, its secuser: hello
[    0.300000] two
[    0.300000] lines
[    0.400000] Run /init as init process
[    9.000000] a message of a later hour
";

const OWN: &str = "\
<5>[    0.000000] Linux version 6.1.0 (gcc) #1 SMP
<6>[    0.000000] Kernel command line: console=ttyS0,9600
<6>[    0.100000] first
<7>[    0.150000] for debugging
<4>[    0.200000] second, its sec
<3>[    0.300000] two
<3>[    0.300000] lines
<6>[    0.400000] Run /init as init process
<7>[    0.500000] more of it
<6>[    0.600000] after the capture's end
";

type Levels = Vec<(Option<u8>, String)>;

fn joined(console: &str, own: &str) -> (Result<LevelsJoin, JoinError>, Levels) {
    let mut console = boot(console.as_bytes());
    let joined = join_levels(&mut console, &boot(own.as_bytes()).records);
    let levels = console.records.iter().map(|r| (r.level.map(|l| l.0), r.text.to_owned())).collect();
    (joined, levels)
}

#[test]
fn records_get_their_levels_and_those_not_printed_their_place() {
    let (joined, levels) = joined(CONSOLE, OWN);
    assert_eq!(joined, Ok(LevelsJoin { matched: 7, added: 2, lost: 0 }));
    let levels: Vec<(Option<u8>, &str)> = levels.iter().map(|(l, t)| (*l, t.as_str())).collect();
    let want = [
        (Some(5), "Linux version 6.1.0 (gcc) #1 SMP"),
        (Some(6), "Kernel command line: console=ttyS0,9600"),
        (Some(6), "first"),
        (Some(7), "for debugging"),
        (Some(4), "second, its secuser: hello"),
        (Some(3), "two"),
        (Some(3), "lines"),
        (Some(6), "Run /init as init process"),
        (Some(7), "more of it"),
        (None, "a message of a later hour"),
    ];
    assert_eq!(levels, want);
}

#[test]
fn one_record_of_several_lines_is_several_on_a_console() {
    let own = "6,0,0,-;Linux version 6.1.0 (gcc) #1 SMP\n5,1,300000,-;two\\x0alines\n";
    let (joined, levels) = joined(CONSOLE, own);
    assert_eq!(joined, Ok(LevelsJoin { matched: 3, added: 0, lost: 0 }));
    assert_eq!(levels[5], (Some(5), "lines".to_owned()));
}

#[test]
fn what_the_line_lost_is_a_problem() {
    let console = CONSOLE.replace("[    0.100000] first\n", "");
    let mut records = boot(console.as_bytes());
    let joined = join_levels(&mut records, &boot(OWN.as_bytes()).records).unwrap();
    assert_eq!(joined, LevelsJoin { matched: 6, added: 3, lost: 1 });
    let boot = Boot::analyse(records, &BootOptions::default());
    assert!(boot.problems.iter().any(|p| p.kind.spoils_the_answer() && p.detail.starts_with("missing here")));
}

#[test]
fn logs_that_are_not_of_this_boot_or_tell_nothing() {
    let other = OWN.replace("0.1", "0.7").replace("0.2", "0.8").replace("0.3", "0.9").replace("0.4", "1.0");
    let first = RecordId(2);
    assert_eq!(joined(CONSOLE, &other).0, Err(JoinError::OtherBoot { matched: 0, of: 5, first }));
    let later = OWN.replace("    0.", "   70.");
    assert_eq!(joined(CONSOLE, &later).0, Err(JoinError::OtherBoot { matched: 0, of: 8, first: RecordId(0) }));
    let plain: String = OWN.lines().map(|l| format!("{}\n", &l[3..])).collect();
    assert_eq!(joined(CONSOLE, &plain).0, Err(JoinError::NoLevels));
    assert_eq!(joined(CONSOLE, "hello\n").0, Err(JoinError::NoStamps));
}

#[test]
fn each_boot_of_the_corpus_joins_with_its_own_log() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut cases = 0;
    for case in fs::read_dir(corpus).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let mut records = boot(&fs::read(case.join("boot.cap")).unwrap());
        let quiet = records.records.iter().filter(|r| r.source == RecordOrigin::Kernel).count() < 5;
        let before = Boot::analyse(records.clone(), &BootOptions::default());
        let joined = join_levels(&mut records, &boot(&fs::read(case.join("dmesg.kmsg")).unwrap()).records).unwrap();
        let after = Boot::analyse(records, &BootOptions::default());
        let name = case.display();
        assert_eq!(joined.lost, 0, "{name}: {joined:?}");
        assert_eq!(after.end.as_ref().map(|e| e.by), Some(EndedBy::InitRecord), "{name}");
        let leveled =
            (0..after.end_index()).filter_map(|i| after.records.get(i)).filter(|r| r.source == RecordOrigin::Kernel);
        let unknown: Vec<&str> = leveled.filter(|r| r.level.is_none()).map(|r| r.text).collect();
        assert_eq!(unknown, [""; 0], "{name}");
        if quiet {
            assert!(joined.added > 100 && after.line.is_some(), "{name}: {joined:?}");
        } else {
            // What the console didn't print moves nothing.
            assert_eq!(after.timeline.clock, Clock::Arrival, "{name}");
            assert_eq!(after.end.map(|e| e.elapsed), before.end.map(|e| e.elapsed), "{name}");
        }
        cases += 1;
    }
    assert!(cases >= 12, "{cases}");
}

proptest! {
    #[test]
    fn any_two_logs_join_or_say_why_not(
        console in proptest::collection::vec((0..20u32, 0..3usize), 0..40),
        own in proptest::collection::vec((0..20u32, 0..3usize, 0..8u8), 0..40),
    ) {
        let texts = ["one", "one and more", ""];
        let console: String = console.iter().map(|(s, t)| format!("[    0.{s:06}] {}\n", texts[*t])).collect();
        let own: String = own.iter().map(|(s, t, l)| format!("<{l}>[    0.{s:06}] {}\n", texts[*t])).collect();
        let mut records = boot(console.as_bytes());
        let before = records.records.len();
        let joined = join_levels(&mut records, &boot(own.as_bytes()).records);
        let added = joined.as_ref().map_or(0, |j| j.added);
        prop_assert_eq!(records.records.len(), before + added);
        let ids: Vec<u32> = records.records.iter().map(|r| r.id.0).collect();
        prop_assert!(ids.windows(2).all(|w| w[0] < w[1]));
        prop_assert!(joined.map_or(0, |j| j.matched) <= before);
        Boot::analyse(records, &BootOptions::default());
    }
}
