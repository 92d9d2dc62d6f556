// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of both sets as dots on one axis, with medians, groups, and the difference on its own axis, whose zero is
//! below the earlier median (an estimation plot: Gardner and Altman 1986).
use super::scale::Scale;
use super::wording::{bounds, interval, runs, short_names, signed_value, value, verdict};
use crate::html::html_text;
use bootline_analysis::compare::{Comparison, QuantityChange, SetSummary, Unit};

/// Width of a dot, in percent of an axis of some 800 pixels: closer ones are stacked.
const DOT: f64 = 1.1;
/// Half the height of a row of dots, in pixels, and the distance between stacked dots.
const HALF: f64 = 28.0;
const STEP: f64 = 8.5;
/// Above the dots, where groups are marked.
const HEAD: f64 = 18.0;

/// The picture. With `names` each dot is drawn and names its run; without, the page's script draws and names the dots,
/// which takes a fifth of the text.
pub(super) fn distribution(c: &QuantityChange, comparison: &Comparison, names: bool) -> String {
    let sets = [&c.from, &c.to];
    let shifted = c.difference.zip(c.from.as_ref()).map(|(d, from)| (d, from.median.best));
    let values = sets.iter().filter_map(|s| s.as_ref()).flat_map(|s| {
        let own = s.values.iter().flatten().map(|v| *v as f64);
        own.chain([s.median.low, s.median.best, s.median.high])
    });
    let ends = shifted.iter().flat_map(|(d, at)| [d.low, d.high].map(|v| v + at));
    let scale = Scale::even(values.chain(ends).collect::<Vec<_>>());
    let ticks = scale.ticks(c.unit, 5, false);
    // Hundreds of pictures that are rarely opened must be small.
    let grid: String = ticks.iter().filter(|_| names).map(|(v, _)| upright("grid", &scale.x(*v))).collect();
    let set_names = short_names(comparison);
    let mut out = "<div class=\"spread\">\n".to_owned();
    for (n, summary) in sets.into_iter().enumerate() {
        let class = ["from", "to"][n];
        let name = html_text(&set_names[n]);
        match summary {
            Some(s) => out += &dot_row(class, &name, s, c, &scale, &grid, names.then_some(&comparison.sources[n])),
            None => {
                out += &format!(
                    "<div class=\"name {class}\"><b>{name}</b> does not have it</div><div class=\"lane\"></div>\n"
                )
            }
        }
    }
    let unit = if c.unit == Unit::Ns { "seconds" } else { "bytes" };
    out += &format!("<div class=\"name unit\">{unit}</div>{}\n", axis(&ticks, &scale));
    if let Some((d, at)) = shifted {
        let (words, _) = verdict(c);
        let range = if d.confidence > 0.0 { interval(d, c.unit) } else { "no interval".to_owned() };
        let spoken = format!("difference of the medians {}, {range}: {words}", signed_value(d.best, c.unit));
        let whisker =
            if d.confidence > 0.0 { whisker("ci", &scale.x(at + d.low), &scale.x(at + d.high)) } else { String::new() };
        out += &format!(
            "<div class=\"name difference\"><b>difference</b> <span>{}</span> <span>{}</span></div>\
             <svg class=\"lane difference\" role=\"img\" aria-label=\"{}\">{}{}{whisker}{}</svg>\n",
            html_text(&signed_value(d.best, c.unit)),
            html_text(&range),
            html_text(&spoken),
            upright("zero", &scale.x(at)),
            upright("now", &scale.x(at + d.best)),
            super::icon::Icon::of_verdict(c.verdict).at(&scale.x(at + d.best)),
        );
        let by = scale.shifted(at);
        let ticks: Vec<(f64, String)> = by.ticks(c.unit, 5, true);
        out += &format!("<div class=\"name unit\">{unit} more</div>{}\n", axis(&ticks, &by));
    }
    out + "</div>\n"
}

fn dot_row(
    class: &str,
    name: &str,
    s: &SetSummary,
    c: &QuantityChange,
    scale: &Scale,
    grid: &str,
    names: Option<&Vec<String>>,
) -> String {
    let unit = c.unit;
    let median = value(s.median.best, unit);
    let head = if s.groups.is_some() { HEAD } else { 2.0 };
    let mut spoken = format!("{}, median {median}", runs(s.runs));
    let mut marks = String::new();
    if s.median.confidence > 0.0 {
        let (low, high) = (scale.x(s.median.low), scale.x(s.median.high));
        marks += &format!(
            "<line class=\"median\" x1=\"{low}\" x2=\"{high}\" y1=\"{0}\" y2=\"{0}\"/>",
            head + 2.0 * HALF + 3.0
        );
        let range = bounds(s.median, unit).replace('+', "");
        spoken += &format!(" ({:.0} % interval {range})", (s.median.confidence * 100.0).floor());
    }
    if let Some(g) = s.groups {
        let [least, greatest] = [f64::min as fn(f64, f64) -> f64, f64::max]
            .map(|pick| s.values.iter().flatten().map(|v| *v as f64).reduce(pick).unwrap_or_default());
        for (n, from, to) in [(g.lower, least, g.below), (g.upper, g.above, greatest)] {
            let middle = format!("{:.2}%", (scale.percent(from) + scale.percent(to)) / 2.0);
            marks += &format!(
                "<line class=\"group\" x1=\"{}\" x2=\"{}\" y1=\"14\" y2=\"14\"/><text class=\"group\" x=\"{middle}\" y=\"10\">{n}</text>",
                scale.x(from),
                scale.x(to)
            );
        }
        spoken += &format!(
            "; two groups, {} up to {} and {} from {} on",
            g.lower,
            value(g.below, unit),
            g.upper,
            value(g.above, unit)
        );
    }
    let groups = s.groups.map_or_else(String::new, |g| {
        format!(" <strong class=\"groups\">two groups, {} and {}</strong>", g.lower, g.upper)
    });
    format!(
        "<div class=\"name {class}\"><b>{name}</b> <span>median {median} of {}</span>{groups}</div>\
         <svg class=\"lane {class}{}\" role=\"img\" aria-label=\"{}\">{grid}{}{marks}{}</svg>\n",
        runs(s.runs),
        if s.groups.is_some() { " grouped" } else { "" },
        html_text(&spoken),
        upright("middle", &scale.x(s.median.best)),
        dots(s, unit, scale, head + HALF, names),
    )
}

/// Runs in their order; those that would hide one another are stacked around the middle of the row.
fn dots(s: &SetSummary, unit: Unit, scale: &Scale, middle: f64, names: Option<&Vec<String>>) -> String {
    let offsets = stacked(s, scale);
    let places = s.values.iter().zip(offsets).map(|(v, off)| Some((scale.percent((*v)? as f64), middle + off)));
    let Some(names) = names else {
        // A run without a value keeps its position in the order.
        let words: Vec<String> = places.map(|p| p.map_or("".into(), |(x, y)| format!("{x:.2} {y:.0}"))).collect();
        return format!("<g class=\"runs\" data-dots=\"{}\"></g>", words.join(","));
    };
    let mut dots = String::new();
    for ((place, v), name) in places.zip(&s.values).zip(names) {
        let Some(((x, y), v)) = place.zip(*v) else { continue };
        let told = format!("{}: {}", html_text(name), html_text(&value(v as f64, unit)));
        dots += &format!("<circle cx=\"{x:.2}%\" cy=\"{y:.1}\" r=\"4\"><title>{told}</title></circle>");
    }
    format!("<g class=\"runs\">{dots}</g>")
}

/// How far below the middle each run's dot is, so that none hides another.
fn stacked(s: &SetSummary, scale: &Scale) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> =
        s.values.iter().enumerate().filter_map(|(run, v)| Some((run, scale.percent((*v)? as f64)))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut level = vec![0_usize; s.values.len()];
    // Up to where each level is occupied.
    let mut taken: Vec<f64> = Vec::new();
    for (run, at) in order {
        let free = taken.iter().position(|until| *until <= at).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(0.0);
        }
        taken[free] = at + DOT;
        level[run] = free;
    }
    let step = STEP.min(2.0 * (HALF - 4.0) / taken.len().max(1) as f64);
    // 0, 1 up, 1 down, 2 up ..
    let offset = |level: usize| level.div_ceil(2) as f64 * if level % 2 == 1 { -step } else { step };
    level.into_iter().map(offset).collect()
}

/// Tick labels below a row.
pub(super) fn axis(ticks: &[(f64, String)], scale: &Scale) -> String {
    let tick = |(v, label): &(f64, String)| {
        let x = scale.x(*v);
        // A label at the edge would be clipped.
        let end = match scale.percent(*v) {
            p if p < 4.0 => " class=\"first\"",
            p if p > 96.0 => " class=\"last\"",
            _ => "",
        };
        format!("<line x1=\"{x}\" x2=\"{x}\" y2=\"4\"/><text x=\"{x}\" y=\"16\"{end}>{label}</text>")
    };
    format!("<svg class=\"ticks\" aria-hidden=\"true\">{}</svg>", ticks.iter().map(tick).collect::<String>())
}

fn upright(class: &str, x: &str) -> String {
    format!("<line class=\"{class}\" x1=\"{x}\" x2=\"{x}\" y2=\"100%\"/>")
}

/// An interval, in the middle of the height unless the style says otherwise.
pub(super) fn whisker(class: &str, from: &str, to: &str) -> String {
    format!("<line class=\"{class}\" x1=\"{from}\" x2=\"{to}\" y1=\"50%\" y2=\"50%\"/>")
}
