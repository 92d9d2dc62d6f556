// SPDX-License-Identifier: MIT OR Apache-2.0
//! What decided when a boot reached its end, for outputs that show all of it at once.
use super::shown_chain::ShownChain;
use bootline_analysis::boot_chain::BootChain;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::user_space::UnitChain;
use bootline_boot::Boot;

/// The kernel's critical path, the chain of units, and of these the chain through the whole boot where there is one, else the path alone
/// as a chain.
pub(crate) struct DecidingChain {
    path: Option<CriticalPath>,
    units: Option<UnitChain>,
    chain: Option<BootChain>,
}

impl DecidingChain {
    /// Each of them, as far as the boot has it.
    pub fn of(boot: &Boot) -> DecidingChain {
        let (path, units) = (CriticalPath::of(boot), UnitChain::of(boot));
        let whole = whole_chain_of(boot, path.as_ref(), units.as_ref());
        let chain = whole.or_else(|| path.as_ref().map(|path| BootChain::of_path(boot, path)));
        DecidingChain { path, units, chain }
    }

    /// The kernel's critical path; none where the log does not reach an end.
    pub fn path(&self) -> Option<&CriticalPath> {
        self.path.as_ref()
    }

    /// The units that decided when the application was up; none without ordering.
    pub fn units(&self) -> Option<&UnitChain> {
        self.units.as_ref()
    }

    /// The chain with what its links refer to; none where the boot did not reach an end.
    pub fn shown<'b, 'c>(&'c self, boot: &'b Boot) -> Option<ShownChain<'b, 'c>> {
        Some(ShownChain { boot, chain: self.chain.as_ref()?, path: self.path(), units: self.units() })
    }
}

/// The chain through the whole boot, where something besides the log was asked for: a source, or an application that was reached. Of a
/// log alone the critical path to init or to the marker is shown.
pub(super) fn whole_chain_of(
    boot: &Boot,
    critical_path: Option<&CriticalPath>,
    units: Option<&UnitChain>,
) -> Option<BootChain> {
    let chain = BootChain::of(boot, critical_path, units).filter(BootChain::is_more_than_path)?;
    (!boot.whole.sources.is_empty() || boot.whole.application.is_some()).then_some(chain)
}
