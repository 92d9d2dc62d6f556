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

/// Waits for the list, at most two minutes longer than it should take. A second list has the same parts in the order of their files' first
/// blocks on the disk, where there is a program that knows these: in awk, `block` is where a file begins, by its path.
const SCRIPT: &str = "list=/etc/fastinit.list; sorted=/etc/fastinit-disk-order.list; n=0; \
    until [ -e $list ] || [ $n -ge 180 ]; do sleep 1; n=$((n + 1)); done; \
    blocks() { cut -d ' ' -f 3- $list | grep ^/ | sort -u | xargs -d '\\n' filefrag -b4096 -v 2>/dev/null; }; \
    if command -v filefrag >/dev/null; then blocks | awk -v list=$list '\
    /^File size of / { sub(/^File size of /, \"\"); sub(/ is [0-9]+ \\(.*/, \"\"); path = $0 } \
    $1 == \"0:\" { block[path] = $4 + 0 } \
    END { while ((getline part <list) > 0) { split(part, field, \" \"); path = part; sub(/^[0-9]+ [0-9]+ /, \"\", path); \
    printf \"%.0f %s\\n\", block[path] * 4096 + field[1], part } }' | sort -n | cut -d ' ' -f 2- >$sorted; fi; \
    parts=$(grep -c / $list); echo $parts parts of files were recorded";
