// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports, case by case as found on disk: each folder of `tests/report` holds a `boot.log` and what the renderers make
//! of it.
#![allow(clippy::disallowed_methods, reason = "the cases are files")]

mod schema;

use std::fs;
use std::path::{Path, PathBuf};

use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::predictions::Predictions;
use bootline_analysis::rules::findings;
use bootline_analysis::whole_change::WholeChange;
use bootline_boot::{Boot, BootOptions, BootRecords, Splitter};
use bootline_capture::units::{Dur, HostTime, KernelTime};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};
use bootline_records::{ByteRange, Level, Record, RecordId, RecordOrigin, Sink};
use bootline_report::{
    BlameOptions, BootEmitter, BootLabel, BootsJson, Chrome, CriticalChainOptions, Csv, Document, Emitter, ExportJson,
    Grabserial, JsonItem, JunitBoots, Lava, MarkdownSummary, ReportedBoot, TextOptions, blame, blame_json,
    critical_chain, critical_chain_json, explain, explain_json, predictions, predictions_json, rules, text, time,
    time_json,
};
use bootline_testkit::check_goldens;
use proptest::prelude::*;

fn boots(bytes: &[u8]) -> Vec<Boot> {
    BootRecords::all(bytes).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).collect()
}

fn source(n: usize, of: usize) -> BootLabel {
    BootLabel { input: "boot.log".to_owned(), index: n, one_of_several: of > 1 }
}

/// What every renderer makes of the boots: (file name, content).
fn renderings(boots: &[Boot]) -> Vec<(String, String)> {
    let texts = |make: &dyn Fn(&Boot, &BootLabel) -> Document, width: usize, color: bool| -> String {
        let one = |(n, boot): (usize, &Boot)| text(&make(boot, &source(n, boots.len())), &TextOptions { width, color });
        boots.iter().enumerate().map(one).collect::<Vec<_>>().join("\n\n")
    };
    let explained = |boot: &Boot, source: &BootLabel| explain(boot, &findings(boot), source);
    let blamed = |boot: &Boot, source: &BootLabel| blame(boot, &BlameOptions::default(), source);
    let mut all: Vec<(String, String)> =
        [60, 100, 200].map(|w| (format!("explain-{w}.txt"), texts(&explained, w, false))).into();
    all.push(("explain-color.txt".to_owned(), texts(&explained, 100, true)));
    all.push(("time.txt".to_owned(), texts(&time, 100, false)));
    all.push(("blame.txt".to_owned(), texts(&blamed, 100, false)));
    let chained = |boot: &Boot, source: &BootLabel| {
        critical_chain(boot, CriticalPath::of(boot).as_ref(), &CriticalChainOptions::default(), source)
    };
    all.push(("critical-chain.txt".to_owned(), texts(&chained, 100, false)));
    let json = |schema: &'static str, item: &dyn Fn(&Boot, &BootLabel) -> String| {
        let (mut list, mut out) = (BootsJson::new(schema), Vec::new());
        list.open(&mut out).unwrap();
        for (n, boot) in boots.iter().enumerate() {
            list.item(&item(boot, &source(n, boots.len())), &mut out).unwrap();
        }
        list.close(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let item = |boot: &Boot, source: &BootLabel| JsonItem(explain_json(boot, &findings(boot), source)).to_text();
    all.push(("explain.json".to_owned(), json("bootline-explain/1", &item)));
    let item = |boot: &Boot, source: &BootLabel| JsonItem(time_json(boot, source)).to_text();
    all.push(("time.json".to_owned(), json("bootline-time/1", &item)));
    let item = |boot: &Boot, source: &BootLabel| {
        JsonItem(blame_json(boot, &BlameOptions { count: Some(3), gross: true, ..BlameOptions::default() }, source))
            .to_text()
    };
    all.push(("blame.json".to_owned(), json("bootline-blame/1", &item)));
    let item = |boot: &Boot, source: &BootLabel| {
        JsonItem(critical_chain_json(boot, CriticalPath::of(boot).as_ref(), source)).to_text()
    };
    all.push(("critical-chain.json".to_owned(), json("bootline-critical-chain/1", &item)));
    let predicted =
        |boot: &Boot, source: &BootLabel| predictions(boot, &Predictions::of(boot, &WholeChange::default()), source);
    all.push(("predict.txt".to_owned(), texts(&predicted, 100, false)));
    let item = |boot: &Boot, source: &BootLabel| {
        JsonItem(predictions_json(boot, &Predictions::of(boot, &WholeChange::default()), source)).to_text()
    };
    all.push(("predict.json".to_owned(), json("bootline-predict/1", &item)));
    all.extend(exports(boots));
    all
}

/// What each text format of `bootline export` makes of them.
fn exports(boots: &[Boot]) -> Vec<(String, String)> {
    let formats: [(&str, Box<dyn BootEmitter>); 7] = [
        ("export.chrome-trace", Box::new(Chrome::new())),
        ("export.csv", Box::<Csv>::default()),
        ("export.grabserial", Box::<Grabserial>::default()),
        ("export.json", Box::<ExportJson>::default()),
        ("export.junit.xml", Box::<JunitBoots>::default()),
        ("export.lava", Box::new(Lava)),
        ("export.md", Box::<MarkdownSummary>::default()),
    ];
    let written = |mut emitter: Box<dyn BootEmitter>| {
        let mut out = Vec::new();
        for (n, boot) in boots.iter().enumerate() {
            let (label, findings) = (source(n, boots.len()), findings(boot));
            emitter.boot(&ReportedBoot { boot, findings: &findings, label: &label }, &mut out).unwrap();
        }
        emitter.close(&mut out).unwrap();
        // RFC 4180 ends its lines with CR and LF.
        String::from_utf8(out).unwrap().replace("\r\n", "\n")
    };
    formats.into_iter().map(|(name, emitter)| (name.to_owned(), written(emitter))).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report")
}

fn cases() -> Vec<PathBuf> {
    bootline_testkit::cases(&root(), 7)
}

/// Whether a case keeps this rendering as a golden file. Figures and sentences are kept of each; of widths, colours and
/// export formats two cases show the shape, and what must hold of any boot is tested as a property (tests/export).
fn is_kept(case: &Path, name: &str) -> bool {
    const SHAPES: [&str; 2] = ["sync-9600", "two-boots"];
    let by_shape = name.starts_with("export.") || name.starts_with("explain-") && name != "explain-100.txt";
    !by_shape || SHAPES.iter().any(|shape| case.ends_with(shape))
}

#[test]
fn every_case_through_every_renderer() {
    check_goldens(
        &root(),
        |name| name == "boot.log",
        |goldens| {
            for case in cases() {
                let boots = boots(&fs::read(case.join("boot.log")).unwrap());
                for (name, got) in renderings(&boots) {
                    harmless(&got, name == "explain-color.txt");
                    if is_kept(&case, &name) {
                        goldens.check(&case, &name, &got);
                    }
                }
            }
        },
    );
}

#[test]
fn json_is_what_the_schemas_say() {
    for case in cases() {
        let boots = boots(&fs::read(case.join("boot.log")).unwrap());
        for (name, got) in renderings(&boots) {
            if let Some(verb) = name.strip_suffix(".json") {
                schema::check(verb, &serde_json::from_str(&got).unwrap());
            }
        }
    }
}

#[test]
fn lines_keep_to_the_width() {
    for case in cases() {
        let boots = boots(&fs::read(case.join("boot.log")).unwrap());
        for width in [60, 100, 200] {
            let name = format!("explain-{width}.txt");
            let (_, text) = renderings(&boots).into_iter().find(|(n, _)| *n == name).unwrap();
            for line in text.lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{}: {line}", case.display());
            }
        }
    }
}

/// No character that a terminal would obey, but for line ends and, where asked for, our own colours.
fn harmless(text: &str, color: bool) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && c != '\n' || is_invisible(c)) {
        let sgr = rest[at..].strip_prefix("\x1b[").and_then(|r| r.split_once('m')).filter(|_| color);
        let (codes, after) = sgr.unwrap_or_else(|| panic!("{:?}", &rest[at.saturating_sub(40)..]));
        assert!(codes.bytes().all(|b| b.is_ascii_digit() || b == b';'), "{codes:?}");
        rest = after;
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A boot whose every text is hostile, given past the decoder, which would have cleaned it.
fn hostile_boot(text: &str) -> BootRecords {
    let mut splitter = Splitter::default();
    let texts = [
        format!("Linux version 6.1{text} #1 SMP"),
        format!("Kernel command line: console=ttyS0,9600 x={text}"),
        "printk: legacy console [ttyS0] enabled".to_owned(),
        format!("calling  {text}+0x0/0x10 @ 1"),
        format!("probe of {text} returned 0 after 900000 usecs"),
        format!("initcall {text}+0x0/0x10 returned 0 after 1000000 usecs"),
        text.to_owned(),
        "Run /init as init process".to_owned(),
    ];
    for (n, text) in texts.iter().enumerate() {
        splitter.record(Record {
            id: RecordId(n as u32),
            bytes: ByteRange { start: n as u64 * 100, end: n as u64 * 100 + 100 },
            source: RecordOrigin::Kernel,
            level: Some(Level(6)),
            stamp: Some(KernelTime::from_nanos(n as i64 * 700_000_000)),
            caller: None,
            arrival: None,
            line_bytes: 100,
            text,
        });
    }
    splitter.finish().pop_back().unwrap()
}

proptest! {
    #[test]
    fn no_text_of_a_log_reaches_the_terminal_unescaped(text in "([\\x00-\\x1f\\x7f\u{80}-\u{9f}\u{202a}-\u{202e}\u{2066}a-z\\[\\]; ]|\\PC){0,40}") {
        let boot = Boot::analyse(hostile_boot(&text), &BootOptions::default());
        for (name, got) in renderings(std::slice::from_ref(&boot)) {
            harmless(&got, name == "explain-color.txt");
            if name.ends_with(".json") {
                serde_json::from_str::<serde_json::Value>(&got).unwrap();
            }
        }
    }

    #[test]
    fn any_bytes_make_a_report(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        for (name, got) in renderings(&boots(&bytes)) {
            harmless(&got, name == "explain-color.txt");
        }
    }
}

#[test]
fn a_capture_names_its_clock() {
    let mut capture = encode_header(&Header::new("test", "a line"));
    let mut at = 0;
    for line in fs::read_to_string(cases().last().unwrap().join("boot.log")).unwrap().lines().take(60) {
        let line = format!("{line}\r\n");
        let span = Dur::from_micros(1_042) * line.len() as i64;
        let time = ChunkTime { first: HostTime::from_nanos(at), span, uncertainty: Dur::from_micros(10) };
        encode_chunk(&mut capture, time, line.as_bytes());
        at += span.as_nanos() + 1_042_000;
    }
    let boots = boots(&capture);
    let (_, text) = renderings(&boots).swap_remove(1);
    assert!(text.contains("arrival clock"), "{text}");
}

#[test]
fn all_rules_are_told() {
    let all = text(&rules(), &TextOptions { width: 80, color: false });
    for rule in bootline_analysis::rules::RULES {
        assert!(all.contains(&format!("{}\n", rule.id)), "{}", rule.id);
    }
}
