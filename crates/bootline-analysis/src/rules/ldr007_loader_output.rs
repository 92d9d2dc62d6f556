// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, apart};
use super::finding::cite_at;
use super::wording::{clock, declared_rate, seconds};
use super::{Finding, Rule, RuleId, TimeRange, TimelinePlace, grub};
use crate::remedy::{Effort, Remedy, Risk};
use bootline_boot::SpeedSource;
use bootline_capture::units::{Dur, Interval};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ldr007,
    doc: "Firmware and boot loader wait for each byte that they print: 3 kB take 0.26 s at 115200 baud, 0.8 s at 38400. A device in the \
          field needs none of it.",
    place: TimelinePlace::Evidence,
    check,
};

/// Less is not reported.
const LEAST: Dur = Dur::from_millis(200);

/// A record without a time is soon followed by one that has it, or by none.
const NEAR: usize = 100;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let Some(speed) = line.speed.filter(|s| matches!(s.source, SpeedSource::Arrival | SpeedSource::Header)) else {
        return Vec::new();
    };
    // Work between a few lines looks like a slow line: the faster of the two speeds claims less.
    let declared = declared_rate(line).map(|(_, rate)| rate).filter(|r| r.bytes_per_s() > speed.rate.bytes_per_s());
    let rate = declared.unwrap_or(speed.rate);
    let (mut bytes, mut ranges, mut printed) = (0u64, Vec::new(), Vec::new());
    let mut said = LoaderOutput::default();
    for (i, text) in case.before_kernel().filter(|(_, text)| !text.trim().is_empty()) {
        let (Some(from), Some(record)) = (case.at(i), case.boot.records.get(i)) else { continue };
        // The line carries these bytes, whenever the reader saw them; no longer than until the next record.
        let next = (i + 1..case.boot.records.len()).take(NEAR).find_map(|n| case.at(n)).unwrap_or(from);
        let to = (from + rate.time_for(u64::from(record.line_bytes)).as_dur()).min(next.max(from));
        bytes += u64::from(record.line_bytes);
        said.see(text.trim(), record.line_bytes);
        ranges.push(TimeRange { from, to });
        printed.push(i);
    }
    let ranges = apart(&ranges);
    let cost = ranges.iter().fold(Interval::default(), |sum, r| sum + case.net(r.from, r.to));
    if cost.best() < LEAST {
        return Vec::new();
    }
    vec![Finding {
        rule: RULE.id,
        title: format!("firmware and boot loader printed {bytes} bytes, which took {}", seconds(cost.best())),
        cost: Interval::new(Dur::ZERO, cost.best(), cost.high()),
        part_of: Vec::new(),
        time_ranges: ranges,
        why: format!("{}: at {:.0} B/s; what other findings name is not counted", clock(case), rate.bytes_per_s()),
        evidence: cite_at(case.boot, printed.first().copied().into_iter().chain(printed.last().copied())),
        remedies: said.remedies(),
    }]
}

/// Who printed.
#[derive(Debug, Default)]
struct LoaderOutput {
    u_boot: bool,
    grub: bool,
    /// Whether GRUB's menu is on the screen.
    shows_menu: bool,
    /// Size of GRUB's menus, in bytes.
    menu: u64,
}

impl LoaderOutput {
    /// Takes the next record; call it for each, in order.
    fn see(&mut self, text: &str, line_bytes: u32) {
        self.u_boot |= text.starts_with("U-Boot ");
        self.grub |= grub::starts(text) || grub::draws_menu(text);
        let ends = grub::names_entry(text) || text.starts_with("Loading ");
        self.shows_menu = grub::draws_menu(text) || self.shows_menu && !ends;
        if self.shows_menu {
            self.menu += u64::from(line_bytes);
        }
    }

    /// For each loader that printed; without a sign of GRUB, for U-Boot.
    fn remedies(&self) -> Vec<Remedy> {
        let u_boot = (self.u_boot || !self.grub).then(u_boot_remedies);
        let grub = self.grub.then(|| self.grub_remedies());
        u_boot.into_iter().chain(grub).flatten().collect()
    }

    fn grub_remedies(&self) -> Vec<Remedy> {
        let menu = (self.menu > 0).then(|| {
            Remedy::in_words(
                format!(
                    "draw no menu, which was {} of these bytes: GRUB_TIMEOUT=0 and GRUB_TIMEOUT_STYLE=hidden in /etc/default/grub, \
                     then update-grub",
                    self.menu
                ),
                Effort::Configuration,
                "only a key that is held down shows the menu",
                Risk::Low,
            )
        });
        // U-Boot has no setup, and GRUB's EFI program prints by U-Boot's console.
        let setup = if self.u_boot { "" } else { ", no serial console in the firmware's setup" };
        let rest = [
            Remedy::in_words(
                format!("print nothing in GRUB: no `serial` in GRUB_TERMINAL of /etc/default/grub{setup}"),
                Effort::Configuration,
                "after a failure the console shows nothing; the menu is out of reach",
                Risk::Medium,
            ),
            Remedy::in_words(
                "run the line faster: `--speed` in GRUB_SERIAL_COMMAND of /etc/default/grub, the same in the firmware and the kernel",
                Effort::Configuration,
                "the other end must be set to the same speed",
                Risk::Low,
            ),
        ];
        menu.into_iter().chain(rest).collect()
    }
}

fn u_boot_remedies() -> Vec<Remedy> {
    vec![
        Remedy::in_words(
            "print nothing: `setenv silent 1; saveenv` in a U-Boot with CONFIG_SILENT_CONSOLE; in SPL and TF-A, a build without messages",
            Effort::Rebuild,
            "after a failure the console shows nothing; the prompt may be out of reach",
            Risk::Medium,
        ),
        Remedy::in_words(
            "run the line faster: CONFIG_BAUDRATE in U-Boot, the same in TF-A and the kernel",
            Effort::Rebuild,
            "the other end must be set to the same speed",
            Risk::Low,
        ),
    ]
}
