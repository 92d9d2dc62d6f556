// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-lab: boots real systems in QEMU on a serial line of true speed.
pub mod boot;
pub mod cpu_model;
pub mod disk;
pub mod experiment;
pub mod fidelity;
pub mod host;
mod initramfs;
pub mod kernel_tree;
mod kmsg;
pub mod line;
pub mod machine;
pub mod module;
mod qemu;
mod received;
pub mod registers;
mod schema;
pub mod storage;
mod truth_port;
