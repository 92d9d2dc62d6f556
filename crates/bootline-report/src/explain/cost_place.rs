// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a boot a finding's cost lies: only what lies before init is a part of the time to init.
use bootline_analysis::rules::Finding;
use bootline_capture::units::Dur;

/// Where a finding's cost lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CostPlace {
    /// In firmware or the boot loader.
    BeforeKernel,
    /// Between the kernel's start and init's.
    BeforeInit,
    /// In user space.
    AfterInit,
}

impl CostPlace {
    /// Where the cost of a finding lies, init having started at `init` on the axis.
    pub(crate) fn of(finding: &Finding, init: Dur) -> CostPlace {
        let from = finding.time_ranges.iter().map(|range| range.from).min();
        let to = finding.time_ranges.iter().map(|range| range.to).max();
        if to.is_some_and(|to| to <= Dur::ZERO) {
            CostPlace::BeforeKernel
        } else if from.is_some_and(|from| from >= init) {
            CostPlace::AfterInit
        } else {
            CostPlace::BeforeInit
        }
    }
}
