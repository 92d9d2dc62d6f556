// SPDX-License-Identifier: MIT OR Apache-2.0
//! `/proc/consoles`, as an init script or a user prints it into a log: the consoles that are registered at that time.
//!
//! Format: show_console_dev() in fs/proc/consoles.c, 2.6.38 to 7.3. `N` for an nbcon console was added in 6.12.
use bootline_records::{RecordId, RecordOrigin, RecordSet};
use memchr::memchr_iter;

/// One console in the last listing of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedConsole {
    /// `ttyS0`
    pub name: String,
    /// `C`: /dev/console leads to it.
    pub preferred: bool,
    /// `B`: a boot console (earlycon) that is still registered.
    pub boot: bool,
    /// `N`: it uses the nbcon framework.
    pub nbcon: bool,
    /// The record that lists it.
    pub record: RecordId,
}

/// Maximum number of consoles: more than any machine has, because a log may be hostile.
const MOST: usize = 64;

/// The consoles of the last listing in a log.
pub(super) fn listed_consoles(records: &RecordSet) -> Vec<ListedConsole> {
    let mut found: Vec<ListedConsole> = Vec::new();
    if !may_list(records.texts()) {
        return found;
    }
    // Only messages of the kernel come between the lines of one listing.
    let mut is_open = false;
    for r in records.iter() {
        if !may_list(r.text) {
            is_open &= r.source == RecordOrigin::Kernel || r.text.is_empty();
            continue;
        }
        for line in r.text.lines() {
            let Some(console) = parse(line, r.id) else {
                is_open &= r.source == RecordOrigin::Kernel;
                continue;
            };
            // No console is listed twice.
            if !is_open || found.len() == MOST || found.iter().any(|c| c.name == console.name) {
                found.clear();
            }
            is_open = true;
            found.push(console);
        }
    }
    found
}

/// Whether a listing, the content of `/proc/consoles`, has this console as an nbcon console.
pub fn is_listed_as_nbcon(listing: &str, name: &str) -> bool {
    // It has no records.
    listing.lines().filter_map(|line| parse(line, RecordId(0))).any(|c| c.name == name && c.nbcon)
}

/// Whether a line of a text may be one of a listing.
fn may_list(text: &str) -> bool {
    memchr_iter(b'(', text.as_bytes()).any(|at| {
        // The last of its operations.
        text[..at].trim_end().ends_with(['-', 'U'])
    })
}

/// `ttyS0                -W- (EC  p a)    4:64`; the blanks may have been lost on the way.
fn parse(line: &str, record: RecordId) -> Option<ListedConsole> {
    let (name, rest) = line.trim().split_once(char::is_whitespace)?;
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    // Whether it can read, write, and unblank the screen.
    let (operations, rest) = rest.trim_start().split_at_checked(3)?;
    let is_operation = |(b, letter): (u8, u8)| b == b'-' || b == letter;
    let (flags, device) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let is_flag = |b: u8| b"ECBNpba ".contains(&b);
    let is_device = |text: &str| {
        let number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
        text.is_empty() || text.split_once(':').is_some_and(|(major, minor)| number(major) && number(minor))
    };
    let is_listing = plain
        && !name.is_empty()
        && operations.bytes().zip(*b"RWU").all(is_operation)
        && flags.bytes().all(is_flag)
        && is_device(device.trim());
    is_listing.then(|| ListedConsole {
        name: name.to_owned(),
        preferred: flags.contains('C'),
        boot: flags.contains('B'),
        nbcon: flags.contains('N'),
        record,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};
    use bootline_console::{Framework, Printing};

    /// Name, and whether it is preferred, a boot console, nbcon.
    fn check(line: &str, want: Option<(&str, bool, bool, bool)>) {
        let found = parse(line, RecordId(0));
        assert_eq!(found.as_ref().map(|c| (c.name.as_str(), c.preferred, c.boot, c.nbcon)), want, "{line}");
    }

    #[test]
    fn a_console_of_a_listing() {
        let listing = "ttyS1 -W- (E p a) 4:65\nttyAMA0              -W- (EC Np a)  204:64\n";
        assert!(is_listed_as_nbcon(listing, "ttyAMA0"));
        assert!(!is_listed_as_nbcon(listing, "ttyS1") && !is_listed_as_nbcon(listing, "ttyS0"));
    }

    #[test]
    fn lines_of_all_versions() {
        check("ttyS0                -W- (EC p a)    4:64", Some(("ttyS0", true, false, false)));
        check("ttyAMA0              -W- (EC Np a)  204:64", Some(("ttyAMA0", true, false, true)));
        check("tty0                 -WU (E  p  )    4:1\r", Some(("tty0", false, false, false)));
        check("pl11                 -W- (E BNp a)", Some(("pl11", false, true, true)));
        check("ttyS1 -W- (E p a) 4:65", Some(("ttyS1", false, false, false)));
    }

    #[test]
    fn what_only_resembles_one() {
        for line in [
            "ttyS0 at I/O 0x3f8 (irq = 4, base_baud = 115200) is a 16550A",
            "drwxr-xr-x (EC p a) 4:64",
            "ttyS0 -W- (EC p a) 4",
            "ttyS0 -W- (ECX)",
            "tty\x1b[2J -W- (EC p a) 4:64",
            "ttyS0 \u{e4}\u{e4} (EC p a)",
            "ttyS0",
            "",
        ] {
            check(line, None);
        }
    }

    /// The boot of a log.
    fn boot(log: &str) -> Boot {
        Boot::analyse(BootRecords::all(log.as_bytes()).swap_remove(0), &BootOptions::default())
    }

    #[test]
    fn a_listing_shows_the_console_of_a_log_without_its_start() {
        let log = |flags: &str| {
            format!(
                "[    1.900000] acme-gpio: ready\n[    2.000000] Run /sbin/init as init process\n\
                 ttyS1                -W- (E{flags}p a)    4:65\nttyS0                -W- (EC{flags}p a)    4:64\n\
                 tty0                 -WU (E{flags}p  )    4:1\n"
            )
        };
        let console =
            |flags: &str| boot(&log(flags)).line.map(|l| (l.console.name, l.console.framework, l.console.printing));
        let name = || "ttyS0".to_owned();
        assert_eq!(console(" N"), Some((name(), Framework::Nbcon, Printing::Nbcon)));
        assert_eq!(console("  "), Some((name(), Framework::Legacy, Printing::Unknown)));
        // No listing, no console.
        let without = log(" N").lines().take(2).collect::<Vec<_>>().join("\n");
        assert!(boot(&without).line.is_none());
    }

    /// What the kernel said when a console registered was true then; a listing shows what came of it.
    #[test]
    fn a_registration_in_the_log_comes_first() {
        let log = "[    0.000000] Linux version 6.12.40 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: console=ttyS0,9600\n\
                   [    0.100000] printk: legacy console [ttyS0] enabled\n[    2.000000] Run /sbin/init as init process\n\
                   ttyS0                -W- (EC N  a)    4:64\n";
        let console = boot(log).line.unwrap().console;
        assert_eq!((console.framework, console.printing), (Framework::Legacy, Printing::Synchronous));
        assert!(console.enabled.is_some());
    }

    #[test]
    fn the_last_listing_counts() {
        let log = "[    0.000000] Linux version 6.12.40 (gcc) #1 SMP Mon\n[    2.000000] Run /sbin/init as init process\n\
                   ttyS0 -W- (EC  p a) 4:64\nttyS1 -W- (E   p a) 4:65\nttyS1 is removed\nttyS0 -W- (EC  p a) 4:64\n";
        let names = |boot: &Boot| boot.listed_consoles.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&boot(log)), ["ttyS0"]);
        // The kernel lists a new preferred console first; a boot console is gone; a message of the kernel comes between.
        let log = "[    0.000000] Linux version 6.12.40 (gcc) #1 SMP Mon\n[    2.000000] Run /sbin/init as init process\n\
                   ttyS0 -W- (EC  p a) 4:64\nuart8250 -W- (E B p a)\n# cat /proc/consoles\n\
                   ttyGS0 -W- (EC  p a) 250:0\n[    3.000000] acme: ready\nttyS0 -W- (E   p a) 4:64\n";
        assert_eq!(names(&boot(log)), ["ttyGS0", "ttyS0"]);
    }
}
