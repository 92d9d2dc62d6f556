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
    /// `6.18`
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
        self.version = version(release);
        self.release = Some(release.to_owned());
        // The build string after `#`: "#1 SMP PREEMPT_RT Debian ..."; older RT kernels wrote "PREEMPT RT".
        let (_, build) = text.rsplit_once('#').unwrap_or_default();
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

fn version(release: &str) -> Option<KernelVersion> {
    let mut parts = release.split(['.', '-', '+']);
    Some(KernelVersion::new(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
