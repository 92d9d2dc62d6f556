// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline ingest` as a user runs it: what becomes of good and of bad inputs, and of metadata.
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

mod stored;

use stored::{Row, check_whole, ingest, log, logs, parts, rows, said};

#[test]
fn a_folder_is_stored_once() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, 20);
    let first = ingest(&input, &store, &[]).output().unwrap();
    assert!(first.status.success(), "{}", said(&first));
    assert!(said(&first).contains("20 boots"), "{}", said(&first));
    check_whole(&store, 20);
    // Again, under other names, and with one more.
    fs::rename(&input, dir.path().join("moved")).unwrap();
    fs::write(dir.path().join("moved/new.log"), log(20)).unwrap();
    fs::copy(dir.path().join("moved/new.log"), dir.path().join("moved/same.log")).unwrap();
    let second = ingest(&dir.path().join("moved"), &store, &["--jobs", "1"]).output().unwrap();
    assert!(said(&second).contains("1 boots") && said(&second).contains("21 were there before"), "{}", said(&second));
    check_whole(&store, 21);
}

#[test]
fn every_table_can_be_read_from_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    fs::create_dir(dir.path().join("logs")).unwrap();
    let empty = ingest(&dir.path().join("logs"), &store, &[]).output().unwrap();
    assert_eq!(empty.status.code(), Some(3), "{}", said(&empty));
    for table in ["boots", "spans", "findings", "measures", "builds", "rollups", "files"] {
        assert_eq!((parts(&store, table).len(), rows(&store, table).len()), (1, 0), "{table}");
    }
}

#[test]
fn a_bad_file_is_a_row_and_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    fs::create_dir(&input).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(input.join(name), bytes).unwrap();
    write("empty.log", b"");
    write("binary.log", &(0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect::<Vec<_>>());
    write("text.log", b"nothing of a kernel\n");
    write("cut.log", log(5).split("Freeing").next().unwrap().as_bytes());
    write("good.log", log(1).as_bytes());
    let whole = packed(&(0..2_000).map(|n| format!("[    2.{n:06}] line {n}\n")).fold(log(2), |all, line| all + &line));
    write("cut.log.gz", &whole[..whole.len() - 2_000]);
    write("whole.log.gz", &packed(&log(3)));
    write("secret.log", log(4).as_bytes());
    fs::set_permissions(input.join("secret.log"), fs::Permissions::from_mode(0o000)).unwrap();
    // To root nothing is forbidden.
    let is_forbidden = fs::read(input.join("secret.log")).is_err();
    rustix::fs::mkfifoat(rustix::fs::CWD, input.join("pipe.log"), rustix::fs::Mode::RUSR).unwrap();
    for _ in 0..2 {
        let output = ingest(&input, &store, &[]).output().unwrap();
        let expected = [Some(3), Some(0)];
        assert!(expected.contains(&output.status.code()), "{}", said(&output));
        let files = rows(&store, "files");
        let state = |name: &str| {
            let row =
                files.iter().find(|f| f["path"].ends_with(&format!("/{name}"))).unwrap_or_else(|| panic!("{name}"));
            (row["status"].clone(), row["boots"].clone(), row.contains_key("problem"), row.contains_key("sha256"))
        };
        let check = |name: &str, status: &str, boots: &str, problem: bool, hash: bool| {
            assert_eq!(state(name), (status.to_owned(), boots.to_owned(), problem, hash), "{name}");
        };
        check("empty.log", "no-boot", "0", true, true);
        check("binary.log", "no-boot", "0", true, true);
        check("text.log", "no-boot", "0", true, true);
        check("cut.log", "stored", "1", false, true);
        check("good.log", "stored", "1", false, true);
        check("cut.log.gz", "damaged", "1", true, true);
        check("whole.log.gz", "stored", "1", false, true);
        check("pipe.log", "unreadable", "0", true, false);
        if is_forbidden {
            check("secret.log", "unreadable", "0", true, false);
        }
        assert_eq!(files.len(), 9);
    }
    let boots = rows(&store, "boots");
    let mut unusable = boots.iter().filter(|b| b["usable"] == "false").filter_map(|b| b.get("problem"));
    assert!(unusable.any(|p| p == "ends before init's start"), "{boots:?}");
}

#[test]
fn metadata_come_from_options_sidecars_and_paths() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    fs::create_dir_all(input.join("lab-a/rpi4/v6.1-2")).unwrap();
    let file = |n: usize| input.join(format!("lab-a/rpi4/v6.1-2/{n}.log"));
    (1..=2).for_each(|n| fs::write(file(n), log(n)).unwrap());
    fs::write(
        input.join("lab-a/rpi4/v6.1-2/2.log.meta.json"),
        r#"{"board": "rpi5", "ordinal": 7, "git_commit_hash": "ab12", "start_time": "2026-02-03T04:05:06Z",
            "measures": [{"name": "inrush", "value": 1.5, "unit": "A"}]}"#,
    )
    .unwrap();
    let pattern = ["--path-pattern", "{lab}/{board}/{build}/{job}.log", "--lab", "mine"];
    let output = ingest(&input, &store, &pattern).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let boots = rows(&store, "boots");
    let of = |job: &str| boots.iter().find(|b| b.get("job").is_some_and(|j| j == job)).unwrap().clone();
    let get = |row: &Row, column: &str| row.get(column).cloned().unwrap_or_default();
    let (first, second) = (of("1"), of("2"));
    assert_eq!([get(&first, "board"), get(&first, "build"), get(&first, "lab")], ["rpi4", "v6.1-2", "mine"]);
    assert_eq!([get(&second, "board"), get(&second, "build")], ["rpi5", "v6.1-2"]);
    assert_eq!((get(&second, "start_time_source").as_str(), get(&second, "date").as_str()), ("sidecar", "2026-02-03"));
    assert_eq!(get(&first, "start_time_source"), "");
    let spans = rows(&store, "spans");
    let initcall = spans.iter().find(|s| s["boot_id"] == second["boot_id"] && s["name"] == "acpi_init").unwrap();
    assert_eq!([&initcall["board"], &initcall["build"], &initcall["date"]], ["rpi5", "v6.1-2", "2026-02-03"]);
    assert_eq!([&initcall["clock"], &initcall["reported_us"]], ["kernel", "50000"]);
    let measures = rows(&store, "measures");
    assert_eq!(measures.len(), 1);
    assert_eq!([&measures[0]["name"], &measures[0]["clock"], &measures[0]["unit"]], ["inrush", "sidecar", "A"]);
    let builds = rows(&store, "builds");
    assert_eq!(builds.len(), 1);
    assert_eq!([&builds[0]["build"], &builds[0]["ordinal"]], ["v6.1-2", "7"]);
    // What is said later of a build and says less does not replace it; what says as much does.
    fs::write(file(3), log(3)).unwrap();
    assert!(ingest(&input, &store, &pattern).output().unwrap().status.success());
    assert_eq!(rows(&store, "builds"), builds);
    fs::write(file(4), log(4)).unwrap();
    fs::write(input.join("lab-a/rpi4/v6.1-2/4.log.meta.json"), r#"{"ordinal": 8}"#).unwrap();
    assert!(ingest(&input, &store, &pattern).output().unwrap().status.success());
    assert_eq!(rows(&store, "builds").iter().map(|b| b["ordinal"].as_str()).collect::<Vec<_>>(), ["8"]);
}

#[test]
fn a_list_on_standard_input_names_files_and_patterns() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("logs"), dir.path().join("store"));
    logs(&input, 10);
    let mut child = ingest("-".as_ref(), &store, &[]).stdin(Stdio::piped()).spawn().unwrap();
    let list = format!("{}\n{}\n", input.join("0000?.log").display(), input.join("missing.log").display());
    child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("missing.log"), "{}", said(&output));
    assert_eq!(rows(&store, "boots").len(), 10);
}

#[test]
fn folders_patterns_and_archives_are_searched_and_what_is_no_input_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("logs");
    // The store lies in what is searched.
    let store = input.join("store");
    for (folder, numbers) in [("lab-a/deep", 0..3), ("lab-b", 3..5), ("other", 5..6), (".hidden", 6..7)] {
        fs::create_dir_all(input.join(folder)).unwrap();
        numbers.for_each(|n| fs::write(input.join(folder).join(format!("{n}.log")), log(n)).unwrap());
    }
    fs::write(input.join("lab-a/deep/0.log.meta.json"), r#"{"board": "rpi4"}"#).unwrap();
    let packed = dir.path().join("packed");
    logs(&packed, 9);
    (0..6).for_each(|n| fs::remove_file(packed.join(format!("{n:05}.log"))).unwrap());
    let tar =
        Command::new("tar").arg("-cf").arg(input.join("lab-b/three.tar")).arg("-C").arg(&packed).arg(".").status();
    assert!(tar.unwrap().success());
    let by_pattern = ingest(&input.join("lab-*"), &store, &[]).output().unwrap();
    assert!(by_pattern.status.success(), "{}", said(&by_pattern));
    assert!(
        said(&by_pattern).contains("8 boots") && said(&by_pattern).contains("from 6 of 6"),
        "{}",
        said(&by_pattern)
    );
    let all = ingest(&input, &store, &[]).output().unwrap();
    assert!(said(&all).contains("1 boots") && said(&all).contains("6 were there before"), "{}", said(&all));
    assert_eq!(rows(&store, "boots").iter().filter(|boot| boot.contains_key("board")).count(), 1);
    // A name that is no text.
    let name = std::ffi::OsStr::from_bytes(b"lab-\xff.log");
    fs::write(input.join(name), log(7)).unwrap();
    let odd = ingest(&input.join(name), &store, &[]).output().unwrap();
    assert!(odd.status.success() && said(&odd).contains("1 boots"), "{}", said(&odd));
}

#[test]
fn a_folder_that_is_no_store_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("logs");
    logs(&input, 1);
    let output = ingest(&input, &input, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(said(&output).contains("is not a store"), "{}", said(&output));
    assert_eq!(fs::read_dir(&input).unwrap().count(), 1);
}

#[test]
fn many_boots_in_one_file_need_no_memory_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let (input, store) = (dir.path().join("all.log"), dir.path().join("store"));
    fs::write(&input, (0..300).map(log).collect::<String>()).unwrap();
    let output = ingest(&input, &store, &["--batch-rows", "100"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let boots = rows(&store, "boots");
    let places: std::collections::BTreeSet<usize> = boots.iter().map(|b| b["boot_index"].parse().unwrap()).collect();
    assert_eq!((boots.len(), places.len()), (300, 300));
    assert!(parts(&store, "boots").len() > 10);
    assert_eq!(rows(&store, "files")[0]["boots"], "300");
}

/// gzip, without compression.
fn packed(text: &str) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let chunks: Vec<&[u8]> = text.as_bytes().chunks(1_000).collect();
    for (i, chunk) in chunks.iter().enumerate() {
        out.push(u8::from(i + 1 == chunks.len()));
        let length = chunk.len() as u16;
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(*chunk);
    }
    let crc = text.bytes().fold(u32::MAX, |mut crc, byte| {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
        crc
    });
    out.extend((!crc).to_le_bytes());
    out.extend((text.len() as u32).to_le_bytes());
    out
}
