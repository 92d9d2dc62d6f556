// SPDX-License-Identifier: MIT OR Apache-2.0
//! cmdline2.log of bootchart2: what each process executed, when it did.
//!
//! ```text
//! 131
//! :/usr/sbin/udevd
//! :udevd\0--daemon\0
//! ```
//! Source: dump_cmdline() in bootchart2's collector/collector.c. An empty line ends an entry.
use std::collections::HashMap;

use super::chart::{LONGEST_ARGS, cut};

/// The last command line of each process; of one that has none, its program.
pub(super) fn read(text: &str) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    for entry in text.split("\n\n") {
        let mut lines = entry.trim_start_matches('\n').lines();
        let Some(pid) = lines.next().and_then(|pid| pid.parse::<u32>().ok()) else { continue };
        let mut field = || lines.next().and_then(|line| line.strip_prefix(':'));
        let (Some(program), args) = (field(), field().unwrap_or("")) else { continue };
        let args = args.trim_end_matches('\0').replace('\0', " ");
        found.insert(pid, cut(if args.is_empty() { program } else { &args }, LONGEST_ARGS));
    }
    found
}
