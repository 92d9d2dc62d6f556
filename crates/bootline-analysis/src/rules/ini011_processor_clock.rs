// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::log002_silent_gap;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini011,
    doc: "The processor begins at a lower clock than it could run at: the boot loader set it up so, and the kernel raises it when its cpufreq \
          driver starts. Until then all that computes takes longer; waits for hardware do not.",
    place: TimelinePlace::Evidence,
    check,
};

/// A clock nearer to the nominal is not reported.
const SLOWER: f64 = 0.9;
/// Less is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// A processor ran slower than it could until a record.
struct Slow {
    /// Position of the record that shows it.
    shown: usize,
    /// Position of the record up to which it ran slower.
    until: usize,
    /// Its clock in MHz.
    clock: f64,
    /// A clock that it could have run at; it may reach more.
    possible: f64,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(slow) = by_cpufreq(case).or_else(|| by_loader(case)) else { return Vec::new() };
    if slow.clock <= 0.0 || slow.clock > slow.possible * SLOWER {
        return Vec::new();
    }
    let start = case.boot.power_on.or_else(|| (0..slow.until).find_map(|i| case.at(i)));
    let (Some(from), Some(to)) = (start, case.at(slow.until)) else { return Vec::new() };
    // What other findings explain is mostly waiting.
    let high = case.net(from, to).high().scale(1.0 - slow.clock / slow.possible);
    if high / 2 < LEAST {
        return Vec::new();
    }
    // A slow processor is what a silent gap may have been.
    let gaps = log002_silent_gap::check(case);
    let is_shared = gaps.iter().flat_map(|gap| &gap.time_ranges).any(|gap| gap.from < to && gap.to > from);
    let Slow { clock: mhz, possible, .. } = slow;
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the processor ran at {mhz:.0} MHz instead of {possible:.0} MHz for the first {}",
            seconds(to - from)
        ),
        cost: Interval::new(Dur::ZERO, high / 2, high),
        part_of: if is_shared { vec![RuleId::Log002] } else { Vec::new() },
        // No time of its own: all of it is somebody's work.
        time_ranges: Vec::new(),
        why: format!(
            "{}: if all the time that no other finding explains were computing, a clock of {possible:.0} MHz would save {} and a higher one more; \
             nothing shows how much of it was, and the best estimate is half",
            clock(case),
            seconds(high)
        ),
        evidence: cite_at(case.boot, [slow.shown]),
        remedies: vec![
            Remedy::in_words(
                "let the boot loader set the full clock, with the voltage that it needs",
                Effort::Rebuild,
                "another boot loader; too low a voltage crashes",
                Risk::High,
            ),
            Remedy::in_words(
                "build the cpufreq driver in, and start it earlier",
                Effort::Rebuild,
                "it needs the regulator and the clock driver before it",
                Risk::Medium,
            ),
        ],
    }]
}

/// `cpufreq: cpufreq_online: CPU0: Running at unlisted initial frequency: 198000 kHz, changing to: 792000 kHz` (from 5.9 on); before, from
/// 3.14 on, in two records: "Running at unlisted freq: 200000 KHz" and "Unlisted initial frequency changed to: 408000 KHz". What it changes to is
/// the next clock of the driver's list, not the highest.
fn by_cpufreq(case: &Case<'_>) -> Option<Slow> {
    let (shown, record) = case.find(": CPU0: Running at unlisted ").next()?;
    let clock = khz_after(record.text, " freq: ").or_else(|| khz_after(record.text, "frequency: "))?;
    let same = khz_after(record.text, "changing to: ").map(|possible| (shown, possible));
    let next = || {
        let changed = "Unlisted initial frequency changed to: ";
        case.find(changed).find(|(i, _)| *i > shown).and_then(|(i, r)| Some((i, khz_after(r.text, changed)?)))
    };
    let (until, possible) = same.or_else(next)?;
    Some(Slow { shown, until, clock: clock / 1000.0, possible: possible / 1000.0 })
}

fn khz_after(text: &str, words: &str) -> Option<f64> {
    let (_, rest) = text.split_once(words)?;
    rest.split(' ').next()?.parse().ok()
}

/// U-Boot on i.MX (arch/arm/mach-imx/cpu.c, from 2015): `CPU:   Freescale i.MX6Q rev1.5 1200 MHz (running at 792 MHz)`. The kernel may raise the
/// clock at any time without saying so: only the boot loader's time counts.
fn by_loader(case: &Case<'_>) -> Option<Slow> {
    let (shown, text) =
        case.before_kernel().find(|(_, text)| text.starts_with("CPU:") && text.contains(" MHz (running at "))?;
    let (before, after) = text.split_once(" MHz (running at ")?;
    let possible = before.rsplit(' ').next()?.parse().ok()?;
    let clock = after.split(' ').next()?.parse().ok()?;
    Some(Slow { shown, until: case.boot.milestones.first_kernel?, clock, possible })
}
