// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the earlier mean to the later one, part by part: each begins where the one before has ended (a waterfall).
use super::distribution::axis;
use super::icon::Icon;
use super::scale::Scale;
use super::wording::{chance, change_text, part_change, records, short_names, signed_value, value};
use crate::html::html_text;
use crate::time_value::signed;
use bootline_analysis::compare::{Comparison, Contribution, Decomposition, PartSum, Unit};
use bootline_capture::units::Dur;

/// The most important parts as the rows of a waterfall, and all others as those of a second table.
pub(super) struct Waterfall<'c> {
    names: [String; 2],
    runs: [usize; 2],
    of: &'c Decomposition,
    shown: Vec<&'c Contribution>,
    others: Vec<&'c Contribution>,
    scale: Scale,
}

impl<'c> Waterfall<'c> {
    /// None if nothing was decomposed.
    pub fn of(comparison: &'c Comparison, rows: usize) -> Option<Waterfall<'c>> {
        let of = &comparison.decomposition;
        if of.contributions.is_empty() {
            return None;
        }
        let (shown, others) = of.fold(rows);
        let mut at = of.before;
        let steps = shown.iter().map(|c| {
            at += c.total();
            at.as_nanos() as f64
        });
        let scale = Scale::even(
            steps.chain([of.before, of.before + of.whole].map(|d| d.as_nanos() as f64)).collect::<Vec<_>>(),
        );
        Some(Waterfall { names: short_names(comparison), runs: comparison.runs, of, shown, others, scale })
    }

    /// Whether any part was tested against chance.
    pub fn has_p_values(&self) -> bool {
        self.of.contributions.iter().any(|c| c.p_value.is_some())
    }

    pub fn ticks(&self) -> String {
        axis(&self.scale.ticks(Unit::Ns, 6, false), &self.scale)
    }

    /// What the parts add, by how they changed.
    pub fn sums(&self) -> String {
        let one = |(what, sum): (_, PartSum)| {
            let parts = if sum.parts == 1 { "part" } else { "parts" };
            let icon = Icon::of_part(what);
            format!(
                "<li class=\"{}\">{} {} <b>{}</b> <span>{} {parts}</span></li>\n",
                icon.class(),
                icon.inline(),
                part_change(what),
                html_text(&signed(sum.total())),
                sum.parts
            )
        };
        self.of.sums().into_iter().map(one).collect()
    }

    pub fn rows(&self) -> String {
        let mut at = self.of.before;
        let mut out = self.end(0, at);
        for c in &self.shown {
            out += &self.part(c, at);
            at += c.total();
        }
        if !self.others.is_empty() {
            let sum = PartSum::of(self.others.iter().copied());
            let title = format!("{} other parts", sum.parts);
            out += &self.row("others", &html_text(&title), "", &sum, at, ["".into(), "".into()]);
            at += sum.total();
        }
        // The difference of the means, which the parts must add up to, unless their sum overflows a time.
        debug_assert!(at == self.of.before + self.of.whole || self.is_beyond_times());
        out + &self.end(1, at)
    }

    /// Whether some sum of the parts may have saturated: a baseline may contain any numbers.
    fn is_beyond_times(&self) -> bool {
        let times = self.of.contributions.iter().flat_map(|c| [c.work, c.console]).chain([self.of.before]);
        times.map(|d| u128::from(d.as_nanos().unsigned_abs())).sum::<u128>() > i64::MAX as u128
    }

    /// The rows of the other parts, for which the picture has no room; those that add nothing are only counted.
    pub fn others(&self) -> Option<(usize, String)> {
        let told: Vec<_> = self.others.iter().filter(|c| c.total() != Dur::ZERO || c.bytes != 0).collect();
        let same = self.others.len() - told.len();
        let rows: String = told
            .iter()
            .map(|c| {
                format!("<tr>{}</tr>\n", cells(&part(c), &PartSum::of([**c]), &text(c, self.runs), None, &notes(c)))
            })
            .collect();
        let more = if same > 0 {
            format!(
                "<tr class=\"others\"><th scope=\"row\">{same} parts add nothing, to the nanosecond</th><td colspan=\"7\"></td></tr>\n"
            )
        } else {
            String::new()
        };
        (!self.others.is_empty()).then(|| (self.others.len(), rows + &more))
    }

    fn part(&self, c: &Contribution, at: Dur) -> String {
        let class = Icon::of_part(c.part_change()).class();
        self.row(class, &part(c), &text(c, self.runs), &PartSum::of([c]), at, notes(c))
    }

    fn row(&self, class: &str, name: &str, text: &str, sum: &PartSum, at: Dur, notes: [String; 2]) -> String {
        let bar = self.bar(sum, at);
        format!("<tr class=\"{class}\">{}</tr>\n", cells(name, sum, text, Some(&bar), &notes))
    }

    /// The earlier or the later mean.
    fn end(&self, n: usize, mean: Dur) -> String {
        let x = self.x(mean);
        let (y1, y2) = [("50%", "100%"), ("0", "50%")][n];
        format!(
            "<tr class=\"mean\"><th scope=\"row\">mean of {}</th><td class=\"number\">{}</td>\
             <td class=\"axis\"><svg aria-hidden=\"true\"><line class=\"step\" x1=\"{x}\" x2=\"{x}\" y1=\"{y1}\" y2=\"{y2}\"/>{}</svg></td>\
             <td></td>{}</tr>\n",
            html_text(&self.names[n]),
            html_text(&value(mean.as_nanos() as f64, Unit::Ns)),
            Icon::Unknown.at(&x),
            "<td class=\"more-room\"></td>".repeat(3)
                + "<td class=\"more-room told\"></td><td class=\"more-room\"></td>",
        )
    }

    /// Work and waits as two bars if they have the same sign; else the total as one.
    fn bar(&self, sum: &PartSum, at: Dur) -> String {
        let end = at + sum.total();
        let opposed =
            (sum.work > Dur::ZERO && sum.console < Dur::ZERO) || (sum.work < Dur::ZERO && sum.console > Dur::ZERO);
        let stretch = |class: &str, from: Dur, to: Dur| {
            let (a, b) = (self.percent(from), self.percent(to));
            if from == to {
                return String::new();
            }
            format!(
                "<rect class=\"{class}\" x=\"{:.2}%\" y=\"50%\" width=\"{:.2}%\" height=\"12\"/>",
                a.min(b),
                (a - b).abs()
            )
        };
        let bars = if opposed {
            let class = if sum.console.abs() > sum.work.abs() { "console" } else { "work" };
            stretch(class, at, end)
        } else {
            stretch("work", at, at + sum.work) + &stretch("console", at + sum.work, end)
        };
        let (x0, x1) = (self.x(at), self.x(end));
        format!(
            "<svg aria-hidden=\"true\"><line class=\"step\" x1=\"{x0}\" x2=\"{x0}\" y2=\"50%\"/>{bars}\
             <line class=\"step\" x1=\"{x1}\" x2=\"{x1}\" y1=\"50%\" y2=\"100%\"/></svg>"
        )
    }

    fn percent(&self, t: Dur) -> f64 {
        self.scale.percent(t.as_nanos() as f64)
    }

    fn x(&self, t: Dur) -> String {
        self.scale.x(t.as_nanos() as f64)
    }
}

/// `initcall` fainter than `acpi_init`.
fn part(c: &Contribution) -> String {
    let name = c.key.to_string();
    match name.split_once(" `") {
        Some((kind, rest)) => {
            format!(
                "<span class=\"faint\">{}</span> {}",
                html_text(kind),
                html_text(rest.strip_suffix('`').unwrap_or(rest))
            )
        }
        None => html_text(&name),
    }
}

/// How it changed, as a shape and in words.
fn text(c: &Contribution, runs: [usize; 2]) -> String {
    let words = change_text(c, runs);
    let icon = Icon::of_part(c.part_change()).inline();
    let words = if words.is_empty() { part_change(c.part_change()).to_owned() } else { words };
    format!("{icon} {}", html_text(&words))
}

fn notes(c: &Contribution) -> [String; 2] {
    [c.p_value.map_or_else(String::new, chance), records(c)]
}

fn cells(name: &str, sum: &PartSum, text: &str, bar: Option<&str>, notes: &[String; 2]) -> String {
    let time = |d: Dur| if d == Dur::ZERO { String::new() } else { html_text(&signed(d)) };
    let bytes = if sum.bytes == 0 { String::new() } else { signed_value(sum.bytes as f64, Unit::Bytes) };
    let total = html_text(&signed(sum.total()));
    let bar = bar.map_or_else(String::new, |bar| format!("<td class=\"axis\">{bar}</td>"));
    let [p_value, records] = notes;
    format!(
        "<th scope=\"row\">{name}</th><td class=\"number\">{total}</td>{bar}<td class=\"verdict\">{text}</td>\
         <td class=\"number more-room\">{}</td><td class=\"number more-room\">{}</td>\
         <td class=\"number more-room\">{bytes}</td><td class=\"number more-room told\">{}</td>\
         <td class=\"number more-room\">{}</td>",
        time(sum.work),
        time(sum.console),
        html_text(p_value),
        html_text(records)
    )
}
