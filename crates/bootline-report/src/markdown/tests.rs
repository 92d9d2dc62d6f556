// SPDX-License-Identifier: MIT OR Apache-2.0
use proptest::prelude::*;

use super::*;
use crate::TimeValue;
use bootline_capture::units::{Dur, Interval};

fn paragraph(text: &str) -> String {
    let mut document = Document::default();
    document.paragraph(text);
    MarkdownEmitter(&document).to_text()
}

#[test]
fn prose_stays_prose() {
    let check = |text: &str| assert_eq!(paragraph(text), format!("{text}\n"));
    check("Init started 25.210 s after the kernel's first byte; the console cost 76 % of it.");
    check("by arrival times: an open of the port (at 9600 baud, 8n1), -0.3 s of it");
    check("what costs 1.5 s = 3/4");
}

#[test]
fn what_a_forge_would_obey_is_code() {
    let check = |text: &str, want: &str| assert_eq!(paragraph(text), format!("{want}\n"));
    check("ask @torvalds about #12", "ask `@torvalds` about `#12`");
    check("GH-12 and a/b!3 and a/b#3", "`GH-12` and `a/b!3` and `a/b#3`");
    check("/close", "`/close`");
    check("%milestone ~label $snippet &epic", "`%milestone ~label $snippet &epic`");
    check("see https://example.org or www.example.org", "see `https://example.org` or `www.example.org`");
    check("<img src=x> **bold** [a](b)", "`<img src=x> **bold** [a](b`)");
    check("a `b` ``c", "a `b` ``` ``c ```");
    check("a|b\x1b[2J", "`a|b\\x1b[2J`");
    check(":tada: acpi_init", "`:tada: acpi_init`");
    check("by `x_init`, (y_init).", "by `x_init`, (`y_init`).");
    check(
        "without a key (`setenv bootdelay 0; saveenv`), in U-Boot",
        "without a key (`setenv bootdelay 0; saveenv`), in U-Boot",
    );
    check("as `--app camera.service @all` says", "as `--app camera.service @all` says");
    check("a `torn quote of @all", "a `` `torn `` quote of `@all`");
    check("12.5 s", "12.5 s");
    check("- no list", "\\- no list");
    check("12. no list", "12\\. no list");
    check("=== no heading", "\\=== no heading");
}

#[test]
fn all_blocks() {
    let mut document = Document::default();
    document.heading("boot.cap: Linux 6.12");
    let cost = TimeValue::estimate(Interval::new(Dur::from_millis(1), Dur::from_millis(20), Dur::from_millis(30)));
    document.paragraph(
        Text::new().words("It took ").styled_time(cost, Style::Strong).words(" with ").styled("quiet", Style::Setting),
    );
    document.heading("con001");
    document.entries(vec![
        Entry::new("why", "the line is slow"),
        Entry::new("", "as it was"),
        Entry::quote(178, "ACPI: ```"),
        Entry::quote(1790, "@all"),
        Entry::new("do", "less"),
    ]);
    let mut table = Table::new([("name", Align::Left, 0), ("net [s]", Align::Right, 0), ("none", Align::Left, 0)]);
    table.row(vec!["a|b_init".to_owned(), "1.000000".to_owned(), String::new()], Style::Plain);
    table.row(vec!["plain".to_owned(), "2.000000".to_owned(), String::new()], Style::Strong);
    document.table(table);
    let want = "\
## boot.cap: Linux 6.12

It took **0.020 s (0.001..0.030 s)** with `quiet`

### con001

- **why** the line is slow
  as it was

```text
   178  ACPI: ```
  1790  @all
```

- **do** less

| name | net \\[s\\] |
| :-- | --: |
| `a\\|b_init` | 1.000000 |
| **plain** | **2.000000** |
";
    assert_eq!(MarkdownEmitter(&document).to_text(), want);
}

/// What is left of Markdown once its code is cut out: text in which a forge looks for names, numbers and marks.
fn outside_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        out.push_str(&rest[..at]);
        let fence: String = rest[at..].chars().take_while(|c| *c == '`').collect();
        rest = &rest[at + fence.len()..];
        // The end is the next run of as many.
        let mut from = 0;
        rest = loop {
            let Some(start) = rest[from..].find('`').map(|i| from + i) else { return out + &fence + rest };
            let length = rest[start..].chars().take_while(|c| *c == '`').count();
            if length == fence.len() {
                break &rest[start + length..];
            }
            from = start + length;
        };
        out.push(' ');
    }
    out + rest
}

proptest! {
    #[test]
    fn no_text_becomes_markup(text in "([a-z@#!/<>&|*_`\\[\\]{}$~^:\\\\ .0-9-]|\\PC|[\\x00-\\x1f]){0,60}") {
        let mut document = Document::default();
        document.paragraph(text.as_str());
        document.entries(vec![Entry::new("why", text.as_str()), Entry::quote(1, &text)]);
        let mut table = Table::new([("a", Align::Left, 0), ("b", Align::Left, 0)]);
        table.row(vec![text.clone(), text.clone()], Style::Plain);
        table.row(vec!["x".to_owned(), "y".to_owned()], Style::Plain);
        document.table(table);
        let all = MarkdownEmitter(&document).to_text();
        let quoted = all.lines().position(|l| l == "```text").unwrap();
        prop_assert_eq!(all.lines().filter(|l| matches!(*l, "```text" | "```")).count(), 2, "{}", all);
        for (n, line) in all.lines().enumerate() {
            let line = if n == quoted || n == quoted + 1 || n == quoted + 2 { continue } else { line };
            let table = line.starts_with('|');
            let unescaped = line.replace("\\|", "");
            if table {
                prop_assert_eq!(unescaped.matches('|').count(), 3, "{}", line);
            }
            let text = outside_code(&line.replace("\\|", "x"));
            let text = text.trim_start_matches("- **why**");
            prop_assert!(!text.contains(['@', '#', '<', '>', '[', '*', '_', '`', '!', '$', '~', '&']), "{line:?}: {text:?}");
        }
    }
}
