// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::stack::stacks;
use super::{Picture, page, svg};
use crate::BootLabel;
use crate::shell::tests::{allows_its_own_script_and_style_alone, inside};
use bootline_analysis::rules::findings;
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords};
use bootline_capture::units::Dur;

fn boots(log: &str) -> Vec<Boot> {
    BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &BootOptions::default())).collect()
}

fn pictures(log: &str) -> Vec<Picture> {
    let picture = |b: &Boot| Picture::of(b, &findings(b), &BootLabel::only("boot.log"));
    boots(log).iter().map(picture).collect()
}

const BEGIN: &str = "\
[    0.000000] Linux version 6.1.0-44-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1
[    0.000000] Kernel command line: console=ttyS0,9600 initcall_debug loglevel=8
[    0.010000] printk: console [ttyS0] enabled
";

const LOG: &str = "\
[    0.260000] calling  acpi_init+0x0/0x4f0 @ 1
[    0.300000] calling  3_do_scan_async+0x0/0x20 @ 45
[    0.310000] calling  4_do_scan_async+0x0/0x20 @ 46
[    0.320000] probe of 0000:00:02.0 returned 0 after 30000 usecs
[    0.360000] initcall acpi_init+0x0/0x4f0 returned 0 after 50000 usecs
[    0.400000] initcall 3_do_scan_async+0x0/0x20 returned 0 after 100000 usecs
[    0.420000] initcall 4_do_scan_async+0x0/0x20 returned 0 after 110000 usecs
[    0.430000] calling  mod_init+0x0/0x20 [mod] @ 131
[    0.440000] Freeing unused kernel image (initmem) memory: 4132K
[    0.520000] Run /init as init process
";

#[test]
fn threads_have_rows_of_their_own_and_async_calls_share_some() {
    let boot = boots(&format!("{BEGIN}{LOG}")).remove(0);
    let stacks = stacks(&boot);
    let groups: Vec<_> = stacks.groups.iter().map(|g| (g.title.as_str(), g.rows)).collect();
    // The two async calls overlap; the probe is nested in its initcall.
    assert_eq!(groups, [("boot thread", 2), ("thread 131", 1), ("async", 2)]);
    let spot = |name: &str| {
        let i = boot.spans().iter().position(|s| s.name == name).unwrap();
        stacks.of[i].map(|l| (stacks.groups[l.group].title.as_str(), l.row))
    };
    assert_eq!(spot("acpi_init"), Some(("boot thread", 0)));
    assert_eq!(spot("0000:00:02.0"), Some(("boot thread", 1)));
    assert_eq!(spot("do_scan_async"), Some(("async", 0)));
}

#[test]
fn what_differs_from_the_first_boot_is_marked() {
    let slower = LOG.replace("0.360000] initcall acpi_init", "0.390000] initcall acpi_init");
    let both = pictures(&format!("{BEGIN}{LOG}{BEGIN}{slower}"));
    let [first, other] = &both[..] else { panic!("{} boots", both.len()) };
    let difference = super::difference::difference(first, other);
    let by: Vec<_> = other.spans.iter().zip(&difference.spans).filter(|(_, d)| d.is_some()).collect();
    assert_eq!(by.len(), 1, "{by:?}");
    assert_eq!(by[0].0.name, "acpi_init");
    assert_eq!(*by[0].1, Some(super::difference::SpanChange::By(Dur::from_millis(30))));
    let none = super::difference::difference(first, first);
    assert!(none.spans.iter().all(Option::is_none) && none.phases.iter().all(Option::is_none), "{none:?}");
}

/// A static picture has no rows for so many units at once: it draws the longest, and says how many it leaves out.
#[test]
fn of_too_many_units_the_longest_are_drawn() {
    let mut log = format!("{BEGIN}{LOG}");
    for n in 0..60 {
        log += &format!("[    1.{n:03}000] systemd[1]: Starting unit{n}.service - A unit...\n");
    }
    for n in 0..60 {
        let ms = if n == 59 { 900 } else { 100 + n };
        log += &format!("[    1.{ms:03}000] systemd[1]: Started unit{n}.service - A unit.\n");
    }
    let picture = svg(&pictures(&log));
    let drawn = (0..60).filter(|n| picture.contains(&format!(">unit{n}.service</text>"))).count();
    assert!(picture.contains(">unit59.service</text>"), "the last to start, and the longest");
    assert!(picture.contains(&format!(">({} shorter)</text>", 60 - drawn)) && drawn > 10, "{drawn}");
}

/// The line is drawn as flushing from when the kernel began to write, not a boot loader.
#[test]
fn the_flush_is_the_kernels() {
    let stamped = |ms: u32, text: &str| format!("[2026-05-06 10:11:{:02}.{:03}] {text}\n", ms / 1000, ms % 1000);
    let mut log = stamped(0, "U-Boot 2025.01") + &stamped(1_000, "Starting kernel ...");
    for n in 0..20 {
        log += &stamped(
            5_000 + n * 50,
            &format!("[    0.{n:03}000] a message of the kernel, long enough to take its time"),
        );
    }
    let log = log.replace("[    0.000000] a message of", "[    0.000000] Linux version 6.1.0 (gcc) #1 of")
        + &stamped(6_100, "[    0.500000] printk: legacy console [ttyS0] enabled")
        + &stamped(7_500, "[    1.900000] Run /init as init process");
    let boot = boots(&log).remove(0);
    let flush = pictures(&log)[0].line.as_ref().and_then(|line| line.flush).expect("a flush");
    let (_, kernel) = boot.records.iter().enumerate().find(|(_, r)| r.text.starts_with("Linux version")).unwrap();
    let begins = boot.timeline.stored(boot.records.index_of(kernel.id).unwrap()).unwrap();
    assert!(flush.0 >= begins - Dur::from_millis(100), "{flush:?} {begins:?}");
}

#[test]
fn the_application_is_the_first_thing_that_a_page_says() {
    let log = format!("{BEGIN}{LOG}[    2.000000] systemd[1]: Started app.service - The application.\n");
    let boot = boots(&log).remove(0).with_sources(&[], Some(&AppMarker::Unit("app.service".to_owned())));
    let picture = Picture::of(&boot, &findings(&boot), &BootLabel::only("boot.log"));
    let said = "The application (app.service) is up ";
    assert!(page(std::slice::from_ref(&picture)).contains(said) && svg(&[picture]).contains(said));
}

#[test]
fn every_finding_with_evidence_is_shown_somewhere() {
    use super::mark::MarkPlacement;
    let talk: String = (1..40)
        .map(|n| format!("[    {}.{:03}000] a driver says {}\n", n / 10 + 1, n % 10 * 100, "x".repeat(60)))
        .collect();
    let pictures =
        pictures(&format!("{BEGIN}{}{talk}[    9.000000] Run /init as init process\n", &LOG[..LOG.len() / 2]));
    let mut waits = 0;
    for mark in &pictures[0].findings {
        assert!(mark.records.is_empty() || mark.shown != MarkPlacement::Nowhere, "{mark:?}");
        waits += usize::from(matches!(mark.shown, MarkPlacement::Waits(_)));
    }
    assert!(waits > 0, "{:?}", pictures[0].findings);
    assert!(svg(&pictures).contains("class=\"thread\""));
}

#[test]
fn the_parts_of_a_difference_add_up_to_it() {
    let slower = LOG
        .replace("0.360000] initcall acpi_init", "0.390000] initcall acpi_init")
        .replace("0.520000] Run", "0.590000] Run");
    let both = pictures(&format!("{BEGIN}{LOG}{BEGIN}{slower}"));
    let whole = both[1].end.unwrap().elapsed.best() - both[0].end.unwrap().elapsed.best();
    for most in [0, 1, 6] {
        let parts = super::parts::parts(&both[0], &both[1], most).unwrap();
        assert!(parts.listed.len() <= most);
        assert_eq!(parts.listed.iter().map(|p| p.by).sum::<Dur>() + parts.rest, whole);
    }
    let parts = super::parts::parts(&both[0], &both[1], 6).unwrap();
    let acpi = parts.listed.iter().find(|p| p.name == "acpi_init").expect("it took 30 ms longer");
    assert_eq!(acpi.shown.map(|s| (s.in_first, both[1].spans[s.index].name.as_str())), Some((false, "acpi_init")));
}

/// By Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009), at
/// full severity, in linear RGB.
const VISIONS: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
];

/// CIE L*a*b* of a colour as somebody sees it.
fn seen(colour: &str, vision: &[[f64; 3]; 3]) -> [f64; 3] {
    let channel = |i: usize| {
        let v = f64::from(u8::from_str_radix(&colour[i..i + 2], 16).unwrap()) / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    let times = |m: &[[f64; 3]; 3], c: [f64; 3]| m.map(|row| row.iter().zip(c).map(|(a, b)| a * b).sum::<f64>());
    let rgb = times(vision, [1, 3, 5].map(channel)).map(|v| v.clamp(0.0, 1.0));
    let xyz = times(&[[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], rgb);
    let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [x, y, z] = [f(xyz[0] / 0.95047), f(xyz[1]), f(xyz[2] / 1.08883)];
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn what_stands_in_one_track_is_told_apart_without_seeing_all_colours() {
    let style = concat!(include_str!("../shell/assets/base.css"), include_str!("assets/page.css"));
    let colours = |name: &str| {
        let (_, rest) = style.split_once(&format!("--{name}: light-dark(")).unwrap();
        rest.split_once(')').unwrap().0.split_once(", ").unwrap()
    };
    let check = |a: &str, b: &str, least: f64| {
        for theme in [|c: (&'static str, &'static str)| c.0, |c: (&'static str, &'static str)| c.1] {
            for vision in &VISIONS {
                let (x, y) = (seen(theme(colours(a)), vision), seen(theme(colours(b)), vision));
                let apart = x.iter().zip(y).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
                assert!(apart >= least, "{a} and {b}: {apart:.1}");
            }
        }
    };
    check("initcall", "probe", 10.0);
    check("initcall", "async", 10.0);
    check("initcall", "service", 10.0);
    check("wait", "initcall", 10.0);
    check("wait", "async", 10.0);
    check("wait", "service", 10.0);
    check("stored", "delivered", 10.0);
    // Neighbours with a gap between them.
    check("phase0", "phase1", 5.0);
}

#[test]
fn the_page_allows_its_own_script_and_style_alone() {
    allows_its_own_script_and_style_alone(&page(&pictures(&format!("{BEGIN}{LOG}"))));
}

fn line() -> impl Strategy<Value = String> {
    let name = "[a-c]|[1-9]_[a-c]";
    prop_oneof![
        (name, 0..4u32).prop_map(|(n, task)| format!("calling  {n}+0x0/0x10 @ {task}")),
        name.prop_map(|n| format!("initcall {n}+0x0/0x10 returned 0 after 5 usecs")),
        (0..90_000u32).prop_map(|us| format!("probe of d{us} returned 0 after {us} usecs")),
        "systemd\\[1\\]: (Starting|Started) [a-c]\\.service - X\\.\\.\\.".prop_map(|s| s),
        Just("Run /init as init process".to_owned()),
    ]
}

proptest! {
    #[test]
    fn no_two_spans_in_a_row_overlap(lines in proptest::collection::vec((line(), 0..40u32), 0..120)) {
        let mut log = BEGIN.to_owned();
        let mut at = 20_000;
        for (text, after) in lines {
            at += after * 1_000;
            log += &format!("[{:5}.{:06}] {text}\n", at / 1_000_000, at % 1_000_000);
        }
        let boot = boots(&log).remove(0);
        let stacks = stacks(&boot);
        let mut taken: Vec<(usize, usize, Dur, Dur)> = Vec::new();
        for (span, spot) in boot.spans().iter().zip(&stacks.of) {
            let Some(spot) = spot else { continue };
            prop_assert!(spot.row < stacks.groups[spot.group].rows);
            taken.push((spot.group, spot.row, span.start, span.end.unwrap_or(boot.last_time()).max(span.start)));
        }
        taken.sort_unstable();
        for pair in taken.windows(2) {
            let ((group, row, _, end), (next_group, next_row, start, _)) = (pair[0], pair[1]);
            prop_assert!((group, row) != (next_group, next_row) || end <= start, "{pair:?}");
        }
        let left_out: usize = stacks.groups.iter().map(|g| g.not_drawn).sum();
        prop_assert_eq!(stacks.of.iter().filter(|l| l.is_none()).count(), left_out);
    }

    /// Whatever a log says, it opens no element, ends no script and moves no terminal.
    #[test]
    fn a_hostile_log_stays_text(text in "(</script>|<!--|<img src=x onerror=a\\(\\)>|]]>|&lt;|@DATA@|\"|'|[\\x00-\\x08\\x1b\u{2028}\u{202e}a-z<> ]|\\PC){0,30}") {
        let text = text.replace(['\n', '\r'], " ");
        let log = format!(
            "{BEGIN}[    0.100000] calling  {text}+0x0/0x10 @ 1\n[    0.900000] initcall {text}+0x0/0x10 returned 0 after 800000 usecs\n\
             [    1.000000] {text}\n[    1.100000] systemd[1]: Starting {text}...\n[    2.000000] Run /init as init process\n"
        );
        let pictures = pictures(&log);
        for made in [page(&pictures), svg(&pictures)] {
            prop_assert!(!made.contains("<img"));
            prop_assert!(made.chars().all(|c| c == '\n' || !crate::escape::is_dangerous(c)));
        }
        let page = page(&pictures);
        prop_assert_eq!(page.matches("</script>").count(), 2);
        prop_assert_eq!(page.matches("<!--").count(), 2);
        let data = inside(&page, "id=\"data\">", "</script>")[0];
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        prop_assert_eq!(data["boots"][0]["records"]["text"].as_array().unwrap().len(), pictures[0].records.len());
    }

    #[test]
    fn any_bytes_make_a_page(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        let pictures = pictures(&String::from_utf8_lossy(&bytes));
        if !pictures.is_empty() {
            page(&pictures);
            svg(&pictures);
        }
    }
}
