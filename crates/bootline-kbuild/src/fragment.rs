// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fragments of a kernel's configuration: what they set, and what becomes of several of them, one after the other, as the kernel's
//! own scripts/kconfig/merge_config.sh has it.
use std::collections::HashMap;
use std::fmt;

/// What a line of a configuration sets: `CONFIG_X=y`, or `# CONFIG_X is not set`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigSetting {
    /// The symbol, without `CONFIG_`.
    pub symbol: String,
    /// As it is written: `y`, `m`, `n`, a number, or a string in quotes. `n` is written as `is not set`.
    pub value: String,
}

impl fmt::Display for ConfigSetting {
    /// The line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value.as_str() {
            "n" => write!(f, "# CONFIG_{} is not set", self.symbol),
            value => write!(f, "CONFIG_{}={value}", self.symbol),
        }
    }
}

/// A line that neither sets anything nor is a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentProblem {
    /// Number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// A part of a configuration, or a whole one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFragment {
    /// What it sets, in the order of its lines.
    pub settings: Vec<ConfigSetting>,
    /// The lines that are not understood. merge_config.sh passes over them in silence.
    pub problems: Vec<FragmentProblem>,
}

impl ConfigFragment {
    /// Reads a fragment or a `.config`, whatever the text.
    pub fn parse(text: &str) -> ConfigFragment {
        let mut fragment = ConfigFragment::default();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim();
            match setting(line) {
                Some(setting) => fragment.settings.push(setting),
                None if line.is_empty() || line.starts_with('#') => {}
                None => fragment.problems.push(FragmentProblem { line: n + 1, text: line.to_owned() }),
            }
        }
        fragment
    }

    /// What all of them set together: the last setting of a symbol counts, and in its place. Of a choice, Kconfig takes the member that
    /// is set last.
    pub fn merged<'f>(fragments: impl IntoIterator<Item = &'f ConfigFragment>) -> ConfigFragment {
        let all: Vec<&ConfigSetting> = fragments.into_iter().flat_map(|f| &f.settings).collect();
        let last: HashMap<&str, usize> = all.iter().enumerate().map(|(n, s)| (s.symbol.as_str(), n)).collect();
        let counting = all.iter().enumerate().filter(|(n, s)| last[s.symbol.as_str()] == *n);
        ConfigFragment { settings: counting.map(|(_, s)| (*s).clone()).collect(), problems: Vec::new() }
    }

    /// The settings of this fragment that a configuration, such as a kernel's finished `.config`, does not have.
    pub fn refused_by(&self, config: &ConfigFragment) -> Vec<RefusedSetting> {
        let values: HashMap<&str, &str> =
            config.settings.iter().map(|s| (s.symbol.as_str(), s.value.as_str())).collect();
        let refused = self.settings.iter().filter_map(|wanted| {
            let got = values.get(wanted.symbol.as_str()).copied();
            (!agree(&wanted.value, got))
                .then(|| RefusedSetting { wanted: wanted.clone(), got: got.unwrap_or("n").to_owned() })
        });
        refused.collect()
    }

    /// The text: a line for each setting.
    pub fn to_text(&self) -> String {
        self.settings.iter().map(|setting| format!("{setting}\n")).collect()
    }
}

/// A setting that a configuration does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSetting {
    /// The setting.
    pub wanted: ConfigSetting,
    /// The value in the configuration; `n` for none.
    pub got: String,
}

/// What is off is absent where its dependencies are unmet, and so is an empty string.
fn agree(wanted: &str, got: Option<&str>) -> bool {
    got.map_or(matches!(wanted, "n" | "\"\""), |got| got == wanted)
}

fn setting(line: &str) -> Option<ConfigSetting> {
    let unset =
        |line: &str| Some((line.strip_prefix("# CONFIG_")?.strip_suffix(" is not set")?.to_owned(), "n".to_owned()));
    let set = |line: &str| {
        let (symbol, value) = line.strip_prefix("CONFIG_")?.split_once('=')?;
        is_value(value).then(|| (symbol.to_owned(), value.to_owned()))
    };
    let (symbol, value) = unset(line).or_else(|| set(line))?;
    let is_symbol = !symbol.is_empty() && symbol.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_symbol.then_some(ConfigSetting { symbol, value })
}

/// Whether Kconfig takes it for a value: a state, a number, or a string in quotes and nothing after it.
fn is_value(value: &str) -> bool {
    let number = value.strip_prefix('-').unwrap_or(value);
    let hexadecimal = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X"));
    let is_quoted = || {
        let Some(text) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
        // A backslash takes the next character for itself.
        let mut escaped = false;
        let is_plain = text.chars().all(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            !ends
        });
        is_plain && !escaped
    };
    matches!(value, "y" | "m" | "n")
        || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
        || is_quoted()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> ConfigFragment {
        ConfigFragment::parse(text)
    }

    #[test]
    fn lines_are_settings_comments_or_problems() {
        let fragment =
            parse("# a comment\n\nCONFIG_A=y\n  CONFIG_B=\"x y\"  \n# CONFIG_C is not set\nB=y\nCONFIG_D=\n");
        assert_eq!(fragment.to_text(), "CONFIG_A=y\nCONFIG_B=\"x y\"\n# CONFIG_C is not set\n");
        let problems: Vec<_> = fragment.problems.iter().map(|p| (p.line, p.text.as_str())).collect();
        assert_eq!(problems, [(6, "B=y"), (7, "CONFIG_D=")]);
    }

    #[test]
    fn a_value_is_a_state_a_number_or_a_string() {
        for good in ["y", "m", "n", "4", "-1", "0x1F", "\"\"", "\"a b\"", r#""a\"b""#, r#""a\\""#] {
            assert!(parse(&format!("CONFIG_A={good}")).problems.is_empty(), "{good}");
        }
        for bad in ["y  # mine", "maybe", "Y", "0x", "-", "4k", "\"", "\"a\" b", "\"a\"b\"", r#""a\""#, "'a'"] {
            assert!(parse(&format!("CONFIG_A={bad}")).settings.is_empty(), "{bad}");
        }
    }

    #[test]
    fn the_last_setting_counts() {
        let merged =
            ConfigFragment::merged(&[parse("CONFIG_A=y\nCONFIG_B=1\n"), parse("# CONFIG_A is not set\nCONFIG_C=m\n")]);
        assert_eq!(merged.to_text(), "CONFIG_B=1\n# CONFIG_A is not set\nCONFIG_C=m\n");
    }

    #[test]
    fn what_was_dropped_or_changed_is_found() {
        let check = |wanted: &str, config: &str, expected: &[(&str, &str)]| {
            let refused = parse(wanted).refused_by(&parse(config));
            let refused: Vec<_> = refused.iter().map(|r| (r.wanted.to_string(), r.got.clone())).collect();
            let expected: Vec<_> = expected.iter().map(|(w, g)| ((*w).to_owned(), (*g).to_owned())).collect();
            assert_eq!(refused, expected, "{wanted:?} in {config:?}");
        };
        check("CONFIG_A=y\n", "CONFIG_A=y\n", &[]);
        check("CONFIG_A=y\n", "", &[("CONFIG_A=y", "n")]);
        check("CONFIG_A=y\n", "# CONFIG_A is not set\n", &[("CONFIG_A=y", "n")]);
        check("CONFIG_A=m\n", "CONFIG_A=y\n", &[("CONFIG_A=m", "y")]);
        check("# CONFIG_A is not set\n", "", &[]);
        check("# CONFIG_A is not set\n", "CONFIG_A=y\n", &[("# CONFIG_A is not set", "y")]);
        check("CONFIG_S=\"\"\nCONFIG_N=4\n", "CONFIG_N=8\n", &[("CONFIG_N=4", "8")]);
    }

    fn lines() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            "CONFIG_[ABC]=[ymn0-9]",
            "# CONFIG_[ABC] is not set",
            "CONFIG_[ABC]=\"[ -~]{0,4}\"",
            "[ -~]{0,12}",
            "\\PC{0,6}",
        ];
        proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in lines()) {
            let fragment = parse(&text);
            let again = parse(&fragment.to_text());
            prop_assert_eq!(&again.settings, &fragment.settings);
            prop_assert!(again.problems.is_empty());
        }

        #[test]
        fn merging_is_what_the_last_of_each_says(a in lines(), b in lines()) {
            let (a, b) = (parse(&a), parse(&b));
            let merged = ConfigFragment::merged([&a, &b]);
            for setting in &merged.settings {
                let last = a.settings.iter().chain(&b.settings).rfind(|s| s.symbol == setting.symbol);
                prop_assert_eq!(Some(setting), last);
                prop_assert_eq!(merged.settings.iter().filter(|s| s.symbol == setting.symbol).count(), 1);
            }
            // Nothing that was merged is missing, and what wins is never refused.
            prop_assert!(merged.refused_by(&merged).is_empty());
            prop_assert!(ConfigFragment::merged([&b]).refused_by(&merged).is_empty());
        }
    }
}
