// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of `bootline plot` in a real browser: it opens, zooms, searches, shows the right record; what a log says is
//! never obeyed. That of `bootline compare` is in a module of its own.
mod compare;
#[path = "../made_up_boot/mod.rs"]
mod made_up_boot;
mod webdriver;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use bootline_testkit::isolated;
use serde_json::Value;
use webdriver::Browser;

/// Keys without a character, as the protocol writes them.
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";
const UP: &str = "\u{e013}";
const DOWN: &str = "\u{e015}";
const TAB: &str = "\u{e004}";

/// One at a time: browsers are heavy.
static ONE: Mutex<()> = Mutex::new(());

/// A page in a browser.
struct Opened {
    browser: Browser,
    folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl std::ops::Deref for Opened {
    type Target = Browser;
    fn deref(&self) -> &Browser {
        &self.browser
    }
}

fn corpus(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(case).join("boot.cap")
}

/// What `bootline VERB --json` says of a log.
fn report(verb: &str, log: &Path) -> Value {
    let out = isolated(env!("CARGO_BIN_EXE_bootline")).args([verb, "--json"]).arg(log).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

fn written(folder: &Path, name: &str, log: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, log).unwrap();
    path
}

fn plot(logs: &[PathBuf]) -> Opened {
    page(&[&[OsString::from("plot")], &logs.iter().map(Into::into).collect::<Vec<_>>()[..]].concat())
}

/// The page that a command writes, opened.
fn page(args: &[OsString]) -> Opened {
    let alone = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    let out = command.args(args).arg("-o").arg(&page).output().unwrap();
    // Of an incomplete log the status is 3, and the page holds what there is.
    assert!(matches!(out.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(page.exists(), "{}", String::from_utf8_lossy(&out.stderr));
    let browser = Browser::start();
    // A new window has a page of the browser's own.
    browser.go("about:blank");
    browser.settle();
    browser.requests();
    browser.open(&page);
    browser.settle();
    Opened { browser, folder, _alone: alone }
}

impl Opened {
    fn number(&self, script: &str) -> f64 {
        self.run(script).as_f64().unwrap_or_else(|| panic!("no number: {script}"))
    }

    fn words(&self, script: &str) -> String {
        self.run(script).as_str().unwrap_or_else(|| panic!("no words: {script}")).to_owned()
    }

    /// The stretch shown, in nanoseconds.
    fn range(&self) -> (f64, f64) {
        (self.number("return bootline.view.from"), self.number("return bootline.view.to"))
    }

    fn width(&self) -> f64 {
        let (from, to) = self.range();
        to - from
    }

    /// The middle of a chart's track, in the window.
    fn track(&self, chart: usize, kind: &str, share: f64) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[{chart}]; c.box.scrollIntoView({{ block: 'center' }});
             const t = c.tracks.find((t) => t.kind === '{kind}'); const r = c.canvas.getBoundingClientRect();
             return [r.left + c.left + c.plotWidth * {share}, r.top + t.y + t.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// The middle of what is seen of a span.
    fn span(&self, name: &str) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[0]; c.box.scrollIntoView({{ block: 'center' }});
             const index = c.boot.spans.name.indexOf('{name}');
             const [b] = c.boxesOf({{ boot: 0, kind: 'span', index }}); const r = c.canvas.getBoundingClientRect();
             return [r.left + (b.x0 + b.x1) / 2, r.top + b.y + b.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// The middle of what is seen of the first bar that a function is true of.
    fn bar(&self, which: &str) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[0]; c.box.scrollIntoView({{ block: 'center' }});
             const bars = c.rows.flatMap((r) => r.bars); const [b] = c.boxesOf(bars.find({which}).item);
             const r = c.canvas.getBoundingClientRect(); return [r.left + (b.x0 + b.x1) / 2, r.top + b.y + b.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    fn selected(&self) -> String {
        self.words("return document.querySelector('#selected h2')?.textContent ?? ''")
    }

    /// The text of the row that the log marks as selected.
    fn selected_row(&self) -> String {
        self.words("return document.querySelector('#log [aria-selected=true]')?.lastChild.textContent ?? ''")
    }

    /// Whether anything of an element is shown.
    fn shows(&self, selector: &str) -> bool {
        self.run(&format!("return document.querySelector('{selector}').checkVisibility()")) == Value::Bool(true)
    }
}

#[test]
fn opens_without_a_word_and_asks_for_nothing() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    assert_eq!(page.console(), [""; 0]);
    let address = format!("file://{}", page.folder.path().join("page.html").display());
    let other: Vec<String> = page.requests().into_iter().filter(|r| *r != address).collect();
    assert_eq!(other, [""; 0]);
    assert!(page.words("return document.querySelector('.sentence').textContent").starts_with("Init started 2"));
    // The page's script keeps its names to itself.
    let format = include_str!("../../../bootline-report/src/plot/assets/format.js");
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
fn search_finds_the_record_and_the_timeline_shows_it() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    page.keys("/clocksource");
    let hits = page.words("return document.getElementById('hits').textContent");
    let known = page
        .number("return bootline.boots[0].records.text.filter((t) => t.toLowerCase().includes('clocksource')).length");
    assert_eq!(hits, format!("{known} hits"));
    page.keys(ENTER);
    let first = page.selected();
    assert!(first.to_lowercase().contains("clocksource"), "{first}");
    assert_eq!(page.selected_row(), first);
    page.keys(ENTER);
    let second = page.selected();
    assert_ne!(second, first);
    page.keys(ESCAPE);
    assert_eq!(page.words("return document.getElementById('hits').textContent"), "");

    // Record by record, and back.
    page.keys("k");
    let before = page.selected();
    page.keys("j");
    assert_eq!((page.selected(), page.selected_row()), (second.clone(), second));
    assert_ne!(before, page.selected());
}

#[test]
fn a_click_shows_the_span_and_its_records() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall")]);
    let (x, y) = page.span("fbmem_init");
    page.hover(x, y);
    assert!(page.shows("#tip") && page.words("return document.querySelector('#tip b').textContent") == "fbmem_init");
    page.click(x, y);
    assert_eq!(page.selected(), "fbmem_init");
    let facts = page.words("return document.querySelector('#selected dl').textContent");
    for fact in ["took", "waited for console", "kernel clock", "thread"] {
        assert!(facts.contains(fact), "{facts}");
    }
    // Its first record is in the log, in sight.
    assert!(page.selected_row().starts_with("calling  fbmem_init+"), "{}", page.selected_row());
    page.keys("z");
    let (from, to) = page.range();
    let [start, end] = ["start", "end"].map(|n| {
        page.number(&format!("const s = bootline.boots[0].spans; return s.{n}[s.name.indexOf('fbmem_init')]"))
    });
    assert!(from < start && to > end && to - from < (end - start) * 1.5, "{from} {start} {end} {to}");
    page.keys(ESCAPE);
    assert_eq!(page.selected(), "");
}

#[test]
fn a_record_has_its_time_by_both_clocks_and_its_cost() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    page.keys("/registered taskstats");
    page.keys(ENTER);
    let facts = page.words("return document.querySelector('#selected dl').textContent");
    for fact in ["kernel clock", "stored", "arrival", "console cost", "time on the line"] {
        assert!(facts.contains(fact), "{fact}: {facts}");
    }
    page.keys(ESCAPE);
    // The clocks differ on this kernel, whose own one stands still while it prints.
    let shown = || page.words("return document.querySelector('#log [aria-selected=true] .time').textContent");
    let real: f64 = shown().parse().unwrap();
    page.keys("c");
    assert_eq!(page.words("return bootline.view.clock"), "kernel");
    let kernel: f64 = shown().parse().unwrap();
    page.keys("c");
    let arrival: f64 = shown().parse().unwrap();
    assert!(kernel < real && real <= arrival, "{kernel} {real} {arrival}");
}

#[test]
fn the_backlog_is_the_one_that_the_report_tells() {
    for case in ["x86-6.12-9600", "x86-6.18-rt-9600"] {
        let out = isolated(env!("CARGO_BIN_EXE_bootline")).args(["explain", "--json"]).arg(corpus(case)).output();
        let report: Value = serde_json::from_slice(&out.unwrap().stdout).unwrap();
        let told = report["boots"][0]["console"]["backlog_peak"].as_f64().unwrap();
        let page = plot(&[corpus(case)]);
        assert_eq!(page.number("const b = bootline.boots[0]; return b.curve.peak(b.from, b.to)"), told, "{case}");
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
fn two_boots_are_stacked_on_one_axis() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall"), corpus("x86-6.19-rt-9600-initcall")]);
    assert_eq!(page.number("return document.querySelectorAll('.chart canvas').length"), 2.0);
    let against = page.words("return document.querySelectorAll('.answer')[1].querySelector('.against').textContent");
    assert!(against.ends_with("earlier than the first boot."), "{against}");
    // One stretch for both, the kernel's start at the same place.
    let same = "const [a, b] = bootline.charts; return a.x(0) - b.x(0) + a.canvas.getBoundingClientRect().left - b.canvas.getBoundingClientRect().left";
    assert_eq!(page.number(same), 0.0);
    let marked = page.number("return bootline.boots[1].spans.longer.filter((l) => l !== null).length");
    assert!(marked > 0.0);
    assert_eq!(page.number("return bootline.boots[0].spans.longer.filter((l) => l !== null).length"), 0.0);
    let (x, y) = page.track(1, "console", 0.3);
    let whole = page.width();
    page.wheel(x, y, -300);
    assert!(page.width() < whole);
    assert_eq!(page.number(same), 0.0);
    // The log is that of the boot at hand.
    page.keys("b");
    let log = page.words("return document.getElementById('log').getAttribute('aria-label')");
    assert!(log.contains("x86-6.19-rt-9600-initcall"), "{log}");
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
fn what_is_not_seen_is_said() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall")]);
    let nameless = page.words(
        "return [...document.querySelectorAll('button, input, select, [role=application], [role=listbox]')]
           .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.placeholder))
           .map((e) => e.outerHTML).join()",
    );
    assert_eq!(nameless, "");
    // The table holds what the canvas draws.
    page.run("document.getElementById('spans').open = true");
    page.settle();
    let table = page.words("return document.querySelector('#spans table').textContent");
    assert!(table.contains("serial8250_init") && table.contains("initcalls"), "{}", &table[..200]);
    page.run(
        "[...document.querySelectorAll('#spans button')].find((b) => b.textContent === 'serial8250_init').click()",
    );
    assert_eq!(page.selected(), "serial8250_init");
    // The log says which of how many its active row is.
    page.keys("j");
    let active = "const log = document.getElementById('log'); return document.getElementById(log.getAttribute('aria-activedescendant'))";
    assert_eq!(page.run(&format!("{active}.getAttribute('aria-selected')")), "true");
    assert!(page.run(&format!("{active}.getAttribute('aria-posinset')")).as_str().unwrap().parse::<u32>().unwrap() > 1);
    page.keys("?");
    assert!(page.shows("#help"));
    page.keys(ESCAPE);
    assert!(!page.shows("#help"));
}

#[test]
fn the_chain_is_the_one_that_critical_chain_tells() {
    for case in ["x86-6.12-9600", "x86-6.12-38400-initcall"] {
        let log = corpus(case);
        let told = report("critical-chain", &log);
        let segments = told["boots"][0]["critical_path"]["segments"].as_array().unwrap().clone();
        let page = plot(&[log]);
        let drawn = page.run("const l = bootline.boots[0].criticalPath.segments; return [Array.from(l.start), Array.from(l.end), Array.from(l.maxSaving)]");
        for (column, name) in ["start_ns", "end_ns", "max_saving_ns"].into_iter().enumerate() {
            let told: Vec<f64> = segments.iter().map(|s| s[name].as_f64().unwrap()).collect();
            let drawn: Vec<f64> = drawn[column].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!(drawn, told, "{case} {name}");
        }
        // The longest is chosen by a click where it lies, and says what it is worth.
        let longest =
            segments.iter().max_by_key(|s| s["end_ns"].as_i64().unwrap() - s["start_ns"].as_i64().unwrap()).unwrap();
        let (x, y) = page.bar(&format!("(b) => b.item.kind === 'segment' && b.start === {}", longest["start_ns"]));
        page.hover(x, y);
        assert!(page.words("return document.getElementById('tip').textContent").contains("without it"));
        page.click(x, y);
        assert_eq!(page.words("return document.querySelector('#selected .about').textContent"), "the boot hung on");
        let facts = page.words("return document.querySelector('#selected dl').textContent");
        assert!(facts.contains("of the chain") && facts.contains("waited for console"), "{facts}");
    }
}

#[test]
fn every_finding_with_evidence_has_a_mark_by_every_clock() {
    for case in ["x86-6.12-9600", "x86-6.18-rt-9600", "x86-7.2-9600", "arm64-6.12-9600"] {
        let page = plot(&[corpus(case)]);
        let findings = page.number("return bootline.boots[0].findings.length") as usize;
        assert!(findings > 0, "{case}");
        for clock in ["stored", "kernel", "arrival"] {
            page.run(&format!("bootline.view.setClock('{clock}'); bootline.view.whole()"));
            for n in 0..findings {
                let rule = page.words(&format!("return bootline.boots[0].findings[{n}].rule"));
                let cites = page.number(&format!("return bootline.boots[0].findings[{n}].records.length"));
                let boxes = page.number(&format!(
                    "const c = bootline.charts[0]; return c.boxesOf({{ boot: 0, kind: 'finding', index: {n} }})
                       .filter((b) => b.x1 >= c.left && b.x0 <= c.right && b.height > 0).length"
                ));
                assert!(boxes > 0.0 || cites == 0.0, "{case}: {rule} by {clock}");
            }
        }
    }
}

#[test]
fn what_the_line_did_keeps_its_length_in_arrival_view() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    let width = |kind: &str, which: &str| {
        page.number(&format!(
            "const c = bootline.charts[0]; const i = {which}; const all = c.boxesOf({{ boot: 0, kind: '{kind}', index: i }});
             return all.reduce((sum, b) => sum + b.x1 - b.x0, 0)"
        ))
    };
    let flush = "bootline.boots[0].findings.findIndex((f) => f.rule.startsWith('con002'))";
    let longest = "bootline.boots[0].waits.reduce((best, w, i, all) => w.time[1] > all[best].time[1] ? i : best, 0)";
    let before = (width("finding", flush), width("wait", longest));
    page.run("bootline.view.setClock('arrival'); bootline.view.whole()");
    let behind = (width("finding", flush), width("wait", longest));
    assert!(before.0 > 50.0 && before.1 > 50.0, "{before:?}");
    // The axis may be a little longer.
    assert!(behind.0 > before.0 * 0.8 && behind.1 > before.1 * 0.8, "{before:?} {behind:?}");
    // It lies where the characters came that were flushed.
    page.run(&format!("bootline.view.select({{ boot: 0, kind: 'finding', index: {flush} }})"));
    page.keys("z");
    let (from, to) = page.range();
    let line = page.run("const f = bootline.boots[0].line.flush; return [f.start, f.end]");
    assert!(from < line[0].as_f64().unwrap() + 0.1e9 && to > line[1].as_f64().unwrap() - 0.1e9, "{from} {to} {line}");
}

/// Arrival times in front of what the console said, as grabserial writes them.
fn grabbed(lines: &[(f64, &str)]) -> String {
    let mut before = 0.0;
    let mut log = String::new();
    for (at, text) in lines {
        log += &format!("[{at:.6} {:.6}] {text}\n", at - before);
        before = *at;
    }
    log
}

#[test]
fn boots_are_aligned_on_the_kernel_whatever_came_before_it() {
    let boot = |firmware: f64| {
        let mut lines = vec![(0.0, "U-Boot 2024.01".to_owned())];
        if firmware > 1.0 {
            lines.push((1.0, "DRAM: 2 GiB".to_owned()));
        }
        for (at, stamp, text) in [
            (0.0, 0.0, "Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC"),
            (0.05, 0.0, "Kernel command line: console=ttyS0,115200"),
            (0.1, 0.0, "printk: console [ttyS0] enabled"),
            (0.6, 0.5, "a driver"),
            (1.2, 1.1, "Run /init as init process"),
        ] {
            lines.push((firmware + at, format!("[{stamp:12.6}] {text}")));
        }
        let lines: Vec<(f64, &str)> = lines.iter().map(|(at, text)| (*at, text.as_str())).collect();
        grabbed(&lines)
    };
    let folder = tempfile::tempdir().unwrap();
    let short = written(folder.path(), "short.log", &boot(0.5));
    let long = written(folder.path(), "long.log", &boot(2.5));
    // One that printed nothing before init: its kernel's start is known from a stamp behind it.
    let page = plot(&[short, long, corpus("x86-7.2-9600-quiet")]);
    let banner = |boot: usize| {
        page.number(&format!(
            "const r = bootline.boots[{boot}].records; return r.start[r.text.findIndex((t) => t.startsWith('Linux version'))]"
        ))
    };
    assert!((banner(0) - banner(1)).abs() < 0.02e9, "{} {}", banner(0), banner(1));
    let zeros = page.run("return bootline.charts.map((c) => c.x(0) + c.canvas.getBoundingClientRect().left)");
    let zeros = zeros.as_array().unwrap();
    assert!(zeros.iter().all(|x| x == &zeros[0]), "{zeros:?}");
    // Firmware, and power-on, lie below zero.
    for (boot, least) in [(0, -0.6e9), (1, -2.6e9), (2, -2.0e9)] {
        let from = page.number(&format!(
            "const b = bootline.boots[{boot}]; return Math.min(b.from, b.criticalPath ? b.criticalPath.start : 0)"
        ));
        assert!(from < least * 0.7 && from > least, "{boot}: {from}");
    }
    assert!(page.number("return bootline.view.from") < -2.4e9);
    assert!(page.words("return document.querySelector('.note').textContent").contains("aligned on the kernel's start"));
}

#[test]
fn what_differs_is_said_and_shown_where_it_is() {
    let page = plot(&[corpus("x86-6.18-rt-9600-initcall"), corpus("x86-6.19-rt-9600-initcall")]);
    let told = page.number("return document.querySelectorAll('.answer')[1].querySelectorAll('.difference').length");
    assert!(told > 1.0, "{told}");
    assert_eq!(
        page.number("return document.querySelectorAll('.answer')[0].querySelectorAll('.difference').length"),
        0.0
    );
    // The parts add up to the whole difference.
    let sum = page.number(
        "const seconds = (e) => Number(e.textContent.replace('\u{2212}', '-').match(/[+-][\\d.]+/)[0]);
         return [...document.querySelectorAll('.difference .by, .differences .rest')].reduce((s, e) => s + seconds(e), 0)",
    );
    let whole = page.number("const e = (n) => bootline.boots[n].end.elapsed / 1e9; return e(1) - e(0)");
    assert!((sum - whole).abs() < 0.01, "{sum} {whole}");
    let name = page.words("const b = document.querySelector('button.difference[data-kind=span]'); b.click(); return b.querySelector('code').textContent");
    page.settle();
    assert_eq!(page.selected(), name);
    assert!(page.width() < page.number("return bootline.view.high - bootline.view.low"));
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
    for what in ["the boot hung on", "wait", "finding", "initcall"] {
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
