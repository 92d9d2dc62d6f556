// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON contract: the types that bootline writes, separate from those with which it computes.
//!
//! The schemas in `docs/schema` are derived from these types, and a test fails where they differ. A domain type may change its name
//! or its fields; what is written changes only here. Within a version fields are added, never removed or given another meaning.
//!
//! One shape for each thing: a time is an integer in nanoseconds under a key that ends in `_ns`; an interval is
//! `{low, best, high}` under such a key; a record is its number, as an integer.
mod baseline;
mod boot_chain;
mod boot_runs;
mod capture;
mod compare;
mod console;
mod critical_path;
mod experiments;
mod finding;
mod interval;
mod kernels;
mod loaders;
mod pair;
mod phase;
mod process;
mod record;
mod record_id;
mod remedy;
mod rules;
mod span;
mod systemd;
mod systems;
mod whole;
mod words;

pub(crate) use baseline::BaselineJson;
pub(crate) use boot_chain::{BootChainJson, ChainEnd};
pub use boot_runs::{BootRun, BootRunsJson, ExplainedRun};
pub use capture::{CaptureEndWord, CaptureGap, CaptureJson, CaptureMark, LineErrorCounts};
pub(crate) use compare::{ExcludedRun, Limit, Moved, Part, QuantityChange, Sum, Thresholds, limit};
pub(crate) use console::{ConsoleSwitch, RegisteredConsole};
pub(crate) use critical_path::{NonCritical, Segment};
pub use experiments::{ExperimentsJson, ListedExperiment};
pub(crate) use finding::{Finding, Problem};
pub(crate) use interval::{Estimate, Interval};
pub use kernels::{KernelBuildJson, KernelJson, KernelSeries, KernelsJson, OfferedKernel};
pub use loaders::{LoaderImageJson, LoaderJson, LoadersJson};
pub(crate) use phase::{Phase, TimeToInit};
pub(crate) use process::TracedInitcall;
pub(crate) use record::{AsyncWait, BacklogPoint, Gap, Record, Service, Wait};
pub(crate) use record_id::{Id, id, ids};
pub(crate) use remedy::SystemChange;
pub use rules::{RulesJson, rules_json};
pub(crate) use span::{DrawnSpan, Span};
pub(crate) use systemd::{DaemonMessage, ExportedUnit, SystemdTimes};
pub use systems::{SystemImageJson, SystemJson, SystemsJson};
pub(crate) use whole::{SystemUnit, UnitChainJson, WholeBoot};
pub(crate) use words::*;
