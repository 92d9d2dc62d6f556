// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ioctls of a serial tty that rustix does not wrap: modem control lines, driver flags, counters.
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use super::ModemInput;
use super::edge_tracker::{InputCounts, InputLevels};
use libc::{c_char, c_int, c_uchar, c_uint, c_ulong, c_ushort};

/// The driver hands each byte on at once; `ASYNC_LOW_LATENCY` in include/uapi/linux/tty_flags.h.
const ASYNC_LOW_LATENCY: c_int = 1 << 13;

/// `struct serial_struct` of include/uapi/linux/serial.h.
#[repr(C)]
struct SerialStruct {
    kind: c_int,
    line: c_int,
    port: c_uint,
    irq: c_int,
    flags: c_int,
    xmit_fifo_size: c_int,
    custom_divisor: c_int,
    baud_base: c_int,
    close_delay: c_ushort,
    io_type: c_char,
    reserved_char: c_char,
    hub6: c_int,
    closing_wait: c_ushort,
    closing_wait2: c_ushort,
    iomem_base: *mut c_uchar,
    iomem_reg_shift: c_ushort,
    port_high: c_uint,
    iomap_base: c_ulong,
}

/// `struct serial_icounter_struct` of include/uapi/linux/serial.h.
#[repr(C)]
struct SerialCounters {
    cts: c_int,
    dsr: c_int,
    rng: c_int,
    dcd: c_int,
    rx: c_int,
    tx: c_int,
    frame: c_int,
    overrun: c_int,
    parity: c_int,
    brk: c_int,
    buf_overrun: c_int,
    reserved: [c_int; 9],
}

/// Bytes that the receiver counted as damaged or lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineErrors {
    /// Bytes with a wrong stop bit: a wrong baud, or noise.
    pub frame: u32,
    /// Bytes with a wrong parity bit.
    pub parity: u32,
    /// Times the receiver's FIFO overran: bytes are lost.
    pub overrun: u32,
    /// Times the kernel's buffer overran: bytes are lost.
    pub buffer_overrun: u32,
}

impl LineErrors {
    /// Those since `earlier`.
    pub fn since(self, earlier: LineErrors) -> LineErrors {
        LineErrors {
            frame: self.frame.wrapping_sub(earlier.frame),
            parity: self.parity.wrapping_sub(earlier.parity),
            overrun: self.overrun.wrapping_sub(earlier.overrun),
            buffer_overrun: self.buffer_overrun.wrapping_sub(earlier.buffer_overrun),
        }
    }

    /// Whether there were none.
    pub fn is_clean(self) -> bool {
        self == LineErrors::default()
    }
}

impl std::ops::Add for LineErrors {
    type Output = LineErrors;
    fn add(self, o: LineErrors) -> LineErrors {
        LineErrors {
            frame: self.frame.wrapping_add(o.frame),
            parity: self.parity.wrapping_add(o.parity),
            overrun: self.overrun.wrapping_add(o.overrun),
            buffer_overrun: self.buffer_overrun.wrapping_add(o.buffer_overrun),
        }
    }
}

impl std::fmt::Display for LineErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LineErrors { frame, parity, overrun, buffer_overrun } = self;
        write!(f, "{frame} framing errors, {parity} parity errors, {overrun} FIFO overruns, ")?;
        write!(f, "{buffer_overrun} buffer overruns")
    }
}

/// Turns low latency on or off; says how it was before. An error where the driver has no such flag.
pub fn set_low_latency(tty: impl AsFd, on: bool) -> io::Result<bool> {
    let fd = tty.as_fd().as_raw_fd();
    // SAFETY: the struct is plain integers and a pointer the kernel only copies; all zeroes are a valid value, and the
    // two ioctls read and write exactly this struct.
    unsafe {
        let mut serial: SerialStruct = std::mem::zeroed();
        check(libc::ioctl(fd, libc::TIOCGSERIAL, &mut serial))?;
        let was = serial.flags & ASYNC_LOW_LATENCY != 0;
        if was != on {
            serial.flags ^= ASYNC_LOW_LATENCY;
            check(libc::ioctl(fd, libc::TIOCSSERIAL, &serial))?;
        }
        Ok(was)
    }
}

/// The receiver's error counters since the driver was loaded. An error where the driver keeps none.
pub fn line_errors(tty: impl AsFd) -> io::Result<LineErrors> {
    let counters = counters(tty)?;
    Ok(LineErrors {
        frame: counters.frame as u32,
        parity: counters.parity as u32,
        overrun: counters.overrun as u32,
        buffer_overrun: counters.buf_overrun as u32,
    })
}

/// Sets one modem line, `libc::TIOCM_DTR` or `libc::TIOCM_RTS`.
pub fn set_modem_line(tty: impl AsFd, line: c_int, on: bool) -> io::Result<()> {
    let request = if on { libc::TIOCMBIS } else { libc::TIOCMBIC };
    // SAFETY: the ioctl reads one int.
    check(unsafe { libc::ioctl(tty.as_fd().as_raw_fd(), request, &line) })
}

/// The levels of the modem control inputs. `ENOTTY` where the driver has none: a pseudo-terminal.
pub fn input_levels(tty: impl AsFd) -> io::Result<InputLevels> {
    let mut bits: c_int = 0;
    // SAFETY: the ioctl writes one int.
    check(unsafe { libc::ioctl(tty.as_fd().as_raw_fd(), libc::TIOCMGET, &mut bits) })?;
    Ok(InputLevels(ModemInput::ALL.map(|input| bits & bit(input) != 0)))
}

/// The edges of the modem control inputs that the driver has counted. An error where it counts none.
pub fn input_counts(tty: impl AsFd) -> io::Result<InputCounts> {
    let counters = counters(tty)?;
    let count = |input| match input {
        ModemInput::Cts => counters.cts,
        ModemInput::Dsr => counters.dsr,
        ModemInput::Dcd => counters.dcd,
        ModemInput::Ri => counters.rng,
    };
    Ok(InputCounts(ModemInput::ALL.map(|input| count(input) as u32)))
}

/// Waits for an edge of one of these inputs; `EINTR` after a signal. Nothing ends it otherwise.
pub fn wait_for_edge(tty: impl AsFd, inputs: &[ModemInput]) -> io::Result<()> {
    let bits = inputs.iter().fold(0, |bits, input| bits | bit(*input));
    // SAFETY: the ioctl takes the bits as its argument and writes nothing.
    check(unsafe { libc::ioctl(tty.as_fd().as_raw_fd(), libc::TIOCMIWAIT, libc::c_ulong::try_from(bits).unwrap_or(0)) })
}

fn bit(input: ModemInput) -> c_int {
    match input {
        ModemInput::Cts => libc::TIOCM_CTS,
        ModemInput::Dsr => libc::TIOCM_DSR,
        ModemInput::Dcd => libc::TIOCM_CAR,
        ModemInput::Ri => libc::TIOCM_RNG,
    }
}

fn counters(tty: impl AsFd) -> io::Result<SerialCounters> {
    // SAFETY: plain integers; the ioctl fills exactly this struct.
    unsafe {
        let mut counters: SerialCounters = std::mem::zeroed();
        check(libc::ioctl(tty.as_fd().as_raw_fd(), libc::TIOCGICOUNT, &mut counters))?;
        Ok(counters)
    }
}

fn check(status: c_int) -> io::Result<()> {
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
