// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel that prints no stamps (printk.time=0) on a console: which lines are its own.
//!
//! Nothing marks them, but its banner begins them, and until init starts hardly anything else writes to the console. User
//! space may show a banner too (`cat /proc/version`): after a stamped record, or after init, only one that follows a boot
//! loader's or a reboot's words is a kernel's. A boot loader that speaks before init does ends them.
use super::announces_boot;
use super::boot_announcement::FIRMWARE;
use super::learned_prefix::is_banner;

/// Follows a console's lines without stamps.
#[derive(Debug, Default)]
pub(super) struct PlainKernel {
    stage: PlainStage,
    /// A boot loader or a reboot has spoken since.
    may_boot: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlainStage {
    /// No kernel yet.
    #[default]
    Before,
    /// Between the banner and init.
    Kernel,
    /// Init runs.
    After,
    /// The kernel stamps its records.
    Stamped,
}

impl PlainKernel {
    /// A record with a stamp was met: what has none isn't the kernel's.
    #[inline]
    pub fn stamped(&mut self) {
        self.stage = PlainStage::Stamped;
        self.may_boot = false;
    }

    /// Whether a line without a stamp is the kernel's.
    pub fn owns(&mut self, text: &[u8]) -> bool {
        let is_open = matches!(self.stage, PlainStage::Before | PlainStage::Kernel);
        if is_banner(text) && (is_open || self.may_boot) {
            self.stage = PlainStage::Kernel;
            self.may_boot = false;
            return true;
        }
        match self.stage {
            PlainStage::Kernel => {
                let is_loader = FIRMWARE.iter().any(|words| text.starts_with(words.as_bytes()));
                self.may_boot = is_loader;
                if is_loader || starts_init(text) {
                    self.stage = PlainStage::After;
                }
                !is_loader
            }
            PlainStage::After if !self.may_boot && follows_init(text) => true,
            _ => {
                self.may_boot |= boots(text);
                false
            }
        }
    }
}

/// The kernel's last words before init, since 2.6.
fn starts_init(text: &[u8]) -> bool {
    text.starts_with(b"Run /")
        || text.starts_with(b"Freeing init memory")
        || text.starts_with(b"Freeing unused kernel")
        || text.starts_with(b"init started: BusyBox")
        || text.starts_with(b"INIT: version ")
        || text.starts_with(b"Kernel panic - not syncing")
}

/// What the kernel says after it has freed init's memory: from 4.15 on it names init, and it panics where there is none.
fn follows_init(text: &[u8]) -> bool {
    text.starts_with(b"Run /") && memchr::memmem::find(text, b" as init process").is_some()
        || text.starts_with(b"Kernel panic - not syncing")
}

fn boots(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 3] = [b"Booting the kernel", b"Booting Linux", b"reboot: "];
    announces_boot(text) || WORDS.iter().any(|words| text.starts_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&str, bool)]) {
        let mut kernel = PlainKernel::default();
        for (line, expected) in lines {
            assert_eq!(kernel.owns(line.as_bytes()), *expected, "{line}");
        }
    }

    #[test]
    fn from_the_banner_to_init() {
        check(&[
            ("Uncompressing Linux... done, booting the kernel.", false),
            ("Linux version 2.6.30 (me@here) (gcc version 4.2.4) #1 Thu Jan 1 00:00:00 UTC 2009", true),
            ("CPU: ARM926EJ-S [41069265] revision 5 (ARMv5TEJ), cr=00053177", true),
            ("Freeing init memory: 124K", true),
            ("Run /sbin/init as init process", true),
            ("init started: BusyBox v1.13.2", false),
            ("Linux version 2.6.30 (me@here) (gcc version 4.2.4) #1 of /proc/version", false),
            ("Restarting system.", false),
            ("Linux version 2.6.30 (me@here) (gcc version 4.2.4) #1 again", true),
        ]);
    }

    #[test]
    fn a_panic_after_init_s_start_is_the_kernel_s() {
        check(&[
            ("Linux version 2.6.30 (me@here) #1", true),
            ("Freeing init memory: 124K", true),
            ("Kernel panic - not syncing: No init found.", true),
            ("U-Boot 2013.01", false),
            ("Kernel panic - not syncing: in a text", false),
        ]);
    }

    #[test]
    fn stamps_show_that_the_rest_is_not_the_kernel_s() {
        let mut kernel = PlainKernel::default();
        kernel.stamped();
        assert!(!kernel.owns(b"Linux version 6.6.1 (me@here) #1 of /proc/version"));
        check(&[("Linux version unknown", false), ("Linux versions are many (see below)", false)]);
        assert!(!kernel.owns(b"U-Boot 2013.01"));
        assert!(kernel.owns(b"Linux version 2.6.30 (me@here) #1 which prints no stamps"));
    }

    #[test]
    fn a_boot_loader_ends_what_never_came_to_init() {
        check(&[
            ("Linux version 2.6.30 (me@here) #1", true),
            ("CPU: ARM926EJ-S", true),
            ("CFE version 1.0.37", false),
            ("Starting program at 0x80014170", false),
            ("Linux version 2.6.30 (me@here) #1 again", true),
        ]);
    }
}
