// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the GPIO lines that are to be marked by, and takes them.
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bootline_capture::units::Dur;

use super::gpio_chip::{GpioChip, GpioChips, LineEdges};
use super::{GpioError, GpioLine, GpioLineId, MarkInput, MarkRequest, serial};

/// A line that was taken.
#[derive(Debug)]
pub struct WatchedLine {
    /// As the user named it first.
    pub name: GpioLine,
    /// Gives its level and its events.
    pub file: File,
    /// How late the kernel may stamp an edge.
    pub delay: Dur,
    /// What its edges mark.
    pub marks: Vec<MarkRequest>,
}

/// A line that was found.
struct FoundLine<C> {
    name: GpioLine,
    path: PathBuf,
    chip: C,
    offset: u32,
    marks: Vec<MarkRequest>,
}

/// Takes the lines of these marks; marks of other inputs are passed over.
///
/// # Errors
/// A line does not exist or can't be had. Then none is taken.
pub fn take_lines<S: GpioChips>(requests: &[MarkRequest], chips: &S) -> Result<Vec<WatchedLine>, GpioError> {
    let mut found: Vec<FoundLine<S::Chip>> = Vec::new();
    for request in requests {
        let MarkInput::Gpio(line) = &request.input else { continue };
        let (path, chip, offset) = find(line, chips)?;
        // Both edges of a line come by one request: the kernel gives each line away once.
        match found.iter_mut().find(|other| (other.chip.id(), other.offset) == (chip.id(), offset)) {
            Some(other) => other.marks.push(request.clone()),
            None => found.push(FoundLine { name: line.clone(), path, chip, offset, marks: vec![request.clone()] }),
        }
    }
    found.into_iter().map(take).collect()
}

fn take<C: GpioChip>(found: FoundLine<C>) -> Result<WatchedLine, GpioError> {
    let FoundLine { name, path, chip, offset, marks } = found;
    let line = || GpioLine::at(&path, offset);
    let busy = |consumer| GpioError::Busy { line: line(), consumer };
    let state = |chip: &C| chip.state(offset).map_err(|error| state_error(&path, error));
    if let Some(consumer) = state(&chip)?.consumer {
        return Err(busy(consumer));
    }
    let edges = LineEdges { rising: marks.iter().any(|m| m.asserted), falling: marks.iter().any(|m| !m.asserted) };
    let file = chip.request(offset, edges).map_err(|error| match error.raw_os_error() {
        // Taken meanwhile.
        Some(libc::EBUSY) => busy(state(&chip).ok().and_then(|state| state.consumer).unwrap_or_default()),
        Some(libc::ENXIO | libc::EOPNOTSUPP) => GpioError::NoEdges { line: line() },
        _ => GpioError::Request { line: line(), error },
    })?;
    Ok(WatchedLine { name, file, delay: chip.delay(), marks })
}

/// The chip of a line, and the line's offset.
fn find<S: GpioChips>(line: &GpioLine, chips: &S) -> Result<(PathBuf, S::Chip, u32), GpioError> {
    let (paths, open) = match &line.chip {
        Some(path) => (vec![path.clone()], vec![(path.clone(), open(path, chips)?)]),
        None => open_all(chips)?,
    };
    let name = match &line.line {
        GpioLineId::Offset(offset) => {
            let Some((path, (chip, lines))) = open.into_iter().next() else {
                // A line by its offset always has a chip.
                return Err(GpioError::NoChips { name: offset.to_string() });
            };
            let refused = GpioError::NoSuchOffset { chip: path.clone(), offset: *offset, lines };
            return if *offset < lines { Ok((path, chip, *offset)) } else { Err(refused) };
        }
        GpioLineId::Name(name) => name,
    };
    if open.is_empty() {
        return Err(GpioError::NoChips { name: name.clone() });
    }
    let mut found = Vec::new();
    for (nth, (path, (chip, lines))) in open.iter().enumerate() {
        for offset in 0..*lines {
            if chip.state(offset).map_err(|error| state_error(path, error))?.name == *name {
                found.push((nth, offset));
            }
        }
    }
    match found[..] {
        [] => Err(GpioError::NoSuchName { name: name.clone(), chips: paths }),
        [(nth, offset)] => {
            let chip = open.into_iter().nth(nth).map(|(path, (chip, _))| (path, chip, offset));
            chip.ok_or_else(|| GpioError::NoSuchName { name: name.clone(), chips: paths })
        }
        _ => {
            let found = found.iter().map(|(nth, offset)| GpioLine::at(&open[*nth].0, *offset)).collect();
            Err(GpioError::Ambiguous { name: name.clone(), found })
        }
    }
}

/// An open chip with the number of its lines, and the device that led to it.
type OpenChip<C> = (PathBuf, (C, u32));

/// All chips, each once: the Raspberry Pi 5, for one, has a second name for a chip. One that can't be opened is an error, because it may
/// have a line of the same name.
fn open_all<S: GpioChips>(chips: &S) -> Result<(Vec<PathBuf>, Vec<OpenChip<S::Chip>>), GpioError> {
    let mut all: Vec<OpenChip<S::Chip>> = Vec::new();
    for path in chips.present() {
        let (chip, lines) = open(&path, chips)?;
        if all.iter().all(|(_, (other, _))| other.id() != chip.id()) {
            all.push((path, (chip, lines)));
        }
    }
    Ok((all.iter().map(|(path, _)| path.clone()).collect(), all))
}

/// Opens a chip; gives the number of its lines, too.
fn open<S: GpioChips>(path: &Path, chips: &S) -> Result<(S::Chip, u32), GpioError> {
    let opened = chips.open(path).and_then(|chip| chip.line_count().map(|lines| (chip, lines)));
    opened.map_err(|error| {
        let chip = path.to_owned();
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR | libc::ENODEV | libc::ENXIO) => {
                GpioError::NoSuchChip { chip, present: chips.present() }
            }
            Some(libc::EACCES | libc::EPERM) => GpioError::NotPermitted { group: serial::group_of(&chip), chip },
            Some(libc::ENOTTY) => GpioError::NotAChip { path: chip },
            _ => GpioError::Open { chip, error },
        }
    })
}

/// Of a line that exists: a kernel without version 2 does not know the call.
fn state_error(chip: &Path, error: io::Error) -> GpioError {
    let chip = chip.to_owned();
    match error.raw_os_error() {
        Some(libc::EINVAL | libc::ENOTTY) => GpioError::NoInterface { chip },
        _ => GpioError::Open { chip, error },
    }
}

#[cfg(test)]
mod tests;
