// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads what a kernel tree says of its initcalls.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bootline_kbuild::{KernelConfig, KernelTree, SourceKind, Table};

/// Why a kernel tree was not read.
#[derive(Debug, thiserror::Error)]
pub enum KernelTreeError {
    /// A file or folder that can't be read.
    #[error("can't read `{path}`: {source}", path = path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that is no kernel's source.
    #[error("`{path}` is not a kernel tree: its Makefile names no VERSION and PATCHLEVEL", path = .0.display())]
    NotAKernel(PathBuf),
}

/// The table of a kernel tree. Reads all its makefiles, Kconfig files and C sources,
/// a gigabyte or more; follows no links.
pub fn table(root: &Path) -> Result<Table, KernelTreeError> {
    let mut tree = KernelTree::default();
    let makefile = root.join("Makefile");
    tree.add("Makefile", SourceKind::Makefile, &read(&makefile)?);
    if tree.series().is_none() {
        return Err(KernelTreeError::NotAKernel(root.to_owned()));
    }
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let failed = |source| KernelTreeError::Read { path: path.clone(), source };
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            // A kernel's files have plain names; others are not the kernel's.
            let Some(name) = name.to_str().filter(|n| !n.starts_with('.')) else { continue };
            let within = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(within);
            } else if kind.is_file() {
                if let Some(source) = SourceKind::of(&within) {
                    tree.add(&within, source, &read(&entry.path())?);
                }
            }
        }
    }
    Ok(tree.table())
}

/// The configuration that a kernel was built with.
pub fn config(path: &Path) -> Result<KernelConfig, KernelTreeError> {
    Ok(KernelConfig::parse(&read(path)?))
}

/// A text file. A few sources are not UTF-8, in their comments.
fn read(path: &Path) -> Result<String, KernelTreeError> {
    let bytes = fs::read(path).map_err(|source| KernelTreeError::Read { path: path.to_owned(), source })?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_no_part_of_the_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Makefile", "VERSION = 6\nPATCHLEVEL = 12\n");
        write("drivers/ata/Makefile", "obj-$(CONFIG_SATA_AHCI) += ahci.o");
        write("drivers/ata/ahci.c", "module_pci_driver(ahci_pci_driver);");
        write("Documentation/driver.c", "module_pci_driver(ahci_pci_driver);");
        let table = table(folder.path()).unwrap();
        let found = table.origins("ahci_pci_driver_init", None, None);
        assert_eq!(found.iter().map(|o| o.file).collect::<Vec<_>>(), ["drivers/ata/ahci.c"]);
        assert_eq!(found[0].symbols, ["SATA_AHCI"]);
    }

    #[test]
    fn other_folders_are_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(table(folder.path()), Err(KernelTreeError::Read { .. })));
        fs::write(folder.path().join("Makefile"), "all:\n").unwrap();
        assert!(matches!(table(folder.path()), Err(KernelTreeError::NotAKernel(_))));
    }
}
