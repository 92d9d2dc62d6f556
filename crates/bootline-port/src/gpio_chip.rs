// SPDX-License-Identifier: MIT OR Apache-2.0
//! GPIO chips: what the watch needs of them, and those of this machine, by version 2 of the kernel's interface.
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bootline_capture::units::Dur;

use super::gpio_ioctl;
use super::inventory;

/// Events that the kernel holds for us, at most; it takes no more for one line.
const EVENTS_HELD: u32 = 1_024;

/// The GPIO chips of a machine.
pub trait GpioChips {
    /// An open chip.
    type Chip: GpioChip;
    /// Devices of all chips; two may lead to the same chip.
    fn present(&self) -> Vec<PathBuf>;
    /// Opens a chip. `ENOTTY` if the file is something else.
    fn open(&self, device: &Path) -> io::Result<Self::Chip>;
}

/// An open chip.
pub trait GpioChip {
    /// The same for each device that leads to this chip.
    fn id(&self) -> u64;
    /// How late the kernel may stamp an edge.
    fn delay(&self) -> Dur;
    /// How many lines it has. `ENOTTY` if it is no chip.
    fn line_count(&self) -> io::Result<u32>;
    /// What the kernel says of a line that exists.
    fn state(&self, offset: u32) -> io::Result<LineState>;
    /// Takes a line as an input that reports these edges. The file gives its level and its events, and never waits for one.
    fn request(&self, offset: u32, edges: LineEdges) -> io::Result<File>;
}

/// What the kernel says of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineState {
    /// Its name; may be empty.
    pub name: String,
    /// What uses it, if anything does; may be empty.
    pub consumer: Option<String>,
}

/// Edges that are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineEdges {
    pub rising: bool,
    pub falling: bool,
}

/// The chips of this machine.
pub struct HostChips;

impl GpioChips for HostChips {
    type Chip = HostChip;

    fn present(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir("/dev").into_iter().flatten().flatten().map(|entry| entry.path());
        let is_chip = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("gpiochip"))
        };
        let mut chips: Vec<PathBuf> = entries.filter(is_chip).collect();
        // Chip 10 comes after chip 9.
        chips.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        chips
    }

    fn open(&self, device: &Path) -> io::Result<HostChip> {
        let found = fs::metadata(device)?;
        // Not opened before this is known: opening a serial device, say, may reset the board.
        if !found.file_type().is_char_device() || inventory::is_of_other_subsystem(found.rdev(), "gpio") {
            return Err(io::Error::from_raw_os_error(libc::ENOTTY));
        }
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(device)?;
        Ok(HostChip { file, device: found.rdev() })
    }
}

/// A chip of this machine.
pub struct HostChip {
    file: File,
    /// Its device number.
    device: u64,
}

impl GpioChip for HostChip {
    fn id(&self) -> u64 {
        self.device
    }

    fn delay(&self) -> Dur {
        inventory::gpio_delay_of(self.device)
    }

    fn line_count(&self) -> io::Result<u32> {
        gpio_ioctl::line_count(&self.file)
    }

    fn state(&self, offset: u32) -> io::Result<LineState> {
        let info = gpio_ioctl::line_info(&self.file, offset)?;
        let is_used = info.flags & gpio_ioctl::USED != 0;
        Ok(LineState { name: info.name, consumer: is_used.then_some(info.consumer) })
    }

    fn request(&self, offset: u32, edges: LineEdges) -> io::Result<File> {
        // Without a flag for another clock, the kernel stamps by CLOCK_MONOTONIC, as the capture does.
        let rising = if edges.rising { gpio_ioctl::EDGE_RISING } else { 0 };
        let falling = if edges.falling { gpio_ioctl::EDGE_FALLING } else { 0 };
        let line = gpio_ioctl::take_line(&self.file, offset, gpio_ioctl::INPUT | rising | falling, EVENTS_HELD)?;
        let flags = rustix::fs::fcntl_getfl(&line)?;
        rustix::fs::fcntl_setfl(&line, flags | rustix::fs::OFlags::NONBLOCK)?;
        Ok(line)
    }
}
