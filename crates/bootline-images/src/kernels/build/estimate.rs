// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a build will take, from the number of its objects and the rate at which this host compiles the first ones.
use std::fs;
use std::path::Path;
use std::time::Duration;

use bootline_kbuild::{KernelConfig, KernelTree, SourceKind};

/// Size of a build folder by the number of its objects, in bytes for each. Measured: 40 MB after the first 395 objects of a tiny kernel
/// (6.12.117, gcc 12, without debug information). Linking writes all of them again, several times: twice as much.
const BYTES_PER_OBJECT: u64 = 200_000;

/// The number of objects of a configuration, by the source's makefiles; roughly.
pub(super) fn count_objects(source: &Path, config: &KernelConfig, srcarch: &str) -> u64 {
    let mut tree = KernelTree::default();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        // What can't be read is not counted: it is an estimate.
        for entry in fs::read_dir(source.join(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let Ok(kind) = entry.file_type() else { continue };
            let below_other_arch =
                path.strip_prefix("arch/").is_some_and(|rest| rest.split('/').next() != Some(srcarch));
            if kind.is_dir() && !below_other_arch {
                folders.push(path);
            } else if SourceKind::of(&path) == Some(SourceKind::Makefile) {
                if let Ok(text) = fs::read_to_string(source.join(&path)) {
                    tree.add(&path, SourceKind::Makefile, &text);
                }
            }
        }
    }
    u64::try_from(tree.count_objects(config, srcarch)).unwrap_or(u64::MAX)
}

/// The room that a build folder takes, in bytes.
pub(super) fn bytes(objects: u64) -> u64 {
    objects * BYTES_PER_OBJECT
}

/// The time for the objects that are left, where `done` took `time`. None before any is done.
pub(super) fn left(done: u64, time: Duration, of: u64) -> Option<Duration> {
    let rate = rate(done, time)?;
    Some(Duration::from_secs_f64(of.saturating_sub(done) as f64 / rate))
}

/// Objects a second.
pub(super) fn rate(done: u64, time: Duration) -> Option<f64> {
    (done > 0 && !time.is_zero()).then(|| done as f64 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_is_done() {
        assert_eq!(left(0, Duration::from_secs(9), 100), None);
        assert_eq!(left(25, Duration::from_secs(10), 100), Some(Duration::from_secs(30)));
        assert_eq!(left(120, Duration::from_secs(10), 100), Some(Duration::ZERO));
    }
}
