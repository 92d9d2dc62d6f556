// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lab's initramfs: its static init, and the device nodes that init needs, as a newc cpio archive.
use crate::arch::Arch;
use crate::module::Payload;

/// The lab's init (`init/init.c`), empty if there was no compiler for the architecture at build time.
const INIT_X86_64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/init-x86_64"));
const INIT_AARCH64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/init-aarch64"));

const MEM: u32 = 1;
const TTY: u32 = 4;
const TTYAUX: u32 = 5;
/// Minor number of ttyS0 within the major number of `TTY`.
const TTYS0: u32 = 64;

/// The initramfs for a guest of this architecture, with the modules that init is to load; `None` if its init could not
/// be built (see [`Arch::compiler_package`]).
pub fn initramfs(arch: Arch, modules: &Payload) -> Option<Vec<u8>> {
    let init = match arch {
        Arch::Amd64 => INIT_X86_64,
        Arch::Arm64 => INIT_AARCH64,
    };
    (!init.is_empty()).then(|| {
        let mut entries = vec![
            Entry::dir("dev"),
            Entry::dir("proc"),
            Entry::char_device("dev/console", TTYAUX, 1),
            Entry::char_device("dev/kmsg", MEM, 11),
            Entry::char_device("dev/truth", TTY, TTYS0 + arch.truth_port()),
            Entry::program("init", init),
        ];
        if !modules.files.is_empty() {
            entries.push(Entry::file("modules.list", modules.list.as_bytes()));
            entries.push(Entry::dir("modules"));
            entries.extend(modules.files.iter().map(|(name, content)| Entry::file(name, content)));
        }
        cpio(&entries)
    })
}

/// A file of an archive.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    name: &'a str,
    /// Type and permissions, as in `st_mode`.
    mode: u32,
    /// Major and minor number of a device.
    device: (u32, u32),
    content: &'a [u8],
}

impl<'a> Entry<'a> {
    fn dir(name: &'a str) -> Entry<'a> {
        Entry { name, mode: 0o040_755, device: (0, 0), content: &[] }
    }
    fn char_device(name: &'a str, major: u32, minor: u32) -> Entry<'a> {
        Entry { name, mode: 0o020_600, device: (major, minor), content: &[] }
    }
    fn file(name: &'a str, content: &'a [u8]) -> Entry<'a> {
        Entry { name, mode: 0o100_644, device: (0, 0), content }
    }
    fn program(name: &'a str, content: &'a [u8]) -> Entry<'a> {
        Entry { name, mode: 0o100_755, device: (0, 0), content }
    }
}

/// A newc archive, as described in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
fn cpio(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        push_entry(&mut out, n as u32 + 1, entry);
    }
    push_entry(&mut out, 0, &Entry { name: "TRAILER!!!", mode: 0, device: (0, 0), content: &[] });
    out
}

fn push_entry(out: &mut Vec<u8>, inode: u32, entry: &Entry<'_>) {
    let links = if entry.mode & 0o170_000 == 0o040_000 { 2 } else { 1 };
    let (major, minor) = entry.device;
    let fields = [
        inode,
        entry.mode,
        0, // uid
        0, // gid
        links,
        0, // mtime
        entry.content.len() as u32,
        0, // device that holds the file
        0,
        major,
        minor,
        entry.name.len() as u32 + 1,
        0, // checksum, unused
    ];
    out.extend_from_slice(b"070701");
    for field in fields {
        out.extend_from_slice(format!("{field:08x}").as_bytes());
    }
    out.extend_from_slice(entry.name.as_bytes());
    out.push(0);
    pad(out);
    out.extend_from_slice(entry.content);
    pad(out);
}

fn pad(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = (String, usize, (usize, usize), Vec<u8>);

    fn read(archive: &[u8]) -> Vec<Read> {
        let mut rest = archive;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            assert_eq!(&rest[..6], b"070701");
            let field = |n: usize| {
                let text = std::str::from_utf8(&rest[6 + n * 8..14 + n * 8]).unwrap();
                u32::from_str_radix(text, 16).unwrap() as usize
            };
            let (size, name_len) = (field(6), field(11));
            let name = String::from_utf8(rest[110..110 + name_len - 1].to_vec()).unwrap();
            let content = (110 + name_len).next_multiple_of(4);
            entries.push((name, field(1), (field(9), field(10)), rest[content..content + size].to_vec()));
            rest = &rest[(content + size).next_multiple_of(4)..];
        }
        entries
    }

    #[test]
    fn the_archive_reads_back_with_cpio_rules() {
        let archive =
            cpio(&[Entry::dir("dev"), Entry::char_device("dev/truth", 4, 65), Entry::program("init", b"abcde")]);
        assert_eq!(
            read(&archive),
            [
                ("dev".to_owned(), 0o040_755, (0, 0), vec![]),
                ("dev/truth".to_owned(), 0o020_600, (4, 65), vec![]),
                ("init".to_owned(), 0o100_755, (0, 0), b"abcde".to_vec()),
                ("TRAILER!!!".to_owned(), 0, (0, 0), vec![]),
            ]
        );
    }

    #[test]
    fn the_init_is_small() {
        for arch in Arch::ALL {
            let archive = initramfs(arch, &Payload::default()).expect("`make setup` installs both compilers");
            assert!(archive.len() < 32 << 10, "{arch}: {} bytes", archive.len());
        }
    }

    #[test]
    fn modules_come_with_their_list() {
        let modules = Payload {
            files: vec![("modules/0-a.ko".to_owned(), b"A".to_vec()), ("modules/1-b.ko".to_owned(), b"BB".to_vec())],
            list: "/modules/0-a.ko x=1\n/modules/1-b.ko \n".to_owned(),
        };
        let archive = initramfs(Arch::Amd64, &modules).expect("`make setup` installs both compilers");
        let entries = read(&archive);
        let content = |name: &str| entries.iter().find(|e| e.0 == name).map(|e| e.3.as_slice());
        assert_eq!(content("modules.list"), Some(modules.list.as_bytes()));
        assert_eq!(content("modules/0-a.ko"), Some(&b"A"[..]));
        assert_eq!(content("modules/1-b.ko"), Some(&b"BB"[..]));
        // A file's folder must come first, or the kernel can't create the file.
        let place = |name: &str| entries.iter().position(|e| e.0 == name).unwrap();
        assert!(place("modules") < place("modules/0-a.ko"));
    }
}
