// SPDX-License-Identifier: MIT OR Apache-2.0
//! systemd's messages, on the console and in the kernel's log.
use super::message::{UnitMessage, UnitText};
use super::state::ServiceState;
use bootline_records::source::is_unit_name;

/// What stands in the place of a status where a job begins.
pub(super) const NO_STATUS: &str = "         ";

const BEGINS: &[&str] = &["Starting ", "Mounting ", "Activating "];
const ENDS: &[&str] = &[
    "Started ",
    "Finished ",
    "Reached target ",
    "Mounted ",
    "Activated ",
    "Listening on ",
    "Created slice ",
    "Set up automount ",
    "Found device ",
];
const FAILS: &[&str] = &["Failed to start ", "Failed to mount ", "Failed to activate ", "Dependency failed for "];
const TIMED_OUT: &[&str] = &["Timed out waiting for device ", "Timed out starting ", "Timed out mounting "];

/// Parses a message of systemd: on the console after its status in brackets or nine blanks, in the kernel's log after
/// systemd's name.
pub(super) fn parse(text: &str) -> Option<UnitMessage<'_>> {
    // By the first byte: this runs over every record of every boot.
    let said = match text.as_bytes().first()? {
        b' ' => text.strip_prefix(NO_STATUS).filter(|t| BEGINS.iter().any(|b| t.starts_with(b)))?,
        b'[' => {
            let (status, rest) = text[1..].split_once("] ")?;
            matches!(status.trim(), "OK" | "FAILED" | "DEPEND" | "TIME").then_some(rest)?
        }
        b's' => text.strip_prefix("systemd[1]: ")?,
        _ => return None,
    };
    let unit = |words: &[&str]| words.iter().find_map(|w| said.strip_prefix(w)).and_then(name);
    if let Some(name) = unit(BEGINS) {
        // An initrd's own `Starting systemd-udevd version 252` names a program.
        return said.ends_with(['.', '\u{2026}']).then_some(UnitMessage::Begins(name));
    }
    let ended = unit(ENDS).map(|n| UnitMessage::Ends(n, ServiceState::Up));
    let failed = ended.or_else(|| unit(FAILS).map(|n| UnitMessage::Ends(n, ServiceState::Failed)));
    failed.or_else(|| unit(TIMED_OUT).map(UnitMessage::TimedOut))
}

/// `ssh.service - OpenBSD Secure Shell server...` is `ssh.service`; without a unit's name, the description is. The console
/// shortens what is wider than a terminal: `kmod-static-nodes.service…eate List of Static Device Nodes`.
fn name(text: &str) -> Option<UnitText<'_>> {
    let text = text.trim_end_matches(['.', '\u{2026}', ' ']);
    let is_unit = |name: &&str| is_unit_name(name);
    let dashed = text.split_once(" - ").map(|(unit, _)| unit);
    let shortened = text.split_once('\u{2026}').or_else(|| text.split_once("..."));
    let name = dashed.filter(is_unit).or_else(|| shortened.map(|(start, _)| start).filter(is_unit)).unwrap_or(text);
    (!name.is_empty()).then_some(UnitText { name, shortened, shown: text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        // Who is meant, and what happened: none for the start.
        let up = |n| Some((n, Some(ServiceState::Up)));
        let check = |text, want: Option<(&str, Option<ServiceState>)>| {
            let got = parse(text).map(|m| match m {
                UnitMessage::Begins(unit) => (unit.name, None),
                UnitMessage::Ends(unit, state) => (unit.name, Some(state)),
                UnitMessage::TimedOut(unit) => (unit.name, Some(ServiceState::Failed)),
                other => panic!("{other:?}"),
            });
            assert_eq!(got, want, "{text}");
        };
        check("         Starting ssh.service - OpenBSD Secure Shell server...", Some(("ssh.service", None)));
        check("         Starting OpenBSD Secure Shell server\u{2026}", Some(("OpenBSD Secure Shell server", None)));
        check("[  OK  ] Started ssh.service - OpenBSD Secure Shell server.", up("ssh.service"));
        check("[  OK  ] Reached target Basic System.", up("Basic System"));
        check("[FAILED] Failed to start foo.service - Foo.", Some(("foo.service", Some(ServiceState::Failed))));
        check("[DEPEND] Dependency failed for /data.", Some(("/data", Some(ServiceState::Failed))));
        check("systemd[1]: Finished systemd-sysctl.service - Apply Kernel Variables.", up("systemd-sysctl.service"));
        check("systemd[1]: Starting systemd-udevd version 252", None);
        check("[ TIME ] Timed out waiting for device /dev/sdb1.", Some(("/dev/sdb1", Some(ServiceState::Failed))));
        check("Starting kernel ...", None);
        check("[  OK  ] ", None);
        check("[  OK  ] Started ...", None);
        check("systemd[1]: Hostname set to <board>.", None);
        check("[drm] Started up", None);
    }
}
