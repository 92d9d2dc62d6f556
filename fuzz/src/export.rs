// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports of any bytes: each format by its own strict reader, those of the tests.
#[path = "../../crates/bootline-report/tests/export/chrome.rs"]
mod chrome;
#[path = "../../crates/bootline-report/tests/export/forms.rs"]
mod forms;
#[path = "../../crates/bootline-report/tests/export/perfetto.rs"]
mod perfetto;
#[path = "../../crates/bootline-report/tests/export/told.rs"]
mod told;

use bootline_analysis::rules::{Finding, findings};
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, Clock};
use bootline_input::source_file::content;
use bootline_report::{
    BootEmitter, BootLabel, Chrome, Csv, Dmesg, ExportJson, Grabserial, JunitBoots, Lava, MarkdownSummary, Perfetto,
    PlainText, ReportedBoot,
};
use told::Told;

/// Writes the boots in `data` in every format, by the clock that they tell most by and by either that is asked for. What follows a byte
/// of 0xff is another source of the same boots; with sources and no log, it is a boot of which only they are left.
///
/// # Panics
/// When a format's reader refuses what was written, slices don't nest, flows go back, the two notations of a trace differ, phases,
/// stages or the chain don't tile the time, or a prediction is impossible.
pub fn exports(data: &[u8]) {
    let mut parts = data.split(|b| *b == 0xff);
    let log = parts.next().unwrap_or_default();
    let mut shown = String::new();
    let mut plain = PlainText::new();
    log.chunks(61).for_each(|piece| plain.push(piece, &mut shown));
    plain.finish(&mut shown);
    assert!(!shown.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{shown:?}");
    let sources: Vec<BootSource> = parts.map(|part| BootSource::new("<source>", content(part))).collect();
    let mut boots = BootRecords::all(log);
    if boots.is_empty() && !sources.is_empty() {
        boots.push(BootRecords::default());
    }
    let app = AppMarker::parse(APPS[data.len() % APPS.len()]).expect("a marker");
    for clock in [None, Some(Clock::Kernel), Some(Clock::Arrival)] {
        let options = BootOptions { clock, ..BootOptions::default() };
        let analysed = boots.iter().map(|records| Boot::analyse(records.clone(), &options));
        let whole = |boot: Boot| if sources.is_empty() { boot } else { boot.with_sources(&sources, Some(&app)) };
        formats(&analysed.map(whole).collect::<Vec<_>>());
    }
}

/// What shows the application: a unit, a line, a process.
const APPS: [&str; 3] = ["b.service", "first frame", "bin/camera$"];

fn formats(boots: &[Boot]) {
    boots.iter().for_each(crate::whole::check);
    let reported: Vec<(Vec<Finding>, BootLabel)> = boots
        .iter()
        .enumerate()
        .map(|(index, b)| (findings(b), BootLabel { input: "<log>".to_owned(), index, one_of_several: true }))
        .collect();
    assert!(boots.iter().all(|b| b.phases.windows(2).all(|p| p[0].end == p[1].start)), "{boots:?}");
    assert!(boots.iter().all(|b| b.whole.stages.windows(2).all(|s| s[0].end == s[1].start)), "{boots:?}");
    let exported = |emitter: &mut dyn BootEmitter| {
        let mut out = Vec::new();
        for (boot, (findings, label)) in boots.iter().zip(&reported) {
            emitter.boot(&ReportedBoot { boot, findings, label }, &mut out).expect("memory");
        }
        emitter.close(&mut out).expect("memory");
        out
    };
    if boots.is_empty() {
        return;
    }
    let packets = perfetto::told(&exported(&mut Perfetto::new()));
    let events = chrome::told(&exported(&mut Chrome::new()));
    assert!(packets == events || !packets.fits_doubles(), "{packets:?}\n{events:?}");
    assert!(packets.flows_go_on(), "{packets:?}");
    let json = exported(&mut ExportJson::default());
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
    let text = |emitter: &mut dyn BootEmitter| String::from_utf8(exported(emitter)).expect("UTF-8");
    forms::csv(&text(&mut Csv::default()));
    forms::grabserial(&text(&mut Grabserial::default()));
    forms::dmesg(&text(&mut Dmesg));
    forms::junit(&text(&mut JunitBoots::default()));
    forms::lava(&text(&mut Lava));
    forms::markdown(&text(&mut MarkdownSummary::default()));
}
