// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several boots on one page of `bootline plot`.
use crate::opened::{corpus, plot, written};

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
    // One that printed nothing before init: its kernel's start is known from a later stamp.
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
