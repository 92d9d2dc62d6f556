// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of a boot as a table, and when the application was reached.
use crate::document::{Document, Text};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::time_value::{ClockName, TimeValue, share};
use bootline_boot::{Application, Boot, Reached, Stage, StageName, WholeEnd, WholeOrigin};
use bootline_capture::units::Dur;

/// Whether the stages show more than the phases of the kernel.
pub(crate) fn is_worth_showing(boot: &Boot) -> bool {
    let is_more =
        |s: &Stage| !matches!(s.name, StageName::Dark | StageName::Kernel | StageName::UserSpace | StageName::Firmware);
    !boot.whole.sources.is_empty() || boot.whole.application.is_some() || boot.whole.stages.iter().any(is_more)
}

/// `The application (camera.service) is up 4.120 s after power-on`; none if none was named or reached.
pub(crate) fn when_reached(boot: &Boot) -> Option<Text> {
    let (app, since) = (boot.whole.application.as_ref()?, boot.whole.since?);
    let first = boot.whole.stages.first()?;
    let what = match app.reached {
        Reached::UnitUp => "is up",
        Reached::Executed => "is executed",
        Reached::Mark => "shows its mark",
        Reached::Line => "is reached",
        Reached::ProcessStart => "starts",
    };
    let text = Text::new()
        .words("The application (")
        .words(&app.name)
        .words(format!(") {what} "))
        .styled(TimeValue::exact(app.at - first.start).short(), Style::Strong)
        .words(format!(" after {}", since.title()));
    Some(text)
}

/// When the application was reached; nothing if none was named.
pub(crate) fn application(document: &mut Document, boot: &Boot) {
    let (Some(app), Some(since)) = (&boot.whole.application, boot.whole.since) else { return };
    let (Some(first), Some(mut text)) = (boot.whole.stages.first(), when_reached(boot)) else { return };
    if let Some(mark) = app.mark.and_then(|i| boot.marks.get(i)) {
        text = text.words(format!(" ({}), or up to {} s earlier", mark.what(), mark.uncertainty));
    }
    if let Some(record) = app.record {
        text = text.words(format!(", record {record}"));
    }
    if let (Reached::ProcessStart, Some(process)) = (app.reached, app.process) {
        document.paragraph(only_a_process(boot, app, process, app.at - first.start, since));
        return;
    }
    document.paragraph(
        text.words(".").words(readiness(boot).unwrap_or_default()).words(bytes_read(boot).unwrap_or_default()),
    );
}

/// What its processes read, where systemd counts it: a sentence after another one.
fn bytes_read(boot: &Boot) -> Option<String> {
    let unit = boot.whole.units.get(boot.whole.application.as_ref()?.unit?)?;
    let bytes = unit.bytes_read.filter(|bytes| *bytes > 0)?;
    Some(format!(" Until `systemctl show` ran, its processes had read {:.1} MB from disks.", bytes as f64 / 1e6))
}

/// What it means that the application's unit is up, where that is not what it says: a sentence after another one.
pub(crate) fn readiness(boot: &Boot) -> Option<String> {
    let app = boot.whole.application.as_ref()?;
    let unit = boot.whole.units.get(app.unit?)?;
    let word = unit.service_type.as_deref().unwrap_or_default();
    match (app.reached, word) {
        (Reached::Executed, _) => Some(format!(
            " Its unit, of Type={word}, was up {} s earlier, because systemd does not wait until its program is executed. A line that it \
             prints shows when it is ready (`--app {}=REGEX`).",
            app.at - unit.up?,
            unit.name
        )),
        (Reached::UnitUp, "simple" | "idle" | "exec") => Some(format!(
            " It is of Type={word}: systemd takes it for up as soon as its process exists, not when it is ready; a line that it prints shows \
             more (`--app {}=REGEX`).",
            unit.name
        )),
        _ => None,
    }
}

/// Of an application only the start is known.
fn only_a_process(boot: &Boot, app: &Application, process: usize, after: Dur, since: WholeOrigin) -> Text {
    let pid = boot.whole.processes.get(process).map_or_else(String::new, |p| format!(", process {}", p.pid));
    Text::new()
        .words("The application (")
        .words(&app.name)
        .words(format!(") starts{pid}, "))
        .styled(TimeValue::exact(after).short(), Style::Strong)
        .words(format!(
            " after {}. Nothing shows when it is ready: a line that it prints would (`--app REGEX`).",
            since.title()
        ))
}

/// The table of stages, under its heading.
pub(crate) fn stages(document: &mut Document, boot: &Boot) {
    let (Some(since), true) = (boot.whole.since, is_worth_showing(boot)) else { return };
    let clock = ClockName::of_axis(boot.timeline.clock).map_or("systemd's clock", ClockName::title);
    document.heading(format!("Stages from {} ({clock}; 0 is the zero of the kernel's clock)", since.title()));
    document.table(table(boot));
    if !matches!(since, WholeOrigin::PowerOn) {
        document.paragraph(format!("What came before {} is not in these figures.", since.title()));
    }
}

fn table(boot: &Boot) -> Table {
    let mut table = Table::new([
        ("stage", Align::Left, 0),
        ("length [s]", Align::Right, 0),
        ("share", Align::Right, 2),
        ("from [s]", Align::Right, 3),
        ("to [s]", Align::Right, 3),
        ("its start is shown by", Align::Left, 1),
    ]);
    let total = boot.whole.length().unwrap_or_default();
    let longest = boot.whole.stages.iter().map(Stage::length).max().unwrap_or_default();
    for s in &boot.whole.stages {
        let cells = vec![
            s.name.title().to_owned(),
            s.length().to_string(),
            share(s.length(), total).unwrap_or_default(),
            s.start.to_string(),
            s.end.to_string(),
            s.evidence.title(),
        ];
        table.row(cells, if s.length() == longest && total > Dur::ZERO { Style::Strong } else { Style::Plain });
    }
    if boot.whole.stages.len() > 1 {
        let until = boot.whole.until.map_or("the end of the log", WholeEnd::title);
        let mut cells = vec!["all".to_owned(), total.to_string()];
        cells.extend([String::new(), String::new(), String::new(), format!("until {until}")]);
        table.row(cells, Style::Faint);
    }
    table
}
