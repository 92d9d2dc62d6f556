// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest ages a file system: what years of updates and logs do to it, in minutes.
//!
//! The file system is filled, finally with files of 4 to 28 KiB. Every second one of these is removed, and every file of the system is
//! copied into the holes and replaced by its copy. Large files are fragmented then, the files are no longer in the order in which the image
//! was built, and most of an erase block of raw flash is obsolete. Finally the filling is removed: the root has the same files as before.
//!
//! The system's own init is not started: deleted programs and libraries that are still in use would keep the root from being remounted
//! read-only. Process 1 is a shell that executes itself again once its files have been replaced.

use std::time::Duration;

use super::guest_work::{GuestWork, Proof};

/// How long it may take. The largest system takes some ten minutes on an idle host.
const PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);

pub(super) const WORK: GuestWork = GuestWork {
    parameters: PARAMETERS,
    starts_init: false,
    script: SCRIPT,
    report: "aged.txt",
    done: "files were replaced",
    patience: Some(PATIENCE),
    shuts_down: false,
    // Every file was rewritten: only a boot shows that the root still works.
    proof: Proof::Boots,
};

const PARAMETERS: &str = "rw init=/bin/sh -- -c \"until [ -e /dev/replaced ]; do sleep 1; done; \
    exec /bin/sh -c 'while :; do sleep 1; done'\"";

/// Run in the root, in one line. Large files take what is free until an eighth of it is left, which small ones fill. JFFS2 and UBIFS only
/// estimate what is free, and need room to tidy up: where a file does not fit, some of what was added goes. Btrfs would share a copy's
/// blocks with the original.
const SCRIPT: &str = "exec 2>&1; old=/.ageing; rm -rf $old; mkdir $old && cd $old || exit 1; \
    left() { df -Pk / | { read -r title; read -r disk all used left rest; echo $left; }; }; \
    fill() { dd if=/dev/urandom of=$1 bs=$2 count=$3 2>/dev/null; }; \
    all=$(left); n=0; \
    while now=$(left) && [ $now -gt $((all / 8)) ]; do fill large-$n 64k $((now / 1024 + 1)) || break; n=$((n + 1)); done; sync; \
    n=0; while fill $n 4k $((n % 7 + 1)); do n=$((n + 1)); done; sync; \
    i=0; while [ $i -le $n ]; do echo $i; i=$((i + 2)); done | xargs rm -f; sync; \
    copy='cp -a'; cp -a --reflink=never /etc/passwd new 2>/dev/null && copy='cp -a --reflink=never'; \
    put() { $copy \"$1\" $old/new && mv -f $old/new \"$1\"; }; \
    fewer() { rm -f $old/*[135]; sync; }; large() { ls -d $old/large-* | head -n 1 | xargs rm -f; sync; }; \
    cd / && find . -xdev -path .$old -prune -o -type f -links 1 -print >/dev/list; k=0; \
    while IFS= read -r file; do put \"$file\" 2>/dev/null || { fewer; put \"$file\" 2>/dev/null; } || \
    { large; put \"$file\"; } || exit 1; k=$((k + 1)); done </dev/list; \
    rm -rf $old; sync; : >/dev/replaced; sleep 3; \
    exec /bin/sh -c \"mount -o remount,ro / && echo $k files were replaced\"";
