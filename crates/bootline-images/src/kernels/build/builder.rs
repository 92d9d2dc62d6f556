// SPDX-License-Identifier: MIT OR Apache-2.0
//! Building a kernel into the cache.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bootline_kbuild::{KernelConfig, SymbolValue};
use sha2::{Digest, Sha256};

use super::base::ConfigBase;
use super::config_check::{configure, defconfig, values, wanted};
use super::error::KernelBuildError;
use super::estimate::{bytes, count_objects, left, rate};
use super::make::Make;
use super::progress::KernelBuildProgress;
use super::request::{KernelBuild, image, kernel_arch};
use super::source::{KernelSource, SourceName, Sources, remove};
use super::tools;
use crate::hex::hex;
use crate::host_tools::PATH;
use crate::kernels::built::BuiltKernel;
use crate::kernels::entry::{self, CONFIG, Kernel, KernelManifest, VMLINUZ};
use crate::kernels::series::{Flavour, Series};
use crate::kernels::store::Store;
use crate::lock_file::lock_file;

const SYSTEM_MAP: &str = "System.map";

/// Builds a kernel and puts it into the cache, where it replaces one of the same name. A build that was interrupted goes on where it was.
/// `cancel` ends it early, within a second or so.
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
    if matches!(build.source, SourceName::Series(_)) {
        tools::check(build, None)?;
    }
    let root = store.root().join("build");
    fs::create_dir_all(&root).map_err(KernelBuildError::file("create", &root))?;
    if root.to_string_lossy().contains([' ', ':', '\t', '\n']) {
        return Err(KernelBuildError::Path { path: root });
    }
    let folder = root.join(format!("{}-{}", build.arch, build.name));
    let lock = root.join(format!("{}-{}.lock", build.arch, build.name));
    let _lock = lock_file(&lock, || progress(KernelBuildProgress::Waiting))
        .map_err(|(action, e)| KernelBuildError::file(action, &lock)(e))?;
    let source = Sources { root: &root, mirror: store.mirror() }.get(&build.source, progress)?;
    tools::check(build, Some(&source.folder))?;
    let base = base_text(store, build, &source, progress)?;
    let wanted = wanted(build, base.as_deref())?;
    let compiler = tools::compiler(build);
    let recipe = recipe(&[&source.label, &compiler, &wanted.all.to_text(), image(build.arch).0]);
    let place = store.built_folder(build.arch, &build.name);
    if let Some(kernel) = entry::verify(&place).ok().filter(|_| source.fixed) {
        if kernel.built.as_ref().is_some_and(|built| built.recipe == recipe) {
            return Ok(kernel);
        }
    }
    let work = Work::open(&folder, &source, progress)?;
    let words = build.words(&work.out);
    let date = date_of(&source);
    let make = Make { source: &source.folder, folder: &folder, words: &words, date: &date, cancel };
    let config = configure(build, &wanted, &work.out, &make, progress)?;
    let values = values(&config);
    tools::check_for(&values)?;
    let compiled = compile(build, &source, &values, &work, &make, progress)?;
    let built = BuiltKernel {
        name: build.name.clone(),
        source: source.label.clone(),
        base: build.base.to_string(),
        fragments: build.fragments.iter().map(ToString::to_string).collect(),
        compiler,
        recipe,
        modules_sha256: String::new(),
        objects: compiled.objects,
        seconds: compiled.time.as_secs(),
        jobs: build.jobs,
    };
    let fresh = collect(build, &source, &values, &work, &make, built, progress)?;
    let parent = place.parent().unwrap_or(&place);
    fs::create_dir_all(parent).map_err(KernelBuildError::file("create", parent))?;
    remove(&place)?;
    fs::rename(&fresh, &place).map_err(KernelBuildError::file("write", &place))?;
    entry::verify(&place).map_err(|damage| {
        let source = std::io::Error::other(damage.reason);
        KernelBuildError::File { action: "read back", path: damage.path, source }
    })
}

/// The text of a base other than tiny.
fn base_text(
    store: &Store,
    build: &KernelBuild,
    source: &KernelSource,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<Option<String>, KernelBuildError> {
    let path = match &build.base {
        ConfigBase::Tiny => return Ok(None),
        ConfigBase::Defconfig => return defconfig(&source.folder, build.arch).map(Some),
        ConfigBase::File(path) => path.clone(),
        ConfigBase::Stock => {
            let series = Series { version: source.series, flavour: Flavour::Standard };
            let kernel = store.fetch(series, build.arch, &mut |p| progress(KernelBuildProgress::Fetching(p)));
            let kernel = kernel.map_err(|error| KernelBuildError::NoStockConfig {
                arch: build.arch,
                series: series.to_string(),
                source: Box::new(error),
            })?;
            kernel.config_path.ok_or(KernelBuildError::StockWithoutConfig { release: kernel.release })?
        }
    };
    fs::read_to_string(&path).map(Some).map_err(|source| KernelBuildError::Fragment { path, source })
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

    /// The number of objects that earlier runs compiled.
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

/// Puts what a build made into a folder of its own, ready to be renamed.
fn collect(
    build: &KernelBuild,
    source: &KernelSource,
    config: &KernelConfig,
    work: &Work,
    make: &Make<'_>,
    built: BuiltKernel,
    progress: &mut dyn FnMut(KernelBuildProgress),
) -> Result<PathBuf, KernelBuildError> {
    let fresh = work.folder.join("kernel");
    remove(&fresh)?;
    fs::create_dir_all(&fresh).map_err(KernelBuildError::file("create", &fresh))?;
    let (_, image) = image(build.arch);
    for (from, to) in [(image.as_path(), VMLINUZ), (Path::new(".config"), CONFIG), (Path::new(SYSTEM_MAP), SYSTEM_MAP)]
    {
        let from = work.out.join(from);
        fs::copy(&from, fresh.join(to)).map_err(KernelBuildError::file("copy", &from))?;
    }
    let path = work.out.join("include/config/kernel.release");
    let release = fs::read_to_string(&path).map_err(KernelBuildError::file("read", &path))?.trim().to_owned();
    let installed = fresh.join("modules");
    let modules = installed.join("lib/modules").join(&release);
    if config.value("MODULES") != SymbolValue::Absent {
        progress(KernelBuildProgress::InstallingModules);
        let to = format!("INSTALL_MOD_PATH={}", installed.display());
        // The systems that load modules by name have a depmod of their own.
        let what = format!("copying the modules of {}", build.label());
        make.run("modules", what, &[&to, "INSTALL_MOD_STRIP=1", "DEPMOD=true", "modules_install"])?;
        for link in ["build", "source"] {
            _ = fs::remove_file(modules.join(link));
        }
    }
    // One without modules has the folder, too: its place in the root of a system.
    let kernel = modules.join("kernel");
    fs::create_dir_all(&kernel).map_err(KernelBuildError::file("create", &kernel))?;
    let rt = config.value("PREEMPT_RT") != SymbolValue::Absent;
    let sha256_of = |name: &str| {
        let path = fresh.join(name);
        entry::sha256_of(&path).map_err(KernelBuildError::file("read", &path))
    };
    let manifest = KernelManifest {
        arch: build.arch,
        series: Series { version: source.series, flavour: if rt { Flavour::Rt } else { Flavour::Standard } },
        package: "built here".to_owned(),
        version: source.label.clone(),
        release,
        suite: "built here".to_owned(),
        sha256: sha256_of(VMLINUZ)?,
        config_sha256: Some(sha256_of(CONFIG)?),
        built: Some(BuiltKernel { modules_sha256: sha256_of_tree(&modules)?, ..built }),
    };
    entry::seal(&fresh, &manifest)?;
    Ok(fresh)
}

/// SHA-256 of all files below a folder, with their paths.
fn sha256_of_tree(folder: &Path) -> Result<String, KernelBuildError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = || KernelBuildError::file("read", &folder);
        for entry in fs::read_dir(&folder).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let is_dir = entry.file_type().map_err(failed())?.is_dir();
            if is_dir { &mut folders } else { &mut files }.push(entry.path());
        }
    }
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        let sha256 = entry::sha256_of(&file).map_err(KernelBuildError::file("read", &file))?;
        hasher.update(format!("{sha256} {}\n", file.strip_prefix(folder).unwrap_or(&file).display()));
    }
    Ok(hex(hasher.finalize()))
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
