// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB on a serial line: its menu, its countdown, and what it says while it loads, as the sources of 1.99 to 2.12 print them
//! (normal/main.c, normal/menu.c, normal/menu_text.c, term/terminfo.c, util/grub.d/10_linux.in).
use bootline_analysis::rules::{Finding, RuleId, findings};
use bootline_boot::{Boot, BootOptions, BootRecords, StageName};
use bootline_capture::units::{Baud, Dur, Frame, HostTime, LineRate};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};

/// What differs between the versions of GRUB.
struct Version {
    name: &'static str,
    /// What a line feed becomes.
    feed: &'static str,
    /// The quotation mark before the name of what is booted.
    quote: char,
    /// Row of the countdown, from 1.
    row: u32,
}

const VERSIONS: [Version; 4] = [
    Version { name: "1.99-27+deb7u3", feed: "\n\r", quote: '\'', row: 22 },
    Version { name: "2.02+dfsg1-20", feed: "\n\r", quote: '`', row: 23 },
    Version { name: "2.06-13+deb12u1", feed: "\n\r", quote: '`', row: 22 },
    Version { name: "2.12-9", feed: "\n\r", quote: '`', row: 22 },
];

/// A capture of pieces that arrive at these times, in milliseconds.
fn capture(pieces: &[(i64, String)]) -> Vec<u8> {
    let rate = LineRate::of(Baud::new(9600).unwrap(), Frame::default());
    let file = Header { line_bytes_per_s: Some(rate), ..Header::new("test", "board") };
    let mut bytes = encode_header(&file);
    for (ms, text) in boot_of(&VERSIONS[3]) {
        encode_chunk(&mut bytes, ChunkTime::instant(HostTime::from_nanos(ms * 1_000_000), Dur::ZERO), text.as_bytes());
    }
    let [printed] = &of_rule(&analysed(&bytes), RuleId::Ldr007)[..] else { panic!() };
    let menu = printed.remedies[0].action.clone();
    let drawn: u64 = menu.split(' ').find_map(|word| word.parse().ok()).unwrap();
    assert!((1_500..2_500).contains(&drawn) && menu.contains("GRUB_TIMEOUT_STYLE=hidden"), "{menu}");
    assert!(printed.remedies.iter().all(|r| !r.action.contains("U-Boot")), "{printed:?}");
}

#[test]
fn firmware_and_loader_are_stages_before_the_kernel() {
    let names = |file: &[u8]| -> Vec<StageName> {
        let boot = analysed(file).with_sources(&[], None);
        boot.whole.stages.iter().map(|stage| stage.name).take(2).collect()
    };
    assert_eq!(names(&capture(&boot_of(&VERSIONS[3]))), [StageName::Firmware, StageName::Loader]);
    // EFI firmware says that it starts a loader, which itself is quiet.
    let mut pieces = boot_of(&VERSIONS[3]);
    pieces.retain(|(_, text)| text.starts_with("[ "));
    let said = |what: &str| format!("BdsDxe: {what} Boot0001 \"UEFI Misc Device\" from PciRoot(0x0)/Pci(0x2,0x0)\r\n");
    pieces.splice(0..0, [(100, said("loading")), (900, said("starting"))]);
    let file = capture(&pieces);
    assert_eq!(names(&file), [StageName::Firmware, StageName::Loader]);
    let loader = analysed(&file).with_sources(&[], None).whole.stages[1].clone();
    assert!(loader.end - loader.start > Dur::from_secs(7), "{loader:?}");
}

/// A terminal program stamps a line, and a menu is one.
#[test]
fn a_menu_under_one_stamp_is_a_wait_too() {
    let version = &VERSIONS[3];
    let counts = [2, 1, 0].map(|n| count(version, n)).concat();
    let log = format!(
        "[0.000003 0.000003] Welcome to GRUB!\n\
         [1.000003 1.000000] *Linux{counts}\x1b[?25h\x1b[H\x1b[J\x1b[1;1H  Booting `Linux'\n\
         [3.100003 2.100000] Loading Linux 6.12 ...\n\
         [4.100003 1.000000] [    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon\n\
         [4.110003 0.010000] [    0.000000] Command line: console=ttyS0,9600\n\
         [4.300003 0.190000] [    0.200000] Freeing unused kernel memory: 2048K\n\
         [4.301003 0.001000] [    0.210000] Run /sbin/init as init process\n"
    );
    let [wait] = &of_rule(&analysed(log.as_bytes()), RuleId::Ldr001)[..] else { panic!() };
    assert_eq!(wait.cost.best(), Dur::from_secs(2));
}
