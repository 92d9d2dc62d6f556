// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine that bootline runs on: what it knows of its own boot, and what could not be read.
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use bootline_input::collection::{Collection, Item, Missing};
use rustix::fs::OFlags;

use bootline_records::source::{self, Facts};

/// A machine by its root directory; another than `/` stands for one in tests.
#[derive(Clone, Debug)]
pub struct Machine {
    root: PathBuf,
}

/// The largest output of a command that is kept, in bytes: a journal may have grown for years.
const LARGEST: u64 = 64 << 20;

/// The kernel's log, one record a read.
const KMSG: &str = "/dev/kmsg";
/// The running boot's ID, with dashes.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// What systemd's sd_booted(3) looks for.
const BOOTED: &str = "/run/systemd/system";
/// systemd's own variables (Boot Loader Interface).
const EFI: &str = "/sys/firmware/efi/efivars";
const EFI_VENDOR: &str = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
/// ACPI's table of the firmware's performance, in nanoseconds since the reset (from 5.12).
const FPDT: &str = "/sys/firmware/acpi/fpdt/boot";

/// The nodes that U-Boot adds with CONFIG_BOOTSTAGE_FDT, one a record.
const BOOTSTAGE: &str = "/proc/device-tree/bootstage";
/// Nodes that are read at most: U-Boot has room for some dozen.
const MOST_NODES: usize = 1_000;
/// Where bootchart2 and busybox's bootchartd leave their archives.
const CHARTS: [&str; 2] = ["/var/log/bootchart.tgz", "/var/log/bootlog.tgz"];
/// When the kernel started: the line `btime`, in seconds of the epoch.
const STAT: &str = "/proc/stat";
/// The buffer of ftrace, and the clock of its times.
const TRACE: &str = "/sys/kernel/tracing/trace";
const TRACE_CLOCK: &str = "/sys/kernel/tracing/trace_clock";
/// The kernel's command line. These words in it start a trace with the kernel.
const COMMAND_LINE: &str = "/proc/cmdline";
const TRACED: [&str; 2] = ["trace_event=", "ftrace="];
/// The kernel's settings besides the command line; empty or not there without CONFIG_BOOT_CONFIG.
const BOOT_CONFIG: &str = "/proc/bootconfig";

/// Commands of systemd whose output describes the boot.
const COMMANDS: [(&str, &str, &[&str]); 5] = [
    ("journal.export", "journalctl", &["-b", "-o", "export", "--no-pager"]),
    ("systemctl-show-manager.txt", "systemctl", &["show", "--no-pager"]),
    ("systemctl-show.txt", "systemctl", &["show", "--all", "--no-pager", "*"]),
    ("systemd-analyze-time.txt", "systemd-analyze", &["time"]),
    ("systemd-analyze-plot.json", "systemd-analyze", &["plot", "--json=short"]),
];

/// coreboot's tool, where the machine has it: `cbmem -t`.
const CBMEM: (&str, &str, &[&str]) = ("cbmem.txt", "cbmem", &["-t"]);

/// Files that describe the machine.
const FILES: [(&str, &str); 4] = [
    ("cmdline.txt", COMMAND_LINE),
    ("consoles.txt", "/proc/consoles"),
    ("uptime.txt", "/proc/uptime"),
    ("os-release.txt", "/etc/os-release"),
];

impl Machine {
    /// The machine whose root directory this is.
    pub fn new(root: &Path) -> Machine {
        Machine { root: root.to_owned() }
    }

    /// Reads all that it knows of its boot.
    pub fn collect(&self) -> Collection {
        let mut collection = Collection::default();
        collection.add("kmsg.txt", KMSG, self.kmsg());
        if self.path(BOOTED).is_dir() {
            for (name, program, arguments) in COMMANDS {
                self.add_output(name, program, arguments, &mut collection);
            }
        } else {
            collection.add("systemctl-show.txt", "systemd", Err("systemd is not process 1: no units".to_owned()));
        }
        for (name, path) in FILES {
            collection.add(name, path, self.read(path));
        }
        let (name, program, arguments) = CBMEM;
        if self.has_program(program) {
            self.add_output(name, program, arguments, &mut collection);
        }
        self.add_fpdt(&mut collection);
        self.add_bootstage(&mut collection);
        self.add_chart(&mut collection);
        self.add_trace(&mut collection);
        let boot_config = self.read(BOOT_CONFIG).ok().filter(|bytes| !bytes.is_empty());
        collection.items.extend(boot_config.map(|bytes| Item { name: "bootconfig.txt".to_owned(), bytes }));
        match self.firmware() {
            Ok(Some(text)) => {
                collection.items.push(Item { name: "firmware-times.txt".to_owned(), bytes: text.into_bytes() })
            }
            Ok(None) => {}
            Err(why) => collection.add("firmware-times.txt", "the firmware's times", Err(why)),
        }
        collection
    }

    /// Adds what a command writes, and says where it was more than is kept.
    pub fn add_output(&self, name: &str, program: &str, arguments: &[&str], collection: &mut Collection) {
        let shown = format!("{program} {}", arguments.join(" "));
        let output = self.output_of(program, arguments);
        let is_cut = output.as_ref().is_ok_and(|bytes| bytes.len() as u64 == LARGEST);
        collection.add(name, &shown, output);
        if is_cut {
            let why = format!("only its first {} MiB were kept", LARGEST >> 20);
            collection.missing.push(Missing { what: shown, why });
        }
    }

    /// The ID of the running boot: 32 hexadecimal digits.
    pub fn boot_id(&self) -> Option<String> {
        let text = self.read(BOOT_ID).ok()?;
        Some(String::from_utf8_lossy(&text).trim().replace('-', ""))
    }

    /// Whether this process may read all of the machine's files.
    pub fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn program(&self, name: &str) -> PathBuf {
        if self.root == Path::new("/") { PathBuf::from(name) } else { self.root.join("bin").join(name) }
    }

    fn has_program(&self, name: &str) -> bool {
        let program = self.program(name);
        let folders = std::env::var_os("PATH").unwrap_or_default();
        program.is_file()
            || self.root == Path::new("/") && std::env::split_paths(&folders).any(|f| f.join(name).is_file())
    }

    fn path(&self, absolute: &str) -> PathBuf {
        self.root.join(absolute.trim_start_matches('/'))
    }

    fn read(&self, absolute: &str) -> Result<Vec<u8>, String> {
        fs::read(self.path(absolute)).map_err(|e| e.to_string())
    }

    /// The kernel's log up to now. The device gives one record a read, and an error where there is no more.
    fn kmsg(&self) -> Result<Vec<u8>, String> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        let mut file = options.open(self.path(KMSG)).map_err(|e| match e.kind() {
            ErrorKind::PermissionDenied => "permission denied: run as root, or set kernel.dmesg_restrict=0".to_owned(),
            _ => e.to_string(),
        })?;
        let (mut all, mut record) = (Vec::new(), vec![0; 16 * 1024]);
        while (all.len() as u64) < LARGEST {
            match file.read(&mut record) {
                Ok(0) => break,
                Ok(n) => all.extend_from_slice(&record[..n]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                // EPIPE: records were overwritten before they were read; the next read goes on after them.
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::BrokenPipe) => {}
                Err(e) => return Err(e.to_string()),
            }
        }
        if all.is_empty() { Err("it is empty".to_owned()) } else { Ok(all) }
    }

    /// What a command writes to standard output.
    fn output_of(&self, program: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let mut command = Command::new(self.program(program));
        command.args(arguments).env("LC_ALL", "C.UTF-8").env("SYSTEMD_COLORS", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        // A thread empties the other pipe: the child must not block on it.
        let errors = child.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                _ = pipe.by_ref().take(4096).read_to_end(&mut text);
                _ = std::io::copy(&mut pipe, &mut std::io::sink());
                text
            })
        });
        let mut bytes = Vec::new();
        let read = child.stdout.take().map_or(Ok(0), |pipe| pipe.take(LARGEST).read_to_end(&mut bytes));
        if bytes.len() as u64 == LARGEST {
            // The rest is of no use, and the child waits for somebody to read it.
            _ = child.kill();
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        read.map_err(|e| e.to_string())?;
        let said = errors.and_then(|thread| thread.join().ok()).unwrap_or_default();
        match bytes.is_empty() {
            false => Ok(bytes),
            true => {
                let said = String::from_utf8_lossy(&said);
                let first = said.lines().next().unwrap_or_default().to_owned();
                Err(if first.is_empty() { format!("it wrote nothing ({status})") } else { first })
            }
        }
    }

    /// Adds ACPI's table, or why it is of no use; nothing where the kernel shows none.
    fn add_fpdt(&self, collection: &mut Collection) {
        let Ok(entries) = fs::read_dir(self.path(FPDT)) else { return };
        let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
        names.retain(|name| name.ends_with("_ns"));
        names.sort_unstable();
        let mut text = String::new();
        for name in names {
            let path = format!("{FPDT}/{name}");
            match fs::read_to_string(self.path(&path)) {
                Ok(value) => text += &format!("{path}:{}\n", value.trim()),
                Err(e) => collection.missing.push(Missing { what: path, why: e.to_string() }),
            }
        }
        let found = source::read(text.as_bytes());
        let is_of_use = matches!(&found.facts, Facts::LoaderMarks(marks) if !marks.marks.is_empty());
        let problem = found.problems.iter().next().map(|p| p.detail.clone());
        let why = || problem.unwrap_or_else(|| "it lacks the time at which the kernel took over".to_owned());
        collection.add("firmware-fpdt.txt", FPDT, if is_of_use { Ok(text.into_bytes()) } else { Err(why()) });
    }

    /// Adds U-Boot's marks, or why they are of no use; nothing where the device tree has none.
    fn add_bootstage(&self, collection: &mut Collection) {
        let Ok(entries) = fs::read_dir(self.path(BOOTSTAGE)) else { return };
        let names = entries.flatten().filter_map(|e| e.file_name().into_string().ok());
        let mut nodes: Vec<u32> = names.filter_map(|name| name.parse().ok()).take(MOST_NODES).collect();
        nodes.sort_unstable();
        let mut text = String::new();
        for node in nodes {
            let node = format!("{BOOTSTAGE}/{node}");
            let name = self.read(&format!("{node}/name")).unwrap_or_default();
            let name: String = String::from_utf8_lossy(&name).chars().filter(|c| !c.is_control()).collect();
            for property in ["mark", "accum"] {
                let cell =
                    self.read(&format!("{node}/{property}")).ok().and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
                let Some(us) = cell.map(u32::from_be_bytes) else { continue };
                text += &format!("{node}/name:{name}\n{node}/{property}:{us}\n");
            }
        }
        let found = if text.is_empty() { Err("it holds no mark".to_owned()) } else { Ok(text.into_bytes()) };
        collection.add("bootstage-tree.txt", BOOTSTAGE, found);
    }

    /// Adds the archive of a bootchart, or why it is of no use; nothing where there is none.
    fn add_chart(&self, collection: &mut Collection) {
        let Some((path, file)) = CHARTS.iter().find_map(|path| Some((*path, fs::metadata(self.path(path)).ok()?)))
        else {
            return;
        };
        let written = file.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map(|at| at.as_secs());
        let started = self.read(STAT).ok().and_then(|stat| {
            let stat = String::from_utf8_lossy(&stat).into_owned();
            stat.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse::<u64>().ok())
        });
        // A recorder that ran in some earlier boot left it.
        let is_of_this_boot = written.zip(started).is_some_and(|(written, started)| written >= started);
        let read = if !is_of_this_boot {
            Err("by its date it is of an earlier boot".to_owned())
        } else if file.len() > LARGEST {
            Err(format!("it is larger than {} MiB", LARGEST >> 20))
        } else {
            self.read(path)
        };
        collection.add("bootchart.tgz", path, read);
    }

    /// Adds the trace that the kernel's command line asked for; another is of what somebody looked at since. Nothing where there is
    /// none, or it can't be read.
    fn add_trace(&self, collection: &mut Collection) {
        let command_line = self.read(COMMAND_LINE).unwrap_or_default();
        let command_line = String::from_utf8_lossy(&command_line).into_owned();
        if !command_line.split_whitespace().any(|word| TRACED.iter().any(|start| word.starts_with(start))) {
            return;
        }
        let Ok(file) = fs::File::open(self.path(TRACE)) else { return };
        let mut trace = Vec::new();
        let read = file.take(LARGEST).read_to_end(&mut trace);
        let has_events = trace.split(|b| *b == b'\n').any(|line| !line.is_empty() && !line.starts_with(b"#"));
        if read.is_ok() && !has_events {
            return;
        }
        let is_cut = trace.len() as u64 == LARGEST;
        let mut bytes = self.read(TRACE_CLOCK).unwrap_or_default();
        bytes.append(&mut trace);
        collection.add("trace.txt", TRACE, read.map(|_| bytes).map_err(|e| e.to_string()));
        if is_cut {
            let why = format!("only its first {} MiB were kept", LARGEST >> 20);
            collection.missing.push(Missing { what: TRACE.to_owned(), why });
        }
    }

    /// The firmware's and the boot loader's times by systemd-boot's variables, in the form of systemd's properties.
    ///
    /// As boot_timestamps() of systemd: the count from the reset to the kernel's start, and from the boot loader's start to it.
    fn firmware(&self) -> Result<Option<String>, String> {
        let properties = |to_kernel_us: u64, to_loader_us: u64| {
            let loader = to_kernel_us.checked_sub(to_loader_us)?;
            Some(format!(
                "FirmwareTimestampMonotonic={to_kernel_us}\nLoaderTimestampMonotonic={loader}\nNFailedUnits=0\n"
            ))
        };
        if !self.path(EFI).is_dir() {
            return Ok(None);
        }
        let variable = |name: &str| {
            let bytes = self.read(&format!("{EFI}/{name}-{EFI_VENDOR}"))?;
            efi_number(&bytes).ok_or_else(|| format!("{name} is no number"))
        };
        // Firmware without systemd-boot has none of these.
        let Ok(loader) = variable("LoaderTimeInitUSec") else { return Ok(None) };
        Ok(properties(variable("LoaderTimeExecUSec")?, loader))
    }
}

/// A decimal number in UTF-16, after the four bytes of the variable's attributes.
fn efi_number(bytes: &[u8]) -> Option<u64> {
    let units = bytes.get(4..)?.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map_while(Result::ok).take_while(|c| *c != '\0').collect();
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_efi_variables() {
        let variable =
            |text: &str| [vec![6, 0, 0, 0], text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
        assert_eq!(efi_number(&variable("3456789\0")), Some(3_456_789));
        assert_eq!(efi_number(&variable("x")), None);
        assert_eq!(efi_number(&[6, 0]), None);
    }

    #[test]
    fn a_machine_without_anything_says_so() {
        let root = tempfile::tempdir().unwrap();
        let collection = Machine::new(root.path()).collect();
        assert!(collection.items.is_empty());
        let missing: Vec<&str> = collection.missing.iter().map(|m| m.what.as_str()).collect();
        assert_eq!(missing[..2], ["/dev/kmsg", "systemd"]);
    }

    /// The script for devices collects what the program does, under the same names; only the kernel's log has another form.
    #[test]
    fn the_script_collects_the_same() {
        const SCRIPT: &str = include_str!("verbs/collect.sh");
        let mut own: Vec<String> = [
            "dmesg.txt",
            "firmware-times.txt",
            "firmware-fpdt.txt",
            "bootstage-tree.txt",
            "bootchart.tgz",
            "trace.txt",
            "bootconfig.txt",
        ]
        .map(str::to_owned)
        .to_vec();
        for (name, program, arguments) in COMMANDS.iter().chain([&CBMEM]) {
            let call = format!("collect {name} {program} {}", arguments.join(" ").replace('*', "'*'"));
            assert!(SCRIPT.lines().any(|line| line.trim() == call), "{call}");
            own.push((*name).to_owned());
        }
        for (name, path) in FILES {
            let call = format!("collect {name} cat {path}");
            assert!(SCRIPT.lines().any(|line| line.trim() == call), "{call}");
            own.push(name.to_owned());
        }
        let paths = [EFI, EFI_VENDOR, FPDT, "LoaderTimeInitUSec", BOOTSTAGE, STAT, TRACE_CLOCK, BOOT_CONFIG];
        for path in paths.iter().chain(&CHARTS).chain(&TRACED) {
            assert!(SCRIPT.contains(path), "{path}");
        }
        let calls = SCRIPT.lines().filter_map(|line| line.trim().strip_prefix("collect ")?.split(' ').next());
        let mut by_script: Vec<String> = calls.map(str::to_owned).collect();
        own.sort_unstable();
        by_script.sort_unstable();
        assert_eq!(by_script, own);
    }

    #[test]
    fn coreboots_times_are_read_and_a_cut_output_is_said() {
        let root = tempfile::tempdir().unwrap();
        let tool = root.path().join("bin/cbmem");
        fs::create_dir_all(tool.parent().unwrap()).unwrap();
        fs::write(&tool, format!("#!/bin/sh\nhead -c {} /dev/zero\n", LARGEST + 1)).unwrap();
        fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let collection = Machine::new(root.path()).collect();
        assert_eq!(collection.items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["cbmem.txt"]);
        let said = collection.missing.iter().find(|m| m.what == "cbmem -t").unwrap();
        assert_eq!(said.why, "only its first 64 MiB were kept");
    }

    #[test]
    fn acpis_table_counts_from_the_reset() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FPDT.trim_start_matches('/'));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("exitbootservice_end_ns"), "4500000000\n").unwrap();
        fs::write(folder.join("bootloader_launch_ns"), "3000000000\n").unwrap();
        let collection = Machine::new(root.path()).collect();
        let item = &collection.items[0];
        let text = "/sys/firmware/acpi/fpdt/boot/bootloader_launch_ns:3000000000\n\
                    /sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000\n";
        assert_eq!((item.name.as_str(), String::from_utf8_lossy(&item.bytes).as_ref()), ("firmware-fpdt.txt", text));
        // A machine that boots without UEFI.
        fs::write(folder.join("exitbootservice_end_ns"), "0\n").unwrap();
        let collection = Machine::new(root.path()).collect();
        assert!(collection.items.is_empty());
        let said = collection.missing.iter().find(|m| m.what == FPDT).unwrap();
        assert!(said.why.ends_with("the machine did not boot by UEFI"), "{}", said.why);
    }

    fn write(root: &Path, path: &str, content: &[u8]) {
        let path = root.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn said<'c>(collection: &'c Collection, what: &str) -> Option<&'c str> {
        collection.missing.iter().find(|m| m.what == what).map(|m| m.why.as_str())
    }

    fn item<'c>(collection: &'c Collection, name: &str) -> Option<&'c [u8]> {
        collection.items.iter().find(|item| item.name == name).map(|item| item.bytes.as_slice())
    }

    #[test]
    fn u_boots_marks_are_read_from_the_device_tree() {
        let root = tempfile::tempdir().unwrap();
        let node = |n: u32, name: &[u8], property: &str, cell: &[u8]| {
            write(root.path(), &format!("{BOOTSTAGE}/{n}/name"), name);
            write(root.path(), &format!("{BOOTSTAGE}/{n}/{property}"), cell);
        };
        fs::create_dir_all(root.path().join("proc/device-tree/bootstage/7")).unwrap();
        assert_eq!(said(&Machine::new(root.path()).collect(), BOOTSTAGE), Some("it holds no mark"));
        node(0, b"start_kernel\0", "mark", &[0, 0x26, 0x25, 0xa0]);
        node(1, b"dm_r\0", "accum", &[0, 0, 0x4a, 0xa0]);
        node(10, b"a\nb\0", "mark", &[0xff; 4]);
        node(2, b"short\0", "mark", &[0; 3]);
        // The node has properties of its own.
        write(root.path(), &format!("{BOOTSTAGE}/name"), b"bootstage\0");
        let collection = Machine::new(root.path()).collect();
        let text = "/proc/device-tree/bootstage/0/name:start_kernel\n/proc/device-tree/bootstage/0/mark:2500000\n\
                    /proc/device-tree/bootstage/1/name:dm_r\n/proc/device-tree/bootstage/1/accum:19104\n\
                    /proc/device-tree/bootstage/10/name:ab\n/proc/device-tree/bootstage/10/mark:4294967295\n";
        assert_eq!(item(&collection, "bootstage-tree.txt").map(String::from_utf8_lossy).as_deref(), Some(text));
        assert_eq!(source::read(text.as_bytes()).problems.iter().count(), 0);
    }

    #[test]
    fn a_bootchart_of_an_earlier_boot_is_named_and_left_out() {
        let root = tempfile::tempdir().unwrap();
        let collect = || Machine::new(root.path()).collect();
        assert_eq!(said(&collect(), CHARTS[1]), None);
        write(root.path(), CHARTS[1], b"chart");
        let earlier = Some("by its date it is of an earlier boot");
        assert_eq!(said(&collect(), CHARTS[1]), earlier, "nothing shows when the kernel started");
        write(root.path(), STAT, b"cpu 1 2\nbtime 1000\n");
        assert_eq!(item(&collect(), "bootchart.tgz"), Some(b"chart".as_slice()));
        write(root.path(), STAT, b"btime 99999999999\n");
        let collection = collect();
        assert_eq!((item(&collection, "bootchart.tgz"), said(&collection, CHARTS[1])), (None, earlier));
        write(root.path(), STAT, b"btime 1000\n");
        fs::File::options()
            .write(true)
            .open(root.path().join("var/log/bootlog.tgz"))
            .unwrap()
            .set_len(LARGEST + 1)
            .unwrap();
        assert_eq!(said(&collect(), CHARTS[1]), Some("it is larger than 64 MiB"));
    }

    #[test]
    fn a_trace_that_the_boot_asked_for_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let collect = || Machine::new(root.path()).collect();
        let (empty, full) =
            (b"# tracer: nop\n#\n".as_slice(), b"# tracer: nop\n#\n init-1 [000] ..... 1.0: x: y\n".as_slice());
        write(root.path(), TRACE, full);
        write(root.path(), TRACE_CLOCK, b"[local] global\n");
        write(root.path(), COMMAND_LINE, b"quiet no_trace_event=a\n");
        assert_eq!(item(&collect(), "trace.txt"), None, "somebody looked at something");
        write(root.path(), COMMAND_LINE, b"quiet trace_event=initcall:*\n");
        assert_eq!(item(&collect(), "trace.txt"), Some([b"[local] global\n", full].concat().as_slice()));
        write(root.path(), TRACE, empty);
        let collection = collect();
        assert_eq!((item(&collection, "trace.txt"), said(&collection, TRACE)), (None, None));
        write(root.path(), TRACE, &[full, &vec![b'x'; LARGEST as usize]].concat());
        let collection = collect();
        assert_eq!(said(&collection, TRACE), Some("only its first 64 MiB were kept"));
        assert_eq!(item(&collection, "trace.txt").map(<[u8]>::len), Some(LARGEST as usize + 15));
    }

    #[test]
    fn settings_besides_the_command_line_are_kept() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), BOOT_CONFIG, b"");
        assert_eq!(item(&Machine::new(root.path()).collect(), "bootconfig.txt"), None);
        write(root.path(), BOOT_CONFIG, b"kernel.loglevel = \"3\"\n");
        assert!(item(&Machine::new(root.path()).collect(), "bootconfig.txt").is_some());
    }

    #[test]
    fn systemd_boots_variables_are_properties() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(EFI.trim_start_matches('/'));
        fs::create_dir_all(&folder).unwrap();
        for (name, us) in [("LoaderTimeInitUSec", "3000000\0"), ("LoaderTimeExecUSec", "4500000\0")] {
            let text: Vec<u8> = us.encode_utf16().flat_map(u16::to_le_bytes).collect();
            fs::write(folder.join(format!("{name}-{EFI_VENDOR}")), [vec![6, 0, 0, 0], text].concat()).unwrap();
        }
        let text = Machine::new(root.path()).firmware().unwrap().unwrap();
        assert!(text.starts_with("FirmwareTimestampMonotonic=4500000\nLoaderTimestampMonotonic=1500000\n"), "{text}");
    }
}
