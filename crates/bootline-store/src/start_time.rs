// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a boot started, by the calendar, and what the kernel says of the machine.
use bootline_boot::Boot;
use bootline_records::RecordOrigin;

/// 2000-01-01 in seconds since 1970: a real-time clock without a battery shows an earlier date, and the kernel takes it.
const LEAST_BELIEVABLE: i64 = 946_684_800;
/// The year 9999, beyond which a clock is broken.
const MOST_BELIEVABLE: i64 = 253_402_300_799;

/// When the capture or the kernel's clock began, in microseconds since 1970, and what shows it.
pub(crate) fn start_time(boot: &Boot) -> Option<(i64, &'static str)> {
    let captured = boot.header.as_ref().and_then(|header| header.started_unix_ns);
    let captured = captured.map(|ns| ns.div_euclid(1_000)).filter(|us| is_believable(us.div_euclid(1_000_000)));
    captured.map(|us| (us, "capture")).or_else(|| Some((by_clock_chip(boot)?, "rtc")))
}

fn is_believable(seconds: i64) -> bool {
    (LEAST_BELIEVABLE..=MOST_BELIEVABLE).contains(&seconds)
}

/// `rtc_cmos 00:03: setting system clock to 2026-11-24T04:10:42 UTC (1795493442)`: drivers/rtc/class.c, older ones
/// drivers/rtc/hctosys.c. Its seconds are whole.
fn by_clock_chip(boot: &Boot) -> Option<i64> {
    const SET: &str = "setting system clock to ";
    let said = boot.records.containing(SET).filter_map(|i| boot.records.get(i));
    said.filter(|r| r.source == RecordOrigin::Kernel).find_map(|r| {
        let (_, set) = r.text.split_once(SET)?;
        let seconds: i64 = set.split_once(" UTC (")?.1.split(')').next()?.parse().ok()?;
        let stamp = r.stamp.filter(|_| is_believable(seconds))?;
        Some(seconds * 1_000_000 - stamp.as_nanos().div_euclid(1_000))
    })
}

/// Longest name of a machine that is kept, in characters.
const LONGEST_MODEL: usize = 128;

/// What the kernel says of the machine: the device tree's model, or DMI's.
pub(crate) fn device_model(boot: &Boot) -> Option<String> {
    const STARTS: [&str; 3] = ["Machine model: ", "OF: fdt: Machine model: ", "DMI: "];
    let kernel = boot.records.iter().filter(|r| r.source == RecordOrigin::Kernel);
    let models = kernel.filter_map(|r| STARTS.iter().find_map(|s| r.text.strip_prefix(s)).map(str::trim));
    // Neither is `SMBIOS 2.8 present.`, nor `DMI: Memory slots populated` of 6.14 and later.
    let is_model = |model: &&str| !model.is_empty() && !model.starts_with("Memory slots");
    models.filter(is_model).find(|m| !m.starts_with("SMBIOS ")).map(|m| m.chars().take(LONGEST_MODEL).collect())
}
