// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the boots of one experiment show: how far moments and units are off, and how close predictions came.
use std::collections::BTreeMap;
use std::path::Path;

use bootline_analysis::boot_chain::{BootChain, ChainPart};
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::user_space::UnitChain;
use bootline_boot::Boot;
use bootline_stats::{Estimate, Samples, median};
use serde::Deserialize;

use crate::error::{Error, read_bytes};
use crate::whole_run::{App, MomentKind, Units, WholeRun, With};

/// The parts of a chain after the execution of the system's init.
pub const IN_USER_SPACE: [ChainPart; 5] =
    [ChainPart::ManagerStart, ChainPart::Units, ChainPart::Queue, ChainPart::Application, ChainPart::UserSpace];

/// A fixed seed: the same boots give the same page.
const SEED: u64 = 1;

/// The units of all boots that were explained from the same sources.
#[derive(Default)]
pub struct UnitsOfBoots {
    /// One value a boot.
    pub shown: Vec<f64>,
    /// Percent of the shown ones that are named.
    pub named: Vec<f64>,
    /// How many were compared.
    pub compared: Vec<f64>,
    /// Milliseconds, the middle of a boot's units.
    pub median: Vec<f64>,
    /// Milliseconds, the 95th percentile of a boot's units.
    pub most: Vec<f64>,
}

/// What the boots show.
#[derive(Default)]
pub struct Measured {
    /// Number of boots.
    pub boots: usize,
    /// By moment and sources: how far it is off, in percent, one value a boot.
    pub moments: BTreeMap<(MomentKind, With), Vec<f64>>,
    /// By sources.
    pub units: BTreeMap<With, UnitsOfBoots>,
    /// By sources: how the chain divides the time from the execution of the system's init until the application is executed, in percent,
    /// one value a boot for each part.
    pub parts: BTreeMap<With, BTreeMap<ChainPart, Vec<f64>>>,
    /// The host's load before each boot.
    pub loads: Vec<f64>,
}

impl Measured {
    /// Adds a boot.
    pub fn add(&mut self, run: &WholeRun, apps: &[App]) -> Result<(), Error> {
        self.boots += 1;
        self.loads.extend(run.truth.host.load1);
        for with in run.sources() {
            for (n, app) in apps.iter().enumerate() {
                let boot = run.boot(with, &app.marker)?;
                // What is not about the application is the same with each.
                let is_first = n == 0;
                for moment in run.moments(&boot, app).iter().filter(|m| is_first || m.kind.is_of_application()) {
                    self.moments.entry((moment.kind, with)).or_default().push(moment.off());
                }
                if !is_first {
                    continue;
                }
                if let Some(parts) = parts(&boot) {
                    let of_boots = self.parts.entry(with).or_default();
                    parts.into_iter().for_each(|(part, share)| of_boots.entry(part).or_default().push(share));
                }
                if let Some(units) = run.units(&boot)? {
                    self.units.entry(with).or_default().add(&units);
                }
            }
        }
        Ok(())
    }
}

/// The parts of user space as shares of it; none without an application.
fn parts(boot: &Boot) -> Option<Vec<(ChainPart, f64)>> {
    boot.whole.application.as_ref()?;
    let chain = BootChain::of(boot, CriticalPath::of(boot).as_ref(), UnitChain::of(boot).as_ref())?;
    let lengths = IN_USER_SPACE.map(|part| (part, chain.part(part).as_secs_f64()));
    let all: f64 = lengths.iter().map(|(_, length)| length).sum();
    (all > 0.0).then(|| lengths.into_iter().map(|(part, length)| (part, length / all * 100.0)).collect())
}

impl UnitsOfBoots {
    fn add(&mut self, units: &Units) {
        self.shown.push(units.shown as f64);
        self.named.push(units.share_named() * 100.0);
        self.compared.push(units.off.len() as f64);
        self.median.push(units.percentile(50));
        self.most.push(units.percentile(95));
    }
}

/// Units from the console alone, by the line's speed (baud).
#[derive(Default)]
pub struct UnitsBySpeed(pub BTreeMap<u32, UnitsOfBoots>);

impl UnitsBySpeed {
    /// Adds a boot.
    pub fn add(&mut self, run: &WholeRun, app: &App) -> Result<(), Error> {
        let Some(line) = &run.truth.line else { return Ok(()) };
        if let Some(units) = run.units(&run.boot(With::Console, &app.marker)?)? {
            self.0.entry(line.baud.get()).or_default().add(&units);
        }
        Ok(())
    }
}

/// The median of values, with its interval.
pub fn middle(values: &[f64]) -> Option<Estimate> {
    Some(median(&Samples::new(values.iter().copied())?, SEED))
}

/// How close an experiment's predictions came.
#[derive(Default)]
pub struct Predictions {
    /// Each arm's.
    pub arms: Vec<PredictedArm>,
}

/// An arm of `result.json` that was predicted.
pub struct PredictedArm {
    pub name: String,
    pub metric: String,
    pub runs: usize,
    /// Seconds: low, best, high.
    pub predicted: [f64; 3],
    pub measured: [f64; 3],
    /// `held`, `refuted`, `inconclusive`
    pub verdict: String,
}

impl PredictedArm {
    /// Percent by which the prediction is off.
    pub fn error(&self) -> f64 {
        (self.predicted[1] / self.measured[1] - 1.0) * 100.0
    }
}

impl Predictions {
    /// From the `result.json` that `experiment` wrote.
    pub fn read(results: &Path) -> Result<Predictions, Error> {
        let path = results.join("result.json");
        let outcome: Outcome = serde_json::from_slice(&read_bytes(&path)?).map_err(|e| Error::content(&path, e))?;
        let seconds = |figures: [f64; 3]| figures.map(|ns| ns / 1e9);
        let arm = |arm: Arm| {
            // The same system again is a measure of noise, no prediction.
            let (predicted, measured) = arm.predicted.filter(|p| p.change != "baseline").zip(arm.measured)?;
            Some(PredictedArm {
                name: arm.name,
                metric: arm.metric,
                runs: measured.n,
                predicted: seconds([predicted.low, predicted.best, predicted.high]),
                measured: seconds([measured.low, measured.median, measured.high]),
                verdict: arm.verdict.unwrap_or_default(),
            })
        };
        Ok(Predictions { arms: outcome.arms.into_iter().filter_map(arm).collect() })
    }
}

#[derive(Deserialize)]
struct Outcome {
    arms: Vec<Arm>,
}

#[derive(Deserialize)]
struct Arm {
    name: String,
    metric: String,
    predicted: Option<Predicted>,
    measured: Option<MeasuredArm>,
    verdict: Option<String>,
}

#[derive(Deserialize)]
struct Predicted {
    change: String,
    low: f64,
    best: f64,
    high: f64,
}

#[derive(Deserialize)]
struct MeasuredArm {
    n: usize,
    low: f64,
    median: f64,
    high: f64,
}
