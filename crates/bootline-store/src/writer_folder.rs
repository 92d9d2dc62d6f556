// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folder in which a writer fills a batch: its own until it is committed or removed.
use std::fs;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use crate::content::{ContentId, name_of};
use crate::error::{StoreError, at};
use crate::store::{Store, own_writers, sync_folder};

/// A folder of this writer's own, which is removed unless it was committed.
#[derive(Debug)]
pub(crate) struct WriterFolder<S: Deref<Target = Store>> {
    store: S,
    number: u64,
    pub(crate) path: PathBuf,
    is_left: bool,
}

impl<S: Deref<Target = Store>> WriterFolder<S> {
    /// An empty one.
    pub(crate) fn new(store: S) -> Result<WriterFolder<S>, StoreError> {
        let mut number = u64::from(std::process::id()) << 20;
        loop {
            let path = store.own("writing").join(number.to_string());
            // The lock comes first: a folder without one is a dead writer's.
            let is_free = own_writers().insert(number);
            if is_free && at("lock", &path, store.writers.try_lock(number))? {
                match fs::create_dir(&path) {
                    Ok(()) => return Ok(WriterFolder { store, number, path, is_left: false }),
                    // A dead writer's.
                    Err(e) if e.kind() == ErrorKind::AlreadyExists => store.writers.unlock(number),
                    Err(error) => return Err(StoreError::Io { what: "create", path, error }),
                }
            }
            if is_free {
                own_writers().remove(&number);
            }
            number += 1;
        }
    }

    /// Makes what is in it a part of the store, under a name that only these inputs give. Needs that nobody else adds them.
    pub(crate) fn commit(mut self, inputs: &[ContentId]) -> Result<(), StoreError> {
        sync_folders(&self.path)?;
        self.store.commit(&self.path, &name_of(inputs.to_vec()), inputs)?;
        self.is_left = true;
        Ok(())
    }
}

impl<S: Deref<Target = Store>> Drop for WriterFolder<S> {
    fn drop(&mut self) {
        if !self.is_left {
            _ = fs::remove_dir_all(&self.path);
        }
        self.store.writers.unlock(self.number);
        own_writers().remove(&self.number);
    }
}

fn sync_folders(folder: &Path) -> Result<(), StoreError> {
    for entry in at("read", folder, fs::read_dir(folder))? {
        let path = at("read", folder, entry)?.path();
        if path.is_dir() {
            sync_folders(&path)?;
        }
    }
    sync_folder(folder)
}
