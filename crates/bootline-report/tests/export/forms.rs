// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the formats of text demand, checked strictly: of any log, however hostile.

/// Whether a terminal, or a reader of lines, would obey the character. Line ends are the formats' own.
fn obeyed(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn no_controls(text: &str) {
    assert!(!text.contains(obeyed), "{text:?}");
}

/// The cells of each row (RFC 4180): as many as the header has, none that a spreadsheet would run.
pub fn csv(text: &str) -> Vec<Vec<String>> {
    no_controls(text);
    let mut rows = Vec::new();
    for line in text.strip_suffix("\r\n").expect("the last row ends too").split("\r\n") {
        assert!(!line.contains(['\r', '\n']), "a line end in a row: {line:?}");
        let (mut cells, mut rest) = (Vec::new(), line);
        loop {
            let (cell, behind) = match rest.strip_prefix('"') {
                Some(quoted) => {
                    let end = closing(quoted).expect("a quote is never closed");
                    (quoted[..end].replace("\"\"", "\""), &quoted[end + 1..])
                }
                None => {
                    let (cell, _) = rest.split_once(',').unwrap_or((rest, ""));
                    assert!(!cell.contains('"'), "a quote in a bare cell: {line:?}");
                    (cell.to_owned(), &rest[cell.len()..])
                }
            };
            cells.push(cell);
            if behind.is_empty() {
                break;
            }
            rest = behind.strip_prefix(',').expect("a cell ends at a comma");
        }
        rows.push(cells);
    }
    let columns = rows[0].len();
    for row in &rows {
        assert_eq!(row.len(), columns, "{row:?}");
        for (name, cell) in rows[0].iter().zip(row) {
            let number = cell.parse::<f64>().is_ok() && name.ends_with("_s") || name == "returned";
            assert!(
                number
                    || !cell
                        .trim_start()
                        .starts_with(['=', '+', '-', '@', '\t', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']),
                "{cell:?} would be run"
            );
        }
    }
    rows
}

/// Where the quote is that isn't one of two.
fn closing(quoted: &str) -> Option<usize> {
    let mut quotes = quoted.match_indices('"').map(|(i, _)| i).peekable();
    while let Some(i) = quotes.next() {
        if quotes.next_if_eq(&(i + 1)).is_none() {
            return Some(i);
        }
    }
    None
}

/// Well-formed XML 1.0, whose counts are those of its cases.
pub fn junit(text: &str) {
    no_controls(text);
    let document = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites"));
    let counted =
        |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).and_then(|n| n.parse::<usize>().ok());
    for suite in root.children().filter(roxmltree::Node::is_element).chain([root]) {
        let of = |name: &str| suite.descendants().filter(|n| n.has_tag_name(name)).count();
        assert_eq!(counted(suite, "tests"), Some(of("testcase")), "{text}");
        assert_eq!(counted(suite, "failures"), Some(of("failure")), "{text}");
        assert_eq!(counted(suite, "errors"), Some(of("error")), "{text}");
        if suite != root {
            let mut names: Vec<_> = suite.children().filter(|n| n.has_tag_name("testcase")).collect();
            let all = names.len();
            names.sort_by_key(|n| (n.attribute("classname"), n.attribute("name")));
            names.dedup_by_key(|n| {
                (n.attribute("classname").map(str::to_owned), n.attribute("name").map(str::to_owned))
            });
            assert_eq!(names.len(), all, "two cases of one name: a server draws them as one: {text}");
        }
    }
}

/// Signals and nothing else, each of LAVA's own form (lava-test-case, lava-test-set).
pub fn lava(text: &str) {
    for line in text.split_terminator('\n') {
        let signal = line.strip_prefix("<LAVA_SIGNAL_").and_then(|l| l.strip_suffix('>'));
        let signal = signal.unwrap_or_else(|| panic!("no signal: {line:?}"));
        let plain = |word: &str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        };
        let (kind, rest) = signal.split_once(' ').expect("a signal says something");
        match kind {
            "TESTSET" => {
                let (what, name) = rest.split_once(' ').unwrap_or((rest, "x"));
                assert!(matches!(what, "START" | "STOP") && plain(name), "{line}");
            }
            "TESTCASE" => {
                let mut fields = rest.split(' ').map(|f| f.split_once('=').expect("a field has a value"));
                assert!(fields.next().is_some_and(|(key, id)| key == "TEST_CASE_ID" && plain(id)), "{line}");
                let result = fields.next().expect("a case has a result");
                assert!(result.0 == "RESULT" && matches!(result.1, "pass" | "fail" | "skip" | "unknown"), "{line}");
                let rest: Vec<_> = fields.collect();
                let measured =
                    matches!(rest[..], [("UNITS", "seconds"), ("MEASUREMENT", n)] if n.parse::<f64>().is_ok());
                assert!(rest.is_empty() || measured, "{line}");
            }
            other => panic!("a signal `{other}`"),
        }
    }
}

/// `[seconds seconds] text`, as grabserial writes them.
pub fn grabserial(text: &str) {
    no_controls(text);
    for line in text.split_terminator('\n') {
        let stamp = line.strip_prefix('[').and_then(|l| l.split_once("] ")).map(|(stamp, _)| stamp);
        let numbers: Vec<&str> = stamp.unwrap_or_else(|| panic!("no stamp: {line:?}")).split(' ').collect();
        let number = |n: &&str| n.parse::<f64>().is_ok() && n.split_once('.').is_some_and(|(_, d)| d.len() == 6);
        assert!(numbers.len() == 2 && numbers.iter().all(number), "{line:?}");
    }
}

/// `[    1.234567] text`, as dmesg prints it.
pub fn dmesg(text: &str) {
    no_controls(text);
    for line in text.split_terminator('\n') {
        let stamp = line.strip_prefix('[').and_then(|l| l.split_once("] ")).map(|(stamp, _)| stamp);
        let (s, us) = stamp.and_then(|s| s.split_once('.')).unwrap_or_else(|| panic!("no stamp: {line:?}"));
        assert!(s.len() >= 5 && s.trim_start().parse::<u64>().is_ok() && us.len() == 6 && us.parse::<u32>().is_ok());
    }
}

/// No control character, and no tag outside of code.
pub fn markdown(text: &str) {
    no_controls(text);
    assert_eq!(text.matches("\n```").count() % 2, 0, "a block is never closed: {text}");
}
