// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole system, built and booted to its application. The image is built in the user's cache, where later runs find it.
use std::path::Path;
use std::sync::atomic::AtomicBool;

use bootline_images::arch::Arch;
use bootline_images::kernels::{Store, cache_folder};
use bootline_images::systems::{System, SystemStore};
use bootline_lab::boot::{BootRequest, RunVerdict, SystemBoot, SystemTruth, boot_valid, settle};
use bootline_lab::storage::StoragePreset;

fn boot(system: System, dir: &Path) -> (RunVerdict, SystemTruth) {
    let env = |name: &str| std::env::var_os(name);
    let kernels = Store::open(&cache_folder(None, env).expect("a home")).unwrap();
    let kernel = kernels.fetch("6.12".parse().unwrap(), Arch::Amd64, &mut |p| eprintln!("{p}")).unwrap();
    let modules = kernels.modules(&kernel, &mut |p| eprintln!("{p}")).unwrap();
    let store = SystemStore::open(&SystemStore::folder(None, env).expect("a home")).unwrap();
    let mut image = store.image(system, &kernel, &modules, &mut |p| eprintln!("{p}")).unwrap();
    if !image.manifest.settled {
        settle(&image, &kernel.path).unwrap();
        image.set_settled().unwrap();
    }
    let request = BootRequest {
        system: Some(SystemBoot { storage: Some(StoragePreset::Emmc), ..SystemBoot::new(&image) }),
        smp: 2,
        ..BootRequest::new(&kernel.path, dir)
    };
    let outcome = boot_valid(&request, 3, &AtomicBool::new(false), &mut |_| {}).unwrap();
    (outcome.truth.verdict, outcome.truth.system.expect("a system was booted"))
}

#[test]
fn busybox_comes_to_its_application() {
    let dir = tempfile::tempdir().unwrap();
    let (verdict, truth) = boot(System::Busybox, dir.path());
    assert_eq!(verdict, RunVerdict::Valid);
    // The order, never the milliseconds.
    let moments = [truth.root_ns, truth.handoff_ns, truth.application_ns];
    assert!(moments.iter().all(Option::is_some) && moments.is_sorted(), "{moments:?}");
    assert!(truth.multi_user_ns > truth.handoff_ns);
    assert!(truth.picture_seen_ns > truth.handoff_ns && truth.socket_answered_ns > truth.handoff_ns, "{truth:?}");
    // That it is near 1 is part of the verdict.
    assert!(truth.storage_rate_ratio.is_some(), "a throttled storage is checked");
}
