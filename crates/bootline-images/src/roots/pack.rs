// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what the user has to what QEMU can boot.
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::RootError;
use super::partition::{Partition, partitions};
use crate::arch::Arch;
use crate::file_system::{FileSystem, has};
use crate::hardware::{Bus, Hardware, SCREEN_AND_NETWORK_MODULES};
use crate::hex::hex;
use crate::systems::{Namespace, SystemError, mounting_modules, need, root_initramfs};

/// A root file system of the user's own, on a disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRoot {
    /// The disk.
    pub disk: PathBuf,
    /// Its file system.
    pub file_system: FileSystem,
    /// The partition that it is in, as Linux counts it; none for the whole disk.
    pub partition: Option<u32>,
}

impl OwnRoot {
    /// Recognises a root: a file system, a disk with one of them (or with several, of which `partition` names one), or an archive or
    /// a folder, which is packed into an image of ext4 in the folder `work`. What is an image already is used where it is.
    ///
    /// # Errors
    /// It can't be read, or is nothing that the lab can boot.
    pub fn prepare(path: &Path, partition: Option<u32>, work: &Path) -> Result<OwnRoot, RootError> {
        let read = |source| RootError::Read { path: path.to_owned(), source };
        let absolute = path.canonicalize().map_err(read)?;
        let kind = fs::metadata(&absolute).map_err(read)?;
        if kind.is_dir() {
            refuse_partition(path, partition)?;
            return pack(path, &absolute, "folder", work);
        }
        regular(path, &kind)?;
        let file = File::open(&absolute).map_err(read)?;
        // Before what has a short magic number, which compressed data may have by chance.
        if is_archive(&file).map_err(read)? {
            refuse_partition(path, partition)?;
            return pack(path, &absolute, "archive", work);
        }
        if let Some(file_system) = FileSystem::at(&file, 0).map_err(read)? {
            refuse_partition(path, partition)?;
            if file_system == FileSystem::Ubifs {
                check_ubi(path, &file)?;
            }
            return Ok(OwnRoot { disk: absolute, file_system, partition: None });
        }
        if let Some((what, hint)) = unusable(&file).map_err(read)? {
            return Err(RootError::Unusable { path: path.to_owned(), what, hint });
        }
        if let Some(list) = partitions(&file).map_err(read)? {
            let (number, file_system) = chosen(path, &file, &list, partition)?;
            return Ok(OwnRoot { disk: absolute, file_system, partition: Some(number) });
        }
        Err(RootError::Unknown { path: path.to_owned() })
    }
}

impl OwnRoot {
    /// The SHA-256 of a root's file, in hexadecimal, by which the results of several days know that it is the same.
    ///
    /// # Errors
    /// It can't be read, or is a folder, whose content may change at any time.
    pub fn sha256(path: &Path) -> Result<String, RootError> {
        let read = |source| RootError::Read { path: path.to_owned(), source };
        let kind = fs::metadata(path).map_err(read)?;
        if kind.is_dir() {
            let hint = "make an archive of it: tar -C FOLDER --numeric-owner -cf root.tar .";
            return Err(RootError::Unusable {
                path: path.to_owned(),
                what: "a folder, and may change between the runs",
                hint,
            });
        }
        regular(path, &kind)?;
        let mut hasher = Sha256::new();
        io::copy(&mut File::open(path).map_err(read)?, &mut hasher).map_err(read)?;
        Ok(hex(hasher.finalize()))
    }

    /// The root on a disk of a size that its bus has: an SD card's is a power of two (QEMU refuses another), and so is a flash's. If it has
    /// another, the disk is a copy in the folder `work`, with room after the end; on a flash a quarter more at least, for writing. A file
    /// that is as large as a flash can be is taken for the image of a whole flash, which has its own room.
    ///
    /// # Errors
    /// It can't be copied, or can't be on that bus.
    pub fn fitted(self, hardware: &Hardware, work: &Path) -> Result<OwnRoot, RootError> {
        hardware.check(self.file_system, self.partition).map_err(SystemError::from)?;
        let read = |source| RootError::Read { path: self.disk.clone(), source };
        let size = fs::metadata(&self.disk).map_err(read)?.len();
        let (fits, fill) = match hardware.bus_of(self.file_system) {
            Bus::Sd => (size.max(SMALLEST_CARD).next_power_of_two(), 0),
            // Erased flash reads as ones.
            Bus::Mtd if size.is_power_of_two() && size >= SMALLEST_FLASH => (size, ERASED),
            Bus::Mtd => ((size + size / 4).max(SMALLEST_FLASH).next_power_of_two(), ERASED),
            Bus::Virtio | Bus::Sata | Bus::Nvme | Bus::Usb => (size, 0),
        };
        if size == fits {
            return Ok(self);
        }
        let disk = work.join("fitted.img");
        let copied = fs::copy(&self.disk, &disk).and_then(|_| {
            // The copy has the permissions of the original, which may be read-only.
            fs::set_permissions(&disk, fs::Permissions::from_mode(0o600))?;
            let mut file = File::options().append(true).open(&disk)?;
            match fill {
                0 => file.set_len(fits),
                fill => io::copy(&mut io::repeat(fill).take(fits - size), &mut file).map(drop),
            }
        });
        copied.map_err(|source| RootError::Write { path: disk.clone(), source })?;
        Ok(OwnRoot { disk, ..self })
    }
}

/// A card smaller than this is found on no board, in bytes.
const SMALLEST_CARD: u64 = 1 << 20;
/// A flash smaller than this is found on no board that boots Linux from it, in bytes.
const SMALLEST_FLASH: u64 = 4 << 20;
/// A byte of erased flash.
const ERASED: u8 = 0xff;

fn regular(path: &Path, kind: &fs::Metadata) -> Result<(), RootError> {
    if kind.is_file() {
        return Ok(());
    }
    let hint = "copy it to a file: the lab never writes to a root, nor reads a device that may be in use";
    Err(RootError::Unusable { path: path.to_owned(), what: "neither a file nor a folder", hint })
}

/// The lab's flash, which block2mtd makes of a disk, is written byte by byte: UBI has its two headers of 64 bytes one after the other.
/// An image for NAND has them in pages of their own (struct ubi_ec_hdr in drivers/mtd/ubi/ubi-media.h).
fn check_ubi(path: &Path, file: &File) -> Result<(), RootError> {
    const OFFSETS: u64 = 16;
    let is_ours =
        has(file, OFFSETS, &[0, 0, 0, 64, 0, 0, 0, 128]).and_then(|pages| Ok(pages && has(file, 128 << 10, b"UBI#")?));
    match is_ours.map_err(|source| RootError::Read { path: path.to_owned(), source })? {
        true => Ok(()),
        false => Err(RootError::Unusable {
            path: path.to_owned(),
            what: "an image for UBI on another flash than the lab's, which has no pages and erase blocks of 128 KiB",
            hint: "make it with `ubinize -m 1 -p 128KiB`, of a volume made by `mkfs.ubifs -m 8 -e 130944`",
        }),
    }
}

fn refuse_partition(path: &Path, asked: Option<u32>) -> Result<(), RootError> {
    match asked {
        Some(_) => Err(RootError::NoTable { path: path.to_owned() }),
        None => Ok(()),
    }
}

/// The partition with the root: the one asked for, or the only one that can be it.
fn chosen(
    path: &Path,
    disk: &File,
    partitions: &[Partition],
    asked: Option<u32>,
) -> Result<(u32, FileSystem), RootError> {
    let mut found = Vec::new();
    for partition in partitions {
        let kind = FileSystem::at(disk, partition.offset);
        let kind = kind.map_err(|source| RootError::Read { path: path.to_owned(), source })?;
        found.extend(kind.map(|kind| (partition.number, kind)));
    }
    let path = path.to_owned();
    if let Some(number) = asked {
        let named = found.into_iter().find(|(n, _)| *n == number);
        return named.ok_or(RootError::NotThatPartition { path, number });
    }
    match found[..] {
        [only] => Ok(only),
        [] => Err(RootError::NoPartition { path }),
        _ => Err(RootError::SeveralPartitions { path, partitions: found }),
    }
}

/// Kinds of images that are known and have to be converted first.
fn unusable(file: &File) -> io::Result<Option<(&'static str, &'static str)>> {
    const RAW_FLASH: &str =
        "make an image for UBI of it: `ubinize -m 1 -p 128KiB`, of a volume made by `mkfs.ubifs -m 8 -e 130944`";
    const KINDS: [(u64, &[u8], &str, &str); 6] = [
        (0, b"QFI\xfb", "an image of QEMU's own format (qcow2)", "convert it: qemu-img convert -O raw IMAGE DISK"),
        (0, &[0x3a, 0xff, 0x26, 0xed], "a sparse image of Android", "convert it: simg2img IMAGE DISK"),
        (0, b"070701", "an initramfs", "boot it with --initrd"),
        (0, &[0x31, 0x18, 0x10, 0x06], "an image of UBIFS without UBI", RAW_FLASH),
        (0, &[0x19, 0x85], "an image of JFFS2 for a big-endian processor", "make it with `mkfs.jffs2 -l`"),
        (0, b"PK\x03\x04", "a zip archive", "unpack it, and give what is in it"),
    ];
    for (place, magic, what, hint) in KINDS {
        if has(file, place, magic)? {
            return Ok(Some((what, hint)));
        }
    }
    Ok(None)
}

/// Whether it is a tar archive, or compressed as one often is; tar itself says what is wrong with it.
fn is_archive(file: &File) -> io::Result<bool> {
    const KINDS: [(u64, &[u8]); 6] = [
        (257, b"ustar"),
        (0, &[0x1f, 0x8b]),
        (0, b"BZh"),
        (0, b"\xfd7zXZ\0"),
        (0, &[0x28, 0xb5, 0x2f, 0xfd]),
        (0, b"LZIP"),
    ];
    for (place, magic) in KINDS {
        if has(file, place, magic)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes an image of ext4, with room for what a boot writes.
fn pack(path: &Path, absolute: &Path, kind: &str, work: &Path) -> Result<OwnRoot, RootError> {
    if absolute == Path::new("/") {
        let hint = "give a folder that contains a root and nothing else";
        return Err(RootError::Unusable { path: path.to_owned(), what: "this machine's own root", hint });
    }
    let namespace = Namespace::of_this_process()?;
    need("mkfs.ext4", "e2fsprogs")?;
    let disk = work.join("root.img");
    let arguments: [&OsStr; 4] = [work.as_os_str(), OsStr::new(kind), absolute.as_os_str(), disk.as_os_str()];
    let packed = namespace.script(&format!("an image of `{}`", path.display()), "packing it", PACK, &arguments);
    // Its files may belong to others of the namespace's users.
    namespace.remove(&work.join("tree"))?;
    packed?;
    Ok(OwnRoot { disk, file_system: FileSystem::Ext4, partition: None })
}

/// `$1` a folder to work in, `$2` what it is, `$3` the folder or the archive, `$4` the image. Device nodes are the kernel's to make.
const PACK: &str = r#"
umask 022
tree=$3
if [ "$2" = archive ]; then
    tree=$1/tree
    mkdir "$tree"
    tar -C "$tree" --numeric-owner --anchored --exclude='./dev/*' --exclude='dev/*' -xf "$3"
fi
kib=$(du -skx --apparent-size -- "$tree" | cut -f1)
files=$(find "$tree" -xdev | wc -l)
inodes=$((files + files / 4 + 4096))
mkfs.ext4 -q -F -N $inodes -E root_owner=0:0 -d "$tree" "$4" "$((kib + kib / 4 + 4 * files + inodes / 4 + 65536))k"
"#;

/// The initramfs that mounts a root of one's own on this hardware, with the kernel's modules from the folder `modules`; without
/// one, the kernel has to have all that it needs built in.
///
/// # Errors
/// The kernel has no driver for the hardware, a module can't be read, or this program was built without the lab's programs for
/// the architecture.
pub fn own_initramfs(
    root: &OwnRoot,
    arch: Arch,
    hardware: &Hardware,
    modules: Option<&Path>,
) -> Result<Vec<u8>, RootError> {
    // The root was made for another kernel, and has no modules of this one: also the screen's and the network's are loaded here.
    let modules = match modules {
        Some(folder) => mounting_modules(folder, hardware, root.file_system, None, &SCREEN_AND_NETWORK_MODULES)?,
        None => Vec::new(),
    };
    Ok(root_initramfs(arch, &modules).ok_or(SystemError::NoPrograms { arch })?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::super::partition::tests::mbr;
    use super::*;

    const SQUASHFS: &[u8] = b"hsqs";

    /// Prepares a file with this content.
    fn prepared(content: &[u8], partition: Option<u32>) -> Result<OwnRoot, RootError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root");
        fs::write(&path, content).unwrap();
        OwnRoot::prepare(&path, partition, folder.path())
    }

    fn words(error: &RootError) -> (String, Option<String>) {
        let text = error.to_string();
        let (first, rest) = text.split_once('`').unwrap();
        (format!("{first}..{}", rest.split_once('`').unwrap().1), error.hint())
    }

    /// A disk with SquashFS in these partitions of three.
    fn disk(with: &[usize]) -> Vec<u8> {
        let file = mbr(&[(0x0c, 1), (0x83, 4), (0x83, 8)]);
        for n in with {
            file.write_all_at(SQUASHFS, [1, 4, 8][n - 1] * 512).unwrap();
        }
        file.set_len(16 * 512).unwrap();
        let mut content = vec![0; 16 * 512];
        file.read_exact_at(&mut content, 0).unwrap();
        content
    }

    #[test]
    fn a_file_system_is_used_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root.squashfs");
        fs::write(&path, SQUASHFS).unwrap();
        let root = OwnRoot::prepare(&path, None, folder.path()).unwrap();
        assert_eq!(root.disk, path.canonicalize().unwrap());
        assert_eq!((root.file_system, root.partition), (FileSystem::Squashfs, None));
        assert_eq!(words(&prepared(SQUASHFS, Some(1)).unwrap_err()).0, ".. has no partitions");
    }

    #[test]
    fn a_disks_only_root_is_taken_and_of_several_the_one_that_is_named() {
        let chosen = |with: &[usize], asked| prepared(&disk(with), asked).map(|root| root.partition.unwrap());
        assert_eq!(chosen(&[2], None).unwrap(), 2);
        assert_eq!(chosen(&[2, 3], Some(3)).unwrap(), 3);
        let check = |with: &[usize], asked, expected: &str, hint: Option<&str>| {
            let (text, its_hint) = words(&chosen(with, asked).unwrap_err());
            assert_eq!((text.as_str(), its_hint.as_deref()), (expected, hint));
        };
        check(
            &[2, 3],
            None,
            "several partitions of .. have a file system: 2 (squashfs), 3 (squashfs)",
            Some("name one: `--root-partition 2`, or `root_partition = 2` in an experiment"),
        );
        check(&[], None, "no partition of .. has a file system that can be a root", None);
        check(&[2], Some(1), "partition 1 of .. has no file system that can be a root", None);
    }

    #[test]
    fn what_has_to_be_converted_is_named() {
        let check = |content: &[u8], expected: &str| {
            let (text, hint) = words(&prepared(content, None).unwrap_err());
            assert_eq!(text, expected);
            assert!(hint.is_some(), "{expected}");
        };
        check(b"QFI\xfb", ".. is an image of QEMU's own format (qcow2)");
        check(b"070701", ".. is an initramfs");
        check(&[0x19, 0x85, 0x20, 3], ".. is an image of JFFS2 for a big-endian processor");
        check(b"", ".. is no file system, disk, archive or folder that the lab knows");
        check(b"#!/bin/sh\n", ".. is no file system, disk, archive or folder that the lab knows");
        let missing = OwnRoot::prepare(Path::new("/nowhere/at/all"), None, Path::new("/nowhere")).unwrap_err();
        assert!(missing.to_string().starts_with("can't read the root file system `/nowhere/at/all`: "), "{missing}");
        let root = OwnRoot::prepare(Path::new("/"), None, Path::new("/nowhere")).unwrap_err();
        assert_eq!(root.to_string(), "`/` is this machine's own root");
        let device = OwnRoot::prepare(Path::new("/dev/null"), None, Path::new("/nowhere")).unwrap_err();
        assert_eq!(device.to_string(), "`/dev/null` is neither a file nor a folder");
    }

    #[test]
    fn a_folder_and_an_archive_become_the_same_image() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("my root");
        fs::create_dir_all(tree.join("sbin")).unwrap();
        fs::write(tree.join("sbin/init"), "#!/bin/sh\n").unwrap();
        // Files, not device nodes.
        fs::create_dir_all(tree.join("usr/dev")).unwrap();
        fs::write(tree.join("usr/dev/kept"), "kept").unwrap();
        let archive = folder.path().join("root.tar.gz");
        let status = std::process::Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(&tree).arg(".").status();
        assert!(status.unwrap().success());
        for source in [tree.as_path(), archive.as_path()] {
            let work = tempfile::tempdir().unwrap();
            let root = OwnRoot::prepare(source, None, work.path()).unwrap();
            assert_eq!(root.file_system, FileSystem::Ext4);
            // debugfs reads the image without mounting it.
            let content = |file: &str| {
                let mut command = std::process::Command::new("/sbin/debugfs");
                command.arg("-R").arg(format!("cat {file}")).arg(&root.disk).output().unwrap().stdout
            };
            assert_eq!(content("/sbin/init"), b"#!/bin/sh\n", "{}", source.display());
            assert_eq!(content("/usr/dev/kept"), b"kept", "{}", source.display());
            assert!(!work.path().join("tree").exists());
        }
    }

    fn on(bus: Bus) -> Hardware {
        Hardware { bus: Some(bus), ..Hardware::default() }
    }

    #[test]
    fn a_flash_has_room_that_is_erased() {
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("root.jffs2");
        let fitted = |size: u64| {
            fs::write(&disk, [0x85, 0x19, 0x01, 0xe0]).unwrap();
            File::options().write(true).open(&disk).unwrap().set_len(size).unwrap();
            let root = OwnRoot { disk: disk.clone(), file_system: FileSystem::Jffs2, partition: None };
            let fitted = root.fitted(&Hardware::default(), folder.path()).unwrap();
            let content = fs::read(&fitted.disk).unwrap();
            let added = content.get(usize::try_from(size).unwrap()..).unwrap();
            assert!(added.iter().all(|byte| *byte == 0xff) && content[..2] == [0x85, 0x19]);
            (fitted.disk == disk, content.len() >> 10)
        };
        assert_eq!(fitted(128 << 10), (false, 4096), "an erase block is no flash");
        assert_eq!(fitted(3 << 20), (false, 4096));
        assert_eq!(fitted(4 << 20), (true, 4096), "an image of a whole flash");
        assert_eq!(fitted((7 << 20) + 1), (false, 16384), "a quarter more at least");
    }

    #[test]
    fn a_card_has_a_power_of_two() {
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("root.squashfs");
        fs::write(&disk, SQUASHFS).unwrap();
        fs::set_permissions(&disk, fs::Permissions::from_mode(0o444)).unwrap();
        let root = OwnRoot { disk: disk.clone(), file_system: FileSystem::Squashfs, partition: None };
        let refused = root.clone().fitted(&on(Bus::Sd), &folder.path().join("nosuch")).unwrap_err();
        assert!(refused.to_string().starts_with("can't write a copy of the root file system `"), "{refused}");
        let size = |bus: Bus| {
            let fitted = root.clone().fitted(&on(bus), folder.path()).unwrap();
            (fitted.disk == disk, fs::metadata(&fitted.disk).unwrap().len())
        };
        assert_eq!(size(Bus::Sata), (true, 4));
        assert_eq!(size(Bus::Sd), (false, 1 << 20));
        let sd = on(Bus::Sd);
        let card = root.clone().fitted(&sd, folder.path()).unwrap();
        assert_eq!(card.clone().fitted(&sd, Path::new("/nowhere")).unwrap(), card, "it fits as it is");
        assert_eq!(fs::read(&card.disk).unwrap()[..4], *SQUASHFS);
    }

    #[test]
    fn a_file_is_known_by_its_content_and_a_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root");
        fs::write(&path, "abc").unwrap();
        // FIPS 180-4's own example.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(OwnRoot::sha256(&path).unwrap(), expected);
        assert!(OwnRoot::sha256(folder.path()).unwrap_err().hint().is_some());
    }

    #[test]
    fn an_archive_that_is_none_says_so() {
        let error = prepared(&[0x1f, 0x8b, 0, 0], None).unwrap_err().to_string();
        assert!(error.starts_with("can't build an image of `") && error.contains("packing it failed"), "{error}");
    }
}
