// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline blame`: the initcalls and probes that took longest, without their waits for the console.
use crate::counted::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::boot_label::BootLabel;
use super::document::Document;
use super::explain::title;
use super::problem::left_out;
use super::style::Style;
use super::table::{Align, Table};
use super::time_value::ClockName;
use super::whole::{self, units_table};
use super::wire::word;
use crate::wire::{self, Clock};
use bootline_analysis::origin::origins;
use bootline_analysis::user_space::unit_times;
use bootline_boot::{Boot, Span};
use bootline_kbuild::{InitcallSource, Origin};

/// Which spans to show.
#[derive(Clone, Copy, Debug)]
pub struct BlameOptions<'t> {
    /// Maximum number of spans; none for all.
    pub count: Option<usize>,
    /// Whether to sort by gross time, which includes waits for the console.
    pub gross: bool,
    /// Where initcalls come from.
    pub initcalls: &'t InitcallSource,
}

impl Default for BlameOptions<'static> {
    /// All spans, by net time; initcalls as in the stock kernels.
    fn default() -> BlameOptions<'static> {
        BlameOptions { count: None, gross: false, initcalls: &InitcallSource::Stock }
    }
}

fn longest<'b>(boot: &'b Boot, options: &BlameOptions<'_>) -> Vec<&'b Span> {
    let mut spans: Vec<&Span> = boot.spans().iter().collect();
    // A stable sort: spans of equal length keep the order in which they ran.
    spans.sort_by_key(|s| std::cmp::Reverse(if options.gross { s.gross() } else { s.net() }));
    spans.truncate(options.count.unwrap_or(usize::MAX));
    spans
}

/// The longest spans, as a document.
pub fn blame(boot: &Boot, options: &BlameOptions<'_>, source: &BootLabel) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    if boot.spans().is_empty() {
        document.paragraph("The log names no initcalls and no probes.");
    } else {
        spans(&mut document, boot, options);
    }
    whole::traced_initcalls(&mut document, boot, Some(options.count.unwrap_or(usize::MAX)));
    let times = unit_times(boot);
    if times.iter().any(|t| t.activation.is_some()) {
        let table = units_table(boot, &times, options.count);
        let all = times.iter().filter(|t| t.activation.is_some()).count();
        let of = if table.rows.len() < all { format!("{} of ", table.rows.len()) } else { String::new() };
        document.paragraph(format!("{of}{}, sorted by the time to start", counted(all as u64, "unit")));
        document.table(table);
        whole::sources(&mut document, boot);
    }
    left_out(&mut document, &boot.problems);
    document
}

fn spans(document: &mut Document, boot: &Boot, options: &BlameOptions<'_>) {
    let clock = ClockName::of_axis(boot.timeline.clock).map_or("no clock", ClockName::title);
    let what = if options.gross { "gross" } else { "net" };
    document.paragraph(format!("{} initcalls and probes, sorted by {what} time ({clock})", boot.spans().len()));
    let mut table = Table::new([
        (if options.gross { "gross [s]" } else { "net [s]" }, Align::Right, 0),
        ("console [s]", Align::Right, 1),
        ("self [s]", Align::Right, 4),
        ("kind", Align::Left, 6),
        ("name", Align::Left, 0),
        ("module", Align::Left, 5),
        ("built by", Align::Left, 7),
        ("source", Align::Left, 8),
        ("returned", Align::Right, 3),
        ("records", Align::Right, 2),
    ]);
    for s in longest(boot, options) {
        let time = if options.gross { s.gross() } else { s.net() };
        let returned = match s.returned {
            Some(n) if s.deferred() => format!("{n} deferred"),
            Some(n) => n.to_string(),
            None => "never".to_owned(),
        };
        let origins = origins(boot, s, options.initcalls);
        let symbols: Vec<String> =
            origins.iter().flat_map(|o| &o.symbols).map(|symbol| format!("CONFIG_{symbol}")).collect();
        let files: Vec<&str> = origins.iter().map(|o| o.file).collect();
        let records = match s.last {
            Some(last) if last != s.first => format!("{}-{last}", s.first),
            _ => s.first.to_string(),
        };
        table.row(
            vec![
                time.to_string(),
                s.console.to_string(),
                s.self_time().to_string(),
                word(&s.kind),
                s.name.clone(),
                s.module.clone().unwrap_or_default(),
                symbols.join(", "),
                files.join(", "),
                returned,
                records,
            ],
            if s.returned.is_none() { Style::Warning } else { Style::Plain },
        );
    }
    document.table(table);
}

/// The longest spans, as JSON: one entry of `boots[]` in `docs/schema/blame-1.schema.json`.
pub fn blame_json<'b>(boot: &'b Boot, options: &BlameOptions<'b>, source: &'b BootLabel) -> impl Serialize + 'b {
    let blamed = |span: &'b Span| BlamedSpan {
        span: span.into(),
        origins: origins(boot, span, options.initcalls).into_iter().map(SpanOrigin::from).collect(),
    };
    BlamedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock.into(),
        spans_in_log: boot.spans().len(),
        spans: longest(boot, options).into_iter().map(blamed).collect(),
        traced_initcalls: boot.whole.traced_initcalls.iter().map(wire::TracedInitcall::from).collect(),
        units: unit_times(boot).iter().map(|time| wire::SystemUnit::new(boot, time)).collect(),
    }
}

/// The longest spans of a boot.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BlamedBoot<'b> {
    /// The input as it was named; `-` is standard input.
    source: &'b str,
    /// Which boot of that input, from 0.
    index: usize,
    /// The release, as in `uname -r`; null where the log lacks the banner.
    kernel_version: Option<&'b str>,
    clock: Clock,
    /// How many spans the log names.
    spans_in_log: usize,
    /// The longest first.
    spans: Vec<BlamedSpan<'b>>,
    /// Initcalls that a trace shows, by their start.
    traced_initcalls: Vec<wire::TracedInitcall<'b>>,
    /// Units of systemd and scripts of other inits, by their start.
    units: Vec<wire::SystemUnit<'b>>,
}

/// A span, and where it comes from.
#[derive(Serialize, JsonSchema)]
struct BlamedSpan<'b> {
    #[serde(flatten)]
    span: wire::Span<'b>,
    /// The source files that an initcall may be in; several if they use the same name, none if that is unknown.
    origins: Vec<SpanOrigin<'b>>,
}

/// The source of an initcall.
#[derive(Serialize, JsonSchema)]
struct SpanOrigin<'b> {
    /// The kernel series in which it is so: `6.12`.
    series: &'b str,
    /// Path in the kernel tree.
    file: &'b str,
    /// The symbols of which one builds it: `CONFIG_SATA_AHCI`; empty if every kernel has it.
    symbols: Vec<String>,
}

impl<'b> From<Origin<'b>> for SpanOrigin<'b> {
    fn from(origin: Origin<'b>) -> SpanOrigin<'b> {
        SpanOrigin {
            series: origin.series,
            file: origin.file,
            symbols: origin.symbols.iter().map(|symbol| format!("CONFIG_{symbol}")).collect(),
        }
    }
}
