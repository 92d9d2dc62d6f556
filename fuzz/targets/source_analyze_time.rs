// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| bootline_fuzz::places(
    "Startup finished in 2.1s (kernel) + 5.2s (userspace) = 7.3s\n",
    data
));
