// SPDX-License-Identifier: MIT OR Apache-2.0
//! Named intervals other than initcalls and phases: the console's flush, the wait for the root file system, services.
use std::collections::BTreeMap;

use super::boot_task::user_space;
use super::segment::SegmentKind;
use bootline_boot::{Boot, Service, WaitCause};
use bootline_capture::units::Dur;
use bootline_records::RecordOrigin;

/// A time range with a segment of its own.
pub(super) struct NamedInterval {
    pub from: Dur,
    pub to: Dur,
    pub kind: SegmentKind,
}

/// All of them up to the end, by start, disjoint.
pub(super) fn named_intervals(boot: &Boot, end: Dur, timeouts: &BTreeMap<usize, &str>) -> Vec<NamedInterval> {
    let mut all: Vec<NamedInterval> = Vec::new();
    let flush = boot.waits.iter().filter(|w| w.cause == WaitCause::Flush && w.time.best() > Dur::ZERO);
    all.extend(flush.map(|w| NamedInterval {
        from: w.from,
        to: w.from + w.time.best(),
        kind: SegmentKind::ConsoleFlush,
    }));
    all.extend(root(boot, timeouts));
    all.extend(services(boot, end));
    all.retain(|k| k.to > k.from);
    all.sort_by_key(|k| k.from);
    let mut until = Dur::from_nanos(i64::MIN);
    all.retain_mut(|k| {
        k.from = k.from.max(until);
        until = until.max(k.to);
        k.to > k.from
    });
    all
}

/// The records that announce the timeout of a device's wait for its supplier, with the device (drivers/base/dd.c,
/// driver_deferred_probe_check_state and deferred_probe_timeout_work_func; drivers/base/core.c,
/// fw_devlink_dev_sync_state).
pub(super) fn timeouts(boot: &Boot) -> BTreeMap<usize, &str> {
    let said = |i: usize| {
        let r = boot.records.get(i).filter(|r| r.source == RecordOrigin::Kernel)?;
        Some((i, timed_out(r.text)?))
    };
    SAID.iter().flat_map(|words| boot.records.containing(words)).filter_map(said).collect()
}

const SAID: [&str; 3] =
    [": deferred probe timeout, ignoring dependency", ": deferred probe pending", ": Timed out. Forcing sync_state()"];

/// `mmci-pl18x 1c050000.mmci: deferred probe timeout, ignoring dependency`
fn timed_out(text: &str) -> Option<&str> {
    let (who, _) = SAID.iter().find_map(|said| text.split_once(said))?;
    who.rsplit(' ').next()
}

/// The wait for the root file system. If the root device appeared only after the timeout for deferred probes, the part
/// up to the timeout is a wait for that.
fn root(boot: &Boot, timeouts: &BTreeMap<usize, &str>) -> Vec<NamedInterval> {
    let Some(wait) = boot.root_wait() else { return Vec::new() };
    let at = |i: usize| boot.timeline.stored(i);
    let (Some(from), Some(to)) = (at(wait.from), at(wait.to)) else { return Vec::new() };
    let over = timeouts.range(wait.from + 1..wait.to).find_map(|(i, device)| Some(((*device).to_owned(), at(*i)?)));
    let kind = SegmentKind::RootWait { by: wait.by };
    match over {
        Some((device, over)) => {
            let device = Some(device);
            vec![
                NamedInterval { from, to: over.min(to), kind: SegmentKind::DeferredTimeout { device } },
                NamedInterval { from: over, to, kind },
            ]
        }
        None => vec![NamedInterval { from, to, kind }],
    }
}

/// From the end back to init's start: each time the service that came up last before the next segment.
fn services(boot: &Boot, end: Dur) -> Vec<NamedInterval> {
    let Some(init) = user_space(boot).filter(|init| *init < end) else { return Vec::new() };
    let span = |s: &'_ Service| -> Option<(Dur, Dur)> { Some((s.end?, s.start?)).filter(|(to, from)| to > from) };
    let mut up: Vec<(Dur, Dur, &str)> =
        boot.services.iter().filter_map(|s| span(s).map(|(to, from)| (to, from, s.name.as_str()))).collect();
    up.sort_unstable();
    let mut found = Vec::new();
    let mut at = end;
    loop {
        let after = up.partition_point(|s| s.0 <= at);
        let Some(&(to, from, name)) = up[..after].last() else { break };
        if to <= init {
            break;
        }
        let from = from.max(init);
        found.push(NamedInterval { from, to, kind: SegmentKind::Service { name: name.to_owned() } });
        at = from;
    }
    found
}
