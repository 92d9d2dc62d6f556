// SPDX-License-Identifier: MIT OR Apache-2.0
//! Services that systemd reports on the console or in the kernel's log.
//!
//! systemd prints `Starting UNIT...` when it starts a unit and `[ OK ] Started UNIT.` when the unit is up; the time
//! between is the service's activation, including whatever it waits for. A unit with only one of the two messages (a
//! simple service, a socket, a target) is an instant without a length. The programs that fastinit (init/fastinit of this
//! repository) starts are services, too.
use std::collections::HashMap;

use super::timeline::Timeline;
use bootline_capture::units::Dur;
use bootline_records::{RecordId, RecordSet};

/// State of a service at the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceState {
    /// It was being started when the log ended.
    Starting,
    /// It is up, or has done its work.
    Up,
    /// It failed, or what it depends on did.
    Failed,
}

/// A unit that systemd reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// `ssh.service`; the description if the log shows nothing else.
    pub name: String,
    /// When systemd reported that it starts the unit, if it did.
    pub start: Option<Dur>,
    /// When systemd reported that the unit is up or failed, if it did.
    pub end: Option<Dur>,
    /// State at the end of the log.
    pub state: ServiceState,
    /// The first record that names it.
    pub first: RecordId,
    /// The record that reports the unit as up or failed.
    pub last: Option<RecordId>,
}

/// A parsed message about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitMessage<'a> {
    Begins(&'a str),
    Ends(&'a str, ServiceState),
}

/// Maximum number of units: more than any system has, because a log may be hostile.
const MOST: usize = 10_000;

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

/// Parses a message of systemd: on the console after its status in brackets or nine blanks, in the kernel's log after
/// systemd's name.
fn parse(text: &str) -> Option<UnitMessage<'_>> {
    // By the first byte: this runs over every record of every boot.
    let said = match text.as_bytes().first()? {
        b' ' => text.strip_prefix("         ").filter(|t| BEGINS.iter().any(|b| t.starts_with(b)))?,
        b'[' => {
            let (status, rest) = text[1..].split_once("] ")?;
            matches!(status.trim(), "OK" | "FAILED" | "DEPEND" | "TIME").then_some(rest)?
        }
        b's' => text.strip_prefix("systemd[1]: ")?,
        b'f' => return fastinit_message(text.strip_prefix("fastinit: ")?),
        _ => return None,
    };
    let unit = |words: &[&str]| words.iter().find_map(|w| said.strip_prefix(w)).and_then(name);
    if let Some(name) = unit(BEGINS) {
        // An initrd's own `Starting systemd-udevd version 252` names a program.
        return said.ends_with(['.', '\u{2026}']).then_some(UnitMessage::Begins(name));
    }
    let ended = unit(ENDS).map(|n| UnitMessage::Ends(n, ServiceState::Up));
    ended.or_else(|| unit(FAILS).map(|n| UnitMessage::Ends(n, ServiceState::Failed)))
}

/// `camera: started after 0.004312 s, process 87` is all that is known of a program that does not notify; of others,
/// `starting` is the start and `ready` the end.
fn fastinit_message(said: &str) -> Option<UnitMessage<'_>> {
    let (name, what) = said.split_once(": ")?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let starts = |words: &[&str]| words.iter().any(|w| what.starts_with(w));
    match () {
        () if !is_name => None,
        () if starts(&["starting after "]) => Some(UnitMessage::Begins(name)),
        () if starts(&["started after ", "ready after "]) => Some(UnitMessage::Ends(name, ServiceState::Up)),
        () if starts(&["not started: ", "cannot run ", "killed by signal ", "exited with status "])
            && what != "exited with status 0" =>
        {
            Some(UnitMessage::Ends(name, ServiceState::Failed))
        }
        () => None,
    }
}

/// `ssh.service - OpenBSD Secure Shell server...` is `ssh.service`; without a unit's name, the description is.
fn name(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['.', '\u{2026}', ' ']);
    let name = match text.split_once(" - ") {
        Some((unit, _)) if !unit.contains(' ') && unit.contains('.') => unit,
        _ => text,
    };
    (!name.is_empty()).then_some(name)
}

/// All units reported, in the order in which they are first named.
pub(super) fn services(records: &RecordSet, timeline: &Timeline) -> Vec<Service> {
    let mut found: Vec<Service> = Vec::new();
    let mut starting: HashMap<&str, usize> = HashMap::new();
    let mut up: HashMap<&str, usize> = HashMap::new();
    for index in 0..records.len() {
        let Some(r) = records.get(index) else { break };
        let Some(line) = parse(r.text) else { continue };
        let Some(now) = timeline.stored(index) else { continue };
        match line {
            UnitMessage::Begins(name) if found.len() < MOST && !starting.contains_key(name) => {
                starting.insert(name, found.len());
                found.push(Service {
                    name: name.to_owned(),
                    start: Some(now),
                    end: None,
                    state: ServiceState::Starting,
                    first: r.id,
                    last: None,
                });
            }
            UnitMessage::Ends(name, state) => {
                if let Some(at) = starting.remove(name) {
                    let service = &mut found[at];
                    // The console of an early init and the log of a later one may report one unit out of order.
                    (service.end, service.state, service.last) = (Some(now), state, Some(r.id));
                    service.start = service.start.map(|s| s.min(now));
                    up.insert(name, at);
                } else if !up.contains_key(name) && found.len() < MOST {
                    up.insert(name, found.len());
                    let (first, last) = (r.id, Some(r.id));
                    found.push(Service { name: name.to_owned(), start: None, end: Some(now), state, first, last });
                }
            }
            UnitMessage::Begins(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};

    #[test]
    fn lines() {
        let up = |n| Some(UnitMessage::Ends(n, ServiceState::Up));
        let check = |text, want| assert_eq!(parse(text), want, "{text}");
        check(
            "         Starting ssh.service - OpenBSD Secure Shell server...",
            Some(UnitMessage::Begins("ssh.service")),
        );
        check(
            "         Starting OpenBSD Secure Shell server\u{2026}",
            Some(UnitMessage::Begins("OpenBSD Secure Shell server")),
        );
        check("[  OK  ] Started ssh.service - OpenBSD Secure Shell server.", up("ssh.service"));
        check("[  OK  ] Reached target Basic System.", up("Basic System"));
        check(
            "[FAILED] Failed to start foo.service - Foo.",
            Some(UnitMessage::Ends("foo.service", ServiceState::Failed)),
        );
        check("[DEPEND] Dependency failed for /data.", Some(UnitMessage::Ends("/data", ServiceState::Failed)));
        check("systemd[1]: Finished systemd-sysctl.service - Apply Kernel Variables.", up("systemd-sysctl.service"));
        check("systemd[1]: Starting systemd-udevd version 252", None);
        check("Starting kernel ...", None);
        check("[  OK  ] ", None);
        check("fastinit: camera: starting after 0.001204 s, process 87", Some(UnitMessage::Begins("camera")));
        check("fastinit: camera: started after 0.001204 s, process 87", up("camera"));
        check("fastinit: camera: ready after 0.020411 s", up("camera"));
        let failed = |n| Some(UnitMessage::Ends(n, ServiceState::Failed));
        check("fastinit: camera: cannot run `/bin/camera`: no such file or directory", failed("camera"));
        check("fastinit: camera: killed by signal 11", failed("camera"));
        check("fastinit: camera: not started: still missing: /dev/video0", failed("camera"));
        check("fastinit: camera: exited with status 0", None);
        check("fastinit: process 1 goes on after 0.003000 s", None);
        check("fastinit: /dev/x y: started after 1", None);
        check("[  OK  ] Started ...", None);
        check("systemd[1]: Hostname set to <board>.", None);
        check("[drm] Started up", None);
    }

    fn boot(log: &str) -> Boot {
        let mut boots = BootRecords::all(log.as_bytes());
        Boot::analyse(boots.pop().unwrap(), &BootOptions::default())
    }

    const LOG: &str = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.520000] Run /init as init process
[    1.000000] systemd[1]: Starting a.service - The first...
[    1.500000] systemd[1]: Starting b.service - The second...
[    2.000000] systemd[1]: Started a.service - The first.
[    2.250000] systemd[1]: Listening on c.socket - A socket.
[    3.000000] systemd[1]: Failed to start b.service - The second.
[    4.000000] systemd[1]: Starting d.service - Never up...
[    5.000000] systemd[1]: Started a.service - The first.
";

    #[test]
    fn starts_and_ends_are_joined_by_the_unit() {
        let ms = |n| Some(Dur::from_millis(n));
        let services = boot(LOG).services;
        let got: Vec<_> = services.iter().map(|s| (s.name.as_str(), s.start, s.end, s.state)).collect();
        assert_eq!(
            got,
            [
                ("a.service", ms(1000), ms(2000), ServiceState::Up),
                ("b.service", ms(1500), ms(3000), ServiceState::Failed),
                // A unit with a single line has no length.
                ("c.socket", None, ms(2250), ServiceState::Up),
                ("d.service", ms(4000), None, ServiceState::Starting),
            ]
        );
        assert_eq!((services[0].first, services[0].last), (RecordId(2), Some(RecordId(4))));
    }

    #[test]
    fn without_times_there_are_no_services() {
        assert_eq!(boot("Linux version 6.1\n[  OK  ] Started a.service - A.\n").services.len(), 0);
    }
}
