// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schemas in docs/schema are those of the wire types. `BLESS=1` writes them.
#![allow(clippy::disallowed_methods, reason = "the schemas are files")]
use std::path::Path;
use std::{env, fs};

#[test]
fn schemas_are_those_of_the_wire_types() {
    let bless = env::var_os("BLESS").is_some();
    for (name, schema) in bootline_report::schemas() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}-1.schema.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if bless {
            fs::write(&path, &text).unwrap();
        }
        let stale =
            format!("docs/schema/{name}-1.schema.json is stale: BLESS=1 cargo test -p bootline-report --test schemas");
        assert!(fs::read_to_string(&path).is_ok_and(|known| known == text), "{stale}");
    }
}
