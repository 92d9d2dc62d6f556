// SPDX-License-Identifier: MIT OR Apache-2.0
//! The README's screens are what today's code says of real boots. `BLESS=1 cargo test --test readme` rewrites them.
use std::path::{Path, PathBuf};

use bootline_testkit::isolated;

const BEGIN: &str = "<!-- real output, kept by crates/bootline/tests/readme.rs -->\n";
const END: &str = "<!-- end of real output -->\n";

/// What a user would type, and how many lines of the answer the README shows.
type Shown = (&'static [&'static str], usize);

/// The screens, from top to bottom.
const SCREENS: [&[Shown]; 2] = [
    &[(&["explain", "corpus/x86-6.18-rt-9600/boot.cap"], 33), (&["explain", "corpus/x86-6.19-rt-9600/boot.cap"], 3)],
    &[(&["predict", "corpus/x86-6.18-rt-9600/boot.cap"], 17)],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn screen(shown: &[Shown]) -> String {
    let mut screen = String::from("```console\n");
    for (n, (words, lines)) in shown.iter().enumerate() {
        let out = isolated(env!("CARGO_BIN_EXE_bootline"))
            .args(*words)
            .args(["--width", "100", "--color", "never"])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8(out.stdout).unwrap();
        if n > 0 {
            screen.push('\n');
        }
        screen.push_str(&format!("$ bootline {}\n", words.join(" ")));
        for line in text.lines().take(*lines) {
            screen.push_str(line.trim_end());
            screen.push('\n');
        }
        screen.push_str("...\n");
    }
    screen + "```\n"
}

#[test]
fn the_screens_are_real() {
    let path = root().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let mut parts = readme.split(BEGIN);
    let mut now = parts.next().unwrap().to_owned();
    let blocks: Vec<&str> = parts.collect();
    assert_eq!(blocks.len(), SCREENS.len(), "the README's begin marks");
    for (block, shown) in blocks.into_iter().zip(SCREENS) {
        let (_, after) = block.split_once(END).expect("each block has its end mark");
        now += &format!("{BEGIN}{}{END}{after}", screen(shown));
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
        return;
    }
    assert!(readme == now, "README.md shows other output than this code's: BLESS=1 cargo test --test readme\n{now}");
}
