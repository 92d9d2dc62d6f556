// SPDX-License-Identifier: MIT OR Apache-2.0
//! What helps against waits for devices.
use crate::remedy::{Remedy, Risk, SystemChange};

/// The drivers whose probes run next to those of others.
pub(super) enum Probed {
    /// This one.
    Driver(&'static str),
    /// The one that the finding names.
    ItsDriver,
    /// Those that the user chooses.
    Drivers,
}

/// Drivers whose probes run next to those of others. Before the kernel starts init, it waits for all that is asynchronous
/// (kernel_init() in init/main.c); so it does before it returns from loading a module (do_init_module(), until Linux 5.16 only if
/// something in the module was asynchronous), unless that was loaded with `async_probe`.
pub(super) fn asynchronous_probes(action: &str, probed: Probed, price: &str, risk: Risk) -> Remedy {
    let drivers = match probed {
        Probed::Driver(name) => SystemChange::parameter("driver_async_probe", name),
        Probed::ItsDriver => SystemChange::open_parameter("driver_async_probe", "its driver"),
        Probed::Drivers => SystemChange::open_parameter("driver_async_probe", "drivers, separated by commas"),
    };
    let price = format!(
        "{price}; saves only what overlaps with other work: the kernel starts init, and returns from loading a module, once all probes are done"
    );
    Remedy::new(action, vec![drivers], price, risk)
}

/// The price where the devices are disks.
pub(super) const OTHER_DISK_NAMES: &str = "device names may change order: mount by UUID or PARTUUID";
