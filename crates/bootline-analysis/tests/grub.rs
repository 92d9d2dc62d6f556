// SPDX-License-Identifier: MIT OR Apache-2.0
//! GRUB on a serial line: its menu, its countdown, and what it says while it loads, written after the sources of 0.97 (stage2/stage2.c),
//! 1.97 to 2.12 and Fedora's (normal/main.c, normal/menu.c, normal/menu_text.c, term/terminfo.c, util/grub.d/10_linux.in), and after EDK
//! II's TerminalDxe, by whose console GRUB's EFI program prints.
use bootline_analysis::rules::{Finding, RuleId, findings};
use bootline_boot::{Boot, BootOptions, BootRecords, StageName};
use bootline_capture::units::{Baud, Dur, Frame, HostTime, LineRate};
use bootline_capture::{ChunkTime, Header, encode_chunk, encode_header};

/// What writes the control sequences.
#[derive(Clone, Copy, PartialEq)]
enum Terminal {
    /// GRUB's own, a vt100.
    Serial,
    /// Firmware's. (Within a row it moves the cursor by `ESC [ n C` and `ESC [ n D`, as the countdown without words shows.)
    Efi,
}

impl Terminal {
    /// Moves the cursor to a row and a column, from 1.
    fn goto(self, row: u32, column: u32) -> String {
        match self {
            Terminal::Serial => format!("\x1b[{row};{column}H"),
            Terminal::Efi => format!("\x1b[{row:02};{column:02}H"),
        }
    }

    fn clear(self) -> &'static str {
        match self {
            Terminal::Serial => "\x1b[H\x1b[J\x1b[1;1H",
            Terminal::Efi => "\x1b[0m\x1b[37m\x1b[40m\x1b[2J\x1b[01;01H",
        }
    }

    fn highlight(self) -> &'static str {
        match self {
            Terminal::Serial => "\x1b[7m",
            Terminal::Efi => "\x1b[0m\x1b[30m\x1b[47m",
        }
    }

    fn normal(self) -> &'static str {
        match self {
            Terminal::Serial => "\x1b[m",
            Terminal::Efi => "\x1b[0m\x1b[37m\x1b[40m",
        }
    }
}

/// How the countdown goes on each second.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    /// The whole sentence, from the first column.
    Sentence,
    /// The number and what follows it, in its column.
    Number,
    /// The whole sentence, but not from the first column.
    Inset,
}

/// What differs between the versions of GRUB.
struct Version {
    name: &'static str,
    terminal: Terminal,
    /// The countdown's words before and after its number.
    words: [&'static str; 2],
    count: Count,
    /// Row of the countdown, from 1.
    row: u32,
    /// The quotation mark before the name of what is booted, where that is printed.
    quote: Option<char>,
    /// Whether menu entries say what they load.
    says_load: bool,
    /// Whether the menu has a frame.
    frame: bool,
}

const EXECUTED: [&str; 2] = ["   The highlighted entry will be executed automatically in ", "s."];
const UPSTREAM: Version = Version {
    name: "2.12-9",
    terminal: Terminal::Serial,
    words: EXECUTED,
    count: Count::Sentence,
    row: 22,
    quote: Some('`'),
    says_load: true,
    frame: true,
};

const VERSIONS: [Version; 9] = [
    Version {
        name: "0.97",
        words: ["The highlighted entry will be booted automatically in ", " seconds.    "],
        count: Count::Inset,
        row: 23,
        quote: Some('\''),
        says_load: false,
        ..UPSTREAM
    },
    Version {
        name: "1.97",
        words: ["   The highlighted entry will be booted automatically in ", "s.    "],
        count: Count::Number,
        quote: Some('\''),
        says_load: false,
        ..UPSTREAM
    },
    // Debian's names no entry.
    Version { name: "1.98+20100804-14+squeeze1", quote: None, ..UPSTREAM },
    Version { name: "1.99-27+deb7u3", quote: Some('\''), ..UPSTREAM },
    Version { name: "2.02+dfsg1-20", row: 23, ..UPSTREAM },
    Version { name: "2.06-13+deb12u1", ..UPSTREAM },
    Version {
        name: "2.06 of Fedora",
        words: ["   The selected entry will be started automatically in ", "s."],
        row: 21,
        says_load: false,
        frame: false,
        ..UPSTREAM
    },
    Version { name: "2.12-9, EFI", terminal: Terminal::Efi, row: 23, ..UPSTREAM },
    UPSTREAM,
];

/// GRUB prints the line feed first.
const FEED: &str = "\n\r";

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

/// The menu, before the countdown.
fn menu(version: &Version) -> String {
    let Version { name, terminal, frame, .. } = version;
    let (clear, normal, highlight) = (terminal.clear(), terminal.normal(), terminal.highlight());
    let goto = |row, column| terminal.goto(row, column);
    let border = format!("+{}+", "-".repeat(76));
    let rows: String = (5..17).map(|row| format!("{}|{}|", goto(row, 2), goto(row, 79))).collect();
    let rows = format!("{}{border}{rows}{}{border}", goto(4, 2), goto(17, 2));
    let (rows, column) = if *frame { (rows, 3) } else { (String::new(), 1) };
    let blank = " ".repeat(76);
    let entry = |row| format!("{normal}{}{blank}{normal}{}", goto(row, column), goto(row, 78));
    let entries: String = (6..17).map(entry).collect();
    format!(
        "{clear}{normal}{clear}{}GNU GRUB  version {name}{FEED}{FEED}{normal}{rows}{normal}{}{}{normal}     Use the ^ and v keys to \
         select which entry is highlighted.{FEED}      Press enter to boot the selected OS, `e' to edit the commands{FEED}      before \
         booting or `c' for a command-line.{} {highlight}{}*Linux{entries}{} {}",
        goto(2, 25),
        goto(18, 2),
        goto(19, 2),
        goto(5, 80),
        goto(5, column),
        goto(16, 80),
        goto(5, 78),
    )
}

/// The countdown's first sentence, or how it goes on.
fn count(version: &Version, seconds: u32, goes_on: bool) -> String {
    let [before, after] = version.words;
    let column = match version.count {
        Count::Number if goes_on => before.len() as u32 + 1,
        Count::Inset => 4,
        _ => 1,
    };
    let before = if column == 1 || version.count == Count::Inset { before } else { "" };
    let text = format!("{before}{seconds}{after}");
    // Up to the line's end where the sentence begins it.
    let text = if version.count == Count::Sentence { format!("{text:79}") } else { text };
    format!("{}{text}{}", version.terminal.goto(version.row, column), version.terminal.goto(5, 78))
}

fn booting(version: &Version) -> String {
    let clear = version.terminal.clear();
    let named = version.quote.map(|quote| format!("  Booting {quote}Linux'{FEED}{FEED}"));
    format!("{clear}{clear}{}", named.unwrap_or_default())
}

const BIOS: &str =
    "\x1bc\x1b[?7l\x1b[2J\x1b[0mSeaBIOS (version 1.16.3-debian-1.16.3-2)\r\nBooting from Hard Disk...\r\n";

/// The kernel, from 9 s on.
fn kernel() -> [(i64, String); 4] {
    [
        (9_000, "[    0.000000] Linux version 6.12.40 (build@host) (gcc 14.2.0) #1 SMP PREEMPT Mon\r\n".to_owned()),
        (9_010, "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz console=ttyS0,9600\r\n".to_owned()),
        (9_200, "[    0.200000] Freeing unused kernel memory: 2048K\r\n".to_owned()),
        (9_210, "[    0.210000] Run /sbin/init as init process\r\n".to_owned()),
    ]
}

/// A boot by BIOS and GRUB, from its first byte to the kernel's end. The menu is drawn from 1 s to 3 s.
fn boot_of(version: &Version) -> Vec<(i64, String)> {
    let drawing = menu(version).into_bytes();
    // As a slow line delivers it: a tenth at a time.
    let pieces = drawing.chunks(drawing.len().div_ceil(10)).zip(0..);
    let drawn = pieces.map(|(piece, n)| (1_000 + 200 * n, String::from_utf8(piece.to_vec()).unwrap()));
    let mut all =
        vec![(0, BIOS.to_owned()), (200, "GRUB loading..\r\n".to_owned()), (600, "Welcome to GRUB!\r\n\n".to_owned())];
    all.extend(drawn);
    all.extend([(3_000, count(version, 2, false)), (4_000, count(version, 1, true))]);
    // GRUB 0.97 doesn't count to zero.
    all.extend((version.name != "0.97").then(|| (5_000, count(version, 0, true))));
    // A record begins where the screen is cleared.
    all.push((if version.quote.is_some() { 5_010 } else { 5_020 }, booting(version)));
    if version.says_load {
        all.push((5_020, format!("Loading Linux 6.12 ...{FEED}")));
        all.push((6_520, format!("Loading initial ramdisk ...{FEED}")));
    }
    all.extend(kernel());
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
        assert_eq!(wait.title, "the boot loader waited 2.000 s for a key", "{}", version.name);
        let counted = wait.evidence[0].text.trim();
        // Of a sentence that begins no line of the screen the line's other text is seen, too.
        let sentence = format!("{}2{}", version.words[0], version.words[1]);
        let sentence = sentence.trim();
        let whole = if version.count == Count::Sentence { counted == sentence } else { counted.contains(sentence) };
        assert!(whole, "not from where the menu is drawn: {counted}");
        let file = if version.name == "0.97" { "menu.lst" } else { "GRUB_TIMEOUT=0" };
        assert!(wait.remedies[0].action.contains(file), "{wait:?}");
    }
}

/// After its first words GRUB prints nothing, and boots 5.1 s later.
#[test]
fn a_hidden_menu_is_a_silence_that_may_be_a_wait() {
    for terminal in [Terminal::Serial, Terminal::Efi] {
        let boots = |words: &str, at: i64| {
            let mut pieces = vec![
                (0, BIOS.to_owned()),
                (600, format!("Welcome to GRUB!{FEED}{FEED}")),
                (at, format!("{}{words}{FEED}", terminal.clear())),
            ];
            pieces.extend(kernel());
            of_rule(&analysed(&capture(&pieces)), RuleId::Ldr001)
        };
        // Debian's, and one that names no entry.
        for words in ["  Booting `Debian GNU/Linux'", "Loading Linux 6.12 ..."] {
            let [silent] = &boots(words, 5_700)[..] else { panic!("{words}") };
            assert_eq!(
                silent.title,
                "GRUB was silent for 5.100 s before it booted: a hidden timeout, or it read its files"
            );
            assert_eq!((silent.cost.low(), silent.cost.best()), (Dur::ZERO, Dur::from_millis(5_100)));
            assert!(silent.remedies[0].action.contains("GRUB_TIMEOUT=0"), "{silent:?}");
        }
        assert_eq!(boots("  Booting `Debian GNU/Linux'", 1_500), [], "no timeout is shorter than a second");
        assert_eq!(boots("Loading Windows", 5_700), []);
        // The menu waits for somebody, without a countdown.
        let menu = menu(&Version { terminal, ..UPSTREAM });
        let shown = |words: &str| boots(&format!("{menu}{}{words}", terminal.clear()), 5_700);
        assert_eq!(shown("  Booting `Debian GNU/Linux'"), []);
    }
}

#[test]
fn a_countdown_without_words_lasts_as_long_as_it_counts() {
    let waits = |pieces: &[(i64, String)]| {
        let mut all = vec![(0, BIOS.to_owned())];
        all.extend_from_slice(pieces);
        all.push((5_050, format!("{}  Booting `Debian GNU/Linux'{FEED}{FEED}", Terminal::Serial.clear())));
        all.extend(kernel());
        let found = of_rule(&analysed(&capture(&all)), RuleId::Ldr001);
        let [wait] = &found[..] else { panic!("{found:?}") };
        assert_eq!(wait.cost.best(), Dur::from_secs(3), "{wait:?}");
        assert_eq!(wait.title, "the boot loader waited 3.000 s for a key");
        wait.remedies[0].action.clone()
    };
    let welcome = |terminal: Terminal| (600, format!("Welcome to GRUB!{FEED}{FEED}{}", terminal.clear()));
    let seconds = |of: &dyn Fn(i64) -> String| (0..4).map(|n| (2_000 + 1_000 * n, of(3 - n))).collect::<Vec<_>>();
    // The number is printed where the cursor was before it.
    let serial = seconds(&|n| format!("{}{n}    ", Terminal::Serial.goto(1, 1)));
    let within = |n: i64| if n == 3 { "3    ".to_owned() } else { format!("\x1b[05D{n}    ") };
    for (terminal, counts) in [(Terminal::Serial, serial.clone()), (Terminal::Efi, seconds(&within))] {
        let pieces = [vec![welcome(terminal)], counts].concat();
        assert!(waits(&pieces).contains("GRUB_TIMEOUT=0"));
    }
    // The terminal is serial only once GRUB has read its configuration.
    assert!(waits(&serial).contains("GRUB_TIMEOUT=0"));
    // GRUB 0.97, which counts before it prints.
    let legacy = |n| format!("\rPress `ESC' to enter the menu... {}   ", n - 1);
    let legacy = seconds(&legacy)[..3].to_vec();
    assert!(waits(&legacy).contains("menu.lst"));
}

#[test]
fn reading_the_kernel_is_the_loaders_and_decompression_is_not_claimed() {
    for version in &VERSIONS {
        let boot = analysed(&capture(&boot_of(version)));
        let found = of_rule(&boot, RuleId::Ldr002);
        assert_eq!(found.len(), usize::from(version.says_load), "{}", version.name);
        for load in found {
            assert_eq!(load.title, "GRUB took 1.500 s to read the kernel", "{}", version.name);
            assert!(load.why.contains("the initramfs and the kernel's decompression took"), "{}", load.why);
        }
    }
    // The kernel's EFI stub says when it has its initramfs.
    let mut pieces = boot_of(&UPSTREAM);
    let stub = "EFI stub: Loaded initrd from LINUX_EFI_INITRD_MEDIA_GUID device path\r\n";
    pieces.insert(pieces.len() - 4, (8_000, stub.to_owned()));
    let boot = analysed(&capture(&pieces));
    let [load] = &of_rule(&boot, RuleId::Ldr002)[..] else { panic!() };
    assert!(load.title.ends_with("to read the kernel and the initramfs"), "{}", load.title);
}

/// As LILO and Petitboot say it.
#[test]
fn other_loaders_load_linux_too() {
    for words in ["Loading Linux 2.6.32 .....................", "Loading Linux with kexec", "Loading Linux"] {
        let mut pieces = vec![(0, "boot:\r\n".to_owned()), (500, format!("{words}\r\n"))];
        pieces.extend([(4_000, "BIOS data check successful\r\n".to_owned())]);
        pieces.extend(kernel());
        assert_eq!(of_rule(&analysed(&capture(&pieces)), RuleId::Ldr002), [], "{words}");
    }
}

#[test]
fn the_menu_is_drawn_at_the_lines_speed() {
    let rate = LineRate::of(Baud::new(9600).unwrap(), Frame::default());
    let header = Header { line_bytes_per_s: Some(rate), ..Header::new("test", "board") };
    let bytes = captured(&header, &boot_of(&UPSTREAM));
    let [printed] = &of_rule(&analysed(&bytes), RuleId::Ldr007)[..] else { panic!() };
    let menu = printed.remedies[0].action.clone();
    let drawn: u64 = menu.split(' ').find_map(|word| word.parse().ok()).unwrap();
    assert!((1_500..2_500).contains(&drawn) && menu.contains("GRUB_TIMEOUT_STYLE=hidden"), "{menu}");
    assert!(printed.remedies.iter().all(|r| !r.action.contains("U-Boot")), "{printed:?}");
    // U-Boot starts GRUB's EFI program: what each prints is set by its own settings.
    let mut pieces = boot_of(&VERSIONS[7]);
    pieces[0].1 = format!("U-Boot 2025.01-3 (Jan 01 2026 - 12:00:00 +0000)\r\n{}", "DRAM:  512 MiB\r\n".repeat(12));
    let [printed] = &of_rule(&analysed(&captured(&header, &pieces)), RuleId::Ldr007)[..] else { panic!() };
    let advises = |words: &str| printed.remedies.iter().any(|r| r.action.contains(words));
    for words in ["setenv silent 1", "CONFIG_BAUDRATE", "GRUB_TIMEOUT_STYLE=hidden", "GRUB_TERMINAL"] {
        assert!(advises(words), "{words}: {printed:?}");
    }
    assert!(!advises("firmware's setup"), "{printed:?}");
}

#[test]
fn firmware_and_loader_are_stages_before_the_kernel() {
    let names = |file: &[u8]| -> Vec<StageName> {
        let boot = analysed(file).with_sources(&[], None);
        boot.whole.stages.iter().map(|stage| stage.name).take(2).collect()
    };
    assert_eq!(names(&capture(&boot_of(&UPSTREAM))), [StageName::Firmware, StageName::Loader]);
    // EFI firmware says that it starts a loader, which itself is quiet.
    let mut pieces = boot_of(&UPSTREAM);
    pieces.retain(|(_, text)| text.starts_with("[ "));
    let said = |what: &str, n: u32| {
        format!("BdsDxe: {what} Boot000{n} \"UEFI Misc Device\" from PciRoot(0x0)/Pci(0x2,0x0)\r\n")
    };
    let option = [(100, said("loading", 1)), (900, said("starting", 1))];
    let loader = |pieces: &[(i64, String)]| {
        let file = capture(pieces);
        assert_eq!(names(&file), [StageName::Firmware, StageName::Loader]);
        let loader = analysed(&file).with_sources(&[], None).whole.stages[1].clone();
        loader.end - loader.start
    };
    let near = |took: Dur, seconds: i64| {
        (took - Dur::from_secs(seconds)).max(Dur::from_secs(seconds) - took).as_secs_f64() < 0.3
    };
    let took = loader(&[&option[..], &pieces].concat());
    assert!(near(took, 8), "{took}");
    // It tries another option before, and waits for a server: the wait is the firmware's.
    let tried = [
        (100, said("loading", 2)),
        (200, said("starting", 2)),
        (300, ">>Start PXE over IPv4.\r\n".to_owned()),
        (4_900, format!("{}: Not Found\r\n", said("failed to start", 2).trim_end())),
        (4_950, said("loading", 1)),
    ];
    let started = [(5_000, said("starting", 1))];
    // Whether the loader is quiet or not, it begins where firmware starts it; where firmware doesn't say that, with its own words.
    let welcome = [(6_000, "Welcome to GRUB!\r\n\n".to_owned())];
    for (began, want) in [(&[&started[..]][..], 4), (&[&started[..], &welcome], 4), (&[&welcome[..]], 3)] {
        let took = loader(&[&tried[..], &began.concat(), &pieces].concat());
        assert!(near(took, want), "{took}: {began:?}");
    }
}

/// A terminal program stamps a line, and a menu is one.
#[test]
fn a_menu_under_one_stamp_is_a_wait_too() {
    let version = &UPSTREAM;
    let counts = [2, 1, 0].map(|n| count(version, n, n < 2)).concat();
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
