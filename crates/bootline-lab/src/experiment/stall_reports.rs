// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports of stalls in the kernel's own log: what a console that prints too much in one go makes the watchdogs say
//! (kernel/watchdog.c, kernel/rcu/tree_stall.h).
use std::fs;
use std::path::Path;

use bootline_analysis::predict::begins_stall_report;

use crate::boot::KMSG;
use crate::kmsg;

/// Number of reports in the log of a run; `None` without a log.
pub(super) fn count(run: &Path) -> Option<f64> {
    let (records, _) = kmsg::parse(&fs::read(run.join(KMSG)).ok()?);
    let begins = |r: &&kmsg::KmsgRecord| begins_stall_report(&String::from_utf8_lossy(&r.text));
    Some(records.iter().filter(begins).count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_report_counts_once() {
        let run = tempfile::tempdir().unwrap();
        assert_eq!(count(run.path()), None);
        let log = "6,1,0,-;Linux version 6.12\n\
                   0,800,26000000,-;watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [printk_bench/0:77]\n\
                   4,801,26000001,-;Modules linked in: printk_bench(OE+)\n\
                   3,900,30000000,-;rcu: INFO: rcu_preempt self-detected stall on CPU\n\
                   3,901,30000001,-;rcu: \\x090-....: (5249 ticks this GP) idle=1\n\
                   3,950,40000000,-;rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n";
        fs::write(run.path().join(KMSG), log).unwrap();
        assert_eq!(count(run.path()), Some(3.0));
    }
}
