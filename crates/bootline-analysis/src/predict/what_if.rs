// SPDX-License-Identifier: MIT OR Apache-2.0
//! What-ifs: the remedies for a slow console, each predicted.
use super::change::Change;
use super::compute::Predictor;
use super::module::module_for;
use super::prediction::{Prediction, PredictionError};
use super::setting::Setting;
use bootline_boot::Boot;
use bootline_capture::units::{Baud, LineRate};
use bootline_console::{Driver, DriverBehaviour, Framework, KernelVersion, Printing};

/// The boot as captured.
pub fn baseline(boot: &Boot) -> Result<Prediction, PredictionError> {
    Ok(Predictor::new(boot)?.baseline())
}

/// The boot with one change.
pub fn predict(boot: &Boot, change: &Change) -> Result<Prediction, PredictionError> {
    Predictor::new(boot)?.predict(change)
}

/// Every what-if that applies to this boot, the one that saves most first. What can't be predicted from this log is
/// omitted.
pub fn what_if(boot: &Boot) -> Result<Vec<Prediction>, PredictionError> {
    let predictor = Predictor::new(boot)?;
    let mut what_ifs: Vec<Prediction> = changes(boot).into_iter().filter_map(|c| predictor.predict(&c).ok()).collect();
    drop_ineffective_combinations(&mut what_ifs);
    what_ifs.sort_by_key(|p| std::cmp::Reverse(p.saved.best()));
    Ok(what_ifs)
}

/// Drops combinations that save no more than one of their parts: after `quiet` the line's speed is almost irrelevant.
fn drop_ineffective_combinations(what_ifs: &mut Vec<Prediction>) {
    let part_of =
        |part: &Change, whole: &Change| part != whole && part.settings().all(|s| whole.settings().any(|w| w == s));
    let saves_as_much = |part: &Prediction, whole: &Prediction| {
        let most = whole.saved.best() - part.saved.best();
        most <= whole.time_to_init.best().scale(LEAST_GAIN)
    };
    let idle: Vec<bool> = what_ifs
        .iter()
        .map(|whole| what_ifs.iter().any(|part| part_of(&part.change, &whole.change) && saves_as_much(part, whole)))
        .collect();
    let mut idle = idle.into_iter();
    what_ifs.retain(|_| !idle.next().unwrap_or(false));
}

/// What a combination must save beyond its parts, as a share of the remaining boot.
const LEAST_GAIN: f64 = 0.02;

fn changes(boot: &Boot) -> Vec<Change> {
    let Some(line) = &boot.line else { return Vec::new() };
    let baseline = line.speed.map(|s| s.rate.bytes_per_s());
    let faster = |baud: u32| {
        let baud = Baud::new(baud)?;
        let rate = LineRate::of(baud, line.console.frame).bytes_per_s();
        (baseline.is_none_or(|t| rate > t * 1.2)).then_some(Setting::Baud(baud))
    };
    let level = boot.kernel.command_line.console_loglevel();
    let quiet = (level > 4).then_some(Setting::LogLevel(4));
    let no_debug = boot.kernel.command_line.initcall_debug().then_some(Setting::NoInitcallDebug);
    // A user who wants these records has also raised the console's level to see them.
    let usual = (level > 7).then_some(Setting::LogLevel(7));
    let printing = line.console.printing;
    let driver = Driver::of_console(&line.console.name);
    let thread = matches!(printing, Printing::Synchronous | Printing::ThreadWholeFlush | Printing::RtPatch)
        .then(|| DriverBehaviour::thread_under_rt_since(driver, boot.kernel.version))
        .flatten()
        .map(|version| Setting::Kernel { version, rt: true });
    let rt = boot.kernel.rt;
    let stock = boot.kernel.version.and_then(|s| DriverBehaviour::of(s, rt, driver, false));
    let nbcon = DriverBehaviour::nbcon_since(driver, rt)
        .filter(|s| boot.kernel.version.map(KernelVersion::series) != Some(*s))
        .filter(|_| stock.is_none_or(|t| t.framework == Framework::Legacy || t.flushes_at_registration()))
        .map(|version| Setting::Kernel { version, rt });
    let second = (boot.kernel.cpus == Some(1)).then_some(Setting::Cpus(2));
    let module = |replay| module_for(boot).map(|module| Setting::Module { module, replay });
    let candidates: [&[Option<Setting>]; 14] = [
        &[faster(115_200)],
        &[faster(921_600)],
        &[quiet],
        &[no_debug],
        &[no_debug, usual],
        &[thread],
        &[thread, second],
        &[nbcon],
        &[module(false)],
        &[module(true)],
        &[faster(115_200), quiet],
        &[faster(115_200), no_debug],
        &[faster(115_200), thread],
        &[no_debug, quiet],
    ];
    let whole = candidates.iter().filter_map(|c| c.iter().copied().collect::<Option<Vec<Setting>>>());
    let mut found: Vec<Change> = Vec::new();
    for change in whole.filter_map(|settings| Change::of(settings).ok()) {
        if !found.contains(&change) {
            found.push(change);
        }
    }
    found
}
