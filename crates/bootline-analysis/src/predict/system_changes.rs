// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a change to a boot takes on the system that boots.
use super::change::Change;
use super::module::REPLAY_LOGLEVEL;
use super::setting::Setting;
use crate::remedy::{KernelVersions, Parameter, SystemChange};
use bootline_boot::{Boot, SerialLine};
use bootline_console::{Driver, DriverBehaviour, KernelVersion, Printing};

/// The first version of the kernel whose legacy printer thread gives up the console lock after each record.
const THREAD_PER_RECORD_SINCE: KernelVersion = KernelVersion::new(6, 19);

/// All that has to be changed on the system for a change to its boot; nothing for what is so already.
pub fn system_changes(boot: &Boot, change: &Change) -> Vec<SystemChange> {
    let mut needs: Vec<SystemChange> = Vec::new();
    for need in change.settings().flat_map(|setting| of_setting(boot, setting)) {
        // `quiet` is a setting of its own, and what a replay begins with.
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    needs
}

/// A PREEMPT_RT kernel, whose printer kthread prints: of this version or a later one, where it is known.
pub fn kernel_with_kthread(since: Option<KernelVersion>) -> Vec<SystemChange> {
    let version = since.map(|v| SystemChange::Kernel(KernelVersions::From(v)));
    version.into_iter().chain([preempt_rt()]).collect()
}

/// These words of the command line taken off it, as they stand there.
pub fn remove_parameters(boot: &Boot, is_one: impl Fn(&str) -> bool) -> Vec<SystemChange> {
    boot.kernel.command_line.words().filter(|word| is_one(word)).map(SystemChange::without).collect()
}

fn of_setting(boot: &Boot, setting: Setting) -> Vec<SystemChange> {
    let line = boot.line.as_ref();
    let name = line.map_or("ttyS0", |l| l.console.name.as_str());
    match setting {
        Setting::Baud(baud) => {
            let frame = line.map(frame_suffix).unwrap_or_default();
            vec![
                SystemChange::parameter("console", format!("{name},{baud}{frame}")),
                SystemChange::OtherEnd(format!("{baud} baud")),
            ]
        }
        Setting::Frame(frame) => vec![SystemChange::OtherEnd(frame.to_string())],
        Setting::LogLevel(level) => {
            let quieter = match level {
                4 => SystemChange::word("quiet"),
                _ => SystemChange::parameter("loglevel", level.to_string()),
            };
            // The one prints everything whatever the level, the other is a level itself.
            let overrules = |word: &str| word == "ignore_loglevel" || level != 4 && word == "quiet";
            [quieter].into_iter().chain(remove_parameters(boot, overrules)).collect()
        }
        Setting::NoInitcallDebug => vec![SystemChange::without("initcall_debug")],
        Setting::Kernel { version, rt } => {
            let kernel = SystemChange::Kernel(KernelVersions::Between(version, version));
            [kernel].into_iter().chain(rt.then(preempt_rt)).collect()
        }
        Setting::Printing(Printing::ThreadPerRecord) => kernel_with_kthread(Some(THREAD_PER_RECORD_SINCE)),
        Setting::Printing(Printing::Nbcon) => {
            let since = DriverBehaviour::nbcon_since(Driver::of_console(name), boot.kernel.rt);
            let unknown = KernelVersions::Having("whose driver has an nbcon console");
            vec![SystemChange::Kernel(since.map_or(unknown, KernelVersions::From))]
        }
        Setting::Printing(_) => {
            vec![SystemChange::Kernel(KernelVersions::Having("whose driver prints that way"))]
        }
        Setting::Module { module, replay: true } => {
            let parameters =
                vec![Parameter::new("replay", "1"), Parameter::new("loglevel", REPLAY_LOGLEVEL.to_string())];
            vec![SystemChange::word("quiet"), SystemChange::LoadModule { module: module.name(), parameters }]
        }
        Setting::Module { module, replay: false } => vec![SystemChange::config(module.config(), "y")],
        Setting::Cpus(n) => {
            vec![SystemChange::Hardware(if n == 1 { "1 CPU".to_owned() } else { format!("{n} CPUs") })]
        }
    }
}

/// The kernel option that makes a kernel PREEMPT_RT.
fn preempt_rt() -> SystemChange {
    SystemChange::config("CONFIG_PREEMPT_RT", "y")
}

/// `n8`: parity and data bits as `console=` takes them.
fn frame_suffix(line: &SerialLine) -> String {
    let text = line.console.frame.to_string();
    let mut chars = text.chars();
    let (data, parity) = (chars.next().unwrap_or('8'), chars.next().unwrap_or('n'));
    format!("{parity}{data}")
}
