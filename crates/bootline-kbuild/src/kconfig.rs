// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kconfig files: which symbols exist, and which of them can be modules.

/// What values a symbol of the kernel's configuration can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolType {
    /// y or n.
    Bool,
    /// y, m or n.
    Tristate,
}

/// What a Kconfig file says of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolKind {
    /// The values that it can take.
    pub values: SymbolType,
    /// Whether a person can set it. One without a prompt follows from others.
    pub has_prompt: bool,
}

/// The symbols that a Kconfig file defines with a type. (Number and string symbols build nothing.)
pub(crate) fn symbols(text: &str) -> impl Iterator<Item = (&str, SymbolKind)> {
    let mut symbol = None;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let values = match first {
            "bool" | "def_bool" => SymbolType::Bool,
            "tristate" | "def_tristate" => SymbolType::Tristate,
            "config" | "menuconfig" => {
                symbol = rest.split_whitespace().next();
                return None;
            }
            "int" | "hex" | "string" | "help" | "---help---" | "endmenu" => {
                symbol = None;
                return None;
            }
            _ => return None,
        };
        let has_prompt = !first.starts_with("def_") && rest.trim_start().starts_with(['"', '\'']);
        symbol.take().map(|s| (s, SymbolKind { values, has_prompt }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_belong_to_the_symbol_before() {
        let text = "\
config SATA_AHCI
	tristate \"AHCI SATA support\"
	depends on PCI
config HZ
	int
menuconfig SMP
	bool
	help
	  A bool of prose.
config NONE
endmenu
	bool
";
        let found: Vec<_> = symbols(text).collect();
        let found: Vec<_> = found.into_iter().map(|(name, kind)| (name, kind.values, kind.has_prompt)).collect();
        let expected = [("SATA_AHCI", SymbolType::Tristate, true), ("SMP", SymbolType::Bool, false)];
        assert_eq!(found, expected);
    }
}
