// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads an experiment file, and checks that every name in it exists and every value is in range.
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bootline_analysis::whole_change::{AnySetting, WholeChange};
use bootline_capture::units::Baud;
use regex::bytes::Regex;
use toml::Spanned;

use super::arm_pattern::matches;
use super::definition::{
    Arm, ArmLoader, ArmRoot, ArmSystem, Claim, Comparison, Experiment, Image, PublishedSaving, Quick,
};
use super::file_error::{Fault, FileError, nearest};
use super::loader_arm;
use super::metric::Metric;
use super::raw::{RawArm, RawClaim, RawExperiment};
use super::system_arm;
use crate::boot::{ADDED_MEMORY_BLOCK_MIB, LoaderSetup};
use crate::line::{MAX_BAUD, MIN_BAUD};
use crate::machine::InstructionTime;
use crate::module::Module;
use bootline_images::hardware::Hardware;
use bootline_images::kernels::NamedKernel;
use bootline_images::loaders::Loader;
use bootline_images::systems::RootChanges;

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

    /// Reads standard input or the like. Its files are relative to the current folder.
    ///
    /// # Errors
    /// As for [`Experiment::read`], with `-` for the file.
    pub fn read_stream(mut input: impl Read) -> Result<Experiment, FileError> {
        let (path, mut text) = (Path::new(STREAM), String::new());
        input.read_to_string(&mut text).map_err(|source| FileError::new(path, "", None, Fault::Unreadable(source)))?;
        Experiment::parse(path, &text)
    }

    /// Parses and checks `text`, the content of the file at `path`.
    ///
    /// # Errors
    /// As for [`Experiment::read`].
    pub fn parse(path: &Path, text: &str) -> Result<Experiment, FileError> {
        let raw = toml::from_str(text).map_err(|e| FileError::from_toml(path, text, &e))?;
        let reader = Reader { path, text };
        reader.experiment(raw).map_err(|(span, fault)| FileError::new(path, text, span, fault))
    }
}

/// Stands for the file of an experiment that is not in one.
const STREAM: &str = "-";

type Found<T> = Result<T, (Option<Range<usize>>, Fault)>;

struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
}

impl Reader<'_> {
    fn experiment(&self, raw: RawExperiment) -> Found<Experiment> {
        let stem = self.path.file_stem().unwrap_or_default();
        if self.path != Path::new(STREAM) && stem != raw.name.as_ref().as_str() {
            let expected = format!("the file's own name, `{}`,", stem.to_string_lossy());
            return Err(bad("name", &raw.name, &expected));
        }
        folder_name("name", &raw.name)?;
        let mut arms: Vec<Arm> = Vec::new();
        let mut names = HashSet::new();
        if let Some(name) = &raw.defaults.name {
            return Err((Some(name.span()), Fault::UnknownKey { key: "name".into(), nearest: None, known: vec![] }));
        }
        let (mut predicted_from, mut saved_from) = (Vec::new(), Vec::new());
        let spelled = raw.arm.into_iter().map(|arm| (arm.span(), arm.into_inner()));
        let multiplied = raw.matrix.iter().flat_map(|m| m.as_ref().arms().into_iter().map(|arm| (m.span(), arm)));
        for (span, raw_arm) in spelled.chain(multiplied) {
            let raw_arm = raw_arm.over(raw.defaults.clone());
            predicted_from.extend(raw_arm.predict_from.clone());
            saved_from.extend(raw_arm.published_saving.as_ref().map(|saving| saving.of.clone()));
            let arm = self.arm(raw_arm, span.clone(), raw.metric)?;
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
        saved_from.iter().try_for_each(|name| known("of", name).map(drop))?;
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

    fn arm(&self, raw: RawArm, span: Range<usize>, default_metric: Option<Metric>) -> Found<Arm> {
        let missing = |key, of: &str| (Some(span.clone()), Fault::Missing { key, of: of.to_owned() });
        let name = raw.name.clone().ok_or_else(|| missing("name", "this arm"))?;
        folder_name("name", &name)?;
        let name = name.into_inner();
        let contradiction = |why| (Some(span.clone()), Fault::Contradiction { arm: name.clone(), why });
        let kernel = raw.kernel.clone().ok_or_else(|| missing("kernel", &format!("arm `{name}`")))?;
        let icount = raw.icount.unwrap_or(false);
        let trace_registers = raw.trace_registers.unwrap_or(false);
        let metric = match raw.metric {
            Some(metric) => metric,
            None if icount => Metric::GuestTime,
            None if raw.system.is_some() => default_metric.unwrap_or(Metric::Application),
            None if raw.root.is_some() => default_metric.unwrap_or(Metric::Marker),
            None if raw.loader.is_some() => default_metric.unwrap_or(Metric::SinceStart),
            None => default_metric.unwrap_or_default(),
        };
        let image = self.image(kernel.as_ref());
        if let Some(why) = system_arm::contradiction(&raw, &image, metric) {
            return Err(contradiction(why));
        }
        if let Some(why) = loader_arm::contradiction(&raw, &image, metric) {
            return Err(contradiction(why));
        }
        if icount && raw.baud.is_some() {
            return Err(contradiction("instructions are counted without a line, so it has no `baud`"));
        }
        if raw.instruction_ns.is_some() && !icount {
            return Err(contradiction(
                "`instruction_ns` is the time of an instruction that is counted: it needs `icount = true`",
            ));
        }
        if raw.published_saving.as_ref().is_some_and(|saving| *saving.of.as_ref() == name) {
            return Err(contradiction("its `published_saving` is of another arm"));
        }
        if raw.published_saving.is_some() && !metric.is_time() {
            return Err(contradiction("what a `published_saving` saves is time, which is not what it measures"));
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
        let partition = raw.root_partition.as_ref().map(|n| within("root_partition", n, 1..=128)).transpose()?;
        let own = raw.root.as_ref().map(|file| ArmRoot::Own { path: self.next_to(file), partition });
        let root = raw.system.map(ArmRoot::Lab).or(own);
        let changes = root_changes(raw.root_files.unwrap_or_default(), raw.root_without.unwrap_or_default())?;
        let format = raw.file_system.unwrap_or_default();
        let hardware = Hardware { bus: raw.bus, absent: raw.absent.unwrap_or_default() };
        let added_memory_mib = raw.added_memory_mib.as_ref().map_or(Ok(0), added_memory)?;
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
            image,
            nearest: raw.nearest.unwrap_or(false),
            baud: raw.baud.as_ref().map(baud).transpose()?,
            append: raw.append.unwrap_or_default(),
            smp: raw.smp.as_ref().map_or(Ok(1), |n| within("smp", n, 1..=256))?,
            cpu_model: raw.cpu_model,
            memory_mib: raw.memory_mib.as_ref().map_or(Ok(512), |n| within("memory_mib", n, 16..=1 << 20))?,
            system: root.map(|root| ArmSystem {
                root,
                state: raw.root_state.unwrap_or_default(),
                changes,
                format,
                hardware,
                storage: raw.storage,
                added_memory_mib,
            }),
            marker: raw.marker.as_ref().map(marker).transpose()?,
            loader: raw
                .loader
                .map(|loader| loader_of(loader, &raw.loader_delay, raw.loader_quiet, raw.loader_gzip))
                .transpose()?,
            initrd: raw.initrd.map(|file| self.next_to(&file)),
            initramfs: raw.initramfs.unwrap_or(true),
            dtb: raw.dtb.map(|file| self.next_to(&file)),
            modules: modules.iter().map(|m| self.module(m)).collect::<Found<_>>()?,
            icount,
            instruction_time: raw.instruction_ns.as_ref().map(instruction_time).transpose()?,
            trace_registers,
            lines: raw.lines.as_ref().map(|n| within("lines", n, 1..=100_000)).transpose()?,
            metric,
            predict: raw.predict.map(|list| change(&list, raw.system.is_some())).transpose()?,
            predict_from: raw.predict_from.map(Spanned::into_inner),
            published: raw.published,
            published_saving: raw.published_saving.map(|saving| PublishedSaving {
                saves_s: saving.saves_s,
                of: saving.of.into_inner(),
                what: saving.what,
            }),
            name,
        })
    }

    fn claim(&self, raw: Spanned<RawClaim>, arms: &[Arm]) -> Found<Claim> {
        let span = raw.span();
        let raw = raw.into_inner();
        let arm = known_arm(arms, "arm", &raw.arm)?;
        let to = match (&raw.of, &raw.than) {
            (None, None) => Comparison::None,
            (Some(of), None) => Comparison::RatioTo(known_arm(arms, "of", of)?),
            (None, Some(than)) => Comparison::DifferenceFrom(known_arm(arms, "than", than)?),
            (Some(_), Some(_)) => {
                let why = "a claim is about a ratio (`of`) or a difference (`than`)";
                return Err((Some(span), Fault::Contradiction { arm, why }));
            }
        };
        if raw.at_least.or(raw.at_most).is_none() {
            return Err((Some(span), Fault::Missing { key: "at_least or at_most", of: "this claim".to_owned() }));
        }
        let own = arms.iter().find(|a| a.name == arm).map_or(Metric::default(), |a| a.metric);
        let metric = raw.metric.unwrap_or(own);
        for claimed in arms.iter().filter(|a| a.name == arm || to.arm() == Some(&a.name)) {
            let of_loader = loader_arm::metric_contradiction(claimed.loader.is_some(), metric);
            let of_system = system_arm::metric_contradiction(claimed.into(), metric);
            if let Some(why) = of_system.or(of_loader) {
                return Err((Some(span), Fault::Contradiction { arm: claimed.name.clone(), why }));
            }
        }
        Ok(Claim { text: raw.text, arm, to, at_least: raw.at_least, at_most: raw.at_most, metric })
    }

    /// A series takes precedence over a file of that name, so that the experiment means the same in any folder; a file over a
    /// kernel that was built here, because any word may be the name of one.
    fn image(&self, text: &str) -> Image {
        let file = self.next_to(text);
        match text.parse() {
            Ok(NamedKernel::Stock(name)) => Image::Stock(name),
            Ok(NamedKernel::Built { arch, name }) if !file.is_file() => Image::Built { arch, name },
            _ => Image::File(file),
        }
    }

    fn module(&self, text: &Spanned<String>) -> Found<Module> {
        let module: Module = text.as_ref().parse().map_err(|e| bad("modules", text, &format!("a module ({e})")))?;
        let path = if module.own_name().is_some() { module.path } else { self.next_to(&module.path) };
        Ok(Module { path, ..module })
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

fn added_memory(n: &Spanned<u32>) -> Found<u32> {
    let mib = within("added_memory_mib", n, 0..=1 << 20)?;
    if mib % ADDED_MEMORY_BLOCK_MIB == 0 {
        return Ok(mib);
    }
    let expected = format!("a multiple of {ADDED_MEMORY_BLOCK_MIB}, the block in which a kernel adds it");
    Err((Some(n.span()), Fault::BadValue { key: "added_memory_mib", value: mib.to_string(), expected }))
}

fn instruction_time(n: &Spanned<u32>) -> Found<InstructionTime> {
    let bad = |_| {
        let expected = "1, 2, 4, 8, 16 or 32".to_owned();
        (Some(n.span()), Fault::BadValue { key: "instruction_ns", value: n.as_ref().to_string(), expected })
    };
    InstructionTime::try_from(*n.as_ref()).map_err(bad)
}

fn baud(n: &Spanned<u32>) -> Found<Baud> {
    let value = within("baud", n, MIN_BAUD..=MAX_BAUD)?;
    Ok(Baud::new(value).expect("the lab's slowest line is faster than none"))
}

fn loader_of(
    loader: Loader,
    delay: &Option<Spanned<u32>>,
    quiet: Option<bool>,
    gzip: Option<bool>,
) -> Found<ArmLoader> {
    let delay = delay.as_ref().map(|n| within("loader_delay", n, 0..=600)).transpose()?;
    let setup = LoaderSetup { delay, quiet: quiet.unwrap_or(false), gzip: gzip.unwrap_or(false) };
    Ok(ArmLoader { loader, setup })
}

fn root_changes(files: BTreeMap<Spanned<String>, String>, without: Vec<Spanned<String>>) -> Found<RootChanges> {
    let path = |key, path: Spanned<String>| match RootChanges::check(path.as_ref()) {
        Ok(()) => Ok(path.into_inner()),
        Err(_) => Err(bad(key, &path, "a path in the root, such as etc/fstab")),
    };
    Ok(RootChanges {
        files: files
            .into_iter()
            .map(|(p, text)| Ok((path("root_files", p)?, text.into_bytes())))
            .collect::<Found<_>>()?,
        without: without.into_iter().map(|p| path("root_without", p)).collect::<Found<_>>()?,
    })
}

fn marker(text: &Spanned<String>) -> Found<String> {
    match Regex::new(text.as_ref()) {
        Ok(_) => Ok(text.as_ref().clone()),
        Err(e) => Err(bad("marker", text, &format!("a regular expression ({e})"))),
    }
}

fn known_arm(arms: &[Arm], key: &'static str, name: &Spanned<String>) -> Found<String> {
    let text = name.as_ref();
    if arms.iter().any(|a| a.name == *text) {
        return Ok(text.clone());
    }
    let nearest = nearest(text, arms.iter().map(|a| a.name.as_str()));
    Err((Some(name.span()), Fault::NoSuchArm { key, arm: text.clone(), nearest }))
}

/// `is_whole`: a whole system boots, so that its units can change as well.
fn change(list: &[Spanned<String>], is_whole: bool) -> Found<WholeChange> {
    let mut change = WholeChange::default();
    for text in list {
        let setting = text.as_ref().parse::<AnySetting>();
        let setting = setting.map_err(|e| bad("predict", text, &format!("a setting ({e})")))?;
        if matches!(setting, AnySetting::Whole(_)) && !is_whole {
            return Err(bad("predict", text, "a setting of the console, without a `system`"));
        }
        change.add(setting).map_err(|e| (Some(text.span()), Fault::Contradicting(e)))?;
    }
    Ok(change)
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
