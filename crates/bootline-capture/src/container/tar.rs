// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tar archive as a stream: its regular files, one after the other. Source: POSIX.1-2001 pax, "ustar Interchange Format".
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

const BLOCK: usize = 512;

/// Whether a file begins with the header of an archive's member.
pub(super) fn is_tar(start: &[u8]) -> bool {
    start.get(257..262) == Some(b"ustar") && start.len() >= BLOCK
}

/// An archive under way; its members share it.
pub(super) struct Tar {
    state: Rc<RefCell<TarState>>,
}

struct TarState {
    from: Box<dyn Read>,
    /// Bytes of the current member that were not read.
    left: u64,
    /// Bytes that fill its last block.
    padding: u64,
    /// Members begun.
    count: usize,
}

/// The contents of a member; empty once the next one was asked for.
pub(super) struct TarMember {
    state: Rc<RefCell<TarState>>,
    /// Which one it is, from 1.
    number: usize,
}

impl Tar {
    pub fn new(from: Box<dyn Read>) -> Tar {
        Tar { state: Rc::new(RefCell::new(TarState { from, left: 0, padding: 0, count: 0 })) }
    }

    /// The next regular file and its name; `None` at the archive's end.
    pub fn next(&mut self) -> io::Result<Option<(String, TarMember)>> {
        loop {
            let mut state = self.state.borrow_mut();
            let rest = state.left + state.padding;
            let skipped = io::copy(&mut state.from.by_ref().take(rest), &mut io::sink())?;
            let mut header = Vec::with_capacity(BLOCK);
            state.from.by_ref().take(BLOCK as u64).read_to_end(&mut header)?;
            // Two blocks of zeros end an archive; so does the end of the file.
            if skipped < rest || header.len() < BLOCK || header.iter().all(|b| *b == 0) {
                (state.left, state.padding) = (0, 0);
                return Ok(None);
            }
            let Some(size) = number(&header[124..136]).filter(|_| is_tar(&header)) else {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a damaged header in the tar archive"));
            };
            state.left = size;
            state.padding = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
            if matches!(header[156], b'0' | 0 | b'7') && size > 0 {
                state.count += 1;
                let member = TarMember { state: self.state.clone(), number: state.count };
                return Ok(Some((name(&header), member)));
            }
        }
    }
}

impl Read for TarMember {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.borrow_mut();
        if self.number != state.count || state.left == 0 {
            return Ok(0);
        }
        let most = usize::try_from(state.left).unwrap_or(usize::MAX).min(into.len());
        let n = state.from.read(&mut into[..most])?;
        if n == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the tar archive is cut off"));
        }
        state.left -= n as u64;
        Ok(n)
    }
}

/// Octal digits, or, with the highest bit set, GNU's binary form of large sizes.
fn number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let bytes: [u8; 8] = field[field.len() - 8..].try_into().ok()?;
        return Some(u64::from_be_bytes(bytes)).filter(|n| *n < 1 << 62);
    }
    let mut text = field.iter().copied().skip_while(|b| *b == b' ').take_while(|b| !matches!(b, 0 | b' '));
    text.try_fold(0_u64, |sum, b| match b {
        b'0'..=b'7' => sum.checked_mul(8)?.checked_add(u64::from(b - b'0')),
        _ => None,
    })
}

fn name(header: &[u8]) -> String {
    let text = |field: &[u8]| String::from_utf8_lossy(field.split(|b| *b == 0).next().unwrap_or(field)).into_owned();
    let (name, prefix) = (text(&header[..100]), text(&header[345..500]));
    // GNU's headers have other things in the prefix's place.
    if prefix.is_empty() || &header[257..263] != b"ustar\0" { name } else { format!("{prefix}/{name}") }
}
