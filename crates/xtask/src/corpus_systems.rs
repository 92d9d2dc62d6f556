// SPDX-License-Identifier: MIT OR Apache-2.0
//! The second part of docs/corpus.md: whole boots, compared with the marks that the guest's own programs sent to the host.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use bootline_boot::{
    AppMarker, Boot, BootOptions, BootRecords, BootSource, SourceContent, StageName, Unit, WholeOrigin,
};
use bootline_capture::container::Unpacker;
use bootline_capture::units::{Dur, HostTime};
use bootline_lab::boot::{Truth, UnitTruth};
use bootline_records::source;

use crate::error::{Error, entries, read, read_bytes};

const HEAD: &str = "
## Whole systems

`corpus-systems/` has whole boots, captured by `scripts/capture-systems`: what came over the console, what the system said of itself
afterwards, and the truth. Programs of the guest marked their moments on the unpaced port: the initramfs that it executes the system's
init, the application its start and its socket. Times count from power-on, which the capture notes. A difference is a share of the time
from power-on to that moment. The system's init is seen at its first sign of life, once it has been read and linked; systemd takes a
service of Type=simple for up as soon as its process exists, before the application is executed.

| case | sources | moment | explained [s] | truth [s] | off |
| --- | --- | --- | --: | --: | --: |
";

const UNITS: &str = "
The units of systemd, each against process 1's own stamps as `systemctl show` printed them after the boot, put on the host's clock by the
marks: how many of those that the sources show are known by their right name, and how far their times are off.

| case | sources | units shown | known | off, median [ms] | 95th percentile [ms] |
| --- | --- | --: | --: | --: | --: |
";

/// The sources that a boot is explained from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    Console,
    Journal,
    Systemctl,
}

impl With {
    fn title(self) -> &'static str {
        match self {
            With::Console => "console",
            With::Journal => "and the journal",
            With::Systemctl => "and `systemctl show`",
        }
    }

    fn files(self) -> &'static [&'static str] {
        match self {
            With::Console => &[],
            With::Journal => &["journal.export.gz"],
            With::Systemctl => &["systemctl-manager.txt.gz", "systemctl-show.txt.gz"],
        }
    }
}

/// A boot of the corpus.
struct Case {
    name: String,
    folder: PathBuf,
    truth: Truth,
    app: AppMarker,
    app_mark: String,
}

/// A moment as explained, and in truth, from power-on.
struct Moment {
    name: &'static str,
    explained: Dur,
    truth: Dur,
}

impl Moment {
    fn off(&self) -> f64 {
        (self.explained.as_secs_f64() / self.truth.as_secs_f64() - 1.0) * 100.0
    }
}

/// Units as explained from some sources.
struct Units {
    shown: usize,
    /// How far the times of those that are known are off, ascending.
    off: Vec<Dur>,
}

impl Units {
    fn share(&self, percent: usize) -> f64 {
        let at = (self.off.len() * percent / 100).min(self.off.len().saturating_sub(1));
        self.off.get(at).map_or(f64::NAN, |off| off.as_secs_f64() * 1e3)
    }
}

impl Case {
    fn read(folder: &Path) -> Result<Case, Error> {
        let path = folder.join("truth.json");
        let truth = serde_json::from_slice(&read_bytes(&path)?).map_err(|e| Error::content(&path, e))?;
        let path = folder.join("origin.toml");
        let origin: toml::Table = read(&path)?.parse().map_err(|e| Error::content(&path, e))?;
        let word = |key: &str| {
            let found = origin.get(key).and_then(|v| v.as_str());
            found.ok_or_else(|| Error::content(&path, format!("no `{key}`")))
        };
        let app = AppMarker::parse(word("app")?).map_err(|e| Error::content(&path, e))?;
        let app_mark = word("app_mark")?.to_owned();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Case { name, folder: folder.to_owned(), truth, app, app_mark })
    }

    /// What it can be explained from.
    fn sources(&self) -> Vec<With> {
        let all = [With::Console, With::Journal, With::Systemctl];
        all.into_iter().filter(|with| with.files().iter().all(|file| self.folder.join(file).is_file())).collect()
    }

    fn boot(&self, with: With) -> Result<Boot, Error> {
        let capture = self.folder.join("boot.cap");
        let records = BootRecords::all(&read_bytes(&capture)?).into_iter().next();
        let records = records.ok_or_else(|| Error::content(&capture, "no boot in it"))?;
        let mut sources = Vec::new();
        for file in with.files() {
            let bytes = unpacked(&self.folder.join(file))?;
            let facts = source::read(&bytes);
            let content = match facts.kind {
                Some(_) => SourceContent::Facts(facts),
                None => SourceContent::Journal(BootRecords::all(&bytes)),
            };
            sources.push(BootSource { name: (*file).to_owned(), content, log: None });
        }
        Ok(Boot::analyse(records, &BootOptions::default()).with_sources(&sources, Some(&self.app)))
    }

    /// The moments that both know.
    fn moments(&self, boot: &Boot) -> Vec<Moment> {
        let whole = &boot.whole;
        let Some(first) = whole.stages.first().filter(|_| whole.since == Some(WholeOrigin::PowerOn)) else {
            return Vec::new();
        };
        let stage = |name| whole.stages.iter().find(|s| s.name == name).map(|s| s.start);
        let explained = |at: Option<Dur>| at.map(|at| at - first.start);
        let truth = |at: Option<HostTime>| at.map(|at| at - self.truth.qemu_started_ns);
        let system = self.truth.system.as_ref();
        let mark = system.and_then(|s| s.marks.iter().find(|m| m.name == self.app_mark)).map(|m| m.at_ns);
        // Where nothing on the console tells the initramfs from the root, the stages don't either.
        let handed_over = stage(StageName::UserSpace).filter(|_| stage(StageName::Initramfs).is_some());
        let both = [
            ("the kernel's end", stage(StageName::Initramfs).or(stage(StageName::UserSpace)), self.truth.init_ns),
            ("the system's init", handed_over, system.and_then(|s| s.handoff_ns)),
            ("the application", whole.application.as_ref().map(|a| a.at), mark),
        ];
        let moment = |(name, at, true_at)| {
            let (explained, truth) = explained(at).zip(truth(true_at))?;
            Some(Moment { name, explained, truth })
        };
        both.into_iter().filter_map(moment).collect()
    }

    /// The units that are known by their name, or by the only one of that description; none without systemd.
    fn units(&self, boot: &Boot) -> Result<Option<Units>, Error> {
        let Some(system) = self.truth.system.as_ref().filter(|s| !s.units.is_empty()) else { return Ok(None) };
        let own: BTreeMap<&str, &UnitTruth> = system.units.iter().map(|u| (u.name.as_str(), u)).collect();
        let shown: Vec<&Unit> = boot.whole.units.iter().filter(|u| u.begins().is_some()).collect();
        let power_on = boot.whole.stages.first().map_or(Dur::ZERO, |stage| stage.start);
        let on_axis = |at: HostTime| (at - self.truth.qemu_started_ns) + power_on;
        let described = descriptions(&unpacked(&self.folder.join("systemctl-show.txt.gz"))?);
        let mut off = Vec::new();
        for unit in &shown {
            let by_description = || described.get(&unit.name).and_then(|name| own.get(name.as_str()));
            let Some(truth) = own.get(unit.name.as_str()).or_else(by_description) else { continue };
            let times = [(unit.activating, Some(truth.activating_ns)), (unit.up, truth.active_ns)];
            let apart = |(ours, true_at): (Option<Dur>, Option<HostTime>)| Some((ours? - on_axis(true_at?)).abs());
            off.extend(times.into_iter().filter_map(apart).max());
        }
        off.sort_unstable();
        Ok(Some(Units { shown: shown.len(), off }))
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

fn cases(root: &Path) -> Result<Vec<Case>, Error> {
    let folders: Vec<PathBuf> =
        entries(&root.join("corpus-systems"))?.into_iter().filter(|path| path.is_dir()).collect();
    folders.iter().map(|folder| Case::read(folder)).collect()
}

/// The part of the page.
pub fn part(root: &Path) -> Result<String, Error> {
    let (mut text, mut units) = (HEAD.to_owned(), UNITS.to_owned());
    for case in cases(root)? {
        for with in case.sources() {
            let boot = case.boot(with)?;
            let place = format!("| {} | {} ", case.name, with.title());
            for moment in case.moments(&boot) {
                let [explained, truth] = [moment.explained, moment.truth].map(Dur::as_secs_f64);
                let off = moment.off();
                _ = writeln!(text, "{place}| {} | {explained:.3} | {truth:.3} | {off:+.2} % |", moment.name);
            }
            if let Some(found) = case.units(&boot)? {
                let (shown, known) = (found.shown, found.off.len());
                _ = writeln!(units, "{place}| {shown} | {known} | {:.2} | {:.2} |", found.share(50), found.share(95));
            }
        }
    }
    Ok(text + &units)
}

#[cfg(test)]
mod tests {
    use bootline_lab::boot::RunVerdict;

    use super::*;

    #[test]
    fn stages_and_units_agree_with_the_truth() {
        let cases = cases(&crate::root()).unwrap();
        assert!(cases.len() >= 3, "only {} boots", cases.len());
        let mut wrong = Vec::new();
        for case in &cases {
            assert_eq!(case.truth.verdict, RunVerdict::Valid, "{}", case.name);
            for with in case.sources() {
                let boot = case.boot(with).unwrap();
                let what = format!("{} {}", case.name, with.title());
                let moments = case.moments(&boot);
                let has_systemd = case.truth.system.as_ref().is_some_and(|s| !s.units.is_empty());
                assert_eq!(moments.len(), if has_systemd { 3 } else { 2 }, "{what}");
                for moment in moments {
                    let may_be = match moment.name {
                        "the kernel's end" => -1.0..1.0,
                        // Its first sign of life: it has been read and linked by then.
                        "the system's init" => 0.0..15.0,
                        // systemd takes it for up as soon as its process exists, not once it is executed.
                        _ => -5.0..1.0,
                    };
                    if !may_be.contains(&moment.off()) {
                        wrong.push(format!("{what}: {} is off by {:.2} %", moment.name, moment.off()));
                    }
                }
                let units = case.units(&boot).unwrap();
                assert_eq!(units.is_some(), has_systemd, "{what}");
                let Some(units) = units else { continue };
                assert!(units.shown > 50, "{what}: only {} units", units.shown);
                let known = units.off.len() as f64 / units.shown as f64;
                // As good as today, with little room. The messages on a slow line are late by what was waiting before them.
                let (least, most_ms) = match with {
                    With::Console => (0.85, if case.name.ends_with("38400") { 160.0 } else { 50.0 }),
                    With::Journal => (0.85, 18.0),
                    With::Systemctl => (0.95, 1.0),
                };
                if known < least || units.share(95) > most_ms {
                    wrong.push(format!(
                        "{what}: {known:.3} of {} units are known, {:.3} ms",
                        units.shown,
                        units.share(95)
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_description_of_two_units_names_none() {
        let show = b"Id=a.service\nDescription=The network\n\nId=b.service\nDescription=The network\n\nId=c.service\nDescription=A camera\n";
        let expected = [("A camera".to_owned(), "c.service".to_owned())];
        assert_eq!(descriptions(show), BTreeMap::from(expected));
    }
}
