// SPDX-License-Identifier: MIT OR Apache-2.0
//! Services that an init reports on the console or in the kernel's log.
//!
//! systemd prints `Starting UNIT...` when it starts a unit and `[ OK ] Started UNIT.` when the unit is up; the time
//! between is the service's activation, including whatever it waits for. A unit with only one of the two messages (a
//! simple service, a socket, a target) is an instant without a length. The steps of an initramfs, the scripts of other inits, and the programs that fastinit
//! (init/fastinit of this repository) starts, are services, too.
mod android;
mod dracut;
mod fastinit;
mod hand_over;
mod initramfs_tools;
mod message;
mod procd;
mod scripts;
mod state;
mod status_output;
mod step;
mod systemd;
mod torn;

use std::collections::{HashMap, HashSet};

use super::end::is_init_banner;
use super::terminal_queue::longest_waits;
use super::timeline::{Clock, Timeline};
use bootline_capture::units::{Dur, LineRate};
use bootline_records::{Record, RecordId, RecordOrigin, RecordSet};
use dracut::Hooks;
pub(crate) use fastinit::FASTINIT;
use hand_over::HandOver;
use initramfs_tools::Steps;
use message::{UnitMessage, UnitText};
pub(crate) use procd::COMPLETE as PROCD_COMPLETE;
pub use state::ServiceState;
pub use status_output::status_output;
use step::{LineTimes, Step};

/// A unit, a script or a program that an init reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// `ssh.service`; the description if the log shows nothing else.
    pub name: String,
    /// When init reported that it starts it, if it did.
    pub start: Option<Dur>,
    /// When init reported that it is up or failed, if it did.
    pub end: Option<Dur>,
    /// State at the end of the log.
    pub state: ServiceState,
    /// Whether its start job ran into its time-out.
    pub timed_out: bool,
    /// Whether a script of init reported it, rather than a manager that starts services in parallel.
    pub of_script: bool,
    /// Whether systemd reported it in the initramfs: the root file system's unit of the same name is another.
    pub in_initramfs: bool,
    /// The first record that names it.
    pub first: RecordId,
    /// The record that reports the unit as up or failed.
    pub last: Option<RecordId>,
    /// The longest that these records can have waited for the serial line: `start` and `end` are when they came through.
    pub waited: Waited,
}

impl Service {
    /// When init reported that it starts it: in the middle between when the message came through and the earliest that it can have been
    /// written, and not after its end.
    pub fn began(&self) -> Option<Dur> {
        let began = written(self.start?, self.waited.start);
        // A start that came through after the end had waited longer.
        Some(self.ended().map_or(began, |ended| began.min(ended)))
    }

    /// When init reported that it is up or failed, in the same middle.
    pub fn ended(&self) -> Option<Dur> {
        Some(written(self.end?, self.waited.end))
    }

    /// How far off these can be: half of what the messages can have waited.
    pub fn error(&self) -> Dur {
        self.waited.start.max(self.waited.end).scale(0.5)
    }
}

fn written(at: Dur, waited: Dur) -> Dur {
    at - waited.scale(0.5)
}

/// How long lines can have waited at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// The one that reports the start.
    pub start: Dur,
    /// The one that reports the end.
    pub end: Dur,
}

/// Units that one with a shortened text is compared with, the last ones.
const COMPARED: usize = 200;

/// Maximum number of units: more than any system has, because a log may be hostile.
const MOST: usize = 10_000;

/// All units reported, in the order in which they are first named.
pub(super) fn services(records: &RecordSet, timeline: &Timeline, rate: Option<LineRate>) -> Vec<Service> {
    let whole_lines = torn::whole_lines(records);
    let mut found = Found::default();
    let mut hand_over = HandOver::default();
    let mut seen_kernel = false;
    let (mut steps, mut hooks) = (Steps::default(), Hooks::default());
    for (index, wait) in longest_waits(records, timeline, rate).into_iter().enumerate() {
        let Some(r) = records.get(index) else { break };
        if hand_over.at(r.text) {
            found.hand_over();
        }
        seen_kernel |= r.source == RecordOrigin::Kernel;
        if is_init_banner(&r) {
            steps.leave();
        }
        if line_times(&r, timeline).is_some_and(|times| seen_kernel && steps.take(r.text, times, rate))
            || timeline.stored(index).is_some_and(|now| hooks.take(r.text, now, r.id))
        {
            continue;
        }
        let whole = whole_lines.get(&index).map_or(r, |text| Record { text, ..r });
        let line = parse(&whole, seen_kernel);
        found.is_script_s = line.is_some_and(|(_, is_script_s)| is_script_s);
        let line = line.map(|(line, _)| line);
        // Only the kernel's records break a line of user space.
        let open_line = found.open_line.take_if(|_| r.source == RecordOrigin::Other);
        let Some(line) = line else { continue };
        let place = timeline.place(index);
        let Some(now) = place.stored else { continue };
        let is_programs = r.source == RecordOrigin::Other;
        if let Some(said) = is_programs.then(|| found.repeats(&line, records)).flatten() {
            found.written_since = found.written_since.max(Some(said));
            continue;
        }
        found.waited = match line {
            // A script's line is timed from its first byte to its last, whatever it waited for.
            UnitMessage::Line(..) => Dur::ZERO,
            _ => found.written_since.map_or(wait, |since| wait.min((now - since).max_zero())),
        };
        match line {
            UnitMessage::Begins(name) => found.begin(name, now, r.id),
            UnitMessage::Ends(name, state) => found.end(name, state, false, now, r.id),
            UnitMessage::TimedOut(name) => found.end(name, ServiceState::Failed, true, now, r.id),
            UnitMessage::Line(name, state) => {
                let end = place.transmitted.map_or(now, |t| t.end.max(now));
                // Output that was held back until the script had ended shows no start.
                if !(LineTimes { first: now, last: end, bytes: r.line_bytes, id: r.id }).is_at_once(rate) {
                    found.begin(name, now, r.id);
                }
                found.end(name, state, false, end, r.id);
            }
            UnitMessage::MayBegin(name) => found.open_line = Some((name, now, r.id)),
            UnitMessage::LineEnds(state) => {
                let Some((name, began, first)) = open_line else { continue };
                // One line for both: it is timed as it came.
                found.waited = Dur::ZERO;
                found.begin(name, began, first);
                found.end(name, state, false, now, r.id);
            }
            UnitMessage::BeginsNested(name) => {
                found.begin(name, now, r.id);
                found.nested.push(name);
            }
            UnitMessage::LastEnds(state) => {
                let Some(name) = found.nested.pop() else { continue };
                found.end(name, state, false, now, r.id);
            }
            UnitMessage::NextStage(name) => found.next_stage(Some(name), now, r.id),
            UnitMessage::LastStage(name) => {
                found.next_stage(None, now, r.id);
                found.end(name, ServiceState::Up, false, now, r.id);
            }
            UnitMessage::Took(name, state, took) => found.took(name, state, took, now, r.id),
        }
    }
    let mut services = found.services;
    // Of a hook that systemd reports as a unit, the unit's times are exact.
    hooks.all.retain(|hook| !services.iter().any(|s| dracut::is_of_unit(&hook.name, &s.name)));
    if !(steps.all.is_empty() && hooks.all.is_empty()) {
        services.extend(steps.all.into_iter().chain(hooks.all).map(of_initramfs));
        services.sort_by_key(|s| s.first);
    }
    services
}

fn of_initramfs(step: Step) -> Service {
    let Step { name, start, end, state, first, last } = step;
    let waited = Waited::default();
    Service { name, start, end, state, timed_out: false, of_script: false, in_initramfs: true, first, last, waited }
}

/// When a line of user space arrived; none without arrival times.
fn line_times(r: &Record<'_>, timeline: &Timeline) -> Option<LineTimes> {
    let arrival = r.arrival.filter(|_| r.source == RecordOrigin::Other && timeline.clock == Clock::Arrival)?;
    let (first, last) = (timeline.on_axis(arrival.first), timeline.on_axis(arrival.last));
    Some(LineTimes { first, last, bytes: r.line_bytes, id: r.id })
}

/// What a record says of a unit, and whether a script says it. A boot loader's lines look much like a script's.
fn parse<'r>(r: &Record<'r>, seen_kernel: bool) -> Option<(UnitMessage<'r>, bool)> {
    let of_any = systemd::parse(r.text).or_else(|| fastinit::parse(r.text)).or_else(|| android::parse(r.text));
    let of_any = of_any.or_else(|| procd::parse(r.text));
    let may_be_script_s = seen_kernel && r.source == RecordOrigin::Other;
    let of_script = || may_be_script_s.then(|| scripts::parse(r.text)).flatten();
    of_any.map(|line| (line, false)).or_else(|| Some((of_script()?, !scripts::is_runit_s(r.text))))
}

/// Units as they are met.
#[derive(Default)]
struct Found<'r> {
    services: Vec<Service>,
    /// What the console calls each of them.
    texts: Vec<UnitText<'r>>,
    /// Positions of those that are being started.
    starting: HashMap<&'r str, usize>,
    /// Those that are nested, the innermost last.
    nested: Vec<UnitText<'r>>,
    /// The stage that init is in.
    stage: Option<UnitText<'r>>,
    /// A line that is not complete, when and in which record it began.
    open_line: Option<(UnitText<'r>, Dur, RecordId)>,
    /// Positions of those that are up or failed.
    ended: HashMap<&'r str, usize>,
    /// Whether the line at hand is a script's.
    is_script_s: bool,
    /// How long the line at hand can have waited.
    waited: Dur,
    /// When a line on the console was written that came before the one at hand, as far as the kernel's log shows it: none after that
    /// was written earlier.
    written_since: Option<Dur>,
    /// Positions of those whose start or end the kernel's log and the console told.
    repeated: HashSet<(usize, bool)>,
}

impl<'r> Found<'r> {
    /// When systemd told the kernel's log the same, which it does in the same moment until the journal is up; that does not wait.
    /// None if a line has repeated it already: another is about another start.
    fn repeats(&mut self, line: &UnitMessage<'r>, records: &RecordSet) -> Option<Dur> {
        let (unit, is_start) = match line {
            UnitMessage::Begins(unit) => (unit, true),
            UnitMessage::Ends(unit, _) | UnitMessage::TimedOut(unit) => (unit, false),
            _ => return None,
        };
        let name = self.known(*unit);
        let at = self.ended.get(name).or_else(|| self.starting.get(name).filter(|_| is_start))?;
        let service = &self.services[*at];
        let (record, said) = match is_start {
            true => (Some(service.first), service.start),
            false => (service.last, service.end),
        };
        let by_kernel = record.and_then(|id| records.by_id(id)).is_some_and(|r| r.source == RecordOrigin::Kernel);
        said.filter(|_| by_kernel && self.repeated.insert((*at, is_start)))
    }

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
                of_script: self.is_script_s,
                in_initramfs: false,
                first: id,
                last: None,
                waited: Waited { start: self.waited, end: Dur::ZERO },
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
            service.waited.end = self.waited;
            service.timed_out = timed_out;
            service.start = service.start.map(|s| s.min(now));
            self.ended.insert(name, at);
        } else if !self.ended.contains_key(name) && self.services.len() < MOST {
            self.ended.insert(name, self.services.len());
            let service = Service {
                name: name.to_owned(),
                start: None,
                end: Some(now),
                state,
                timed_out,
                of_script: self.is_script_s,
                in_initramfs: false,
                first: id,
                last: Some(id),
                waited: Waited { start: Dur::ZERO, end: self.waited },
            };
            self.add(service, UnitText { name, ..unit });
        }
    }

    /// Init waited this long for it; or it ran this long, and init reported when it started it.
    fn took(&mut self, unit: UnitText<'r>, state: ServiceState, took: Dur, now: Dur, id: RecordId) {
        if let Some(service) = self.ended.get(unit.name).map(|at| &mut self.services[*at]) {
            // Of one that is started again, the first time counts.
            if service.start.is_none() {
                (service.start, service.end) = (service.end, Some(now));
                service.waited = Waited { start: service.waited.end, end: self.waited };
                (service.state, service.last) = (state, Some(id));
            }
            return;
        }
        self.begin(unit, now - took, id);
        self.end(unit, state, false, now, id);
    }

    /// The stage that init was in ends, and another begins, if one does.
    fn next_stage(&mut self, stage: Option<UnitText<'r>>, now: Dur, id: RecordId) {
        if let Some(before) = std::mem::replace(&mut self.stage, stage) {
            self.end(before, ServiceState::Up, false, now, id);
        }
        if let Some(stage) = stage {
            self.begin(stage, now, id);
        }
    }

    /// The initramfs hands over: all units so far are its own.
    fn hand_over(&mut self) {
        self.services.iter_mut().for_each(|s| s.in_initramfs = true);
        (self.starting, self.nested, self.ended, self.texts) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boot, BootOptions, BootRecords};

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

    /// A console with arrival times: a line begins when its script does, and ends with it.
    #[test]
    fn the_scripts_of_other_inits_are_services() {
        let log = "\
[2026-05-06 10:11:05.000] Starting kernel ...
[2026-05-06 10:11:07.100] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:08.000] [    1.000000] Run /sbin/init as init process
[2026-05-06 10:11:08.100] INIT: version 3.14 booting
[2026-05-06 10:11:08.200] Starting syslogd: OK
[2026-05-06 10:11:08.300] Waiting for /dev to be fully populated...
[2026-05-06 10:11:09.000] [    2.000000] input: Power Button
[2026-05-06 10:11:09.300] done.
[2026-05-06 10:11:09.400] Loading firmware...
[2026-05-06 10:11:09.500] firmware: nothing to do
[2026-05-06 10:11:11.000] done.
[2026-05-06 10:11:11.100]  * Starting sshd ...
[2026-05-06 10:11:11.200] OK
[2026-05-06 10:11:12.600]                                  [ ok ]
[2026-05-06 10:11:12.700]  * Mounting /data ...
[2026-05-06 10:11:12.900]                                  [ !! ]
[2026-05-06 10:11:13.000] - runit: enter stage: /etc/runit/1
[2026-05-06 10:11:14.000] [    7.000000] init: starting service 'vold'...
[2026-05-06 10:11:15.000] [    8.000000] init: Command 'mount_all' action=fs (/init.rc:50) took 400ms and succeeded
[2026-05-06 10:11:15.500] [    8.500000] init: Service 'vold' (pid 7) exited with status 0 oneshot service took 1.5 seconds in background
[2026-05-06 10:11:16.000] [    9.000000] procd: - early -
[2026-05-06 10:11:16.300] [    9.300000] procd: - ubus -
[2026-05-06 10:11:17.000] [   10.000000] procd: - init complete -
[2026-05-06 10:11:18.000] [   11.000000] init: Service 'vold' (pid 9) exited with status 0 oneshot service took 0.5 seconds in background
";
        let ms = |d: Dur| d.as_nanos() / 1_000_000;
        let boot = boot(log);
        let got = boot.services.iter().map(|s| (s.name.as_str(), s.start.zip(s.end).map(|(a, b)| ms(b - a)), s.state));
        let (up, failed) = (ServiceState::Up, ServiceState::Failed);
        let expected = [
            ("syslogd", None, up),
            ("Waiting for /dev to be fully populated", Some(1_000), up),
            ("sshd", Some(1_500), up),
            ("Mounting /data", Some(200), failed),
            ("/etc/runit/1", None, ServiceState::Starting),
            ("vold", Some(1_500), up),
            ("mount_all", Some(400), up),
            ("early", Some(300), up),
            ("ubus", Some(700), up),
            ("init complete", None, up),
        ];
        assert_eq!(got.collect::<Vec<_>>(), expected);
        let of_scripts: Vec<&str> = boot.services.iter().filter(|s| s.of_script).map(|s| s.name.as_str()).collect();
        assert_eq!(of_scripts, ["syslogd", "Waiting for /dev to be fully populated", "sshd", "Mounting /data"]);
    }

    /// Until the journal is up systemd tells the kernel's log and the console the same; on a slow line the console comes long after.
    #[test]
    fn what_the_console_repeats_is_no_other_start_and_shows_what_it_waited() {
        let log = "\
[2026-05-06 10:11:05.000] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon
[2026-05-06 10:11:06.000] [    1.000000] Run /sbin/init as init process
[2026-05-06 10:11:07.000] [    2.000000] systemd[1]: Mounting a.mount - A...
[2026-05-06 10:11:07.500]          Mounting x.mount - X...
[2026-05-06 10:11:07.501] [  OK  ] Mounted x.mount - X.
[2026-05-06 10:11:07.503] [    2.503000] systemd[1]: Mounted a.mount - A.
[2026-05-06 10:11:07.504]          Mounting a.mount - A...
[2026-05-06 10:11:07.505] [  OK  ] Mounted a.mount - A.
[2026-05-06 10:11:07.506]          Starting b.service - B...
[2026-05-06 10:11:09.000] [  OK  ] Started b.service - B.
[2026-05-06 10:11:10.000]          Mounting a.mount - A...
";
        let us = |d: Dur| d.as_nanos() / 1_000;
        let boot = boot(log);
        let got = boot.services.iter().map(|s| (s.name.as_str(), us(s.waited.start), us(s.waited.end)));
        let expected = [
            ("a.mount", 0, 0),
            // The kernel's log does not have it, and its first line came after no other program's.
            ("x.mount", 0, 1_000),
            // Written after `Mounted a.mount` was, and that was when the kernel's log had it.
            ("b.service", 3_000, 0),
            // The third time it is a start.
            ("a.mount", 0, 0),
        ];
        assert_eq!(got.collect::<Vec<_>>(), expected);
        let b = boot.whole.unit("b.service").unwrap();
        assert_eq!((us(b.error), us(b.activation().unwrap())), (1_500, 1_495_500));
    }

    #[test]
    fn without_times_there_are_no_services() {
        assert_eq!(boot("Linux version 6.1\n[  OK  ] Started a.service - A.\n").services.len(), 0);
    }
}
