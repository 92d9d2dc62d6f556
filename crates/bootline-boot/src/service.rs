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
use bootline_records::source::is_unit_name;
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
    /// Whether its start job ran into its time-out.
    pub timed_out: bool,
    /// Whether systemd reported it in the initramfs: the root file system's unit of the same name is another.
    pub in_initramfs: bool,
    /// The first record that names it.
    pub first: RecordId,
    /// The record that reports the unit as up or failed.
    pub last: Option<RecordId>,
}

/// A parsed message about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitMessage<'a> {
    Begins(UnitText<'a>),
    Ends(UnitText<'a>, ServiceState),
    TimedOut(UnitText<'a>),
}

/// What a message calls a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UnitText<'a> {
    /// The unit's name; its description if the message shows nothing else.
    name: &'a str,
    /// What is left of a text that was too wide, before and after the ellipsis; none of one that is whole.
    shortened: Option<(&'a str, &'a str)>,
    /// The whole text.
    shown: &'a str,
}

/// Units that one with a shortened text is compared with, the last ones.
const COMPARED: usize = 200;

impl UnitText<'_> {
    /// Whether two messages may mean one unit: what both show agrees.
    fn agrees(&self, other: &UnitText<'_>) -> bool {
        let (start, end) = self.shortened.unwrap_or((self.shown, self.shown));
        let (other_start, other_end) = other.shortened.unwrap_or((other.shown, other.shown));
        (start.starts_with(other_start) || other_start.starts_with(start))
            && (end.ends_with(other_end) || other_end.ends_with(end))
    }
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
const TIMED_OUT: &[&str] = &["Timed out waiting for device ", "Timed out starting ", "Timed out mounting "];

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
    let failed = ended.or_else(|| unit(FAILS).map(|n| UnitMessage::Ends(n, ServiceState::Failed)));
    failed.or_else(|| unit(TIMED_OUT).map(UnitMessage::TimedOut))
}

/// `camera: started after 0.004312 s, process 87` is all that is known of a program that does not notify; of others,
/// `starting` is the start and `ready` the end.
fn fastinit_message(said: &str) -> Option<UnitMessage<'_>> {
    let (name, what) = said.split_once(": ")?;
    let unit = UnitText { name, shortened: None, shown: name };
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let starts = |words: &[&str]| words.iter().any(|w| what.starts_with(w));
    match () {
        () if !is_name => None,
        () if starts(&["starting after "]) => Some(UnitMessage::Begins(unit)),
        () if starts(&["started after ", "ready after "]) => Some(UnitMessage::Ends(unit, ServiceState::Up)),
        () if starts(&["not started: ", "cannot run ", "killed by signal ", "exited with status "])
            && what != "exited with status 0" =>
        {
            Some(UnitMessage::Ends(unit, ServiceState::Failed))
        }
        () => None,
    }
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

/// All units reported, in the order in which they are first named.
pub(super) fn services(records: &RecordSet, timeline: &Timeline) -> Vec<Service> {
    let mut found = Found::default();
    let mut hand_over = HandOver::default();
    for index in 0..records.len() {
        let Some(r) = records.get(index) else { break };
        if hand_over.at(r.text) {
            found.hand_over();
        }
        let Some(line) = parse(r.text) else { continue };
        let Some(now) = timeline.stored(index) else { continue };
        match line {
            UnitMessage::Begins(name) => found.begin(name, now, r.id),
            UnitMessage::Ends(name, state) => found.end(name, state, false, now, r.id),
            UnitMessage::TimedOut(name) => found.end(name, ServiceState::Failed, true, now, r.id),
        }
    }
    found.services
}

/// Units as they are met.
#[derive(Default)]
struct Found<'r> {
    services: Vec<Service>,
    /// What the console calls each of them.
    texts: Vec<UnitText<'r>>,
    /// Positions of those that are being started.
    starting: HashMap<&'r str, usize>,
    /// Positions of those that are up or failed.
    ended: HashMap<&'r str, usize>,
}

impl<'r> Found<'r> {
    /// The name under which a unit is known: for a shortened text, that of the only unit of late that agrees.
    fn known(&self, unit: UnitText<'r>) -> &'r str {
        if self.starting.contains_key(unit.name) || self.ended.contains_key(unit.name) {
            return unit.name;
        }
        let agrees = |t: &&UnitText<'r>| (unit.shortened.is_some() || t.shortened.is_some()) && t.agrees(&unit);
        let mut alike = self.texts.iter().rev().take(COMPARED).filter(agrees).map(|t| t.name);
        match (alike.next(), alike.next()) {
            (Some(only), None) => only,
            _ => unit.name,
        }
    }

    fn add(&mut self, service: Service, unit: UnitText<'r>) {
        self.services.push(service);
        self.texts.push(unit);
    }

    fn begin(&mut self, unit: UnitText<'r>, now: Dur, id: RecordId) {
        let name = self.known(unit);
        if self.services.len() < MOST && !self.starting.contains_key(name) {
            self.starting.insert(name, self.services.len());
            let service = Service {
                name: name.to_owned(),
                start: Some(now),
                end: None,
                state: ServiceState::Starting,
                timed_out: false,
                in_initramfs: false,
                first: id,
                last: None,
            };
            self.add(service, UnitText { name, ..unit });
        }
    }

    fn end(&mut self, unit: UnitText<'r>, state: ServiceState, timed_out: bool, now: Dur, id: RecordId) {
        let name = self.known(unit);
        if let Some(at) = self.starting.remove(name) {
            let service = &mut self.services[at];
            // The console of an early init and the log of a later one may report one unit out of order.
            (service.end, service.state, service.last) = (Some(now), state, Some(id));
            service.timed_out = timed_out;
            service.start = service.start.map(|s| s.min(now));
            self.ended.insert(name, at);
        } else if !self.ended.contains_key(name) && self.services.len() < MOST {
            self.ended.insert(name, self.services.len());
            let (start, end, last) = (None, Some(now), Some(id));
            let in_initramfs = false;
            let service =
                Service { name: name.to_owned(), start, end, state, timed_out, in_initramfs, first: id, last };
            self.add(service, UnitText { name, ..unit });
        }
    }

    /// The initramfs hands over: all units so far are its own.
    fn hand_over(&mut self) {
        self.services.iter_mut().for_each(|s| s.in_initramfs = true);
        (self.starting, self.ended, self.texts) = Default::default();
    }
}

/// Where systemd's initramfs ends, as the records come.
#[derive(Default)]
struct HandOver {
    in_initramfs: bool,
    done: bool,
}

impl HandOver {
    /// Whether the units so far are those of the initramfs. Only one hand-over counts: a shutdown switches root, too.
    fn at(&mut self, text: &str) -> bool {
        const LAST: [&str; 3] = [
            "systemd[1]: Switching root",
            "systemd[1]: Starting initrd-switch-root.service",
            "         Starting initrd-switch-root.service",
        ];
        const INSIDE: [&str; 2] = ["systemd[1]: Running in initrd", "systemd[1]: Running in initial RAM disk"];
        if self.done {
            return false;
        }
        let starts = |words: &[&str]| words.iter().any(|words| text.starts_with(words));
        // The console's greeting and systemd's banner come once in each.
        let greets = text.starts_with("Welcome to ") || text.starts_with("systemd[1]: systemd ");
        let begins = starts(&INSIDE) || greets && text.contains("(Initramfs)");
        let ends = starts(&LAST) || greets && self.in_initramfs && !begins;
        self.in_initramfs |= begins || ends;
        self.done = ends && greets;
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};

    #[test]
    fn lines() {
        // Who is meant, and what happened: none for the start.
        let up = |n| Some((n, Some(ServiceState::Up)));
        let check = |text, want: Option<(&str, Option<ServiceState>)>| {
            let got = parse(text).map(|m| match m {
                UnitMessage::Begins(unit) => (unit.name, None),
                UnitMessage::Ends(unit, state) => (unit.name, Some(state)),
                UnitMessage::TimedOut(unit) => (unit.name, Some(ServiceState::Failed)),
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
        check("fastinit: camera: starting after 0.001204 s, process 87", Some(("camera", None)));
        check("fastinit: camera: started after 0.001204 s, process 87", up("camera"));
        check("fastinit: camera: ready after 0.020411 s", up("camera"));
        let failed = |n| Some((n, Some(ServiceState::Failed)));
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

    /// A console of 80 columns cuts a start's text and an end's in different places; the kernel's log has both whole.
    #[test]
    fn shortened_texts_are_joined() {
        let log = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.520000] Run /init as init process
[    1.000000] systemd[1]: Starting systemd-udev-load-credentials.service - Load udev Rules from Credentials...
[    1.100000] systemd[1]: Starting kmod-static-nodes.service…eate List of Static Device Nodes...
[    1.200000] systemd[1]: Starting systemd-journal-flush.ser…sh Journal to Persistent Storage...
[    1.300000] systemd[1]: Starting a-very-long-name-1.serv…twins...
[    1.350000] systemd[1]: Starting a-very-long-name-2.serv…twins...
[    2.000000] systemd[1]: Finished systemd-udev-load-credent…- Load udev Rules from Credentials.
[    2.100000] systemd[1]: Finished kmod-static-nodes.service…Create List of Static Device Nodes.
[    2.200000] systemd[1]: Finished systemd-journal-flush.ser…lush Journal to Persistent Storage.
[    2.300000] systemd[1]: Finished a-very-long-name…twins.
";
        let got: Vec<_> =
            boot(log).services.into_iter().map(|s| (s.name, s.start.is_some(), s.end.is_some())).collect();
        let both = |name: &str| (name.to_owned(), true, true);
        assert_eq!(got[..2], [both("systemd-udev-load-credentials.service"), both("kmod-static-nodes.service")]);
        assert_eq!(got[2], both("systemd-journal-flush.ser…sh Journal to Persistent Storage"));
        // Either may be meant.
        assert_eq!(got[3..].iter().filter(|(_, start, end)| *start && *end).count(), 0);
    }

    #[test]
    fn without_times_there_are_no_services() {
        assert_eq!(boot("Linux version 6.1\n[  OK  ] Started a.service - A.\n").services.len(), 0);
    }
}
