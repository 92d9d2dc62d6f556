// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest loses its power while it writes.
use super::guest_work::{GuestWork, Proof};

pub(super) const WORK: GuestWork = GuestWork {
    parameters: "",
    starts_init: true,
    script: SCRIPT,
    report: "written.txt",
    done: "written",
    patience: None,
    shuts_down: false,
    proof: Proof::None,
};

/// Fills the journal with changes that are not written to their places yet, as a device does that logs and keeps a database: small
/// files in folders, some removed again, and one that is removed while a program has it open. fsync commits them; sync would
/// write them to their places as well.
const SCRIPT: &str = "mkdir -p /var/lib/written && cd /var/lib/written && n=0; while [ $n -lt 40 ]; do mkdir $n; i=0; \
    while [ $i -lt 50 ]; do echo $n $i >$n/$i; i=$((i + 1)); done; rm $n/1?; \
    dd if=/dev/zero of=$n/data bs=64k count=2 conv=fsync 2>&1; n=$((n + 1)); done; \
    exec 3>open; rm open; sleep 1000 </dev/null >/dev/null 2>&1 & dd if=/dev/zero of=last bs=4k count=1 conv=fsync 2>&1 && \
    echo written";
