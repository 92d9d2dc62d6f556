// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole boot of the lab: explained from its sources, and compared with its truth.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bootline_boot::{
    AppMarker, Boot, BootOptions, BootRecords, BootSource, Reached, SourceContent, StageName, Unit, WholeOrigin,
};
use bootline_capture::container::Unpacker;
use bootline_capture::units::{Dur, HostTime};
use bootline_lab::boot::{Truth, UnitTruth};
use bootline_records::source::{self, is_unit_name};

use crate::error::{Error, read_bytes};

/// The sources that a boot is explained from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum With {
    /// The console alone.
    Console,
    /// The console and the journal.
    Journal,
    /// The console and systemd's properties.
    Systemctl,
}

impl With {
    /// All, from the poorest on.
    pub const ALL: [With; 3] = [With::Console, With::Journal, With::Systemctl];

    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            With::Console => "console",
            With::Journal => "console and journal",
            With::Systemctl => "console and `systemctl show`",
        }
    }

    fn files(self) -> &'static [&'static str] {
        match self {
            With::Console => &[],
            With::Journal => &["journal.export"],
            With::Systemctl => &["systemctl-manager.txt", "systemctl-show.txt"],
        }
    }
}

/// What shows the application, and the guest's mark of that moment.
#[derive(Clone, Debug)]
pub struct App {
    /// As `--app` names it.
    pub marker: AppMarker,
    /// The mark's name.
    pub mark: String,
}

/// A boot of the lab.
pub struct WholeRun {
    /// The folder's name.
    pub name: String,
    folder: PathBuf,
    /// What the lab knows of it.
    pub truth: Truth,
}

/// A moment that both the explanation and the truth know; in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MomentKind {
    /// The application printed its line, or showed itself otherwise.
    Line,
    /// The application's unit was up.
    Unit,
    /// The application's program was executed.
    Executed,
    /// The kernel ran the initramfs's init.
    KernelEnd,
    /// The init of the root file system was executed.
    SystemInit,
}

impl MomentKind {
    /// In words.
    pub fn title(self) -> &'static str {
        match self {
            MomentKind::Line => "the application's line",
            MomentKind::Unit => "the application's unit",
            MomentKind::Executed => "the application, executed",
            MomentKind::KernelEnd => "the kernel's end",
            MomentKind::SystemInit => "the system's init",
        }
    }

    /// Whether it depends on how the application was named.
    pub fn is_of_application(self) -> bool {
        matches!(self, MomentKind::Line | MomentKind::Unit | MomentKind::Executed)
    }
}

/// A moment as explained, and in truth, from power-on.
pub struct Moment {
    /// Which of them.
    pub kind: MomentKind,
    /// From power-on until then, as explained.
    pub explained: Dur,
    /// The same in truth.
    pub truth: Dur,
}

impl Moment {
    /// Percent by which the explained time is off.
    pub fn off(&self) -> f64 {
        (self.explained.as_secs_f64() / self.truth.as_secs_f64() - 1.0) * 100.0
    }
}

/// Units as explained from some sources.
pub struct Units {
    /// Number of those that the sources show.
    pub shown: usize,
    /// Number of those that have a unit's whole name, or the description of one unit only.
    pub named: usize,
    /// How far the times of those are off that process 1 still knew after the boot, ascending.
    pub off: Vec<Dur>,
}

impl Units {
    /// Share of the shown ones that are named, 0 to 1.
    pub fn share_named(&self) -> f64 {
        self.named as f64 / self.shown as f64
    }

    /// Milliseconds that this percentage of those that are compared are off at most.
    pub fn percentile(&self, percent: usize) -> f64 {
        let at = (self.off.len() * percent / 100).min(self.off.len().saturating_sub(1));
        self.off.get(at).map_or(f64::NAN, |off| off.as_secs_f64() * 1e3)
    }
}

impl WholeRun {
    /// The boot in a folder of `bootline boot`.
    ///
    /// # Errors
    /// It has no truth, or one that can't be read.
    pub fn read(folder: &Path) -> Result<WholeRun, Error> {
        let path = folder.join("truth.json");
        let truth = serde_json::from_slice(&read_bytes(&path)?).map_err(|e| Error::content(&path, e))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(WholeRun { name, folder: folder.to_owned(), truth })
    }

    /// What it can be explained from.
    pub fn sources(&self) -> Vec<With> {
        let all = With::ALL.into_iter();
        all.filter(|with| with.files().iter().all(|file| self.file(file).is_some())).collect()
    }

    /// A file of the run, compressed or not.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let names = [name.to_owned(), format!("{name}.gz")];
        names.into_iter().map(|name| self.folder.join(name)).find(|path| path.is_file())
    }

    fn content(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.file(name).unwrap_or_else(|| self.folder.join(name));
        unpacked(&path)
    }

    /// The boot from some of its sources.
    ///
    /// # Errors
    /// A file can't be read, or has no boot.
    pub fn boot(&self, with: With, app: &AppMarker) -> Result<Boot, Error> {
        let capture = self.folder.join("boot.cap");
        let records = BootRecords::all(&read_bytes(&capture)?).into_iter().next();
        let records = records.ok_or_else(|| Error::content(&capture, "no boot in it"))?;
        let mut sources = Vec::new();
        for file in with.files() {
            let bytes = self.content(file)?;
            let facts = source::read(&bytes);
            let content = match facts.kind {
                Some(_) => SourceContent::Facts(facts),
                None => SourceContent::Journal(BootRecords::all(&bytes)),
            };
            sources.push(BootSource { name: (*file).to_owned(), content, log: None });
        }
        Ok(Boot::analyse(records, &BootOptions::default()).with_sources(&sources, Some(app)))
    }

    /// The moments that both know: the kernel's end, the execution of the system's init, the application.
    pub fn moments(&self, boot: &Boot, app: &App) -> Vec<Moment> {
        let whole = &boot.whole;
        let Some(first) = whole.stages.first().filter(|_| whole.since == Some(WholeOrigin::PowerOn)) else {
            return Vec::new();
        };
        let stage = |name| whole.stages.iter().find(|s| s.name == name).map(|s| s.start);
        let system = self.truth.system.as_ref();
        // Where nothing on the console tells the initramfs from the root, the stages don't either.
        let handed_over = stage(StageName::UserSpace).filter(|_| stage(StageName::Initramfs).is_some());
        let both = [
            (
                MomentKind::KernelEnd,
                stage(StageName::Initramfs).or(stage(StageName::UserSpace)),
                self.truth.init_entered_ns.or(self.truth.init_ns),
            ),
            (MomentKind::SystemInit, handed_over, system.and_then(|s| s.handoff_ns)),
        ];
        let application = whole.application.as_ref().map(|reached| {
            let kind = match reached.reached {
                Reached::UnitUp => MomentKind::Unit,
                Reached::Executed => MomentKind::Executed,
                Reached::Line | Reached::Mark | Reached::ProcessStart => MomentKind::Line,
            };
            (kind, Some(reached.at), self.application(app, reached.reached))
        });
        let moment = |(kind, at, truth): (MomentKind, Option<Dur>, Option<HostTime>)| {
            Some(Moment { kind, explained: at? - first.start, truth: truth? - self.truth.qemu_started_ns })
        };
        both.into_iter().chain(application).filter_map(moment).collect()
    }

    /// When the application was reached: of a unit that is up, by process 1 itself, else by the application's mark.
    fn application(&self, app: &App, reached: Reached) -> Option<HostTime> {
        let system = self.truth.system.as_ref()?;
        let mark = || system.marks.iter().find(|m| m.name == app.mark).map(|m| m.at_ns);
        match (&app.marker, reached) {
            (AppMarker::Unit(name), Reached::UnitUp) => system.units.iter().find(|u| u.name == *name)?.active_ns,
            _ => mark(),
        }
    }

    /// The units, by their name, or by the only one of that description; none without systemd.
    ///
    /// # Errors
    /// systemd's properties can't be read.
    pub fn units(&self, boot: &Boot) -> Result<Option<Units>, Error> {
        let Some(system) = self.truth.system.as_ref().filter(|s| !s.units.is_empty()) else { return Ok(None) };
        let own: BTreeMap<&str, &UnitTruth> = system.units.iter().map(|u| (u.name.as_str(), u)).collect();
        let shown: Vec<&Unit> = boot.whole.units.iter().filter(|u| u.begins().is_some()).collect();
        let power_on = boot.whole.stages.first().map_or(Dur::ZERO, |stage| stage.start);
        let on_axis = |at: HostTime| (at - self.truth.qemu_started_ns) + power_on;
        let described = descriptions(&self.content("systemctl-show.txt")?);
        let (mut named, mut off) = (0, Vec::new());
        for unit in &shown {
            let name = described.get(&unit.name).unwrap_or(&unit.name);
            named += usize::from(is_unit_name(name));
            // systemd forgets some that have done their work.
            let Some(truth) = own.get(name.as_str()) else { continue };
            let times = [(unit.activating, Some(truth.activating_ns)), (unit.up, truth.active_ns)];
            let apart = |(ours, true_at): (Option<Dur>, Option<HostTime>)| Some((ours? - on_axis(true_at?)).abs());
            off.extend(times.into_iter().filter_map(apart).max());
        }
        off.sort_unstable();
        Ok(Some(Units { shown: shown.len(), named, off }))
    }
}

/// Units by their descriptions, as far as those are unique.
fn descriptions(show: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(show);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for paragraph in text.split("\n\n") {
        let get = |key: &str| paragraph.lines().find_map(|line| line.strip_prefix(key));
        if let (Some(id), Some(description)) = (get("Id="), get("Description=")) {
            found.entry(description.to_owned()).or_default().push(id.to_owned());
        }
    }
    let only = |(description, mut ids): (String, Vec<String>)| {
        ids.dedup();
        (ids.len() == 1).then(|| (description, ids.remove(0)))
    };
    found.into_iter().filter_map(only).collect()
}

fn unpacked(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::content(path, e);
    let file = File::open(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    let mut unpacker = Unpacker::new(Box::new(file)).map_err(|e| failed(&e))?;
    let member = unpacker.next_member().map_err(|e| failed(&e))?;
    let mut bytes = Vec::new();
    let mut reader = member.ok_or_else(|| failed(&"it is empty"))?.reader;
    reader.read_to_end(&mut bytes).map_err(|e| failed(&e))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_of_two_units_names_none() {
        let show = b"Id=a.service\nDescription=The network\n\nId=b.service\nDescription=The network\n\nId=c.service\nDescription=A camera\n";
        let expected = [("A camera".to_owned(), "c.service".to_owned())];
        assert_eq!(descriptions(show), BTreeMap::from(expected));
    }
}
