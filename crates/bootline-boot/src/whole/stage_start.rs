// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the stages begin, by whatever source shows it best.
use super::alignment::AT_ONCE;
use super::application::Application;
use super::initramfs;
use super::loader_timer::{HANDOFF, LoaderTimer};
use super::stage::{StageEvidence, StageName};
use super::whole_boot::WholeBoot;
use crate::boot::Boot;
use crate::phase::PhaseName;
use crate::timeline::Clock;
use bootline_capture::units::Dur;
use bootline_records::source::{ManagerState, SourceKind, StartupTimes};
use bootline_records::{RecordId, fails_boot_option, starts_boot_loader, starts_boot_option, starts_kernel};

/// The beginning of a stage.
#[derive(Clone, Debug)]
pub(super) struct StageStart {
    pub name: StageName,
    pub at: Dur,
    pub evidence: StageEvidence,
}

/// What is known when stages are looked for.
pub(super) struct StageInput<'a> {
    pub boot: &'a Boot,
    pub whole: &'a WholeBoot,
    pub manager: Option<&'a ManagerState>,
    pub startup: Option<&'a StartupTimes>,
    /// The zero of systemd's clock on the axis: the kernel's start.
    pub kernel_zero: Option<Dur>,
    pub timers: &'a [LoaderTimer],
}

/// The starts that are known, one a stage, in no order.
pub(super) fn stage_starts(input: &StageInput<'_>) -> Vec<StageStart> {
    let mut starts: Vec<StageStart> = Vec::new();
    let mut add = |name, found: Option<(Dur, StageEvidence)>| {
        starts.extend(found.map(|(at, evidence)| StageStart { name, at, evidence }));
    };
    let kernel = kernel(input);
    let init = init(input);
    add(StageName::Firmware, firmware(input, kernel.as_ref().map(|k| k.0)));
    add(StageName::Loader, loader(input));
    add(StageName::Decompression, decompression(input));
    add(StageName::Dark, phase(input, |p| p == PhaseName::Dark));
    add(StageName::Kernel, kernel);
    let root = root(input, init.as_ref().map(|i| i.0));
    match (init, root) {
        (Some(init), Some(root)) => {
            add(StageName::Initramfs, Some(init));
            add(StageName::UserSpace, Some(root));
        }
        (init, root) => add(StageName::UserSpace, root.or(init)),
    }
    let application = input.whole.application.as_ref();
    let evidence = |a: &Application| match a.process.and_then(|at| input.whole.processes.get(at)) {
        Some(process) => StageEvidence::Process(process.pid),
        None => StageEvidence::Unit(a.name.clone()),
    };
    add(StageName::Application, application.and_then(|a| Some((a.start?, evidence(a)))));
    starts
}

fn phase(input: &StageInput<'_>, is: impl Fn(PhaseName) -> bool) -> Option<(Dur, StageEvidence)> {
    let phase = input.boot.phases.iter().find(|p| is(p.name))?;
    let evidence =
        if phase.start == Dur::ZERO { StageEvidence::KernelClock } else { StageEvidence::Record(phase.first) };
    Some((phase.start, evidence))
}

/// The kernel's start, after the dark phase if the log shows one.
fn kernel(input: &StageInput<'_>) -> Option<(Dur, StageEvidence)> {
    let of_log = phase(input, |p| p > PhaseName::Dark && p < PhaseName::UserSpace);
    of_log.or_else(|| Some((input.kernel_zero?, StageEvidence::KernelClock)))
}

fn init(input: &StageInput<'_>) -> Option<(Dur, StageEvidence)> {
    let of_log = phase(input, |p| p == PhaseName::UserSpace);
    of_log.or_else(|| {
        let (zero, initrd) = input.kernel_zero.zip(input.manager.and_then(|m| m.initrd))?;
        Some((zero + initrd.since_origin(), StageEvidence::Property("InitRDTimestampMonotonic")))
    })
}

/// The earliest that is known before the kernel.
fn firmware(input: &StageInput<'_>, kernel: Option<Dur>) -> Option<(Dur, StageEvidence)> {
    let boot = input.boot;
    if let Some(at) = boot.power_on {
        return Some((at, StageEvidence::PowerOnNote));
    }
    let mut found = Vec::new();
    // What systemd knows of the firmware is from ACPI's table, too, or from the boot loader, which knows better.
    let is_known = input.manager.is_some_and(|m| m.firmware_before_kernel.is_some());
    let counts = |t: &&LoaderTimer| !(is_known && t.kind == SourceKind::AcpiFpdt);
    let zero = |t: &LoaderTimer| match t.kind {
        SourceKind::AcpiFpdt => StageEvidence::Property("the reset, by ACPI's table (FPDT)"),
        _ => StageEvidence::TimerZero,
    };
    found.extend(input.timers.iter().filter(counts).map(|t| (t.alignment.offset, zero(t))));
    if let (Some(zero), Some(before)) =
        (kernel_start(input, kernel), input.manager.and_then(|m| m.firmware_before_kernel))
    {
        found.push((zero - before, StageEvidence::Property("FirmwareTimestampMonotonic")));
    } else if let Some((zero, startup)) = kernel_start(input, kernel).zip(input.startup) {
        let before = startup.firmware.map(|f| f + startup.loader.unwrap_or_default());
        found.extend(before.map(|before| (zero - before, StageEvidence::StartupSum)));
    }
    // A console shows firmware from its first byte on: only if that comes before the boot loader's.
    let loader = console_loader(input).map_or(usize::MAX, |(i, _)| i);
    found.extend(first_byte(input).filter(|(i, _)| *i < loader).map(|(_, first)| first));
    found.into_iter().min_by_key(|(at, _)| *at)
}

/// Where counts that end with the kernel's start end.
fn kernel_start(input: &StageInput<'_>, kernel: Option<Dur>) -> Option<Dur> {
    input.kernel_zero.or_else(|| kernel.map(|k| k.min(Dur::ZERO)))
}

/// Firmware's or boot loader's first record that has a time, with its position.
fn first_byte(input: &StageInput<'_>) -> Option<(usize, (Dur, StageEvidence))> {
    before_kernel(input).find_map(|(i, _, id)| {
        let at = input.boot.timeline.stored(i)?;
        Some((i, (at, StageEvidence::FirstByte(id))))
    })
}

/// Position, text and id of each record before the kernel's first that is not blank.
fn before_kernel<'a>(input: &StageInput<'a>) -> impl Iterator<Item = (usize, &'a str, RecordId)> + use<'a> {
    let boot = input.boot;
    let has_arrival = boot.timeline.clock == Clock::Arrival;
    let first = boot.milestones.first_kernel.filter(|_| has_arrival).unwrap_or(0);
    (0..first).filter_map(|i| {
        let r = boot.records.get(i).filter(|r| !r.text.trim().is_empty())?;
        Some((i, r.text, r.id))
    })
}

/// The boot loader's first record, or the one in which firmware starts it. A boot option that fails, and a loader that gives up, are
/// firmware's time.
fn console_loader(input: &StageInput<'_>) -> Option<(usize, (Dur, StageEvidence))> {
    let mut found = None;
    for (i, text, id) in before_kernel(input) {
        if starts_boot_option(text) || fails_boot_option(text) {
            found = None;
        }
        if found.is_none() && (starts_boot_option(text) || starts_boot_loader(text)) {
            found = input.boot.timeline.stored(i).map(|at| (i, (at, StageEvidence::Record(id))));
        }
    }
    found
}

fn loader(input: &StageInput<'_>) -> Option<(Dur, StageEvidence)> {
    /// U-Boot's start, what coreboot does last, and UEFI's start of a boot loader.
    const MARKS: [&str; 5] =
        ["board_init_f", "selfboot jump", "jumping to payload", "load payload", "bootloader_launch"];
    if let Some((_, found)) = console_loader(input) {
        return Some(found);
    }
    let is_known = input.manager.is_some_and(|m| m.loader_before_kernel.is_some());
    let counts = |t: &&LoaderTimer| !(is_known && t.kind == SourceKind::AcpiFpdt);
    let mark = MARKS.iter().find_map(|name| {
        let at = input.timers.iter().filter(counts).find_map(|t| t.at(name))?;
        Some((at, StageEvidence::Mark((*name).to_owned())))
    });
    mark.or_else(|| {
        let before = input.manager.and_then(|m| m.loader_before_kernel)?;
        Some((kernel_start(input, Some(Dur::ZERO))? - before, StageEvidence::Property("LoaderTimestampMonotonic")))
    })
    .or_else(|| {
        let before = input.startup.filter(|_| input.manager.is_none())?.loader?;
        Some((kernel_start(input, Some(Dur::ZERO))? - before, StageEvidence::StartupSum))
    })
}

/// The boot loader's last word, or its last mark.
fn decompression(input: &StageInput<'_>) -> Option<(Dur, StageEvidence)> {
    let of_console = before_kernel(input).filter(|(_, text, _)| starts_kernel(text)).last();
    let of_console = of_console.and_then(|(i, _, id)| {
        let place = input.boot.timeline.place(i);
        // Once it is transmitted: a boot loader waits for its console.
        let at = place.transmitted.map(|t| t.end).or(place.stored)?;
        Some((at, StageEvidence::Record(id)))
    });
    of_console.or_else(|| {
        let handoff = |t: &LoaderTimer| HANDOFF.iter().find_map(|name| Some((t.at(name)?, *name)));
        let (at, name) = input.timers.iter().find_map(handoff)?;
        Some((at, StageEvidence::Mark(name.to_owned())))
    })
}

/// Where user space in the root file system begins, if it does so after init's start: an initramfs without systemd counts as the kernel
/// for systemd, and here does not.
fn root(input: &StageInput<'_>, init: Option<Dur>) -> Option<(Dur, StageEvidence)> {
    let later = |found: &(Dur, StageEvidence)| init.is_none_or(|init| found.0 > init + AT_ONCE);
    // Whatever else passes between init's start and systemd's is user space in the root file system.
    if init.is_some() && !initramfs::exists(input.boot, input.manager) {
        return None;
    }
    let executed = input.whole.init_executed.map(|init| (init.at, StageEvidence::Record(init.record)));
    let of_systemd = || Some((input.whole.manager_start?, StageEvidence::Property("UserspaceTimestampMonotonic")));
    let of_log = || initramfs::hand_over(input.boot).map(|(at, record)| (at, StageEvidence::Record(record)));
    executed.filter(later).or_else(|| of_systemd().filter(later)).or_else(|| of_log().filter(later))
}
