// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline predict`
use std::path::PathBuf;

use bootline_analysis::predict::{KEYS, SettingError};
use bootline_analysis::predictions::Predictions;
use bootline_analysis::whole_change::{AnySetting, WHOLE_KEYS, WholeChange};
use bootline_input::unusable::{BootNeeds, UnusableInput};
use bootline_input::{Exit, Failure};
use bootline_report::{predictions, predictions_json};
use bootline_terminal::Terminal;
use clap::builder::RangedU64ValueParser;

use crate::logs;
use crate::prediction_error;
use crate::whole_boot::WholeBootArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Settings for --set:
  baud=115200           another line speed
  frame=8n1             another frame
  quiet, loglevel=4     another console log level
  initcall_debug=0      without what initcall_debug prints
  kernel=6.19-rt        another kernel's console; the boot's own work stays the same
  console=nbcon         how the console prints: legacy, printer-thread, nbcon, nbcon_8250,
                        console_relay (the last two also with +replay)
  cpus=1                another number of CPUs
For the whole boot, up to the application. UNIT is a unit of systemd (needs --with the output of
`systemctl show --all '*'`), or one of the init scripts that run one after the other, by the
name that it prints (avahi-daemon; S20avahi-daemon is the same):
  mask=UNIT             the unit or the script is not started
  after-app=UNIT        it starts when the application is up
  no-wait=UNIT          nothing waits for it; a script runs in the background
  unit:UNIT=0.5s        it takes this long to start; +2s: so much longer than here
  no-default-dependencies=UNIT  the unit waits only for what it declares (systemd)
  init=fastinit         the application is started before systemd (systemd)
  without=ldr001        without what the findings of this rule of `bootline explain` cost
  stage:NAME=0.5s       the stage (loader, kernel, ...) takes this long

Examples:
  bootline predict boot.cap                                every what-if, compared with the baseline
  bootline predict --set baud=115200 --set quiet boot.cap  one question
  bootline predict boot.cap --with units.txt --app camera.service --set mask=avahi-daemon.service
  bootline predict boot.cap --app 'camera: ready' --set no-wait=networking      init scripts
  bootline predict --kernel-log kernel.log boot.cap        with the levels of `dmesg -r >kernel.log`
  bootline predict --json boot.cap | jq '.boots[].predictions[] | [.title, .saved_ns.best]'

Exit status 3: an input is unusable, or lacks what a prediction needs.")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    #[command(flatten)]
    whole: WholeBootArgs,
    /// A setting to change; several are combined [default: every what-if, one at a time]
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<AnySetting>,
    /// The kernel's own log of the same boot (dmesg -r, /dev/kmsg, dmesg or journalctl in JSON), for its log levels
    #[arg(long, value_name = "FILE")]
    kernel_log: Option<PathBuf>,
    /// Number of CPUs of that machine, if the log does not show it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=4096))]
    cpus: Option<u32>,
}

fn parse_setting(text: &str) -> Result<AnySetting, String> {
    text.parse().map_err(|e: SettingError| match e {
        SettingError::UnknownKey(_) | SettingError::NoValue(_) => {
            let known: Vec<&str> = KEYS.iter().chain(&WHOLE_KEYS).map(|(key, _)| *key).collect();
            format!("{e}; known: {}", known.join(", "))
        }
        SettingError::BadValue { .. } => e.to_string(),
    })
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let change = WholeChange::of(args.set).map_err(|c| {
        Failure::new(Exit::USAGE, format!("`--set {}` and `--set {}` contradict each other", c.first, c.second))
    })?;
    let logs = args.logs.resolve(terminal, "bootline-predict/1")?.with_cpus(args.cpus);
    let mut logs = logs.with_whole_boot(args.whole)?;
    if let Some(log) = args.kernel_log {
        logs = logs.with_kernel_log(log)?;
    }
    logs.show(terminal, BootNeeds::End, |boot, source, out| {
        let predicted = Predictions::of(boot, &change);
        let json = || predictions_json(boot, &predicted, source);
        match predicted.refused() {
            None => out.show(|| predictions(boot, &predicted, source), json),
            Some(_) => out.show_json(json),
        }
        predicted.refused().map(|r| UnusableInput::Reported(prediction_error::failure(r, boot, source)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_each_key() {
        use clap::Command;
        let help = <Args as clap::Args>::augment_args(Command::new("predict")).get_after_help().unwrap().to_string();
        for (key, _) in KEYS.iter().chain(&WHOLE_KEYS) {
            let key = key.replace("unit:NAME", "unit:UNIT");
            assert!([" {key}=", " {key},"].iter().any(|p| help.contains(&p.replace("{key}", &key))), "{key}");
        }
    }
}
