// SPDX-License-Identifier: MIT OR Apache-2.0
//! coreboot's time stamps: `cbmem -t`, and `cbmem -T` for programs.
//!
//! ```text
//! 12 entries total:                                        0\t1234\t1234\t1st timestamp
//!
//!    0:1st timestamp                         1,234         1\t5678\t4444\tstart of romstage
//!    1:start of romstage                     5,678 (4,444)
//!
//! Total Time: 4,444
//! ```
//! Source: timestamp_print_entry() and timestamp_print_parseable_entry() in coreboot's util/cbmem/cbmem.c: microseconds of the
//! processor's counter, which runs from the reset on most of them.
use super::LoaderMarks;
use super::bootstage::number;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::LoaderTime;

/// Lines of a parseable table that make one.
const ENOUGH: usize = 3;

pub(super) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let mut parseable = 0;
    let mut total = false;
    for line in lines {
        let is_total = line.split_once(" entries total:").is_some_and(|(n, _)| n.trim().parse::<u32>().is_ok());
        total |= is_total;
        parseable += usize::from(parseable_entry(line).is_some());
        if total && entry(line).is_some() {
            return true;
        }
    }
    parseable >= ENOUGH
}

pub(super) fn read(text: &str, problems: &mut Problems) -> LoaderMarks {
    let mut marks = LoaderMarks::default();
    for (at, name) in text.lines().filter_map(|line| parseable_entry(line).or_else(|| entry(line))) {
        if !marks.add(at, name) {
            problems.add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many marks".to_owned());
        }
    }
    marks.sorted()
}

/// `  90:starting to load payload            345,678 (12,345)`
fn entry(line: &str) -> Option<(LoaderTime, &str)> {
    let (id, rest) = line.split_once(':')?;
    id.trim().parse::<u32>().ok()?;
    let rest = rest.trim_end();
    let rest = rest.strip_suffix(')').and_then(|r| r.rsplit_once(" (")).map_or(rest, |(before, _)| before);
    let (name, at) = rest.rsplit_once(char::is_whitespace)?;
    let (at, after) = number(at)?;
    (after.is_empty() && !name.trim().is_empty()).then_some((micros(at)?, name.trim()))
}

/// `90\t345678\t12345\tstarting to load payload`
fn parseable_entry(line: &str) -> Option<(LoaderTime, &str)> {
    let mut fields = line.splitn(4, '\t');
    let mut next = || fields.next()?.parse::<i64>().ok();
    let (_id, at, _step) = (next()?, next()?, next()?);
    let name = fields.next()?.trim();
    (!name.is_empty()).then_some((micros(at)?, name))
}

fn micros(us: i64) -> Option<LoaderTime> {
    Some(LoaderTime::from_nanos(us.checked_mul(1_000)?))
}
