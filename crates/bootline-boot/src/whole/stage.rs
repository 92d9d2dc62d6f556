// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stages of a boot, from the earliest known moment to the application.
//!
//! Stages tile the time, as phases do: each begins where the one before it ends. A stage of which no source shows the beginning is
//! part of the one before it.
use bootline_capture::units::Dur;
use bootline_records::RecordId;
use serde::{Deserialize, Serialize};

/// A stage of a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StageName {
    /// Firmware: boot ROM, SPL, TF-A, coreboot, UEFI.
    Firmware,
    /// The boot loader.
    Loader,
    /// From the boot loader's last word to the kernel's start: a compressed kernel unpacks itself.
    Decompression,
    /// The kernel's stamps still read zero.
    Dark,
    /// The kernel.
    Kernel,
    /// User space in the initramfs, with or without systemd.
    Initramfs,
    /// User space in the root file system.
    UserSpace,
    /// From the start of the application's unit until it is up.
    Application,
}

impl StageName {
    /// All of them, in order.
    pub const ALL: [StageName; 8] = [
        StageName::Firmware,
        StageName::Loader,
        StageName::Decompression,
        StageName::Dark,
        StageName::Kernel,
        StageName::Initramfs,
        StageName::UserSpace,
        StageName::Application,
    ];

    /// Name of the stage in files and options.
    pub fn word(self) -> &'static str {
        match self {
            StageName::Firmware => "firmware",
            StageName::Loader => "loader",
            StageName::Decompression => "decompression",
            StageName::Dark => "dark",
            StageName::Kernel => "kernel",
            StageName::Initramfs => "initramfs",
            StageName::UserSpace => "user-space",
            StageName::Application => "application",
        }
    }

    /// Title of the stage, for display.
    pub fn title(self) -> &'static str {
        match self {
            StageName::Firmware => "firmware",
            StageName::Loader => "boot loader",
            StageName::Decompression => "decompression",
            StageName::Dark => "dark phase",
            StageName::Kernel => "kernel",
            StageName::Initramfs => "initramfs",
            StageName::UserSpace => "user space",
            StageName::Application => "application",
        }
    }
}

/// A stage of one boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Which.
    pub name: StageName,
    /// Start on the boot's axis.
    pub start: Dur,
    /// End on the boot's axis.
    pub end: Dur,
    /// What shows its start.
    pub evidence: StageEvidence,
}

impl Stage {
    /// Length of the stage.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }
}

/// What the first stage begins with: the earliest moment that the sources show. In order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WholeOrigin {
    /// Power-on, as the capture notes it.
    PowerOn,
    /// The zero of a boot loader's or firmware's timer: the reset or soon after it.
    LoaderTimer,
    /// The firmware's start, as the boot loader or ACPI reported it to systemd.
    Firmware,
    /// The first byte on the console: what came before it is not known.
    FirstByte,
    /// The kernel's start: what came before it is not known.
    KernelStart,
}

impl WholeOrigin {
    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            WholeOrigin::PowerOn => "power-on",
            WholeOrigin::LoaderTimer => "the zero of the boot loader's timer",
            WholeOrigin::Firmware => "the firmware's start",
            WholeOrigin::FirstByte => "the first byte on the console",
            WholeOrigin::KernelStart => "the kernel's start",
        }
    }
}

/// What the last stage ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeEnd {
    /// The application is up.
    Application,
    /// The marker.
    Marker,
    /// systemd's first transaction is complete.
    SystemdFinish,
    /// A target or a stage of init that systems start to.
    Target(&'static str),
    /// The login prompt of a system without such a target.
    LoginPrompt,
}

impl WholeEnd {
    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            WholeEnd::Application => "the application",
            WholeEnd::Marker => "the marker",
            WholeEnd::SystemdFinish => "systemd's first transaction",
            WholeEnd::Target(name) => name,
            WholeEnd::LoginPrompt => "the login prompt",
        }
    }
}

/// What shows where a stage begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StageEvidence {
    /// The capture's note of power-on.
    PowerOnNote,
    /// A record.
    Record(RecordId),
    /// The first byte on the console.
    FirstByte(RecordId),
    /// A mark of a boot loader's or firmware's timer.
    Mark(String),
    /// The zero of that timer.
    TimerZero,
    /// A property of systemd's manager.
    Property(&'static str),
    /// A sum of `systemd-analyze time`.
    StartupSum,
    /// The zero of the kernel's clock.
    KernelClock,
    /// The application's unit.
    Unit(String),
    /// The application's process.
    Process(u32),
}

impl StageEvidence {
    /// `record 17`; a mark's or a unit's name in it is from a file: escape it.
    pub fn title(&self) -> String {
        match self {
            StageEvidence::PowerOnNote => "the capture's note of power-on".to_owned(),
            StageEvidence::Record(id) => format!("record {id}"),
            StageEvidence::FirstByte(id) => format!("the first byte, record {id}"),
            StageEvidence::Mark(name) => format!("mark `{name}`"),
            StageEvidence::TimerZero => "the loader's timer, its zero".to_owned(),
            StageEvidence::Property(name) => (*name).to_owned(),
            StageEvidence::StartupSum => "systemd-analyze time".to_owned(),
            StageEvidence::KernelClock => "the zero of the kernel's clock".to_owned(),
            StageEvidence::Unit(name) => format!("unit {name}"),
            StageEvidence::Process(pid) => format!("process {pid}"),
        }
    }

    /// What a boot is counted from that begins with this.
    pub(super) fn origin(&self) -> WholeOrigin {
        match self {
            StageEvidence::PowerOnNote => WholeOrigin::PowerOn,
            StageEvidence::Mark(_) | StageEvidence::TimerZero => WholeOrigin::LoaderTimer,
            StageEvidence::Property(_) | StageEvidence::StartupSum => WholeOrigin::Firmware,
            StageEvidence::Record(_) | StageEvidence::FirstByte(_) => WholeOrigin::FirstByte,
            StageEvidence::KernelClock | StageEvidence::Unit(_) | StageEvidence::Process(_) => WholeOrigin::KernelStart,
        }
    }
}
