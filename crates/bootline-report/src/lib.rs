// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports, for people and for programs.
//!
//! ```text
//! Boot + Findings, Predictions ─┬─▶ Document ─▶ text (width, colour), Markdown, HTML
//!                               ├─▶ Picture ─▶ page (HTML, interactive), SVG
//!                               └─▶ explain-1, time-1, blame-1, predict-1 (JSON, schemas in docs/schema)
//! ```
//!
//! A [`Document`] holds the content of a report without its layout; renderers know nothing about boots. Each format is an
//! [`Emitter`], or a [`BootEmitter`] if memory is to hold only one boot at a time. Everything that a
//! renderer writes goes through [`escape`](escape::escaped): log text is hostile.
mod axis;
mod blame;
mod boot_label;
mod check;
mod compare;
mod counted;
mod critical_chain;
mod csv;
mod dmesg;
mod document;
mod emitter;
mod escape;
mod explain;
mod export_json;
mod grabserial;
mod html;
mod json;
mod json_format;
mod junit;
mod layout;
mod markdown;
mod phase;
mod plain;
mod plot;
mod predict;
mod problem;
mod results;
mod running_text;
mod schemas;
mod shell;
mod style;
mod summary;
mod table;
mod text;
mod time;
mod time_value;
mod trace;
mod whole;
mod wire;

pub use blame::{BlameOptions, blame, blame_json};
pub use boot_label::BootLabel;
pub use check::{GateMessage, GateSource, check, check_json, gate_message, gate_suite};
pub use compare::{compare, compare_json, compare_page};
pub use counted::counted;
pub use critical_chain::{CriticalChainOptions, critical_chain, critical_chain_json};
pub use csv::Csv;
pub use dmesg::Dmesg;
pub use document::{Block, Document, Entry, Piece, Text};
pub use emitter::{BootEmitter, Emitter, ReportedBoot};
pub use escape::escaped;
pub use explain::{explain, explain_json, rules};
pub use export_json::ExportJson;
pub use grabserial::Grabserial;
pub use html::html_text;
pub use json::{BootsJson, JsonEmitter, JsonItem, JsonLine};
pub use junit::{JunitEmitter, TestCase, TestOutcome, TestSuite, TestSuites};
pub use markdown::MarkdownEmitter;
pub use plain::PlainText;
pub use plot::{Picture, page, svg};
pub use predict::{predictions, predictions_json};
pub use results::{JunitBoots, Lava, test_suite};
pub use schemas::{schema_of, schemas};
pub use shell::static_page;
pub use style::Style;
pub use summary::{MarkdownSummary, summary};
pub use table::{Align, Column, Table};
pub use text::{TextEmitter, TextOptions, text};
pub use time::{time, time_json};
pub use time_value::{ClockName, TimeValue};
pub use trace::{Chrome, Perfetto};
pub use wire::{
    BootRun, BootRunsJson, CaptureEndWord, CaptureGap, CaptureJson, CaptureMark, ExperimentsJson, ExplainedRun,
    KernelBuildJson, KernelJson, KernelSeries, KernelsJson, LineErrorCounts, ListedExperiment, LoaderImageJson,
    LoaderJson, LoadersJson, OfferedKernel, RulesJson, SystemImageJson, SystemJson, SystemsJson, rules_json,
};
