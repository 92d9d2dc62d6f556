// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is measured of a run.
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is measured of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// From the line's first byte to init.
    #[default]
    TimeToInit,
    /// From QEMU's start to init: for lines that are silent until then. It includes firmware and decompression.
    SinceStart,
    /// From QEMU's start until init has loaded its modules.
    ModulesLoaded,
    /// From QEMU's start until init has done some work: it has sent all of the kernel's log on the lab's second port.
    UserSpace,
    /// From the line's first byte to its last.
    LogComplete,
    /// From QEMU's start to the line's last byte: also with a boot loader, whose text comes before the kernel's first byte.
    LogSinceStart,
    /// From init to the line's last byte: how far the log lags behind the boot.
    LogLag,
    /// From the moment when the host sees a whole system's picture to the line's last byte; zero if the log was complete before.
    LogAfterPicture,
    /// Init by the guest's own clock, which under `icount` is what the boot cost.
    GuestTime,
    /// Reads of the port's registers per byte sent.
    RegisterReadsPerByte,
    /// How long init waited for the lines that it printed after the boot, by the guest's clock.
    PrintkLines,
    /// How long `kernel/printk_bench` took for its lines, by its record in the kernel's log.
    PrintkBench,
    /// Time in the console's write function per byte, by the record of `kernel/uart_bench`.
    UartBench,
    /// The longest delay of a CPU's own timer interrupt, by the record of `kernel/holdoff_meter`.
    IrqsOff,
    /// The longest delay of a task of the highest priority, by the same record.
    PreemptOff,
    /// Speed at which the log stored before the console registered was transmitted, as a share of the line's speed.
    LineUse,
    /// How long the boot waited for the log stored before the console registered.
    FlushGap,
    /// Number of reports of a stall in the kernel's own log: soft lockups, RCU stalls.
    Stalls,
    /// From QEMU's start until the initramfs, or the lab's program in its place, executes the init of a whole system.
    Handoff,
    /// From QEMU's start until a whole system's application has been executed, by its first mark.
    ApplicationStart,
    /// From QEMU's start until a whole system's application has drawn its picture and listens, by its own marks.
    Application,
    /// From the hand-off to a whole system's init (`handoff`) until its application has drawn its picture and listens.
    ApplicationAfterHandoff,
    /// From QEMU's start until the host sees the application's picture on the screen.
    PictureSeen,
    /// From QEMU's start until the application answers the host over the network.
    SocketAnswered,
    /// From QEMU's start until a whole system has reached multi-user.target, or the end of its run level.
    MultiUser,
    /// The processor time that QEMU had used when the init of a whole system was executed.
    ProcessorToHandoff,
    /// The processor time that QEMU had used when a whole system's application had drawn its picture and listened.
    ProcessorToApplication,
    /// The processor time that QEMU had used when a whole system had reached multi-user.target, or the end of its run level.
    ProcessorToMultiUser,
    /// From QEMU's start until a line of the console has arrived: the one that the arm's `marker` names, or a root's login prompt.
    Marker,
}

impl Metric {
    /// Whether its values are nanoseconds.
    pub fn is_time(self) -> bool {
        !matches!(self, Metric::RegisterReadsPerByte | Metric::LineUse | Metric::Stalls)
    }

    /// Whether only the boot of a whole system has it.
    pub fn is_of_system(self) -> bool {
        matches!(
            self,
            Metric::Handoff
                | Metric::ApplicationStart
                | Metric::Application
                | Metric::ApplicationAfterHandoff
                | Metric::PictureSeen
                | Metric::LogAfterPicture
                | Metric::SocketAnswered
                | Metric::MultiUser
                | Metric::ProcessorToHandoff
                | Metric::ProcessorToApplication
                | Metric::ProcessorToMultiUser
        )
    }

    /// The kernel module that reports it.
    pub fn module(self) -> Option<&'static str> {
        match self {
            Metric::PrintkBench => Some("printk_bench"),
            Metric::UartBench => Some("uart_bench"),
            Metric::IrqsOff | Metric::PreemptOff => Some("holdoff_meter"),
            _ => None,
        }
    }
}

impl fmt::Display for Metric {
    /// As in an experiment file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Metric::TimeToInit => "time-to-init",
            Metric::SinceStart => "since-start",
            Metric::ModulesLoaded => "modules-loaded",
            Metric::UserSpace => "user-space",
            Metric::LogComplete => "log-complete",
            Metric::LogSinceStart => "log-since-start",
            Metric::LogLag => "log-lag",
            Metric::LogAfterPicture => "log-after-picture",
            Metric::GuestTime => "guest-time",
            Metric::RegisterReadsPerByte => "register-reads-per-byte",
            Metric::PrintkLines => "printk-lines",
            Metric::PrintkBench => "printk-bench",
            Metric::UartBench => "uart-bench",
            Metric::IrqsOff => "irqs-off",
            Metric::PreemptOff => "preempt-off",
            Metric::LineUse => "line-use",
            Metric::FlushGap => "flush-gap",
            Metric::Stalls => "stalls",
            Metric::Handoff => "handoff",
            Metric::ApplicationStart => "application-start",
            Metric::Application => "application",
            Metric::ApplicationAfterHandoff => "application-after-handoff",
            Metric::PictureSeen => "picture-seen",
            Metric::SocketAnswered => "socket-answered",
            Metric::MultiUser => "multi-user",
            Metric::ProcessorToHandoff => "processor-to-handoff",
            Metric::ProcessorToApplication => "processor-to-application",
            Metric::ProcessorToMultiUser => "processor-to-multi-user",
            Metric::Marker => "marker",
        })
    }
}
