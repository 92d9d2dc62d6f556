// SPDX-License-Identifier: MIT OR Apache-2.0
//! The archive of a bootchart: its members are one source.
use bootline_boot::{BootRecords, BootSource, SourceContent};
use bootline_records::source::{ChartMember, read_bootchart};

/// A file that was unpacked.
#[derive(Debug)]
pub struct Unpacked {
    /// Its path in the archive; none where there is no archive.
    pub path: Option<String>,
    /// As shown.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The kernel's log in the archives of bootchart2.
const DMESG: &str = "dmesg";

/// What the recorders pack besides, and what is not used.
const UNUSED: [&str; 7] = [
    "kernel_pacct",
    "paternity.log",
    "proc_cpuinfo.log",
    "proc_meminfo.log",
    "proc_netdev.log",
    "cmdline.log",
    "init_pid",
];

/// Most members that are held: a bootchart has a dozen.
const MOST_HELD: usize = 256;

/// The members of a bootchart among those of an archive.
#[derive(Debug, Default)]
pub struct ChartArchive {
    held: Vec<Unpacked>,
    bytes: u64,
}

/// What there was in an archive.
#[derive(Debug)]
pub enum Held {
    /// A bootchart, with its kernel log.
    Chart(Box<BootSource>, Option<Vec<u8>>),
    /// Files that only have such names.
    Others(Vec<Unpacked>),
}

impl ChartArchive {
    /// Takes in a file that may belong to a bootchart, and gives back any other.
    pub fn offer(&mut self, file: Unpacked) -> Option<Unpacked> {
        let belongs = file.path.as_deref().is_some_and(|path| {
            ChartMember::of(path).is_some() || file_name(path) == DMESG || UNUSED.contains(&file_name(path))
        });
        if belongs && self.held.len() < MOST_HELD {
            self.bytes += file.bytes.len() as u64;
            self.held.push(file);
            return None;
        }
        Some(file)
    }

    /// Bytes that are held.
    pub fn held_bytes(&self) -> u64 {
        self.bytes
    }

    /// The bootchart in the archive of this name, if it is one.
    pub fn finish(self, name: &str) -> Held {
        let member = |file: &Unpacked| file.path.as_deref().and_then(ChartMember::of);
        if !self.held.iter().filter_map(member).any(ChartMember::shows_a_bootchart) {
            return Held::Others(self.held);
        }
        let (mut members, mut log) = (Vec::new(), None);
        for file in self.held {
            match member(&file) {
                Some(member) => members.push((member, file.bytes)),
                None if file.path.as_deref().map(file_name) == Some(DMESG) => log = Some(file.bytes),
                None => {}
            }
        }
        let mut source = BootSource::new(name, SourceContent::Facts(read_bootchart(&members)));
        source.log = log.as_deref().and_then(|log| BootRecords::all(log).pop());
        Held::Chart(Box::new(source), log)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
