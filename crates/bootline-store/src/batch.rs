// SPDX-License-Identifier: MIT OR Apache-2.0
//! A batch: rows of some inputs that become part of the store in one step.
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::time::SystemTime;

use crate::column::Table;
use crate::content::{ContentId, name_of_text};
use crate::date::{Date, micros};
use crate::error::{StoreError, at, in_file};
use crate::part::write_part;
use crate::rollups::Rollups;
use crate::store::{BARE, Claim, Store};
use crate::tables::{BootRow, BuildRow, FileRow, FindingRow, MeasureRow, SpanRow, Text};
use crate::writer_folder::WriterFolder;

/// The rows of one boot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BootRows {
    /// The partition.
    pub date: Date,
    /// Of `boots`.
    pub boot: BootRow,
    /// Of `spans`.
    pub spans: Vec<SpanRow>,
    /// Of `findings`.
    pub findings: Vec<FindingRow>,
    /// Of `measures`.
    pub measures: Vec<MeasureRow>,
}

impl BootRows {
    /// Sets when the boot started, in microseconds since 1970, and what says so.
    pub(crate) fn starts_at(&mut self, us: i64, source: &'static str) {
        self.date = Date::of_micros(us);
        (self.boot.start_time, self.boot.start_time_source) = (Some(us), Some(source));
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        1 + self.spans.len() + self.findings.len() + self.measures.len()
    }
}

/// Rows of one partition, in memory.
#[derive(Debug, Default)]
struct Partition {
    boots: Vec<BootRow>,
    spans: Vec<SpanRow>,
    findings: Vec<FindingRow>,
    measures: Vec<MeasureRow>,
}

/// What a commit added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Inputs.
    pub inputs: usize,
    /// Boots.
    pub boots: usize,
    /// Spans.
    pub spans: usize,
}

/// A batch that is being filled. Dropped without a commit, it leaves nothing.
#[derive(Debug)]
pub struct Batch<'s> {
    store: &'s Store,
    /// Rows in memory before they are written to parts.
    most_rows: usize,
    folder: Option<WriterFolder<&'s Store>>,
    partitions: BTreeMap<Date, Partition>,
    in_memory: usize,
    /// Parts written so far.
    parts: u32,
    rollups: Rollups,
    builds: BTreeMap<Text, BuildRow>,
    files: Vec<FileRow>,
    claims: Vec<Claim<'s>>,
    texts: HashSet<Text>,
    added: Committed,
}

impl<'s> Batch<'s> {
    /// An empty batch that holds about this many rows in memory at most.
    pub fn new(store: &'s Store, most_rows: usize) -> Batch<'s> {
        Batch {
            store,
            most_rows,
            folder: None,
            partitions: BTreeMap::new(),
            in_memory: 0,
            parts: 0,
            rollups: Rollups::default(),
            builds: BTreeMap::new(),
            files: Vec::new(),
            claims: Vec::new(),
            texts: HashSet::new(),
            added: Committed::default(),
        }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.added == Committed::default()
    }

    /// Whether it is time for a commit: more would give more parts, not larger ones.
    pub fn is_full(&self) -> bool {
        self.parts > 0 || self.in_memory >= self.most_rows || self.files.len() >= self.most_rows
    }

    /// Adds a boot. Its input's claim is with the caller, who adds it with [`Batch::add_file`] once the input is read.
    ///
    /// # Errors
    /// A part can't be written.
    pub fn add_boot(&mut self, mut rows: BootRows) -> Result<(), StoreError> {
        rows.boot.board = self.shared(rows.boot.board);
        rows.boot.build = self.shared(rows.boot.build);
        for span in &mut rows.spans {
            span.board.clone_from(&rows.boot.board);
            span.build.clone_from(&rows.boot.build);
            span.name = self.share(&span.name);
            span.module = self.shared(span.module.take());
        }
        self.rollups.add(rows.date, &rows.boot, &rows.spans);
        self.added.boots += 1;
        self.added.spans += rows.spans.len();
        self.in_memory += rows.rows();
        let partition = self.partitions.entry(rows.date).or_default();
        partition.boots.push(rows.boot);
        partition.spans.append(&mut rows.spans);
        partition.findings.append(&mut rows.findings);
        partition.measures.append(&mut rows.measures);
        if self.in_memory >= self.most_rows { self.flush() } else { Ok(()) }
    }

    /// Adds what is known of a build.
    pub fn add_build(&mut self, build: BuildRow) {
        match self.builds.get(&build.build) {
            Some(known) if is_bare(&build) && !is_bare(known) => {}
            _ => _ = self.builds.insert(build.build.clone(), build),
        }
    }

    /// Adds an input whose boots were all added.
    pub fn add_file(&mut self, file: FileRow, claim: Claim<'s>) {
        self.files.push(file);
        self.claims.push(claim);
        self.added.inputs += 1;
    }

    fn shared(&mut self, text: Option<Text>) -> Option<Text> {
        text.map(|text| self.share(&text))
    }

    fn share(&mut self, text: &Text) -> Text {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        self.texts.insert(text.clone());
        text.clone()
    }

    /// Writes the rows in memory to parts.
    fn flush(&mut self) -> Result<(), StoreError> {
        let partitions = std::mem::take(&mut self.partitions);
        let part = format!("{:03}.parquet", self.parts);
        for (date, mut rows) in partitions {
            self.write(&mut rows.boots, Some(date), &part)?;
            self.write(&mut rows.spans, Some(date), &part)?;
            self.write(&mut rows.findings, Some(date), &part)?;
            self.write(&mut rows.measures, Some(date), &part)?;
        }
        self.parts += 1;
        self.in_memory = 0;
        self.texts.clear();
        Ok(())
    }

    fn write<T: Table>(&mut self, rows: &mut [T], date: Option<Date>, name: &str) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let folder = match &self.folder {
            Some(folder) => folder,
            None => self.folder.insert(WriterFolder::new(self.store)?),
        };
        let table = folder.path.join(T::NAME);
        let folder = date.map_or(table.clone(), |date| table.join(format!("date={date}")));
        at("create", &folder, fs::create_dir_all(&folder))?;
        let path = folder.join(name);
        let file = at("create", &path, File::create(&path))?;
        let file = in_file(&path, write_part(rows, file))?;
        at("sync", &path, file.sync_all())
    }

    /// Makes all of it a part of the store, in one step, and releases its inputs.
    ///
    /// # Errors
    /// It can't be written. Unless the store reported a commit's own error, nothing of it is in the store.
    pub fn commit(mut self) -> Result<Committed, StoreError> {
        if self.files.is_empty() {
            return Ok(Committed::default());
        }
        if self.in_memory > 0 {
            self.flush()?;
        }
        for (date, mut rows) in std::mem::take(&mut self.rollups).into_rows() {
            self.write(&mut rows, Some(date), "rollup.parquet")?;
        }
        for (name, build) in std::mem::take(&mut self.builds) {
            let ending = if is_bare(&build) { BARE } else { ".parquet" };
            self.write(&mut [build], None, &format!("{}{ending}", name_of_text(&name)))?;
        }
        let mut files = std::mem::take(&mut self.files);
        self.write(&mut files, Some(Date::of_micros(micros(SystemTime::now()))), "files.parquet")?;
        let inputs: Vec<ContentId> = self.claims.iter().map(|claim| claim.input).collect();
        if let Some(folder) = self.folder.take() {
            folder.commit(&inputs)?;
        }
        Ok(self.added)
    }
}

/// Whether nothing but its name is known of a build.
fn is_bare(build: &BuildRow) -> bool {
    *build == BuildRow::named(build.build.clone())
}
