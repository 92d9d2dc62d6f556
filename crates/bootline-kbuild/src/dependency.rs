// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions of Kconfig (Documentation/kbuild/kconfig-language.rst), as far as they explain why a symbol is not set.
use std::collections::HashMap;

/// The values of symbols in a configuration, without `CONFIG_`.
pub(crate) type Values<'c> = HashMap<&'c str, &'c str>;

/// The symbols that an expression names, each once.
pub(crate) fn symbols(expression: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for token in tokens(expression) {
        let is_symbol = token.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && !["y", "m", "n"].contains(&token)
            && !is_number(token);
        if is_symbol && !found.contains(&token) {
            found.push(token);
        }
    }
    found
}

/// A number, decimal or hexadecimal. Symbols may begin with a digit: `64BIT`.
fn is_number(token: &str) -> bool {
    let hexadecimal = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// The value of an expression: 0 for n, 1 for m, 2 for y; none if it is not understood.
pub(crate) fn level(expression: &str, values: &Values<'_>) -> Option<u8> {
    let tokens = tokens(expression);
    let mut parser = Parser { tokens: &tokens, values };
    let level = parser.any(MOST_NESTED);
    level.filter(|_| parser.tokens.is_empty())
}

/// The parts that all have to be met, of an expression that is not nested: `A && (B || C)` has two.
pub(crate) fn conjuncts(expression: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    let bytes = expression.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'(' => depth += 1,
            b')' => depth -= 1,
            // An `||` at this level binds less than `&&`: it is one condition.
            b'|' if depth == 0 => return vec![expression.trim()],
            b'&' if depth == 0 && bytes.get(i + 1) == Some(&b'&') => {
                parts.push(expression[from..i].trim());
                i += 1;
                from = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    parts.push(expression[from..].trim());
    parts
}

/// Parentheses and negations that are nested deeper are not understood.
const MOST_NESTED: u32 = 32;

fn tokens(expression: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        let n = match first {
            '&' | '|' if rest[1..].starts_with(first) => 2,
            '!' | '<' | '>' if rest[1..].starts_with('=') => 2,
            '"' | '\'' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            // A macro's call, such as $(cc-option,-m): what it gives is the compiler's business.
            '$' => rest.find(')').map_or(rest.len(), |end| end + 1),
            c if c.is_ascii_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        tokens.push(&rest[..n]);
        rest = rest[n..].trim_start();
    }
    tokens
}

struct Parser<'t> {
    tokens: &'t [&'t str],
    values: &'t Values<'t>,
}

/// Values of expressions as [`level`] has them.
impl<'t> Parser<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn take(&mut self, token: &str) -> bool {
        let there = self.tokens.first() == Some(&token);
        if there {
            self.next();
        }
        there
    }

    fn any(&mut self, depth: u32) -> Option<u8> {
        let mut value = self.all(depth)?;
        while self.take("||") {
            value = value.max(self.all(depth)?);
        }
        Some(value)
    }

    fn all(&mut self, depth: u32) -> Option<u8> {
        let mut value = self.one(depth)?;
        while self.take("&&") {
            value = value.min(self.one(depth)?);
        }
        Some(value)
    }

    fn one(&mut self, depth: u32) -> Option<u8> {
        let depth = depth.checked_sub(1)?;
        if self.take("!") {
            return Some(2 - self.one(depth)?);
        }
        if self.take("(") {
            let value = self.any(depth)?;
            return self.take(")").then_some(value);
        }
        let left = self.value()?;
        for (sign, equal) in [("=", true), ("!=", false)] {
            if self.take(sign) {
                let right = self.value()?;
                return Some(if (left == right) == equal { 2 } else { 0 });
            }
        }
        match left {
            "y" => Some(2),
            "m" => Some(1),
            "n" => Some(0),
            _ => None,
        }
    }

    /// The value of a symbol, or the text of a constant.
    fn value(&mut self) -> Option<&'t str> {
        let token = self.next()?;
        match token {
            "y" | "m" | "n" => Some(token),
            // What a macro gives is not known here, in quotes or not.
            _ if token.starts_with('$') || token.contains("$(") => None,
            _ if is_number(token) => Some(token),
            _ if token.starts_with(['"', '\'']) => Some(token.trim_matches(['"', '\''])),
            _ if token.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') => {
                Some(self.values.get(token).map_or("n", |value| value.trim_matches('"')))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One that is not understood counts as met: it explains nothing.
    fn is_met(expression: &str, values: &Values<'_>) -> bool {
        level(expression, values) != Some(0)
    }

    #[test]
    fn expressions() {
        let values = Values::from([("A", "y"), ("B", "m"), ("S", "\"x\""), ("N", "4")]);
        let check = |expression: &str, met: bool| assert_eq!(is_met(expression, &values), met, "{expression}");
        for expression in ["A", "B", "A && B", "A || C", "!C", "!B", "(A && C) || B", "A=y", "B!=y", "C=n", "S=\"x\""] {
            check(expression, true);
        }
        for expression in ["N = 4", "N != 5", "64BIT=n"] {
            check(expression, true);
        }
        for expression in ["N = 5", "N = 0x4", "64BIT"] {
            check(expression, false);
        }
        for expression in ["C", "!A", "A && C", "!(A || C)", "A=m", "A && (C || D)", "S=\"y\""] {
            check(expression, false);
        }
        // Not understood: nothing is claimed.
        for expression in ["$(cc-option,-m64)", "A &&", "", "(A", "N > 3", "\"$(ARCH)\" = \"x86\""] {
            check(expression, true);
        }
    }

    #[test]
    fn parts_that_all_have_to_be_met() {
        assert_eq!(conjuncts("A && (B || C) && !D"), ["A", "(B || C)", "!D"]);
        assert_eq!(conjuncts("A || B && C"), ["A || B && C"]);
        assert_eq!(symbols("A && (B || !A) && C=y && X=\"t\""), ["A", "B", "C", "X"]);
        assert_eq!(symbols("N = 4 || 64BIT = 0x10"), ["N", "64BIT"]);
    }

    proptest! {
        #[test]
        fn any_text_ends(text in "[A-C!&|()=\" $]{0,40}|\\PC{0,20}") {
            is_met(&text, &Values::new());
            prop_assert!(!conjuncts(&text).is_empty());
            symbols(&text);
        }
    }
}
