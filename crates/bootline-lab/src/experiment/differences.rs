// SPDX-License-Identifier: MIT OR Apache-2.0
//! What turns one arm into another, as settings of a prediction.
use bootline_analysis::predict::Setting;
use bootline_analysis::whole_change::{AnySetting, WholeChange, WholeSetting};
use bootline_capture::units::Baud;

use super::definition::{Arm, Image};
use bootline_images::arch::Arch;
use bootline_images::kernels::Flavour;

/// The lab's default, as in `BootRequest`.
const BAUD: u32 = 115_200;

/// systemd masks a unit for this boot.
const MASK: &str = "systemd.mask=";

/// The settings that turn `from` into `to`.
///
/// # Errors
/// The difference that cannot be predicted, in words.
pub fn differences(from: &Arm, to: &Arm) -> Result<WholeChange, String> {
    let mut settings = Vec::new();
    if from.icount || to.icount {
        return Err("instructions are counted, without a console".to_owned());
    }
    for (differs, what) in [
        (from.memory_mib != to.memory_mib, "memory"),
        (from.cpu_model != to.cpu_model, "the processor"),
        (from.system != to.system, "the system"),
        (from.loader != to.loader, "the boot loader"),
        (from.initrd != to.initrd || from.initramfs != to.initramfs, "the initramfs"),
        (from.dtb != to.dtb, "the device tree"),
        (from.modules != to.modules, "modules"),
        (from.trace_registers != to.trace_registers, "tracing"),
    ] {
        if differs {
            return Err(format!("{what} differs from arm `{}`", from.name));
        }
    }
    settings.extend(kernel(from, to)?);
    if speed(from) != speed(to) {
        settings.extend(Baud::new(speed(to)).map(Setting::Baud));
    }
    settings.extend(command_line(from, to)?);
    if from.smp != to.smp {
        settings.push(Setting::Cpus(to.smp));
    }
    let units = if to.system.is_some() { masked(from, to) } else { Vec::new() };
    let settings = settings.into_iter().map(AnySetting::Console);
    WholeChange::of(settings.chain(units.into_iter().map(AnySetting::Whole))).map_err(|e| e.to_string())
}

/// The units that an arm masks.
fn masks(arm: &Arm) -> impl Iterator<Item = &str> {
    arm.append.split_whitespace().filter_map(|w| w.strip_prefix(MASK))
}

/// The units of a whole system that are masked in `to` alone.
fn masked(from: &Arm, to: &Arm) -> Vec<WholeSetting> {
    let is_new = |unit: &&str| masks(from).all(|before| before != *unit);
    masks(to).filter(is_new).map(|unit| WholeSetting::Mask(unit.to_owned())).collect()
}

fn speed(arm: &Arm) -> u32 {
    arm.baud.map_or(BAUD, Baud::get)
}

fn kernel(from: &Arm, to: &Arm) -> Result<Option<Setting>, String> {
    if from.image == to.image {
        return Ok(None);
    }
    let (Image::Stock(a), Image::Stock(b)) = (&from.image, &to.image) else {
        return Err(format!("the kernel differs from arm `{}` and is not a stock kernel", from.name));
    };
    if a.arch.unwrap_or(Arch::Amd64) != b.arch.unwrap_or(Arch::Amd64) {
        return Err(format!("the architecture differs from arm `{}`", from.name));
    }
    let flavours = [a.series.flavour, b.series.flavour];
    if flavours.iter().any(|f| !matches!(f, Flavour::Standard | Flavour::Rt)) {
        return Err(format!("the difference between `{}` and `{}` is unknown", a.series, b.series));
    }
    Ok(Some(Setting::Kernel { version: b.series.version, rt: b.series.is_rt() }))
}

fn command_line(from: &Arm, to: &Arm) -> Result<Vec<Setting>, String> {
    // What a whole system masks is compared by itself, but what it does not mask any more has no times.
    let is_mask = |w: &str| to.system.is_some() && w.starts_with(MASK);
    let rest = |arm: &Arm| -> Vec<String> {
        let words = arm.append.split_whitespace();
        let words = words.filter(|w| level_of(w).is_none() && *w != "initcall_debug" && !is_mask(w));
        words.map(str::to_owned).collect()
    };
    let is_unmasked = to.system.is_some() && !masked(to, from).is_empty();
    if rest(from) != rest(to) || is_unmasked {
        return Err(format!("the command line differs from arm `{}`", from.name));
    }
    let mut settings = Vec::new();
    // The last parameter wins, as in the kernel.
    let level = |arm: &Arm| arm.append.split_whitespace().filter_map(level_of).next_back();
    match (level(from), level(to)) {
        (a, b) if a == b => {}
        // CONFIG_CONSOLE_LOGLEVEL_DEFAULT of Debian's kernels.
        (_, b) => settings.push(Setting::LogLevel(b.unwrap_or(7))),
    }
    let debug = |arm: &Arm| arm.append.split_whitespace().any(|w| w == "initcall_debug");
    match (debug(from), debug(to)) {
        (true, false) => settings.push(Setting::NoInitcallDebug),
        (false, true) => return Err(format!("what initcall_debug prints is not in the log of arm `{}`", from.name)),
        _ => {}
    }
    Ok(settings)
}

fn level_of(word: &str) -> Option<u8> {
    match word {
        "quiet" => Some(4),
        "debug" => Some(10),
        "ignore_loglevel" => Some(15),
        _ => word.strip_prefix("loglevel=")?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::experiment::Experiment;

    #[track_caller]
    fn check(from: &str, to: &str, expected: Result<&str, &str>) {
        let text = format!(
            "name = \"x\"\nabout = \"\"\n[defaults]\nkernel = \"6.18\"\n\
             [[arm]]\nname = \"from\"\n{from}\n[[arm]]\nname = \"to\"\n{to}\n"
        );
        let experiment = Experiment::parse(Path::new("x.toml"), &text).unwrap();
        let found = differences(&experiment.arms[0], &experiment.arms[1]).map(|c| c.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn what_can_be_predicted() {
        check("", "", Ok("baseline"));
        check("", "baud = 115200", Ok("baseline"));
        check("baud = 9600", "baud = 38400", Ok("baud=38400"));
        check("baud = 9600", "", Ok("baud=115200"));
        check("", "append = \"quiet\"", Ok("quiet"));
        check("append = \"quiet\"", "", Ok("loglevel=7"));
        check("append = \"initcall_debug loglevel=10\"", "append = \"quiet\"", Ok("initcall_debug=0 quiet"));
        check("", "kernel = \"6.19-rt\"\nsmp = 2", Ok("kernel=6.19-rt cpus=2"));
        let system = "system = \"debian-systemd\"";
        let avahi = format!("{system}\nappend = \"systemd.mask=avahi-daemon.service quiet\"");
        check(system, &avahi, Ok("quiet mask=avahi-daemon.service"));
        check(&avahi, &avahi, Ok("baseline"));
    }

    #[test]
    fn what_can_not() {
        check("", "append = \"initcall_debug\"", Err("what initcall_debug prints is not in the log of arm `from`"));
        let system = "system = \"debian-systemd\"";
        let masked = format!("{system}\nappend = \"systemd.mask=avahi-daemon.service\"");
        check(&masked, system, Err("the command line differs from arm `from`"));
        check("", "append = \"systemd.mask=a.service\"", Err("the command line differs from arm `from`"));
        check("", "append = \"acpi=off\"", Err("the command line differs from arm `from`"));
        check("", "memory_mib = 1024", Err("memory differs from arm `from`"));
        check("", "dtb = \"board.dtb\"", Err("the device tree differs from arm `from`"));
        check("", "system = \"busybox\"", Err("the system differs from arm `from`"));
        let arm64 = "kernel = \"arm64:6.18\"";
        check(arm64, &format!("{arm64}\nloader = \"u-boot\""), Err("the boot loader differs from arm `from`"));
        check("", "icount = true", Err("instructions are counted, without a console"));
        check("", "kernel = \"arm64:6.18\"", Err("the architecture differs from arm `from`"));
        check("", "kernel = \"./bzImage\"", Err("the kernel differs from arm `from` and is not a stock kernel"));
        check("", "kernel = \"6.18-cloud\"", Err("the difference between `6.18` and `6.18-cloud` is unknown"));
    }
}
