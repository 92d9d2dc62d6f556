// SPDX-License-Identifier: MIT OR Apache-2.0
//! An input in memory gives the rows that the same input at its path gives.
use std::convert::Infallible;
use std::path::Path;

use bootline_boot::BootOptions;
use bootline_input::unusable::BootNeeds;
use bootline_input::{BootReader, WholeBoot};
use bootline_store::metadata::Metadata;
use bootline_store::tables::FileRow;
use bootline_store::{FoundInput, HeldInput, InputReader, InputRows};

fn rows(found: &FoundInput) -> Vec<String> {
    let boots = BootReader {
        options: BootOptions::default(),
        format: None,
        kernel_log: None,
        whole: WholeBoot::default(),
        needs: BootNeeds::End,
    };
    let reader = InputReader { boots, given: Metadata::default(), pattern: None };
    let mut rows = Vec::new();
    let Ok(()) = reader.read(found, |given| {
        rows.push(match given {
            // When it was read differs.
            InputRows::File(file) => format!("{:?}", FileRow { ingested_at: 0, ..file }),
            other => format!("{other:?}"),
        });
        Ok::<(), Infallible>(())
    });
    rows
}

#[test]
fn content_in_memory_is_read_as_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("boot.cap");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/x86-6.12-2400/boot.cap");
    std::fs::copy(corpus, &path).unwrap();
    let sidecar = br#"{"board": "qemu", "build": "v1"}"#;
    std::fs::write(dir.path().join("boot.cap.meta.json"), sidecar).unwrap();
    let by_path = FoundInput::new(&path);
    let held = HeldInput { content: std::fs::read(&path).unwrap().into(), sidecar: Some(sidecar.as_slice().into()) };
    let in_memory = FoundInput::held(by_path.path.clone(), by_path.modified, held);
    let expected = rows(&by_path);
    // Nothing is read at the path of what is in memory.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(rows(&in_memory), expected);
    assert_eq!(expected.len(), 3, "a boot, its build, the file");
    assert!(expected[0].contains("Some(\"qemu\")"));
}
