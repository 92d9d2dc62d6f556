// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline critical-chain`: what the time to the boot's end hung on, from the end back, and what ran beside it.
use std::collections::HashSet;

use serde::Serialize;

use super::document::{Document, Style, Text};
use super::explain::{TimeToInit, no_end, since, title, untrusted};
use super::figure::{ClockName, Figure};
use super::json::word;
use super::source::SourceName;
use super::table::{Align, Table};
use bootline_analysis::boot::{Boot, Clock, EndedBy, Since};
use bootline_analysis::chain::{Basis, Beside, Chain, Inside, Link, Segment};
use bootline_analysis::records::RecordId;
use bootline_capture::units::{Dur, Interval};

/// How the chain is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CriticalChainOptions {
    /// The most links that stand by themselves: the longest, net of the console. The others are summed up between them.
    pub count: usize,
}

impl Default for CriticalChainOptions {
    fn default() -> CriticalChainOptions {
        CriticalChainOptions { count: 12 }
    }
}

/// Once the links that stand by themselves make this share of the chain, net of the console, no more do.
const ENOUGH: f64 = 0.95;
/// A link that waited for the console for this share of the chain stands by itself, however short its work is.
const CONSOLE: f64 = 0.05;
/// Probes and calls below this share of the chain are not shown inside a link.
const SMALL: f64 = 0.01;
/// The most probes and calls that are shown inside a link, the longest.
const INSIDE: usize = 3;
/// The most that is shown beside the chain, the longest.
const BESIDE: usize = 10;

/// The chain, for people. None where the log has no end or no times.
pub fn critical_chain(
    boot: &Boot,
    chain: Option<&Chain>,
    options: &CriticalChainOptions,
    source: &SourceName,
) -> Document {
    let mut document = Document::default();
    document.heading(title(boot, source));
    let Some((chain, end)) = chain.zip(boot.end.as_ref()) else {
        document.paragraph(no_end(boot));
        return document;
    };
    let clock = ClockName::of_axis(boot.timeline.clock);
    let (what, reached) = match end.by {
        EndedBy::Marker => ("The marker came", "marker"),
        _ => ("Init started", "init"),
    };
    let mut sum = Text::new()
        .words(format!("{what} "))
        .styled_figure(Figure::exact(chain.length()).by(clock), Style::Strong)
        .words(format!(" after {}; ", since(chain.since)));
    sum = match chain.console() {
        Dur::ZERO => sum.words("none of it was waiting for the console."),
        console => sum
            .styled(Figure::estimate(Interval::exact(console)).short(), Style::Cost)
            .words(" of it was waiting for the console."),
    };
    if chain.since != end.since && end.since == Since::KernelFirstByte {
        sum = sum
            .words(" From the kernel's first character on it is ")
            .figure(Figure::exact(end.elapsed.best()))
            .words(".");
    }
    document.paragraph(sum);
    document.paragraph(basis(boot, chain));
    untrusted(&mut document, boot);
    let outstanding = outstanding(chain, options);
    if outstanding.len() < chain.segments.len() {
        document.paragraph(share(chain, &outstanding));
    }
    document.table(links(chain, &outstanding, reached, end.record));
    let beside = longest(&chain.beside);
    if !beside.is_empty() {
        let more = chain.beside.len() - beside.len();
        let and = if more > 0 { format!("; {more} more are shorter") } else { String::new() };
        document.paragraph(format!(
            "Beside the chain: taking less here saves nothing, and taking longer by the slack costs nothing{and}."
        ));
        document.table(slack(&beside));
    }
    document
}

/// What the links that stand by themselves come to.
fn share(chain: &Chain, outstanding: &HashSet<usize>) -> Text {
    let net = |s: &Segment| s.net();
    let all = chain.segments.iter().map(net).sum::<Dur>();
    let shown = chain.segments.iter().enumerate().filter(|(i, _)| outstanding.contains(i)).map(|(_, s)| net(s)).sum();
    Text::new()
        .words(format!("{} of its {} links make ", outstanding.len(), chain.segments.len()))
        .figure(Figure::exact(shown))
        .words(" of its ")
        .figure(Figure::exact(all))
        .words(" net of the console; the others are summed up between them.")
}

fn basis(boot: &Boot, chain: &Chain) -> String {
    let mut text = match chain.basis {
        Basis::AsyncCalls => "From initcalls, async calls and the waits for them.".to_owned(),
        Basis::Initcalls => {
            "From initcalls and probes. What waits inside an initcall looks like its work; `async.dyndbg=+p` on the command \
             line shows waits for async calls."
                .to_owned()
        }
        Basis::Records => {
            "From records alone: between two of them nothing tells work from waiting. `initcall_debug` on the command line \
             names what ran."
                .to_owned()
        }
    };
    let through = chain.segments.iter().any(|s| matches!(s.link, Link::AsyncCall { .. } | Link::Initramfs));
    if through && boot.kernel.cpus == Some(1) {
        text += " With one processor a call beside the chain also takes time from it: the slack holds for what sleeps.";
    }
    text
}

/// One line of the tree: a link, or several small ones.
enum Branch<'c> {
    One(&'c Segment),
    Many(&'c [Segment]),
}

/// The links that stand by themselves, by position.
fn outstanding(chain: &Chain, options: &CriticalChainOptions) -> HashSet<usize> {
    let all = &chain.segments;
    if all.len() <= 2 * options.count {
        return (0..all.len()).collect();
    }
    let net = all.iter().map(Segment::net).sum::<Dur>();
    let mut by_net: Vec<usize> = (0..all.len()).filter(|i| all[*i].net() > Dur::ZERO).collect();
    by_net.sort_by_key(|i| (std::cmp::Reverse(all[*i].net()), *i));
    let mut shown = Dur::ZERO;
    let mut found = HashSet::new();
    for i in by_net.into_iter().take(options.count) {
        if shown >= net.scale(ENOUGH) {
            break;
        }
        shown += all[i].net();
        found.insert(i);
    }
    let least = chain.length().scale(CONSOLE);
    let for_console = (0..all.len()).filter(|i| all[*i].console > Dur::ZERO && all[*i].console >= least);
    found.extend(for_console.filter(|_| options.count > 0));
    found
}

/// From the end back.
fn branches<'c>(chain: &'c Chain, outstanding: &HashSet<usize>) -> Vec<Branch<'c>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < chain.segments.len() {
        let run = (at..chain.segments.len()).take_while(|i| !outstanding.contains(i)).count();
        let here = &chain.segments[at..at + run.max(1)];
        found.push(if here.len() == 1 { Branch::One(&here[0]) } else { Branch::Many(here) });
        at += here.len();
    }
    found.reverse();
    found
}

/// `311 initcalls, longest pci_arch_init`
fn many_title(many: &[Segment]) -> String {
    let initcalls = many.iter().all(|s| matches!(s.link, Link::Initcall { .. }));
    let what = if initcalls { "initcalls" } else { "links" };
    // The first of equals.
    let longest = many.iter().rev().max_by_key(|s| s.net()).filter(|s| s.net() > Dur::ZERO);
    let longest = longest.map(|s| match &s.link {
        Link::Initcall { name } => format!(", longest {name}"),
        link => format!(", longest: {}", link.title()),
    });
    format!("{} {what}{}", many.len(), longest.unwrap_or_default())
}

fn links(chain: &Chain, outstanding: &HashSet<usize>, reached: &str, record: RecordId) -> Table {
    let mut table = Table::new([
        ("from [s]", Align::Right, 0),
        ("net [s]", Align::Right, 0),
        ("console [s]", Align::Right, 1),
        ("without it [s]", Align::Right, 2),
        ("hung on", Align::Left, 0),
        ("records", Align::Right, 3),
    ]);
    let at = |t: Dur| (t - chain.start).to_string();
    let empty = String::new;
    table.row(vec![at(chain.end), empty(), empty(), empty(), reached.to_owned(), record.to_string()], Style::Strong);
    let least = chain.length().scale(SMALL);
    let all = branches(chain, outstanding);
    for (n, branch) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        let (edge, trunk) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        match branch {
            Branch::One(s) => {
                let style = if s.net() >= chain.length().scale(0.1) { Style::Cost } else { Style::Plain };
                let effect = saved(s.effect);
                let name = format!("{edge}{}", s.link.title());
                let cells = vec![
                    at(s.start),
                    s.net().to_string(),
                    s.console.to_string(),
                    effect,
                    name,
                    records(s.first, s.last),
                ];
                table.row(cells, style);
                for inside in inside(s, least) {
                    let net = (inside.length - inside.console).max_zero();
                    let put_off = if inside.deferred { ", deferred" } else { "" };
                    let name = format!("{trunk}└─ {} {}{put_off}", word(&inside.kind), inside.name);
                    let cells = vec![
                        empty(),
                        net.to_string(),
                        inside.console.to_string(),
                        empty(),
                        name,
                        inside.record.to_string(),
                    ];
                    table.row(cells, Style::Faint);
                }
            }
            Branch::Many(many) => {
                let sum = |part: fn(&Segment) -> Dur| many.iter().map(part).sum::<Dur>();
                let name = format!("{edge}{}", many_title(many));
                let ids = records(many.first().and_then(|s| s.first), many.last().and_then(|s| s.last));
                let start = many.first().map_or(chain.start, |s| s.start);
                let cells = vec![
                    at(start),
                    sum(Segment::net).to_string(),
                    sum(|s| s.console).to_string(),
                    saved(sum(|s| s.effect)),
                    name,
                    ids,
                ];
                table.row(cells, Style::Plain);
            }
        }
    }
    table
}

/// What the boot would take less.
fn saved(effect: Dur) -> String {
    if effect > Dur::ZERO { (-effect).to_string() } else { String::new() }
}

fn records(first: Option<RecordId>, last: Option<RecordId>) -> String {
    match (first, last) {
        (Some(first), Some(last)) if last != first => format!("{first}-{last}"),
        (Some(one), _) | (None, Some(one)) => one.to_string(),
        (None, None) => String::new(),
    }
}

/// The longest inside a link, in the log's order.
fn inside(s: &Segment, least: Dur) -> Vec<&Inside> {
    let mut all: Vec<&Inside> = s.inside.iter().filter(|i| i.length >= least).collect();
    all.sort_by_key(|i| std::cmp::Reverse(i.length));
    all.truncate(INSIDE);
    all.sort_by_key(|i| i.record);
    all
}

fn longest(beside: &[Beside]) -> Vec<&Beside> {
    let mut all: Vec<&Beside> = beside.iter().collect();
    all.sort_by_key(|b| (std::cmp::Reverse(b.end - b.start), b.start));
    all.truncate(BESIDE);
    all
}

fn slack(beside: &[&Beside]) -> Table {
    let mut table = Table::new([
        ("length [s]", Align::Right, 0),
        ("slack [s]", Align::Right, 0),
        ("kind", Align::Left, 2),
        ("name", Align::Left, 0),
        ("record", Align::Right, 1),
    ]);
    for b in beside {
        let length = (b.end - b.start).to_string();
        let cells = vec![length, b.slack.to_string(), word(&b.kind), b.name.clone(), b.record.to_string()];
        table.row(cells, Style::Plain);
    }
    table
}

/// The chain, for programs: one entry of `boots[]` in `docs/schema/critical-chain-1.schema.json`.
pub fn critical_chain_json<'b>(
    boot: &'b Boot,
    chain: Option<&'b Chain>,
    source: &'b SourceName,
) -> impl Serialize + 'b {
    ChainedBoot {
        source: &source.input,
        index: source.index,
        kernel_version: boot.kernel.release.as_deref(),
        clock: boot.timeline.clock,
        time_to_init: boot.end.as_ref().map(TimeToInit::new),
        chain: chain.map(|c| ChainJson {
            since: c.since,
            basis: c.basis,
            start_ns: c.start,
            end_ns: c.end,
            length_ns: c.length(),
            console_ns: c.console(),
            segments: &c.segments,
            beside: &c.beside,
        }),
    }
}

#[derive(Serialize)]
struct ChainedBoot<'b> {
    source: &'b str,
    index: usize,
    kernel_version: Option<&'b str>,
    clock: Clock,
    time_to_init: Option<TimeToInit>,
    chain: Option<ChainJson<'b>>,
}

#[derive(Serialize)]
struct ChainJson<'b> {
    since: Since,
    basis: Basis,
    start_ns: Dur,
    end_ns: Dur,
    length_ns: Dur,
    console_ns: Dur,
    segments: &'b [Segment],
    beside: &'b [Beside],
}
