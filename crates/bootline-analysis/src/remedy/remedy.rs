// SPDX-License-Identifier: MIT OR Apache-2.0
//! One thing to do.
use super::effort::Effort;
use super::risk::Risk;
use super::system_change::SystemChange;
use bootline_capture::units::Interval;

/// One thing to do about lost time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// What to do: `print less on the console`. It may name what the log names: escape it like a record.
    pub action: String,
    /// What of the system is changed, all of it together; empty where that can't be stated exactly.
    pub changes: Vec<SystemChange>,
    /// What one gives up or needs for it.
    pub price: String,
    /// How much work it is.
    pub effort: Effort,
    /// What can go wrong.
    pub risk: Risk,
    /// What the boot is predicted to take less with it alone; none where that isn't predicted.
    pub saves: Option<Interval>,
}

impl Remedy {
    /// A remedy that changes the system in a way that can be stated exactly; its effort is that of its hardest change.
    pub fn new(action: impl Into<String>, changes: Vec<SystemChange>, price: impl Into<String>, risk: Risk) -> Remedy {
        let effort = changes.iter().map(SystemChange::effort).max().unwrap_or(Effort::None);
        Remedy { action: action.into(), changes, price: price.into(), effort, risk, saves: None }
    }

    /// A remedy that only words can state.
    pub fn in_words(action: impl Into<String>, effort: Effort, price: impl Into<String>, risk: Risk) -> Remedy {
        Remedy { action: action.into(), changes: Vec::new(), price: price.into(), effort, risk, saves: None }
    }

    /// With what it is predicted to save.
    pub fn saving(self, saves: Option<Interval>) -> Remedy {
        Remedy { saves, ..self }
    }

    /// The exact settings as they are typed: parameters of the command line separated by blanks, other settings by commas; none
    /// where there are none.
    pub fn setting(&self) -> Option<String> {
        let mut text = String::new();
        let mut before: Option<&SystemChange> = None;
        for change in self.changes.iter().filter(|c| c.is_setting()) {
            let separator = match (before.replace(change), change) {
                (None, _) => "",
                (Some(SystemChange::AddParameter(_)), SystemChange::AddParameter(_)) => " ",
                _ => ", ",
            };
            text += &format!("{separator}{change}");
        }
        (!text.is_empty()).then_some(text)
    }

    /// Whether a tool can make all of its changes as they are.
    pub fn is_applicable(&self) -> bool {
        !self.changes.is_empty() && self.changes.iter().all(SystemChange::is_complete)
    }
}
