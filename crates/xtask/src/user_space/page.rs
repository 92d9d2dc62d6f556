// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of the page.
use std::fmt::Write as _;
use std::path::Path;

use bootline_stats::Estimate;

use super::measured::{IN_USER_SPACE, Measured, PredictedArm, Predictions, UnitsBySpeed, UnitsOfBoots, middle};

/// A moment within this many percent of the truth is explained well enough.
const WITHIN: f64 = 1.0;

const HEAD: &str = "
# Accuracy in user space

Whole boots of the lab, explained by `bootline` from what such a boot leaves behind, and compared with the truth: the marks that the guest's
own programs sent to the host over an unpaced port, and process 1's own stamps of its units (`systemctl show`, after the boot). The
intervals are those of the median over the boots, with 95 % confidence.
";

const MOMENTS: &str = "
## Moments

From power-on to the moment, as explained and in truth; the difference as a share of the time in truth. A unit that is up is compared with
process 1's own stamp, the application that is executed or prints its line with its own mark. The kernel's end is its record that it runs
the initramfs's init; in truth it is that init's first instruction, or in older runs its first message. Between the two the
kernel loads init, its first program; under QEMU's translator that is most of the difference, and no record shows it.

| moment | sources | boots | off, median | within 1 % | worst |
| --- | --- | --: | --: | --: | --: |
";

const UNITS: &str = "
## Units

How many of the units that the sources show have a unit's whole name, how many process 1 still knew after the boot, and how far the times of
these are off: of each boot the middle and the 95th percentile of its units, and of these the median over the boots. With `systemctl show` the
stamps are compared with themselves: what is left is how far its clock is off the host's.

| sources | boots | units a boot | named | worst boot | compared | off, middle [ms] | 95th percentile [ms] | worst boot [ms] |
| --- | --: | --: | --: | --: | --: | --: | --: | --: |
";

const SPEEDS: &str = "
## Units from the console alone, by the speed of the line

Like all text, systemd's status lines wait for the serial line: until the kernel's messages and earlier status lines have been sent.

| baud | boots | units a boot | named | worst boot | compared | off, middle [ms] | 95th percentile [ms] | worst boot [ms] |
| --: | --: | --: | --: | --: | --: | --: | --: | --: |
";

const PARTS: &str = "
## How user space is divided

The chain from the execution of the system's init until the application is executed (of the sources that do not show that: until its unit is
up), in parts; what is not divided is the last column. Without the units' dependencies nothing is divided.
Queues are time in which a unit could have started and systemd was starting others.

| sources | boots | systemd's own start | units | queues | the application's own start | not divided |
| --- | --: | --: | --: | --: | --: | --: |
";

const PREDICTIONS: &str = "
## Predictions

Each arm changes one thing in user space. It is predicted from the boots of the system as it is, by `bootline predict`, and then booted.
Several things at once, some of them outside user space, are predicted and booted in [seed5-steps](results.md#seed5-steps).

| arm | metric | boots | predicted [s] | measured [s] | error | verdict |
| --- | --- | --: | --: | --: | --: | --- |
";

/// All of it.
pub fn markdown(
    [results, by_speed]: [&Path; 2],
    measured: &Measured,
    speeds: &UnitsBySpeed,
    predictions: &Predictions,
) -> String {
    let [name, second] = [results, by_speed].map(|p| p.file_name().unwrap_or_default().to_string_lossy());
    let load = middle(&measured.loads)
        .map_or(String::new(), |load| format!("; the host's load before a boot was {:.1} in the median", load.best));
    let mut out = format!("{HEAD}\n{} boots of `experiments/{name}.toml`{load}.\n{MOMENTS}", measured.boots);
    for ((moment, with), values) in &measured.moments {
        let within = values.iter().filter(|off| off.abs() <= WITHIN).count();
        let worst = values.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default();
        let median = middle(values).map(|m| signed(&m)).unwrap_or_default();
        let n = values.len();
        _ = writeln!(
            out,
            "| {} | {} | {n} | {median} | {within} of {n} | {worst:+.2} % |",
            moment.title(),
            with.title()
        );
    }
    out += UNITS;
    for (with, units) in &measured.units {
        out += &units_row(with.title(), units);
    }
    out += SPEEDS;
    for (baud, units) in &speeds.0 {
        out += &units_row(&baud.to_string(), units);
    }
    _ = writeln!(out, "\nBoots of `experiments/{second}.toml`.");
    out += PARTS;
    for (with, parts) in &measured.parts {
        let boots = parts.values().map(Vec::len).max().unwrap_or_default();
        _ = write!(out, "| {} | {boots} ", with.title());
        for part in IN_USER_SPACE {
            let share = parts.get(&part).and_then(|values| middle(values)).map(|m| plain(&m, 1));
            _ = write!(out, "| {} % ", share.unwrap_or_default());
        }
        out += "|\n";
    }
    out += PREDICTIONS;
    for arm in &predictions.arms {
        let [predicted, measured] =
            [&arm.predicted, &arm.measured].map(|[low, best, high]| format!("{best:.2} ({low:.2}..{high:.2})"));
        _ = writeln!(
            out,
            "| {} | {} | {} | {predicted} | {measured} | {:+.1} % | {} |",
            arm.name,
            arm.metric,
            arm.runs,
            arm.error(),
            arm.verdict
        );
    }
    out += &summary(&predictions.arms);
    out
}

fn units_row(title: &str, units: &UnitsOfBoots) -> String {
    let cell = |values: &[f64], digits: usize| middle(values).map_or(String::new(), |m| plain(&m, digits));
    let least = units.named.iter().copied().fold(f64::INFINITY, f64::min);
    let most = units.most.iter().copied().fold(0.0, f64::max);
    format!(
        "| {title} | {} | {} | {} % | {least:.1} % | {} | {} | {} | {most:.2} |\n",
        units.shown.len(),
        cell(&units.shown, 0),
        cell(&units.named, 1),
        cell(&units.compared, 0),
        cell(&units.median, 2),
        cell(&units.most, 2),
    )
}

/// How many predictions held, and how far they were off.
fn summary(arms: &[PredictedArm]) -> String {
    let errors: Vec<f64> = arms.iter().map(|arm| arm.error().abs()).collect();
    let Some(median) = middle(&errors) else { return String::new() };
    let held = arms.iter().filter(|arm| arm.verdict == "held").count();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    let n = arms.len();
    format!(
        "\n{held} of {n} predictions held; their errors are {:.1} % in the median, {worst:.1} % at worst.\n",
        median.best
    )
}

/// `-0.53 % (-0.60..-0.41)`
fn signed(estimate: &Estimate) -> String {
    format!("{:+.2} % ({:+.2}..{:+.2})", estimate.best, estimate.low, estimate.high)
}

/// `0.72 (0.70..0.75)`
fn plain(estimate: &Estimate, digits: usize) -> String {
    let [best, low, high] = [estimate.best, estimate.low, estimate.high].map(|value| format!("{value:.digits$}"));
    if low == high { best } else { format!("{best} ({low}..{high})") }
}
