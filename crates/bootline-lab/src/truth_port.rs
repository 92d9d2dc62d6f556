// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frames that the lab's init sends on the unpaced port (`init/init.c` describes them).
use bootline_capture::units::HostTime;

/// A frame's content can't be longer: init's buffer is 16 KiB.
const MAX_CONTENT: usize = 64 << 10;
const MAX_HEAD: usize = 80;
const START: &[u8] = b"@data ";

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// When its first byte was read.
    pub at: HostTime,
    pub name: String,
    pub content: Vec<u8>,
}

/// Parses the port's bytes into frames. Bytes outside a frame are skipped; at most one frame is in memory.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    pending: Vec<u8>,
    /// When `pending[0]` was read.
    since: HostTime,
}

impl FrameReader {
    pub fn push(&mut self, at: HostTime, bytes: &[u8], sink: &mut impl FnMut(Frame)) {
        if self.pending.is_empty() {
            self.since = at;
        }
        self.pending.extend_from_slice(bytes);
        loop {
            let Some(start) = find(&self.pending, START) else {
                // A frame may begin in the last few bytes.
                let keep = (1..START.len()).rev().find(|n| self.pending.ends_with(&START[..*n])).unwrap_or(0);
                self.drop_front(self.pending.len() - keep, at);
                return;
            };
            self.drop_front(start, at);
            let head = &self.pending[START.len()..self.pending.len().min(MAX_HEAD)];
            let Some(end) = head.iter().position(|b| *b == b'\n') else {
                if self.pending.len() >= MAX_HEAD {
                    self.drop_front(1, at);
                    continue;
                }
                return;
            };
            let Some((name, len)) = parse_head(&head[..end]) else {
                self.drop_front(1, at);
                continue;
            };
            let content = START.len() + end + 1;
            if self.pending.len() < content + len + 1 {
                return;
            }
            let frame = Frame { at: self.since, name, content: self.pending[content..content + len].to_vec() };
            self.drop_front(content + len + 1, at);
            sink(frame);
        }
    }

    fn drop_front(&mut self, n: usize, at: HostTime) {
        if n > 0 {
            self.pending.drain(..n);
            self.since = at;
        }
    }
}

fn parse_head(head: &[u8]) -> Option<(String, usize)> {
    let (name, len) = std::str::from_utf8(head).ok()?.split_once(' ')?;
    let len = len.parse().ok().filter(|len| *len <= MAX_CONTENT)?;
    Some((name.to_owned(), len))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8], piece: usize) -> Vec<(i64, String, Vec<u8>)> {
        let mut reader = FrameReader::default();
        let mut got = Vec::new();
        for (i, part) in bytes.chunks(piece).enumerate() {
            reader.push(HostTime::from_nanos(i as i64), part, &mut |f| got.push((f.at.as_nanos(), f.name, f.content)));
        }
        got
    }

    #[test]
    fn frames_come_out_of_pieces_of_any_size() {
        let bytes = b"noise @da@data init 4\na\n@d\n@data ready 0\n\n@data x 99999999\n@data y z\n@data kmsg 2\nhi\n";
        for piece in 1..bytes.len() {
            let got: Vec<_> = frames(bytes, piece).into_iter().map(|(_, name, content)| (name, content)).collect();
            assert_eq!(
                got,
                [
                    ("init".to_owned(), b"a\n@d".to_vec()),
                    ("ready".to_owned(), vec![]),
                    ("kmsg".to_owned(), b"hi".to_vec()),
                ]
            );
        }
    }

    #[test]
    fn a_frame_is_stamped_with_its_first_byte() {
        assert_eq!(frames(b"@data init 1\nx\n", 1)[0].0, 0);
        assert_eq!(frames(b"@data init 1\nx\n@data b 0\n\n", 15).iter().map(|f| f.0).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn endless_noise_is_not_kept() {
        let mut reader = FrameReader::default();
        for _ in 0..1000 {
            reader.push(HostTime::ORIGIN, &[b'@'; 4096], &mut |_| ());
            assert!(reader.pending.len() < 8192);
        }
    }
}
