// SPDX-License-Identifier: MIT OR Apache-2.0
//! `journalctl -o short-monotonic`.
//!
//! ```text
//! -- Boot 1f6f0f0e6f9b4b7d8f6d3a0c4a4a4a4a --
//! [    1.234567] board kernel: usb 1-1: new high-speed USB device
//! [    2.345678] board systemd[1]: Reached target Basic System.
//! ```
//! Entries of `kernel` are the kernel's. Those of other units become records of [`Source::Other`] with a stamp too: the
//! journal stamps them with CLOCK_MONOTONIC, which starts with the kernel's clock and differs from it by milliseconds.
//! They were not on the console, so their `wire_len` is 0. Further lines of an entry are indented by the journal; each
//! becomes a record with the stamp of the one before.
use memchr::{memchr, memmem};

use super::kmsg::console_len;
use super::line::Line;
use super::output::{Head, Out};
use super::prefix;
use super::{ProblemKind, Sink, Source};

/// Decodes journal lines.
#[derive(Debug, Default)]
pub(super) struct JournalShort {
    last: Option<Head>,
}

impl JournalShort {
    pub fn line<S: Sink>(&mut self, line: &Line<'_>, out: &mut Out<'_, S>) {
        let body = line.body;
        let (head, text_from) = match parse(body) {
            Some(found) => {
                let source = if found.is_kernel { Source::Kernel } else { Source::Other };
                let head = Head { source, level: None, stamp: found.stamp, caller: None };
                if found.stamp.is_none() {
                    let range = line.range(0, body.len());
                    out.problem(ProblemKind::StampOverflow, range, "a stamp too large to be a time");
                }
                self.last = Some(head);
                (head, found.text_from)
            }
            None => match self.last {
                Some(head) if body.starts_with(b"        ") => (head, body.iter().take_while(|b| **b == b' ').count()),
                _ => (Head::OTHER, 0),
            },
        };
        let text = &body[text_from..];
        let wire_len = if head.source == Source::Kernel { console_len(&head, text) } else { 0 };
        out.stretch(head, line, 0, text_from, body.len(), wire_len);
    }
}

/// Whether a line is one that only the journal prints: the kernel's, or one of a process with its number.
pub(super) fn probe(body: &[u8]) -> bool {
    parse(body).is_some_and(|found| found.is_kernel || found.has_pid)
}

struct Parsed {
    is_kernel: bool,
    has_pid: bool,
    stamp: Option<crate::units::KernelTime>,
    text_from: usize,
}

/// `[    1.234567] host unit[pid]: text`; the text begins after the unit, except for other units, where the unit is
/// part of it: what `systemd[1]` says is not what `avahi` says.
fn parse(body: &[u8]) -> Option<Parsed> {
    let (stamp, len) = prefix::parse_stamp(body)?;
    let rest = body[len..].strip_prefix(b" ")?;
    let host = memchr(b' ', &rest[..rest.len().min(256)])?;
    if host == 0 || rest[..host].ends_with(b":") {
        return None;
    }
    let unit_from = len + 1 + host + 1;
    let unit = &body[unit_from..];
    // Only so far: a unit's name is short.
    let near = &unit[..unit.len().min(256)];
    let colon = memmem::find(near, b": ").or_else(|| near.strip_suffix(b":").map(|n| n.len()))?;
    let name = &near[..colon];
    let is_kernel = name == b"kernel";
    let has_pid = name.ends_with(b"]")
        && memchr(b'[', name).is_some_and(|b| {
            let pid = &name[b + 1..name.len() - 1];
            b > 0 && !pid.is_empty() && pid.iter().all(u8::is_ascii_digit) && !name[..b].contains(&b' ')
        });
    let text_from = if is_kernel { (unit_from + colon + 2).min(body.len()) } else { unit_from };
    Some(Parsed { is_kernel, has_pid, stamp: stamp.time(), text_from })
}
