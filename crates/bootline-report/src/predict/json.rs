// SPDX-License-Identifier: MIT OR Apache-2.0
//! Predictions as JSON.
use schemars::JsonSchema;
use serde::Serialize;

use crate::boot_label::BootLabel;
use crate::wire;
use bootline_analysis::predict::{Assumption, Prediction};
use bootline_analysis::predictions::Predictions;
use bootline_analysis::whole_change::WholePrediction;
use bootline_boot::{Boot, WholeEnd};

/// The predictions of a boot, as JSON: one entry of `boots[]` in `docs/schema/predict-1.schema.json`.
pub fn predictions_json<'b>(
    boot: &'b Boot,
    predictions: &'b Predictions,
    source: &'b BootLabel,
) -> impl Serialize + 'b {
    PredictedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock.into(),
        predictions: predictions.to_init.iter().flatten().map(PredictionJson::new).collect(),
        prediction_error: predictions.to_init.as_ref().err().map(ToString::to_string),
        whole_predictions: predictions
            .whole
            .iter()
            .flatten()
            .flatten()
            .map(|p| WholePredictionJson::new(p, boot))
            .collect(),
        whole_prediction_error: predictions.whole.as_ref().and_then(|w| w.as_ref().err()).map(ToString::to_string),
        trusted: boot.end.is_some() && !boot.problems.iter().any(|p| p.kind.spoils_the_answer()),
    }
}

/// The boot under other setups.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PredictedBoot<'b> {
    /// The input as it was named; `-` is standard input.
    source: &'b str,
    /// Which boot of that input, from 0.
    index: usize,
    /// The release, as in `uname -r`; null where the log lacks the banner.
    kernel_version: Option<&'b str>,
    clock: wire::Clock,
    /// The baseline first, then the requested change, or all what-ifs, the greatest saving first; empty if nothing can
    /// be predicted.
    predictions: Vec<PredictionJson<'b>>,
    /// Why nothing can be predicted; null if something is.
    prediction_error: Option<String>,
    /// The same from the earliest moment known to the application, or to what else ended the boot; empty where nothing was asked that
    /// the sources can answer.
    whole_predictions: Vec<WholePredictionJson<'b>>,
    /// Why the change of the whole boot can't be predicted; null if it is, or if none was asked for.
    whole_prediction_error: Option<String>,
    /// Whether the boot's end was reached and no problem spoils the figures.
    trusted: bool,
}

/// The boot under a change.
#[derive(Serialize, JsonSchema)]
struct PredictionJson<'b> {
    /// The change, as for `--set`: `baud=115200`; empty for the baseline.
    change: Vec<String>,
    /// Title, for display.
    title: &'b str,
    /// Time from the kernel's first byte to init; if the line stays silent, from where that byte is in the baseline.
    time_to_init_ns: wire::Interval,
    /// From the same instant until the last record before init has arrived; null if nothing is printed.
    log_complete_ns: Option<wire::Interval>,
    /// The baseline's time to init minus this one's; negative if the change makes it longer.
    saved_ns: wire::Interval,
    /// How much later the kernel's first byte comes than in the baseline.
    first_byte_shift_ns: wire::Interval,
    /// Bytes on the serial line.
    bytes: u64,
    /// What the change costs its user.
    price: &'b str,
    /// Assumptions that the figures rest on.
    assumptions: Vec<AssumptionJson<'b>>,
    /// What it takes on the system, all of it together.
    needs: Vec<wire::SystemChange<'b>>,
}

/// The whole boot under a change.
#[derive(Serialize, JsonSchema)]
struct WholePredictionJson<'b> {
    /// The change, as for `--set`: `mask=avahi-daemon.service`; empty for the baseline.
    change: Vec<String>,
    /// Title, for display.
    title: &'b str,
    /// What the length counts from.
    since: wire::WholeOrigin,
    until: wire::ChainEnd,
    /// Name of what it ends with: the application's, the target's.
    until_title: &'b str,
    /// From there to the application, or to what else ended the boot.
    length_ns: wire::Interval,
    /// The baseline's length minus this one's; negative if the change makes it longer.
    saved_ns: wire::Interval,
    /// What the change costs its user.
    price: &'b str,
    /// Assumptions that the figures rest on.
    assumptions: Vec<AssumptionJson<'b>>,
    /// What it takes on the system, all of it together.
    needs: Vec<wire::SystemChange<'b>>,
}

/// Something that a prediction takes for granted.
#[derive(Serialize, JsonSchema)]
struct AssumptionJson<'b> {
    /// A stable short name: `line-speed`.
    name: &'b str,
    /// Text, with figures.
    text: &'b str,
}

impl PredictionJson<'_> {
    fn new(p: &Prediction) -> PredictionJson<'_> {
        PredictionJson {
            change: p.change.settings().map(|s| s.to_string()).collect(),
            title: &p.title,
            time_to_init_ns: p.time_to_init.into(),
            log_complete_ns: p.log_complete.map(wire::Interval::from),
            saved_ns: p.saved.into(),
            first_byte_shift_ns: p.first_byte_shift.into(),
            bytes: p.bytes,
            price: &p.price,
            assumptions: AssumptionJson::all(&p.assumptions),
            needs: p.needs.iter().map(wire::SystemChange::from).collect(),
        }
    }
}

impl<'b> WholePredictionJson<'b> {
    fn new(p: &'b WholePrediction, boot: &'b Boot) -> WholePredictionJson<'b> {
        let application = boot.whole.application.as_ref().filter(|_| p.until == WholeEnd::Application);
        WholePredictionJson {
            change: p.change.words().collect(),
            title: &p.title,
            since: p.since.into(),
            until: p.until.into(),
            until_title: application.map_or(p.until.title(), |app| &app.name),
            length_ns: p.length.into(),
            saved_ns: p.saved.into(),
            price: &p.price,
            assumptions: AssumptionJson::all(&p.assumptions),
            needs: p.needs.iter().map(wire::SystemChange::from).collect(),
        }
    }
}

impl AssumptionJson<'_> {
    fn all(assumptions: &[Assumption]) -> Vec<AssumptionJson<'_>> {
        assumptions.iter().map(|a| AssumptionJson { name: a.name, text: &a.text }).collect()
    }
}
