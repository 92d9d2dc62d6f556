// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it saves that the application is started before systemd, by fastinit for example.
use super::replay::{Treatment, replay};
use super::whole_prediction::WholePredictionError;
use crate::user_space::is_implied;
use bootline_boot::{Boot, StageName};
use bootline_capture::units::{Dur, Interval};

/// How much sooner the application's unit, at this position, begins to run if it is started where systemd is executed now.
///
/// If it declares that it needs something, it may begin as long after that as it did in this boot, or not at all before systemd: then
/// nothing is certain.
pub(super) fn before_systemd(boot: &Boot, application: usize) -> Result<Interval, WholePredictionError> {
    let whole = &boot.whole;
    let manager = whole.manager_start.ok_or(WholePredictionError::NoManager)?;
    let unit = &whole.units[application];
    let begins = unit.executed.or(unit.begins()).ok_or_else(|| WholePredictionError::NoTimes(unit.name.clone()))?;
    // systemd's first stamp is its own, once it has been read and linked. Where no record shows its execution, that was some time after
    // the initramfs began.
    let initramfs = whole.stages.iter().find(|s| s.name == StageName::Initramfs && s.end <= manager);
    let (earliest, executed) = match (whole.init_executed, initramfs) {
        (Some(init), _) => (init.at.min(manager), init.at.min(manager)),
        (None, Some(initramfs)) => (initramfs.start, (initramfs.start + manager) / 2),
        (None, None) => (manager, manager),
    };
    let saves = |start: Dur| (begins - start).max_zero();
    let units = &whole.units;
    if unit.after.iter().chain(&unit.requires).all(|i| is_implied(&units[*i].name)) {
        return Ok(Interval::new(saves(manager), saves(executed), saves(earliest)));
    }
    let mut treatments = vec![Treatment::default(); units.len()];
    treatments[application].declared_only = true;
    let sooner = replay(boot, &treatments)[application];
    Ok(Interval::new(Dur::ZERO, sooner.max_zero().min(saves(executed)), saves(earliest)))
}
