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

/// Name of a mark that is shown without one.
const UNNAMED: &str = "unnamed";

pub(super) fn begins(line: &str) -> bool {
    line.starts_with(TITLE) || line.contains("Mark    Elapsed  Stage")
}

/// The last report of several: its marks are those of the earlier ones and what came after.
pub(super) fn read<'l>(lines: impl IntoIterator<Item = &'l str>, problems: &mut Problems) -> LoaderMarks {
    let (mut earlier, mut marks, mut is_report) = (LoaderMarks::default(), LoaderMarks::default(), false);
    for line in lines {
        let line = line.trim_end();
        if begins(line) {
            let before = std::mem::take(&mut marks);
            if !before.marks.is_empty() {
                earlier = before;
            }
            is_report = true;
        } else if !line.is_empty() && is_report {
            match mark(line) {
                Some((at, name)) => {
                    if !marks.add(at, name) {
                        problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many marks".to_owned());
                    }
                }
                // Accumulated times, or in a console's output whatever follows.
                None if !line.starts_with(' ') => is_report = false,
                None => problems.add(ProblemKind::BadLine, ByteRange::default(), || {
                    format!("no mark of a bootstage report: `{}`", line.chars().take(80).collect::<String>())
                }),
            }
        }
    }
    if marks.marks.is_empty() { earlier } else { marks }.sorted()
}

/// `  1,010,511    742,076  board_init_r`
fn mark(line: &str) -> Option<(LoaderTime, &str)> {
    let (mark, rest) = number(line)?;
    // Some versions count below zero, which is a number of 20 digits, where a mark is earlier than the one before it.
    let (elapsed, name) = digits(rest);
    if elapsed.is_empty() {
        return None;
    }
    // U-Boot loses the names of records that a first stage of another word size left it.
    let name = Some(name.trim()).filter(|name| !name.is_empty()).unwrap_or(UNNAMED);
    Some((LoaderTime::from_nanos(mark.checked_mul(1_000)?), name))
}

/// A number with commas after each third digit, and what follows it.
pub(super) fn number(text: &str) -> Option<(i64, &str)> {
    let (digits, rest) = digits(text);
    let digits: String = digits.chars().filter(|c| *c != ',').collect();
    Some((digits.parse().ok()?, rest))
}

/// Digits with commas, and what follows them.
fn digits(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len()))
}
