// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real output of the command: the README's screens, and the picture that it shows.
use std::path::Path;

use crate::command::output;
use crate::document::Document;
use crate::error::Error;

const MARKS: [&str; 2] = ["<!-- real output, kept by `cargo xtask docs` -->\n", "<!-- end of real output -->\n"];

/// What a user would type, and the parts of its output that the README shows.
type Shown = (&'static [&'static str], &'static [Excerpt]);

/// A part of an output: from the first line that begins with a text, so many lines.
struct Excerpt {
    from: &'static str,
    lines: usize,
}

const fn excerpt(from: &'static str, lines: usize) -> Excerpt {
    Excerpt { from, lines }
}

/// The screens, from top to bottom.
const SCREENS: [&[Shown]; 2] = [
    &[
        (
            &["explain", "corpus/x86-6.18-rt-9600/boot.cap"],
            &[excerpt("", 3), excerpt("con003 ", 16), excerpt("Remedies that need only configuration", 11)],
        ),
        (&["explain", "corpus/x86-6.19-rt-9600/boot.cap"], &[excerpt("", 3)]),
    ],
    &[(&["predict", "corpus/x86-6.18-rt-9600/boot.cap"], &[excerpt("", 17)])],
];

fn screen(root: &Path, bootline: &Path, shown: &[Shown]) -> Result<String, Error> {
    let mut screen = String::from("```console\n");
    for (n, (words, excerpts)) in shown.iter().enumerate() {
        let text = output(bootline, root, &[words, &["--width", "100", "--color", "never"][..]].concat())?;
        if n > 0 {
            screen.push('\n');
        }
        screen.push_str(&format!("$ bootline {}\n", words.join(" ")));
        for Excerpt { from, lines } in *excerpts {
            let start = text.lines().position(|line| line.starts_with(from));
            let missing = || Error::content(&root.join("README.md"), "an excerpt's first line is not in the output");
            for line in text.lines().skip(start.ok_or_else(missing)?).take(*lines) {
                screen.push_str(line.trim_end());
                screen.push('\n');
            }
            screen.push_str("...\n");
        }
    }
    Ok(screen + "```\n")
}

/// The README and the picture.
pub fn documents(root: &Path, bootline: &Path) -> Result<[Document; 2], Error> {
    let readme = Document::between(root, "README.md", MARKS, |n| match SCREENS.get(n) {
        Some(shown) => screen(root, bootline, shown),
        None => Err(Error::content(&root.join("README.md"), "more screens than are known")),
    })?;
    let picture = ["plot", "corpus/x86-6.18-rt-9600-initcall/boot.cap", "--format", "svg", "-o", "-"];
    Ok([readme, Document { path: "docs/plot.svg".to_owned(), text: output(bootline, root, &picture)? }])
}
