// SPDX-License-Identifier: MIT OR Apache-2.0
//! A log, and what comes with it in a collection.
use bootline_boot::BootSource;

use crate::collection::{Collection, Missing};
use crate::failure::Failure;
use crate::log_file::LogFile;

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
    /// A log, or an archive of `bootline collect`.
    pub fn new(file: &LogFile) -> OpenInput {
        match Collection::open(file) {
            Some(collection) => OpenInput::of_collection(&file.name(), collection),
            None => OpenInput {
                log: Some(file.clone()),
                name: file.name(),
                sources: Vec::new(),
                missing: Vec::new(),
                damage: None,
            },
        }
    }

    /// What a machine knows of its boot.
    pub fn of_collection(name: &str, mut collection: Collection) -> OpenInput {
        let (missing, damage) = (std::mem::take(&mut collection.missing), collection.damage.take());
        let (log, sources) = collection.split();
        let log = log.map(|item| LogFile::Held { name: name.to_owned(), bytes: item.bytes });
        OpenInput { log, name: name.to_owned(), sources, missing, damage }
    }
}
