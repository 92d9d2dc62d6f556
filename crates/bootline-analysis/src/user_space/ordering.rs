// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an activation really waited for.
//!
//! After= orders two units only if both are started in one transaction. Of the units that one starts after, those count that were up
//! when it began; one that was up later was started by something else, later.
use bootline_boot::{Boot, Unit};
use bootline_capture::units::Dur;

/// Stamps of one clock that follow one another may be this much out of order: systemd takes each unit's stamp for itself.
pub(crate) const SAME_INSTANT: Dur = Dur::from_millis(1);

/// The units that one waited for, with their ends, in no order.
pub(crate) fn waited_for<'b>(boot: &'b Boot, unit: &'b Unit) -> impl Iterator<Item = (usize, Dur)> + 'b {
    // Of a target or a socket only the moment at which it was up may be known.
    let begins = unit.begins();
    let units = &boot.whole.units;
    unit.after.iter().filter_map(move |&i| {
        let up = units.get(i)?.up?;
        (up <= begins? + SAME_INSTANT).then_some((i, up))
    })
}

/// The unit that was up last of those that one waited for: the first position of equals.
pub(crate) fn released_by(boot: &Boot, unit: &Unit) -> Option<(usize, Dur)> {
    waited_for(boot, unit).max_by_key(|(i, up)| (*up, std::cmp::Reverse(*i)))
}

/// When systemd could start units: once they were loaded.
pub(crate) fn first_moment(boot: &Boot) -> Option<Dur> {
    let whole = &boot.whole;
    whole.units_loaded.or(whole.manager_start)
}

/// What systemd lets every service start after, by itself or for what its settings imply (systemd.service(5), systemd.exec(5)).
const IMPLIED: [&str; 6] = [
    "sysinit.target",
    "basic.target",
    "systemd-journald.socket",
    "systemd-tmpfiles-setup.service",
    "-.mount",
    "tmp.mount",
];

/// Whether a service starts after this unit only by its default dependencies (DefaultDependencies= in systemd.service(5)); what its
/// settings imply stays without them.
pub(crate) fn is_default_dependency(name: &str) -> bool {
    matches!(name, "sysinit.target" | "basic.target")
}

/// Whether a service may start after this unit without having said so.
pub(crate) fn is_implied(name: &str) -> bool {
    name.ends_with(".slice") || IMPLIED.contains(&name)
}
