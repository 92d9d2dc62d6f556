// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| bootline_fuzz::places(
    "3 entries total:\n\n   0:1st timestamp                                     1,234\n",
    data
));
