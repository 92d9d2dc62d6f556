// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use bootline_boot::Boot;
use bootline_boot::{BootOptions, BootRecords};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

fn boot(log: &str) -> Boot {
    BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &BootOptions::default())).next().unwrap()
}

/// Without gap or overlap, from the chain's start to the boot's end.
fn conserved(boot: &Boot, critical_path: &CriticalPath) {
    assert_eq!(critical_path.segments.iter().map(Segment::length).sum::<Dur>(), critical_path.length());
    assert!(
        critical_path.segments.iter().all(|s| s.length() > Dur::ZERO && s.net() <= s.length()),
        "{critical_path:#?}"
    );
    assert!(critical_path.segments.windows(2).all(|s| s[0].end == s[1].start), "{critical_path:#?}");
    assert_eq!(critical_path.segments.first().map_or(critical_path.start, |s| s.start), critical_path.start);
    assert_eq!(critical_path.end, boot.end.as_ref().unwrap().at.best());
    // The time to init counts from a moment on the chain.
    let reference = critical_path.end - boot.end.as_ref().unwrap().elapsed.best();
    assert!(reference >= critical_path.start, "{reference} before {}", critical_path.start);
    assert!(critical_path.segments.iter().all(|s| s.max_saving >= Dur::ZERO && s.max_saving <= s.length()));
    assert!(critical_path.non_critical.iter().all(|b| b.slack >= Dur::ZERO && b.end <= critical_path.end));
}

/// The links in short, with their lengths in milliseconds.
fn links(critical_path: &CriticalPath) -> Vec<(String, i64)> {
    let name = |s: &Segment| match &s.kind {
        SegmentKind::Initcall { name } => name.clone(),
        SegmentKind::AsyncCall { name, device } => format!("async {name} {}", device.as_deref().unwrap_or("-")),
        SegmentKind::Initramfs => "initramfs".to_owned(),
        SegmentKind::AsyncWait => "async?".to_owned(),
        SegmentKind::RootWait { .. } => "root".to_owned(),
        SegmentKind::DeferredProbes => "deferred".to_owned(),
        SegmentKind::DeferredTimeout { device } => format!("timeout {}", device.as_deref().unwrap_or("-")),
        SegmentKind::Service { name } => format!("service {name}"),
        SegmentKind::Silence => "silence".to_owned(),
        SegmentKind::Phase { .. } => "phase".to_owned(),
        other => format!("{other:?}"),
    };
    critical_path.segments.iter().map(|s| (name(s), s.length().as_nanos() / 1_000_000)).collect()
}

const HEAD: &str = "[    0.000000] Linux version 7.2.0 (gcc) #1 SMP\n\
                    [    0.000000] Kernel command line: initcall_debug async.dyndbg=+p\n\
                    [    0.000000] smp: Brought up 1 node, 4 CPUs\n";

/// init's task waits 300 ms for the longer one of two async probes.
fn two_probes() -> String {
    format!(
        "{HEAD}\
         [    0.100000] calling  first_init+0x0/0x10 @ 1\n\
         [    0.200000] initcall first_init+0x0/0x10 returned 0 after 100000 usecs\n\
         [    0.200000] calling  1___driver_attach_async_helper+0x0/0x10 @ 40\n\
         [    0.200000] calling  2___driver_attach_async_helper+0x0/0x10 @ 41\n\
         [    0.200000] calling  second_init+0x0/0x10 @ 1\n\
         [    0.400000] initcall second_init+0x0/0x10 returned 0 after 200000 usecs\n\
         [    0.400000] async_waiting @ 1\n\
         [    0.500000] probe of short returned 0 after 300000 usecs\n\
         [    0.500000] initcall 1___driver_attach_async_helper+0x0/0x10 returned after 300000 usecs\n\
         [    0.700000] probe of long returned 0 after 500000 usecs\n\
         [    0.700000] initcall 2___driver_attach_async_helper+0x0/0x10 returned after 500000 usecs\n\
         [    0.700000] async_continuing @ 1 after 300000 usec\n\
         [    0.800000] Run /init as init process\n"
    )
}

#[test]
fn the_chain_goes_through_what_was_waited_for() {
    let boot = boot(&two_probes());
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    assert_eq!(critical_path.basis, PathBasis::AsyncCalls);
    let wanted =
        [("silence", 100), ("first_init", 100), ("async __driver_attach_async_helper long", 500), ("silence", 100)];
    assert_eq!(links(&critical_path), wanted.map(|(name, ms)| (name.to_owned(), ms)));
    // Without the long probe the boot had waited for the short one.
    assert_eq!(critical_path.segments[2].max_saving, Dur::from_millis(200));
    let non_critical: Vec<_> = critical_path.non_critical.iter().map(|b| (b.name.as_str(), b.slack)).collect();
    let helper = "__driver_attach_async_helper";
    assert_eq!(non_critical, [(helper, Dur::from_millis(200)), ("second_init", Dur::from_millis(300))]);
}

#[test]
fn an_async_call_that_is_over_in_time_is_beside() {
    let log =
        two_probes().replace("0.700000] async_continuing @ 1 after 300000", "0.400000] async_continuing @ 1 after 0");
    let boot = boot(&log);
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    assert!(!links(&critical_path).iter().any(|l| l.0.starts_with("async")), "{:?}", links(&critical_path));
    // Nobody waited for them before init.
    let slack: Vec<Dur> = critical_path.non_critical.iter().map(|b| b.slack).collect();
    assert_eq!(slack, [Dur::from_millis(300), Dur::from_millis(100)]);
}

#[test]
fn a_wait_without_a_call_is_said_to_be_one() {
    let log: String = two_probes().lines().filter(|l| !l.contains("helper")).map(|l| format!("{l}\n")).collect();
    let boot = boot(&log);
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    assert!(links(&critical_path).contains(&("async?".to_owned(), 300)), "{:?}", links(&critical_path));
}

#[test]
fn the_initramfs_and_the_root() {
    let log = format!(
        "{HEAD}\
         [    0.100000] Trying to unpack rootfs image as initramfs...\n\
         [    0.150000] calling  last_init+0x0/0x10 @ 1\n\
         [    0.250000] initcall last_init+0x0/0x10 returned 0 after 100000 usecs\n\
         [    0.650000] Freeing initrd memory: 4096K\n\
         [    0.660000] Waiting for root device /dev/mmcblk0p2...\n\
         [    0.960000] EXT4-fs (mmcblk0p2): mounted filesystem\n\
         [    1.000000] Run /sbin/init as init process\n"
    );
    let boot = boot(&log);
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    let links = links(&critical_path);
    assert!(links.contains(&("initramfs".to_owned(), 550)) && links.contains(&("root".to_owned(), 300)), "{links:?}");
    let unpacking = critical_path.segments.iter().find(|s| s.kind == SegmentKind::Initramfs).unwrap();
    assert_eq!(unpacking.max_saving, Dur::from_millis(400));
    assert_eq!(critical_path.non_critical[0].name, "last_init");
}

/// The critical path of a log of these lines after the head, to init or to a marker.
fn chain_of(lines: &str, marker: Option<&str>) -> (Boot, CriticalPath) {
    let log = format!("{HEAD}{lines}");
    let options = BootOptions { marker: marker.map(str::to_owned), ..BootOptions::default() };
    let boot = BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &options)).next().unwrap();
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    (boot, critical_path)
}

fn check_links(critical_path: &CriticalPath, wanted: &[(&str, i64)]) {
    let wanted: Vec<(String, i64)> = wanted.iter().map(|(name, ms)| ((*name).to_owned(), *ms)).collect();
    assert_eq!(links(critical_path), wanted);
}

#[test]
fn the_initramfs_that_an_async_call_unpacks_is_named() {
    let (_, critical_path) = chain_of(
        "[    0.100000] calling  1_do_populate_rootfs+0x0/0x130 @ 40\n\
         [    0.100000] calling  last_init+0x0/0x10 @ 1\n\
         [    0.250000] initcall last_init+0x0/0x10 returned 0 after 150000 usecs\n\
         [    0.250000] async_waiting @ 1\n\
         [    0.650000] initcall 1_do_populate_rootfs+0x0/0x130 returned after 550000 usecs\n\
         [    0.650000] async_continuing @ 1 after 400000 usec\n\
         [    0.700000] Run /init as init process\n",
        None,
    );
    check_links(&critical_path, &[("silence", 100), ("initramfs", 550), ("silence", 50)]);
}

/// The ports of an ATA controller: each call waits for those that were scheduled before it.
#[test]
fn an_async_call_that_waits_for_another_is_gone_through() {
    let (_, critical_path) = chain_of(
        "[    0.100000] calling  7_async_port_probe+0x0/0x10 @ 40\n\
         [    0.100000] calling  8_async_port_probe+0x0/0x10 @ 41\n\
         [    0.150000] calling  9_unrelated+0x0/0x10 @ 42\n\
         [    0.150000] async_waiting @ 1\n\
         [    0.200000] async_waiting @ 41\n\
         [    0.600000] initcall 7_async_port_probe+0x0/0x10 returned after 500000 usecs\n\
         [    0.601000] initcall 9_unrelated+0x0/0x10 returned after 451000 usecs\n\
         [    0.601000] async_continuing @ 41 after 401000 usec\n\
         [    0.800000] initcall 8_async_port_probe+0x0/0x10 returned after 700000 usecs\n\
         [    0.800000] async_continuing @ 1 after 650000 usec\n\
         [    0.900000] Run /init as init process\n",
        None,
    );
    let call = "async async_port_probe -";
    check_links(&critical_path, &[("silence", 100), (call, 501), (call, 199), ("silence", 100)]);
    // By their first records: the later port, and before it the one that it waited for, not what was scheduled after it.
    assert_eq!(
        [critical_path.segments[1].first, critical_path.segments[2].first],
        [Some(RecordId(3)), Some(RecordId(4))]
    );
    assert_eq!(critical_path.non_critical.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["unrelated"]);
}

/// A port that waits for an earlier one, which ended before this many that were scheduled after both.
fn ports(between: usize) -> Vec<i64> {
    let each = |line: &dyn Fn(usize) -> String| (0..between).map(line).collect::<String>();
    let (_, critical_path) = chain_of(
        &format!(
            "[    0.100000] calling  7_async_port_probe+0x0/0x10 @ 40\n\
             [    0.100000] calling  8_async_port_probe+0x0/0x10 @ 41\n\
             [    0.150000] async_waiting @ 1\n\
             [    0.200000] async_waiting @ 41\n\
             {}\
             [    0.600000] initcall 7_async_port_probe+0x0/0x10 returned after 500000 usecs\n\
             {}\
             [    0.602000] async_continuing @ 41 after 402000 usec\n\
             [    0.800000] initcall 8_async_port_probe+0x0/0x10 returned after 700000 usecs\n\
             [    0.800000] async_continuing @ 1 after 650000 usec\n\
             [    0.900000] Run /init as init process\n",
            each(&|n| format!("[    0.300000] calling  {}_x{n}+0x0/0x10 @ {}\n", 100 + n, 100 + n)),
            each(&|n| format!("[    0.601000] initcall {}_x{n}+0x0/0x10 returned after 301000 usecs\n", 100 + n)),
        ),
        None,
    );
    let async_calls = links(&critical_path).into_iter().filter(|(name, _)| name.starts_with("async "));
    async_calls.map(|(_, ms)| ms).collect()
}

#[test]
fn so_many_calls_are_looked_at_for_a_wait() {
    assert_eq!(ports(path_search::MOST_LOOKED_AT - 1), [502, 198]);
    assert_eq!(ports(path_search::MOST_LOOKED_AT), [700]);
}

/// The worker that had unpacked the initramfs waits in its next call, before the memory is reported as freed. Init has been
/// started already: else the last initcall to return would be an async one, and no wait for the initramfs be seen.
#[test]
fn what_a_worker_waits_for_in_its_next_call_is_not_gone_through() {
    let (_, critical_path) = chain_of(
        "[    0.100000] calling  1_slow+0x0/0x10 @ 41\n\
         [    0.100000] calling  2_do_populate_rootfs+0x0/0x130 @ 40\n\
         [    0.100000] Trying to unpack rootfs image as initramfs...\n\
         [    0.100000] calling  last_init+0x0/0x10 @ 1\n\
         [    0.250000] initcall last_init+0x0/0x10 returned 0 after 150000 usecs\n\
         [    0.260000] Run /init as init process\n\
         [    0.300000] initcall 2_do_populate_rootfs+0x0/0x130 returned after 200000 usecs\n\
         [    0.350000] calling  3_next+0x0/0x10 @ 40\n\
         [    0.400000] async_waiting @ 40\n\
         [    0.500000] initcall 1_slow+0x0/0x10 returned after 400000 usecs\n\
         [    0.500000] async_continuing @ 40 after 100000 usec\n\
         [    0.600000] Freeing initrd memory: 4096K\n\
         [    0.700000] ready\n",
        Some("ready"),
    );
    check_links(&critical_path, &[("silence", 100), ("initramfs", 500), ("silence", 100)]);
}

/// Its return was lost on the line.
#[test]
fn a_call_without_its_return_ends_where_the_next_begins() {
    let (_, critical_path) = chain_of(
        "[    0.100000] calling  lost_init+0x0/0x10 @ 1\n\
         [    0.300000] calling  next_init+0x0/0x10 @ 1\n\
         [    0.400000] initcall next_init+0x0/0x10 returned 0 after 100000 usecs\n\
         [    0.400000] calling  last_init+0x0/0x10 @ 1\n\
         [    0.700000] Run /init as init process\n",
        None,
    );
    check_links(&critical_path, &[("silence", 100), ("lost_init", 200), ("next_init", 100), ("last_init", 300)]);
}

#[test]
fn what_was_put_off_is_waited_for_in_its_initcall() {
    let (_, critical_path) = chain_of(
        "[    0.100000] probe of 3f215040.serial returned 517 after 100 usecs\n\
         [    0.200000] calling  deferred_probe_initcall+0x0/0x10 @ 1\n\
         [    0.600000] probe of 3f215040.serial returned 0 after 390000 usecs\n\
         [    0.700000] initcall deferred_probe_initcall+0x0/0x10 returned 0 after 500000 usecs\n\
         [    0.800000] Run /init as init process\n",
        None,
    );
    let deferred = critical_path.segments.iter().find(|s| s.kind == SegmentKind::DeferredProbes).unwrap();
    assert_eq!((deferred.length(), deferred.max_saving), (Dur::from_millis(500), Dur::from_millis(500)));
    let nested: Vec<_> = deferred.nested.iter().map(|i| (i.name.as_str(), i.deferred)).collect();
    assert_eq!(nested, [("3f215040.serial", false)]);
}

#[test]
fn the_timeout_for_deferred_probes_is_what_the_root_waited_for() {
    let (_, critical_path) = chain_of(
        "[    0.100000] Waiting for root device /dev/mmcblk0p2...\n\
         [    4.000000] usb 1-1: new high-speed USB device number 2\n\
         [   10.100000] mmci-pl18x 1c050000.mmci: deferred probe timeout, ignoring dependency\n\
         [   10.300000] probe of 1c050000.mmci returned 0 after 150000 usecs\n\
         [   10.400000] EXT4-fs (mmcblk0p2): mounted filesystem\n\
         [   10.450000] Run /sbin/init as init process\n",
        None,
    );
    check_links(&critical_path, &[("phase", 100), ("timeout 1c050000.mmci", 10_000), ("root", 300), ("phase", 50)]);
    assert_eq!(critical_path.segments[2].nested[0].name, "1c050000.mmci");
    let (_, critical_path) = chain_of(
        "[    0.100000] Run /sbin/init as init process\n\
         [   10.100000] platform 1c050000.mmci: deferred probe pending: supplier regulator not ready\n\
         [   10.150000] login: \n",
        Some("login: "),
    );
    assert!(
        links(&critical_path).contains(&("timeout 1c050000.mmci".to_owned(), 10_000)),
        "{:?}",
        links(&critical_path)
    );
}

/// A boot of 7.2 in the lab: `root=/dev/sda rootfstype=tmpfs rootwait=3 rdinit=/none`. No such disk came; after three
/// seconds the kernel mounted an empty tmpfs.
#[test]
fn the_wait_for_the_root_of_a_real_boot() {
    let (boot, critical_path) = chain_of(
        "[    2.280815] RAS: Correctable Errors collector initialized.\n\
         [    2.313769] clk: Disabling unused clocks\n\
         [    2.314161] PM: genpd: Disabling unused power domains\n\
         [    2.345722] check access for rdinit=/none failed: -2, ignoring\n\
         [    2.375827] Waiting for root device /dev/sda...\n\
         [    2.704853] tsc: Refined TSC clocksource calibration: 2596.099 MHz\n\
         [    2.706453] clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x256bd6fcd16, max_idle_ns: 440795329167 ns\n\
         [    2.711552] clocksource: Switched to clocksource tsc\n\
         [    3.982704] clocksource: Watchdog remote CPU 1 read timed out\n\
         [    5.387130] VFS: Mounted root (tmpfs filesystem) readonly on device 0:22.\n\
         [    5.390051] VFS: Pivoted into new rootfs\n\
         [    5.402013] Freeing unused decrypted memory: 2028K\n\
         [    5.504251] Freeing unused kernel image (initmem) memory: 4648K\n\
         [    5.505144] Write protecting the kernel read-only data: 34816k\n\
         [    5.706000] Run /none as init process\n",
        None,
    );
    let root = critical_path.segments.iter().find(|s| matches!(s.kind, SegmentKind::RootWait { .. })).unwrap();
    let text = |id: Option<RecordId>| boot.records.get(boot.records.index_of(id.unwrap()).unwrap()).unwrap().text;
    assert!(
        text(root.first).starts_with("Waiting for root device") && text(root.last).starts_with("VFS: Mounted root")
    );
    assert!(critical_path.segments.iter().all(|s| s.length() <= root.length()));
    assert_eq!(root.max_saving, root.length());
}

/// Modules loaded by tasks other than init, after init's start, up to a marker.
#[test]
fn modules_in_user_space() {
    let (_, critical_path) = chain_of(
        "[    0.100000] Run /init as init process\n\
         [    0.200000] calling  slow_init+0x0/0x10 [slow] @ 131\n\
         [    0.500000] calling  20___driver_attach_async_helper+0x0/0x10 @ 40\n\
         [    0.600000] initcall slow_init+0x0/0x10 [slow] returned 0 after 400000 usecs\n\
         [    0.600000] async_waiting @ 131\n\
         [    0.900000] probe of disk returned 0 after 400000 usecs\n\
         [    0.900000] initcall 20___driver_attach_async_helper+0x0/0x10 returned after 400000 usecs\n\
         [    0.900000] async_continuing @ 131 after 300000 usec\n\
         [    1.000000] ready\n",
        Some("ready"),
    );
    let probe = "async __driver_attach_async_helper disk";
    check_links(
        &critical_path,
        &[("silence", 100), ("silence", 100), ("slow_init", 300), (probe, 400), ("silence", 100)],
    );
    assert_eq!(critical_path.segments[3].max_saving, Dur::from_millis(300));
    // The initcall that scheduled the probe ran on in parallel with it.
    let non_critical: Vec<_> =
        critical_path.non_critical.iter().map(|b| (b.name.as_str(), b.end - b.start, b.slack)).collect();
    assert_eq!(non_critical, [("slow_init", Dur::from_millis(100), Dur::from_millis(300))]);
}

/// Two workers load a module each, and the later one takes longer: the rest of that is no silence.
#[test]
fn modules_loaded_side_by_side() {
    let (_, critical_path) = chain_of(
        "[    0.100000] Run /init as init process\n\
         [    0.200000] calling  a_init+0x0/0x10 [a] @ 131\n\
         [    0.300000] calling  b_init+0x0/0x10 [b] @ 132\n\
         [    0.600000] initcall a_init+0x0/0x10 [a] returned 0 after 400000 usecs\n\
         [    5.000000] initcall b_init+0x0/0x10 [b] returned 0 after 4700000 usecs\n\
         [    5.100000] ready\n",
        Some("ready"),
    );
    check_links(
        &critical_path,
        &[("silence", 100), ("silence", 100), ("a_init", 400), ("b_init", 4400), ("silence", 100)],
    );
    assert_eq!(critical_path.segments[3].max_saving, Dur::from_millis(4400));
}

/// Its return was lost, and another task's call says nothing of when it was over.
#[test]
fn a_call_without_its_return_ends_where_its_own_task_goes_on() {
    let (_, critical_path) = chain_of(
        "[    0.100000] Run /init as init process\n\
         [    0.200000] calling  lost_init+0x0/0x10 [lost] @ 131\n\
         [    0.300000] calling  other_init+0x0/0x10 [other] @ 132\n\
         [    0.400000] initcall other_init+0x0/0x10 [other] returned 0 after 100000 usecs\n\
         [    0.700000] calling  next_init+0x0/0x10 [next] @ 131\n\
         [    0.900000] initcall next_init+0x0/0x10 [next] returned 0 after 200000 usecs\n\
         [    1.000000] ready\n",
        Some("ready"),
    );
    let wanted = [("silence", 100), ("silence", 100), ("lost_init", 500), ("next_init", 200), ("silence", 100)];
    check_links(&critical_path, &wanted);
}

#[test]
fn services_by_order_in_time() {
    let (_, critical_path) = chain_of(
        "[    0.100000] Run /sbin/init as init process\n\
         [    0.200000] systemd[1]: Starting udev.service - Devices...\n\
         [    0.200000] systemd[1]: Starting short.service - Short...\n\
         [    0.900000] systemd[1]: Started short.service - Short.\n\
         [    1.200000] systemd[1]: Started udev.service - Devices.\n\
         [    1.210000] systemd[1]: Starting net.service - The network...\n\
         [    3.200000] systemd[1]: Started net.service - The network.\n\
         [    3.300000] login: \n",
        Some("login: "),
    );
    let services: Vec<_> = links(&critical_path).into_iter().filter(|(name, _)| name.starts_with("service")).collect();
    assert_eq!(services, [("service udev.service".to_owned(), 1000), ("service net.service".to_owned(), 1990)]);
    // Without udev.service, short.service had still been up only at 0.9 s.
    let udev = critical_path
        .segments
        .iter()
        .find(|s| matches!(&s.kind, SegmentKind::Service { name } if name == "udev.service"));
    assert_eq!(udev.unwrap().max_saving, Dur::from_millis(300));
}

#[test]
fn a_panic_has_a_chain_to_its_marker_only() {
    let log = format!(
        "{HEAD}[    0.100000] calling  hangs_init+0x0/0x10 @ 1\n\
         [    0.900000] Kernel panic - not syncing: hung_task: blocked tasks\n"
    );
    assert_eq!(CriticalPath::of(&boot(&log)), None);
    let lines = log.strip_prefix(HEAD).unwrap();
    let (_, critical_path) = chain_of(lines, Some("Kernel panic"));
    check_links(&critical_path, &[("silence", 100), ("hangs_init", 800)]);
}

#[test]
fn without_initcalls_silences_are_told_from_the_rest() {
    let log = "[    0.000000] Linux version 6.12.0 (gcc) #1 SMP\n\
               [    0.010000] a\n[    0.015000] b\n[    0.515000] c\n[    0.520000] Run /init as init process\n";
    let boot = boot(log);
    let critical_path = CriticalPath::of(&boot).unwrap();
    conserved(&boot, &critical_path);
    assert_eq!(critical_path.basis, PathBasis::Records);
    assert!(links(&critical_path).contains(&("silence".to_owned(), 500)), "{:?}", links(&critical_path));
    let silence = critical_path.segments.iter().find(|s| s.kind == SegmentKind::Silence).unwrap();
    assert_eq!((silence.first, silence.last), (Some(RecordId(2)), Some(RecordId(3))));
}

#[test]
fn no_end_no_chain() {
    assert_eq!(CriticalPath::of(&boot("[    0.000000] Linux version 6.12.0 (gcc) #1 SMP\n[    0.1] a\n")), None);
    assert_eq!(CriticalPath::of(&boot("Linux version 6.12.0 (gcc) #1 SMP\nRun /init as init process\n")), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever calls, returns and waits, in whatever order: the segments make the whole.
    #[test]
    fn segments_make_the_whole(
        lines in proptest::collection::vec((0u64..60_000, 0usize..18, 0u32..4), 1..80),
        console in any::<bool>(),
        marker in any::<bool>(),
    ) {
        let mut log = HEAD.to_owned();
        let mut now = 0u64;
        for (after, kind, n) in lines {
            now += after;
            let text = match kind {
                0 | 1 => format!("calling  f{n}_init+0x0/0x10 @ 1"),
                2 | 3 => format!("initcall f{n}_init+0x0/0x10 returned 0 after {after} usecs"),
                4 => format!("calling  {n}_scan+0x0/0x10 @ 4{n}"),
                5 => format!("initcall {n}_scan+0x0/0x10 returned after {after} usecs"),
                6 => "async_waiting @ 1".to_owned(),
                7 => format!("async_continuing @ 1 after {after} usec"),
                8 => format!("probe of dev{n} returned 0 after {} usecs", after * 2),
                9 if console => "printk: legacy console [ttyS0] enabled".to_owned(),
                9 => "Trying to unpack rootfs image as initramfs...".to_owned(),
                10 if n == 0 => "Freeing initrd memory: 8K".to_owned(),
                10 => "Waiting for root device /dev/sda1...".to_owned(),
                11 => "VFS: Mounted root (ext4 filesystem)".to_owned(),
                12 => format!("async_waiting @ 4{n}"),
                13 => format!("async_continuing @ 4{n} after {after} usec"),
                14 => format!("mmc mmc{n}: deferred probe timeout, ignoring dependency"),
                15 => format!("systemd[1]: Starting u{n}.service - Unit..."),
                16 => format!("systemd[1]: Started u{n}.service - Unit."),
                _ if marker => "Run /init as init process".to_owned(),
                _ => "calling  deferred_probe_initcall+0x0/0x10 @ 1".to_owned(),
            };
            log += &format!("[{:5}.{:06}] {text}\n", now / 1_000_000, now % 1_000_000);
        }
        log += &format!("[{:5}.{:06}] Run /init as init process\n", (now + 500) / 1_000_000, (now + 500) % 1_000_000);
        log += &format!("[{:5}.{:06}] ready\n", (now + 900) / 1_000_000, (now + 900) % 1_000_000);
        let options = BootOptions { marker: marker.then(|| "ready".to_owned()), ..BootOptions::default() };
        let boot = BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &options)).next().unwrap();
        conserved(&boot, &CriticalPath::of(&boot).unwrap());
    }
}
