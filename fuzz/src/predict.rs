// SPDX-License-Identifier: MIT OR Apache-2.0
//! Predictions from any bytes.
use bootline_analysis::predict::{Prediction, baseline, what_if};
use bootline_boot::{Boot, BootOptions, BootRecords, ConsoleArg, join_levels};
use bootline_capture::units::{Dur, Interval};

/// Predicts each boot in `data`, as it is, with a stated console, and joined with itself as its own log.
///
/// # Panics
/// When an interval is out of order, a time to init is negative, or the ways out are not sorted.
pub fn predicts(data: &[u8]) {
    let stated =
        BootOptions { console: Some(ConsoleArg::parse("ttyS0,9600n8")), cpus: Some(2), ..BootOptions::default() };
    let boots = BootRecords::all(data);
    for records in boots {
        let own = records.records.clone();
        let mut joined = records.clone();
        let _ = join_levels(&mut joined, &own);
        for (records, options) in [(records.clone(), &BootOptions::default()), (records, &stated), (joined, &stated)] {
            check(&Boot::analyse(records, options));
        }
    }
}

fn check(boot: &Boot) {
    let Ok(baseline) = baseline(boot) else { return };
    let ways = what_if(boot).expect("what can be told of baseline can be changed");
    assert!(ways.windows(2).all(|w| w[0].saved.best() >= w[1].saved.best()), "the ways out are not sorted");
    for p in [&baseline].into_iter().chain(&ways) {
        in_order(p);
    }
}

fn in_order(p: &Prediction) {
    let intervals = [p.time_to_init, p.saved, p.first_byte_shift].into_iter().chain(p.log_complete);
    let ascending = |i: Interval| i.low() <= i.best() && i.best() <= i.high();
    assert!(intervals.into_iter().all(ascending), "{p:?}");
    assert!(p.change.is_empty() || p.time_to_init.low() >= Dur::ZERO, "{p:?}");
}
