// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds when the application was reached: its unit was up, a record says what its marker says, or the board showed its mark.
use std::fmt;

use regex::Regex;

use super::alignment::Alignment;
use super::application::Application;
use super::journal_match::MatchedJournal;
use super::process::Process;
use super::traced::{MarkKind, MarkOfTrace};
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::end::is_command_line;
use bootline_capture::units::Dur;
use bootline_records::source::is_unit_name;
use bootline_records::{RecordId, RecordOrigin};

/// What shows that the application was reached.
#[derive(Clone, Debug)]
pub enum AppMarker {
    /// A unit of systemd that is up.
    Unit(String),
    /// A record of user space that this matches, a marker in a trace, or a process.
    Record(Regex),
    /// A mark of the capture.
    Mark(String),
}

/// How a mark's name begins among the ways to name the application.
const MARK: &str = "mark:";

impl AppMarker {
    /// A unit's name, `mark:` and a mark's, or a regular expression.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<AppMarker, regex::Error> {
        if let Some(name) = text.strip_prefix(MARK).filter(|name| !name.is_empty()) {
            return Ok(AppMarker::Mark(name.to_owned()));
        }
        if is_unit_name(text) { Ok(AppMarker::Unit(text.to_owned())) } else { Regex::new(text).map(AppMarker::Record) }
    }
}

impl PartialEq for AppMarker {
    fn eq(&self, other: &AppMarker) -> bool {
        match (self, other) {
            (AppMarker::Unit(one), AppMarker::Unit(another)) | (AppMarker::Mark(one), AppMarker::Mark(another)) => {
                one == another
            }
            (AppMarker::Record(one), AppMarker::Record(another)) => one.as_str() == another.as_str(),
            _ => false,
        }
    }
}

impl fmt::Display for AppMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppMarker::Unit(name) => f.write_str(name),
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
    match marker {
        AppMarker::Unit(name) => {
            let units = &whole.units;
            let position = units.iter().position(|u| u.name == *name)?;
            let unit = &units[position];
            let at = unit.up?;
            Some(Application {
                name: name.clone(),
                unit: Some(position),
                process: None,
                start: unit.activating,
                at,
                record: unit.last.or(unit.first),
                mark: None,
            })
        }
        AppMarker::Record(regex) => {
            // What firmware prints, and the kernel of its own parameters, is not the application's.
            let from = boot.milestones.first_kernel.unwrap_or(0);
            let of_console = (from..boot.records.len()).find_map(|i| {
                let r = boot.records.get(i).filter(|r| !is_command_line(r) && regex.is_match(r.text))?;
                Some(reached(r.text, boot.timeline.stored(i)?, Some(r.id)))
            });
            let found = of_console.or_else(|| in_journal(regex, journals, monotonic?)).or_else(|| {
                let is_it = |m: &&MarkOfTrace| m.kind == MarkKind::Marker && regex.is_match(&m.text);
                whole.trace_marks.iter().find(is_it).map(|m| reached(&m.text, m.at, None))
            });
            let process = process(regex, &whole.processes);
            let start = process.and_then(|at| whole.processes[at].start);
            match found {
                Some(found) => {
                    let process = process.filter(|_| start.is_some_and(|start| start <= found.at));
                    Some(Application { process, start: start.filter(|_| process.is_some()), ..found })
                }
                // A process that exists is all that is known of it.
                None => {
                    let process = process?;
                    let of_process = &whole.processes[process];
                    let name = of_process.args.as_ref().unwrap_or(&of_process.name);
                    Some(Application { process: Some(process), start, ..reached(name, start?, None) })
                }
            }
        }
        AppMarker::Mark(name) => {
            let position = boot.marks.iter().position(|mark| mark.name == *name)?;
            let at = boot.marks[position].at;
            Some(Application { mark: Some(position), ..reached(name, at, None) })
        }
    }
}

fn reached(name: &str, at: Dur, record: Option<RecordId>) -> Application {
    Application { name: name.to_owned(), unit: None, process: None, start: None, at, record, mark: None }
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

/// The first message of user space in a journal that matches.
fn in_journal(regex: &Regex, journals: &[MatchedJournal<'_>], clock: Alignment) -> Option<Application> {
    journals.iter().flat_map(|j| j.records.records.iter()).find_map(|r| {
        let found = r.source == RecordOrigin::Other && regex.is_match(r.text);
        let at = clock.on_axis(r.stamp.filter(|_| found)?.since_origin());
        Some(reached(r.text, at, None))
    })
}
