// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an initcall's name to its source file and the CONFIG symbols that build it.
//!
//! [`KernelTree`] takes the makefiles, Kconfig files and C sources of a kernel and gives a [`Table`]; [`Table::stock`] is the one
//! of the series that this crate carries. Pure: the caller reads the files.
mod config;
mod initcall;
mod initcall_source;
mod kconfig;
mod makefile;
mod path;
mod row_set;
mod table;
mod tree;

pub use config::{KernelConfig, SymbolValue};
pub use initcall_source::InitcallSource;
pub use kconfig::{SymbolKind, SymbolType};
pub use table::{Origin, Table, TableError};
pub use tree::{KernelTree, SourceKind};
