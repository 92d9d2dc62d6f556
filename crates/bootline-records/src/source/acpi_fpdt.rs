// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACPI's Firmware Performance Data Table, as the kernel shows it (from 5.12): `grep . /sys/firmware/acpi/fpdt/boot/*_ns`.
//!
//! ```text
//! /sys/firmware/acpi/fpdt/boot/bootloader_launch_ns:3200000000
//! /sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000
//! ```
//! Source: drivers/acpi/acpi_fpdt.c and "Firmware Basic Boot Performance Data Record" of the ACPI specification: nanoseconds since
//! the reset. A firmware that does not record an event writes zero; one that boots without UEFI never leaves its boot services.
use super::LoaderMarks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::LoaderTime;

/// The record's fields, in the order in which they happen.
const EVENTS: [&str; 5] =
    ["firmware_start", "bootloader_load", "bootloader_launch", "exitbootservice_start", "exitbootservice_end"];
/// What the kernel's names of them end with.
const UNIT: &str = "_ns";
/// The event at which the firmware gives the machine to the kernel.
const LAST: &str = "exitbootservice_end";
/// No firmware takes longer; systemd refuses more, too.
const LONGEST: u64 = 3_600_000_000_000;

pub(super) fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    lines.filter_map(entry).any(|(event, _)| event == LAST)
}

pub(super) fn read(text: &str, problems: &mut Problems) -> LoaderMarks {
    let mut bad = |detail: String| problems.add(ProblemKind::BadLine, ByteRange::default(), || detail);
    let mut times: [Option<u64>; EVENTS.len()] = [None; EVENTS.len()];
    for (event, value) in text.lines().filter_map(entry) {
        let Some(at) = EVENTS.iter().position(|e| *e == event) else { continue };
        match value.parse::<u64>() {
            Ok(0) => {}
            Ok(ns) => _ = times[at].get_or_insert(ns),
            Err(_) => bad(format!("{event}{UNIT} of ACPI's table is no number")),
        }
    }
    let known: Vec<u64> = times.iter().flatten().copied().collect();
    let refused = if times[EVENTS.len() - 1].is_none() {
        Some("ACPI's table has no time at which the kernel took over: the machine did not boot by UEFI")
    } else if !known.is_sorted() {
        Some("the times of ACPI's table are out of order: the firmware's table is wrong")
    } else if known.last().is_some_and(|last| *last > LONGEST) {
        Some("the times of ACPI's table exceed an hour: the firmware's table is wrong")
    } else {
        None
    };
    if let Some(why) = refused {
        bad(why.to_owned());
        return LoaderMarks::default();
    }
    let mut marks = LoaderMarks::default();
    for (event, ns) in EVENTS.iter().zip(times) {
        if let Some(at) = ns.and_then(|ns| i64::try_from(ns).ok()) {
            marks.add(LoaderTime::from_nanos(at), event);
        }
    }
    marks
}

/// `/sys/firmware/acpi/fpdt/boot/firmware_start_ns:12345`, with any folder or none.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (path, value) = line.trim_end().rsplit_once(':')?;
    let name = path.rsplit('/').next()?;
    let event = name.strip_suffix(UNIT)?;
    EVENTS.contains(&event).then_some((event, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "\
/sys/firmware/acpi/fpdt/boot/bootloader_launch_ns:3200000000
/sys/firmware/acpi/fpdt/boot/bootloader_load_ns:3100000000
/sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000
/sys/firmware/acpi/fpdt/boot/exitbootservice_start_ns:4400000000
/sys/firmware/acpi/fpdt/boot/firmware_start_ns:0
";

    fn marks(text: &str) -> (Vec<(String, i64)>, Vec<String>) {
        let mut problems = Problems::default();
        let marks = read(text, &mut problems).marks;
        let marks = marks.into_iter().map(|m| (m.name, m.at.since_origin().as_nanos() / 1_000_000));
        (marks.collect(), problems.iter().map(|p| p.detail.clone()).collect())
    }

    #[test]
    fn events_in_their_order() {
        assert!(is_one(BOOT.lines()));
        let expected = [
            ("bootloader_load", 3_100),
            ("bootloader_launch", 3_200),
            ("exitbootservice_start", 4_400),
            ("exitbootservice_end", 4_500),
        ];
        assert_eq!(marks(BOOT), (expected.map(|(name, at)| (name.to_owned(), at)).to_vec(), vec![]));
        assert_eq!(marks("exitbootservice_end_ns: 7000000\n").0, [("exitbootservice_end".to_owned(), 7)]);
        assert!(!is_one("exitbootservice_end_ns 7\nbootloader_launch_ns:5\n".lines()));
    }

    #[test]
    fn a_table_that_can_not_be_right_is_named_and_not_used() {
        let refused = |text: &str, words: &str| {
            let (marks, problems) = marks(text);
            assert_eq!(marks, [], "{text}");
            assert!(problems.iter().any(|p| p.contains(words)), "{problems:?}");
        };
        refused(&BOOT.replace("4500000000", "0"), "did not boot by UEFI");
        refused(&BOOT.replace("4500000000", "x"), "exitbootservice_end_ns of ACPI's table is no number");
        refused(&BOOT.replace("4500000000", "3150000000"), "out of order");
        refused(&BOOT.replace("4500000000", "3600000000001"), "exceed an hour");
        refused(&BOOT.replace("4500000000", "99999999999999999999999"), "no number");
    }
}
