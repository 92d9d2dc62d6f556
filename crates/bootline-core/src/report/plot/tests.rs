// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::stack::stacks;
use super::{Picture, page, svg};
use crate::boot::{Boot, BootRecords, Options};
use crate::report::SourceName;
use crate::rules::findings;
use crate::units::Dur;

fn boots(log: &str) -> Vec<Boot> {
    BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &Options::default())).collect()
}

fn pictures(log: &str) -> Vec<Picture> {
    let picture = |b: &Boot| Picture::of(b, &findings(b), &SourceName::only("boot.log"));
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
        let i = boot.spans.iter().position(|s| s.name == name).unwrap();
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
    assert_eq!(*by[0].1, Some(super::difference::Changed::By(Dur::from_millis(30))));
    let none = super::difference::difference(first, first);
    assert!(none.spans.iter().all(Option::is_none) && none.phases.iter().all(Option::is_none), "{none:?}");
}

/// Text between an element's start and end, each time.
fn inside<'p>(page: &'p str, start: &str, end: &str) -> Vec<&'p str> {
    page.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

#[test]
fn the_page_allows_its_own_script_and_style_alone() {
    use base64::Engine;
    use sha2::Digest;
    let page = page(&pictures(&format!("{BEGIN}{LOG}")));
    let hash = |text: &str| {
        let digest = sha2::Sha256::digest(text);
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(digest))
    };
    let (scripts, styles) = (inside(&page, "<script>", "</script>"), inside(&page, "<style>", "</style>"));
    assert_eq!((scripts.len(), styles.len()), (1, 1));
    let policy = inside(&page, "Content-Security-Policy\" content=\"", "\"")[0];
    let want = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(scripts[0]),
        hash(styles[0])
    );
    assert_eq!(policy, want);
    // What would fetch something; and what the policy would refuse.
    for no in [" src=", "href=", "url(", "@import", " style=\"", "onclick", "fetch(", "XMLHttpRequest", "innerHTML"] {
        assert!(!page.contains(no), "{no}");
    }
    let placeholder = |name: &&str| name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    assert_eq!(page.split('@').find(placeholder), None);
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
        for (span, spot) in boot.spans.iter().zip(&stacks.of) {
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
            prop_assert!(made.chars().all(|c| c == '\n' || !crate::report::escape::is_dangerous(c)));
        }
        let page = page(&pictures);
        prop_assert_eq!(page.matches("</script>").count(), 2);
        prop_assert_eq!(page.matches("<!--").count(), 1);
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
