// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who waits for the serial line when the kernel prints. Which version does what is in `behaviour.tsv`.
use std::fmt;

use serde::{Deserialize, Serialize};

/// A kernel's series: 6.18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Series {
    /// 6
    pub major: u16,
    /// 18
    pub minor: u16,
}

impl Series {
    /// `Series::new(6, 18)`
    pub const fn new(major: u16, minor: u16) -> Series {
        Series { major, minor }
    }
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// How printk and a serial console work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Printing {
    /// The writer waits until its record is on the line (`vprintk_emit` → `console_unlock`, all versions, not RT).
    Synchronous,
    /// PREEMPT_RT, a legacy console, the printer thread holds the console lock until the backlog has gone out
    /// (`legacy_kthread_func`, 6.12 to 6.18): takers of that lock wait for the whole backlog.
    ThreadWholeFlush,
    /// The same thread, one record per lock (`console_flush_one_record`, from 6.19): takers wait for a record or so.
    ThreadPerRecord,
    /// An nbcon console with a thread of its own (`nbcon_kthread_func`, from 6.12): nobody waits for the console lock,
    /// but a driver that spins on the line takes a processor.
    Nbcon,
    /// PREEMPT_RT as an out-of-tree patch (before 6.12): threads of several designs.
    RtPatch,
    /// The log doesn't say enough, or the version isn't known.
    Unknown,
}

impl Printing {
    /// Whether the writer of a record waits for the serial line once the console's threads run.
    pub fn writer_waits(self) -> bool {
        matches!(self, Printing::Synchronous | Printing::Unknown)
    }

    /// Whether one thread prints to all legacy consoles, under the console lock.
    pub fn is_legacy_thread(self) -> bool {
        matches!(self, Printing::ThreadWholeFlush | Printing::ThreadPerRecord | Printing::RtPatch)
    }
}

/// Who waits for a serial console, as one value; [`super::Behaviour::of`] has the details.
///
/// `legacy` is what the log says when the console registers: from 6.12 on, "legacy console [..]" against "console [..]".
pub fn printing(series: Option<Series>, rt: bool, legacy: bool) -> Printing {
    super::Behaviour::of(series, rt, legacy).printing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_version() {
        let check = |major, minor, rt, legacy, want| {
            assert_eq!(printing(Some(Series::new(major, minor)), rt, legacy), want, "{major}.{minor} rt={rt}");
        };
        check(6, 1, false, false, Printing::Synchronous);
        check(6, 12, false, true, Printing::Synchronous);
        check(6, 12, true, false, Printing::Nbcon);
        check(6, 18, true, true, Printing::ThreadWholeFlush);
        check(6, 19, true, true, Printing::ThreadPerRecord);
        check(7, 2, true, true, Printing::ThreadPerRecord);
        check(7, 2, false, true, Printing::Synchronous);
        check(6, 17, false, false, Printing::Nbcon);
        check(5, 10, true, false, Printing::RtPatch);
        assert_eq!(printing(None, true, true), Printing::Unknown);
    }
}
