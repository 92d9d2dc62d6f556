// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that belong to a boot and are no log of a kernel: named, so that people know which file is missing.
use super::boot_announcement::FIRMWARE;
use super::source::{is_bootchart_picture, is_systemctl_show};
use super::{Format, RecordOrigin, RecordSet};

/// What a file is, if it is no kernel's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherKind {
    /// U-Boot's `bootstage report`.
    BootstageReport,
    /// A bootchart's header or process samples.
    Bootchart,
    /// A picture that systemd-bootchart drew.
    BootchartPicture,
    /// A trace of ftrace.
    Ftrace,
    /// The output of systemd-analyze.
    SystemdAnalyze,
    /// The output of `systemctl show`.
    SystemctlShow,
    /// Android's logcat.
    Logcat,
    /// The log of a boot loader or firmware.
    BootLoader,
    /// The log of a LAVA job whose device never started a kernel.
    LavaJob,
    /// What another operating system logs when it boots.
    OtherSystem,
}

/// Records looked at.
const SAMPLE: usize = 400;

impl OtherKind {
    /// By what its lines say; none where a kernel's record is among them, or nothing is recognised.
    pub fn detect(records: &RecordSet, format: Option<Format>) -> Option<OtherKind> {
        if records.iter().any(|r| r.source == RecordOrigin::Kernel) {
            return None;
        }
        if format == Some(Format::Lava) {
            return Some(OtherKind::LavaJob);
        }
        if is_systemctl_show(records.iter().take(SAMPLE).map(|r| r.text)) {
            return Some(OtherKind::SystemctlShow);
        }
        records.iter().take(SAMPLE).find_map(|r| of_line(r.text))
    }

    /// What it is, with its article.
    pub fn name(self) -> &'static str {
        match self {
            OtherKind::BootstageReport => "a bootstage report of U-Boot",
            OtherKind::Bootchart => "a bootchart",
            OtherKind::BootchartPicture => "a picture that systemd-bootchart drew",
            OtherKind::Ftrace => "a trace of ftrace",
            OtherKind::SystemdAnalyze => "the output of systemd-analyze",
            OtherKind::SystemctlShow => "the output of systemctl show",
            OtherKind::Logcat => "a log of Android's logcat",
            OtherKind::BootLoader => "the log of a boot loader or firmware",
            OtherKind::LavaJob => "the log of a LAVA job in which no kernel started",
            OtherKind::OtherSystem => "the log of another operating system",
        }
    }
}

/// What the kernels of other systems say first.
const OTHER_SYSTEMS: [&str; 12] = [
    "FreeBSD ",
    "OpenBSD ",
    "NetBSD ",
    "Copyright (c) 1992-", // FreeBSD
    "*** Booting Zephyr OS",
    "NuttShell (NSH)",
    "SunOS Release ",
    "Darwin Kernel Version",
    "ESP-ROM:",
    "rst:0x", // ESP32
    "VxWorks System Boot",
    "RTEMS ",
];

fn of_line(text: &str) -> Option<OtherKind> {
    let starts = |words: &[&str]| words.iter().any(|w| text.starts_with(w));
    if starts(&["Timer summary in microseconds"]) || text.contains("Mark    Elapsed  Stage") {
        Some(OtherKind::BootstageReport)
    } else if starts(&["title = Boot chart", "system.uname = "]) {
        Some(OtherKind::Bootchart)
    } else if is_bootchart_picture(text) {
        Some(OtherKind::BootchartPicture)
    } else if starts(&["# tracer: "]) {
        Some(OtherKind::Ftrace)
    } else if starts(&["Startup finished in ", "The time when unit became active or started is printed after"]) {
        Some(OtherKind::SystemdAnalyze)
    } else if starts(&["--------- beginning of "]) {
        Some(OtherKind::Logcat)
    } else if starts(&FIRMWARE) {
        Some(OtherKind::BootLoader)
    } else if starts(&OTHER_SYSTEMS) {
        Some(OtherKind::OtherSystem)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    #[test]
    fn kinds() {
        let check = |text: &str, expected| {
            let decoded = decode(text.as_bytes());
            assert_eq!(OtherKind::detect(&decoded.records, decoded.format), expected, "{text}");
        };
        let report = "Timer summary in microseconds (8 records):\n       Mark    Elapsed  Stage\n          0          0  reset\n";
        check(report, Some(OtherKind::BootstageReport));
        check("version = 0.14.6\ntitle = Boot chart for board\n", Some(OtherKind::Bootchart));
        let picture = "<?xml version=\"1.0\"?>\n<svg>\n<!-- This file is a bootchart SVG file. -->\n\
                       <text class=\"t1\" x=\"0\" y=\"30\">Bootchart for board - Mon, 02 Mar 2026</text>\n";
        check(picture, Some(OtherKind::BootchartPicture));
        check("# tracer: nop\n#\n", Some(OtherKind::Ftrace));
        check("Startup finished in 2.1s (kernel) + 5.2s (userspace) = 7.3s\n", Some(OtherKind::SystemdAnalyze));
        let unit = "Type=simple\nRestart=no\nId=ssh.service\nAfter=basic.target\n";
        check(unit, Some(OtherKind::SystemctlShow));
        check("Version=257.9-1\nTainted=\nUserspaceTimestampMonotonic=4405123\n", Some(OtherKind::SystemctlShow));
        check("U-Boot 2024.01\n[    0.000000] Linux version 6.6\n", None);
        check("\u{1b}[2J\n>>>>SecStartup\n", Some(OtherKind::BootLoader));
        check("OpenBSD 7.4 (GENERIC.MP) #1397\n", Some(OtherKind::OtherSystem));
        let job = "- {\"dt\": \"2026-03-01T10:00:00\", \"lvl\": \"target\", \"msg\": \"U-Boot 2024.01\"}\n";
        check(job, Some(OtherKind::LavaJob));
        check(&job.replace("U-Boot", "[    0.000000] Linux version"), None);
        check("nothing known\n", None);
    }
}
