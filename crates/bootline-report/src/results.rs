// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of a boot that are worth following from run to run, as test results: JUnit's cases, LAVA's signals.
//!
//! | a boot's | case | fails |
//! | --- | --- | --- |
//! | time to init | `boot`, `time-to-init` | where the log doesn't reach it; where it can't be trusted, that is an error |
//! | time to the application, from the earliest moment known | `boot`, `time-to-application` | where one was named and not reached |
//! | console's cost | `boot`, `console-cost` | never: exporting judges nothing |
//! | stages that the boot ends, not the log | `stage`, the stage | never |
//! | phases, but for the one that the end of the log ends | `phase`, the phase | never |
//! | findings | `finding`, the rule; those of one rule together | never |
//!
//! A LAVA signal is `<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=name RESULT=pass UNITS=seconds MEASUREMENT=1.5>`, as
//! lava-test-case prints it; the signals of a boot are a test set.
use std::fmt::Write as _;
use std::io::{self, Write};

use super::boot_label::BootLabel;
use super::emitter::{BootEmitter, Emitter, ReportedBoot};
use super::escape::escaped;
use super::explain::title;
use super::junit::{JunitEmitter, TestCase, TestOutcome, TestSuite, TestSuites};
use super::time_value::ClockName;
use super::wire::word;
use bootline_analysis::rules::Finding;
use bootline_boot::{Boot, NoEnd};
use bootline_capture::units::Dur;
use bootline_records::ProblemKind;

struct Result {
    group: &'static str,
    /// Stable from run to run.
    name: String,
    time: Option<Dur>,
    outcome: TestOutcome,
    words: String,
}

fn results(boot: &Boot, findings: &[Finding]) -> Vec<Result> {
    let passed = |group, name: String, time: Dur, words: String| {
        let outcome = TestOutcome::Passed;
        Result { group, name, time: Some(time), outcome, words }
    };
    let mut all = vec![Result {
        group: "boot",
        name: "time-to-init".to_owned(),
        time: boot.end.as_ref().map(|e| e.elapsed.best()),
        outcome: reached(boot),
        words: String::new(),
    }];
    all.extend(application(boot));
    if let Some(line) = &boot.line {
        let words = format!("{} {}..{} s", line.console.name, line.cost.low(), line.cost.high());
        all.push(passed("boot", "console-cost".to_owned(), line.cost.best(), words));
    }
    let since = |first: bool| boot.whole.since.filter(|_| first).map(|since| format!("since {}", since.title()));
    all.extend(
        boot.whole
            .complete_stages()
            .iter()
            .enumerate()
            .map(|(i, s)| passed("stage", word(&s.name), s.length(), since(i == 0).unwrap_or_default())),
    );
    all.extend(boot.complete_phases().map(|p| passed("phase", word(&p.name), p.length(), String::new())));
    let first = all.len();
    for f in findings {
        let remedies = f.remedies.iter().map(|r| format!("\n- {}", r.action)).collect::<String>();
        let words = format!("{}\n{}{remedies}", f.title, f.why);
        match all[first..].iter_mut().find(|r| r.name == f.rule.title()) {
            Some(same) => {
                same.time = same.time.map(|t| t + f.cost.best());
                _ = write!(same.words, "\n\n{words}");
            }
            None => all.push(passed("finding", f.rule.to_string(), f.cost.best(), words)),
        }
    }
    all
}

/// The application, if one was named.
fn application(boot: &Boot) -> Option<Result> {
    let case = |time, outcome, words| {
        let name = "time-to-application".to_owned();
        Result { group: "boot", name, time, outcome, words }
    };
    if let Some((app, time)) = boot.whole.application.as_ref().zip(boot.whole.time_to_application()) {
        let since = boot.whole.since.map_or_else(String::new, |since| format!(", since {}", since.title()));
        return Some(case(Some(time), TestOutcome::Passed, format!("{}{since}", app.name)));
    }
    let missing = boot.problems.iter().find(|p| p.kind == ProblemKind::ApplicationNotReached)?;
    let message = "the application was not reached".to_owned();
    Some(case(None, TestOutcome::Failed { message, details: missing.detail.clone() }, String::new()))
}

/// Whether the boot's end was reached, and can be trusted.
fn reached(boot: &Boot) -> TestOutcome {
    if let Some(p) = boot.problems.iter().find(|p| p.kind.spoils_the_answer()) {
        let (message, details) = (format!("the figures can't be trusted: {}", word(&p.kind)), p.detail.clone());
        return TestOutcome::Error { message, details };
    }
    let Some(why) = boot.no_end() else { return TestOutcome::Passed };
    let (message, shown) = match why {
        NoEnd::Untimed { end } => ("the record that ends the boot has no time", Some(end)),
        NoEnd::Panicked { panic, .. } => ("the kernel panicked", Some(panic)),
        NoEnd::NoMarker { .. } => ("no record contains the marker", None),
        NoEnd::Cut => ("the log ends before the boot does", None),
    };
    let last = shown.and_then(|i| boot.records.get(i)).or_else(|| boot.records.iter().last());
    let details = last.map_or_else(String::new, |r| format!("record {}: {}", r.id, r.text));
    TestOutcome::Failed { message: message.to_owned(), details }
}

/// The boot as a suite of cases.
pub fn test_suite(boot: &Boot, findings: &[Finding], source: &BootLabel) -> TestSuite {
    let clock = ClockName::of_axis(boot.timeline.clock).map_or("none", ClockName::title);
    let command_line: Vec<&str> = boot.kernel.command_line.words().collect();
    let known = [
        ("kernel", boot.kernel.release.clone()),
        ("command-line", Some(command_line.join(" ")).filter(|c| !c.is_empty())),
        ("clock", Some(clock.to_owned())),
        ("console", boot.line.as_ref().map(|l| l.console.name.clone())),
    ];
    let cases = results(boot, findings)
        .into_iter()
        .map(|r| TestCase::passed(&format!("bootline.{}", r.group), r.name, r.time).with(r.outcome).output(r.words));
    TestSuite {
        name: title(boot, source),
        properties: known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect(),
        // Stages and phases are within the boot, and the findings within them: adding them up would count time several times.
        time: Some(match (&boot.whole.until, &boot.end) {
            (Some(_), _) => boot.whole.length().unwrap_or_default(),
            (None, Some(end)) => end.elapsed.best(),
            (None, None) => boot.phases.iter().map(|p| p.length()).sum(),
        }),
        cases: cases.collect(),
    }
}

/// Boots as one JUnit file, a suite each.
#[derive(Debug)]
pub struct JunitBoots {
    all: TestSuites,
}

impl Default for JunitBoots {
    fn default() -> JunitBoots {
        JunitBoots { all: TestSuites { name: "bootline".to_owned(), suites: Vec::new() } }
    }
}

impl BootEmitter for JunitBoots {
    /// Stores the boot's cases: the file begins with the total number.
    fn boot(&mut self, reported: &ReportedBoot<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.all.suites.push(test_suite(reported.boot, reported.findings, reported.label));
        Ok(())
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.all.suites.is_empty() { Ok(()) } else { JunitEmitter(&self.all).emit(out) }
    }
}

/// Boots as LAVA's signals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lava;

impl BootEmitter for Lava {
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<LAVA_SIGNAL_TESTSET START boot-{}>", reported.number())?;
        for r in results(reported.boot, reported.findings) {
            let result = match r.outcome {
                TestOutcome::Passed => "pass",
                TestOutcome::Failed { .. } => "fail",
                TestOutcome::Error { .. } => "unknown",
                TestOutcome::Skipped { .. } => "skip",
            };
            let group = if r.group == "boot" { String::new() } else { format!("{}-", r.group) };
            let name = case_id(&format!("{group}{}", r.name));
            let measured = r.time.map(|t| format!(" UNITS=seconds MEASUREMENT={t}")).unwrap_or_default();
            writeln!(out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={name} RESULT={result}{measured}>")?;
        }
        out.write_all(b"<LAVA_SIGNAL_TESTSET STOP>\n")
    }
}

/// A signal ends at `>` and its fields at blanks: what isn't a letter, a digit, `.`, `_` or `-` becomes `-`.
fn case_id(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    escaped(name).chars().map(|c| if allowed(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_not_end_a_signal() {
        let check = |name, want| assert_eq!(case_id(name), want);
        check("finding-con003 console-lock", "finding-con003-console-lock");
        check("a RESULT=fail>\n<LAVA", "a-RESULT-fail--n-LAVA");
        check("größe_1.2", "gr--e_1.2");
    }
}
