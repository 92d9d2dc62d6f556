// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of a large boot in headless Chromium: how long until it is painted and can be used, and what a frame of a
//! zoom takes. Figures are for this machine (and for a browser that draws without a graphics card), never asserted.
//!
//! `cargo bench --bench page -- [RECORDS] [SPANS]`
use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

#[path = "../tests/browser/webdriver.rs"]
mod webdriver;

/// A zoom in and out again around a third of the boot, a frame each step: what the script took, and from frame to frame.
const ZOOM: &str = "
  const { view, charts } = bootline;
  const [work, frames] = [[], []];
  let [step, last] = [0, null];
  const at = view.low + (view.high - view.low) / 3;
  const frame = (now) => {
    if (last !== null) frames.push(now - last);
    last = now;
    if (step === 240) return done({ work, frames });
    const began = performance.now();
    view.zoom(step++ < 120 ? 0.95 : 1 / 0.95, at);
    for (const chart of charts) chart.draw();
    work.push(performance.now() - began);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);";

const TIMES: &str = "
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const page = performance.getEntriesByType('navigation')[0];
  return [paint.startTime, page.domContentLoadedEventEnd];";

fn main() {
    // `cargo bench` adds --bench.
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let records = numbers.first().copied().unwrap_or(30_000);
    let spans = numbers.get(1).copied().unwrap_or(5_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (log, page) = (folder.path().join("large.log"), folder.path().join("large.html"));
    std::fs::write(&log, large_log(records, spans)).expect("room for the log");
    let began = Instant::now();
    let out = Command::new(env!("CARGO_BIN_EXE_bootline")).arg("plot").arg(&log).arg("-o").arg(&page).output();
    let out = out.expect("bootline was built");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let plotted = began.elapsed().as_secs_f64() * 1e3;
    let size = page.metadata().expect("just written").len() as f64 / 1e6;

    let browser = webdriver::Browser::start();
    // The first page of a fresh browser pays for its start.
    let (mut painted, mut ready) = (Vec::new(), Vec::new());
    for round in 0..6 {
        browser.open(&page);
        browser.settle();
        let times = browser.run(TIMES);
        if round > 0 {
            painted.push(times[0].as_f64().expect("a time"));
            ready.push(times[1].as_f64().expect("a time"));
        }
    }
    let zoom = browser.run_until_done(ZOOM);
    let list =
        |name: &str| -> Vec<f64> { zoom[name].as_array().expect("a list").iter().filter_map(Value::as_f64).collect() };
    println!("{records} records, {spans} spans: page of {size:.1} MB, made in {plotted:.0} ms");
    println!("{:<28} {:>10} {:>10}", "[ms]", "median", "95 %");
    for (name, mut values) in [
        ("first paint", painted),
        ("script has run", ready),
        ("a zoom's frame: script", list("work")),
        ("a zoom's frame: to the next", list("frames")),
    ] {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        println!("{name:<28} {:>10.1} {:>10.1}", at(0.5), at(0.95));
    }
}

/// Initcalls, one probe in every fourth, and the drivers' own words between them, over a line of 115200 baud.
fn large_log(records: usize, spans: usize) -> String {
    let mut log = String::new();
    let mut us = 0;
    let mut say = |after: usize, text: &str| {
        us += after;
        writeln!(log, "[{:5}.{:06}] {text}", us / 1_000_000, us % 1_000_000).expect("a string has room");
    };
    say(0, "Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1");
    say(0, "Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8");
    say(10_000, "printk: console [ttyS0] enabled");
    let initcalls = spans * 4 / 5;
    let more = records.saturating_sub(2 * initcalls + spans / 5 + 4) / initcalls.max(1);
    let mut left = records.saturating_sub(2 * initcalls + spans / 5 + 4) % initcalls.max(1);
    for n in 0..initcalls {
        say(5_000 + n * 37 % 3_000, &format!("calling  driver{n}_init+0x0/0x4f0 @ 1"));
        for m in 0..more + usize::from(left > 0) {
            say(
                6_500,
                &format!("driver{n} 0000:{:02x}:{:02x}.0: queue {m} of 8 set up, irq {}", n % 256, m % 32, n % 200),
            );
        }
        left = left.saturating_sub(1);
        if n % 4 == 0 {
            say(7_000, &format!("probe of 0000:{:02x}:00.0 returned 0 after {} usecs", n % 256, 2_000 + n % 900));
        }
        say(7_000, &format!("initcall driver{n}_init+0x0/0x4f0 returned 0 after {} usecs", 9_000 + n % 700));
    }
    say(20_000, "Run /init as init process");
    log
}
