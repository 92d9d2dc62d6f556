// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, percent, seconds, speed};
use super::{Finding, Rule, RuleId, TimelinePlace, console_remedies};
use bootline_boot::{ConsoleWait, WaitCause};
use bootline_capture::units::{Dur, Interval};
use bootline_console::Printing;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con007,
    doc: "No task waits for a console that a kthread prints to, but the kthread (nbcon_kthread_func, \
          legacy_kthread_func; nice -20) spins on the transmitter: it needs a CPU for as long as the line is busy. \
          With only one CPU the boot makes almost no progress until the line has drained. With a second CPU it costs \
          far less, but not nothing: in the lab the boot gets about half of its speed while the kthread prints, and \
          less where the kthread keeps interrupts off.",
    place: TimelinePlace::Waits(WaitCause::Processor),
    check,
};

/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(50), 0.02);

/// Maximum number of records cited: those after which most time was lost.
const SHOWN: usize = 3;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let waits: Vec<&ConsoleWait> = case.boot.waits.iter().filter(|w| w.cause == WaitCause::Processor).collect();
    let cost = waits.iter().fold(Interval::default(), |sum, w| sum + w.time);
    if cost.best() < case.threshold(LEAST.0, LEAST.1) {
        return Vec::new();
    }
    let mut longest = waits.clone();
    longest.sort_by_key(|w| std::cmp::Reverse(w.time.best()));
    longest.truncate(SHOWN);
    longest.sort_by_key(|w| w.index);
    let remedies = [
        match line.console.printing {
            Printing::Nbcon => Some(console_remedies::second_cpu(case)),
            _ => console_remedies::printer_kthread(case, line),
        },
        Some(console_remedies::print_less(case)),
        console_remedies::faster_line(case, line),
        console_remedies::module_with_replay(case),
        console_remedies::module_built_in(case),
    ];
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the printer kthread of {} occupied the only CPU for {}, {} of the boot",
            line.console.name,
            seconds(cost.best()),
            percent(cost.best(), case.total())
        ),
        cost,
        part_of: Vec::new(),
        why: format!(
            "{}: after {} records the boot made no progress until the line was free again, because the kthread spins until each byte is sent; the line transmits {}",
            clock(case),
            waits.len(),
            speed(line)
        ),
        evidence: cite_at(case.boot, longest.iter().map(|w| w.index)),
        time_ranges: Vec::new(),
        remedies: remedies.into_iter().flatten().collect(),
    }]
}
