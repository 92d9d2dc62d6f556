// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which kernel booted: its banner and its command line.

use super::cmdline::CommandLine;
use bootline_console::KernelVersion;
use bootline_records::{RecordId, RecordOrigin, RecordSet};

/// What the log shows about the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// `6.18.15+deb14-rt-amd64`, from "Linux version".
    pub release: Option<String>,
    /// The banner's record.
    pub banner: Option<RecordId>,
    /// `6.18.15`; `6.18` where the stable release is not in the banner.
    pub version: Option<KernelVersion>,
    /// PREEMPT_RT.
    pub rt: bool,
    /// SMP kernel.
    pub smp: bool,
    /// Whether the banner shows how the kernel was built: a pager or a mail program may have cut it off.
    has_build: bool,
    /// Number of CPUs brought up, if the log shows it.
    pub cpus: Option<u32>,
    /// The command line.
    pub command_line: CommandLine,
    /// The command line's record.
    pub command_line_record: Option<RecordId>,
}

/// Whether a record's text is a kernel's banner.
pub(super) fn is_banner(text: &str) -> bool {
    text.starts_with("Linux version ")
}

impl Kernel {
    pub(super) fn read(records: &RecordSet) -> Kernel {
        let mut kernel = Kernel::default();
        for r in records.iter().filter(|r| r.source == RecordOrigin::Kernel) {
            if kernel.banner.is_none() && is_banner(r.text) {
                kernel.read_banner(r.text);
                kernel.banner = Some(r.id);
            } else if let Some(line) = command_line(r.text) {
                // x86 prints it twice; the later one ("Kernel command line") includes what the kernel's own config adds.
                kernel.command_line = CommandLine::parse(line);
                kernel.command_line_record = Some(r.id);
            } else if let Some(n) = brought_up(r.text) {
                kernel.cpus = Some(n);
            }
            if kernel.cpus.is_some() && kernel.command_line_record.is_some() {
                break;
            }
        }
        if kernel.has_build && !kernel.smp {
            kernel.cpus = Some(1);
        }
        kernel
    }

    /// Whether a console that registers prints what was stored before, and only then says that it is enabled: up to 6.1,
    /// register_console() (kernel/printk/printk.c) flushes with console_unlock(). From 6.2 on it says so first.
    pub fn flushes_before_enabled(&self) -> bool {
        self.version.is_some_and(|v| v < KernelVersion::new(6, 2))
    }

    fn read_banner(&mut self, text: &str) {
        let release = text["Linux version ".len()..].split([' ', '(']).next().unwrap_or_default();
        self.release = Some(release.to_owned());
        // The build string after `#`: "#1 SMP PREEMPT_RT Debian ..."; older RT kernels wrote "PREEMPT RT".
        let (_, build) = text.rsplit_once('#').unwrap_or_default();
        self.version = version(release, build);
        self.has_build = build.trim_end().contains(' ');
        self.rt = build.contains("PREEMPT_RT") || build.contains("PREEMPT RT");
        self.smp = build.contains(" SMP");
    }
}

fn command_line(text: &str) -> Option<&str> {
    text.strip_prefix("Kernel command line:").or_else(|| text.strip_prefix("Command line:")).map(str::trim)
}

/// `smp: Brought up 1 node, 2 CPUs`; arm64 and x86 alike.
fn brought_up(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let rest = text.strip_prefix("smp: ").unwrap_or(text).strip_prefix("Brought up ")?;
    rest.split(", ")
        .find_map(|part| part.strip_suffix(" CPUs").or_else(|| part.strip_suffix(" CPU")))?
        .trim()
        .parse()
        .ok()
}

/// A distribution that keeps its modules' ABI through stable updates numbers the ABI, after a `.0` that says nothing:
/// `6.1.0-49-amd64`, `5.15.0-91-generic`. Debian's build string has the release: "#1 SMP Debian 6.1.176-1 (2026-07-02)".
fn version(release: &str, build: &str) -> Option<KernelVersion> {
    let number = |text: &str| text.parse::<u16>().ok();
    let mut parts = release.split(['.', '-', '+']);
    let series = KernelVersion::new(number(parts.next()?)?, number(parts.next()?)?);
    let stable = parts.next().and_then(number);
    let numbers_abi = stable == Some(0) && parts.next().and_then(number).is_some();
    let stable = if numbers_abi { debian_stable(series, build) } else { stable };
    Some(stable.map_or(series, |stable| series.with_stable(stable)))
}

fn debian_stable(series: KernelVersion, build: &str) -> Option<u16> {
    let (_, package) = build.split_once("Debian ")?;
    let numbers = package.strip_prefix(&format!("{series}."))?;
    numbers.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stable_release_is_read_where_the_banner_has_it() {
        let check = |banner: &str, want: Option<&str>| {
            let mut kernel = Kernel::default();
            kernel.read_banner(&format!("Linux version {banner}"));
            assert_eq!(kernel.version.map(|v| v.to_string()).as_deref(), want, "{banner}");
        };
        check("7.2.13 (me@host) (gcc 15) #1 SMP PREEMPT Sat Nov 7 2026", Some("7.2.13"));
        check(
            "6.12.107+deb13-amd64 (debian-kernel@lists.debian.org) #1 SMP Debian 6.12.107-1 (2026-10-01)",
            Some("6.12.107"),
        );
        check(
            "6.1.0-49-amd64 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-07-02)",
            Some("6.1.176"),
        );
        check("6.1.0-49-amd64 (debian-kernel@lists.debian.org) #1 SMP Debian 5.10.1-1 (2026-07-02)", Some("6.1"));
        check("5.15.0-91-generic (buildd@lcy02) (gcc) #101-Ubuntu SMP Tue Nov 14 13:30:08 UTC 2023", Some("5.15"));
        check("7.2.0-rc3+ (me@host) #4 SMP", Some("7.2.0"));
        check("7.2-rc3 (me@host) #4 SMP", Some("7.2"));
        check("2.6.32.5-axis (me@host) #4 PREEMPT", Some("2.6.32"));
        check("3.18.31-perf-g1234567 (me@host) #1 SMP PREEMPT", Some("3.18.31"));
        check("4.4.0+ (me@host) #1", Some("4.4.0"));
        check("mainline (me@host) #1", None);
    }
}
