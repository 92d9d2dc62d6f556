// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an analysed boot to its rows.
use bootline_analysis::rules::{Finding, findings_with_best_savings};
use bootline_boot::{Boot, Clock};
use bootline_capture::units::Dur;

use crate::batch::BootRows;
use crate::content::ContentId;
use crate::date::Date;
use crate::start_time::{device_model, start_time};
use crate::tables::{BootRow, FindingRow, SpanRow, Text};
use crate::words;

/// What a boot does not say of itself.
#[derive(Clone, Debug)]
pub struct BootOrigin {
    /// The input that it was read from.
    pub input: ContentId,
    /// Its place in there.
    pub index: u32,
    /// When the input was last modified, in microseconds since 1970.
    pub modified: Option<i64>,
    /// When the boot started, if metadata say so, in microseconds since 1970, and which.
    pub start_time: Option<(i64, &'static str)>,
    /// Kind of device.
    pub board: Option<Text>,
    /// The individual device.
    pub device: Option<Text>,
    /// What was booted.
    pub build: Option<Text>,
    /// Where.
    pub lab: Option<Text>,
    /// The run that booted it.
    pub job: Option<Text>,
    /// Why its figures can't be trusted, in words.
    pub problem: Option<String>,
}

/// The rows of a boot.
pub fn boot_rows(boot: &Boot, origin: BootOrigin) -> BootRows {
    let boot_id = origin.input.boot_id(origin.index);
    let clock = words::clock(boot.timeline.clock);
    let start = origin.start_time.or_else(|| start_time(boot));
    let date = start.map(|(us, _)| us).or(origin.modified).map_or(Date::default(), Date::of_micros);
    let place = Place { boot_id, clock, board: origin.board.clone(), build: origin.build.clone() };
    // Without times nothing has a cost; what is no boot has no findings.
    let has_times = boot.timeline.clock != Clock::None && boot.milestones.first_kernel.is_some();
    // A row has no interval of what is saved.
    let found = if has_times { findings_with_best_savings(boot) } else { Vec::new() };
    BootRows {
        date,
        spans: spans(boot, &place),
        findings: found.iter().map(|finding| finding_row(finding, &place)).collect(),
        measures: Vec::new(),
        boot: boot_row(boot, origin, boot_id, clock, start),
    }
}

/// What all rows of a boot have in common.
struct Place {
    boot_id: i64,
    clock: &'static str,
    board: Option<Text>,
    build: Option<Text>,
}

fn us(dur: Dur) -> i64 {
    dur.as_nanos().div_euclid(1_000)
}

fn boot_row(
    boot: &Boot,
    origin: BootOrigin,
    boot_id: i64,
    clock: &'static str,
    start: Option<(i64, &'static str)>,
) -> BootRow {
    let end = boot.end.as_ref();
    let kernel = &boot.kernel;
    let line = boot.line.as_ref();
    let words: Vec<&str> = kernel.command_line.words().collect();
    let app = boot.whole.stages.first().zip(boot.whole.application.as_ref());
    let other = || boot.problems.iter().next().map(|p| p.detail.clone());
    BootRow {
        boot_id,
        file_id: origin.input.file_id(),
        boot_index: i32::try_from(origin.index).unwrap_or(i32::MAX),
        start_time: start.map(|(us, _)| us),
        start_time_source: start.map(|(_, source)| source),
        board: origin.board,
        device_model: device_model(boot),
        build: origin.build,
        device: origin.device,
        lab: origin.lab,
        job: origin.job,
        kernel_release: kernel.release.clone(),
        kernel_version: kernel.version.map(|v| v.to_string()),
        preempt_rt: kernel.rt,
        cpus: kernel.cpus.and_then(|n| i32::try_from(n).ok()),
        command_line: (!words.is_empty()).then(|| words.join(" ")),
        clock,
        ended_by: end.map(|e| words::ended_by(e.by)),
        since: end.map(|e| words::since(e.since)),
        dur_us: end.map(|e| us(e.elapsed.best())),
        dur_low_us: end.map(|e| us(e.elapsed.low())),
        dur_high_us: end.map(|e| us(e.elapsed.high())),
        kernel_dur_us: end.and_then(|e| e.kernel).map(|t| t.as_nanos().div_euclid(1_000)),
        app_dur_us: app.map(|(first, app)| us(app.at - first.start)),
        console: line.map(|l| l.console.name.clone()),
        baud: line.and_then(|l| l.console.declared_baud).and_then(|b| i32::try_from(b.get()).ok()),
        console_bytes: line.map(|l| i64::try_from(l.bytes_before_end).unwrap_or(i64::MAX)),
        console_us: line.map(|l| us(l.cost.best())),
        panicked: boot.milestones.panic.is_some(),
        usable: origin.problem.is_none(),
        problem: origin.problem.or_else(other),
        records: i64::try_from(boot.records.len()).unwrap_or(i64::MAX),
    }
}

impl Place {
    fn span(&self, kind: &'static str, name: &str) -> SpanRow {
        SpanRow {
            boot_id: self.boot_id,
            board: self.board.clone(),
            build: self.build.clone(),
            clock: self.clock,
            kind,
            name: name.into(),
            module: None,
            ts_us: None,
            dur_us: None,
            console_us: 0,
            children_us: 0,
            reported_us: None,
            depth: 0,
            tid: None,
            return_value: None,
        }
    }

    fn between(&self, kind: &'static str, name: &str, start: Dur, end: Dur) -> SpanRow {
        SpanRow { ts_us: Some(us(start)), dur_us: Some(us(end - start)), ..self.span(kind, name) }
    }
}

fn spans(boot: &Boot, place: &Place) -> Vec<SpanRow> {
    let traced = boot.spans().iter().map(|s| SpanRow {
        module: s.module.as_deref().map(Text::from),
        ts_us: Some(us(s.start)),
        dur_us: s.end.map(|end| us(end - s.start)),
        console_us: us(s.console),
        children_us: us(s.children),
        reported_us: s.reported.map(us),
        depth: i32::try_from(s.depth).unwrap_or(i32::MAX),
        tid: s.task.and_then(|tid| i32::try_from(tid).ok()),
        return_value: s.returned,
        ..place.span(words::span_kind(s.kind), &s.name)
    });
    let units = boot.whole.units.iter().map(|u| SpanRow {
        clock: words::unit_clock(u.by, place.clock),
        ts_us: u.begins().map(us),
        dur_us: u.activation().map(us),
        ..place.span("unit", &u.name)
    });
    // Not what the end of the log ends: that depends on when the capture was stopped.
    let stages = boot.whole.complete_stages().iter().map(|s| place.between("stage", s.name.word(), s.start, s.end));
    let phases = boot
        .complete_phases()
        .map(|p| SpanRow { console_us: us(p.console), ..place.between("phase", p.name.word(), p.start, p.end) });
    let gaps = boot.gaps().iter().map(|g| SpanRow {
        console_us: us(g.console),
        ..place.between("gap", &gap_name(boot, g.after), g.start, g.start + g.length)
    });
    let marks = boot.marks.iter().map(|m| place.between("mark", &m.name, m.at, m.at));
    let traces = boot.whole.trace_marks.iter().map(|m| place.between("mark", &m.text, m.at, m.at));
    traced.chain(units).chain(stages).chain(phases).chain(gaps).chain(marks).chain(traces).collect()
}

/// Longest name of a gap, in characters.
const LONGEST_GAP: usize = 60;

/// A gap's name: the record before it, without the numbers that differ from boot to boot.
fn gap_name(boot: &Boot, after: bootline_records::RecordId) -> String {
    let text = boot.records.by_id(after).map(|r| r.text).unwrap_or_default();
    format!("after: {}", without_numbers(text))
}

/// Each run of digits, and each hexadecimal number, as one `#`.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars().peekable();
    let mut length = 0;
    while let Some(c) = chars.next().filter(|_| length < LONGEST_GAP) {
        length += 1;
        if !c.is_ascii_digit() {
            shown.push(c);
            continue;
        }
        shown.push('#');
        let is_hex = c == '0' && chars.next_if_eq(&'x').is_some();
        while chars.next_if(|c| c.is_ascii_digit() || is_hex && c.is_ascii_hexdigit()).is_some() {}
    }
    shown
}

fn finding_row(finding: &Finding, place: &Place) -> FindingRow {
    let remedy = finding.remedies.first();
    FindingRow {
        boot_id: place.boot_id,
        board: place.board.clone(),
        build: place.build.clone(),
        clock: place.clock,
        rule: finding.rule.code(),
        rule_name: finding.rule.name(),
        title: finding.title.clone(),
        cost_us: us(finding.cost.best()),
        cost_low_us: us(finding.cost.low()),
        cost_high_us: us(finding.cost.high()),
        adds_up: finding.part_of.is_empty(),
        remedy: remedy.map(|r| r.action.clone()),
        saves_us: remedy.and_then(|r| r.saves).map(|saves| us(saves.best())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_log_is_no_end_of_a_part() {
        let kernel = "[    0.000000] Linux version 6.1.0 (x) #1 SMP\n[    0.500000] Freeing unused kernel memory: 4K\n\
                      [    1.000000] Run /sbin/init as init process\n";
        let place = Place { boot_id: 0, clock: "stamps", board: None, build: None };
        let parts = |end: &str| -> Vec<(&str, String, Option<i64>)> {
            let log = format!("{kernel}[    {end}] a record of the kernel\n");
            let records = bootline_boot::BootRecords::all(log.as_bytes()).remove(0);
            let boot = Boot::analyse(records, &bootline_boot::BootOptions::default());
            let rows = spans(&boot, &place).into_iter().filter(|s| matches!(s.kind, "phase" | "stage"));
            rows.map(|s| (s.kind, s.name.to_string(), s.dur_us)).collect()
        };
        let (short, long) = (parts("2.000000"), parts("9.000000"));
        assert_eq!(short, long);
        assert!(
            short.iter().any(|(kind, ..)| *kind == "phase") && short.iter().all(|(.., us)| us.is_some()),
            "{short:?}"
        );
    }

    #[test]
    fn numbers_do_not_make_names_differ() {
        let check = |text: &str, shown: &str| assert_eq!(without_numbers(text), shown);
        check("usb 1-1: new device at 0xfe2a0000 (irq = 17)", "usb #-#: new device at # (irq = #)");
        check("0x", "#");
        check("", "");
        assert_eq!(without_numbers(&"ä".repeat(100)).chars().count(), LONGEST_GAP);
    }
}
