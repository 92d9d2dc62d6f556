// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's console subsystem, as it behaves in each version. It knows no log, so that it can't be fitted to one.
mod printing;

pub use printing::{Printing, Series, printing};
