// SPDX-License-Identifier: MIT OR Apache-2.0
//! `behaviour.tsv`, read: rows keyed by version. Nothing else in bootline knows what a version does.
use std::sync::LazyLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::driver::{Driver, FifoUse, Framework, RegistersAt, TxTimeout};
use super::kernel_version::KernelVersion;
use super::printing::{DriverWait, Printing, RegistrationFlush, ThreadsReady};

/// The table of this version of bootline. Its text is part of the program and a test parses all of it, so it can't be
/// invalid here.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(TEXT).unwrap_or_default());

pub(super) const TEXT: &str = include_str!("behaviour.tsv");

/// Versions, both ends included: `6.18` is the first stable release of 6.18 where a range begins, the last where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) from: KernelVersion,
    pub(super) to: KernelVersion,
}

impl Range {
    /// A version without its stable release is taken as the last of its series: who names a series means what can be had
    /// of it today.
    pub(super) fn holds(self, version: KernelVersion) -> bool {
        let version = last_release(version);
        self.from <= version && version <= last_release(self.to)
    }
}

fn last_release(version: KernelVersion) -> KernelVersion {
    version.with_stable(version.stable.unwrap_or(u16::MAX))
}

/// What printk does with consoles of one framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrintkRow {
    pub(super) framework: Framework,
    pub(super) range: Range,
    pub(super) rt: Option<bool>,
    pub(super) printing: Printing,
    pub(super) threads_ready: ThreadsReady,
    pub(super) registration: RegistrationFlush,
    pub(super) wait: DriverWait,
    pub(super) source: String,
}

/// What a driver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DriverRow {
    pub(super) driver: Driver,
    pub(super) range: Range,
    pub(super) rt: Option<bool>,
    /// Whether the row is for Debian's kernels only; such a row takes precedence over the one for all.
    pub(super) debian: bool,
    pub(super) framework: Framework,
    pub(super) fifo: Option<FifoUse>,
    pub(super) tx_timeout: Option<TxTimeout>,
    pub(super) registers: RegistersAt,
    pub(super) source: String,
}

/// Both parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) printk: Vec<PrintkRow>,
    pub(super) drivers: Vec<DriverRow>,
}

/// Why a table can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TableError {
    #[error("line {line}: {found} columns, {wanted} wanted")]
    Columns { line: usize, found: usize, wanted: usize },
    #[error("line {line}: `{word}` is not a {column}")]
    Word { line: usize, word: String, column: &'static str },
    #[error("line {line}: a row outside of [printk] and [driver]")]
    Section { line: usize },
}

impl Table {
    pub(super) fn parse(text: &str) -> Result<Table, TableError> {
        let mut table = Table::default();
        let mut section = None;
        let mut rows = text.lines().enumerate().map(|(i, l)| (i + 1, l));
        while let Some((line, text)) = rows.next() {
            match text {
                "" => {}
                "[printk]" | "[driver]" => {
                    section = Some(text);
                    // The names of the columns.
                    rows.next();
                }
                _ if text.starts_with('#') => {}
                _ => match section {
                    Some("[printk]") => table.printk.push(printk_row(line, text)?),
                    Some(_) => table.drivers.push(driver_row(line, text)?),
                    None => return Err(TableError::Section { line }),
                },
            }
        }
        Ok(table)
    }

    pub(super) fn printk(&self, framework: Framework, version: KernelVersion, rt: bool) -> Option<&PrintkRow> {
        self.printk.iter().find(|r| r.framework == framework && r.range.holds(version) && r.rt.is_none_or(|v| v == rt))
    }

    pub(super) fn driver(&self, driver: Driver, version: KernelVersion, rt: bool, debian: bool) -> Option<&DriverRow> {
        let fits = |r: &&DriverRow| {
            r.driver == driver && r.range.holds(version) && r.rt.is_none_or(|v| v == rt) && (debian || !r.debian)
        };
        self.drivers.iter().filter(fits).max_by_key(|r| r.debian)
    }
}

fn printk_row(line: usize, text: &str) -> Result<PrintkRow, TableError> {
    let [framework, from, to, rt, printing, threads_ready, registration, wait, source] = columns(line, text)?;
    Ok(PrintkRow {
        framework: word(line, "framework", framework)?,
        range: Range { from: version(line, from)?, to: version(line, to)? },
        rt: rt_column(line, rt)?,
        printing: word(line, "printing", printing)?,
        threads_ready: word(line, "threads-ready", threads_ready)?,
        registration: word(line, "registration", registration)?,
        wait: word(line, "wait", wait)?,
        source: source.to_owned(),
    })
}

fn driver_row(line: usize, text: &str) -> Result<DriverRow, TableError> {
    let [driver, from, to, rt, vendor, framework, fifo, tx_timeout, registers, source] = columns(line, text)?;
    Ok(DriverRow {
        driver: word(line, "driver", driver)?,
        range: Range { from: version(line, from)?, to: version(line, to)? },
        rt: rt_column(line, rt)?,
        debian: match vendor {
            "any" => false,
            "debian" => true,
            _ => return Err(TableError::Word { line, word: vendor.to_owned(), column: "vendor" }),
        },
        framework: word(line, "framework", framework)?,
        fifo: if fifo == "-" { None } else { Some(word(line, "fifo", fifo)?) },
        tx_timeout: if tx_timeout == "-" { None } else { Some(word(line, "time-out", tx_timeout)?) },
        registers: word(line, "registers", registers)?,
        source: source.to_owned(),
    })
}

fn columns<const N: usize>(line: usize, text: &str) -> Result<[&str; N], TableError> {
    let found: Vec<&str> = text.split('\t').collect();
    let count = found.len();
    found.try_into().map_err(|_| TableError::Columns { line, found: count, wanted: N })
}

/// A column's value is serde's name of the variant.
fn word<T: DeserializeOwned>(line: usize, column: &'static str, text: &str) -> Result<T, TableError> {
    serde_json::from_value(Value::from(text)).map_err(|_| TableError::Word { line, word: text.to_owned(), column })
}

fn version(line: usize, text: &str) -> Result<KernelVersion, TableError> {
    text.parse().map_err(|_| TableError::Word { line, word: text.to_owned(), column: "version" })
}

fn rt_column(line: usize, text: &str) -> Result<Option<bool>, TableError> {
    match text {
        "yes" => Ok(Some(true)),
        "no" => Ok(Some(false)),
        "any" => Ok(None),
        _ => Err(TableError::Word { line, word: text.to_owned(), column: "rt" }),
    }
}

#[cfg(test)]
mod tests;
