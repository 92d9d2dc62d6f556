// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways out that several console rules share.
use super::Advice;
use super::case::Case;
use super::wording::faster;
use crate::boot::{ConsoleWait, SerialLine, WaitCause};
use crate::predict::{BUILT_IN, LOAD_AND_REPLAY, OUT_OF_TREE, Setting, takes_module};
use bootline_capture::units::Dur;
use bootline_console::{Driver, DriverBehaviour, Printing, Series, newest};

/// What quiet prints is below this level.
const QUIET: Setting = Setting::LogLevel(4);

/// Less on the line.
pub(super) fn print_less(case: &Case<'_>) -> Advice {
    Advice::new("print less on the console", "quiet (or loglevel=4)", "messages are only in dmesg, not on the line")
        .saving(case.saves(&[QUIET]))
}

/// A faster line.
pub(super) fn faster_line(case: &Case<'_>, line: &SerialLine) -> Option<Advice> {
    let baud = faster(line)?;
    let flow = if baud.get() > 115_200 { " and its UART's clock must divide to it" } else { "" };
    let advice = Advice::new(
        format!("use a faster line: {baud} baud"),
        format!("console={},{baud}{}", line.console.name, frame(line)),
        format!("both ends must run at that speed{flow}"),
    );
    Some(advice.saving(case.saves(&[Setting::Baud(baud)])))
}

/// `n8`: parity and data bits as `console=` wants them.
fn frame(line: &SerialLine) -> String {
    let text = line.console.frame.to_string();
    let mut chars = text.chars();
    let (data, parity) = (chars.next().unwrap_or('8'), chars.next().unwrap_or('n'));
    format!("{parity}{data}")
}

/// A kernel whose printer thread doesn't hold the boot up.
pub(super) fn printer_kthread(case: &Case<'_>, line: &SerialLine) -> Option<Advice> {
    let kernel = &case.boot.kernel;
    let one_cpu = kernel.cpus == Some(1);
    let driver = Driver::of_console(&line.console.name);
    let since = DriverBehaviour::thread_under_rt_since(driver, kernel.series);
    let from = since.map_or(String::new(), |s| format!(" from {s} on"));
    let per_record = || {
        let kernel = Setting::Kernel { series: since?, rt: true };
        if one_cpu { case.saves(&[kernel, Setting::Cpus(2)]) } else { case.saves(&[kernel]) }
    };
    let price = "a hang leaves the last messages unprinted; the log arrives later than the boot ends";
    match line.console.printing {
        Printing::Synchronous | Printing::RtPatch | Printing::Unknown => Some(Advice::new(
            format!("print by a thread: a PREEMPT_RT kernel{from}, with two processors or more"),
            "CONFIG_PREEMPT_RT=y",
            price,
        )
        .saving(per_record())),
        Printing::ThreadWholeFlush => Some(Advice::new(
            "use a kernel whose printer kthread releases the console lock after each record: 6.19 or later, or one with \
             the commit \"printk: Use console_flush_one_record for legacy printer kthread\"; which needs two processors",
            "6.19 or later, CONFIG_PREEMPT_RT=y",
            price,
        )
        .saving(per_record())),
        Printing::ThreadPerRecord if one_cpu => Some(second_cpu(case)),
        // A wait that ended with the backlog is what 6.19 did away with; shorter ones belong to its way of printing.
        Printing::ThreadPerRecord if case.boot.waits.iter().any(held_until_drained) => Some(Advice::plain(
            "check that this kernel has the commit \"printk: Use console_flush_one_record for legacy printer kthread\": \
             its version implies it, the waits contradict it",
            "a look into the kernel's tree",
        )),
        Printing::ThreadPerRecord => None,
        Printing::Nbcon => None,
    }
}

/// Room for the printing thread beside the boot.
pub(super) fn second_cpu(case: &Case<'_>) -> Advice {
    Advice::plain(
        "give the printer kthread a processor of its own: with one processor, it and the boot take turns",
        "a second processor",
    )
    .saving(case.saves(&[Setting::Cpus(2)]))
}

fn held_until_drained(w: &ConsoleWait) -> bool {
    w.cause == WaitCause::ConsoleLock && w.time.low() > Dur::from_millis(500)
}

/// The module that takes an 8250's console over: with the whole log, loaded from the initramfs.
pub(super) fn module_with_replay(case: &Case<'_>) -> Option<Advice> {
    let setting = format!("quiet, and first thing in the initramfs: {LOAD_AND_REPLAY}");
    let action =
        "print from a kthread that sleeps, the whole log after init's start: the module nbcon_8250 (kernel/nbcon_8250)";
    let price = format!("a kernel that dies before the module is loaded leaves little on the line; {OUT_OF_TREE}");
    let advice = Advice::new(action, setting, price);
    takes_module(case.boot).then(|| advice.saving(case.saves(&[Setting::Module { replay: true }])))
}

/// The same, built into the kernel's tree.
pub(super) fn module_built_in(case: &Case<'_>) -> Option<Advice> {
    let action = "build nbcon_8250 into the kernel: from its initcall on no task waits";
    let price =
        "a kernel built from source; what is printed earlier still waits; a hang leaves the last messages unprinted";
    let advice = Advice::new(action, BUILT_IN, price);
    takes_module(case.boot).then(|| advice.saving(case.saves(&[Setting::Module { replay: false }])))
}

/// An nbcon console whose registration flushes by its thread.
pub(super) fn nbcon_flush(case: &Case<'_>, line: &SerialLine) -> Option<Advice> {
    let kernel = &case.boot.kernel;
    let driver = Driver::of_console(&line.console.name);
    let by_thread = |s| DriverBehaviour::of(s, kernel.rt, driver, false).is_some_and(|s| !s.flushes_at_registration());
    if line.console.printing != Printing::Nbcon || kernel.series.is_some_and(by_thread) {
        return None;
    }
    let (first, versions) = flushed_by_thread(driver, kernel.rt)?;
    let advice = Advice::new(
        "use a kernel that leaves the flush of an nbcon console to its kthread",
        versions,
        "a hang before the kthread runs leaves less on the line",
    );
    Some(advice.saving(case.saves(&[Setting::Kernel { series: first, rt: kernel.rt }])))
}

/// The first version whose thread prints what is there when a driver's nbcon console registers, and all such in words.
fn flushed_by_thread(driver: Driver, rt: bool) -> Option<(Series, String)> {
    let (first, last) = DriverBehaviour::flushed_by_thread(driver, rt)?;
    Some((first, if last == newest() { format!("{first} or later") } else { format!("{first} to {last}") }))
}
