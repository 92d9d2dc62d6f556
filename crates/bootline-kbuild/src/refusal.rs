// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a finished configuration lacks a setting: Kconfig drops in silence what its dependencies forbid.
use std::collections::HashMap;
use std::fmt;

use crate::dependency::{Values, conjuncts, level, symbols};
use crate::fragment::{ConfigFragment, RefusedSetting};

/// Why Kconfig dropped a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// The source has no symbol of this name.
    NoSuchSymbol,
    /// A condition that is not met, or that is met as a module only.
    Unmet {
        /// The condition, as Kconfig has it.
        condition: String,
        /// Its symbols, each with its value in the configuration.
        values: Vec<(String, String)>,
    },
    /// It cannot be set: its value follows from other symbols.
    NoPrompt,
    /// Other symbols, which are set, select it.
    SelectedBy(Vec<String>),
    /// It was to be a module, and the kernel has no modules: it is built in.
    NoModules,
    /// None that is seen here: another member of a choice, a range, a condition on the compiler.
    Unknown,
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalReason::NoSuchSymbol => f.write_str("this source has no such symbol"),
            RefusalReason::Unmet { condition, values } => {
                write!(f, "it depends on {condition}")?;
                for (n, (symbol, value)) in values.iter().enumerate() {
                    write!(f, "{}{symbol}={value}", if n == 0 { ", and " } else { ", " })?;
                }
                Ok(())
            }
            RefusalReason::NoPrompt => f.write_str("it can't be set: its value follows from other symbols"),
            RefusalReason::SelectedBy(symbols) => write!(f, "it is selected by {}", symbols.join(", ")),
            RefusalReason::NoModules => f.write_str("the kernel has no modules, and MODULES=n"),
            RefusalReason::Unknown => {
                f.write_str("another option excludes it, or the compiler or a range of values does")
            }
        }
    }
}

/// What the Kconfig files say of a symbol in one place.
#[derive(Debug, Default)]
struct Definition {
    prompt: bool,
    /// All have to be met.
    conditions: Vec<String>,
}

/// What a source says of some symbols.
#[derive(Debug, Default)]
struct Said {
    definitions: HashMap<String, Vec<Definition>>,
    /// By which symbols a symbol is selected.
    selects: HashMap<String, Vec<String>>,
}

/// The reasons why `config`, the finished configuration, does not have these settings, in their order. `read` gives the text of a
/// file by its path in the source, and `srcarch` is the kernel's name of the architecture's folder: `x86`, `arm64`.
pub fn reasons(
    refused: &[RefusedSetting],
    config: &ConfigFragment,
    srcarch: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<RefusalReason> {
    let wanted: Vec<&str> = refused.iter().map(|r| r.wanted.symbol.as_str()).collect();
    let mut said = Said::default();
    let mut walk = Walk { wanted: &wanted, srcarch, read, files: 0, nested: 0, said: &mut said };
    walk.file("Kconfig", &[]);
    let values: Values<'_> = config.settings.iter().map(|s| (s.symbol.as_str(), s.value.as_str())).collect();
    refused.iter().map(|refused| reason(refused, &said, &values)).collect()
}

fn reason(refused: &RefusedSetting, said: &Said, values: &Values<'_>) -> RefusalReason {
    let symbol = refused.wanted.symbol.as_str();
    let Some(definitions) = said.definitions.get(symbol) else { return RefusalReason::NoSuchSymbol };
    let (wanted, got) = (refused.wanted.value.as_str(), refused.got.as_str());
    let is_lowered = got == "n" || (wanted, got) == ("y", "m");
    if !is_lowered {
        let is_module_only = wanted == "m" && values.get("MODULES").is_none_or(|value| *value == "n");
        let is_set = |s: &&String| values.get(s.as_str()).is_some_and(|value| *value != "n");
        let selecting = said.selects.get(symbol).into_iter().flatten().filter(is_set);
        let selecting: Vec<String> = selecting.cloned().collect();
        return match selecting.is_empty() {
            _ if is_module_only => RefusalReason::NoModules,
            false => RefusalReason::SelectedBy(selecting),
            true => RefusalReason::Unknown,
        };
    }
    // What a condition has to be at least.
    let least = if got == "m" { 2 } else { 1 };
    let unmet = |definition: &Definition| {
        let parts = definition.conditions.iter().flat_map(|c| conjuncts(c));
        let mut parts = parts.into_iter();
        parts.find(|part| level(part, values).is_some_and(|level| level < least)).map(str::to_owned)
    };
    let with_prompt: Vec<&Definition> = definitions.iter().filter(|d| d.prompt).collect();
    if with_prompt.is_empty() {
        return RefusalReason::NoPrompt;
    }
    // A place whose conditions are met would have set it.
    let unmet: Vec<Option<String>> = with_prompt.into_iter().map(unmet).collect();
    match unmet.into_iter().collect::<Option<Vec<String>>>() {
        Some(conditions) => {
            let condition = conditions.into_iter().next().unwrap_or_default();
            let value = |symbol: &str| (symbol.to_owned(), values.get(symbol).copied().unwrap_or("n").to_owned());
            let values = symbols(&condition).into_iter().map(value).collect();
            RefusalReason::Unmet { condition, values }
        }
        None => RefusalReason::Unknown,
    }
}

/// Files that include each other in a circle end here: a kernel has fewer than two thousand, and includes them six deep.
const MOST_FILES: u32 = 10_000;
const MOST_NESTED: u32 = 32;

struct Walk<'w> {
    wanted: &'w [&'w str],
    srcarch: &'w str,
    read: &'w dyn Fn(&str) -> Option<String>,
    files: u32,
    nested: u32,
    said: &'w mut Said,
}

impl Walk<'_> {
    /// Reads a file and those that it includes; all that is in them depends on `outer`.
    fn file(&mut self, path: &str, outer: &[String]) {
        self.files += 1;
        if self.files > MOST_FILES || self.nested == MOST_NESTED {
            return;
        }
        if let Some(text) = (self.read)(path) {
            self.nested += 1;
            self.text(&text, outer);
            self.nested -= 1;
        }
    }

    fn text(&mut self, text: &str, outer: &[String]) {
        // The conditions of each `if`, `menu` and `choice` that is open.
        let mut blocks: Vec<Vec<String>> = Vec::new();
        let mut entry = Entry::None;
        for line in logical_lines(text) {
            let (keyword, rest) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
            let rest = rest.trim();
            let enclosing =
                |blocks: &[Vec<String>]| outer.iter().chain(blocks.iter().flatten()).cloned().collect::<Vec<_>>();
            match keyword {
                "config" | "menuconfig" => {
                    entry = Entry::Symbol(rest.to_owned());
                    if self.wanted.contains(&rest) {
                        let definition = Definition { prompt: false, conditions: enclosing(&blocks) };
                        self.said.definitions.entry(rest.to_owned()).or_default().push(definition);
                    }
                }
                "if" => {
                    blocks.push(vec![rest.to_owned()]);
                    entry = Entry::None;
                }
                "menu" | "choice" => {
                    blocks.push(Vec::new());
                    entry = Entry::Block;
                }
                "endif" | "endmenu" | "endchoice" => {
                    blocks.pop();
                    entry = Entry::None;
                }
                "comment" => entry = Entry::None,
                "source" => {
                    let path = rest.trim_matches('"').replace("$(SRCARCH)", self.srcarch);
                    self.file(&path, &enclosing(&blocks));
                    entry = Entry::None;
                }
                "depends" => {
                    let condition = rest.strip_prefix("on").unwrap_or(rest).trim().to_owned();
                    match &entry {
                        Entry::Symbol(symbol) => {
                            if let Some(definition) = self.current(symbol) {
                                definition.conditions.push(condition);
                            }
                        }
                        Entry::Block => blocks.last_mut().into_iter().for_each(|b| b.push(condition.clone())),
                        Entry::None => {}
                    }
                }
                "bool" | "tristate" | "string" | "int" | "hex" | "prompt" if rest.starts_with(['"', '\'']) => {
                    let Entry::Symbol(symbol) = &entry else { continue };
                    if let Some(definition) = self.current(symbol) {
                        definition.prompt = true;
                        // `bool "Prompt" if CONDITION`
                        let quote = &rest[..1];
                        let after = rest[1..].split_once(quote).map_or("", |(_, after)| after.trim());
                        if let Some(condition) = after.strip_prefix("if ") {
                            definition.conditions.push(condition.trim().to_owned());
                        }
                    }
                }
                "select" => {
                    let Entry::Symbol(symbol) = &entry else { continue };
                    let selected = rest.split_whitespace().next().unwrap_or_default();
                    if self.wanted.contains(&selected) {
                        self.said.selects.entry(selected.to_owned()).or_default().push(symbol.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// The definition of a wanted symbol that was begun last.
    fn current(&mut self, symbol: &str) -> Option<&mut Definition> {
        self.said.definitions.get_mut(symbol)?.last_mut()
    }
}

/// To what a line belongs.
enum Entry {
    Symbol(String),
    /// A menu or a choice.
    Block,
    None,
}

/// The lines without comments and help texts, with continued ones joined. A help text ends where a line is indented less.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut help: Option<Option<usize>> = None;
    let mut open = false;
    for line in text.lines() {
        let indent =
            line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 8 } else { 1 }).sum::<usize>();
        let trimmed = line.trim();
        if let Some(of_help) = &mut help {
            if trimmed.is_empty() || of_help.is_none_or(|first| indent >= first) && indent > 0 {
                if !trimmed.is_empty() {
                    of_help.get_or_insert(indent);
                }
                continue;
            }
            help = None;
        }
        if trimmed == "help" || trimmed == "---help---" {
            help = Some(None);
            continue;
        }
        if trimmed.starts_with('#') && !open {
            continue;
        }
        let (content, continued) = trimmed.strip_suffix('\\').map_or((trimmed, false), |t| (t.trim_end(), true));
        match lines.last_mut().filter(|_| open) {
            Some(last) => {
                last.push(' ');
                last.push_str(content);
            }
            None => lines.push(content.to_owned()),
        }
        open = continued;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOT: &str = "\
mainmenu \"Linux\"
source \"drivers/mtd/Kconfig\"
source \"arch/$(SRCARCH)/Kconfig\"
config SET
	bool \"Set\"
	select CHOSEN
config CHOSEN
	bool \"Chosen\"
";
    const MTD: &str = "\
menuconfig MTD
	tristate \"MTD\"
	help
	  config FASTMAP
	  depends on NOTHING

if MTD
menu \"UBI\"
	depends on BLOCK && \\
		CRC32
config FASTMAP
	bool \"Fastmap\" if EXPERT
	default n
config HIDDEN
	bool
endmenu
endif
";

    fn check(wanted: &str, config: &str, expected: &str) {
        let config = ConfigFragment::parse(config);
        let refused = ConfigFragment::parse(wanted).refused_by(&config);
        let read = |path: &str| match path {
            "Kconfig" => Some(ROOT.to_owned()),
            "drivers/mtd/Kconfig" => Some(MTD.to_owned()),
            "arch/x86/Kconfig" => Some("config PC\n\tbool \"PC\"\n\tdepends on !SET\n".to_owned()),
            _ => None,
        };
        let found = reasons(&refused, &config, "x86", &read);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, [expected], "{wanted}");
    }

    #[test]
    fn each_refusal_has_its_reason() {
        check("CONFIG_FSTMAP=y", "", "this source has no such symbol");
        check("CONFIG_FASTMAP=y", "", "it depends on MTD, and MTD=n");
        check("CONFIG_FASTMAP=y", "CONFIG_MTD=m\nCONFIG_BLOCK=y\n", "it depends on CRC32, and CRC32=n");
        let rest = "CONFIG_MTD=y\nCONFIG_BLOCK=y\nCONFIG_CRC32=y\n";
        check("CONFIG_FASTMAP=y", rest, "it depends on EXPERT, and EXPERT=n");
        check("CONFIG_HIDDEN=y", rest, "it can't be set: its value follows from other symbols");
        check("CONFIG_PC=y", "CONFIG_SET=y", "it depends on !SET, and SET=y");
        check("# CONFIG_CHOSEN is not set", "CONFIG_SET=y\nCONFIG_CHOSEN=y\n", "it is selected by SET");
        let unknown = RefusalReason::Unknown.to_string();
        check("CONFIG_SET=y", "", &unknown);
        check("CONFIG_FASTMAP=4", "CONFIG_FASTMAP=8\nCONFIG_SET=y\n", &unknown);
        check("CONFIG_FASTMAP=4", "", "it depends on MTD, and MTD=n");
    }

    #[test]
    fn a_module_limits_what_depends_on_it() {
        let config = "CONFIG_MTD=m\nCONFIG_BLOCK=y\nCONFIG_CRC32=y\nCONFIG_EXPERT=y\nCONFIG_FASTMAP=m\n";
        check("CONFIG_FASTMAP=y", config, "it depends on MTD, and MTD=m");
        let none = "the kernel has no modules, and MODULES=n";
        check("CONFIG_CHOSEN=m", "CONFIG_SET=y\nCONFIG_CHOSEN=y\n", none);
        check("CONFIG_CHOSEN=m", "CONFIG_MODULES=y\nCONFIG_SET=y\nCONFIG_CHOSEN=y\n", "it is selected by SET");
        // One that selects it as a module does not keep it from being built in.
        let unknown = RefusalReason::Unknown.to_string();
        check("CONFIG_CHOSEN=y", "CONFIG_MODULES=y\nCONFIG_SET=m\nCONFIG_CHOSEN=m\n", &unknown);
    }

    #[test]
    fn a_condition_without_symbols_has_no_values() {
        let reason = RefusalReason::Unmet { condition: "n".to_owned(), values: Vec::new() };
        assert_eq!(reason.to_string(), "it depends on n");
    }

    proptest! {
        #[test]
        fn any_files_end(text in "((config|if|menu|endmenu|endif|depends on|help|source|select|\tbool) ?[A-B\"&!\\\\ ]{0,5}\n){0,20}") {
            let refused = ConfigFragment::parse("CONFIG_A=y\n").refused_by(&ConfigFragment::default());
            // Every file includes whatever is named, and that is this text again.
            reasons(&refused, &ConfigFragment::default(), "x86", &|_| Some(text.clone()));
        }
    }
}
