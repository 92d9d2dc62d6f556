// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that build systems, run so that they may own files of several users: as root, or in a user namespace.
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::error::SystemError;
use crate::host_tools::{PATH, has_program};
use crate::step;

/// How files of several users are owned here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// This process is root.
    Root,
    /// A user namespace, in which a range of ids belongs to this user.
    User,
}

impl Namespace {
    /// The one that this process can have.
    ///
    /// # Errors
    /// The host permits neither.
    pub fn of_this_process() -> Result<Namespace, SystemError> {
        let namespace = if rustix::process::geteuid().is_root() { Namespace::Root } else { Namespace::User };
        let output = namespace.command("true").stdin(Stdio::null()).output();
        let output = output.map_err(|_| SystemError::NoTool { program: "unshare", package: "util-linux" })?;
        if output.status.success() {
            return Ok(namespace);
        }
        Err(SystemError::NoNamespace { reason: String::from_utf8_lossy(&output.stderr).trim().to_owned() })
    }

    /// A command in the namespace.
    pub fn command(self, program: &str) -> Command {
        let mut command = Command::new("unshare");
        command.arg("--mount");
        if self == Namespace::User {
            command.args(["--user", "--map-root-user", "--map-auto"]);
        }
        command.arg(program).env("LC_ALL", "C.UTF-8");
        command
    }

    /// mmdebstrap's name for it.
    pub fn mode(self) -> &'static str {
        match self {
            Namespace::Root => "root",
            Namespace::User => "unshare",
        }
    }

    /// Runs a shell script with arguments, `$1` and so on, in the namespace, to build `what`.
    pub fn script(self, what: &str, step: &'static str, script: &str, arguments: &[&OsStr]) -> Result<(), SystemError> {
        let mut command = self.command("sh");
        command.args(["-ec", script, "sh"]).args(arguments).env("PATH", PATH);
        run(command, what, step)
    }

    /// Removes a folder whose files may belong to others of the namespace's users.
    pub fn remove(self, folder: &Path) -> Result<(), SystemError> {
        if !folder.exists() {
            return Ok(());
        }
        let status = self.command("rm").arg("-rf").arg("--one-file-system").arg(folder).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(SystemError::cache("remove", folder)(std::io::Error::other(status.to_string()))),
            Err(source) => Err(SystemError::cache("remove", folder)(source)),
        }
    }
}

/// Checks that a program is installed.
pub(crate) fn need(program: &'static str, package: &'static str) -> Result<(), SystemError> {
    if has_program(program) { Ok(()) } else { Err(SystemError::NoTool { program, package }) }
}

/// Runs a step of a build.
pub(super) fn run(command: Command, what: &str, step: &'static str) -> Result<(), SystemError> {
    step::run(command).map_err(|evidence| SystemError::Step { what: what.to_owned(), step, evidence })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_its_package() {
        let error = need("no-such-program", "some-package").unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("apt-get install some-package"));
    }

    #[test]
    fn a_failed_step_is_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo why >&2; exit 3"]);
        let error = run(command, "busybox", "a step").unwrap_err().to_string();
        assert_eq!(error, "can't build busybox: a step failed\n  why");
    }
}
