// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`: the critical path to the boot's end, from the end back, and what ran in parallel with it.
mod json;
mod options;
mod tables;
mod units;

pub(crate) use json::CriticalPathBoot;
pub use json::critical_chain_json;
pub use options::CriticalChainOptions;

use std::collections::HashSet;

use crate::boot_label::BootLabel;
use crate::document::{Document, Text};
use crate::explain::{no_end, since, title, untrusted};
use crate::style::Style;
use crate::time_value::{ClockName, TimeValue};
use crate::whole;
use bootline_analysis::critical_path::{CriticalPath, PathBasis, Segment, SegmentKind};
use bootline_analysis::user_space::UnitChain;
use bootline_boot::{Boot, BootEnd, EndedBy, TimeOrigin};
use bootline_capture::units::{Dur, Interval};
use tables::{longest, outstanding, segments_table, slack};

/// The chain, for people. None where the log has no end or no times.
pub fn critical_chain(
    boot: &Boot,
    critical_path: Option<&CriticalPath>,
    options: &CriticalChainOptions,
    source: &BootLabel,
) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    match critical_path.zip(boot.end.as_ref()) {
        Some((critical_path, end)) => path(&mut document, boot, critical_path, end, options),
        None => document.paragraph(no_end(boot)),
    }
    if let Some(chain) = UnitChain::of(boot) {
        units::units(&mut document, boot, &chain);
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
    document.paragraph(basis(boot, critical_path));
    untrusted(document, boot);
    let outstanding = outstanding(critical_path, options);
    if outstanding.len() < critical_path.segments.len() {
        document.paragraph(share(critical_path, &outstanding));
    }
    document.table(segments_table(critical_path, &outstanding, reached, end.record));
    let non_critical = longest(&critical_path.non_critical);
    if !non_critical.is_empty() {
        let more = critical_path.non_critical.len() - non_critical.len();
        let and = if more > 0 { format!(" {more} shorter ones are not shown.") } else { String::new() };
        document.paragraph(format!(
            "Not critical: shortening one of these saves nothing, and lengthening it by up to its slack costs nothing.{and}"
        ));
        document.table(slack(&non_critical));
    }
}

/// What the links that stand by themselves come to.
fn share(critical_path: &CriticalPath, outstanding: &HashSet<usize>) -> Text {
    let net = |s: &Segment| s.net();
    let all = critical_path.segments.iter().map(net).sum::<Dur>();
    let shown =
        critical_path.segments.iter().enumerate().filter(|(i, _)| outstanding.contains(i)).map(|(_, s)| net(s)).sum();
    Text::new()
        .words(format!("{} of the path's {} segments make up ", outstanding.len(), critical_path.segments.len()))
        .figure(TimeValue::exact(shown))
        .words(" of its ")
        .figure(TimeValue::exact(all))
        .words(" net of the console; the others are merged.")
}

fn basis(boot: &Boot, critical_path: &CriticalPath) -> String {
    let mut text = match critical_path.basis {
        PathBasis::AsyncCalls => "The path is derived from initcalls, async calls and the waits for them.".to_owned(),
        PathBasis::Initcalls => {
            "The path is derived from initcalls and probes. Waits inside an initcall count as its work; `async.dyndbg=+p` on the command line shows waits for async calls."
                .to_owned()
        }
        PathBasis::Records => {
            "The path is derived from records alone, and between two records nothing distinguishes work from waiting. \
             `initcall_debug` on the command line names what ran."
                .to_owned()
        }
    };
    let through =
        critical_path.segments.iter().any(|s| matches!(s.kind, SegmentKind::AsyncCall { .. } | SegmentKind::Initramfs));
    if through && boot.kernel.cpus == Some(1) {
        text += " With one CPU, a call that is not critical also takes CPU time from the path, so its slack is valid only if it sleeps.";
    }
    text
}
