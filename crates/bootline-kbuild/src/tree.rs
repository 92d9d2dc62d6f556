// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel tree: which symbol builds which source file.
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::config::{KernelConfig, SymbolValue};
use crate::initcall::initcalls;
use crate::kconfig::{self, SymbolKind, SymbolType};
use crate::makefile::{Entry, lists};
use crate::path::{directory, file_name, join};
use crate::row_set::Row;
use crate::table::Table;

/// The files of a kernel tree that say something about initcalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// `Makefile` or `Kbuild`.
    Makefile,
    /// `Kconfig` and `Kconfig.*`.
    Kconfig,
    /// A C source.
    C,
}

impl SourceKind {
    /// What a file is by its path within the tree; none if it says nothing about initcalls. `Documentation`, `tools` and the
    /// like are no part of the kernel.
    pub fn of(path: &str) -> Option<SourceKind> {
        const FOREIGN: [&str; 5] = ["Documentation", "tools", "scripts", "samples", "debian"];
        if path.split_once('/').is_some_and(|(top, _)| FOREIGN.contains(&top)) {
            return None;
        }
        match file_name(path) {
            "Makefile" | "Kbuild" => Some(SourceKind::Makefile),
            name if name == "Kconfig" || name.starts_with("Kconfig.") => Some(SourceKind::Kconfig),
            name => name.ends_with(".c").then_some(SourceKind::C),
        }
    }
}

/// A list in which an object stands.
#[derive(Debug)]
struct Build {
    symbols: Vec<String>,
    /// The object it becomes a part of, with its path; none if it is linked by itself.
    part_of: Option<String>,
    /// Of the makefile.
    directory: String,
}

/// What a kernel tree's files say, in any order of reading.
#[derive(Debug, Default)]
pub struct KernelTree {
    objects: HashMap<String, Vec<Build>>,
    directories: HashMap<String, Vec<Build>>,
    symbols: BTreeMap<String, SymbolKind>,
    /// Initcalls by source file.
    initcalls: BTreeMap<String, Vec<String>>,
    series: Option<String>,
}

impl KernelTree {
    /// Takes in one file; its path is relative to the tree's root, with `/`.
    pub fn add(&mut self, path: &str, kind: SourceKind, text: &str) {
        match kind {
            SourceKind::Makefile => {
                if path == "Makefile" {
                    self.series = series(text);
                }
                self.add_makefile(directory(path), text);
            }
            SourceKind::Kconfig => {
                for (symbol, kind) in kconfig::symbols(text) {
                    // A symbol that some architecture fixes (`def_bool`) may be a tristate, or have a prompt, elsewhere.
                    let known = self.symbols.entry(symbol.to_owned()).or_insert(kind);
                    known.has_prompt |= kind.has_prompt;
                    if kind.values == SymbolType::Tristate {
                        known.values = kind.values;
                    }
                }
            }
            SourceKind::C => {
                let found: Vec<String> = initcalls(text).collect();
                if !found.is_empty() {
                    self.initcalls.insert(path.to_owned(), found);
                }
            }
        }
    }

    fn add_makefile(&mut self, makefile: &str, text: &str) {
        for list in lists(text) {
            let part_of = list.part_of.and_then(|name| join(makefile, name));
            let build = || Build {
                symbols: list.symbols.iter().map(|s| (*s).to_owned()).collect(),
                part_of: part_of.clone(),
                directory: makefile.to_owned(),
            };
            for entry in &list.entries {
                let (known, path) = match entry {
                    Entry::Directory(name) => (&mut self.directories, name),
                    Entry::Object(name) | Entry::Listed(name) => (&mut self.objects, name),
                };
                // An architecture's makefile names directories from the tree's root.
                let from = if name_is_from_root(makefile, path) { "" } else { makefile };
                if let Some(path) = join(from, path) {
                    known.entry(path).or_default().push(build());
                }
            }
        }
    }

    /// The series by the root's makefile, such as 6.12; none if that was not read or is not a kernel's.
    pub fn series(&self) -> Option<&str> {
        self.series.as_deref()
    }

    /// The table of this tree's initcalls.
    pub fn table(&self) -> Table {
        let rows = self.initcalls.iter().map(|(file, functions)| {
            let object = file.strip_suffix(".c").unwrap_or(file);
            let mut symbols = Vec::new();
            self.symbols_of(object, &mut symbols, MOST_STEPS);
            if symbols.is_empty() {
                self.gates_of(directory(file), &mut symbols, MOST_STEPS);
            }
            Row {
                file: file.as_str().into(),
                module: self.module_of(object, MOST_STEPS),
                symbols,
                functions: functions.clone(),
            }
        });
        Table::of_series(self.series().unwrap_or("0.0"), rows, &self.symbols)
    }

    /// How many objects this configuration compiles, roughly: makefiles have conditions that this does not understand. `srcarch` is
    /// the kernel's name of the architecture's folder, such as `x86`.
    pub fn count_objects(&self, config: &KernelConfig, srcarch: &str) -> usize {
        let wholes: HashSet<&str> = self.objects.values().flatten().filter_map(|b| b.part_of.as_deref()).collect();
        let of_arch = |path: &str| {
            path.strip_prefix("arch/").is_none_or(|rest| rest.split_once('/').is_some_and(|(arch, _)| arch == srcarch))
        };
        let compiled = self.objects.keys().filter(|object| !wholes.contains(object.as_str()) && of_arch(object));
        compiled.filter(|object| self.builds(object, config, MOST_STEPS)).count()
    }

    fn builds(&self, object: &str, config: &KernelConfig, steps: u32) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        self.objects.get(object).into_iter().flatten().any(|build| {
            let whole = build.part_of.as_deref().filter(|whole| *whole != object);
            is_on(&build.symbols, config)
                && self.enters(&build.directory, config, steps)
                && whole.is_none_or(|whole| self.builds(whole, config, steps))
        })
    }

    /// Whether make goes into a directory.
    fn enters(&self, path: &str, config: &KernelConfig, steps: u32) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        match self.directories.get(path) {
            _ if path.is_empty() => true,
            None => self.enters(directory(path), config, steps),
            Some(builds) => {
                builds.iter().any(|b| is_on(&b.symbols, config) && self.enters(&b.directory, config, steps))
            }
        }
    }

    /// The symbols that build an object, of which one is enough: those of its own lists, else of what it is a part of, else of the
    /// directory.
    fn symbols_of(&self, object: &str, into: &mut Vec<String>, steps: u32) {
        let Some(steps) = steps.checked_sub(1) else { return };
        for build in self.objects.get(object).into_iter().flatten() {
            match (&build.symbols[..], &build.part_of) {
                ([], Some(whole)) if whole != object => self.symbols_of(whole, into, steps),
                ([], _) => self.gates_of(&build.directory, into, steps),
                (own, _) => extend(into, own),
            }
        }
    }

    /// The symbols that switch a directory on.
    fn gates_of(&self, path: &str, into: &mut Vec<String>, steps: u32) {
        let Some(steps) = steps.checked_sub(1) else { return };
        match self.directories.get(path) {
            _ if path.is_empty() => {}
            None => self.gates_of(directory(path), into, steps),
            Some(builds) => {
                // What is also built without a symbol needs none.
                for build in builds {
                    if build.symbols.is_empty() {
                        self.gates_of(&build.directory, into, steps);
                    } else {
                        extend(into, &build.symbols);
                    }
                }
            }
        }
    }

    /// The module that an object belongs to if it is not built in, as the kernel names it.
    fn module_of(&self, object: &str, steps: u32) -> String {
        let whole = self.objects.get(object).into_iter().flatten().find_map(|b| b.part_of.as_deref());
        match (whole, steps.checked_sub(1)) {
            (Some(whole), Some(steps)) if whole != object => self.module_of(whole, steps),
            _ => file_name(object).replace('-', "_"),
        }
    }
}

/// Makefiles that refer to each other in a circle end here.
const MOST_STEPS: u32 = 16;

/// `VERSION = 6` and `PATCHLEVEL = 12` of the root's makefile.
fn series(makefile: &str) -> Option<String> {
    let value = |name: &str| {
        let mut lines = makefile.lines().filter_map(|line| line.split_once('='));
        lines.find(|(n, _)| n.trim() == name).map(|(_, value)| value.trim())
    };
    let numbers = [value("VERSION")?, value("PATCHLEVEL")?];
    numbers.iter().all(|n| n.parse::<u16>().is_ok()).then(|| numbers.join("."))
}

/// Whether one of the symbols is set, or none is needed.
fn is_on(symbols: &[String], config: &KernelConfig) -> bool {
    symbols.is_empty() || symbols.iter().any(|s| config.value(s) != SymbolValue::Absent)
}

fn name_is_from_root(makefile: &str, name: &str) -> bool {
    makefile.starts_with("arch/") && name.starts_with("arch/")
}

fn extend(into: &mut Vec<String>, symbols: &[String]) {
    for symbol in symbols {
        if !into.contains(symbol) {
            into.push(symbol.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> KernelTree {
        let mut tree = KernelTree::default();
        for (path, text) in files {
            tree.add(path, SourceKind::of(path).expect(path), text);
        }
        tree
    }

    fn check(files: &[(&str, &str)], function: &str, file: &str, module: &str, symbols: &[&str]) {
        let table = tree(files).table();
        let found = table.origins(function, None, None);
        let [found] = &found[..] else { panic!("{function}: {found:?}") };
        assert_eq!((found.file, found.module, &found.symbols[..]), (file, module, symbols));
    }

    #[test]
    fn an_object_of_its_own() {
        check(
            &[
                ("drivers/ata/Makefile", "obj-$(CONFIG_SATA_AHCI) += ahci.o"),
                ("drivers/ata/ahci.c", "module_pci_driver(ahci_pci_driver);"),
            ],
            "ahci_pci_driver_init",
            "drivers/ata/ahci.c",
            "ahci",
            &["SATA_AHCI"],
        );
    }

    #[test]
    fn a_part_of_a_composite_in_another_directory() {
        check(
            &[
                (
                    "drivers/gpu/drm/i915/Makefile",
                    "i915-y := gt/intel_gt.o i915_module.o\nobj-$(CONFIG_DRM_I915) += i915.o",
                ),
                ("drivers/gpu/drm/i915/gt/intel_gt.c", "module_init(i915_init);"),
            ],
            "i915_init",
            "drivers/gpu/drm/i915/gt/intel_gt.c",
            "i915",
            &["DRM_I915"],
        );
    }

    #[test]
    fn a_directory_switches_what_is_in_it() {
        check(
            &[
                ("Kbuild", "obj-y += drivers/"),
                ("drivers/Makefile", "obj-$(CONFIG_ACPI) += acpi/"),
                ("drivers/acpi/Makefile", "obj-y += acpi.o\nacpi-y := bus.o"),
                ("drivers/acpi/bus.c", "subsys_initcall(acpi_init);"),
            ],
            "acpi_init",
            "drivers/acpi/bus.c",
            "acpi",
            &["ACPI"],
        );
    }

    #[test]
    fn what_is_always_built_needs_no_symbol() {
        check(
            &[
                ("Kbuild", "obj-y += init/"),
                ("init/Makefile", "obj-y := main.o\nobj-$(CONFIG_BLK_DEV_INITRD) += initramfs.o"),
                ("init/main.c", "early_initcall(run_first);"),
            ],
            "run_first",
            "init/main.c",
            "main",
            &[],
        );
    }

    #[test]
    fn objects_of_a_configuration_are_counted() {
        let tree = tree(&[
            ("Kbuild", "obj-y += init/ drivers/"),
            ("init/Makefile", "obj-y := main.o\nobj-$(CONFIG_INITRD) += initramfs.o"),
            ("drivers/Makefile", "obj-$(CONFIG_ATA) += ata/"),
            ("drivers/ata/Makefile", "obj-$(CONFIG_AHCI) += ahci.o\nahci-y := core.o port.o"),
            ("arch/arm64/Makefile", "core-y += arch/arm64/kernel/"),
            ("arch/arm64/kernel/Makefile", "obj-y := head.o"),
        ]);
        let count = |config: &str| tree.count_objects(&KernelConfig::parse(config), "x86");
        assert_eq!(count(""), 1);
        assert_eq!(count("CONFIG_INITRD=y\nCONFIG_AHCI=y\n"), 2, "nothing of a directory that is not entered");
        assert_eq!(count("CONFIG_ATA=y\nCONFIG_AHCI=m\n"), 3, "the parts, not the whole");
        assert_eq!(tree.count_objects(&KernelConfig::parse(""), "arm64"), 2);
    }

    #[test]
    fn makefiles_that_refer_to_each_other_end() {
        check(
            &[("a/Makefile", "x-y := y.o\ny-y := x.o"), ("a/x.c", "module_init(x_init);")],
            "x_init",
            "a/x.c",
            "x",
            &[],
        );
    }

    #[test]
    fn the_table_knows_what_a_kernel_has_as_a_module() {
        let files = [
            ("Makefile", "VERSION = 7\nPATCHLEVEL = 2\nSUBLEVEL = 13\n"),
            ("drivers/ata/Makefile", "obj-$(CONFIG_SATA_AHCI) += ahci.o"),
            ("drivers/ata/Kconfig", "config SATA_AHCI\n\ttristate \"AHCI\"\n"),
            ("drivers/ata/ahci.c", "module_pci_driver(ahci_pci_driver);"),
        ];
        let mut table = tree(&files).table();
        table.add_config("amd64", &KernelConfig::parse("CONFIG_SATA_AHCI=m\n"));
        let read: Table = table.to_string().parse().unwrap();
        assert_eq!(read, table);
    }
}
