// SPDX-License-Identifier: MIT OR Apache-2.0
//! proc_diskstats.log: samples of /proc/diskstats.
//!
//! ```text
//!  179       0 mmcblk0 412 30 25004 210 8 2 80 12 0 190 222
//! ```
//! Source: Documentation/admin-guide/iostats.rst: reads, merged, sectors read, ms reading, writes, merged, sectors written, ms writing,
//! requests in flight, ms in which there were some. A sector is 512 bytes. Partitions and what stacks on other disks are left out: their
//! requests are those of the disks below.
use std::collections::{HashMap, HashSet};

use super::chart::{DiskSample, LONGEST_NAME, MOST_SAMPLES};
use super::timed_block::blocks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::Dur;

/// Disks at most, because a file may be hostile.
const MOST_DISKS: usize = 64;
/// Bytes of a sector, whatever the disk's own are.
const SECTOR: u64 = 512;

pub(super) fn read(text: &str, problems: &mut Problems) -> (Vec<String>, Vec<DiskSample>) {
    let (mut names, mut samples) = (Vec::new(), Vec::new());
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for block in blocks(text, "proc_diskstats.log", problems) {
        let rows: Vec<DiskRow<'_>> = block.lines().filter_map(row).collect();
        let all: HashSet<&str> = rows.iter().map(|row| row.name).collect();
        for row in rows.iter().filter(|row| is_disk(row.name, &all)) {
            let known = positions.get(row.name).copied();
            if known.is_none() && (names.len() == MOST_DISKS || row.name.len() > LONGEST_NAME) {
                continue;
            }
            let disk = known.unwrap_or_else(|| {
                positions.insert(row.name, names.len());
                names.push(row.name.to_owned());
                names.len() - 1
            });
            if samples.len() == MOST_SAMPLES {
                problems
                    .add(ProblemKind::TooManyRecords, ByteRange::default(), || "too many samples of disks".to_owned());
                return (names, samples);
            }
            samples.push(DiskSample {
                at: block.at,
                disk,
                read: row.read.saturating_mul(SECTOR),
                written: row.written.saturating_mul(SECTOR),
                busy: Dur::from_millis(row.busy_ms),
            });
        }
    }
    (names, samples)
}

struct DiskRow<'t> {
    name: &'t str,
    read: u64,
    written: u64,
    busy_ms: i64,
}

fn row(line: &str) -> Option<DiskRow<'_>> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(15).collect();
    // Partitions of kernels before 2.6.25 have four numbers.
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    words.first()?.parse::<u32>().ok()?;
    Some(DiskRow {
        name: words.get(2)?,
        read: number(5)?,
        written: number(9)?,
        busy_ms: i64::try_from(number(12)?).ok()?,
    })
}

/// Whether a name is a whole disk's: not `sda1` next to `sda`, not `mmcblk0p2` next to `mmcblk0`, and none that needs no hardware.
fn is_disk(name: &str, all: &HashSet<&str>) -> bool {
    const STACKED: [&str; 5] = ["ram", "loop", "dm-", "md", "zram"];
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_partition = base.len() < name.len()
        && (all.contains(base) || base.strip_suffix('p').is_some_and(|disk| all.contains(disk)));
    !is_partition
        && !STACKED.iter().any(|s| name.strip_prefix(s).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())))
}
