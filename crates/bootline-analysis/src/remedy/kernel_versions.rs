// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which kernels would do.
use std::fmt;

use bootline_console::KernelVersion;

/// Which kernels would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelVersions {
    /// This one or a later one.
    From(KernelVersion),
    /// From the first to the last, both included.
    Between(KernelVersion, KernelVersion),
    /// One with a property that no version is known to have: `whose driver has an nbcon console`.
    Having(&'static str),
}

impl fmt::Display for KernelVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelVersions::From(first) => write!(f, "{first} or later"),
            KernelVersions::Between(first, last) if first == last => write!(f, "{first}"),
            KernelVersions::Between(first, last) => write!(f, "{first} to {last}"),
            KernelVersions::Having(property) => f.write_str(property),
        }
    }
}
