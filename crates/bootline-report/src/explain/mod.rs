// SPDX-License-Identifier: MIT OR Apache-2.0
//! The explanation of a boot: the answer first, then what it rests on.
mod answer;
mod cost_place;
mod finding;
mod json;
mod remedies;

pub use finding::rules;
pub use json::explain_json;

pub(super) use answer::{answer, in_a_sentence, kernel_title, no_end, since, title, untrusted};
pub(super) use cost_place::CostPlace;
pub(super) use finding::part_of;
pub(super) use json::ExplainedBoot;

use super::boot_label::BootLabel;
use super::document::Document;
use super::{phase, problem, whole};
use bootline_analysis::rules::Finding;
use bootline_boot::Boot;

/// A boot explained, for people. `findings` are in the order in which they are to be shown.
pub fn explain(boot: &Boot, findings: &[Finding], source: &BootLabel) -> Document {
    let mut document = Document::default();
    answer(&mut document, boot, source);
    whole::application(&mut document, boot);
    finding::findings(&mut document, boot, findings);
    whole::stages(&mut document, boot);
    whole::marks(&mut document, boot);
    phase::phases(&mut document, boot);
    whole::traced_initcalls(&mut document, boot, None);
    whole::processes(&mut document, boot);
    whole::sources(&mut document, boot);
    problem::problems(&mut document, &boot.problems);
    document
}
