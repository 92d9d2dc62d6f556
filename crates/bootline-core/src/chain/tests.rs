// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use crate::boot::{BootRecords, Options};

fn boot(log: &str) -> Boot {
    BootRecords::all(log.as_bytes()).into_iter().map(|b| Boot::analyse(b, &Options::default())).next().unwrap()
}

/// Without gap or overlap, from the chain's start to the boot's end.
fn conserved(boot: &Boot, chain: &Chain) {
    assert_eq!(chain.segments.iter().map(Segment::length).sum::<Dur>(), chain.length());
    assert!(chain.segments.iter().all(|s| s.length() > Dur::ZERO && s.net() <= s.length()), "{chain:#?}");
    assert!(chain.segments.windows(2).all(|s| s[0].end == s[1].start), "{chain:#?}");
    assert_eq!(chain.segments.first().map_or(chain.start, |s| s.start), chain.start);
    assert_eq!(chain.end, boot.end.as_ref().unwrap().at.best());
    // The time to init counts from a moment on the chain.
    let reference = chain.end - boot.end.as_ref().unwrap().elapsed.best();
    assert!(reference >= chain.start, "{reference} before {}", chain.start);
    assert!(chain.segments.iter().all(|s| s.effect >= Dur::ZERO && s.effect <= s.length()));
    assert!(chain.beside.iter().all(|b| b.slack >= Dur::ZERO && b.end <= chain.end));
}

/// The links in short, with their lengths in milliseconds.
fn links(chain: &Chain) -> Vec<(String, i64)> {
    let name = |s: &Segment| match &s.link {
        Link::Initcall { name } => name.clone(),
        Link::AsyncCall { name, device } => format!("async {name} {}", device.as_deref().unwrap_or("-")),
        Link::Initramfs => "initramfs".to_owned(),
        Link::AsyncWait => "async?".to_owned(),
        Link::RootWait { .. } => "root".to_owned(),
        Link::Silence => "silence".to_owned(),
        Link::Phase { .. } => "phase".to_owned(),
        other => format!("{other:?}"),
    };
    chain.segments.iter().map(|s| (name(s), s.length().as_nanos() / 1_000_000)).collect()
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
    let chain = Chain::of(&boot).unwrap();
    conserved(&boot, &chain);
    assert_eq!(chain.basis, Basis::AsyncCalls);
    let wanted =
        [("silence", 100), ("first_init", 100), ("async __driver_attach_async_helper long", 500), ("silence", 100)];
    assert_eq!(links(&chain), wanted.map(|(name, ms)| (name.to_owned(), ms)));
    // Without the long probe the boot had waited for the short one.
    assert_eq!(chain.segments[2].effect, Dur::from_millis(200));
    let beside: Vec<_> = chain.beside.iter().map(|b| (b.name.as_str(), b.slack)).collect();
    let helper = "__driver_attach_async_helper";
    assert_eq!(beside, [(helper, Dur::from_millis(200)), ("second_init", Dur::from_millis(300))]);
}

#[test]
fn an_async_call_that_is_over_in_time_is_beside() {
    let log =
        two_probes().replace("0.700000] async_continuing @ 1 after 300000", "0.400000] async_continuing @ 1 after 0");
    let boot = boot(&log);
    let chain = Chain::of(&boot).unwrap();
    conserved(&boot, &chain);
    assert!(!links(&chain).iter().any(|l| l.0.starts_with("async")), "{:?}", links(&chain));
    // Nobody waited for them before init.
    let slack: Vec<Dur> = chain.beside.iter().map(|b| b.slack).collect();
    assert_eq!(slack, [Dur::from_millis(300), Dur::from_millis(100)]);
}

#[test]
fn a_wait_without_a_call_is_said_to_be_one() {
    let log: String = two_probes().lines().filter(|l| !l.contains("helper")).map(|l| format!("{l}\n")).collect();
    let boot = boot(&log);
    let chain = Chain::of(&boot).unwrap();
    conserved(&boot, &chain);
    assert!(links(&chain).contains(&("async?".to_owned(), 300)), "{:?}", links(&chain));
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
    let chain = Chain::of(&boot).unwrap();
    conserved(&boot, &chain);
    let links = links(&chain);
    assert!(links.contains(&("initramfs".to_owned(), 550)) && links.contains(&("root".to_owned(), 300)), "{links:?}");
    let unpacking = chain.segments.iter().find(|s| s.link == Link::Initramfs).unwrap();
    assert_eq!(unpacking.effect, Dur::from_millis(400));
    assert_eq!(chain.beside[0].name, "last_init");
}

#[test]
fn without_initcalls_silences_are_told_from_the_rest() {
    let log = "[    0.000000] Linux version 6.12.0 (gcc) #1 SMP\n\
               [    0.010000] a\n[    0.015000] b\n[    0.515000] c\n[    0.520000] Run /init as init process\n";
    let boot = boot(log);
    let chain = Chain::of(&boot).unwrap();
    conserved(&boot, &chain);
    assert_eq!(chain.basis, Basis::Records);
    assert!(links(&chain).contains(&("silence".to_owned(), 500)), "{:?}", links(&chain));
    let silence = chain.segments.iter().find(|s| s.link == Link::Silence).unwrap();
    assert_eq!((silence.first, silence.last), (Some(RecordId(2)), Some(RecordId(3))));
}

#[test]
fn no_end_no_chain() {
    assert_eq!(Chain::of(&boot("[    0.000000] Linux version 6.12.0 (gcc) #1 SMP\n[    0.1] a\n")), None);
    assert_eq!(Chain::of(&boot("Linux version 6.12.0 (gcc) #1 SMP\nRun /init as init process\n")), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever calls, returns and waits, in whatever order: the segments make the whole.
    #[test]
    fn segments_make_the_whole(
        lines in proptest::collection::vec((0u64..60_000, 0usize..12, 0u32..4), 1..80),
        console in any::<bool>(),
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
                _ => "VFS: Mounted root (ext4 filesystem)".to_owned(),
            };
            log += &format!("[{:5}.{:06}] {text}\n", now / 1_000_000, now % 1_000_000);
        }
        log += &format!("[{:5}.{:06}] Run /init as init process\n", (now + 500) / 1_000_000, (now + 500) % 1_000_000);
        let boot = boot(&log);
        conserved(&boot, &Chain::of(&boot).unwrap());
    }
}
