// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole boot: its stages, its marks, the application, and the sources that they rest on.
mod marks;
mod processes;
mod sources;
mod stages;
mod traced;
mod units;

pub(super) use marks::marks;
pub(super) use processes::processes;
pub(super) use sources::sources;
pub(super) use stages::{application, is_worth_showing, readiness, stages, when_reached};
pub(super) use traced::traced_initcalls;
pub(super) use units::units_table;
