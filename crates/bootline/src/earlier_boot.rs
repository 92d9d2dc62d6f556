// SPDX-License-Identifier: MIT OR Apache-2.0
//! An earlier boot of this machine, from its journal.
use std::fmt;
use std::str::FromStr;

use bootline_input::collection::{Collection, JOURNAL, Missing, has_kernel_records};
use bootline_input::{Exit, Failure};

use crate::machine::Machine;

/// A boot of this machine, as journalctl counts: 0 is the one that runs, -1 the one before, 1 the first of the journal; or an
/// ID of 32 hexadecimal digits, with an offset (`-1`) or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootChoice {
    /// In lower case, without dashes.
    id: Option<String>,
    offset: i32,
}

/// Why a text names no boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a boot is 0 for the one that runs, -1 for the one before, 1 for the journal's first, or an ID of `journalctl --list-boots`"
)]
pub struct BootChoiceError;

/// Hexadecimal digits of a boot's ID.
const ID_DIGITS: usize = 32;

impl FromStr for BootChoice {
    type Err = BootChoiceError;

    fn from_str(text: &str) -> Result<BootChoice, BootChoiceError> {
        let digits = |id: &str| id.len() == ID_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
        let offset = |text: &str| text.parse::<i32>().map_err(|_| BootChoiceError);
        // As in /proc/sys/kernel/random/boot_id.
        let plain = text.replace('-', "");
        if digits(&plain) && text.len() == ID_DIGITS + 4 {
            return Ok(BootChoice { id: Some(plain.to_ascii_lowercase()), offset: 0 });
        }
        match text.split_at_checked(ID_DIGITS).filter(|(id, _)| digits(id)) {
            Some((id, "")) => Ok(BootChoice { id: Some(id.to_ascii_lowercase()), offset: 0 }),
            Some((id, rest)) if rest.starts_with(['-', '+']) => {
                Ok(BootChoice { id: Some(id.to_ascii_lowercase()), offset: offset(rest)? })
            }
            Some(_) => Err(BootChoiceError),
            None => Ok(BootChoice { id: None, offset: offset(text)? }),
        }
    }
}

impl fmt::Display for BootChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            None => write!(f, "{}", self.offset),
            Some(id) if self.offset == 0 => f.write_str(id),
            Some(id) => write!(f, "{id}{:+}", self.offset),
        }
    }
}

/// How systemd begins its message at the end of its first transaction, with the times of all stages that it knows.
const STARTUP: &[u8] = b"MESSAGE=Startup finished in ";

impl BootChoice {
    /// As a number that counts from 1, if it is one.
    pub fn number(&self) -> Option<usize> {
        let number = usize::try_from(self.offset).ok().filter(|n| *n > 0);
        number.filter(|_| self.id.is_none())
    }

    /// Whether it is the boot that runs, of which the machine knows more than its journal.
    fn is_running(&self, machine: &Machine) -> bool {
        self.offset == 0 && self.id.as_ref().is_none_or(|id| machine.boot_id().as_ref() == Some(id))
    }

    /// All that the machine knows of this boot.
    ///
    /// # Errors
    /// Its journal can't be read, or lacks the kernel's records.
    pub fn collect(&self, machine: &Machine) -> Result<Collection, Failure> {
        if self.is_running(machine) {
            return Ok(machine.collect());
        }
        let mut collection = Collection::default();
        let choice = format!("--boot={self}");
        machine.add_output(JOURNAL, "journalctl", &[&choice, "-o", "export", "--no-pager"], &mut collection);
        let Some(journal) = collection.items.first() else {
            let why = collection.missing.first().map(|m| m.why.clone()).unwrap_or_default();
            return Err(self.unreadable(&why));
        };
        if !has_kernel_records(&journal.bytes) {
            return Err(self.not_permitted(machine, "what this user may read of it has no record of the kernel"));
        }
        if let Some(sums) = startup_message(&journal.bytes) {
            collection.add("systemd-startup.txt", "", Ok(sums.to_vec()));
        }
        collection.missing.push(Missing {
            what: "systemctl show".to_owned(),
            why: format!(
                "systemd has the properties of the running boot only; units of boot {self} are those that its journal names, by their messages"
            ),
        });
        Ok(collection)
    }

    fn failure(&self, why: &str) -> Failure {
        Failure::new(Exit::INPUT, format!("boot {self} of this machine can't be read: {}", why.trim_end_matches('.')))
    }

    /// What journalctl's words mean, and what to do. Source: journalctl.c of systemd 247 to 257.
    fn unreadable(&self, why: &str) -> Failure {
        let says = |words: &[&str]| words.iter().any(|w| why.contains(w));
        let failure = self.failure(why);
        if says(&["insufficient permissions", "not seeing messages", "Permission denied"]) {
            failure.hint(PERMISSION)
        } else if says(&["no persistent journal", "No journal files were"]) {
            failure.hint(PERSISTENCE)
        } else if says(&["No such file or directory"]) {
            self.failure("there is no journalctl")
                .hint("only systemd's journal keeps earlier boots; name a log: `bootline explain FILE`")
        } else {
            failure.hint("`journalctl --list-boots` lists the boots that the journal holds")
        }
    }

    fn not_permitted(&self, machine: &Machine, why: &str) -> Failure {
        let failure = self.failure(why);
        // To root nothing is hidden: the journal has lost the records, or the kernel's were never kept (ReadKMsg=no).
        if machine.is_root() {
            return failure
                .hint("is `ReadKMsg=` off in journald.conf, or has the journal been cut by `SystemMaxUse=`?");
        }
        failure.hint(PERMISSION)
    }
}

const PERMISSION: &str = "run as root (`sudo bootline explain -b -1`), or join the group that may read it: \
                          `sudo usermod -aG systemd-journal $USER`, then log in again";
const PERSISTENCE: &str = "let the journal outlive a boot: `sudo mkdir -p /var/log/journal && sudo systemctl restart systemd-journald`; \
                           boots from then on are kept";

/// `Startup finished in 4.5s (firmware) + 1.5s (loader) + 1.1s (kernel) + 20.1s (userspace) = 27.3s.`
///
/// systemd instances of users write a shorter one.
fn startup_message(journal: &[u8]) -> Option<&[u8]> {
    let mut lines = journal.split(|byte| *byte == b'\n');
    let found = lines.find(|line| line.starts_with(STARTUP) && line.windows(8).any(|w| w == b"(kernel)"))?;
    Some(&found[b"MESSAGE=".len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn boots_as_journalctl_counts_them() {
        let check = |text: &str, shown: &str| assert_eq!(text.parse::<BootChoice>().unwrap().to_string(), shown);
        check("0", "0");
        check("-0", "0");
        check("-1", "-1");
        check("+2", "2");
        check(ID, ID);
        check(&ID.to_uppercase(), ID);
        check("01234567-89ab-cdef-0123-456789abcdef", ID);
        check(&format!("{ID}-1"), &format!("{ID}-1"));
        check(&format!("{ID}+0"), ID);
        for text in ["", "x", "boot.cap", "-", "1.5", "--1", "0123456789abcdef", &format!("{ID}5"), &format!("{ID}é")]
        {
            assert_eq!(text.parse::<BootChoice>(), Err(BootChoiceError), "{text}");
        }
    }

    #[test]
    fn the_sums_are_the_system_managers() {
        let journal = b"MESSAGE=Startup finished in 96ms.\n\n_PID=1\nMESSAGE=Startup finished in 4s (kernel) + 9s (userspace) = 13s.\n";
        assert_eq!(startup_message(journal), Some(&b"Startup finished in 4s (kernel) + 9s (userspace) = 13s."[..]));
        assert_eq!(startup_message(b"MESSAGE=Startup finished in 96ms.\n"), None);
    }

    /// journalctl's own words, and what each is answered with.
    #[test]
    fn what_journalctl_says_is_answered() {
        let choice: BootChoice = "-1".parse().unwrap();
        let check = |why: &str, words: &str| {
            let shown = choice.unreadable(why).to_string();
            assert!(shown.starts_with("error: boot -1 of this machine can't be read: "), "{shown}");
            assert!(shown.contains(words), "{shown}");
        };
        check("No journal files were opened due to insufficient permissions.", "hint: run as root");
        check(
            "Specifying boot ID or boot offset has no effect, no persistent journal was found.",
            "hint: let the journal outlive a boot",
        );
        check("No journal files were found.", "hint: let the journal outlive a boot");
        check(
            "Data from the specified boot (-1) is not available: No such boot ID in journal",
            "hint: `journalctl --list-boots` lists",
        );
        check("No such file or directory (os error 2)", "there is no journalctl");
    }
}
