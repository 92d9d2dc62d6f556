// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`: the chain to the boot's end, from the end back, and what ran in parallel with it.
//!
//! Of a log alone that is the kernel's critical path; with other sources or an application, the chain through the whole boot.
mod deciding_chain;
mod json;
mod links_table;
mod options;
mod path_basis;
mod shown_chain;
mod slack;
mod small_links;
mod units;
mod whole_chain;

pub(crate) use deciding_chain::DecidingChain;
use deciding_chain::whole_chain_of;
pub(crate) use json::CriticalPathBoot;
pub use json::critical_chain_json;
pub use options::CriticalChainOptions;
pub(crate) use shown_chain::ShownChain;

use crate::boot_label::BootLabel;
use crate::document::{Document, Text};
use crate::explain::{no_end, since, title, untrusted};
use crate::problem::left_out;
use crate::style::Style;
use crate::time_value::{ClockName, TimeValue};
use crate::whole;
use bootline_analysis::boot_chain::BootChain;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::user_space::UnitChain;
use bootline_boot::{Boot, BootEnd, EndedBy, TimeOrigin};
use bootline_capture::units::{Dur, Interval};
use links_table::links_table;
use path_basis::{basis, share_of_outstanding};
use slack::slack;
use small_links::outstanding;

/// The chain, for people. None where the log has no end or no times.
pub fn critical_chain(
    boot: &Boot,
    critical_path: Option<&CriticalPath>,
    options: &CriticalChainOptions,
    source: &BootLabel,
) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    let units = UnitChain::of(boot);
    let chain = whole_chain_of(boot, critical_path, units.as_ref());
    match (&chain, critical_path.zip(boot.end.as_ref())) {
        (Some(chain), _) => {
            let shown = ShownChain { boot, chain, path: critical_path, units: units.as_ref() };
            whole_chain::whole_chain(&mut document, &shown, options);
        }
        (None, Some((critical_path, end))) => path(&mut document, boot, critical_path, end, options),
        (None, None) => document.paragraph(no_end(boot)),
    }
    if let Some(units) = units.as_ref().filter(|_| !chain.as_ref().is_some_and(BootChain::has_units)) {
        units::units(&mut document, boot, units);
    }
    if units.is_some() || chain.is_some() {
        whole::sources(&mut document, boot);
    }
    document
}

/// The path to the boot's end.
fn path(
    document: &mut Document,
    boot: &Boot,
    critical_path: &CriticalPath,
    end: &BootEnd,
    options: &CriticalChainOptions,
) {
    let clock = ClockName::of_axis(boot.timeline.clock);
    let (what, reached) = match end.by {
        EndedBy::Marker => ("The marker was reached", "marker"),
        _ => ("Init started", "init"),
    };
    let mut sum = Text::new()
        .words(format!("{what} "))
        .styled_time(TimeValue::exact(critical_path.length()).by(clock), Style::Strong)
        .words(format!(" after {}; ", since(critical_path.since)));
    sum = match critical_path.console() {
        Dur::ZERO => sum.words("none of it was spent waiting for the console."),
        console => sum
            .styled(TimeValue::estimate(Interval::exact(console)).short(), Style::Cost)
            .words(" of it was spent waiting for the console."),
    };
    if critical_path.since != end.since && end.since == TimeOrigin::KernelFirstByte {
        sum = sum
            .words(" Counted from the kernel's first byte, it is ")
            .figure(TimeValue::exact(end.elapsed.best()))
            .words(".");
    }
    document.paragraph(sum);
    document.paragraph(basis(boot, critical_path, "The path"));
    untrusted(document, boot);
    left_out(document, &boot.problems);
    let outstanding = outstanding(critical_path, options);
    if outstanding.len() < critical_path.segments.len() {
        document.paragraph(share_of_outstanding(critical_path, &outstanding, "the path's"));
    }
    let chain = BootChain::of_path(boot, critical_path);
    let shown = ShownChain { boot, chain: &chain, path: Some(critical_path), units: None };
    document.table(links_table(&shown, &outstanding, "segment", reached));
    slack(document, critical_path);
}
