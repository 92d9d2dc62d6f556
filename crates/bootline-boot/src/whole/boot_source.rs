// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is given besides a boot's log, and how it was used.
use std::fmt;

use super::alignment::Alignment;
use crate::boot_records::BootRecords;
use bootline_capture::units::MonotonicTime;
use bootline_records::source::{Facts, KernelTrace, Source, SourceKind, TraceTimes};

/// A file that describes the boot besides its log.
#[derive(Clone, Debug)]
pub struct BootSource {
    /// As the user named it.
    pub name: String,
    /// What is in it.
    pub content: SourceContent,
    /// The kernel's log that came with it, in one archive: it shows whether the source is of this boot.
    pub log: Option<BootRecords>,
}

impl BootSource {
    /// A source that came without a kernel log of its own.
    pub fn new(name: impl Into<String>, content: SourceContent) -> BootSource {
        BootSource { name: name.into(), content, log: None }
    }
}

/// What is in a file that describes the boot.
#[derive(Clone, Debug)]
pub enum SourceContent {
    /// What a tool other than a log's says.
    Facts(Source),
    /// The boots of a journal, with what it says of units.
    Journal(Vec<BootRecords>),
}

/// How a source was used.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceUse {
    /// As the user named it.
    pub name: String,
    /// What it is: `systemctl show`; none where it was not recognised.
    pub kind: Option<&'static str>,
    /// What of systemd it shows: `units`; none where its kind says that.
    pub subject: Option<&'static str>,
    /// How its clock was placed on the axis; none for one that shows only lengths or dependencies, or that was not used.
    pub alignment: Option<Alignment>,
    /// Why it was not used, if it was not.
    pub refused: Option<SourceRefusal>,
    /// How many kernel records of a log that came with it are this boot's, too.
    pub matched_records: usize,
    /// What else there is to know of it: its clock, how fine its times are. From a file: escape it.
    pub note: Option<String>,
}

/// Why a source was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceRefusal {
    /// Its content is not recognised.
    Unknown,
    /// The file is empty.
    Blank,
    /// It says nothing that is used.
    Empty,
    /// Nothing of it can be used; why, in words. From a file: escape it.
    Unusable(String),
    /// It is of another boot: so many of so many shared events fit.
    OtherBoot {
        /// Events that fit.
        matched: usize,
        /// Events that should.
        of: usize,
    },
    /// It holds several boots, and nothing shows which one this is.
    SeveralBoots(usize),
    /// Its times are of user space after a soft reboot.
    SoftReboot,
    /// systemd started too long after this kernel, or before its init.
    NotThisKernel {
        /// When it started, by the source.
        user_space: MonotonicTime,
    },
    /// Another source of this kind was used.
    Second,
    /// It is of another kernel.
    OtherKernel {
        /// The release that it names. From a file: escape it.
        theirs: String,
        /// The release of the log's kernel.
        ours: String,
    },
    /// Its clock does not start with the kernel.
    NotSinceBoot,
    /// Its times are of a clock that nothing relates to the kernel's; which, if that is known.
    TraceClock(Option<String>),
    /// A trace in the latency format, whose times count from some event.
    LatencyFormat,
    /// It is a picture: nothing of what it was drawn from is in it.
    Picture,
}

impl fmt::Display for SourceRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceRefusal::Unknown => f.write_str("was not used: its kind is not recognised"),
            SourceRefusal::Blank => f.write_str("is empty, or holds only blanks"),
            SourceRefusal::Empty => f.write_str("says nothing of a boot"),
            SourceRefusal::Unusable(why) => write!(f, "was not used: {why}"),
            SourceRefusal::OtherBoot { matched, of } => {
                write!(f, "is of another boot and was not used: {matched} of {of} events are in both")
            }
            SourceRefusal::SeveralBoots(n) => {
                write!(f, "holds {n} boots, and nothing shows which of them this is: it was not used")
            }
            SourceRefusal::SoftReboot => {
                f.write_str("is of user space after a soft reboot, not of this kernel's boot, and was not used")
            }
            SourceRefusal::NotThisKernel { user_space } => write!(
                f,
                "is not of this kernel's boot (a container?) and was not used: systemd started {user_space} s after a kernel's start"
            ),
            SourceRefusal::OtherKernel { theirs, ours } => {
                write!(f, "is of another kernel and was not used: of {theirs}, and the log is of {ours}")
            }
            SourceRefusal::NotSinceBoot => f.write_str(
                "was not used: it begins before user space does. It counts from its own start (`bootchartd start`), or is of another boot",
            ),
            SourceRefusal::TraceClock(Some(clock)) => write!(
                f,
                "was not used: its clock is `{clock}`, and nothing shows where its zero lies. Trace with `trace_clock=local` or `mono`"
            ),
            SourceRefusal::TraceClock(None) => f.write_str(
                "was not used: its times are a counter's, not seconds. Trace with `trace_clock=local` or `mono`",
            ),
            SourceRefusal::LatencyFormat => f.write_str(
                "was not used: in the latency format, times do not count from the kernel's start. Read it again after \
                 `echo nolatency-format > trace_options`",
            ),
            SourceRefusal::Picture => f.write_str(
                "was not used: it is drawn, and holds no data. Give what `systemctl show --all '*'` prints, or a trace of that boot",
            ),
            SourceRefusal::Second => f.write_str("was not used: another source of its kind was"),
        }
    }
}

impl SourceUse {
    pub(super) fn of(source: &BootSource) -> SourceUse {
        let (kind, refused) = match &source.content {
            SourceContent::Facts(Source { facts: Facts::Blank, .. }) => (None, Some(SourceRefusal::Blank)),
            SourceContent::Facts(Source { kind: None, .. }) => (None, Some(SourceRefusal::Unknown)),
            SourceContent::Facts(Source { kind: Some(kind @ SourceKind::BootchartPicture), .. }) => {
                (Some(kind.name()), Some(SourceRefusal::Picture))
            }
            SourceContent::Facts(facts) => {
                let is_empty = match &facts.facts {
                    Facts::None | Facts::Blank => true,
                    Facts::Systemd(state) => state.units.is_empty() && state.manager.is_none(),
                    Facts::LoaderMarks(marks) => marks.marks.is_empty(),
                    Facts::Bootchart(chart) => chart.sampled.is_none(),
                    Facts::Trace(trace) => is_empty(trace),
                    Facts::Startup(times) => times.user_space.is_none() && times.kernel.is_none(),
                };
                let why = facts.problems.iter().next().map(|p| SourceRefusal::Unusable(p.detail.clone()));
                (facts.kind.map(|k| k.name()), is_empty.then(|| why.unwrap_or(SourceRefusal::Empty)))
            }
            SourceContent::Journal(_) => (Some("a journal"), None),
        };
        let subject = subject(source);
        SourceUse { name: source.name.clone(), kind, subject, alignment: None, refused, matched_records: 0, note: None }
    }
}

/// What of systemd a file shows, where that differs from file to file of one kind.
fn subject(source: &BootSource) -> Option<&'static str> {
    match &source.content {
        SourceContent::Facts(Source {
            kind: Some(SourceKind::SystemctlShow), facts: Facts::Systemd(state), ..
        }) => match (state.units.is_empty(), &state.manager) {
            (true, Some(_)) => Some("the manager"),
            (false, None) => Some("units"),
            (false, Some(_)) => Some("the manager and units"),
            (true, None) => None,
        },
        _ => None,
    }
}

/// Whether nothing in a trace is used; one whose times can't be read is refused for that.
fn is_empty(trace: &KernelTrace) -> bool {
    let marks = trace.modules.len() + trace.markers.len();
    trace.times == TraceTimes::Seconds && trace.initcalls.len() + trace.programs.len() + marks == 0
}
