// SPDX-License-Identifier: MIT OR Apache-2.0
//! What U-Boot wrote in QEMU: `tests/bootstage/CASE/` holds a console with a report, and the same marks as a stash in memory, as `md` of
//! it, or as the device tree that the kernel saw. All forms of a case must say the same. Cases are found on disk.
#![allow(clippy::disallowed_methods, reason = "the cases are files")]
use std::fs;
use std::path::{Path, PathBuf};

use bootline_records::source::{Facts, SourceKind, read};

/// Marks in microseconds.
type Marks = Vec<(i64, String)>;

#[test]
fn all_forms_say_what_the_report_says() {
    let (mut stashes, mut trees, mut dumps) = (0, 0, 0);
    for case in cases() {
        let of_report = by_report(&case);
        assert!(of_report.len() > 5, "{}: {of_report:?}", case.display());
        let expected = (of_report, vec![]);
        if let Ok(tree) = fs::read(case.join("tree.txt")) {
            assert_eq!(marks(&tree, SourceKind::BootstageTree), expected, "{}", case.display());
            trees += 1;
        }
        let Some(stash) = stash(&case) else { continue };
        assert_eq!(marks(&stash, SourceKind::BootstageStash), expected, "{}", case.display());
        stashes += 1;
        for dump in dumps_in(&console(&case)) {
            let (found, problems) = marks(dump.as_bytes(), SourceKind::BootstageStash);
            // Without a length, `md` shows 256 bytes.
            if problems.is_empty() {
                assert_eq!(found, expected.0, "{}", case.display());
                dumps += 1;
            } else {
                assert!(problems[0].contains("is cut after 256 of"), "{}: {problems:?}", case.display());
                assert!(is_part_of(&found, &expected.0), "{}: {found:?}", case.display());
            }
        }
        // A console on which both were typed.
        assert_eq!(marks(console(&case).as_bytes(), SourceKind::BootstageStash), expected, "{}", case.display());
    }
    assert!(stashes > 5 && dumps == stashes && trees > 0, "{stashes} {dumps} {trees}");
}

/// Wherever memory ends, what is left of it gives marks that the whole has, or none.
#[test]
fn a_stash_that_is_cut_anywhere_gives_no_other_mark() {
    for (case, stash) in cases().iter().filter_map(|case| Some((case, stash(case)?))) {
        let whole = by_report(case);
        let mut most = 0;
        for cut in 16..stash.len() {
            let (found, _) = marks(&stash[..cut], SourceKind::BootstageStash);
            assert!(is_part_of(&found, &whole), "{} after {cut}: {found:?}", case.display());
            assert!(found.len() >= most, "{} after {cut}: {found:?}", case.display());
            most = found.len();
        }
        assert_eq!(most, whole.len(), "{}", case.display());
    }
}

/// A first stage of 32 bits and a U-Boot of 64: `tests/bootstage_spl/origin.toml`.
#[test]
fn a_first_stage_of_another_word_size_is_read_from_its_stash() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bootstage_spl");
    let named = |marks: &[(i64, &str)]| marks.iter().map(|(us, name)| (*us, (*name).to_owned())).collect::<Marks>();
    // Between them are the accumulated times dm_spl and vesa display.
    let of_spl = named(&[(0, "reset"), (48_027, "SPL"), (111_364, "end phase")]);
    assert_eq!(marks(&stash(&case).unwrap(), SourceKind::BootstageStash), (of_spl, vec![]));
    // U-Boot lost the name of the reset, and made large sums of what followed.
    let console = String::from_utf8_lossy(&fs::read(case.join("console.txt")).unwrap()).into_owned();
    let report = answers(&console).into_iter().find(|(command, _)| command.trim() == "bootstage report").unwrap().1;
    let of_u_boot = named(&[
        (0, "unnamed"),
        (144_808, "board_init_f"),
        (178_465, "board_init_r"),
        (254_376, "eth_common_init"),
        (267_084, "main_loop"),
        (268_442, "cli_loop"),
    ]);
    assert_eq!(marks(report.as_bytes(), SourceKind::Bootstage), (of_u_boot, vec![]));
    let (found, problems) = marks(&fs::read(case.join("unstashed.bin")).unwrap(), SourceKind::BootstageStash);
    assert!(found.is_empty() && problems[0].contains("the bootstage stash is damaged"), "{found:?} {problems:?}");
}

fn cases() -> Vec<PathBuf> {
    bootline_testkit::cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bootstage"), 8)
}

fn stash(case: &Path) -> Option<Vec<u8>> {
    fs::read(case.join("stash.bin")).ok()
}

fn console(case: &Path) -> String {
    fs::read_to_string(case.join("console.txt")).unwrap()
}

fn marks(bytes: &[u8], kind: SourceKind) -> (Marks, Vec<String>) {
    let source = read(bytes);
    assert_eq!(source.kind, Some(kind));
    let Facts::LoaderMarks(marks) = source.facts else { panic!("{:?}", source.facts) };
    let marks = marks.marks.into_iter().map(|m| (m.at.since_origin().as_nanos() / 1_000, m.name));
    (marks.collect(), source.problems.iter().map(|p| p.detail.clone()).collect())
}

fn by_report(case: &Path) -> Marks {
    let console = console(case);
    let report = answers(&console).into_iter().find(|(_, answer)| answer.contains("Timer summary")).unwrap().1;
    let (marks, problems) = marks(report.as_bytes(), SourceKind::Bootstage);
    assert_eq!(problems, Vec::<String>::new(), "{}", case.display());
    marks
}

fn dumps_in(console: &str) -> Vec<&str> {
    answers(console).into_iter().filter(|(command, _)| command.starts_with("md")).map(|(_, answer)| answer).collect()
}

/// Each command at U-Boot's prompt, and what followed it.
fn answers(console: &str) -> Vec<(&str, &str)> {
    let commands = console.split("\n=> ").flat_map(|part| part.split("\nmalta # ")).skip(1);
    commands.filter_map(|part| part.split_once('\n')).collect()
}

/// Whether the marks are among the others, or known by their ids because their names are lost.
fn is_part_of(found: &Marks, whole: &Marks) -> bool {
    found.iter().all(|(us, name)| whole.iter().any(|of| of.0 == *us && (of.1 == *name || name.starts_with("id="))))
}
