// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts whose lines are numbered: `cat -n`, `grep -n ''`, `nl`, `less -N`, and the numbers that web pages show next to a text and
//! that are copied with it.
use super::rewritten::Rewrite;

/// Lines that must be numbered.
const FEWEST: usize = 8;
/// Columns of a number, with the blanks before it.
const WIDEST: usize = 12;

/// Whether the lines of a text are numbered, each with the number after that of the line above.
pub(super) fn detect(start: &[u8]) -> bool {
    let (mut lines, mut numbered, mut tasks, mut last) = (0, 0, 0, None);
    for line in start.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let number = number(line).map(|(number, _)| number);
        lines += 1;
        numbered += usize::from(number.zip(last).is_some_and(|(now, before)| now == before + 1));
        tasks += usize::from(is_task(line));
        last = number;
    }
    numbered >= FEWEST && numbered * 10 >= lines * 9 && tasks * 2 < lines
}

/// Whether a line is one of /proc/PID/stat or of a bootchart's taskstats.log, whose own numbers often count up:
/// `12 (kworker/0:1) I 2 ...`, `12 2 kworker/0:1 4000 0 0`.
fn is_task(line: &[u8]) -> bool {
    let mut words = line.split(|b| *b == b' ');
    let digits = |word: Option<&[u8]>| word.is_some_and(|w| !w.is_empty() && w.iter().all(u8::is_ascii_digit));
    if !digits(words.next()) {
        return false;
    }
    let rest: Vec<&[u8]> = words.collect();
    let is_stat = rest.first().is_some_and(|w| w.starts_with(b"(")) && rest.iter().any(|w| w.ends_with(b")"));
    is_stat || rest.len() >= 5 && digits(rest.first().copied()) && rest.iter().rev().take(3).all(|w| digits(Some(w)))
}

/// The number that a line begins with, and the length of what stands for it.
fn number(line: &[u8]) -> Option<(u64, usize)> {
    let near = &line[..line.len().min(WIDEST)];
    let blanks = near.iter().take_while(|b| **b == b' ').count();
    let digits = near[blanks..].iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&near[blanks..blanks + digits]).ok()?.parse().ok()?;
    let end = blanks + digits;
    let len = match line.get(end..) {
        // `nl` puts two blanks after its six columns.
        Some([b' ', b' ', b' ' | b'\t', ..]) => return None,
        Some([b' ', b' ', ..]) => 2,
        Some([b'.' | b':' | b'|' | b')', b' ', ..]) => 2,
        Some([b'\t' | b' ' | b':' | b'|', ..]) => 1,
        Some([] | [b'\r']) => 0,
        _ => return None,
    };
    Some((number, end + len))
}

/// Takes the numbers off.
#[derive(Debug, Default)]
pub(super) struct LineNumbers {
    /// The beginning of a line whose number may go on.
    held: Vec<u8>,
    is_inside: bool,
    /// The last number taken off.
    last: Option<u64>,
}

/// Numbers that a listing may pass over.
const GAP: u64 = 32;

impl LineNumbers {
    /// Whether a number goes on with those above it, or begins another listing; else it is a part of the line.
    fn counts_on(&self, number: u64, is_before_tab: bool) -> bool {
        self.last.is_none_or(|last| number > last && number - last <= GAP) || number == 1 && is_before_tab
    }

    fn give(&mut self, out: &mut Vec<u8>) {
        let found =
            number(&self.held).filter(|(number, len)| self.counts_on(*number, self.held[..*len].ends_with(b"\t")));
        let len = found.map_or(0, |(_, len)| len);
        self.last = found.map(|(number, _)| number).or(self.last);
        out.extend_from_slice(&self.held[len..]);
        self.held.clear();
    }
}

impl Rewrite for LineNumbers {
    fn byte(&mut self, b: u8, out: &mut Vec<u8>) {
        if b == b'\n' {
            self.give(out);
            out.push(b);
            self.is_inside = false;
        } else if self.is_inside {
            out.push(b);
        } else {
            self.held.push(b);
            // What follows the number shows its form.
            if self.held.len() > WIDEST + 2 {
                self.give(out);
                self.is_inside = true;
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        self.give(out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rewritten::tests::check_rewrite;
    use super::*;

    #[test]
    fn numbers_are_taken_off() {
        check_rewrite::<LineNumbers>(
            "     1\t[Sat Feb  3 10:11:12 2024] a\n     2\tb",
            "[Sat Feb  3 10:11:12 2024] a\nb",
        );
        check_rewrite::<LineNumbers>("9:a\n10: b\n11. c\n12 | d\n", "a\nb\nc\n| d\n");
        check_rewrite::<LineNumbers>("     1  Feb 03 10:11:12 a\n2\n\nx 3\n4x\n", "Feb 03 10:11:12 a\n\n\nx 3\n4x\n");
        check_rewrite::<LineNumbers>(
            "99\ta\n100\tb\n10:11:12 c\n12 devices\n     1\td\n",
            "a\nb\n10:11:12 c\n12 devices\nd\n",
        );
        check_rewrite::<LineNumbers>("[    0.000000] a line without\n", "[    0.000000] a line without\n");
    }

    #[test]
    fn numbers_count_up() {
        let numbered = |from: usize| (from..from + 20).map(|n| format!("{n}\ta\n")).collect::<String>();
        assert!(detect(numbered(1).as_bytes()));
        assert!(detect(numbered(95).as_bytes()));
        assert!(!detect("1 a\n".repeat(20).as_bytes()));
        assert!(!detect("a\n".repeat(20).as_bytes()));
        let tasks = (1..40).map(|n| format!("{n} (kworker/{n}) S 2 0 0 0 -1 69238880\n")).collect::<String>();
        assert!(!detect(format!("412\n{tasks}\n").as_bytes()), "PIDs are no line numbers");
        let tasks = (1..40).map(|n| format!("{n} 2 kworker 40000 0 0\n")).collect::<String>();
        assert!(!detect(format!("412\n{tasks}\n").as_bytes()), "PIDs are no line numbers");
        let times = (10..20).map(|n| format!("{n}:00:00 a\n{n}:00:01 b\n")).collect::<String>();
        assert!(!detect(times.as_bytes()));
    }
}
