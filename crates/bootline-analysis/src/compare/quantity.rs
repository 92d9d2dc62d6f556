// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is measured of a run and compared between runs, by names for budget files and command lines.
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::suggestion::nearest;
use bootline_boot::{PhaseName, SpanKind, StageName};

/// A quantity: each run has one number for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// From the boot's beginning to init's start: `time-to-init`.
    TimeToInit,
    /// The same to the record that ends the boot instead: `time-to-marker`.
    TimeToMarker,
    /// The length of a phase up to the boot's end: `phase:initcalls`.
    Phase(PhaseName),
    /// The length of a stage of the whole boot: `stage:loader`.
    Stage(StageName),
    /// From the earliest moment known to the application: `time-to-application`.
    TimeToApplication,
    /// Bytes for the console up to the boot's end: `console-bytes`.
    ConsoleBytes,
    /// What the console cost the boot: `console-cost`.
    ConsoleCost,
    /// From the boot's beginning to the first record with this text: `marker:login:`.
    Marker(String),
    /// An initcall, a probe or an async call, net of the console: `initcall:acpi_init`, `probe:0000:00:1f.2`.
    Span(SpanKind, String),
}

/// Unit of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
}

impl Quantity {
    /// Whether it is the time to the boot's end: init's start or the marker.
    pub fn is_time_to_end(&self) -> bool {
        matches!(self, Quantity::TimeToInit | Quantity::TimeToMarker)
    }

    /// Whether it is of the whole boot, from the earliest moment known to the application.
    pub fn is_of_whole_boot(&self) -> bool {
        matches!(self, Quantity::Stage(_) | Quantity::TimeToApplication)
    }

    /// Unit of its numbers.
    pub fn unit(&self) -> Unit {
        if *self == Quantity::ConsoleBytes { Unit::Bytes } else { Unit::Ns }
    }

    /// Whether there are hundreds of its kind, of which some differ by chance.
    pub fn is_one_of_many(&self) -> bool {
        matches!(self, Quantity::Span(..))
    }
}

/// Name of a kind of span.
pub(super) fn span_word(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Initcall => "initcall",
        SpanKind::Probe => "probe",
        SpanKind::Async => "async",
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::TimeToInit => f.write_str("time-to-init"),
            Quantity::TimeToMarker => f.write_str("time-to-marker"),
            Quantity::Phase(name) => write!(f, "phase:{}", name.word()),
            Quantity::Stage(name) => write!(f, "stage:{}", name.word()),
            Quantity::TimeToApplication => f.write_str("time-to-application"),
            Quantity::ConsoleBytes => f.write_str("console-bytes"),
            Quantity::ConsoleCost => f.write_str("console-cost"),
            Quantity::Marker(text) => write!(f, "marker:{text}"),
            Quantity::Span(kind, name) => write!(f, "{}:{name}", span_word(*kind)),
        }
    }
}

/// Why a text is not the name of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// Not a kind of quantity.
    #[error(
        "`{0}` is not a quantity; the quantities are time-to-init, time-to-marker, time-to-application, console-bytes, \
         console-cost, phase:NAME, stage:NAME, initcall:NAME, probe:NAME, async:NAME, marker:TEXT{meant}", meant = meant(.1)
    )]
    Unknown(String, Option<String>),
    /// Not a phase.
    #[error("no phase `{0}`; there are {known}{meant}", meant = meant(.1), known = PhaseName::ALL.map(PhaseName::word).join(", "))]
    NoPhase(String, Option<String>),
    /// Not a stage.
    #[error("no stage `{0}`; there are {known}{meant}", meant = meant(.1), known = StageName::ALL.map(StageName::word).join(", "))]
    NoStage(String, Option<String>),
    /// Nothing follows the colon.
    #[error("no name follows `{0}`")]
    NoName(String),
}

fn meant(name: &Option<String>) -> String {
    name.as_ref().map(|n| format!("; the nearest is `{n}`")).unwrap_or_default()
}

/// The error for an unknown quantity, with what was probably meant.
fn unknown(text: &str) -> QuantityError {
    let kinds = ["phase", "stage", "initcall", "probe", "async", "marker"];
    let names = ["time-to-init", "time-to-marker", "time-to-application", "console-bytes", "console-cost"];
    let meant = match text.split_once(':') {
        Some((kind, name)) => nearest(kind, kinds.map(str::to_owned)).map(|kind| format!("{kind}:{name}")),
        None => nearest(text, names.map(str::to_owned)),
    };
    QuantityError::Unknown(text.to_owned(), meant)
}

impl FromStr for Quantity {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Quantity, QuantityError> {
        match text {
            "time-to-init" => return Ok(Quantity::TimeToInit),
            "time-to-marker" => return Ok(Quantity::TimeToMarker),
            "time-to-application" => return Ok(Quantity::TimeToApplication),
            "console-bytes" => return Ok(Quantity::ConsoleBytes),
            "console-cost" => return Ok(Quantity::ConsoleCost),
            _ => {}
        }
        let (kind, name) = text.split_once(':').ok_or_else(|| unknown(text))?;
        let span = |kind| Quantity::Span(kind, name.to_owned());
        let quantity = match kind {
            "phase" => {
                let phase = PhaseName::ALL.into_iter().find(|p| p.word() == name);
                let meant = || nearest(name, PhaseName::ALL.map(|p| p.word().to_owned()));
                Quantity::Phase(phase.ok_or_else(|| QuantityError::NoPhase(name.to_owned(), meant()))?)
            }
            "stage" => {
                let stage = StageName::ALL.into_iter().find(|s| s.word() == name);
                let meant = || nearest(name, StageName::ALL.map(|s| s.word().to_owned()));
                Quantity::Stage(stage.ok_or_else(|| QuantityError::NoStage(name.to_owned(), meant()))?)
            }
            "marker" => Quantity::Marker(name.to_owned()),
            "initcall" => span(SpanKind::Initcall),
            "probe" => span(SpanKind::Probe),
            "async" => span(SpanKind::Async),
            _ => return Err(unknown(text)),
        };
        if name.is_empty() { Err(QuantityError::NoName(text.to_owned())) } else { Ok(quantity) }
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = [
            "time-to-init",
            "time-to-marker",
            "console-bytes",
            "console-cost",
            "phase:to-init",
            "stage:user-space",
            "time-to-application",
            "initcall:acpi_init",
            "probe:0000:00:1f.2",
            "async:do_scan_async",
            "marker:login: ",
        ];
        for name in names {
            assert_eq!(name.parse::<Quantity>().unwrap().to_string(), name);
        }
        for bad in ["", "time", "phase:userspace", "stage:userspace", "initcall:", "marker:", "module:x"] {
            assert!(bad.parse::<Quantity>().is_err(), "{bad}");
        }
        for (slip, meant) in [
            ("time-to-int", "time-to-init"),
            ("initcal:x", "initcall:x"),
            ("phase:initcal", "initcalls"),
            ("stage:lader", "loader"),
        ] {
            let words = slip.parse::<Quantity>().unwrap_err().to_string();
            assert!(words.ends_with(&format!("; the nearest is `{meant}`")), "{words}");
        }
    }

    #[test]
    fn phases_are_called_as_in_json() {
        for phase in PhaseName::ALL {
            assert_eq!(serde_json::to_value(phase).unwrap(), phase.word());
        }
    }
}
