// SPDX-License-Identifier: MIT OR Apache-2.0
use std::fs;

use bootline_capture::units::{HostTime, Interval};
use bootline_images::systems::System;
use tempfile::TempDir;

use super::*;
use crate::boot::Mark;
use crate::boot::SystemTruth;
use crate::experiment::{ArmImages, ExperimentEnd, PublishedSaving, RunSelection, until_decided};
use bootline_boot::{WholeEnd, WholeOrigin};

const FILE: &str = "name = \"x\"\nabout = \"\"\nruns = 3\nbase = \"slow\"\n[defaults]\nkernel = \"6.12\"\n\
    [[arm]]\nname = \"slow\"\nbaud = 9600\n[[arm]]\nname = \"fast\"\nbaud = 115200\n\
    [[arm]]\nname = \"quiet\"\nbaud = 9600\nappend = \"quiet\"\nmetric = \"since-start\"\n\
    [[claim]]\ntext = \"twice\"\narm = \"slow\"\nof = \"fast\"\nat_least = 2.0\n\
    [[claim]]\ntext = \"as fast\"\narm = \"slow\"\nof = \"fast\"\nat_most = 1.0\n\
    [[claim]]\ntext = \"quiet\"\narm = \"quiet\"\nof = \"slow\"\nat_most = 1.0\n";

/// Foretells a fifth of the base's time, the end of the log 3 s later, and that the line opens a second later.
struct Fifth;

impl Analyst for Fifth {
    fn flush_gap(&mut self, _: &Path) -> Option<Dur> {
        None
    }

    fn log_complete(&mut self, run: &Path) -> Option<HostTime> {
        Some(ResultsDir::finished(run).unwrap().init_ns.unwrap() + Dur::from_secs(3))
    }

    fn predict(&mut self, run: &Path, change: &Change) -> Result<Prediction, AnalystError> {
        let today = ResultsDir::finished(run).unwrap().time_to_init_ns.unwrap();
        Ok(Prediction {
            change: *change,
            title: String::new(),
            time_to_init: Interval::around(today / 5, Dur::from_millis(100)),
            log_complete: Some(Interval::exact(today / 5 + Dur::from_secs(3))),
            saved: Interval::default(),
            first_byte_shift: Interval::exact(Dur::from_secs(1)),
            bytes: 0,
            price: String::new(),
            assumptions: Vec::new(),
            needs: Vec::new(),
        })
    }

    fn predict_whole(&mut self, _: &Path, change: &WholeChange, unit: &str) -> Result<WholePrediction, AnalystError> {
        let saved = Dur::from_secs(if unit == MULTI_USER_UNIT { 2 } else { 1 });
        Ok(WholePrediction {
            change: change.clone(),
            title: String::new(),
            since: WholeOrigin::PowerOn,
            until: WholeEnd::Application,
            length: Interval::default(),
            saved: Interval::around(saved, Dur::from_millis(100)),
            price: String::new(),
            assumptions: Vec::new(),
            needs: Vec::new(),
        })
    }
}

struct Folder {
    _temp: TempDir,
    experiment: Experiment,
    results: ResultsDir,
}

impl Folder {
    fn new() -> Folder {
        let temp = tempfile::tempdir().unwrap();
        let experiment = Experiment::parse(Path::new("x.toml"), FILE).unwrap();
        let results = ResultsDir::begin(&temp.path().join("x"), &experiment, None, &ArmImages::default()).unwrap();
        Folder { _temp: temp, experiment, results }
    }

    /// A run whose line was first heard after 2 s, and whose init came `seconds` later.
    fn run(&self, arm: &str, round: u32, seconds: f64, verdict: RunVerdict) {
        let mut truth: Truth =
            serde_json::from_str(include_str!("../../../../corpus/x86-6.12-2400/truth.json")).unwrap();
        let at = |s: f64| HostTime::ORIGIN + Dur::from_secs_f64(s);
        truth.qemu_started_ns = at(0.0);
        truth.first_byte_ns = Some(at(2.0));
        truth.init_ns = Some(at(2.0 + seconds));
        truth.time_to_init_ns = Some(Dur::from_secs_f64(seconds));
        truth.verdict = verdict;
        let dir = self.results.run_dir(&PlannedRun { arm: arm.to_owned(), round });
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("truth.json"), serde_json::to_string(&truth).unwrap()).unwrap();
    }

    fn valid(&self, arm: &str, seconds: &[f64]) {
        seconds.iter().zip(1..).for_each(|(s, round)| self.run(arm, round, *s, RunVerdict::Valid));
    }

    fn outcome(&self) -> Outcome {
        let plan = ExperimentPlan::of(&self.experiment, &RunSelection::default()).unwrap();
        evaluate(&self.experiment, &plan, &self.results, &mut Fifth)
    }
}

fn words(verdict: &Judged) -> String {
    format!("{}: {}", verdict.outcome, verdict.reason)
}

#[test]
fn medians_ratios_and_verdicts() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 21.0, 19.0]);
    folder.valid("fast", &[4.0, 4.2, 4.1]);
    let outcome = folder.outcome();
    assert!(!outcome.complete);
    let [slow, fast, quiet] = &outcome.arms[..] else { panic!() };
    let measured = fast.measured.unwrap();
    assert_eq!((measured.n, measured.median), (3, MetricValue::Time(Dur::from_secs_f64(4.1))));
    assert_eq!(fast.ratio.unwrap().best, 4.1 / 20.0);
    let predicted = fast.predicted.as_ref().unwrap();
    assert_eq!(
        (predicted.n, predicted.best, predicted.change.as_str()),
        (3, MetricValue::Time(Dur::from_secs(4)), "baud=115200")
    );
    assert_eq!(
        (predicted.low, predicted.high),
        (MetricValue::Time(Dur::from_millis(3700)), MetricValue::Time(Dur::from_millis(4300)))
    );
    assert_eq!(words(fast.verdict.as_ref().unwrap()), "held: the predicted and the measured interval overlap");
    assert!(slow.predicted.is_none() && slow.verdict.is_none() && slow.ratio.is_none());
    assert!(quiet.measured.is_none());
    let claims: Vec<String> = outcome.claims.iter().map(|c| words(&c.verdict)).collect();
    assert_eq!(
        claims,
        [
            "held: the whole interval is within the claim",
            "refuted: the whole interval is beyond 1",
            "inconclusive: not measured"
        ]
    );
}

#[test]
fn a_silent_arm_is_foretold_from_the_start() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 20.0, 20.0]);
    // 2 s to the first byte, 1 s later by the change, a fifth of 20 s.
    folder.valid("quiet", &[5.0, 5.1, 5.2]);
    let outcome = folder.outcome();
    let quiet = &outcome.arms[2];
    assert_eq!(quiet.predicted.as_ref().unwrap().best, MetricValue::Time(Dur::from_secs(7)));
    assert_eq!(quiet.measured.unwrap().median, MetricValue::Time(Dur::from_secs_f64(7.1)));
    // What is counted from the first byte has no ratio to what is counted from the start; the claim has its own metric.
    assert!(quiet.ratio.is_none());
    assert!((outcome.claims[2].ratio.unwrap().best - 7.1 / 22.0).abs() < 1e-9);
}

#[test]
fn what_can_not_be_believed_does_not_count() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 20.0, 20.0]);
    folder.valid("fast", &[4.0, 4.0]);
    folder.run("fast", 3, 400.0, RunVerdict::Invalid);
    fs::create_dir(folder.results.run_dir(&PlannedRun { arm: "fast".into(), round: 3 }).join("invalid-1")).unwrap();
    folder.run("fast", 4, 400.0, RunVerdict::Panicked { line: String::new() });
    let outcome = folder.outcome();
    let fast = &outcome.arms[1];
    assert_eq!((fast.measured.unwrap().n, fast.invalid, fast.runs.len()), (2, 2, 4));
    assert_eq!(words(fast.verdict.as_ref().unwrap()), "inconclusive: 2 valid runs of the 3 that it takes");
    assert!(fast.verdict.as_ref().unwrap().lacks_runs());
}

#[test]
fn the_lag_of_the_log_is_what_it_takes_behind_init() {
    let mut folder = Folder::new();
    folder.experiment.arms[0].metric = Metric::LogLag;
    folder.experiment.arms[1].metric = Metric::LogComplete;
    folder.valid("slow", &[20.0]);
    folder.valid("fast", &[5.0]);
    let medians: Vec<MetricValue> = folder.outcome().arms.iter().filter_map(|a| a.measured.map(|m| m.median)).collect();
    assert_eq!(medians, [3, 8].map(|s| MetricValue::Time(Dur::from_secs(s))));
}

#[test]
fn the_end_of_the_log_is_predicted_from_the_start_of_qemu_too() {
    let mut folder = Folder::new();
    folder.valid("slow", &[10.0, 10.0, 10.0]);
    folder.valid("fast", &[4.0, 4.0, 4.0]);
    let best = |folder: &Folder| folder.outcome().arms[1].predicted.as_ref().unwrap().best.as_f64().round();
    folder.experiment.arms[1].metric = Metric::SinceStart;
    let init = best(&folder);
    folder.experiment.arms[1].metric = Metric::LogSinceStart;
    assert_eq!(best(&folder) - init, 3e9);
}

#[test]
fn a_saving_is_what_the_arm_takes_less() {
    let mut folder = Folder::new();
    let saving = PublishedSaving { saves_s: 5.0, of: "slow".to_owned(), what: "a board".to_owned() };
    folder.experiment.arms[1].published_saving = Some(saving);
    folder.experiment.arms[1].metric = Metric::LogSinceStart;
    folder.valid("slow", &[10.0, 10.0, 10.0]);
    folder.valid("fast", &[4.0, 4.0, 4.0]);
    let outcome = folder.outcome();
    let saving = outcome.arms[1].saving.map(|saving| Dur::from_secs_f64(saving.best));
    assert_eq!(saving, Some(Dur::from_secs(6)), "by the arm's own metric, of both");
    assert_eq!(
        outcome.arms[1].measured.unwrap().median,
        MetricValue::Time(Dur::from_secs(9)),
        "the log ends 3 s after init starts"
    );
    let json = serde_json::to_value(&outcome.arms[1]).unwrap();
    assert_eq!((&json["published_saving"]["saves_s"], &json["published_saving"]["of"]), (&5.0.into(), &"slow".into()));
    assert_eq!(outcome.arms[0].saving, None);
}

#[test]
fn a_claim_without_another_arm_is_on_the_figure_itself() {
    let mut folder = Folder::new();
    folder.valid("slow", &[0.0005, 0.0004, 0.0006]);
    let [claim, ..] = &mut folder.experiment.claims[..] else { panic!() };
    (claim.to, claim.at_least, claim.at_most) = (Comparison::None, None, Some(0.001));
    let outcome = folder.outcome();
    let claim = &outcome.claims[0];
    assert_eq!(words(&claim.verdict), "held: the whole interval is within the claim");
    assert!(claim.ratio.is_none() && claim.medians.is_none());
    let figure = claim.figure.unwrap();
    assert!((figure.best - 0.0005).abs() < 1e-12 && (figure.high - 0.0006).abs() < 1e-12, "seconds: {figure:?}");
    let json = serde_json::to_value(claim).unwrap();
    assert!(json["of"].is_null() && json["figure"]["best"].is_number());
    assert!(serde_json::to_value(&outcome.claims[1]).unwrap().get("figure").is_none());
}

#[test]
fn a_claim_may_be_on_a_difference() {
    let mut folder = Folder::new();
    folder.valid("slow", &[3.0, 3.1, 2.9]);
    folder.valid("fast", &[1.0, 1.1, 0.9]);
    let [claim, ..] = &mut folder.experiment.claims[..] else { panic!() };
    let (arm, than) = ("slow".to_owned(), "fast".to_owned());
    (claim.arm, claim.to, claim.at_least, claim.at_most) =
        (arm, Comparison::DifferenceFrom(than), Some(1.5), Some(1.9));
    let outcome = folder.outcome();
    let claim = &outcome.claims[0];
    assert!((claim.difference.unwrap().best - 2.0).abs() < 1e-9, "{:?}", claim.difference);
    assert_eq!(claim.medians, Some([3.0, 1.0]));
    assert!(claim.figure.is_none() && claim.ratio.is_none());
    assert_eq!(claim.verdict.outcome, VerdictKind::Inconclusive, "1.8 to 2.2 spans the limit");
    let json = serde_json::to_value(claim).unwrap();
    assert_eq!((&json["of"], &json["than"]), (&serde_json::Value::Null, &"fast".into()));
}

#[test]
fn what_comes_behind_init_is_measured_from_the_start() {
    let mut folder = Folder::new();
    folder.experiment.arms[0].metric = Metric::ModulesLoaded;
    folder.experiment.arms[1].metric = Metric::UserSpace;
    folder.experiment.arms[2].metric = Metric::LineUse;
    for (arm, loaded, reported, ratio) in
        [("slow", 5.0, 9.0, None), ("fast", 6.0, 8.0, None), ("quiet", 0.0, 0.0, Some(0.98))]
    {
        folder.run(arm, 1, 1.0, RunVerdict::Valid);
        let path = folder.results.run_dir(&PlannedRun { arm: arm.into(), round: 1 }).join("truth.json");
        let mut truth: Truth = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let at = |s: f64| Some(HostTime::ORIGIN + Dur::from_secs_f64(s));
        (truth.loaded_ns, truth.reported_ns, truth.fidelity.flush_rate_ratio) = (at(loaded), at(reported), ratio);
        fs::write(&path, serde_json::to_string(&truth).unwrap()).unwrap();
    }
    let medians: Vec<MetricValue> = folder.outcome().arms.iter().filter_map(|a| a.measured.map(|m| m.median)).collect();
    let expected =
        [MetricValue::Time(Dur::from_secs(5)), MetricValue::Time(Dur::from_secs(8)), MetricValue::Number(0.98)];
    assert_eq!(medians, expected);
}

#[test]
fn a_run_that_can_not_be_read_hides_no_other() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 21.0, 22.0]);
    fs::write(folder.results.run_dir(&PlannedRun { arm: "slow".into(), round: 2 }).join("truth.json"), "{").unwrap();
    assert_eq!(folder.outcome().arms[0].measured.map(|m| m.n), Some(2));
}

#[test]
fn the_speed_of_the_host_is_that_of_all_runs() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 21.0]);
    folder.valid("fast", &[4.0]);
    assert_eq!(folder.outcome().host_loop_ns, None);
    for (arm, round, ms) in [("slow", 2, [6, 9]), ("fast", 1, [5, 8])] {
        let file = folder.results.run_dir(&PlannedRun { arm: arm.to_owned(), round }).join("truth.json");
        let mut truth: Truth = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        truth.host.loop_ns = ms.map(Dur::from_millis).to_vec();
        fs::write(file, serde_json::to_string(&truth).unwrap()).unwrap();
    }
    assert_eq!(folder.outcome().host_loop_ns, Some([Dur::from_millis(5), Dur::from_millis(9)]));
}

#[test]
fn two_groups_are_flagged() {
    let folder = Folder::new();
    folder.valid("slow", &[20.0, 13.1, 20.1, 13.0, 20.05, 13.05]);
    let groups = folder.outcome().arms[0].groups.unwrap();
    assert_eq!((groups.lower, groups.upper, groups.above), (3, 3, MetricValue::Time(Dur::from_secs(20))));
}

/// Busybox to its hand-off, debian-minimal to its application, and an arm of the lab's own initramfs.
const SYSTEMS: &str = "name = \"x\"\nabout = \"\"\nruns = 1\nbase = \"bb\"\n[defaults]\nkernel = \"6.12\"\n\
    [[arm]]\nname = \"bb\"\nsystem = \"busybox\"\nmetric = \"handoff\"\n\
    [[arm]]\nname = \"deb\"\nsystem = \"debian-minimal\"\nstorage = \"emmc\"\n\
    [[arm]]\nname = \"lab\"\n\
    [[arm]]\nname = \"masked\"\nsystem = \"busybox\"\nappend = \"systemd.mask=a.service\"\n\
    [[claim]]\ntext = \"later\"\narm = \"deb\"\nof = \"bb\"\nmetric = \"multi-user\"\nat_least = 1.5\n";

#[test]
fn a_system_is_measured_from_power_on_and_predicted_from_another_of_its_kind() {
    let temp = tempfile::tempdir().unwrap();
    let experiment = Experiment::parse(Path::new("x.toml"), SYSTEMS).unwrap();
    let results = ResultsDir::begin(&temp.path().join("x"), &experiment, None, &ArmImages::default()).unwrap();
    let folder = Folder { _temp: temp, experiment, results };
    for (arm, slower) in [("bb", 1.0), ("deb", 2.0), ("lab", 1.0), ("masked", 0.5)] {
        folder.run(arm, 1, 1.0, RunVerdict::Valid);
        let path = folder.results.run_dir(&PlannedRun { arm: arm.into(), round: 1 }).join("truth.json");
        let mut truth: Truth = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let at = |s: f64| Some(HostTime::ORIGIN + Dur::from_secs_f64(1.0 + s * slower));
        truth.qemu_started_ns = HostTime::ORIGIN + Dur::from_secs(1);
        truth.system = (arm != "lab").then(|| SystemTruth {
            system: Some(System::Busybox),
            file_system: None,
            root_state: None,
            root_files: Vec::new(),
            root_without: Vec::new(),
            format: None,
            bus: None,
            absent: Default::default(),
            storage: None,
            limits: None,
            only_bytes_limited: false,
            storage_use: None,
            storage_rate_ratio: None,
            memory_total_kib: None,
            root_ns: None,
            handoff_ns: at(3.0),
            multi_user_ns: at(7.0),
            application_ns: at(4.0),
            picture_seen_ns: at(5.0),
            socket_answered_ns: at(6.0),
            clock_offset_ns: None,
            clock_spread_ns: None,
            marks: [("handoff", 2), ("app.start", 3), ("app.picture", 4), ("app.socket", 5), ("multi-user", 6)]
                .map(|(name, processor)| Mark {
                    name: name.to_owned(),
                    at_ns: at(2.0).unwrap(),
                    guest_ns: Dur::ZERO,
                    processor_ns: Some(Dur::from_secs(processor)),
                })
                .to_vec(),
            units: Vec::new(),
        });
        fs::write(&path, serde_json::to_string(&truth).unwrap()).unwrap();
    }
    let outcome = folder.outcome();
    let medians: Vec<MetricValue> = outcome.arms.iter().filter_map(|a| a.measured.map(|m| m.median)).collect();
    assert_eq!(medians[..2], [3, 8].map(|s| MetricValue::Time(Dur::from_secs(s))));
    assert_eq!(outcome.claims[0].ratio.map(|r| r.best), Some(2.0));
    let not_predicted: Vec<Option<&str>> = outcome.arms.iter().map(|a| a.not_predicted.as_deref()).collect();
    let why = Some("the system differs from arm `bb`");
    let init = Some("a whole system is not predicted from the lab's own init, nor the other way round");
    assert_eq!(not_predicted, [None, why, init, None]);
    let deb = serde_json::to_value(&outcome.arms[1]).unwrap();
    assert_eq!((&deb["system"], &deb["storage"]), (&"debian-minimal".into(), &"emmc".into()));
    assert_eq!(serde_json::to_value(&outcome.arms[2]).unwrap().get("system"), None);
    let mut from_handoff = folder.experiment.clone();
    from_handoff.arms[0].metric = Metric::ApplicationAfterHandoff;
    let plan = ExperimentPlan::of(&from_handoff, &RunSelection::default()).unwrap();
    let outcome = evaluate(&from_handoff, &plan, &folder.results, &mut Fifth);
    assert_eq!(outcome.arms[0].measured.unwrap().median, MetricValue::Time(Dur::from_secs(1)));
    // Masking the unit saves a second up to the application, and two up to multi-user.target.
    for (metric, seconds, predicted) in [
        (Metric::ApplicationStart, 2, 1),
        (Metric::PictureSeen, 5, 4),
        (Metric::SocketAnswered, 6, 5),
        (Metric::MultiUser, 7, 5),
    ] {
        let mut changed = folder.experiment.clone();
        (changed.arms[0].metric, changed.arms[3].metric) = (metric, metric);
        let plan = ExperimentPlan::of(&changed, &RunSelection::default()).unwrap();
        let outcome = evaluate(&changed, &plan, &folder.results, &mut Fifth);
        assert_eq!(outcome.arms[0].measured.unwrap().median, MetricValue::Time(Dur::from_secs(seconds)));
        let masked = outcome.arms[3].predicted.as_ref().unwrap();
        assert_eq!(
            (masked.change.as_str(), masked.best),
            ("mask=a.service", MetricValue::Time(Dur::from_secs(predicted)))
        );
    }
    let mut of_metric = |metric| {
        let mut experiment = folder.experiment.clone();
        experiment.arms[0].metric = metric;
        let plan = ExperimentPlan::of(&experiment, &RunSelection::default()).unwrap();
        evaluate(&experiment, &plan, &folder.results, &mut Fifth).arms[0].measured.unwrap().median
    };
    let used =
        [Metric::ProcessorToHandoff, Metric::ProcessorToApplication, Metric::ProcessorToMultiUser].map(&mut of_metric);
    assert_eq!(used, [2, 5, 6].map(|s| MetricValue::Time(Dur::from_secs(s))));
}

#[test]
fn more_runs_are_added_where_they_decide_something() {
    // The plans that are carried out: the number of runs, and the arms.
    let plans_of = |at_most| {
        let folder = Folder::new();
        let first = ExperimentPlan::of(&folder.experiment, &RunSelection::default()).unwrap();
        let mut plans = Vec::new();
        let mut carry_out = |plan: &ExperimentPlan| {
            for arm in &plan.arms {
                let seconds = |round| match (arm.as_str(), round) {
                    ("slow", _) => 3.0,
                    ("fast", 1) => 1.3,
                    ("fast", 2) => 1.7,
                    ("fast", _) => 1.45,
                    _ => 0.1,
                };
                let seconds: Vec<f64> = (1..=plan.runs_per_arm).map(seconds).collect();
                folder.valid(arm, &seconds);
            }
            plans.push((plan.runs_per_arm, plan.arms.join(" ")));
            Ok::<_, ()>(ExperimentEnd::Complete)
        };
        let mut so_far = |plan: &ExperimentPlan| evaluate(&folder.experiment, plan, &folder.results, &mut Fifth);
        assert_eq!(until_decided(&first, at_most, &mut carry_out, &mut so_far), Ok(ExperimentEnd::Complete));
        plans
    };
    let plan = |runs, arms: &str| (runs, arms.to_owned());
    let enough = plans_of(100);
    assert_eq!(enough[..3], [plan(3, "slow fast quiet"), plan(4, "slow fast"), plan(6, "slow fast")]);
    let last = enough.last().unwrap();
    assert!(last.0 < 100, "it was decided: {enough:?}");
    assert_eq!(plans_of(5), [plan(3, "slow fast quiet"), plan(4, "slow fast"), plan(5, "slow fast")]);
    assert_eq!(plans_of(0), [plan(3, "slow fast quiet")]);
}

#[test]
fn a_stopped_experiment_gets_no_more_runs() {
    let folder = Folder::new();
    let plan = ExperimentPlan::of(&folder.experiment, &RunSelection::default()).unwrap();
    let mut carry_out = |_: &ExperimentPlan| Ok::<_, ()>(ExperimentEnd::Stopped);
    let mut so_far = |_: &ExperimentPlan| panic!("nothing is to be decided");
    assert_eq!(until_decided(&plan, 100, &mut carry_out, &mut so_far), Ok(ExperimentEnd::Stopped));
}
