// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page: errors by group, then each prediction.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::row::{ANOTHER_KERNEL, Cell, Row, Run, median, name};

/// The rows as Markdown.
pub fn markdown(
    rows: &[Row],
    refused: &[String],
    cells: &BTreeMap<Cell, Vec<Run>>,
    not_booted: &[String],
    host_speeds: Option<[f64; 2]>,
) -> String {
    let mut out = String::from(HEAD);
    if let Some([least, greatest]) = host_speeds {
        _ = writeln!(
            out,
            "The host's own speed: the time from QEMU's start to the first byte (firmware, decompression, the kernel's start), the same work in\n\
             each boot of a kernel on as many CPUs, was from {:.0} % to {:.0} % of its median. The intervals allow for 10 %: on a host that\n\
             varies more, more of the measured times are outside.\n",
            least * 100.0,
            greatest * 100.0
        );
    }
    let mut groups: Vec<&str> = rows.iter().map(|r| r.group).collect();
    groups.dedup();
    out += &verdict(rows, cells.values().map(Vec::len).sum());
    out += "| what is predicted | predictions | median error | worst | measured within the interval | width of the interval | spread of the boots measured |\n";
    out += "| --- | --- | --- | --- | --- | --- | --- |\n";
    for g in &groups {
        out += &summary(g, rows.iter().filter(|r| r.group == *g));
    }
    out += &summary("**all**", rows.iter());
    if let Some(errors) = Errors::of(rows.iter().filter_map(|r| r.log).map(|(p, m)| p / m - 1.0)) {
        _ = writeln!(out, "| the log complete | {} | | | |", errors.cells());
    }
    let booted: Vec<String> = cells.iter().map(|(c, runs)| format!("{} ({})", name(c), runs.len())).collect();
    _ = writeln!(out, "\nBooted (runs): {}.", booted.join(", "));
    if !not_booted.is_empty() {
        _ = writeln!(out, "\nCells of the matrix without a valid boot: {}.", not_booted.join(", "));
    }
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
    let percent = |shares: Vec<f64>| median(shares).map_or_else(String::new, |share| format!("{:.1} %", share * 100.0));
    let width = percent(rows.clone().map(Row::width).collect());
    let scatter = percent(rows.clone().filter_map(|r| r.spread).collect());
    format!("| {title} | {} | {} of {} | {width} | {scatter} |\n", errors.cells(), inside(rows), errors.all.len())
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
    ) + &verdict_on_kthreads(rows.iter().filter(|r| r.kthread_prints))
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

/// The aims where a kthread prints: of the median error, and of the share of measured times outside their interval.
const KTHREAD_AIMS: [f64; 2] = [0.05, 0.05];

/// Whether the aims for boots in which a kthread prints were reached, in a paragraph.
fn verdict_on_kthreads<'r>(rows: impl Iterator<Item = &'r Row> + Clone) -> String {
    let Some(errors) = Errors::of(rows.clone().map(Row::error)) else { return String::new() };
    let (count, inside) = (errors.all.len(), inside(rows.clone()));
    let aims = |errors: &Errors, inside: usize| {
        #[allow(clippy::cast_precision_loss, reason = "counts of boots")]
        let outside = (errors.all.len() - inside) as f64 / errors.all.len() as f64;
        reached([errors.median <= KTHREAD_AIMS[0], outside <= KTHREAD_AIMS[1]])
    };
    let [of_median, of_outside] = KTHREAD_AIMS.map(|aim| aim * 100.0);
    let of_same_kernel = rows.filter(|r| r.group != ANOTHER_KERNEL);
    let same_kernel = Errors::of(of_same_kernel.clone().map(Row::error)).map_or_else(String::new, |e| {
        let inside = self::inside(of_same_kernel);
        format!(
            "\nOf the {} from the same kernel alone, the median is {:.1} %, and {inside} of the measured times are within the \
             interval: {}.",
            e.all.len(),
            e.median * 100.0,
            aims(&e, inside)
        )
    });
    format!(
        "Where a kthread prints (in the table: its groups, and part of another kernel), the aims are a median error of {of_median:.0} % and at most\n\
         {of_outside:.0} % of the measured times outside the interval: {}.\nThe median of {count} predictions is {:.1} %, and {inside} of the \
         measured times are within the interval.{same_kernel}\n\n",
        aims(&errors, inside),
        errors.median * 100.0
    )
}

const HEAD: &str = "\
# Accuracy of predictions

Each prediction starts from ONE capture and nothing else (no kernel log, no second boot), and is compared with the median of lab
boots with that change. Times count from the kernel's first byte to init, by the host's clock on the unpaced port; where the console
stays silent, from QEMU's start (the time before the first byte is then the median of this kernel's boots). QEMU translates the
guest's code on a shared host, so the time of a boot's own work varies (see below), which matters most where the console costs least
(115200 baud, a silent console). The last column of the table says by how much boots of the same arm differ, where several were booted:
from the fastest to the slowest, as a median. Each prediction starts from one such boot, that with the median time. The column before it
is the median width of the predicted intervals, as a share of the measured time: a wide interval says little.

What a printing kthread takes from a boot with two CPUs was fitted to boots: [console-model.md](console-model.md) says to which.

";

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kthread_prints: bool, measured: f64) -> Row {
        Row {
            group: "a group",
            kthread_prints,
            from: "6.12 9600 default".to_owned(),
            change: "baud=38400".to_owned(),
            predicted: [9.0, 10.0, 11.0],
            measured,
            spread: None,
            boots: 1,
            log: None,
        }
    }

    #[test]
    fn each_aim_is_judged_by_itself() {
        assert_eq!(
            [[true, true], [true, false], [false, true], [false, false]].map(reached),
            [
                "both are reached",
                "the first is reached, the second is not",
                "the second is reached, the first is not",
                "neither is reached"
            ]
        );
    }

    #[test]
    fn kthreads_have_aims_of_their_own() {
        // 11 % off, and within the interval; one of twenty is outside.
        let mut rows: Vec<Row> = (0..19).map(|_| row(true, 9.0)).collect();
        rows.push(row(true, 12.0));
        rows.extend((0..20).map(|_| row(false, 10.0)));
        let text = verdict(&rows, 3);
        assert!(
            text.contains(
                "interval: the second is reached, the first is not.\nThe median of 20 predictions is 11.1 %, and 19 of the \
                 measured times are within the interval.\nOf the 20 from the same kernel alone, the median is 11.1 %, and 19 \
                 of the measured times are within the interval: the second is reached, the first is not.\n\n"
            ),
            "{text}"
        );
        rows.push(Row { group: ANOTHER_KERNEL, ..row(true, 12.0) });
        let text = verdict(&rows, 3);
        assert!(
            text.contains("neither is reached.\nThe median of 21 predictions is 11.1 %, and 19 of")
                && text.contains("Of the 20 from the same kernel alone, the median is 11.1 %, and 19 of"),
            "{text}"
        );
        assert_eq!(verdict_on_kthreads([].iter()), "");
    }

    #[test]
    fn a_summary_shows_how_wide_the_intervals_are() {
        // From 9 to 11 s, where 10 and 8 s were measured: 20 and 25 %.
        let rows = [row(true, 10.0), row(true, 8.0)];
        assert_eq!(summary("a group", rows.iter()), "| a group | 2 | 12.5 % | 25.0 % | 1 of 2 | 22.5 % |  |\n");
    }
}
