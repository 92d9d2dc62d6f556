// SPDX-License-Identifier: MIT OR Apache-2.0
//! The second part of docs/corpus.md: whole boots, compared with the marks that the guest's own programs sent to the host.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bootline_boot::AppMarker;
use bootline_capture::units::Dur;

use crate::error::{Error, entries, read};
use crate::whole_run::{App, WholeRun};

const HEAD: &str = "
## Whole systems

`corpus-systems/` has whole boots, captured by `scripts/capture-systems`: what came over the console, what the system said of itself
afterwards, and the truth. Programs of the guest marked their moments on the unpaced port: the initramfs that it executes the system's
init, the application its start and its socket. Times count from power-on, which the capture notes. A difference is a share of the time
from power-on to that moment. A unit that is up is compared with process 1's own stamp, the application that is executed or prints its
line with its own mark. docs/accuracy.md has the same of many boots.

| case | sources | moment | explained [s] | truth [s] | off |
| --- | --- | --- | --: | --: | --: |
";

const UNITS: &str = "
The units of systemd, each against process 1's own stamps as `systemctl show` printed them after the boot, put on the host's clock by the
marks: how many of those that the sources show have a unit's whole name, how many process 1 still knew then, and how far the times of
these are off.

| case | sources | units shown | named | compared | off, median [ms] | 95th percentile [ms] |
| --- | --- | --: | --: | --: | --: | --: |
";

/// A boot of the corpus, and what shows its application.
struct Case {
    run: WholeRun,
    app: App,
}

impl Case {
    fn read(folder: &Path) -> Result<Case, Error> {
        let path = folder.join("origin.toml");
        let origin: toml::Table = read(&path)?.parse().map_err(|e| Error::content(&path, e))?;
        let word = |key: &str| {
            let found = origin.get(key).and_then(|v| v.as_str());
            found.ok_or_else(|| Error::content(&path, format!("no `{key}`")))
        };
        let marker = AppMarker::parse(word("app")?).map_err(|e| Error::content(&path, e))?;
        let app = App { marker, mark: word("app_mark")?.to_owned() };
        Ok(Case { run: WholeRun::read(folder)?, app })
    }
}

fn cases(root: &Path) -> Result<Vec<Case>, Error> {
    let folders: Vec<PathBuf> =
        entries(&root.join("corpus-systems"))?.into_iter().filter(|path| path.is_dir()).collect();
    folders.iter().map(|folder| Case::read(folder)).collect()
}

/// The part of the page.
pub fn part(root: &Path) -> Result<String, Error> {
    let (mut text, mut units) = (HEAD.to_owned(), UNITS.to_owned());
    for Case { run, app } in cases(root)? {
        for with in run.sources() {
            let boot = run.boot(with, &app.marker)?;
            let place = format!("| {} | {} ", run.name, with.title());
            for moment in run.moments(&boot, &app) {
                let [explained, truth] = [moment.explained, moment.truth].map(Dur::as_secs_f64);
                let off = moment.off();
                _ = writeln!(text, "{place}| {} | {explained:.3} | {truth:.3} | {off:+.2} % |", moment.kind.title());
            }
            if let Some(found) = run.units(&boot)? {
                let (shown, named, compared) = (found.shown, found.named, found.off.len());
                let [median, most] = [50, 95].map(|percent| found.percentile(percent));
                _ = writeln!(units, "{place}| {shown} | {named} | {compared} | {median:.2} | {most:.2} |");
            }
        }
    }
    Ok(text + &units)
}

#[cfg(test)]
mod tests {
    use bootline_lab::boot::RunVerdict;

    use super::*;
    use crate::whole_run::With;

    #[test]
    fn stages_and_units_agree_with_the_truth() {
        let cases = cases(&crate::root()).unwrap();
        assert!(cases.len() >= 3, "only {} boots", cases.len());
        let mut wrong = Vec::new();
        for Case { run, app } in &cases {
            assert_eq!(run.truth.verdict, RunVerdict::Valid, "{}", run.name);
            for with in run.sources() {
                let boot = run.boot(with, &app.marker).unwrap();
                let what = format!("{} {}", run.name, with.title());
                let moments = run.moments(&boot, app);
                let has_systemd = run.truth.system.as_ref().is_some_and(|s| !s.units.is_empty());
                assert_eq!(moments.len(), 3, "{what}");
                for moment in moments {
                    if moment.off().abs() > 1.0 {
                        wrong.push(format!("{what}: {} is off by {:.2} %", moment.kind.title(), moment.off()));
                    }
                }
                let units = run.units(&boot).unwrap();
                assert_eq!(units.is_some(), has_systemd, "{what}");
                let Some(units) = units else { continue };
                assert!(units.shown > 50, "{what}: only {} units", units.shown);
                // As good as today, with little room. The messages on a slow line are late by what was waiting before them.
                let most_ms = match with {
                    With::Console if run.name.ends_with("38400") => 160.0,
                    With::Console => 50.0,
                    With::Journal => 18.0,
                    With::Systemctl => 1.0,
                };
                if units.share_named() < 0.95 || units.off.len() < 50 || units.percentile(95) > most_ms {
                    let [share, late] = [units.share_named(), units.percentile(95)];
                    wrong.push(format!("{what}: {share:.3} of {} units are named, {late:.3} ms", units.shown));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
