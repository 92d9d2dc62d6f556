// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a guest ages a file system: what years of updates and logs do to it, in minutes.
//!
//! The file system is filled with files of many sizes until a twentieth of what was free is left; each second one is removed, and into
//! these holes every file of the system is written anew and put in the place of the old one. So files lie in pieces, in another order
//! than that in which they were built, and raw flash has erase blocks in which the most is no longer valid. What was added for this is
//! removed at last: afterwards the root has the same files.
//!
//! The system's own init is not started, since the programs and libraries of what runs would be kept, removed, until shutdown, and
//! keep the root from being unmounted in order: process 1 is a shell that executes itself anew once its files were replaced.

/// The file of the run with the script's report.
pub(super) const ANSWER: &str = "aged.txt";

/// What the report ends with: the number of files that were replaced.
const REPLACED: &str = "files were replaced";

/// What the kernel is told in addition.
pub(super) const PARAMETERS: &str = "rw init=/bin/sh -- -c \"until [ -e /dev/replaced ]; do sleep 1; done; \
    exec /bin/sh -c 'while :; do sleep 1; done'\"";

/// Run in the root, in one line. JFFS2 and UBIFS only estimate what is free, and need room to tidy up: where a file does not fit, some of
/// what was added goes. Btrfs would share a copy's blocks with the original.
pub(super) const SCRIPT: &str = "exec 2>&1; old=/.ageing; rm -rf $old; mkdir $old && cd $old || exit 1; \
    left() { df -Pk / | { read -r title; read -r disk all used left rest; echo $left; }; }; \
    n=0; low=$(($(left) / 20)); \
    while [ $(left) -gt $low ]; do i=0; while [ $i -lt 100 ]; do \
    dd if=/dev/urandom of=$n bs=4k count=$((n % 31 + 1)) 2>/dev/null || break 2; n=$((n + 1)); i=$((i + 1)); done; done; sync; \
    i=0; while [ $i -le $n ]; do echo $i; i=$((i + 2)); done | xargs rm -f; sync; \
    copy='cp -a'; cp -a --reflink=never /etc/passwd new 2>/dev/null && copy='cp -a --reflink=never'; \
    put() { $copy \"$1\" $old/new && mv -f $old/new \"$1\"; }; \
    cd / && find . -xdev -path .$old -prune -o -type f -links 1 -print >/dev/list; k=0; \
    while IFS= read -r file; do put \"$file\" 2>/dev/null || { rm -f $old/*[135]; sync; put \"$file\"; } || exit 1; k=$((k + 1)); done </dev/list; \
    rm -rf $old; sync; : >/dev/replaced; sleep 3; \
    exec /bin/sh -c \"mount -o remount,ro / && echo $k files were replaced\"";

/// Whether the script came to its end, and has replaced files.
pub(super) fn is_aged(report: &str) -> bool {
    let files = report.lines().last().and_then(|last| last.strip_suffix(REPLACED));
    files.and_then(|files| files.trim_end().parse().ok()).is_some_and(|files: u32| files > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_if_the_root_was_unmounted_after_files_were_replaced() {
        assert!(SCRIPT.contains(REPLACED));
        assert!(is_aged("12 files were replaced\n"));
        assert!(is_aged("cp: can't create 'x': No space left on device\n12 files were replaced\n"));
        for report in ["", "0 files were replaced\n", "mount: mounting / failed: Device or resource busy\n"] {
            assert!(!is_aged(report), "{report}");
        }
    }
}
