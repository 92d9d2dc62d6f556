// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv010,
    doc: "The kernel starts the TPM and waits for its self-test (tpm_chip_register): 0.1 to 0.3 s for most chips, 1 s and more for some. \
          The boot waits, unless the driver is probed in parallel, as that for SPI is.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter start is not reported.
const LEAST: Dur = Dur::from_millis(100);

/// tpm_tis_core.c, 2.6 to 7.2 ("1.2 TPM (device-id 0x1B, rev-id 22)"), and tpm_tis_i2c_cr50.c, 5.12 to 7.2. They come before the start.
const FOUND: [&str; 2] = [" TPM (device-id ", "cr50 TPM 2.0 ("];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut silences = silence::beginning_with(case, &FOUND, LEAST);
    silences.retain(|s| case.kernel(s.after).is_some_and(|r| !r.text.starts_with("tpm_tis_spi")));
    let Some(first) = silences.first() else { return Vec::new() };
    let device = case.kernel(first.after).and_then(|r| silence::subject(r.text)).unwrap_or("the TPM");
    let title = format!("{device} took {} to start, as far as the log shows", seconds(silence::cost(&silences).best()));
    let remedy = Remedy::in_words(
        "build the TPM's driver as a module and load it when something needs it",
        Effort::Rebuild,
        "no measurements by IMA before that, no root file system whose key is in the TPM",
        Risk::Medium,
    );
    vec![silence::finding(case, RULE.id, &silences, title, vec![remedy])]
}
