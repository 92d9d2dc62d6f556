// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| bootline_fuzz::places(
    "/sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns:4500000000\n",
    data
));
