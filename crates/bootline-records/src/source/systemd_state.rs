// SPDX-License-Identifier: MIT OR Apache-2.0
//! What systemd knows of a boot: its own times, and the last activation of each unit.
use bootline_capture::units::{Dur, MonotonicTime};

/// What a source shows of systemd.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemdState {
    /// The manager's own properties, if the source has them.
    pub manager: Option<ManagerState>,
    /// The units, in the source's order.
    pub units: Vec<UnitState>,
    /// Whether the source shows dependencies.
    pub has_dependencies: bool,
}

/// The manager's times. A stamp of zero is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManagerState {
    /// `257.9-1~deb13u1`
    pub version: Option<String>,
    /// From the firmware's start to the kernel's, where the boot loader or ACPI reported it.
    pub firmware_before_kernel: Option<Dur>,
    /// From the boot loader's start to the kernel's.
    pub loader_before_kernel: Option<Dur>,
    /// When systemd started in the initramfs; none where it did not run there.
    pub initrd: Option<MonotonicTime>,
    /// When systemd started in the root file system.
    pub user_space: Option<MonotonicTime>,
    /// When the first transaction was complete.
    pub finish: Option<MonotonicTime>,
    /// When generators started and ended.
    pub generators: Option<(MonotonicTime, MonotonicTime)>,
    /// When loading the units started and ended.
    pub units_load: Option<(MonotonicTime, MonotonicTime)>,
    /// When the last soft reboot began: the times above it are then of an earlier boot.
    pub soft_reboot: Option<MonotonicTime>,
}

/// One unit. The stamps are those of its LAST activation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitState {
    /// `ssh.service`
    pub name: String,
    /// `OpenBSD Secure Shell server`
    pub description: Option<String>,
    /// When it left the inactive state.
    pub activating: Option<MonotonicTime>,
    /// When it became active.
    pub active: Option<MonotonicTime>,
    /// When it left the active state.
    pub deactivating: Option<MonotonicTime>,
    /// When it became inactive.
    pub inactive: Option<MonotonicTime>,
    /// Time that it took to start, where the source shows no more (`systemd-analyze blame`).
    pub took: Option<Dur>,
    /// When it started or became active, since systemd's own start (`systemd-analyze critical-chain`).
    pub since_user_space: Option<Dur>,
    /// What it pulls in and can't do without: Requires=, Requisite=, BindsTo=.
    pub requires: Vec<String>,
    /// What it pulls in.
    pub wants: Vec<String>,
    /// What is to be up before it, if it is started at all.
    pub after: Vec<String>,
    /// Sockets, timers, paths that start it.
    pub triggered_by: Vec<String>,
    /// Processor time that its processes used since its start, up to when the source was taken.
    pub cpu: Option<Dur>,
    /// Bytes that its processes read from disks, up to when the source was taken (IOAccounting=yes).
    pub bytes_read: Option<u64>,
    /// When its main process was forked.
    pub main_start: Option<MonotonicTime>,
    /// When that process, once set up, was about to execute its program (systemd 256 and later).
    pub main_handoff: Option<MonotonicTime>,
    /// When its main process ended.
    pub main_exit: Option<MonotonicTime>,
    /// How often it was restarted.
    pub restarts: u32,
    /// `oneshot`, `simple`, `notify`, ...
    pub service_type: Option<String>,
    /// `success`, `timeout`, ...
    pub result: Option<String>,
    /// Whether what it writes goes to the console, too.
    pub writes_to_console: bool,
}

impl UnitState {
    /// When its activation ended: it was active, or, for a job that ends, inactive again.
    pub fn up(&self) -> Option<MonotonicTime> {
        let since = self.activating?;
        let after = |t: Option<MonotonicTime>| t.filter(|t| *t >= since);
        after(self.active).or_else(|| after(self.inactive))
    }
}

/// The sums of `systemd-analyze time`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartupTimes {
    /// Firmware.
    pub firmware: Option<Dur>,
    /// Boot loader.
    pub loader: Option<Dur>,
    /// From the kernel clock's zero to systemd's start, an initramfs without systemd included.
    pub kernel: Option<Dur>,
    /// From systemd's start in the initramfs to its start in the root file system.
    pub initrd: Option<Dur>,
    /// From there to the end of the first transaction.
    pub user_space: Option<Dur>,
}

/// Maximum number of units: more than any system has, because a file may be hostile.
pub(super) const MOST_UNITS: usize = 20_000;
/// Maximum number of names in one list of dependencies.
pub(super) const MOST_NAMES: usize = 4_000;
/// Maximum number of names in all lists of all units: a system of 3000 units has some 100 000.
pub(super) const MOST_DEPENDENCIES: usize = 500_000;

/// The kinds of units: what their names end in, after a dot.
pub const UNIT_KINDS: [&str; 11] =
    ["service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice", "scope"];

/// Whether a word is the name of a unit: its characters and its suffix (unit_name_is_valid() of systemd).
pub fn is_unit_name(word: &str) -> bool {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || b":-_.\\@".contains(&c);
    word.len() <= 256
        && word.bytes().all(is_name)
        && word.rsplit_once('.').is_some_and(|(name, suffix)| !name.is_empty() && UNIT_KINDS.contains(&suffix))
}
