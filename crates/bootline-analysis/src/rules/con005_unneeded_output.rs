// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite;
use super::wording::{percent, seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use crate::predict::{Setting, remove_parameters};
use crate::remedy::{Remedy, Risk};
use bootline_boot::{CommandLine, initcall_debug};
use bootline_capture::units::{Dur, Interval};
use bootline_records::{Record, RecordOrigin};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con005,
    doc: "The console prints more than is worth its time at this speed: all messages of the default log level over \
          115200 baud or less, or the output of debugging parameters that were left on: initcall_debug, debug, \
          ignore_loglevel, a high loglevel=. The messages stay in the ring buffer whatever the console prints; dmesg \
          shows them.",
    place: TimelinePlace::AllWaits,
    check,
};

/// Least saving, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.02);
/// Speed in bytes per second up to which the default messages are worth suppressing: 115200 baud.
const SLOW: f64 = 11_600.0;
/// `quiet` prints levels below this.
const QUIET: u8 = 4;
/// CONFIG_CONSOLE_LOGLEVEL_DEFAULT where nobody changed it.
const DEFAULT: u8 = 7;

/// Bytes transmitted up to the boot's end, by kind.
#[derive(Default)]
struct LoggedBytes {
    initcall_debug: u64,
    debug: u64,
    other: u64,
    /// Errors and worse, which quiet prints too.
    kept: u64,
    /// Of all bytes, those whose log level is known.
    level_known: u64,
}

impl LoggedBytes {
    fn add(&mut self, r: &Record<'_>) {
        let n = u64::from(r.line_bytes);
        self.level_known += if r.level.is_some() { n } else { 0 };
        let kind = match r.level.map(|l| l.0) {
            _ if initcall_debug::is_written_by_it(r.text) => &mut self.initcall_debug,
            Some(level) if level < QUIET => &mut self.kept,
            Some(level) if level >= 7 => &mut self.debug,
            _ => &mut self.other,
        };
        *kind += n;
    }

    fn total(&self) -> u64 {
        self.initcall_debug + self.debug + self.other + self.kept
    }
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let command_line = &case.boot.kernel.command_line;
    let level = command_line.console_loglevel();
    let left_on = left_on(command_line);
    let slow = line.speed.is_none_or(|s| s.rate.bytes_per_s() <= SLOW);
    if level <= QUIET || !slow && left_on.is_empty() {
        return Vec::new();
    }
    let mut chars = LoggedBytes::default();
    for (i, r) in case.boot.records.iter().enumerate().take(case.boot.end_index()) {
        if r.source == RecordOrigin::Kernel && case.boot.timeline.place(i).transmitted.is_some() {
            chars.add(&r);
        }
    }
    let total = chars.total();
    if total == 0 {
        return Vec::new();
    }
    let share = |n: u64| n as f64 / total as f64;
    let of = |n: u64| {
        let c = line.cost;
        Interval::new(c.low().scale(share(n)), c.best().scale(share(n)), c.high().scale(share(n)))
    };
    let (debug, all) = (of(chars.initcall_debug + chars.debug), of(total - chars.kept));
    // Without levels it is unknown what quiet would have printed.
    let low = if chars.level_known == total { all.low() } else { debug.low() };
    let cost = Interval::new(low, all.best(), all.high());
    if cost.best() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let mut remedies = vec![console_remedies::print_less(case)];
    if debug.best() > Dur::ZERO && !left_on.is_empty() {
        let action = "remove debugging parameters that were left on";
        let changes = remove_parameters(case.boot, |word| {
            left_on.iter().any(|left| left == word || word.starts_with(&format!("{left}=")))
        });
        let price = "no times of initcalls and probes; with quiet the parameters may stay: dmesg then has them";
        let remedy = Remedy::new(action, changes, price, Risk::Low);
        remedies.push(remedy.saving(case.saves(&without_debugging(command_line))));
    }
    let unknown = if chars.level_known == total { "" } else { "; the log shows no levels, so errors count as other" };
    let on = if left_on.is_empty() { format!("log level {level}") } else { left_on.join(", ") };
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} of {total} bytes on {} are messages that quiet would suppress: {}, {} of the boot",
            total - chars.kept,
            line.console.name,
            seconds(cost.best()),
            percent(cost.best(), case.total())
        ),
        cost,
        part_of: vec![RuleId::Con001, RuleId::Con002, RuleId::Con003, RuleId::Con007],
        time_ranges: Vec::new(),
        why: format!(
            "with {on}: {} bytes of initcall_debug, {} of debug level, {} other, {} errors and worse{unknown}; \
             the line transmits {}",
            chars.initcall_debug,
            chars.debug,
            chars.other,
            chars.kept,
            speed(line)
        ),
        evidence: cite(case.boot, case.boot.kernel.command_line_record),
        remedies,
    }]
}

/// The settings that undo the debugging parameters.
fn without_debugging(c: &CommandLine) -> Vec<Setting> {
    let silent = c.initcall_debug().then_some(Setting::NoInitcallDebug);
    let default = (c.console_loglevel() > DEFAULT).then_some(Setting::LogLevel(DEFAULT));
    silent.into_iter().chain(default).collect()
}

/// The parameters that make a kernel print more than by default.
fn left_on(c: &CommandLine) -> Vec<String> {
    let mut found = Vec::new();
    if c.initcall_debug() {
        found.push("initcall_debug".to_owned());
    }
    found.extend(["debug", "ignore_loglevel"].into_iter().filter(|w| c.has(w)).map(str::to_owned));
    found.extend(c.value("loglevel").filter(|v| v.parse::<u8>().is_ok_and(|v| v > 7)).map(|v| format!("loglevel={v}")));
    found
}
