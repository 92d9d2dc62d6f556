// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot on a page: the answer, the causes as a table, the stages, the phases. For places too small for `explain`, such as a
//! comment on a merge request.
use std::io::{self, Write};

use super::boot_label::BootLabel;
use super::document::Document;
use super::emitter::{BootEmitter, Emitter, ReportedBoot};
use super::explain::{CostPlace, answer, part_of};
use super::markdown::MarkdownEmitter;
use super::style::Style;
use super::table::{Align, Table};
use super::time_value::{TimeValue, share};
use super::{phase, problem, whole};
use bootline_analysis::rules::{Finding, RuleId};
use bootline_boot::Boot;
use bootline_capture::units::Dur;

/// Summaries of boots in Markdown.
#[derive(Clone, Copy, Debug, Default)]
pub struct MarkdownSummary {
    boots: usize,
}

impl BootEmitter for MarkdownSummary {
    fn boot(&mut self, reported: &ReportedBoot<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.boots > 0 {
            out.write_all(b"\n")?;
        }
        self.boots += 1;
        MarkdownEmitter(&summary(reported.boot, reported.findings, reported.label)).emit(out)
    }
}

/// The summary of a boot; `findings` in display order.
pub fn summary(boot: &Boot, findings: &[Finding], source: &BootLabel) -> Document {
    let mut document = Document::default();
    answer(&mut document, boot, source);
    whole::application(&mut document, boot);
    if !findings.is_empty() {
        document.heading("What costs time");
        document.table(causes(boot, findings));
    }
    whole::stages(&mut document, boot);
    phase::phases(&mut document, boot);
    problem::problems(&mut document, &boot.problems);
    document
}

fn causes(boot: &Boot, findings: &[Finding]) -> Table {
    // Of the time to init, as in `explain`: what user space or the boot loader cost is no part of that.
    let share_of = |f: &Finding| {
        let end = boot.end.as_ref().filter(|e| CostPlace::of(f, e.at.best()) == CostPlace::BeforeInit)?;
        share(f.cost.best(), end.elapsed.best())
    };
    let mut table = Table::new([
        ("cost", Align::Right, 0),
        ("share", Align::Right, 0),
        ("rule", Align::Left, 0),
        ("what", Align::Left, 0),
        ("what to do", Align::Left, 0),
    ]);
    let reported: Vec<RuleId> = findings.iter().map(|f| f.rule).collect();
    for f in findings {
        let costs = f.cost.high() > Dur::ZERO;
        let codes = part_of(f, &reported);
        let own = codes.is_empty();
        let rule = if own { f.rule.to_string() } else { format!("{} (part of {})", f.rule, codes.join(", ")) };
        let remedy = f.remedies.first().map(|r| match r.setting() {
            Some(setting) => format!("{}: {setting}", r.action),
            None => r.action.clone(),
        });
        let cells = vec![
            if costs { TimeValue::estimate(f.cost).short() } else { String::new() },
            share_of(f).filter(|_| costs).unwrap_or_default(),
            rule,
            f.title.clone(),
            remedy.unwrap_or_default(),
        ];
        table.row(cells, if own && costs { Style::Plain } else { Style::Faint });
    }
    table
}
