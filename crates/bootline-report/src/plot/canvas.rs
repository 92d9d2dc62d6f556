// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bars and words are drawn on: an SVG that grows downwards, with the time from left to right.
use std::fmt::Write;

use crate::axis;
use crate::html::html_text;
use bootline_capture::units::Dur;

pub(super) const WIDTH: f64 = 1200.0;
/// The tracks' names stand left of the axis.
pub(super) const GUTTER: f64 = 128.0;
pub(super) const RIGHT: f64 = 14.0;
/// A character's width, about: a picture can't measure.
pub(super) const CHARACTER: f64 = 6.3;
pub(super) const ROW: f64 = 15.0;
/// What is narrower is shown as wide as this.
pub(super) const LEAST: f64 = 0.7;

/// A picture while it is drawn.
pub(super) struct Canvas {
    /// The elements so far.
    pub out: String,
    /// Where the next row begins.
    pub y: f64,
    /// The time at the left end.
    pub from: Dur,
    /// The time at the right end.
    pub to: Dur,
}

impl Canvas {
    pub fn x(&self, t: Dur) -> f64 {
        let share = (t - self.from).as_secs_f64() / (self.to - self.from).as_secs_f64();
        GUTTER + share.clamp(0.0, 1.0) * (WIDTH - GUTTER - RIGHT)
    }

    pub fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        _ = writeln!(self.out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", html_text(text));
    }

    pub fn name(&mut self, y: f64, text: &str) {
        self.text("name", GUTTER - 8.0, y, &cut(text, GUTTER - 12.0));
    }

    /// A bar with its name in it, as far as that fits.
    pub fn bar(&mut self, class: &str, time: (Dur, Dur), place: (f64, f64), text: &str, tip: &str) {
        let width = self.x(time.1) - self.x(time.0);
        self.labelled(class, time, place, &cut(text, width - 6.0), tip);
    }

    /// A bar with the first of some words in it that fit whole: half a number is another number.
    pub fn bar_with(&mut self, class: &str, time: (Dur, Dur), place: (f64, f64), words: &[&str], tip: &str) {
        let width = self.x(time.1) - self.x(time.0);
        let fits = words.iter().find(|w| w.chars().count() as f64 * CHARACTER <= width - 6.0);
        self.labelled(class, time, place, fits.copied().unwrap_or_default(), tip);
    }

    pub fn labelled(&mut self, class: &str, time: (Dur, Dur), (y, height): (f64, f64), text: &str, tip: &str) {
        let (x0, x1) = (self.x(time.0), self.x(time.1));
        let width = (x1 - x0).max(LEAST);
        _ = write!(
            self.out,
            "<rect class=\"{class}\" x=\"{x0:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}</title></rect>",
            html_text(tip)
        );
        if !text.is_empty() {
            self.text(&format!("in {class}"), x0 + 3.0, y + height / 2.0 + 4.0, text);
        } else {
            self.out.push('\n');
        }
    }

    pub fn axis(&mut self) {
        let step = axis::step(self.to - self.from, 10);
        let ticks = axis::ticks(self.from, self.to, 10);
        self.text("name", GUTTER - 8.0, self.y + 14.0, "seconds");
        for t in ticks {
            let x = self.x(t);
            _ = writeln!(self.out, "<path class=\"tick\" d=\"M{x:.1} {:.1}v5\"/>", self.y + 17.0);
            self.text("tick", x, self.y + 14.0, &axis::label(t, step));
        }
        self.y += 24.0;
    }
}

/// As much of a text as fits, about.
pub(super) fn cut(text: &str, width: f64) -> String {
    let room = (width / CHARACTER).max(0.0) as usize;
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    if kept.is_empty() { kept } else { format!("{kept}…") }
}
