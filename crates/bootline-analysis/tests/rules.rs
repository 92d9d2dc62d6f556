// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule has a folder `tests/rules/CODE_name` with a log that fires, one that nearly does, and what is to be found
//! in the first (`fires.expected`).
#![allow(clippy::disallowed_methods, reason = "the cases are files")]
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use bootline_analysis::rules::{Finding, RULES, Rule, RuleId, findings};
use bootline_boot::{AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent};
use bootline_capture::units::Dur;
use bootline_records::RecordOrigin;
use bootline_testkit::check_goldens;

#[test]
fn each_rule_finds_what_is_expected() {
    check_goldens(
        &root().join("tests/rules"),
        |name| [".log", ".units", ".app"].iter().any(|end| name.ends_with(end)),
        |goldens| {
            for rule in RULES {
                let log = folder(rule).join("fires.log");
                let found = render(rule, &findings(&read(&log)));
                assert!(found.starts_with(rule.id.code()), "{} finds nothing in {}:\n{found}", rule.id, log.display());
                goldens.check(&folder(rule), "fires.expected", &found);
            }
        },
    );
}

#[test]
fn no_rule_finds_what_is_nearly_there() {
    for rule in RULES {
        let log = folder(rule).join("nearly.log");
        let found = findings(&read(&log));
        assert!(found.iter().all(|f| !is_of(rule, f)), "{}:\n{}", log.display(), render(rule, &found));
    }
}

#[test]
fn each_folder_is_a_rules() {
    let rules: Vec<PathBuf> = RULES.iter().map(folder).collect();
    for entry in fs::read_dir(root().join("tests/rules")).unwrap() {
        let path = entry.unwrap().path();
        assert!(rules.contains(&path), "{} belongs to no rule", path.display());
    }
}

#[test]
fn codes_and_names_are_unique_and_findings_carry_them() {
    let mut codes: Vec<_> = RULES.iter().map(|r| r.id).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), RULES.len());
    for log in logs() {
        for f in findings(&read(&log)) {
            let of = RULES.iter().find(|r| is_of(r, &f));
            assert!(of.is_some(), "{}: {}", log.display(), f.rule);
            assert!(f.part_of.iter().all(|c| codes.contains(c)), "{}: {:?}", f.rule, f.part_of);
            assert!(!f.remedies.is_empty() && !f.why.is_empty(), "{}: {} says too little", log.display(), f.rule);
        }
    }
}

/// No remedy is empty: it changes something that can be stated, or says in words what to do; and a tool is told to make only
/// changes that are complete.
#[test]
fn each_remedy_changes_something_or_says_what_to_do() {
    for log in logs() {
        for (f, r) in findings(&read(&log)).iter().flat_map(|f| f.remedies.iter().map(move |r| (f, r))) {
            let setting = r.setting();
            assert!(!r.action.is_empty() && !r.price.is_empty(), "{}: {}: {r:?}", log.display(), f.rule);
            let hollow = |s: &String| s.trim().is_empty() || s.ends_with("without ") || s.ends_with('=');
            assert!(!setting.as_ref().is_some_and(hollow), "{}: {}: {r:?}", log.display(), f.rule);
            let open = setting.as_ref().is_none_or(|s| s.contains('<'));
            assert!(!(r.is_applicable() && open), "{}: {}: {r:?}", log.display(), f.rule);
            let hardest = r.changes.iter().map(|c| c.effort()).max();
            assert!(hardest.is_none_or(|h| h == r.effort), "{}: {}: {r:?}", log.display(), f.rule);
        }
    }
}

/// What adds up fits into the log: no millisecond is blamed twice.
#[test]
fn findings_that_are_part_of_no_other_fit_into_the_log() {
    for log in logs() {
        let boot = read(&log);
        let sum: Dur = findings(&boot).iter().filter(|f| f.part_of.is_empty()).map(|f| f.cost.best()).sum();
        let ends = (0..boot.records.len()).flat_map(|i| {
            let place = boot.timeline.place(i);
            [place.stored, place.transmitted.map(|p| p.end)]
        });
        // The axis begins with the kernel: what comes before it is below zero.
        let starts = (0..boot.records.len()).filter_map(|i| boot.timeline.place(i).stored);
        let whole = ends.flatten().max().unwrap_or_default() - starts.min().unwrap_or_default();
        assert!(sum <= whole + Dur::from_millis(2), "{}: {sum} s of {whole} s", log.display());
    }
}

#[test]
fn a_boot_without_faults_has_no_findings() {
    let log = "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP PREEMPT Mon\n[    0.000000] Kernel command line: quiet\n\
               [    0.090000] Run /init as init process\n";
    assert_eq!(findings(&analyse(log.as_bytes())), []);
    assert_eq!(findings(&analyse(b"")), []);
}

/// Whatever lines a log is shuffled from, no rule panics.
#[test]
fn shuffled_and_torn_logs_are_survived() {
    let lines: Vec<Vec<u8>> = logs()
        .iter()
        .flat_map(|l| fs::read(l).unwrap().split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect();
    let mut state = 1u64;
    let mut random = |n: usize| {
        // Knuth's MMIX generator: the same logs each time.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..150 {
        let mut log = Vec::new();
        for _ in 0..random(80) + 1 {
            let line = &lines[random(lines.len())];
            let cut = if random(8) == 0 { random(line.len() + 1) } else { line.len() };
            log.extend_from_slice(&line[..cut]);
            log.push(b'\n');
        }
        findings(&analyse(&log));
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn folder(rule: &Rule) -> PathBuf {
    root().join("tests/rules").join(format!("{}_{}", rule.id.code(), rule.id.name().replace('-', "_")))
}

fn logs() -> Vec<PathBuf> {
    RULES.iter().flat_map(|r| ["fires.log", "nearly.log"].map(|name| folder(r).join(name))).collect()
}

/// The boot of a log, with what `fires.units` next to `fires.log` says of its units, and the application that `fires.app` names.
fn read(log: &Path) -> Boot {
    let boot = analyse(&fs::read(log).unwrap_or_else(|e| panic!("{}: {e}", log.display())));
    let text = |extension: &str| fs::read_to_string(log.with_extension(extension)).ok();
    let units = text("units")
        .map(|units| BootSource::new("units", SourceContent::Facts(bootline_records::source::read(units.as_bytes()))));
    let app = text("app").map(|app| AppMarker::parse(app.trim()).unwrap());
    let boot = boot.with_sources(&Vec::from_iter(units), app.as_ref());
    assert!(boot.whole.sources.iter().all(|s| s.refused.is_none()), "{}: {:?}", log.display(), boot.whole.sources);
    boot
}

/// The first boot of a log.
fn analyse(bytes: &[u8]) -> Boot {
    let mut boots = BootRecords::all(bytes);
    let first = if boots.is_empty() { BootRecords::default() } else { boots.swap_remove(0) };
    assert!(first.records.iter().all(|r| r.source == RecordOrigin::Kernel || r.stamp.is_none()));
    Boot::analyse(first, &BootOptions::default())
}

fn is_of(rule: &Rule, f: &Finding) -> bool {
    f.rule == rule.id
}

/// The rule's own findings in full, the others' in a line each.
fn render(rule: &Rule, found: &[Finding]) -> String {
    let (own, others): (Vec<&Finding>, Vec<&Finding>) = found.iter().partition(|f| is_of(rule, f));
    let mut text: String = own.into_iter().map(render_one).collect();
    for f in others {
        writeln!(text, "also {}: {}", f.rule, f.title).unwrap();
    }
    text
}

fn render_one(f: &Finding) -> String {
    let mut text =
        format!("{}: {}\n  cost: {} ({} to {}) s", f.rule, f.title, f.cost.best(), f.cost.low(), f.cost.high());
    if !f.part_of.is_empty() {
        write!(text, ", part of {}", f.part_of.iter().map(|r| r.code()).collect::<Vec<_>>().join(", ")).unwrap();
    }
    writeln!(text, "\n  why: {}", f.why).unwrap();
    for e in &f.evidence {
        writeln!(text, "  record {}: {}", e.id, plain(&e.text)).unwrap();
    }
    for r in &f.remedies {
        let setting = r.setting().map_or(String::new(), |s| format!(": {s}"));
        let saves = r.saves.map_or(String::new(), |s| format!("saves {} s, {}..{} s; ", s.best(), s.low(), s.high()));
        let (effort, risk) = (r.effort.name(), r.risk.name());
        writeln!(text, "  {effort}: {}{setting} ({saves}price: {}; {risk} risk)", r.action, r.price).unwrap();
    }
    text
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Before 6.2, a console prints the log before it says that it is enabled; without a speed in the log nothing else shows it.
#[test]
fn a_gap_up_to_an_enabled_console_is_probably_its_flush() {
    let log = |release: &str| {
        format!(
            "[    0.000000] Linux version {release} (gcc) #1 SMP Mon\n[    0.100000] acme-uart: ready\n\
             [    3.100000] printk: console [ttyS2] enabled\n[    3.200000] Run /init as init process\n"
        )
    };
    let gap = |release: &str| {
        let found = findings(&analyse(log(release).as_bytes()));
        found.into_iter().find(|f| f.rule == RuleId::Log002).expect("3 s without a record")
    };
    let old = gap("5.10.7");
    assert!(old.title.contains("until a console was enabled"), "{}", old.title);
    assert!(old.remedies.iter().any(|r| r.action.contains("--console")), "{:?}", old.remedies);
    assert!(!gap("6.6.7").title.contains("until a console was enabled"));
}

/// Memory that is cleared when it is freed is a cause of its own, with a parameter against it.
#[test]
fn init_on_free_is_named_where_it_is_on() {
    let log = |free: &str| {
        format!(
            "[    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n\
             [    0.010000] mem auto-init: stack:off, heap alloc:on, heap free:{free}\n\
             [    0.900000] Memory: 16265412K/16647552K available (18432K kernel code)\n[    1.000000] Run /init as init process\n"
        )
    };
    let settings = |free: &str| -> Vec<String> {
        let found = findings(&analyse(log(free).as_bytes()));
        found
            .iter()
            .filter(|f| f.rule == RuleId::Ini003)
            .flat_map(|f| &f.remedies)
            .filter_map(|r| r.setting())
            .collect()
    };
    assert!(settings("on").contains(&"init_on_free=0".to_owned()));
    assert!(!settings("off").contains(&"init_on_free=0".to_owned()) && !settings("off").is_empty());
}

/// A job log's times are those at which a server read the lines: the kernel's own stamps bound what happened between them.
#[test]
fn what_arrives_late_has_not_taken_longer() {
    let log = |between: u32| {
        format!(
            "[0.000001 0.000001] [    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n\
             [0.100000 0.100000] [    0.100000] smp: Bringing up secondary CPUs ...\n\
             [1.400000 1.300000] [    {}.{:06}] smp: Brought up 1 node, 2 CPUs\n\
             [9.000000 7.600000] [    9.000000] Run /init as init process\n",
            between / 1_000_000,
            between % 1_000_000
        )
    };
    let fires = |between: u32| findings(&analyse(log(between).as_bytes())).iter().any(|f| f.rule == RuleId::Ini007);
    assert!(fires(1_400_000));
    assert!(!fires(147_000));
}

/// A stamp that goes back, of another CPU's clock, makes no gap longer.
#[test]
fn stamps_that_go_back_begin_no_gap() {
    let log = "[    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n[    0.000001] tsc: Detected 2000.000 MHz processor\n\
               [    2.052822] one\n[    0.838779] late\n[    2.165565] ata1: SATA link down (SStatus 0 SControl 300)\n[    2.200000] Run /init as init process\n";
    let found = findings(&analyse(log.as_bytes()));
    assert!(found.iter().all(|f| f.rule != RuleId::Drv007), "{found:?}");
    let longest = found.iter().filter(|f| f.rule == RuleId::Log002).map(|f| f.cost.best()).max();
    assert_eq!(longest, Some(Dur::from_nanos(2_052_821_000)));
}

/// UBI ignores its fastmap from 6.3 on, unless the parameter that attaches the flash says otherwise.
#[test]
fn a_fastmap_is_enabled_where_it_has_to_be() {
    let log =
        fs::read_to_string(folder(RULES.iter().find(|r| r.id == RuleId::Fs003).unwrap()).join("fires.log")).unwrap();
    let changes = |from: &str, to: &str| {
        let found = findings(&analyse(log.replace(from, to).as_bytes()));
        let attach = found.into_iter().find(|f| f.rule == RuleId::Fs003).expect("it took more than a second");
        attach.remedies[0].changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let fastmap = "CONFIG_MTD_UBI_FASTMAP=y ubi.fm_autoconvert=1";
    assert_eq!(changes("", ""), format!("{fastmap} without ubi.mtd=4 ubi.mtd=4,0,0,0,1"));
    assert_eq!(changes("6.12.40", "6.1.40"), fastmap);
    assert_eq!(changes("ubi.mtd=4", "ubi.mtd=4,0,0,0,1"), fastmap);
    assert_eq!(changes("ubi.mtd=4", "quiet"), format!("{fastmap} ubi.mtd=4,0,0,0,1"));
}

/// The wait for a carrier belongs to the kernel's network configuration, whose own messages come after it.
#[test]
fn a_link_that_comes_up_just_before_dhcp_was_waited_for() {
    let log = |up: u32| {
        format!(
            "[    0.000000] Linux version 4.12.7 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: ip=dhcp\n\
             [    0.700000] ata1: SATA link up 3.0 Gbps (SStatus 123 SControl 300)\n\
             [    1.000000] IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready\n\
             [    {up}.500000] acme-eth 4000.ethernet eth0: link up, 100Mbps, full-duplex\n\
             [    2.600000] Sending DHCP requests ., OK\n[    2.650000] IP-Config: Complete:\n[    2.700000] Run /init as init process\n"
        )
    };
    let network = |up: u32| {
        let found = findings(&analyse(log(up).as_bytes()));
        let network = found.into_iter().find(|f| f.rule == RuleId::Net001).expect("0.05 s at least");
        (network.cost.low(), network.cost.best(), network.title)
    };
    let (low, best, title) = network(2);
    assert_eq!((low, best), (Dur::from_millis(1_650), Dur::from_millis(1_650)));
    assert!(title.ends_with("waiting for a carrier"), "{title}");
    // It was up long before: what followed was something else.
    assert_eq!(network(1).0, Dur::from_millis(50));
}

/// 5.5 MiB in 20 s: no processor at its own clock is that slow.
#[test]
fn an_initramfs_that_is_unpacked_at_a_crawl_shows_a_slow_processor() {
    let slow = |end: u32| {
        let log = format!(
            "[    0.000000] Linux version 5.3.7 (gcc) #1 SMP Mon\n[    1.000000] Trying to unpack rootfs image as initramfs...\n\
             [   {end}.000000] Freeing initrd memory: 5588K\n[   {end}.100000] Run /init as init process\n"
        );
        let found = findings(&analyse(log.as_bytes()));
        let found = found.into_iter().find(|f| f.rule == RuleId::Ini004).expect("1 s or more");
        (found.why.contains("MiB/s"), found.remedies.iter().any(|r| r.action.contains("processor's clock")))
    };
    assert_eq!(slow(21), (true, true));
    assert_eq!(slow(3), (false, false));
}

/// Under FIPS each self-test says that it passed, and the kernel's own crypto waits for entropy.
#[test]
fn what_fips_costs_is_named() {
    let found = |parameter: &str| {
        let log = format!(
            "[    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: {parameter}\n\
             [    0.100000] acme-gpio: ready\n[    0.500000] alg: self-tests for sha256-generic (sha256) passed\n\
             [    0.900000] alg: self-tests for rsa-generic (rsa) passed\n[    1.000000] acme-uart: ready\n\
             [   31.000000] random: crng init done\n[   31.001000] acme-codec: ready\n[   31.100000] Run /init as init process\n"
        );
        let found = findings(&analyse(log.as_bytes()));
        let cost = |rule| found.iter().find(|f| f.rule == rule).map(|f| f.cost.best());
        (cost(RuleId::Ini002), cost(RuleId::Usr002))
    };
    assert_eq!(found("fips=1"), (Some(Dur::from_millis(800)), Some(Dur::from_secs(30))));
    // An interrupt that ends a wait completes the generator too.
    assert_eq!(found("quiet").1, None);
}

/// usb-storage waits a second before it looks at a disk.
#[test]
fn a_root_on_usb_waits_for_usb_storage() {
    let log = |scanned: u32| {
        format!(
            "[    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: root=/dev/sda2 rootwait\n\
             [    1.000000] Waiting for root device /dev/sda2...\n[    1.100000] usb-storage 1-1.3:1.0: USB Mass Storage device detected\n\
             [    1.100100] scsi host0: usb-storage 1-1.3:1.0\n[    {scanned}.150000] scsi 0:0:0:0: Direct-Access     ACME Stick\n\
             [    3.300000] EXT4-fs (sda2): mounted filesystem\n[    3.400000] Run /init as init process\n"
        )
    };
    let wait = |scanned: u32| {
        let found = findings(&analyse(log(scanned).as_bytes()));
        let found = found.into_iter().find(|f| f.rule == RuleId::Fs001).expect("2.3 s");
        let settings: Vec<String> = found.remedies.iter().filter_map(|r| r.setting()).collect();
        (found.title, settings.contains(&"usb-storage.delay_use=0".to_owned()))
    };
    assert_eq!(wait(2), ("the boot waited 2.300 s for the root device on a USB disk".to_owned(), true));
    assert!(!wait(1).1);
}

/// Stamps that jump ahead and back, as in two logs that were joined: no gap is a share above 100 % of the boot.
#[test]
fn no_share_is_above_the_whole() {
    let log = "[    0.000000] Linux version 6.6.7 (gcc) #1 SMP Mon\n[    0.100000] one\n[  900.000000] two\n[    0.200000] three\n\
               [    0.300000] Run /init as init process\n";
    for f in findings(&analyse(log.as_bytes())) {
        let shares = f.title.split(' ').zip(f.title.split(' ').skip(1)).filter(|(_, unit)| unit.starts_with('%'));
        let shares: Vec<f64> = shares.filter_map(|(share, _)| share.parse().ok()).collect();
        assert!(shares.iter().all(|share| *share <= 100.0), "{}", f.title);
    }
}

/// A boot loader at another speed than the kernel: the remedy is on the side of the slower one, and its output is part of the boot.
#[test]
fn a_boot_loader_and_a_kernel_at_different_speeds() {
    let found = |loader: f64, kernel: f64| {
        let (mut log, mut now) = (String::new(), 0.0);
        let mut put = |text: &str, baud: f64| {
            let ms = (now * 1000.0) as u64;
            writeln!(log, "[2026-05-06 10:11:{:02}.{:03}] {text}", ms / 1000, ms % 1000).unwrap();
            now += (text.len() + 2) as f64 * 10.0 / baud;
        };
        for i in 0..80 {
            put(&format!("acme loader: item {i} of 80 {}", "is checked, ".repeat(1 + i % 3)), loader);
        }
        put("[    0.000000] Linux version 6.12.40 (gcc) #1 SMP Mon", kernel);
        put("[    0.000000] printk: legacy console [ttyS0] enabled", kernel);
        for i in 0..80 {
            put(&format!("[    0.{i:06}] acme {i}: {}", "is ready, ".repeat(1 + i % 4)), kernel);
        }
        put("[    9.000000] Run /sbin/init as init process", kernel);
        let found = findings(&analyse(log.as_bytes())).into_iter().find(|f| f.rule == RuleId::Con009);
        let found = found.expect("3 s or more");
        let (setting, action) = (found.remedies[0].setting(), found.remedies[0].action.clone());
        (found.cost.best().as_secs_f64(), setting, action)
    };
    let (cost, setting, action) = found(9_600.0, 115_200.0);
    assert!(
        (3.5..5.0).contains(&cost) && setting.is_none() && action.contains("setenv baudrate 115200"),
        "{cost} {action}"
    );
    let (cost, setting, _) = found(115_200.0, 9_600.0);
    assert!((3.5..5.0).contains(&cost), "{cost}");
    assert_eq!(setting.as_deref(), Some("console=ttyS0,115200n8"));
}

/// A boot console and the real one on one line: a capture holds each record twice, and the second time is what it costs.
#[test]
fn a_record_that_arrives_twice_is_priced_once() {
    let finding = |copies: usize| {
        let mut log = String::new();
        let mut arrived = 0.0;
        let mut line = |text: &str, copies: usize| {
            for _ in 0..copies {
                log += &format!("{arrived:.6} {text}\n");
                arrived += (text.len() + 2) as f64 / 960.0;
            }
        };
        line(
            "[    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon Mar  2 10:00:00 UTC 2026",
            1,
        );
        line("[    0.000000] Kernel command line: earlycon=uart8250,mmio,0x3f8 console=ttyS0,9600 keep_bootcon", 1);
        line("[    0.000000] printk: legacy bootconsole [uart8250] enabled", 1);
        line("[    0.500000] printk: legacy console [ttyS0] enabled", 1);
        for n in 0..40 {
            line(
                &format!(
                    "[    {:.6}] widget-i2c {n:02}000.i2c: bus speed 400 kHz, timeout 200 ms",
                    1.0 + f64::from(n) / 8.0
                ),
                copies,
            );
        }
        line("[    7.000000] Run /sbin/init as init process", copies);
        line("uart8250             -W- (E  pB a)", 1);
        line("ttyS0                -W- (EC  p a)    4:64", 1);
        findings(&analyse(log.as_bytes())).into_iter().find(|f| f.rule == RuleId::Con010)
    };
    let (once, twice) = (finding(1).expect("a boot console stays"), finding(2).expect("a boot console stays"));
    assert_eq!(once.cost.best(), Dur::ZERO);
    assert!(twice.why.contains("records that arrived twice"), "{}", twice.why);
    assert!(twice.cost.best() > Dur::from_secs(2) && twice.cost.best() == twice.cost.high(), "{:?}", twice.cost);
}

/// From 6.8 on the kernel says what a device still waits for.
#[test]
fn a_supplier_that_never_comes_is_named() {
    let found = |reason: &str| {
        let log = format!(
            "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: quiet\n\
             [    0.500000] Waiting for root device /dev/mmcblk0p2...\n[   10.600000] platform 17000.mmc: deferred probe pending{reason}\n\
             [   11.000000] Run /init as init process\n"
        );
        let found = findings(&analyse(log.as_bytes())).into_iter().find(|f| f.rule == RuleId::Drv009).expect("10.1 s");
        let settings: Vec<String> = found.remedies.iter().filter_map(|r| r.setting()).collect();
        // It waits still: what the silence was is not known.
        assert_eq!((found.cost.best(), found.time_ranges.len()), (Dur::ZERO, 0));
        (found.title, settings.contains(&"fw_devlink=permissive".to_owned()))
    };
    let (title, permissive) = found(": platform: wait for supplier /soc/clock@10000");
    assert!(
        title.contains("17000.mmc still waits for a supplier (platform: wait for supplier /soc/clock@10000)"),
        "{title}"
    );
    assert!(permissive);
    for unknown in ["", ": (reason unknown)"] {
        let (title, permissive) = found(unknown);
        assert!(title.ends_with("platform 17000.mmc still waits for a supplier") && !permissive, "{title}");
    }
}

/// Stamps in jiffies of 10 ms make any two silences equal.
#[test]
fn ticks_are_no_equal_gaps() {
    let found = |late: u32| {
        let records: String = (0..10)
            .map(|i| format!("[    0.{:03}{late:03}] acme-panel 18000.dsi.0: step {i}\n", 100 + 20 * i))
            .collect();
        let log = format!(
            "[    0.000000] Linux version 6.12.9 (gcc) #1 SMP Mon\n[    0.000000] Kernel command line: quiet\n{records}\
             [    0.400{late:03}] Run /init as init process\n"
        );
        findings(&analyse(log.as_bytes())).iter().any(|f| f.rule == RuleId::Drv012)
    };
    assert!(found(123));
    assert!(!found(0));
}

#[test]
fn a_slow_processor_is_shown_by_its_driver_or_its_boot_loader() {
    let title = |log: &str| {
        let found = findings(&analyse(log.as_bytes()));
        found.into_iter().find(|f| f.rule == RuleId::Ini011).map(|f| f.title)
    };
    let older = "[    0.000000] Linux version 4.19.9 (gcc) #1 SMP Mon\n[    0.050000] acme-gpio: ready\n[    0.400000] acme-uart: ready\n\
                 [    0.600000] cpufreq: cpufreq_online: CPU0: Running at unlisted freq: 200000 KHz\n\
                 [    0.601000] cpufreq: cpufreq_online: CPU0: Unlisted initial frequency changed to: 408000 KHz\n\
                 [    0.700000] Run /init as init process\n";
    assert_eq!(title(older).as_deref(), Some("the processor ran at 200 MHz instead of 408 MHz for the first 0.601 s"));
    // By arrival: the kernel's stamps do not reach back to the boot loader.
    let loader = |mhz: u32| {
        format!(
            "[0.000000 0.000000] U-Boot 2020.04 (Mar 02 2026 - 10:00:00 +0000)\n[0.010000 0.010000] CPU:   Freescale i.MX6Q rev1.5 1200 MHz (running at {mhz} MHz)\n\
             [2.000000 1.990000] Starting kernel ...\n[2.100000 0.100000] [    0.000000] Linux version 6.12.9 (gcc) #1 SMP Mon\n\
             [3.000000 0.900000] [    0.900000] Run /init as init process\n"
        )
    };
    let slow = title(&loader(396)).expect("a third of the clock");
    assert!(slow.starts_with("the processor ran at 396 MHz instead of 1200 MHz"), "{slow}");
    assert_eq!(title(&loader(1200)), None);
}
