// SPDX-License-Identifier: MIT OR Apache-2.0
//! The messages of dracut's hooks, in the kernel's log or on the console: `dracut-pre-udev[123]: //lib/dracut/hooks/...`.
//!
//! Source: the LogName of dracut's units (modules.d/98dracut-systemd) and of its shell functions (dracut-lib.sh). A hook that says
//! something ran at least from its first message to its last; where systemd reports its unit, that is exact.

use super::state::ServiceState;
use super::step::Step;
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// The hooks by the names with which they log, in the order in which they run; `shutdown` runs at another time.
const HOOKS: [&str; 8] =
    ["cmdline", "pre-udev", "pre-trigger", "initqueue", "pre-mount", "mount", "pre-pivot", "cleanup"];

/// What the span of a hook's messages is called.
const SHOWN: [&str; HOOKS.len()] = [
    "dracut-cmdline (its messages)",
    "dracut-pre-udev (its messages)",
    "dracut-pre-trigger (its messages)",
    "dracut-initqueue (its messages)",
    "dracut-pre-mount (its messages)",
    "dracut-mount (its messages)",
    "dracut-pre-pivot (its messages)",
    "dracut-cleanup (its messages)",
];

/// The hooks that have said something.
#[derive(Default)]
pub(super) struct Hooks {
    /// In the order in which they did first.
    pub all: Vec<Step>,
}

impl Hooks {
    /// Takes a record; false if no hook wrote it.
    pub fn take(&mut self, text: &str, now: Dur, id: RecordId) -> bool {
        let Some(name) = hook(text) else { return false };
        match self.all.iter_mut().find(|known| known.name == name) {
            Some(known) => (known.start, known.end, known.last) = (known.start.or(known.end), Some(now), Some(id)),
            None => {
                let (name, state) = (name.to_owned(), ServiceState::Up);
                self.all.push(Step { name, start: None, end: Some(now), state, first: id, last: Some(id) });
            }
        }
        true
    }
}

/// What the span is called of the hook that wrote a message.
fn hook(text: &str) -> Option<&'static str> {
    let (name, rest) = text.strip_prefix("dracut-")?.split_once('[')?;
    let (pid, _) = rest.split_once("]: ")?;
    let is_pid = !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit());
    let at = HOOKS.iter().position(|hook| *hook == name).filter(|_| is_pid)?;
    Some(SHOWN[at])
}

/// Whether a span of messages is that of a unit that systemd reports itself.
pub(super) fn is_of_unit(shown: &str, unit: &str) -> bool {
    let name = unit.strip_suffix(".service").filter(|name| name.starts_with("dracut-"));
    name.is_some_and(|name| shown.strip_prefix(name).is_some_and(|rest| rest.starts_with(" (")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};

    #[test]
    fn lines() {
        assert_eq!(hook("dracut-pre-udev[123]: modprobe scsi_dh"), Some("dracut-pre-udev (its messages)"));
        assert_eq!(hook("dracut-initqueue[7]: Warning: timeout"), Some("dracut-initqueue (its messages)"));
        assert_eq!(hook("dracut-shutdown[7]: x"), None);
        assert_eq!(hook("dracut-pre-udev[]: x"), None);
        assert_eq!(hook("dracut-pre-udev: x"), None);
        assert!(is_of_unit("dracut-mount (its messages)", "dracut-mount.service"));
        assert!(!is_of_unit("dracut-pre-mount (its messages)", "dracut-mount.service"));
        assert!(!is_of_unit("dracut-mount (its messages)", "mount.service"));
    }

    #[test]
    fn a_hook_lasts_from_its_first_message_to_its_last() {
        let log = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[    0.500000] Run /init as init process
[    1.000000] dracut-cmdline[101]: dracut-105
[    1.250000] dracut-cmdline[101]: Using kernel command line parameters: root=/dev/vda
[    1.500000] systemd[1]: Starting dracut-initqueue.service - dracut initqueue hook...
[    1.600000] dracut-initqueue[200]: Waiting
[    3.000000] systemd[1]: Finished dracut-initqueue.service - dracut initqueue hook.
[    3.500000] dracut-pre-pivot[300]: one word
";
        let boot = Boot::analyse(BootRecords::all(log.as_bytes()).pop().unwrap(), &BootOptions::default());
        let ms = |d: bootline_capture::units::Dur| d.as_nanos() / 1_000_000;
        let got: Vec<_> = boot.services.iter().map(|s| (s.name.as_str(), s.start.map(ms), s.end.map(ms))).collect();
        let expected = [
            ("dracut-cmdline (its messages)", Some(1_000), Some(1_250)),
            ("dracut-initqueue.service", Some(1_500), Some(3_000)),
            // One message shows no length.
            ("dracut-pre-pivot (its messages)", None, Some(3_500)),
        ];
        assert_eq!(got, expected);
    }
}
