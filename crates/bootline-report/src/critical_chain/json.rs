// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical path for programs.
use schemars::JsonSchema;
use serde::Serialize;

use super::shown_chain::ShownChain;
use crate::boot_label::BootLabel;
use crate::wire::{self, Clock, PathBasis, TimeOrigin, TimeToInit};
use bootline_analysis::boot_chain::BootChain;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::user_space::UnitChain;
use bootline_boot::Boot;

/// The critical path, for programs: one entry of `boots[]` in `docs/schema/critical-chain-1.schema.json`.
pub fn critical_chain_json<'b>(
    boot: &'b Boot,
    critical_path: Option<&'b CriticalPath>,
    source: &'b BootLabel,
) -> impl Serialize + 'b {
    let units = UnitChain::of(boot);
    let chain = BootChain::of(boot, critical_path, units.as_ref());
    let boot_chain = chain
        .as_ref()
        .map(|chain| wire::BootChainJson::new(&ShownChain { boot, chain, path: critical_path, units: units.as_ref() }));
    CriticalPathBoot {
        boot_chain,
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock.into(),
        time_to_init: boot.end.as_ref().map(TimeToInit::from),
        critical_path: critical_path.map(|c| CriticalPathJson {
            since: c.since.into(),
            basis: c.basis.into(),
            start_ns: c.start.as_nanos(),
            end_ns: c.end.as_nanos(),
            length_ns: c.length().as_nanos(),
            console_ns: c.console().as_nanos(),
            segments: c.segments.iter().map(wire::Segment::from).collect(),
            non_critical: c.non_critical.iter().map(wire::NonCritical::from).collect(),
        }),
        unit_chain: units.as_ref().map(|chain| wire::UnitChainJson::new(boot, chain)),
    }
}

/// The critical path of a boot.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CriticalPathBoot<'b> {
    /// The input as it was named; `-` is standard input.
    source: &'b str,
    /// Which boot of that input, from 0.
    index: usize,
    /// The release, as in `uname -r`; null where the log lacks the banner.
    kernel_version: Option<&'b str>,
    clock: Clock,
    /// Null where the log doesn't reach the boot's end.
    time_to_init: Option<TimeToInit>,
    /// Null where the log doesn't reach the boot's end.
    critical_path: Option<CriticalPathJson<'b>>,
    /// From systemd's start to the application; null unless a source shows the units' dependencies.
    unit_chain: Option<wire::UnitChainJson<'b>>,
    /// From power-on, or the earliest known moment, to the application: both in their places among the stages; null where the boot
    /// did not reach an end.
    boot_chain: Option<wire::BootChainJson<'b>>,
}

/// What decided when the boot ended, segment by segment, without gap or overlap.
#[derive(Serialize, JsonSchema)]
struct CriticalPathJson<'b> {
    /// What it counts from.
    since: TimeOrigin,
    basis: PathBasis,
    /// Start, on the boot's axis.
    start_ns: i64,
    /// End, on the boot's axis.
    end_ns: i64,
    /// From start to end.
    length_ns: i64,
    /// Of it, waits for the console.
    console_ns: i64,
    /// In order.
    segments: Vec<wire::Segment<'b>>,
    /// What ran in parallel, with its slack.
    non_critical: Vec<wire::NonCritical<'b>>,
}
