// SPDX-License-Identifier: MIT OR Apache-2.0
//! What helps against waits for devices.
use crate::remedy::{Remedy, Risk, SystemChange};

/// Drivers whose probes run next to those of others.
pub(super) fn asynchronous_probes(action: &str, price: &str) -> Remedy {
    let drivers = SystemChange::open_parameter("driver_async_probe", "drivers, separated by commas");
    Remedy::new(action, vec![drivers], price, Risk::High)
}

/// The price where the devices are disks.
pub(super) const OTHER_DISK_NAMES: &str = "device names may change order: mount by UUID or PARTUUID";
