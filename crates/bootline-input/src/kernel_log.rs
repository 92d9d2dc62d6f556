// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own log of a boot whose console was captured: it contains the log levels.
use bootline_boot::{BootRecords, JoinError, join_levels};
use bootline_records::RecordSet;
use bootline_report::{BootLabel, escaped};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::unusable::{named, shown};

/// The content of a `--kernel-log` file.
#[derive(Debug)]
pub struct KernelLog {
    name: String,
    boots: Vec<RecordSet>,
}

impl KernelLog {
    /// The kernel's own log of `boots`, read from the file `name`.
    pub fn new(name: String, boots: Vec<RecordSet>) -> KernelLog {
        KernelLog { name, boots }
    }

    /// Joins a boot with its kernel log.
    pub fn join(&self, boot: &mut BootRecords, source: &BootLabel) -> Result<(), Failure> {
        let mut nearest: Option<JoinError> = None;
        for own in &self.boots {
            let Err(e) = join_levels(boot, own) else { return Ok(()) };
            if nearest.as_ref().is_none_or(|n| matched(&e) > matched(n)) {
                nearest = Some(e);
            }
        }
        Err(self.refused(nearest.unwrap_or(JoinError::NoStamps), boot, source))
    }

    fn refused(&self, error: JoinError, boot: &BootRecords, source: &BootLabel) -> Failure {
        let (log, boot_name) = (shown(&self.name), named(source));
        let fail = |what: String| Failure::new(Exit::INPUT, what);
        match error {
            JoinError::NoLevels => fail(format!("{log} contains no log levels"))
                .hint("take it with `dmesg -r`, `dmesg --json`, `journalctl -k -o json` or `cat /dev/kmsg`"),
            JoinError::NoStamps => fail(format!("no kernel timestamps in {log}"))
                .hint("boot with `printk.time=1`, and take the log with `dmesg -r`"),
            JoinError::OtherBoot { matched, of, first } => {
                let text = boot.records.by_id(first).map(|r| r.text.chars().take(60).collect::<String>());
                fail(format!("{log} is from another boot than {boot_name}: {matched} of {of} records are in both"))
                    .at(format!("record {first} is not in it: `{}`", escaped(&text.unwrap_or_default())))
                    .hint("take it before that system reboots: `dmesg -r >kernel.log`")
            }
        }
    }
}

fn matched(e: &JoinError) -> usize {
    match e {
        JoinError::OtherBoot { matched, .. } => *matched + 1,
        JoinError::NoLevels | JoinError::NoStamps => 0,
    }
}
