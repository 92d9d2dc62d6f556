// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::Case;
use super::finding::cite;
use super::wording::{declared_rate, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::remedy::{Effort, KernelVersions, Remedy, Risk, SystemChange};
use bootline_boot::SpeedSource;
use bootline_capture::units::{Dur, Interval};
use bootline_console::{Driver, DriverBehaviour};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Con004,
    doc: "The console transmits fewer bytes per second than its baud allows. The 8250 driver before 5.19 writes a \
          byte, waits until the transmitter is empty, and writes the next: with a port that reports late that it is \
          empty (a virtual UART that firmware plays), or has slow registers (a slow bus), a line at 115200 baud \
          transmitted 2500 B/s instead of 11520 B/s. Flow control (`r` in console=) and a wrong UART clock have the \
          same effect. A line that is faster than declared is emulated, which is no fault.",
    place: TimelinePlace::AllWaits,
    check,
};

/// A line is slow up to this share of its declared speed; printk's own work takes up to a tenth of a fast line's time.
const SLOW: f64 = 0.85;

fn check(case: &Case<'_>) -> Vec<Finding> {
    let Some(line) = &case.boot.line else { return Vec::new() };
    let (Some(speed), Some((baud, declared))) = (line.speed, declared_rate(line)) else { return Vec::new() };
    if !matches!(speed.source, SpeedSource::Arrival | SpeedSource::Stamps)
        || speed.high.bytes_per_s() > declared.bytes_per_s() * SLOW
    {
        return Vec::new();
    }
    let saved = |rate: f64, of: Dur| of.scale((1.0 - rate / declared.bytes_per_s()).max(0.0));
    let cost = Interval::new(
        saved(speed.high.bytes_per_s(), line.cost.low()),
        saved(speed.rate.bytes_per_s(), line.cost.best()),
        saved(speed.low.bytes_per_s(), line.cost.high()),
    );
    let how = if speed.source == SpeedSource::Arrival { "arrival times" } else { "the kernel's stamps" };
    let mut remedies = Vec::new();
    let fills_fifo = DriverBehaviour::fills_fifo_since(Driver::of_console(&line.console.name));
    if let Some(since) = fills_fifo.filter(|since| case.boot.kernel.version.is_some_and(|v| v < *since)) {
        remedies.push(Remedy::new(
            "use a kernel whose driver fills the FIFO",
            vec![SystemChange::Kernel(KernelVersions::From(since))],
            "works only once a tty is open on the port; with slow registers it saved a quarter",
            Risk::Medium,
        ));
    }
    if case.boot.kernel.command_line.consoles().iter().any(|c| c.name == line.console.name && c.flow_control) {
        remedies.push(Remedy::new(
            "turn off the console's flow control (no `r`), or wire CTS",
            vec![SystemChange::parameter("console", format!("{},{baud}n8", line.console.name))],
            "a slow receiver loses bytes",
            Risk::Low,
        ));
    }
    remedies.push(Remedy::in_words(
        "check the port: the clock of its divisor (base_baud in its record); in a trace, the time of a register read (io_serial_in, 2 us or less in a healthy port) and the number of reads until LSR says that the byte has left",
        Effort::None,
        "an hour with ftrace",
        Risk::Low,
    ));
    vec![Finding {
        rule: RULE.id,
        title: format!(
            "{} transmits {:.0} B/s of the {:.0} B/s that {baud} baud allow; that costs {}",
            line.console.name,
            speed.rate.bytes_per_s(),
            declared.bytes_per_s(),
            seconds(cost.best())
        ),
        cost,
        part_of: vec![RuleId::Con001, RuleId::Con002, RuleId::Con003, RuleId::Con007],
        time_ranges: Vec::new(),
        why: format!(
            "{:.0} to {:.0} B/s by {how}, from {} samples",
            speed.low.bytes_per_s(),
            speed.high.bytes_per_s(),
            speed.samples
        ),
        evidence: cite(case.boot, case.boot.kernel.command_line_record.into_iter().chain(line.console.enabled)),
        remedies,
    }]
}
