// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verbs, one per file: arguments and what the verb does.
pub mod blame;
pub mod boot;
pub mod capture;
pub mod check;
pub mod collect;
pub mod compare;
pub mod completions;
pub mod critical_chain;
pub mod experiment;
pub mod explain;
pub mod export;
pub mod external;
pub mod kernels;
pub mod loaders;
pub mod man;
pub mod plot;
pub mod predict;
pub mod systems;
pub mod time;
