// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an initcall's name to its source file and the CONFIG symbols that build it.
//!
//! [`KernelTree`] takes the makefiles, Kconfig files and C sources of a kernel and gives a [`Table`]; [`Table::stock`] is the one
//! of the series that this crate carries. [`ConfigFragment`] reads and merges configurations, and [`reasons`] says why Kconfig did not
//! take a setting over. Pure: the caller reads the files.
mod config;
mod dependency;
mod fragment;
mod initcall;
mod initcall_source;
mod kconfig;
mod makefile;
mod path;
mod refusal;
mod row_set;
mod table;
mod tree;

pub use config::{KernelConfig, SymbolValue};
pub use fragment::{ConfigFragment, ConfigSetting, FragmentProblem, RefusedSetting};
pub use initcall_source::InitcallSource;
pub use kconfig::{SymbolKind, SymbolType};
pub use refusal::{RefusalReason, reasons};
pub use table::{Origin, Table, TableError};
pub use tree::{KernelTree, SourceKind};
