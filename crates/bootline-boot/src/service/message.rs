// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a line says of a unit.
use super::state::ServiceState;
use bootline_capture::units::Dur;

/// A parsed message about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitMessage<'a> {
    /// It is being started.
    Begins(UnitText<'a>),
    /// Its line began, and others came in between: only its end shows that it was one.
    MayBegin(UnitText<'a>),
    /// It is being started; what is started meanwhile ends before it.
    BeginsNested(UnitText<'a>),
    /// It is up, or failed.
    Ends(UnitText<'a>, ServiceState),
    /// Its start job ran into its time-out.
    TimedOut(UnitText<'a>),
    /// The line began when it was started, and ended with its outcome.
    Line(UnitText<'a>, ServiceState),
    /// The nested one that began last has ended.
    LastEnds(ServiceState),
    /// The line that others broke has ended.
    LineEnds(ServiceState),
    /// The one before has ended, and this one has begun.
    NextStage(UnitText<'a>),
    /// All of them have ended.
    LastStage(UnitText<'a>),
    /// It has ended, and took so long.
    Took(UnitText<'a>, ServiceState, Dur),
}

/// What a message calls a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnitText<'a> {
    /// The unit's name; its description if the message shows nothing else.
    pub name: &'a str,
    /// What is left of a text that was too wide, before and after the ellipsis; none of one that is whole.
    pub shortened: Option<(&'a str, &'a str)>,
    /// The whole text.
    pub shown: &'a str,
}

impl<'a> UnitText<'a> {
    /// A text that is whole.
    pub fn whole(name: &'a str) -> UnitText<'a> {
        UnitText { name, shortened: None, shown: name }
    }

    /// Whether two messages may mean one unit: what both show agrees.
    pub fn agrees(&self, other: &UnitText<'_>) -> bool {
        let (start, end) = self.shortened.unwrap_or((self.shown, self.shown));
        let (other_start, other_end) = other.shortened.unwrap_or((other.shown, other.shown));
        (start.starts_with(other_start) || other_start.starts_with(start))
            && (end.ends_with(other_end) || other_end.ends_with(end))
    }
}
