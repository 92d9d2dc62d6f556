// SPDX-License-Identifier: MIT OR Apache-2.0
//! A prediction in words: what it is called, what it costs, what it takes for granted.
use super::boot_workload::BootWorkload;
use super::change::Change;
use super::message_bytes::other_kernels;
use super::module;
use super::prediction::Assumption;
use super::scenario::Scenario;
use super::setting::Setting;
use bootline_boot::{Boot, Clock, SpeedSource};
use bootline_console::Printing;
use bootline_records::ProblemKind;

pub(crate) fn title(change: &Change) -> String {
    if change.is_empty() {
        return "baseline".to_owned();
    }
    let words: Vec<String> = change.settings().map(|s| setting_title(&s)).collect();
    words.join(", ")
}

fn setting_title(setting: &Setting) -> String {
    match setting {
        Setting::Baud(baud) => format!("{baud} baud"),
        Setting::Frame(frame) => format!("frame {frame}"),
        Setting::LogLevel(4) => "quiet".to_owned(),
        Setting::LogLevel(level) => format!("loglevel={level}"),
        Setting::NoInitcallDebug => "no initcall_debug".to_owned(),
        Setting::Kernel { version, rt } => {
            format!("printing as in {version}{}", if *rt { "-rt" } else { "" })
        }
        Setting::Printing(Printing::Nbcon) => "an nbcon console".to_owned(),
        Setting::Printing(Printing::Synchronous) => "a legacy console".to_owned(),
        Setting::Printing(_) => "a printer kthread".to_owned(),
        Setting::Module { module, replay: true } => format!("module {}, log replayed", module.name()),
        Setting::Module { module, replay: false } => format!("{} built in", module.name()),
        Setting::Cpus(1) => "one CPU".to_owned(),
        Setting::Cpus(n) => format!("{n} CPUs"),
    }
}

/// The price of an out-of-tree module.
pub const OUT_OF_TREE: &str = "it taints the kernel, and under Secure Boot it must be signed";

/// What the change costs its user.
pub(super) fn price(change: &Change, baseline: &Scenario, target: &Scenario) -> String {
    let mut price = Vec::new();
    for setting in change.settings() {
        match &setting {
            Setting::LogLevel(level) if target.loglevel < baseline.loglevel => {
                price.push(format!("messages of level {level} and up are in dmesg only"));
            }
            Setting::NoInitcallDebug => price.push("the times of initcalls and probes".to_owned()),
            Setting::Module { replay: true, .. } => {
                price.push("a kernel that crashes before init leaves little on the console".to_owned());
                price.push(OUT_OF_TREE.to_owned());
            }
            Setting::Module { replay: false, .. } => {
                price.push("writers of messages before the module's initcall still wait".to_owned());
                price.push("a custom kernel".to_owned());
            }
            _ => {}
        }
    }
    let threaded = |s: &Scenario| !s.is_synchronous();
    if threaded(target) && !threaded(baseline) {
        price.push("a hang leaves the last messages unprinted; the log is complete only after the boot".to_owned());
    }
    price.join("; ")
}

/// The assumptions that the figures rest on.
pub(super) fn assumptions(
    boot: &Boot,
    boot_workload: &BootWorkload,
    change: &Change,
    baseline: &Scenario,
    target: &Scenario,
) -> Vec<Assumption> {
    let mut found = Vec::new();
    let mut add = |name, text: String| found.push(Assumption { name, text });
    add(
        "own-work",
        format!(
            "the boot's own work ({} s) takes as long as in this log, give or take {:.0} %, and is sequential",
            boot_workload.work(),
            baseline.jitter() * 100.0
        ),
    );
    if let Some(speed) = boot.line.as_ref().and_then(|l| l.speed) {
        let bytes = speed.rate.bytes_per_s();
        match speed.source {
            SpeedSource::Declared => {
                add(
                    "line-speed",
                    format!(
                        "the baseline's line transmits {bytes:.0} B/s, as declared: nothing in the log confirms it"
                    ),
                );
            }
            SpeedSource::Stamps => {
                add(
                    "line-speed",
                    format!("the baseline's line transmits {bytes:.0} B/s, fitted from the kernel's timestamps"),
                );
            }
            SpeedSource::Arrival | SpeedSource::Header => {}
        }
    }
    let taken_as = match baseline.behaviour.printing {
        Printing::Unknown => {
            Some("it is unknown how the baseline's kernel prints: bootline assumes synchronous printing")
        }
        Printing::RtPatch => {
            Some("PREEMPT_RT before 6.12 has kthreads of several designs: bootline assumes that they print as in 6.12")
        }
        _ => None,
    };
    if let Some(text) = taken_as {
        add("printing", format!("{text}; otherwise the prediction is wrong"));
    }
    let price = |kind| matches!(kind, ProblemKind::RecordsLost | ProblemKind::BeginningLost);
    if boot.problems.iter().any(|p| price(p.kind))
        || boot.records.containing("printk messages dropped").next().is_some()
    {
        add("lost-records", "the log lacks records: no figure includes their cost".to_owned());
    }
    if boot.timeline.clock == Clock::Kernel {
        add("kernel-clock", "the kernel's clock was right; only arrival times could show otherwise".to_owned());
    }
    let changes_what_is_printed = target.loglevel < baseline.loglevel && !target.prints_after_end();
    if changes_what_is_printed && boot_workload.unknown_levels > 0 {
        let uncertain = boot_workload.steps.iter().filter(|s| s.level.uncertain).count();
        add(
            "levels",
            format!(
                "the log does not show the levels of {} records: they count as KERN_INFO, and {uncertain} that read like errors may be up to KERN_ERR; `--kernel-log` with a `dmesg -r` of the same boot supplies them",
                boot_workload.unknown_levels
            ),
        );
    }
    let threads = |s: &Scenario| !s.is_synchronous();
    if target.spins() && target.cpus == 1 {
        let nice = if target.gives_way() { "19" } else { "-20" };
        add("one-processor", format!("the printer kthread (nice {nice}) and the boot share one CPU"));
    }
    let competes = |s: &Scenario| s.spins() && s.cpus > 1;
    let loses = |s: &Scenario| {
        let [low, best, high] = s.contention().map(|c| c * 100.0);
        format!("{best:.0} % of its speed ({low:.0} to {high:.0} %)")
    };
    if competes(target) {
        let mut what = format!("while the printer kthread spins on another CPU, the boot loses {}", loses(target));
        if competes(baseline) && loses(baseline) != loses(target) {
            what += &format!("; the captured boot lost {}", loses(baseline));
        }
        add("printer-thread-contention", what);
    } else if competes(baseline) {
        let what = format!("while the printer kthread spun on another CPU, the captured boot lost {}", loses(baseline));
        add("printer-thread-contention", what);
    }
    if boot.kernel.cpus.is_none() && (threads(target) || threads(baseline)) {
        add("cpus", "the log does not show the number of CPUs: bootline assumes one".to_owned());
    }
    let module = target.module.map(|switch| switch.module).filter(|_| baseline.module.is_none());
    if let Some(module) = module.filter(|module| !module::takes(boot, *module)) {
        let name = module.name();
        add("module-refuses", format!("nothing in the log shows that {name} supports this console, kernel and port"));
    }
    if change.settings().any(|s| matches!(s, Setting::Kernel { .. })) {
        add(
            "same-messages",
            format!(
                "the other kernel's own work takes as long as this one's, and it prints as much, give or take {:.0} %",
                100.0 * other_kernels(boot_workload, target)
            ),
        );
    }
    if change.settings().any(|s| matches!(s, Setting::Baud(_))) {
        add("line-reached", "the driver reaches 96 to 100 % of the new line's speed".to_owned());
    }
    found
}
