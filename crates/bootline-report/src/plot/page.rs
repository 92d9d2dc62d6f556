// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of boots, as passed to the shell of every page.
use super::data::data;
use super::difference::{Difference, difference};
use super::mark::FindingMark;
use super::parts::{Part, Parts, parts};
use super::picture::Picture;
use super::svg::{self, ALIGNED, extent, still};
use crate::document::{Block, Document};
use crate::html::{html, html_text, inline};
use crate::shell::{self, Page, fill};
use crate::time_value::{TimeValue, in_millis, share, signed};
use bootline_analysis::compare::ObservedChange;
use bootline_capture::units::{Dur, Interval};

const BODY: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");

/// The script's parts, in order of dependency.
const SCRIPT: &[&str] = &[
    include_str!("assets/format.js"),
    include_str!("assets/boot.js"),
    include_str!("assets/clock.js"),
    include_str!("assets/view.js"),
    shell::THEME,
    include_str!("assets/colours.js"),
    include_str!("assets/track.js"),
    include_str!("assets/line.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/words.js"),
    include_str!("assets/log.js"),
    include_str!("assets/search.js"),
    include_str!("assets/spans.js"),
    include_str!("assets/input.js"),
    include_str!("assets/main.js"),
];

/// Number of findings and of parts of a difference shown above each boot: fewer if there are many boots. The
/// explanation has the rest.
fn listed(boots: usize) -> (usize, usize) {
    match boots {
        0..=2 => (4, 6),
        3..=4 => (2, 4),
        _ => (1, 2),
    }
}

/// The page for boots that are shown together; the others are compared with the first.
pub fn page(pictures: &[Picture]) -> String {
    let differences: Vec<Difference> = pictures.iter().map(|p| difference(&pictures[0], p)).collect();
    let (from, to) = extent(pictures);
    let both = || pictures.iter().zip(&differences).enumerate();
    let title = html_text(&svg::sources(pictures));
    let parts = [
        ("HEADER", shell::header(&title, "Keys and colours")),
        ("ANSWERS", both().map(|(n, (p, d))| answer(p, d, n, pictures)).collect()),
        ("NOTE", if pictures.len() > 1 { note(pictures.len()) } else { String::new() }),
        ("CHARTS", both().map(|(n, (p, d))| chart(p, d, n, from, to)).collect()),
        ("EXPLANATIONS", pictures.iter().map(explanation).collect()),
        ("FOOTER", shell::footer()),
    ];
    shell::page(Page {
        title: format!("{title} – where the boot's time went"),
        style: format!("{}{STYLE}", svg::STYLE),
        body: fill(BODY, &parts),
        data: data(pictures, &differences),
        script: SCRIPT.to_vec(),
    })
}

fn note(boots: usize) -> String {
    format!("<p class=\"note\">{boots} boots, {ALIGNED}; framed bars took longer or shorter than in the first.</p>\n")
}

fn answer(p: &Picture, difference: &Difference, n: usize, all: &[Picture]) -> String {
    let (most_findings, most_parts) = listed(all.len());
    let later = match difference.end.filter(|_| n > 0) {
        Some(d) if d > Dur::ZERO => format!("<p class=\"against\">{} s later than the first boot.</p>", in_millis(d)),
        Some(d) if d < Dur::ZERO => {
            format!("<p class=\"against\">{} s earlier than the first boot.</p>", in_millis(-d))
        }
        Some(_) => "<p class=\"against\">At the same time as the first boot.</p>".to_owned(),
        None => String::new(),
    };
    let differs = if n > 0 {
        parts(&all[0], p, most_parts).map(|parts| against(&parts, n)).unwrap_or_default()
    } else {
        String::new()
    };
    let listed: String = own(p).take(most_findings).map(|(at, f)| finding(p, f, n, at)).collect();
    let listed = if listed.is_empty() { String::new() } else { format!("<ol class=\"findings\">\n{listed}</ol>\n") };
    format!(
        "<section class=\"answer\" aria-label=\"{0}\">\n<p class=\"kernel\"><b>{0}</b> {1}</p>\n<p class=\"sentence\">{2}</p>\n{later}{differs}{listed}</section>\n",
        html_text(&p.source),
        html_text(&p.kernel),
        inline(&p.answer),
    )
}

/// Contributions to the difference, those parts that changed most.
fn against(parts: &Parts, n: usize) -> String {
    if parts.listed.is_empty() {
        return String::new();
    }
    let rest = match parts.more {
        0 => String::new(),
        more => format!("<li class=\"rest\">{} by {more} other parts together</li>\n", signed(parts.rest)),
    };
    let listed: String = parts.listed.iter().map(|part| difference_of(part, n)).collect();
    format!("<ol class=\"differences\" aria-label=\"Contributions to the difference\">\n{listed}{rest}</ol>\n")
}

fn difference_of(part: &Part, n: usize) -> String {
    let mut about = Vec::new();
    match part.observed {
        ObservedChange::New => about.push("only here".to_owned()),
        ObservedChange::Gone => about.push("only in the first".to_owned()),
        ObservedChange::Slower | ObservedChange::Faster | ObservedChange::Same => {}
    }
    if part.console.abs() * 10 >= part.by.abs() * 9 {
        about.push("waiting for the console".to_owned());
    } else if part.console.abs() * 10 >= part.by.abs() {
        about.push(format!("{} of it waiting for the console", signed(part.console)));
    }
    let way = if part.by > Dur::ZERO { "more" } else { "less" };
    let words = format!(
        "<span class=\"by {way}\">{}</span> <span class=\"what\">{} <code>{}</code></span> <span class=\"way\">{}</span>",
        signed(part.by),
        part.what,
        html_text(&part.name),
        about.join(", ")
    );
    match part.shown {
        Some(place) => format!(
            "<li><button type=\"button\" class=\"difference\" data-boot=\"{}\" data-kind=\"{}\" data-index=\"{}\">{words}</button></li>\n",
            if place.in_first { 0 } else { n },
            place.kind,
            place.index
        ),
        None => format!("<li class=\"difference\">{words}</li>\n"),
    }
}

/// Findings whose time is not part of another's.
fn own(p: &Picture) -> impl Iterator<Item = (usize, &FindingMark)> {
    p.findings.iter().enumerate().filter(|(_, f)| !f.part)
}

fn finding(p: &Picture, f: &FindingMark, boot: usize, at: usize) -> String {
    let code = f.rule.code();
    let total = p.end.map(|e| e.elapsed.best()).unwrap_or_default();
    let cost = if f.cost.high() > Dur::ZERO { TimeValue::estimate(f.cost).short() } else { String::new() };
    let way = f.remedy.as_ref().map(|r| {
        let setting = r.setting().map_or(String::new(), |s| format!(": <code>{}</code>", html_text(&s)));
        let saves = r.saves.map(Interval::best).filter(|s| *s > Dur::from_millis(20)).map_or(String::new(), |s| {
            // What is saved after init is no share of the time to it.
            let share =
                share(s, total).filter(|_| s <= total).map_or(String::new(), |s| format!(", {}", html_text(&s)));
            format!(" <strong class=\"saves\">saves {} s{share}</strong>", in_millis(s))
        });
        format!("<span class=\"way\">{}{setting}{saves}</span>", html_text(&r.action))
    });
    format!(
        "<li><button type=\"button\" class=\"finding\" data-boot=\"{boot}\" data-kind=\"finding\" data-index=\"{at}\"><span class=\"code\">{code}</span> \
         <span class=\"what\">{}</span> <span class=\"costs\">{cost}</span>{}</button></li>\n",
        html_text(&f.title),
        way.unwrap_or_default()
    )
}

fn chart(p: &Picture, difference: &Difference, n: usize, from: Dur, to: Dur) -> String {
    let name = html_text(&p.source);
    format!(
        "<figure class=\"boot\" data-boot=\"{n}\">\n<figcaption>{name}</figcaption>\n\
         <div class=\"chart\" tabindex=\"0\" role=\"application\" aria-label=\"Timeline of {name}\" \
         aria-describedby=\"chart-keys\" hidden><canvas></canvas></div>\n<div class=\"still\">{}</div>\n</figure>\n",
        still(p, difference, from, to)
    )
}

fn explanation(p: &Picture) -> String {
    // Its heading is that of the explanation.
    let critical_path_document = p.critical_path_document.as_ref().map(|d| {
        let blocks = d.blocks.iter().filter(|b| !matches!(b, Block::Heading(_))).cloned().collect();
        format!("<h3>Critical path: what the boot waited for</h3>\n{}", html(&Document { blocks }))
    });
    format!("<article>\n{}{}</article>\n", html(&p.explanation), critical_path_document.unwrap_or_default())
}
