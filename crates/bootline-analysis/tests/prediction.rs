// SPDX-License-Identifier: MIT OR Apache-2.0
//! Predictions from one boot of the corpus against other boots of it: the lab's truth, not the model's own word.
#![allow(clippy::disallowed_methods, reason = "the corpus is files")]
use std::path::{Path, PathBuf};

use bootline_analysis::predict::{Change, Prediction, PredictionError, baseline, predict, what_if};
use bootline_analysis::rules::{Finding, findings, findings_with_best_savings};
use bootline_boot::{Boot, BootOptions, BootRecords, ConsoleArg, join_levels};

fn file(case: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(case).join(name)
}

fn records(bytes: &[u8]) -> BootRecords {
    BootRecords::all(bytes).swap_remove(0)
}

fn read(case: &str, name: &str) -> BootRecords {
    let path = file(case, name);
    records(&std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// From the capture alone.
fn captured(case: &str) -> Boot {
    Boot::analyse(read(case, "boot.cap"), &BootOptions::default())
}

/// From the capture and the levels in the kernel's own log.
fn with_levels(case: &str) -> Boot {
    let mut boot = read(case, "boot.cap");
    join_levels(&mut boot, &read(case, "dmesg.kmsg").records).unwrap();
    Boot::analyse(boot, &BootOptions::default())
}

fn change(set: &str) -> Change {
    set.parse().unwrap()
}

fn truth(case: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(file(case, "truth.json")).unwrap()).unwrap()
}

fn s(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap() / 1e9
}

fn best(p: &Prediction) -> f64 {
    p.time_to_init.best().as_secs_f64()
}

#[test]
fn from_one_boot_to_another_speed_or_kernel() {
    // (from, change, the boot that was measured, by how much the prediction may miss it)
    let cases = [
        ("x86-6.1-9600", "baud=115200", "x86-6.1-115200", 0.08),
        ("x86-6.1-115200", "baud=9600", "x86-6.1-9600", 0.04),
        ("x86-6.12-2400", "baud=9600", "x86-6.12-9600", 0.03),
        ("x86-6.12-38400-initcall", "initcall_debug=0 loglevel=7 baud=9600", "x86-6.12-9600", 0.03),
        ("x86-6.18-rt-9600-initcall", "initcall_debug=0 loglevel=7", "x86-6.18-rt-9600", 0.05),
        ("x86-6.19-rt-9600-initcall", "kernel=6.18-rt", "x86-6.18-rt-9600-initcall", 0.03),
        ("x86-6.19-rt-9600", "kernel=6.18-rt", "x86-6.18-rt-9600", 0.03),
        // That boot was kept from running for 10.7 s in all: its own work looks larger than it is.
        ("x86-6.19-rt-9600", "cpus=1", "x86-6.19-rt-9600-1cpu", 0.17),
        ("x86-6.12-9600", "kernel=6.18-rt", "x86-6.18-rt-9600", 0.03),
        ("x86-7.2-9600", "baud=921600", "x86-7.2-921600", 0.08),
        ("x86-7.2-921600", "baud=9600", "x86-7.2-9600", 0.03),
        ("arm64-6.12-9600", "kernel=7.2", "arm64-7.2-9600", 0.03),
        ("arm64-7.2-9600", "kernel=6.18", "arm64-6.18-9600", 0.08),
        // A kthread prints with interrupts off.
        ("arm64-6.18-9600-2cpu", "baud=115200", "arm64-6.18-115200-2cpu", 0.15),
        ("arm64-6.18-115200-2cpu", "baud=9600", "arm64-6.18-9600-2cpu", 0.15),
    ];
    let mut missed = Vec::new();
    for (from, set, to, most) in cases {
        let p = predict(&with_levels(from), &change(set)).unwrap_or_else(|e| panic!("{from}: {e}"));
        let measured = s(&truth(to)["time_to_init_ns"]);
        let off = best(&p) / measured - 1.0;
        if off.abs() > most {
            missed.push(format!("{from} {set}: {:.2} s, measured {measured:.2} s: {:.1} %", best(&p), off * 100.0));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A small kernel's log has no record of the initcalls around printk_set_kthreads_ready: the driver's own initcall tells
/// on which side of it the console registers.
#[test]
fn a_kernel_whose_kthreads_are_ready_before_the_driver_flushes_nothing() {
    let flushed = Boot::analyse(
        records(
            format!(
                "[    0.000000] Linux version 7.2.13 (gcc) #1 SMP PREEMPT Mon\n\
                 [    0.000000] Kernel command line: console=ttyAMA0,9600\n\
                 [    0.000000] {}\n\
                 [    0.100000] smp: Brought up 1 node, 2 CPUs\n\
                 [    0.200000] printk: console [ttyAMA0] enabled\n\
                 [    5.700000] after it\n\
                 [    5.800000] Run /init as init process\n",
                "x".repeat(5_000)
            )
            .as_bytes(),
        ),
        &BootOptions::default(),
    );
    let with = |set| best(&predict(&flushed, &change(set)).unwrap());
    assert!(with("kernel=7.2.5") < 1.0, "{}", with("kernel=7.2.5"));
    assert!(with("kernel=7.2.14") > 5.0, "{}", with("kernel=7.2.14"));
}

/// What a kthread on another CPU takes is assumed, and said, whichever of the two boots has it.
#[test]
fn contention_is_an_assumption() {
    let two_cpus = captured("x86-7.2-rt-38400");
    let words = |set: &str| -> String {
        let p = predict(&two_cpus, &change(set)).unwrap();
        p.assumptions.iter().filter(|a| a.name == "printer-thread-contention").map(|a| a.text.as_str()).collect()
    };
    assert!(words("baud=9600").contains("the boot loses"), "{}", words("baud=9600"));
    assert!(words("kernel=6.12").contains("the captured boot lost"), "{}", words("kernel=6.12"));
    assert_eq!(words("kernel=6.12 cpus=1").matches("spins").count(), 0);
}

/// With interrupts off for whole records a boot on another CPU may lose nearly all of its speed.
#[test]
fn a_kthread_with_interrupts_off_may_cost_more() {
    let boot = captured("x86-7.2-rt-38400");
    let width = |set: &str| {
        let t = predict(&boot, &change(set)).unwrap().time_to_init;
        (t.high() - t.low()).as_secs_f64()
    };
    // The PL011's way of waiting, and 7.3's 8250's; PREEMPT_RT's port lock sleeps.
    assert!(width("kernel=7.3 baud=9600") > 1.5 * width("kernel=7.3-rt baud=9600"));
}

/// Another line costs a boot about as much, whichever boot that is seen from: what its own way of printing took is no work.
#[test]
fn records_that_a_boot_waits_for_are_counted_from_its_work() {
    for (case, set) in [
        ("arm64-6.18-9600-2cpu", ""),
        ("arm64-6.18-115200-2cpu", ""),
        ("arm64-6.18-9600", "cpus=2"),
        ("arm64-6.12-9600", "kernel=6.18 cpus=2"),
    ] {
        let boot = captured(case);
        let with = |baud| best(&predict(&boot, &change(&format!("{set} baud={baud}"))).unwrap());
        let costs = with(9_600) - with(115_200);
        assert!((1.2..3.2).contains(&costs), "{case}: {costs} s");
    }
}

/// A boot may be looked at until long after init: the kthread delays the kernel's part alone.
#[test]
fn a_later_end_changes_nothing_of_what_a_kthread_takes_from_the_kernel() {
    // The line is busy nearly until init, and free after it.
    let devices: String = (0..40)
        .map(|i| format!("[    {:.6}] device {i:02} is ready to be used by all others\n", 0.3 + 0.075 * f64::from(i)))
        .collect();
    let log = format!(
        "[    0.000000] Linux version 6.18.15 (gcc) #1 SMP PREEMPT Mon\n\
         [    0.000000] Machine model: linux,dummy-virt\n\
         [    0.000000] Kernel command line: console=ttyAMA0,9600\n\
         [    0.100000] smp: Brought up 1 node, 2 CPUs\n\
         [    0.200000] printk: console [ttyAMA0] enabled\n\
         {devices}\
         [    3.400000] Run /init as init process\n\
         [   30.000000] the application is ready\n"
    );
    let saved = |marker: Option<&str>| {
        let options = BootOptions { marker: marker.map(str::to_owned), ..BootOptions::default() };
        let boot = Boot::analyse(records(log.as_bytes()), &options);
        predict(&boot, &change("baud=115200")).unwrap().saved.best().as_secs_f64()
    };
    let (kernel, whole) = (saved(None), saved(Some("the application is ready")));
    assert!(kernel > 0.5 && (whole / kernel - 1.0).abs() < 0.1, "{kernel} s, {whole} s");
}

#[test]
fn a_silent_boot() {
    for case in ["x86-6.12-9600", "x86-6.18-rt-9600", "x86-6.18-rt-9600-initcall"] {
        let origin = std::fs::read_to_string(file(case, "origin.toml")).unwrap();
        let line = origin.lines().find_map(|l| l.strip_prefix("silent_ns = [")).unwrap().trim_end_matches(']');
        let mut silent: Vec<f64> = line.split(',').map(|n| n.parse::<f64>().unwrap() / 1e9).collect();
        silent.sort_by(f64::total_cmp);
        // Silent boots are timed from QEMU's start.
        let truth = truth(case);
        let before = s(&truth["first_byte_ns"]) - s(&truth["qemu_started_ns"]);
        let p = predict(&captured(case), &change("loglevel=0")).unwrap();
        let (low, high) = (p.time_to_init.low().as_secs_f64() + before, p.time_to_init.high().as_secs_f64() + before);
        assert!(low <= silent[2] && high >= silent[0], "{case}: {low:.2}..{high:.2} s, measured {silent:?}");
        assert_eq!(p.log_complete, None);
    }
}

#[test]
fn the_model_of_today_is_what_was_measured() {
    for case in
        ["x86-6.1-9600", "x86-6.12-2400", "x86-6.12-9600", "x86-6.18-rt-9600", "arm64-6.12-9600", "x86-7.2-9600"]
    {
        let boot = captured(case);
        let (today, modelled) = (best(&baseline(&boot).unwrap()), best(&predict(&boot, &Change::default()).unwrap()));
        assert!((modelled / today - 1.0).abs() < 0.01, "{case}: {modelled} s, measured {today} s");
    }
}

#[test]
fn ways_out_are_sorted_and_whole() {
    let mut cases = 0;
    for entry in std::fs::read_dir(file("", "")).unwrap() {
        let case = entry.unwrap().file_name().into_string().unwrap();
        if !file(&case, "boot.cap").exists() || case.contains("quiet") {
            continue;
        }
        cases += 1;
        let boot = captured(&case);
        let ways = what_if(&boot).unwrap_or_else(|e| panic!("{case}: {e}"));
        // At 115200 baud, with a kthread that prints, there is only a faster line and a silent console.
        let least = if case == "arm64-6.18-115200-2cpu" { 2 } else { 3 };
        assert!(ways.len() >= least, "{case}: {}", ways.len());
        assert!(ways.windows(2).all(|w| w[0].saved.best() >= w[1].saved.best()), "{case}");
        for way in &ways {
            assert!(!way.assumptions.is_empty() && !way.needs.is_empty(), "{case}: {}", way.title);
            assert!(way.time_to_init.best() > bootline_capture::units::Dur::ZERO, "{case}: {}", way.title);
        }
    }
    assert!(cases >= 12, "only {cases} boots in the corpus");
}

/// What a store keeps of findings.
fn kept(findings: Vec<Finding>) -> Vec<String> {
    let savings = |f: &Finding| f.remedies.iter().map(|r| r.saves.map(|s| s.best())).collect::<Vec<_>>();
    findings.iter().map(|f| format!("{:?} {} {:?} {:?}", f.rule, f.title, f.cost, savings(f))).collect()
}

#[test]
fn findings_with_best_savings_are_the_same_but_for_intervals() {
    let mut with_savings = 0;
    for entry in std::fs::read_dir(file("", "")).unwrap() {
        let case = entry.unwrap().file_name().into_string().unwrap();
        if !file(&case, "boot.cap").exists() {
            continue;
        }
        let boot = captured(&case);
        let all = findings(&boot);
        with_savings += usize::from(all.iter().flat_map(|f| &f.remedies).any(|r| r.saves.is_some()));
        assert_eq!(kept(all), kept(findings_with_best_savings(&boot)), "{case}");
    }
    assert!(with_savings >= 12, "only {with_savings} boots with savings in the corpus");
}

#[test]
fn what_the_log_lacks_is_refused_or_said() {
    assert_eq!(
        predict(&captured("x86-7.2-9600-quiet"), &change("loglevel=7")).unwrap_err(),
        PredictionError::NoConsole
    );
    let quiet = Boot::analyse(records(QUIET.as_bytes()), &BootOptions::default());
    assert_eq!(predict(&quiet, &change("loglevel=7")).unwrap_err(), PredictionError::NotPrinted { level: 4 });
    assert!(predict(&quiet, &change("loglevel=3")).is_ok());
    let known = with_levels("x86-7.2-9600-quiet");
    let p = predict(&known, &change("loglevel=7")).unwrap();
    let measured = s(&truth("x86-7.2-9600")["time_to_init_ns"]);
    assert!((best(&p) / measured - 1.0).abs() < 0.05, "{} s, measured {measured} s", best(&p));

    let plain = predict(&captured("x86-6.12-9600"), &change("quiet")).unwrap();
    let levels = |p: &Prediction| p.assumptions.iter().any(|a| a.name == "levels");
    let exact = predict(&with_levels("x86-6.12-9600"), &change("quiet")).unwrap();
    assert!(levels(&plain) && !levels(&exact));
    assert!(plain.time_to_init.high() > exact.time_to_init.high());

    let nothing = Boot::analyse(records(b"hello\nworld\n"), &BootOptions::default());
    assert!(baseline(&nothing).is_err());
    let cut =
        Boot::analyse(records(b"[    0.000000] Linux version 6.12.1\n[    1.000000] x\n"), &BootOptions::default());
    assert_eq!(baseline(&cut).unwrap_err(), PredictionError::NoEnd);
}

#[test]
fn a_way_of_printing_that_is_not_known_is_said() {
    for (version, said) in [("99.1.0", true), ("5.10.1", true), ("6.12.1", false)] {
        let log = QUIET.replace("6.12.1", version).replace("PREEMPT_DYNAMIC", "PREEMPT_RT").replace(" quiet", "");
        let p = predict(&Boot::analyse(records(log.as_bytes()), &BootOptions::default()), &change("quiet")).unwrap();
        assert_eq!(p.assumptions.iter().any(|a| a.name == "printing"), said, "{version}: {:?}", p.assumptions);
    }
    let refused = |set: &str| predict(&captured("x86-6.12-9600"), &change(set)).unwrap_err();
    assert_eq!(refused("kernel=5.10-rt"), PredictionError::UnknownKernel("5.10-rt".to_owned()));
    assert_eq!(refused("kernel=99.1"), PredictionError::UnknownKernel("99.1".to_owned()));
}

#[test]
fn what_overrules_a_level_has_to_go() {
    let boot = with_levels("x86-7.2-9600-quiet");
    let without_quiet = bootline_analysis::remedy::SystemChange::without("quiet");
    let needs = |set: &str| predict(&boot, &change(set)).unwrap().needs.contains(&without_quiet);
    assert!(needs("loglevel=7") && !needs("quiet"));
}

#[test]
fn no_way_out_leads_to_an_older_printer_thread() {
    let titles = |case| what_if(&captured(case)).unwrap().into_iter().map(|w| w.title).collect::<Vec<_>>().join("; ");
    assert!(titles("x86-6.12-9600").contains("6.19-rt"));
    let newer = titles("x86-7.2-9600");
    assert!(newer.contains("7.2-rt") && !newer.contains("6.19"), "{newer}");
}

#[test]
fn what_the_fuzzer_found_has_no_time_below_zero() {
    let bytes = include_bytes!("fuzzed/predict-below-zero.bin");
    let stated =
        BootOptions { console: Some(ConsoleArg::parse("ttyS0,9600n8")), cpus: Some(2), ..BootOptions::default() };
    let mut told = 0;
    for records in BootRecords::all(bytes) {
        for way in what_if(&Boot::analyse(records, &stated)).unwrap_or_default() {
            assert!(
                way.time_to_init.low() >= bootline_capture::units::Dur::ZERO,
                "{}: {:?}",
                way.title,
                way.time_to_init
            );
            told += 1;
        }
    }
    assert!(told > 0);
}

const QUIET: &str = "\
[    0.000000] Linux version 6.12.1 (gcc) #1 SMP PREEMPT_DYNAMIC
[    0.000000] Kernel command line: console=ttyS0,9600 quiet
[    0.500000] printk: legacy console [ttyS0] enabled
[    1.000000] mmc0: error -110 whilst initialising SD card
[    2.000000] Run /sbin/init as init process
";

/// The kthread of console_relay takes a CPU only where one is free if it spins, and none in bursts, as it prints to an 8250 of 6.1.
#[test]
fn a_relayed_console() {
    use bootline_console::ConsoleModule;
    let complete = |p: &Prediction| p.log_complete.unwrap().best();
    let of = |log: &str, set: &str| predict(&captured(log), &change(set)).unwrap();
    for (log, spins) in [("x86-6.1-9600", false), ("arm64-6.12-9600", true)] {
        let boot = captured(log);
        assert_eq!(bootline_analysis::predict::module_for(&boot), Some(ConsoleModule::ConsoleRelay));
        let today = best(&baseline(&boot).unwrap());
        let (replayed, built_in) = (of(log, "console=console_relay+replay"), of(log, "console=console_relay"));
        assert!(best(&replayed) < today / 2.0 && best(&replayed) <= best(&built_in), "{replayed:?} {built_in:?}");
        // arm64's console is registered late, and a driver's flush of what was logged before comes before the module.
        assert!(spins || best(&built_in) < today, "{built_in:?}");
        // The replay begins with `quiet`, and is not at its level.
        let quiet = of(log, "quiet console=console_relay+replay");
        assert_eq!((complete(&quiet), &quiet.needs), (complete(&replayed), &replayed.needs));
        assert_eq!(quiet.price, replayed.price);
        let two = of(log, "console=console_relay cpus=2");
        assert_eq!(complete(&two) < complete(&built_in), spins, "{two:?} {built_in:?}");
        for p in [&replayed, &built_in, &two] {
            assert!(p.assumptions.iter().all(|a| a.name != "module-refuses"), "{:?}", p.assumptions);
            assert!(complete(p) >= p.time_to_init.best(), "{p:?}");
        }
    }
    // The kernel of the change counts.
    let (one, two) = ("kernel=5.10 console=console_relay", "kernel=5.10 console=console_relay cpus=2");
    assert!(complete(&of("x86-6.1-9600", two)) < complete(&of("x86-6.1-9600", one)));
    let refused = of("x86-6.1-9600", "console=nbcon_8250+replay");
    assert!(refused.assumptions.iter().any(|a| a.name == "module-refuses" && a.text.contains("nbcon_8250")));
    // nbcon_8250's sleeps on any, also on one that the log does not name.
    let options =
        BootOptions { console: Some(ConsoleArg::parse("ttyS0,9600n8")), cpus: Some(1), ..BootOptions::default() };
    let records = BootRecords::all(QUIET.split_once('\n').unwrap().1.as_bytes()).remove(0);
    let unnamed = predict(&Boot::analyse(records, &options), &change("console=nbcon_8250")).unwrap();
    assert!(unnamed.assumptions.iter().all(|a| !a.text.contains("nice 19")), "{:?}", unnamed.assumptions);
    let spins = predict(&captured("arm64-6.12-9600"), &change("console=console_relay")).unwrap();
    assert!(spins.assumptions.iter().any(|a| a.text.contains("nice 19")), "{:?}", spins.assumptions);
    // A console that sleeps is preferred.
    assert_eq!(bootline_analysis::predict::module_for(&captured("x86-6.12-9600")), Some(ConsoleModule::Nbcon8250));
    assert_eq!(bootline_analysis::predict::module_for(&captured("arm64-7.2-9600")), None);
}
