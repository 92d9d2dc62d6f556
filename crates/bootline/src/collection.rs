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
use crate::unusable::{self, shown};
use crate::whole_boot;

/// Name of the manifest, below a folder of any name.
pub const MANIFEST: &str = "bootline-collect.txt";
/// The first line of a manifest.
pub const TITLE: &str = "bootline-collect 1";
/// How a line begins that names what could not be read.
const MISSING: &str = "missing ";

/// The largest member that is read, in bytes.
const LARGEST: u64 = 256 << 20;
/// Members at most: a collection has a dozen.
const MOST_MEMBERS: usize = 1_000;

/// What a machine knows of its boot.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// What was read.
    pub items: Vec<Item>,
    /// What was not.
    pub missing: Vec<Missing>,
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

    /// The collection in an archive; none where the file is another.
    ///
    /// # Errors
    /// It can't be read.
    pub fn open(file: &LogFile) -> Result<Option<Collection>, Failure> {
        // Standard input and pipes can be read only once, and are taken for a log.
        if !matches!(file, LogFile::File(path) if path.is_file()) {
            return Ok(None);
        }
        let name = file.name();
        let failed = |e| unusable::unpack_failed(&name, &e);
        let mut unpacker = Unpacker::new(file.open()?).map_err(failed)?;
        if !unpacker.is_archive() {
            return Ok(None);
        }
        let Some(first) = unpacker.next_member().map_err(failed)? else { return Ok(None) };
        let is_manifest = first.name.as_deref().is_some_and(|name| file_name(name) == MANIFEST);
        if !is_manifest {
            return Ok(None);
        }
        let manifest = content(first.reader, &name)?;
        let mut collection = Collection::parse(&String::from_utf8_lossy(&manifest));
        while let Some(member) = unpacker.next_member().map_err(failed)? {
            if collection.items.len() >= MOST_MEMBERS {
                return Err(Failure::new(
                    Exit::INPUT,
                    format!("{} holds more than {MOST_MEMBERS} files", shown(&name)),
                ));
            }
            let item = member.name.as_deref().map_or_else(String::new, |name| file_name(name).to_owned());
            collection.items.push(Item { name: item, bytes: content(member.reader, &name)? });
        }
        Ok(Some(collection))
    }

    /// From a manifest, without items.
    fn parse(manifest: &str) -> Collection {
        let missing = manifest.lines().filter_map(|line| line.strip_prefix(MISSING)?.split_once(": "));
        let missing = missing.map(|(what, why)| Missing { what: what.to_owned(), why: why.to_owned() });
        Collection { items: Vec::new(), missing: missing.take(MOST_MEMBERS).collect() }
    }

    /// The manifest.
    pub fn manifest(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let missing = self.missing.iter().map(|m| format!("{MISSING}{}: {}\n", one_line(&m.what), one_line(&m.why)));
        std::iter::once(format!("{TITLE}\n")).chain(missing).collect()
    }

    /// The log of the boot, and the other sources: a capture of the console if there is one, else the kernel's own log, else the
    /// journal.
    pub fn split(self) -> (Option<Item>, Vec<BootSource>) {
        const LOGS: [&str; 5] = ["console.cap", "console.log", "kmsg.txt", "dmesg.txt", "journal.export"];
        let mut items = self.items;
        let position = LOGS.iter().find_map(|log| items.iter().position(|item| item.name == *log));
        let log = position.map(|i| items.remove(i));
        // Small files of the machine are kept for people.
        let is_source = |item: &Item| {
            ["journal.", "systemctl-", "systemd-", "firmware-", "bootstage", "cbmem"]
                .iter()
                .any(|start| item.name.starts_with(start))
        };
        let sources = items.into_iter().filter(is_source);
        let sources = sources.map(|item| BootSource { content: whole_boot::content(&item.bytes), name: item.name });
        (log, sources.collect())
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn content(reader: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| unusable::read_failed(name, &e))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::new(Exit::INPUT, format!("a file in {} is larger than 256 MiB", shown(name))));
    }
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
        assert_eq!(manifest, "bootline-collect 1\nmissing /dev/kmsg: permission denied at all\n");
        assert_eq!(Collection::parse(&manifest).missing[0].why, "permission denied at all");
    }

    #[test]
    fn the_console_is_the_log_where_there_is_one() {
        let item = |name: &str| Item { name: name.to_owned(), bytes: b"x\n".to_vec() };
        let collection =
            |names: &[&str]| Collection { items: names.iter().map(|n| item(n)).collect(), missing: Vec::new() };
        let log = |names: &[&str]| collection(names).split().0.map(|item| item.name);
        assert_eq!(log(&["journal.export", "kmsg.txt", "console.cap"]).as_deref(), Some("console.cap"));
        assert_eq!(log(&["journal.export", "kmsg.txt"]).as_deref(), Some("kmsg.txt"));
        assert_eq!(log(&["uptime.txt"]), None);
        let sources = collection(&["kmsg.txt", "journal.export", "uptime.txt"]).split().1;
        assert_eq!(sources.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["journal.export"]);
    }
}
