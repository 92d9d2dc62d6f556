// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs and headers of the host that builds need.
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// mkfs is in a folder that ordinary users may lack.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Whether a program is there.
pub(crate) fn has_program(program: &str) -> bool {
    PATH.split(':').any(|folder| Path::new(folder).join(program).is_file())
}

/// Whether programs for this host can be compiled with a header.
pub(crate) fn has_header(header: &str) -> bool {
    let mut command = Command::new("gcc");
    command.args(["-E", "-x", "c", "-o", "/dev/null", "-"]).env("PATH", PATH);
    let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
        return false;
    };
    let asked =
        child.stdin.take().is_some_and(|mut to| to.write_all(format!("#include <{header}>\n").as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found() {
        assert!(has_program("sh") && !has_program("no-such-program"));
        assert!(!has_header("no/such/header.h"));
    }
}
