// SPDX-License-Identifier: MIT OR Apache-2.0
//! How predictions read, from values made by hand: the pages of `tests/predict`.
#![allow(clippy::disallowed_methods, reason = "the schemas are files")]
mod schema;

use std::path::Path;

use bootline_analysis::predict::{Assumption, Change, Prediction, PredictionError};
use bootline_analysis::remedy::{KernelVersions, Parameter, SystemChange};
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_capture::units::{Dur, Interval};
use bootline_console::KernelVersion;
use bootline_report::{BootLabel, BootsJson, JsonItem, TextOptions, predictions, predictions_json, text};
use bootline_testkit::check_goldens;
use proptest::prelude::*;

const LOG: &str = "\
[    0.000000] Linux version 6.18.15-rt (gcc) #1 SMP PREEMPT_RT Test
[    0.000000] Kernel command line: console=ttyS0,9600
[    0.100000] printk: legacy console [ttyS0] enabled
[    9.000000] Run /init as init process
";

fn boot() -> Boot {
    let mut all = BootRecords::all(LOG.as_bytes());
    Boot::analyse(all.swap_remove(0), &BootOptions::default())
}

fn millis(low: i64, best: i64, high: i64) -> Interval {
    Interval::new(Dur::from_millis(low), Dur::from_millis(best), Dur::from_millis(high))
}

fn assumption(name: &'static str, text: &str) -> Assumption {
    Assumption { name, text: text.to_owned() }
}

fn by_hand() -> Vec<Prediction> {
    let speed = assumption("line-speed", "the line carries 959.1 characters a second (931.4..960.0), by arrival times");
    let levels = assumption(
        "levels",
        "the log has no levels: between 0 and 2150 characters are errors and worse, which quiet prints too; \
         a `dmesg -r` of the same boot tells (--kernel-log)",
    );
    let today = Prediction {
        change: Change::default(),
        title: "baseline".to_owned(),
        time_to_init: millis(25_199, 25_210, 25_222),
        log_complete: Some(millis(25_512, 25_512, 25_513)),
        saved: Interval::default(),
        first_byte_shift: Interval::default(),
        bytes: 24_041,
        price: String::new(),
        assumptions: vec![speed.clone()],
        needs: Vec::new(),
    };
    let way = |settings: &[&str], title: &str, init: [i64; 3]| Prediction {
        change: settings.join(" ").parse().unwrap(),
        title: title.to_owned(),
        time_to_init: millis(init[0], init[1], init[2]),
        saved: millis(25_210 - init[2], 25_210 - init[1], 25_210 - init[0]),
        ..today.clone()
    };
    let quiet = Prediction {
        log_complete: None,
        bytes: 0,
        price: "messages are only in dmesg, not on the line; a hang shows nothing".to_owned(),
        assumptions: vec![levels],
        needs: vec![SystemChange::word("quiet")],
        ..way(&["quiet"], "quiet", [5_900, 6_010, 8_240])
    };
    let fast = Prediction {
        price: "nothing".to_owned(),
        needs: vec![
            SystemChange::parameter("console", "ttyS0,115200n8"),
            SystemChange::OtherEnd("115200 baud".to_owned()),
        ],
        ..way(&["baud=115200"], "115200 baud", [7_800, 7_912, 8_100])
    };
    let thread = Prediction {
        first_byte_shift: millis(1_900, 2_000, 2_100),
        price: "a hang leaves the last messages unprinted; the log is complete only after the boot ends".to_owned(),
        assumptions: vec![
            speed,
            assumption("printer-thread-contention", "the printer thread has a processor of its own"),
        ],
        needs: vec![
            SystemChange::Kernel(KernelVersions::From(KernelVersion::new(6, 19))),
            SystemChange::config("CONFIG_PREEMPT_RT", "y"),
            SystemChange::Hardware("2 processors".to_owned()),
            SystemChange::LoadModule { module: "nbcon_8250", parameters: vec![Parameter::new("replay", "1")] },
        ],
        ..way(
            &["kernel=6.19-rt", "cpus=2"],
            "a printer thread that gives the console lock up after each record",
            [12_100, 13_400, 20_000],
        )
    };
    let worse = way(&["cpus=1"], "one CPU", [25_900, 26_000, 28_000]);
    vec![today, quiet, fast, thread, worse]
}

fn page(predicted: &[Prediction], width: usize) -> String {
    text(&predictions(&boot(), predicted, &BootLabel::only("boot.cap")), &TextOptions { width, color: false })
}

fn json(predicted: Result<&[Prediction], &PredictionError>) -> String {
    let (mut list, mut out) = (BootsJson::new("bootline-predict/1"), Vec::new());
    list.open(&mut out).unwrap();
    let (boot, label) = (boot(), BootLabel::only("boot.cap"));
    let item = JsonItem(predictions_json(&boot, predicted, &label));
    list.item(&item, &mut out).unwrap();
    list.close(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn pages_read_as_before() {
    let all = by_hand();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/predict");
    check_goldens(
        &folder,
        |_| false,
        |goldens| {
            for (name, got) in [
                ("table-60.txt", page(&all, 60)),
                ("table-100.txt", page(&all, 100)),
                ("table-160.txt", page(&all, 160)),
                ("question.txt", page(&all[..2], 100)),
                ("worse.txt", page(&[all[0].clone(), all[4].clone()], 100)),
                ("table.json", json(Ok(&all))),
                ("refused.json", json(Err(&PredictionError::NoSpeed { console: "ttyS0".to_owned() }))),
            ] {
                goldens.check(&folder, name, &got);
            }
        },
    );
}

#[test]
fn json_is_what_the_schema_says() {
    let all = by_hand();
    for got in [json(Ok(&all)), json(Ok(&[])), json(Err(&PredictionError::NoEnd))] {
        schema::check("predict", &serde_json::from_str(&got).unwrap());
    }
}

#[test]
fn each_change_is_told_as_it_can_be_typed() {
    for p in by_hand() {
        for setting in p.change.settings() {
            assert_eq!(setting.to_string().parse(), Ok(setting));
        }
    }
}

#[test]
fn lines_keep_to_the_width() {
    for width in [40, 60, 80, 100, 160] {
        for line in page(&by_hand(), width).lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= width, "{width}: {line}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_hostile_reaches_the_terminal(hostile in "([\\x00-\\x1f\\x7f\u{80}-\u{9f}\u{202a}-\u{202e}\u{2066}a-z\\[\\]; ]|\\PC){0,40}") {
        let mut all = by_hand();
        for p in &mut all {
            p.title.clone_from(&hostile);
            p.price.clone_from(&hostile);
            p.needs = vec![SystemChange::parameter("console", hostile.clone()), SystemChange::Hardware(hostile.clone())];
            p.assumptions.iter_mut().for_each(|a| a.text.clone_from(&hostile));
        }
        for page in [page(&all, 80), json(Ok(&all))] {
            let dangerous = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
            prop_assert!(!page.contains(dangerous), "{page:?}");
        }
        serde_json::from_str::<serde_json::Value>(&json(Ok(&all))).unwrap();
    }

    #[test]
    fn any_figures_can_be_shown(figures in proptest::collection::vec(any::<i64>(), 12)) {
        let mut all = by_hand();
        for (p, f) in all.iter_mut().zip(figures.windows(4)) {
            let i = |n: usize| Interval::new(Dur::from_nanos(f[n]), Dur::from_nanos(f[(n + 1) % 4]), Dur::from_nanos(f[(n + 2) % 4]));
            (p.time_to_init, p.saved, p.log_complete, p.first_byte_shift) = (i(0), i(1), Some(i(2)), i(3));
        }
        schema::check("predict", &serde_json::from_str(&json(Ok(&all))).unwrap());
        prop_assert!(page(&all, 100).contains("baseline"));
    }
}
