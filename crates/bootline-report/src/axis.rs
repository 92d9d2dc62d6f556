// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ticks of a time axis.
use bootline_capture::units::Dur;

/// A round step (1, 2 or 5 of a power of ten nanoseconds) of which at most `most` fit into `length`.
pub(super) fn step(length: Dur, most: usize) -> Dur {
    let length = length.as_nanos().max(1);
    let mut power: i64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if length / step <= most as i64 || step == i64::MAX {
                return Dur::from_nanos(step);
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The ticks from one instant to another.
pub(super) fn ticks(from: Dur, to: Dur, most: usize) -> Vec<Dur> {
    let step = step(to - from, most);
    let first =
        from.as_nanos().div_euclid(step.as_nanos()) + i64::from(from.as_nanos().rem_euclid(step.as_nanos()) > 0);
    let at = |n: i64| Dur::from_nanos(first.saturating_add(n).saturating_mul(step.as_nanos()));
    (0..=most as i64).map(at).take_while(|t| *t <= to).collect()
}

/// The label of a tick, with as many decimals as the axis's step needs.
pub(super) fn label(at: Dur, step: Dur) -> String {
    let decimals = (0..9).find(|d| step.as_nanos() % 10_i64.pow(9 - d) == 0).unwrap_or(9) as usize;
    format!("{:.decimals$}", at.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let s = Dur::from_millis;
        let check = |from, to, want: &[&str]| {
            let labels: Vec<String> = ticks(from, to, 6).into_iter().map(|t| label(t, step(to - from, 6))).collect();
            assert_eq!(labels, want);
        };
        check(s(0), s(25_213), &["0", "5", "10", "15", "20", "25"]);
        check(s(-700), s(300), &["-0.6", "-0.4", "-0.2", "0.0", "0.2"]);
        check(s(1_010), s(1_015), &["1.010", "1.011", "1.012", "1.013", "1.014", "1.015"]);
        check(s(5), s(5), &["0.005000000"]);
        assert!(!ticks(Dur::from_nanos(i64::MIN), Dur::from_nanos(i64::MAX), 6).is_empty());
    }
}
