// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot's `bootstage report`.
//!
//! ```text
//! Timer summary in microseconds (9 records):
//!        Mark    Elapsed  Stage
//!           0          0  reset
//!   1,010,511  1,010,511  board_init_f
//!
//! Accumulated time:
//!                 19,104  dm_r
//! ```
//! Source: bootstage_report() in U-Boot's common/bootstage.c. The marks count microseconds of timer_get_boot_us(), which many
//! boards start only in U-Boot or its SPL: what ran before that is not in them. Accumulated times overlap marks and are not used.
use super::LoaderMarks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::LoaderTime;

/// The report's first words.
pub(super) const TITLE: &str = "Timer summary in microseconds";

pub(super) fn begins(line: &str) -> bool {
    line.starts_with(TITLE) || line.contains("Mark    Elapsed  Stage")
}

pub(super) fn read<'l>(lines: impl IntoIterator<Item = &'l str>, problems: &mut Problems) -> LoaderMarks {
    let mut marks = LoaderMarks::default();
    for line in lines.into_iter().skip_while(|line| !begins(line)) {
        if line.starts_with("Accumulated time") {
            break;
        }
        let line = line.trim_end();
        if line.is_empty() || begins(line) {
            continue;
        }
        match mark(line) {
            Some((at, name)) => {
                if !marks.add(at, name) {
                    problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many marks".to_owned());
                }
            }
            // In a console's output the report ends with whatever follows.
            None if !line.starts_with(' ') => break,
            None => problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                format!("no mark of a bootstage report: `{}`", line.chars().take(80).collect::<String>())
            }),
        }
    }
    marks.sorted()
}

/// `  1,010,511    742,076  board_init_r`
fn mark(line: &str) -> Option<(LoaderTime, &str)> {
    let (mark, rest) = number(line)?;
    let (_, name) = number(rest)?;
    let name = name.trim();
    (!name.is_empty()).then_some((LoaderTime::from_nanos(mark.checked_mul(1_000)?), name))
}

/// A number with commas after each third digit, and what follows it.
pub(super) fn number(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let digits: String = digits.chars().filter(|c| *c != ',').collect();
    Some((digits.parse().ok()?, rest))
}
