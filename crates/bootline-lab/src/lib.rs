// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-lab: the world that bootline-core does not know: ports, QEMU, kernels, clocks.
pub mod boot;
pub mod experiment;
pub mod fidelity;
pub mod host;
mod initramfs;
pub mod kernels;
mod kmsg;
pub mod line;
pub mod machine;
pub mod module;
pub mod port;
mod qemu;
pub mod recorder;
pub mod registers;
mod truth_port;
mod wire;
