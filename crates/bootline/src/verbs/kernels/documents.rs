// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernels as JSON documents.
use bootline_images::kernels::{ConsoleClass, Kernel, Listing, Package, Row};
use bootline_report::{KernelBuildJson, KernelJson, KernelSeries, KernelsJson, OfferedKernel};

/// The kernels that there are, and those that were built here.
pub fn listing_json(listings: &[Listing], built: &[Kernel]) -> KernelsJson {
    let offered = |p: &Package| OfferedKernel {
        version: p.version.clone(),
        suite: p.suite.clone(),
        package: p.name.clone(),
        release: p.release.clone(),
        bytes: p.size,
    };
    let row = |row: &Row| KernelSeries {
        arch: row.arch.to_string(),
        series: row.series.to_string(),
        offered: row.offered.as_ref().map(offered),
        cached: row.cached.clone(),
        console: ConsoleClass::of(row.arch, row.series).to_string(),
    };
    KernelsJson {
        schema: "bootline-kernels/1",
        kernels: listings.iter().flat_map(|l| &l.rows).map(row).collect(),
        built: built.iter().map(kernel_json).collect(),
    }
}

/// One kernel.
pub fn kernel_json(kernel: &Kernel) -> KernelJson {
    KernelJson {
        schema: "bootline-kernel/1",
        arch: kernel.arch.to_string(),
        series: kernel.series.to_string(),
        rt: kernel.rt,
        release: kernel.release.clone(),
        package: kernel.package.clone(),
        version: kernel.version.clone(),
        suite: kernel.suite.clone(),
        path: kernel.path.to_string_lossy().into_owned(),
        config_path: kernel.config_path.as_ref().map(|path| path.to_string_lossy().into_owned()),
        sha256: kernel.sha256.clone(),
        built: kernel.built.as_ref().map(|built| KernelBuildJson {
            name: built.name.to_string(),
            source: built.source.clone(),
            base: built.base.clone(),
            fragments: built.fragments.clone(),
            compiler: built.compiler.clone(),
            objects: built.objects,
            compile_ns: built.compile_ns,
            jobs: built.jobs,
        }),
    }
}
