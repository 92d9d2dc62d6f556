// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fragments that bootline has.

/// A fragment that bootline has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShippedFragment {
    /// As a user names it.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// What it sets.
    pub(super) text: &'static str,
}

/// The fragments that bootline has.
pub const SHIPPED: [ShippedFragment; 4] = [
    ShippedFragment {
        name: "ip-pnp",
        about: "ip= on the command line: the kernel configures the network before init",
        text: include_str!("fragments/ip-pnp.config"),
    },
    ShippedFragment {
        name: "ubi-fastmap",
        about: "UBI attaches by a map instead of a scan; with UBIFS and block2mtd",
        text: include_str!("fragments/ubi-fastmap.config"),
    },
    ShippedFragment {
        name: "detect-irq",
        about: "the 8250 driver probes the interrupt of each port",
        text: include_str!("fragments/detect-irq.config"),
    },
    ShippedFragment {
        name: "debug",
        about: "lock debugging and slow checks: a debug kernel next to its release build",
        text: include_str!("fragments/debug.config"),
    },
];
