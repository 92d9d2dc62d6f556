// SPDX-License-Identifier: MIT OR Apache-2.0
//! Remedies that several console rules share.
use super::case::Case;
use super::wording::faster;
use crate::predict::{Change, OUT_OF_TREE, Setting, kernel_with_kthread, module_for, system_changes, would_sleep};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_boot::{ConsoleWait, SerialLine, WaitCause};
use bootline_capture::units::{Baud, Dur};
use bootline_console::{Driver, DriverBehaviour, KernelVersion, Printing, newest};

/// `quiet` prints levels below this.
const QUIET: Setting = Setting::LogLevel(4);

/// A CPU for the printer kthread, next to the boot's only one.
const SECOND_CPU: Setting = Setting::Cpus(2);

/// A remedy that is one setting of the model: its changes to the system and what it saves follow from the setting.
fn of_setting(case: &Case<'_>, setting: Setting, action: impl Into<String>, price: impl Into<String>) -> Remedy {
    let changes = system_changes(case.boot, &Change::from(setting));
    Remedy::new(action, changes, price, Risk::Low).saving(case.saves(&[setting]))
}

/// Print less: `quiet`.
pub(super) fn print_less(case: &Case<'_>) -> Remedy {
    let price = "messages are in dmesg only; after a hang the console shows less";
    of_setting(case, QUIET, "print less on the console", price)
}

/// A faster line.
pub(super) fn faster_line(case: &Case<'_>, line: &SerialLine) -> Option<Remedy> {
    let baud = faster(line)?;
    let flow = if baud.get() > 115_200 { ", and the UART's clock must divide down to it" } else { "" };
    let price = format!("both ends must support that speed{flow}");
    Some(of_setting(case, Setting::Baud(baud), format!("run the line at {baud} baud"), price))
}

/// A faster line, and how long after init's start the log is predicted to be complete on it.
pub(super) fn log_on_faster_line(case: &Case<'_>, line: &SerialLine) -> Option<(Baud, Dur)> {
    let baud = faster(line)?;
    Some((baud, case.log_late(&[Setting::Baud(baud)])?))
}

/// A kernel whose printer thread doesn't make the boot wait.
pub(super) fn printer_kthread(case: &Case<'_>, line: &SerialLine) -> Option<Remedy> {
    let kernel = &case.boot.kernel;
    let one_cpu = kernel.cpus == Some(1);
    let driver = Driver::of_console(&line.console.name);
    let since = DriverBehaviour::thread_under_rt_since(driver, kernel.version);
    let per_record = || {
        let kernel = Setting::Kernel { version: since?, rt: true };
        if one_cpu { case.saves(&[kernel, SECOND_CPU]) } else { case.saves(&[kernel]) }
    };
    let mut changes = kernel_with_kthread(since);
    if one_cpu {
        changes.extend(system_changes(case.boot, &Change::from(SECOND_CPU)));
    }
    let price = "a hang leaves the last messages unprinted; the log is complete only after the boot";
    match line.console.printing {
        Printing::Synchronous | Printing::RtPatch | Printing::Unknown => {
            let action = "use threaded printing: a PREEMPT_RT kernel with two or more CPUs";
            Some(Remedy::new(action, changes, price, Risk::Medium).saving(per_record()))
        }
        Printing::ThreadWholeFlush => {
            let action = "use a kernel whose printer kthread releases the console lock after each record (with the commit \
                          \"printk: Use console_flush_one_record for legacy printer kthread\"), with two or more CPUs";
            Some(Remedy::new(action, changes, price, Risk::Medium).saving(per_record()))
        }
        Printing::ThreadPerRecord if one_cpu => Some(second_cpu(case)),
        // 6.19 removed waits that end with the backlog; shorter waits are normal there.
        Printing::ThreadPerRecord if case.boot.waits.iter().any(held_until_drained) => Some(Remedy::in_words(
            "check that this kernel has the commit \"printk: Use console_flush_one_record for legacy printer kthread\": \
             its version implies it, but the waits contradict it",
            Effort::None,
            "a look into the kernel's source",
            Risk::Low,
        )),
        Printing::ThreadPerRecord | Printing::Nbcon => None,
    }
}

/// Room for the printing thread next to the boot.
pub(super) fn second_cpu(case: &Case<'_>) -> Remedy {
    let action = "add a CPU for the printer kthread: with one CPU, it and the boot take turns";
    of_setting(case, SECOND_CPU, action, "another board, or another CPU of this one enabled")
}

fn held_until_drained(w: &ConsoleWait) -> bool {
    w.cause == WaitCause::ConsoleLock && w.time.low() > Dur::from_millis(500)
}

/// A module that prints from a kthread, loaded from the initramfs, with a replay of the whole log.
pub(super) fn module_with_replay(case: &Case<'_>) -> Option<Remedy> {
    let module = module_for(case.boot)?;
    let name = module.name();
    let (kthread, busy) = match would_sleep(case.boot, module) {
        true => ("a kthread that sleeps while the line is busy", ""),
        false => ("a kthread", "; a CPU is busy while it prints, with interrupts off for one line at a time"),
    };
    let action = format!(
        "print from {kthread}, and the whole log only after init's start, with the module {name} (kernel/{name})"
    );
    let price =
        format!("a kernel that crashes before the module is loaded leaves little on the console{busy}; {OUT_OF_TREE}");
    let setting = Setting::Module { module, replay: true };
    Some(Remedy { risk: Risk::Medium, ..of_setting(case, setting, action, price) })
}

/// The same module, built into the kernel.
pub(super) fn module_built_in(case: &Case<'_>) -> Option<Remedy> {
    let module = module_for(case.boot)?;
    let action = format!(
        "build {} into the kernel, so that no task waits for the console after the module's initcall",
        module.name()
    );
    let price =
        "a kernel built from source; writers of earlier messages still wait; a hang leaves the last messages unprinted";
    let setting = Setting::Module { module, replay: false };
    Some(Remedy { risk: Risk::Medium, ..of_setting(case, setting, action, price) })
}

/// A kernel in which the nbcon console's kthread does the flush at registration.
pub(super) fn nbcon_flush(case: &Case<'_>, line: &SerialLine) -> Option<Remedy> {
    let kernel = &case.boot.kernel;
    let driver = Driver::of_console(&line.console.name);
    let by_thread = |s| DriverBehaviour::of(s, kernel.rt, driver, false).is_some_and(|s| !s.flushes_at_registration());
    if line.console.printing != Printing::Nbcon || kernel.version.is_some_and(by_thread) {
        return None;
    }
    let (first, versions) = flushed_by_thread(driver, kernel.rt)?;
    let remedy = Remedy::new(
        "use a kernel that leaves the flush of an nbcon console to its kthread",
        vec![SystemChange::Kernel(versions)],
        "a hang before the kthread runs leaves less on the line",
        Risk::Medium,
    );
    Some(remedy.saving(case.saves(&[Setting::Kernel { version: first, rt: kernel.rt }])))
}

/// The first version whose thread prints what is there when a driver's nbcon console registers, and all such.
fn flushed_by_thread(driver: Driver, rt: bool) -> Option<(KernelVersion, KernelVersions)> {
    let (first, last) = DriverBehaviour::flushed_by_thread(driver, rt)?;
    let versions = if last == newest() { KernelVersions::From(first) } else { KernelVersions::Between(first, last) };
    Some((first, versions))
}
