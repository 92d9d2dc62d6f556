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
    captured(&Header::new("test", "board"), pieces)
}

fn captured(header: &Header, pieces: &[(i64, String)]) -> Vec<u8> {
    let mut file = encode_header(header);
    for (ms, text) in pieces {
        let at = HostTime::from_nanos(ms * 1_000_000);
        encode_chunk(&mut file, ChunkTime::instant(at, Dur::ZERO), text.as_bytes());
    }
    file
}

/// The menu with its frame, before the countdown.
fn menu(version: &Version) -> String {
    let Version { name, feed, .. } = version;
    let clear = "\x1b[H\x1b[J\x1b[1;1H";
    let border = format!("+{}+", "-".repeat(76));
    let rows: String = (5..17).map(|row| format!("\x1b[{row};2H|\x1b[{row};79H|")).collect();
    let blank = " ".repeat(76);
    let entries: String = (6..17).map(|row| format!("\x1b[m\x1b[{row};3H{blank}\x1b[m\x1b[{row};78H")).collect();
    format!(
        "{clear}\x1b[?25l\x1b[m{clear}\x1b[2;25HGNU GRUB  version {name}{feed}{feed}\x1b[m\x1b[4;2H{border}{rows}\x1b[17;2H{border}\
         \x1b[m\x1b[18;2H\x1b[19;2H\x1b[m     Use the ^ and v keys to select which entry is highlighted.{feed}      Press enter to \
         boot the selected OS, `e' to edit the commands{feed}      before booting or `c' for a command-line.\x1b[5;80H \x1b[7m\
         \x1b[5;3H*Linux{entries}\x1b[16;80H \x1b[5;78H"
    )
}

fn count(version: &Version, seconds: u32) -> String {
    let row = version.row;
    let text = format!("   The highlighted entry will be executed automatically in {seconds}s.");
    format!("\x1b[{row};1H{text:79}\x1b[5;78H")
}

fn booting(version: &Version) -> String {
    let Version { feed, quote, .. } = version;
    let clear = "\x1b[H\x1b[J\x1b[1;1H";
    format!("\x1b[?25h{clear}{clear}  Booting {quote}Linux'{feed}{feed}")
}

/// A boot by BIOS and GRUB, from its first byte to the kernel's end. The menu is drawn from 1 s to 3 s.
fn boot_of(version: &Version) -> Vec<(i64, String)> {
    let feed = version.feed;
    let drawing = menu(version).into_bytes();
    // As a slow line delivers it: a tenth at a time.
    let pieces = drawing.chunks(drawing.len().div_ceil(10)).zip(0..);
    let drawn = pieces.map(|(piece, n)| (1_000 + 200 * n, String::from_utf8(piece.to_vec()).unwrap()));
    let bios = "\x1bc\x1b[?7l\x1b[2J\x1b[0mSeaBIOS (version 1.16.3-debian-1.16.3-2)\r\nBooting from Hard Disk...\r\n";
    let mut all =
        vec![(0, bios.to_owned()), (200, "GRUB loading..\r\n".to_owned()), (600, "Welcome to GRUB!\r\n\n".to_owned())];
    all.extend(drawn);
    all.extend([
        (3_000, count(version, 2)),
        (4_000, count(version, 1)),
        (5_000, count(version, 0)),
        (5_010, booting(version)),
        (5_020, format!("Loading Linux 6.12 ...{feed}")),
        (6_520, format!("Loading initial ramdisk ...{feed}")),
        (9_000, "[    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon\r\n".to_owned()),
        (9_010, "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz console=ttyS0,9600\r\n".to_owned()),
        (9_200, "[    0.200000] Freeing unused kernel memory: 2048K\r\n".to_owned()),
        (9_210, "[    0.210000] Run /sbin/init as init process\r\n".to_owned()),
    ]);
    all
}

fn analysed(file: &[u8]) -> Boot {
    Boot::analyse(BootRecords::all(file).remove(0), &BootOptions::default())
}

fn of_rule(boot: &Boot, rule: RuleId) -> Vec<Finding> {
    findings(boot).into_iter().filter(|f| f.rule == rule).collect()
}

#[test]
fn the_countdown_lasts_as_long_as_it_counts() {
    for version in &VERSIONS {
        let boot = analysed(&capture(&boot_of(version)));
        let [wait] = &of_rule(&boot, RuleId::Ldr001)[..] else { panic!("{}", version.name) };
        assert_eq!(wait.cost.best(), Dur::from_secs(2), "{}", version.name);
        let counted = &wait.evidence[0].text;
        assert!(
            counted.trim().ends_with("executed automatically in 2s."),
            "not from where the menu is drawn: {counted}"
        );
        assert!(wait.remedies[0].action.contains("GRUB_TIMEOUT=0"), "{wait:?}");
    }
}

#[test]
fn reading_the_kernel_is_the_loaders_and_decompression_is_not_claimed() {
    for version in &VERSIONS {
        let boot = analysed(&capture(&boot_of(version)));
        let [load] = &of_rule(&boot, RuleId::Ldr002)[..] else { panic!("{}", version.name) };
        assert_eq!(load.title, "GRUB took 1.500 s to read the kernel", "{}", version.name);
        assert!(load.why.contains("the initramfs and the kernel's decompression took"), "{}", load.why);
    }
    // The kernel's EFI stub says when it has its initramfs.
    let mut pieces = boot_of(&VERSIONS[3]);
    let stub = "EFI stub: Loaded initrd from LINUX_EFI_INITRD_MEDIA_GUID device path\r\n";
    pieces.insert(pieces.len() - 4, (8_000, stub.to_owned()));
    let boot = analysed(&capture(&pieces));
    let [load] = &of_rule(&boot, RuleId::Ldr002)[..] else { panic!() };
    assert!(load.title.ends_with("to read the kernel and the initramfs"), "{}", load.title);
}

#[test]
fn the_menu_is_drawn_at_the_lines_speed() {
    let rate = LineRate::of(Baud::new(9600).unwrap(), Frame::default());
    let header = Header { line_bytes_per_s: Some(rate), ..Header::new("test", "board") };
    let bytes = captured(&header, &boot_of(&VERSIONS[3]));
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
