// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own log as read from /dev/kmsg: it shows what should have been transmitted.
use bootline_capture::units::KernelTime;

/// One record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KmsgRecord {
    /// 0 (emergency) to 7 (debug).
    pub level: u8,
    pub seq: u64,
    pub stamp: KernelTime,
    /// The text passed to printk, unescaped; several lines are separated by `\n`.
    pub text: Vec<u8>,
}

/// Parses whole records as read from /dev/kmsg. A line that is not a record is skipped and counted.
///
/// Format: Documentation/ABI/testing/dev-kmsg.
pub(crate) fn parse(log: &[u8]) -> (Vec<KmsgRecord>, usize) {
    let mut records = Vec::new();
    let mut skipped = 0;
    for line in log.split(|b| *b == b'\n') {
        // Continuation lines contain a record's properties (SUBSYSTEM=, DEVICE=), which no console prints.
        if line.is_empty() || line[0] == b' ' {
            continue;
        }
        match record(line) {
            Some(record) => records.push(record),
            None => skipped += 1,
        }
    }
    (records, skipped)
}

fn record(line: &[u8]) -> Option<KmsgRecord> {
    let semicolon = line.iter().position(|b| *b == b';')?;
    let head = std::str::from_utf8(&line[..semicolon]).ok()?;
    let mut fields = head.split(',');
    let priority: u32 = fields.next()?.parse().ok()?;
    let seq = fields.next()?.parse().ok()?;
    let us: i64 = fields.next()?.parse().ok()?;
    let stamp = KernelTime::from_nanos(us.checked_mul(1_000)?);
    Some(KmsgRecord { level: (priority & 7) as u8, seq, stamp, text: unescape(&line[semicolon + 1..]) })
}

/// Undoes the escaping of unprintable bytes and backslashes as `\xNN`.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, tail)) = rest.split_first() {
        let escaped = tail.strip_prefix(b"x").and_then(|t| t.get(..2)).filter(|_| b == b'\\').and_then(|hex| {
            let digit = |c: u8| char::from(c).to_digit(16);
            Some((digit(hex[0])? * 16 + digit(hex[1])?) as u8)
        });
        match escaped {
            Some(byte) => {
                out.push(byte);
                rest = &tail[3..];
            }
            None => {
                out.push(b);
                rest = tail;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_as_kernels_write_them() {
        let log = b"5,0,0,-;Linux version 6.12\n6,339,5140900,-,caller=T1;NET: \\x09two\\x0alines \\x5c\n \
                    SUBSYSTEM=pci\n DEVICE=+pci:0000\n30,7,12,c;daemon\nnonsense\n6,8,9\n";
        let record = |level, seq, us: i64, text: &[u8]| KmsgRecord {
            level,
            seq,
            stamp: KernelTime::from_nanos(us * 1000),
            text: text.to_vec(),
        };
        let expected = vec![
            record(5, 0, 0, b"Linux version 6.12"),
            record(6, 339, 5_140_900, b"NET: \ttwo\nlines \\"),
            record(6, 7, 12, b"daemon"),
        ];
        assert_eq!(parse(log), (expected, 2));
    }

    #[test]
    fn hostile_bytes_are_no_panic() {
        for log in
            [&b"\\x"[..], b";", b"6,1,99999999999999999999,-;x", b"6,1,9223372036854775807,-;x", b"1,2,3,-;\\xZZ\\x4"]
        {
            parse(log);
        }
        assert_eq!(parse(b"1,2,3,-;\\xZZ\\x4").0[0].text, b"\\xZZ\\x4");
    }
}
