// SPDX-License-Identifier: MIT OR Apache-2.0
//! Metadata from the path of a log: `{lab}/{board}/{build}/{job}.log`.
use std::path::Path;

use regex::Regex;

use super::boot_metadata::Metadata;

/// How the ends of paths are built.
#[derive(Clone, Debug)]
pub struct PathPattern {
    regex: Regex,
    /// The field of each group.
    fields: Vec<String>,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A brace has no partner.
    #[error("`{{` and `}}` come in pairs")]
    Braces,
    /// There is no such field.
    #[error(
        "no field `{0}`: there are board, device, build, lab, job, tree_name, git_repository_branch, git_commit_hash, \
         git_commit_name, architecture, config_name, compiler, and _ for what is not needed"
    )]
    UnknownField(String),
    /// It is too long.
    #[error("it is too long")]
    TooLong,
}

impl PathPattern {
    /// A pattern; each field matches a name or a part of one, `*` anything but `/`.
    ///
    /// # Errors
    /// It names a field that there isn't.
    pub fn parse(pattern: &str) -> Result<PathPattern, PatternError> {
        let (mut regex, mut fields) = ("(?:^|/)".to_owned(), Vec::new());
        let mut rest = pattern.trim_start_matches("./");
        while let Some(at) = rest.find(['{', '}', '*']) {
            regex.push_str(&regex::escape(&rest[..at]));
            if rest[at..].starts_with('*') {
                regex.push_str("[^/]*");
                rest = &rest[at + 1..];
                continue;
            }
            let (field, after) =
                rest[at..].strip_prefix('{').and_then(|r| r.split_once('}')).ok_or(PatternError::Braces)?;
            if field != "_" && !Metadata::default().set(field, "") {
                return Err(PatternError::UnknownField(field.to_owned()));
            }
            fields.push(field.to_owned());
            regex.push_str("([^/]+?)");
            rest = after;
        }
        regex.push_str(&regex::escape(rest));
        regex.push('$');
        Ok(PathPattern { regex: Regex::new(&regex).map_err(|_| PatternError::TooLong)?, fields })
    }

    /// What a path says; none if it is built otherwise.
    pub fn read(&self, path: &Path) -> Option<Metadata> {
        let path = path.to_string_lossy();
        let found = self.regex.captures(&path)?;
        let mut metadata = Metadata::default();
        for (field, group) in self.fields.iter().zip(found.iter().skip(1)) {
            metadata.set(field, group?.as_str());
        }
        Some(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_the_ends_of_paths() {
        let check = |pattern: &str, path: &str, want: Option<[&str; 3]>| {
            let found = PathPattern::parse(pattern).unwrap().read(Path::new(path));
            let text = |field: Option<crate::tables::Text>| field.map_or(String::new(), |f| f.to_string());
            let found = found.map(|m| [text(m.board), text(m.build), text(m.job)]);
            assert_eq!(found, want.map(|w| w.map(str::to_owned)), "{pattern} {path}");
        };
        let whole = "{lab}/{board}/{build}/{job}.log";
        check(whole, "logs/lab-a/rpi4/v6.12-3/77.log", Some(["rpi4", "v6.12-3", "77"]));
        check(whole, "rpi4/v6.12-3/77.log", None);
        check(whole, "logs/lab-a/rpi4/v6.12-3/77.txt", None);
        check("{board}-{build}.log*", "a/rpi4-6.12.log.gz", Some(["rpi4", "6.12", ""]));
        check("{_}/{board}.(log)", "x/y.(log)", Some(["y", "", ""]));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        let refused = |pattern: &str| PathPattern::parse(pattern).unwrap_err();
        assert_eq!(refused("{bord}"), PatternError::UnknownField("bord".to_owned()));
        assert_eq!(refused("{board"), PatternError::Braces);
        assert_eq!(refused("board}"), PatternError::Braces);
    }
}
