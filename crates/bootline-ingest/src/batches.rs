// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects what was read of inputs in batches, and commits them.
use bootline_store::tables::{BuildRow, FileRow};
use bootline_store::{Batch, BootRows, Claim, Store, StoreError};

use crate::tally::Tally;

/// What was read of one input.
#[derive(Debug)]
pub struct ReadInput<'s> {
    /// Its boots.
    pub boots: Vec<BootRows>,
    /// Their builds.
    pub builds: Vec<BuildRow>,
    /// What became of it.
    pub file: FileRow,
    /// Nobody else adds it.
    pub claim: Claim<'s>,
}

/// The batch that is being filled.
#[derive(Debug)]
pub struct Batches<'s> {
    store: &'s Store,
    most_rows: usize,
    batch: Batch<'s>,
}

impl<'s> Batches<'s> {
    /// Batches of about this many rows.
    pub fn new(store: &'s Store, most_rows: usize) -> Batches<'s> {
        Batches { store, most_rows, batch: Batch::new(store, most_rows) }
    }

    /// Adds an input, and commits if it is time.
    ///
    /// # Errors
    /// The store can't be written to.
    pub fn add(&mut self, input: ReadInput<'s>, tally: &mut Tally) -> Result<(), StoreError> {
        tally.add(&input.file);
        for boot in input.boots {
            self.batch.add_boot(boot)?;
        }
        for build in input.builds {
            self.batch.add_build(build);
        }
        self.batch.add_file(input.file, input.claim);
        if self.batch.is_full() { self.commit(tally) } else { Ok(()) }
    }

    /// Commits what there is.
    ///
    /// # Errors
    /// The store can't be written to.
    pub fn commit(&mut self, tally: &mut Tally) -> Result<(), StoreError> {
        let batch = std::mem::replace(&mut self.batch, Batch::new(self.store, self.most_rows));
        if !batch.is_empty() {
            tally.commit(batch.commit()?);
        }
        Ok(())
    }
}
