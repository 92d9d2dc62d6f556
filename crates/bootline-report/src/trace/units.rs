// SPDX-License-Identifier: MIT OR Apache-2.0
//! Units of systemd and scripts of other inits, each from when it began to start until it was up, and who released whom.
use super::sink::{Argument, FlowId, FlowStart, SliceInfo, TraceSink};
use super::traced_boot::TracedBoot;
use super::track_pool::TrackPool;
use super::tracks::Tracks;
use super::unit_role::UnitRoles;
use crate::escape::escaped;
use crate::wire::word;
use bootline_analysis::user_space::{UnitTime, unit_times};
use bootline_boot::{Boot, Unit};
use bootline_capture::units::Dur;

/// The units that have a time.
pub(super) fn units<S: TraceSink>(traced: &TracedBoot<'_>, tracks: &mut Tracks<'_, S>) {
    let boot = traced.boot;
    let (times, roles) = (unit_times(boot), UnitRoles::of(traced.deciding.units()));
    let mut releases = releases(boot, &times);
    let about = "Units of systemd and scripts of other inits: from when each began to start until it was up.";
    let mut pool = TrackPool::new("units", about);
    // The boot has them by the first time that is known of each.
    for time in &times {
        let unit = &boot.whole.units[time.unit];
        let Some(from) = unit.begins() else { continue };
        let to = unit.up.unwrap_or(traced.last).max(from);
        let on = pool.track(tracks, from, to);
        let mut what = roles.annotate(time.unit, info(boot, unit, time));
        // One of which nothing shows when it began to start has no length.
        if unit.activating.is_none() {
            tracks.sink.instant(on, from, &what);
            continue;
        }
        what.flow_in = edge(boot, time).map(|_| flow(time.unit));
        what.flows_out = std::mem::take(&mut releases[time.unit]);
        tracks.slice(on, from, to, &what);
    }
}

fn info<'b>(boot: &'b Boot, unit: &'b Unit, time: &UnitTime) -> SliceInfo<'b> {
    let released_by = time.released_by.and_then(|i| boot.whole.units.get(i));
    SliceInfo::new(escaped(&unit.name), "unit")
        .arg("state", word(&unit.state))
        .known("description", unit.description.as_deref())
        .known("type", unit.service_type.as_deref())
        .known("activation_ns", time.activation)
        .known("cpu_ns", unit.cpu)
        .known("bytes_read", unit.bytes_read.map(|bytes| Argument::Int(i64::try_from(bytes).unwrap_or(i64::MAX))))
        .known("processor_ns", time.processor)
        .known("dependencies_ns", time.dependencies)
        .known("queue_ns", time.queue)
        .known("released_by", released_by.map(|unit| unit.name.as_str()))
        .arg("times_by", word(&unit.by))
        .arg("error_ns", unit.error)
        .known("never_up", unit.up.is_none().then_some(true))
        .known("timed_out", unit.timed_out.then_some(true))
        .known("started_again", unit.started_again.then_some(true))
        .known("writes_to_console", unit.writes_to_console.then_some(true))
        .known("first_record", unit.first.map(|id| id.0))
        .known("last_record", unit.last.map(|id| id.0))
}

/// The flow to a unit from what released it.
fn flow(released: usize) -> FlowId {
    FlowId(released as u64)
}

/// By unit, the flows that leave it, by their times.
fn releases(boot: &Boot, times: &[UnitTime]) -> Vec<Vec<FlowStart>> {
    let mut releases = vec![Vec::new(); boot.whole.units.len()];
    for time in times {
        if let Some((by, at)) = edge(boot, time) {
            releases[by].push(FlowStart { id: flow(time.unit), at });
        }
    }
    releases.iter_mut().for_each(|starts| starts.sort_by_key(|start| start.at));
    releases
}

/// The unit that released one, and when, if both are slices of which the releasing one comes first: a flow can't go back in time, nor
/// can one without a length hold its beginning.
fn edge(boot: &Boot, time: &UnitTime) -> Option<(usize, Dur)> {
    let by = time.released_by.filter(|by| *by < time.unit)?;
    let (by_unit, unit) = (&boot.whole.units[by], &boot.whole.units[time.unit]);
    let (from, to, start) = (by_unit.activating?, by_unit.up?, unit.activating?);
    // Stamps of one instant may be out of order by a little.
    Some((by, to.max(from).min(start)))
}
