// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identity of a rule: its code and its name.
use std::fmt;

macro_rules! rule_ids {
    ($($id:ident $code:literal $name:literal)*) => {
        /// A rule's identity. The code is the part of the boot (con console, clk clock, ldr boot loader, log log, ini initcalls, drv drivers, fs
        /// file systems, net network, usr user space) and three digits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RuleId {
            $(#[doc = concat!("`", $code, " ", $name, "`")] $id,)*
        }

        impl RuleId {
            /// `con001`
            pub const fn code(self) -> &'static str {
                match self { $(RuleId::$id => $code,)* }
            }

            /// `synchronous-console`
            pub const fn name(self) -> &'static str {
                match self { $(RuleId::$id => $name,)* }
            }

            /// All of them.
            pub const ALL: &[RuleId] = &[$(RuleId::$id,)*];

            /// Code and name: `con001 synchronous-console`.
            pub const fn title(self) -> &'static str {
                match self { $(RuleId::$id => concat!($code, " ", $name),)* }
            }
        }
    };
}

rule_ids! {
    Clk001 "clk001" "clock-stood-still"
    Clk002 "clk002" "delay-loop-calibration"
    Con001 "con001" "synchronous-console"
    Con002 "con002" "flush-at-registration"
    Con003 "con003" "console-lock"
    Con004 "con004" "slow-line"
    Con005 "con005" "unneeded-output"
    Con006 "con006" "console-stall"
    Con007 "con007" "printer-kthread"
    Con008 "con008" "late-log"
    Con009 "con009" "speed-change"
    Con010 "con010" "several-consoles"
    Drv001 "drv001" "deferred-probe"
    Drv002 "drv002" "longest-probes"
    Drv003 "drv003" "uart-detection"
    Drv004 "drv004" "firmware-wait"
    Drv005 "drv005" "pcie-link"
    Drv006 "drv006" "keyboard-probe"
    Drv007 "drv007" "unanswered-device"
    Drv008 "drv008" "driver-timeout"
    Drv009 "drv009" "deferred-probe-timeout"
    Drv010 "drv010" "tpm-startup"
    Drv011 "drv011" "display-probe"
    Drv012 "drv012" "equal-gaps"
    Drv013 "drv013" "regulator-delay"
    Drv014 "drv014" "module-loading"
    Fs001 "fs001" "root-wait"
    Fs002 "fs002" "jffs2-scan"
    Fs003 "fs003" "ubi-attach"
    Fs004 "fs004" "md-autodetect"
    Fs005 "fs005" "journal-recovery"
    Ini001 "ini001" "longest-initcalls"
    Ini002 "ini002" "crypto-self-tests"
    Ini003 "ini003" "memory-init"
    Ini004 "ini004" "initramfs-unpacking"
    Ini005 "ini005" "tracefs-files"
    Ini006 "ini006" "debug-options"
    Ini007 "ini007" "cpu-bringup"
    Ini008 "ini008" "raid-benchmark"
    Ini009 "ini009" "acpi-tables"
    Ini010 "ini010" "table-sorting"
    Ini011 "ini011" "processor-clock"
    Ldr001 "ldr001" "autoboot-delay"
    Ldr002 "ldr002" "image-load"
    Ldr003 "ldr003" "loader-network"
    Ldr004 "ldr004" "loader-device-scan"
    Ldr005 "ldr005" "image-verification"
    Ldr006 "ldr006" "kernel-decompression"
    Ldr007 "ldr007" "loader-output"
    Ldr008 "ldr008" "loader-caches-off"
    Log001 "log001" "start-lost"
    Log002 "log002" "silent-gap"
    Net001 "net001" "ip-autoconfiguration"
    Net002 "net002" "nfs-root"
    Usr001 "usr001" "quiet-overridden"
    Usr002 "usr002" "entropy-wait"
    Usr003 "usr003" "unneeded-units"
    Usr004 "usr004" "network-online"
    Usr005 "usr005" "udev-settle"
    Usr006 "usr006" "file-system-check"
    Usr007 "usr007" "unit-timeout"
    Usr008 "usr008" "first-boot"
    Usr009 "usr009" "status-output"
    Usr010 "usr010" "late-application"
    Usr011 "usr011" "time-synchronisation"
    Usr012 "usr012" "journal-flush"
    Usr013 "usr013" "generators"
    Usr014 "usr014" "manager-start"
    Usr015 "usr015" "dbus-activation"
    Usr016 "usr016" "init-scripts"
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}
