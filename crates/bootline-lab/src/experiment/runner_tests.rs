// SPDX-License-Identifier: MIT OR Apache-2.0
//! Experiments whose boots only seem to happen.
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::PathBuf;

use bootline_capture::units::HostTime;
use tempfile::TempDir;

use super::*;
use crate::boot::{Writes, set_aside};
use crate::experiment::{ArmKernel, ArmLoaderImage, ArmSystemImage, ResultsError, RunSelection, loaders};
use crate::storage::StoragePreset;
use bootline_images::arch::Arch;
use bootline_images::loaders::Loader;
use bootline_images::systems::System;

const FILE: &str = "name = \"x\"\nabout = \"\"\nruns = 3\nrandom_seed = 5\n[defaults]\nkernel = \"6.12\"\n\
                    [[arm]]\nname = \"a\"\nbaud = 9600\n[[arm]]\nname = \"b\"\nbaud = 115200\n";

struct Lab {
    folder: TempDir,
    experiment: Experiment,
    images: ArmImages,
    cancel: AtomicBool,
    /// The folders that boots went to, relative to the results'.
    booted: RefCell<Vec<String>>,
    told: RefCell<Vec<Told>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Told {
    done: usize,
    wanted: usize,
    invalid: u32,
    left: Option<Dur>,
}

/// What a boot does that only seems to happen.
enum Fate {
    Valid,
    /// This many attempts that can't be believed come first.
    AfterInvalid(u32),
    /// Every attempt.
    Invalid,
    Interrupted,
    /// The process is killed: half a run is left.
    Killed,
    DiskFull,
}

impl Lab {
    fn new() -> Lab {
        let image = |arm: &str| ArmKernel {
            named: "6.12".to_owned(),
            path: PathBuf::from("/nowhere"),
            arch: Arch::Amd64,
            release: None,
            built: None,
            substitute_for: None,
            sha256: format!("{arm}{arm}"),
            stock: None,
            modules: Vec::new(),
        };
        Lab {
            folder: tempfile::tempdir().unwrap(),
            experiment: Experiment::parse(Path::new("x.toml"), FILE).unwrap(),
            images: ArmImages {
                kernels: ["a", "b"].map(|arm| (arm.to_owned(), image(arm))).into(),
                ..ArmImages::default()
            },
            cancel: AtomicBool::new(false),
            booted: RefCell::default(),
            told: RefCell::default(),
        }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    fn begin(&self) -> Result<ResultsDir, ResultsError> {
        ResultsDir::begin(&self.dir(), &self.experiment, None, &self.images)
    }

    /// Runs what is left; `fate` is asked with the number of the boot, from 0.
    fn run(&self, mut fate: impl FnMut(usize) -> Fate) -> Result<ExperimentEnd, RunError> {
        let plan = ExperimentPlan::of(&self.experiment, &RunSelection::default()).unwrap();
        let results = self.begin().unwrap();
        let mut n = 0;
        let mut boot = |request: &BootRequest, attempts: u32, watch: &mut dyn FnMut(&BootProgress<'_>)| {
            let fate = fate(n);
            n += 1;
            let dir = request.dir.strip_prefix(self.dir()).unwrap().display().to_string();
            self.booted.borrow_mut().push(dir);
            watch(&BootProgress {
                elapsed: Dur::ZERO,
                phase: crate::boot::BootPhase::Booting,
                bytes: 0,
                last_line: "",
            });
            self.boot(&request.dir, attempts, &fate)
        };
        let mut tell = |s: &ExperimentStatus<'_>| {
            self.told.borrow_mut().push(Told { done: s.done, wanted: s.wanted, invalid: s.invalid, left: s.left })
        };
        carry_out(&self.experiment, &plan, &self.images, &results, &self.cancel, &mut boot, &mut tell)
    }

    fn boot(&self, dir: &Path, attempts: u32, fate: &Fate) -> Result<BootOutcome, BootError> {
        fs::create_dir_all(dir).unwrap();
        assert!(!dir.join("boot.cap").exists(), "{} holds a run", dir.display());
        let mut truth: Truth =
            serde_json::from_str(include_str!("../../../../corpus/x86-6.12-2400/truth.json")).unwrap();
        let mut discarded = Vec::new();
        fs::write(dir.join("boot.cap"), "").unwrap();
        let invalid = match fate {
            Fate::AfterInvalid(n) => *n,
            Fate::Invalid => attempts - 1,
            _ => 0,
        };
        assert!(invalid < attempts);
        for _ in 0..invalid {
            discarded.push(set_aside(dir, "invalid").unwrap());
            fs::write(dir.join("boot.cap"), "").unwrap();
        }
        truth.verdict = match fate {
            Fate::Killed => panic!("killed"),
            Fate::DiskFull => {
                let source = io::Error::from(io::ErrorKind::StorageFull);
                return Err(BootError::Write { path: dir.join("boot.cap"), source });
            }
            Fate::Interrupted => {
                self.cancel.store(true, Ordering::SeqCst);
                RunVerdict::Interrupted
            }
            Fate::Invalid => RunVerdict::Invalid,
            Fate::Valid | Fate::AfterInvalid(_) => RunVerdict::Valid,
        };
        truth.qemu_started_ns = HostTime::ORIGIN;
        fs::write(dir.join("truth.json"), serde_json::to_string(&truth).unwrap()).unwrap();
        Ok(BootOutcome { dir: dir.to_owned(), capture: None, truth, discarded })
    }

    fn booted(&self) -> Vec<String> {
        self.booted.borrow().clone()
    }

    fn finished(&self) -> usize {
        let runs = fs::read_dir(self.dir().join("runs")).unwrap();
        runs.filter(|r| ResultsDir::finished(&r.as_ref().unwrap().path()).is_some()).count()
    }
}

fn sorted(mut of: Vec<String>) -> Vec<String> {
    of.sort();
    of
}

const ALL: [&str; 6] = ["runs/a-01", "runs/a-02", "runs/a-03", "runs/b-01", "runs/b-02", "runs/b-03"];

#[test]
fn each_run_once_after_the_warm_up_and_never_again() {
    let lab = Lab::new();
    assert_eq!(lab.run(|_| Fate::Valid).unwrap(), ExperimentEnd::Complete);
    let booted = lab.booted();
    assert_eq!(booted[0], "warm-up/01");
    assert_eq!(sorted(booted[1..].to_vec()), ALL);
    // Rounds: the first two are the first of both arms.
    assert_eq!(sorted(booted[1..3].to_vec()), ["runs/a-01", "runs/b-01"]);
    assert_eq!(lab.run(|_| Fate::Valid).unwrap(), ExperimentEnd::Complete);
    assert_eq!(lab.booted().len(), 7);
}

#[test]
fn a_stop_anywhere_loses_nothing() {
    for stop in 0..7 {
        for killed in [false, true] {
            let lab = Lab::new();
            let fate = |n| match (n == stop, killed) {
                (true, true) => Fate::Killed,
                (true, false) => Fate::Interrupted,
                _ => Fate::Valid,
            };
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lab.run(fate)));
            assert_eq!(ended.ok().map(Result::unwrap), (!killed).then_some(ExperimentEnd::Stopped), "at {stop}");
            lab.cancel.store(false, Ordering::SeqCst);
            assert_eq!(lab.run(|_| Fate::Valid).unwrap(), ExperimentEnd::Complete);
            let booted = lab.booted();
            // All of them, and the one that was stopped once more.
            assert_eq!(booted.len(), 8, "at {stop}: {booted:?}");
            assert_eq!(booted[stop], booted[stop + 1]);
            assert_eq!(lab.finished(), 6);
            assert!(lab.dir().join(&booted[stop]).join("unfinished-1/boot.cap").exists());
        }
    }
}

#[test]
fn invalid_runs_are_counted_and_kept() {
    let lab = Lab::new();
    let fate = |n| match n {
        2 => Fate::AfterInvalid(2),
        4 => Fate::Invalid,
        _ => Fate::Valid,
    };
    assert_eq!(lab.run(fate).unwrap(), ExperimentEnd::Complete);
    assert_eq!(lab.told.borrow().last().map(|t| t.invalid), Some(5));
    let repeated = ALL.map(|run| ResultsDir::repeated(&lab.dir().join(run)));
    assert_eq!(repeated.iter().sum::<u32>(), 4);
    // A run that stayed invalid has had its attempts.
    lab.run(|_| unreachable!("nothing is left")).unwrap();
}

#[test]
fn attempts_before_an_interruption_count() {
    let lab = Lab::new();
    let stop = |n| if n == 1 { Fate::Killed } else { Fate::Valid };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lab.run(stop))).unwrap_err();
    let dir = lab.dir().join(&lab.booted()[1]);
    for _ in 0..2 {
        set_aside(&dir, "invalid").unwrap();
    }
    // With two of three attempts gone, a run that is never valid is tried once.
    lab.run(|n| if n == 0 { Fate::Invalid } else { Fate::Valid }).unwrap();
    assert_eq!(ResultsDir::repeated(&dir), 2);
    assert_eq!(ResultsDir::finished(&dir).unwrap().verdict, RunVerdict::Invalid);
}

#[test]
fn a_full_disk_is_named_and_what_was_finished_is_kept() {
    let lab = Lab::new();
    let error = lab.run(|n| if n == 3 { Fate::DiskFull } else { Fate::Valid }).unwrap_err();
    assert!(matches!(&error.source, BootError::Write { source, .. } if source.kind() == io::ErrorKind::StorageFull));
    assert_eq!(lab.finished(), 2);
    assert_eq!(lab.run(|_| Fate::Valid).unwrap(), ExperimentEnd::Complete);
    assert_eq!((lab.finished(), lab.booted().len()), (6, 8));
}

#[test]
fn the_time_left_is_known_from_the_first_run_on() {
    let lab = Lab::new();
    lab.run(|_| Fate::Valid).unwrap();
    let told = lab.told.borrow();
    assert_eq!(told[0], Told { done: 0, wanted: 6, invalid: 0, left: None });
    assert!(told[1..].iter().all(|t| t.wanted == 6));
    assert!(told.last().unwrap().left.is_some());
    assert_eq!(told.last().unwrap().done, 5);
    let mut pace = RunDurations::default();
    let runs = ["a", "b", "a"].map(|arm| PlannedRun { arm: arm.to_owned(), round: 1 });
    let todo: Vec<&PlannedRun> = runs.iter().collect();
    assert_eq!(pace.left(&todo, None, Dur::ZERO), None);
    pace.took("a", Dur::from_secs(10));
    pace.took("a", Dur::from_secs(20));
    assert_eq!(pace.left(&todo, None, Dur::from_secs(5)), Some(Dur::from_secs(40)));
    pace.took("b", Dur::from_secs(100));
    assert_eq!(pace.left(&todo, Some("b"), Dur::from_secs(500)), Some(Dur::from_secs(130)));
}

#[test]
fn a_folder_takes_one_experiment_one_order_and_one_kernel() {
    let mut lab = Lab::new();
    let held = lab.begin().unwrap();
    assert_eq!(held.state().random_seed, 5);
    assert!(matches!(lab.begin(), Err(ResultsError::InUse { .. })));
    // Else its next run would land among those of whoever started over.
    assert!(matches!(ResultsDir::set_aside(&lab.dir()), Err(ResultsError::InUse { .. })));
    drop(held);
    let other_seed = ResultsDir::begin(&lab.dir(), &lab.experiment, Some(6), &lab.images);
    assert!(matches!(other_seed, Err(ResultsError::OtherSeed { recorded: 5, wanted: 6, .. })));
    lab.images.kernels.get_mut("a").unwrap().sha256 = "c".to_owned();
    assert!(matches!(lab.begin(), Err(ResultsError::OtherKernel { arm, .. }) if arm == "a"));
    lab.images.kernels.get_mut("a").unwrap().sha256 = "aa".to_owned();
    lab.begin().unwrap();
    let system = |file_system: &str| ArmSystemImage {
        system: Some(System::Busybox),
        state: None,
        release: None,
        own: None,
        path: "/i".into(),
        initramfs: "/r".into(),
        file_system: file_system.to_owned(),
    };
    lab.images.systems.insert("a".to_owned(), system("1"));
    lab.begin().unwrap();
    lab.images.systems.insert("a".to_owned(), system("2"));
    let error = lab.begin().unwrap_err();
    let said = "arm `a` was booted with busybox (file system 1), but would now boot busybox (file system 2)";
    assert_eq!(error.to_string(), said);
    assert!(error.hint().is_some());
    lab.images.systems.insert("a".to_owned(), system("1"));
    lab.experiment = Experiment::parse(Path::new("x.toml"), &FILE.replace("9600", "4800")).unwrap();
    let changed = lab.begin().unwrap_err();
    assert!(
        matches!(&changed, ResultsError::Changed { line: Some((9, text)), .. } if text == "baud = 4800"),
        "{changed:?}"
    );
    let aside = ResultsDir::set_aside(&lab.dir()).unwrap().unwrap();
    assert!(aside.ends_with("results.1") && aside.join("state.json").exists());
    lab.begin().unwrap();
}

#[test]
fn a_folder_with_something_else_in_it_is_left_alone() {
    let lab = Lab::new();
    fs::create_dir(lab.dir()).unwrap();
    fs::write(lab.dir().join("thesis.tex"), "").unwrap();
    assert!(matches!(lab.begin(), Err(ResultsError::NotResults { .. })));
    assert_eq!(fs::read_dir(lab.dir()).unwrap().count(), 1);
    assert!(matches!(ResultsDir::open(&lab.dir(), &lab.experiment), Err(ResultsError::None { .. })));
    assert!(matches!(ResultsDir::set_aside(&lab.dir()), Err(ResultsError::NotResults { .. })));
    // Whatever the folder names first.
    ["lock", "experiment.toml"].iter().for_each(|name| fs::write(lab.dir().join(name), "mine").unwrap());
    assert!(matches!(lab.begin(), Err(ResultsError::NotResults { .. })));
    assert_eq!(fs::read_to_string(lab.dir().join("experiment.toml")).unwrap(), "mine");
    // Only begun: the power went before there was anything but the first file.
    fs::remove_file(lab.dir().join("thesis.tex")).unwrap();
    fs::write(lab.dir().join("experiment.toml"), "").unwrap();
    lab.begin().unwrap();
}

#[test]
fn no_arm_has_huge_pages_where_a_module_times_one() {
    let mut lab = Lab::new();
    let mut without = |file: &str| {
        lab.experiment = Experiment::parse(Path::new("x.toml"), file).unwrap();
        let request = |arm| request(&lab.experiment, arm, &lab.images, Path::new("/d"));
        lab.experiment.arms.iter().map(|arm| request(arm).no_huge_pages).collect::<Vec<_>>()
    };
    assert_eq!(without(FILE), [false, false]);
    let timed = FILE.replace("baud = 9600", "metric = \"irqs-off\"\nmodules = [\"./holdoff_meter.ko\"]");
    assert_eq!(without(&timed), [true, true]);
    let claimed = FILE.replace("baud = 9600", "modules = [\"./holdoff_meter.ko\"]")
        + "[[claim]]\ntext = \"\"\narm = \"a\"\nmetric = \"irqs-off\"\nat_most = 1\n";
    assert_eq!(without(&claimed), [true, true]);
}

#[test]
fn an_arm_with_a_system_boots_its_image_on_its_storage() {
    let mut lab = Lab::new();
    let image = ArmSystemImage {
        system: Some(System::DebianSystemd),
        state: None,
        release: None,
        own: None,
        path: "/i".into(),
        initramfs: "/r".into(),
        file_system: String::new(),
    };
    lab.images.systems.insert("a".to_owned(), image);
    let file =
        FILE.replace("baud = 9600", "system = \"debian-systemd\"\nstorage = \"nand\"\nappend = \"systemd.mask=x\"");
    lab.experiment = Experiment::parse(Path::new("x.toml"), &file).unwrap();
    let [a, b] = &lab.experiment.arms[..] else { panic!() };
    let booted = request(&lab.experiment, a, &lab.images, Path::new("/d"));
    let system = booted.system.unwrap();
    assert_eq!(
        (system.root.system(), system.storage, system.writes),
        (Some(System::DebianSystemd), Some(StoragePreset::Nand), Writes::Discarded)
    );
    assert_eq!((system.image, system.initramfs), ("/i".into(), "/r".into()));
    assert_eq!((booted.append.as_str(), booted.no_huge_pages), ("systemd.mask=x", false));
    assert_eq!(request(&lab.experiment, b, &lab.images, Path::new("/d")).system, None);
    // What warms up the host is the lab's small initramfs, not the large system.
    lab.run(|_| Fate::Valid).unwrap();
    let plan = ExperimentPlan::of(&lab.experiment, &RunSelection::default()).unwrap();
    assert_eq!(quickest(&lab.experiment, &plan), Some("b"));
}

#[test]
fn an_arm_with_a_loader_boots_by_it() {
    let mut lab = Lab::new();
    let loader = |sha256: &str| ArmLoaderImage {
        loader: Loader::UBoot,
        version: "2025.01-3".to_owned(),
        firmware: None,
        path: "/u-boot/u-boot.bin".into(),
        sha256: sha256.repeat(12),
    };
    lab.images.loaders.insert("a".to_owned(), loader("1"));
    let keys = "kernel = \"arm64:6.12\"\nloader = \"u-boot\"\nloader_delay = 0";
    let file = format!(
        "name = \"x\"\nabout = \"\"\n[[arm]]\nname = \"a\"\n{keys}\n[[arm]]\nname = \"b\"\nkernel = \"6.12\"\n"
    );
    lab.experiment = Experiment::parse(Path::new("x.toml"), &file).unwrap();
    let booted = |arm: usize| request(&lab.experiment, &lab.experiment.arms[arm], &lab.images, Path::new("/d")).loader;
    let loaded = booted(0).unwrap();
    assert_eq!((loaded.setup.delay, loaded.folder, booted(1)), (Some(0), "/u-boot".into(), None));
    let plan = ExperimentPlan::of(&lab.experiment, &RunSelection::default()).unwrap();
    let found = loaders(&lab.experiment, &plan, &mut |arm, _| Ok::<_, ()>(loader(arm))).unwrap();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a"]);
    lab.begin().unwrap();
    lab.images.loaders.insert("a".to_owned(), loader("2"));
    let said = "arm `a` was booted with u-boot 2025.01-3 (sha256 111111111111), but would now boot with u-boot 2025.01-3 (sha256 222222222222)";
    assert_eq!(lab.begin().unwrap_err().to_string(), said);
}
