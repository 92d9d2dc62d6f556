// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compresses the initcall table, which is a text of over a megabyte, for the programs that carry it.
#![allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "a build script reads and writes files")]
use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=initcalls.tsv");
    let table = fs::read("initcalls.tsv").expect("the table is part of the crate");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&table).expect("a vector takes all");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("initcalls.tsv.gz"), packed.finish().expect("a vector takes all")).expect("OUT_DIR is writable");
}
