// SPDX-License-Identifier: MIT OR Apache-2.0
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| bootline_fuzz::places(
    "# tracer: nop\n#\n     swapper/0-1     [000] .....     0.200100: initcall_start: func=acpi_init+0x0/0x4f0\n",
    data
));
