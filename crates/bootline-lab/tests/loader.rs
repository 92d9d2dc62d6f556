// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PC boots by its firmware and GRUB, an arm64 machine by U-Boot. The loader is built in the user's cache, where later runs find it.
use std::fs;
use std::sync::atomic::AtomicBool;

use bootline_analysis::rules::{RuleId, findings};
use bootline_boot::{Boot, BootOptions, BootRecords, StageName};
use bootline_images::loaders::{Loader, LoaderStore};
use bootline_lab::boot::{BootRequest, LoaderBoot, LoaderSetup, RunVerdict, Truth, boot_valid};
use bootline_testkit::seed_kernel;

/// A run on a host that is busy may be flawed; a lab whose every run is flawed is broken.
const ATTEMPTS: u32 = 8;

/// Boots a stock kernel by a loader, and checks that these texts are on the line, one after the other. Gives the run's truth and its
/// boot.
///
/// OVMF drops the rest of a string when the line takes no byte for 1.5 ms, and a busy host can be that late: a boot that lacks OVMF's own
/// words is repeated.
#[track_caller]
fn boot_by(loader: Loader, setup: LoaderSetup, append: &str, expected: &[&str]) -> (Truth, Boot) {
    let dir = tempfile::tempdir().unwrap();
    let kernel = seed_kernel(&dir.path().join("cache"), loader.arch(), "6.12");
    let folder = LoaderStore::folder(None, |name| std::env::var_os(name)).expect("a home");
    let image = LoaderStore::open(&folder).unwrap().image(loader, &mut |p| eprintln!("{p}")).unwrap();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let request = BootRequest {
            arch: Some(loader.arch()),
            loader: Some(LoaderBoot::new(&image, setup)),
            append: append.to_owned(),
            ..BootRequest::new(&kernel.path, &dir.path().join(format!("run-{attempt}")))
        };
        let outcome = boot_valid(&request, ATTEMPTS, &AtomicBool::new(false), &mut |_| ()).unwrap();
        assert_eq!(outcome.truth.verdict, RunVerdict::Valid, "{:?}", outcome.truth.fidelity);
        let capture = fs::read(outcome.capture.unwrap()).unwrap();
        let records = BootRecords::all(&capture).remove(0);
        let boot = Boot::analyse(records, &BootOptions::default()).with_sources(&[], None);
        let Some(missing) = first_missing(&boot, expected) else { return (outcome.truth, boot) };
        let may_be_cut = missing.starts_with("BdsDxe: ") && attempt < ATTEMPTS;
        assert!(may_be_cut, "`{missing}` is not on the line in its place");
    }
}

/// The first of these texts that is not on the line after those before it.
fn first_missing<'a>(boot: &Boot, expected: &[&'a str]) -> Option<&'a str> {
    let mut texts = boot.records.iter().map(|record| record.text);
    expected.iter().copied().find(|step| !texts.any(|text| text.trim_start().contains(step)))
}

/// Boots a kernel by GRUB, and checks what is on the line: the firmware's own words, then those of GRUB.
#[track_caller]
fn counts_down_and_starts_the_kernel(loader: Loader, firmware: &str, before: &[&str]) {
    let setup = LoaderSetup { delay: Some(1), ..LoaderSetup::default() };
    let of_grub = [
        "GNU GRUB  version",
        "executed automatically in 1s.",
        "executed automatically in 0s.",
        "Booting `Linux'",
        "Loading Linux ...",
        "Loading initial ramdisk ...",
    ];
    // What GRUB would expand or cut, were it not quoted.
    let (truth, boot) = boot_by(loader, setup, "quiet a=$root;{b}|c #d *", &[before, &of_grub].concat());
    // GRUB says what it loaded, and nothing else is changed.
    let loaded = format!("BOOT_IMAGE=/kernel {}", truth.guest.command_line);
    assert_eq!(truth.guest.proc_cmdline.as_deref().map(str::trim_end), Some(&loaded[..]));
    let found = truth.guest.loader.unwrap();
    assert_eq!((found.name, found.setup, found.firmware.unwrap().name), (loader, setup, firmware.to_owned()));

    let stages: Vec<StageName> = boot.whole.stages.iter().map(|stage| stage.name).take(2).collect();
    assert_eq!(stages, [StageName::Firmware, StageName::Loader]);
    let waited: Vec<_> = findings(&boot).into_iter().filter(|f| f.rule == RuleId::Ldr001).collect();
    assert!(waited.len() == 1 && waited[0].remedies[0].action.contains("GRUB_TIMEOUT=0"), "{waited:?}");
}

#[test]
fn a_bios_starts_grub() {
    counts_down_and_starts_the_kernel(Loader::GrubBios, "SeaBIOS", &["SeaBIOS (version", "GRUB loading"]);
}

#[test]
fn uefi_firmware_starts_grub() {
    counts_down_and_starts_the_kernel(Loader::GrubEfi, "OVMF", &["BdsDxe: starting Boot"]);
}

#[test]
fn u_boot_decompresses_a_kernel() {
    let setup = LoaderSetup { delay: Some(0), gzip: true, ..LoaderSetup::default() };
    let expected = ["U-Boot 20", "Retrieving file: /kernel", "Uncompressing Kernel Image", "Starting kernel ..."];
    let (truth, _) = boot_by(Loader::UBoot, setup, "quiet", &expected);
    assert_eq!(truth.guest.loader.unwrap().setup, setup);
}
