// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the log shows of an initramfs: whether there is one, and when it hands over to the init of the root file system.
use super::alignment::AT_ONCE;
use super::init_executed::{ExecutedBy, InitExecuted};
use crate::boot::Boot;
use crate::end::is_init_banner;
use crate::milestone::program_run_as_init;
use crate::service::FASTINIT;
use bootline_capture::units::Dur;
use bootline_records::source::ManagerState;
use bootline_records::{Record, RecordId, RecordOrigin};

/// When the root file system's init was executed: by fastinit's own record, which says how long ago it began, else by the kernel's. That one
/// names no program: after a fastinit it may be the execution of what fastinit becomes. None where no record shows it, or the one that does
/// fits neither the kernel's end nor systemd's own start.
pub(super) fn init_executed(
    boot: &Boot,
    manager: Option<&ManagerState>,
    manager_start: Option<Dur>,
) -> Option<InitExecuted> {
    let kernel_end = boot.timeline.stored(boot.milestones.kernel_end()?)?;
    let has_initramfs = exists(boot, manager);
    // Of an initramfs, what is executed with the kernel's end is its own init.
    let earliest = if has_initramfs { kernel_end + AT_ONCE } else { kernel_end - AT_ONCE };
    // An initramfs may have its own, which begins earlier.
    let mut fastinits = after_kernel(boot).filter_map(|(_, at, r)| {
        Some(InitExecuted { at: at - since_fastinit(r.text)?, record: r.id, by: ExecutedBy::Fastinit })
    });
    let by_kernel = || {
        let (at, record) = if has_initramfs {
            // Otherwise the program that it names is executed by another one, later.
            let is_default = boot.kernel.command_line.values("init").all(|init| init == SBIN_INIT);
            let is_it = |r: &Record<'_>| is_default && r.source == RecordOrigin::Kernel && is_trigger(r.text);
            let (_, at, record) = first_after_kernel(boot, is_it)?;
            // What follows the words of a fastinit that is not the initramfs's is the execution of what it becomes.
            let mut said = after_kernel(boot)
                .take_while(|(.., r)| r.id != record)
                .filter(|(.., r)| r.text.starts_with(FASTINIT))
                .peekable();
            let is_own = |(_, at, r): (usize, Dur, Record<'_>)| {
                since_fastinit(r.text).is_some_and(|since| at - since <= earliest)
            };
            if said.peek().is_some() && !said.any(is_own) {
                return None;
            }
            (at, record)
        } else {
            let r = boot.records.get(boot.milestones.init?).filter(|r| runs_systemd(r.text))?;
            (kernel_end, r.id)
        };
        Some(InitExecuted { at, record, by: ExecutedBy::Kernel })
    };
    // Much later, it is somebody else who executes the same program.
    let latest = manager_start.or_else(|| hand_over(boot).map(|(at, _)| at)).map(|at| at + AT_ONCE);
    let fits = |init: &InitExecuted| init.at > earliest && latest.is_none_or(|latest| init.at <= latest);
    fastinits.find(fits).or_else(|| by_kernel().filter(fits))
}

/// How long ago fastinit (init/fastinit of this repository) began: `fastinit: process 1 goes on after 0.024535 s`, `fastinit: camera:
/// started after 0.004312 s, process 87`.
fn since_fastinit(text: &str) -> Option<Dur> {
    let said = text.strip_prefix(FASTINIT)?;
    let after = [" goes on after ", ": starting after ", ": started after ", ": ready after "];
    let (_, rest) = after.into_iter().find_map(|words| said.split_once(words))?;
    let seconds: f64 = rest.split_once(" s")?.0.parse().ok()?;
    (0.0..3_600.0).contains(&seconds).then(|| Dur::from_secs_f64(seconds))
}

const SBIN_INIT: &str = "/sbin/init";

/// TOMOYO's answer to the execution of its trigger, which is /sbin/init by default; in distributions' kernels it is built in and has no
/// policy. tomoyo_load_policy() in security/tomoyo/load_policy.c: the first form since 3.1, the second one from 2.6.30 on, the third one
/// where there is a policy.
fn is_trigger(text: &str) -> bool {
    text.starts_with("Not activating Mandatory Access Control as ")
        || text.starts_with("Not activating Mandatory Access Control now since ")
        || text.starts_with("Calling ") && text.trim_end().ends_with(" to load policy. Please wait.")
}

/// `Run /sbin/init as init process`: most likely systemd, or a link to it; without a source of systemd nothing depends on that.
fn runs_systemd(text: &str) -> bool {
    ["/sbin/init ", "systemd "].iter().any(|path| text.contains(path))
}

/// Whether init is the initramfs's: the kernel names it, systemd says so, or, of a kernel that names none, a line that only an initramfs
/// prints.
pub(super) fn exists(boot: &Boot, manager: Option<&ManagerState>) -> bool {
    let last = boot.milestones.kernel_end().and_then(|i| boot.records.get(i));
    let named = last.and_then(|r| program_run_as_init(r.text));
    let of_ramdisk = |path: &str| path == "/init" || boot.kernel.command_line.values("rdinit").any(|init| init == path);
    let says_so = || first_after_kernel(boot, |r| hands_over(r.text)).is_some();
    manager.is_some_and(|m| m.initrd.is_some()) || named.map_or_else(says_so, of_ramdisk)
}

/// systemd starts this soon after the initramfs's last word; a later banner is of a daemon that was executed again.
const SOON: Dur = Dur::from_secs(10);

/// Where the log shows the hand-over: systemd's first words in the root file system, or the initramfs's last ones.
pub(super) fn hand_over(boot: &Boot) -> Option<(Dur, RecordId)> {
    let banner = |from: usize| {
        (from..boot.records.len()).find_map(|i| {
            let r = boot.records.get(i).filter(is_init_banner)?;
            Some((i, boot.timeline.stored(i)?, r.id))
        })
    };
    let place = |(_, at, record): (usize, Dur, RecordId)| (at, record);
    if let Some(last) = first_after_kernel(boot, |r| hands_over(r.text)) {
        return banner(last.0).filter(|(_, at, _)| *at <= last.1 + SOON).or(Some(last)).map(place);
    }
    let found = banner(boot.milestones.kernel_end()? + 1)?;
    let of_initramfs = first_after_kernel(boot, |r| r.text.starts_with("systemd[1]: Running in init"));
    match of_initramfs.filter(|(i, ..)| *i > found.0) {
        Some((i, ..)) => banner(i).map(place),
        None => Some(place(found)),
    }
}

/// The records after the kernel's last one, each with its position and when it was stored.
fn after_kernel(boot: &Boot) -> impl Iterator<Item = (usize, Dur, Record<'_>)> {
    let first = boot.milestones.kernel_end().map_or(boot.records.len(), |end| end + 1);
    (first..boot.records.len()).filter_map(|i| Some((i, boot.timeline.stored(i)?, boot.records.get(i)?)))
}

/// Position, time and id of the first record after the kernel's last one that is such a one.
fn first_after_kernel(boot: &Boot, is: impl Fn(&Record<'_>) -> bool) -> Option<(usize, Dur, RecordId)> {
    after_kernel(boot).find(|(.., r)| is(r)).map(|(i, at, r)| (i, at, r.id))
}

/// What an initramfs says last: dracut's and mkinitcpio's systemd, initramfs-tools, and its busybox.
fn hands_over(text: &str) -> bool {
    const WORDS: [&str; 4] = [
        "systemd[1]: Switching root",
        "dracut: Switching root",
        "Begin: Running /scripts/init-bottom",
        "Switching to new root",
    ];
    WORDS.iter().any(|words| text.starts_with(words))
}
