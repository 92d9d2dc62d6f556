// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several writers, and writers that are killed: nothing is stored twice, nothing is lost.
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

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

/// xorshift64: moments that are the same in every run, as far as the machine lets them.
struct Moments(u64);

impl Moments {
    /// A moment within a time.
    fn within(&mut self, time: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        time.mul_f64((self.0 % 1_000) as f64 / 1_000.0)
    }
}

/// Pairs of writers, of which one or both are killed at whatever moment: while they open the store, read, commit, or wait.
#[test]
fn writers_killed_at_any_moment_store_everything_once() {
    const LOGS: usize = 240;
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("logs");
    logs(&input, LOGS);
    let small = ["--batch-rows", "100", "--jobs", "2", "--quiet"];
    let began = Instant::now();
    assert!(ingest(&input, &dir.path().join("undisturbed"), &small).output().unwrap().status.success());
    let whole = began.elapsed();
    let mut moments = Moments(0x2545_f491_4f6c_dd1d);
    let store = dir.path().join("store");
    let mut kills = 0;
    for round in 0..12 {
        let mut writers: Vec<Child> = (0..2).map(|_| ingest(&input, &store, &small).spawn().unwrap()).collect();
        // One or both.
        for writer in &mut writers[round % 2..] {
            sleep(moments.within(whole / 8));
            if writer.try_wait().unwrap().is_none() {
                writer.kill().unwrap();
                kills += 1;
            }
        }
        if round % 4 == 3 {
            // Nor does a survivor change that.
            let output = writers.remove(0).wait_with_output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
            check_whole(&store, LOGS);
            fs::remove_dir_all(&store).unwrap();
        }
        writers.into_iter().for_each(|mut writer| _ = writer.wait());
    }
    assert!(kills > 0);
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

/// Whatever a file was when it was read, its rows are those of the content that is known by its hash.
#[test]
fn a_file_that_grows_while_it_is_read_is_stored_as_it_was_at_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    fs::create_dir(&input).unwrap();
    let path = input.join("console.log");
    fs::write(&path, (0..200).map(log).collect::<String>()).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut console = fs::File::options().append(true).open(&path).unwrap();
            for number in 200..1_000 {
                console.write_all(log(number).as_bytes()).unwrap();
                sleep(Duration::from_millis(1));
            }
            is_done.store(true, Ordering::Relaxed);
        });
        while !is_done.load(Ordering::Relaxed) {
            ingest(&input, &store, &["--batch-rows", "100"]).output().unwrap();
        }
    });
    let last = ingest(&input, &store, &[]).output().unwrap();
    assert!(last.status.success(), "{}", said(&last));
    let whole = fs::read_to_string(&path).unwrap();
    let (files, boots) = (rows(&store, "files"), rows(&store, "boots"));
    for file in &files {
        let of_file = boots.iter().filter(|boot| boot["file_id"] == file["file_id"]).count();
        assert_eq!(file["boots"], of_file.to_string());
        match file.get("sha256") {
            Some(_) => {
                let then = &whole[..file["size"].parse().unwrap()];
                assert_eq!(of_file, then.matches("Linux version").count(), "{file:?}");
            }
            None => assert_eq!((file["problem"].as_str(), of_file), ("it changes while it is read", 0)),
        }
    }
    assert!(files.iter().any(|file| file.get("size").is_some_and(|size| *size == whole.len().to_string())));
}
