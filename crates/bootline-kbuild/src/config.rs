// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's configuration: the `.config` file.
use std::collections::HashMap;

/// How a kernel has what a symbol builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolValue {
    /// `y`
    BuiltIn,
    /// `m`
    Module,
    /// `n`, or not there.
    Absent,
}

impl SymbolValue {
    /// `y`, `m` or `n`.
    pub fn letter(self) -> char {
        match self {
            SymbolValue::BuiltIn => 'y',
            SymbolValue::Module => 'm',
            SymbolValue::Absent => 'n',
        }
    }

    pub(crate) fn of_letter(letter: char) -> Option<SymbolValue> {
        [SymbolValue::BuiltIn, SymbolValue::Module, SymbolValue::Absent].into_iter().find(|v| v.letter() == letter)
    }
}

/// The symbols that a configuration sets to y or m.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelConfig {
    set: HashMap<String, SymbolValue>,
}

impl KernelConfig {
    /// Reads a `.config`. Lines that set neither y nor m say nothing here.
    pub fn parse(text: &str) -> KernelConfig {
        let set = text.lines().filter_map(|line| {
            let (symbol, value) = line.strip_prefix("CONFIG_")?.split_once('=')?;
            let value = match value.trim_end() {
                "y" => SymbolValue::BuiltIn,
                "m" => SymbolValue::Module,
                _ => return None,
            };
            Some((symbol.to_owned(), value))
        });
        KernelConfig { set: set.collect() }
    }

    /// The value of a symbol, which is named without `CONFIG_`.
    pub fn value(&self, symbol: &str) -> SymbolValue {
        self.set.get(symbol).copied().unwrap_or(SymbolValue::Absent)
    }
}
