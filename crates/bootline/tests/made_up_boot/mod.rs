// SPDX-License-Identifier: MIT OR Apache-2.0
//! Boots that no kernel made: initcalls of known lengths.
use std::fmt::Write as _;

/// A boot whose initcalls, of these names, take so many ms, the first of them that many us late.
pub fn log(initcalls: &[(&str, u32)], late_us: u32) -> String {
    let mut out = String::from(
        "[    0.000000] Linux version 6.6.0-44-amd64 (x) #1 SMP\n\
         [    0.000000] Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8\n\
         [    0.100000] printk: console [ttyS0] enabled\n",
    );
    let mut at = 200_000 + late_us;
    let stamp = |at: u32| format!("[    {}.{:06}]", at / 1_000_000, at % 1_000_000);
    for (name, ms) in initcalls {
        _ = writeln!(out, "{} calling  {name}+0x0/0x10 @ 1", stamp(at));
        at += ms * 1000;
        _ = writeln!(out, "{} initcall {name}+0x0/0x10 returned 0 after {} usecs", stamp(at), ms * 1000);
        at += 8_000;
    }
    _ = writeln!(out, "{} Run /init as init process", stamp(at));
    out
}
