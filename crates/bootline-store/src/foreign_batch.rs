// SPDX-License-Identifier: MIT OR Apache-2.0
//! A batch whose parts others write, on other machines: those of an engine such as Spark, of which this process is the driver.
use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::content::ContentId;
use crate::error::{StoreError, at};
use crate::known_files::read_known;
use crate::store::{Store, TABLES, entries, parts};
use crate::tables::{BuildRow, FileRow};
use crate::{column::Table, writer_folder::WriterFolder};

/// A batch that is being filled with files by others. Dropped without a commit, it leaves nothing.
///
/// Nothing is claimed while they read: their inputs are far too many. Instead, [`ForeignBatch::try_hold`] claims all inputs that there
/// could be for the moment of the commit, and names those that others have added since the batch was begun.
#[derive(Debug)]
pub struct ForeignBatch {
    store: Arc<Store>,
    folder: Option<WriterFolder<Arc<Store>>>,
    /// The parts of `files` that the store had when the batch was begun.
    known_parts: HashSet<String>,
    /// Whether nobody else can claim an input.
    is_held: bool,
}

impl ForeignBatch {
    /// An empty batch for the store in a folder, which is made if it is missing. What the store holds can be read from now on.
    ///
    /// # Errors
    /// The folder can't be written to, or holds something else.
    pub fn begin(root: &Path) -> Result<ForeignBatch, StoreError> {
        let store = Arc::new(Store::open_unread(root)?);
        let known_parts = store.file_parts()?.into_iter().map(|(name, _)| name).collect();
        let folder = Some(WriterFolder::new(Arc::clone(&store))?);
        Ok(ForeignBatch { store, folder, known_parts, is_held: false })
    }

    /// Where the others write: a folder per table, in it one per partition as in the store (of `builds`, none). A folder of another
    /// name is theirs, and is not committed.
    pub fn folder(&self) -> &Path {
        self.folder.as_ref().map_or(self.store.root(), |folder| &folder.path)
    }

    /// Claims all inputs, those of others' too; none while another writer has claimed one. Returns the inputs that were added since
    /// the batch was begun: it must not have them.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn try_hold(&mut self) -> Result<Option<Vec<ContentId>>, StoreError> {
        if !self.is_held {
            self.is_held = self.store.try_claim_all()?;
        }
        if !self.is_held {
            return Ok(None);
        }
        let mut added = Vec::new();
        for (name, path) in self.store.file_parts()? {
            if !self.known_parts.contains(&name) {
                added.extend(read_known(&path)?);
            }
        }
        Ok(Some(added))
    }

    /// Makes all of it a part of the store, in one step. Waits for nobody: [`ForeignBatch::try_hold`] comes before.
    ///
    /// # Errors
    /// It can't be written, or the inputs aren't held.
    pub fn commit(mut self, inputs: &[ContentId]) -> Result<(), StoreError> {
        let Some(folder) = self.folder.take() else { return Ok(()) };
        if inputs.is_empty() {
            return Ok(());
        }
        if !self.is_held {
            let error = std::io::Error::other("its inputs are not claimed");
            return Err(StoreError::Io { what: "commit", path: folder.path.clone(), error });
        }
        keep_parts(&folder.path)?;
        folder.commit(inputs)
    }
}

impl Drop for ForeignBatch {
    fn drop(&mut self) {
        // Before the claims: whoever is let in does not find it.
        self.folder = None;
        if self.is_held {
            self.store.unclaim_all();
        }
    }
}

/// Removes what is no part of a table (`_SUCCESS`, checksums, the engine's own), and makes the rest outlive a crash of the machine.
fn keep_parts(batch: &Path) -> Result<(), StoreError> {
    for (name, path) in entries(batch)? {
        if !TABLES.contains(&name.as_str()) {
            remove(&path)?;
        } else if name == BuildRow::NAME {
            keep_parts_of(&path)?;
        } else {
            for (partition, folder) in entries(&path)? {
                if partition.starts_with("date=") && folder.is_dir() {
                    keep_parts_of(&folder)?
                } else {
                    remove(&folder)?
                }
            }
        }
    }
    Ok(())
}

fn keep_parts_of(folder: &Path) -> Result<(), StoreError> {
    for (name, path) in entries(folder)? {
        if name.ends_with(".parquet") && !name.starts_with(['.', '_']) {
            at("sync", &path, File::open(&path).and_then(|file| file.sync_all()))?;
        } else {
            remove(&path)?;
        }
    }
    Ok(())
}

fn remove(path: &PathBuf) -> Result<(), StoreError> {
    at("remove", path, if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) })
}

impl Store {
    /// The parts of `files`, with what was committed and not yet in place.
    fn file_parts(&self) -> Result<Vec<(String, PathBuf)>, StoreError> {
        let _turn = self.lock()?;
        self.complete()?;
        parts(&self.root().join(FileRow::NAME))
    }
}
