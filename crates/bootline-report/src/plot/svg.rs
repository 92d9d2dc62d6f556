// SPDX-License-Identifier: MIT OR Apache-2.0
//! The static picture: for documents, for paper, and in the page until its script runs.
//!
//! It has the page's tracks from top to bottom, for the whole boot. Where several things fall on one pixel it shows that
//! something is there.
use super::boot_rows::draw;
use super::canvas::WIDTH;
use super::difference::{Difference, difference};
use super::picture::Picture;
use crate::html::html_text;
use bootline_capture::units::Dur;

/// Boots that a title names.
const NAMED: usize = 3;

/// How the picture looks, light and dark.
pub(super) const STYLE: &str = include_str!("assets/picture.css");

/// An axis' zero is where the kernel's clock has its zero, or had it before the log begins; what firmware said lies below.
/// So there is nothing to be moved (`tests/browser`: boots with other firmware, and one that printed nothing).
pub(super) const ALIGNED: &str = "aligned on the kernel's start";

/// The boots stacked on one axis, as a document of its own.
pub fn svg(pictures: &[Picture]) -> String {
    let (from, to) = extent(pictures);
    let mut body = String::new();
    let mut y = 0.0;
    if pictures.len() > 1 {
        body += &format!("<text class=\"name note\" x=\"8\" y=\"16\">{} boots, {ALIGNED}</text>\n", pictures.len());
        y = 18.0;
    }
    for p in pictures {
        let difference = difference(&pictures[0], p);
        let still = draw(p, &difference, from, to, y, true);
        body += &still.out;
        y = still.y + 18.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {y:.0}\" width=\"{WIDTH}\" height=\"{y:.0}\" \
         role=\"img\" class=\"picture\">\n<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->\n<title>{}</title>\n\
         <style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        html_text(&sources(pictures)),
    )
}

/// The boots' names, as far as a title has room.
pub(super) fn sources(pictures: &[Picture]) -> String {
    let names: Vec<&str> = pictures.iter().take(NAMED).map(|p| p.source.as_str()).collect();
    match pictures.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// One boot's picture for a page that says the rest itself.
pub(super) fn still(p: &Picture, difference: &Difference, from: Dur, to: Dur) -> String {
    let still = draw(p, difference, from, to, 0.0, false);
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" class=\"picture\" aria-label=\"{}\">\n{}</svg>\n",
        still.y,
        html_text(&format!("Timeline of {}", p.source)),
        still.out
    )
}

/// The stretch that holds all boots.
pub(super) fn extent(pictures: &[Picture]) -> (Dur, Dur) {
    let from = pictures.iter().map(|p| p.from).min().unwrap_or_default();
    let to = pictures.iter().map(|p| p.to).max().unwrap_or_default();
    (from, to.max(from + Dur::from_millis(1)))
}
