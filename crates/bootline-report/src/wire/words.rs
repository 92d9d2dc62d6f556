// SPDX-License-Identifier: MIT OR Apache-2.0
//! Enumerations, written as words. A new variant of the domain does not compile until it has its word here.
use schemars::JsonSchema;
use serde::Serialize;

use bootline_analysis::{boot_chain, compare, critical_path};

/// An enumeration of the domain that documents write as a word.
pub(crate) trait Worded: Copy {
    /// Its words.
    type Word: From<Self> + Serialize;
}

/// The word that JSON has for a value: `clock-stood-still`.
pub(crate) fn word<D: Worded>(value: &D) -> String {
    match serde_json::to_value(D::Word::from(*value)) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a unit variant serialises to a string, not {other:?}"),
    }
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident of $domain:ty { $($variant:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum $name {
            $(#[allow(missing_docs)] $variant),*
        }

        impl Worded for $domain {
            type Word = $name;
        }

        impl From<$domain> for $name {
            fn from(of: $domain) -> $name {
                match of {
                    $(<$domain>::$variant => $name::$variant),*
                }
            }
        }
    };
}

words! {
    /// The clock of the boot's axis: the host's (when bytes arrived), the kernel's stamps, or none in the log.
    Clock of bootline_boot::Clock { Arrival, Kernel, None }
}
words! {
    /// What a duration counts from.
    TimeOrigin of bootline_boot::TimeOrigin { KernelFirstByte, KernelStart, PowerOn }
}
words! {
    /// An edge of an input.
    MarkEdge of bootline_capture::MarkEdge { Asserted, Released, Unknown }
}
words! {
    /// How the boot's end was recognised.
    EndedBy of bootline_boot::EndedBy { InitRecord, FreeingUnused, InitBanner, Marker }
}
words! {
    /// The framework a console uses.
    ConsoleKind of bootline_console::Framework { Legacy, Nbcon }
}
words! {
    /// Who transmits records, and who waits for it.
    Printing of bootline_console::Printing { Synchronous, ThreadWholeFlush, ThreadPerRecord, Nbcon, RtPatch, Unknown }
}
words! {
    /// What the speed of the serial line was derived from.
    SpeedSource of bootline_boot::SpeedSource { Arrival, Stamps, Header, Declared }
}
words! {
    /// A part of the boot.
    PhaseName of bootline_boot::PhaseName {
        BeforeKernel, Dark, Kernel, KernelToConsole, Initcalls, RootFs, ToInit, UserSpace,
    }
}
words! {
    /// A stage of the boot, from the firmware to the application.
    StageName of bootline_boot::StageName {
        Firmware, Loader, Decompression, Dark, Kernel, Initramfs, UserSpace, Application,
    }
}
words! {
    /// What the first stage begins with.
    WholeOrigin of bootline_boot::WholeOrigin { PowerOn, LoaderTimer, Firmware, FirstByte, KernelStart }
}
words! {
    /// How the application is known to be reached.
    Reached of bootline_boot::Reached { UnitUp, Executed, Line, Mark, ProcessStart }
}
words! {
    /// A part of the chain through the boot.
    ChainPart of boot_chain::ChainPart {
        BeforeKernel, Kernel, Initramfs, ManagerStart, Units, Queue, UserSpace, Application,
    }
}
words! {
    /// What the place of a source's clock rests on.
    AlignedBy of bootline_boot::AlignedBy { UnitMessages, KernelRecords, LoaderLines, Initcalls, KernelStart, NextStage }
}
words! {
    /// What a unit's times are from.
    UnitTimesBy of bootline_boot::UnitTimesBy { Systemd, Journal, Console, Nothing }
}
words! {
    /// How much of the dependencies between units the sources show: nothing, for which units some waited, or all of them.
    DependenciesKnown of bootline_boot::DependenciesKnown { Nothing, Waits, All }
}
words! {
    /// What a mark in a trace is.
    MarkKind of bootline_boot::MarkKind { Module, Marker }
}
words! {
    /// What shows a process.
    ProcessBy of bootline_boot::ProcessBy { Bootchart, Trace }
}
words! {
    /// What a span is: an initcall, a probe, an asynchronous call.
    SpanKind of bootline_boot::SpanKind { Initcall, Probe, Async }
}
words! {
    /// What systemd last reported about a service.
    ServiceState of bootline_boot::ServiceState { Starting, Up, Failed }
}
words! {
    /// Why the kernel waited for the console.
    WaitCause of bootline_boot::WaitCause { OwnRecord, Flush, ConsoleLock, Processor }
}
words! {
    /// Which mechanism waits for the root device.
    RootWaitBy of bootline_boot::RootWaitBy { Rootwait, Rootdelay, Initramfs }
}
words! {
    /// What the critical path is derived from.
    PathBasis of critical_path::PathBasis { AsyncCalls, Initcalls, Records }
}
words! {
    /// The kernel's own record, or another program's line.
    RecordOrigin of bootline_records::RecordOrigin { Kernel, Other }
}
words! {
    /// What is wrong with the log.
    ProblemKind of bootline_records::ProblemKind {
        CaptureDamaged, CaptureCutOff, ArchiveDamaged, PortLost, UnknownFormat, LineTooLong, BinaryNoise, NulBytes, InvalidUtf8,
        ControlSequences, GluedOutput, BadPrefix, StampOverflow, BadLine, UnendedLine, BeginningLost, RecordsLost,
        ClockJumpedBack, ClockStoodStill, ClockRanBefore, ArrivalJumpedBack, CoarseStamps, ReceiptTimes, PanicAfterBoot,
        EndBeforeStart, TooManyRecords, NoKernelRecords, OtherConsole, SourceNotUsed, SourceIncomplete, SourcesContradict, ApplicationNotReached,
    }
}
words! {
    /// The unit of a quantity.
    Unit of compare::Unit { Ns, Bytes }
}
words! {
    /// How a part was observed to change.
    ObservedChange of compare::ObservedChange { New, Gone, Slower, Faster, Same }
}
words! {
    /// How a part changed, if chance is ruled out.
    PartChange of compare::PartChange { New, Gone, Slower, Faster, Moved, Inconclusive }
}
words! {
    /// The verdict on a difference.
    ChangeVerdict of compare::ChangeVerdict { More, Less, NotSignificant, TooSmall, Noise, TooFew, New, Gone }
}
words! {
    /// Whether a limit holds; inconclusive if the runs do not suffice for a verdict.
    GateOutcome of compare::GateOutcome { Pass, Fail, Inconclusive }
}
words! {
    /// What the limit is on: the figure itself, or its increase over the baseline.
    LimitKind of compare::LimitKind { AtMost, IncreaseAtMost }
}
