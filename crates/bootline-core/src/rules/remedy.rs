// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways out that several console rules share.
use super::Advice;
use super::case::Case;
use super::figure::faster;
use crate::boot::{Line, Wait, WaitCause};
use crate::console::{Printing, Series};
use crate::predict::Setting;
use crate::units::Dur;

/// The first series whose printer thread gives the console lock up after each record.
const PER_RECORD: Series = Series::new(6, 19);
/// The first series whose nbcon consoles flush by their thread at the registration.
const FLUSH_BY_THREAD: Series = Series::new(6, 17);
/// What quiet prints is below this level.
const QUIET: Setting = Setting::LogLevel(4);

/// Less on the line.
pub(super) fn print_less(case: &Case<'_>) -> Advice {
    Advice::new("print less on the console", "quiet (or loglevel=4)", "messages are only in dmesg, not on the line")
        .saving(case.saves(&[QUIET]))
}

/// A faster line.
pub(super) fn faster_line(case: &Case<'_>, line: &Line) -> Option<Advice> {
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
fn frame(line: &Line) -> String {
    let text = line.console.frame.to_string();
    let mut chars = text.chars();
    let (data, parity) = (chars.next().unwrap_or('8'), chars.next().unwrap_or('n'));
    format!("{parity}{data}")
}

/// A kernel whose printer thread doesn't hold the boot up.
pub(super) fn printer_thread(case: &Case<'_>, line: &Line) -> Option<Advice> {
    let one_cpu = case.boot.kernel.cpus == Some(1);
    let per_record = || {
        let kernel = Setting::Kernel { series: PER_RECORD, rt: true };
        if one_cpu { case.saves(&[kernel, Setting::Cpus(2)]) } else { case.saves(&[kernel]) }
    };
    let price = "a hang leaves the last messages unprinted; the log arrives later than the boot ends";
    match line.console.printing {
        Printing::Synchronous | Printing::RtPatch | Printing::Unknown => Some(Advice::new(
            "print by a thread: a PREEMPT_RT kernel from 6.19 on, with two processors or more",
            "CONFIG_PREEMPT_RT=y",
            price,
        )
        .saving(per_record())),
        Printing::ThreadWholeFlush => Some(Advice::new(
            "take a kernel whose printer thread gives the console lock up after each record: 6.19 or later, or one with \
             the commit \"printk: Use console_flush_one_record for legacy printer kthread\"; it needs two processors",
            "6.19 or later, CONFIG_PREEMPT_RT=y",
            price,
        )
        .saving(per_record())),
        Printing::ThreadPerRecord if one_cpu => Some(Advice::plain(
            "give the printer thread a processor of its own: with one it and the boot take turns",
            "a second processor",
        )
        .saving(case.saves(&[Setting::Cpus(2)]))),
        // A wait that ended with the backlog is what 6.19 did away with; shorter ones belong to its way of printing.
        Printing::ThreadPerRecord if case.boot.waits.iter().any(held_until_drained) => Some(Advice::plain(
            "check that this kernel has the commit \"printk: Use console_flush_one_record for legacy printer kthread\": \
             its version says so, the waits say no",
            "a look into the kernel's tree",
        )),
        Printing::ThreadPerRecord => None,
        Printing::Nbcon => None,
    }
}

fn held_until_drained(w: &Wait) -> bool {
    w.cause == WaitCause::ConsoleLock && w.time.low() > Dur::from_millis(500)
}

/// An nbcon console whose registration flushes by its thread.
pub(super) fn nbcon_flush(case: &Case<'_>, line: &Line) -> Option<Advice> {
    let kernel = &case.boot.kernel;
    let flushes_by_thread = |s: Series| (FLUSH_BY_THREAD..=Series::new(7, 1)).contains(&s);
    (line.console.printing == Printing::Nbcon && !kernel.series.is_some_and(flushes_by_thread)).then(|| {
        Advice::new(
            "take a kernel that leaves the flush of an nbcon console to its thread",
            "6.17 to 7.1",
            "a hang before the thread runs leaves less on the line",
        )
        .saving(case.saves(&[Setting::Kernel { series: FLUSH_BY_THREAD, rt: kernel.rt }]))
    })
}
