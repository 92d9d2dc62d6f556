// SPDX-License-Identifier: MIT OR Apache-2.0
//! A page that the command wrote, opened in a browser, and what is asked of it.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use bootline_testkit::isolated;
use serde_json::Value;

use crate::webdriver::Browser;

/// Keys without a character, as the protocol writes them.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const LEFT: &str = "\u{e012}";
pub const RIGHT: &str = "\u{e014}";
pub const UP: &str = "\u{e013}";
pub const DOWN: &str = "\u{e015}";
pub const TAB: &str = "\u{e004}";

/// One at a time: browsers are heavy.
static ONE: Mutex<()> = Mutex::new(());

/// A page in a browser.
pub struct Opened {
    browser: Browser,
    pub folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl std::ops::Deref for Opened {
    type Target = Browser;
    fn deref(&self) -> &Browser {
        &self.browser
    }
}

pub fn corpus(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(case).join("boot.cap")
}

/// What `bootline VERB --json` says of a log.
pub fn report(verb: &str, log: &Path) -> Value {
    let out = isolated(env!("CARGO_BIN_EXE_bootline")).args([verb, "--json"]).arg(log).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

pub fn written(folder: &Path, name: &str, log: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, log).unwrap();
    path
}

pub fn plot(logs: &[PathBuf]) -> Opened {
    page(&[&[OsString::from("plot")], &logs.iter().map(Into::into).collect::<Vec<_>>()[..]].concat())
}

/// The page that a command writes, opened.
pub fn page(args: &[OsString]) -> Opened {
    let alone = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let mut command = isolated(env!("CARGO_BIN_EXE_bootline"));
    let out = command.args(args).arg("-o").arg(&page).output().unwrap();
    // Of an incomplete log the status is 3, and the page holds what there is.
    assert!(matches!(out.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(page.exists(), "{}", String::from_utf8_lossy(&out.stderr));
    let browser = Browser::start();
    // A new window has a page of the browser's own.
    browser.go("about:blank");
    browser.settle();
    browser.requests();
    browser.open(&page);
    browser.settle();
    Opened { browser, folder, _alone: alone }
}

impl Opened {
    pub fn number(&self, script: &str) -> f64 {
        self.run(script).as_f64().unwrap_or_else(|| panic!("no number: {script}"))
    }

    pub fn words(&self, script: &str) -> String {
        self.run(script).as_str().unwrap_or_else(|| panic!("no words: {script}")).to_owned()
    }

    /// The stretch shown, in nanoseconds.
    pub fn range(&self) -> (f64, f64) {
        (self.number("return bootline.view.from"), self.number("return bootline.view.to"))
    }

    pub fn width(&self) -> f64 {
        let (from, to) = self.range();
        to - from
    }

    /// The middle of a chart's track, in the window.
    pub fn track(&self, chart: usize, kind: &str, share: f64) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[{chart}]; c.box.scrollIntoView({{ block: 'center' }});
             const t = c.tracks.find((t) => t.kind === '{kind}'); const r = c.canvas.getBoundingClientRect();
             return [r.left + c.left + c.plotWidth * {share}, r.top + t.y + t.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// The middle of what is seen of a span.
    pub fn span(&self, name: &str) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[0]; c.box.scrollIntoView({{ block: 'center' }});
             const index = c.boot.spans.name.indexOf('{name}');
             const [b] = c.boxesOf({{ boot: 0, kind: 'span', index }}); const r = c.canvas.getBoundingClientRect();
             return [r.left + (b.x0 + b.x1) / 2, r.top + b.y + b.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// The middle of what is seen of the first bar that a function is true of.
    pub fn bar(&self, which: &str) -> (f64, f64) {
        let place = self.run(&format!(
            "const c = bootline.charts[0]; c.box.scrollIntoView({{ block: 'center' }});
             const bars = c.rows.flatMap((r) => r.bars); const [b] = c.boxesOf(bars.find({which}).item);
             const r = c.canvas.getBoundingClientRect(); return [r.left + (b.x0 + b.x1) / 2, r.top + b.y + b.height / 2];"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    pub fn selected(&self) -> String {
        self.words("return document.querySelector('#selected h2')?.textContent ?? ''")
    }

    /// The text of the row that the log marks as selected.
    pub fn selected_row(&self) -> String {
        self.words("return document.querySelector('#log [aria-selected=true]')?.lastChild.textContent ?? ''")
    }

    /// Whether anything of an element is shown.
    pub fn shows(&self, selector: &str) -> bool {
        self.run(&format!("return document.querySelector('{selector}').checkVisibility()")) == Value::Bool(true)
    }
}
