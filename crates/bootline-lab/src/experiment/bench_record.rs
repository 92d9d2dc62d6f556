// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the benchmark modules (`kernel/printk_bench`, `kernel/uart_bench`, `kernel/holdoff_meter`) write to the
//! kernel's log: one record of `key=value` words after the module's name, such as `printk_bench: context=process cpus=1
//! lines=64 printed=64 total_ns=566734808 elsewhere=0 stopped=0`.
use std::fs;
use std::path::Path;

use super::metric::Metric;
use crate::boot::KMSG;
use crate::kmsg;

/// The value of a run; `None` if the log has no usable record.
pub(super) fn value(run: &Path, metric: Metric) -> Option<f64> {
    in_log(&fs::read(run.join(KMSG)).ok()?, metric)
}

/// The value from the last record of the metric's module. A record that was interrupted, or whose lines came from an
/// unintended context, does not count.
fn in_log(log: &[u8], metric: Metric) -> Option<f64> {
    let module = metric.module()?;
    let (records, _) = kmsg::parse(log);
    let texts = records.iter().filter_map(|r| std::str::from_utf8(&r.text).ok());
    let words = texts.filter_map(|t| t.strip_prefix(module)?.strip_prefix(": "));
    let record = words.rev().find(|w| number(w, "stopped").is_some())?;
    if number(record, "stopped") != Some(0) || number(record, "elsewhere").is_some_and(|n| n != 0) {
        return None;
    }
    match metric {
        Metric::PrintkBench => Some(number(record, "total_ns")? as f64),
        Metric::UartBench => {
            let characters = number(record, "characters").filter(|c| *c > 0)?;
            Some(number(record, "write_ns")? as f64 / characters as f64)
        }
        // A meter that never sampled has no result.
        Metric::IrqsOff | Metric::PreemptOff if number(record, "looks")? == 0 => None,
        Metric::IrqsOff => Some(number(record, "irqs_off_ns")? as f64),
        Metric::PreemptOff => Some(number(record, "preempt_off_ns")? as f64),
        _ => None,
    }
}

fn number(record: &str, key: &str) -> Option<u64> {
    record.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('=')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTK: &str = "6,700,5000000,-;printk_bench: context=process cpus=1 lines=64 length=80 printed=64 \
                          characters=5431 total_ns=566734808 printk_ns=566440106 worst_ns=9977873 best_ns=8527132";
    const UART: &str = "6,800,6000000,-;uart_bench: console=ttyS0 bytes=4000 characters=4050 calls=40 \
                        write_ns=350325000 wall_ns=351321893 worst_call_ns=9441463 per_second=11561";

    const METER: &str = "6,900,7000000,-;holdoff_meter: cpus=2 seconds=9 period_us=200 looks=39491 irqs_off_ns=5955597 \
                         preempt_off_ns=8371063";

    fn check(log: &str, metric: Metric, expected: Option<f64>) {
        assert_eq!(in_log(log.as_bytes(), metric), expected, "{log}");
    }

    #[test]
    fn records_of_the_modules() {
        let log = format!("6,1,0,-;Linux version 6.12\n{PRINTK} elsewhere=0 stopped=0\n{UART} stopped=0\n");
        check(&log, Metric::PrintkBench, Some(566_734_808.0));
        check(&log, Metric::UartBench, Some(86_500.0));
        check(&log, Metric::FlushGap, None);
        check(&log, Metric::IrqsOff, None);
        let log = format!("{METER} stopped=0\n{log}");
        check(&log, Metric::IrqsOff, Some(5_955_597.0));
        check(&log, Metric::PreemptOff, Some(8_371_063.0));
    }

    #[test]
    fn the_last_run_counts() {
        let log = format!("{} elsewhere=0 stopped=0\n", PRINTK.replace("566734808", "1"));
        check(&format!("{log}{PRINTK} elsewhere=0 stopped=0\n"), Metric::PrintkBench, Some(566_734_808.0));
        check(&format!("{log}{PRINTK} elsewhere=0 stopped=1\n"), Metric::PrintkBench, None);
    }

    #[test]
    fn what_does_not_count() {
        check("", Metric::PrintkBench, None);
        check(&format!("{PRINTK} elsewhere=3 stopped=0\n"), Metric::PrintkBench, None);
        check(&format!("{PRINTK}\n"), Metric::PrintkBench, None);
        check("6,7,0,-;printk_bench: loading out-of-tree module taints kernel.\n", Metric::PrintkBench, None);
        check(&format!("{METER} stopped=1\n"), Metric::IrqsOff, None);
        check(&format!("{} stopped=0\n", METER.replace("looks=39491", "looks=0")), Metric::PreemptOff, None);
        let nothing_sent = UART.replace("characters=4050", "characters=0");
        check(&format!("{nothing_sent} stopped=0\n"), Metric::UartBench, None);
    }
}
