// SPDX-License-Identifier: MIT OR Apache-2.0
//! The serial ports of this machine, and what the system knows about them.
use std::fs;
use std::path::{Path, PathBuf};

use bootline_capture::units::Dur;

/// Stable names of USB adapters (/dev/serial/by-id), then the other ports that have hardware.
pub fn present() -> Vec<PathBuf> {
    present_under(Path::new("/"))
}

fn present_under(root: &Path) -> Vec<PathBuf> {
    let mut named = entries(&root.join("dev/serial/by-id"));
    named.sort();
    let covered: Vec<PathBuf> = named.iter().filter_map(|link| link.canonicalize().ok()).collect();
    let class = root.join("sys/class/tty");
    let mut plain: Vec<PathBuf> = entries(&class)
        .into_iter()
        .filter(|tty| is_real(tty))
        .filter_map(|tty| Some(root.join("dev").join(tty.file_name()?)))
        .filter(|dev| dev.exists() && !covered.iter().any(|c| c == dev))
        .collect();
    plain.sort();
    named.extend(plain);
    named
}

/// Whether a tty has a driver. The 8250 driver registers ports that have no hardware: their type is 0.
fn is_real(tty: &Path) -> bool {
    let kind = fs::read_to_string(tty.join("type")).unwrap_or_default();
    tty.join("device/driver").exists() && kind.trim() != "0"
}

/// A stable name of the device, which remains when it is unplugged and returns under another number.
pub fn lasting_name(device: &Path) -> Option<PathBuf> {
    let device = device.canonicalize().ok()?;
    let mut names = entries(Path::new("/dev/serial/by-id"));
    names.sort();
    names.into_iter().find(|name| name.canonicalize().is_ok_and(|d| d == device))
}

/// How long the driver or the adapter may hold a byte back before the host can read it.
///
/// A 16550's FIFO interrupts four byte times after the last byte at the latest. An FTDI adapter flushes after its
/// latency timer, one millisecond with ASYNC_LOW_LATENCY. The system does not show what other USB adapters do: 16 ms is
/// assumed, the longest default among common chips. A pseudo-terminal holds nothing back.
pub fn hold_time_of(device: &Path, low_latency: bool, byte_time: Dur) -> Dur {
    let Some(name) = device.file_name() else { return Dur::ZERO };
    hold_time_under(&Path::new("/sys/class/tty").join(name), low_latency, byte_time)
}

/// How late the driver may report an edge of a modem control input: a USB adapter sends it with its next packet, when it also
/// hands on the bytes that it holds back; other ports interrupt at once.
pub fn edge_delay_of(device: &Path, low_latency: bool) -> Dur {
    let Some(name) = device.file_name() else { return Dur::ZERO };
    hold_time_under(&Path::new("/sys/class/tty").join(name), low_latency, Dur::ZERO)
}

/// How late the kernel may stamp an edge of a GPIO line: the edge waits until the processor takes the interrupt.
///
/// Mostly that is microseconds. But a processor that sleeps deeply needs up to a millisecond to wake up, and interrupts may be
/// masked for as long: a millisecond is assumed. A chip on a slow bus is stamped only when it was asked which of its lines interrupted, after
/// whatever else the bus transfers; one on USB, with its next packet. 10 ms and 16 ms are assumed for these.
pub(super) fn gpio_delay_of(device: u64) -> Dur {
    gpio_delay_under(&character_device(Path::new("/"), device))
}

/// Whether the system knows that a character device belongs to another subsystem than this one.
pub(super) fn is_of_other_subsystem(device: u64, subsystem: &str) -> bool {
    let known = fs::read_link(character_device(Path::new("/"), device).join("subsystem"));
    known.is_ok_and(|known| known.file_name().is_none_or(|name| name != subsystem))
}

fn character_device(root: &Path, device: u64) -> PathBuf {
    root.join(format!("sys/dev/char/{}:{}", rustix::fs::major(device), rustix::fs::minor(device)))
}

fn gpio_delay_under(chip: &Path) -> Dur {
    /// Buses whose transfers sleep.
    const SLOW: [&str; 6] = ["i2c", "spi", "hid", "serial", "mdio_bus", "w1"];
    let Ok(chip) = chip.canonicalize() else { return Dur::from_millis(16) };
    // A chip on I2C that is on USB is on both.
    let delay_of = |device: &Path| {
        let subsystem = fs::read_link(device.join("subsystem")).ok();
        match subsystem.as_deref().and_then(Path::file_name) {
            Some(name) if starts_usb(name) => Dur::from_millis(16),
            Some(name) if SLOW.iter().any(|slow| name == *slow) => Dur::from_millis(10),
            _ => Dur::from_millis(1),
        }
    };
    chip.ancestors().map(delay_of).max().unwrap_or(Dur::from_millis(16))
}

fn hold_time_under(tty: &Path, low_latency: bool, byte_time: Dur) -> Dur {
    let Ok(driver) = fs::read_link(tty.join("device/driver")) else { return Dur::ZERO };
    let latency_timer = fs::read_to_string(tty.join("device/latency_timer")).ok().and_then(|s| s.trim().parse().ok());
    let on_usb = fs::read_link(tty.join("device/subsystem")).is_ok_and(|s| s.file_name().is_some_and(starts_usb));
    match driver.file_name().and_then(|d| d.to_str()) {
        Some("ftdi_sio") if low_latency => Dur::from_millis(1),
        Some("ftdi_sio") => Dur::from_millis(latency_timer.unwrap_or(16)),
        _ if on_usb => Dur::from_millis(16),
        _ => byte_time * 4,
    }
}

fn starts_usb(subsystem: &std::ffi::OsStr) -> bool {
    subsystem.to_str().is_some_and(|s| s.starts_with("usb"))
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A tty of a made-up /sys and /dev.
    fn tty(root: &Path, name: &str, driver: Option<(&str, &str)>, kind: Option<&str>) {
        let class = root.join("sys/class/tty").join(name);
        fs::create_dir_all(class.join("device")).unwrap();
        fs::create_dir_all(root.join("dev")).unwrap();
        fs::write(root.join("dev").join(name), "").unwrap();
        if let Some((subsystem, driver)) = driver {
            for (link, to) in [("driver", driver), ("subsystem", subsystem)] {
                let target = root.join("sys/bus").join(to);
                fs::create_dir_all(&target).unwrap();
                symlink(target, class.join("device").join(link)).unwrap();
            }
        }
        if let Some(kind) = kind {
            fs::write(class.join("type"), kind).unwrap();
        }
    }

    fn machine() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        tty(root, "tty1", None, None);
        tty(root, "ttyS0", Some(("platform", "serial8250")), Some("4\n"));
        tty(root, "ttyS1", Some(("platform", "serial8250")), Some("0\n"));
        tty(root, "ttyUSB0", Some(("usb-serial", "ftdi_sio")), None);
        tty(root, "ttyUSB1", Some(("usb-serial", "pl2303")), None);
        fs::create_dir_all(root.join("dev/serial/by-id")).unwrap();
        symlink(root.join("dev/ttyUSB0"), root.join("dev/serial/by-id/usb-FTDI_A1-port0")).unwrap();
        dir
    }

    #[test]
    fn ports_with_hardware_are_listed_once_lasting_names_first() {
        let dir = machine();
        let root = dir.path().canonicalize().unwrap();
        let got: Vec<_> =
            present_under(&root).into_iter().map(|p| p.strip_prefix(&root).unwrap().to_path_buf()).collect();
        let want = ["dev/serial/by-id/usb-FTDI_A1-port0", "dev/ttyS0", "dev/ttyUSB1"].map(PathBuf::from);
        assert_eq!(got, want);
    }

    #[test]
    fn what_a_driver_holds_back() {
        let dir = machine();
        let class = dir.path().join("sys/class/tty");
        let byte_time = Dur::from_micros(1042);
        let check = |name: &str, low_latency, expected| {
            assert_eq!(hold_time_under(&class.join(name), low_latency, byte_time), expected, "{name}");
        };
        check("ttyS0", false, byte_time * 4);
        check("ttyUSB0", true, Dur::from_millis(1));
        check("ttyUSB0", false, Dur::from_millis(16));
        fs::write(class.join("ttyUSB0/device/latency_timer"), "4\n").unwrap();
        check("ttyUSB0", false, Dur::from_millis(4));
        check("ttyUSB1", true, Dur::from_millis(16));
        check("pts7", false, Dur::ZERO);
    }

    #[test]
    fn how_late_a_gpio_chip_is_stamped() {
        let dir = tempfile::tempdir().unwrap();
        let check = |path: &[(&str, &str)], expected| {
            let mut device = dir.path().join("sys/devices");
            for (name, subsystem) in path {
                device.push(name);
                let bus = dir.path().join("sys/bus").join(subsystem);
                fs::create_dir_all(&bus).unwrap();
                fs::create_dir_all(&device).unwrap();
                let _ = symlink(bus, device.join("subsystem"));
            }
            assert_eq!(gpio_delay_under(&device), expected, "{path:?}");
        };
        let (platform, chip) = (("soc", "platform"), ("gpiochip0", "gpio"));
        check(&[platform, ("fe200000.gpio", "platform"), chip], Dur::from_millis(1));
        check(&[platform, ("i2c-1", "i2c"), ("1-0020", "i2c"), chip], Dur::from_millis(10));
        let adapter = ("1-2", "usb");
        check(&[("pci0000:00", "pci"), adapter, chip], Dur::from_millis(16));
        check(&[("pci0000:00", "pci"), adapter, ("i2c-5", "i2c"), ("5-0020", "i2c"), chip], Dur::from_millis(16));
        assert_eq!(
            gpio_delay_under(&dir.path().join("none")),
            Dur::from_millis(16),
            "the longest, where nothing is known"
        );
    }
}
