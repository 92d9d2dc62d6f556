// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chain through the whole boot: how its time divides, its links, and what is not critical.
use super::links_table::links_table;
use super::options::CriticalChainOptions;
use super::path_basis::{basis, share_of_outstanding};
use super::shown_chain::ShownChain;
use super::slack::slack;
use super::small_links::outstanding;
use super::units;
use crate::document::{Document, Text};
use crate::explain::{no_end, untrusted};
use crate::problem::left_out;
use crate::style::Style;
use crate::time_value::{ClockName, TimeValue, share};
use crate::whole::readiness;
use bootline_analysis::boot_chain::{ChainEnd, ChainPart};
use bootline_boot::{Boot, DependenciesKnown, WholeEnd, WholeOrigin};
use bootline_capture::units::Dur;
use std::collections::HashSet;

/// The chain from the earliest known moment to the application.
pub(super) fn whole_chain(document: &mut Document, shown: &ShownChain<'_, '_>, options: &CriticalChainOptions) {
    let boot = shown.boot;
    let readiness = readiness(boot).filter(|_| shown.chain.until == ChainEnd::Reached(WholeEnd::Application));
    document.paragraph(sum(shown).words(readiness.unwrap_or_default()));
    if shown.chain.since != WholeOrigin::PowerOn {
        document.paragraph(format!("What came before {} is not in these figures.", shown.chain.since.title()));
    }
    let of_units = shown.units.filter(|_| shown.chain.has_units());
    if of_units.is_some() {
        queue(document, shown);
    } else if names_no_unit(boot) {
        document.paragraph(
            "The sources show which unit starts after which: `--app NAME.service=REGEX` names the unit that prints the line, and shows the units \
             that it waited for.",
        );
    }
    let outstanding = match shown.path {
        Some(path) => {
            document.paragraph(basis(boot, path, "The kernel's part"));
            let outstanding = outstanding(path, options);
            if outstanding.len() < path.segments.len() {
                document.paragraph(share_of_outstanding(path, &outstanding, "the kernel's"));
            }
            outstanding
        }
        None => {
            document.paragraph(no_end(boot));
            HashSet::new()
        }
    };
    untrusted(document, boot);
    left_out(document, &boot.problems);
    document.table(links_table(shown, &outstanding, "what", shown.end_title()));
    if let Some(path) = shown.path {
        slack(document, path);
    }
    if let Some(units) = of_units {
        units::slack(document, boot, units, shown.chain.start);
        units::off_path(document, boot, units);
    }
}

/// Whether the application was named by something else than the unit that it is.
fn names_no_unit(boot: &Boot) -> bool {
    boot.whole.dependencies != DependenciesKnown::Nothing
        && boot.whole.application.as_ref().is_some_and(|app| app.unit.is_none())
}

/// `The application (app.service) was up 30.7 s after power-on: 1.7 s before the kernel, 10.8 s in the kernel, ...`
fn sum(shown: &ShownChain<'_, '_>) -> Text {
    let chain = shown.chain;
    let clock = ClockName::of_axis(shown.boot.timeline.clock);
    let mut text = Text::new()
        .words(shown.reached())
        .words(" ")
        .styled_time(TimeValue::exact(chain.length()).by(clock), Style::Strong)
        .words(format!(" after {}", chain.since.title()));
    let parts: Vec<(ChainPart, Dur)> = ChainPart::ALL
        .into_iter()
        .map(|part| (part, chain.part(part)))
        .filter(|(_, length)| *length > Dur::ZERO)
        .collect();
    for (n, (part, length)) in parts.iter().enumerate() {
        let before = match n {
            0 => ": ",
            _ if n + 1 == parts.len() => " and ",
            _ => ", ",
        };
        text = text.words(before).figure(TimeValue::exact(*length)).words(format!(" {}", title(*part)));
        let console = Some(chain.console(*part)).filter(|console| *part == ChainPart::Kernel && *console > Dur::ZERO);
        if let Some(console) = console {
            let console = TimeValue::exact(console).short();
            text = text.words(" (").styled(console, Style::Cost).words(" of it waiting for the console)");
        }
    }
    text.words(".")
}

fn title(part: ChainPart) -> &'static str {
    match part {
        ChainPart::BeforeKernel => "before the kernel",
        ChainPart::Kernel => "in the kernel",
        ChainPart::Initramfs => "in the initramfs",
        ChainPart::ManagerStart => "in systemd's own start",
        ChainPart::Units => "in units",
        ChainPart::Queue => "in units' queues",
        ChainPart::UserSpace => "in user space",
        ChainPart::Application => "in the application's own start",
    }
}

/// The time in units' queues, where there is any: systemd's own chain does not show it.
fn queue(document: &mut Document, shown: &ShownChain<'_, '_>) {
    let queue = shown.chain.part(ChainPart::Queue);
    if queue == Dur::ZERO {
        return;
    }
    let of_units = [ChainPart::Queue, ChainPart::Units, ChainPart::Application].map(|part| shown.chain.part(part));
    let share = share(queue, of_units.into_iter().sum()).map(|share| format!(", {share} of the chain of units,"));
    let text = Text::new()
        .words("The ")
        .styled(TimeValue::exact(queue).short(), Style::Cost)
        .words(format!(" in units' queues{} are no unit's own", share.unwrap_or_default()));
    document.paragraph(text.words(units::WHY_QUEUED));
}
