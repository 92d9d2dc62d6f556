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

use bootline_boot::{Boot, BootRecords, Clock, BootOptions};
use bootline_report::{
    BootEmitter, BootLabel, Chrome, Csv, Dmesg, ExportJson, Grabserial, JunitBoots, Lava, MarkdownSummary, Perfetto,
    PlainText, ReportedBoot,
};
use bootline_analysis::rules::{Finding, findings};
use told::Told;

/// Writes the boots in `data` in every format, by the clock that they tell most by and by either that is asked for.
///
/// # Panics
/// When a format's reader refuses what was written, slices don't nest, the two notations of a trace differ, or phases don't
/// tile the time.
pub fn exports(data: &[u8]) {
    let mut shown = String::new();
    let mut plain = PlainText::new();
    data.chunks(61).for_each(|piece| plain.push(piece, &mut shown));
    plain.finish(&mut shown);
    assert!(!shown.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{shown:?}");
    let boots = BootRecords::all(data);
    for clock in [None, Some(Clock::Kernel), Some(Clock::Arrival)] {
        let options = BootOptions { clock, ..BootOptions::default() };
        let boots: Vec<Boot> = boots.iter().map(|records| Boot::analyse(records.clone(), &options)).collect();
        formats(&boots);
    }
}

fn formats(boots: &[Boot]) {
    let reported: Vec<(Vec<Finding>, BootLabel)> = boots
        .iter()
        .enumerate()
        .map(|(index, b)| (findings(b), BootLabel { input: "<log>".to_owned(), index, one_of_several: true }))
        .collect();
    assert!(boots.iter().all(|b| b.phases.windows(2).all(|p| p[0].end == p[1].start)), "{boots:?}");
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
