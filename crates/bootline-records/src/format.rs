// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats in which boot logs are kept.
use std::fmt;
use std::str::FromStr;

/// How the text of an input is laid out. Each is described in the file of its decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// What a console shows: `[    1.234567] text`, also with caller ids and `<N>`; what `dmesg` and `dmesg -r` print.
    Console,
    /// What `dmesg` prints with -x, -d, -T, -e or --time-format.
    Dmesg,
    /// `dmesg --json`.
    DmesgJson,
    /// `/dev/kmsg`: `6,12,345678,-;text`.
    Kmsg,
    /// `journalctl -o short-monotonic`.
    JournalShort,
    /// `journalctl -o json`.
    JournalJson,
    /// What a system logger writes: `Apr 24 16:37:21 board kernel: [    1.234567] text`.
    Syslog,
    /// grabserial -t, -T, with and without --nodelta.
    Grabserial,
    /// minicom's line stamps: `[2026-04-24 16:37:21.964] text`.
    Minicom,
    /// tio's line stamps 24hour, 24hour-start, iso8601 and epoch.
    Tio,
    /// tio's line stamps 24hour-delta: each counts from the one before.
    TioDelta,
    /// Stamps without brackets, as `ts` of moreutils writes them.
    Ts,
    /// ts -i of moreutils: each stamp counts from the one before.
    TsDelta,
    /// Tera Term's line stamps, and conserver's: `[Fri Apr 24 16:37:21.964 2026] text`.
    TeraTerm,
    /// The log of a LAVA job: YAML or JSON.
    Lava,
    /// The stamps of GitHub's, GitLab's, Zuul's and Kubernetes' logs.
    CiLog,
    /// `journalctl -o export`.
    JournalExport,
    /// `journalctl -o verbose`.
    JournalVerbose,
    /// Android's `logcat -b kernel`.
    Logcat,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 19] = [
        Format::Console,
        Format::Dmesg,
        Format::DmesgJson,
        Format::Kmsg,
        Format::JournalShort,
        Format::JournalJson,
        Format::Syslog,
        Format::Grabserial,
        Format::Minicom,
        Format::Tio,
        Format::TioDelta,
        Format::Ts,
        Format::TsDelta,
        Format::TeraTerm,
        Format::Lava,
        Format::CiLog,
        Format::JournalExport,
        Format::JournalVerbose,
        Format::Logcat,
    ];

    /// As it is written on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Format::Console => "console",
            Format::Dmesg => "dmesg",
            Format::DmesgJson => "dmesg-json",
            Format::Kmsg => "kmsg",
            Format::JournalShort => "journal-short",
            Format::JournalJson => "journal-json",
            Format::Syslog => "syslog",
            Format::Grabserial => "grabserial",
            Format::Minicom => "minicom",
            Format::Tio => "tio",
            Format::TioDelta => "tio-delta",
            Format::Ts => "ts",
            Format::TsDelta => "ts-delta",
            Format::TeraTerm => "tera-term",
            Format::Lava => "lava",
            Format::CiLog => "ci-log",
            Format::JournalExport => "journal-export",
            Format::JournalVerbose => "journal-verbose",
            Format::Logcat => "logcat",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no format's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown log format `{0}`")]
pub struct UnknownFormatName(pub String);

impl FromStr for Format {
    type Err = UnknownFormatName;

    fn from_str(name: &str) -> Result<Format, UnknownFormatName> {
        let found = Format::ALL.into_iter().find(|f| f.name() == name);
        found.ok_or_else(|| UnknownFormatName(name.to_owned()))
    }
}
