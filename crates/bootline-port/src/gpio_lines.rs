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
        let (OpenChip { path, chip, .. }, offset) = find(line, chips)?;
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

/// A chip to look for a line on.
struct OpenChip<C> {
    /// The device that led to it.
    path: PathBuf,
    chip: C,
    lines: u32,
}

/// The chip of a line, and the line's offset.
fn find<S: GpioChips>(line: &GpioLine, chips: &S) -> Result<(OpenChip<S::Chip>, u32), GpioError> {
    let open = match &line.chip {
        Some(path) => vec![open(path, chips)?],
        None => open_all(chips)?,
    };
    match &line.line {
        GpioLineId::Offset(offset) => at_offset(open, *offset),
        GpioLineId::Name(name) => by_name(open, name),
    }
}

fn at_offset<C>(open: Vec<OpenChip<C>>, offset: u32) -> Result<(OpenChip<C>, u32), GpioError> {
    // One, because a line by its offset always has a chip.
    let chip = open.into_iter().next().ok_or_else(|| GpioError::NoChips { name: offset.to_string() })?;
    if offset < chip.lines {
        return Ok((chip, offset));
    }
    Err(GpioError::NoSuchOffset { lines: chip.lines, chip: chip.path, offset })
}

fn by_name<C: GpioChip>(mut open: Vec<OpenChip<C>>, name: &str) -> Result<(OpenChip<C>, u32), GpioError> {
    let name = name.to_owned();
    if open.is_empty() {
        return Err(GpioError::NoChips { name });
    }
    let mut found = Vec::new();
    for (nth, OpenChip { path, chip, lines }) in open.iter().enumerate() {
        for offset in 0..*lines {
            if chip.state(offset).map_err(|error| state_error(path, error))?.name == name {
                found.push((nth, offset));
            }
        }
    }
    match found[..] {
        [] => Err(GpioError::NoSuchName { name, chips: open.into_iter().map(|chip| chip.path).collect() }),
        [(nth, offset)] => Ok((open.swap_remove(nth), offset)),
        _ => {
            let found = found.iter().map(|(nth, offset)| GpioLine::at(&open[*nth].path, *offset)).collect();
            Err(GpioError::Ambiguous { name, found })
        }
    }
}

/// All chips, each once: the Raspberry Pi 5, for one, has a second name for a chip. One that can't be opened is an error, because it may
/// have a line of the same name.
fn open_all<S: GpioChips>(chips: &S) -> Result<Vec<OpenChip<S::Chip>>, GpioError> {
    let mut all: Vec<OpenChip<S::Chip>> = Vec::new();
    for path in chips.present() {
        let next = open(&path, chips)?;
        if all.iter().all(|other| other.chip.id() != next.chip.id()) {
            all.push(next);
        }
    }
    Ok(all)
}

fn open<S: GpioChips>(path: &Path, chips: &S) -> Result<OpenChip<S::Chip>, GpioError> {
    let opened = chips.open(path).and_then(|chip| {
        let lines = chip.line_count()?;
        Ok(OpenChip { path: path.to_owned(), chip, lines })
    });
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
