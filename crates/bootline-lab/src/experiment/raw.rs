// SPDX-License-Identifier: MIT OR Apache-2.0
//! An experiment file as written: every key, nothing resolved yet.
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Spanned;

use super::definition::Published;
use super::metric::Metric;
use crate::cpu_model::CpuModel;
use crate::storage::StoragePreset;
use bootline_images::hardware::{Absent, Bus};
use bootline_images::image_format::ImageFormat;
use bootline_images::loaders::Loader;
use bootline_images::systems::{RootState, System};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExperiment {
    pub name: Spanned<String>,
    pub about: String,
    pub seed: Option<u8>,
    pub runs: Option<Spanned<u32>>,
    pub warm_up: Option<Spanned<u32>>,
    pub attempts: Option<Spanned<u32>>,
    pub random_seed: Option<u64>,
    pub metric: Option<Metric>,
    pub base: Option<Spanned<String>>,
    #[serde(default)]
    pub defaults: RawArm,
    #[serde(default)]
    pub quick: RawQuick,
    #[serde(default)]
    pub arm: Vec<Spanned<RawArm>>,
    #[serde(default)]
    pub matrix: Vec<Spanned<RawMatrix>>,
    #[serde(default)]
    pub claim: Vec<Spanned<RawClaim>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawQuick {
    pub runs: Option<Spanned<u32>>,
    pub arms: Option<Vec<Spanned<String>>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawArm {
    pub name: Option<Spanned<String>>,
    pub kernel: Option<Spanned<String>>,
    pub nearest: Option<bool>,
    pub baud: Option<Spanned<u32>>,
    pub append: Option<String>,
    pub smp: Option<Spanned<u32>>,
    pub memory_mib: Option<Spanned<u32>>,
    pub added_memory_mib: Option<Spanned<u32>>,
    pub cpu_model: Option<CpuModel>,
    pub system: Option<System>,
    pub root: Option<String>,
    pub root_partition: Option<Spanned<u32>>,
    pub root_state: Option<RootState>,
    pub root_files: Option<BTreeMap<Spanned<String>, String>>,
    pub root_without: Option<Vec<Spanned<String>>>,
    pub marker: Option<Spanned<String>>,
    pub storage: Option<StoragePreset>,
    pub file_system: Option<ImageFormat>,
    pub bus: Option<Bus>,
    pub absent: Option<BTreeSet<Absent>>,
    pub loader: Option<Loader>,
    pub loader_delay: Option<Spanned<u32>>,
    pub loader_quiet: Option<bool>,
    pub loader_gzip: Option<bool>,
    pub initrd: Option<String>,
    pub initramfs: Option<bool>,
    pub dtb: Option<String>,
    pub modules: Option<Vec<Spanned<String>>>,
    pub icount: Option<bool>,
    pub instruction_ns: Option<Spanned<u32>>,
    pub trace_registers: Option<bool>,
    pub lines: Option<Spanned<u32>>,
    pub metric: Option<Metric>,
    pub predict: Option<Vec<Spanned<String>>>,
    pub predict_from: Option<Spanned<String>>,
    pub published: Option<Published>,
    pub published_saving: Option<RawSaving>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSaving {
    pub saves_s: f64,
    pub of: Spanned<String>,
    pub what: String,
}

impl RawArm {
    /// This arm, with the defaults for missing keys.
    pub fn over(self, defaults: RawArm) -> RawArm {
        RawArm {
            name: self.name,
            kernel: self.kernel.or(defaults.kernel),
            nearest: self.nearest.or(defaults.nearest),
            // An arm that counts instructions has no line, so the default speed does not apply.
            baud: self.baud.or(defaults.baud.filter(|_| self.icount != Some(true))),
            append: self.append.or(defaults.append),
            smp: self.smp.or(defaults.smp),
            memory_mib: self.memory_mib.or(defaults.memory_mib),
            added_memory_mib: self.added_memory_mib.or(defaults.added_memory_mib),
            cpu_model: self.cpu_model.or(defaults.cpu_model),
            // An arm that names the one does not have the default of the other.
            system: self.system.or(defaults.system.filter(|_| self.root.is_none())),
            root: self.root.clone().or(defaults.root.filter(|_| self.system.is_none())),
            root_partition: self
                .root_partition
                .or(defaults.root_partition.filter(|_| self.system.is_none() && self.root.is_none())),
            // An arm with a root of its own does not have the default of a system's.
            root_state: self.root_state.or(defaults.root_state.filter(|_| self.root.is_none())),
            root_files: self.root_files.or(defaults.root_files.filter(|_| self.root.is_none())),
            root_without: self.root_without.or(defaults.root_without.filter(|_| self.root.is_none())),
            marker: self.marker.or(defaults.marker.filter(|_| self.system.is_none())),
            storage: self.storage.or(defaults.storage),
            // That of the lab's systems: a root of one's own has what it has.
            file_system: self.file_system.or(defaults.file_system.filter(|_| self.root.is_none())),
            bus: self.bus.or(defaults.bus),
            absent: self.absent.or(defaults.absent),
            loader: self.loader.or(defaults.loader),
            // A quiet loader waits for no key, so the default delay does not apply.
            loader_delay: self.loader_delay.or(defaults.loader_delay.filter(|_| self.loader_quiet != Some(true))),
            loader_quiet: self.loader_quiet.or(defaults.loader_quiet),
            loader_gzip: self.loader_gzip.or(defaults.loader_gzip),
            initrd: self.initrd.or(defaults.initrd),
            initramfs: self.initramfs.or(defaults.initramfs.filter(|_| self.root.is_none())),
            dtb: self.dtb.or(defaults.dtb),
            modules: self.modules.or(defaults.modules),
            icount: self.icount.or(defaults.icount),
            instruction_ns: self.instruction_ns.or(defaults.instruction_ns.filter(|_| self.icount != Some(false))),
            trace_registers: self.trace_registers.or(defaults.trace_registers),
            lines: self.lines.or(defaults.lines),
            metric: self.metric.or(defaults.metric),
            predict: self.predict.or(defaults.predict),
            predict_from: self.predict_from.or(defaults.predict_from),
            published: self.published.or(defaults.published),
            published_saving: self.published_saving.or(defaults.published_saving),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawClaim {
    pub text: String,
    pub arm: Spanned<String>,
    pub of: Option<Spanned<String>>,
    pub than: Option<Spanned<String>>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub metric: Option<Metric>,
}

/// The keys of a matrix. Kernels vary slowest, command lines fastest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMatrix {
    pub kernel: Vec<Spanned<String>>,
    #[serde(default)]
    pub smp: Vec<Spanned<u32>>,
    pub baud: Vec<Spanned<u32>>,
    /// Parameters for the command line, by the label that represents them in the arms' names.
    pub append: BTreeMap<String, String>,
    pub nearest: Option<bool>,
    pub memory_mib: Option<Spanned<u32>>,
    pub metric: Option<Metric>,
    pub predict_from: Option<Spanned<String>>,
}
