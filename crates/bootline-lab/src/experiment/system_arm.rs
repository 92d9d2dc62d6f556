// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes with a whole system in an arm, and what does not.
use super::definition::{Arm, ArmRoot, Image};
use super::metric::Metric;
use super::raw::RawArm;
use bootline_images::hardware::Bus;
use bootline_images::image_format::ImageFormat;
use bootline_images::systems::RootState;

/// Why an arm contradicts itself, as far as whole systems are concerned.
pub(super) fn contradiction(arm: &RawArm, image: &Image, metric: Metric) -> Option<&'static str> {
    let predicted = arm.predict.as_ref().is_some_and(|list| !list.is_empty()) || arm.predict_from.is_some();
    let own = arm.root.is_some();
    let system = arm.system.is_some() || own;
    let changed = arm.root_files.as_ref().is_some_and(|files| !files.is_empty())
        || arm.root_without.as_ref().is_some_and(|paths| !paths.is_empty());
    let without_initramfs = arm.initramfs == Some(false);
    let state = arm.root_state.and_then(|state| state.contradiction(arm.file_system.unwrap_or_default()));
    let checks = [
        (arm.system.is_some() && own, "it has a `system` or a `root` of your own, not both"),
        (!own && arm.root_partition.is_some(), "`root_partition` is that of a `root`, which it does not have"),
        (!system && arm.storage.is_some(), "`storage` is that of a `system` or a `root`, which it does not have"),
        (
            arm.system.is_none() && arm.root_state.is_some(),
            "`root_state` is that of a `system`; a `root` of your own is booted in the state in which it is",
        ),
        (
            arm.system.is_none() && changed,
            "`root_files` and `root_without` change a copy of a `system`'s image, which it does not have",
        ),
        (
            arm.root_files
                .iter()
                .flatten()
                .any(|(path, _)| arm.root_without.iter().flatten().any(|p| p.as_ref() == path.as_ref())),
            "`root_files` and `root_without` name the same file",
        ),
        (
            changed && arm.root_state == Some(RootState::PowerLost),
            "what is changed in a root whose power was cut would be undone when its journal is replayed",
        ),
        (
            arm.file_system.is_some_and(|format| format != ImageFormat::Ext4) && changed,
            "`root_files` and `root_without` are for an image of ext4: leave them out, or `file_system`",
        ),
        (state.is_some(), state.unwrap_or_default()),
        (
            arm.system.is_none() && arm.file_system.is_some(),
            "`file_system` is that of a `system`, which it does not have",
        ),
        (
            arm.file_system.unwrap_or_default().file_system().is_for_flash()
                && arm.bus.is_some_and(|bus| bus != Bus::Mtd),
            "its `file_system` is for raw flash: leave out `bus`, or use `mtd`",
        ),
        (!system && arm.bus.is_some(), "`bus` is that of the disk of a `system` or a `root`, which it does not have"),
        (
            !system && arm.absent.is_some(),
            "`absent` is hardware next to that of a `system` or a `root`, which it does not have",
        ),
        (
            !system && arm.added_memory_mib.is_some(),
            "`added_memory_mib` is added by the user space of a `system` or a `root`, which it does not have",
        ),
        (system && arm.icount == Some(true), "a `system` or a `root` is booted on a line, in real time: no `icount`"),
        (system && arm.initrd.is_some(), "a `system` or a `root` is booted by the lab's own initramfs: no `initrd`"),
        (
            system && arm.lines.is_some(),
            "`lines` are printed by the lab's own init, in whose place a `system` or a `root` boots",
        ),
        (
            arm.system.is_some() && matches!(image, Image::File(_)),
            "a `system` needs the modules of its kernel: name a series of stock kernels, or a kernel that was built here",
        ),
        (
            without_initramfs
                && (arm.bus.is_some_and(|bus| bus != Bus::Virtio)
                    || arm.file_system.is_some_and(|format| format != ImageFormat::Ext4)),
            "with `initramfs = false` the root is on virtio and ext4: leave out `bus` and `file_system`",
        ),
        (
            without_initramfs && arm.system.is_none(),
            "`initramfs = false` has the kernel mount the root of a `system` by itself, which it does not have",
        ),
        (
            without_initramfs && arm.modules.as_ref().is_some_and(|list| !list.is_empty()),
            "modules are loaded by the initramfs: no `initramfs = false`",
        ),
        (
            without_initramfs && arm.loader.is_some(),
            "a `loader` loads an initramfs with the kernel: no `initramfs = false`",
        ),
        (own && predicted, "the boot of a `root` is not predicted: no `predict`, no `predict_from`"),
        (
            arm.system.is_some() && arm.marker.is_some(),
            "a `system` marks its moments itself: `marker` is for a `root` of your own, an `initrd` or the lab's small initramfs",
        ),
        (
            arm.icount == Some(true) && arm.marker.is_some(),
            "there is no console under `icount`, and so no `marker` on it",
        ),
    ];
    let marked = Marked { lab: arm.system.is_some(), own, marker: arm.marker.is_some() };
    checks.into_iter().find_map(|(wrong, why)| wrong.then_some(why)).or_else(|| metric_contradiction(marked, metric))
}

/// What an arm boots, as far as it decides what can be measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marked {
    /// A system of the lab, which marks its moments.
    pub lab: bool,
    /// A root of the user's own.
    pub own: bool,
    /// A line of the console is recorded.
    pub marker: bool,
}

impl From<&Arm> for Marked {
    fn from(arm: &Arm) -> Marked {
        let root = arm.system.as_ref().map(|s| &s.root);
        Marked {
            lab: matches!(root, Some(ArmRoot::Lab(_))),
            own: matches!(root, Some(ArmRoot::Own { .. })),
            marker: arm.marker.is_some(),
        }
    }
}

/// Why a metric can't be measured of an arm with a whole system, or of one without.
pub(super) fn metric_contradiction(arm: Marked, metric: Metric) -> Option<&'static str> {
    let system = arm.lab || arm.own;
    match metric {
        Metric::Handoff | Metric::ProcessorToHandoff if arm.own => None,
        metric if metric.is_of_system() && arm.own => Some(
            "a `root` of your own marks no application: it has `handoff`, and `marker`, its login prompt or the line that `marker` names",
        ),
        metric if metric.is_of_system() && !arm.lab => Some(
            "`handoff`, `application-start`, `application`, `application-after-handoff`, `picture-seen`, `log-after-picture`, \
             `socket-answered`, `multi-user` and `processor-to-...` are metrics of a `system`",
        ),
        Metric::UserSpace if system => {
            Some("`user-space` is the first work of the lab's own init; a `system` has `handoff` and `application`")
        }
        Metric::LogLag if system => {
            Some("`log-lag` would count all that a `system` does after init; it has `application` and `multi-user`")
        }
        Metric::Marker if !arm.own && !arm.marker => {
            Some("`marker` is the time of a console line, which the key `marker` names")
        }
        _ => None,
    }
}
