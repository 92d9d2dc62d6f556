// SPDX-License-Identifier: MIT OR Apache-2.0
//! A real kernel, as it comes from the host's Debian mirror into the cache. How the store fetches, and what becomes of
//! fetches at the same time, is tested against a made-up mirror (`src/kernels/mirror_tests.rs`).
use std::fs;

use bootline_images::arch::Arch;
use bootline_testkit::seed_kernel;

#[test]
fn a_kernel_of_debians_is_what_its_series_says() {
    let cache = tempfile::tempdir().unwrap();
    let kernel = seed_kernel(cache.path(), Arch::Amd64, "6.12-rt");
    assert!(kernel.path.starts_with(cache.path().canonicalize().unwrap()), "{}", kernel.path.display());
    let image = fs::read(&kernel.path).unwrap();
    // The boot protocol's magic, Documentation/arch/x86/boot.rst.
    assert_eq!(&image[0x202..0x206], b"HdrS");
    let number = format!("{}.", kernel.series.version);
    assert!(kernel.rt && kernel.release.starts_with(&number) && kernel.version.starts_with(&number), "{kernel:?}");
    let config = fs::read_to_string(kernel.config_path.as_ref().unwrap()).unwrap();
    assert!(config.contains("CONFIG_PREEMPT_RT=y\n"));
}
