// SPDX-License-Identifier: MIT OR Apache-2.0
//! A unit of systemd, or a script of another init, in one boot.
use crate::service::{Service, ServiceState};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// A unit's activation in this boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// `ssh.service`; what the console calls it where no source names the unit. Escape it like a record.
    pub name: String,
    /// `OpenBSD Secure Shell server`
    pub description: Option<String>,
    /// When it began to start, on the axis.
    pub activating: Option<Dur>,
    /// When it was up: active, or, for a job that ends, done.
    pub up: Option<Dur>,
    /// When its program was executed, where systemd says so (256 and later): a service of Type=simple is up before that.
    pub executed: Option<Dur>,
    /// How long it took to start, where only that is known.
    pub took: Option<Dur>,
    /// What the times are from.
    pub by: UnitTimesBy,
    /// Error of the times: the residual of their clock; on the console half of what its messages can have waited for the line.
    pub error: Dur,
    /// State, as far as the sources show it.
    pub state: ServiceState,
    /// Whether its start job ran into its time-out.
    pub timed_out: bool,
    /// Whether systemd's stamps are those of a later activation, and therefore not used.
    pub started_again: bool,
    /// Processor time that its processes used, up to when the source was taken.
    pub cpu: Option<Dur>,
    /// Bytes that its processes read from disks, up to when the source was taken.
    pub bytes_read: Option<u64>,
    /// `oneshot`, `notify`, ...
    pub service_type: Option<String>,
    /// Whether what it writes goes to the console, too.
    pub writes_to_console: bool,
    /// Positions of the units that it needs.
    pub requires: Vec<usize>,
    /// Positions of the units that it pulls in.
    pub wants: Vec<usize>,
    /// Positions of the units that it starts after.
    pub after: Vec<usize>,
    /// Positions of the sockets, timers and paths that start it.
    pub triggered_by: Vec<usize>,
    /// The first record that names it.
    pub first: Option<RecordId>,
    /// The record that reports it as up or failed.
    pub last: Option<RecordId>,
}

/// What a unit's times are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitTimesBy {
    /// systemd's own stamps.
    Systemd,
    /// The manager's messages in the journal.
    Journal,
    /// Its messages on the console, less half of what they can have waited for the line.
    Console,
    /// Nothing: only its length is known, or not even that.
    Nothing,
}

impl Unit {
    /// A unit of which only the name is known.
    pub(super) fn named(name: String) -> Unit {
        Unit {
            name,
            description: None,
            activating: None,
            up: None,
            executed: None,
            took: None,
            by: UnitTimesBy::Nothing,
            error: Dur::ZERO,
            state: ServiceState::Starting,
            timed_out: false,
            started_again: false,
            cpu: None,
            bytes_read: None,
            service_type: None,
            writes_to_console: false,
            requires: Vec::new(),
            wants: Vec::new(),
            after: Vec::new(),
            triggered_by: Vec::new(),
            first: None,
            last: None,
        }
    }

    /// Gives it the times of its messages on the console: in the middle between when each came through and when it can have been
    /// written at the earliest.
    pub(super) fn place_by_console(&mut self, service: &Service) {
        (self.activating, self.up, self.error) = (service.began(), service.ended(), service.error());
        self.by = UnitTimesBy::Console;
    }

    /// From the start of its activation until it was up, or as long as it took.
    pub fn activation(&self) -> Option<Dur> {
        self.activating.zip(self.up).map(|(from, to)| to - from).or(self.took)
    }

    /// The first time that is known of it.
    pub fn begins(&self) -> Option<Dur> {
        self.activating.or(self.up)
    }
}
