// SPDX-License-Identifier: MIT OR Apache-2.0
//! What intervals and verdicts claim, tested on sets whose truth is known: skewed as on a busy host, in two groups,
//! with ties as in counts and coarse clocks.
use super::*;

type Draw = fn(&mut Random) -> f64;

const SHAPES: [(&str, Draw); 6] = [
    ("normal", Random::normal),
    ("exponential", |r| -(1.0 - r.unit()).ln()),
    ("lognormal", |r| r.normal().exp()),
    ("outliers", |r| r.normal() * if r.unit() < 0.1 { 20.0 } else { 1.0 }),
    ("two groups", |r| r.normal() + if r.unit() < 0.3 { 12.0 } else { 0.0 }),
    ("ties", |r| (r.normal() * 1.5).round()),
];

fn set(random: &mut Random, n: usize, draw: Draw, by: f64) -> Samples {
    Samples::new((0..n).map(|_| draw(random) + by)).unwrap()
}

/// Three deviations of a rate that is to be `expected`.
fn slack(expected: f64, of: usize) -> f64 {
    3.0 * (expected * (1.0 - expected) / of as f64).sqrt()
}

#[test]
fn the_interval_of_a_difference_misses_as_rarely_as_it_says() {
    const SETS: usize = 400;
    for (shape, draw) in SHAPES {
        for (n, m) in [(4, 4), (3, 5), (5, 5), (10, 10), (5, 20), (20, 20), (1, 39), (4, 36)] {
            let mut random = Random::new(n as u64 * 100 + m as u64);
            let (mut above, mut below, mut p_small) = (0, 0, 0);
            for _ in 0..SETS {
                let (a, b) = (set(&mut random, n, draw, 3.0), set(&mut random, m, draw, 0.0));
                let e = difference(&a, &b);
                above += usize::from(e.low > 3.0);
                below += usize::from(e.high < 3.0);
                let same = set(&mut random, n, draw, 0.0);
                p_small += usize::from(p_value(&same, &b) <= 0.05);
            }
            // A gate fails if the lower bound is above its limit: one in forty.
            let most = (SETS as f64 * (0.025 + slack(0.025, SETS))) as usize;
            assert!(above <= most && below <= most, "{shape} {n}+{m}: {above} above, {below} below of {SETS}");
            let most = (SETS as f64 * (0.05 + slack(0.05, SETS))) as usize;
            assert!(p_small <= most, "{shape} {n}+{m}: {p_small} small p of {SETS}");
        }
    }
}

#[test]
fn the_interval_of_a_median_misses_as_rarely_as_it_says() {
    const SETS: usize = 300;
    // The medians of those shapes that have a known one.
    for (n, truth) in [(0, 0.0), (1, std::f64::consts::LN_2), (2, 1.0), (3, 0.0), (5, 0.0)] {
        let (shape, draw) = SHAPES[n];
        for n in [6, 10, 17, 40] {
            let mut random = Random::new(n as u64);
            let mut above = 0;
            for seed in 0..SETS {
                above += usize::from(median(&set(&mut random, n, draw, 0.0), seed as u64).low > truth);
            }
            assert!(above <= (SETS as f64 * (0.025 + slack(0.025, SETS))) as usize, "{shape} {n}: {above} of {SETS}");
        }
    }
}

#[test]
fn what_is_said_to_be_seen_in_four_of_five_cases_is() {
    const SETS: usize = 150;
    for (shape, draw) in SHAPES {
        for (n, m) in [(4, 4), (5, 5), (10, 10), (20, 20), (5, 20), (1, 39)] {
            let mut random = Random::new(5);
            let mut seen = 0;
            for seed in 0..SETS {
                let needed = minimum_detectable_effect(
                    &set(&mut random, n, draw, 0.0),
                    &set(&mut random, m, draw, 0.0),
                    seed as u64,
                )
                .unwrap();
                let e = difference(&set(&mut random, n, draw, needed), &set(&mut random, m, draw, 0.0));
                seen += usize::from(e.low > 0.0);
            }
            // Few values show little of their spread: three of four. One against many is close to a coin toss.
            let least = if n == 1 { 0.45 } else { 0.62 };
            assert!((SETS as f64 * least..SETS as f64 * 0.95).contains(&(seen as f64)), "{shape} {n}+{m}: {seen}");
        }
    }
}

#[test]
fn two_groups_are_rarely_seen_in_one_and_often_in_two() {
    const SETS: usize = 150;
    for (shape, draw) in SHAPES {
        for n in [4, 6, 10, 20, 40] {
            let mut random = Random::new(n as u64);
            let seen = (0..SETS).filter(|_| groups(&set(&mut random, n, draw, 100.0)).is_some()).count();
            match shape {
                // In one of ten sets of twenty less than a fifth are in the upper one.
                "two groups" => assert!(n < 20 || seen > SETS * 8 / 10, "{shape} {n}: {seen} of {SETS}"),
                _ => assert!(seen < SETS / 15, "{shape} {n}: {seen} of {SETS}"),
            }
        }
    }
    for apart in [6.0, 10.0, 20.0] {
        for n in [4, 6, 10, 20, 40] {
            let mut random = Random::new(n as u64);
            let seen = (0..SETS)
                .filter(|_| {
                    let values = (0..n).map(|i| 100.0 + random.normal() + if i % 2 == 0 { apart } else { 0.0 });
                    groups(&Samples::new(values).unwrap()).is_some()
                })
                .count();
            assert!(apart < 10.0 || n < 10 || seen > SETS * 9 / 10, "{apart} apart, {n}: {seen} of {SETS}");
        }
    }
}

#[test]
fn a_series_without_a_change_rarely_shows_one_and_a_step_is_seen_five_values_after_it() {
    const SERIES: usize = 150;
    const LIMITS: ChangeLimits = ChangeLimits { p: 0.01, share: 0.01 };
    for (shape, draw) in SHAPES {
        let mut random = Random::new(17);
        let mut level = |n: usize, by: f64| -> Vec<f64> { (0..n).map(|_| 100.0 + draw(&mut random) + by).collect() };
        let alarms = (0..SERIES).filter(|_| !change_points(&level(200, 0.0), LIMITS).is_empty()).count();
        assert!(alarms <= (SERIES as f64 * (0.01 + slack(0.01, SERIES))) as usize, "{shape}: {alarms} of {SERIES}");
        // The step: 5 deviations of a build's median.
        let found = (0..SERIES).filter(|_| {
            let series = [level(100, 0.0), level(5, 5.0)].concat();
            change_points(&series, LIMITS).iter().any(|c| c.index.abs_diff(100) <= 2)
        });
        let found = found.count();
        // Two groups that are 12 apart hide a step of 5; of what varies by 20 now and then, half.
        let least = match shape {
            "two groups" => 0.0,
            "outliers" => 0.4,
            "lognormal" => 0.8,
            _ => 0.95,
        };
        assert!(found as f64 >= SERIES as f64 * (least - slack(least, SERIES)), "{shape}: {found} of {SERIES}");
    }
}
