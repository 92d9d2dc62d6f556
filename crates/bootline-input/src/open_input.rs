// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log, and what comes with it in a collection.
use bootline_boot::BootSource;

use crate::collection::{Collection, Missing};
use crate::failure::Failure;
use crate::log_file::LogFile;
use crate::source_file;

/// A log, and what comes with it in a collection.
#[derive(Debug)]
pub struct OpenInput {
    /// None where a collection holds no log.
    pub log: Option<LogFile>,
    /// As shown.
    pub name: String,
    /// Other sources of the same boot.
    pub sources: Vec<BootSource>,
    /// What the collection lacks, by its own words.
    pub missing: Vec<Missing>,
    /// What is wrong with the collection.
    pub damage: Option<Failure>,
    /// What the file is instead of a log, with its article: a source that only a log makes a boot of.
    pub lone_source: Option<&'static str>,
}

impl OpenInput {
    /// A log, an archive of `bootline collect`, that of a bootchart, or a bootstage stash.
    pub fn new(file: &LogFile) -> OpenInput {
        match Collection::open(file) {
            Some(collection) => OpenInput::of_collection(&file.name(), collection),
            None => match source_file::open_chart(file) {
                Some((chart, log)) => OpenInput::of_chart(&file.name(), chart, log),
                None => match source_file::open_stash(file) {
                    Some(stash) => OpenInput {
                        log: None,
                        sources: vec![stash],
                        lone_source: Some("a bootstage stash of U-Boot"),
                        ..OpenInput::of_log(file)
                    },
                    None => OpenInput::of_log(file),
                },
            },
        }
    }

    fn of_log(file: &LogFile) -> OpenInput {
        OpenInput {
            log: Some(file.clone()),
            name: file.name(),
            sources: Vec::new(),
            missing: Vec::new(),
            damage: None,
            lone_source: None,
        }
    }

    /// The archive of a bootchart: bootchart2 packs the kernel's log, too.
    fn of_chart(name: &str, chart: BootSource, log: Option<Vec<u8>>) -> OpenInput {
        let log = log.map(|bytes| LogFile::held(name, bytes));
        OpenInput {
            log,
            name: name.to_owned(),
            sources: vec![chart],
            missing: Vec::new(),
            damage: None,
            lone_source: Some("a bootchart"),
        }
    }

    /// What a machine knows of its boot.
    pub fn of_collection(name: &str, mut collection: Collection) -> OpenInput {
        let (missing, damage) = (std::mem::take(&mut collection.missing), collection.damage.take());
        let (log, sources) = collection.split();
        let log = log.map(|item| LogFile::held(name, item.bytes));
        OpenInput { log, name: name.to_owned(), sources, missing, damage, lone_source: None }
    }
}
