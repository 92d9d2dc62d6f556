// SPDX-License-Identifier: MIT OR Apache-2.0
//! Metadata from the file next to a log, `FILE.meta.json`: bootline's own fields, a job as LAVA's REST API gives it, or a node or a boot of
//! KernelCI's API.
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::boot_metadata::Metadata;
use super::build_info::BuildInfo;
use super::foreign_measure::Measure;
use super::instant;
use crate::tables::Text;

/// How names of sidecars end.
const ENDING: &str = ".meta.json";
/// The largest sidecar, in bytes.
const LARGEST: u64 = 4 << 20;

/// Whether a file is one, and no log.
pub fn is_sidecar(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING))
}

/// Reads sidecars.
#[derive(Clone, Copy, Debug)]
pub struct Sidecar;

/// Why a sidecar can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// The system refuses to read it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no JSON, or no object.
    #[error("it is not a JSON object: {0}")]
    NotJson(String),
    /// A field has another type or form.
    #[error("`{field}` is {what}")]
    Field {
        /// Its name.
        field: &'static str,
        /// What it should be.
        what: &'static str,
    },
}

impl Sidecar {
    /// Where the sidecar of a log is.
    pub fn path(log: &Path) -> PathBuf {
        let mut name = log.as_os_str().to_owned();
        name.push(ENDING);
        name.into()
    }

    /// What the sidecar of a log says; nothing where there is none.
    ///
    /// # Errors
    /// It can't be read or understood.
    pub fn read(log: &Path) -> Result<Metadata, SidecarError> {
        let file = match File::open(Sidecar::path(log)) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Metadata::default()),
            opened => opened?,
        };
        let mut text = Vec::new();
        file.take(LARGEST).read_to_end(&mut text)?;
        Sidecar::parse(&text)
    }

    /// What a sidecar says.
    ///
    /// # Errors
    /// It can't be understood.
    pub fn parse(text: &[u8]) -> Result<Metadata, SidecarError> {
        let object: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| SidecarError::NotJson(e.to_string()))?;
        let fields = Fields(&object);
        Ok(if let Some(revision) = fields.object("data").and_then(|d| d.object("kernel_revision")) {
            kernelci_node(&fields, &revision)
        } else if fields.has("requested_device_type") || fields.has("actual_device") {
            lava_job(&fields)
        } else if fields.has("lab_name") && fields.has("kernel") {
            kernelci_boot(&fields)
        } else {
            own(&fields)?
        })
    }
}

/// bootline's own fields: the columns' names.
fn own(fields: &Fields<'_>) -> Result<Metadata, SidecarError> {
    let mut metadata = Metadata {
        board: fields.shared("board"),
        device: fields.shared("device"),
        build: fields.shared("build"),
        lab: fields.shared("lab"),
        job: fields.shared("job"),
        build_info: BuildInfo {
            tree_name: fields.text("tree_name"),
            git_repository_url: fields.text("git_repository_url"),
            git_repository_branch: fields.text("git_repository_branch"),
            git_commit_hash: fields.text("git_commit_hash"),
            git_commit_name: fields.text("git_commit_name"),
            architecture: fields.text("architecture"),
            config_name: fields.text("config_name"),
            compiler: fields.text("compiler"),
            start_time: fields.instant("build_start_time")?,
            ordinal: fields.0.get("ordinal").and_then(Value::as_i64),
        },
        start_time: fields.instant("start_time")?.map(|us| (us, "sidecar")),
        measures: Vec::new(),
    };
    let wrong =
        SidecarError::Field { field: "measures", what: "not a list of objects with a `name` and a number `value`" };
    let Some(list) = fields.0.get("measures") else { return Ok(metadata) };
    let measures = list.as_array().and_then(|list| {
        let measure = |value: &Value| {
            let fields = Fields(value.as_object()?);
            Some(Measure {
                source: "sidecar",
                clock: fields.text("clock").unwrap_or_else(|| "sidecar".to_owned()),
                name: fields.text("name")?,
                value: fields.0.get("value")?.as_f64()?,
                unit: fields.text("unit"),
            })
        };
        list.iter().map(measure).collect::<Option<Vec<_>>>()
    });
    metadata.measures = measures.ok_or(wrong)?;
    Ok(metadata)
}

/// A job of LAVA's REST API, `/api/v0.2/jobs/ID/` (TestJob in lava_rest_app). Its times are the job's, not the boot's.
fn lava_job(fields: &Fields<'_>) -> Metadata {
    Metadata {
        board: fields.shared("requested_device_type").or_else(|| fields.shared("actual_device")),
        device: fields.shared("actual_device"),
        job: fields.shared("id"),
        ..Metadata::default()
    }
}

/// A node of KernelCI's API (kernelci/api/models.py in kernelci-core).
fn kernelci_node(fields: &Fields<'_>, revision: &Fields<'_>) -> Metadata {
    let empty = Map::new();
    let data = fields.object("data").unwrap_or(Fields(&empty));
    Metadata {
        board: data.shared("platform").or_else(|| data.shared("device")),
        device: data.shared("device"),
        lab: data.shared("runtime"),
        job: data.shared("job_id").or_else(|| fields.shared("id")),
        build_info: BuildInfo {
            tree_name: revision.text("tree"),
            git_repository_url: revision.text("url"),
            git_repository_branch: revision.text("branch"),
            git_commit_hash: revision.text("commit"),
            git_commit_name: revision.text("describe"),
            architecture: data.text("arch"),
            config_name: data.text("config_full").or_else(|| data.text("defconfig")),
            compiler: data.text("compiler"),
            ..BuildInfo::default()
        },
        ..Metadata::default()
    }
}

/// A boot of KernelCI's API up to 2021 (schema-boot.rst in kernelci-backend). `job` is the tree there.
fn kernelci_boot(fields: &Fields<'_>) -> Metadata {
    let boot_time = fields.0.get("boot_time").and_then(Value::as_f64).filter(|t| *t > 0.0);
    let measure = boot_time.map(|value| Measure {
        source: "kernelci",
        clock: "kernelci".to_owned(),
        name: "boot_time".to_owned(),
        value,
        unit: Some("s".to_owned()),
    });
    Metadata {
        board: fields.shared("device_type").or_else(|| fields.shared("board")),
        lab: fields.shared("lab_name"),
        build_info: BuildInfo {
            tree_name: fields.text("job"),
            git_repository_url: fields.text("git_url"),
            git_repository_branch: fields.text("git_branch"),
            git_commit_hash: fields.text("git_commit"),
            git_commit_name: fields.text("kernel"),
            architecture: fields.text("arch"),
            config_name: fields.text("defconfig_full").or_else(|| fields.text("defconfig")),
            ..BuildInfo::default()
        },
        measures: measure.into_iter().collect(),
        ..Metadata::default()
    }
}

/// The fields of a JSON object.
struct Fields<'j>(&'j Map<String, Value>);

impl<'j> Fields<'j> {
    fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    fn object(&self, name: &str) -> Option<Fields<'j>> {
        self.0.get(name)?.as_object().map(Fields)
    }

    /// A text, or a number as text.
    fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn shared(&self, name: &str) -> Option<Text> {
        self.text(name).map(Text::from)
    }

    fn instant(&self, name: &'static str) -> Result<Option<i64>, SidecarError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_str().and_then(instant::parse) {
                Some(us) => Ok(Some(us)),
                None => Err(SidecarError::Field { field: name, what: "no time such as 2026-11-24T04:10:42Z" }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_fields_are_the_columns() {
        let text = br#"{"board": "rpi4", "build": "v6.12-1", "lab": "a", "job": 77, "ordinal": 3, "git_commit_hash": "ab12",
            "start_time": "2026-11-24T04:10:42Z", "measures": [{"name": "power", "value": 2.5, "unit": "W", "clock": "meter"}]}"#;
        let metadata = Sidecar::parse(text).unwrap();
        assert_eq!(metadata.job.as_deref(), Some("77"));
        assert_eq!(metadata.build.as_deref(), Some("v6.12-1"));
        assert_eq!(metadata.build_info.ordinal, Some(3));
        assert_eq!(metadata.start_time, Some((1_795_493_442_000_000, "sidecar")));
        assert_eq!(metadata.measures[0].clock, "meter");
    }

    #[test]
    fn a_job_of_lava() {
        let text = br#"{"id": 1018802, "submitter": "ci", "requested_device_type": "bcm2711-rpi-4-b", "actual_device": "rpi4-3",
            "start_time": "2023-10-10T11:40:00Z", "definition": "job_name: x"}"#;
        let metadata = Sidecar::parse(text).unwrap();
        assert_eq!(metadata.board.as_deref(), Some("bcm2711-rpi-4-b"));
        assert_eq!(metadata.device.as_deref(), Some("rpi4-3"));
        assert_eq!(metadata.job.as_deref(), Some("1018802"));
        // A job's start is not the boot's.
        assert_eq!(metadata.start_time, None);
    }

    #[test]
    fn nodes_and_boots_of_kernelci() {
        let node = br#"{"id": "65a", "kind": "test", "name": "baseline", "data": {"platform": "rk3399-gru-kevin", "runtime": "lava-a",
            "job_id": "9", "arch": "arm64", "defconfig": "defconfig", "compiler": "gcc-12",
            "kernel_revision": {"tree": "mainline", "url": "u", "branch": "master", "commit": "ab", "describe": "v6.7-1-gab"}}}"#;
        let metadata = Sidecar::parse(node).unwrap();
        assert_eq!(metadata.board.as_deref(), Some("rk3399-gru-kevin"));
        assert_eq!(metadata.lab.as_deref(), Some("lava-a"));
        assert_eq!(metadata.build_info.name().as_deref(), Some("v6.7-1-gab arm64 defconfig gcc-12"));
        let boot = br#"{"lab_name": "lab-b", "device_type": "beaglebone-black", "kernel": "v5.4", "job": "stable", "arch": "arm",
            "defconfig_full": "multi_v7_defconfig", "git_branch": "linux-5.4.y", "boot_time": 12.5}"#;
        let metadata = Sidecar::parse(boot).unwrap();
        assert_eq!(metadata.build_info.name().as_deref(), Some("v5.4 arm multi_v7_defconfig"));
        assert_eq!((metadata.build_info.tree_name.as_deref(), metadata.job), (Some("stable"), None));
        assert_eq!((metadata.measures[0].name.as_str(), metadata.measures[0].value), ("boot_time", 12.5));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let refused = |text: &[u8]| Sidecar::parse(text).unwrap_err().to_string();
        assert!(refused(b"[]").starts_with("it is not a JSON object"));
        assert!(refused(br#"{"start_time": "noon"}"#).starts_with("`start_time` is no time"));
        assert!(refused(br#"{"measures": [{"name": "x"}]}"#).starts_with("`measures` is not a list"));
    }
}
