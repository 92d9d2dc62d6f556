// SPDX-License-Identifier: MIT OR Apache-2.0
//! One boot's picture, row by row.
use std::fmt::Write;

use super::canvas::{CHARACTER, Canvas, GUTTER, LEAST, RIGHT, ROW, WIDTH, cut};
use super::critical_path::DrawnSegment;
use super::curve;
use super::difference::{Difference, SpanChange};
use super::mark::{FindingMark, MarkPlacement};
use super::picture::{DrawnWait, Picture};
use super::source_bar::SOURCE_TRACKS;
use crate::time_value::{TimeValue, in_millis};
use bootline_boot::SpanKind;
use bootline_capture::units::Dur;

const BAR: f64 = 22.0;
const CONSOLE: f64 = 150.0;
/// Rows of a track of units.
const MOST_ROWS: usize = 24;
/// Findings that are drawn; a page has them all.
const MOST_FINDINGS: usize = 6;

/// A bar with its name beside it.
struct NamedBar<'a> {
    from: Dur,
    to: Dur,
    name: &'a str,
    tip: String,
}

/// Draws a boot below `y`.
pub(super) fn draw(p: &Picture, difference: &Difference, from: Dur, to: Dur, y: f64, titled: bool) -> Canvas {
    let mut s = Canvas { out: String::new(), y, from, to };
    if titled {
        s.title(p, difference);
    }
    let top = s.y;
    s.axis();
    s.stages(p);
    s.phases(p, difference);
    s.critical_path(p);
    s.waits(p);
    s.findings(p);
    s.spans(p, difference);
    s.services(p);
    s.source_bars(p);
    s.console(p);
    if let Some(end) = p.end {
        let x = s.x(end.at);
        _ = writeln!(s.out, "<path class=\"end\" d=\"M{x:.1} {:.1}V{:.1}\"/>", top + 20.0, s.y);
    }
    s.y += 4.0;
    s
}

impl Canvas {
    fn title(&mut self, p: &Picture, difference: &Difference) {
        let words: String = p.answer.pieces.iter().map(piece).collect();
        self.text("title", 8.0, self.y + 20.0, &format!("{}: {}", p.source, p.kernel));
        let later =
            difference.end.filter(|d| *d != Dur::ZERO).map(|d| format!(" {} s compared with the first.", signed(d)));
        self.text("answer", 8.0, self.y + 38.0, &format!("{words}{}", later.unwrap_or_default()));
        self.y += 48.0;
    }

    fn stages(&mut self, p: &Picture) {
        if p.stages.is_empty() {
            return;
        }
        self.name(self.y + 15.0, "stages");
        for (i, stage) in p.stages.iter().enumerate() {
            let tip = format!("{}: {} s", stage.title, stage.end - stage.start);
            self.bar(&format!("phase p{}", i % 2), (stage.start, stage.end), (self.y, BAR), stage.title, &tip);
        }
        self.y += BAR + 3.0;
    }

    fn phases(&mut self, p: &Picture, difference: &Difference) {
        if p.phases.is_empty() {
            return;
        }
        self.name(self.y + 15.0, "phases");
        for (i, phase) in p.phases.iter().enumerate() {
            let mut text = phase.title.to_owned();
            if let Some(d) = difference.phases.get(i).copied().flatten() {
                text += &format!(" {} s", signed(d));
            }
            let tip =
                format!("{}: {} s, of it {} s waiting for the console", text, phase.end - phase.start, phase.console);
            self.bar(&format!("phase p{}", i % 2), (phase.start, phase.end), (self.y, BAR), &text, &tip);
        }
        self.y += BAR + 3.0;
    }

    fn waits(&mut self, p: &Picture) {
        let Some(line) = &p.line else { return };
        self.name(self.y + 13.0, &format!("waits for {}", line.name));
        for (from, to, time) in self.joined(p.waits.iter()) {
            let text = format!("{} s", in_millis(time));
            let short = format!("{:.1} s", time.as_secs_f64());
            let tip = format!("{text} waiting for the console");
            self.bar_with("wait", (from, to), (self.y, ROW + 2.0), &[&text, &short], &tip);
        }
        self.y += ROW + 6.0;
    }

    /// Writers that wait record after record: one bar for what no pixel parts.
    fn joined<'p>(&self, waits: impl Iterator<Item = &'p DrawnWait>) -> Vec<(Dur, Dur, Dur)> {
        let apart = Dur::from_nanos((self.to - self.from).as_nanos() / WIDTH as i64);
        let mut joined: Vec<(Dur, Dur, Dur)> = Vec::new();
        for w in waits {
            let (from, to, time) = (w.from, w.from + w.time.best(), w.time.best());
            match joined.last_mut() {
                Some(last) if from - last.1 <= apart => (last.1, last.2) = (last.1.max(to), last.2 + time),
                _ => joined.push((from, to, time)),
            }
        }
        joined
    }

    fn critical_path(&mut self, p: &Picture) {
        let Some(critical_path) = &p.critical_path else { return };
        self.name(self.y + 13.0, "critical path");
        let class = |l: &DrawnSegment| match l.kind {
            "root" => "segment root",
            "flush" => "segment wait",
            "silence" | "queue" => "segment silence",
            "phase" | "stage" => "segment phase p1",
            "unit" => "segment service",
            "async" => "segment async",
            _ => "segment initcall",
        };
        // The last pixel that was shown: hundreds of short links are one.
        let mut shown = f64::MIN;
        for kind in &critical_path.segments {
            let right = self.x(kind.end);
            if right - shown < LEAST {
                continue;
            }
            shown = right.max(self.x(kind.start) + LEAST);
            let mut tip = format!("{}: {} s", kind.title, kind.end - kind.start);
            if let Some(console) = kind.console {
                tip += &format!(", of it {console} s waiting for the console");
            }
            if let Some(saving) = kind.max_saving {
                tip += &format!("; the boot would be {saving} s shorter without it");
            }
            self.bar(class(kind), (kind.start, kind.end), (self.y, ROW + 2.0), &kind.label, &tip);
        }
        self.y += ROW + 6.0;
    }

    fn findings(&mut self, p: &Picture) {
        let shown: Vec<_> =
            p.findings.iter().filter(|f| !f.part && f.shown != MarkPlacement::Nowhere).take(MOST_FINDINGS).collect();
        for (n, finding) in shown.iter().enumerate() {
            self.name(self.y + 12.0, if n == 0 { "findings" } else { "" });
            // The words stand above the stroke, from its left on as far as there is room.
            let from = self.mark(p, finding);
            let words = cut(&format!("{} {}", finding.rule.code(), finding.title), WIDTH - RIGHT - GUTTER);
            let right = WIDTH - RIGHT - words.chars().count() as f64 * CHARACTER;
            let x = self.x(from).min(right).max(GUTTER);
            self.text("mark", x, self.y + 12.0, &words);
            self.y += 24.0;
        }
        if !shown.is_empty() {
            self.y += 3.0;
        }
    }

    /// A finding's strokes; where they begin.
    fn mark(&mut self, p: &Picture, finding: &FindingMark) -> Dur {
        let tip = format!("{}: {}, {}", finding.rule, finding.title, TimeValue::estimate(finding.cost).short());
        let place = (self.y + 16.0, 5.0);
        let thread = |s: &mut Canvas, from, to| {
            let (x0, x1, y) = (s.x(from), s.x(to), place.0 + 2.5);
            _ = writeln!(s.out, "<path class=\"thread\" d=\"M{x0:.1} {y:.1}H{x1:.1}\"/>");
        };
        match &finding.shown {
            MarkPlacement::TimeRanges { list, .. } => {
                for s in list {
                    self.bar("mark", (s.from, s.to), place, "", &tip);
                }
                list.first().map_or(self.from, |s| s.from)
            }
            MarkPlacement::Waits(cause) => {
                let waits = self.joined(p.waits.iter().filter(|w| cause.is_none_or(|c| c == w.cause)));
                let (from, to) = (waits.first().map_or(self.from, |w| w.0), waits.last().map_or(self.from, |w| w.1));
                thread(self, from, to);
                for (from, to, _) in waits {
                    self.bar("mark", (from, to), place, "", &tip);
                }
                from
            }
            MarkPlacement::Evidence(s) => {
                thread(self, s.from, s.to);
                for at in finding.records.iter().filter_map(|i| p.records.get(*i)?.stored) {
                    self.bar("mark", (at, at), place, "", &tip);
                }
                s.from
            }
            MarkPlacement::Nowhere => self.from,
        }
    }

    fn spans(&mut self, p: &Picture, difference: &Difference) {
        for (g, group) in p.stacks.groups.iter().enumerate().filter(|(_, g)| g.rows > 0) {
            self.name(self.y + 11.0, &group.title);
            // The last pixel that a row has shown, so that a thousand spans on one are one.
            let mut shown = vec![f64::MIN; group.rows];
            for (i, span) in p.spans.iter().enumerate() {
                let Some(spot) = p.stacks.of[i].filter(|l| l.group == g) else { continue };
                let end = p.drawn_end(span);
                let right = self.x(end);
                if right - shown[spot.row] < LEAST {
                    continue;
                }
                shown[spot.row] = right.max(self.x(span.start) + LEAST);
                let kind = match span.kind {
                    SpanKind::Initcall => "initcall",
                    SpanKind::Probe => "probe",
                    SpanKind::Async => "async",
                };
                let mut text = span.name.clone();
                let changed = difference.spans.get(i).copied().flatten();
                match changed {
                    Some(SpanChange::By(d)) => text += &format!(" {} s", signed(d)),
                    Some(SpanChange::New) => text += " new",
                    None => {}
                }
                let class = if changed.is_some() { format!("{kind} changed") } else { kind.to_owned() };
                let y = self.y + spot.row as f64 * ROW;
                let tip = format!("{text}: {} s, of it {} s waiting for the console", end - span.start, span.console);
                self.bar(&class, (span.start, end), (y, ROW - 1.0), &text, &tip);
            }
            self.y += group.rows as f64 * ROW + 5.0;
        }
    }

    fn services(&mut self, p: &Picture) {
        let mut bars = Vec::new();
        for service in &p.services {
            let Some(from) = service.start.or(service.end) else { continue };
            let to = service.end.unwrap_or(p.to);
            let tip = format!("{}: {} s", service.name, to - from);
            bars.push(NamedBar { from, to, name: &service.name, tip });
        }
        self.named_bars("services", &bars);
    }

    fn source_bars(&mut self, p: &Picture) {
        for (track, title) in SOURCE_TRACKS.iter().enumerate() {
            let mut bars = Vec::new();
            for bar in p.source_bars.iter().filter(|b| b.track == track && b.start <= self.to) {
                let to = bar.end.unwrap_or(p.to).max(bar.start);
                let tip = format!("{} {}: {} s", bar.about, bar.name, to - bar.start);
                bars.push(NamedBar { from: bar.start, to, name: &bar.name, tip });
            }
            self.named_bars(title, &bars);
        }
    }

    /// A track of bars with their names beside them.
    fn named_bars(&mut self, title: &str, bars: &[NamedBar<'_>]) {
        if bars.is_empty() {
            return;
        }
        let rows = self.rows_of(bars);
        self.name(self.y + 11.0, title);
        let not_drawn = rows.iter().filter(|row| row.is_none()).count();
        if not_drawn > 0 {
            self.name(self.y + 26.0, &format!("({not_drawn} shorter)"));
        }
        for (bar, row) in bars.iter().zip(&rows) {
            let Some(row) = row else { continue };
            let y = self.y + *row as f64 * ROW;
            self.bar("service", (bar.from, bar.to), (y, ROW - 1.0), "", &bar.tip);
            self.text("beside", self.x(bar.from) + 3.0, y + 11.0, bar.name);
        }
        let count = rows.iter().flatten().max().map_or(0, |row| row + 1);
        self.y += count as f64 * ROW + 5.0;
    }

    /// The row of each, in the order of their starts; of more than there is room for, the longest have one.
    fn rows_of(&self, bars: &[NamedBar<'_>]) -> Vec<Option<usize>> {
        let mut by_length: Vec<usize> = (0..bars.len()).collect();
        by_length.sort_by_key(|i| std::cmp::Reverse(bars[*i].to - bars[*i].from));
        let mut rank = vec![0; bars.len()];
        by_length.iter().enumerate().for_each(|(n, i)| rank[*i] = n);
        // So many of the longest, and whether there was a row for each.
        let pack = |count: usize| {
            let mut free: Vec<f64> = Vec::new();
            let mut all = true;
            let row_of = |(bar, rank): (&NamedBar<'_>, &usize)| {
                if *rank >= count {
                    return None;
                }
                // A name may need more room than its bar.
                let name = bar.name.chars().count() as f64 * CHARACTER;
                let right = self.x(bar.to).max(self.x(bar.from) + 4.0 + name);
                let row = free.iter().position(|f| *f <= self.x(bar.from)).unwrap_or(free.len());
                all &= row < MOST_ROWS;
                if row == free.len() && row < MOST_ROWS {
                    free.push(0.0);
                }
                *free.get_mut(row)? = right;
                Some(row)
            };
            let rows: Vec<Option<usize>> = bars.iter().zip(&rank).map(row_of).collect();
            (rows, all)
        };
        let (mut fits, mut too_many) = (0, bars.len() + 1);
        while too_many - fits > 1 {
            let count = fits.midpoint(too_many);
            if pack(count).1 {
                fits = count;
            } else {
                too_many = count;
            }
        }
        pack(fits).0
    }

    fn console(&mut self, p: &Picture) {
        let Some(line) = &p.line else { return };
        let columns = (WIDTH - GUTTER - RIGHT) as usize;
        let samples = curve::curve(&p.records, self.from, self.to, columns);
        let most = samples.iter().map(|s| s.stored).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let (top, bottom) = (self.y + 6.0, self.y + CONSOLE);
        self.name(top + 12.0, &format!("console {}", line.name));
        self.name(top + 27.0, &format!("{most} bytes"));
        self.name(top + 42.0, &format!("backlog ≤ {}", line.peak));
        if let Some((from, to, characters)) = line.flush {
            let place = (top, bottom - top);
            let words = [format!("flush: {characters} bytes"), "flush".to_owned()];
            self.bar_with("flush", (from, to), place, &[&words[0], &words[1]], "the flush of what was stored before");
        }
        let at = |characters: u64| bottom - characters as f64 / most as f64 * (bottom - top);
        let path = |of: &dyn Fn(&curve::Sample) -> u64| {
            let points = samples.iter().enumerate();
            let points = points.map(|(c, s)| format!("{:.0} {:.1}", GUTTER + c as f64 + 1.0, at(of(s))));
            points.collect::<Vec<_>>()
        };
        let (stored, mut transmitted) = (path(&|s| s.stored), path(&|s| s.transmitted));
        _ = writeln!(self.out, "<path class=\"delivered\" d=\"M{}\"/>", transmitted.join("L"));
        _ = writeln!(self.out, "<path class=\"stored\" d=\"M{}\"/>", stored.join("L"));
        transmitted.reverse();
        _ = writeln!(self.out, "<path class=\"backlog\" d=\"M{}L{}Z\"/>", stored.join("L"), transmitted.join("L"));
        if let (Some(rate), Some(opened)) = (line.rate, line.opened) {
            // The limit: what the line could have carried by then, from its opening on.
            let full = opened + Dur::from_secs_f64(most as f64 / rate);
            let to = full.min(self.to);
            let height = (to - opened).as_secs_f64() * rate / most as f64 * (bottom - top);
            let (x0, x1) = (self.x(opened), self.x(to));
            _ = writeln!(self.out, "<path class=\"limit\" d=\"M{x0:.1} {bottom:.1}L{x1:.1} {:.1}\"/>", bottom - height);
        }
        _ = writeln!(self.out, "<path class=\"tick\" d=\"M{GUTTER} {bottom:.1}H{:.1}\"/>", WIDTH - RIGHT);
        self.y = bottom + 6.0;
    }
}

fn piece(p: &crate::Piece) -> String {
    match p {
        crate::Piece::Words(words, _) => words.clone(),
        crate::Piece::TimeValue(figure, _) => figure.full(),
    }
}

fn signed(d: Dur) -> String {
    format!("{}{}", if d > Dur::ZERO { "+" } else { "" }, in_millis(d))
}
