// SPDX-License-Identifier: MIT OR Apache-2.0
//! One pass over inputs: threads that read them, and this one, which commits.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bootline_store::tables::{FileRow, FileStatus};
use bootline_store::{Batch, Claim, Claimed, Committed, ContentId, FoundInput, InputRows, Store, StoreError};
use bootline_terminal::ProgressLine;

use crate::args::Plan;
use crate::batches::{Batches, ReadInput};
use crate::tally::Tally;

/// Inputs found and not yet read, at most.
const QUEUE: usize = 256;
/// Rows of one input, at most, that wait for their batch: of more the reading thread makes a batch of its own.
const MOST_WAITING: usize = 32 * 1024;
/// How often an input is read that changes while it is read.
const ATTEMPTS: usize = 3;
/// Time between updates of the progress.
const PAUSE: Duration = Duration::from_millis(200);
/// What takes no longer shows no progress.
const SOON_DONE: Duration = Duration::from_secs(1);

/// What a thread tells of an input.
#[derive(Debug)]
enum Told<'s> {
    /// Its rows.
    Read(Box<ReadInput<'s>>),
    /// It had so many rows that they were committed already.
    Committed(FileRow, Committed),
    /// The store held it before.
    Stored,
    /// Somebody else is about to store it.
    Elsewhere(PathBuf, ContentId),
    /// The store can't be used.
    Failed(StoreError),
}

/// An input that somebody else is about to store.
pub type Elsewhere = (PathBuf, ContentId);

/// Reads what `find` finds and commits all of it; returns what somebody else is about to store.
///
/// # Errors
/// The store can't be used.
pub fn pass(
    plan: &Plan,
    store: &Store,
    cancel: &AtomicBool,
    tally: &mut Tally,
    progress: &mut ProgressLine,
    find: impl FnOnce(&mut dyn FnMut(PathBuf) -> bool) + Send,
) -> Result<Vec<Elsewhere>, StoreError> {
    let found = AtomicUsize::new(0);
    let (send, paths) = sync_channel::<PathBuf>(QUEUE);
    let (tell, told) = sync_channel::<Told<'_>>(plan.jobs);
    let paths = Mutex::new(paths);
    let before = tally.found;
    let result = std::thread::scope(|scope| {
        let (found, paths) = (&found, &paths);
        scope.spawn(move || {
            find(&mut |path| {
                found.fetch_add(1, Ordering::Relaxed);
                !cancel.load(Ordering::Relaxed) && send.send(path).is_ok()
            });
        });
        for _ in 0..plan.jobs {
            let tell = tell.clone();
            scope.spawn(move || read_all(plan, store, cancel, paths, &tell));
        }
        drop(tell);
        let begun = Instant::now();
        let result = collect(plan, store, &told, tally, &mut |tally| {
            if begun.elapsed() < SOON_DONE {
                return;
            }
            progress.update(|| {
                let found = before + found.load(Ordering::Relaxed);
                let Committed { inputs, boots, .. } = tally.committed;
                let read = inputs + tally.stored_before;
                format!("{read} of {found} inputs committed, {boots} boots")
            });
        });
        // Whoever still reads sees that nobody listens.
        drop(told);
        result
    });
    tally.found = before + found.load(Ordering::Relaxed);
    result
}

/// Collects what the threads tell, until all of them have ended.
fn collect<'s>(
    plan: &Plan,
    store: &'s Store,
    told: &Receiver<Told<'s>>,
    tally: &mut Tally,
    show: &mut impl FnMut(&Tally),
) -> Result<Vec<Elsewhere>, StoreError> {
    let mut batches = Batches::new(store, plan.batch_rows);
    let mut elsewhere = Vec::new();
    loop {
        show(tally);
        match told.recv_timeout(PAUSE) {
            Ok(Told::Read(input)) => batches.add(*input, tally)?,
            Ok(Told::Committed(file, committed)) => {
                tally.add(&file);
                tally.commit(committed);
            }
            Ok(Told::Stored) => tally.stored_before += 1,
            Ok(Told::Elsewhere(path, input)) => elsewhere.push((path, input)),
            Ok(Told::Failed(e)) => return Err(e),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    batches.commit(tally)?;
    Ok(elsewhere)
}

fn read_all<'s>(
    plan: &Plan,
    store: &'s Store,
    cancel: &AtomicBool,
    paths: &Mutex<Receiver<PathBuf>>,
    tell: &SyncSender<Told<'s>>,
) {
    loop {
        let next = paths.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(path) = next else { return };
        if cancel.load(Ordering::Relaxed) {
            return;
        }
        if tell.send(read(plan, store, &path).unwrap_or_else(Told::Failed)).is_err() {
            return;
        }
    }
}

/// Reads an input, and reads it again if it was changed meanwhile.
fn read<'s>(plan: &Plan, store: &'s Store, path: &Path) -> Result<Told<'s>, StoreError> {
    for _ in 0..ATTEMPTS {
        if let Some(told) = read_found(plan, store, path, &FoundInput::new(path))? {
            return Ok(told);
        }
    }
    // Its writer is not done. Once it is, the file is another input.
    let changing = FoundInput::changing(path);
    Ok(read_found(plan, store, path, &changing)?.unwrap_or(Told::Stored))
}

/// Reads an input; none if it is not any more what was found.
fn read_found<'s>(
    plan: &Plan,
    store: &'s Store,
    path: &Path,
    found: &FoundInput,
) -> Result<Option<Told<'s>>, StoreError> {
    let claim = match store.claim(found.input)? {
        Claimed::Stored => return Ok(Some(Told::Stored)),
        Claimed::Elsewhere => return Ok(Some(Told::Elsewhere(path.to_owned(), found.input))),
        Claimed::Mine(claim) => claim,
    };
    // A log that breaks bootline must not stop all others.
    let told = catch_unwind(AssertUnwindSafe(|| read_rows(plan, store, found, claim)));
    let Ok(told) = told else {
        let Claimed::Mine(claim) = store.claim(found.input)? else { return Ok(Some(Told::Stored)) };
        let file = found.row(FileStatus::Damaged, Some(FoundInput::BUG.to_owned()), 0);
        return Ok(Some(Told::Read(Box::new(ReadInput { boots: Vec::new(), builds: Vec::new(), file, claim }))));
    };
    told
}

fn read_rows<'s>(
    plan: &Plan,
    store: &'s Store,
    found: &FoundInput,
    claim: Claim<'s>,
) -> Result<Option<Told<'s>>, StoreError> {
    let (mut boots, mut builds, mut file) = (Vec::new(), Vec::new(), None);
    let mut rows = 0;
    let mut own: Option<Batch<'_>> = None;
    plan.reader.read(found, |given| {
        match given {
            InputRows::Boot(boot) => match &mut own {
                Some(batch) => batch.add_boot(*boot)?,
                None => {
                    rows += boot.rows();
                    boots.push(*boot);
                    if rows > MOST_WAITING.min(plan.batch_rows) {
                        let batch = own.insert(Batch::new(store, plan.batch_rows));
                        boots.drain(..).try_for_each(|boot| batch.add_boot(boot))?;
                    }
                }
            },
            InputRows::Build(build) => builds.push(build),
            InputRows::File(row) => file = Some(row),
        }
        Ok(())
    })?;
    // These would be the rows of another content than the one that was hashed and claimed.
    if !found.is_unchanged() {
        return Ok(None);
    }
    let file = file.unwrap_or_else(|| found.row(FileStatus::NoBoot, None, 0));
    let Some(mut batch) = own else {
        return Ok(Some(Told::Read(Box::new(ReadInput { boots, builds, file, claim }))));
    };
    builds.into_iter().for_each(|build| batch.add_build(build));
    batch.add_file(file.clone(), claim);
    Ok(Some(Told::Committed(file, batch.commit()?)))
}
