// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest records what its boot reads: fastinit writes a list into the root after a minute.
use super::guest_work::{GuestWork, Proof};

pub(super) const WORK: GuestWork = GuestWork {
    parameters: "init=/usr/sbin/fastinit fastinit=/etc/fastinit-record.conf systemd.mask=bootline-app.service",
    starts_init: true,
    script: SCRIPT,
    report: "recorded.txt",
    done: "parts of files were recorded",
    patience: None,
    shuts_down: true,
    proof: Proof::None,
};

/// Waits for the list, at most two minutes longer than it should take.
const SCRIPT: &str = "list=/etc/fastinit.list; n=0; \
    until [ -e $list ] || [ $n -ge 180 ]; do sleep 1; n=$((n + 1)); done; \
    parts=$(grep -c / $list); echo $parts parts of files were recorded";
