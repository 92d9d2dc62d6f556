// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verbs that are programs of their own, `bootline-VERB`: next to this one, or on the PATH, as git and cargo find theirs.
use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use bootline_input::{Exit, Failure};

/// A program of its own.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    name: &'static str,
    /// How it is installed.
    installation: &'static str,
}

/// `bootline ingest`
pub const INGEST: Program = Program {
    name: "bootline-ingest",
    installation: "`cargo build --release -p bootline-ingest` in the source, or `cargo install bootline-ingest` once it is released",
};
const FROM_PYTHON: &str =
    "`pip install '.[fleet]'` in the source, or `pip install 'bootline[fleet]'` once it is released";
/// `bootline fleet`
pub const FLEET: Program = Program { name: "bootline-fleet", installation: FROM_PYTHON };
/// `bootline sql`
pub const SQL: Program = Program { name: "bootline-sql", installation: FROM_PYTHON };

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arguments of that program; `--help` shows them
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes the program; returns only if that fails.
pub fn run(program: &Program, args: Args) -> Result<Exit, Failure> {
    let path = program.find();
    let e = Command::new(&path).args(args.arguments).exec();
    Err(match e.kind() {
        ErrorKind::NotFound => {
            Failure::new(Exit::USAGE, format!("no program `{}` next to bootline or on the PATH", program.name))
                .hint(format!("install it: {}", program.installation))
        }
        _ => Failure::new(Exit::LAB, format!("can't start `{}`: {e}", path.display())),
    })
}

impl Program {
    /// Next to this program, else what the PATH has of that name.
    fn find(&self) -> PathBuf {
        let beside = env::current_exe().ok().map(|own| own.with_file_name(self.name));
        beside.filter(|path| path.is_file()).unwrap_or_else(|| self.name.into())
    }
}
