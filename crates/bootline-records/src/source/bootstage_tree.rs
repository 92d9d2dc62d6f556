// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot's bootstage in the device tree (CONFIG_BOOTSTAGE_FDT), as `bootline collect` and its script write it.
//!
//! ```text
//! /proc/device-tree/bootstage/1/name:board_init_f
//! /proc/device-tree/bootstage/1/mark:1010511
//! /proc/device-tree/bootstage/0/name:dm_r
//! /proc/device-tree/bootstage/0/accum:19104
//! ```
//! Source: add_bootstages_devicetree() in U-Boot's common/bootstage.c: a node a record, the last record first; `mark` is the
//! record's time and `accum` a sum of times, which overlap marks and are not used. Both are cells of 32 bits, in microseconds, which
//! are written as decimal numbers here.
use std::collections::BTreeMap;

use super::LoaderMarks;
use crate::{ByteRange, ProblemKind, Problems};
use bootline_capture::units::LoaderTime;

/// The node, below the tree's root or any folder.
const NODE: &str = "bootstage/";
/// Nodes at most: U-Boot has room for some dozen records. A file may be hostile.
const MOST_NODES: usize = 10_000;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property<'l> {
    Name(&'l str),
    Mark(&'l str),
    Accum(&'l str),
}

/// One node.
#[derive(Default)]
struct Node<'l> {
    name: Option<&'l str>,
    mark: Option<u32>,
    is_accumulated: bool,
}

pub(super) fn is_one<'l>(mut lines: impl Iterator<Item = &'l str>) -> bool {
    let is_time = |line| matches!(property(line), Some((_, Property::Mark(_) | Property::Accum(_))));
    lines.any(is_time)
}

pub(super) fn read(text: &str, problems: &mut Problems) -> LoaderMarks {
    let mut bad = |kind, detail: String| problems.add(kind, ByteRange::default(), || detail);
    let mut nodes: BTreeMap<u32, Node<'_>> = BTreeMap::new();
    for (number, property) in text.lines().filter_map(property) {
        if nodes.len() == MOST_NODES && !nodes.contains_key(&number) {
            bad(ProblemKind::TooManyRecords, "too many marks".to_owned());
            continue;
        }
        let node = nodes.entry(number).or_default();
        match property {
            Property::Name(name) => node.name = Some(name),
            Property::Accum(_) => node.is_accumulated = true,
            Property::Mark(us) => match us.parse() {
                Ok(us) => node.mark = Some(us),
                Err(_) => bad(ProblemKind::BadLine, format!("the mark of {NODE}{number} is no number of 32 bits")),
            },
        }
    }
    let mut marks = LoaderMarks::default();
    // The highest number is U-Boot's first record: marks of one time keep their order.
    for (number, node) in nodes.into_iter().rev() {
        match node {
            Node { is_accumulated: true, .. } => {}
            Node { mark: Some(us), name: Some(name), .. } => {
                _ = marks.add(LoaderTime::from_nanos(i64::from(us) * 1_000), name);
            }
            _ => bad(ProblemKind::BadLine, format!("{NODE}{number} lacks its name or its time")),
        }
    }
    marks.sorted()
}

/// `/proc/device-tree/bootstage/12/mark:1010511`: the node's number, and its property.
fn property(line: &str) -> Option<(u32, Property<'_>)> {
    let line = line.trim_end();
    let at = line.find(NODE).filter(|at| *at == 0 || line[..*at].ends_with('/'))?;
    let (number, rest) = line[at + NODE.len()..].split_once('/')?;
    let (property, value) = rest.split_once(':')?;
    let value = value.trim();
    let property = match property {
        "name" if !value.is_empty() => Property::Name(value),
        "mark" => Property::Mark(value),
        "accum" => Property::Accum(value),
        _ => return None,
    };
    Some((number.parse().ok()?, property))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
/proc/device-tree/bootstage/0/name:start_kernel
/proc/device-tree/bootstage/0/mark:2500000
/proc/device-tree/bootstage/1/name:dm_r
/proc/device-tree/bootstage/1/accum:19104
/proc/device-tree/bootstage/10/name:reset
/proc/device-tree/bootstage/10/mark:0
/proc/device-tree/bootstage/3/name:spl: at 0x0
/proc/device-tree/bootstage/3/mark:1010511
/proc/device-tree/bootstage/2/name:board_init_f
/proc/device-tree/bootstage/2/mark:1010511
";

    fn marks(text: &str) -> (Vec<(String, i64)>, Vec<String>) {
        let mut problems = Problems::default();
        let marks = read(text, &mut problems).marks;
        let marks = marks.into_iter().map(|m| (m.name, m.at.since_origin().as_nanos() / 1_000));
        (marks.collect(), problems.iter().map(|p| p.detail.clone()).collect())
    }

    #[test]
    fn marks_in_the_order_of_their_times_and_then_of_their_records() {
        assert!(is_one(TREE.lines()));
        let expected =
            [("reset", 0), ("spl: at 0x0", 1_010_511), ("board_init_f", 1_010_511), ("start_kernel", 2_500_000)];
        assert_eq!(marks(TREE), (expected.map(|(name, at)| (name.to_owned(), at)).to_vec(), vec![]));
        assert_eq!(marks("bootstage/7/name:a\nbootstage/7/mark: 4294967295\n").0, [("a".to_owned(), 4_294_967_295)]);
    }

    #[test]
    fn what_is_none_and_what_lacks_a_part() {
        for text in ["my-bootstage/1/mark:5\n", "bootstage/x/mark:5\n", "bootstage/1/name:mark\n", "bootstage/1/mark\n"]
        {
            assert!(!is_one(text.lines()), "{text}");
        }
        let lacks = |text: &str, words: &str| {
            let (marks, problems) = marks(text);
            assert!(marks.is_empty() && problems.iter().any(|p| p.contains(words)), "{marks:?} {problems:?}");
        };
        lacks("bootstage/4/mark:5\n", "bootstage/4 lacks its name or its time");
        lacks("bootstage/4/name:a\n", "bootstage/4 lacks");
        lacks("bootstage/4/name:a\nbootstage/4/mark:4294967296\n", "no number of 32 bits");
        let many: String = (0..=MOST_NODES).map(|n| format!("bootstage/{n}/name:a\nbootstage/{n}/mark:1\n")).collect();
        let (marks, problems) = marks(&many);
        assert_eq!((marks.len(), problems), (MOST_NODES, vec!["too many marks".to_owned()]));
    }
}
