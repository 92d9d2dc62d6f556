// SPDX-License-Identifier: MIT OR Apache-2.0
//! An experiment: its arms, and the claims about them. docs/experiments.md explains every key.
use std::fmt;
use std::path::PathBuf;

use bootline_analysis::whole_change::WholeChange;
use bootline_capture::units::Baud;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metric::Metric;
use crate::boot::LoaderSetup;
use crate::cpu_model::CpuModel;
use crate::machine::InstructionTime;
use crate::module::Module;
use crate::storage::StoragePreset;
use bootline_images::arch::Arch;
use bootline_images::hardware::{Bus, Hardware};
use bootline_images::image_format::ImageFormat;
use bootline_images::kernels::{BuiltName, KernelName};
use bootline_images::loaders::Loader;
use bootline_images::systems::{RootChanges, RootState, System};

/// A checked experiment: every name in it exists, every value is in range.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its file; `-` if it was not read from one.
    pub path: PathBuf,
    /// The file's text, which a results folder keeps.
    pub source: String,
    /// The file's stem.
    pub name: String,
    /// The question.
    pub about: String,
    /// Which of the five source documents has figures for it.
    pub seed: Option<u8>,
    /// Runs for each arm.
    pub runs: u32,
    /// Runs that come first and are discarded.
    pub warm_up: u32,
    /// How often a run is tried until it is valid.
    pub attempts: u32,
    /// Seed of the order of the runs; drawn if not given.
    pub random_seed: Option<u64>,
    /// The arm that ratios refer to.
    pub base: Option<String>,
    /// What `--quick` changes.
    pub quick: Quick,
    /// At least one; names differ.
    pub arms: Vec<Arm>,
    /// The claims about the arms.
    pub claims: Vec<Claim>,
}

/// What `--quick` changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quick {
    /// Runs for each arm.
    pub runs: Option<u32>,
    /// Only the arms that match one of these patterns; `*` matches anything.
    pub arms: Option<Vec<String>>,
}

/// One way to boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Name of the arm, which becomes part of a folder's name.
    pub name: String,
    /// What boots.
    pub image: Image,
    /// Whether a series that is gone may be replaced by the nearest one that behaves the same.
    pub nearest: bool,
    /// Speed of the line; none if instructions are counted.
    pub baud: Option<Baud>,
    /// Parameters for the kernel command line.
    pub append: String,
    /// Processors.
    pub smp: u32,
    /// The model of the processor; none for the lab's choice.
    pub cpu_model: Option<CpuModel>,
    /// Memory in MiB.
    pub memory_mib: u32,
    /// A whole system instead of the lab's small initramfs.
    pub system: Option<ArmSystem>,
    /// The console line whose time is recorded, and at which a root of one's own has booted: a regular expression.
    pub marker: Option<String>,
    /// A boot loader that boots the kernel.
    pub loader: Option<ArmLoader>,
    /// An initramfs instead of the lab's.
    pub initrd: Option<PathBuf>,
    /// Whether there is an initramfs: without one, the kernel mounts the root of the system itself.
    pub initramfs: bool,
    /// A device tree instead of QEMU's.
    pub dtb: Option<PathBuf>,
    /// Modules that the lab's init loads, in order.
    pub modules: Vec<Module>,
    /// Count instructions, without a console.
    pub icount: bool,
    /// The time of an instruction, if they are counted; none for the lab's own.
    pub instruction_time: Option<InstructionTime>,
    /// Count the accesses to the port's registers.
    pub trace_registers: bool,
    /// Lines that the lab's init prints, and times, after the boot.
    pub lines: Option<u32>,
    /// What is measured.
    pub metric: Metric,
    /// The settings that turn the arm of `predict_from` into this one; none to derive them from the differences, an
    /// empty change to predict nothing.
    pub predict: Option<WholeChange>,
    /// The arm that this one is predicted from, if not the base.
    pub predict_from: Option<String>,
    /// The published figure.
    pub published: Option<Published>,
    /// The published saving.
    pub published_saving: Option<PublishedSaving>,
}

/// A whole system, and what it is stored on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArmSystem {
    /// Its root file system.
    pub root: ArmRoot,
    /// The state of its root when the boot begins; one of the user's own is booted as it is.
    pub state: RootState,
    /// What is changed in a copy of its image.
    pub changes: RootChanges,
    /// The form of a lab system's image.
    pub format: ImageFormat,
    /// The bus of its root's disk, and what the machine has besides.
    pub hardware: Hardware,
    /// The storage that its root is on; none for as fast as the host is.
    pub storage: Option<StoragePreset>,
    /// Memory that a driver adds while it runs, in MiB.
    pub added_memory_mib: u32,
}

impl ArmSystem {
    /// The bus of its disk; none where only the root itself says what it needs.
    pub fn bus(&self) -> Option<Bus> {
        let natural = self.root.system().map(|_| self.hardware.bus_of(self.format.file_system()));
        self.hardware.bus.or(natural)
    }
}

/// A root file system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArmRoot {
    /// A system of the lab.
    Lab(System),
    /// One of the user's own.
    Own {
        /// An image, a disk with partitions, or an archive.
        path: PathBuf,
        /// The partition of that disk, if it is stated.
        partition: Option<u32>,
    },
}

impl ArmRoot {
    /// The lab's system, if it is one.
    pub fn system(&self) -> Option<System> {
        match self {
            ArmRoot::Lab(system) => Some(*system),
            ArmRoot::Own { .. } => None,
        }
    }
}

/// A boot loader, and how it is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArmLoader {
    /// The loader.
    pub loader: Loader,
    /// How it is set up.
    pub setup: LoaderSetup,
}

/// What boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image {
    /// The newest stock kernel of a series.
    Stock(KernelName),
    /// One that was built here.
    Built {
        /// The architecture, if named.
        arch: Option<Arch>,
        /// Its name.
        name: BuiltName,
    },
    /// A file.
    File(PathBuf),
}

/// A figure that somebody published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Value, in seconds.
    pub value_s: f64,
    /// What was measured, on which machine.
    pub what: String,
}

/// What somebody has published that a change saves.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PublishedSaving {
    /// In seconds.
    pub saves_s: f64,
    /// The arm without the change.
    pub of: String,
    /// What was changed, on which machine.
    pub what: String,
}

/// What an arm's value is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// With nothing: the claim is about the value itself.
    None,
    /// With this arm's, by their ratio.
    RatioTo(String),
    /// With this arm's, by their difference.
    DifferenceFrom(String),
}

impl Comparison {
    /// The other arm, if there is one.
    pub fn arm(&self) -> Option<&str> {
        match self {
            Comparison::None => None,
            Comparison::RatioTo(arm) | Comparison::DifferenceFrom(arm) => Some(arm),
        }
    }
}

/// A claim about the ratio of two arms, about their difference, or about one arm's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// In words.
    pub text: String,
    /// The arm that it is about.
    pub arm: String,
    /// What that is compared with.
    pub to: Comparison,
    /// Lower limit of the ratio, the difference or the value; the latter two in seconds if they are times.
    pub at_least: Option<f64>,
    /// Upper limit.
    pub at_most: Option<f64>,
    /// The metric of both arms.
    pub metric: Metric,
}

impl Experiment {
    /// The arm of this name.
    pub fn arm(&self, name: &str) -> Option<&Arm> {
        self.arms.iter().find(|a| a.name == name)
    }

    /// Whether a module times something in the guest of any arm.
    pub fn has_module_times(&self) -> bool {
        let mut metrics = self.arms.iter().map(|a| a.metric).chain(self.claims.iter().map(|c| c.metric));
        metrics.any(|metric| metric.module().is_some())
    }
}

impl fmt::Display for Image {
    /// As in an experiment file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Image::Stock(KernelName { arch: Some(arch), series }) => write!(f, "{arch}:{series}"),
            Image::Stock(KernelName { arch: None, series }) => series.fmt(f),
            Image::Built { arch: Some(arch), name } => write!(f, "{arch}:{name}"),
            Image::Built { arch: None, name } => name.fmt(f),
            Image::File(path) => path.display().fmt(f),
        }
    }
}
