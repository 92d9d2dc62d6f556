// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot without a loss, for programs: one entry of `boots[]` in `docs/schema/export-1.schema.json`.
//!
//! What `explain --json` says, then lists whose items take a line each and are given away as they are made: there may
//! be a million records.
use schemars::JsonSchema;
use serde::Serialize;

use super::boot_label::BootLabel;
use super::explain::{ExplainedBoot, explain_json};
use super::json::{BootsJson, harmless};
use super::wire;
use bootline_analysis::boot::Boot;
use bootline_analysis::rules::Finding;

/// Adds a boot to the list; `out` takes the text.
pub fn export_json(
    list: &mut BootsJson,
    boot: &Boot,
    findings: &[Finding],
    source: &BootLabel,
    out: &mut dyn FnMut(&[u8]),
) {
    let explained = list.item(&Explained { explained: explain_json(boot, findings, source) });
    // The boot's own closing brace follows the lists.
    out(explained.strip_suffix("\n    }").unwrap_or(&explained).as_bytes());
    lines("records", boot.records.iter().enumerate().map(|(i, r)| wire::Record::new(boot, i, r)), out);
    let mut drawn = vec![None; boot.spans.len()];
    for track in boot.tracks() {
        track.slices.iter().for_each(|slice| drawn[slice.span] = Some((track.number, *slice)));
    }
    lines("spans", boot.spans.iter().zip(drawn).map(|(s, d)| wire::DrawnSpan::new(s, d)), out);
    lines("waits", boot.waits.iter().map(|w| wire::Wait::new(boot, w)), out);
    lines("async_waits", boot.async_waits.iter().map(wire::AsyncWait::from), out);
    lines("services", boot.services.iter().map(wire::Service::from), out);
    lines("gaps", boot.gaps.iter().map(wire::Gap::from), out);
    lines("backlog", boot.backlog().iter().map(wire::BacklogPoint::from), out);
    out(b"\n    }");
}

fn lines(name: &str, items: impl Iterator<Item = impl Serialize>, out: &mut dyn FnMut(&[u8])) {
    out(format!(",\n      \"{name}\": [").as_bytes());
    let mut any = false;
    for item in items {
        let text = serde_json::to_string(&item).expect("plain structs of numbers and strings always serialise");
        out(format!("{}\n        {}", if any { "," } else { "" }, harmless(&text)).as_bytes());
        any = true;
    }
    out(if any { b"\n      ]" } else { b"]" });
}

#[derive(Serialize)]
struct Explained<E> {
    explained: E,
}

/// A boot with all that is known of it.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "the lists are written item by item: there may be a million records")]
pub(crate) struct ExportedBoot<'b> {
    /// What `bootline explain --json` writes of this boot.
    explained: ExplainedBoot<'b>,
    /// The log.
    records: Vec<wire::Record<'b>>,
    /// Initcalls, probes and asynchronous calls.
    spans: Vec<wire::DrawnSpan<'b>>,
    /// Waits for the console.
    waits: Vec<wire::Wait>,
    /// Waits for asynchronous calls.
    async_waits: Vec<wire::AsyncWait>,
    /// Services of systemd.
    services: Vec<wire::Service<'b>>,
    /// Silence between two records.
    gaps: Vec<wire::Gap>,
    /// The backlog of the serial line, whenever it changed.
    backlog: Vec<wire::BacklogPoint>,
}
