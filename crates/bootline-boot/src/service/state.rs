// SPDX-License-Identifier: MIT OR Apache-2.0
//! State of a service.

/// State of a service at the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceState {
    /// It was being started when the log ended.
    Starting,
    /// It is up, or has done its work.
    Up,
    /// It failed, or what it depends on did.
    Failed,
}
