// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a stock kernel's serial console behaves, by series: which kernels can replace each other in the lab.
//!
//! From bootline-console's table, for the console that the lab uses: the 8250 on amd64, the PL011 on arm64 and armhf.
use std::fmt;

use bootline_console::{DriverBehaviour, KernelVersion, Printing};

use super::series::Series;
use crate::arch::Arch;

/// A class of console behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsoleClass {
    /// printk's caller prints everything stored, including other tasks' records, and waits.
    Legacy,
    /// PREEMPT_RT before 6.12, from the RT patch: printer kthreads of an older design.
    EarlyRt,
    /// PREEMPT_RT up to 6.18: one kthread prints and holds the console lock until the backlog is transmitted.
    ThreadWholeFlush,
    /// PREEMPT_RT from 6.19: the same kthread, which releases the lock after each record.
    ThreadPerRecord,
    /// An nbcon console whose flush at registration is synchronous, because kthreads start only later.
    NbconSyncFlush,
    /// An nbcon console whose kthread also does the flush at registration.
    NbconAsync,
    /// A series that the table of behaviours lacks.
    Unknown,
}

impl ConsoleClass {
    /// The behaviour of the serial console of a stock Debian kernel.
    pub fn of(arch: Arch, series: Series) -> ConsoleClass {
        let driver = arch.console_driver();
        let Some(stock) = DriverBehaviour::of(series.version, series.is_rt(), driver, true) else {
            return ConsoleClass::Unknown;
        };
        match stock.behaviour.printing {
            Printing::Synchronous => ConsoleClass::Legacy,
            Printing::RtPatch => ConsoleClass::EarlyRt,
            Printing::ThreadWholeFlush => ConsoleClass::ThreadWholeFlush,
            Printing::ThreadPerRecord => ConsoleClass::ThreadPerRecord,
            Printing::Nbcon if stock.flushes_at_registration() => ConsoleClass::NbconSyncFlush,
            Printing::Nbcon => ConsoleClass::NbconAsync,
            Printing::Unknown => ConsoleClass::Unknown,
        }
    }
}

impl fmt::Display for ConsoleClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConsoleClass::Legacy => "legacy console",
            ConsoleClass::EarlyRt => "printing threads of the early RT patch",
            ConsoleClass::ThreadWholeFlush => "legacy printing thread, one lock for the whole backlog",
            ConsoleClass::ThreadPerRecord => "legacy printing thread, one lock for each record",
            ConsoleClass::NbconSyncFlush => "nbcon console, synchronous flush at registration",
            ConsoleClass::NbconAsync => "nbcon console, threaded from registration",
            ConsoleClass::Unknown => "not known for this series",
        })
    }
}

/// The series among `there` that is nearest to `wanted` with the same console behaviour and flavour; the newer of two
/// that are equally near.
pub fn nearest(arch: Arch, wanted: Series, there: impl IntoIterator<Item = Series>) -> Option<Series> {
    there
        .into_iter()
        .filter(|s| s.flavour == wanted.flavour && ConsoleClass::of(arch, *s) == ConsoleClass::of(arch, wanted))
        .min_by_key(|s| (ordinal(s.version).abs_diff(ordinal(wanted.version)), std::cmp::Reverse(s.version)))
}

/// A running number of releases: each major version since 3.x ended at .19 or .20.
fn ordinal(version: KernelVersion) -> u32 {
    u32::from(version.major) * 20 + u32::from(version.minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let check = |arch: Arch, names: &str, expected: ConsoleClass| {
            for name in names.split(' ') {
                assert_eq!(ConsoleClass::of(arch, name.parse().unwrap()), expected, "{arch}:{name}");
            }
        };
        check(Arch::Amd64, "5.10 6.1 6.12 6.16 6.18 6.19 7.2 7.2-cloud", ConsoleClass::Legacy);
        // The 8250 is nbcon from 7.3 on.
        check(Arch::Amd64, "7.3 7.3-rt", ConsoleClass::NbconSyncFlush);
        check(Arch::Amd64, "6.1-rt", ConsoleClass::EarlyRt);
        check(Arch::Amd64, "6.12-rt", ConsoleClass::NbconSyncFlush);
        check(Arch::Amd64, "6.16-rt 6.17-rt 6.18-rt", ConsoleClass::ThreadWholeFlush);
        check(Arch::Amd64, "6.19-rt 7.0-rt 7.2-rt", ConsoleClass::ThreadPerRecord);
        check(Arch::Arm64, "6.1 6.12 6.12-16k", ConsoleClass::Legacy);
        check(Arch::Arm64, "6.12-rt", ConsoleClass::ThreadWholeFlush);
        check(Arch::Arm64, "6.16 6.16-rt 7.2 7.2-rt 7.3 7.2-16k", ConsoleClass::NbconSyncFlush);
        check(Arch::Arm64, "6.17 6.18 6.18-rt 6.19-rt 7.0 7.1-rt", ConsoleClass::NbconAsync);
        check(Arch::Arm64, "7.4 8.0-rt", ConsoleClass::Unknown);
    }

    #[test]
    fn nearest_series() {
        let check = |arch: Arch, wanted: &str, there: &str, expected: Option<&str>| {
            let there = there.split_whitespace().map(|s| s.parse().unwrap());
            let got = nearest(arch, wanted.parse().unwrap(), there);
            assert_eq!(got, expected.map(|e| e.parse().unwrap()), "{arch}:{wanted}");
        };
        check(Arch::Amd64, "6.18-rt", "6.12-rt 6.16-rt 6.17-rt 6.17 6.19-rt 7.2-rt", Some("6.17-rt"));
        check(Arch::Amd64, "6.18-rt", "6.12-rt 6.18 6.19-rt 7.2-rt", None);
        check(Arch::Amd64, "6.12-rt", "6.16-rt 6.1-rt 7.2-rt", None);
        check(Arch::Amd64, "6.19-rt", "6.18-rt 7.1-rt 7.2-rt", Some("7.1-rt"));
        check(Arch::Amd64, "6.12", "6.1 6.16 7.2 6.12-cloud", Some("6.16"));
        check(Arch::Amd64, "7.0", "6.19 7.1", Some("7.1"));
        check(Arch::Arm64, "6.16", "6.12 6.17 7.1 7.2", Some("7.2"));
        check(Arch::Arm64, "6.17", "6.16 7.1 7.2", Some("7.1"));
        check(Arch::Amd64, "6.1", "", None);
    }
}
