// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot of a kernel in QEMU, on a serial line of true speed, which yields a capture and the truth.
//!
//! [`boot`] carries out one run, and [`boot_valid`] repeats it until one is valid. A run writes these files:
//!
//! | file | holds |
//! | --- | --- |
//! | `boot.cap` | the capture (none for a boot without a console) |
//! | `truth.json` | the [`Truth`] |
//! | `dmesg.kmsg` | the kernel's own log, raw records of /dev/kmsg (none without the lab's init) |
//! | `qemu.log` | QEMU's messages, if it had any |
//! | `journal.export`, `systemctl-show.txt`, .. | a system's own account of its boot (only with a system) |
//! | `screen.ppm` | its screen when the application's picture was seen (only with a system) |
mod ageing;
mod built_in;
mod configure;
mod devices;
mod disks;
mod error;
mod fastmap;
mod files;
mod guest_report;
mod guest_work;
mod loader;
mod loader_truth;
mod monitor;
mod power_cut;
mod progress;
mod recording;
mod request;
mod run;
mod run_event;
mod running;
mod session;
mod settle;
mod system;
mod system_truth;
mod truth;
mod truth_parts;
mod witness;

pub use built_in::{lacks_built_in, lacks_for};
pub use configure::configure;
pub use error::BootError;
pub(crate) use files::{KMSG, replace, set_aside};
pub use guest_work::GuestWork;
pub use loader::LoaderBoot;
pub use loader_truth::{LoaderSetup, LoaderTruth};
pub use progress::{BootPhase, BootProgress};
pub use request::{BootRequest, arch_of, check_loader};
pub use run::{BootOutcome, boot, boot_valid};
pub use settle::{derivation, derive, settle};
pub use system::{ADDED_MEMORY_BLOCK_MIB, BootedRoot, SystemBoot, Writes};
pub use system_truth::{Mark, SystemTruth, UnitTruth};
pub use truth::{Guest, LineTruth, ModuleTruth, PrintkLinesTruth, RunVerdict, TRUTH_SCHEMA, Truth};
