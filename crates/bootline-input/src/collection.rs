// SPDX-License-Identifier: MIT OR Apache-2.0
//! All that one machine knows of its boot: the files of a collection, in memory or as a tar archive.
//!
//! `bootline collect` and the script of the same name write such archives. The first member is the manifest; its name and first
//! line identify the archive.
use std::io::Read;

use bootline_boot::BootSource;
use bootline_capture::container::Unpacker;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::log_file::LogFile;
use crate::source_file;
use crate::unusable::{self, shown};

/// Name of the manifest, below a folder of any name.
pub const MANIFEST: &str = "bootline-collect.txt";
/// The first line of a manifest.
pub const TITLE: &str = "bootline-collect 1";
/// How a line begins that names what could not be read.
const MISSING: &str = "missing ";
/// How a line begins that names a member and its length in bytes: an archive that lacks some was cut.
const MEMBER: &str = "file ";

/// All members that are used together, at most, in bytes.
const LARGEST: u64 = 512 << 20;
/// Members at most: a collection has a dozen.
const MOST_MEMBERS: usize = 1_000;

/// What a machine knows of its boot.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// What was read.
    pub items: Vec<Item>,
    /// What was not.
    pub missing: Vec<Missing>,
    /// What is wrong with the archive that it is from.
    pub damage: Option<Failure>,
}

/// A file of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// `systemctl-show.txt`
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The file or the command: `/dev/kmsg`.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Collection {
    /// Adds an item, or why there is none.
    pub fn add(&mut self, name: &str, what: &str, read: Result<Vec<u8>, String>) {
        match read {
            Ok(bytes) => self.items.push(Item { name: name.to_owned(), bytes }),
            Err(why) => self.missing.push(Missing { what: what.to_owned(), why }),
        }
    }

    /// The collection in an archive; none where the file is another. What can't be read of an archive is its damage.
    pub fn open(file: &LogFile) -> Option<Collection> {
        // What can be read only once is taken for a log.
        if !file.is_lasting() {
            return None;
        }
        let name = file.name();
        // What can't be opened is reported by whoever reads it as a log.
        let mut unpacker = Unpacker::new(file.open().ok()?).ok().filter(Unpacker::is_archive)?;
        let first = unpacker.next_file().ok()??;
        let is_manifest = first.name.as_deref().is_some_and(|name| file_name(name) == MANIFEST);
        if !is_manifest {
            return None;
        }
        let (mut collection, mut left, mut members) = (Collection::default(), LARGEST, Vec::new());
        let read = content(first.reader, &name, &mut left).and_then(|manifest| {
            let manifest = String::from_utf8_lossy(&manifest).into_owned();
            collection = Collection::parse(&manifest);
            members = listed(&manifest);
            collection.read_members(&mut unpacker, &mut members, &name, &mut left)
        });
        let cut = |lost: &str| {
            Failure::new(Exit::INPUT, format!("{} is cut: `{lost}` is not in it whole", shown(&name)))
                .hint("copy it again; what is in it is shown")
        };
        let lost = members.first().map(|(lost, _)| cut(lost));
        collection.damage = lost.or(read.err());
        Some(collection)
    }

    /// Reads what follows the manifest, and takes what is whole out of the list of members.
    fn read_members(
        &mut self,
        unpacker: &mut Unpacker,
        members: &mut Vec<(String, u64)>,
        archive: &str,
        left: &mut u64,
    ) -> Result<(), Failure> {
        for _ in 0..MOST_MEMBERS {
            let Some(member) = unpacker.next_file().map_err(|e| unusable::unpack_failed(archive, &e))? else {
                return Ok(());
            };
            let name = member.name.as_deref().map_or_else(String::new, |name| file_name(name).to_owned());
            let length = if is_log(&name) || is_source(&name) {
                let bytes = content(member.reader, archive, left)?;
                let length = bytes.len() as u64;
                self.items.push(Item { name: name.clone(), bytes });
                length
            } else {
                // Small files of the machine are kept for people.
                let mut rest = member.reader.take(LARGEST);
                std::io::copy(&mut rest, &mut std::io::sink()).map_err(|e| unusable::read_failed(archive, &e))?
            };
            members.retain(|(listed, bytes)| *listed != name || *bytes != length);
        }
        Err(Failure::new(Exit::INPUT, format!("{} holds more than {MOST_MEMBERS} files", shown(archive))))
    }

    /// From a manifest, without items.
    fn parse(manifest: &str) -> Collection {
        let missing = manifest.lines().filter_map(|line| line.strip_prefix(MISSING)?.split_once(": "));
        let missing = missing.map(|(what, why)| Missing { what: what.to_owned(), why: why.to_owned() });
        Collection { missing: missing.take(MOST_MEMBERS).collect(), ..Collection::default() }
    }

    /// The manifest.
    pub fn manifest(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let missing = self.missing.iter().map(|m| format!("{MISSING}{}: {}\n", one_line(&m.what), one_line(&m.why)));
        let members = self.items.iter().map(|item| format!("{MEMBER}{} {}\n", item.name, item.bytes.len()));
        std::iter::once(format!("{TITLE}\n")).chain(missing).chain(members).collect()
    }

    /// The sources that are added to another log of the same boot: its journal shows units, too, and its kernel log nothing more.
    ///
    /// # Errors
    /// The archive is damaged.
    pub fn into_sources(mut self) -> Result<Vec<BootSource>, Failure> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        let (log, sources) = self.split();
        let journal = log.filter(|item| item.name == JOURNAL).map(source);
        Ok(journal.into_iter().chain(sources).collect())
    }

    /// The log of the boot, and the other sources: a capture of the console if there is one, else the kernel's own log, else the
    /// journal, if it has the kernel's records: a user without rights sees only what is his own.
    pub fn split(self) -> (Option<Item>, Vec<BootSource>) {
        let mut items = self.items;
        join_firmware_times(&mut items);
        let is_usable = |item: &&Item| item.name != JOURNAL || has_kernel_records(&item.bytes);
        let position = LOGS.iter().find_map(|log| {
            let named = items.iter().find(|item| item.name == *log).filter(is_usable)?;
            items.iter().position(|item| std::ptr::eq(item, named))
        });
        let log = position.map(|i| items.remove(i));
        let sources = items.into_iter().filter(|item| is_source(&item.name));
        (log, sources.map(source).collect())
    }
}

/// What a member says; the archive of a bootchart is one source.
fn source(item: Item) -> BootSource {
    let chart = || source_file::open_chart(&LogFile::held(&item.name, item.bytes.clone()));
    let chart = item.name.starts_with(CHART).then(chart).flatten();
    match chart {
        Some((chart, _)) => chart,
        None => BootSource::new(item.name, source_file::content(&item.bytes)),
    }
}

/// Adds the firmware's times to the manager's properties, which lack them where systemd found none: both are one source.
fn join_firmware_times(items: &mut Vec<Item>) {
    let position = |items: &[Item], name: &str| items.iter().position(|item| item.name == name);
    let Some(manager) = position(items, "systemctl-show-manager.txt") else { return };
    let Some(firmware) = position(items, "firmware-times.txt") else { return };
    let knows_them = items[manager].bytes.split(|byte| *byte == b'\n').any(|line| {
        let value = line.strip_prefix(b"FirmwareTimestampMonotonic=");
        value.is_some_and(|value| !value.is_empty() && value != b"0")
    });
    let times = std::mem::take(&mut items[firmware].bytes);
    if !knows_them {
        items[manager].bytes.extend(b"\n".iter().chain(&times));
    }
    items.remove(firmware);
}

/// Members that can be the log, the best first.
const LOGS: [&str; 5] = ["console.cap", "console.log", "kmsg.txt", "dmesg.txt", JOURNAL];
/// The journal.
pub const JOURNAL: &str = "journal.export";

/// How the names of bootcharts begin.
const CHART: &str = "bootchart";

fn is_log(name: &str) -> bool {
    LOGS.contains(&name)
}

fn is_source(name: &str) -> bool {
    const STARTS: [&str; 8] = ["journal.", "systemctl-", "systemd-", "firmware-", "bootstage", CHART, "cbmem", "trace"];
    STARTS.iter().any(|start| name.starts_with(start))
}

/// Whether a journal in the export format has records of the kernel.
pub fn has_kernel_records(journal: &[u8]) -> bool {
    journal.split(|byte| *byte == b'\n').any(|line| line == b"_TRANSPORT=kernel")
}

/// The members that a manifest lists, with their lengths in bytes; none in archives of earlier versions.
fn listed(manifest: &str) -> Vec<(String, u64)> {
    let member = |line: &str| {
        let (name, bytes) = line.strip_prefix(MEMBER)?.rsplit_once(' ')?;
        Some((name.to_owned(), bytes.parse().ok()?))
    };
    manifest.lines().filter_map(member).take(MOST_MEMBERS).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A member's bytes, taken off what may be read.
fn content(reader: impl Read, archive: &str, left: &mut u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    reader.take(*left + 1).read_to_end(&mut bytes).map_err(|e| unusable::read_failed(archive, &e))?;
    *left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
        Failure::new(Exit::INPUT, format!("{} unpacks to more than {} MiB", shown(archive), LARGEST >> 20))
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_what_is_missing() {
        let mut collection = Collection::default();
        collection.add("kmsg.txt", "/dev/kmsg", Err("permission denied\nat all".to_owned()));
        collection.add("uptime.txt", "/proc/uptime", Ok(b"1 2\n".to_vec()));
        let manifest = collection.manifest();
        assert_eq!(manifest, "bootline-collect 1\nmissing /dev/kmsg: permission denied at all\nfile uptime.txt 4\n");
        assert_eq!(listed(&manifest), [("uptime.txt".to_owned(), 4)]);
        assert_eq!(Collection::parse(&manifest).missing[0].why, "permission denied at all");
    }

    /// A log may be written in a way that is undone elsewhere, and a source may look so: both are as long as the manifest says.
    #[test]
    fn members_are_read_as_they_were_packed() {
        let mut collection = Collection::default();
        let lines = (1..9).map(|n| format!("  {n}. [ 0.{n}00000] a line of the console\n"));
        collection.add("console.log", "", Ok(lines.collect::<String>().into_bytes()));
        collection.add("systemctl-show.txt", "", Ok(b"PK\x03\x04".to_vec()));
        let mut archive = Vec::new();
        bootline_report::Emitter::emit(&crate::tar_writer::TarEmitter(&collection), &mut archive).unwrap();
        let read = Collection::open(&LogFile::held("boot.tar", archive)).unwrap();
        assert_eq!((read.items, read.damage), (collection.items, None));
    }

    /// Wherever an archive breaks off, it is no collection, or says so, or lacks nothing.
    #[test]
    fn no_cut_goes_unnoticed() {
        let mut collection = Collection::default();
        collection.add("kmsg.txt", "", Ok(vec![b'k'; 700]));
        collection.add("uptime.txt", "", Ok(b"1 2\n".to_vec()));
        collection.add("systemctl-show.txt", "", Ok(vec![b's'; 1_500]));
        let mut whole = Vec::new();
        bootline_report::Emitter::emit(&crate::tar_writer::TarEmitter(&collection), &mut whole).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let log = LogFile::new(file.path());
        for cut in (0..whole.len()).step_by(100).chain([whole.len()]) {
            std::fs::write(file.path(), &whole[..cut]).unwrap();
            let Some(read) = Collection::open(&log) else {
                assert!(cut < 2 * 512, "{cut}");
                continue;
            };
            let is_whole = read.items.iter().map(|item| item.bytes.len()).sum::<usize>() == 2_200;
            assert!(is_whole || read.damage.is_some(), "{cut}");
        }
        assert_eq!(Collection::open(&log).unwrap().damage, None);
    }

    #[test]
    fn the_firmwares_times_are_the_managers() {
        let firmware = "FirmwareTimestampMonotonic=4500000\nLoaderTimestampMonotonic=1500000\n";
        let manager = |of: &str| {
            let show = format!("Version=257.9\nFirmwareTimestampMonotonic={of}\nUserspaceTimestampMonotonic=1120000\n");
            let mut collection = Collection::default();
            collection.add("firmware-times.txt", "", Ok(firmware.into()));
            collection.add("systemctl-show-manager.txt", "", Ok(show.into()));
            let (_, sources) = collection.split();
            assert_eq!(sources.len(), 1);
            let bootline_boot::SourceContent::Facts(facts) = &sources[0].content else { panic!("a log") };
            let bootline_records::source::Facts::Systemd(state) = &facts.facts else { panic!("{:?}", facts.kind) };
            let manager = state.manager.clone().unwrap();
            assert!(manager.user_space.is_some());
            manager.firmware_before_kernel.map(|before| before.as_nanos() / 1_000)
        };
        assert_eq!(manager("0"), Some(4_500_000));
        assert_eq!(manager("3500000"), Some(3_500_000));
    }

    /// What a boot loader and recorders left is used, and what is none of it is named.
    #[test]
    fn bootcharts_traces_and_bootstage_are_sources() {
        let mut chart = Vec::new();
        let header = b"version = 0.8\ntitle = Boot chart for board\nsystem.uname = Linux 6.12.9\n".to_vec();
        let samples = b"310\n1 (init) S 0 1 1 0 -1 4194560 801 0 3 0 12 7 0 0 20 0 1 0 100 9 9\n\n".to_vec();
        let mut members = Collection::default();
        members.add("header", "", Ok(header));
        members.add("proc_ps.log", "", Ok(samples));
        bootline_report::Emitter::emit(&crate::tar_writer::TarEmitter(&members), &mut chart).unwrap();
        // The manifest that this writer packs first is none of a bootchart's files.
        let first = 2 * 512;
        let mut collection = Collection::default();
        collection.add("bootchart.tgz", "", Ok(chart[first..].to_vec()));
        collection.add("bootchart-old.tgz", "", Ok(vec![7; 99]));
        collection.add("bootstage-tree.txt", "", Ok(b"bootstage/0/name:reset\nbootstage/0/mark:5\n".to_vec()));
        collection.add("trace.txt", "", Ok(b"[local] global\n# tracer: nop\n#\n".to_vec()));
        collection.add("bootconfig.txt", "", Ok(b"kernel.loglevel = 3\n".to_vec()));
        let (log, sources) = collection.split();
        let kind = |source: &BootSource| match &source.content {
            bootline_boot::SourceContent::Facts(facts) => facts.kind.map(|kind| kind.name()),
            bootline_boot::SourceContent::Journal(_) => Some("a journal"),
        };
        let kinds: Vec<_> = sources.iter().map(|source| (source.name.as_str(), kind(source))).collect();
        let expected = [
            ("bootchart.tgz", Some("a bootchart")),
            ("bootchart-old.tgz", None),
            ("bootstage-tree.txt", Some("U-Boot's bootstage in the device tree")),
            ("trace.txt", Some("a trace of ftrace")),
        ];
        assert_eq!((log, kinds), (None, expected.to_vec()));
    }

    #[test]
    fn the_console_is_the_log_where_there_is_one() {
        let item = |name: &str| Item { name: name.to_owned(), bytes: b"x\n_TRANSPORT=kernel\n".to_vec() };
        let collection =
            |names: &[&str]| Collection { items: names.iter().map(|n| item(n)).collect(), ..Collection::default() };
        let log = |names: &[&str]| collection(names).split().0.map(|item| item.name);
        assert_eq!(log(&["journal.export", "kmsg.txt", "console.cap"]).as_deref(), Some("console.cap"));
        assert_eq!(log(&["journal.export", "kmsg.txt"]).as_deref(), Some("kmsg.txt"));
        assert_eq!(log(&["uptime.txt"]), None);
        // What a user without rights sees of the journal.
        let bytes = b"__MONOTONIC_TIMESTAMP=30000000\n_TRANSPORT=journal\nMESSAGE=mine\n".to_vec();
        let mine = Collection { items: vec![Item { name: JOURNAL.to_owned(), bytes }], ..Collection::default() };
        let (log, sources) = mine.split();
        assert_eq!((log, sources.len()), (None, 1));
        let sources = collection(&["kmsg.txt", "journal.export", "uptime.txt"]).split().1;
        assert_eq!(sources.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["journal.export"]);
    }
}
