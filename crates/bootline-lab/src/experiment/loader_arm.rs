// SPDX-License-Identifier: MIT OR Apache-2.0
//! What goes with a boot loader in an arm, and what does not.
use bootline_images::arch::Arch;
use bootline_images::loaders::Loader;

use super::definition::Image;
use super::metric::Metric;
use super::raw::RawArm;

/// Why an arm contradicts itself, as far as its boot loader is concerned.
pub(super) fn contradiction(arm: &RawArm, image: &Image, metric: Metric) -> Option<&'static str> {
    let set_up = arm.loader_delay.is_some() || arm.loader_quiet.is_some() || arm.loader_gzip.is_some();
    let Some(loader) = arm.loader else {
        return set_up.then_some(
            "`loader_delay`, `loader_quiet` and `loader_gzip` are those of a `loader`, which it does not have",
        );
    };
    // An image's own architecture is checked when it is read.
    let foreign = match image {
        Image::Stock(name) => name.arch.unwrap_or(Arch::Amd64) != loader.arch(),
        Image::Built { arch, .. } => arch.is_some_and(|arch| arch != loader.arch()),
        Image::File(_) => false,
    };
    let predicted = arm.predict.as_ref().is_some_and(|list| !list.is_empty()) || arm.predict_from.is_some();
    let checks = [
        (foreign && loader.arch() == Arch::Arm64, "its `loader` boots arm64 kernels only: `kernel = \"arm64:SERIES\"`"),
        (foreign, "its `loader` boots amd64 kernels only: `kernel = \"SERIES\"`"),
        (arm.icount == Some(true), "a `loader` prints on a line, in real time: no `icount`"),
        (
            arm.loader_quiet == Some(true) && arm.loader_delay.is_some(),
            "a quiet loader waits for no key: no `loader_delay`",
        ),
        (
            arm.loader_gzip == Some(true) && loader != Loader::UBoot,
            "kernels for PCs decompress themselves: `loader_gzip` is for `loader = \"u-boot\"`",
        ),
        (
            predicted && arm.system.is_none(),
            "the boot of a `loader` is predicted only of a `system`: no `predict`, no `predict_from`",
        ),
    ];
    checks.into_iter().find_map(|(wrong, why)| wrong.then_some(why)).or_else(|| metric_contradiction(true, metric))
}

/// Why a metric can't be measured of an arm with a boot loader.
pub(super) fn metric_contradiction(loader: bool, metric: Metric) -> Option<&'static str> {
    match metric {
        _ if !loader => None,
        Metric::TimeToInit | Metric::LogComplete => Some(
            "`time-to-init` and `log-complete` count from the line's first byte, which is the loader's, or the kernel's if the \
             loader is quiet; `since-start` and `log-since-start` count from power-on",
        ),
        Metric::RegisterReadsPerByte => Some("`register-reads-per-byte` would count the loader's own"),
        _ => None,
    }
}
