// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of a GPIO character device that marks need, by version 2 of its interface: include/uapi/linux/gpio.h, Linux 5.10.
//!
//! `gpiocdev-uapi` has them, too, but its package and that of `ioctl-sys`, which it needs, come without the texts of their licences,
//! which have to go with the command (scripts/third-party).
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use rustix::ioctl::{Getter, Opcode, Updater, ioctl, opcode};

/// `GPIO_V2_LINE_FLAG_USED`: the line is not free.
pub const USED: u64 = 1 << 0;
/// `GPIO_V2_LINE_FLAG_INPUT`
pub const INPUT: u64 = 1 << 2;
/// `GPIO_V2_LINE_FLAG_EDGE_RISING`
pub const EDGE_RISING: u64 = 1 << 4;
/// `GPIO_V2_LINE_FLAG_EDGE_FALLING`
pub const EDGE_FALLING: u64 = 1 << 5;

/// Size of an event in a line's file, in bytes.
pub const EVENT_SIZE: usize = size_of::<RawEvent>();

const NAME_SIZE: usize = 32;
const LINES_MAX: usize = 64;
const ATTRIBUTES_MAX: usize = 10;

const MAGIC: u8 = 0xb4;
const GET_CHIP_INFO: Opcode = opcode::read::<RawChipInfo>(MAGIC, 0x01);
const GET_LINE_INFO: Opcode = opcode::read_write::<RawLineInfo>(MAGIC, 0x05);
const GET_LINE: Opcode = opcode::read_write::<RawLineRequest>(MAGIC, 0x07);
const GET_VALUES: Opcode = opcode::read_write::<RawLineValues>(MAGIC, 0x0e);

/// `struct gpiochip_info`
#[repr(C)]
struct RawChipInfo {
    name: [u8; NAME_SIZE],
    label: [u8; NAME_SIZE],
    lines: u32,
}

/// `struct gpio_v2_line_attribute`
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct RawAttribute {
    id: u32,
    padding: u32,
    /// A union of integers.
    value: u64,
}

/// `struct gpio_v2_line_info`
#[derive(Default)]
#[repr(C)]
struct RawLineInfo {
    name: [u8; NAME_SIZE],
    consumer: [u8; NAME_SIZE],
    offset: u32,
    attribute_count: u32,
    flags: u64,
    attributes: [RawAttribute; ATTRIBUTES_MAX],
    padding: [u32; 4],
}

/// `struct gpio_v2_line_config_attribute`
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct RawConfigAttribute {
    attribute: RawAttribute,
    mask: u64,
}

/// `struct gpio_v2_line_request`, and in it `struct gpio_v2_line_config`, from `flags` to `attributes`.
#[repr(C)]
struct RawLineRequest {
    offsets: [u32; LINES_MAX],
    consumer: [u8; NAME_SIZE],
    flags: u64,
    attribute_count: u32,
    config_padding: [u32; 5],
    attributes: [RawConfigAttribute; ATTRIBUTES_MAX],
    line_count: u32,
    event_buffer_size: u32,
    padding: [u32; 5],
    fd: i32,
}

/// `struct gpio_v2_line_values`
#[repr(C)]
struct RawLineValues {
    bits: u64,
    mask: u64,
}

/// `struct gpio_v2_line_event`
#[repr(C)]
struct RawEvent {
    timestamp_ns: u64,
    id: u32,
    offset: u32,
    seqno: u32,
    line_seqno: u32,
    padding: [u32; 6],
}

/// What the kernel says of a line.
pub struct LineInfo {
    /// Its name; may be empty.
    pub name: String,
    /// What uses it; may be empty.
    pub consumer: String,
    /// [`USED`] and others.
    pub flags: u64,
}

/// An event of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEvent {
    /// The kernel's stamp, by CLOCK_MONOTONIC.
    pub monotonic_ns: u64,
    /// Whether the level became high.
    pub is_rising: bool,
    /// The line's events are numbered by 1, 2, 3 ...
    pub number: u32,
}

impl LineEvent {
    /// As the kernel lays it out.
    pub fn from_bytes(bytes: &[u8; EVENT_SIZE]) -> LineEvent {
        /// `GPIO_V2_LINE_EVENT_RISING_EDGE`
        const RISING: u32 = 1;
        let (stamp, words) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
        let mut words = words.chunks_exact(4).filter_map(|word| Some(u32::from_ne_bytes(word.try_into().ok()?)));
        // The kind, the offset, the number among all lines of the request, the number of the line.
        let (kind, number) = (words.next(), words.nth(2));
        LineEvent {
            monotonic_ns: u64::from_ne_bytes(*stamp),
            is_rising: kind == Some(RISING),
            number: number.unwrap_or_default(),
        }
    }
}

/// How many lines a chip has. `ENOTTY` if the file is no chip.
pub fn line_count(chip: impl AsFd) -> io::Result<u32> {
    // SAFETY: the call fills exactly this struct; any bytes are a valid one.
    let info = unsafe { ioctl(chip, Getter::<GET_CHIP_INFO, RawChipInfo>::new()) }?;
    Ok(info.lines)
}

/// What the kernel says of a line. `EINVAL` if there is none, and where the kernel has no version 2.
pub fn line_info(chip: impl AsFd, offset: u32) -> io::Result<LineInfo> {
    let mut info = RawLineInfo { offset, ..RawLineInfo::default() };
    // SAFETY: the call reads and fills exactly this struct; any bytes are a valid one.
    unsafe { ioctl(chip, Updater::<GET_LINE_INFO, RawLineInfo>::new(&mut info)) }?;
    Ok(LineInfo { name: text(&info.name), consumer: text(&info.consumer), flags: info.flags })
}

/// Takes a line; the flags are [`INPUT`] and others. The kernel holds this many events for us.
pub fn take_line(chip: impl AsFd, offset: u32, flags: u64, events: u32) -> io::Result<File> {
    let mut consumer = [0; NAME_SIZE];
    let own = b"bootline";
    consumer[..own.len()].copy_from_slice(own);
    let mut offsets = [0; LINES_MAX];
    offsets[0] = offset;
    let mut request = RawLineRequest {
        offsets,
        consumer,
        flags,
        attribute_count: 0,
        config_padding: [0; 5],
        attributes: [RawConfigAttribute::default(); ATTRIBUTES_MAX],
        line_count: 1,
        event_buffer_size: events,
        padding: [0; 5],
        fd: -1,
    };
    // SAFETY: the call reads and fills exactly this struct; any bytes are a valid one.
    unsafe { ioctl(chip, Updater::<GET_LINE, RawLineRequest>::new(&mut request)) }?;
    // SAFETY: the call has succeeded, so this is a new descriptor, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(request.fd) }.into())
}

/// Whether a line that was taken is high.
pub fn is_high(line: impl AsFd) -> io::Result<bool> {
    let mut values = RawLineValues { bits: 0, mask: 1 };
    // SAFETY: the call reads and fills exactly this struct.
    unsafe { ioctl(line, Updater::<GET_VALUES, RawLineValues>::new(&mut values)) }?;
    Ok(values.bits & 1 != 0)
}

/// Up to the first zero.
fn text(name: &[u8; NAME_SIZE]) -> String {
    let end = name.iter().position(|&b| b == 0).unwrap_or(NAME_SIZE);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes as in the header of every architecture: padding is explicit there. The size is a part of a call's number.
    #[test]
    fn structures_are_the_kernels() {
        assert_eq!(size_of::<RawChipInfo>(), 68);
        assert_eq!(size_of::<RawLineInfo>(), 256);
        assert_eq!(size_of::<RawLineRequest>(), 592);
        assert_eq!(size_of::<RawLineValues>(), 16);
        assert_eq!(EVENT_SIZE, 48);
        assert_eq!(std::mem::offset_of!(RawLineRequest, line_count), 256 + 32 + 272);
        assert_eq!(std::mem::offset_of!(RawEvent, line_seqno), 20);
    }

    #[test]
    fn a_name_ends_with_its_first_zero() {
        let mut name = [b'x'; NAME_SIZE];
        assert_eq!(text(&name).len(), NAME_SIZE);
        name[2] = 0;
        assert_eq!(text(&name), "xx");
        name[0] = 0xff;
        assert_eq!(text(&name), "\u{fffd}x");
    }

    /// What is no chip knows none of the calls.
    #[test]
    fn other_files_refuse() {
        let file = File::open("/dev/null").unwrap();
        let refused = |error: io::Error| assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
        refused(line_count(&file).unwrap_err());
        refused(line_info(&file, 0).map(|info| info.flags).unwrap_err());
        refused(take_line(&file, 0, INPUT, 1).unwrap_err());
        refused(is_high(&file).unwrap_err());
    }
}
