// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the console says of services that no unit stands for: of a unit that is started in the initramfs and again in the root file
//! system, the first start.
use std::collections::HashSet;

use super::sink::{SliceInfo, TraceSink};
use super::traced_boot::TracedBoot;
use super::track_pool::TrackPool;
use super::tracks::Tracks;
use crate::escape::escaped;
use crate::wire::word;
use bootline_boot::{Boot, Service};
use bootline_capture::units::Dur;

/// Services without a unit that has a time: from systemd's message that it starts one to its message that it is up.
pub(super) fn services<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let mut services: Vec<(Dur, Dur, &Service)> = without_unit(traced.boot)
        .filter_map(|s| {
            let from = s.start.or(s.end)?;
            Some((from, s.end.unwrap_or(traced.last).max(from), s))
        })
        .collect();
    services.sort_by_key(|(from, ..)| *from);
    let about =
        "What the console shows of services besides the track `units`: the first start of one that is started twice.";
    let mut pool = TrackPool::new("services", about);
    for (from, to, s) in services {
        let on = pool.track(tracks, from, to);
        let what = SliceInfo::new(escaped(&s.name), "service")
            .arg("state", word(&s.state))
            .arg("in_initramfs", s.in_initramfs)
            .arg("first_record", s.first.0)
            .known("last_record", s.last.map(|id| id.0));
        // One that was never announced has no length.
        match s.start {
            Some(_) => tracks.slice(on, from, to, &what),
            None => tracks.sink.instant(on, from, &what),
        }
    }
}

/// A unit stands for a service if the same record names both first.
fn without_unit(boot: &Boot) -> impl Iterator<Item = &Service> {
    let timed = boot.whole.units.iter().filter(|unit| unit.begins().is_some());
    let named: HashSet<u32> = timed.filter_map(|unit| unit.first).map(|id| id.0).collect();
    boot.services.iter().filter(move |service| !named.contains(&service.first.0))
}
