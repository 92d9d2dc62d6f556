// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kinds whose members users name on the command line and in files.

/// A name that no member of a kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` {wrong}: {}", names.join(", "))]
pub struct UnknownName {
    /// What was typed.
    pub text: String,
    /// What is wrong with it.
    pub wrong: &'static str,
    /// The names of the kind's members.
    pub names: Vec<&'static str>,
}

/// Reads and writes the members of a kind by their names. The kind has the list `ALL` and the method `name`. The text is for names that
/// no member has: what they are not.
#[macro_export]
macro_rules! named {
    ($kind:ty, $wrong:literal) => {
        impl ::std::fmt::Display for $kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $kind {
            type Err = $crate::named::UnknownName;

            fn from_str(text: &str) -> Result<$kind, $crate::named::UnknownName> {
                let found = <$kind>::ALL.into_iter().find(|member| member.name() == text);
                found.ok_or_else(|| $crate::named::UnknownName {
                    text: text.to_owned(),
                    wrong: $wrong,
                    names: <$kind>::ALL.map(<$kind>::name).to_vec(),
                })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};
    use std::str::FromStr;

    use serde::Serialize;

    use super::UnknownName;
    use crate::hardware::{Absent, Bus};
    use crate::image_format::ImageFormat;
    use crate::loaders::Loader;
    use crate::systems::{RootState, System};

    fn check<T>(all: impl IntoIterator<Item = T>, wrong: &str, error: &str)
    where
        T: Copy + Debug + Display + PartialEq + Serialize + FromStr<Err = UnknownName>,
    {
        for member in all {
            assert_eq!(member.to_string().parse(), Ok(member));
            assert_eq!(
                serde_json::to_string(&member).unwrap(),
                format!("\"{member}\""),
                "files name it as the command does"
            );
        }
        assert_eq!(wrong.parse::<T>().unwrap_err().to_string(), error);
    }

    #[test]
    fn names_are_read_and_written_alike() {
        check(Bus::ALL, "ide", "`ide` is not a bus: virtio, sata, sd, nvme, usb, mtd");
        check(Absent::ALL, "sata", "`sata` is not hardware that can be absent: sata-disk, sd-card, network-link");
        check(Loader::ALL, "grub", "`grub` is not a boot loader of the lab: u-boot, grub-bios, grub-efi");
        check(
            RootState::ALL,
            "new",
            "`new` is not a state of a root: settled, first-boot, power-lost, aged, fastmap, recorded",
        );
        check(
            System::ALL,
            "debian",
            "`debian` is not a system of the lab: debian-systemd, debian-minimal, debian-sysvinit, debian-openrc, busybox",
        );
        check(
            ImageFormat::ALL,
            "vfat",
            "`vfat` is not a file system that the lab writes: ext4, btrfs, squashfs, erofs, jffs2, jffs2-summary, ubifs",
        );
    }
}
