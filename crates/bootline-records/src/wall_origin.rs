// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wall-clock times that are a kernel's own count plus the time of its boot: they count from the first record, and again from the
//! first of each further kernel's log in the file.
use super::boot_announcement::begins_kernel_log;
use bootline_capture::units::KernelTime;

/// The wall-clock time at which a kernel's stamps begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WallOrigin(Option<i64>);

/// A log begins with several records of about the same time; those further away are another kernel's. In nanoseconds.
const ONE_LOG_NS: i64 = 1_000_000_000;

impl WallOrigin {
    /// The time of a record with this text, from the first of its kernel's log.
    pub fn time(&mut self, nanos: i64, text: &[u8]) -> KernelTime {
        let origin = *self.0.get_or_insert(nanos);
        let since = nanos.saturating_sub(origin);
        if !(0..=ONE_LOG_NS).contains(&since) && begins_kernel_log(text) {
            self.0 = Some(nanos);
            return KernelTime::ORIGIN;
        }
        KernelTime::from_nanos(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_counts_from_its_own_first_record() {
        const SECOND: i64 = 1_000_000_000;
        const BANNER: &[u8] = b"Linux version 6.6.1 (a@b) #1";
        let mut origin = WallOrigin::default();
        let mut check = |seconds: i64, text: &[u8], expected: i64| {
            assert_eq!(origin.time(seconds * SECOND, text).as_nanos(), expected * SECOND, "{seconds} s");
        };
        check(100, b"Booting Linux on physical CPU 0x0", 0);
        check(101, BANNER, 1);
        check(105, b"a", 5);
        check(86_500, b"Booting Linux on physical CPU 0x0", 0);
        check(86_500, BANNER, 0);
        check(86_502, b"a", 2);
        check(90, BANNER, 0);
        check(91, b"Linux versions are many", 1);
    }
}
