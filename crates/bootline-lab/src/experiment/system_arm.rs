// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes with a whole system in an arm, and what does not.
use super::definition::Image;
use super::metric::Metric;
use super::raw::RawArm;

/// Why an arm contradicts itself, as far as whole systems are concerned.
pub(super) fn contradiction(arm: &RawArm, image: &Image, metric: Metric) -> Option<&'static str> {
    let predicted = arm.predict.as_ref().is_some_and(|list| !list.is_empty()) || arm.predict_from.is_some();
    let system = arm.system.is_some();
    let checks = [
        (!system && arm.storage.is_some(), "`storage` is that of a `system`, which it does not have"),
        (system && arm.icount == Some(true), "a `system` is booted on a line, in real time: no `icount`"),
        (system && arm.initrd.is_some(), "a `system` is booted by the lab's own initramfs: no `initrd`"),
        (system && arm.lines.is_some(), "`lines` are printed by the lab's own init, in whose place a `system` boots"),
        (
            system && matches!(image, Image::File(_)),
            "a `system` needs the modules of its kernel: name a series of stock kernels",
        ),
        (system && predicted, "the boot of a `system` is not predicted: no `predict`, no `predict_from`"),
    ];
    checks.into_iter().find_map(|(wrong, why)| wrong.then_some(why)).or_else(|| metric_contradiction(system, metric))
}

/// Why a metric can't be measured of an arm with a whole system, or of one without.
pub(super) fn metric_contradiction(system: bool, metric: Metric) -> Option<&'static str> {
    match (system, metric) {
        (false, metric) if metric.is_of_system() => Some(
            "`handoff`, `application-start`, `application`, `picture-seen`, `socket-answered` and `multi-user` are moments of a `system`",
        ),
        (true, Metric::UserSpace) => {
            Some("`user-space` is the first work of the lab's own init; a `system` has `handoff` and `application`")
        }
        (true, Metric::LogLag) => {
            Some("`log-lag` would count all that a `system` does after init; it has `application` and `multi-user`")
        }
        _ => None,
    }
}
