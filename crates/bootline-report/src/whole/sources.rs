// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sources besides the log: what each is, and where its clock lies on the axis.
use crate::document::{Document, Entry};
use crate::time_value::TimeValue;
use bootline_boot::{AlignedBy, Alignment, Boot, SourceUse};

/// Lists the sources, if there are any besides the log.
pub(crate) fn sources(document: &mut Document, boot: &Boot) {
    if boot.whole.sources.is_empty() {
        return;
    }
    document.heading("Sources besides the log");
    document.entries(boot.whole.sources.iter().map(entry).collect());
}

fn entry(source: &SourceUse) -> Entry {
    let kind = source.kind.unwrap_or("not recognised");
    let kind = source.subject.map_or_else(|| kind.to_owned(), |subject| format!("{kind} ({subject})"));
    let text = match (&source.refused, &source.alignment) {
        (Some(why), _) => format!("{kind}: it {why}"),
        (None, Some(a)) => format!("{kind}: {}", alignment(a)),
        (None, None) => format!("{kind}: used for lengths or dependencies; it has no clock of its own"),
    };
    let text = match &source.note {
        Some(note) => format!("{text}; {note}"),
        None => text,
    };
    Entry::new(&source.name, text)
}

/// `its zero is at 0.003 s of the axis, by units' messages on the console (118 events, residual 0.001 s, 95 % within 0.020 s)`
fn alignment(a: &Alignment) -> String {
    let time = |d| TimeValue::exact(d).short();
    let place = format!("its clock's zero is at {} of the axis", time(a.offset));
    match (a.by, a.shared) {
        (AlignedBy::KernelStart | AlignedBy::NextStage, _) => format!("{place}, by {}", a.by.title()),
        (_, 0) => format!("{place}, by {}", a.by.title()),
        (_, n) => format!(
            "{place}, by {} ({n} events that both saw; they lie {} from it in the median, 95 % within {})",
            a.by.title(),
            time(a.residual),
            time(a.residual_p95)
        ),
    }
}
