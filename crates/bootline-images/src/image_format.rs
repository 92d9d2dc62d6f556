// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forms in which the lab writes a tree of files as the image of a root.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file_system::FileSystem;
use crate::named;

/// What becomes of a tree of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(description = "The form of a root's image.")]
pub enum ImageFormat {
    /// ext4.
    #[default]
    Ext4,
    /// Btrfs.
    Btrfs,
    /// SquashFS, compressed with gzip.
    Squashfs,
    /// EROFS, compressed with LZ4.
    Erofs,
    /// JFFS2 for raw flash: mounting it reads all of the flash.
    Jffs2,
    /// The same, with a summary at the end of each erase block, which mounting reads instead.
    Jffs2Summary,
    /// UBIFS for raw flash, in a volume of UBI.
    Ubifs,
}

impl ImageFormat {
    /// All of them.
    pub const ALL: [ImageFormat; 7] = [
        ImageFormat::Ext4,
        ImageFormat::Btrfs,
        ImageFormat::Squashfs,
        ImageFormat::Erofs,
        ImageFormat::Jffs2,
        ImageFormat::Jffs2Summary,
        ImageFormat::Ubifs,
    ];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            ImageFormat::Ext4 => "ext4",
            ImageFormat::Btrfs => "btrfs",
            ImageFormat::Squashfs => "squashfs",
            ImageFormat::Erofs => "erofs",
            ImageFormat::Jffs2 => "jffs2",
            ImageFormat::Jffs2Summary => "jffs2-summary",
            ImageFormat::Ubifs => "ubifs",
        }
    }

    /// The file system that mounts it.
    pub fn file_system(self) -> FileSystem {
        match self {
            ImageFormat::Ext4 => FileSystem::Ext4,
            ImageFormat::Btrfs => FileSystem::Btrfs,
            ImageFormat::Squashfs => FileSystem::Squashfs,
            ImageFormat::Erofs => FileSystem::Erofs,
            ImageFormat::Jffs2 | ImageFormat::Jffs2Summary => FileSystem::Jffs2,
            ImageFormat::Ubifs => FileSystem::Ubifs,
        }
    }

    /// The programs that write it, each with the Debian package that contains it.
    pub fn tools(self) -> &'static [(&'static str, &'static str)] {
        match self {
            ImageFormat::Ext4 => &[("mkfs.ext4", "e2fsprogs")],
            ImageFormat::Btrfs => &[("mkfs.btrfs", "btrfs-progs")],
            ImageFormat::Squashfs => &[("mksquashfs", "squashfs-tools")],
            ImageFormat::Erofs => &[("mkfs.erofs", "erofs-utils")],
            ImageFormat::Jffs2 => &[("mkfs.jffs2", "mtd-utils")],
            ImageFormat::Jffs2Summary => &[("mkfs.jffs2", "mtd-utils"), ("sumtool", "mtd-utils")],
            ImageFormat::Ubifs => &[("mkfs.ubifs", "mtd-utils"), ("ubinize", "mtd-utils")],
        }
    }

    /// The line of /etc/fstab for a root of this form; none for one that can't be written to, over which a layer in memory lies.
    pub fn fstab(self) -> &'static str {
        match self {
            ImageFormat::Ext4 => "LABEL=bootline / ext4 errors=remount-ro 0 1\n",
            ImageFormat::Btrfs => "LABEL=bootline / btrfs defaults 0 0\n",
            ImageFormat::Jffs2 | ImageFormat::Jffs2Summary => "mtd0 / jffs2 defaults 0 0\n",
            ImageFormat::Ubifs => "ubi0_0 / ubifs defaults 0 0\n",
            ImageFormat::Squashfs | ImageFormat::Erofs => "",
        }
    }
}

/// A shell function, `write_image FORMAT TREE IMAGE MIB`, that writes the files of a tree as an image. The size is that of what can
/// be written to; a flash, whose erase blocks have 128 KiB, is a power of two that has room for a quarter more than the files take.
/// What has no other place is written next to the image.
///
/// The inode tables of ext4 are written here: else the kernel does it after each mount that can write, 2 MiB at a time, as long as a boot
/// is too short to finish it.
///
/// The flash that the lab makes of a disk is written byte by byte (block2mtd's `writesize`), so UBI puts its two headers of 64 bytes
/// one after the other, and UBIFS, whose least unit is 8 bytes, has what is left of an erase block. For the same reason JFFS2 marks clean
/// blocks by a node, not beside them as on NAND (`-n`): where the image has none, a kernel with summaries crashes at the next mount of a
/// block that it has filled up.
pub(crate) const WRITE_IMAGE: &str = r#"
write_image() {
    case $1 in
    ext4) mkfs.ext4 -q -F -L bootline -E root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0 -d "$2" "$3" "$4M" ;;
    btrfs)
        truncate -s "$4M" "$3"
        mkfs.btrfs -q -L bootline --rootdir "$2" "$3" ;;
    squashfs) mksquashfs "$2" "$3" -noappend -quiet -no-progress -comp gzip ;;
    erofs) mkfs.erofs --quiet -zlz4hc "$3" "$2" ;;
    jffs2) mkfs.jffs2 -r "$2" -o "$3" -e 128KiB -l ;;
    jffs2-summary)
        mkfs.jffs2 -r "$2" -o "$3.plain" -e 128KiB -l
        sumtool -i "$3.plain" -o "$3" -e 128KiB -l
        rm "$3.plain" ;;
    ubifs)
        mkfs.ubifs -r "$2" -o "$3.volume" -m 8 -e 130944 -c 8192
        printf '[root]\nmode=ubi\nimage=%s\nvol_id=0\nvol_type=dynamic\nvol_name=root\nvol_flags=autoresize\n' "$3.volume" >"$3.ini"
        ubinize -o "$3" -m 1 -s 1 -p 128KiB "$3.ini"
        rm "$3.volume" "$3.ini" ;;
    *) echo "no form of an image: $1" >&2; return 1 ;;
    esac
    case $1 in jffs2* | ubifs)
        used=$(stat -c %s "$3")
        flash=16777216
        while [ $flash -lt $((used + used / 4)) ]; do flash=$((flash * 2)); done
        # Erased flash reads as ones.
        head -c $((flash - used)) /dev/zero | tr '\0' '\377' >>"$3"
    esac
}
"#;

named!(ImageFormat, "is not a file system that the lab writes");

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use crate::host_tools::{PATH, has_program};

    #[test]
    fn every_form_is_written_and_mounted_as_what_it_is() {
        for format in ImageFormat::ALL {
            assert!(WRITE_IMAGE.contains(&format!("\n    {format})")), "{format}");
            let named = |word: &str| format.fstab().split(' ').nth(2) == Some(word);
            assert!(format.file_system().is_read_only() != named(format.file_system().name()), "{format}");
            assert!(format.tools().iter().all(|(program, _)| WRITE_IMAGE.contains(&format!("{program} "))), "{format}");
        }
    }

    #[test]
    fn every_form_whose_programs_are_here_is_written_as_the_file_system_that_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("tree/etc")).unwrap();
        fs::write(at("tree/etc/hostname"), "lab\n").unwrap();
        for format in ImageFormat::ALL {
            if !format.tools().iter().all(|(program, _)| has_program(program)) {
                continue;
            }
            let image = at(format.name());
            let mut script = Command::new("sh");
            // Btrfs has no smaller file system.
            script.args(["-ec", &format!("{WRITE_IMAGE}write_image \"$1\" \"$2\" \"$3\" 128"), "sh", format.name()]);
            let output = script.arg(at("tree")).arg(&image).env("PATH", PATH).output().unwrap();
            assert!(output.status.success(), "{format}: {}", String::from_utf8_lossy(&output.stderr));
            let file = File::open(&image).unwrap();
            assert_eq!(FileSystem::at(&file, 0).unwrap(), Some(format.file_system()), "{format}");
            let bytes = file.metadata().unwrap().len();
            assert!(!format.file_system().is_for_flash() || bytes == 16 << 20, "{format}: {bytes}");
            assert!(format != ImageFormat::Ext4 || has_all_inode_tables(&image), "{format}");
        }
    }

    fn has_all_inode_tables(image: &Path) -> bool {
        let output = Command::new("dumpe2fs").arg(image).env("PATH", PATH).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut groups = text.lines().filter(|line| line.contains(": (Blocks ")).peekable();
        groups.peek().is_some() && groups.all(|line| line.contains("ITABLE_ZEROED"))
    }
}
