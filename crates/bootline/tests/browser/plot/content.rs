// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the page of `bootline plot` shows of a boot: records, spans, waits, findings, the critical path.
use std::ffi::OsString;
use std::path::Path;

use bootline_testkit::isolated;
use serde_json::Value;

use crate::opened::{ENTER, ESCAPE, corpus, page, plot, report};

#[test]
fn search_finds_the_record_and_the_timeline_shows_it() {
    let page = plot(&[corpus("x86-6.12-9600")]);
    page.keys("/clocksource");
    let hits = page.words("return document.getElementById('hits').textContent");
    let known = page
        .number("return bootline.boots[0].records.text.filter((t) => t.toLowerCase().includes('clocksource')).length");
    assert_eq!(hits, format!("{known} matches"));
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
        assert_eq!(page.words("return document.querySelector('#selected .about').textContent"), "critical path");
        let facts = page.words("return document.querySelector('#selected dl').textContent");
        assert!(facts.contains("of the path") && facts.contains("waited for console"), "{facts}");
    }
}

/// Up to the application: what takes no time is not drawn.
#[test]
fn the_chain_goes_on_to_the_application() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus-systems/x86-debian-minimal-emmc");
    let mut args: Vec<OsString> = vec![case.join("boot.cap").into()];
    for name in ["journal.export.gz", "systemctl-manager.txt.gz", "systemctl-show.txt.gz"] {
        args.extend(["--with".into(), case.join(name).into()]);
    }
    args.extend(["--app".into(), "bootline-app.service".into()]);
    let out = isolated(env!("CARGO_BIN_EXE_bootline")).args(["critical-chain", "--json"]).args(&args).output().unwrap();
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let links = told["boots"][0]["boot_chain"]["links"].as_array().unwrap().clone();
    let told: Vec<[f64; 2]> = links
        .iter()
        .map(|l| ["start_ns", "end_ns"].map(|name| l[name].as_f64().unwrap()))
        .filter(|l| l[0] < l[1])
        .collect();
    let page = page(&[&["plot".into()], &args[..]].concat());
    let drawn = page.run(
        "const l = bootline.boots[0].criticalPath.segments; return Array.from(l.start).map((t, i) => [t, l.end[i]])",
    );
    assert_eq!(serde_json::from_value::<Vec<[f64; 2]>>(drawn).unwrap(), told);
    // A queue says whose time it is, and promises nothing.
    let queue = links
        .iter()
        .filter(|l| l["kind"] == "queue")
        .max_by_key(|l| l["end_ns"].as_i64().unwrap() - l["start_ns"].as_i64().unwrap());
    let start = &queue.unwrap()["start_ns"];
    page.run(&format!(
        "const index = bootline.boots[0].criticalPath.segments.start.indexOf({start});
         bootline.view.select({{ boot: 0, kind: 'segment', index }})"
    ));
    let said = page.words("return document.querySelector('#selected').textContent");
    assert!(said.contains("No unit's own time") && said.contains("not known") && !said.contains("derived"), "{said}");
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
