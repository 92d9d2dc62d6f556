// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accuracy of predictions from one capture, compared with measured boots: docs/accuracy.md.
//!
//! `make accuracy` boots the matrix of experiments/accuracy.toml first.
mod page;
mod row;

use std::collections::BTreeMap;
use std::path::Path;

use bootline_analysis::predict::{Change, Prediction, baseline, predict};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_console::DriverWait;
use bootline_images::arch::Arch;
use bootline_lab::boot::{RunVerdict, Truth};
use bootline_lab::experiment::Experiment;
use bootline_stats::Samples;

use crate::document::Document;
use crate::error::{Error, entries, read_bytes};
use row::{ANOTHER_KERNEL, Cell, Row, Run, median, name};

/// That of an arm.
fn cell(arm: &str) -> Option<Cell> {
    let (arm, cpus) = match arm.rsplit_once('-').and_then(|(rest, n)| Some((rest, n.strip_suffix("cpu")?))) {
        Some((rest, n)) => (rest, n.parse().ok()?),
        None => (arm, 1),
    };
    let (rest, label) = arm.rsplit_once('-')?;
    let (kernel, baud) = rest.rsplit_once('-')?;
    let named = kernel.split_once('-').and_then(|(arch, kernel)| Some((arch.parse().ok()?, kernel)));
    let (arch, kernel) = named.unwrap_or((Arch::Amd64, kernel));
    Some(Cell { arch, kernel: kernel.to_owned(), cpus, baud: baud.parse().ok()?, label: label.to_owned() })
}

/// That of the folder of a run, `ARM-NN`, as `experiment` names it.
fn cell_of_run(folder: &str) -> Option<Cell> {
    let (arm, number) = folder.rsplit_once('-')?;
    number.parse::<u32>().ok()?;
    cell(arm)
}

fn read(results: &Path) -> Result<BTreeMap<Cell, Vec<Run>>, Error> {
    let mut cells: BTreeMap<Cell, Vec<Run>> = BTreeMap::new();
    for folder in entries(&results.join("runs"))? {
        let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let path = folder.join("truth.json");
        let (Some(cell), Ok(text)) = (cell_of_run(name), read_bytes(&path)) else { continue };
        let truth: Truth = serde_json::from_slice(&text).map_err(|e| Error::content(&path, e))?;
        if truth.verdict == RunVerdict::Valid {
            cells.entry(cell).or_default().push(Run { capture: folder.join("boot.cap"), truth });
        }
    }
    Ok(cells)
}

fn boot(capture: &Path) -> Option<Boot> {
    let bytes = std::fs::read(capture).ok()?;
    BootRecords::all(&bytes).into_iter().map(|records| Boot::analyse(records, &BootOptions::default())).next()
}

/// From QEMU's start to the first byte, in seconds, of all boots of a kernel on as many CPUs whose console is not silent. It is
/// firmware, decompression and the kernel's start, whatever the speed of the line: the same work in each.
fn times_before_first_byte(cells: &BTreeMap<Cell, Vec<Run>>) -> BTreeMap<(Arch, &str, u32), Samples> {
    let mut times: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for (cell, runs) in cells.iter().filter(|(cell, _)| cell.label != "quiet") {
        let before = |r: &Run| Some((r.truth.first_byte_ns? - r.truth.qemu_started_ns).as_secs_f64());
        times.entry(cell.kernel_on_cpus()).or_default().extend(runs.iter().filter_map(before));
    }
    times.into_iter().filter_map(|(kernel, times)| Some((kernel, Samples::new(times)?))).collect()
}

/// The least and the greatest, as a share of the median of its group: how much the host's speed varied.
fn extremes_of_median<'s>(groups: impl Iterator<Item = &'s Samples>) -> Option<[f64; 2]> {
    let shares = groups.map(|group| [group.least() / group.median(), group.greatest() / group.median()]);
    shares.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

/// The settings that turn one cell into another; none if there are no such settings.
fn settings(from: &Cell, to: &Cell) -> Option<String> {
    let mut set = Vec::new();
    if from.arch != to.arch {
        return None;
    }
    if from.kernel != to.kernel {
        set.push(format!("kernel={}", to.kernel));
    }
    if from.cpus != to.cpus {
        set.push(format!("cpus={}", to.cpus));
    }
    if from.baud != to.baud {
        set.push(format!("baud={}", to.baud));
    }
    match (from.label.as_str(), to.label.as_str()) {
        (a, b) if a == b => {}
        ("default", "quiet") => set.push("quiet".to_owned()),
        ("initcall_debug", "default") => set.extend(["initcall_debug=0".to_owned(), "loglevel=7".to_owned()]),
        ("initcall_debug", "quiet") => set.extend(["initcall_debug=0".to_owned(), "quiet".to_owned()]),
        _ => return None,
    }
    Some(set.join(" "))
}

fn group(from: &Cell, to: &Cell) -> &'static str {
    match (from.kernel == to.kernel, to.printer_kthread(), to.cpus, to.label.as_str()) {
        (false, ..) => ANOTHER_KERNEL,
        (_, _, _, "quiet") => "a silent console",
        (_, None, ..) => "a synchronous console",
        (_, Some(_), 1, _) => "a printer kthread, one CPU",
        (_, Some(b), ..) if b.driver == DriverWait::SpinsIrqsOff => "a printer kthread with interrupts off, two CPUs",
        (_, Some(_), ..) => "a printer kthread, two CPUs",
    }
}

fn row(
    from: (&Cell, &Boot),
    to: (&Cell, &[Run]),
    before_first_byte: Option<f64>,
    refused: &mut Vec<String>,
) -> Option<Row> {
    let set = settings(from.0, to.0)?;
    let change = set.parse::<Change>().expect("settings");
    let p: Prediction = match predict(from.1, &change) {
        Ok(p) => p,
        Err(refusal) => {
            refused.push(format!("{}, {set}: {refusal}", name(from.0)));
            return None;
        }
    };
    let quiet = to.0.label == "quiet";
    let offset = if quiet { before_first_byte? + p.first_byte_shift.best().as_secs_f64() } else { 0.0 };
    let measured: Vec<f64> = if quiet {
        to.1.iter().filter_map(|r| Some(r.truth.since_start()?.as_secs_f64())).collect()
    } else {
        to.1.iter().filter_map(|r| Some(r.truth.time_to_init_ns?.as_secs_f64())).collect()
    };
    let measured = Samples::new(measured)?;
    let t = p.time_to_init;
    let arrived = || {
        median(
            to.1.iter()
                .filter_map(|r| Some(baseline(&boot(&r.capture)?).ok()?.log_complete?.best().as_secs_f64()))
                .collect(),
        )
    };
    Some(Row {
        group: group(from.0, to.0),
        kthread_prints: !quiet && to.0.printer_kthread().is_some(),
        from: name(from.0),
        change: set,
        predicted: [t.low(), t.best(), t.high()].map(|d| d.as_secs_f64() + offset),
        boots: measured.n(),
        spread: (measured.n() > 1).then(|| (measured.greatest() - measured.least()) / measured.median()),
        measured: measured.median(),
        log: p.log_complete.filter(|_| !quiet).and_then(|l| Some((l.best().as_secs_f64(), arrived()?))),
    })
}

/// Whether the console behaves differently in the other kernel, or with the other number of CPUs.
fn prints_otherwise(from: &Cell, to: &Cell) -> bool {
    from.behaviour() != to.behaviour() || from.cpus != to.cpus
}

/// The one with the median time, the lower of two; those without a time don't count. What the host did to a single boot is not the
/// model's error.
fn of_median_time<T, K: Ord>(runs: &[T], time: impl Fn(&T) -> Option<K>) -> Option<&T> {
    let mut by_time: Vec<&T> = runs.iter().filter(|run| time(run).is_some()).collect();
    by_time.sort_by_key(|run| time(run));
    by_time.get(by_time.len().saturating_sub(1) / 2).copied()
}

/// Predictions within one kernel start from its captures with the default messages, at 9600 and at 115200 baud, and from one with
/// initcall_debug.
fn starts_predictions(from: &Cell) -> bool {
    matches!((from.label.as_str(), from.baud), ("default", 9600 | 115_200) | ("initcall_debug", 38400))
}

/// Predictions of another kernel, or number of CPUs, whose console behaves differently, start only from slow lines: on a fast one all would
/// be easy.
fn starts_predictions_of_another_console(from: &Cell) -> bool {
    starts_predictions(from) && from.baud != 115_200
}

fn rows(
    cells: &BTreeMap<Cell, Vec<Run>>,
    before_first_byte: &BTreeMap<(Arch, &str, u32), Samples>,
    refused: &mut Vec<String>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (from, runs) in cells {
        if !starts_predictions(from) {
            continue;
        }
        let Some(run) = of_median_time(runs, |run| run.truth.time_to_init_ns) else { continue };
        let before = before_first_byte.get(&from.kernel_on_cpus()).map(Samples::median);
        let Some(b) = boot(&run.capture) else {
            refused.push(format!("{}: no boot in its capture", name(from)));
            continue;
        };
        for (to, measured) in cells {
            let same = to.kernel_on_cpus() == from.kernel_on_cpus();
            let alike = to.label == from.label && to.baud == from.baud;
            let other = !same && alike && prints_otherwise(from, to) && starts_predictions_of_another_console(from);
            if to != from && (same || other) {
                rows.extend(row((from, &b), (to, measured), before, refused));
            }
        }
    }
    rows.sort_by_key(|r| r.group);
    rows
}

/// The cells of the results' own experiment that have no valid boot, in the order of the file.
fn not_booted(results: &Path, booted: &BTreeMap<Cell, Vec<Run>>) -> Result<Vec<String>, Error> {
    let path = results.join("experiment.toml");
    let text = String::from_utf8_lossy(&read_bytes(&path)?).into_owned();
    // The copy has a name of its own.
    let experiment = Experiment::parse(&results.join("accuracy.toml"), &text).map_err(|e| Error::content(&path, e))?;
    let arms = experiment.arms.iter().map(|arm| arm.name.as_str());
    Ok(missing(arms, |cell| booted.contains_key(cell)))
}

fn missing<'a>(arms: impl Iterator<Item = &'a str>, booted: impl Fn(&Cell) -> bool) -> Vec<String> {
    arms.filter_map(|arm| match cell(arm) {
        Some(cell) => (!booted(&cell)).then(|| name(&cell)),
        // Not a cell: none of its runs is in the tables.
        None => Some(arm.to_owned()),
    })
    .collect()
}

const MARKS: [&str; 2] = ["<!-- generated by `make accuracy` -->\n", "<!-- end of `make accuracy` -->\n"];

/// The page, with the predictions that a results folder allows to check.
pub fn document(root: &Path, results: &Path) -> Result<Document, Error> {
    let cells = read(results)?;
    if cells.is_empty() {
        return Err(Error::NoRuns(results.to_owned()));
    }
    let mut refused = Vec::new();
    let before_first_byte = times_before_first_byte(&cells);
    let rows = rows(&cells, &before_first_byte, &mut refused);
    let host_speeds = extremes_of_median(before_first_byte.values());
    let not_booted = not_booted(results, &cells)?;
    let text = page::markdown(&rows, &refused, &cells, &not_booted, host_speeds);
    Document::between(root, "docs/accuracy.md", MARKS, |_| Ok(text.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_starts_from_the_median_boot() {
        let of = |times: &[Option<i32>]| of_median_time(times, |time| *time).copied().flatten();
        assert_eq!(of(&[Some(7)]), Some(7));
        assert_eq!(of(&[Some(9), Some(7)]), Some(7));
        assert_eq!(of(&[Some(9), Some(7), Some(8)]), Some(8));
        assert_eq!(of(&[None, Some(9), None, Some(7), Some(8)]), Some(8));
        assert_eq!(of(&[None]), None);
    }

    #[test]
    fn predictions_of_another_console_start_from_slow_lines() {
        let of = |arm: &str| {
            let from = cell_of_run(arm).unwrap();
            [starts_predictions(&from), starts_predictions_of_another_console(&from)]
        };
        assert_eq!(of("6.12-9600-default-01"), [true, true]);
        assert_eq!(of("arm64-7.2-115200-default-2cpu-01"), [true, false]);
        assert_eq!(of("7.2-rt-38400-initcall_debug-2cpu-01"), [true, true]);
        for arm in ["6.12-38400-default-01", "6.12-9600-quiet-01", "6.12-115200-initcall_debug-01"] {
            assert_eq!(of(arm), [false, false], "{arm}");
        }
    }

    #[test]
    fn cells_without_a_boot_are_named() {
        let arms = ["6.12-2400-quiet", "6.12-9600-quiet", "something else"];
        assert_eq!(missing(arms.into_iter(), |cell| cell.baud == 9600), ["6.12 2400 quiet", "something else"]);
    }

    #[test]
    fn how_much_the_host_varied_is_judged_within_each_kernel() {
        let of = |groups: &[&[f64]]| {
            let groups: Vec<Samples> = groups.iter().filter_map(|group| Samples::new(group.to_vec())).collect();
            extremes_of_median(groups.iter())
        };
        assert_eq!(of(&[&[2.0, 1.0, 3.0], &[10.0], &[]]), Some([0.5, 1.5]));
        assert_eq!(of(&[&[]]), None);
    }
}
