// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole systems, built and booted to their application. Images are built in the user's cache, where later runs find them.
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use bootline_images::arch::Arch;
use bootline_images::kernels::{Store, cache_folder};
use bootline_images::systems::{System, SystemStore};
use bootline_lab::boot::{BootRequest, RunVerdict, SystemBoot, SystemTruth, boot_valid, settle};
use bootline_lab::storage::StoragePreset;

/// A run on a host that is busy may be flawed; a lab whose every run is flawed is broken.
const ATTEMPTS: u32 = 8;

/// Boots a system to its application and checks what all systems have in common.
fn booted(system: System) -> SystemTruth {
    // Boots compete for the host's processors: one at a time.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let (verdict, truth) = boot(system, dir.path());
    assert_eq!(verdict, RunVerdict::Valid);
    // The order, never the milliseconds.
    let moments = [truth.root_ns, truth.handoff_ns, truth.application_ns];
    assert!(moments.iter().all(Option::is_some) && moments.is_sorted(), "{moments:?}");
    assert!(truth.multi_user_ns > truth.handoff_ns);
    assert!(truth.picture_seen_ns > truth.handoff_ns && truth.socket_answered_ns > truth.handoff_ns, "{truth:?}");
    // That it is near 1 is part of the verdict.
    assert!(truth.storage_rate_ratio.is_some(), "a throttled storage is checked");
    truth
}

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
    let outcome = boot_valid(&request, ATTEMPTS, &AtomicBool::new(false), &mut |_| {}).unwrap();
    eprintln!("{:?}", outcome.truth.fidelity);
    (outcome.truth.verdict, outcome.truth.system.expect("a system was booted"))
}

#[test]
fn busybox_comes_to_its_application() {
    assert_eq!(booted(System::Busybox).units, [], "it has no units");
}

#[test]
fn debian_minimal_comes_to_its_application_and_accounts_for_its_units() {
    let truth = booted(System::DebianMinimal);
    let unit = |name: &str| truth.units.iter().find(|u| u.name == name).unwrap_or_else(|| panic!("no {name}"));
    let app = unit("bootline-app.service");
    // On the host's clock a unit's stamps lie between the marks of the programs around it.
    assert!(Some(app.activating_ns) > truth.handoff_ns && Some(app.activating_ns) < truth.application_ns, "{app:?}");
    assert!(
        unit("sysinit.target").active_ns.expect("it was reached") <= app.activating_ns,
        "it is an ordinary service"
    );
    assert!(unit("multi-user.target").active_ns.expect("it was reached") <= truth.multi_user_ns.expect("it is marked"));
}
