// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::probe_remedies::{Probed, asynchronous_probes};
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv005,
    doc: "A PCIe host controller waits for its link to come up: 0.1 to 1 s a port. Where nothing is plugged in, it waits \
          for the whole time-out.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(50);

/// How host drivers say that no link came up: DesignWare (1 s; "Device not found" from 6.19 on), Xilinx, Aardvark, Tegra, R-Car, Rockchip, Broadcom STB,
/// MediaTek, X-Gene, Altera.
const NO_LINK: [&str; 10] = [
    "Phy link never came up",
    "PHY link never came up",
    "link never came up",
    "PCIe link down",
    "PCIe Link is DOWN",
    "PCIe link training gen1 timeout",
    "link 0 down, ignoring",
    "link up timeout",
    "link down",
    "Device not found",
];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let is_pcie = |i: usize| {
        let record = case.kernel(i);
        let subject = record.and_then(|r| silence::subject(r.text)).unwrap_or_default().to_ascii_lowercase();
        // "pci-tegra 1003000.pcie", "10000000.pci"; but a driver of another device may end in _pci.
        subject.contains("pcie") || subject.contains("pci-") || subject.ends_with(".pci")
    };
    let mut silences = silence::ending_with(case, &NO_LINK, LEAST);
    silences.retain(|s| is_pcie(s.before));
    let Some(first) = silences.first() else { return Vec::new() };
    let device = case.kernel(first.before).and_then(|r| silence::subject(r.text)).unwrap_or("a port");
    let others = match silences.len() {
        1 => String::new(),
        n => format!(" and {} more waits", n - 1),
    };
    let took = seconds(silence::cost(&silences).best());
    let title = format!("{device}{others} waited {took} for a PCIe link that did not come up");
    let remedies = vec![
        Remedy::in_words(
            "disable the port in the device tree (status = \"disabled\") if nothing is plugged in",
            Effort::Rebuild,
            "what is plugged in later is not found",
            Risk::Medium,
        ),
        asynchronous_probes(
            "probe the host controllers in parallel with other drivers",
            Probed::Drivers,
            "device names may change order",
            Risk::High,
        ),
    ];
    vec![silence::finding(case, RULE.id, &silences, title, remedies)]
}
