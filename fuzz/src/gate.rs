// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets, baselines and comparisons from any bytes.
use bootline_analysis::compare::{Asked, Baseline, Budget, RunMeasures, RunSet, Thresholds, check, compare};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

/// The least budget that asks everything of a set.
const BUDGET: &str = "[[budget]]\nof = \"time-to-init\"\nat_most = \"1 s\"\nincrease_at_most = \"1 %\"\n\
                      [[budget]]\nof = \"console-bytes\"\nincrease_at_most = 1\n\
                      [[budget]]\nof = \"stage:kernel\"\nincrease_at_most = \"1 %\"\n";

/// Takes `data` for a budget, for a baseline, and for logs whose boots are compared with themselves and with the stored
/// form of them.
///
/// # Panics
/// When the parts of a boot don't add up to its time, those of a difference don't to the whole, a boot differs from itself,
/// or a baseline that was written can't be read.
pub fn gates(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let budget = Budget::parse(&text).unwrap_or_else(|_| Budget::parse(BUDGET).expect("a budget"));
    if let Ok(stored) = Baseline::parse(data) {
        let runs = stored.runs("stored");
        against(&budget, &runs, &runs);
    }
    let mut set = RunSet { name: "log".to_owned(), ..RunSet::default() };
    for records in BootRecords::all(data) {
        let boot = Boot::analyse(records, &BootOptions::default());
        let asked = Asked { markers: vec!["login:".to_owned()], whole_boot: true, app: None };
        set.runs.extend(RunMeasures::of(&boot, "log", &asked));
    }
    for run in &set.runs {
        let sum: Dur = run.parts.iter().map(|p| p.time()).sum();
        assert_eq!(sum.as_nanos(), run.time().max(0), "the parts don't add up");
    }
    let written = Baseline::of(&set, None, &budget.spans()).to_text();
    let stored = Baseline::parse(written.as_bytes()).expect("a baseline as it was written").runs("stored");
    against(&budget, &set, &set);
    against(&budget, &stored, &set);
}

fn against(budget: &Budget, from: &RunSet, to: &RunSet) {
    if let Some(c) = compare(from, to, Thresholds::default()) {
        let sum: i128 = c
            .decomposition
            .contributions
            .iter()
            .map(|p| i128::from(p.work.as_nanos()) + i128::from(p.console.as_nanos()))
            .sum();
        let whole = c.decomposition.whole.as_nanos();
        assert!(
            sum == i128::from(whole)
                || whole.unsigned_abs() >= i64::MAX as u64 / 2
                || sum.unsigned_abs() >= i64::MAX as u128 / 2
        );
    }
    check(budget, Some(from), to);
}
