// SPDX-License-Identifier: MIT OR Apache-2.0
//! The critical chain as bars: what the time to the boot's end hung on, and how much slack what ran beside it has.
use std::collections::HashMap;

use bootline_analysis::boot::{Boot, Since};
use bootline_analysis::chain::{Basis, Chain, Link, Segment};
use bootline_analysis::records::RecordId;
use bootline_capture::units::Dur;

/// The chain, link by link, without gap.
#[derive(Clone, Debug)]
pub(super) struct ChainDrawn {
    pub basis: Basis,
    pub since: Since,
    pub start: Dur,
    pub end: Dur,
    pub links: Vec<LinkDrawn>,
    /// For each span what it could end later without effect, where it isn't on the chain.
    pub slack: Vec<Option<Dur>>,
}

#[derive(Clone, Debug)]
pub(super) struct LinkDrawn {
    pub kind: &'static str,
    /// As long as a sentence may be: `waited for async async_run_entry_fn (0000:00:1f.2)`.
    pub title: String,
    /// What a bar has room for: the function or the device.
    pub label: String,
    pub start: Dur,
    pub end: Dur,
    pub console: Dur,
    pub effect: Dur,
    pub first: Option<usize>,
    pub last: Option<usize>,
    /// Probes and calls inside it.
    pub inside: usize,
}

/// What there is to be drawn of a boot's chain.
pub(super) fn chain(boot: &Boot, chain: &Chain) -> ChainDrawn {
    let slack: HashMap<RecordId, Dur> = chain.beside.iter().map(|b| (b.record, b.slack)).collect();
    let drawn = |s: &Segment| LinkDrawn {
        kind: kind(&s.link),
        title: s.link.title(),
        label: label(s),
        start: s.start,
        end: s.end,
        console: s.console,
        effect: s.effect,
        first: s.first.and_then(|id| boot.records.index_of(id)),
        last: s.last.and_then(|id| boot.records.index_of(id)),
        inside: s.inside.len(),
    };
    ChainDrawn {
        basis: chain.basis,
        since: chain.since,
        start: chain.start,
        end: chain.end,
        links: chain.segments.iter().map(drawn).collect(),
        slack: boot.spans.iter().map(|s| slack.get(&s.first).copied()).collect(),
    }
}

/// What decides a bar's colour.
fn kind(link: &Link) -> &'static str {
    match link {
        Link::Initcall { .. } => "initcall",
        Link::AsyncCall { .. } | Link::AsyncWait | Link::Initramfs | Link::DeferredProbes => "async",
        Link::RootWait { .. } | Link::DeferredTimeout { .. } => "root",
        Link::ConsoleFlush => "flush",
        Link::Silence => "silence",
        Link::BeforeKernel | Link::Phase { .. } | Link::Service { .. } => "phase",
    }
}

fn label(s: &Segment) -> String {
    match &s.link {
        Link::BeforeKernel => "before the kernel".to_owned(),
        Link::Initcall { name } => name.clone(),
        Link::AsyncCall { name, device } => device.clone().unwrap_or_else(|| name.clone()),
        Link::AsyncWait => "async".to_owned(),
        Link::Initramfs => "initramfs".to_owned(),
        Link::DeferredProbes => "deferred probes".to_owned(),
        Link::DeferredTimeout { device } => device.clone().unwrap_or_else(|| "deferred probe timeout".to_owned()),
        Link::RootWait { .. } => "root's device".to_owned(),
        Link::ConsoleFlush => "flush".to_owned(),
        Link::Silence => "silence".to_owned(),
        Link::Phase { name } => name.title().to_owned(),
        Link::Service { name } => name.clone(),
    }
}
