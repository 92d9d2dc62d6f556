// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest gets UBI's fastmap onto raw flash: the map of all erase blocks that a later boot reads instead of scanning them.
//!
//! UBI writes one when it is allowed to (`fm_autoconvert`), and a pool of erase blocks that it hands out is used up. A pool is at most a
//! twentieth of the flash (`ubi_attach_mtd_dev` in drivers/mtd/ubi/build.c). What is written afterwards does not outdate the map.
//!
//! The system's own init is not started: what it runs would keep the root from being remounted read-only, and UBIFS would have a journal
//! to replay.
use std::time::Duration;

use super::guest_work::{GuestWork, Proof};

/// How long it may take on a busy host. The largest system writes some hundred megabytes.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

pub(super) const WORK: GuestWork = GuestWork {
    parameters: "rw ubi.fm_autoconvert=1 init=/bin/sh -- -c \"while :; do sleep 1; done\"",
    starts_init: false,
    script: SCRIPT,
    report: "fastmap.txt",
    done: "written",
    patience: Some(PATIENCE),
    shuts_down: false,
    proof: Proof::Logs("attached by fastmap"),
};

/// Writes an eighth of the file system: what UBIFS can't compress, so that as much flash is used.
const SCRIPT: &str = "exec 2>&1; file=/.fastmap; \
    size=$(df -Pk / | { read -r title; read -r disk all rest; echo $all; }); \
    dd if=/dev/urandom of=$file bs=64k count=$((size / 512)) || exit 1; sync; rm $file; \
    sync; mount -o remount,ro / && echo written";
