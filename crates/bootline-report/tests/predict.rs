// SPDX-License-Identifier: MIT OR Apache-2.0
//! How predictions read, from values made by hand: the pages of `tests/predict`.
#![allow(clippy::disallowed_methods, reason = "the schemas are files")]
mod schema;

use std::path::Path;

use bootline_analysis::predict::{Assumption, Change, Prediction, PredictionError};
use bootline_analysis::predictions::Predictions;
use bootline_analysis::remedy::{KernelVersions, Parameter, SystemChange};
use bootline_analysis::whole_change::{AnySetting, WholeChange, WholePrediction, WholePredictionError};
use bootline_boot::{Boot, BootOptions, BootRecords, StageName, WholeEnd, WholeOrigin};
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

fn whole_by_hand() -> Vec<WholePrediction> {
    let order =
        assumption("unit-order", "each unit starts as long after the last unit that it waited for as in this boot");
    let load = assumption("processor-load", "the processors were busy for 61 % of user space");
    let baseline = WholePrediction {
        change: WholeChange::default(),
        title: "baseline".to_owned(),
        since: WholeOrigin::PowerOn,
        until: WholeEnd::Application,
        length: millis(30_682, 30_682, 30_682),
        saved: Interval::default(),
        price: String::new(),
        assumptions: Vec::new(),
        needs: Vec::new(),
    };
    let way = |settings: &[&str], title: &str, saved: [i64; 3], needs: Vec<SystemChange>| WholePrediction {
        change: WholeChange::of(settings.iter().map(|s| s.parse().unwrap())).unwrap(),
        title: title.to_owned(),
        length: millis(30_682 - saved[2], 30_682 - saved[1], 30_682 - saved[0]),
        saved: millis(saved[0], saved[1], saved[2]),
        price: "what these units do".to_owned(),
        assumptions: vec![order.clone(), load.clone()],
        needs,
        ..baseline.clone()
    };
    let masked = ["avahi-daemon.service", "bluetooth.service"];
    let avahi = way(
        &["mask=avahi-daemon.service", "mask=bluetooth.service"],
        "without avahi-daemon.service, bluetooth.service",
        [0, 880, 2_310],
        masked.map(|unit| SystemChange::MaskUnit(unit.to_owned())).into(),
    );
    let mut loader = way(&["stage:loader=0.5s"], "boot loader in 0.5 s", [740, 740, 740], Vec::new());
    (loader.assumptions, loader.price) = (Vec::new(), String::new());
    let slower = way(&["unit:camera.service=9s"], "camera.service up after 9 s", [-4_000, -4_000, -4_000], Vec::new());
    vec![baseline, avahi, loader, slower]
}

fn predicted(to_init: &[Prediction]) -> Predictions {
    Predictions { to_init: Ok(to_init.to_vec()), whole: None }
}

/// Without a prediction of the time to init.
fn whole(list: Result<&[WholePrediction], WholePredictionError>) -> Predictions {
    Predictions { to_init: Err(PredictionError::NoConsole), whole: Some(list.map(<[_]>::to_vec)) }
}

fn refused(error: PredictionError) -> Predictions {
    Predictions { to_init: Err(error), whole: None }
}

fn page(predicted: &Predictions, width: usize) -> String {
    text(&predictions(&boot(), predicted, &BootLabel::only("boot.cap")), &TextOptions { width, color: false })
}

/// A boot with OpenRC's scripts, and what changes of them are predicted to save.
fn scripts() -> (Boot, Predictions) {
    let log =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../bootline-analysis/tests/rules/usr016_init_scripts/fires.log");
    let records = BootRecords::all(&std::fs::read(log).unwrap()).remove(0);
    let boot = Boot::analyse(records, &BootOptions::default()).with_sources(&[], None);
    let settings = ["mask=S40networking", "no-wait=acme-sensor", "unit:sshd=0.2s"];
    let change = WholeChange::of(settings.map(|s| s.parse::<AnySetting>().unwrap())).unwrap();
    let predicted = Predictions::of(&boot, &change);
    (boot, predicted)
}

fn of_scripts(width: usize) -> String {
    let (boot, predicted) = scripts();
    text(&predictions(&boot, &predicted, &BootLabel::only("boot.log")), &TextOptions { width, color: false })
}

fn of_scripts_json() -> String {
    let (boot, predicted) = scripts();
    json_of(&boot, &predicted)
}

fn json(predicted: &Predictions) -> String {
    json_of(&boot(), predicted)
}

fn json_of(boot: &Boot, predicted: &Predictions) -> String {
    let (mut list, mut out) = (BootsJson::new("bootline-predict/1"), Vec::new());
    list.open(&mut out).unwrap();
    let label = BootLabel::only("boot.cap");
    let item = JsonItem(predictions_json(boot, predicted, &label));
    list.item(&item, &mut out).unwrap();
    list.close(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn pages_read_as_before() {
    let (all, of_whole) = (by_hand(), whole_by_hand());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/predict");
    check_goldens(
        &folder,
        |_| false,
        |goldens| {
            for (name, got) in [
                ("table-60.txt", page(&predicted(&all), 60)),
                ("table-100.txt", page(&predicted(&all), 100)),
                ("table-160.txt", page(&predicted(&all), 160)),
                ("question.txt", page(&predicted(&all[..2]), 100)),
                ("worse.txt", page(&predicted(&[all[0].clone(), all[4].clone()]), 100)),
                ("table.json", json(&predicted(&all))),
                ("refused.json", json(&refused(PredictionError::NoSpeed { console: "ttyS0".to_owned() }))),
                ("whole-100.txt", page(&whole(Ok(&of_whole)), 100)),
                ("whole-question.txt", page(&whole(Ok(&[of_whole[0].clone(), of_whole[3].clone()])), 100)),
                ("whole.json", json(&whole(Ok(&of_whole)))),
                ("scripts-100.txt", of_scripts(100)),
                ("scripts.json", of_scripts_json()),
                ("whole-refused.json", json(&whole(Err(WholePredictionError::NoDependencies)))),
            ] {
                goldens.check(&folder, name, &got);
            }
        },
    );
}

#[test]
fn json_is_what_the_schema_says() {
    let whole_refused = WholePredictionError::NoStage(StageName::Loader);
    for got in [
        predicted(&by_hand()),
        predicted(&[]),
        refused(PredictionError::NoEnd),
        whole(Ok(&whole_by_hand())),
        whole(Err(whole_refused)),
    ] {
        schema::check("predict", &serde_json::from_str(&json(&got)).unwrap());
    }
    schema::check("predict", &serde_json::from_str(&of_scripts_json()).unwrap());
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
        let both = Predictions { whole: Some(Ok(whole_by_hand())), ..predicted(&by_hand()) };
        for line in page(&both, width).lines() {
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
        let mut of_whole = whole_by_hand();
        for p in &mut of_whole {
            p.title.clone_from(&hostile);
            p.price.clone_from(&hostile);
            p.needs = vec![SystemChange::MaskUnit(hostile.clone()), SystemChange::DisableScript(hostile.clone())];
            p.assumptions.iter_mut().for_each(|a| a.text.clone_from(&hostile));
        }
        let all = Predictions { whole: Some(Ok(of_whole)), ..predicted(&all) };
        for page in [page(&all, 80), json(&all)] {
            let dangerous = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
            prop_assert!(!page.contains(dangerous), "{page:?}");
        }
        serde_json::from_str::<serde_json::Value>(&json(&all)).unwrap();
    }

    #[test]
    fn any_figures_can_be_shown(figures in proptest::collection::vec(any::<i64>(), 12)) {
        let mut all = by_hand();
        for (p, f) in all.iter_mut().zip(figures.windows(4)) {
            let i = |n: usize| Interval::new(Dur::from_nanos(f[n]), Dur::from_nanos(f[(n + 1) % 4]), Dur::from_nanos(f[(n + 2) % 4]));
            (p.time_to_init, p.saved, p.log_complete, p.first_byte_shift) = (i(0), i(1), Some(i(2)), i(3));
        }
        let mut of_whole = whole_by_hand();
        for (p, f) in of_whole.iter_mut().zip(figures.windows(4)) {
            let i = |n: usize| Interval::new(Dur::from_nanos(f[n]), Dur::from_nanos(f[(n + 1) % 4]), Dur::from_nanos(f[(n + 2) % 4]));
            (p.length, p.saved) = (i(0), i(1));
        }
        let all = Predictions { whole: Some(Ok(of_whole)), ..predicted(&all) };
        schema::check("predict", &serde_json::from_str(&json(&all)).unwrap());
        prop_assert!(page(&all, 100).contains("baseline"));
    }
}
