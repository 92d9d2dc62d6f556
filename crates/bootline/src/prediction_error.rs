// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prediction errors as shown: what is missing, the evidence, and how to supply it.
use bootline_analysis::predict::PredictionError;
use bootline_analysis::predictions::PredictionsRefused;
use bootline_analysis::whole_change::WholePredictionError;
use bootline_boot::Boot;
use bootline_input::unusable::named;
use bootline_input::{Exit, Failure};
use bootline_records::RecordId;
use bootline_report::{BootLabel, escaped};

/// The error to show for refused predictions.
pub fn failure(refused: PredictionsRefused<'_>, boot: &Boot, source: &BootLabel) -> Failure {
    match refused {
        PredictionsRefused::ToInit(e) | PredictionsRefused::Whole(WholePredictionError::Console(e)) => {
            to_init(e, boot, source)
        }
        PredictionsRefused::Whole(e) => whole(e, source),
    }
}

/// The error to show for a change of the whole boot.
fn whole(error: &WholePredictionError, source: &BootLabel) -> Failure {
    let failure =
        Failure::new(Exit::INPUT, format!("no prediction for {}: {}", named(source), escaped(&error.to_string())));
    let hint = match error {
        WholePredictionError::NoEnd | WholePredictionError::EndIsNoUnit(_) | WholePredictionError::NoApplication => {
            "name the application's unit: `--app camera.service`, or `--app camera.service=REGEX` with a line that it prints; where init runs scripts, `--app REGEX`"
        }
        WholePredictionError::NoDependencies | WholePredictionError::NoTimes(_) | WholePredictionError::NoManager => {
            "run `systemctl show --all '*' >units.txt` and `systemctl show >manager.txt` there, then add `--with units.txt --with manager.txt` here"
        }
        WholePredictionError::NothingStarted => {
            "with systemd, run `systemctl show --all '*' >units.txt` there and add `--with units.txt` here; init scripts must print when they start and end"
        }
        WholePredictionError::NoUnit { .. } | WholePredictionError::NoActivation(_) => {
            "`bootline blame` with the same sources lists the units"
        }
        WholePredictionError::NoScript { .. } => {
            "`bootline blame` with the same input lists the scripts, by the names that they print"
        }
        WholePredictionError::SeveralScripts { .. } => "write the whole name that the script prints",
        WholePredictionError::TwoSettings(_) | WholePredictionError::Nested { .. } => "leave one of them out",
        WholePredictionError::NoLength(_) | WholePredictionError::NoSequence(_) => {
            "`bootline time` shows what is known of this boot; a stage of it can be set: `--set stage:user-space=5s`"
        }
        WholePredictionError::InParallel { .. } => {
            "record a boot in which they run one after the other (OpenRC: rc_parallel=\"NO\")"
        }
        WholePredictionError::EndIsKernels | WholePredictionError::EndedWithin(_) => {
            "name a line that the application prints once it is up: `--app REGEX`"
        }
        WholePredictionError::IsTheEndsScript(script) => {
            return failure.hint(format!("let it take less: `--set unit:{}=0.5s`", escaped(script)));
        }
        WholePredictionError::OnlyOfSystemd(_) => "for a script: `mask=`, `after-app=`, `no-wait=`, `unit:NAME=`",
        WholePredictionError::IsTheEnd(unit) => {
            return with_unit(failure, "let it start earlier: `--set no-default-dependencies=", unit);
        }
        WholePredictionError::Required { unit, .. } => {
            return with_unit(failure, "let the others not wait for it: `--set no-wait=", unit);
        }
        WholePredictionError::NoFinding(_) => "`bootline explain` with the same sources lists the findings",
        WholePredictionError::NoStage(_) => "`bootline time` with the same sources lists the stages",
        // It has been shown as that of the time to init.
        WholePredictionError::Console(_) => return failure,
    };
    failure.hint(hint)
}

fn with_unit(failure: Failure, hint: &str, unit: &str) -> Failure {
    failure.hint(format!("{hint}{}`", escaped(unit)))
}

/// The error to show for a refused prediction of the time to init.
fn to_init(prediction_error: &PredictionError, boot: &Boot, source: &BootLabel) -> Failure {
    let name = named(source);
    let failure =
        Failure::new(Exit::INPUT, format!("no prediction for {name}: {}", escaped(&prediction_error.to_string())));
    let evidence = match prediction_error {
        PredictionError::NoEnd | PredictionError::NoTimes => {
            boot.records.iter().last().map(|r| quoted(boot, r.id, None))
        }
        PredictionError::NoConsole | PredictionError::NoSpeed { .. } | PredictionError::NotPrinted { .. } => {
            let enabled = boot.line.as_ref().and_then(|l| l.console.enabled);
            let asked = boot.kernel.command_line_record.map(|id| quoted(boot, id, Some(console_words(boot))));
            asked.or(enabled.or(boot.kernel.banner).map(|id| quoted(boot, id, None)))
        }
        PredictionError::UnknownKernel(_) => boot.kernel.banner.map(|id| quoted(boot, id, None)),
    };
    let failure = match evidence {
        Some(evidence) => failure.at(format!("{name} {evidence}")),
        None => {
            failure.at(format!("{name} has {} records, and neither a banner nor a command line", boot.records.len()))
        }
    };
    let hint = match prediction_error {
        PredictionError::NoEnd => "record for longer, or name the line that ends this boot: `--marker TEXT`",
        PredictionError::NoTimes => "boot with `printk.time=1`, or record the boot with `bootline capture`",
        PredictionError::NoConsole => "state it: `--console ttyS0,115200n8`",
        PredictionError::NoSpeed { console } => {
            return failure.hint(format!("state it: `--console {},115200n8`", escaped(console)));
        }
        PredictionError::NotPrinted { .. } => {
            "supply the kernel's own log of that boot: run `dmesg -r >kernel.log` there, then add `--kernel-log kernel.log` here"
        }
        PredictionError::UnknownKernel(_) => {
            "state how the console prints: `--set console=legacy`, `printer-thread` or `nbcon`"
        }
    };
    failure.hint(hint)
}

/// The kernel parameters that determine what the console prints, and how fast.
fn console_words(boot: &Boot) -> String {
    let says = |w: &&str| {
        ["quiet", "debug", "ignore_loglevel", "initcall_debug"].contains(w)
            || ["console=", "loglevel=", "earlycon"].iter().any(|key| w.starts_with(key))
    };
    let words: Vec<&str> = boot.kernel.command_line.words().filter(says).collect();
    if words.is_empty() { "no console=".to_owned() } else { words.join(" ") }
}

/// `record 17: `console=ttyS0 loglevel=7``
fn quoted(boot: &Boot, id: RecordId, words: Option<String>) -> String {
    let text = words.or_else(|| boot.records.by_id(id).map(|r| r.text.to_owned())).unwrap_or_default();
    let text: String = text.chars().take(80).collect();
    format!("record {id}: `{}`", escaped(&text))
}
