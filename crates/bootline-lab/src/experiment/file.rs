// SPDX-License-Identifier: MIT OR Apache-2.0
//! An experiment as its file tells it. docs/experiments.md explains every key.
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bootline_analysis::predict::{Change, Setting};
use bootline_capture::units::Baud;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::file_error::{Fault, FileError, nearest};
use super::metric::Metric;
use super::plan::matches;
use super::raw::{RawArm, RawClaim, RawExperiment};
use crate::kernels::KernelName;
use crate::line::{MAX_BAUD, MIN_BAUD};
use crate::module::Module;

/// An experiment, looked through: every name in it is there, every value can be had.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its file.
    pub path: PathBuf,
    /// The file's text, which a results folder keeps.
    pub source: String,
    /// The file's stem.
    pub name: String,
    /// The question.
    pub about: String,
    /// Which of the five documents whose figures it meets.
    pub seed: Option<u8>,
    /// Runs for each arm.
    pub runs: u32,
    /// Runs that come first and are thrown away.
    pub warm_up: u32,
    /// How often a run is tried until it can be believed.
    pub attempts: u32,
    /// What the order of the runs is drawn from; else drawn itself.
    pub random_seed: Option<u64>,
    /// The arm that ratios refer to.
    pub base: Option<String>,
    /// What is different in a hurry.
    pub quick: Quick,
    /// At least one; names differ.
    pub arms: Vec<Arm>,
    /// What is claimed of them.
    pub claims: Vec<Claim>,
}

/// What is different in a hurry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quick {
    /// Runs for each arm.
    pub runs: Option<u32>,
    /// Only the arms that one of these stands for; `*` in one stands for anything.
    pub arms: Option<Vec<String>>,
}

/// One way to boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Its name, which is part of a folder's.
    pub name: String,
    /// What boots.
    pub image: Image,
    /// Whether a series that has gone may be stood in for by the nearest that behaves the same.
    pub nearest: bool,
    /// The line's speed; none where instructions are counted.
    pub baud: Option<Baud>,
    /// Words for the kernel's command line.
    pub append: String,
    /// Processors.
    pub smp: u32,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// An initramfs instead of the lab's.
    pub initrd: Option<PathBuf>,
    /// Modules that the lab's init loads, in order.
    pub modules: Vec<Module>,
    /// Count instructions, without a console.
    pub icount: bool,
    /// Count the accesses to the port's registers.
    pub trace_registers: bool,
    /// Lines that the lab's init prints, and times, after the boot.
    pub lines: Option<u32>,
    /// What is measured.
    pub metric: Metric,
    /// The settings that turn the arm of `predict_from` into this one; none where they are to be told from the
    /// differences, an empty change where nothing is to be predicted.
    pub predict: Option<Change>,
    /// The arm that this one is predicted from, where that isn't the base.
    pub predict_from: Option<String>,
    /// What the document says.
    pub published: Option<Published>,
}

/// What boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The newest stock kernel of a series.
    Stock(KernelName),
    /// A file.
    File(PathBuf),
}

/// A figure that somebody published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// In seconds.
    pub value_s: f64,
    /// Of what, on which machine.
    pub what: String,
}

/// A claim on the ratio of two arms, or on one arm's figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// In words.
    pub text: String,
    /// The arm above the line.
    pub arm: String,
    /// The arm below it; without one the claim is on the figure of `arm` itself.
    pub of: Option<String>,
    /// The least that the ratio is claimed to be, or the figure: in seconds where it is a time.
    pub at_least: Option<f64>,
    /// The most.
    pub at_most: Option<f64>,
    /// What of both arms.
    pub metric: Metric,
}

impl Experiment {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(path: &Path) -> Result<Experiment, FileError> {
        let text =
            fs::read_to_string(path).map_err(|source| FileError::new(path, "", None, Fault::Unreadable(source)))?;
        Experiment::parse(path, &text)
    }

    /// Looks through `text`, the content of the file at `path`.
    ///
    /// # Errors
    /// As for [`Experiment::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Experiment, FileError> {
        let raw = toml::from_str(text).map_err(|e| FileError::from_toml(path, text, &e))?;
        let reader = Reader { path, text };
        reader.experiment(raw).map_err(|(span, fault)| FileError::new(path, text, span, fault))
    }

    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|a| a.name == name)
    }
}

impl fmt::Display for Image {
    /// As in an experiment file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Image::Stock(KernelName { arch: Some(arch), series }) => write!(f, "{arch}:{series}"),
            Image::Stock(KernelName { arch: None, series }) => series.fmt(f),
            Image::File(path) => path.display().fmt(f),
        }
    }
}

type Found<T> = Result<T, (Option<Range<usize>>, Fault)>;

struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
}

impl Reader<'_> {
    fn experiment(&self, raw: RawExperiment) -> Found<Experiment> {
        let stem = self.path.file_stem().unwrap_or_default();
        if stem != raw.name.as_ref().as_str() {
            let expected = format!("the file's own name, `{}`,", stem.to_string_lossy());
            return Err(bad("name", &raw.name, &expected));
        }
        folder_name("name", &raw.name)?;
        let default_metric = raw.metric.unwrap_or_default();
        let mut arms: Vec<Arm> = Vec::new();
        let mut names = HashSet::new();
        if let Some(name) = &raw.defaults.name {
            return Err((Some(name.span()), Fault::UnknownKey { key: "name".into(), nearest: None, known: vec![] }));
        }
        let mut predicted_from = Vec::new();
        let spelled = raw.arm.into_iter().map(|arm| (arm.span(), arm.into_inner()));
        let multiplied = raw.matrix.iter().flat_map(|m| m.as_ref().arms().into_iter().map(|arm| (m.span(), arm)));
        for (span, raw_arm) in spelled.chain(multiplied) {
            let raw_arm = raw_arm.over(raw.defaults.clone());
            predicted_from.extend(raw_arm.predict_from.clone());
            let arm = self.arm(raw_arm, span.clone(), default_metric)?;
            if !names.insert(arm.name.clone()) {
                return Err((Some(span), Fault::SameName(arm.name)));
            }
            arms.push(arm);
        }
        if arms.is_empty() {
            return Err((None, Fault::Missing { key: "[[arm]]", of: "the file".to_owned() }));
        }
        let known = |key, name: &Spanned<String>| known_arm(&arms, key, name);
        predicted_from.iter().try_for_each(|name| known("predict_from", name).map(drop))?;
        let base = raw.base.as_ref().map(|base| known("base", base)).transpose()?;
        let quick_arms = raw.quick.arms.as_ref();
        let chosen = |pattern: &Spanned<String>| match arms.iter().any(|a| matches(pattern.as_ref(), &a.name)) {
            true => Ok(pattern.as_ref().clone()),
            false => known("arms", pattern),
        };
        let quick_arms = quick_arms.map(|list| list.iter().map(chosen).collect::<Found<_>>());
        let quick = Quick {
            runs: raw.quick.runs.as_ref().map(|n| within("runs", n, 1..=1000)).transpose()?,
            arms: quick_arms.transpose()?,
        };
        let claims = raw.claim.into_iter().map(|claim| self.claim(claim, &arms)).collect::<Found<_>>()?;
        let number =
            |key, n: &Option<Spanned<u32>>, range, default| n.as_ref().map_or(Ok(default), |n| within(key, n, range));
        Ok(Experiment {
            path: self.path.to_owned(),
            source: self.text.to_owned(),
            about: raw.about.trim().to_owned(),
            seed: raw.seed,
            runs: number("runs", &raw.runs, 1..=1000, 5)?,
            warm_up: number("warm_up", &raw.warm_up, 0..=100, 1)?,
            attempts: number("attempts", &raw.attempts, 1..=100, 3)?,
            random_seed: raw.random_seed,
            name: raw.name.into_inner(),
            base,
            quick,
            arms,
            claims,
        })
    }

    fn arm(&self, raw: RawArm, span: Range<usize>, default_metric: Metric) -> Found<Arm> {
        let missing = |key, of: &str| (Some(span.clone()), Fault::Missing { key, of: of.to_owned() });
        let name = raw.name.ok_or_else(|| missing("name", "this arm"))?;
        folder_name("name", &name)?;
        let name = name.into_inner();
        let contradiction = |why| (Some(span.clone()), Fault::Contradiction { arm: name.clone(), why });
        let kernel = raw.kernel.ok_or_else(|| missing("kernel", &format!("arm `{name}`")))?;
        let icount = raw.icount.unwrap_or(false);
        let trace_registers = raw.trace_registers.unwrap_or(false);
        let metric = match raw.metric {
            Some(metric) => metric,
            None if icount => Metric::GuestTime,
            None => default_metric,
        };
        if icount && raw.baud.is_some() {
            return Err(contradiction("instructions are counted without a line, so it has no `baud`"));
        }
        if icount && metric != Metric::GuestTime {
            return Err(contradiction("what is measured under `icount` is `guest-time`"));
        }
        if icount && raw.initrd.is_some() {
            return Err(contradiction("`icount` needs the lab's own init"));
        }
        if metric == Metric::RegisterReadsPerByte && !trace_registers {
            return Err(contradiction("`register-reads-per-byte` needs `trace_registers = true`"));
        }
        if trace_registers && metric != Metric::RegisterReadsPerByte {
            return Err(contradiction("tracing slows the guest: what is measured then is `register-reads-per-byte`"));
        }
        if metric == Metric::PrintkLines && raw.lines.is_none() {
            return Err(contradiction("`printk-lines` needs `lines`, the number of lines"));
        }
        if raw.lines.is_some() && (icount || raw.initrd.is_some()) {
            return Err(contradiction(
                "`lines` are printed by the lab's own init, on a line: no `icount`, no `initrd`",
            ));
        }
        let modules = raw.modules.unwrap_or_default();
        if let Some(module) = metric.module() {
            let loaded = |m: &Spanned<String>| m.as_ref().split(' ').next().is_some_and(|f| f.contains(module));
            if !modules.iter().any(loaded) {
                return Err(contradiction(match metric {
                    Metric::PrintkBench => "`printk-bench` needs `printk_bench.ko` among `modules`",
                    Metric::UartBench => "`uart-bench` needs `uart_bench.ko` among `modules`",
                    _ => "`irqs-off` and `preempt-off` need `holdoff_meter.ko` among `modules`",
                }));
            }
        }
        if raw.initrd.is_some() && !modules.is_empty() {
            return Err(contradiction("modules are loaded by the lab's own init, so it has no `initrd`"));
        }
        Ok(Arm {
            image: self.image(kernel.as_ref()),
            nearest: raw.nearest.unwrap_or(false),
            baud: raw.baud.as_ref().map(baud).transpose()?,
            append: raw.append.unwrap_or_default(),
            smp: raw.smp.as_ref().map_or(Ok(1), |n| within("smp", n, 1..=256))?,
            memory_mib: raw.memory_mib.as_ref().map_or(Ok(512), |n| within("memory_mib", n, 16..=1 << 20))?,
            initrd: raw.initrd.map(|file| self.next_to(&file)),
            modules: modules.iter().map(|m| self.module(m)).collect::<Found<_>>()?,
            icount,
            trace_registers,
            lines: raw.lines.as_ref().map(|n| within("lines", n, 1..=100_000)).transpose()?,
            metric,
            predict: raw.predict.map(|list| change(&list)).transpose()?,
            predict_from: raw.predict_from.map(Spanned::into_inner),
            published: raw.published,
            name,
        })
    }

    fn claim(&self, raw: Spanned<RawClaim>, arms: &[Arm]) -> Found<Claim> {
        let span = raw.span();
        let raw = raw.into_inner();
        let arm = known_arm(arms, "arm", &raw.arm)?;
        let of = raw.of.as_ref().map(|of| known_arm(arms, "of", of)).transpose()?;
        if raw.at_least.or(raw.at_most).is_none() {
            return Err((Some(span), Fault::Missing { key: "at_least or at_most", of: "this claim".to_owned() }));
        }
        let own = arms.iter().find(|a| a.name == arm).map_or(Metric::default(), |a| a.metric);
        Ok(Claim {
            text: raw.text,
            arm,
            of,
            at_least: raw.at_least,
            at_most: raw.at_most,
            metric: raw.metric.unwrap_or(own),
        })
    }

    /// A series wins over a file of its name, so that the file means the same from any folder.
    fn image(&self, text: &str) -> Image {
        text.parse().map_or_else(|_| Image::File(self.next_to(text)), Image::Stock)
    }

    fn module(&self, text: &Spanned<String>) -> Found<Module> {
        let module: Module = text.as_ref().parse().map_err(|e| bad("modules", text, &format!("a module ({e})")))?;
        Ok(Module { path: self.next_to(&module.path), ..module })
    }

    fn next_to(&self, file: impl AsRef<Path>) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(file)
    }
}

fn bad(key: &'static str, value: &Spanned<String>, expected: &str) -> (Option<Range<usize>>, Fault) {
    (Some(value.span()), Fault::BadValue { key, value: value.as_ref().clone(), expected: expected.to_owned() })
}

/// Names become parts of paths.
fn folder_name(key: &'static str, name: &Spanned<String>) -> Found<()> {
    let text = name.as_ref();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    if text.is_empty() || text.len() > 64 || text.starts_with('.') || !text.chars().all(allowed) {
        return Err(bad(key, name, "made of letters, digits, `.`, `_`, `-` and `+`, 64 at most"));
    }
    Ok(())
}

fn within(key: &'static str, n: &Spanned<u32>, range: std::ops::RangeInclusive<u32>) -> Found<u32> {
    let value = *n.as_ref();
    if range.contains(&value) {
        return Ok(value);
    }
    let expected = format!("{} to {}", range.start(), range.end());
    Err((Some(n.span()), Fault::BadValue { key, value: value.to_string(), expected }))
}

fn baud(n: &Spanned<u32>) -> Found<Baud> {
    let value = within("baud", n, MIN_BAUD..=MAX_BAUD)?;
    Ok(Baud::new(value).expect("the lab's slowest line is faster than none"))
}

fn known_arm(arms: &[Arm], key: &'static str, name: &Spanned<String>) -> Found<String> {
    let text = name.as_ref();
    if arms.iter().any(|a| a.name == *text) {
        return Ok(text.clone());
    }
    let nearest = nearest(text, arms.iter().map(|a| a.name.as_str()));
    Err((Some(name.span()), Fault::NoSuchArm { key, arm: text.clone(), nearest }))
}

fn change(list: &[Spanned<String>]) -> Found<Change> {
    let mut change = Change::default();
    for text in list {
        let setting = text.as_ref().parse::<Setting>();
        let setting = setting.map_err(|e| bad("predict", text, &format!("a setting ({e})")))?;
        change.add(setting).map_err(|e| (Some(text.span()), Fault::Contradicting(e)))?;
    }
    Ok(change)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
