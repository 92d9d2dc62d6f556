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
          interfaces, waits up to 120 s for a carrier (before 2.6.39 it slept for 1.5 s instead), and asks DHCP. The \
          boot waits for all of this. Only a root file system on the network needs it; user space configures the \
          interface again in any case.",
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
    let link = said.first().and_then(|first| link_wait(case, *first));
    let found = match case.span("ip_auto_config") {
        Some(span) => span.end.map(|end| (TimeRange { from: span.start, to: end }, true)),
        None => said.first().zip(said.last()).and_then(|(first, last)| {
            // ipconfig prints after it has waited; its work began some time after the record before.
            let start = link.map_or(*first, |l| l.index);
            let before = || case.before(start).map(|b| b.1);
            let from = if link.is_some_and(|l| l.is_open) { None } else { before() }.or(case.at(start))?;
            Some((TimeRange { from, to: case.at(*last)? }, false))
        }),
    };
    let Some((time_range, exact)) = found else { return Vec::new() };
    let net = case.net(time_range.from, time_range.to);
    let sure = link.map(|l| l.index).or(said.first().copied());
    let cost = match sure.and_then(|i| case.at(i)) {
        Some(first) if !exact => Interval::new(case.net(first, time_range.to).low(), net.best(), net.high()),
        _ => net,
    };
    if cost.best() < LEAST {
        return Vec::new();
    }
    let command_line = &case.boot.kernel.command_line;
    let on_network = command_line.value("root") == Some("/dev/nfs") || command_line.value("nfsroot").is_some();
    let carrier = link.is_some() || case.find("seconds for network").next().is_some();
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
    let named = link.map(|l| l.index).into_iter().chain(said.iter().copied().take(3)).chain(said.last().copied());
    let mut cited: Vec<usize> = ids.chain(named).collect();
    cited.sort_unstable();
    cited.dedup();
    let words =
        if exact { "the initcall ip_auto_config" } else { "from the record before its first message to its last" };
    let words =
        if link.is_some() && !exact { "from the record that shows the wait for the link to its last" } else { words };
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

/// The wait for a carrier that precedes ipconfig's first message.
#[derive(Clone, Copy)]
struct LinkWait {
    /// Position of the first record that shows it.
    index: usize,
    /// Whether that record is the interface's opening; else the link was up with it, and the wait is over.
    is_open: bool,
}

/// What drivers, phylib and IPv6 say when an interface is opened without a link ("link is not ready": up to 4.17, then
/// a debug message), and when its link is up.
const OPENED: [&str; 3] = ["link is not ready", "Link is Down", "configuring for "];
const UP: [&str; 4] = ["link becomes ready", "Link is Up", "link up, ", "carrier on"];

/// ipconfig asks as soon as there is a carrier (ic_open_devs() polls each millisecond, 2.6.39 to 7.2), so the interface's link came up
/// just before; its opening is the last one before that.
fn link_wait(case: &Case<'_>, first: usize) -> Option<LinkWait> {
    /// Drivers probed in parallel may say as much meanwhile.
    const NEAR: usize = 200;
    const AT_ONCE: Dur = Dur::from_secs(1);
    let asked = case.at(first)?;
    let says = |i: usize, words: &[&str]| {
        let text = case.kernel(i).map_or("", |r| r.text);
        words.iter().find_map(|w| interface(text, w))
    };
    let range = || (first.saturating_sub(NEAR)..first).rev();
    let (up, name) = range().find_map(|i| Some((i, says(i, &UP)?)))?;
    if case.at(up).is_none_or(|t| asked - t > AT_ONCE) {
        return None;
    }
    let of_same = |i: &usize, words: &[&str]| says(*i, words) == Some(name);
    let opened = range().filter(|i| *i < up).find(|i| of_same(i, &OPENED));
    let ups = range().take_while(|i| case.at(*i).is_none_or(|t| asked - t <= AT_ONCE));
    let first_up = ups.filter(|i| of_same(i, &UP)).last().unwrap_or(up);
    Some(opened.map_or(LinkWait { index: first_up, is_open: false }, |index| LinkWait { index, is_open: true }))
}

/// The interface's name before some words: `eth0` of `asix 1-1:1.0 eth0: link up, 100Mbps`; SATA links are none.
fn interface<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let (before, _) = text.split_once(words)?;
    let name = before.trim_end().trim_end_matches(':').rsplit(' ').next()?;
    (!name.is_empty() && !text.starts_with("ata")).then_some(name)
}
