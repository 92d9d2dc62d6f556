// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's modules in the order in which they have to be loaded, by their own .modinfo.
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::SystemError;
use super::module_error::{ModuleReadError, NoDriver};
use crate::file_system::FileSystem;
use crate::hardware::Hardware;

/// No module is larger once it is decompressed, in bytes.
const MAX_MODULE: u64 = 64 << 20;

/// A module, decompressed: not every kernel decompresses modules itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelModule {
    /// Its name, with `_` for `-`.
    pub name: String,
    /// Its file, perhaps compressed.
    pub path: PathBuf,
    /// The ELF file.
    pub content: Vec<u8>,
}

/// The modules that mount a root with this file system on this hardware, and one that lies over it, if any; and of those named `more` what
/// the kernel has. Each comes after those that it depends on.
///
/// # Errors
/// The kernel, whose modules are in this folder, has no driver for the hardware or the file systems; or a module or the folder can't be read.
pub(crate) fn mounting_modules(
    folder: &Path,
    hardware: &Hardware,
    file_system: FileSystem,
    layer: Option<&'static str>,
    more: &[&str],
) -> Result<Vec<KernelModule>, SystemError> {
    let mut found = Ordered::of(folder)?;
    if let Some(missed) = missing_driver(&found.files, folder, hardware, file_system, layer) {
        return Err(missed.into());
    }
    for name in hardware.modules(file_system).iter().chain(file_system.modules()).chain(&layer).chain(more) {
        found.add(name)?;
    }
    Ok(found.modules)
}

/// The first driver of the hardware around a root with this file system, or of the file system or the one over it, that a kernel lacks,
/// whose modules are in this folder.
fn missing_driver(
    files: &HashMap<String, PathBuf>,
    folder: &Path,
    hardware: &Hardware,
    file_system: FileSystem,
    layer: Option<&'static str>,
) -> Option<NoDriver> {
    let built_in = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
    let built_in: HashSet<String> = built_in
        .lines()
        .filter_map(|line| Some(line.rsplit('/').next()?.strip_suffix(".ko")?.replace('-', "_")))
        .collect();
    // A kernel that does not say what is built in is given the benefit of the doubt.
    let is_there = |name: &str| built_in.is_empty() || built_in.contains(name) || files.contains_key(name);
    let bus = hardware.bus_of(file_system);
    let of_bus = bus.modules().iter().map(|driver| (*driver, format!("the bus {bus}"), Some(format!("--bus {bus}"))));
    let of_absent = hardware.absent.iter().flat_map(|absent| {
        absent.modules().iter().map(move |driver| {
            (*driver, format!("the empty slot of `--absent {absent}`"), Some(format!("--absent {absent}")))
        })
    });
    let block = hardware.block_layer(file_system).into_iter();
    let of_file_system =
        block.chain(file_system.drivers().iter().copied()).map(|driver| (driver, format!("{file_system}"), None));
    let of_layer = layer.into_iter().map(|driver| (driver, format!("a layer in memory over {file_system}"), None));
    let mut all = of_bus.chain(of_absent).chain(of_file_system).chain(of_layer);
    let missed = all.find(|(driver, ..)| !is_there(driver));
    missed.map(|(driver, what, option)| NoDriver { what, driver, option })
}

/// The modules named, each after those that it depends on. Names that are no module of this kernel are left out: what
/// is a module in one kernel is built into another.
///
/// # Errors
/// A module or the folder can't be read.
pub fn with_dependencies(folder: &Path, names: &[&str]) -> Result<Vec<KernelModule>, ModuleReadError> {
    let mut found = Ordered::of(folder)?;
    for name in names {
        found.add(name)?;
    }
    Ok(found.modules)
}

struct Ordered {
    /// Paths by name.
    files: HashMap<String, PathBuf>,
    seen: HashSet<String>,
    modules: Vec<KernelModule>,
}

impl Ordered {
    /// None yet, of a folder.
    fn of(folder: &Path) -> Result<Ordered, ModuleReadError> {
        let mut files = HashMap::new();
        index(folder, &mut files)?;
        Ok(Ordered { files, seen: HashSet::new(), modules: Vec::new() })
    }

    fn add(&mut self, name: &str) -> Result<(), ModuleReadError> {
        let name = name.replace('-', "_");
        let Some(path) = self.files.get(&name).cloned() else { return Ok(()) };
        if !self.seen.insert(name.clone()) {
            return Ok(());
        }
        let content = read(&path).map_err(|source| ModuleReadError { path: path.clone(), source })?;
        for dependency in dependencies(&content) {
            self.add(&dependency)?;
        }
        self.modules.push(KernelModule { name, path, content });
        Ok(())
    }
}

fn index(folder: &Path, files: &mut HashMap<String, PathBuf>) -> Result<(), ModuleReadError> {
    let failed = |source| ModuleReadError { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let path = entry.path();
        if kind.is_dir() {
            index(&path, files)?;
        } else if let Some((name, _)) = entry.file_name().to_str().and_then(|n| n.split_once(".ko")) {
            files.insert(name.replace('-', "_"), path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut content = Vec::new();
    match path.extension().and_then(|e| e.to_str()) {
        Some("xz") => lzma_rust2::XzReader::new(file, true).take(MAX_MODULE).read_to_end(&mut content)?,
        Some("zst") => {
            let reader = ruzstd::StreamingDecoder::new(file).map_err(|e| io::Error::other(e.to_string()))?;
            reader.take(MAX_MODULE).read_to_end(&mut content)?
        }
        _ => file.take(MAX_MODULE).read_to_end(&mut content)?,
    };
    Ok(content)
}

/// What a module's `.modinfo` names: `depends=a,b` and `softdep=pre: a b`, each a string that ends with a zero.
fn dependencies(module: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    for text in module.split(|b| *b == 0) {
        let list = text.strip_prefix(b"depends=").or_else(|| text.strip_prefix(b"softdep=pre: "));
        let list = list.and_then(|list| std::str::from_utf8(list).ok()).unwrap_or_default();
        names.extend(list.split([',', ' ']).take_while(|n| *n != "post:").filter(|n| !n.is_empty()).map(str::to_owned));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::{Absent, Bus};

    #[test]
    fn each_follows_what_it_depends_on() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, info: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("\x7fELF\0{info}\0")).unwrap();
        };
        write("fs/ext4/ext4.ko", "depends=jbd2,mb-cache\0softdep=pre: crc32c post: x");
        write("fs/jbd2.ko", "depends=");
        write("fs/mb-cache.ko", "depends=jbd2");
        write("crypto/crc32c.ko", "depends=");
        write("x.ko", "depends=");
        let names = |wanted: &[&str]| -> Vec<String> {
            with_dependencies(folder.path(), wanted).unwrap().into_iter().map(|m| m.name).collect()
        };
        assert_eq!(names(&["ext4", "jbd2", "built_in"]), ["jbd2", "mb_cache", "crc32c", "ext4"]);
        assert_eq!(names(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_driver_is_a_module_or_built_in_or_missed() {
        let folder = tempfile::tempdir().unwrap();
        let missing = |bus, absent: &[Absent], file_system, layer| {
            let hardware = Hardware { bus: Some(bus), absent: absent.iter().copied().collect() };
            let files = Ordered::of(folder.path()).unwrap().files;
            missing_driver(&files, folder.path(), &hardware, file_system, layer)
        };
        let check = |bus, absent: &[Absent], expected: Option<&str>| {
            let error = missing(bus, absent, FileSystem::Ext4, None).map(|e| e.to_string());
            assert_eq!(error.as_deref(), expected);
        };
        check(Bus::Nvme, &[], None);
        let built_in = "kernel/drivers/scsi/sd-mod.ko\nkernel/fs/ext4/ext4.ko\nkernel/fs/squashfs/squashfs.ko\n";
        fs::write(folder.path().join("modules.builtin"), built_in).unwrap();
        fs::write(folder.path().join("ahci.ko.xz"), "").unwrap();
        check(Bus::Sata, &[], None);
        let missed = "this kernel has no driver for the bus nvme: `nvme` is neither built in nor one of its modules";
        check(Bus::Nvme, &[], Some(missed));
        let missed = "this kernel has no driver for the empty slot of `--absent sd-card`: `sdhci_pci` is neither built in nor one of its modules";
        check(Bus::Sata, &[Absent::SdCard], Some(missed));
        let of_root = |file_system, layer| missing(Bus::Sata, &[], file_system, layer).map(|missed| missed.driver);
        assert_eq!(of_root(FileSystem::Squashfs, None), None);
        assert_eq!(of_root(FileSystem::Squashfs, Some("overlay")), Some("overlay"));
        assert_eq!(of_root(FileSystem::Erofs, Some("overlay")), Some("erofs"));
    }

    #[test]
    fn a_damaged_module_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.ko.xz"), "not xz").unwrap();
        let error = with_dependencies(folder.path(), &["a"]).unwrap_err();
        assert!(error.to_string().starts_with("can't read the kernel module `"), "{error}");
    }
}
