// SPDX-License-Identifier: MIT OR Apache-2.0
//! The disk that a boot loader reads: kernel, initramfs, and a menu file with the command line.
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use super::error::LoaderError;
use super::tools::{has_program, run};

/// Features of the file system.
const FEATURES: &str = "none,extent,filetype,sparse_super,large_file,dir_index";

/// What the loader boots.
#[derive(Clone, Copy, Debug)]
pub struct BootFiles<'a> {
    /// The kernel's image.
    pub kernel: &'a Path,
    /// The initramfs.
    pub initramfs: &'a Path,
}

/// The file that tells a loader what to boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootMenu {
    /// Its path on the disk.
    pub path: &'static str,
    /// Its content. The kernel is `/kernel`, the initramfs `/initramfs`.
    pub text: String,
}

/// Writes a disk with one partition, an ext4 file system, to `path`: loaders look for menus on partitions. `folder` is empty and takes
/// the files meanwhile.
///
/// # Errors
/// A file can't be read or written, or mkfs.ext4 is missing or failed.
pub fn boot_disk(files: &BootFiles<'_>, menu: &BootMenu, folder: &Path, path: &Path) -> Result<(), LoaderError> {
    if !has_program("mkfs.ext4") {
        return Err(LoaderError::NoMkfs);
    }
    let menu_file = folder.join(menu.path);
    let menu_folder = menu_file.parent().expect("a menu is in a folder");
    fs::create_dir_all(menu_folder).map_err(LoaderError::file("create", menu_folder))?;
    fs::write(&menu_file, &menu.text).map_err(LoaderError::file("write", &menu_file))?;
    let mut bytes = 0;
    for (from, name) in [(files.kernel, "kernel"), (files.initramfs, "initramfs")] {
        bytes += fs::copy(from, folder.join(name)).map_err(LoaderError::file("copy", from))?;
    }
    let mut command = Command::new("mkfs.ext4");
    // Only features that every loader reads, whatever this host's defaults are.
    let mib = mebibytes(bytes);
    let extended = format!("root_owner=0:0,offset={}", PARTITION_MIB << 20);
    let created = fs::File::create(path).and_then(|file| file.set_len((PARTITION_MIB + mib) << 20));
    created.map_err(LoaderError::file("write", path))?;
    command.args(["-q", "-F", "-L", "boot", "-O", FEATURES, "-E", &extended, "-d"]);
    command.arg(folder).arg(path).arg(format!("{mib}M"));
    run(command, "the loader's disk", "mkfs.ext4")?;
    let written =
        fs::File::options().write(true).open(path).and_then(|file| file.write_all_at(&partition_table(mib), 0));
    written.map_err(LoaderError::file("write", path))
}

/// Where the partition begins, in MiB.
const PARTITION_MIB: u64 = 1;

/// The first sector, with the table of a PC's partitions: one for Linux of this size, active.
fn partition_table(mib: u64) -> [u8; 512] {
    const ENTRIES: usize = 446;
    const ACTIVE: u8 = 0x80;
    const LINUX: u8 = 0x83;
    /// Cylinder, head and sector of what has none.
    const NO_GEOMETRY: [u8; 3] = [0xfe, 0xff, 0xff];
    let sectors = |mib: u64| u32::try_from(mib << 11).expect("a disk of a few gibibytes").to_le_bytes();
    let parts: [&[u8]; 6] = [&[ACTIVE], &NO_GEOMETRY, &[LINUX], &NO_GEOMETRY, &sectors(PARTITION_MIB), &sectors(mib)];
    let entry = parts.concat();
    let mut sector = [0; 512];
    sector[ENTRIES..ENTRIES + entry.len()].copy_from_slice(&entry);
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

/// Size of the disk for files of this size: some more for the file system's own, and a power of two, as a medium has.
fn mebibytes(files: u64) -> u64 {
    ((files + files / 8) >> 20).max(8).next_power_of_two().max(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_has_kernel_initramfs_and_menu() {
        let dir = tempfile::tempdir().unwrap();
        let (kernel, initramfs, disk) = (dir.path().join("k"), dir.path().join("i"), dir.path().join("disk"));
        fs::write(&kernel, vec![1; 3 << 20]).unwrap();
        fs::write(&initramfs, "initramfs").unwrap();
        let folder = dir.path().join("files");
        fs::create_dir(&folder).unwrap();
        let files = BootFiles { kernel: &kernel, initramfs: &initramfs };
        let menu = BootMenu { path: "folder/menu", text: "boot it\n".to_owned() };
        boot_disk(&files, &menu, &folder, &disk).unwrap();
        assert_eq!(fs::metadata(&disk).unwrap().len(), 33 << 20);
        let content = fs::read(&disk).unwrap();
        assert_eq!(content[446..462], [0x80, 0xfe, 0xff, 0xff, 0x83, 0xfe, 0xff, 0xff, 0, 8, 0, 0, 0, 0, 1, 0]);
        // ext4's magic number.
        assert_eq!(content[(1 << 20) + 1080..][..2], [0x53, 0xef]);
        let partition = dir.path().join("partition");
        fs::write(&partition, &content[1 << 20..]).unwrap();
        let mut debugfs = Command::new("/usr/sbin/debugfs");
        let shown = debugfs.arg("-R").arg("cat /folder/menu").arg(&partition).output().unwrap();
        assert_eq!(String::from_utf8(shown.stdout).unwrap(), menu.text);
        let missing = BootFiles { kernel: Path::new("/nowhere"), ..files };
        let error = boot_disk(&missing, &menu, &folder, &disk).unwrap_err().to_string();
        assert!(error.starts_with("cannot copy `/nowhere`: "), "{error}");
    }

    #[test]
    fn disks_have_room() {
        assert_eq!([mebibytes(0), mebibytes(40 << 20), mebibytes(60 << 20)], [32, 64, 128]);
        assert!((0..500).all(|mib| mebibytes(mib << 20) > mib));
    }
}
