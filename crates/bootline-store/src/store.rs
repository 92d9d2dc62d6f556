// SPDX-License-Identifier: MIT OR Apache-2.0
//! A store on disk: which inputs it holds, who may add one, and how a batch becomes a part of it.
//!
//! `_bootline/` holds what makes that safe, and decision 0014 says why:
//! `version`, the contract's; `lock`, whose first bytes count the commits and whose locks are the store's and the claims';
//! `writers`, whose locks show which writers live; `writing/N/`, a batch that the writer N has begun; `committed/NAME/`, a batch that is
//! committed and not yet in its tables' folders.
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::column::Table;
use crate::content::ContentId;
use crate::error::{StoreError, at, in_file};
use crate::known_files::read_known;
use crate::part::{CONTRACT, write_part};
use crate::range_locks::RangeLocks;
use crate::tables::{BootRow, BuildRow, FileRow, FindingRow, MeasureRow, RollupRow, SpanRow};

/// A store on disk.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    locks: RangeLocks,
    pub(crate) writers: RangeLocks,
    known: Mutex<Known>,
    /// Held with the lock on the store: locks of a process do not exclude its own threads.
    turn: Mutex<()>,
}

/// What is known of the store's content.
#[derive(Debug, Default)]
struct Known {
    /// Inputs that it holds.
    inputs: HashSet<u128>,
    /// Parts of `files` that were read.
    parts: HashSet<String>,
    /// The count of commits up to which that is complete.
    commits: u64,
    /// Inputs that this process has claimed.
    claimed: HashSet<u128>,
}

/// An input that is this process's to add; until it is committed or this is dropped, nobody else adds it.
#[derive(Debug)]
pub struct Claim<'s> {
    store: &'s Store,
    /// The input.
    pub input: ContentId,
}

/// Whether an input may be added.
#[derive(Debug)]
pub enum Claimed<'s> {
    /// It may.
    Mine(Claim<'s>),
    /// The store holds it.
    Stored,
    /// Somebody is about to add it.
    Elsewhere,
}

/// Position of the lock on the whole store; the claims' are beyond.
const WHOLE_STORE: u64 = 0;

/// The first position of a claim.
const FIRST_CLAIM: u64 = 1 << 24;

/// The tables' folders, in the order in which a batch gets into them: who sees a boot finds its spans.
pub(crate) const TABLES: [&str; 7] =
    [BuildRow::NAME, RollupRow::NAME, MeasureRow::NAME, FindingRow::NAME, SpanRow::NAME, BootRow::NAME, FileRow::NAME];

/// How the name of a build's file ends that says nothing of the build but its name.
pub(crate) const BARE: &str = ".bare.parquet";

/// The folder of what is the store's own: readers leave out names that begin so.
const OWN: &str = "_bootline";

/// The partition of the file without rows that each table has.
const FIRST_PARTITION: &str = "date=1970-01-01";

impl Store {
    /// Opens a store, or makes one in an empty or missing folder. Completes what writers that died have left.
    ///
    /// # Errors
    /// The folder can't be written to, or holds something else.
    pub fn open(root: &Path) -> Result<Store, StoreError> {
        let store = Store::open_unread(root)?;
        {
            let _turn = store.lock()?;
            store.read_known()?;
        }
        Ok(store)
    }

    /// The same, without a look at the inputs that it holds.
    pub(crate) fn open_unread(root: &Path) -> Result<Store, StoreError> {
        let own = root.join(OWN);
        if !own.exists() {
            refuse_foreign(root)?;
        }
        for folder in ["writing", "committed"] {
            let path = own.join(folder);
            at("create", &path, fs::create_dir_all(&path))?;
        }
        let store = Store {
            root: root.to_owned(),
            locks: locks(&own.join("lock"))?,
            writers: locks(&own.join("writers"))?,
            known: Mutex::default(),
            turn: Mutex::default(),
        };
        {
            let _turn = store.lock()?;
            store.check_version(&own.join("version"))?;
            store.make_tables()?;
            store.complete()?;
        }
        Ok(store)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Number of inputs that the store is known to hold.
    pub fn inputs(&self) -> usize {
        self.known().inputs.len()
    }

    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.root.join(OWN).join(name)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_version(&self, path: &Path) -> Result<(), StoreError> {
        let ours = format!("{}/{}\n", CONTRACT.0, CONTRACT.1);
        match fs::read_to_string(path) {
            Ok(text) if text == ours => Ok(()),
            Ok(text) => Err(StoreError::OtherVersion { path: self.root.clone(), found: text.trim().to_owned() }),
            Err(e) if e.kind() == ErrorKind::NotFound => at("write", path, write_whole(path, ours.as_bytes())),
            Err(error) => Err(StoreError::Io { what: "read", path: path.to_owned(), error }),
        }
    }

    /// Takes the lock on the store, for the moment in which its content changes.
    pub(crate) fn lock(&self) -> Result<StoreLock<'_>, StoreError> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        at("lock", &self.own("lock"), self.locks.lock(WHOLE_STORE))?;
        Ok(StoreLock { store: self, _turn: turn })
    }

    /// Claims an input.
    ///
    /// # Errors
    /// The store can't be read.
    pub fn claim(&self, input: ContentId) -> Result<Claimed<'_>, StoreError> {
        {
            let mut known = self.known();
            if known.inputs.contains(&input.key()) {
                return Ok(Claimed::Stored);
            }
            if !known.claimed.insert(input.key()) {
                return Ok(Claimed::Elsewhere);
            }
        }
        // From here on, dropping it undoes it.
        let claim = Claim { store: self, input };
        if !at("lock", &self.own("lock"), self.locks.try_lock(position(input)))? {
            return Ok(Claimed::Elsewhere);
        }
        // Whoever held the claim before has counted its commit before it let go.
        self.refresh()?;
        if self.known().inputs.contains(&input.key()) {
            return Ok(Claimed::Stored);
        }
        Ok(Claimed::Mine(claim))
    }

    /// Waits until whoever else is about to add an input has done so, or died.
    ///
    /// # Errors
    /// The store can't be locked.
    pub fn wait_for(&self, input: ContentId) -> Result<(), StoreError> {
        at("lock", &self.own("lock"), self.locks.lock(position(input)))?;
        self.locks.unlock(position(input));
        Ok(())
    }

    /// Claims all inputs that there could be; false if somebody else has claimed one.
    pub(crate) fn try_claim_all(&self) -> Result<bool, StoreError> {
        at("lock", &self.own("lock"), self.locks.try_lock_from(FIRST_CLAIM))
    }

    /// Releases them.
    pub(crate) fn unclaim_all(&self) {
        self.locks.unlock_from(FIRST_CLAIM);
    }

    fn count(&self) -> Result<u64, StoreError> {
        let mut bytes = [0; 8];
        match self.locks.0.read_exact_at(&mut bytes, 0) {
            Ok(()) => Ok(u64::from_le_bytes(bytes)),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(0),
            Err(error) => Err(StoreError::Io { what: "read", path: self.own("lock"), error }),
        }
    }

    /// Learns what others have committed.
    fn refresh(&self) -> Result<(), StoreError> {
        if self.count()? == self.known().commits {
            return Ok(());
        }
        let _turn = self.lock()?;
        self.complete()?;
        self.read_known()
    }

    /// Reads the parts of `files` that are not known yet. Needs the lock.
    fn read_known(&self) -> Result<(), StoreError> {
        let commits = self.count()?;
        let table = self.root.join(FileRow::NAME);
        for (name, path) in parts(&table)? {
            if !self.known().parts.contains(&name) {
                let inputs = read_known(&path)?;
                let mut known = self.known();
                known.inputs.extend(inputs.iter().map(ContentId::key));
                known.parts.insert(name);
            }
        }
        self.known().commits = commits;
        Ok(())
    }

    fn make_tables(&self) -> Result<(), StoreError> {
        self.make_table::<BootRow>()?;
        self.make_table::<SpanRow>()?;
        self.make_table::<FindingRow>()?;
        self.make_table::<MeasureRow>()?;
        self.make_table::<BuildRow>()?;
        self.make_table::<RollupRow>()?;
        self.make_table::<FileRow>()
    }

    /// Gives a table a file without rows, with which it can be queried.
    fn make_table<T: Table>(&self) -> Result<(), StoreError> {
        let table = self.root.join(T::NAME);
        let folder = if T::NAME == BuildRow::NAME { table } else { table.join(FIRST_PARTITION) };
        let path = folder.join("empty.parquet");
        if path.exists() {
            return Ok(());
        }
        at("create", &folder, fs::create_dir_all(&folder))?;
        let bytes = in_file(&path, write_part::<T, _>(&mut [], Vec::new()))?;
        at("write", &path, write_whole(&path, &bytes))
    }

    /// Commits the batch in a folder of `writing` under a name that only these inputs give. Needs that nobody else adds them.
    pub(crate) fn commit(&self, folder: &Path, name: &str, inputs: &[ContentId]) -> Result<(), StoreError> {
        let lock = self.lock()?;
        let commits = self.count()? + 1;
        // First the count: who misses the commit would add the inputs again, who sees none looks in vain.
        at("write", &self.own("lock"), self.locks.0.write_all_at(&commits.to_le_bytes(), 0))?;
        let committed = self.own("committed").join(name);
        at("commit", &committed, fs::rename(folder, &committed))?;
        sync_folder(&self.own("committed"))?;
        self.complete()?;
        let mut known = self.known();
        if known.commits + 1 == commits {
            known.commits = commits;
        }
        known.inputs.extend(inputs.iter().map(ContentId::key));
        drop(known);
        drop(lock);
        Ok(())
    }

    /// Brings committed batches into the tables' folders, and removes those that dead writers had only begun. Needs the lock.
    pub(crate) fn complete(&self) -> Result<(), StoreError> {
        let committed = self.own("committed");
        for (name, batch) in entries(&committed)? {
            self.publish(&name, &batch)?;
        }
        for (name, batch) in entries(&self.own("writing"))? {
            let Ok(number) = name.parse::<u64>() else { continue };
            // The locks of this process would not show that it lives.
            if own_writers().contains(&number) || !at("lock", &batch, self.writers.try_lock(number))? {
                continue;
            }
            at("remove", &batch, fs::remove_dir_all(&batch))?;
            self.writers.unlock(number);
        }
        Ok(())
    }

    fn publish(&self, name: &str, batch: &Path) -> Result<(), StoreError> {
        for table in TABLES {
            let from = batch.join(table);
            let to = self.root.join(table);
            if table == BuildRow::NAME {
                self.publish_builds(&from, &to)?;
                continue;
            }
            for (partition, folder) in entries(&from)? {
                let target = to.join(&partition);
                at("create", &target, fs::create_dir_all(&target))?;
                for (part, file) in entries(&folder)? {
                    let named = target.join(format!("{name}-{part}"));
                    at("rename", &file, fs::rename(&file, &named))?;
                }
                sync_folder(&target)?;
            }
            sync_folder(&to)?;
        }
        at("remove", batch, fs::remove_dir_all(batch))
    }

    /// A build has one file, whose name is that of the build: what is said later replaces it, unless that is less.
    fn publish_builds(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        for (part, file) in entries(from)? {
            match part.strip_suffix(BARE) {
                Some(build) => {
                    let named = to.join(format!("{build}.parquet"));
                    if !named.exists() {
                        at("rename", &file, fs::rename(&file, &named))?;
                    }
                }
                None => at("rename", &file, fs::rename(&file, to.join(&part)))?,
            }
        }
        sync_folder(to)
    }
}

/// The lock on a store; released when dropped.
#[derive(Debug)]
pub(crate) struct StoreLock<'s> {
    store: &'s Store,
    _turn: MutexGuard<'s, ()>,
}

impl Drop for StoreLock<'_> {
    fn drop(&mut self) {
        self.store.locks.unlock(WHOLE_STORE);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.store.locks.unlock(position(self.input));
        self.store.known().claimed.remove(&self.input.key());
    }
}

/// Where the claim on an input is locked.
fn position(input: ContentId) -> u64 {
    // Not the lock on the whole store, and not a number that would wrap around to it.
    (input.key() as u64 >> 3) | FIRST_CLAIM
}

/// Numbers of the writers of this process.
pub(crate) fn own_writers() -> MutexGuard<'static, HashSet<u64>> {
    static OWN: std::sync::LazyLock<Mutex<HashSet<u64>>> = std::sync::LazyLock::new(Mutex::default);
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses a folder that holds something and is no store.
fn refuse_foreign(root: &Path) -> Result<(), StoreError> {
    match entries(root)?.into_iter().find(|(name, _)| name != OWN) {
        None => Ok(()),
        Some((name, _)) => Err(StoreError::OtherVersion { path: root.to_owned(), found: format!("`{name}` is in it") }),
    }
}

fn locks(path: &Path) -> Result<RangeLocks, StoreError> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    at("open", path, options.open(path)).map(RangeLocks)
}

/// The entries of a folder with their names, in order; none if it is missing.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, StoreError> {
    let read = match fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => at("read", folder, read)?,
    };
    let mut found = Vec::new();
    for entry in read {
        let entry = at("read", folder, entry)?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    found.sort();
    Ok(found)
}

/// The parts of a partitioned table, with names that no other part has.
pub(crate) fn parts(table: &Path) -> Result<Vec<(String, PathBuf)>, StoreError> {
    let mut found = Vec::new();
    for (partition, folder) in entries(table)? {
        let in_it = entries(&folder)?.into_iter().filter(|(name, _)| name.ends_with(".parquet"));
        found.extend(in_it.map(|(name, path)| (format!("{partition}/{name}"), path)));
    }
    Ok(found)
}

/// Writes a file that is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Readers leave out names that begin so.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Makes a folder's entries outlive a crash of the machine.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    at("sync", folder, File::open(folder).and_then(|folder| folder.sync_all()))
}
