// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/schema: the schema of each document that bootline writes.
use bootline_lab::boot::Truth;
use bootline_lab::experiment::{ExperimentState, Outcome};
use bootline_report::{BootRunsJson, schema_of, schemas};

use crate::document::Document;

/// A file for each schema.
pub fn documents() -> Vec<Document> {
    let lab = [
        ("truth", schema_of::<Truth>("truth", "bootline boot")),
        ("boot", schema_of::<BootRunsJson<Truth>>("boot", "bootline boot --json")),
        ("experiment", schema_of::<Outcome>("experiment", "bootline experiment run --json")),
        ("experiment-state", schema_of::<ExperimentState>("experiment-state", "bootline experiment run")),
    ];
    let file = |(name, schema): (&str, serde_json::Value)| Document {
        path: format!("docs/schema/{name}-1.schema.json"),
        text: format!("{schema:#}\n"),
    };
    schemas().into_iter().chain(lab).map(file).collect()
}
