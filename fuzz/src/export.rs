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

use bootline_analysis::boot::{Boot, BootRecords, Clock, BootOptions};
use bootline_report::{
    Chrome, Grabserial, BootsJson, Perfetto, PlainText, BootLabel, TestSuites, csv, csv_header, dmesg, export_json, junit,
    lava, markdown, summary, test_suite,
};
use bootline_analysis::rules::findings;
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
    let (mut perfetto, mut chrome, mut list) = (Perfetto::new(), Chrome::new(), BootsJson::new("bootline-export/1"));
    let (mut packets, mut events, mut json) = (Vec::new(), chrome.open().into_bytes(), list.open().into_bytes());
    let (mut rows, mut lines, mut signals) = (csv_header().as_bytes().to_vec(), Vec::new(), String::new());
    let mut stamped = Vec::new();
    let (mut grabserial, mut suites) = (Grabserial::new(), TestSuites::default());
    for (index, boot) in boots.iter().enumerate() {
        assert!(boot.phases.windows(2).all(|p| p[0].end == p[1].start), "{:?}", boot.phases);
        let source = BootLabel { input: "<log>".to_owned(), index, one_of_several: true };
        let found = findings(boot);
        perfetto.boot(boot, &found, &source, &mut |b| packets.extend_from_slice(b));
        chrome.boot(boot, &found, &source, &mut |b| events.extend_from_slice(b));
        export_json(&mut list, boot, &found, &source, &mut |b| json.extend_from_slice(b));
        csv(boot, &found, index + 1, &mut |b| rows.extend_from_slice(b));
        dmesg(boot, &mut |b| stamped.extend_from_slice(b));
        grabserial.boot(boot, &mut |b| lines.extend_from_slice(b));
        suites.suites.push(test_suite(boot, &found, &source));
        signals += &lava(boot, &found, index + 1);
        forms::markdown(&markdown(&summary(boot, &found, &source)));
    }
    events.extend_from_slice(chrome.close().as_bytes());
    json.extend_from_slice(list.close().as_bytes());
    let (packets, events) = (perfetto::told(&packets), chrome::told(&events));
    assert!(packets == events || !packets.fits_doubles(), "{packets:?}\n{events:?}");
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    forms::csv(&text(rows));
    forms::grabserial(&text(lines));
    forms::dmesg(&text(stamped));
    forms::junit(&junit(&suites));
    forms::lava(&signals);
}
