// SPDX-License-Identifier: MIT OR Apache-2.0
//! The remedies of several findings, each once, by the effort that they take.
use std::cmp::Reverse;

use super::effort::Effort;
use super::remedy::Remedy;

/// A remedy with all that it remedies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRemedy<'f, Cause> {
    /// What to do.
    pub remedy: &'f Remedy,
    /// What it helps against, in the order given, each once.
    pub causes: Vec<Cause>,
}

/// Remedies that take the same effort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemedyGroup<'f, Cause> {
    /// The effort.
    pub effort: Effort,
    /// Those that save most first; those whose saving is not predicted follow in the order given.
    pub remedies: Vec<SharedRemedy<'f, Cause>>,
}

/// Each remedy once, in groups from the least effort to the greatest. Two remedies are the same where they do the same:
/// their causes are listed together.
pub fn by_effort<'f, Cause: PartialEq>(
    remedies: impl IntoIterator<Item = (Cause, &'f Remedy)>,
) -> Vec<RemedyGroup<'f, Cause>> {
    let mut shared: Vec<SharedRemedy<'f, Cause>> = Vec::new();
    for (cause, remedy) in remedies {
        match shared.iter_mut().find(|s| same(s.remedy, remedy)) {
            Some(known) if known.causes.contains(&cause) => {}
            Some(known) => known.causes.push(cause),
            None => shared.push(SharedRemedy { remedy, causes: vec![cause] }),
        }
    }
    shared.sort_by_key(|s| (s.remedy.effort, Reverse(s.remedy.saves.map(|saves| saves.best()))));
    let mut groups: Vec<RemedyGroup<'f, Cause>> = Vec::new();
    for remedy in shared {
        match groups.last_mut().filter(|g| g.effort == remedy.remedy.effort) {
            Some(group) => group.remedies.push(remedy),
            None => groups.push(RemedyGroup { effort: remedy.remedy.effort, remedies: vec![remedy] }),
        }
    }
    groups
}

fn same(a: &Remedy, b: &Remedy) -> bool {
    if a.changes.is_empty() { a.action == b.action && b.changes.is_empty() } else { a.changes == b.changes }
}

#[cfg(test)]
mod tests {
    use super::super::{Risk, SystemChange};
    use super::*;
    use bootline_capture::units::{Dur, Interval};

    fn word(word: &str, saves: Option<i64>) -> Remedy {
        let saves = saves.map(|s| Interval::exact(Dur::from_millis(s)));
        Remedy::new(format!("boot with {word}"), vec![SystemChange::word(word)], "", Risk::Low).saving(saves)
    }

    #[test]
    fn each_once_by_effort_and_by_what_it_saves() {
        let rebuild = Remedy::new("rebuild", vec![SystemChange::config("CONFIG_X", "y")], "", Risk::High)
            .saving(Some(Interval::exact(Dur::from_millis(900))));
        let unknown = word("a", None);
        let little = word("b", Some(10));
        let much = word("c", Some(20));
        let again = word("c", Some(20));
        let all = [(1, &rebuild), (1, &unknown), (1, &little), (1, &much), (2, &again), (2, &again)];
        let groups = by_effort(all);
        let shown: Vec<String> = groups
            .iter()
            .flat_map(|g| g.remedies.iter().map(|r| format!("{:?}: {} for {:?}", g.effort, r.remedy.action, r.causes)))
            .collect();
        assert_eq!(
            shown,
            [
                "Configuration: boot with c for [1, 2]",
                "Configuration: boot with b for [1]",
                "Configuration: boot with a for [1]",
                "Rebuild: rebuild for [1]",
            ]
        );
    }

    #[test]
    fn a_remedy_is_as_hard_as_its_hardest_change() {
        let changes = vec![SystemChange::word("quiet"), SystemChange::config("CONFIG_X", "y")];
        let remedy = Remedy::new("both", changes, "", Risk::Low);
        assert_eq!(remedy.effort, Effort::Rebuild);
        assert_eq!(remedy.setting().as_deref(), Some("quiet, CONFIG_X=y"));
        assert!(remedy.is_applicable());
    }

    #[test]
    fn a_placeholder_is_left_to_the_user() {
        let change = SystemChange::open_parameter("mem", "size");
        assert_eq!(change.to_string(), "mem=<size>");
        assert!(!Remedy::new("less", vec![change], "", Risk::Medium).is_applicable());
    }
}
