// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole systems of an experiment, built before anything is booted.
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use bootline_images::roots::{FileSystem, OwnRoot};
use bootline_images::systems::{RootChanges, RootState, System, SystemError, SystemImage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::definition::{ArmSystem, Experiment};
use super::images::ArmKernel;
use super::loaders::ArmLoaderImage;
use crate::boot::{BootedRoot, SystemBoot, Writes};

/// What the arms of an experiment boot, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmImages {
    /// The kernels.
    pub kernels: BTreeMap<String, ArmKernel>,
    /// The systems, of the arms that boot one.
    pub systems: BTreeMap<String, ArmSystemImage>,
    /// The boot loaders, of the arms that have one.
    pub loaders: BTreeMap<String, ArmLoaderImage>,
}

/// The image of a whole system that an arm boots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArmSystemImage {
    /// The system; null for a root of the user's own.
    pub system: Option<System>,
    /// The state of its root; null for a root of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RootState>,
    /// What `uname -r` says in the kernel that the image is for; null for a root of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// What such a root is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<ArmOwnRoot>,
    /// The image.
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The initramfs that mounts it.
    #[schemars(with = "String")]
    pub initramfs: PathBuf,
    /// UUID of its file system, which is new each time it is built, or the SHA-256 of the user's own: results contain runs of only one
    /// image per arm.
    pub file_system: String,
}

/// A root of the user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArmOwnRoot {
    /// Its file system.
    pub file_system: FileSystem,
    /// The partition that it is in; null for the whole disk.
    pub partition: Option<u32>,
}

impl ArmSystemImage {
    /// What results keep of an image that this initramfs mounts.
    ///
    /// # Errors
    /// The image can't be read.
    pub fn of(image: &SystemImage, initramfs: PathBuf) -> Result<ArmSystemImage, SystemError> {
        Ok(ArmSystemImage {
            system: Some(image.manifest.system),
            state: Some(image.manifest.state),
            release: Some(image.manifest.release.clone()),
            own: None,
            path: image.path.clone(),
            initramfs,
            file_system: image.file_system()?,
        })
    }

    /// The same of a changed copy of an image.
    ///
    /// # Errors
    /// The image can't be read.
    pub fn of_changed(
        image: &SystemImage,
        changes: &RootChanges,
        copy: PathBuf,
        initramfs: PathBuf,
    ) -> Result<ArmSystemImage, SystemError> {
        let of_image = ArmSystemImage::of(image, initramfs)?;
        let file_system = format!("{}-{}", of_image.file_system, changes.sha256());
        Ok(ArmSystemImage { path: copy, file_system, ..of_image })
    }

    /// What results keep of a root of the user's own, whose file has this SHA-256.
    pub fn of_own(root: &OwnRoot, initramfs: PathBuf, sha256: String) -> ArmSystemImage {
        ArmSystemImage {
            system: None,
            state: None,
            release: None,
            own: Some(ArmOwnRoot { file_system: root.file_system, partition: root.partition }),
            path: root.disk.clone(),
            initramfs,
            file_system: sha256,
        }
    }

    /// The boot of this image on an arm's storage.
    pub(super) fn boot(&self, arm: &ArmSystem) -> SystemBoot {
        let root = match (self.own, self.system) {
            (Some(ArmOwnRoot { file_system, partition }), _) => BootedRoot::Own { file_system, partition },
            (None, system) => {
                BootedRoot::Lab { system: system.expect("a system, or a root of one's own"), format: arm.format }
            }
        };
        SystemBoot {
            root,
            image: self.path.clone(),
            initramfs: self.initramfs.clone(),
            hardware: arm.hardware.clone(),
            storage: arm.storage,
            state: self.own.is_none().then_some(arm.state),
            release: self.release.clone(),
            changes: arm.changes.clone(),
            writes: Writes::Discarded,
            added_memory_mib: arm.added_memory_mib,
        }
    }
}

impl fmt::Display for ArmSystemImage {
    /// For messages: the system and its image.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.system {
            Some(system) => write!(f, "{system} (file system {})", self.file_system),
            None => write!(f, "a root with the SHA-256 {}", self.file_system),
        }
    }
}

/// What the arms boot, whose kernels are `kernels`. `prepare` builds the image of a system for a kernel, or finds it in the
/// cache, or looks at the user's own; it gets the arm's name, and is called once for each root, state, set of changes, form,
/// hardware and kernel.
///
/// # Errors
/// The first error of `prepare`.
pub fn systems<E>(
    experiment: &Experiment,
    kernels: BTreeMap<String, ArmKernel>,
    prepare: &mut dyn FnMut(&str, &ArmSystem, &ArmKernel) -> Result<ArmSystemImage, E>,
) -> Result<ArmImages, E> {
    let mut built: Vec<(ArmSystem, PathBuf, ArmSystemImage)> = Vec::new();
    let mut systems = BTreeMap::new();
    for arm in &experiment.arms {
        let Some((system, kernel)) = arm.system.as_ref().zip(kernels.get(&arm.name)) else { continue };
        // The speed of the storage is no part of the image.
        let wanted = ArmSystem { storage: None, ..system.clone() };
        let image = match built.iter().find(|(of, path, _)| *of == wanted && *path == kernel.path) {
            Some((.., image)) => image.clone(),
            None => {
                let image = prepare(&arm.name, system, kernel)?;
                built.push((wanted, kernel.path.clone(), image.clone()));
                image
            }
        };
        systems.insert(arm.name.clone(), image);
    }
    Ok(ArmImages { kernels, systems, loaders: BTreeMap::new() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bootline_images::arch::Arch;
    use bootline_images::kernels::Kernel;

    use super::super::definition::ArmRoot;
    use super::*;

    const FILE: &str = "name = \"x\"\nabout = \"\"\n[defaults]\nkernel = \"6.12\"\n\
        [[arm]]\nname = \"lab\"\n\
        [[arm]]\nname = \"emmc\"\nsystem = \"busybox\"\nstorage = \"emmc\"\n\
        [[arm]]\nname = \"host\"\nsystem = \"busybox\"\n\
        [[arm]]\nname = \"lost\"\nsystem = \"busybox\"\nroot_state = \"power-lost\"\n\
        [[arm]]\nname = \"card\"\nsystem = \"busybox\"\nbus = \"sd\"\n\
        [[arm]]\nname = \"other\"\nsystem = \"debian-minimal\"\n\
        [[arm]]\nname = \"unwanted\"\nsystem = \"debian-systemd\"\n";

    fn kernel() -> ArmKernel {
        let stock = Kernel {
            path: "/k".into(),
            config_path: None,
            arch: Arch::Amd64,
            series: "6.12".parse().unwrap(),
            rt: false,
            version: String::new(),
            release: "6.12.1".to_owned(),
            package: String::new(),
            suite: String::new(),
            sha256: "k".to_owned(),
            built: None,
        };
        ArmKernel::of("6.12".to_owned(), stock, false)
    }

    #[test]
    fn a_system_is_prepared_once_for_all_arms_that_boot_it() {
        let experiment = Experiment::parse(Path::new("x.toml"), FILE).unwrap();
        let kernels = ["lab", "emmc", "host", "lost", "card", "other"].map(|arm| (arm.to_owned(), kernel())).into();
        let mut asked = Vec::new();
        let mut prepare = |arm: &str, system: &ArmSystem, _: &ArmKernel| {
            asked.push((arm.to_owned(), system.root.clone(), system.state));
            let (file_system, state) = (format!("{:?}", system.root), Some(system.state));
            let system = system.root.system();
            Ok::<_, ()>(ArmSystemImage {
                system,
                state,
                release: None,
                own: None,
                path: "/i".into(),
                initramfs: "/r".into(),
                file_system,
            })
        };
        let images = systems(&experiment, kernels, &mut prepare).unwrap();
        let lab = |arm: &str, system, state| (arm.to_owned(), ArmRoot::Lab(system), state);
        let expected = [
            lab("emmc", System::Busybox, RootState::Settled),
            lab("lost", System::Busybox, RootState::PowerLost),
            lab("card", System::Busybox, RootState::Settled),
            lab("other", System::DebianMinimal, RootState::Settled),
        ];
        assert_eq!(asked, expected);
        let of: Vec<(&str, System)> = images.systems.iter().map(|(arm, i)| (arm.as_str(), i.system.unwrap())).collect();
        let busybox = ["card", "emmc", "host", "lost"].map(|arm| (arm, System::Busybox));
        let expected = [&busybox[..], &[("other", System::DebianMinimal)]].concat();
        assert_eq!(of, expected);
        let emmc = experiment.arm("emmc").and_then(|arm| arm.system.as_ref()).unwrap();
        assert_eq!(images.systems["emmc"].boot(emmc).storage, emmc.storage);
    }
}
