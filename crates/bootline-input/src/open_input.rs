// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log, and what comes with it in a collection.
use bootline_boot::{BootSource, SourceContent};
use bootline_records::source::Facts;

use crate::collection::{Collection, Missing};
use crate::failure::Failure;
use crate::log_file::LogFile;
use crate::whole_boot;

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
}

impl OpenInput {
    /// A log, an archive of `bootline collect`, or that of a bootchart.
    pub fn new(file: &LogFile) -> OpenInput {
        match Collection::open(file) {
            Some(collection) => OpenInput::of_collection(&file.name(), collection),
            None => match whole_boot::open_chart(file) {
                Some((chart, log)) => OpenInput::of_chart(&file.name(), chart, log),
                None => OpenInput {
                    log: Some(file.clone()),
                    name: file.name(),
                    sources: Vec::new(),
                    missing: Vec::new(),
                    damage: None,
                },
            },
        }
    }

    /// The archive of a bootchart: bootchart2 packs the kernel's log, too.
    fn of_chart(name: &str, chart: BootSource, log: Option<Vec<u8>>) -> OpenInput {
        let log = log.map(|bytes| LogFile::held(name, bytes));
        OpenInput { log, name: name.to_owned(), sources: vec![chart], missing: Vec::new(), damage: None }
    }

    /// Whether it is a bootchart.
    pub fn holds_a_bootchart(&self) -> bool {
        let is_chart = |content: &SourceContent| matches!(content, SourceContent::Facts(facts) if matches!(facts.facts, Facts::Bootchart(_)));
        self.sources.iter().any(|source| is_chart(&source.content))
    }

    /// What a machine knows of its boot.
    pub fn of_collection(name: &str, mut collection: Collection) -> OpenInput {
        let (missing, damage) = (std::mem::take(&mut collection.missing), collection.damage.take());
        let (log, sources) = collection.split();
        let log = log.map(|item| LogFile::held(name, item.bytes));
        OpenInput { log, name: name.to_owned(), sources, missing, damage }
    }
}
