// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a GPIO line can't be watched; each with what to do about it.
use std::io;
use std::path::{Path, PathBuf};

use super::GpioLine;

/// Why a GPIO line can't be watched.
#[derive(Debug, thiserror::Error)]
pub enum GpioError {
    /// The chip's name does not exist.
    #[error("no such GPIO chip `{}`{}", chip.display(), there_are(present))]
    NoSuchChip {
        /// As the user named it.
        chip: PathBuf,
        /// The chips that this machine has.
        present: Vec<PathBuf>,
    },
    /// A line was to be looked for by its name, and there is no chip to look on.
    #[error("no GPIO line is named `{}`: this machine has no GPIO chip", name.escape_debug())]
    NoChips {
        /// The line's name.
        name: String,
    },
    /// The file is something else.
    #[error("`{}` is not a GPIO chip", path.display())]
    NotAChip {
        /// As the user named it.
        path: PathBuf,
    },
    /// The device's permissions keep this user out.
    #[error("no permission to open `{}`{}", chip.display(), in_group(group.as_deref()))]
    NotPermitted {
        /// The chip.
        chip: PathBuf,
        /// The group that may open it.
        group: Option<String>,
    },
    /// The chip can't be opened for another reason.
    #[error("can't open `{}`: {error}", chip.display())]
    Open {
        /// The chip.
        chip: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The chip has fewer lines.
    #[error("no line {offset} on `{}`: {}", chip.display(), range(*lines))]
    NoSuchOffset {
        /// The chip.
        chip: PathBuf,
        /// What was asked for.
        offset: u32,
        /// How many lines it has.
        lines: u32,
    },
    /// No line has this name.
    #[error("no GPIO line is named `{}` on {}", name.escape_debug(), paths(chips))]
    NoSuchName {
        /// The line's name.
        name: String,
        /// The chips that were searched.
        chips: Vec<PathBuf>,
    },
    /// Several lines have this name.
    #[error("{} GPIO lines are named `{}`: {}", found.len(), name.escape_debug(), lines(found))]
    Ambiguous {
        /// The lines' name.
        name: String,
        /// Each of them, by its offset.
        found: Vec<GpioLine>,
    },
    /// Something else uses the line.
    #[error("`{line}` is in use{}", by(consumer))]
    Busy {
        /// The line.
        line: GpioLine,
        /// What uses it, as it calls itself; may be empty.
        consumer: String,
    },
    /// The kernel has only version 1 of the interface.
    #[error("this kernel can't report the edges of `{}`: it has no version 2 of the GPIO interface", chip.display())]
    NoInterface {
        /// The chip.
        chip: PathBuf,
    },
    /// The chip does not interrupt.
    #[error("`{line}` can't report edges: its chip has no interrupts for it")]
    NoEdges {
        /// The line.
        line: GpioLine,
    },
    /// The line can't be had for another reason.
    #[error("can't watch `{line}`: {error}")]
    Request {
        /// The line.
        line: GpioLine,
        /// The system's error.
        error: io::Error,
    },
}

impl GpioError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            GpioError::NoSuchChip { present, .. } if !present.is_empty() => {
                "`gpiodetect` shows what each of them is".into()
            }
            GpioError::NoSuchChip { .. } | GpioError::NoChips { .. } => {
                "is the driver of the chip loaded? `dmesg | grep -i gpio`".into()
            }
            GpioError::NotAChip { .. } => "`gpiodetect` lists the chips; they are /dev/gpiochip0 and so on".into(),
            GpioError::NotPermitted { group: Some(group), .. } if group != "root" => {
                format!("sudo usermod -aG {group} $USER, then log in again")
            }
            GpioError::NotPermitted { .. } => {
                "run it with sudo, or let a group in by a udev rule: SUBSYSTEM==\"gpio\", GROUP=\"gpio\", MODE=\"0660\""
                    .into()
            }
            GpioError::NoSuchOffset { .. } | GpioError::NoSuchName { .. } => {
                "`gpioinfo` lists the lines by offset and name".into()
            }
            GpioError::Ambiguous { found, .. } => {
                format!("name one by its chip and offset: --mark {}=NAME", found.first()?)
            }
            GpioError::Busy { .. } => {
                "stop or unload what uses it, or take a line that `gpioinfo` shows as unused".into()
            }
            GpioError::NoInterface { .. } => "marks by GPIO need Linux 5.10 or newer".into(),
            GpioError::NoEdges { .. } => {
                "take a line of another chip, or a modem control input: --mark dsr=NAME".into()
            }
            GpioError::Open { .. } | GpioError::Request { .. } => return None,
        })
    }

    /// Whether the chip may still appear.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, GpioError::NoSuchChip { .. } | GpioError::NoChips { .. })
    }
}

fn there_are(present: &[PathBuf]) -> String {
    if present.is_empty() {
        "; this machine has no GPIO chip".into()
    } else {
        format!("; there are {}", paths(present))
    }
}

fn paths<P: AsRef<Path>>(paths: &[P]) -> String {
    let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.as_ref().display())).collect();
    names.join(", ")
}

fn lines(found: &[GpioLine]) -> String {
    let names: Vec<String> = found.iter().map(|line| format!("`{line}`")).collect();
    names.join(", ")
}

fn in_group(group: Option<&str>) -> String {
    group.map_or(String::new(), |group| format!(" (its group is `{group}`)"))
}

fn range(lines: u32) -> String {
    match lines {
        0 => "it has none".into(),
        1 => "its only line is 0".into(),
        lines => format!("its lines are 0 to {}", lines - 1),
    }
}

/// A program chooses the name itself, so it is escaped for the terminal.
fn by(consumer: &str) -> String {
    if consumer.is_empty() { String::new() } else { format!(" by `{}`", consumer.escape_debug()) }
}
