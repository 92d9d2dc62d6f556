// SPDX-License-Identifier: MIT OR Apache-2.0
//! The script that a user means by a name.
//!
//! A span is called what its script prints: `syslogd`, `system message bus: dbus`. A user may also write the program alone, or the
//! script's file: `dbus`, `S20avahi-daemon`, `/etc/init.d/S20avahi-daemon`. A file that prints another name is not found.
use super::sequence::scripts;
use crate::suggestion::nearest;
use bootline_boot::{Boot, Service};

/// Why a name is no script's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// No script is called so; names that are close.
    Unknown(Vec<String>),
    /// Several scripts are.
    Several(Vec<String>),
}

/// Close names that are listed.
const LISTED: usize = 3;
/// Parts of names that are shorter are in many.
const LEAST_PART: usize = 3;

/// The script that a name means.
pub(crate) fn named<'b>(boot: &'b Boot, name: &str) -> Result<&'b Service, Unnamed> {
    let file = file_name(name);
    // From the most exact meaning to the least.
    let meanings: [&dyn Fn(&str) -> bool; 3] =
        [&|script| script == name, &|script| program(script) == name, &|script| {
            script == file || program(script) == file
        }];
    for is_it in meanings {
        let found: Vec<&Service> = scripts(boot).filter(|s| is_it(&s.name)).collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok(only),
            several => return Err(Unnamed::Several(several.iter().map(|s| s.name.clone()).collect())),
        }
    }
    Err(Unnamed::Unknown(close(boot, file)))
}

/// A script's name without its folder, its place in the sequence and a unit's kind: `/etc/rc2.d/S20avahi-daemon`, `avahi-daemon.service`.
fn file_name(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base.strip_suffix(".service").unwrap_or(base);
    let numbered = base.strip_prefix('S').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match numbered {
        Some(rest) if !rest.is_empty() && rest.len() + 1 < base.len() => rest,
        _ => base,
    }
}

/// The program of `enhanced syslogd: rsyslogd`; the whole name of one without a description.
pub(super) fn program(script: &str) -> &str {
    script.rsplit_once(": ").map_or(script, |(_, program)| program)
}

/// Names that contain this one or are contained in it, else the nearest one.
fn close(boot: &Boot, name: &str) -> Vec<String> {
    let is_part = |part: &str, whole: &str| part.len() >= LEAST_PART && whole.contains(part);
    let mut found: Vec<String> = Vec::new();
    for script in scripts(boot).map(|s| s.name.as_str()) {
        if (is_part(name, script) || is_part(program(script), name)) && !found.iter().any(|known| known == script) {
            found.push(script.to_owned());
        }
    }
    if found.is_empty() {
        found.extend(nearest(name, scripts(boot).flat_map(|s| [s.name.clone(), program(&s.name).to_owned()])));
    }
    found.truncate(LISTED);
    found
}
