// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of `bootline plot` by wheel, keys, fingers and a screen reader.
use serde_json::Value;

use crate::opened::{DOWN, ENTER, LEFT, RIGHT, TAB, UP, corpus, plot};

#[test]
fn wheel_keys_and_drag_change_what_is_shown() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    let whole = page.range();
    let (x, y) = page.track(0, "console", 0.25);
    let at = page
        .number(&format!("const c = bootline.charts[0]; return c.time({x} - c.canvas.getBoundingClientRect().left)"));
    page.wheel(x, y, -400);
    let zoomed = page.range();
    assert!(zoomed.1 - zoomed.0 < (whole.1 - whole.0) * 0.6, "{zoomed:?}");
    // The stretch that the log shows is marked in the track, not over its name.
    let spilled = page.run(
        "const c = bootline.charts[0]; c.logRange = [-1e12, 1e12]; c.draw();
         const at = (x, y) => c.c.getImageData(x, y, 1, 1).data.join(); return at(4, c.tracks.find((t) => t.kind === 'log').y + 9) !== at(3, 3)",
    );
    assert_eq!(spilled, Value::Bool(false));
    // What is under the pointer stays there.
    let share = (at - zoomed.0) / (zoomed.1 - zoomed.0);
    assert!((share - 0.25).abs() < 0.02, "{share}");

    page.drag((x, y), (x - 150.0, y));
    let moved = page.range();
    assert!(moved.0 > zoomed.0, "{moved:?}");
    assert!((moved.1 - moved.0) / (zoomed.1 - zoomed.0) - 1.0 < 1e-6);

    page.keys("0");
    assert_eq!(page.range(), whole);
    page.keys("+++");
    let width = page.width();
    assert!(width < (whole.1 - whole.0) / 3.0);
    let before = page.range().0;
    page.keys(RIGHT);
    assert!(page.range().0 > before);
    page.keys(LEFT);
    assert!((page.range().0 - before).abs() < width * 1e-6);
    page.keys("-");
    assert!(page.width() > width);
    page.keys("0");
    // Where there is nothing to zoom out of, the wheel is the page's.
    page.wheel(x, y, 400);
    assert_eq!(page.range(), whole);
    assert!(page.words("return document.getElementById('range').textContent").ends_with(" s"));
}

#[test]
fn two_fingers_zoom_what_is_between_them() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    let (left, y) = page.track(0, "console", 0.4);
    let (right, _) = page.track(0, "console", 0.6);
    let under = |x: f64| {
        page.number(&format!(
            "const c = bootline.charts[0]; return c.time({x} - c.canvas.getBoundingClientRect().left)"
        ))
    };
    let (a, b, whole) = (under(left), under(right), page.width());
    page.pinch([[(left, y), (left - 120.0, y)], [(right, y), (right + 60.0, y)]]);
    let now = (under(left - 120.0), under(right + 60.0));
    let close = page.width() * 0.02;
    assert!(page.width() < whole * 0.7);
    assert!((now.0 - a).abs() < close && (now.1 - b).abs() < close, "{a} {b} {now:?}");
    // Nothing was chosen by it, and one finger moves.
    assert_eq!(page.selected(), "");
    page.pinch([[(right, y), (left, y)], [(left, y), (right, y)]]);
    assert!(page.width() <= whole * 1.0001);
}

#[test]
fn all_is_reached_by_keys() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall")]);
    page.run("bootline.charts[0].box.focus()");
    let about = || page.words("return document.querySelector('#selected .about')?.textContent ?? ''");
    // From track to track, and along one.
    page.keys(DOWN);
    assert_eq!(about(), "phase");
    let first = page.selected();
    page.shifted(RIGHT);
    assert_eq!(about(), "phase");
    assert_ne!(page.selected(), first);
    page.shifted(LEFT);
    assert_eq!(page.selected(), first);
    let mut seen = vec![about()];
    for _ in 0..30 {
        page.keys(DOWN);
        seen.push(about());
    }
    for what in ["critical path", "wait", "finding", "initcall"] {
        assert!(seen.iter().any(|s| s == what), "{what}: {seen:?}");
    }
    page.keys(UP);
    let whole = page.width();
    page.keys(ENTER);
    assert!(page.width() < whole);
    // A screen reader is told of it, once it holds still.
    page.run_until_done("setTimeout(done, 500, true)");
    let said = page.words("return document.getElementById('said').textContent");
    assert!(said.contains(&page.selected()) && said.contains("shown: "), "{said}");
    // Tab comes to every control, in the page's order, and back to the page's beginning.
    page.run("document.activeElement.blur(); window.getSelection().removeAllRanges(); document.body.tabIndex = -1; document.body.focus()");
    let controls = page.number(
        "return [...document.querySelectorAll('button, input, select, summary, [tabindex=\"0\"]')]
           .filter((e) => e.checkVisibility() && !e.disabled && !e.closest('dialog, details:not([open]) > :not(summary)')).length",
    ) as usize;
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..controls + 3 {
        page.keys(TAB);
        reached.insert(page.words("const e = document.activeElement; return `${e.id} ${e.className} ${e.textContent.slice(0, 60)} ${e.value ?? ''}`"));
    }
    // Of the radio buttons Tab reaches the one that is on.
    let radios = page.number("return document.querySelectorAll('input[type=radio]:not(:disabled)').length") as usize;
    assert!(reached.len() + radios > controls, "{} of {controls}: {reached:#?}", reached.len());
}

#[test]
fn a_screen_reader_is_given_names_and_roles() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall"), corpus("x86-6.19-rt-9600-initcall")]);
    let tree = page.accessible();
    let named = |role: &str, name: &str| tree.iter().filter(|n| n.role == role && n.name.contains(name)).count();
    let roles: std::collections::BTreeSet<&str> = tree.iter().map(|n| n.role.as_str()).collect();
    for (role, name) in [
        ("application", "Timeline of"),
        ("listbox", "Log of"),
        ("option", ""),
        ("status", ""),
        ("searchbox", "Search"),
        ("radio", "kernel clock"),
        ("button", "con003"),
        ("heading", "Timeline"),
        ("main", ""),
        ("complementary", "Record and log"),
        ("DisclosureTriangle", "The timeline as a table"),
    ] {
        assert!(named(role, name) > 0, "{role} {name}: {roles:?}");
    }
    let nameless: Vec<_> =
        tree.iter().filter(|n| n.focusable && n.name.is_empty() && n.role != "RootWebArea").collect();
    assert!(nameless.is_empty(), "{nameless:#?}");
    let chart = tree.iter().find(|n| n.role == "application").unwrap();
    assert!(chart.description.contains("Arrow keys"), "{chart:?}");
    // The still picture is for paper: nobody is read all of its bars.
    assert!(!tree.iter().any(|n| n.role.starts_with("Svg")), "{roles:?}");
}
