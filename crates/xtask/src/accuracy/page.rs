// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page: errors by group, then each prediction.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::row::{Cell, Row, Run, median, name};

/// The rows as Markdown.
pub fn markdown(rows: &[Row], refused: &[String], cells: &BTreeMap<Cell, Vec<Run>>, runs: usize) -> String {
    let mut out = String::from(HEAD);
    let mut groups: Vec<&str> = rows.iter().map(|r| r.group).collect();
    groups.dedup();
    out += &verdict(rows, runs);
    out += "| what is predicted | predictions | median error | worst | measured within the interval | spread of the boots measured |\n";
    out += "| --- | --- | --- | --- | --- | --- |\n";
    for g in &groups {
        out += &summary(g, rows.iter().filter(|r| r.group == *g));
    }
    out += &summary("**all**", rows.iter());
    if let Some(errors) = Errors::of(rows.iter().filter_map(|r| r.log).map(|(p, m)| p / m - 1.0)) {
        _ = writeln!(out, "| the log complete | {} | | |", errors.cells());
    }
    let booted: Vec<String> = cells.iter().map(|(c, runs)| format!("{} ({})", name(c), runs.len())).collect();
    _ = writeln!(out, "\nBooted (runs): {}. Other cells of the matrix were not booted.", booted.join(", "));
    if !refused.is_empty() {
        _ = writeln!(out, "\nNot predicted: {}.", refused.join("; "));
    }
    for g in groups {
        _ = writeln!(out, "\n## {g}\n");
        out += "| from | change | predicted [s] | measured [s] | boots | error | log complete, predicted / measured [s] |\n";
        out += "| --- | --- | --- | --- | --- | --- | --- |\n";
        for r in rows.iter().filter(|r| r.group == g) {
            let [low, best, high] = r.predicted;
            let log = r.log.map_or(String::new(), |(p, m)| format!("{p:.2} / {m:.2}"));
            let mark = if r.inside() { "" } else { " (outside)" };
            _ = writeln!(
                out,
                "| {} | {} | {best:.2} ({low:.2}..{high:.2}) | {:.2} | {} | {:+.1} %{mark} | {log} |",
                r.from,
                r.change,
                r.measured,
                r.boots,
                r.error() * 100.0
            );
            debug_assert!(!r.to.is_empty());
        }
    }
    out
}

/// How far off predictions are, as shares, without their signs.
struct Errors {
    all: Vec<f64>,
    median: f64,
    worst: f64,
}

impl Errors {
    /// None if there is no prediction.
    fn of(errors: impl Iterator<Item = f64>) -> Option<Errors> {
        let all: Vec<f64> = errors.map(f64::abs).collect();
        let worst = all.iter().copied().fold(0.0, f64::max);
        Some(Errors { median: median(all.clone())?, worst, all })
    }

    /// How many there are, the median and the worst one, as cells of the first table.
    fn cells(&self) -> String {
        format!("{} | {:.1} % | {:.1} %", self.all.len(), self.median * 100.0, self.worst * 100.0)
    }
}

/// How many measured times are within the predicted interval.
fn inside<'r>(rows: impl Iterator<Item = &'r Row>) -> usize {
    rows.filter(|r| r.inside()).count()
}

/// A line of the first table.
fn summary<'r>(title: &str, rows: impl Iterator<Item = &'r Row> + Clone) -> String {
    let Some(errors) = Errors::of(rows.clone().map(Row::error)) else { return String::new() };
    let scatter = median(rows.clone().filter_map(|r| r.spread).collect())
        .map_or_else(String::new, |share| format!("{:.1} %", share * 100.0));
    format!("| {title} | {} | {} of {} | {scatter} |\n", errors.cells(), inside(rows), errors.all.len())
}

/// The aims, of the median and of the worst error.
const AIMS: [f64; 2] = [0.03, 0.08];

/// Whether the aims were reached, in a paragraph.
fn verdict(rows: &[Row], runs: usize) -> String {
    let Some(errors) = Errors::of(rows.iter().map(Row::error)) else { return "No boots.\n\n".to_owned() };
    let beyond = errors.all.iter().filter(|e| **e > AIMS[1]).count();
    let reached = reached([errors.median <= AIMS[0], errors.worst <= AIMS[1]]);
    let [of_median, of_worst] = AIMS.map(|aim| aim * 100.0);
    format!(
        "The aims are a median error of {of_median:.0} % and a worst error of {of_worst:.0} %: {reached}. In {} predictions against {runs} \
         measured boots\nthe median is {:.1} %, the worst error {:.1} %, {beyond} are off by more than {of_worst:.0} %, and {} of the \
         measured times are within the predicted interval.\n\n",
        rows.len(),
        errors.median * 100.0,
        errors.worst * 100.0,
        inside(rows.iter())
    ) + &verdict_on_kthreads(rows.iter().filter(|r| r.group.starts_with("a printer kthread")))
}

/// Which of two aims are reached.
fn reached(aims: [bool; 2]) -> &'static str {
    match aims {
        [true, true] => "both are reached",
        [true, false] => "the first is reached, the second is not",
        [false, true] => "the second is reached, the first is not",
        [false, false] => "neither is reached",
    }
}

/// The aim for the median where a kthread prints; nineteen of twenty are to be within their interval.
const KTHREAD_AIM: f64 = 0.05;

/// The same for predictions of boots in which a kthread prints.
fn verdict_on_kthreads<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> String {
    let Some(errors) = Errors::of(rows.clone().map(Row::error)) else { return String::new() };
    let (count, inside) = (errors.all.len(), inside(rows));
    let reached = reached([errors.median <= KTHREAD_AIM, inside * 20 >= count * 19]);
    format!(
        "Where a kthread prints, the aims are a median error of {:.0} % and at most one measured time in twenty outside\nthe interval: \
         {reached}. The median is {:.1} %, and {inside} of {count} are within. The intervals are wide there.\n\n",
        KTHREAD_AIM * 100.0,
        errors.median * 100.0
    )
}

const HEAD: &str = "\
# Accuracy of predictions

Each prediction starts from ONE capture and nothing else (no kernel log, no second boot), and is compared with the median of lab
boots with that change. Times count from the kernel's first byte to init, by the host's clock on the unpaced port; where the console
stays silent, from QEMU's start (the time before the first byte is then the median of this kernel's boots). QEMU translates the
guest's code on a shared host, so a boot's own work varies by 10 % and more, which matters most where the console costs least
(115200 baud, a silent console). The last column of the table says by how much boots of the same arm differ, where several were booted:
from the fastest to the slowest, as a median. Each prediction starts from one such boot.

";
