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

/// Drivers whose probes run next to those of others. The kernel waits for all probes before it starts init (kernel_init() in
/// init/main.c), and for those of a module before it returns from loading it (do_init_module() in kernel/module/main.c), unless that
/// was loaded with `async_probe`.
pub(super) fn asynchronous_probes(action: &str, probed: Probed, price: &str, risk: Risk) -> Remedy {
    let drivers = match probed {
        Probed::Driver(name) => SystemChange::parameter("driver_async_probe", name),
        Probed::ItsDriver => SystemChange::open_parameter("driver_async_probe", "its driver"),
        Probed::Drivers => SystemChange::open_parameter("driver_async_probe", "drivers, separated by commas"),
    };
    let price = format!(
        "{price}; saves only where other work runs meanwhile, as init, or the load of a module, waits for the probes"
    );
    Remedy::new(action, vec![drivers], price, risk)
}

/// The price where the devices are disks.
pub(super) const OTHER_DISK_NAMES: &str = "device names may change order: mount by UUID or PARTUUID";
