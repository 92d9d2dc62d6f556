// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk of true speed. QEMU asks for its blocks by NBD, and the server sets the pace: it answers each request when a disk of that
//! speed would.
//!
//! QEMU's own throttle groups hold a rate over time. They let a tenth of a second's worth of operations pass at once, so a boot that
//! reads now and then never waits: 200 reads of an eMMC of 2000 operations a second, each of which takes half a millisecond, are free.
mod copy_on_write;
mod nbd;
mod pace;
mod server;
mod usage;

pub(crate) use server::{DiskServer, StorageClock};
pub use usage::StorageUse;

#[cfg(test)]
mod tests;
