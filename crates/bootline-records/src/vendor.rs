// SPDX-License-Identifier: MIT OR Apache-2.0
//! What vendors' kernels put between the stamp and the text: the processor and the task that logged.
//!
//! ```text
//! [    0.000000] [0:        swapper:    0] text        Samsung (also I[0: ...])
//! [    0.000000]  (0)[1:swapper/0]text                 MediaTek (also -(0)[..], .(0)[..], <0>.(0)[..])
//! [    0.000000s][pid:0,cpu0,swapper]text              Huawei (also [1970:01:01 00:00:00] before it)
//! [    0.000000] (CPU:0-pid:1:swapper/0) text          HTC
//! [    0.000000] c0      1 (swapper/0) text            Unisoc
//! [    0.000000] [c0] text   [    0.000000] [cpu1]text
//! [    0.000000][0] text                               AVM (also with a blank before it)
//! ```
//! Source: the `print_prefix`, `print_time` and `info_print_prefix` of those kernels' kernel/printk/printk.c, as published
//! with their devices.

/// Length of such a prefix at the start of a record's text, blanks around it included; 0 where there is none.
#[inline]
pub(super) fn prefix_len(text: &[u8]) -> usize {
    // This is asked of every record, and many texts begin with one of these letters.
    let may_be = matches!(
        text,
        [b'[' | b'(' | b'<' | b' ', ..]
            | [b'.' | b'-', b'(', ..]
            | [b'I' | b'W' | b'E' | b'D', b'[', ..]
            | [b'c', b'0'..=b'9', ..]
    );
    if may_be { find(text).unwrap_or(0) } else { 0 }
}

fn find(text: &[u8]) -> Option<usize> {
    let mut scan = TextScanner { text, at: 0 };
    scan.blanks();
    let start = scan.at;
    for form in [samsung, mediatek, huawei, htc, unisoc, processor] {
        scan.at = start;
        if form(&mut scan).is_some() {
            // One blank belongs to the prefix; more are the text's own.
            _ = scan.take(b" ");
            return Some(scan.at);
        }
    }
    None
}

/// `[0:        swapper:    0]`
fn samsung(scan: &mut TextScanner<'_>) -> Option<()> {
    if matches!(scan.text.get(scan.at), Some(b'I' | b'W' | b'E' | b'D')) {
        scan.at += 1;
    }
    scan.take(b"[")?;
    scan.number()?;
    scan.take(b":")?;
    // A worker's name holds colons.
    let near = &scan.text[scan.at..scan.text.len().min(scan.at + 48)];
    let end = near.iter().position(|b| *b == b']')?;
    let colon = near[..end].iter().rposition(|b| *b == b':')?;
    let (name, pid) = (near[..colon].trim_ascii(), near[colon + 1..end].trim_ascii());
    let is_task = name.iter().any(u8::is_ascii_alphabetic) && !pid.is_empty() && pid.iter().all(u8::is_ascii_digit);
    scan.at += end + 1;
    is_task.then_some(())
}

/// `(0)[1:swapper/0]`
fn mediatek(scan: &mut TextScanner<'_>) -> Option<()> {
    if scan.take(b"<").is_some() {
        scan.number()?;
        scan.take(b">")?;
        scan.blanks();
    }
    if matches!(scan.text.get(scan.at), Some(b'.' | b'-')) {
        scan.at += 1;
    }
    scan.pattern(b"(#)[#:@]")
}

/// `[pid:0,cpu0,swapper]`, with a wall-clock time before it or without.
fn huawei(scan: &mut TextScanner<'_>) -> Option<()> {
    if scan.text.get(scan.at + 5) == Some(&b':') && scan.take(b"[").is_some() {
        scan.pattern(b"@]")?;
    }
    scan.pattern(b"[pid:#,cpu#,@]")
}

/// `(CPU:0-pid:1:swapper/0)`
fn htc(scan: &mut TextScanner<'_>) -> Option<()> {
    scan.pattern(b"(CPU:#-pid:#:@)")
}

/// `c0      1 (swapper/0)`
fn unisoc(scan: &mut TextScanner<'_>) -> Option<()> {
    scan.pattern(b"c# ")?;
    scan.blanks();
    scan.pattern(b"# (@)")
}

/// `[c0]`, `[cpu0]`, `[0] `
fn processor(scan: &mut TextScanner<'_>) -> Option<()> {
    if let [b'[', b'0'..=b'9', b']', b' ', ..] = scan.text[scan.at..] {
        scan.at += 3;
        return Some(());
    }
    scan.take(b"[cpu").or_else(|| scan.take(b"[CPU")).or_else(|| scan.take(b"[c"))?;
    scan.pattern(b"#]")
}

struct TextScanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl TextScanner<'_> {
    fn take(&mut self, wanted: &[u8]) -> Option<()> {
        self.text[self.at..].starts_with(wanted).then(|| self.at += wanted.len())
    }

    fn blanks(&mut self) {
        self.at += self.text[self.at..].iter().take(24).take_while(|b| **b == b' ').count();
    }

    fn number(&mut self) -> Option<()> {
        let digits = self.text[self.at..].iter().take(8).take_while(|b| b.is_ascii_digit()).count();
        self.at += digits;
        (digits > 0).then_some(())
    }

    /// What a pattern says: `#` is a number, `@` a name up to the byte that follows, all else stands for itself.
    fn pattern(&mut self, pattern: &[u8]) -> Option<()> {
        for (i, wanted) in pattern.iter().enumerate() {
            match wanted {
                b'#' => self.number()?,
                b'@' => self.name(*pattern.get(i + 1)?)?,
                _ => self.take(&[*wanted])?,
            }
        }
        Some(())
    }

    /// A task's name, or whatever stands before `end`.
    fn name(&mut self, end: u8) -> Option<()> {
        // TASK_COMM_LEN is 16; a wall-clock time has 19.
        let len = self.text[self.at..].iter().take(33).position(|b| *b == end)?;
        self.at += len;
        (len > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        for (prefix, rest) in [
            ("[0:        swapper:    0] ", "Booting Linux"),
            ("I[1:      swapper/0:    1] ", "Booting Linux"),
            (" [7:    kworker/7:1:   58] ", "Booting Linux"),
            (" (0)[1:swapper/0]", "Booting Linux"),
            ("-(0)[0:swapper]", "Booting Linux"),
            ("<0>.(0)[0:swapper]", "Booting Linux"),
            ("[pid:0,cpu0,swapper]", "Booting Linux"),
            ("[1970:01:01 00:00:00][pid:1,cpu3,swapper/0]", "Booting Linux"),
            ("(CPU:0-pid:1:swapper/0) ", "Booting Linux"),
            ("c0      1 (swapper/0) ", "Booting Linux"),
            ("[c0] ", "Booting Linux"),
            ("[cpu3]", "Booting Linux"),
            ("[3] ", "Booting Linux"),
        ] {
            assert_eq!(prefix_len(format!("{prefix}{rest}").as_bytes()), prefix.len(), "{prefix}");
        }
    }

    #[test]
    fn text_that_only_looks_so() {
        for text in [
            "[drm] Initialized",
            "[mem 0x0-0xfff] usable",
            "(c) 2003 someone",
            "cpu0: ",
            "c1 c2 c3",
            "[0:1:2] scsi",
            "- (0)",
            "",
            " ",
            "Direct IO",
            "ERROR: [0]",
        ] {
            assert_eq!(prefix_len(text.as_bytes()), 0, "{text}");
        }
    }
}
