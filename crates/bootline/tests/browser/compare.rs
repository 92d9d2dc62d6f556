// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of `bootline compare`: it opens, filters, sorts, opens the runs behind a measure; names are never obeyed.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::made_up_boot;
use crate::opened::{ENTER, ESCAPE, Opened, corpus, page};

/// A boot with thirty initcalls, of which `name` takes so many ms.
fn log(name: &str, ms: u32, late_us: u32) -> String {
    let others: Vec<String> = (0..29).map(|n| format!("n{n:02}_init")).collect();
    let initcalls: Vec<(&str, u32)> = others.iter().map(|n| (n.as_str(), 4)).chain([(name, ms)]).collect();
    made_up_boot::log(&initcalls, late_us)
}

/// Sets in folders of these names, each with an initcall of these lengths.
fn sets(of: [(&str, &str, &[u32]); 2]) -> (tempfile::TempDir, Opened) {
    let dir = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = of
        .iter()
        .map(|(folder, name, lengths)| {
            let folder = dir.path().join(folder);
            fs::create_dir(&folder).unwrap();
            for (n, ms) in lengths.iter().enumerate() {
                fs::write(folder.join(format!("{n:02}.log")), log(name, *ms, n as u32 * 7 % 5 * 900)).unwrap();
            }
            folder
        })
        .collect();
    let opened = compare(&folders[0], &folders[1]);
    (dir, opened)
}

fn compare(from: &Path, to: &Path) -> Opened {
    page(&[OsString::from("compare"), from.into(), to.into()])
}

fn slower() -> (tempfile::TempDir, Opened) {
    sets([("base", "slow_init", &[100; 8]), ("new", "slow_init", &[150; 8])])
}

/// The names of the rows that are seen, in their order.
fn rows(page: &Opened) -> Vec<String> {
    let names = page.run(
        "return [...document.querySelectorAll('#measures tbody tr')].filter((r) => r.checkVisibility())
           .map((r) => r.querySelector('.measure')?.textContent).filter(Boolean)",
    );
    names.as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_owned()).collect()
}

#[test]
fn opens_without_a_word_and_says_what_differs() {
    let (_dir, page) = slower();
    assert_eq!(page.console(), [""; 0]);
    let address = format!("file://{}", page.folder.path().join("page.html").display());
    let other: Vec<String> = page.requests().into_iter().filter(|r| *r != address).collect();
    assert_eq!(other, [""; 0]);
    let sentence = page.words("return document.querySelector('.sentence').textContent");
    assert!(sentence.starts_with("Time to init is 0.050\u{a0}s longer: "), "{sentence}");
    // What doesn't differ is out of the way, and one click away.
    assert_eq!(rows(&page), ["time-to-init", "phase:initcalls", "initcall:slow_init"]);
    page.keys("d");
    assert!(rows(&page).len() > 33, "{:?}", rows(&page));
    assert!(page.words("return document.getElementById('shown').textContent").ends_with("shown"));
}

/// Dots, medians and intervals stand where the figures say.
#[test]
fn the_picture_shows_the_figures() {
    let (_dir, page) = slower();
    let at = |what: &str| {
        page.number(&format!("return document.querySelector('.headline {what}').getBoundingClientRect().x"))
    };
    let dots = page.number("return document.querySelectorAll('.headline circle').length");
    assert_eq!(dots, 16.0);
    assert!(at(".lane.from .middle") < at(".lane.to .middle"));
    // The zero of the difference is below the earlier median, the difference below the later one.
    assert!((at(".difference .zero") - at(".lane.from .middle")).abs() < 1.0);
    assert!((at(".difference .now") - at(".lane.to .middle")).abs() < 1.0);
    // On the common axis the verdict's arrow is to the right of zero, on either scale.
    let right = "const row = [...document.querySelectorAll('#measures tr')].find((r) => r.textContent.startsWith('initcall:slow_init'));
       const cell = row.querySelector('.axis').getBoundingClientRect();
       const zero = parseFloat(getComputedStyle(row.querySelector('.axis'), '::after').left);
       const mark = [...row.querySelectorAll('.axis .icon')].map((i) => i.getBoundingClientRect()).find((r) => r.width > 0);
       return mark.x + mark.width / 2 - cell.x - zero";
    let by_tenfolds = page.number(right);
    page.keys("a");
    let even = page.number(right);
    assert!(by_tenfolds > 50.0 && even > 50.0 && (even - by_tenfolds).abs() > 1.0, "{by_tenfolds} {even}");
}

#[test]
fn filters_and_sorts() {
    let (_dir, page) = slower();
    page.keys("d/n07");
    assert_eq!(rows(&page), ["initcall:n07_init"]);
    page.keys(ESCAPE);
    assert!(rows(&page).len() > 33);
    page.keys("/slower initcall:");
    assert_eq!(rows(&page), ["initcall:slow_init"]);
    page.keys(ESCAPE);

    let order = |button: &str| {
        page.run(&format!("document.querySelector('[data-sort={button}]').click()"));
        rows(&page)
    };
    let sorted = |button: &str| {
        page.words(&format!(
            "return document.querySelector('[data-sort={button}]').closest('th').getAttribute('aria-sort') ?? ''"
        ))
    };
    let by_name = order("name");
    let mut expected = by_name.clone();
    expected.sort();
    assert_eq!((by_name, sorted("name")), (expected, "ascending".to_owned()));
    assert!(order("name").windows(2).all(|p| p[0] >= p[1]));
    let as_measured = order("name");
    assert_eq!((as_measured[0].as_str(), sorted("name")), ("time-to-init", String::new()));
    let by_size = order("size");
    assert_eq!(sorted("size"), "descending");
    let place = |name: &str| by_size.iter().position(|n| n == name).unwrap();
    assert!(place("initcall:slow_init") < 3 && place("initcall:n07_init") > 3, "{by_size:?}");
    let by_verdict = order("rank");
    assert!(by_verdict[..3].contains(&"initcall:slow_init".to_owned()), "{by_verdict:?}");
}

#[test]
fn a_measure_opens_its_runs() {
    let (dir, page) = slower();
    page.keys("/slow_init");
    page.keys(ENTER);
    let focus = "return document.activeElement.textContent";
    assert_eq!(page.words(focus), "initcall:slow_init");
    page.keys(ENTER);
    let open = "return document.querySelectorAll('.runs-of').length";
    assert_eq!(page.number(open), 1.0);
    assert_eq!(page.words("return document.activeElement.getAttribute('aria-expanded')"), "true");
    // The dots are those of the runs, in both sets, and say whose they are.
    assert_eq!(page.number("return document.querySelectorAll('.runs-of circle').length"), 16.0);
    let title = page.words("return document.querySelector('.runs-of .lane.to circle title').textContent");
    assert_eq!(title, dir.path().join("new/00.log").display().to_string());
    // They are about the medians that the row tells.
    let row = "const row = document.querySelector('.runs-of').previousElementSibling;";
    let said = page.words("return document.querySelector('.runs-of').textContent");
    for cell in [1, 2] {
        let median = page.words(&format!("{row} return row.cells[{cell}].textContent"));
        assert!(!median.is_empty() && said.contains(&format!("median {median} of 8 runs")), "{median}: {said}");
    }
    // It stays with its row, and goes with it.
    page.run("document.querySelector('[data-sort=name]').click()");
    let before =
        "return document.querySelector('.runs-of').previousElementSibling.querySelector('.measure').textContent";
    assert_eq!(page.words(before), "initcall:slow_init");
    page.run("document.querySelector('.measure[aria-expanded=true]').click()");
    assert_eq!(page.number(open), 0.0);
    page.keys(ESCAPE);
    page.keys("jj");
    let second = page.words(focus);
    page.keys("k");
    assert_ne!(page.words(focus), second);
}

#[test]
fn two_groups_are_seen() {
    let (_dir, page) = sets([
        ("base", "slow_init", &[100, 101, 100, 102, 101, 100, 101, 100]),
        ("new", "slow_init", &[100, 300, 101, 301, 100, 302, 101, 300]),
    ]);
    let name = page.words("return document.querySelector('.headline .name.to').textContent");
    assert!(name.contains("two groups, 4 and 4"), "{name}");
    assert_eq!(page.number("return document.querySelectorAll('.headline .lane.to line.group').length"), 2.0);
    let caveats = page.words("return document.querySelector('.caveats').textContent");
    assert!(caveats.contains("fall into two groups by time-to-init, 4 and 4"), "{caveats}");
    let groups = page.words("return [...document.querySelectorAll('.sets table')].at(1).textContent");
    assert!(groups.matches("upper group").count() == 4 && groups.matches("lower group").count() == 4, "{groups}");
}

#[test]
fn hostile_names_are_shown_and_not_obeyed() {
    let alert = "<img src=x onerror=window.pwned=1>\"'><svg onload=window.pwned=2>";
    // An initcall's name ends at a space; that of a folder holds no slash.
    let initcall = "<img/src=x/onerror=window.pwned=3>\"'><svg/onload=window.pwned=4>";
    let (_dir, page) = sets([(alert, "b_init", &[100, 100, 100, 100]), ("new", initcall, &[150, 150, 150, 150])]);
    page.keys("d");
    page.run("for (const d of document.querySelectorAll('details')) d.open = true");
    page.run("for (const b of document.querySelectorAll('.measure')) b.click()");
    page.settle();
    assert_eq!(page.run("return window.pwned ?? null"), Value::Null);
    assert_eq!(page.number("return document.querySelectorAll('img, iframe, object').length"), 0.0);
    assert_eq!(page.number("return document.scripts.length"), 2.0);
    assert!(page.words("return document.querySelector('h1').textContent").contains("<img src=x onerror"));
    // The name of the initcall; that of the folder stands in the table's head, whatever becomes of this one.
    let measures =
        page.words("return [...document.querySelectorAll('.measure')].map((m) => m.textContent).join('\\n')");
    assert!(measures.contains(initcall), "{measures}");
    assert_eq!(page.console(), [""; 0]);
    // Were something to slip through, the page's policy would stop it.
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=5\">')");
    page.settle();
    assert_eq!(page.run("return window.pwned ?? null"), Value::Null);
    assert!(!page.console().is_empty(), "the policy says what it refused");
}

#[test]
fn paper_and_narrow_screens_get_all_of_it() {
    let page = compare(&corpus("x86-6.18-rt-9600-initcall"), &corpus("x86-6.19-rt-9600-initcall"));
    for width in [360, 800, 1600] {
        page.size(width, 780);
        let wide = page.number("return document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} of {width}");
        let axis = page.number("return document.querySelector('#made-of td.axis').getBoundingClientRect().width");
        assert!(axis > 90.0, "{axis} of {width}");
    }
    page.media("print", &[("prefers-color-scheme", "dark")]);
    for (selector, shown) in [
        (".sentence", true),
        (".headline svg", true),
        ("#made-of", true),
        ("#measures", true),
        (".controls", false),
        (".tools", false),
    ] {
        assert_eq!(page.shows(selector), shown, "{selector}");
    }
    assert_eq!(page.words("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
}

#[test]
fn what_is_drawn_is_said() {
    let (_dir, page) = slower();
    let nameless = page.words(
        "return [...document.querySelectorAll('button, input, svg[role=img], table')]
           .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.caption))
           .map((e) => e.outerHTML).join()",
    );
    assert_eq!(nameless, "");
    let lane = page.words("return document.querySelector('.headline .lane.to').getAttribute('aria-label')");
    assert!(lane.starts_with("8 runs, median ") && lane.contains(" interval "), "{lane}");
    let drawn =
        page.words("return document.querySelector('.headline .difference[role=img]').getAttribute('aria-label')");
    assert!(drawn.contains("+0.050") && drawn.ends_with(": slower"), "{drawn}");
    // Heads of columns and rows are told as such.
    let heads = "return [...document.querySelectorAll('th')].filter((h) => !h.closest('#keys') && !h.scope).length";
    assert_eq!(page.number(heads), 0.0);
    for scheme in ["light", "dark"] {
        page.media("", &[("prefers-color-scheme", scheme)]);
        let worst = page.run(
            "const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
               return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
             const paper = getComputedStyle(document.body).backgroundColor;
             const ratio = (c) => { const [x, y] = [light(c), light(paper)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
             return ['.sentence .cost', '.sight', '#measures .more .verdict', '#measures caption', '.from.name', '#made-of .more .verdict']
               .map((s) => [ratio(getComputedStyle(document.querySelector(s)).color), s]).sort((a, b) => a[0] - b[0])[0]",
        );
        assert!(worst[0].as_f64().unwrap() >= 4.5, "{scheme}: {worst}");
    }
}
