// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a comparison. It is complete without its script, which sorts, filters, and opens the runs of a measure.
use serde_json::{Value, json};

use super::distribution::distribution;
use super::measures::MeasureTable;
use super::runs::runs;
use super::waterfall::Waterfall;
use super::wording::{answer, detectable_text, made_of_words, set_against_set};
use crate::escape::escaped;
use crate::html::{html_text, inline};
use crate::shell::{self, Page, TOOL, fill};
use crate::time_value::{in_millis, signed};
use bootline_analysis::compare::{Comparison, Thresholds};

const BODY: &str = include_str!("assets/page.html");
const MADE_OF: &str = include_str!("assets/made-of.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &[&str] =
    &[shell::THEME, include_str!("assets/runs.js"), include_str!("assets/measures.js"), include_str!("assets/main.js")];

/// Two sets compared, as a page. `rows` is the maximum number of parts to show; the others are folded.
pub fn compare_page(comparison: &Comparison, rows: usize) -> String {
    let measures = MeasureTable::of(comparison);
    let title = html_text(&set_against_set(comparison));
    let parts = [
        ("HEADER", shell::header(&title, "Keys and shapes")),
        ("ANSWER", comparison.headline().map_or_else(String::new, |c| inline(&answer(c, comparison)))),
        ("SIGHT", html_text(&detectable_text(comparison))),
        ("CAVEATS", caveats(comparison)),
        ("HEADLINE", comparison.headline().map_or_else(String::new, |c| distribution(c, comparison, true))),
        ("MADE_OF", made_of(comparison, rows)),
        ("TICKS", measures.ticks()),
        ("MEASURES", measures.rows()),
        // If all or almost none would be hidden, nothing is.
        ("ONLY", if measures.differ() > 0 && measures.n() > 20 { " checked".to_owned() } else { String::new() }),
        ("BARE", if measures.has_intervals() { String::new() } else { " bare".to_owned() }),
        ("DIFFER", measures.differ().to_string()),
        ("ALL", measures.n().to_string()),
        ("THRESHOLDS", thresholds(&comparison.thresholds)),
        ("RUNS", runs(comparison)),
        ("FOOTER", shell::footer()),
    ];
    shell::page(Page {
        title,
        style: format!("{STYLE}{}", measures.style()),
        body: fill(BODY, &parts),
        data: data(comparison),
        script: SCRIPT.to_vec(),
    })
}

fn caveats(comparison: &Comparison) -> String {
    let one = |words: String| format!("<li>{}</li>\n", html_text(&words));
    let all: String = comparison.caveats.iter().map(|c| one(c.to_string())).collect();
    if all.is_empty() {
        return String::new();
    }
    format!("<ul class=\"caveats\" aria-label=\"To know before trusting the figures\">\n{all}</ul>\n")
}

fn made_of(comparison: &Comparison, rows: usize) -> String {
    let Some(waterfall) = Waterfall::of(comparison, rows) else { return String::new() };
    let others = waterfall.others().map_or_else(String::new, |(n, rows)| {
        format!(
            "<details class=\"others\"><summary>The {n} other parts</summary>\n<div class=\"scroll\" tabindex=\"0\"><table>\n\
             <caption class=\"unseen\">The other parts of the difference</caption>\n<thead><tr><th scope=\"col\">part</th>\
             <th scope=\"col\" class=\"number\">adds</th><th scope=\"col\">what became of it</th>\
             <th scope=\"col\" class=\"number\">work</th><th scope=\"col\" class=\"number\">console</th>\
             <th scope=\"col\" class=\"number\">bytes</th><th scope=\"col\" class=\"number told\">p value</th>\
             <th scope=\"col\" class=\"number\">records</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div></details>\n"
        )
    });
    let parts = [
        ("BARE", if waterfall.has_p_values() { String::new() } else { " bare".to_owned() }),
        ("WHOLE", html_text(&signed(comparison.decomposition.whole))),
        ("SUMS", waterfall.sums()),
        ("TICKS", waterfall.ticks()),
        ("ROWS", waterfall.rows()),
        ("OTHERS", others),
        ("WORDS", html_text(&made_of_words(comparison))),
    ];
    fill(MADE_OF, &parts)
}

/// The thresholds, in words.
fn thresholds(t: &Thresholds) -> String {
    let words = format!(
        "Reported as a difference: what chance causes in less than {:.0}\u{a0}% of cases, and is at least {}\u{a0}s and at least {:.1}\u{a0}% of the earlier median.",
        t.significance * 100.0,
        in_millis(t.effect),
        t.noise * 100.0
    );
    html_text(&words)
}

/// Data for the script: which run each dot is.
fn data(comparison: &Comparison) -> Value {
    let names = comparison.sources.each_ref().map(|s| s.iter().map(|s| escaped(s)).collect::<Vec<_>>());
    json!({ "tool": TOOL, "runs": names })
}
