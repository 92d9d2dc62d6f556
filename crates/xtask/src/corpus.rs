// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/corpus.md: what `explain` says of the corpus against what the host's clock said on the channel that was not paced.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bootline_analysis::boot::{Boot, BootOptions, BootRecords, TimeOrigin};
use bootline_capture::units::{Dur, Interval};
use bootline_console::Printing;
use bootline_lab::boot::Truth;

use crate::document::Document;
use crate::error::{Error, entries, read, read_bytes};

const HEAD: &str = "\
# The corpus against the truth

Boots of stock Debian kernels in QEMU, captured in our lab (`corpus/`, `scripts/capture-corpus`). Each row compares
what `bootline explain` reads from the capture alone with the host's clock on a second, unpaced channel.
Differences are shares of the time to init; a cost has its bounds behind it. The truth of the cost is the time for which the line was occupied
before init, where each writer waits; where a thread prints it is the same boot's time less that of boots with
nothing on the line (median of three, ± their range). There the printing thread, which spins on the
transmitter, also takes a processor from a boot that runs in a translator; one log can't tell how much of that
the boot missed, so the best figure holds the waits that the log proves (with one processor all of the
thread's time), the upper bound all of the thread's time, and `cargo test` asks that the bounds hold the truth.

This page is written by `cargo xtask docs`.

| case | time to init [s] | truth [s] | off | console cost [s] | truth [s] | off |
| --- | --: | --: | --: | --: | --: | --: |
";

/// A figure and its truth, in seconds.
struct Compared {
    explained: f64,
    low: f64,
    high: f64,
    truth: f64,
    /// How far the truth itself may be off (the range of silent boots).
    truth_error: f64,
}

impl Compared {
    fn new(explained: Interval, truth: Dur) -> Compared {
        let [low, explained, high] = [explained.low(), explained.best(), explained.high()].map(Dur::as_secs_f64);
        Compared { explained, low, high, truth: truth.as_secs_f64(), truth_error: 0.0 }
    }
}

/// A boot of the corpus.
struct Case {
    name: String,
    truth: Truth,
    boot: Boot,
    /// What the same boot took with nothing on the line, in nanoseconds, ascending.
    silent_ns: Vec<i64>,
}

impl Case {
    fn read(folder: &Path) -> Result<Case, Error> {
        let capture = folder.join("boot.cap");
        let records = BootRecords::all(&read_bytes(&capture)?).into_iter().next();
        let records = records.ok_or_else(|| Error::content(&capture, "no boot in it"))?;
        let path = folder.join("truth.json");
        let truth = serde_json::from_slice(&read_bytes(&path)?).map_err(|e| Error::content(&path, e))?;
        let path = folder.join("origin.toml");
        let origin: toml::Table = read(&path)?.parse().map_err(|e| Error::content(&path, e))?;
        let silent = origin.get("silent_ns").and_then(|v| v.as_array()).into_iter().flatten();
        let mut silent_ns: Vec<i64> = silent.filter_map(toml::Value::as_integer).collect();
        silent_ns.sort_unstable();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Case { name, truth, boot: Boot::analyse(records, &BootOptions::default()), silent_ns })
    }

    fn writers_wait(&self) -> bool {
        self.boot.line.as_ref().is_some_and(|l| l.console.printing == Printing::Synchronous)
    }

    fn time_to_init(&self) -> Option<Compared> {
        let end = self.boot.end.as_ref()?;
        let truth = match end.since {
            TimeOrigin::KernelFirstByte => self.truth.time_to_init_ns?,
            TimeOrigin::PowerOn => self.truth.since_start()?,
            TimeOrigin::KernelStart => return None,
        };
        Some(Compared::new(end.elapsed, truth))
    }

    /// The console's cost: where each writer waits it is the time for which the line was occupied; elsewhere, what
    /// the same boot took less with nothing on the line.
    fn cost(&self) -> Option<Compared> {
        let cost = self.boot.line.as_ref()?.cost;
        if self.writers_wait() {
            return Some(Compared::new(cost, self.truth.console_busy_before_init_ns?));
        }
        let silent: Vec<Dur> = self.silent_ns.iter().map(|ns| Dur::from_nanos(*ns)).collect();
        let (first, last) = (*silent.first()?, *silent.last()?);
        let truth = self.truth.since_start()? - silent[silent.len() / 2];
        Some(Compared { truth_error: (last - first).as_secs_f64(), ..Compared::new(cost, truth) })
    }
}

fn cases(root: &Path) -> Result<Vec<Case>, Error> {
    let folders: Vec<PathBuf> = entries(&root.join("corpus"))?.into_iter().filter(|p| p.is_dir()).collect();
    folders.iter().map(|folder| Case::read(folder)).collect()
}

fn row(case: &Case) -> Option<String> {
    let init = case.time_to_init()?;
    let share = |c: &Compared| (c.explained - c.truth) / init.truth * 100.0;
    let mut row = format!("| {} | {:.3} | {:.3} | {:+.2} % ", case.name, init.explained, init.truth, share(&init));
    let Some(cost) = case.cost() else {
        let cost = case.boot.line.as_ref().map(|l| l.cost).unwrap_or_default();
        let [low, best, high] = [cost.low(), cost.best(), cost.high()].map(Dur::as_secs_f64);
        return Some(row + &format!("| {best:.3} ({low:.1}..{high:.1}) | | |\n"));
    };
    let spread = if cost.truth_error > 0.0 { format!(" ± {:.1}", cost.truth_error) } else { String::new() };
    let Compared { explained, low, high, truth, .. } = cost;
    _ = writeln!(row, "| {explained:.3} ({low:.1}..{high:.1}) | {truth:.3}{spread} | {:+.2} % |", share(&cost));
    Some(row)
}

/// The page with a row a boot.
pub fn document(root: &Path) -> Result<Document, Error> {
    let mut text = HEAD.to_owned();
    for case in cases(root)? {
        let without = || Error::content(&root.join("corpus").join(&case.name), "no time to init");
        text.push_str(&row(&case).ok_or_else(without)?);
    }
    Ok(Document { path: "docs/corpus.md", text })
}

#[cfg(test)]
mod tests {
    use bootline_lab::boot::RunVerdict;

    use super::*;

    /// What a figure may be off by, as a share of the time to init.
    const MOST: f64 = 0.03;

    #[test]
    fn explain_agrees_with_the_hosts_clock() {
        let cases = cases(&crate::root()).unwrap();
        assert!(cases.len() >= 12, "only {} boots", cases.len());
        let mut wrong = Vec::new();
        for case in &cases {
            assert_eq!(case.truth.verdict, RunVerdict::Valid, "{}", case.name);
            let init = case.time_to_init().unwrap();
            if ((init.explained - init.truth) / init.truth).abs() > MOST {
                wrong.push(format!("{}: time to init {:.3} s, truth {:.3} s", case.name, init.explained, init.truth));
            }
            let Some(cost) = case.cost() else { continue };
            // Where a thread prints, one log can't say what it took from the boot: the interval must hold the truth.
            let best = (cost.explained, cost.explained);
            let (low, high) = if case.writers_wait() { best } else { (cost.low, cost.high) };
            let slack = MOST * init.truth + cost.truth_error;
            if cost.truth < low - slack || cost.truth > high + slack {
                wrong.push(format!("{}: cost {low:.3}..{high:.3} s, truth {:.3} s", case.name, cost.truth));
            }
        }
        assert!(wrong.is_empty(), "off by more than {} % of the time to init:\n{}", MOST * 100.0, wrong.join("\n"));
    }
}
