// SPDX-License-Identifier: MIT OR Apache-2.0
//! The diagnoses: one rule a file, named by its code. A rule examines a boot and returns findings; it prints nothing.
//!
//! To add one: write `xyz000_name.rs` with a `RULE`, list it in [`RULES`], and give it a folder in `tests/rules/` with
//! a log that fires, one that nearly fires, and the expected output (`fires.expected`).
mod case;
mod clk001_clock_stood_still;
mod clk002_delay_loop_calibration;
mod con001_synchronous_console;
mod con002_flush_at_registration;
mod con003_console_lock;
mod con004_slow_line;
mod con005_unneeded_output;
mod con006_console_stall;
mod con007_printer_kthread;
mod con008_late_log;
mod con009_speed_change;
mod con010_several_consoles;
mod console_remedies;
mod drv001_deferred_probe;
mod drv002_longest_probes;
mod drv003_uart_detection;
mod drv004_firmware_wait;
mod drv005_pcie_link;
mod drv006_keyboard_probe;
mod drv007_unanswered_device;
mod drv008_driver_timeout;
mod drv009_deferred_probe_timeout;
mod drv010_tpm_startup;
mod drv011_display_probe;
mod drv012_equal_gaps;
mod drv013_regulator_delay;
mod drv014_module_loading;
mod finding;
mod fs001_root_wait;
mod fs002_jffs2_scan;
mod fs003_ubi_attach;
mod fs004_md_autodetect;
mod fs005_journal_recovery;
mod grub;
mod ini001_longest_initcalls;
mod ini002_crypto_self_tests;
mod ini003_memory_init;
mod ini004_initramfs_unpacking;
mod ini005_tracefs_files;
mod ini006_debug_options;
mod ini007_cpu_bringup;
mod ini008_raid_benchmark;
mod ini009_acpi_tables;
mod ini010_table_sorting;
mod ini011_processor_clock;
mod ldr001_autoboot_delay;
mod ldr002_image_load;
mod ldr003_loader_network;
mod ldr004_loader_device_scan;
mod ldr005_image_verification;
mod ldr006_kernel_decompression;
mod ldr007_loader_output;
mod ldr008_loader_caches_off;
mod loader_steps;
mod log001_start_lost;
mod log002_silent_gap;
mod net001_ip_autoconfiguration;
mod net002_nfs_root;
mod probe_remedies;
mod rule;
mod silence;
mod unit_cost;
mod unit_release;
mod usr001_quiet_overridden;
mod usr002_entropy_wait;
mod usr003_unneeded_units;
mod usr004_network_online;
mod usr005_udev_settle;
mod usr006_file_system_check;
mod usr007_unit_timeout;
mod usr008_first_boot;
mod usr009_status_output;
mod usr010_late_application;
mod usr011_time_synchronisation;
mod usr012_journal_flush;
mod usr013_generators;
mod usr014_manager_start;
mod usr015_dbus_activation;
mod usr016_init_scripts;
mod wording;

pub use crate::rule_id::RuleId;
pub use case::TimeRange;
pub use finding::{CitedRecord, Finding};
pub use rule::{Rule, TimelinePlace};

use crate::predict::Precision;
use crate::whole_change::WholeSetting;
use bootline_boot::Boot;
use bootline_capture::units::Interval;
use bootline_kbuild::InitcallSource;
use case::Case;
use unit_cost::predicted_saving;

/// All rules, in the order in which they run: time that one rule explains is no longer available to those after it, so
/// specific rules come before general ones.
pub const RULES: &[Rule] = &[
    con001_synchronous_console::RULE,
    con002_flush_at_registration::RULE,
    con003_console_lock::RULE,
    con007_printer_kthread::RULE,
    con004_slow_line::RULE,
    con005_unneeded_output::RULE,
    con006_console_stall::RULE,
    con008_late_log::RULE,
    con009_speed_change::RULE,
    con010_several_consoles::RULE,
    clk001_clock_stood_still::RULE,
    log001_start_lost::RULE,
    usr001_quiet_overridden::RULE,
    usr002_entropy_wait::RULE,
    usr007_unit_timeout::RULE,
    usr015_dbus_activation::RULE,
    usr004_network_online::RULE,
    usr011_time_synchronisation::RULE,
    usr005_udev_settle::RULE,
    usr006_file_system_check::RULE,
    usr012_journal_flush::RULE,
    usr008_first_boot::RULE,
    usr016_init_scripts::RULE,
    usr013_generators::RULE,
    usr014_manager_start::RULE,
    // Its time may be a part of the next one's.
    usr003_unneeded_units::RULE,
    usr010_late_application::RULE,
    // Its output lies anywhere in user space, and nothing shows that somebody waited for it.
    usr009_status_output::RULE,
    ldr002_image_load::RULE,
    ldr001_autoboot_delay::RULE,
    ldr003_loader_network::RULE,
    ldr004_loader_device_scan::RULE,
    ldr005_image_verification::RULE,
    ldr006_kernel_decompression::RULE,
    ldr007_loader_output::RULE,
    ldr008_loader_caches_off::RULE,
    clk002_delay_loop_calibration::RULE,
    ini007_cpu_bringup::RULE,
    ini004_initramfs_unpacking::RULE,
    fs004_md_autodetect::RULE,
    fs005_journal_recovery::RULE,
    fs003_ubi_attach::RULE,
    fs002_jffs2_scan::RULE,
    net001_ip_autoconfiguration::RULE,
    net002_nfs_root::RULE,
    drv009_deferred_probe_timeout::RULE,
    fs001_root_wait::RULE,
    ini002_crypto_self_tests::RULE,
    ini003_memory_init::RULE,
    ini006_debug_options::RULE,
    ini008_raid_benchmark::RULE,
    ini009_acpi_tables::RULE,
    ini010_table_sorting::RULE,
    ini005_tracefs_files::RULE,
    drv004_firmware_wait::RULE,
    drv005_pcie_link::RULE,
    drv007_unanswered_device::RULE,
    drv006_keyboard_probe::RULE,
    drv008_driver_timeout::RULE,
    drv010_tpm_startup::RULE,
    drv013_regulator_delay::RULE,
    drv011_display_probe::RULE,
    drv012_equal_gaps::RULE,
    drv014_module_loading::RULE,
    drv003_uart_detection::RULE,
    drv001_deferred_probe::RULE,
    drv002_longest_probes::RULE,
    ini001_longest_initcalls::RULE,
    ini011_processor_clock::RULE,
    log002_silent_gap::RULE,
];

/// The rule of this identity.
pub fn rule(id: RuleId) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id == id)
}

/// All findings of a boot, the costliest first.
pub fn findings(boot: &Boot) -> Vec<Finding> {
    findings_by(boot, &InitcallSource::Stock)
}

/// The same, for one who takes only the best estimate of what a remedy saves: much sooner. Its interval is meaningless.
pub fn findings_with_best_savings(boot: &Boot) -> Vec<Finding> {
    find(boot, &InitcallSource::Stock, Precision::Best)
}

/// The same, for a kernel whose initcalls are those of this source.
pub fn findings_by(boot: &Boot, initcalls: &InitcallSource) -> Vec<Finding> {
    find(boot, initcalls, Precision::Intervals)
}

fn find(boot: &Boot, initcalls: &InitcallSource, precision: Precision) -> Vec<Finding> {
    let mut case = Case::new(boot, initcalls, precision);
    let mut found: Vec<Finding> = Vec::new();
    for rule in RULES {
        for finding in (rule.check)(&case) {
            if finding.part_of.is_empty() {
                case::apart(&finding.time_ranges).into_iter().for_each(|s| case.claim(s));
            }
            found.push(finding);
        }
    }
    predict_changes_of_units(boot, &mut found);
    // Findings that are part of others come after those that add up.
    found.sort_by_key(|f| (!f.part_of.is_empty(), std::cmp::Reverse((f.cost.best(), f.cost.high()))));
    found
}

/// Maximum number of units of a remedy whose saving is predicted.
const MOST_SETTINGS: usize = 50;

/// What remedies save that change what is started and what waits, where the rule has not said it: of the finding's cost. With a unit
/// that is not started, what it waited for is not waited for, either; so the saving is capped at the finding's cost, a cautious estimate.
fn predict_changes_of_units(boot: &Boot, findings: &mut [Finding]) {
    for finding in findings {
        let most = finding.cost.high();
        for remedy in finding.remedies.iter_mut().filter(|r| r.saves.is_none()) {
            // So many are a hostile log's, and take long.
            let settings = WholeSetting::of_changes(boot, &remedy.changes).filter(|all| all.len() <= MOST_SETTINGS);
            let saved = settings.and_then(|settings| predicted_saving(boot, settings));
            remedy.saves = saved.map(|s| Interval::new(s.low().min(most), s.best().min(most), s.high().min(most)));
        }
    }
}
