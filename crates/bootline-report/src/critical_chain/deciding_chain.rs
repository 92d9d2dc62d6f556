// SPDX-License-Identifier: MIT OR Apache-2.0
//! What decided when a boot reached its end, for outputs that show all of it at once.
use super::shown_chain::ShownChain;
use bootline_analysis::boot_chain::BootChain;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::user_space::UnitChain;
use bootline_boot::Boot;

/// The chain through the whole boot where there is one, else the kernel's critical path as a chain.
pub(crate) struct DecidingChain {
    path: Option<CriticalPath>,
    units: Option<UnitChain>,
    chain: BootChain,
}

impl DecidingChain {
    /// None where the boot did not reach an end.
    pub fn of(boot: &Boot) -> Option<DecidingChain> {
        let (path, units) = (CriticalPath::of(boot), UnitChain::of(boot));
        let whole = whole_chain_of(boot, path.as_ref(), units.as_ref());
        let chain = whole.or_else(|| path.as_ref().map(|path| BootChain::of_path(boot, path)))?;
        Some(DecidingChain { path, units, chain })
    }

    /// The chain with what its links refer to.
    pub fn shown<'b, 'c>(&'c self, boot: &'b Boot) -> ShownChain<'b, 'c> {
        ShownChain { boot, chain: &self.chain, path: self.path.as_ref(), units: self.units.as_ref() }
    }
}

/// The chain through the whole boot, where something besides the log was asked for: a source, or an application that was reached. Of a
/// log alone the critical path to init or to the marker is shown.
pub(crate) fn whole_chain_of(
    boot: &Boot,
    critical_path: Option<&CriticalPath>,
    units: Option<&UnitChain>,
) -> Option<BootChain> {
    let chain = BootChain::of(boot, critical_path, units).filter(BootChain::is_more_than_path)?;
    (!boot.whole.sources.is_empty() || boot.whole.application.is_some()).then_some(chain)
}
