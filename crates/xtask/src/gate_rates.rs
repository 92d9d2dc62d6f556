// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often a gate fires on boots with a known added delay: the table in docs/gate.md.
//!
//! `make gate-rates` boots experiments/gate-rates.toml first:
//!
//! ```text
//! results/gate-rates (captures) ─▶ docs/gate-rates.json (a few numbers a run) ─▶ docs/gate.md, between its marks
//! ```
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use bootline_analysis::boot::{Boot, BootOptions, BootRecords, Clock, EndedBy, TimeOrigin};
use bootline_analysis::compare::{Budget, GateOutcome, Quantity, RunMeasures, RunSet, RunSetup, check};
use bootline_lab::boot::{RunVerdict, Truth};
use bootline_stats::{Random, difference};

use crate::document::Document;
use crate::error::{Error, entries, read_bytes};

/// The boot ends behind both modules.
const END: &str = "initcall printk_bench_init";
const BASES: [&str; 2] = ["base", "same"];
const ARMS: [(&str, &str); 4] = [
    ("delay-50", "50 ms in an initcall"),
    ("delay-200", "200 ms in an initcall"),
    ("output-50", "50 ms of output"),
    ("output-200", "200 ms of output"),
];
const GATES: [(&str, &str); 5] = [
    ("time-to-marker", "\"50 ms\""),
    ("time-to-marker", "\"100 ms\""),
    ("time-to-marker", "\"200 ms\""),
    ("initcall:delay_probe_init", "\"25 ms\""),
    ("console-bytes", "1000"),
];
const SIZES: [usize; 3] = [5, 10, 20];
const DRAWS: usize = 300;
const MEASURES: &str = "docs/gate-rates.json";
const MARKS: [&str; 2] = ["<!-- made by `make gate-rates` -->\n", "<!-- end of what is made -->\n"];

/// For each arm, each quantity's numbers, one a run.
type Arms = BTreeMap<String, BTreeMap<Quantity, Vec<i64>>>;

fn boot(capture: &Path) -> Result<Option<Boot>, Error> {
    let bytes = read_bytes(capture)?;
    let options = BootOptions { marker: Some(END.to_owned()), ..BootOptions::default() };
    Ok(BootRecords::all(&bytes).into_iter().map(|records| Boot::analyse(records, &options)).next())
}

/// What is needed of the valid runs of a results folder.
fn arms(results: &Path) -> Result<Arms, Error> {
    let wanted: Vec<Quantity> = GATES.iter().map(|(of, _)| of.parse().expect("a quantity")).collect();
    let mut arms = Arms::new();
    for folder in entries(&results.join("runs"))? {
        let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let truth = folder.join("truth.json");
        let (Some((arm, _)), Ok(text)) = (name.rsplit_once('-'), read_bytes(&truth)) else { continue };
        let truth: Truth = serde_json::from_slice(&text).map_err(|e| Error::content(&truth, e))?;
        if truth.verdict != RunVerdict::Valid {
            continue;
        }
        let run = boot(&folder.join("boot.cap"))?.and_then(|b| RunMeasures::of(&b, name, &[]));
        let run = run.ok_or_else(|| Error::content(&folder, format!("it doesn't reach `{END}`")))?;
        for quantity in &wanted {
            let value = run.values.get(quantity);
            let value = value.ok_or_else(|| Error::content(&folder, format!("no {quantity}")))?;
            let columns = arms.entry(arm.to_owned()).or_default();
            columns.entry(quantity.clone()).or_default().push(*value);
        }
    }
    Ok(arms)
}

/// A line a column, so that a difference shows what changed.
fn to_text(arms: &Arms) -> String {
    let mut out = String::from("{");
    for (n, (arm, columns)) in arms.iter().enumerate() {
        _ = write!(out, "{}\n  {}: {{", if n > 0 { "," } else { "" }, serde_json::json!(arm));
        for (n, (quantity, values)) in columns.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            _ = write!(out, "{comma}\n    {}: {}", serde_json::json!(quantity), serde_json::json!(values));
        }
        out.push_str("\n  }");
    }
    out + "\n}\n"
}

/// The runs of some arms.
fn pool(arms: &Arms, names: &[&str]) -> Vec<RunMeasures> {
    let setup = RunSetup {
        kernel: None,
        command_line: Vec::new(),
        cpus: Some(1),
        console: None,
        baud: None,
        clock: Clock::Arrival,
        ended_by: EndedBy::Marker,
        since: TimeOrigin::KernelFirstByte,
        initcalls: true,
    };
    let mut runs = Vec::new();
    for columns in names.iter().filter_map(|n| arms.get(*n)) {
        let n = columns.values().map(Vec::len).min().unwrap_or_default();
        for i in 0..n {
            let values = columns.iter().map(|(q, v)| (q.clone(), v[i])).collect();
            runs.push(RunMeasures { source: String::new(), setup: setup.clone(), values, parts: Vec::new() });
        }
    }
    runs
}

fn set(runs: &[&RunMeasures]) -> RunSet {
    RunSet { runs: runs.iter().map(|r| (*r).clone()).collect(), ..RunSet::default() }
}

/// How many of the draws fire, and how many can't be judged.
struct Rate {
    fires: usize,
    open: usize,
}

/// Sets of `n` drawn from the pools, each boot put back once it was drawn (the bootstrap): what the gate would do were the
/// pools all the boots there are. Drawn without, sets of twenty of some thirty boots would be nearly the same ones each time.
fn rate(budget: &Budget, base: &[RunMeasures], new: &[RunMeasures], n: usize, seed: u64) -> Rate {
    let mut random = Random::new(seed);
    let mut rate = Rate { fires: 0, open: 0 };
    let mut draw = |from: &[RunMeasures]| -> RunSet {
        let chosen: Vec<&RunMeasures> = (0..n).map(|_| &from[random.below(from.len())]).collect();
        set(&chosen)
    };
    for _ in 0..DRAWS {
        let (baseline, runs) = (draw(base), draw(new));
        match check(budget, Some(&baseline), &runs)[0].outcome {
            GateOutcome::Fail => rate.fires += 1,
            GateOutcome::Inconclusive => rate.open += 1,
            GateOutcome::Pass => {}
        }
    }
    rate
}

fn table(arms: &Arms) -> String {
    let base = pool(arms, &BASES);
    let mut out = String::new();
    let percent = |n: usize| (n * 100 + DRAWS / 2) / DRAWS;
    _ = writeln!(
        out,
        "Each cell: of {DRAWS} draws of n + n of the boots below, each put back once it was drawn, how many percent fire (exit \
         1), and how many can't be judged (exit 3); the others pass.\n"
    );
    out += "| gate | limit | added | 5 + 5 | 10 + 10 | 20 + 20 |\n| --- | --- | --- | --- | --- | --- |\n";
    for (of, limit) in GATES {
        let increase = format!("[[budget]]\nof = \"{of}\"\nincrease_at_most = {limit}\n");
        let budget = Budget::parse(&format!("end = \"{END}\"\nnoise = \"0 %\"\n{increase}")).expect("a budget");
        let mut row = |added: &str, new: &[RunMeasures]| {
            let cells = SIZES.iter().map(|&n| {
                let rate = rate(&budget, &base, new, n, n as u64);
                format!(" {} % / {} % |", percent(rate.fires), percent(rate.open))
            });
            let cells: String = cells.collect();
            _ = writeln!(out, "| `{of}` | {} | {added} |{cells}", limit.trim_matches('"'));
        };
        row("nothing", &base);
        for (arm, added) in ARMS {
            row(added, &pool(arms, &[arm]));
        }
    }
    out += "\nThe boots behind it, and what each arm really adds to the boots of the first:\n\n";
    out += "| arm | boots | time to the marker [s] | added, 95 % interval [ms] |\n| --- | --- | --- | --- |\n";
    let time: Quantity = "time-to-marker".parse().expect("a quantity");
    let base = set(&base.iter().collect::<Vec<_>>()).values(&time).expect("there are runs");
    for arm in BASES.iter().chain(ARMS.iter().map(|(arm, _)| arm)) {
        let Some(samples) = set(&pool(arms, &[arm]).iter().collect::<Vec<_>>()).values(&time) else { continue };
        let d = difference(&samples, &base);
        let ms = |ns: f64| ns / 1e6;
        _ = writeln!(
            out,
            "| {arm} | {} | {:.3} | {:+.0} ({:+.0}..{:+.0}) |",
            samples.n(),
            samples.median() / 1e9,
            ms(d.best),
            ms(d.low),
            ms(d.high)
        );
    }
    out
}

/// Writes the numbers of a results folder, which docs/gate.md is then made from.
pub fn measure(root: &Path, results: &Path) -> Result<(), Error> {
    let arms = arms(results)?;
    if arms.is_empty() {
        return Err(Error::NoRuns(results.to_owned()));
    }
    Document { path: MEASURES, text: to_text(&arms) }.write(root)
}

/// docs/gate.md, from the numbers that were written.
pub fn document(root: &Path) -> Result<Document, Error> {
    let path = root.join(MEASURES);
    let arms: Arms = serde_json::from_slice(&read_bytes(&path)?).map_err(|e| Error::content(&path, e))?;
    Document::between(root, "docs/gate.md", MARKS, |_| Ok(format!("\n{}\n", table(&arms))))
}
