// SPDX-License-Identifier: MIT OR Apache-2.0
//! An input of the verbs that show boots: a file, or this machine.
use bootline_input::{Failure, LogFile, OpenInput};
use bootline_report::escaped;

use crate::earlier_boot::BootChoice;
use crate::machine::Machine;

/// What an argument names; opened only when its turn comes, so that one for each processor is in memory.
#[derive(Debug)]
pub enum LogInput {
    /// A log or a collection.
    File(LogFile),
    /// The machine that bootline runs on: the boot that runs, or another that its journal holds.
    Machine(Machine, Option<BootChoice>),
}

impl LogInput {
    /// Opens what is named.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open(&self) -> Result<OpenInput, Failure> {
        Ok(match self {
            LogInput::Machine(machine, None) => OpenInput::of_collection(THIS_MACHINE, machine.collect()),
            LogInput::Machine(machine, Some(choice)) => {
                let name = format!("boot {choice} of {THIS_MACHINE}");
                OpenInput::of_collection(&name, choice.collect(machine)?)
            }
            LogInput::File(file) => OpenInput::new(file),
        })
    }
}

/// What a collection lacks, in words.
pub fn not_read(input: &OpenInput) -> impl Iterator<Item = String> + '_ {
    input.missing.iter().map(|missing| format!("not read: {}: {}", escaped(&missing.what), escaped(&missing.why)))
}

/// The boot of the machine that bootline runs on, as reports name it.
const THIS_MACHINE: &str = "this machine";
