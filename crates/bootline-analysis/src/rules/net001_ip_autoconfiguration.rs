// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite_at;
use super::wording::{clock, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace};
use crate::predict::remove_parameters;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Net001,
    doc: "With ip= the kernel configures the network before it mounts the root (ip_auto_config): it opens the \
          interfaces, waits up to 120 s for a carrier, and asks DHCP. The boot waits for all of this. Only a root \
          file system on the network needs it; user space configures the interface again in any case.",
    place: TimelinePlace::Evidence,
    check,
};

/// Configuration shorter than this is not reported.
const LEAST: Dur = Dur::from_millis(50);

/// Messages of net/ipv4/ipconfig.c.
const WORDS: [&str; 4] = ["IP-Config: ", "Sending DHCP requests", "Sending BOOTP", "seconds for network"];

fn check(case: &Case<'_>) -> Vec<Finding> {
    let mut said: Vec<usize> = WORDS.iter().flat_map(|w| case.find(w)).map(|(i, _)| i).collect();
    said.sort_unstable();
    said.dedup();
    let found = match case.span("ip_auto_config") {
        Some(span) => span.end.map(|end| (TimeRange { from: span.start, to: end }, true)),
        None => said.first().zip(said.last()).and_then(|(first, last)| {
            // ipconfig prints after it has waited; its work began some time after the record before.
            let from = case.before(*first).map(|b| b.1).or(case.at(*first))?;
            Some((TimeRange { from, to: case.at(*last)? }, false))
        }),
    };
    let Some((time_range, exact)) = found else { return Vec::new() };
    let net = case.net(time_range.from, time_range.to);
    let cost = match said.first().and_then(|i| case.at(*i)) {
        Some(first) if !exact => Interval::new(case.net(first, time_range.to).low(), net.best(), net.high()),
        _ => net,
    };
    if cost.best() < LEAST {
        return Vec::new();
    }
    let command_line = &case.boot.kernel.command_line;
    let on_network = command_line.value("root") == Some("/dev/nfs") || command_line.value("nfsroot").is_some();
    let carrier = case.find("seconds for network").next().is_some();
    let mut remedies = Vec::new();
    if on_network {
        remedies.push(Remedy::new(
            "set a fixed address instead of using DHCP",
            vec![SystemChange::open_parameter("ip", "client:server:gateway:mask:host:device:off")],
            "the root file system is on the network, so an address is needed; this one is fixed",
            Risk::High,
        ));
    } else {
        let mut changes = remove_parameters(case.boot, |word| word.starts_with("ip="));
        if changes.is_empty() {
            changes.push(SystemChange::parameter("ip", "off"));
        }
        let price = "no root file system on NFS; the network is available later";
        remedies.push(Remedy::new("leave the network to user space", changes, price, Risk::Medium));
    }
    if carrier {
        remedies.push(Remedy::in_words(
            "bring the link up sooner: fix its speed, or start the PHY in the boot loader",
            Effort::Configuration,
            "no autonegotiation: the other end must be set to the same speed",
            Risk::Medium,
        ));
    }
    let span = case.span("ip_auto_config").into_iter();
    let ids = span.flat_map(|s| [Some(s.first), s.last]).flatten().filter_map(|id| case.boot.records.index_of(id));
    let mut cited: Vec<usize> = ids.chain(said.iter().copied().take(3)).chain(said.last().copied()).collect();
    cited.sort_unstable();
    cited.dedup();
    let words =
        if exact { "the initcall ip_auto_config" } else { "from the record before its first message to its last" };
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "the kernel took {} to configure the network{}",
            seconds(cost.best()),
            if carrier { ", waiting for a carrier" } else { "" }
        ),
        cost,
        part_of: Vec::new(),
        time_ranges: vec![time_range],
        why: format!("{}: {words}, without waits for the console", clock(case)),
        evidence: cite_at(case.boot, cited),
        remedies,
    }]
}
