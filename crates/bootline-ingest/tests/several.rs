// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several writers, and writers that are killed: nothing is stored twice, nothing is lost.
use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use bootline_store::{Claimed, FoundInput, Store};

mod stored;

use stored::{check_whole, ingest, log, logs, parts, rows, said};

/// Waits until the process has ended, or something is true of the store.
fn until(child: &mut Child, is_so: impl Fn() -> bool) -> bool {
    while child.try_wait().unwrap().is_none() {
        if is_so() {
            return true;
        }
        sleep(Duration::from_millis(1));
    }
    false
}

fn batches(store: &Path) -> usize {
    parts(store, "files").len()
}

/// Kills a writer again and again, each time after it has committed some more, wherever it is then.
#[test]
fn killed_and_run_again_it_stores_everything_once() {
    const LOGS: usize = 1_500;
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, LOGS);
    let small = ["--batch-rows", "60", "--jobs", "2", "--quiet"];
    let mut kills = 0;
    for round in 0..40_u64 {
        let before = batches(&store);
        let mut child = ingest(&input, &store, &small).spawn().unwrap();
        let has_more = until(&mut child, || batches(&store) > before + 1);
        // Somewhere in what follows a commit.
        sleep(Duration::from_micros(round * 137 % 2_000));
        _ = child.kill();
        _ = child.wait();
        if !has_more {
            break;
        }
        kills += 1;
    }
    assert!(kills > 0);
    let last = ingest(&input, &store, &small).output().unwrap();
    assert!(last.status.success(), "{}", said(&last));
    check_whole(&store, LOGS);
}

#[test]
fn two_writers_share_the_work() {
    const LOGS: usize = 600;
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, LOGS);
    let start = || ingest(&input, &store, &["--batch-rows", "60", "--jobs", "2"]).spawn().unwrap();
    let writers = [start(), start(), start()];
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
    check_whole(&store, LOGS);
}

/// An input that another writer has claimed is stored by whoever is left when that one gives it up.
#[test]
fn what_a_dead_writer_had_claimed_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, 5);
    let other = Store::open(&store).unwrap();
    let found = FoundInput::new(&input.join("00002.log"));
    let Claimed::Mine(claim) = other.claim(found.input).unwrap() else { panic!("nobody else has it") };
    let mut writer = ingest(&input, &store, &[]).spawn().unwrap();
    assert!(until(&mut writer, || rows(&store, "files").len() == 4), "it did not wait");
    // As the kernel does at a process's end.
    drop(claim);
    drop(other);
    let output = writer.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    check_whole(&store, 5);
}

/// Whatever a writer leaves between the step that commits and the last file's rename, the next one completes.
#[test]
fn a_commit_that_was_not_finished_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, 8);
    assert!(ingest(&input, &store, &[]).output().unwrap().status.success());
    let tables = ["rollups", "findings", "spans", "boots", "files"];
    for done in 0..tables.len() {
        // Back to where the first tables were done.
        for table in &tables[done..] {
            for path in parts(&store, table).iter().filter(|path| !path.ends_with("empty.parquet")) {
                let name = path.file_name().unwrap().to_str().unwrap();
                let (batch, part) = name.split_once('-').unwrap();
                let partition = path.parent().unwrap().file_name().unwrap();
                let folder = store.join("_bootline/committed").join(batch).join(table).join(partition);
                fs::create_dir_all(&folder).unwrap();
                fs::rename(path, folder.join(part)).unwrap();
            }
        }
        // What a dead writer had begun is removed with it.
        let begun = store.join("_bootline/writing/77/spans/date=2026-01-01");
        fs::create_dir_all(&begun).unwrap();
        fs::write(begun.join("000.parquet"), "half").unwrap();
        let again = ingest(&input, &store, &[]).output().unwrap();
        assert!(said(&again).contains("8 were there before"), "{}", said(&again));
        check_whole(&store, 8);
    }
}

#[test]
fn a_folder_that_grows_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, 2);
    let mut writer = ingest(&input, &store, &["--follow", "--settle", "0"]).spawn().unwrap();
    assert!(until(&mut writer, || rows(&store, "files").len() == 2));
    fs::create_dir(input.join("more")).unwrap();
    fs::write(dir.path().join("new.log"), log(2)).unwrap();
    fs::rename(dir.path().join("new.log"), input.join("more/new.log")).unwrap();
    assert!(until(&mut writer, || rows(&store, "files").len() == 3));
    let pid = rustix::process::Pid::from_child(&writer);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = writer.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    check_whole(&store, 3);
}
