// SPDX-License-Identifier: MIT OR Apache-2.0
//! One chain through the whole boot: from power-on, or the earliest moment known, to the application.
//!
//! The kernel's critical path and the chain of systemd's units each explain a part of a boot. Here both are put in their places
//! among the stages, so that nothing between them, before them or after them is left out. Where a source is missing or
//! contradicts another one, a link is a whole stage.
mod chain;
mod chain_end;
mod kernel_links;
mod link;
mod link_list;
mod manager_links;
mod stage_links;
mod user_space_links;

pub use chain::BootChain;
pub use chain_end::ChainEnd;
pub use link::{BootLink, ChainPart, LinkKind};

#[cfg(test)]
mod tests;
