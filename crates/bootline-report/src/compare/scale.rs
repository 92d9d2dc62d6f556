// SPDX-License-Identifier: MIT OR Apache-2.0
//! Positions of values on an axis, in percent of its width, so that a picture fits any width.
use crate::axis;
use bootline_analysis::compare::Unit;
use bootline_capture::units::Dur;

/// Minimum distance between labels, in percent.
const APART: f64 = 9.0;

/// An axis from left to right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    /// Values up to this size are placed linearly, beyond it logarithmically; none if the whole axis is linear.
    decades: Option<f64>,
}

impl Scale {
    /// A linear scale with room for all of these.
    pub fn even(values: impl IntoIterator<Item = f64>) -> Scale {
        Scale::holding(values, None)
    }

    /// A logarithmic scale on which small and large values are both visible, with room for all of these and for zero.
    pub fn by_decades(values: impl IntoIterator<Item = f64>, even_up_to: f64) -> Scale {
        let least = even_up_to.max(1.0);
        Scale::holding(values.into_iter().chain([-least, least]), Some(least))
    }

    fn holding(values: impl IntoIterator<Item = f64>, decades: Option<f64>) -> Scale {
        let placed = values.into_iter().filter(|v| v.is_finite()).map(|v| place(v, decades));
        let (low, high) = placed.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // All equal: a range around the value; the ticks show how short it is.
        let room = if high > low { (high - low) * 0.05 } else { (high.abs() * 0.01).max(1.0) };
        Scale { from: low - room, to: high + room, decades }
    }

    /// The same range of a linear scale, counted from `zero`.
    pub fn shifted(&self, zero: f64) -> Scale {
        Scale { from: self.from - zero, to: self.to - zero, decades: None }
    }

    /// `43.21`
    pub fn percent(&self, value: f64) -> f64 {
        ((place(value, self.decades) - self.from) / (self.to - self.from) * 100.0).clamp(0.0, 100.0)
    }

    /// `43.21%`
    pub fn x(&self, value: f64) -> String {
        format!("{:.2}%", self.percent(value))
    }

    /// Round values with their labels, in seconds or bytes; `signed` if they are differences.
    pub fn ticks(&self, unit: Unit, most: usize, signed: bool) -> Vec<(f64, String)> {
        match self.decades {
            None => even_ticks(self.from, self.to, unit, most, signed),
            Some(least) => self.decade_ticks(least, unit),
        }
    }

    fn decade_ticks(&self, least: f64, unit: Unit) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        let mut power = 10.0_f64.powf(least.log10().ceil());
        while place(power, self.decades) <= self.to.max(-self.from) && ticks.len() < 40 {
            let step = Dur::from_nanos(power as i64);
            let label = if unit == Unit::Ns { axis::label(step, step) } else { format!("{power:.0}") };
            ticks.extend([(-power, format!("−{label}")), (power, format!("+{label}"))]);
            power *= 10.0;
        }
        // Labels closer than this would overlap; zero stays, and of the others those far from it.
        let mut kept: Vec<(f64, String)> = vec![(0.0, "0".to_owned())];
        for tick in ticks.into_iter().rev() {
            let inside = (self.from..=self.to).contains(&place(tick.0, self.decades));
            let at = self.percent(tick.0);
            if inside && kept.iter().all(|(v, _)| (self.percent(*v) - at).abs() >= APART) {
                kept.push(tick);
            }
        }
        kept.sort_by(|a, b| a.0.total_cmp(&b.0));
        kept
    }
}

fn place(value: f64, decades: Option<f64>) -> f64 {
    match decades {
        None => value,
        Some(least) => value.signum() * (value.abs() / least).ln_1p(),
    }
}

fn even_ticks(from: f64, to: f64, unit: Unit, most: usize, signed: bool) -> Vec<(f64, String)> {
    let (from, to) = (Dur::from_nanos(from as i64), Dur::from_nanos(to as i64));
    let step = axis::step(to - from, most);
    let label = |t: Dur| {
        let text = if unit == Unit::Ns { axis::label(t, step) } else { t.as_nanos().to_string() };
        match text.strip_prefix('-') {
            Some(size) => format!("−{size}"),
            None if signed && t > Dur::ZERO => format!("+{text}"),
            None => text,
        }
    };
    axis::ticks(from, to, most).into_iter().map(|t| (t.as_nanos() as f64, label(t))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale, signed: bool) -> Vec<String> {
        scale.ticks(Unit::Ns, 5, signed).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn values_stand_in_their_order_with_room_at_both_ends() {
        let scale = Scale::even([2e9, 4e9]);
        assert!(scale.percent(2e9) > 0.0 && scale.percent(2e9) < scale.percent(3e9) && scale.percent(4e9) < 100.0);
        assert_eq!(scale.x(3e9), "50.00%");
        assert_eq!(labels(&scale, false), ["2.0", "2.5", "3.0", "3.5", "4.0"]);
        assert_eq!(labels(&Scale::even([-0.2e9, 0.2e9]), true), ["−0.2", "−0.1", "0.0", "+0.1", "+0.2"]);
        // Equal values, or none: still an axis.
        for scale in [Scale::even([7.0, 7.0]), Scale::even([]), Scale::even([f64::NAN])] {
            assert!(scale.percent(7.0) >= 0.0 && !scale.ticks(Unit::Bytes, 5, false).is_empty());
        }
    }

    #[test]
    fn small_and_great_differences_are_seen_on_one_axis() {
        let scale = Scale::by_decades([-2e6, 130e9], 1e6);
        assert_eq!(labels(&scale, true), ["0", "+0.01", "+0.1", "+1", "+10", "+100"]);
        let at: Vec<f64> = [-2e6, -1e6, 0.0, 1e6, 10e6, 100e6, 1e9].map(|v| scale.percent(v)).into();
        assert!(at.windows(2).all(|p| p[1] - p[0] > 2.0), "{at:?}");
    }
}
