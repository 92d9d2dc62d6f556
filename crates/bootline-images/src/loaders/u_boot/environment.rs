// SPDX-License-Identifier: MIT OR Apache-2.0
//! U-Boot's environment, and the flash in which a board keeps it.
use std::fs::File;
use std::path::Path;

use crate::loaders::LoaderError;

/// Size of the environment in the flash, in bytes (CONFIG_ENV_SIZE of qemu_arm64_defconfig).
const ENVIRONMENT: usize = 0x4_0000;
/// Its checksum comes first (env_t in include/env_internal.h, without CONFIG_SYS_REDUNDAND_ENVIRONMENT).
const CHECKSUM: usize = 4;
/// Size of each of the two flashes of QEMU's machine `virt`, in bytes. The environment is at the start of the second
/// (CONFIG_ENV_ADDR, 0x4000000); the loader is in the first.
const FLASH: u64 = 64 << 20;

/// The variables of U-Boot, in the order of the loader's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Vec<(String, String)>,
}

impl Environment {
    /// Reads `NAME=VALUE` lines, as U-Boot's build writes them (`make u-boot-initial-env`).
    pub fn parse(text: &str) -> Environment {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Environment { variables: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() }
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.variables.push((name.to_owned(), value)),
        }
    }

    /// A variable's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// As it lies in the flash.
    fn stored(&self) -> Result<Vec<u8>, LoaderError> {
        let mut data = Vec::with_capacity(ENVIRONMENT);
        for (name, value) in &self.variables {
            data.extend_from_slice(format!("{name}={value}\0").as_bytes());
        }
        data.push(0);
        let room = ENVIRONMENT - CHECKSUM;
        if data.len() > room {
            return Err(LoaderError::EnvironmentTooLarge { bytes: data.len(), room });
        }
        data.resize(room, 0);
        let mut stored = crc32(&data).to_le_bytes().to_vec();
        stored.append(&mut data);
        Ok(stored)
    }
}

/// Writes the content of the second flash: the environment. The rest of the file is a hole.
///
/// # Errors
/// The environment is too large, or the file can't be written.
pub fn flash_image(environment: &Environment, path: &Path) -> Result<(), LoaderError> {
    let stored = environment.stored()?;
    let written = std::fs::write(path, stored).and_then(|()| File::options().write(true).open(path)?.set_len(FLASH));
    written.map_err(LoaderError::file("write", path))
}

/// The checksum of zlib, Ethernet and others.
fn crc32(data: &[u8]) -> u32 {
    /// x^32 + x^26 + .. + 1, with the highest power in the lowest bit.
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let bit = |crc: u32, _| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
    !data.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn variables_are_replaced_or_added() {
        let mut environment = Environment::parse("arch=arm\nbootdelay=2\nbootcmd=a=b; c\n\n");
        environment.set("bootdelay", "0");
        environment.set("silent", "1");
        assert_eq!(environment.get("bootdelay"), Some("0"));
        assert_eq!(environment.get("bootcmd"), Some("a=b; c"));
        let stored = environment.stored().unwrap();
        assert_eq!(stored.len(), ENVIRONMENT);
        let text = b"arch=arm\0bootdelay=0\0bootcmd=a=b; c\0silent=1\0\0";
        assert_eq!(&stored[CHECKSUM..CHECKSUM + text.len()], text);
        assert_eq!(stored[..CHECKSUM], crc32(&stored[CHECKSUM..]).to_le_bytes());
    }

    #[test]
    fn a_flash_has_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flash");
        flash_image(&Environment::parse("a=b"), &path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), FLASH);
        let mut large = Environment::default();
        large.set("a", "b".repeat(ENVIRONMENT));
        assert!(matches!(flash_image(&large, &path), Err(LoaderError::EnvironmentTooLarge { .. })));
    }
}
