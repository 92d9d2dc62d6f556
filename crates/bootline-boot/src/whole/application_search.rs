// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds when the application was reached: its unit was up, a record says what its marker says, or the board showed its mark.
use std::fmt;

use regex::Regex;

use super::alignment::Alignment;
use super::application::Application;
use super::journal_match::MatchedJournal;
use super::unit::Unit;
use crate::boot::Boot;
use crate::end::is_command_line;
use bootline_records::RecordOrigin;
use bootline_records::source::is_unit_name;

/// What shows that the application was reached.
#[derive(Clone, Debug)]
pub enum AppMarker {
    /// A unit of systemd that is up.
    Unit(String),
    /// A record of user space that this matches.
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
    units: &[Unit],
    journals: &[MatchedJournal<'_>],
    monotonic: Option<Alignment>,
) -> Option<Application> {
    match marker {
        AppMarker::Unit(name) => {
            let position = units.iter().position(|u| u.name == *name)?;
            let unit = &units[position];
            let at = unit.up?;
            Some(Application {
                name: name.clone(),
                unit: Some(position),
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
                let (name, at) = (r.text.to_owned(), boot.timeline.stored(i)?);
                Some(Application { name, unit: None, start: None, at, record: Some(r.id), mark: None })
            });
            of_console.or_else(|| in_journal(regex, journals, monotonic?))
        }
        AppMarker::Mark(name) => {
            let position = boot.marks.iter().position(|mark| mark.name == *name)?;
            let (name, at) = (name.clone(), boot.marks[position].at);
            Some(Application { name, unit: None, start: None, at, record: None, mark: Some(position) })
        }
    }
}

/// The first message of user space in a journal that matches.
fn in_journal(regex: &Regex, journals: &[MatchedJournal<'_>], clock: Alignment) -> Option<Application> {
    journals.iter().flat_map(|j| j.records.records.iter()).find_map(|r| {
        let found = r.source == RecordOrigin::Other && regex.is_match(r.text);
        let at = clock.on_axis(r.stamp.filter(|_| found)?.since_origin());
        Some(Application { name: r.text.to_owned(), unit: None, start: None, at, record: None, mark: None })
    })
}
