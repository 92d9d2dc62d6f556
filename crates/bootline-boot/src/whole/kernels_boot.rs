// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether systemd's times are of the boot of this kernel: in a container or after a soft reboot they are not, although
//! CLOCK_MONOTONIC is the same.
use super::boot_source::SourceRefusal;
use crate::boot::Boot;
use crate::phase::PhaseName;
use bootline_capture::units::Dur;
use bootline_records::source::ManagerState;

/// systemd writes its banner this long after its start at most: policies of SELinux and others are loaded in between.
const BEFORE_BANNER: Dur = Dur::from_secs(10);
/// By as much the clocks may be wrong.
const TOLERANCE: Dur = Dur::from_secs(1);
/// No kernel and no initramfs takes as long, even with somebody who types a passphrase.
const FAR: Dur = Dur::from_secs(3_600);

/// Why the manager's times are not of this kernel's boot, if they are not; `zero` is the kernel's start on the axis.
pub(super) fn refusal(boot: &Boot, manager: &ManagerState, zero: Dur) -> Option<SourceRefusal> {
    let user_space = manager.user_space?;
    let at = user_space.since_origin() + zero;
    let init = boot.phases.iter().find(|p| p.name == PhaseName::UserSpace).map(|p| p.start);
    let starts = [Some(user_space), manager.initrd].into_iter().flatten().map(|t| t.since_origin() + zero);
    let mut banners = (0..boot.records.len()).filter_map(|i| {
        let shown = boot.records.get(i).is_some_and(|r| is_banner(r.text));
        boot.timeline.stored(i).filter(|_| shown)
    });
    let is_near = |banner: Dur| starts.clone().any(|at| (banner - BEFORE_BANNER..=banner + TOLERANCE).contains(&at));
    let fits = match banners.next() {
        _ if init.is_some_and(|init| at < init - TOLERANCE) => false,
        None => at <= FAR + zero,
        Some(first) => is_near(first) || banners.any(is_near),
    };
    (!fits).then_some(SourceRefusal::NotThisKernel { user_space })
}

/// Whether a record is the line with which systemd starts: `systemd[1]: systemd 257.9 running in system mode`.
pub(super) fn is_banner(text: &str) -> bool {
    text.starts_with("systemd[1]: systemd ") && text.contains("running in system mode")
}
