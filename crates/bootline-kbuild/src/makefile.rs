// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a Kbuild makefile builds: the part of make's language that the kernel's makefiles use for their objects
//! (Documentation/kbuild/makefiles.rst).

/// A list in a makefile: `obj-$(CONFIG_SATA_AHCI) += ahci.o libahci.o`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct List<'a> {
    /// What the entries become a part of; none for the kernel itself or a module of their own (`obj-`, `lib-`).
    pub part_of: Option<&'a str>,
    /// The symbols of which one is enough, without `CONFIG_`; empty if the entries are always built.
    pub symbols: Vec<&'a str>,
    pub entries: Vec<Entry<'a>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    /// `ahci.o`, without its suffix.
    Object(&'a str),
    /// `sata/`, without the slash.
    Directory(&'a str),
    /// `$(ahci-objs)`: the entries of another list, by its name.
    Listed(&'a str),
}

/// Lists of the whole kernel: objects, libraries, and the root's and architectures' directories.
const WHOLE: [&str; 9] = ["obj", "lib", "core", "drivers", "net", "libs", "machine", "plat", "platform"];

/// The lists of a makefile, in its order.
pub(crate) fn lists(text: &str) -> Vec<List<'_>> {
    let mut lists = Vec::new();
    let mut conditions: Vec<Vec<&str>> = Vec::new();
    for line in logical_lines(text) {
        let Some(first) = line.first().and_then(|l| l.split_whitespace().next()) else { continue };
        match first {
            "ifdef" | "ifeq" | "ifneq" => {
                // Only what a symbol switches on is its doing: `ifeq ($(CONFIG_X),)` and `ifneq ($(CONFIG_X),y)` are its absence.
                let empty = line[0].trim_end().ends_with(",)");
                let switches_on = first == "ifdef" || (first == "ifeq") != empty;
                conditions.push(if switches_on { symbols(line[0]) } else { Vec::new() });
            }
            "ifndef" => conditions.push(Vec::new()),
            "else" => {
                if let Some(last) = conditions.last_mut() {
                    last.clear();
                }
            }
            "endif" => {
                conditions.pop();
            }
            _ => lists.extend(list(&line, &conditions)),
        }
    }
    lists
}

fn list<'a>(line: &[&'a str], conditions: &[Vec<&'a str>]) -> Option<List<'a>> {
    // A recipe, or an option of the compiler for one object.
    if line[0].starts_with('\t') {
        return None;
    }
    let (name, values) = line[0].split_once('=')?;
    let name = name.trim_end_matches([':', '+', '?', ' ', '\t']).trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let head = name.split_once("-$(").map_or(name, |(head, _)| head);
    let head = ["-y", "-m", "-objs", "-obj"].iter().find_map(|s| head.strip_suffix(s)).unwrap_or(head);
    let mut own = symbols(name);
    if own.is_empty() {
        own = conditions.iter().rev().find(|c| !c.is_empty()).cloned().unwrap_or_default();
    }
    let words = std::iter::once(values).chain(line[1..].iter().copied()).flat_map(str::split_whitespace);
    let entries: Vec<Entry<'a>> = words.filter_map(entry).collect();
    let part_of = (!WHOLE.contains(&head)).then_some(head);
    (!entries.is_empty()).then_some(List { part_of, symbols: own, entries })
}

fn entry(word: &str) -> Option<Entry<'_>> {
    if let Some(variable) = word.strip_prefix("$(").and_then(|w| w.strip_suffix(')')) {
        let name = ["-y", "-objs", "-obj"].iter().find_map(|s| variable.strip_suffix(s)).unwrap_or(variable);
        return (!name.contains(['(', ' ', ',', '$'])).then_some(Entry::Listed(name));
    }
    if word.contains(['$', '%', '=', '(', ')']) {
        return None;
    }
    if let Some(object) = word.strip_suffix(".o") {
        return Some(Entry::Object(object));
    }
    word.strip_suffix('/').map(Entry::Directory)
}

/// The symbols that a text mentions.
fn symbols(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("CONFIG_") {
        rest = &rest[at + "CONFIG_".len()..];
        let end = rest.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'_').unwrap_or(rest.len());
        if end > 0 && !found.contains(&&rest[..end]) {
            found.push(&rest[..end]);
        }
        rest = &rest[end..];
    }
    found
}

/// Lines without comments; a line that a backslash continues is one, in its pieces.
fn logical_lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        let mut pieces = Vec::new();
        loop {
            let Some(line) = lines.next() else {
                return (!pieces.is_empty()).then_some(pieces);
            };
            let line = line.split_once('#').map_or(line, |(code, _)| code).trim_end();
            match line.strip_suffix('\\') {
                Some(piece) => pieces.push(piece),
                None => {
                    pieces.push(line);
                    return Some(pieces);
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Option<&str>, &[&str], &[Entry<'_>])]) {
        let found = lists(text);
        let found: Vec<_> = found.iter().map(|l| (l.part_of, &l.symbols[..], &l.entries[..])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn objects_and_directories_are_built_by_symbols() {
        check(
            "obj-$(CONFIG_ATA) += libata.o # the core\nobj-y\t\t:= sata/ \\\n\t base.o\nobj-$(CONFIG_GONE)\t+=\n",
            &[
                (None, &["ATA"], &[Entry::Object("libata")]),
                (None, &[], &[Entry::Directory("sata"), Entry::Object("base")]),
            ],
        );
    }

    #[test]
    fn a_composite_has_parts() {
        check(
            "libata-y := core.o\nlibata-$(CONFIG_ATA_SFF) += sff.o\nsnd-soc-x-objs := $(common-objs) x.o\n",
            &[
                (Some("libata"), &[], &[Entry::Object("core")]),
                (Some("libata"), &["ATA_SFF"], &[Entry::Object("sff")]),
                (Some("snd-soc-x"), &[], &[Entry::Listed("common"), Entry::Object("x")]),
            ],
        );
    }

    #[test]
    fn a_condition_switches_its_lists_on() {
        check(
            "ifeq ($(CONFIG_A),y)\nobj-y += a.o\nelse\nobj-y += b.o\nendif\nifneq ($(CONFIG_C)$(CONFIG_D),)\nobj-y += c.o\nendif\n\
             ifndef CONFIG_E\nobj-y += e.o\nendif\nifeq ($(CONFIG_F),)\nobj-y += f.o\nendif\n",
            &[
                (None, &["A"], &[Entry::Object("a")]),
                (None, &[], &[Entry::Object("b")]),
                (None, &["C", "D"], &[Entry::Object("c")]),
                (None, &[], &[Entry::Object("e")]),
                (None, &[], &[Entry::Object("f")]),
            ],
        );
    }

    #[test]
    fn what_builds_nothing_is_passed_over() {
        check(
            "CFLAGS_x.o := -O2\n\t$(CC) -o a.o\nsubdir-y = dts/\n$(obj)/a.o: b.o\n",
            &[(Some("subdir"), &[], &[Entry::Directory("dts")])],
        );
    }
}
