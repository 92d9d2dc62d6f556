// SPDX-License-Identifier: MIT OR Apache-2.0
//! The environment of the programs that tests start.
use std::ffi::OsStr;
use std::process::Command;

/// What is passed on: where programs and temporary files are, and what tools that watch tests need.
const KEPT: [&str; 5] = ["PATH", "TMPDIR", "LLVM_PROFILE_FILE", "LD_LIBRARY_PATH", "RUST_BACKTRACE"];

/// A command that sees nothing of the user's environment: no terminal settings, no home, and so no cache either, unless
/// the test gives it one of its own (`BOOTLINE_CACHE`).
pub fn isolated(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(KEPT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_kept_is_seen() {
        let seen = isolated("env").output().unwrap();
        let seen = String::from_utf8(seen.stdout).unwrap();
        let names: Vec<&str> = seen.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        assert!(names.contains(&"PATH"), "{seen}");
        // Cargo sets this one for the test itself.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !names.contains(&"CARGO_MANIFEST_DIR"), "{seen}");
    }
}
