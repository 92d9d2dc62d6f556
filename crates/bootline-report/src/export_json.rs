// SPDX-License-Identifier: MIT OR Apache-2.0
//! A complete boot as JSON: one entry of `boots[]` in `docs/schema/export-1.schema.json`.
//!
//! What `explain --json` contains, then lists whose items take one line each and are written as they are produced:
//! there may be a million records.
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::emitter::{BootEmitter, ReportedBoot};
use super::explain::{ExplainedBoot, explain_json};
use super::json::BootsJson;
use super::json_format::{write_compact, write_indented};
use super::wire;
use bootline_analysis::user_space::unit_times;

/// Complete boots as JSON.
#[derive(Debug)]
pub struct ExportJson {
    list: BootsJson,
    opened: bool,
}

impl Default for ExportJson {
    fn default() -> ExportJson {
        ExportJson { list: BootsJson::new("bootline-export/1"), opened: false }
    }
}

impl BootEmitter for ExportJson {
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        let ReportedBoot { boot, findings, label } = *reported;
        if !std::mem::replace(&mut self.opened, true) {
            self.list.open(out)?;
        }
        self.list.begin_item(out)?;
        out.write_all(b"{\n      \"explained\": ")?;
        write_indented(&explain_json(boot, findings, label), 3, out)?;
        lines("records", boot.records.iter().enumerate().map(|(i, r)| wire::Record::new(boot, i, r)), out)?;
        let mut drawn = vec![None; boot.spans().len()];
        for track in boot.tracks() {
            track.slices.iter().for_each(|slice| drawn[slice.span] = Some((track.number, *slice)));
        }
        lines("spans", boot.spans().iter().zip(drawn).map(|(s, d)| wire::DrawnSpan::new(s, d)), out)?;
        lines("waits", boot.waits.iter().map(|w| wire::Wait::new(boot, w)), out)?;
        lines("async_waits", boot.async_waits.iter().map(wire::AsyncWait::from), out)?;
        lines("services", boot.services.iter().map(wire::Service::from), out)?;
        let times = unit_times(boot);
        lines("units", times.iter().map(|time| wire::ExportedUnit::new(boot, time)), out)?;
        out.write_all(b",\n      \"systemd\": ")?;
        write_compact(&wire::SystemdTimes::from(&boot.whole), out)?;
        lines("daemon_messages", boot.whole.daemon_messages.iter().map(wire::DaemonMessage::from), out)?;
        lines("gaps", boot.gaps().iter().map(wire::Gap::from), out)?;
        lines("backlog", boot.backlog().iter().map(wire::BacklogPoint::from), out)?;
        out.write_all(b"\n    }")
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.opened { self.list.close(out) } else { Ok(()) }
    }
}

fn lines(name: &str, items: impl Iterator<Item = impl Serialize>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\n      \"{name}\": [")?;
    let mut any = false;
    for item in items {
        out.write_all(if any { b",\n        " } else { b"\n        " })?;
        write_compact(&item, out)?;
        any = true;
    }
    out.write_all(if any { b"\n      ]" } else { b"]" })
}

/// A boot with everything known about it.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "the lists are written item by item: there may be a million records")]
pub(crate) struct ExportedBoot<'b> {
    /// What `bootline explain --json` writes about this boot.
    explained: ExplainedBoot<'b>,
    /// The log.
    records: Vec<wire::Record<'b>>,
    /// Initcalls, probes and asynchronous calls.
    spans: Vec<wire::DrawnSpan<'b>>,
    /// Waits for the console.
    waits: Vec<wire::Wait>,
    /// Waits for asynchronous calls.
    async_waits: Vec<wire::AsyncWait>,
    /// Services of systemd, as the log shows them.
    services: Vec<wire::Service<'b>>,
    /// Units of systemd and scripts of other inits as all sources together show them, by their start.
    units: Vec<wire::ExportedUnit<'b>>,
    /// What systemd says of its own start.
    systemd: wire::SystemdTimes,
    /// What journald and the D-Bus daemon say of work that others waited for, by time.
    daemon_messages: Vec<wire::DaemonMessage<'b>>,
    /// Silence between two records.
    gaps: Vec<wire::Gap>,
    /// The backlog of the serial line, whenever it changed.
    backlog: Vec<wire::BacklogPoint>,
}
