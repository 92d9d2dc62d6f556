// SPDX-License-Identifier: MIT OR Apache-2.0
//! One row per measure, its difference drawn with its interval on a common axis (a forest plot).
use super::distribution::{axis, distribution, whisker};
use super::icon::Icon;
use super::scale::Scale;
use super::wording::{bounds, chance, signed_value, value, verdict};
use crate::html::html_text;
use bootline_analysis::compare::{ChangeVerdict, Comparison, QuantityChange, SetSummary, Unit};

/// All measures as a table.
pub(super) struct MeasureTable<'c> {
    comparison: &'c Comparison,
    rows: Vec<&'c QuantityChange>,
    even: Scale,
    decades: Scale,
}

impl<'c> MeasureTable<'c> {
    pub fn of(comparison: &'c Comparison) -> MeasureTable<'c> {
        let rows: Vec<&QuantityChange> = comparison.single().chain(comparison.many()).collect();
        let times =
            || rows.iter().filter(|c| c.unit == Unit::Ns).flat_map(|c| ends(c)).chain([0.0]).collect::<Vec<_>>();
        let effect = comparison.thresholds.effect.as_nanos() as f64;
        let (even, decades) = (Scale::even(times()), Scale::by_decades(times(), effect));
        MeasureTable { comparison, rows, even, decades }
    }

    /// Number of measures.
    pub fn n(&self) -> usize {
        self.rows.len()
    }

    /// Number of measures that differ, or may.
    pub fn differ(&self) -> usize {
        self.rows.iter().filter(|c| self.may_differ(c)).count()
    }

    /// Whether any difference has an interval.
    pub fn has_intervals(&self) -> bool {
        self.rows.iter().filter_map(|c| c.difference).any(|d| d.confidence > 0.0)
    }

    fn may_differ(&self, c: &QuantityChange) -> bool {
        c.may_differ(&self.comparison.thresholds)
    }

    /// The position of zero on the axes, and the band of differences too small to matter: the style sheet draws them
    /// behind all rows.
    pub fn style(&self) -> String {
        let effect = self.comparison.thresholds.effect.as_nanos() as f64;
        let stretch = |class: &str, scale: &Scale| {
            let [low, zero, high] = [-effect, 0.0, effect].map(|v| scale.percent(v));
            format!(".{class} {{ --zero: {zero:.2}%; --little: {low:.2}%; --little-width: {:.2}%; }}\n", high - low)
        };
        let even = stretch("measures:has(#even:checked)", &self.even);
        stretch("measures", &self.decades) + &even
    }

    /// The rows of the table's head and body.
    pub fn ticks(&self) -> String {
        ["decades", "even"]
            .into_iter()
            .zip([&self.decades, &self.even])
            .map(|(class, s)| axis(&s.ticks(Unit::Ns, 5, true), s).replacen("ticks", &format!("ticks {class}"), 1))
            .collect()
    }

    pub fn rows(&self) -> String {
        self.rows.iter().enumerate().map(|(n, c)| self.row(n, c)).collect()
    }

    fn row(&self, n: usize, c: &QuantityChange) -> String {
        let (words, _) = verdict(c);
        let icon = Icon::of_verdict(c.verdict);
        let whole = c.quantity.is_time_to_end();
        // The change of the whole is never hidden.
        let same = if whole || self.may_differ(c) { "" } else { " same" };
        let of =
            |s: &Option<SetSummary>| s.as_ref().map_or_else(String::new, |s| html_text(&value(s.median.best, c.unit)));
        let known = c.difference.filter(|d| d.confidence > 0.0);
        let p_value = c.p_value.filter(|_| c.verdict != ChangeVerdict::TooFew).map_or_else(String::new, chance);
        format!(
            "<tr class=\"{}{}{same}\" data-n=\"{n}\" data-size=\"{:.0}\" data-rank=\"{}\">\
             <th scope=\"row\"><button type=\"button\" class=\"measure\" aria-expanded=\"false\"><span>{}</span></button>\
             <template>{}</template></th>\
             <td class=\"number medians\">{}</td><td class=\"number medians\">{}</td><td class=\"number\">{}</td>\
             <td class=\"axis\">{}</td><td class=\"number more-room told\">{}</td><td class=\"number more-room told\">{}</td>\
             <td class=\"verdict\">{} {}</td></tr>\n",
            icon.class(),
            if whole { " whole" } else { "" },
            if c.unit == Unit::Ns { c.adds() } else { 0.0 },
            rank(c.verdict),
            name(c),
            distribution(c, self.comparison, !c.quantity.is_one_of_many()),
            of(&c.from),
            of(&c.to),
            c.difference.map_or_else(String::new, |d| html_text(&signed_value(d.best, c.unit))),
            self.drawn(c, icon),
            known.map_or_else(String::new, |d| html_text(&bounds(d, c.unit))),
            html_text(&p_value),
            icon.inline(),
            html_text(&words),
        )
    }

    fn drawn(&self, c: &QuantityChange, icon: Icon) -> String {
        if c.unit != Unit::Ns {
            return "<span class=\"faint\">in bytes</span>".to_owned();
        }
        let one = |class: &str, scale: &Scale| {
            let interval = c.difference.filter(|d| d.confidence > 0.0);
            let interval = interval.map_or_else(String::new, |d| whisker("ci", &scale.x(d.low), &scale.x(d.high)));
            format!("<g class=\"{class}\">{interval}{}</g>", icon.at(&scale.x(c.adds())))
        };
        format!("<svg aria-hidden=\"true\">{}{}</svg>", one("decades", &self.decades), one("even", &self.even))
    }
}

/// Values that must fit on the axis.
fn ends(c: &QuantityChange) -> Vec<f64> {
    match c.difference {
        Some(d) if d.confidence > 0.0 => vec![d.low, d.best, d.high],
        _ => vec![c.adds()],
    }
}

/// `initcall:` fainter than `acpi_init`.
fn name(c: &QuantityChange) -> String {
    let name = c.quantity.to_string();
    match name.split_once(':') {
        Some((kind, rest)) => format!("<span class=\"faint\">{}:</span>{}", html_text(kind), html_text(rest)),
        None => html_text(&name),
    }
}

/// Order of the rows when sorted by verdict.
fn rank(verdict: ChangeVerdict) -> u8 {
    match verdict {
        ChangeVerdict::More => 0,
        ChangeVerdict::New => 1,
        ChangeVerdict::Less => 2,
        ChangeVerdict::Gone => 3,
        ChangeVerdict::Noise => 4,
        ChangeVerdict::TooSmall => 5,
        ChangeVerdict::NotSignificant => 6,
        ChangeVerdict::TooFew => 7,
    }
}
