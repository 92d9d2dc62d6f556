// SPDX-License-Identifier: MIT OR Apache-2.0
//! A serial device set up for a capture: locked, raw, at its baud, with as little delay as the driver allows, and
//! restored at the end.
//!
//! DTR and RTS are wired to the reset of many boards. Linux raises both when a port is first opened, which cannot be
//! prevented; it drops them at the last close if HUPCL is set. So HUPCL is cleared, and stays cleared: the next capture
//! then sees no edge. All other settings are restored.
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use bootline_capture::units::{Baud, Dur, Frame, LineRate, Parity};
use rustix::fs::FlockOperation;
use rustix::termios::{self, ControlModes, InputModes, OptionalActions, SpecialCodeIndex, Termios};

use super::inventory;
use super::owner::{self, LockFile};
use super::tty_ioctl::{self, LineErrors};
use super::{FileKind, PortError};

/// How the line is to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSettings {
    /// Any baud that the driver accepts, standard or not.
    pub baud: Baud,
    /// Data bits, parity, stop bits.
    pub frame: Frame,
    /// Level of DTR after opening; `None` leaves it alone.
    pub dtr: Option<bool>,
    /// Level of RTS after opening; `None` leaves it alone.
    pub rts: Option<bool>,
}

/// An open serial device.
#[derive(Debug)]
pub struct SerialPort {
    file: File,
    before: Termios,
    low_latency: Option<bool>,
    errors_before: Option<LineErrors>,
    rate: Option<LineRate>,
    hold_time: Dur,
    edge_delay: Dur,
    _lock: Option<LockFile>,
    other_holders: Vec<owner::Holder>,
}

impl SerialPort {
    /// Opens `device` and sets it up.
    pub fn open(device: &Path, settings: LineSettings) -> Result<SerialPort, PortError> {
        SerialPort::open_with_locks(device, settings, Path::new(owner::LOCK_DIR))
    }

    /// As `open`, with the lock files in `lock_dir`.
    pub(super) fn open_with_locks(
        device: &Path,
        settings: LineSettings,
        lock_dir: &Path,
    ) -> Result<SerialPort, PortError> {
        let real = device.canonicalize().unwrap_or_else(|_| device.to_owned());
        let busy = |holders| PortError::Busy { device: device.to_owned(), holders };
        refuse_what_is_no_tty(device)?;
        let lock = owner::lock_file(lock_dir, &real).map_err(|holder| busy(vec![holder]))?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK)
            .open(device)
            .map_err(|error| open_error(device, error))?;
        if !termios::isatty(&file) {
            return Err(PortError::NotADevice { path: device.to_owned(), what: FileKind::NoTerminal });
        }
        // Some drivers' files can't be locked; TIOCEXCL below still keeps others out.
        let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
        if locked == Err(rustix::io::Errno::WOULDBLOCK) {
            return Err(busy(owner::holders(&real)));
        }
        let setting_error =
            |setting| move |e: io::Error| PortError::Setting { device: device.to_owned(), setting, error: e };
        termios::ioctl_tiocexcl(&file).map_err(|e| setting_error("exclusive use")(e.into()))?;
        let before = termios::tcgetattr(&file).map_err(|e| setting_error("raw mode")(e.into()))?;

        let port = set_up(&file, &before, settings);
        let actual = match port {
            Ok(actual) => actual,
            Err(e) => {
                // Setup failed: restore the port.
                let _ = termios::tcsetattr(&file, OptionalActions::Now, &before);
                return Err(setting_error("raw mode, the frame and the baud")(e));
            }
        };
        let mut port = SerialPort {
            rate: has_wire(&real).then(|| LineRate::of(settings.baud, settings.frame)),
            hold_time: Dur::ZERO,
            edge_delay: Dur::ZERO,
            low_latency: tty_ioctl::set_low_latency(&file, true).ok(),
            errors_before: tty_ioctl::line_errors(&file).ok(),
            other_holders: owner::holders(&real),
            file,
            before,
            _lock: lock,
        };
        let asked = settings.baud.get();
        // A receiver tolerates some 3 % difference between the two ends.
        if actual.abs_diff(asked) > asked / 33 {
            return Err(PortError::BaudRefused { device: device.to_owned(), asked: settings.baud, got: actual });
        }
        let byte_time = port.rate.map_or(Dur::ZERO, |rate| rate.time_for(1).as_dur());
        port.hold_time = inventory::hold_time_of(&real, port.low_latency.is_some(), byte_time);
        port.edge_delay = inventory::edge_delay_of(&real, port.low_latency.is_some());
        for (line, level, setting) in [(libc::TIOCM_DTR, settings.dtr, "DTR"), (libc::TIOCM_RTS, settings.rts, "RTS")] {
            if let Some(on) = level {
                tty_ioctl::set_modem_line(&port.file, line, on).map_err(setting_error(setting))?;
            }
        }
        Ok(port)
    }

    /// Speed in bytes per second; `None` for a pseudo-terminal, which accepts any baud and transmits instantly.
    pub fn rate(&self) -> Option<LineRate> {
        self.rate
    }

    /// How long the driver may hold a byte back.
    pub fn hold_time(&self) -> Dur {
        self.hold_time
    }

    /// How late the driver may report an edge of a modem control input.
    pub fn edge_delay(&self) -> Dur {
        self.edge_delay
    }

    /// Other programs that have it open without having locked it: they take bytes away.
    pub fn other_holders(&self) -> &[owner::Holder] {
        &self.other_holders
    }

    /// Damaged and lost bytes since it was opened; `None` if the driver does not count them.
    pub fn line_errors(&self) -> Option<LineErrors> {
        let now = tty_ioctl::line_errors(&self.file).ok()?;
        Some(now.since(self.errors_before?))
    }
}

impl AsFd for SerialPort {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for SerialPort {
    fn drop(&mut self) {
        // The port may have gone away: then there is nothing to restore.
        if self.low_latency == Some(false) {
            let _ = tty_ioctl::set_low_latency(&self.file, false);
        }
        self.before.control_modes.remove(ControlModes::HUPCL);
        let _ = termios::tcsetattr(&self.file, OptionalActions::Now, &self.before);
        let _ = termios::ioctl_tiocnxcl(&self.file);
        // The close below unlocks it as well, but not before a program that another thread is starting right now has
        // closed its copy of the descriptor.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// Sets raw mode, the frame and the baud; returns the baud that the driver really set.
fn set_up(file: &File, before: &Termios, settings: LineSettings) -> io::Result<u32> {
    let mut raw = before.clone();
    raw.make_raw();
    raw.input_modes.remove(InputModes::IXOFF | InputModes::IXANY | InputModes::INPCK | InputModes::IMAXBEL);
    let control = &mut raw.control_modes;
    control.insert(ControlModes::CREAD | ControlModes::CLOCAL);
    control.remove(ControlModes::HUPCL | ControlModes::CRTSCTS | ControlModes::CSIZE);
    control.remove(ControlModes::PARENB | ControlModes::PARODD | ControlModes::CSTOPB | ControlModes::CMSPAR);
    let Frame { data_bits, parity, stop_bits } = settings.frame;
    control.insert(match data_bits {
        5 => ControlModes::CS5,
        6 => ControlModes::CS6,
        7 => ControlModes::CS7,
        _ => ControlModes::CS8,
    });
    control.insert(match parity {
        Parity::None => ControlModes::empty(),
        Parity::Even => ControlModes::PARENB,
        Parity::Odd => ControlModes::PARENB | ControlModes::PARODD,
    });
    control.set(ControlModes::CSTOPB, stop_bits == 2);
    raw.special_codes[SpecialCodeIndex::VMIN] = 1;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    raw.set_speed(settings.baud.get())?;
    termios::tcsetattr(file, OptionalActions::Now, &raw)?;
    Ok(termios::tcgetattr(file)?.input_speed())
}

/// Whether the device has a serial line: a pseudo-terminal has none (major numbers 136 to 143).
fn has_wire(device: &Path) -> bool {
    fs::metadata(device).is_ok_and(|m| !(136..=143).contains(&rustix::fs::major(m.rdev())))
}

fn refuse_what_is_no_tty(device: &Path) -> Result<(), PortError> {
    let kind = fs::metadata(device).map_err(|error| open_error(device, error))?.file_type();
    let what = if kind.is_char_device() {
        return Ok(());
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_fifo() {
        FileKind::NamedPipe
    } else if kind.is_socket() {
        FileKind::Socket
    } else if kind.is_block_device() {
        FileKind::BlockDevice
    } else {
        FileKind::Regular
    };
    Err(PortError::NotADevice { path: device.to_owned(), what })
}

fn open_error(device: &Path, error: io::Error) -> PortError {
    let device = device.to_owned();
    match error.raw_os_error() {
        // ENXIO and EIO: a ttyS without hardware, a pseudo-terminal without its other end.
        Some(libc::ENOENT | libc::ENODEV | libc::ENXIO | libc::EIO) => {
            PortError::NoSuchDevice { device, present: inventory::present() }
        }
        Some(libc::EACCES | libc::EPERM) => PortError::NotPermitted { group: group_of(&device), device },
        Some(libc::EBUSY) => {
            let real: PathBuf = device.canonicalize().unwrap_or_else(|_| device.clone());
            PortError::Busy { device, holders: owner::holders(&real) }
        }
        _ => PortError::Open { device, error },
    }
}

/// The group of a device, if it has a name.
pub(super) fn group_of(device: &Path) -> Option<String> {
    fs::metadata(device).ok().and_then(|m| group_name(m.gid(), Path::new("/etc/group")))
}

fn group_name(gid: u32, groups: &Path) -> Option<String> {
    let text = fs::read_to_string(groups).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(gid)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use bootline_capture::units::Baud;
    use rustix::pty::OpenptFlags;

    use super::*;

    const SETTINGS: fn(u32) -> LineSettings =
        |baud| LineSettings { baud: Baud::new(baud).unwrap(), frame: Frame::default(), dtr: None, rts: None };

    /// A pseudo-terminal's two ends: the master, and the name of the other.
    fn pty() -> (std::os::fd::OwnedFd, PathBuf) {
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        rustix::pty::unlockpt(&master).unwrap();
        let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
        (master, PathBuf::from(name.to_str().unwrap()))
    }

    fn open(device: &Path, settings: LineSettings) -> Result<(SerialPort, tempfile::TempDir), PortError> {
        let locks = tempfile::tempdir().unwrap();
        SerialPort::open_with_locks(device, settings, locks.path()).map(|port| (port, locks))
    }

    #[test]
    fn any_baud_and_frame_is_set_and_everything_is_restored() {
        let (_master, device) = pty();
        let other = OpenOptions::new().read(true).custom_flags(libc::O_NOCTTY).open(&device).unwrap();
        let before = termios::tcgetattr(&other).unwrap();
        for (baud, frame) in [(9600, "8n1"), (250_000, "7e1"), (74_880, "8o2"), (3_000_000, "5n1")] {
            let settings = LineSettings { frame: frame.parse().unwrap(), ..SETTINGS(baud) };
            let (port, _locks) = open(&device, settings).unwrap();
            let set = termios::tcgetattr(&other).unwrap();
            assert_eq!((set.input_speed(), set.output_speed()), (baud, baud));
            assert!(!set.local_modes.intersects(termios::LocalModes::ICANON | termios::LocalModes::ECHO));
            assert!(!set.control_modes.contains(ControlModes::HUPCL));
            assert_eq!(port.rate(), None, "a pseudo-terminal has no line");
            drop(port);
            let after = termios::tcgetattr(&other).unwrap();
            assert_eq!(after.local_modes, before.local_modes);
            assert_eq!(after.input_modes, before.input_modes);
            assert_eq!(after.control_modes | ControlModes::HUPCL, before.control_modes | ControlModes::HUPCL);
            assert_eq!(after.input_speed(), before.input_speed());
        }
    }

    #[test]
    fn the_second_opener_is_told_who_holds_the_port() {
        let (_master, device) = pty();
        let (first, _locks) = open(&device, SETTINGS(9600)).unwrap();
        let Err(PortError::Busy { device: named, holders }) = open(&device, SETTINGS(9600)) else {
            panic!("opened twice")
        };
        // The holder is this very process, which doesn't name itself. (What another test is starting right now may.)
        assert!(named == device && holders.iter().all(|h| h.pid != std::process::id()), "{holders:?}");
        let error = PortError::Busy { device: named, holders: vec![] };
        assert_eq!(error.to_string(), format!("`{}` is in use", device.display()));
        drop(first);
        open(&device, SETTINGS(9600)).unwrap();

        let locks = tempfile::tempdir().unwrap();
        let lock = locks.path().join(format!("LCK..{}", device.file_name().unwrap().to_str().unwrap()));
        fs::write(&lock, "         1\n").unwrap();
        let error = SerialPort::open_with_locks(&device, SETTINGS(9600), locks.path()).unwrap_err();
        let name = fs::read_to_string("/proc/1/comm").unwrap();
        assert_eq!(error.to_string(), format!("`{}` is in use by `{}` (pid 1)", device.display(), name.trim_end()));
        assert_eq!(error.hint().unwrap(), "stop it first: kill 1");
    }

    #[test]
    fn another_program_without_a_lock_is_seen() {
        let (_master, device) = pty();
        let terminal = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(&device).unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").stdin(terminal).spawn().unwrap();
        let other_holders = open(&device, SETTINGS(9600)).unwrap().0.other_holders().to_vec();
        child.kill().unwrap();
        child.wait().unwrap();
        // Also there, for a moment: what another test is starting right now.
        assert!(other_holders.iter().any(|h| h.pid == child.id()), "{other_holders:?}");
    }

    #[track_caller]
    fn refuse(device: &Path, text: &str, hint: Option<&str>) {
        let error = open(device, SETTINGS(9600)).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
        if let Some(hint) = hint {
            assert_eq!(error.hint().as_deref(), Some(hint));
        }
    }

    #[test]
    fn what_is_no_serial_device_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("boot.log");
        fs::write(&file, "").unwrap();
        let hint = format!("bootline explain {}", file.display());
        refuse(&file, &format!("`{}` is a file, not a serial device", file.display()), Some(&hint));
        refuse(dir.path(), &format!("`{}` is a folder, not a serial device", dir.path().display()), None);
        refuse(Path::new("/dev/null"), "`/dev/null` is a device other than a terminal, not a serial device", None);
        refuse(Path::new("/dev/ttyNONE0"), "no such serial device `/dev/ttyNONE0`; th", None);
    }

    #[test]
    fn a_port_without_hardware_is_no_device() {
        // Opening a ttyS that has no UART, or a pseudo-terminal whose other end has gone, says EIO.
        for code in [libc::EIO, libc::ENXIO, libc::ENODEV] {
            let error = open_error(Path::new("/dev/ttyS9"), io::Error::from_raw_os_error(code));
            assert!(matches!(error, PortError::NoSuchDevice { .. }), "{error}");
        }
    }

    #[test]
    fn no_permission_names_the_group_and_how_to_join_it() {
        let groups = tempfile::NamedTempFile::new().unwrap();
        fs::write(groups.path(), "root:x:0:\ndialout:x:20:me\n").unwrap();
        assert_eq!(group_name(20, groups.path()).as_deref(), Some("dialout"));
        assert_eq!(group_name(21, groups.path()), None);
        let error = PortError::NotPermitted { device: "/dev/ttyUSB0".into(), group: Some("dialout".into()) };
        assert_eq!(error.to_string(), "no permission to open `/dev/ttyUSB0` (its group is `dialout`)");
        assert_eq!(error.hint().unwrap(), "sudo usermod -aG dialout $USER, then log in again");
    }
}
