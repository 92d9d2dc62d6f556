// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which table answers.
use std::ops::Deref;

use crate::table::Table;

/// Where initcalls are looked up. The stock table is read at its first use: most boots ask for none.
#[derive(Clone, Debug, Default)]
pub enum InitcallSource {
    /// [`Table::stock`].
    #[default]
    Stock,
    /// The table of another kernel.
    Own(Table),
}

impl Deref for InitcallSource {
    type Target = Table;

    fn deref(&self) -> &Table {
        match self {
            InitcallSource::Stock => Table::stock(),
            InitcallSource::Own(table) => table,
        }
    }
}
