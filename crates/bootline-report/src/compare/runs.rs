// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which runs were used, and which were excluded.
use super::wording::{runs as count, value};
use crate::html::html_text;
use bootline_analysis::compare::{Comparison, Excluded, SetSummary};

/// A table for each set, and one of the excluded runs.
pub(super) fn runs(comparison: &Comparison) -> String {
    let headline = comparison.headline();
    let summaries = headline.map_or([None, None], |c| [c.from.as_ref(), c.to.as_ref()]);
    let title = headline.map_or_else(|| "time".to_owned(), |c| c.quantity.to_string());
    let unit = headline.map(|c| c.unit);
    let mut out = "<div class=\"sets\">\n".to_owned();
    for (n, summary) in summaries.into_iter().enumerate() {
        let sources = &comparison.sources[n];
        let rows: String = sources
            .iter()
            .enumerate()
            .map(|(run, source)| {
                let at = summary.and_then(|s| s.values.get(run).copied().flatten());
                let time = at.zip(unit).map_or_else(String::new, |(v, unit)| value(v as f64, unit));
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td></tr>\n",
                    html_text(source),
                    html_text(&time),
                    summary.zip(at).map_or("", |(s, v)| group(s, v))
                )
            })
            .collect();
        out += &format!(
            "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>{}: {} used</caption>\n<thead><tr><th scope=\"col\">run</th>\
             <th scope=\"col\" class=\"number\">{}</th><th scope=\"col\"><span class=\"unseen\">group</span></th></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table></div>\n",
            html_text(&comparison.names[n]),
            count(sources.len()),
            html_text(&title)
        );
    }
    out + "</div>\n" + &left_out(&comparison.excluded)
}

/// The group of a run, if there are two.
fn group(s: &SetSummary, v: i64) -> &'static str {
    match s.groups {
        Some(g) if v as f64 <= g.below => "lower group",
        Some(_) => "upper group",
        None => "",
    }
}

fn left_out(excluded: &[Vec<Excluded>; 2]) -> String {
    let rows: String = excluded
        .iter()
        .flatten()
        .map(|e| {
            let kind = if e.expected { "unusable" } else { "failed" };
            format!(
                "<tr><th scope=\"row\">{}</th><td>{kind}</td><td>{}</td></tr>\n",
                html_text(&e.source),
                html_text(&e.why)
            )
        })
        .collect();
    if rows.is_empty() {
        return "<p class=\"faint\">No run was excluded.</p>\n".to_owned();
    }
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"left-out\">\n<caption>Excluded</caption>\n<thead><tr>\
         <th scope=\"col\">run</th><th scope=\"col\">what</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table></div>\n"
    )
}
