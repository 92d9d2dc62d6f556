// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bootline predict`
use std::path::PathBuf;

use bootline_analysis::predict::{
    self, Change, Contradiction, KEYS, Prediction, PredictionError, Setting, SettingError,
};
use bootline_boot::Boot;
use bootline_input::unusable::{BootNeeds, UnusableInput};
use bootline_input::{Exit, Failure};
use bootline_report::{predictions, predictions_json};
use bootline_terminal::Terminal;
use clap::builder::RangedU64ValueParser;

use crate::logs;
use crate::prediction_error;

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

Examples:
  bootline predict boot.cap                                every what-if, compared with the baseline
  bootline predict --set baud=115200 --set quiet boot.cap  one question
  bootline predict --kernel-log kernel.log boot.cap        with the levels of `dmesg -r >kernel.log`
  bootline predict --json boot.cap | jq '.boots[].predictions[] | [.title, .saved_ns.best]'

Exit status 3: an input is unusable, or lacks what a prediction needs.")]
pub struct Args {
    #[command(flatten)]
    logs: logs::LogArgs,
    /// A setting to change; several are combined [default: every what-if, one at a time]
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_setting)]
    set: Vec<Setting>,
    /// The kernel's own log of the same boot (dmesg -r, /dev/kmsg, dmesg or journalctl in JSON), for its log levels
    #[arg(long, value_name = "FILE")]
    kernel_log: Option<PathBuf>,
    /// Number of CPUs of that machine, if the log does not show it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=4096))]
    cpus: Option<u32>,
}

fn parse_setting(text: &str) -> Result<Setting, String> {
    text.parse().map_err(|e: SettingError| match e {
        SettingError::UnknownKey(_) | SettingError::NoValue(_) => {
            format!("{e}; known: {}", KEYS.map(|(key, _)| key).join(", "))
        }
        SettingError::BadValue { .. } => e.to_string(),
    })
}

pub fn run(args: Args, terminal: &Terminal) -> Result<Exit, Failure> {
    let change = Change::of(args.set).map_err(|Contradiction { first, second }| {
        Failure::new(Exit::USAGE, format!("`--set {first}` and `--set {second}` contradict each other"))
    })?;
    let mut logs = args.logs.resolve(terminal, "bootline-predict/1")?.with_cpus(args.cpus);
    if let Some(log) = args.kernel_log {
        logs = logs.with_kernel_log(log)?;
    }
    logs.show(terminal, BootNeeds::End, |boot, source, out| {
        let predicted = predicted(boot, &change);
        let json = || predictions_json(boot, predicted.as_deref(), source);
        match &predicted {
            Ok(list) => out.show(|| predictions(boot, list, source), json),
            Err(_) => out.show_json(json),
        }
        predicted.as_ref().err().map(|r| UnusableInput::Reported(prediction_error::failure(r, boot, source)))
    })
}

/// The baseline, followed by the requested change or by every what-if.
fn predicted(boot: &Boot, change: &Change) -> Result<Vec<Prediction>, PredictionError> {
    let mut list = vec![predict::baseline(boot)?];
    if change.is_empty() {
        list.extend(predict::what_if(boot)?);
    } else {
        list.push(predict::predict(boot, change)?);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_each_key() {
        use clap::Command;
        let help = <Args as clap::Args>::augment_args(Command::new("predict")).get_after_help().unwrap().to_string();
        for (key, _) in KEYS {
            assert!([" {key}=", " {key},"].iter().any(|p| help.contains(&p.replace("{key}", key))), "{key}");
        }
    }
}
