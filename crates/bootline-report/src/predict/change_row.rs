// SPDX-License-Identifier: MIT OR Apache-2.0
//! A change in a table of predictions, and what it takes on the system.
use crate::document::{Entry, Text};
use crate::style::Style;
use crate::time_value::in_millis;
use bootline_analysis::remedy::SystemChange;
use bootline_capture::units::{Dur, Interval};

/// Times that differ by less count as equal.
pub(super) const SAME: Dur = Dur::from_millis(10);

/// The first cells of a row: letter, title, the time with the change, what it saves. The baseline is row 0.
pub(super) fn cells(row: usize, title: &str, time: Interval, saved: Interval) -> Vec<String> {
    let of_change = |text: String| if row == 0 { String::new() } else { text };
    vec![
        row.checked_sub(1).map(letters).unwrap_or_default(),
        title.to_owned(),
        in_millis(time.best()),
        between(time),
        of_change(in_millis(saved.best())),
        of_change(between(saved)),
    ]
}

/// Style of a row: what makes it worse stands out.
pub(super) fn row_style(row: usize, saved: Interval) -> Style {
    match saved.best() {
        _ if row == 0 => Style::Strong,
        saved if saved <= -SAME => Style::Warning,
        _ => Style::Plain,
    }
}

/// What a change costs its user; none where that is nothing.
pub(super) fn price(price: &str) -> Option<Entry> {
    (!price.is_empty()).then(|| Entry::new("", Text::new().styled(format!("price: {price}"), Style::Faint)))
}

/// `6.900..7.400`; nothing if both are equal to the millisecond.
pub(super) fn between(i: Interval) -> String {
    let (low, high) = (in_millis(i.low()), in_millis(i.high()));
    if low == high { String::new() } else { format!("{low}..{high}") }
}

/// a to z, then aa.
pub(super) fn letters(n: usize) -> String {
    let letter = char::from(b'a' + (n % 26) as u8);
    if n < 26 { letter.to_string() } else { format!("{}{letter}", letters(n / 26 - 1)) }
}

/// A change's title, and what it needs.
pub(super) fn with_needs(title: &str, needs: &[SystemChange]) -> Text {
    let mut text = Text::new().styled(title, Style::Strong);
    for (i, need) in needs.iter().enumerate() {
        text = text.words(if i == 0 { ": " } else { "; " });
        text = match need {
            SystemChange::AddParameter(parameter) => {
                text.styled(parameter.to_string(), Style::Setting).words(" on the kernel's command line")
            }
            SystemChange::RemoveParameter(parameter) => {
                text.words("no ").styled(parameter.to_string(), Style::Setting).words(" on the kernel's command line")
            }
            SystemChange::Config { .. } => {
                text.styled(need.to_string(), Style::Setting).words(" in the kernel's configuration")
            }
            SystemChange::LoadModule { .. }
            | SystemChange::Sysctl { .. }
            | SystemChange::MaskUnit(_)
            | SystemChange::StartAfter { .. }
            | SystemChange::ServiceSetting { .. }
            | SystemChange::MaskGenerator(_)
            | SystemChange::FileSetting { .. } => text.styled(need.to_string(), Style::Setting),
            SystemChange::Kernel(_)
            | SystemChange::DisableScript(_)
            | SystemChange::ScriptAfter { .. }
            | SystemChange::ScriptInBackground(_)
            | SystemChange::OtherEnd(_)
            | SystemChange::Hardware(_) => text.words(need.to_string()),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_have_letters() {
        let check = |n, want: &str| assert_eq!(letters(n), want);
        check(0, "a");
        check(25, "z");
        check(26, "aa");
        check(27, "ab");
        check(26 * 27, "aaa");
    }
}
