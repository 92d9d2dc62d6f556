// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table: initcalls of one or several kernel series, and how Debian's kernels of these have what builds them.
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::config::{KernelConfig, SymbolValue};
use crate::kconfig::{SymbolKind, SymbolType};
use crate::path::{directory, file_name};
use crate::row_set::{Row, RowSet};
use bootline_console::KernelVersion;
use flate2::read::GzDecoder;

/// Where an initcall comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The series in which that is so: the newest that has it, if the one asked for has not.
    pub series: &'a str,
    /// Path in the kernel tree.
    pub file: &'a str,
    /// The module that it belongs to where it is not built in, as the kernel names it.
    pub module: &'a str,
    /// Any of these symbols builds it, without `CONFIG_`; none if every kernel has it.
    pub symbols: Vec<&'a str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SymbolRow {
    kind: Option<SymbolKind>,
    /// By configuration, in the table's order.
    values: Vec<SymbolValue>,
}

/// Initcalls by name, with what builds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    series: Vec<String>,
    /// Series and architecture.
    configs: Vec<(String, String)>,
    symbols: BTreeMap<String, SymbolRow>,
    rows: RowSet,
}

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the initcall table: expected {expected}")]
pub struct TableError {
    /// From 1.
    pub line: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// initcalls.tsv as the build script compresses it.
const STOCK_GZ: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/initcalls.tsv.gz"));

/// The table of the series that this crate carries.
static STOCK: LazyLock<Table> = LazyLock::new(|| {
    let mut text = String::new();
    let read = GzDecoder::new(STOCK_GZ).read_to_string(&mut text).ok();
    read.and_then(|_| text.parse().ok()).expect("the test `the_stock_table_reads` reads it")
});

impl Table {
    /// Debian's kernels of the series that this crate carries.
    pub fn stock() -> &'static Table {
        &STOCK
    }

    pub(crate) fn of_series(
        series: &str,
        rows: impl Iterator<Item = Row>,
        kinds: &BTreeMap<String, SymbolKind>,
    ) -> Table {
        let mut table = Table { series: vec![series.to_owned()], ..Table::default() };
        for row in rows {
            for symbol in &row.symbols {
                let kind = kinds.get(symbol).copied();
                table.symbols.entry(symbol.clone()).or_insert(SymbolRow { kind, values: Vec::new() });
            }
            table.rows.add(row, [series.to_owned()]);
        }
        table
    }

    /// Notes how a kernel of the newest series was configured for an architecture (`amd64`).
    pub fn add_config(&mut self, architecture: &str, config: &KernelConfig) {
        let series = self.nearest(None).cloned().unwrap_or_default();
        self.configs.push((series, architecture.to_owned()));
        for (symbol, row) in &mut self.symbols {
            row.values.push(config.value(symbol));
        }
    }

    /// Takes in another series.
    pub fn merge(&mut self, other: Table) {
        for (row, series) in other.rows {
            self.rows.add(row, series);
        }
        let before = self.configs.len();
        for (symbol, row) in other.symbols {
            let absent = || SymbolRow { kind: None, values: vec![SymbolValue::Absent; before] };
            let known = self.symbols.entry(symbol).or_insert_with(absent);
            known.kind = row.kind.or(known.kind);
            known.values.extend(row.values);
        }
        self.series.extend(other.series);
        self.configs.extend(other.configs);
        for row in self.symbols.values_mut() {
            row.values.resize(self.configs.len(), SymbolValue::Absent);
        }
    }

    /// The source files that define an initcall of this name: in the module of that name if one is given, in the series nearest to
    /// a version if one is known. Several, if several files use the name.
    pub fn origins(&self, function: &str, module: Option<&str>, version: Option<KernelVersion>) -> Vec<Origin<'_>> {
        // The compiler's clones: `foo_init.isra.0`, `foo_init.cfi_jt`.
        let function = function.split('.').next().unwrap_or(function);
        let named: Vec<(&Row, &[String])> =
            self.rows.defining(function).filter(|(row, _)| module.is_none_or(|m| row.module == m)).collect();
        let has = |s: &&String| named.iter().any(|(_, series)| series.contains(*s));
        let newest = || self.series.iter().filter(has).max_by_key(|s| version_of(s));
        let Some(series) = self.nearest(version).filter(has).or_else(newest) else { return Vec::new() };
        let origins = named.iter().filter(|(_, all)| all.contains(series));
        origins
            .map(|(row, _)| Origin {
                series,
                file: &row.file,
                module: &row.module,
                symbols: row.symbols.iter().map(String::as_str).collect(),
            })
            .collect()
    }

    /// The newest series that is not newer than a version, else the oldest; without a version the newest.
    fn nearest(&self, version: Option<KernelVersion>) -> Option<&String> {
        self.series.iter().min_by_key(|s| distance(s, version))
    }

    /// What a symbol can be set to; none if no Kconfig file defines it.
    pub fn kind(&self, symbol: &str) -> Option<SymbolKind> {
        self.symbols.get(symbol)?.kind
    }

    /// With how kernels of another table have what its symbols build.
    pub fn with_values_of(mut self, other: &Table) -> Table {
        self.configs.clone_from(&other.configs);
        for (symbol, row) in &mut self.symbols {
            let known = other.symbols.get(symbol).map(|o| o.values.clone());
            row.values = known.unwrap_or_else(|| vec![SymbolValue::Absent; other.configs.len()]);
        }
        self
    }

    /// How a kernel of each architecture has what a symbol builds, in the series nearest to a version: series, architecture, value.
    pub fn values(&self, symbol: &str, version: Option<KernelVersion>) -> Vec<(&str, &str, SymbolValue)> {
        let mut nearest: BTreeMap<&str, (&str, SymbolValue)> = BTreeMap::new();
        let row = self.symbols.get(symbol);
        for ((series, architecture), value) in self.configs.iter().zip(row.into_iter().flat_map(|r| &r.values)) {
            let known = nearest.entry(architecture).or_insert((series, *value));
            if distance(series, version) < distance(known.0, version) {
                *known = (series, *value);
            }
        }
        nearest.into_iter().map(|(architecture, (series, value))| (series, architecture, value)).collect()
    }
}

/// Orders series by how near they are to a version: the newest that is not newer comes first, then the others from the oldest.
fn distance(series: &str, version: Option<KernelVersion>) -> (bool, Reverse<KernelVersion>, KernelVersion) {
    let of_series = version_of(series);
    let is_newer = version.is_some_and(|v| of_series > v);
    let older = if is_newer { KernelVersion::new(0, 0) } else { of_series };
    (is_newer, Reverse(older), of_series)
}

fn version_of(series: &str) -> KernelVersion {
    let mut numbers = series.split('.').map(|n| n.parse().unwrap_or(0));
    KernelVersion::new(numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

const HEAD: &str = "\
# SPDX-License-Identifier: MIT OR Apache-2.0
# Made by `cargo xtask initcalls` from the kernel's makefiles, Kconfig files and sources.
";

/// Columns, separated by tabs:
/// `series` the series; `configs` their configurations; `symbol` name, type (b bool, t tristate, capital if without a prompt, -), values by configuration;
/// `dir` the directory of the files that follow; `file` name, module (. if it is the file's name), symbols, series (* for all),
/// initcalls.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        writeln!(f, "series\t{}", self.series.join(" "))?;
        let configs: Vec<String> = self.configs.iter().map(|(series, a)| format!("{series}:{a}")).collect();
        writeln!(f, "configs\t{}", configs.join(" "))?;
        for (symbol, row) in &self.symbols {
            let kind = row.kind.map_or('-', letter);
            let values: String = row.values.iter().map(|v| v.letter()).collect();
            writeln!(f, "symbol\t{symbol}\t{kind}\t{values}")?;
        }
        let mut before = None;
        for (row, series) in self.rows.iter() {
            let (in_directory, name) = (directory(&row.file), file_name(&row.file));
            if before != Some(in_directory) {
                writeln!(f, "dir\t{in_directory}")?;
                before = Some(in_directory);
            }
            let module = if row.module == module_of(&row.file) { "." } else { &row.module };
            let series = if series.len() == self.series.len() { "*".to_owned() } else { series.join(" ") };
            let symbols = row.symbols.join(" ");
            writeln!(f, "file\t{name}\t{module}\t{symbols}\t{series}\t{}", row.functions.join(" "))?;
        }
        Ok(())
    }
}

impl FromStr for Table {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Table, TableError> {
        let mut table = Table::default();
        let mut in_directory = "";
        let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        for (number, line) in text.lines().enumerate() {
            let wrong = |expected| TableError { line: number + 1, expected };
            let columns: Vec<&str> = line.split('\t').collect();
            match columns[..] {
                ["series", series] => table.series = words(series),
                ["configs", configs] => {
                    let pairs = configs.split_whitespace().map(|c| c.split_once(':'));
                    let pairs = pairs.map(|p| p.map(|(s, a)| (s.to_owned(), a.to_owned())));
                    table.configs = pairs.collect::<Option<_>>().ok_or(wrong("series:architecture"))?;
                }
                ["symbol", symbol, kind, values] => {
                    let known = KINDS.into_iter().find(|k| kind.chars().eq([letter(*k)]));
                    if known.is_none() && kind != "-" {
                        return Err(wrong("a type: b, t, B, T or -"));
                    }
                    let values: Option<Vec<_>> = values.chars().map(SymbolValue::of_letter).collect();
                    let values = values.filter(|v| v.len() == table.configs.len());
                    let values = values.ok_or(wrong("a value for each configuration: y, m or n"))?;
                    table.symbols.insert(symbol.to_owned(), SymbolRow { kind: known, values });
                }
                ["dir", path] => in_directory = path,
                ["file", name, module, symbols, series, functions] => {
                    let file = if in_directory.is_empty() { name.to_owned() } else { format!("{in_directory}/{name}") };
                    let module = if module == "." { module_of(name) } else { module.to_owned() };
                    let series = if series == "*" { table.series.join(" ") } else { series.to_owned() };
                    let row = Row { file: file.into(), module, symbols: words(symbols), functions: words(functions) };
                    table.rows.add(row, words(&series));
                }
                _ if line.starts_with('#') || line.is_empty() => {}
                _ => return Err(wrong("series, configs, symbol, dir or file, with their columns")),
            }
        }
        Ok(table)
    }
}

const KINDS: [SymbolKind; 4] = [
    SymbolKind { values: SymbolType::Bool, has_prompt: true },
    SymbolKind { values: SymbolType::Bool, has_prompt: false },
    SymbolKind { values: SymbolType::Tristate, has_prompt: true },
    SymbolKind { values: SymbolType::Tristate, has_prompt: false },
];

fn letter(kind: SymbolKind) -> char {
    let letter = match kind.values {
        SymbolType::Bool => 'b',
        SymbolType::Tristate => 't',
    };
    if kind.has_prompt { letter } else { letter.to_ascii_uppercase() }
}

/// The module's name if a file is a module by itself.
fn module_of(file: &str) -> String {
    let name = file_name(file);
    name.strip_suffix(".c").unwrap_or(name).replace('-', "_")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const TEXT: &str = "\
series	6.1 7.2
configs	6.1:amd64 7.2:amd64 7.2:arm64
symbol	NEW	t	nmm
symbol	OLD	B	yny
dir	drivers
file	new.c	.	NEW	7.2	foo_init
file	old.c	.	OLD	6.1	foo_init
dir	init
file	both.c	whole		*	bar_init baz_init
";

    fn table() -> Table {
        TEXT.parse().expect(TEXT)
    }

    fn check(function: &str, module: Option<&str>, version: Option<(u16, u16)>, expected: &[&str]) {
        let table = table();
        let version = version.map(|(major, minor): (u16, u16)| KernelVersion::new(major, minor));
        let found: Vec<&str> = table.origins(function, module, version).iter().map(|o| o.file).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_nearest_series_decides() {
        check("foo_init", None, None, &["drivers/new.c"]);
        check("foo_init", None, Some((7, 3)), &["drivers/new.c"]);
        check("foo_init", None, Some((6, 18)), &["drivers/old.c"]);
        check("foo_init", None, Some((3, 10)), &["drivers/old.c"]);
        check("baz_init.isra.0", None, Some((3, 10)), &["init/both.c"]);
        check("foo_init", Some("new"), Some((3, 10)), &["drivers/new.c"]);
        check("foo_init", Some("other"), None, &[]);
        check("unheard_of", None, None, &[]);
    }

    /// Of names that several files use, and of files that several series have in different ways, too.
    #[test]
    fn rows_are_found_by_their_functions() {
        let table = Table::stock();
        let mut defined: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for (row, _) in table.rows.iter() {
            let functions: BTreeSet<&str> = row.functions.iter().map(String::as_str).collect();
            functions.into_iter().for_each(|f| defined.entry(f).or_default().push(row));
        }
        assert!(defined.values().any(|rows| rows.windows(2).any(|two| two[0].file == two[1].file)));
        assert!(defined.values().any(|rows| rows.windows(2).any(|two| two[0].file != two[1].file)));
        for (function, expected) in defined {
            let found: Vec<&Row> = table.rows.defining(function).map(|(row, _)| row).collect();
            assert_eq!(found, expected, "{function}");
        }
        assert_eq!(table.rows.defining("unheard_of").count(), 0);
    }

    #[test]
    fn the_nearest_configuration_decides() {
        let old = Some(KernelVersion::new(6, 1));
        assert_eq!(table().values("OLD", old)[0], ("6.1", "amd64", SymbolValue::BuiltIn));
        let values = |symbol| {
            table().values(symbol, None).iter().map(|(s, a, v)| format!("{s} {a} {}", v.letter())).collect::<Vec<_>>()
        };
        assert_eq!(values("NEW"), ["7.2 amd64 m", "7.2 arm64 m"]);
        assert_eq!(values("OLD"), ["7.2 amd64 n", "7.2 arm64 y"]);
        assert_eq!(values("UNHEARD_OF"), [""; 0]);
        assert_eq!(table().kind("NEW"), Some(SymbolKind { values: SymbolType::Tristate, has_prompt: true }));
        assert_eq!(table().kind("OLD"), Some(SymbolKind { values: SymbolType::Bool, has_prompt: false }));
    }

    #[test]
    fn a_table_is_written_as_it_is_read() {
        assert_eq!(table().to_string(), format!("{HEAD}{TEXT}"));
    }

    #[test]
    fn a_series_joins_another() {
        let series = |name: &str, file: &str| {
            let text = format!(
                "series\t{name}\nconfigs\t{name}:amd64\nsymbol\tX{file}\tb\ty\nfile\t{file}\t.\tX{file}\t*\tf\n"
            );
            text.parse::<Table>().expect(&text)
        };
        let mut table = series("6.1", "a.c");
        table.merge(series("7.2", "b.c"));
        assert_eq!(table.values("Xa.c", None), [("7.2", "amd64", SymbolValue::Absent)]);
        assert_eq!(table.values("Xb.c", None), [("7.2", "amd64", SymbolValue::BuiltIn)]);
        assert_eq!(table.to_string().parse::<Table>(), Ok(table));
    }

    #[test]
    fn errors_name_the_line() {
        let read = "series\t7.2\nfoo\n".parse::<Table>();
        assert_eq!(read.map_err(|e| e.line), Err(2));
        let read = "configs\t7.2:amd64\nsymbol\tX\tb\tyy\n".parse::<Table>();
        assert_eq!(read.map_err(|e| e.line), Err(2));
    }

    #[test]
    fn the_stock_table_reads() {
        let found = Table::stock().origins("ahci_pci_driver_init", None, None);
        assert_eq!(found.iter().map(|o| o.file).collect::<Vec<_>>(), ["drivers/ata/ahci.c"]);
    }
}
