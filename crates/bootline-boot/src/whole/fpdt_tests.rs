// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACPI's table of the firmware's times next to a log and to systemd's properties.
use super::tests::{boot, source};
use super::*;
use crate::Boot;
use bootline_capture::units::Dur;
use bootline_records::ProblemKind;

const LOG: &str = "\
[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT_DYNAMIC Mon
[    0.100000] smp: Brought up 1 node, 2 CPUs
[    1.000000] Run /sbin/init as init process
[    1.500000] systemd[1]: systemd 257.9 running in system mode
";

const TABLE: &str = "/sys/firmware/acpi/fpdt/boot/firmware_start_ns:0
/sys/firmware/acpi/fpdt/boot/bootloader_load_ns:3100000000
/sys/firmware/acpi/fpdt/boot/bootloader_launch_ns:3200000000
/sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000
";

fn with(texts: &[&str]) -> Boot {
    let sources: Vec<BootSource> = texts.iter().enumerate().map(|(n, text)| source(&n.to_string(), text)).collect();
    boot(LOG).with_sources(&sources, None)
}

/// The first two stages with their starts in ms, and what shows each start.
fn first_stages(boot: &Boot) -> Vec<(StageName, i64, String)> {
    let stages = boot.whole.stages.iter().take(2);
    stages.map(|s| (s.name, s.start.as_nanos() / 1_000_000, s.evidence.title())).collect()
}

fn contradictions(boot: &Boot) -> Vec<&str> {
    let found = boot.problems.iter().filter(|p| p.kind == ProblemKind::SourcesContradict);
    found.map(|p| p.detail.as_str()).collect()
}

#[test]
fn the_table_shows_firmware_and_boot_loader() {
    let boot = with(&[TABLE]);
    let expected = [
        (StageName::Firmware, -4_500, "the reset, by ACPI's table (FPDT)".to_owned()),
        (StageName::Loader, -1_300, "mark `bootloader_launch`".to_owned()),
    ];
    assert_eq!(first_stages(&boot), expected);
    assert_eq!(boot.whole.since, Some(WholeOrigin::Firmware));
    let alignment = boot.whole.sources[0].alignment.unwrap();
    assert_eq!((alignment.by, alignment.offset), (AlignedBy::NextStage, Dur::from_millis(-4_500)));
}

#[test]
fn systemds_count_comes_first_and_is_checked() {
    let show = |firmware: u32, loader: u32| {
        format!(
            "Version=257.9\nFirmwareTimestampMonotonic={firmware}000\nLoaderTimestampMonotonic={loader}000\nUserspaceTimestampMonotonic=1450000\n"
        )
    };
    let boot = with(&[TABLE, &show(4_350, 1_150)]);
    let titles: Vec<String> = first_stages(&boot).into_iter().map(|(.., title)| title).collect();
    assert_eq!(titles, ["FirmwareTimestampMonotonic", "LoaderTimestampMonotonic"]);
    assert_eq!(contradictions(&boot), [""; 0]);
    let boot = with(&[&show(9_000, 1_300), TABLE]);
    assert_eq!(first_stages(&boot)[0].1, -9_000);
    assert_eq!(
        contradictions(&boot),
        [
            "from the reset to the kernel's start 4.500000 s passed by ACPI's table (FPDT) and 9.000000 s by systemd's properties, \
          which are used"
        ]
    );
    // A manager that knows nothing of the firmware leaves the table as it is.
    let boot = with(&[TABLE, "Version=257.9\nUserspaceTimestampMonotonic=1450000\n"]);
    assert_eq!(first_stages(&boot)[0].1, -4_500);
}

#[test]
fn a_second_table_is_not_used() {
    let boot = with(&[TABLE, &TABLE.replace("45", "55")]);
    assert_eq!(boot.whole.sources[1].refused, Some(SourceRefusal::Second));
    assert_eq!(first_stages(&boot)[0].1, -4_500);
}
