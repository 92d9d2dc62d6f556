// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot: stages, units, sources, the application.
use schemars::JsonSchema;
use serde::Serialize;

use super::process::{Process, ResourceUse, TraceMark, TracedInitcall};
use super::record_id::{Id, id};
use super::words::{AlignedBy, MarkEdge, Reached, ServiceState, StageName, UnitTimesBy, WholeOrigin};
use bootline_analysis::user_space::{ChainLink, UnitChain, UnitTime};
use bootline_boot::{self as domain, Boot};

/// The boot from the earliest known moment to the application.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WholeBoot<'b> {
    /// What the first stage begins with; null where nothing has a time.
    since: Option<WholeOrigin>,
    /// What the last stage ends with; null if that is the log, which may be cut anywhere.
    until: Option<&'static str>,
    /// From the first stage's start to the last one's end.
    length_ns: Option<i64>,
    /// Stages without gap or overlap, in order.
    stages: Vec<Stage>,
    /// Null where none was named, or it was not reached.
    application: Option<Application<'b>>,
    /// Moments that the board showed on inputs next to its console, by time.
    marks: Vec<Mark<'b>>,
    /// What was given besides the log.
    sources: Vec<SourceUse<'b>>,
    /// Processes of user space that a bootchart or a trace shows, by their start.
    processes: Vec<Process<'b>>,
    /// How busy processors and disks were; null without a bootchart.
    resource_use: Option<ResourceUse<'b>>,
    /// Initcalls that a trace shows, by their start.
    traced_initcalls: Vec<TracedInitcall<'b>>,
    /// Modules that a trace shows as loaded, and what was written into it.
    trace_marks: Vec<TraceMark<'b>>,
    /// How many units and scripts the sources name; `bootline blame --json` lists them.
    units: usize,
}

impl<'b> From<&'b Boot> for WholeBoot<'b> {
    fn from(boot: &'b Boot) -> WholeBoot<'b> {
        let whole = &boot.whole;
        WholeBoot {
            since: whole.since.map(WholeOrigin::from),
            until: whole.until.map(|until| until.title()),
            length_ns: whole.length().map(|l| l.as_nanos()),
            stages: whole.stages.iter().map(Stage::from).collect(),
            application: whole.application.as_ref().map(|a| Application::new(a, boot)),
            marks: boot.marks.iter().map(Mark::from).collect(),
            sources: whole.sources.iter().map(SourceUse::from).collect(),
            processes: whole.processes.iter().map(Process::from).collect(),
            resource_use: whole.resource_use.as_ref().map(ResourceUse::from),
            traced_initcalls: whole.traced_initcalls.iter().map(TracedInitcall::from).collect(),
            trace_marks: whole.trace_marks.iter().map(TraceMark::from).collect(),
            units: whole.units.len(),
        }
    }
}

/// A stage of the boot.
#[derive(Serialize, JsonSchema)]
struct Stage {
    name: StageName,
    /// Title of the stage, for display.
    title: &'static str,
    /// From start to end.
    length_ns: i64,
    /// Start, on the boot's axis, whose 0 is the zero of the kernel's clock.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// What shows its start.
    start_by: String,
}

impl From<&domain::Stage> for Stage {
    fn from(s: &domain::Stage) -> Stage {
        Stage {
            name: s.name.into(),
            title: s.name.title(),
            length_ns: s.length().as_nanos(),
            start_ns: s.start.as_nanos(),
            end_ns: s.end.as_nanos(),
            start_by: s.evidence.title(),
        }
    }
}

/// The application.
#[derive(Serialize, JsonSchema)]
struct Application<'b> {
    /// The unit's name, the mark's, or the text of the record that shows it.
    name: &'b str,
    /// Whether a unit was named: it is the unit, or a line that the unit prints.
    is_unit: bool,
    /// Whether it is a mark.
    is_mark: bool,
    /// Number of its process, where one matches.
    process: Option<u32>,
    /// When its unit began to start, or its process started, on the axis.
    start_ns: Option<i64>,
    /// When it was reached, on the axis.
    at_ns: i64,
    reached: Reached,
    /// The record that shows it.
    record: Option<Id>,
}

impl<'b> Application<'b> {
    fn new(a: &'b domain::Application, boot: &Boot) -> Application<'b> {
        Application {
            process: a.process.and_then(|at| boot.whole.processes.get(at)).map(|p| p.pid),
            name: &a.name,
            is_unit: a.unit.is_some(),
            is_mark: a.mark.is_some(),
            start_ns: a.start.map(|t| t.as_nanos()),
            at_ns: a.at.as_nanos(),
            reached: a.reached.into(),
            record: id(a.record),
        }
    }
}

/// A moment that the board showed on an input next to its console.
#[derive(Serialize, JsonSchema)]
struct Mark<'b> {
    /// The user's name for it.
    name: &'b str,
    /// The input that showed it: `dsr`, `gpio:gpiochip0/17`.
    input: &'b str,
    edge: MarkEdge,
    /// When it was seen first, on the axis: it came no later.
    at_ns: i64,
    /// How much earlier it may have come.
    uncertainty_ns: i64,
    /// How often the board showed it in this boot.
    count: usize,
}

impl<'b> From<&'b domain::Mark> for Mark<'b> {
    fn from(m: &'b domain::Mark) -> Mark<'b> {
        Mark {
            name: &m.name,
            input: &m.input,
            edge: m.edge.into(),
            at_ns: m.at.as_nanos(),
            uncertainty_ns: m.uncertainty.as_nanos(),
            count: m.count,
        }
    }
}

/// A source besides the log.
#[derive(Serialize, JsonSchema)]
struct SourceUse<'b> {
    /// As it was named.
    name: &'b str,
    /// `systemctl show`; null where it was not recognised.
    kind: Option<&'static str>,
    /// Whether anything of it was used.
    used: bool,
    /// Why it was not used.
    refused: Option<String>,
    /// Number of kernel records in a log that came with it that are this boot's, too.
    matched_records: usize,
    /// What else there is to know of it: its clock, how fine its times are.
    note: Option<&'b str>,
    /// Where its clock lies on the axis; null for a source without one.
    alignment: Option<Alignment>,
}

impl<'b> From<&'b domain::SourceUse> for SourceUse<'b> {
    fn from(s: &'b domain::SourceUse) -> SourceUse<'b> {
        SourceUse {
            name: &s.name,
            kind: s.kind,
            used: s.refused.is_none(),
            matched_records: s.matched_records,
            note: s.note.as_deref(),
            refused: s.refused.as_ref().map(ToString::to_string),
            alignment: s.alignment.as_ref().map(Alignment::from),
        }
    }
}

/// Where a source's clock lies on the axis.
#[derive(Serialize, JsonSchema)]
struct Alignment {
    /// Position of the clock's zero on the axis.
    offset_ns: i64,
    by: AlignedBy,
    /// Number of events that both saw.
    shared: usize,
    /// Median distance of these events from where the offset puts them.
    residual_ns: i64,
    /// The 95th percentile of these distances.
    residual_p95_ns: i64,
}

impl From<&domain::Alignment> for Alignment {
    fn from(a: &domain::Alignment) -> Alignment {
        Alignment {
            offset_ns: a.offset.as_nanos(),
            by: a.by.into(),
            shared: a.shared,
            residual_ns: a.residual.as_nanos(),
            residual_p95_ns: a.residual_p95.as_nanos(),
        }
    }
}

/// A unit of systemd, or a script of another init.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SystemUnit<'b> {
    /// The unit; what the console calls it where no source names it.
    name: &'b str,
    /// Its description.
    description: Option<&'b str>,
    /// When it began to start, on the axis.
    activating_ns: Option<i64>,
    /// When it was up: active, or, for a job that ends, done.
    up_ns: Option<i64>,
    /// How long it took to start.
    activation_ns: Option<i64>,
    times_by: UnitTimesBy,
    /// How far off the times can be: the residual of their clock; on the console half of what its messages can have waited for the line.
    error_ns: i64,
    state: ServiceState,
    /// Whether its start job ran into its time-out.
    timed_out: bool,
    /// Whether systemd's stamps are those of a later activation, and therefore not used.
    started_again: bool,
    /// Processor time that its processes used, up to when the source was taken.
    cpu_ns: Option<i64>,
    /// From when systemd had loaded the units until the last unit that it starts after was up.
    dependencies_ns: Option<i64>,
    /// From then until it began to start: it waited for systemd itself, for the processor, or for what starts it on demand.
    queue_ns: Option<i64>,
    /// The unit that was up last of those that it starts after.
    released_by: Option<&'b str>,
}

impl<'b> SystemUnit<'b> {
    pub(crate) fn new(boot: &'b Boot, time: &UnitTime) -> SystemUnit<'b> {
        let unit = &boot.whole.units[time.unit];
        SystemUnit {
            name: &unit.name,
            description: unit.description.as_deref(),
            activating_ns: unit.activating.map(|t| t.as_nanos()),
            up_ns: unit.up.map(|t| t.as_nanos()),
            activation_ns: time.activation.map(|t| t.as_nanos()),
            times_by: unit.by.into(),
            error_ns: unit.error.as_nanos(),
            state: unit.state.into(),
            timed_out: unit.timed_out,
            started_again: unit.started_again,
            cpu_ns: unit.cpu.map(|t| t.as_nanos()),
            dependencies_ns: time.dependencies.map(|t| t.as_nanos()),
            queue_ns: time.queue.map(|t| t.as_nanos()),
            released_by: time.released_by.map(|i| boot.whole.units[i].name.as_str()),
        }
    }
}

/// The units that decided when the application was up.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UnitChainJson<'b> {
    /// Start, on the boot's axis: systemd had loaded its units.
    start_ns: i64,
    /// End, on the boot's axis: the last unit was up.
    end_ns: i64,
    /// Of the time between, what belongs to no unit: jobs waited for systemd, for the processor, or for what starts them.
    queue_ns: i64,
    /// In order, without gap or overlap.
    links: Vec<UnitLink<'b>>,
    /// Units that must be up before the last one and are not in the chain, by slack.
    slack: Vec<UnitSlack<'b>>,
    /// Units that were started before the last one was up and that it does not need, the longest first.
    off_path: Vec<&'b str>,
}

/// A unit of the chain, with the time before it.
#[derive(Serialize, JsonSchema)]
struct UnitLink<'b> {
    /// The unit.
    unit: &'b str,
    /// When the link before ended, on the axis.
    from_ns: i64,
    /// When the unit began to start.
    activating_ns: i64,
    /// When it was up.
    up_ns: i64,
    /// Number of other units that began to start between `from_ns` and `activating_ns`.
    started_meanwhile: usize,
    /// Of its activation, the processor time of its own processes at most.
    processor_ns: Option<i64>,
}

/// By how much a unit could be up later without effect.
#[derive(Serialize, JsonSchema)]
struct UnitSlack<'b> {
    /// The unit.
    unit: &'b str,
    /// Its slack; other units as they were.
    slack_ns: i64,
}

impl<'b> UnitChainJson<'b> {
    pub(crate) fn new(boot: &'b Boot, chain: &UnitChain) -> UnitChainJson<'b> {
        let name = |i: usize| boot.whole.units[i].name.as_str();
        let link = |l: &ChainLink| UnitLink {
            unit: name(l.unit),
            from_ns: l.from.as_nanos(),
            activating_ns: l.activating.as_nanos(),
            up_ns: l.up.as_nanos(),
            started_meanwhile: l.started_meanwhile,
            processor_ns: l.processor.map(|p| p.as_nanos()),
        };
        UnitChainJson {
            start_ns: chain.start.as_nanos(),
            end_ns: chain.end.as_nanos(),
            queue_ns: chain.queue().as_nanos(),
            links: chain.links.iter().map(link).collect(),
            slack: chain.slack.iter().map(|s| UnitSlack { unit: name(s.unit), slack_ns: s.slack.as_nanos() }).collect(),
            off_path: chain.off_path.iter().map(|i| name(*i)).collect(),
        }
    }
}
