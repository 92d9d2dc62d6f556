// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be done about lost time: the change to the system, its price, its effort, its risk and what it saves.
mod by_effort;
mod effort;
mod kernel_versions;
mod parameter;
#[allow(clippy::module_inception, reason = "the type that the module is about")]
mod remedy;
mod risk;
mod system_change;

pub use by_effort::{RemedyGroup, SharedRemedy, by_effort};
pub use effort::Effort;
pub use kernel_versions::KernelVersions;
pub use parameter::{Parameter, ParameterValue};
pub use remedy::Remedy;
pub use risk::Risk;
pub use system_change::SystemChange;
