// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| bootline_fuzz::places("bootstage/3/name:reset\nbootstage/3/mark:0\n", data));
