// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the page of `bootline plot` opens and looks, of any boot and on any medium; what a log says is never obeyed.
use std::fs;

use serde_json::Value;

use crate::opened::{ENTER, ESCAPE, corpus, plot, written};

#[test]
fn opens_without_a_word_and_asks_for_nothing() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    assert_eq!(page.console(), [""; 0]);
    let address = format!("file://{}", page.folder.path().join("page.html").display());
    let other: Vec<String> = page.requests().into_iter().filter(|r| *r != address).collect();
    assert_eq!(other, [""; 0]);
    assert!(page.words("return document.querySelector('.sentence').textContent").starts_with("Init started 2"));
    // The page's script keeps its names to itself.
    let format = include_str!("../../../../bootline-report/src/plot/assets/format.js");
    let lengths = "return [99.7e6, 999.6e6, 12345e9, 7.04e9].map((t) => lengths(t).join(' or ')).join(', ')";
    let figures = page.words(&format!("{format}\n{lengths}"));
    assert_eq!(figures, "99.7 ms or 100 ms, 1000 ms or 1000 ms, 12345 s or 12345 s, 7.04 s or 7.0 s");
    assert!(page.shows(".chart canvas") && !page.shows(".still"));
    // The canvas isn't empty: it holds the colours of the waits and of the backlog.
    let colours = page.number(
        "const c = bootline.charts[0]; const d = c.c.getImageData(0, 0, c.canvas.width, c.canvas.height).data;
         const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
         return [0xc2410c, 0xf5c797, 0xb4235a, 0xdbe4ee].filter((c) => seen.has(c)).length",
    );
    assert_eq!(colours, 4.0);
}

#[test]
fn light_and_dark_are_legible() {
    let page = plot(&[corpus("x86-6.18-rt-9600")]);
    let contrast = |scheme: &str| {
        page.media("", &[("prefers-color-scheme", scheme)]);
        let worst = page.run(
            "const rgb = (name) => { const e = document.createElement('i'); e.style.color = `var(--${name})`;
               document.body.append(e); const c = getComputedStyle(e).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
               e.remove(); return c; };
             const light = (c) => { const [r, g, b] = c.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
               return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
             const ratio = (a, b) => { const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
             const pairs = [['ink', 'bg'], ['ink', 'panel'], ['soft', 'bg'], ['soft', 'panel'], ['mark', 'bg'], ['wait', 'bg'],
               ['saves', 'panel'], ['stored', 'bg'], ['ink', 'phase0'], ['ink', 'phase1'], ['in', 'wait'], ['in', 'initcall'],
               ['in', 'probe'], ['in', 'async'], ['in', 'service'], ['ink', 'hit-bg'], ['ink', 'chosen'], ['soft', 'chosen'], ['soft', 'flush']];
             return pairs.map(([a, b]) => [ratio(a, b), `${a} on ${b}`]).sort((a, b) => a[0] - b[0])[0];",
        );
        assert!(worst[0].as_f64().unwrap() >= 4.5, "{scheme}: {worst}");
        page.number("const c = bootline.charts[0]; return c.c.getImageData(3, 3, 1, 1).data[0]")
    };
    let (light, dark) = (contrast("light"), contrast("dark"));
    assert!(light > 200.0 && dark < 60.0, "{light} {dark}");
    // A choice of one's own goes before the system's.
    page.run("document.getElementById('theme').click()");
    page.settle();
    assert!(page.number("return bootline.charts[0].c.getImageData(3, 3, 1, 1).data[0]") > 200.0);
}

#[test]
fn paper_gets_the_static_picture_and_the_whole_explanation() {
    let page = plot(&[corpus("x86-6.18-rt-9600")]);
    page.media("print", &[("prefers-color-scheme", "dark")]);
    page.run("dispatchEvent(new Event('beforeprint'))");
    for (selector, shown) in [
        (".still svg", true),
        (".sentence", true),
        ("article h3", true),
        (".chart", false),
        (".controls", false),
        ("#log", false),
    ] {
        assert_eq!(page.shows(selector), shown, "{selector}");
    }
    let paper = page.words("return getComputedStyle(document.body).backgroundColor");
    assert_eq!(paper, "rgb(255, 255, 255)");
}

#[test]
fn narrow_screens_scroll_in_one_direction_only() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall")]);
    for width in [360, 800, 1600] {
        page.size(width, 780);
        let wide = page.number("return document.documentElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} of {width}");
        let canvas = page.number("return bootline.charts[0].canvas.getBoundingClientRect().width");
        assert!(canvas > f64::from(width) * 0.45 && canvas <= f64::from(width), "{canvas} of {width}");
    }
}

#[test]
fn a_hostile_log_is_shown_and_not_obeyed() {
    let alert =
        "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2>\"'><svg/onload=window.pwned=3>";
    let log = format!(
        "[    0.000000] Linux version 6.1.0{alert} #1 SMP\n\
         [    0.000000] Kernel command line: console=ttyS0,9600 x={alert}\n\
         [    0.010000] printk: console [ttyS0] enabled\n\
         [    0.100000] calling  {alert}+0x0/0x10 @ 1\n\
         [    0.200000] \x1b[2Jcleared \u{202e}txt.exe \u{2066}bidi\u{2069} <!-- {alert} -->\n\
         [    1.900000] initcall {alert}+0x0/0x10 returned 0 after 1800000 usecs\n\
         [    2.000000] systemd[1]: Starting {alert}...\n\
         [    3.000000] Run /init as init process\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("<img src=x onerror=window.pwned=4>.log");
    fs::write(&file, log).unwrap();
    let page = plot(&[file]);
    page.keys("/cleared");
    page.keys(ENTER);
    assert!(page.selected().contains("cleared \\u{202e}txt.exe"), "{}", page.selected());
    page.keys(ESCAPE);
    page.run("for (const d of document.querySelectorAll('details')) d.open = true");
    let (x, y) = page.track(0, "bars", 0.5);
    for step in 0..12 {
        page.hover(x, y + f64::from(step) * 12.0);
        page.click(x, y + f64::from(step) * 12.0);
    }
    assert_eq!(page.run("return window.pwned ?? null"), Value::Null);
    assert_eq!(page.number("return document.querySelectorAll('img, iframe, object, svg svg').length"), 0.0);
    assert_eq!(page.number("return document.scripts.length"), 2.0);
    let all = page.words("return document.documentElement.textContent");
    assert!(!all.contains(['\u{202e}', '\u{2066}', '\x1b']));
    assert_eq!(page.console(), [""; 0]);
    // Were something to slip through, the page's policy would stop it.
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=5\">')");
    page.run("const s = document.createElement('script'); s.textContent = 'window.pwned=6'; document.body.append(s)");
    page.settle();
    assert_eq!(page.run("return window.pwned ?? null"), Value::Null);
    assert!(!page.console().is_empty(), "the policy says what it refused");
}

#[test]
fn any_boot_opens() {
    let folder = tempfile::tempdir().unwrap();
    let begin = "[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP\n[    0.000000] Kernel command line: console=ttyS0,9600\n";
    let many: String = (0..20)
        .map(|n| format!("{begin}[    0.5{n:05}] boot {n}\n[    1.000000] Run /init as init process\n"))
        .collect();
    let logs = [
        ("one record", "[    0.000000] Linux version 6.1.0\n".to_owned(), 1),
        (
            "no times",
            "<5>Linux version 6.1.0\n<6>Kernel command line: console=ttyS0\n<6>Run /init as init process\n".to_owned(),
            1,
        ),
        ("no end", format!("{begin}[    1.000000] and no more\n"), 1),
        ("a panic", format!("{begin}[    1.000000] Kernel panic - not syncing: VFS: Unable to mount root fs\n"), 1),
        (
            "a clock that jumps",
            format!("{begin}[ 9999999.000000] late\n[    1.000000] early\n[    1.500000] Run /init as init process\n"),
            1,
        ),
        ("twenty boots", many, 20),
        (
            "a long line",
            format!("{begin}[    0.500000] {}\n[    1.000000] Run /init as init process\n", "x".repeat(100_000)),
            1,
        ),
    ];
    for (name, log, boots) in logs {
        let page = plot(&[written(folder.path(), &format!("{name}.log"), &log)]);
        assert_eq!(page.number("return bootline.charts.length"), f64::from(boots), "{name}");
        assert_eq!(page.console(), [""; 0], "{name}");
        page.keys("+-0jjkzcc/e\u{e007}\u{e00c}");
        for clock in ["stored", "kernel", "arrival"] {
            page.run(&format!("bootline.view.setClock('{clock}'); bootline.view.zoom(0.001); bootline.view.whole()"));
        }
        page.settle();
        for share in [0.1, 0.5, 0.9] {
            let (x, y) = page.track(0, "log", share);
            page.hover(x, y);
            page.click(x, y);
        }
        page.run("for (const d of document.querySelectorAll('details')) d.open = true");
        page.run("bootline.charts[bootline.charts.length - 1].box.scrollIntoView()");
        page.settle();
        assert_eq!(page.console(), [""; 0], "{name}");
        let (from, to) = page.range();
        assert!(from.is_finite() && to > from, "{name}");
        let stale = page.run("return bootline.charts[bootline.charts.length - 1].stale");
        assert_eq!(stale, Value::Bool(false), "{name}");
    }
}
