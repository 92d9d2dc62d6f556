// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds when the application was reached: its unit was up, a record says what its marker says, or the board showed its mark.
use std::fmt;

use regex::Regex;

use super::alignment::Alignment;
use super::application::{Application, Reached};
use super::journal_match::MatchedJournal;
use super::process::Process;
use super::traced::{MarkKind, MarkOfTrace};
use super::unit::Unit;
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::end::is_command_line;
use crate::service::{FASTINIT, Service};
use bootline_capture::units::Dur;
use bootline_records::RecordOrigin;
use bootline_records::source::is_unit_name;

/// What shows that the application was reached.
#[derive(Clone, Debug)]
pub enum AppMarker {
    /// A unit of systemd: reached when it is up, or, for Type=simple and Type=idle, when its program is executed.
    Unit(String),
    /// A record of user space that this matches, after the start of the unit that prints it, by systemd or by fastinit.
    RecordOfUnit {
        /// The unit.
        unit: String,
        /// What it prints.
        record: Regex,
    },
    /// A record of user space that this matches, a marker in a trace, or a process.
    Record(Regex),
    /// A mark of the capture.
    Mark(String),
}

/// How a mark's name begins among the ways to name the application.
const MARK: &str = "mark:";

impl AppMarker {
    /// A unit's name, a unit's name with `=` and a regular expression, `mark:` and a mark's name, or a regular expression.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<AppMarker, regex::Error> {
        if let Some(name) = text.strip_prefix(MARK).filter(|name| !name.is_empty()) {
            return Ok(AppMarker::Mark(name.to_owned()));
        }
        if let Some((unit, record)) = text.split_once('=').filter(|(unit, _)| is_unit_name(unit)) {
            if record.is_empty() {
                return Err(regex::Error::Syntax(format!("no expression after `{text}`")));
            }
            return Ok(AppMarker::RecordOfUnit { unit: unit.to_owned(), record: Regex::new(record)? });
        }
        if is_unit_name(text) { Ok(AppMarker::Unit(text.to_owned())) } else { Regex::new(text).map(AppMarker::Record) }
    }
}

impl AppMarker {
    /// The unit that it names.
    pub fn unit(&self) -> Option<&str> {
        match self {
            AppMarker::Unit(unit) | AppMarker::RecordOfUnit { unit, .. } => Some(unit),
            AppMarker::Record(_) | AppMarker::Mark(_) => None,
        }
    }
}

impl PartialEq for AppMarker {
    fn eq(&self, other: &AppMarker) -> bool {
        match (self, other) {
            (AppMarker::Unit(one), AppMarker::Unit(another)) | (AppMarker::Mark(one), AppMarker::Mark(another)) => {
                one == another
            }
            (AppMarker::Record(one), AppMarker::Record(another)) => one.as_str() == another.as_str(),
            (
                AppMarker::RecordOfUnit { unit, record },
                AppMarker::RecordOfUnit { unit: other_unit, record: other_record },
            ) => unit == other_unit && record.as_str() == other_record.as_str(),
            _ => false,
        }
    }
}

impl fmt::Display for AppMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppMarker::Unit(name) => f.write_str(name),
            AppMarker::RecordOfUnit { unit, record } => write!(f, "{unit}={}", record.as_str()),
            AppMarker::Record(regex) => f.write_str(regex.as_str()),
            AppMarker::Mark(name) => write!(f, "{MARK}{name}"),
        }
    }
}

pub(super) fn find(
    boot: &Boot,
    marker: &AppMarker,
    whole: &WholeBoot,
    journals: &[MatchedJournal<'_>],
    monotonic: Option<Alignment>,
) -> Option<Application> {
    let logs = Logs { boot, whole, journals, monotonic };
    match marker {
        AppMarker::Unit(name) => {
            let position = unit_position(whole, name)?;
            let unit = &whole.units[position];
            let up = unit.up?;
            let (at, reached) = match executed(unit).filter(|at| *at > up) {
                Some(at) => (at, Reached::Executed),
                None => (up, Reached::UnitUp),
            };
            // systemd's message is that the unit is up, which may be before.
            let record = unit.last.or(unit.first).filter(|_| reached == Reached::UnitUp);
            Some(Application { unit: Some(position), start: unit.activating, record, ..application(name, at, reached) })
        }
        AppMarker::RecordOfUnit { unit, record } => {
            let by_fastinit = started_by_fastinit(boot, unit);
            let of_program = || unit_position(whole, &by_fastinit?.name);
            let position = unit_position(whole, unit).or_else(of_program);
            // A line before the unit's start can't be its own.
            let begins =
                [position.and_then(|at| whole.units[at].begins()), by_fastinit.and_then(|s| s.start.or(s.end))];
            let start = begins.into_iter().flatten().min()?;
            let found = logs.find(record, Some(start))?;
            Some(Application { name: unit.clone(), unit: position, start: Some(start), ..found })
        }
        AppMarker::Record(regex) => {
            let process = process(regex, &whole.processes);
            let start = process.and_then(|at| whole.processes[at].start);
            match logs.find(regex, None) {
                Some(found) => {
                    let process = process.filter(|_| start.is_some_and(|start| start <= found.at));
                    Some(Application { process, start: start.filter(|_| process.is_some()), ..found })
                }
                // A process that exists is all that is known of it.
                None => {
                    let process = process?;
                    let of_process = &whole.processes[process];
                    let name = of_process.args.as_ref().unwrap_or(&of_process.name);
                    Some(Application {
                        process: Some(process),
                        start,
                        ..application(name, start?, Reached::ProcessStart)
                    })
                }
            }
        }
        AppMarker::Mark(name) => {
            let position = boot.marks.iter().position(|mark| mark.name == *name)?;
            let at = boot.marks[position].at;
            Some(Application { mark: Some(position), ..application(name, at, Reached::Mark) })
        }
    }
}

fn unit_position(whole: &WholeBoot, name: &str) -> Option<usize> {
    whole.units.iter().position(|u| u.name == *name)
}

/// The program that fastinit started in a service's place, by its record: systemd takes it over, or does not know of it where the unit is
/// masked.
fn started_by_fastinit<'b>(boot: &'b Boot, unit: &str) -> Option<&'b Service> {
    let program = unit.strip_suffix(".service")?;
    let said = |s: &&Service| boot.records.by_id(s.first).is_some_and(|r| r.text.starts_with(FASTINIT));
    boot.services.iter().filter(|s| s.name == program).find(said)
}

/// When the program of a unit was executed that systemd takes for up before that.
fn executed(unit: &Unit) -> Option<Dur> {
    unit.executed.filter(|_| matches!(unit.service_type.as_deref(), Some("simple" | "idle")))
}

/// Where a line of the application can be: the console's log, journals, a trace.
struct Logs<'a> {
    boot: &'a Boot,
    whole: &'a WholeBoot,
    journals: &'a [MatchedJournal<'a>],
    /// systemd's clock on the axis.
    monotonic: Option<Alignment>,
}

impl Logs<'_> {
    /// The first line that matches, from a moment on: the console's, else a journal's, else a trace's.
    fn find(&self, regex: &Regex, from: Option<Dur>) -> Option<Application> {
        let counts = |at: Dur| from.is_none_or(|from| at >= from);
        let of_trace = || {
            let is_it = |m: &&MarkOfTrace| m.kind == MarkKind::Marker && counts(m.at) && regex.is_match(&m.text);
            self.whole.trace_marks.iter().find(is_it).map(|m| application(&m.text, m.at, Reached::Line))
        };
        self.on_console(regex, counts).or_else(|| self.in_journal(regex, counts)).or_else(of_trace)
    }

    fn on_console(&self, regex: &Regex, counts: impl Fn(Dur) -> bool) -> Option<Application> {
        let boot = self.boot;
        // What firmware prints, and the kernel of its own parameters, is not the application's.
        let first = boot.milestones.first_kernel.unwrap_or(0);
        (first..boot.records.len()).find_map(|i| {
            let r = boot.records.get(i).filter(|r| !is_command_line(r) && regex.is_match(r.text))?;
            let at = boot.timeline.stored(i).filter(|at| counts(*at))?;
            Some(Application { record: Some(r.id), ..application(r.text, at, Reached::Line) })
        })
    }

    /// The first message of user space in a journal.
    fn in_journal(&self, regex: &Regex, counts: impl Fn(Dur) -> bool) -> Option<Application> {
        let clock = self.monotonic?;
        self.journals.iter().flat_map(|j| j.records.records.iter()).find_map(|r| {
            let is_it = r.source == RecordOrigin::Other && regex.is_match(r.text);
            let at = clock.on_axis(r.stamp.filter(|_| is_it)?.since_origin());
            counts(at).then(|| application(r.text, at, Reached::Line))
        })
    }
}

fn application(name: &str, at: Dur, reached: Reached) -> Application {
    Application { name: name.to_owned(), unit: None, process: None, start: None, at, reached, record: None, mark: None }
}

/// The first process whose whole name matches; else the first of which a part of the name or of the arguments does.
fn process(regex: &Regex, processes: &[Process]) -> Option<usize> {
    let is_name = |p: &Process| regex.find(p.path_name()).is_some_and(|found| found.len() == p.path_name().len());
    let first = |is: &dyn Fn(&Process) -> bool| processes.iter().position(|p| p.start.is_some() && is(p));
    first(&is_name).or_else(|| first(&|p| is_process(regex, p)))
}

fn is_process(regex: &Regex, process: &Process) -> bool {
    regex.is_match(process.path_name())
        || regex.is_match(&process.name)
        || process.args.as_ref().is_some_and(|args| regex.is_match(args))
}
