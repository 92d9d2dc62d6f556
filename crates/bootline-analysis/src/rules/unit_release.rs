// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether units waited for something that ended: what came up while it lasted, and what began to start after it.
use super::case::TimeRange;
use bootline_boot::{Boot, Unit};
use bootline_capture::units::Dur;

/// Who waited goes on at once.
const AT_ONCE: Dur = Dur::from_millis(500);

/// Whether a unit began to start at once after something that held units back had ended. It may have waited for it, or not.
pub(super) fn is_released(boot: &Boot, at: Dur) -> bool {
    let next = boot.whole.units.iter().filter_map(Unit::begins).filter(|t| *t >= at).min();
    next.is_some_and(|next| next - at < AT_ONCE)
}

/// From when in a wait on no unit came up until it had ended.
pub(super) fn quiet_from(boot: &Boot, wait: TimeRange) -> Dur {
    let ups = boot.whole.units.iter().filter_map(|u| u.up).filter(|up| *up < wait.to);
    ups.max().unwrap_or(wait.from).max(wait.from)
}
