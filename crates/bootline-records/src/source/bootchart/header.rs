// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header: `name = value`, a line each.
//!
//! Source: dump_header() in bootchart2's collector/dump.c, finalize() in busybox's init/bootchartd.c, which writes only the version
//! where CONFIG_FEATURE_BOOTCHARTD_BLOATED_HEADER is off.
use super::chart::{ChartHeader, LONGEST_ARGS, cut};

/// Whether a line is one that only a bootchart's header has.
pub(in super::super) fn begins(line: &str) -> bool {
    line.starts_with("title = Boot chart for ") || line.starts_with("system.uname = ")
}

pub(super) fn read(text: &str) -> ChartHeader {
    let mut header = ChartHeader::default();
    for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
        let slot = match name.trim() {
            "version" => &mut header.version,
            "title" => &mut header.title,
            "system.uname" => &mut header.uname,
            "system.kernel.options" => &mut header.kernel_options,
            "profile.process" => &mut header.profiled,
            _ => continue,
        };
        let value = value.trim();
        if !value.is_empty() {
            slot.get_or_insert_with(|| cut(value, LONGEST_ARGS));
        }
    }
    header
}
