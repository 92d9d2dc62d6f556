// SPDX-License-Identifier: MIT OR Apache-2.0
//! By how much what a boot prints differs from what another one prints.
use super::boot_workload::BootWorkload;
use super::scenario::Scenario;

/// Share by which the bytes of one kernel's boots differ. In the experiment accuracy, boots of one kernel on one machine
/// differ by up to 1.1 % from their median.
pub(super) const SAME_KERNEL: f64 = 0.01;

/// The same for two kernels. Debian's 6.1 to 7.3 differ by 3 % on the lab's machine (22.6 to 23.3 kB up to init); other
/// configurations may differ by more.
const OTHER_KERNEL: f64 = 0.05;

/// The same with initcall_debug: kernels differ more in how many initcalls and probes they have (115 to 136 kB up to init).
const OTHER_INITCALLS: f64 = 0.2;

/// Share by which the bytes of another kernel may differ from this boot's.
pub(super) fn other_kernels(boot_workload: &BootWorkload, target: &Scenario) -> f64 {
    let names_initcalls = boot_workload.has_initcall_debug() && !target.without_initcall_debug;
    if names_initcalls { OTHER_INITCALLS } else { OTHER_KERNEL }
}
