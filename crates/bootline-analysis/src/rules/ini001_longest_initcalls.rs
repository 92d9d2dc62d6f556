// SPDX-License-Identifier: MIT OR Apache-2.0
use super::case::{Case, longest};
use super::finding::cite;
use super::probe_remedies::{Probed, asynchronous_probes};
use super::wording::{clock, percent, seconds};
use super::{Finding, Rule, RuleId, TimelinePlace};
use crate::origin::origins;
use crate::remedy::{Effort, Remedy, Risk, SystemChange};
use bootline_boot::{Span, SpanKind};
use bootline_capture::units::Dur;
use bootline_kbuild::{Origin, SymbolType, SymbolValue};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Ini001,
    doc: "The initcalls that took longest, net of the console, of the probes inside them, and of what other rules \
          explain. Initcalls run one after the other on one CPU, so each delays all that follow. The source file and the \
          CONFIG symbol are those of the nearest series that bootline knows, or of --kernel-tree.",
    place: TimelinePlace::Evidence,
    check,
};

/// How many are shown.
const SHOWN: usize = 5;
/// Least cost, and least share of the boot.
const LEAST: (Dur, f64) = (Dur::from_millis(20), 0.01);

fn check(case: &Case<'_>) -> Vec<Finding> {
    let least = case.threshold(LEAST.0, LEAST.1);
    let end = case.end();
    // A module's initcall in udev's task delays only that task.
    let beside = |s: &Span| s.module.is_some() && s.task.is_some_and(|t| t != 1);
    let wanted = |s: &&Span| {
        s.kind == SpanKind::Initcall && s.start < end && s.end.is_some() && !beside(s) && s.self_time() >= least
    };
    let mut found = Vec::new();
    for span in longest(case.boot.spans().iter().filter(wanted)) {
        let (cost, time_ranges) = case.own(span);
        if cost.best() < least {
            continue;
        }
        let origins = origins(case.boot, span, case.initcalls);
        found.push(Finding {
            rule: RULE.id,
            title: format!(
                "the initcall `{}` took {}, {} of the boot",
                span.name,
                seconds(cost.best()),
                percent(cost.best(), case.total())
            ),
            cost,
            part_of: Vec::new(),
            time_ranges,
            why: format!(
                "{}: {} in total, {} of it waits for the console, {} in the probes and initcalls inside it{}",
                clock(case),
                seconds(span.gross()),
                seconds(span.console),
                seconds(span.children),
                source(&origins)
            ),
            evidence: cite(case.boot, [Some(span.first), span.last].into_iter().flatten()),
            remedies: vec![remedy(case, span, &origins)],
        });
    }
    found.sort_by_key(|f: &Finding| std::cmp::Reverse(f.cost.best()));
    found.truncate(SHOWN);
    found
}

/// Which files the initcall may be in, and what builds them; nothing if that is unknown.
fn source(origins: &[Origin<'_>]) -> String {
    let one = |o: &Origin<'_>| {
        let symbols: Vec<String> = o.symbols.iter().map(|s| format!("CONFIG_{s}")).collect();
        let by = if symbols.is_empty() { String::new() } else { format!(" ({})", symbols.join(" or ")) };
        format!("`{}`{by}", o.file)
    };
    let Some(first) = origins.first() else { return String::new() };
    let files: Vec<String> = origins.iter().map(one).collect();
    format!("; its source in Linux {} is {}", first.series, files.join(" or "))
}

/// Specific advice for known initcalls, matched by name; else by the symbol that builds it.
fn remedy(case: &Case<'_>, span: &Span, origins: &[Origin<'_>]) -> Remedy {
    let (action, changes, price) = match span.name.as_str() {
        n if n.contains("i915") => (
            "boot without the frame buffer",
            vec![SystemChange::config("CONFIG_DRM_FBDEV_EMULATION", "n")],
            "no text on the screen before user space",
        ),
        n if n.contains("ahci") => {
            let (driver, price) = (Probed::Driver("ahci"), "device names may change order");
            return asynchronous_probes("probe AHCI in parallel", driver, price, Risk::Medium);
        }
        n if n.contains("tracer_init_tracefs") || n.contains("trace_init") => {
            ("build without tracing", vec![SystemChange::config("CONFIG_FTRACE", "n")], "no tracing")
        }
        n if n.contains("regulatory_init") => (
            "build the wireless core as a module",
            vec![SystemChange::config("CONFIG_CFG80211", "m")],
            "wireless is available later",
        ),
        name => return by_symbol(case, span, origins).unwrap_or_else(|| in_words(name)),
    };
    Remedy::new(action, changes, price, Risk::Medium)
}

/// The one symbol that builds it, set so that the boot does not run it; none if there is none that a person can set.
fn by_symbol(case: &Case<'_>, span: &Span, origins: &[Origin<'_>]) -> Option<Remedy> {
    let [origin] = origins else { return None };
    let [symbol] = origin.symbols[..] else { return None };
    let table = case.initcalls;
    let values = table.values(symbol, case.boot.kernel.version);
    let kind = table.kind(symbol).filter(|k| k.has_prompt)?;
    let config = |value: &str| vec![SystemChange::config(format!("CONFIG_{symbol}"), value)];
    if kind.values == SymbolType::Tristate && span.module.is_none() {
        let is_usual = values.iter().any(|(_, _, value)| *value == SymbolValue::Module);
        let action = if is_usual { "build it as a module, as Debian does" } else { "build it as a module" };
        let price =
            "its devices appear when user space loads it; the initramfs must contain what the root file system needs";
        return Some(Remedy::new(action, config("m"), price, Risk::Medium));
    }
    // What all of Debian's kernels have is more than a driver (CONFIG_BLOCK): no advice without knowing the board.
    let can_do_without = values.iter().any(|(_, _, value)| *value == SymbolValue::Absent);
    let remedy = || {
        Remedy::new(
            "leave it out if the board does not need it",
            config("n"),
            "what it is for does not work",
            Risk::Medium,
        )
    };
    can_do_without.then(remedy)
}

fn in_words(name: &str) -> Remedy {
    let (action, effort, price) = match name {
        n if n.contains("acpi_init") => (
            "disable ACPI tables and devices that the board does not need, by the firmware's settings",
            Effort::Configuration,
            "devices disappear",
        ),
        n if n.contains("populate_rootfs") => (
            "use a smaller initramfs, or one that unpacks faster: lz4 or no compression",
            Effort::Rebuild,
            "a larger image",
        ),
        _ => (
            "build this code as a module, or leave it out if the board does not need it; `ftrace=function_graph` with `ftrace_graph_filter=` shows what the initcall does",
            Effort::Rebuild,
            "a custom kernel configuration",
        ),
    };
    Remedy::in_words(action, effort, price, Risk::Medium)
}
