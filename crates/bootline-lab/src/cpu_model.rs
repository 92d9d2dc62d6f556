// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model of the guest's processor.
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// QEMU's model of a processor, with features: `qemu64,-tsc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CpuModel(String);

/// A text that can't be a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a model of QEMU, with features after commas, such as `qemu64,-tsc`: `qemu-system-x86_64 -cpu help` lists them"
)]
pub struct NotACpuModel;

impl CpuModel {
    /// As QEMU's `-cpu` takes it.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl FromStr for CpuModel {
    type Err = NotACpuModel;

    /// QEMU itself says whether it knows the model.
    fn from_str(text: &str) -> Result<CpuModel, NotACpuModel> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.,+=".contains(c);
        // QEMU would list its models and end.
        let is_question = text == "help";
        let begins_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
        match begins_well && !is_question && text.len() <= 256 && text.chars().all(allowed) {
            true => Ok(CpuModel(text.to_owned())),
            false => Err(NotACpuModel),
        }
    }
}

impl TryFrom<String> for CpuModel {
    type Error = NotACpuModel;

    fn try_from(text: String) -> Result<CpuModel, NotACpuModel> {
        text.parse()
    }
}

impl From<CpuModel> for String {
    fn from(model: CpuModel) -> String {
        model.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_has_features_and_is_no_option() {
        let check = |text: &str, expected| assert_eq!(text.parse::<CpuModel>().is_ok(), expected, "{text}");
        check("qemu64,-tsc", true);
        check("Skylake-Client-v1,+avx2,pmu=off", true);
        check("cortex-a53", true);
        for text in ["", "2", "help", "-cpu", ",x", "a b", "a\nb", "a;b", &"x".repeat(257)] {
            check(text, false);
        }
    }
}
