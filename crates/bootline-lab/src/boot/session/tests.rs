// SPDX-License-Identifier: MIT OR Apache-2.0
//! A boot in made-up time, with a made-up guest.
use std::path::Path;

use bootline_capture::Header;
use bootline_images::image_format::ImageFormat;
use bootline_images::roots::FileSystem;

use super::super::BootedRoot;
use super::*;
use crate::storage::StoragePreset;

fn ms(t: i64) -> HostTime {
    HostTime::from_nanos(t * 1_000_000)
}

fn session(marker: Option<&str>, own_init: bool) -> (tempfile::TempDir, Session) {
    let dir = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(&dir.path().join("boot.cap"), &Header::new("test", "nowhere")).unwrap();
    let marker = marker.map(|m| Regex::new(m).unwrap());
    (dir, Session::new(Some(recorder), marker, own_init, Dur::from_millis(1)))
}

fn say(session: &mut Session, at: i64, bytes: &str) {
    let take = LineRead { busy_since: None, at: ms(at), due: ms(at), bytes: bytes.as_bytes().to_vec() };
    session.line(&take).unwrap();
}

fn frame(session: &mut Session, at: i64, name: &str, content: &str) {
    let bytes = format!("@data {name} {}\n{content}\n", content.len()).into_bytes();
    session.truth(&TruthRead { at: ms(at), processor: Some(Dur::from_millis(at / 2)), bytes });
}

#[test]
fn init_is_timed_and_the_line_drains_before_power_off() {
    let (_dir, mut s) = session(None, false);
    say(&mut s, 100, "[    0.000000] Linux\r\n");
    frame(&mut s, 200, "init", "monotonic_ns=5 boottime_ns=6 entered_ns=3");
    frame(&mut s, 201, "sys/kernel/printk", "7 4 1 7");
    frame(&mut s, 202, "kmsg", "5,0,0,-;Linux\n6,1,1,-;the last\n7,2,2,-;hidden\n");
    frame(&mut s, 203, "ready", "");
    assert_eq!(s.report.init_at, Some(ms(200)));
    assert_eq!(s.report.init_guest, Some(Dur::from_nanos(5)));
    assert_eq!(s.report.port_opening, Some(Dur::from_nanos(2)));
    assert_eq!(s.tick(ms(4_000)).unwrap(), None, "the last record is still under way");
    say(&mut s, 4_100, "[    0.000001] the last\r\n");
    assert_eq!(s.tick(ms(4_200)).unwrap(), None, "the line is not quiet yet");
    assert_eq!(s.tick(ms(4_500)).unwrap(), Some(GuestCommand::Dump));
    assert_eq!(s.tick(ms(4_600)).unwrap(), None, "asked once");
    // A record that came meanwhile is waited for as well.
    frame(&mut s, 4_700, "kmsg", "6,3,3,-;late\n");
    frame(&mut s, 4_700, "ready", "");
    assert_eq!(s.tick(ms(5_000)).unwrap(), None);
    say(&mut s, 5_100, "[    0.000003] late\r\n");
    assert_eq!(s.tick(ms(5_500)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 5_600, "ready", "");
    assert_eq!(s.tick(ms(5_600)).unwrap(), Some(GuestCommand::PowerOff));
    assert_eq!(s.tick(ms(5_700)).unwrap(), None, "told once");
    assert!(s.is_done());
    assert_eq!(s.bytes_before_init, 22);
    assert_eq!(s.log_complete, Some(ms(5_100)));
    say(&mut s, 6_000, "[    9.000000] reboot: Power down\r\n");
    assert_eq!(s.log_complete, Some(ms(5_100)), "the power-off is no part of the boot");
}

#[test]
fn a_replay_by_a_module_is_waited_for() {
    let (_dir, mut s) = session(None, false);
    frame(&mut s, 100, "init", "monotonic_ns=5 boottime_ns=6");
    frame(&mut s, 150, "module", "file=/modules/0-a.ko errno=0 start_ns=5 end_ns=9");
    frame(&mut s, 151, "loaded", "");
    say(&mut s, 160, "[    0.000000] Linux\r\n");
    frame(&mut s, 170, "sys/kernel/printk", "7 4 1 7");
    frame(&mut s, 170, "kmsg", "5,0,0,-;Linux\n6,1,1,-;the middle\n6,2,2,-;the last\n");
    frame(&mut s, 180, "ready", "");
    assert_eq!((s.report.loaded_at, s.report.ready_at), (Some(ms(151)), Some(ms(180))));
    // A thread that is slow has its time, as long as records are missing.
    assert_eq!(s.tick(ms(5_000)).unwrap(), None);
    say(&mut s, 5_100, "[    0.000001] the middle\r\n");
    assert_eq!(s.tick(ms(9_000)).unwrap(), None);
    say(&mut s, 9_100, "[    0.000002] the last\r\n");
    assert_eq!(s.tick(ms(9_500)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 9_600, "ready", "");
    assert_eq!(s.tick(ms(9_600)).unwrap(), Some(GuestCommand::PowerOff));
    assert_eq!((s.log_complete, s.report.ready_at), (Some(ms(9_100)), Some(ms(180))));
}

#[test]
fn lines_are_printed_when_the_boots_own_log_is_through() {
    let (_dir, s) = session(None, false);
    let mut s = s.printing(Some(2));
    say(&mut s, 100, "[    0.000000] Linux\r\n");
    frame(&mut s, 200, "init", "monotonic_ns=5 boottime_ns=6");
    frame(&mut s, 202, "kmsg", "5,0,0,-;Linux\n");
    frame(&mut s, 203, "ready", "");
    assert_eq!(s.tick(ms(1_000)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 1_100, "ready", "");
    assert_eq!(s.tick(ms(1_100)).unwrap(), Some(GuestCommand::Lines(2)));
    assert_eq!(s.phase(), BootPhase::Printing);
    assert_eq!(s.tick(ms(5_000)).unwrap(), None, "a thread may be late to print");
    say(&mut s, 5_100, "[    1.000000] 1/2##\r\n");
    assert_eq!(s.tick(ms(5_300)).unwrap(), None);
    say(&mut s, 5_400, "[    1.000000] 2/2##\r\n");
    assert_eq!(s.tick(ms(5_800)).unwrap(), Some(GuestCommand::Dump));
    assert_eq!(s.line_bytes, 44);
    frame(&mut s, 5_900, "kmsg", "14,1,1000000,-;1/2##\n14,2,1000000,-;2/2##\n");
    frame(&mut s, 5_900, "lines", "count=2 start_ns=1000 end_ns=3000");
    frame(&mut s, 5_900, "ready", "");
    assert_eq!(s.tick(ms(5_900)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 5_950, "ready", "");
    assert_eq!(s.tick(ms(6_000)).unwrap(), Some(GuestCommand::PowerOff), "once is enough");
    let report = s.report.lines.unwrap();
    assert_eq!((report.count, report.end - report.start), (2, Dur::from_nanos(2000)));
}

#[test]
fn lines_that_the_console_does_not_show_are_not_waited_for_long() {
    let (_dir, s) = session(None, false);
    let mut s = s.printing(Some(2));
    frame(&mut s, 200, "init", "");
    frame(&mut s, 203, "ready", "");
    assert_eq!(s.tick(ms(9_000)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 9_000, "ready", "");
    assert_eq!(s.tick(ms(9_000)).unwrap(), Some(GuestCommand::Lines(2)));
    assert_eq!(s.tick(ms(17_100)).unwrap(), Some(GuestCommand::Dump));
    assert_eq!(s.line_bytes, 0);
}

#[test]
fn modules_are_told_in_order_and_without_end_they_are_not_kept() {
    let (_dir, mut s) = session(None, false);
    frame(&mut s, 1, "module", "file=/modules/0-a.ko errno=0 start_ns=5 end_ns=9");
    frame(&mut s, 2, "module", "file=/modules/1-b.ko errno=8 start_ns=9 end_ns=9");
    frame(&mut s, 3, "module", "file=/modules/2-c.ko errno=99999999999");
    let errnos: Vec<i32> = s.report.modules.iter().map(|m| m.errno).collect();
    assert_eq!(errnos, [0, 8, libc::EINVAL]);
    assert_eq!(s.report.modules[0].end - s.report.modules[0].start, Dur::from_nanos(4));
    for _ in 0..2 * MAX_MODULES {
        frame(&mut s, 4, "module", "errno=0");
    }
    assert_eq!(s.report.modules.len(), MAX_MODULES);
}

#[test]
fn a_record_that_never_comes_is_waited_for_in_vain_but_not_for_ever() {
    let (_dir, mut s) = session(None, false);
    say(&mut s, 100, "noise");
    frame(&mut s, 200, "init", "");
    frame(&mut s, 202, "kmsg", "5,0,0,-;lost\n");
    frame(&mut s, 203, "ready", "");
    assert_eq!(s.tick(ms(8_000)).unwrap(), None);
    assert_eq!(s.tick(ms(8_200)).unwrap(), Some(GuestCommand::Dump));
}

#[test]
fn a_marker_ends_a_boot_of_the_users_own() {
    let (_dir, mut s) = session(Some("login: $"), true);
    say(&mut s, 100, "Debian\r\nboard lo");
    assert_eq!(s.tick(ms(9_000)).unwrap(), None);
    say(&mut s, 9_100, "gin: ");
    assert_eq!(s.marker_at, Some(ms(9_100)), "a prompt has no line end");
    assert_eq!(s.tick(ms(9_200)).unwrap(), None);
    assert_eq!(s.tick(ms(9_300)).unwrap(), None);
    assert_eq!(s.tick(ms(10_200)).unwrap(), Some(GuestCommand::Kill));
    assert!(s.is_done());
}

#[test]
fn a_panic_is_seen_and_its_last_words_are_waited_for() {
    let (_dir, mut s) = session(None, false);
    say(&mut s, 100, "[    1.0] x\r\n[    1.000000] Kernel panic - not syncing: VFS\r\n");
    assert_eq!(s.panic_line.as_deref(), Some("[    1.000000] Kernel panic - not syncing: VFS"));
    say(&mut s, 200, "\x1b[1mtrace\r\n");
    assert_eq!(s.last_line, "\\u{1b}[1mtrace");
    assert_eq!(s.tick(ms(3_000)).unwrap(), None);
    assert_eq!(s.tick(ms(3_300)).unwrap(), Some(GuestCommand::Kill));
}

#[test]
fn what_arrives_is_in_the_capture() {
    let (dir, mut s) = session(None, false);
    say(&mut s, 100, "one\r\ntwo");
    drop(s.recorder.take());
    let file = std::fs::read(dir.path().join(Path::new("boot.cap"))).unwrap();
    let holds = |text: &[u8]| file.windows(text.len()).any(|w| w == text);
    assert!(holds(b"one\r\n") && holds(b"two"));
}

#[test]
fn the_storage_is_checked_once_the_application_has_drawn_its_picture_again() {
    let boot = SystemBoot { storage: Some(StoragePreset::Nand), ..SystemBoot::of_busybox() };
    let (_dir, s) = session(None, false);
    let mut s = s.of_system(Some(&boot), "quiet");
    frame(&mut s, 200, "init", "monotonic_ns=5 boottime_ns=6");
    for mark in AWAITED {
        frame(&mut s, 1_000, mark, "monotonic_ns=7");
    }
    (s.report.picture_seen_at, s.report.socket_answered_at) = (Some(ms(1_000)), Some(ms(1_000)));
    assert_eq!(s.tick(ms(1_100)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 1_200, "ready", "");
    assert_eq!(s.tick(ms(2_000)).unwrap(), Some(GuestCommand::Dump));
    frame(&mut s, 2_100, "ready", "");
    for early in [2_100, 4_000, 7_000] {
        assert_eq!(s.tick(ms(early)).unwrap(), None, "at {early}");
    }
    for device in ["if=/dev/null", "if=/dev/vd"] {
        let told = s.tick(ms(7_200)).unwrap();
        assert!(matches!(&told, Some(GuestCommand::Run(command)) if command.contains(device)), "{told:?}");
        frame(&mut s, 7_200, "done", "status=0");
    }
}

#[test]
fn a_root_of_ones_own_has_booted_at_its_prompt() {
    let boot = SystemBoot {
        root: BootedRoot::Own { file_system: FileSystem::Ext4, partition: None },
        state: None,
        ..SystemBoot::of_busybox()
    };
    let (_dir, s) = session(Some("login: ?$"), false);
    let mut s = s.of_system(Some(&boot), "quiet");
    frame(&mut s, 200, "init", "monotonic_ns=5 boottime_ns=6");
    // The prompt of another program, before the root's own init.
    say(&mut s, 300, "login: \r\n");
    assert_eq!(s.tick(ms(400)).unwrap(), None);
    frame(&mut s, 500, "handoff", "monotonic_ns=7");
    assert_eq!((s.tick(ms(600)).unwrap(), s.marker_at), (None, None));
    say(&mut s, 700, "board login: ");
    assert_eq!((s.tick(ms(800)).unwrap(), s.marker_at), (Some(GuestCommand::Dump), Some(ms(700))));
}

#[test]
fn an_application_that_is_process_1_has_booted_when_it_is_ready_and_its_picture_was_seen() {
    let root = BootedRoot::Lab { system: System::DebianSystemd, format: ImageFormat::Ext4 };
    let boot = SystemBoot { storage: Some(StoragePreset::Nand), root, ..SystemBoot::of_busybox() };
    for (append, expected) in [("quiet init=/usr/lib/bootline/app", Some(GuestCommand::Dump)), ("quiet", None)] {
        let (_dir, s) = session(None, false);
        let mut s = s.of_system(Some(&boot), append);
        frame(&mut s, 200, "init", "monotonic_ns=5 boottime_ns=6");
        frame(&mut s, 1_000, PICTURE, "monotonic_ns=7");
        s.report.picture_seen_at = Some(ms(1_060));
        assert_eq!(s.tick(ms(1_070)).unwrap(), None, "it does not listen");
        frame(&mut s, 1_080, SOCKET, "monotonic_ns=8");
        assert_eq!(s.tick(ms(1_100)).unwrap(), expected, "{append}");
        let questions = s.system.unwrap().questions;
        let is_asked_for_units = questions.iter().any(|(_, command)| command.contains("systemctl"));
        assert_eq!(
            (questions.len() > 2, is_asked_for_units),
            (expected.is_none(), expected.is_none()),
            "{questions:?}"
        );
    }
}
