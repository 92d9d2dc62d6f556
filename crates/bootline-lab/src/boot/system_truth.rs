// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the lab knows of a system's boot: its marks and its units, on the host's clock.
use std::collections::BTreeSet;

use bootline_capture::units::{Dur, HostTime};
use bootline_images::hardware::{Absent, Bus};
use bootline_images::image_format::ImageFormat;
use bootline_images::roots::FileSystem;
use bootline_images::systems::{RootState, System};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::guest_report::{GuestReport, MarkReport};
use super::system::{APPLICATION_START, HANDOFF, MEMORY, MULTI_USER, PICTURE, SOCKET, STORAGE, SystemBoot, UNITS};
use crate::disk::StorageUse;
use crate::storage::{StorageLimits, StoragePreset, checked_rate, has_operations};

/// Maximum number of units that are listed.
const MAX_UNITS: usize = 4096;

/// The boot of a whole system. A moment is null if the boot did not reach it, and as each says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SystemTruth {
    /// The system; null for a root of the user's own.
    pub system: Option<System>,
    /// The file system of its root; null in what older versions wrote.
    pub file_system: Option<FileSystem>,
    /// The state of its root when the boot began; null for a root of the user's own.
    #[serde(default)]
    pub root_state: Option<RootState>,
    /// Paths of the files that were written into its root before the boot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_files: Vec<String>,
    /// Paths of the files that were removed from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_without: Vec<String>,
    /// The form in which the lab wrote the image of its system, which says more than the file system; left out for a root of the
    /// user's own, and by versions that knew only ext4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
    /// The bus of its root's disk; left out by versions before there was a choice: it was virtio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<Bus>,
    /// What the machine had in addition, with nothing plugged in; left out if there was nothing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub absent: BTreeSet<Absent>,
    /// The storage that its root was on; null for as fast as the host is.
    pub storage: Option<StoragePreset>,
    /// That storage's limits; null without a storage.
    pub limits: Option<StorageLimits>,
    /// Whether only the bytes were limited, and not the operations: so it is on the bus sd. Left out if both were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_bytes_limited: bool,
    /// What the guest asked that storage for until it had booted, from power-on, and how late it was answered. Left out where the
    /// lab does not serve its disks: without a storage, and where only the bytes are limited; and by versions that limited the rate
    /// over a tenth of a second, so that single operations took no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_use: Option<StorageUse>,
    /// The rate at which the guest read from that storage after the boot, as a share of the limit; null without a
    /// storage, if the boot did not reach its end, and if the guest could not measure it (the flaw `unchecked-storage`).
    pub storage_rate_ratio: Option<f64>,
    /// The memory that the kernel managed once the boot had ended, in KiB (MemTotal); left out unless memory was to be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_total_kib: Option<u64>,
    /// When the root was mounted. Null without an initramfs: the kernel mounts it before anything could tell.
    #[schemars(with = "Option<i64>")]
    pub root_ns: Option<HostTime>,
    /// When the initramfs, or the lab's program in its place, was about to execute the system's init.
    #[schemars(with = "Option<i64>")]
    pub handoff_ns: Option<HostTime>,
    /// When multi-user.target was reached, or the last script of the run level had ended: the mark's arrival. Null for a root of
    /// the user's own, which marks nothing.
    #[schemars(with = "Option<i64>")]
    pub multi_user_ns: Option<HostTime>,
    /// When the application had drawn its picture and listened on its socket, by its own marks. Null for a root of the
    /// user's own.
    #[schemars(with = "Option<i64>")]
    pub application_ns: Option<HostTime>,
    /// When the host saw the picture on the virtual screen. It looks five times a second, once the picture is marked. Null if it
    /// did not see it within a minute, and for a root of the user's own.
    #[schemars(with = "Option<i64>")]
    pub picture_seen_ns: Option<HostTime>,
    /// When the socket answered the host. That takes a network, which may come later than the application. Null if
    /// it did not answer within a minute, and for a root of the user's own.
    #[schemars(with = "Option<i64>")]
    pub socket_answered_ns: Option<HostTime>,
    /// What the guest's monotonic clock has to be increased by for the host's, from the marks: the least of arrival minus
    /// stamp. Null without any mark or message of the initramfs.
    #[schemars(with = "Option<i64>")]
    pub clock_offset_ns: Option<Dur>,
    /// By how much that differs between the marks at most: their delays, and the clocks' drift. Null when the offset is.
    #[schemars(with = "Option<i64>")]
    pub clock_spread_ns: Option<Dur>,
    /// All marks, in the order of their arrival.
    pub marks: Vec<Mark>,
    /// The units that became active, by process 1's own account; empty without systemd, and if it did not answer.
    pub units: Vec<UnitTruth>,
}

impl SystemTruth {
    /// When the application was executed, by its first mark.
    pub fn application_start(&self) -> Option<HostTime> {
        self.mark(APPLICATION_START).map(|mark| mark.at_ns)
    }

    /// The processor time that QEMU had used when init was executed.
    pub fn processor_until_handoff(&self) -> Option<Dur> {
        self.processor_until(&[HANDOFF])
    }

    /// The processor time that QEMU had used when the application had drawn its picture and listened.
    pub fn processor_until_application(&self) -> Option<Dur> {
        self.processor_until(&[PICTURE, SOCKET])
    }

    /// The processor time that QEMU had used when the system was up.
    pub fn processor_until_multi_user(&self) -> Option<Dur> {
        self.processor_until(&[MULTI_USER])
    }

    /// By the last of these marks; none unless all have come.
    fn processor_until(&self, marks: &[&str]) -> Option<Dur> {
        let used = marks.iter().map(|name| self.mark(name)?.processor_ns).collect::<Option<Vec<_>>>()?;
        used.into_iter().max()
    }

    fn mark(&self, name: &str) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.name == name)
    }
}

/// A moment that a program of the guest marked on the unpaced port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// `root`, `handoff`, `app.start`, `app.picture`, `app.socket`, `multi-user`, or of a system of one's own.
    pub name: String,
    /// Its arrival.
    #[schemars(with = "i64")]
    pub at_ns: HostTime,
    /// The guest's monotonic clock when it was sent.
    #[schemars(with = "i64")]
    pub guest_ns: Dur,
    /// The processor time that all threads of QEMU had used by then; left out by versions that did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub processor_ns: Option<Dur>,
}

/// A unit of systemd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnitTruth {
    /// Its name.
    pub name: String,
    /// When it began to be activated, on the host's clock.
    #[schemars(with = "i64")]
    pub activating_ns: HostTime,
    /// When it was active, or had done its work; null if it never was.
    #[schemars(with = "Option<i64>")]
    pub active_ns: Option<HostTime>,
}

pub(super) fn system_truth(boot: &SystemBoot, report: &GuestReport, storage_use: Option<StorageUse>) -> SystemTruth {
    let at = |name: &str| report.marks.iter().find(|m| m.name == name).map(|m| m.at);
    let answer = |file: &str| {
        let found = report.answers.iter().find(|answer| answer.file == file);
        found.map(|answer| (String::from_utf8_lossy(&answer.text).into_owned(), answer.took))
    };
    let offsets = offsets(report);
    let least = offsets.iter().min().copied();
    let limits = boot.storage.map(StoragePreset::limits);
    SystemTruth {
        system: boot.root.system(),
        file_system: Some(boot.root.file_system()),
        root_state: boot.state,
        root_files: boot.changes.files.keys().cloned().collect(),
        root_without: boot.changes.without.iter().cloned().collect(),
        format: boot.root.format(),
        bus: Some(boot.bus()),
        absent: boot.hardware.absent.clone(),
        storage: boot.storage,
        limits,
        only_bytes_limited: limits.is_some() && !has_operations(boot.bus()),
        storage_use,
        storage_rate_ratio: limits
            .zip(answer(STORAGE))
            .and_then(|(limits, (text, took))| checked_rate(limits, &text, took)),
        memory_total_kib: answer(MEMORY).and_then(|(text, _)| memory_total(&text)),
        root_ns: at("root"),
        handoff_ns: at(HANDOFF),
        multi_user_ns: at(MULTI_USER),
        application_ns: at(PICTURE).zip(at(SOCKET)).map(|(picture, socket)| picture.max(socket)),
        picture_seen_ns: report.picture_seen_at,
        socket_answered_ns: report.socket_answered_at,
        clock_offset_ns: least,
        clock_spread_ns: least.zip(offsets.iter().max().copied()).map(|(least, most)| most - least),
        marks: report.marks.iter().map(mark).collect(),
        units: least.zip(answer(UNITS)).map(|(offset, (text, _))| units(&text, offset)).unwrap_or_default(),
    }
}

/// `MemTotal:        1016932 kB`
fn memory_total(meminfo: &str) -> Option<u64> {
    meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn mark(report: &MarkReport) -> Mark {
    Mark { name: report.name.clone(), at_ns: report.at, guest_ns: report.guest, processor_ns: report.processor }
}

/// Arrival minus stamp of all moments of which both are known.
fn offsets(report: &GuestReport) -> Vec<Dur> {
    let offset = |at: HostTime, guest: Dur| (at - HostTime::ORIGIN) - guest;
    let init = report.init_at.zip(report.init_guest).map(|(at, guest)| offset(at, guest));
    report.marks.iter().map(|m: &MarkReport| offset(m.at, m.guest)).chain(init).collect()
}

/// The units in `systemctl show '*'`: paragraphs of `Key=Value`, times in microseconds of the guest's monotonic clock.
fn units(text: &str, offset: Dur) -> Vec<UnitTruth> {
    let unit = |paragraph: &str| {
        let get = |key: &str| paragraph.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix('='));
        let time = |key: &str| {
            let us: i64 = get(key)?.parse().ok().filter(|us| *us > 0)?;
            Some(HostTime::ORIGIN + Dur::from_nanos(us.checked_mul(1_000)?) + offset)
        };
        let activating = time("InactiveExitTimestampMonotonic")?;
        // A oneshot that does not remain is inactive again, never active.
        let active = time("ActiveEnterTimestampMonotonic").or_else(|| time("InactiveEnterTimestampMonotonic"));
        Some(UnitTruth { name: get("Id")?.to_owned(), activating_ns: activating, active_ns: active })
    };
    let mut units: Vec<UnitTruth> = text.split("\n\n").filter_map(unit).take(MAX_UNITS).collect();
    units.sort_by(|a, b| (a.activating_ns, &a.name).cmp(&(b.activating_ns, &b.name)));
    // An alias is shown as its unit.
    units.dedup_by(|a, b| a.name == b.name);
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "\
Id=b.service
InactiveExitTimestampMonotonic=3000000
ActiveEnterTimestampMonotonic=0
InactiveEnterTimestampMonotonic=3500000

Id=a.service
InactiveExitTimestampMonotonic=2000000
ActiveEnterTimestampMonotonic=2250000

Id=never.service
InactiveExitTimestampMonotonic=0
";

    #[test]
    fn units_come_on_the_hosts_clock_in_order() {
        let ms = |n: i64| HostTime::from_nanos(n * 1_000_000);
        let unit = |name: &str, activating, active| UnitTruth {
            name: name.to_owned(),
            activating_ns: activating,
            active_ns: Some(active),
        };
        assert_eq!(
            units(SHOWN, Dur::from_millis(1_000)),
            [unit("a.service", ms(3_000), ms(3_250)), unit("b.service", ms(4_000), ms(4_500))]
        );
        assert_eq!(units("", Dur::ZERO), []);
        assert_eq!(units("Id=x\nInactiveExitTimestampMonotonic=9223372036854775807\n", Dur::ZERO), []);
    }

    #[test]
    fn memory_is_what_the_kernel_manages() {
        let text = "MemTotal:        1016932 kB\nMemFree:          700000 kB\n";
        assert_eq!(memory_total(text), Some(1_016_932));
        assert_eq!(memory_total("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn the_least_delayed_mark_relates_the_clocks() {
        let mark = |name: &str, at_ms: i64, guest_ms| MarkReport {
            name: name.to_owned(),
            at: HostTime::from_nanos(at_ms * 1_000_000),
            guest: Dur::from_millis(guest_ms),
            processor: Some(Dur::from_nanos(guest_ms * 500_000)),
        };
        let report = GuestReport {
            marks: vec![mark("handoff", 5_010, 4_000), mark(PICTURE, 9_000, 8_000), mark(SOCKET, 9_100, 8_099)],
            ..GuestReport::default()
        };
        let boot = SystemBoot::of_busybox();
        let truth = system_truth(&boot, &report, None);
        assert_eq!(truth.clock_offset_ns, Some(Dur::from_millis(1_000)));
        assert_eq!(truth.clock_spread_ns, Some(Dur::from_millis(10)));
        assert_eq!(truth.application_ns, Some(HostTime::from_nanos(9_100_000_000)));
        assert_eq!(truth.multi_user_ns, None);
        assert_eq!(truth.processor_until(&[HANDOFF]), Some(Dur::from_millis(2_000)));
        assert_eq!(truth.processor_until(&[PICTURE, SOCKET]), Some(Dur::from_nanos(4_049_500_000)));
        assert_eq!(truth.processor_until(&[MULTI_USER]), None);
    }
}
