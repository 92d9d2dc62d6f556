// SPDX-License-Identifier: MIT OR Apache-2.0
use bootline_images::hardware::{Absent, Bus};
use bootline_images::image_format::ImageFormat;
use bootline_images::systems::{RootChanges, RootState, System};

use super::*;
use crate::storage::StoragePreset;

/// The metrics that only the boot of a whole system has.
const OF_SYSTEM: [&str; 11] = [
    "handoff",
    "application-start",
    "application",
    "application-after-handoff",
    "picture-seen",
    "log-after-picture",
    "socket-answered",
    "multi-user",
    "processor-to-handoff",
    "processor-to-application",
    "processor-to-multi-user",
];

const GOOD: &str = r#"
name = "speeds"
about = "How long?"
runs = 3
base = "slow"
metric = "log-complete"

[defaults]
kernel = "6.12"
baud = 9600

[quick]
runs = 1
arms = ["slow"]

[[arm]]
name = "slow"
published = { value_s = 19.106, what = "a board" }

[[arm]]
name = "fast"
kernel = "arm64:6.18"
baud = 115200
modules = ["a.ko  verbose=1 level=2"]
predict = ["baud=115200", "kernel=6.18"]

[[arm]]
name = "cpu"
kernel = "images/own"
icount = true

[[claim]]
text = "slower"
arm = "slow"
of = "fast"
at_least = 2.0
"#;

fn parse(text: &str) -> Result<Experiment, FileError> {
    Experiment::parse(Path::new("lab/speeds.toml"), text)
}

#[test]
fn an_arm_has_the_defaults_where_it_says_nothing() {
    let experiment = parse(GOOD).unwrap();
    let [slow, fast, cpu] = &experiment.arms[..] else { panic!("{experiment:?}") };
    assert_eq!((slow.baud, fast.baud, cpu.baud), (Baud::new(9600), Baud::new(115_200), None));
    assert_eq!((slow.metric, fast.metric, cpu.metric), (Metric::LogComplete, Metric::LogComplete, Metric::GuestTime));
    assert_eq!(slow.image, Image::Stock("6.12".parse().unwrap()));
    assert_eq!(fast.image, Image::Stock("arm64:6.18".parse().unwrap()));
    assert_eq!((slow.smp, slow.memory_mib, experiment.attempts, experiment.warm_up), (1, 512, 3, 1));
    assert_eq!(slow.published.as_ref().map(|p| p.value_s), Some(19.106));
    assert_eq!((slow.predict.is_none(), fast.predict.as_ref().unwrap().words().count()), (true, 2));
    assert_eq!(experiment.claims[0].metric, Metric::LogComplete);
    assert_eq!(experiment.claims[0].to, Comparison::RatioTo("fast".to_owned()));
    let file = GOOD.replace("of = \"fast\"", "than = \"fast\"");
    assert_eq!(parse(&file).unwrap().claims[0].to, Comparison::DifferenceFrom("fast".to_owned()));
}

#[test]
fn files_are_named_relative_to_the_experiment() {
    let experiment = parse(GOOD).unwrap();
    assert_eq!(experiment.arms[2].image, Image::File("lab/images/own".into()));
    let module = Module { path: "lab/a.ko".into(), parameters: "verbose=1 level=2".to_owned() };
    assert_eq!(experiment.arms[1].modules, [module]);
}

/// The message with the line's number and the hint, after `from` was replaced by `to`.
#[track_caller]
fn check(from: &str, to: &str, expected: &str) {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let error = parse(&text).expect_err(expected);
    let line = error.line.as_ref().map_or(String::new(), |(n, line)| {
        assert_eq!(text.lines().nth(n - 1).map(str::trim), Some(line.as_str()), "line {n}");
        format!(" | {line}")
    });
    let hint = error.hint().map_or(String::new(), |h| format!(" | {h}"));
    let message = error.to_string().replace(" in experiment `lab/speeds.toml`", "");
    assert_eq!(format!("{message}{line}{hint}"), expected);
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    let arm = "known there: name, kernel, nearest, baud, append, smp, memory_mib, added_memory_mib, cpu_model, system, root, root_partition, root_state, root_files, root_without, marker, storage, file_system, bus, absent, loader, loader_delay, loader_quiet, loader_gzip, initrd, initramfs, dtb, \
               modules, icount, instruction_ns, trace_registers, lines, metric, predict, predict_from, published, published_saving";
    check("baud = 115200", "bauds = 9", "unknown key `bauds` | bauds = 9 | did you mean `baud`?");
    check("baud = 9600", "bauds = 9", "unknown key `bauds` | bauds = 9 | did you mean `baud`?");
    check("baud = 115200", "colour = 1", &format!("unknown key `colour` | colour = 1 | {arm}"));
    check("runs = 3", "rusn = 3", "unknown key `rusn` | rusn = 3 | did you mean `runs`?");
    check("at_least", "at_leats", "unknown key `at_leats` | at_leats = 2.0 | did you mean `at_least`?");
    check(
        "value_s",
        "value",
        "unknown key `value` | published = { value = 19.106, what = \"a board\" } | did you mean `value_s`?",
    );
    check("baud = 9600", "name = \"x\"", "unknown key `name` | name = \"x\"");
}

#[test]
fn a_bad_value_is_named_with_its_line() {
    check("baud = 115200", "baud = 7", "baud `7` is not 300 to 4000000 | baud = 7");
    check("runs = 3", "runs = 0", "runs `0` is not 1 to 1000 | runs = 0");
    check(
        "\"log-complete\"",
        "\"log-completed\"",
        "unknown value `log-completed` | metric = \"log-completed\" | did you mean `log-complete`?",
    );
    check(
        "name = \"fast\"",
        "name = \"../fast\"",
        "name `../fast` is not made of letters, digits, `.`, `_`, `-` and `+`, 64 at most | name = \"../fast\"",
    );
    check(
        "name = \"speeds\"",
        "name = \"others\"",
        "name `others` is not the file's own name, `speeds`, | name = \"others\"",
    );
    check(
        "\"kernel=6.18\"",
        "\"kernal=6.18\"",
        "predict `kernal=6.18` is not a setting (there is no setting `kernal`) \
         | predict = [\"baud=115200\", \"kernal=6.18\"]",
    );
    check(
        "\"kernel=6.18\"",
        "\"kernel=6.18\", \"baud=9600\"",
        "`predict`: `baud=115200` contradicts `baud=9600` \
         | predict = [\"baud=115200\", \"kernel=6.18\", \"baud=9600\"]",
    );
    check("baud = 115200", "baud = \"x\"", "invalid type: string \"x\", expected u32 | baud = \"x\"");
    check("[[claim]]", "[[claim", "invalid table header | [[claim");
}

#[test]
fn what_is_referred_to_must_be_there() {
    let line = "no arm `slwo`, which `base` refers to, | base = \"slwo\" | did you mean `slow`?";
    check("base = \"slow\"", "base = \"slwo\"", line);
    check(
        "of = \"fast\"",
        "of = \"fats\"",
        "no arm `fats`, which `of` refers to, | of = \"fats\" | did you mean `fast`?",
    );
    check(
        "of = \"fast\"",
        "than = \"fats\"",
        "no arm `fats`, which `than` refers to, | than = \"fats\" | did you mean `fast`?",
    );
    check(
        "of = \"fast\"",
        "of = \"fast\"\nthan = \"fast\"",
        "arm `slow`: a claim is about a ratio (`of`) or a difference (`than`) | [[claim]]",
    );
    check("[\"slow\"]", "[\"none\"]", "no arm `none`, which `arms` refers to, | arms = [\"none\"]");
    check("name = \"fast\"", "name = \"slow\"", "two arms are called `slow` | [[arm]]");
    check("kernel = \"6.12\"", "", "`kernel` is missing from arm `slow` | [[arm]]");
    check("at_least = 2.0", "", "`at_least or at_most` is missing from this claim | [[claim]]");
    check("about = \"How long?\"", "", "missing field `about`");
}

#[test]
fn what_contradicts_itself_is_refused() {
    let why = "arm `cpu`: instructions are counted without a line, so it has no `baud` | [[arm]]";
    check("icount = true", "icount = true\nbaud = 9600", why);
    let why = "arm `cpu`: what is measured under `icount` is `guest-time` | [[arm]]";
    check("icount = true", "icount = true\nmetric = \"time-to-init\"", why);
    let why = "arm `cpu`: `register-reads-per-byte` needs `trace_registers = true` | [[arm]]";
    check("icount = true", "metric = \"register-reads-per-byte\"", why);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Experiment::read(Path::new("no/such.toml")).unwrap_err();
    assert!(error.to_string().ends_with("in experiment `no/such.toml`"), "{error}");
    assert!(matches!(*error.fault, Fault::Unreadable(_)));
}

const MATRIX: &str = r#"
name = "speeds"
about = "All of them."
[quick]
arms = ["*-default"]
[defaults]
smp = 4
[[matrix]]
kernel = ["6.1", "arm64:6.12"]
baud = [2400, 9600]
append = { quiet = "quiet", default = "" }
predict_from = "{kernel}-9600-default"
[[matrix]]
kernel = ["6.19-rt"]
smp = [1, 2]
baud = [9600]
append = { debug = "initcall_debug" }
metric = "log-lag"
"#;

#[test]
fn a_matrix_is_every_arm_that_it_stands_for() {
    let experiment = parse(MATRIX).unwrap();
    let names: Vec<&str> = experiment.arms.iter().map(|a| a.name.as_str()).collect();
    let expected = [
        "6.1-2400-default",
        "6.1-2400-quiet",
        "6.1-9600-default",
        "6.1-9600-quiet",
        "arm64-6.12-2400-default",
        "arm64-6.12-2400-quiet",
        "arm64-6.12-9600-default",
        "arm64-6.12-9600-quiet",
        "6.19-rt-9600-debug-1cpu",
        "6.19-rt-9600-debug-2cpu",
    ];
    assert_eq!(names, expected);
    let arm = |name: &str| experiment.arm(name).unwrap();
    let quiet = arm("6.1-2400-quiet");
    assert_eq!((quiet.baud, quiet.append.as_str(), quiet.smp), (Baud::new(2400), "quiet", 4));
    assert_eq!((quiet.predict_from.as_deref(), &quiet.predict), (Some("6.1-9600-default"), &None));
    let from = arm("arm64-6.12-9600-default");
    assert_eq!(
        (from.predict_from.as_deref(), from.predict.as_ref()),
        (None, Some(&WholeChange::default())),
        "it is the source"
    );
    let rt = arm("6.19-rt-9600-debug-2cpu");
    assert_eq!((rt.smp, rt.metric, rt.append.as_str()), (2, Metric::LogLag, "initcall_debug"));
}

#[test]
fn a_matrix_refers_to_arms_that_there_are() {
    let bad = MATRIX.replace("{kernel}-9600-default", "{kernel}-9601-default");
    assert!(parse(&bad).unwrap_err().to_string().contains("no arm `6.1-9601-default`"));
    let bad = MATRIX.replace("*-default", "*-loud");
    assert!(parse(&bad).unwrap_err().to_string().contains("no arm `*-loud`"));
    let bad = MATRIX.replace("baud = [9600]", "baud = [96]");
    assert!(parse(&bad).unwrap_err().to_string().contains("baud `96` is not"));
    assert!(parse(&MATRIX.replace("6.19-rt", "6.1/x")).unwrap_err().to_string().contains("name `6.1/x-9600"));
}

#[test]
fn what_init_and_the_trace_give_needs_them() {
    let arm = |keys: &str| {
        parse(&format!("name = \"speeds\"\nabout = \"\"\n[[arm]]\nname = \"a\"\nkernel = \"6.12\"\n{keys}\n"))
    };
    let refused = |keys: &str, why: &str| {
        let error = arm(keys).unwrap_err().to_string();
        assert!(error.contains(why), "{keys}: {error}");
    };
    let good = arm("lines = 64\nmetric = \"printk-lines\"").unwrap();
    assert_eq!((good.arms[0].lines, good.arms[0].metric), (Some(64), Metric::PrintkLines));
    refused("metric = \"printk-lines\"", "needs `lines`");
    assert!(arm("modules = [\"b/printk_bench.ko lines=9\"]\nmetric = \"printk-bench\"").is_ok());
    refused("modules = [\"b/uart_bench.ko\"]\nmetric = \"printk-bench\"", "`printk_bench.ko` among `modules`");
    refused("metric = \"uart-bench\"", "`uart_bench.ko` among `modules`");
    refused("metric = \"irqs-off\"", "`holdoff_meter.ko` among `modules`");
    assert!(arm("modules = [\"b/holdoff_meter.ko seconds=9\"]\nmetric = \"preempt-off\"").is_ok());
    refused("lines = 0", "lines `0` is not");
    refused("lines = 1\ninitrd = \"i\"", "no `initrd`");
    refused("lines = 1\nicount = true", "no `icount`");
    refused("trace_registers = true", "tracing slows the guest");
    refused("modules = [\"a;b.ko\"]", "modules `a;b.ko` is not a module");
}

/// The only arm of a file with these keys, or the error in words.
fn one_arm(keys: &str) -> Result<Arm, String> {
    let file = format!("name = \"speeds\"\nabout = \"\"\n[[arm]]\nname = \"a\"\nkernel = \"6.12\"\n{keys}\n");
    let parsed = parse(&file).map_err(|e| e.hint().map_or(e.to_string(), |hint| format!("{e} | {hint}")));
    parsed.map(|mut experiment| experiment.arms.remove(0))
}

#[test]
fn a_system_has_its_storage_and_its_metrics() {
    let arm = one_arm("system = \"debian-minimal\"\nstorage = \"usb2\"\nappend = \"systemd.mask=x.service\"").unwrap();
    let system = ArmSystem {
        root: ArmRoot::Lab(System::DebianMinimal),
        state: RootState::Settled,
        changes: RootChanges::default(),
        format: ImageFormat::Ext4,
        hardware: Hardware::default(),
        storage: Some(StoragePreset::Usb2),
        added_memory_mib: 0,
    };
    assert_eq!((arm.system, arm.metric), (Some(system), Metric::Application));
    assert_eq!(arm.append, "systemd.mask=x.service");
    let arm = one_arm("system = \"busybox\"\nmodules = [\"m.ko\"]\nmetric = \"since-start\"\npredict = []").unwrap();
    assert_eq!(arm.modules.len(), 1);
    assert_eq!((arm.system.and_then(|s| s.storage), arm.metric), (None, Metric::SinceStart));
    for metric in OF_SYSTEM {
        let arm = one_arm(&format!("system = \"busybox\"\nmetric = \"{metric}\"")).unwrap();
        assert_eq!(arm.metric.to_string(), metric);
        assert!(arm.metric.is_of_system() && arm.metric.is_time());
    }
    let file = GOOD.replace("metric = \"log-complete\"", "").replace("icount = true", "");
    let file =
        file.replace("baud = 9600", "system = \"busybox\"\nstorage = \"sd\"").replace("\"images/own\"", "\"6.1\"");
    let file = file.replace("modules =", "# ").replace("predict =", "# ");
    let systems: Vec<Option<ArmSystem>> = parse(&file).unwrap().arms.into_iter().map(|arm| arm.system).collect();
    let busybox = ArmSystem {
        root: ArmRoot::Lab(System::Busybox),
        state: RootState::Settled,
        changes: RootChanges::default(),
        format: ImageFormat::Ext4,
        hardware: Hardware::default(),
        storage: Some(StoragePreset::Sd),
        added_memory_mib: 0,
    };
    assert_eq!(
        systems,
        [Some(busybox.clone()), Some(busybox.clone()), Some(busybox)],
        "the defaults hold for them as well"
    );
}

#[test]
fn a_system_has_its_file_system() {
    let arm = one_arm("system = \"busybox\"\nfile_system = \"jffs2-summary\"\nstorage = \"nand\"").unwrap();
    let system = arm.system.unwrap();
    assert_eq!((system.format, system.bus()), (ImageFormat::Jffs2Summary, Some(Bus::Mtd)));
    let refused = |keys: &str, why: &str| {
        let error = one_arm(keys).unwrap_err();
        assert!(error.contains(why), "{keys}: {error}");
    };
    refused("root = \"r\"\nfile_system = \"ubifs\"", "`file_system` is that of a `system`");
    refused("system = \"busybox\"\nfile_system = \"ubifs\"\nbus = \"sd\"", "leave out `bus`, or use `mtd`");
    assert!(one_arm("system = \"busybox\"\nfile_system = \"squashfs\"\nbus = \"mtd\"").is_ok());
}

#[test]
fn a_system_has_its_bus_and_what_is_absent() {
    let arm = one_arm("system = \"busybox\"\nbus = \"nvme\"\nabsent = [\"sd-card\", \"network-link\"]").unwrap();
    let absent = [Absent::SdCard, Absent::NetworkLink].into();
    assert_eq!(arm.system.unwrap().hardware, Hardware { bus: Some(Bus::Nvme), absent });
    let arm = one_arm("root = \"r.img\"\nbus = \"sd\"").unwrap();
    assert_eq!(arm.system.unwrap().hardware, Hardware { bus: Some(Bus::Sd), ..Hardware::default() });
}

#[test]
fn what_does_not_go_with_a_system_is_refused() {
    let refused = |keys: &str, why: &str| {
        let error = one_arm(keys).unwrap_err();
        assert!(error.contains(why), "{keys}: {error}");
    };
    refused(
        "system = \"busybix\"",
        "unknown value `busybix` in experiment `lab/speeds.toml` | did you mean `busybox`?",
    );
    refused("system = \"busybox\"\nstorage = \"emcc\"", "| did you mean `emmc`?");
    refused("storage = \"emmc\"", "arm `a`: `storage` is that of a `system`");
    refused("bus = \"sata\"", "arm `a`: `bus` is that of the disk of a `system`");
    refused("absent = [\"sd-card\"]", "arm `a`: `absent` is hardware next to that of a `system`");
    refused("system = \"busybox\"\nbus = \"satan\"", "| did you mean `sata`?");
    refused("system = \"busybox\"\nabsent = [\"sd-cart\"]", "| did you mean `sd-card`?");
    for (keys, why) in [
        ("icount = true", "no `icount`"),
        ("initrd = \"i\"", "no `initrd`"),
        ("lines = 9", "`lines` are printed by the lab's own init"),
        ("metric = \"user-space\"", "a `system` has `handoff`"),
        ("metric = \"log-lag\"", "all that a `system` does after init"),
    ] {
        refused(&format!("system = \"busybox\"\n{keys}"), why);
    }
    let predicted = one_arm("system = \"busybox\"\npredict = [\"mask=a.service\", \"quiet\"]").unwrap();
    assert_eq!(predicted.predict.unwrap().to_string(), "quiet mask=a.service");
    refused("predict = [\"mask=a.service\"]", "is not a setting of the console, without a `system`");
    let file = GOOD.replace("\"images/own\"\nicount = true", "\"images/own\"\nsystem = \"busybox\"");
    assert!(parse(&file).unwrap_err().to_string().contains("name a series of stock kernels"));
    for metric in OF_SYSTEM {
        refused(&format!("metric = \"{metric}\""), "are metrics of a `system`");
        let line = "at_least = 2.0";
        check(
            line,
            &format!("{line}\nmetric = \"{metric}\""),
            "arm `slow`: `handoff`, `application-start`, `application`, `application-after-handoff`, `picture-seen`, \
             `log-after-picture`, `socket-answered`, `multi-user` and `processor-to-...` are metrics of a `system` | [[claim]]",
        );
    }
}

#[test]
fn a_root_of_ones_own_ends_at_a_line_of_its_console() {
    let arm = one_arm("root = \"images/product.wic\"\nroot_partition = 2\nstorage = \"sd\"").unwrap();
    let root = ArmRoot::Own { path: "lab/images/product.wic".into(), partition: Some(2) };
    assert_eq!(
        arm.system,
        Some(ArmSystem {
            root,
            state: RootState::Settled,
            changes: RootChanges::default(),
            format: ImageFormat::Ext4,
            hardware: Hardware::default(),
            storage: Some(StoragePreset::Sd),
            added_memory_mib: 0,
        })
    );
    assert_eq!((arm.metric, arm.marker), (Metric::Marker, None));
    let arm = one_arm("root = \"r\"\nmarker = \"app: ready\"\nmetric = \"handoff\"").unwrap();
    assert_eq!((arm.metric, arm.marker.as_deref()), (Metric::Handoff, Some("app: ready")));
    // An arm that names a system does not have the default root, and the other way round.
    let file = "name = \"speeds\"\nabout = \"\"\n[defaults]\nkernel = \"6.12\"\nroot = \"r\"\nroot_partition = 1\n\
        marker = \"up\"\n[[arm]]\nname = \"a\"\nsystem = \"busybox\"\n[[arm]]\nname = \"b\"\n[[arm]]\nname = \"c\"\nroot = \"s\"\n";
    let arms = parse(file).unwrap().arms;
    let roots: Vec<Option<System>> = arms.iter().map(|arm| arm.system.as_ref().unwrap().root.system()).collect();
    assert_eq!(roots, [Some(System::Busybox), None, None]);
    let own = |path: &str, partition| Some(ArmRoot::Own { path: path.into(), partition });
    assert_eq!(arms[1].system.as_ref().map(|s| s.root.clone()), own("lab/r", Some(1)));
    assert_eq!(
        arms[2].system.as_ref().map(|s| s.root.clone()),
        own("lab/s", None),
        "the partition is that of the other disk"
    );
    assert_eq!(arms[0].marker, None);
}

#[test]
fn what_does_not_go_with_a_root_is_refused() {
    let refused = |keys: &str, why: &str| {
        let error = one_arm(keys).unwrap_err();
        assert!(error.contains(why), "{keys}: {error}");
    };
    refused("root = \"r\"\nsystem = \"busybox\"", "a `system` or a `root` of your own, not both");
    refused("root_partition = 1", "is that of a `root`");
    refused("root = \"r\"\nroot_partition = 0", "`0`");
    refused("root = \"r\"\nmarker = \"(\"", "a regular expression");
    refused("root = \"r\"\nmetric = \"application\"", "marks no application");
    refused("root = \"r\"\ninitrd = \"i\"", "no `initrd`");
    refused("root = \"r\"\nlines = 9", "in whose place");
    refused("root = \"r\"\npredict = [\"baud=9600\"]", "not predicted");
    refused("system = \"busybox\"\nmarker = \"x\"", "marks its moments itself");
    refused("metric = \"marker\"", "which the key `marker` names");
}

/// An arm with these keys and a kernel that U-Boot boots.
fn loaded_arm(keys: &str) -> Result<Arm, String> {
    let file = format!(
        "name = \"speeds\"\nabout = \"\"\n[defaults]\nloader = \"u-boot\"\nloader_delay = 3\n\
         [[arm]]\nname = \"a\"\nkernel = \"arm64:6.12\"\n{keys}\n"
    );
    parse(&file).map(|mut experiment| experiment.arms.remove(0)).map_err(|e| e.to_string())
}

#[test]
fn a_loader_has_its_setup() {
    let of = |keys| loaded_arm(keys).unwrap().loader;
    let loader =
        |delay, quiet| Some(ArmLoader { loader: Loader::UBoot, setup: LoaderSetup { delay, quiet, gzip: false } });
    assert_eq!(of(""), loader(Some(3), false));
    assert_eq!(of("loader_delay = 0"), loader(Some(0), false));
    assert_eq!(of("loader_quiet = true"), loader(None, true), "the default delay does not apply");
    assert!(of("loader_gzip = true").unwrap().setup.gzip);
    assert_eq!(one_arm("").unwrap().loader, None);
    assert_eq!(
        loaded_arm("").unwrap().metric,
        Metric::SinceStart,
        "from power-on, as the first byte is not the kernel's"
    );
}

#[test]
fn what_does_not_go_with_a_loader_is_refused() {
    let refused = |arm: Result<Arm, String>, why: &str| {
        let error = arm.unwrap_err();
        assert!(error.contains(why), "{error}");
    };
    refused(one_arm("loader_delay = 1"), "are those of a `loader`");
    refused(one_arm("loader_quiet = true"), "are those of a `loader`");
    refused(one_arm("loader = \"u-boot\""), "boots arm64 kernels only");
    refused(loaded_arm("loader = \"grub-efi\""), "boots amd64 kernels only");
    assert!(one_arm("loader = \"grub-bios\"").is_ok());
    refused(one_arm("loader = \"grub-bios\"\nloader_gzip = true"), "decompress themselves");
    refused(loaded_arm("icount = true"), "no `icount`");
    refused(loaded_arm("loader_quiet = true\nloader_delay = 1"), "no `loader_delay`");
    refused(loaded_arm("predict = [\"baud=9600\"]"), "predicted only of a `system`");
    refused(loaded_arm("loader_delay = 601"), "601");
    refused(loaded_arm("metric = \"log-complete\""), "count from the line's first byte");
    refused(loaded_arm("metric = \"register-reads-per-byte\"\ntrace_registers = true"), "the loader's own");
    refused(one_arm("loader-delay = 1"), "did you mean `loader_delay`?");
}

#[test]
fn a_root_is_booted_in_its_state_and_with_its_changes() {
    let arm = one_arm(
        "system = \"debian-openrc\"\nroot_state = \"first-boot\"\nroot_without = [\"etc/init.d/cron\"]\n\
         root_files = { \"etc/motd\" = \"hello\\n\" }",
    );
    let system = arm.unwrap().system.unwrap();
    assert_eq!(system.state, RootState::FirstBoot);
    assert_eq!(system.changes.files.into_iter().collect::<Vec<_>>(), [("etc/motd".to_owned(), b"hello\n".to_vec())]);
    assert_eq!(system.changes.without.into_iter().collect::<Vec<_>>(), ["etc/init.d/cron"]);
    let refused = |keys: &str, why: &str| {
        let error = one_arm(keys).unwrap_err();
        assert!(error.contains(why), "{keys}: {error}");
    };
    refused("system = \"busybox\"\nroot_state = \"settld\"", "| did you mean `settled`?");
    refused("root_state = \"settled\"", "arm `a`: `root_state` is that of a `system`");
    refused("root_without = [\"etc/x\"]", "arm `a`: `root_files` and `root_without` change a copy of a `system`");
    refused("system = \"busybox\"\nroot_without = [\"/etc/x\"]", "`/etc/x`");
    refused(
        "system = \"busybox\"\nroot_state = \"power-lost\"\nroot_without = [\"etc/x\"]",
        "arm `a`: what is changed in a root whose power was cut would be undone",
    );
    assert!(one_arm("system = \"busybox\"\nroot_state = \"power-lost\"\nroot_without = []").is_ok(), "nothing changes");
    refused(
        "system = \"busybox\"\nroot_without = [\"etc/x\"]\nroot_files = { \"etc/x\" = \"\" }",
        "arm `a`: `root_files` and `root_without` name the same file",
    );
    refused("system = \"busybox\"\nfile_system = \"ubifs\"\nroot_without = [\"etc/x\"]", "are for an image of ext4");
    refused("system = \"busybox\"\nfile_system = \"ubifs\"\nroot_state = \"first-boot\"", "is on ext4");
    refused("system = \"busybox\"\nfile_system = \"erofs\"\nroot_state = \"aged\"", "does not age");
    assert!(one_arm("system = \"busybox\"\nfile_system = \"ubifs\"\nroot_state = \"aged\"").is_ok());
}

#[test]
fn without_an_initramfs_the_kernel_mounts_what_it_can() {
    let refused = |keys: &str, why: &str| {
        let error = one_arm(&format!("initramfs = false\n{keys}")).unwrap_err();
        assert!(error.contains(why), "{keys}: {error}");
    };
    assert!(!one_arm("initramfs = false\nsystem = \"busybox\"").unwrap().initramfs);
    refused("", "has the kernel mount the root of a `system`");
    refused("system = \"busybox\"\nbus = \"sata\"", "leave out `bus` and `file_system`");
    refused("system = \"busybox\"\nfile_system = \"squashfs\"", "leave out `bus` and `file_system`");
    refused("system = \"busybox\"\nmodules = [\"a.ko\"]", "modules are loaded by the initramfs");
    refused("system = \"busybox\"\nloader = \"grub-bios\"", "a `loader` loads an initramfs");
    let file = "name = \"x\"\nabout = \"\"\nruns = 1\n[defaults]\nkernel = \"6.12\"\nsystem = \"busybox\"\ninitramfs = false\n\
        [[arm]]\nname = \"a\"\nroot = \"root.img\"\n";
    let arm = Experiment::parse(Path::new("x.toml"), file).unwrap().arms.remove(0);
    assert!(arm.initramfs, "a root of one's own does not have the default of a system's");
}

#[test]
fn a_published_saving_names_the_arm_that_it_is_of() {
    let with = |saving: &str, keys: &str| {
        let arms = "[[arm]]\nname = \"before\"\n[[arm]]\nname = \"after\"\n";
        parse(&format!(
            "name = \"speeds\"\nabout = \"\"\n[defaults]\nkernel = \"6.12\"\n{arms}published_saving = {{ {saving} }}\n{keys}\n"
        ))
    };
    let arms = with("saves_s = 1.48, of = \"before\", what = \"ip=\"", "").unwrap().arms;
    let expected = PublishedSaving { saves_s: 1.48, of: "before".into(), what: "ip=".into() };
    assert_eq!(arms[1].published_saving, Some(expected));
    let check = |saving: &str, keys: &str, expected: &str| {
        let fault = with(saving, keys).unwrap_err().fault.to_string();
        assert!(fault.contains(expected), "{saving}: {fault}");
    };
    check("saves_s = 1.0, of = \"befor\", what = \"\"", "", "no arm `befor`, which `of` refers to,");
    check("saves_s = 1.0, what = \"\"", "", "missing field `of`");
    check("saves_s = 1.0, of = \"after\", what = \"\"", "", "is of another arm");
    check("saves_s = 1.0, of = \"before\", what = \"\"", "metric = \"stalls\"", "saves is time");
}

#[test]
fn the_machine_is_checked_before_anything_boots() {
    let arm = one_arm("cpu_model = \"qemu64,-tsc\"\nicount = true\ninstruction_ns = 4").unwrap();
    assert_eq!(arm.cpu_model.as_ref().map(|model| model.name()), Some("qemu64,-tsc"));
    assert_eq!(arm.instruction_time, 4.try_into().ok());
    let arm = one_arm("system = \"debian-systemd\"\nadded_memory_mib = 1536").unwrap();
    assert_eq!(arm.system.map(|system| system.added_memory_mib), Some(1536));
    let check = |keys: &str, expected: &str| {
        let fault = one_arm(keys).unwrap_err();
        assert!(fault.contains(expected), "{keys}: {fault}");
    };
    check("cpu_model = \"-device x\"", "not a model of QEMU");
    check("icount = true\ninstruction_ns = 3", "instruction_ns `3` is not 1, 2, 4, 8, 16 or 32");
    check("instruction_ns = 4", "it needs `icount = true`");
    check("added_memory_mib = 1536", "which it does not have");
    check("system = \"busybox\"\nadded_memory_mib = 100", "added_memory_mib `100` is not a multiple of 128");
}
