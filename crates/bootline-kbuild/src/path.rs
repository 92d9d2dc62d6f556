// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths within a kernel tree: separated by `/`, relative to its root.

/// The directory of a path; empty for the root.
pub(crate) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// A path that a makefile names, seen from its directory, without `.` and `..`; none if it leads out of the tree.
pub(crate) fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_seen_from_its_directory() {
        assert_eq!(
            join("drivers/gpu/drm/amd/amdgpu", "../display/dc.o").as_deref(),
            Some("drivers/gpu/drm/amd/display/dc.o")
        );
        assert_eq!(join("", "./init/").as_deref(), Some("init"));
        assert_eq!(join("a", "../../b.o"), None);
    }
}
