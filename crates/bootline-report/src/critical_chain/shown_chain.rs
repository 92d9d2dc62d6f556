// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain together with what its links refer to.
use bootline_analysis::boot_chain::{BootChain, BootLink, ChainEnd, LinkKind};
use bootline_analysis::critical_path::{CriticalPath, Segment};
use bootline_analysis::user_space::{ChainLink, UnitChain};
use bootline_boot::{Boot, Reached, StageEvidence, WholeEnd};
use bootline_records::RecordId;

/// A chain to be shown.
#[derive(Clone, Copy)]
pub(crate) struct ShownChain<'b, 'c> {
    /// Its boot.
    pub boot: &'b Boot,
    /// The chain.
    pub chain: &'c BootChain,
    /// The path that its segments are of.
    pub path: Option<&'c CriticalPath>,
    /// The chain that its units are of.
    pub units: Option<&'c UnitChain>,
}

impl<'b, 'c> ShownChain<'b, 'c> {
    /// The segment that a link is.
    pub fn segment(&self, link: &BootLink) -> Option<&'c Segment> {
        match link.kind {
            LinkKind::Segment { segment } => self.path?.segments.get(segment),
            _ => None,
        }
    }

    /// The link of the chain of units that a link is of.
    pub fn unit_link(&self, link: &BootLink) -> Option<&'c ChainLink> {
        match link.kind {
            LinkKind::Queue { link } | LinkKind::Unit { link } | LinkKind::Application { link: Some(link) } => {
                self.units?.links.get(link)
            }
            _ => None,
        }
    }

    /// The unit that a link is of, or that waits in it.
    pub fn unit(&self, link: &BootLink) -> Option<&'b str> {
        Some(&self.boot.whole.units.get(self.unit_link(link)?.unit)?.name)
    }

    /// The application's name.
    pub fn application(&self) -> &'b str {
        self.boot.whole.application.as_ref().map_or("the application", |app| &app.name)
    }

    /// Title of a link; a name in it is from a file: escape it like a record.
    pub fn title(&self, link: &BootLink) -> String {
        let unit = self.unit(link).unwrap_or_default();
        match link.kind {
            LinkKind::Stage(stage) => stage.title().to_owned(),
            LinkKind::Segment { .. } => self.segment(link).map(|s| s.kind.title()).unwrap_or_default(),
            LinkKind::ManagerLoad => "systemd: read and linked".to_owned(),
            LinkKind::ManagerStart => "systemd: set-up, generators, loading of units".to_owned(),
            LinkKind::ManagerSetUp => "systemd: set-up".to_owned(),
            LinkKind::Generators => "systemd: generators".to_owned(),
            LinkKind::UnitsLoad => "systemd: loading of units".to_owned(),
            LinkKind::Queue { .. } => {
                let others = match self.started_meanwhile(link) {
                    0 => "no unit was started".to_owned(),
                    1 => "systemd started 1 other unit".to_owned(),
                    n => format!("systemd started {n} other units"),
                };
                format!("before {unit}: {others}")
            }
            LinkKind::Unit { .. } => unit.to_owned(),
            LinkKind::Application { .. } => format!("application: {}", self.application()),
            LinkKind::ApplicationExecution => "its process, until its program is executed".to_owned(),
            LinkKind::ApplicationProgram => "its program, until it is reached".to_owned(),
            LinkKind::AfterUnits => format!("after the last unit, to {}", self.chain.until.title()),
        }
    }

    /// Title of a link in a table, below the one that comes after it: that names the unit.
    pub fn short_title(&self, link: &BootLink) -> String {
        match (link.kind, self.started_meanwhile(link)) {
            (LinkKind::Queue { .. }, 0) => "queue: no unit began".to_owned(),
            (LinkKind::Queue { .. }, 1) => "queue: 1 unit began".to_owned(),
            (LinkKind::Queue { .. }, n) => format!("queue: {n} units began"),
            _ => self.title(link),
        }
    }

    /// How many other units began to start while one could have started.
    fn started_meanwhile(&self, link: &BootLink) -> usize {
        self.unit_link(link).map_or(0, |l| l.started_meanwhile)
    }

    /// What shows a link's start, if no record does.
    pub fn evidence(&self, link: &BootLink) -> Option<String> {
        match link.start_by.as_ref()? {
            StageEvidence::Record(_) | StageEvidence::FirstByte(_) => None,
            evidence => Some(evidence.title()),
        }
    }

    /// The first and the last record that show a link.
    pub fn records(&self, link: &BootLink) -> (Option<RecordId>, Option<RecordId>) {
        match &link.start_by {
            Some(StageEvidence::Record(id) | StageEvidence::FirstByte(id)) => (Some(*id), link.last),
            _ => (link.first, link.last),
        }
    }

    /// `app.service was up`; a name in it is from a file: escape it like a record.
    pub fn reached(&self) -> String {
        match self.chain.until {
            ChainEnd::Init => "Init started".to_owned(),
            ChainEnd::Reached(WholeEnd::Marker) => "The marker was reached".to_owned(),
            ChainEnd::Reached(WholeEnd::SystemdFinish) => "systemd's first transaction was complete".to_owned(),
            ChainEnd::Reached(WholeEnd::Target(name)) => format!("{name} was reached"),
            ChainEnd::Reached(WholeEnd::LoginPrompt) => "The login prompt was reached".to_owned(),
            ChainEnd::Reached(WholeEnd::Application) => {
                let app = self.boot.whole.application.as_ref();
                let what = match app.map(|app| app.reached) {
                    Some(Reached::UnitUp) => "was up",
                    Some(Reached::Executed) => "was executed",
                    Some(Reached::Mark) => "showed its mark",
                    Some(Reached::ProcessStart) => "started",
                    Some(Reached::Line) | None => "was reached",
                };
                format!("The application ({}) {what}", self.application())
            }
        }
    }

    /// What the chain ends with, in short; a name in it is from a file: escape it like a record.
    pub fn end_title(&self) -> &'b str {
        match self.chain.until {
            ChainEnd::Reached(WholeEnd::Application) => self.application(),
            until => until.title(),
        }
    }

    /// The record that shows its end.
    pub fn last_record(&self) -> Option<RecordId> {
        let end = self.boot.end.as_ref().map(|end| end.record);
        match self.chain.until {
            ChainEnd::Init | ChainEnd::Reached(WholeEnd::Marker) => end,
            ChainEnd::Reached(WholeEnd::Application) => self.boot.whole.application.as_ref().and_then(|app| app.record),
            ChainEnd::Reached(_) => None,
        }
    }
}
