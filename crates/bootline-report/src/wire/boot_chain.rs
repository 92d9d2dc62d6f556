// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chain through a whole boot.
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{ChainPart, StageName, WholeOrigin};
use super::{Id, id};
use crate::critical_chain::ShownChain;
use bootline_analysis::boot_chain as domain;
use bootline_boot::WholeEnd;

/// What decided when the boot reached its end, from the earliest known moment: links without gap or overlap.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BootChainJson<'b> {
    /// What it counts from.
    since: WholeOrigin,
    until: ChainEnd,
    /// Name of what it ends with: the application's, the target's.
    until_title: &'b str,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// From start to end.
    length_ns: i64,
    /// How the time divides; parts that take none are left out.
    parts: Vec<PartLength>,
    /// In order.
    links: Vec<BootLink<'b>>,
}

/// What a boot ends with.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChainEnd {
    /// Init's start: nothing shows an end of user space.
    Init,
    /// The application.
    Application,
    /// The marker.
    Marker,
    /// systemd's first transaction was complete.
    SystemdFinish,
    /// A target or a stage of init that systems start to.
    Target,
    /// The login prompt.
    LoginPrompt,
}

/// A part of the chain.
#[derive(Serialize, JsonSchema)]
struct PartLength {
    part: ChainPart,
    /// The sum of its links.
    length_ns: i64,
}

/// A link of the chain.
#[derive(Serialize, JsonSchema)]
struct BootLink<'b> {
    #[serde(flatten)]
    kind: LinkKind<'b>,
    part: ChainPart,
    /// Title of the link, for display.
    title: String,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// Waits for the console within it; null where they are not known.
    console_ns: Option<i64>,
    /// Processor time that its own processes used in it, at most; null where it is not counted.
    processor_ns: Option<i64>,
    /// How much sooner the boot would end without it, at most; null where nothing shows that.
    max_saving_ns: Option<i64>,
    /// What shows its start; null where that is its first record.
    start_by: Option<String>,
    /// Its first record.
    first: Option<Id>,
    /// Its last record.
    last: Option<Id>,
    /// Of user space that nothing divides, the units that came up in it, by their start.
    units: Vec<&'b str>,
}

/// What the boot was doing.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum LinkKind<'b> {
    /// A stage, or the part of one that nothing divides.
    Stage {
        /// The stage.
        name: StageName,
    },
    /// A segment of the kernel's critical path.
    Segment {
        /// Its position in `critical_path.segments`.
        segment: usize,
    },
    /// systemd is read from storage and dynamically linked, until its first own stamp.
    ManagerLoad,
    /// systemd's own start, where nothing divides it.
    ManagerStart,
    /// systemd's set-up, from its start to its generators.
    ManagerSetUp,
    /// systemd's generators.
    Generators,
    /// systemd loads its units and queues the first transaction.
    UnitsLoad,
    /// The time before a unit's start that is no unit's own.
    Queue {
        /// The unit that could start and did not yet.
        name: &'b str,
        /// Position of its link in `unit_chain.links`.
        unit_link: usize,
    },
    /// A unit's activation.
    Unit {
        /// The unit.
        name: &'b str,
        /// Position of its link in `unit_chain.links`.
        unit_link: usize,
    },
    /// The application's own start.
    Application {
        /// Its name.
        name: &'b str,
        /// Position of its unit's link in `unit_chain.links`; null for one that is no unit.
        unit_link: Option<usize>,
    },
    /// From when the application's unit was up until its program was executed.
    ApplicationExecution,
    /// From then, or from when its unit was up, until the application was reached.
    ApplicationProgram,
    /// From when the chain's last unit was up to the boot's end.
    AfterUnits,
}

impl<'b> BootChainJson<'b> {
    pub(crate) fn new(shown: &ShownChain<'b, '_>) -> BootChainJson<'b> {
        let chain = shown.chain;
        let part = |part: domain::ChainPart| PartLength { part: part.into(), length_ns: chain.part(part).as_nanos() };
        BootChainJson {
            since: chain.since.into(),
            until: chain.until.into(),
            until_title: shown.end_title(),
            start_ns: chain.start.as_nanos(),
            end_ns: chain.end.as_nanos(),
            length_ns: chain.length().as_nanos(),
            parts: domain::ChainPart::ALL.into_iter().map(part).filter(|part| part.length_ns > 0).collect(),
            links: chain.links.iter().map(|link| BootLink::new(shown, link)).collect(),
        }
    }
}

impl<'b> BootLink<'b> {
    fn new(shown: &ShownChain<'b, '_>, link: &domain::BootLink) -> BootLink<'b> {
        let units = link.units.iter().filter_map(|i| Some(shown.boot.whole.units.get(*i)?.name.as_str()));
        BootLink {
            kind: LinkKind::new(shown, link),
            part: link.part.into(),
            title: shown.title(link),
            start_ns: link.start.as_nanos(),
            end_ns: link.end.as_nanos(),
            console_ns: link.console.map(|d| d.as_nanos()),
            processor_ns: link.processor.map(|d| d.as_nanos()),
            max_saving_ns: link.max_saving.map(|d| d.as_nanos()),
            start_by: link.start_by.as_ref().map(|by| by.title()),
            first: id(link.first),
            last: id(link.last),
            units: units.collect(),
        }
    }
}

impl<'b> LinkKind<'b> {
    fn new(shown: &ShownChain<'b, '_>, link: &domain::BootLink) -> LinkKind<'b> {
        let name = shown.unit(link).unwrap_or_default();
        match link.kind {
            domain::LinkKind::Stage(name) => LinkKind::Stage { name: name.into() },
            domain::LinkKind::Segment { segment } => LinkKind::Segment { segment },
            domain::LinkKind::ManagerLoad => LinkKind::ManagerLoad,
            domain::LinkKind::ManagerStart => LinkKind::ManagerStart,
            domain::LinkKind::ManagerSetUp => LinkKind::ManagerSetUp,
            domain::LinkKind::Generators => LinkKind::Generators,
            domain::LinkKind::UnitsLoad => LinkKind::UnitsLoad,
            domain::LinkKind::Queue { link } => LinkKind::Queue { name, unit_link: link },
            domain::LinkKind::Unit { link } => LinkKind::Unit { name, unit_link: link },
            domain::LinkKind::Application { link } => {
                LinkKind::Application { name: shown.application(), unit_link: link }
            }
            domain::LinkKind::ApplicationExecution => LinkKind::ApplicationExecution,
            domain::LinkKind::ApplicationProgram => LinkKind::ApplicationProgram,
            domain::LinkKind::AfterUnits => LinkKind::AfterUnits,
        }
    }
}

impl From<domain::ChainEnd> for ChainEnd {
    fn from(end: domain::ChainEnd) -> ChainEnd {
        match end {
            domain::ChainEnd::Init => ChainEnd::Init,
            domain::ChainEnd::Reached(end) => end.into(),
        }
    }
}

impl From<WholeEnd> for ChainEnd {
    fn from(end: WholeEnd) -> ChainEnd {
        match end {
            WholeEnd::Application => ChainEnd::Application,
            WholeEnd::Marker => ChainEnd::Marker,
            WholeEnd::SystemdFinish => ChainEnd::SystemdFinish,
            WholeEnd::Target(_) => ChainEnd::Target,
            WholeEnd::LoginPrompt => ChainEnd::LoginPrompt,
        }
    }
}
