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

/// What a machine starts from the disk.
#[derive(Clone, Copy, Debug)]
pub enum DiskStart<'a> {
    /// Nothing: the loader is the machine's first program.
    Nothing,
    /// The code of the first sector, which loads what follows that sector: a PC with a BIOS.
    Sectors {
        /// The code. Its file has a whole sector.
        first: &'a Path,
        /// What follows, at most [`GAP`] bytes.
        core: &'a Path,
    },
    /// A program in an EFI system partition, which this file holds.
    SystemPartition(&'a Path),
}

/// Room between the first sector and the first partition, in bytes.
pub(super) const GAP: u64 = (PARTITION_MIB << 20) - SECTOR;

const SECTOR: u64 = 512;

/// Writes a disk to `path`. Its first partition is an ext4 file system with the menu and what that boots: loaders look for menus on
/// partitions. `folder` is empty and takes the files meanwhile.
///
/// # Errors
/// A file can't be read or written, or mkfs.ext4 is missing or failed.
pub fn boot_disk(
    files: &BootFiles<'_>,
    menu: &BootMenu,
    start: DiskStart<'_>,
    folder: &Path,
    path: &Path,
) -> Result<(), LoaderError> {
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
    let read = |path: &Path| fs::read(path).map_err(LoaderError::file("read", path));
    let (code, core, system) = match start {
        DiskStart::Nothing => (Vec::new(), Vec::new(), Vec::new()),
        DiskStart::Sectors { first, core } => (read(first)?, read(core)?, Vec::new()),
        DiskStart::SystemPartition(partition) => (Vec::new(), Vec::new(), read(partition)?),
    };
    // Only features that every loader reads, whatever this host's defaults are.
    let mib = mebibytes(bytes);
    let system_mib = (system.len() as u64).div_ceil(1 << 20);
    let extended = format!("root_owner=0:0,offset={}", PARTITION_MIB << 20);
    let size = (PARTITION_MIB + mib + system_mib) << 20;
    let created = fs::File::create(path).and_then(|file| file.set_len(size));
    created.map_err(LoaderError::file("write", path))?;
    command.args(["-q", "-F", "-L", "boot", "-O", FEATURES, "-E", &extended, "-d"]);
    command.arg(folder).arg(path).arg(format!("{mib}M"));
    run(command, "the loader's disk", "mkfs.ext4")?;
    let written = fs::File::options().write(true).open(path).and_then(|file| {
        file.write_all_at(&first_sector(&code, mib, system_mib), 0)?;
        file.write_all_at(&core, SECTOR)?;
        file.write_all_at(&system, (PARTITION_MIB + mib) << 20)
    });
    written.map_err(LoaderError::file("write", path))
}

/// Where the partition begins, in MiB.
const PARTITION_MIB: u64 = 1;

/// The first sector: code, and the table of a PC's partitions: one for Linux of this size, active, and an EFI system partition after it
/// if that has a size.
fn first_sector(code: &[u8], linux_mib: u64, system_mib: u64) -> [u8; SECTOR as usize] {
    const ENTRIES: usize = 446;
    const ENTRY: usize = 16;
    const LINUX: u8 = 0x83;
    const EFI_SYSTEM: u8 = 0xef;
    let mut sector = [0; SECTOR as usize];
    let code = code.get(..ENTRIES).unwrap_or(code);
    sector[..code.len()].copy_from_slice(code);
    let partitions =
        [(true, LINUX, PARTITION_MIB, linux_mib), (false, EFI_SYSTEM, PARTITION_MIB + linux_mib, system_mib)];
    for (i, (active, kind, start, mib)) in partitions.into_iter().enumerate().filter(|(_, (.., mib))| *mib > 0) {
        sector[ENTRIES + i * ENTRY..][..ENTRY].copy_from_slice(&entry(active, kind, start, mib));
    }
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

/// A partition in the table.
fn entry(active: bool, kind: u8, start_mib: u64, mib: u64) -> Vec<u8> {
    const ACTIVE: u8 = 0x80;
    /// Cylinder, head and sector of what has none.
    const NO_GEOMETRY: [u8; 3] = [0xfe, 0xff, 0xff];
    let sectors = |mib: u64| u32::try_from(mib << 11).expect("a disk of a few gibibytes").to_le_bytes();
    let flag = if active { ACTIVE } else { 0 };
    let parts: [&[u8]; 6] = [&[flag], &NO_GEOMETRY, &[kind], &NO_GEOMETRY, &sectors(start_mib), &sectors(mib)];
    parts.concat()
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
        boot_disk(&files, &menu, DiskStart::Nothing, &folder, &disk).unwrap();
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
        let error = boot_disk(&missing, &menu, DiskStart::Nothing, &folder, &disk).unwrap_err().to_string();
        assert!(error.starts_with("cannot copy `/nowhere`: "), "{error}");
    }

    #[test]
    fn a_pcs_disk_has_what_its_firmware_starts() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            fs::write(&path, content).unwrap();
            path
        };
        let (kernel, first, core) = (file("k", b"kernel"), file("first", &[7; 512]), file("core", &[8; 1000]));
        let system = file("system", &[9; 3 << 20]);
        let files = BootFiles { kernel: &kernel, initramfs: &kernel };
        let menu = BootMenu { path: "menu", text: String::new() };
        let disk = |start, name: &str| {
            let (folder, path) = (dir.path().join(format!("{name}.files")), dir.path().join(name));
            fs::create_dir(&folder).unwrap();
            boot_disk(&files, &menu, start, &folder, &path).unwrap();
            fs::read(path).unwrap()
        };
        let bios = disk(DiskStart::Sectors { first: &first, core: &core }, "bios");
        assert_eq!([bios[0], bios[445], bios[446], bios[510]], [7, 7, 0x80, 0x55], "the table is not the code's");
        assert_eq!([bios[512], bios[1511], bios[1512]], [8, 8, 0]);
        let efi = disk(DiskStart::SystemPartition(&system), "efi");
        assert_eq!(efi.len(), 36 << 20);
        assert_eq!(efi[462..478], [0, 0xfe, 0xff, 0xff, 0xef, 0xfe, 0xff, 0xff, 0, 8, 1, 0, 0, 24, 0, 0]);
        assert_eq!([efi[(33 << 20) - 1], efi[33 << 20], efi[(36 << 20) - 1]], [0, 9, 9]);
    }

    #[test]
    fn disks_have_room() {
        assert_eq!([mebibytes(0), mebibytes(40 << 20), mebibytes(60 << 20)], [32, 64, 128]);
        assert!((0..500).all(|mib| mebibytes(mib << 20) > mib));
    }
}
