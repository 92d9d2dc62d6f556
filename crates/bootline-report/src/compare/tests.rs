// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of made-up comparisons.
use std::fmt::Write;

use proptest::prelude::*;

use super::wording::short_names;
use super::{compare, compare_page};
use crate::shell::tests::{allows_its_own_script_and_style_alone, inside};
use crate::{Emitter, MarkdownEmitter, text};
use bootline_analysis::compare::{Asked, Comparison, Excluded, RunMeasures, RunSet, Thresholds};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

/// A boot with an initcall of this name and length.
fn run(name: &str, ms: u32, source: &str) -> RunMeasures {
    let mut log = String::from(
        "[    0.000000] Linux version 6.1.0-44-amd64 (x) #1 SMP\n\
         [    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8\n\
         [    0.100000] printk: console [ttyS0] enabled\n",
    );
    let mut at = 200;
    for (name, ms) in [("a_init", 40), (name, ms), ("c_init", 30)] {
        _ = writeln!(log, "[    0.{at:03}000] calling  {name}+0x0/0x10 @ 1");
        at += ms;
        _ = writeln!(log, "[    0.{at:03}000] initcall {name}+0x0/0x10 returned 0 after {}000 usecs", ms);
        at += 8;
    }
    _ = writeln!(log, "[    0.{at:03}000] Run /init as init process");
    let boot = BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &BootOptions::default())).next();
    RunMeasures::of(&boot.unwrap(), source, &Asked::default()).unwrap()
}

fn set(name: &str, initcall: &str, lengths: &[u32]) -> RunSet {
    let runs = lengths.iter().enumerate().map(|(n, ms)| run(initcall, *ms, &format!("{name}/{n}.log")));
    RunSet { name: name.to_owned(), runs: runs.collect(), ..RunSet::default() }
}

fn compared(from: &RunSet, to: &RunSet) -> Comparison {
    bootline_analysis::compare::compare(from, to, Thresholds::default()).unwrap()
}

fn slower() -> Comparison {
    let [from, to] = [[100, 101, 103, 100, 102, 101], [150, 152, 151, 153, 150, 151]];
    compared(&set("base", "b_init", &from), &set("new", "b_init", &to))
}

/// What of a page people read, without its tags.
fn plain(html: &str) -> String {
    let text: String = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect();
    text.replace('\u{a0}', " ")
}

#[test]
fn the_page_allows_its_own_script_and_style_alone() {
    allows_its_own_script_and_style_alone(&compare_page(&slower(), 12));
}

#[test]
fn the_page_says_what_the_text_says() {
    let comparison = slower();
    let page = plain(&compare_page(&comparison, 12)).replace("&#39;", "'");
    let document = compare(&comparison, 12);
    let options = crate::TextOptions { width: 4000, color: false };
    let said = text(&document, &options);
    // Sentences word by word, whatever the lines.
    let flat = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    let (said, shown) = (flat(&said), flat(&page));
    assert!(flat(&MarkdownEmitter(&document).to_text()).contains("0.050"));
    for sentence in ["Time to init is 0.050 s longer: ", "is missed in more than one of five cases.", "These add up to"]
    {
        assert!(said.contains(sentence) && shown.contains(sentence), "{sentence}\n{said}\n{shown}");
    }
    let difference = comparison.headline().unwrap().difference.unwrap();
    let interval = super::wording::interval(difference, bootline_analysis::compare::Unit::Ns).replace('\u{a0}', " ");
    assert!(said.contains(&interval) && shown.contains(&interval), "{interval}");
}

/// The bars of the waterfall: where one ends, the next begins, from the one mean to the other.
#[test]
fn the_waterfall_goes_from_mean_to_mean() {
    for rows in [0, 1, 12] {
        let page = compare_page(&slower(), rows);
        let table = inside(&page, "<table id=\"made-of\">", "</table>")[0];
        let body = inside(table, "<tbody>", "</tbody>")[0];
        let steps: Vec<(String, String)> = inside(body, "<tr ", "</tr>")
            .iter()
            .map(|row| {
                let x: Vec<&str> = inside(row, "class=\"step\" x1=\"", "\"");
                (x[0].to_owned(), x[x.len() - 1].to_owned())
            })
            .collect();
        assert!(steps.len() > 2, "{table}");
        for pair in steps.windows(2) {
            assert_eq!(pair[0].1, pair[1].0, "{steps:?}");
        }
    }
}

#[test]
fn a_waterfall_beyond_all_times_is_drawn() {
    let mut c = slower();
    let of = &mut c.decomposition;
    of.before = Dur::from_nanos(i64::MAX);
    of.whole = Dur::ZERO;
    for (n, part) in of.contributions.iter_mut().enumerate() {
        part.work = Dur::from_nanos(if n % 2 == 0 { i64::MAX } else { -i64::MAX });
    }
    assert!(super::waterfall::Waterfall::of(&c, 2).unwrap().rows().contains("mean of"));
}

#[test]
fn each_run_is_a_dot_in_its_place() {
    let page = compare_page(&slower(), 12);
    let headline = inside(&page, "<figure class=\"headline\">", "</figure>")[0];
    let lanes = inside(headline, "<g class=\"runs\">", "</g>");
    let places = |lane: &str| -> Vec<f64> { inside(lane, "cx=\"", "%").iter().map(|x| x.parse().unwrap()).collect() };
    let (from, to) = (places(lanes[0]), places(lanes[1]));
    assert_eq!((lanes.len(), from.len(), to.len()), (2, 6, 6));
    assert!(from.iter().all(|f| to.iter().all(|t| f < t)), "{from:?} {to:?}");
    assert!(lanes[0].contains("<title>base/0.log: 0.3"), "{}", lanes[0]);
    // Equal runs hide nobody.
    let mut dots: Vec<&str> = inside(lanes[0], "<circle ", ">");
    dots.sort_unstable();
    dots.dedup();
    assert_eq!(dots.len(), 6);
    // Where the script puts the dots, there is one for each run.
    let put = inside(&page, "data-dots=\"", "\"");
    assert!(put.iter().all(|dots| dots.split(',').count() == 6), "{put:?}");
}

#[test]
fn what_must_be_known_is_seen() {
    let mut two = set("new", "b_init", &[100, 300, 101, 301, 100, 302, 101, 300]);
    two.excluded.push(Excluded { source: "new/9.log".into(), why: "the kernel panicked".into(), expected: false });
    let page = compare_page(&compared(&set("base", "b_init", &[100, 101, 100]), &two), 12);
    for words in [
        "fall into two groups",
        "two groups, 4 and 4",
        "8 runs against 3",
        "1 run of new left out",
        "the kernel panicked",
    ] {
        let page = plain(&page).replace("3 runs against 8", "8 runs against 3");
        assert!(page.contains(words), "{words}");
    }
    assert!(inside(&page, "<ul class=\"caveats\"", "</ul>").len() == 1);
    // One run each: nothing is told, and nothing is hidden for that.
    let page = compare_page(&compared(&set("a", "b_init", &[100]), &set("b", "d_init", &[100])), 12);
    for words in ["so few runs cannot confirm", "new", "gone", "does not have it"] {
        assert!(page.contains(words), "{words}");
    }
    // Sets that end at different lines have no time in common.
    let mut marker = set("b", "b_init", &[100, 100]);
    for run in &mut marker.runs {
        let time = run.values.remove(&bootline_analysis::compare::Quantity::TimeToInit).unwrap();
        run.values.insert(bootline_analysis::compare::Quantity::TimeToMarker, time);
    }
    let page = compare_page(&compared(&set("a", "b_init", &[100, 100]), &marker), 12);
    assert!(page.contains("is known for one set only"));
}

#[test]
fn names_are_told_apart_by_what_they_do_not_share() {
    let check = |a: &str, b: &str, want: [&str; 2]| {
        let comparison = Comparison { names: [a.to_owned(), b.to_owned()], ..slower() };
        assert_eq!(short_names(&comparison), want);
    };
    check("base/", "new/", ["base", "new"]);
    check("results/x base", "results/x delay-200", ["base", "delay-200"]);
    check("corpus/6.18/boot.cap", "corpus/6.19/boot.cap", ["6.18", "6.19"]);
    check("same", "same", ["same", "same"]);
    check("a/b", "a/b/c", ["b", "b/c"]);
    check("", "x", ["", "x"]);
}

proptest! {
    /// Whatever a log or a file is named, it opens no element, ends no script and moves no terminal.
    #[test]
    fn hostile_names_stay_text(
        hostile in "(</script>|</template>|<!--|<img src=x onerror=a\\(\\)>|]]>|&lt;|@DATA@|\"|'|[\\x00-\\x08\\x1b\u{2028}\u{202e}a-z<> ]|\\PC){0,30}",
        runs in 1..5_usize,
    ) {
        let name = hostile.replace(['\n', '\r', '+'], " ");
        let mut from = set(&hostile, "b_init", &[100, 120, 110, 105][..runs]);
        let mut to = set(&hostile, &format!("x{name}x"), &[100, 120, 110, 105][..runs]);
        for run in from.runs.iter_mut().chain(&mut to.runs) {
            run.source.clone_from(&hostile);
            run.setup.kernel = Some(hostile.clone());
            run.setup.command_line = vec![hostile.clone()];
        }
        from.runs[0].setup.kernel = None;
        to.excluded.push(Excluded { source: hostile.clone(), why: hostile, expected: true });
        let page = compare_page(&compared(&from, &to), 2);
        prop_assert!(!page.contains("<img"));
        prop_assert!(page.chars().all(|c| c == '\n' || !crate::escape::is_dangerous(c)));
        prop_assert_eq!(page.matches("</script>").count(), 2);
        prop_assert_eq!(page.matches("<!--").count(), 3);
        prop_assert_eq!(page.matches("<template>").count(), page.matches("</template>").count());
        let data = inside(&page, "id=\"data\">", "</script>")[0];
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        prop_assert_eq!(data["runs"][0].as_array().unwrap().len(), runs);
    }
}
