// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes newc cpio archives, the format of an initramfs.

/// A file of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    name: &'a str,
    /// Type and permissions, as in `st_mode`.
    mode: u32,
    /// Major and minor number of a device.
    device: (u32, u32),
    content: &'a [u8],
}

impl<'a> Entry<'a> {
    /// A folder.
    pub fn dir(name: &'a str) -> Entry<'a> {
        Entry { name, mode: 0o040_755, device: (0, 0), content: &[] }
    }
    /// A character device with its major and minor number.
    pub fn char_device(name: &'a str, major: u32, minor: u32) -> Entry<'a> {
        Entry { name, mode: 0o020_600, device: (major, minor), content: &[] }
    }
    /// A file.
    pub fn file(name: &'a str, content: &'a [u8]) -> Entry<'a> {
        Entry { name, mode: 0o100_644, device: (0, 0), content }
    }
    /// A file that may be executed.
    pub fn program(name: &'a str, content: &'a [u8]) -> Entry<'a> {
        Entry { name, mode: 0o100_755, device: (0, 0), content }
    }
}

/// The archive of these files, as described in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
pub fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
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
        let bytes =
            archive(&[Entry::dir("dev"), Entry::char_device("dev/truth", 4, 65), Entry::program("init", b"abcde")]);
        assert_eq!(
            read(&bytes),
            [
                ("dev".to_owned(), 0o040_755, (0, 0), vec![]),
                ("dev/truth".to_owned(), 0o020_600, (4, 65), vec![]),
                ("init".to_owned(), 0o100_755, (0, 0), b"abcde".to_vec()),
                ("TRAILER!!!".to_owned(), 0, (0, 0), vec![]),
            ]
        );
    }
}
