// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-lab: the world that bootline-core does not know: ports, QEMU, kernels, clocks.
pub mod kernels;
pub mod port;
pub mod recorder;
