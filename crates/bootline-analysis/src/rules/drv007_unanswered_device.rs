// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::probe_remedies::{OTHER_DISK_NAMES, Probed, asynchronous_probes};
use super::silence;
use super::wording::seconds;
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::Dur;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Drv007,
    doc: "A driver waits for a USB, SATA or MMC device that does not answer, until a time-out: 5 s for a USB descriptor, up \
          to 10 s for a SATA reset, 10 s for an MMC command. Either the device or its power is faulty, or the port is not \
          used and need not be probed.",
    place: TimelinePlace::Evidence,
    check,
};

/// A shorter silence is other work.
const LEAST: Dur = Dur::from_millis(200);

/// What a driver says when its time is up, and what kind of port it is.
const TIME_OUTS: [(&str, Port); 13] = [
    ("device descriptor read/", Port::Usb),
    ("device not accepting address", Port::Usb),
    ("unable to enumerate USB device", Port::Usb),
    ("link is slow to respond", Port::Sata),
    ("port is slow to respond", Port::Sata),
    ("COMRESET failed", Port::Sata),
    ("SRST failed", Port::Sata),
    ("failed to resume link", Port::Sata),
    ("SATA link down", Port::Sata),
    ("Timeout waiting for hardware interrupt", Port::Mmc),
    ("Timeout waiting for hardware cmd interrupt", Port::Mmc),
    ("whilst initialising SD", Port::Mmc),
    ("whilst initialising MMC", Port::Mmc),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Port {
    Usb,
    Sata,
    Mmc,
}

fn check(case: &Case<'_>) -> Vec<Finding> {
    [Port::Usb, Port::Sata, Port::Mmc].into_iter().filter_map(|port| check_port(case, port)).collect()
}

fn check_port(case: &Case<'_>, port: Port) -> Option<Finding> {
    let texts: Vec<&str> = TIME_OUTS.iter().filter(|(_, p)| *p == port).map(|(text, _)| *text).collect();
    let mut silences = silence::ending_with(case, &texts, LEAST);
    // -ETIMEDOUT and -ETIME; after another error the device did answer, wrongly.
    let other_error = |text: &str| {
        let code = text.split_once("error -").map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
        code.is_some_and(|c| !matches!(c, Some("110" | "62")))
    };
    silences.retain(|s| case.kernel(s.before).is_some_and(|r| !other_error(r.text)));
    let longest = silences.iter().max_by_key(|s| s.net.best())?;
    let device = case.kernel(longest.before).and_then(|r| silence::subject(r.text)).unwrap_or("a device");
    let title = format!(
        "waits for devices that did not answer took {}, the longest for {device}",
        seconds(silence::cost(&silences).best())
    );
    let unused = match port {
        Port::Usb => Remedy::in_words(
            "check the device and its supply; power an unused port down, or disable its controller in the device tree",
            Effort::Hardware,
            "devices at that port are not found",
            Risk::Medium,
        ),
        Port::Sata => Remedy::new(
            "do not probe ports that nothing is connected to",
            vec![SystemChange::open_parameter("libata.force", "the port, then :disable")],
            "disks at that port are not found",
            Risk::Medium,
        ),
        Port::Mmc => Remedy::in_words(
            "disable a controller without a card in the device tree, and tell the driver what is soldered (non-removable, no-sd, no-sdio)",
            Effort::Rebuild,
            "cards of the other kinds are not found",
            Risk::Medium,
        ),
    };
    let parallel = asynchronous_probes("probe it next to other drivers", Probed::Drivers, OTHER_DISK_NAMES, Risk::High);
    Some(silence::finding(case, RULE.id, &silences, title, vec![unused, parallel]))
}
