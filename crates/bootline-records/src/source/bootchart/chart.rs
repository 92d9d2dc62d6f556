// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bootchart's recorder saw of a boot.
use bootline_capture::units::{Dur, UptimeTime};

/// What is in the archive of a bootchart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bootchart {
    /// What its header says.
    pub header: ChartHeader,
    /// Times of the first and the last sample; none without samples.
    pub sampled: Option<(UptimeTime, UptimeTime)>,
    /// Processes of user space, by their start; kernel threads are left out.
    pub processes: Vec<ChartProcess>,
    /// Processor time since the boot, sample by sample.
    pub processor: Vec<ProcessorSample>,
    /// Names of the whole disks.
    pub disks: Vec<String>,
    /// What each disk had done, sample by sample.
    pub disk: Vec<DiskSample>,
    /// Whether the samples count from the recorder's start (`bootchartd start` of bootchart2), and not from the kernel's.
    pub is_relative: bool,
}

/// The header's entries that are used. From a file: hostile until a renderer escapes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartHeader {
    /// Version of the recorder: `0.8`, `0.14.6`.
    pub version: Option<String>,
    /// `Boot chart for board (Mon Mar  2 10:00:00 2026)`
    pub title: Option<String>,
    /// `uname -srvm`
    pub uname: Option<String>,
    /// The kernel's command line.
    pub kernel_options: Option<String>,
    /// The program that was recorded instead of a boot.
    pub profiled: Option<String>,
}

impl ChartHeader {
    /// The kernel's release, as `uname -r` prints it.
    pub fn release(&self) -> Option<&str> {
        self.uname.as_deref()?.split_whitespace().nth(1)
    }
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartProcess {
    /// Its number.
    pub pid: u32,
    /// Its parent's number, in the last sample.
    pub parent: u32,
    /// Its name, in the last sample; the kernel keeps 15 bytes of it.
    pub name: String,
    /// Its program and arguments.
    pub args: Option<String>,
    /// When it started; none for one that ran before the first sample of a recorder that notes no starts.
    pub start: Option<UptimeTime>,
    /// By how much the start may be off: a clock tick, by which it may be later, or the time to the sample before, by which it may be
    /// earlier.
    pub start_error: Dur,
    /// The last sample that shows it.
    pub last_seen: UptimeTime,
    /// The first sample without it; none where it ran to the end, or where samples show only what changed.
    pub gone: Option<UptimeTime>,
    /// Processor time that it had used by then.
    pub cpu: Dur,
    /// Time for which it had waited for block devices, where the kernel counts that (delay accounting).
    pub io_wait: Dur,
}

/// Sums of the processors' times since the boot, in clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorSample {
    /// Time of the sample.
    pub at: UptimeTime,
    /// Ticks in which a processor worked.
    pub busy: u64,
    /// Ticks in which a processor was idle while a task of it waited for a block device.
    pub io_wait: u64,
    /// All ticks.
    pub total: u64,
}

/// What one disk had done since the boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSample {
    /// Time of the sample.
    pub at: UptimeTime,
    /// Position of the disk's name.
    pub disk: usize,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Time in which requests were in flight.
    pub busy: Dur,
}

/// Maximum number of processes: more than any boot starts, because a file may be hostile.
pub(super) const MOST_PROCESSES: usize = 50_000;
/// Maximum number of samples of one kind: an hour at 50 a second.
pub(super) const MOST_SAMPLES: usize = 200_000;
/// Longest name that is kept, in characters.
pub(super) const LONGEST_NAME: usize = 200;
/// Longest command line that is kept, in characters.
pub(super) const LONGEST_ARGS: usize = 1_000;
/// /proc counts times in units of 1/100 s (USER_HZ) on all architectures but alpha and ia64.
pub(super) const TICK: Dur = Dur::from_millis(10);

/// The first characters of a text.
pub(super) fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}
