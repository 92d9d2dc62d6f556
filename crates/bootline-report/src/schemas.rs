// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schemas of all documents that this crate writes, derived from the wire types.
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::blame::BlamedBoot;
use super::check::CheckJson;
use super::compare::ComparisonJson;
use super::critical_chain::CriticalPathBoot;
use super::explain::ExplainedBoot;
use super::export_json::ExportedBoot;
use super::predict::PredictedBoot;
use super::time::TimedBoot;
use super::wire::{
    BaselineJson, CaptureJson, ExperimentsJson, KernelJson, KernelsJson, LoaderImageJson, LoadersJson, RulesJson,
    SystemImageJson, SystemsJson,
};

/// A list of boots: what most verbs write.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "the list is written boot by boot: memory holds one")]
struct Boots<B> {
    /// The name and the version of this schema.
    schema: String,
    /// The program and its version.
    tool: String,
    /// In the order in which they were read.
    boots: Vec<B>,
}

/// The schema of each document as (name, schema): `explain` is the name of `bootline-explain/1`.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        boots::<ExplainedBoot<'_>>("explain", "bootline explain --json"),
        boots::<TimedBoot<'_>>("time", "bootline time --json"),
        boots::<BlamedBoot<'_>>("blame", "bootline blame --json"),
        boots::<CriticalPathBoot<'_>>("critical-chain", "bootline critical-chain --json"),
        boots::<PredictedBoot<'_>>("predict", "bootline predict --json"),
        boots::<ExportedBoot<'_>>("export", "bootline export --format json"),
        ("rules", schema_of::<RulesJson>("rules", "bootline explain --rules --json")),
        ("compare", schema_of::<ComparisonJson<'_>>("compare", "bootline compare --json")),
        ("check", schema_of::<CheckJson<'_>>("check", "bootline check --json")),
        ("baseline", schema_of::<BaselineJson>("baseline", "bootline check --write-baseline")),
        ("capture", schema_of::<CaptureJson>("capture", "bootline capture --json")),
        ("kernels", schema_of::<KernelsJson>("kernels", "bootline kernels --json")),
        ("kernel", schema_of::<KernelJson>("kernel", "bootline kernels fetch|build --json")),
        ("loaders", schema_of::<LoadersJson>("loaders", "bootline loaders list --json")),
        ("loader", schema_of::<LoaderImageJson>("loader", "bootline loaders build --json")),
        ("systems", schema_of::<SystemsJson>("systems", "bootline systems list --json")),
        ("system", schema_of::<SystemImageJson>("system", "bootline systems build --json")),
        ("experiments", schema_of::<ExperimentsJson>("experiments", "bootline experiment list --json")),
    ]
}

/// The schema of version 1 of a document that has the form of `T`, `command` being what writes it.
pub fn schema_of<T: JsonSchema>(name: &str, command: &str) -> Value {
    let mut value = schema::<T>();
    value["properties"]["schema"]["const"] = json!(format!("bootline-{name}/1"));
    described(value, name, command)
}

fn schema<T: JsonSchema>() -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

fn boots<B: JsonSchema>(name: &'static str, command: &str) -> (&'static str, Value) {
    (name, schema_of::<Boots<B>>(name, command))
}

fn described(mut value: Value, name: &str, command: &str) -> Value {
    value["$id"] = json!(format!("bootline-{name}-1.schema.json"));
    value["title"] = json!(format!("What `{command}` writes"));
    value["description"] = json!(
        "Times are in nanoseconds: integers, except medians and their bounds. Within version 1, fields may be added, but never removed or given another meaning."
    );
    value
}
