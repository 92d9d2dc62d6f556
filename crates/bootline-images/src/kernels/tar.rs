// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a tar stream member by member, as far as needed to extract a few files: ustar and GNU headers (tar(5)). Long
//! names in extra headers are not followed: such a member shows under its shortened name.
use std::io::{self, Read};

const BLOCK: usize = 512;

/// A regular file in the stream, whose content follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its path without a leading `./`.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
}

/// Calls `visit` for each regular file, in order, with a reader of its content; what is left unread is passed over.
///
/// # Errors
/// Those of the stream and of `visit`; `InvalidData` if it is not a tar stream, `UnexpectedEof` if it is truncated.
pub fn for_each_file(
    mut stream: impl Read,
    mut visit: impl FnMut(&Member, &mut dyn Read) -> io::Result<()>,
) -> io::Result<()> {
    let mut header = [0; BLOCK];
    loop {
        stream.read_exact(&mut header)?;
        if header.iter().all(|b| *b == 0) {
            io::copy(&mut stream, &mut io::sink())?;
            return Ok(());
        }
        let size = size_of(&header)?;
        let mut content = (&mut stream).take(size);
        if matches!(header[156], b'0' | 0) {
            visit(&Member { path: path_of(&header), size }, &mut content)?;
        }
        let padding = size.next_multiple_of(BLOCK as u64) - size;
        let rest = content.limit() + padding;
        if io::copy(&mut (&mut stream).take(rest), &mut io::sink())? != rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Verifies the header's checksum and gives the length of the content.
fn size_of(header: &[u8; BLOCK]) -> io::Result<u64> {
    // The sum is made with the checksum's own eight bytes as blanks.
    let sum: u64 =
        header.iter().enumerate().map(|(i, b)| if (148..156).contains(&i) { 32 } else { u64::from(*b) }).sum();
    // Files larger than 8 GiB have another notation, and do not occur in a kernel package.
    match (octal(&header[148..156]), octal(&header[124..136])) {
        (Some(stored), Some(size)) if stored == sum => Ok(size),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "no tar header where one is due")),
    }
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    u64::from_str_radix(text.trim_matches(|c| c == ' ' || c == '\0'), 8).ok()
}

fn path_of(header: &[u8; BLOCK]) -> String {
    let text = |field: &[u8]| {
        let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    let name = text(&header[0..100]);
    // Only POSIX headers have a prefix there; GNU's hold times.
    let prefix = if header[257..263] == *b"ustar\0" { text(&header[345..500]) } else { String::new() };
    let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member(path: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut block = [0u8; BLOCK];
        block[..path.len()].copy_from_slice(path.as_bytes());
        block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        block[148..156].fill(b' ');
        block[156] = kind;
        block[257..265].copy_from_slice(b"ustar  \0");
        let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut bytes = block.to_vec();
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }

    fn read(stream: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut files = Vec::new();
        for_each_file(stream, |m, content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            files.push((m.path.clone(), bytes));
            Ok(())
        })?;
        Ok(files)
    }

    fn stream(members: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = members.concat();
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }

    #[test]
    fn regular_files_only() {
        let bytes = stream(&[
            member("./boot/", b'5', b""),
            member("./boot/vmlinuz-6.1", b'0', b"kernel"),
            member("./boot/link", b'2', b""),
            member("a", b'0', &[7; 512]),
        ]);
        let expected = [("boot/vmlinuz-6.1".to_owned(), b"kernel".to_vec()), ("a".to_owned(), vec![7; 512])];
        assert_eq!(read(&bytes).unwrap(), expected);
    }

    #[test]
    fn content_may_be_left_unread() {
        let bytes = stream(&[member("a", b'0', &[1; 600]), member("b", b'0', b"x")]);
        let mut names = Vec::new();
        for_each_file(&bytes[..], |m, _| {
            names.push(m.path.clone());
            Ok(())
        })
        .unwrap();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn as_gnu_tar_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x"), "content").unwrap();
        for format in ["gnu", "ustar", "pax"] {
            let tar = std::process::Command::new("tar")
                .args(["-c", &format!("--format={format}"), "./x"])
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert_eq!(read(&tar.stdout).unwrap(), [("x".to_owned(), b"content".to_vec())], "{format}");
        }
    }

    #[test]
    fn half_a_stream_is_an_error() {
        let bytes = stream(&[member("a", b'0', &[1; 600])]);
        for end in [0, 100, 512, 700, 1536] {
            assert_eq!(read(&bytes[..end]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
        assert_eq!(read(&[b'x'; 1024]).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>, at in 0usize..1536, value: u8) {
            let _ = read(&bytes);
            let mut damaged = stream(&[member("a", b'0', &[1; 300])]);
            damaged[at] = value;
            let _ = read(&damaged);
        }
    }
}
