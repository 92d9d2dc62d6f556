// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building a kernel into the cache.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bootline_kbuild::{ConfigFragment, KernelConfig, SymbolValue};
use sha2::{Digest, Sha256};

use super::base::ConfigBase;
use super::collect::{Collected, collect};
use super::config_check::{FinishedConfig, configure, defconfig, values, wanted};
use super::error::KernelBuildError;
use super::estimate::{bytes, count_objects, left, rate};
use super::fragment::{FragmentName, base_of};
use super::make::Make;
use super::progress::KernelBuildProgress;
use super::request::{KernelBuild, image, kernel_arch};
use super::source::{KernelSource, Sources, check_path, remove};
use super::source_name::SourceName;
use super::tools;
use crate::hex::hex;
use crate::host_tools::PATH;
use crate::kernels::built::BuiltKernel;
use crate::kernels::entry::Kernel;
use crate::kernels::series::{Flavour, Series};
use crate::kernels::store::Store;
use crate::lock_file::lock_file;

/// Builds a kernel and puts it into the cache, where it counts instead of an earlier one of the same name; the one before it stays in place
/// for experiments that use it. A build that was interrupted goes on where it was.
///
/// `cancel` ends it early: within a second, except that make gets up to 20 seconds to end its compilers, and apt to end by itself what
/// it is downloading (a signal from a terminal reaches it as well).
///
/// # Errors
/// It can't be built here, or as asked for; or it was interrupted.
pub fn build(
    store: &Store,
    build: &KernelBuild,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<Kernel, KernelBuildError> {
    if !build.arch.has_kernel_builds() {
        return Err(KernelBuildError::Arch { arch: build.arch });
    }
    // A bad request is refused before anything is fetched.
    let fragments = build.fragments.iter().map(FragmentName::read).collect::<Result<Vec<_>, _>>()?;
    let own_base = match &build.base {
        ConfigBase::File(path) => Some(base_of(path)?),
        ConfigBase::Tiny | ConfigBase::Stock | ConfigBase::Defconfig => None,
    };
    if matches!(build.source, SourceName::Series(_)) {
        tools::check(build, None)?;
    }
    let root = store.root().join("build");
    fs::create_dir_all(&root).map_err(KernelBuildError::file("create", &root))?;
    check_path(&root)?;
    let sources = Sources { root: &root, mirror: store.mirror(), arch: build.arch, cancel };
    let source = sources.get(&build.source, progress)?;
    tools::check(build, Some(&source.folder))?;
    let base = match build.base {
        ConfigBase::Tiny | ConfigBase::File(_) => own_base,
        ConfigBase::Defconfig => Some(defconfig(&source.folder, build.arch)?),
        ConfigBase::Stock => Some(stock_config(store, build, &source, progress)?),
    };
    let folder = root.join(format!("{}-{}", build.arch, build.name));
    let lock = root.join(format!("{}-{}.lock", build.arch, build.name));
    let held = lock_file(&lock, || progress(KernelBuildProgress::Waiting))
        .map_err(|(action, e)| KernelBuildError::file(action, &lock)(e))?;
    let wanted = wanted(build, base, &fragments);
    let compiler = tools::compiler(build);
    let recipe = recipe(&[&source.label, &compiler, wanted.target, &wanted.all.to_text(), image(build.arch).0]);
    if let Some(kernel) = store.built(&build.name, Some(build.arch)).ok().filter(|_| source.fixed) {
        if kernel.built.as_ref().is_some_and(|built| built.recipe == recipe) {
            return Ok(kernel);
        }
    }
    let work = Work::open(&folder, &source, progress)?;
    let words = build.words(&work.out);
    let date = date_of(&source);
    let make = Make { source: &source.folder, folder: &folder, words: &words, date: &date, lock: &held, cancel };
    let FinishedConfig { config, is_unchanged } = configure(build, &wanted, &work.out, &make, progress)?;
    if !is_unchanged {
        // Nobody knows how much of what is there has to be compiled again.
        work.keep_objects(0);
    }
    let values = values(&config);
    tools::check_for(&values)?;
    let compiled = compile(build, &source, &values, &work, &make, progress)?;
    let built = BuiltKernel {
        name: build.name.clone(),
        from: build.source.from(),
        source: source.label.clone(),
        base: build.base.to_string(),
        fragments: build.fragments.iter().map(ToString::to_string).collect(),
        compiler,
        recipe,
        modules_sha256: String::new(),
        objects: compiled.objects,
        compile_ns: compiled.time.as_nanos().try_into().unwrap_or(u64::MAX),
        jobs: build.jobs,
    };
    let job = Collected { build, source: &source, config: &values, folder: &folder, out: &work.out, make: &make };
    let fresh = collect(&job, built, progress)?;
    let kernel = store.keep_built(build.arch, &build.name, &fresh)?;
    // The next build counts its own.
    work.keep_objects(0);
    Ok(kernel)
}

/// Debian's configuration of the source's series.
fn stock_config(
    store: &Store,
    build: &KernelBuild,
    source: &KernelSource,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<ConfigFragment, KernelBuildError> {
    let series = Series { version: source.series, flavour: Flavour::Standard };
    let kernel = store.fetch(series, build.arch, &mut |p| progress(KernelBuildProgress::Fetching(p)));
    let kernel = kernel.map_err(|error| KernelBuildError::NoStockConfig {
        arch: build.arch,
        series: series.to_string(),
        source: Box::new(error),
    })?;
    let path = kernel.config_path.ok_or(KernelBuildError::StockWithoutConfig { release: kernel.release })?;
    let text = fs::read_to_string(&path).map_err(KernelBuildError::file("read", &path))?;
    Ok(ConfigFragment::parse(&text))
}

/// The folder of a build.
struct Work {
    folder: PathBuf,
    /// What make writes.
    out: PathBuf,
}

impl Work {
    /// A folder for this source: empty, or as an earlier build left it.
    fn open(
        folder: &Path,
        source: &KernelSource,
        progress: &mut dyn FnMut(KernelBuildProgress),
    ) -> Result<Work, KernelBuildError> {
        let stamp = folder.join("source");
        let own = source.folder.to_string_lossy().into_owned();
        if folder.is_dir() && fs::read_to_string(&stamp).is_ok_and(|before| before != own) {
            progress(KernelBuildProgress::OtherSource { folder: folder.to_owned() });
            remove(folder)?;
        }
        let out = folder.join("out");
        fs::create_dir_all(&out).map_err(KernelBuildError::file("create", &out))?;
        fs::write(&stamp, own).map_err(KernelBuildError::file("write", &stamp))?;
        Ok(Work { folder: folder.to_owned(), out })
    }

    /// The number of objects that earlier runs of this build compiled.
    fn objects(&self) -> u64 {
        fs::read_to_string(self.folder.join("objects")).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    fn keep_objects(&self, objects: u64) {
        // Without it only the next estimate is worse.
        _ = fs::write(self.folder.join("objects"), format!("{objects}\n"));
    }
}

struct Compiled {
    objects: u64,
    time: Duration,
}

fn compile(
    build: &KernelBuild,
    source: &KernelSource,
    config: &KernelConfig,
    work: &Work,
    make: &Make<'_>,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<Compiled, KernelBuildError> {
    let of = count_objects(&source.folder, config, kernel_arch(build.arch));
    let before = work.objects();
    let jobs = format!("-j{}", build.jobs);
    let began = Instant::now();
    let mut done = 0;
    if before == 0 {
        progress(KernelBuildProgress::Measuring);
        let what = || format!("preparing {}", build.label());
        make.run("prepare", what(), &[&jobs, "prepare"])?;
        let measured = Instant::now();
        make.watch("first", what(), &[&jobs, "init/"], &mut |objects| done = objects)?;
        work.keep_objects(done);
        let time = measured.elapsed();
        if let (Some(rate), Some(time)) = (rate(done, time), left(done, time, of)) {
            let bytes = bytes(of);
            progress(KernelBuildProgress::Estimated { objects: of, rate, jobs: build.jobs, time, bytes });
        }
    } else {
        progress(KernelBuildProgress::Continuing { folder: work.folder.clone(), objects: before });
    }
    let modules = config.value("MODULES") != SymbolValue::Absent;
    let mut words = vec![jobs.as_str(), image(build.arch).0];
    words.extend(modules.then_some("modules"));
    let start = Instant::now();
    let earlier = before.max(done);
    let mut compiled = earlier;
    let ended = make.watch("compile", format!("compiling {}", build.label()), &words, &mut |objects| {
        compiled = earlier + objects;
        let left = left(objects, start.elapsed(), of.saturating_sub(earlier));
        progress(KernelBuildProgress::Compiling { objects: compiled, of, left });
    });
    work.keep_objects(compiled);
    ended?;
    Ok(Compiled { objects: compiled, time: began.elapsed() })
}

/// The date that the kernel says it was built on: the source's, so that the same source gives the same kernel.
fn date_of(source: &KernelSource) -> String {
    let mut command = Command::new("date");
    command.args(["-u", "+%F", "-r"]).arg(source.folder.join("Makefile")).env("PATH", PATH).env("LC_ALL", "C");
    let output = command.output().map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    output.ok().filter(|date| !date.is_empty()).unwrap_or_else(|| "1970-01-01".to_owned())
}

fn recipe(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hex(hasher.finalize())
}
