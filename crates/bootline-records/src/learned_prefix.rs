// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands before the kernel's words on each line, learned from its banner.
//!
//! ```text
//! > Linux version 2.6.30 ...                      a quotation
//!   17  [ 0.000000] Linux version 3.4.39 ...      numbered; the stamps' padding was lost on a web page
//! [16:37:21:964] Linux version 2.6.30 ...         a terminal program that is not known here
//! [    0.000000]-[0|swapper] Linux version 4.4 ..  a vendor's kernel that is not known here
//! ```
//! There is no end of such forms, but each is the same on all lines up to its numbers and names. So nothing is learned from
//! a line that merely mentions a banner: the line above must begin alike.

/// A form that lines begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LearnedPrefix {
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// A number, whatever its size.
    Number,
    /// A word, whichever.
    Word,
    /// The name of a task, up to what follows: the banner is logged by `swapper`, other records by `kworker/0:1` and the like.
    Task,
    /// This many blanks, or fewer, or more unless it is the last.
    Blanks(usize),
    /// `[...]` or `(...)`, whatever is in it, up to this byte.
    Brackets(u8),
    Byte(u8),
}

/// The task that logs the banner.
const FIRST_TASK: &[u8] = b"swapper";
/// Bytes of a task's name at most (TASK_COMM_LEN), and of what a worker's is extended by.
const LONGEST_TASK: usize = 32;
/// Bytes of the longest form.
const LONGEST: usize = 96;
/// Bytes of the longest text in brackets.
const LONGEST_BRACKETS: usize = 48;

impl LearnedPrefix {
    /// The form of what stands before a whole line.
    pub fn of_line(bytes: &[u8]) -> Option<LearnedPrefix> {
        LearnedPrefix::of(bytes, false)
    }

    /// The form of what stands between a stamp and its record's text.
    pub fn of_text(bytes: &[u8]) -> Option<LearnedPrefix> {
        let form = LearnedPrefix::of(bytes, true)?;
        // Words alone are a sentence's.
        let is_mark = |t: &Token| matches!(t, Token::Brackets(_) | Token::Number | Token::Byte(_));
        (form.tokens.iter().any(is_mark) || matches!(form.tokens[..], [Token::Blanks(_)])).then_some(form)
    }

    fn of(bytes: &[u8], with_brackets: bool) -> Option<LearnedPrefix> {
        // Colours are told apart from text where it is cleaned.
        if bytes.is_empty() || bytes.len() > LONGEST || memchr::memchr(0x1b, bytes).is_some() {
            return None;
        }
        let (mut tokens, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let run = |is: fn(&u8) -> bool| rest.iter().take_while(|b| is(b)).count();
            let closing = closing_bracket(rest[0]).filter(|_| with_brackets);
            let inside = closing.and_then(|c| brackets_len(rest, c).map(|len| (c, len)));
            let (token, len) = match (rest[0], inside) {
                (_, Some((closing, len))) => (Token::Brackets(closing), len),
                (b'0'..=b'9', _) => (Token::Number, run(u8::is_ascii_digit)),
                (b' ' | b'\t', _) => (Token::Blanks(run(is_blank)), run(is_blank)),
                (b, _) if b.is_ascii_alphabetic() => {
                    let len = run(u8::is_ascii_alphabetic);
                    // A second name would multiply the places that are tried.
                    let is_task = with_brackets && &rest[..len] == FIRST_TASK && !tokens.contains(&Token::Task);
                    (if is_task { Token::Task } else { Token::Word }, len)
                }
                (b, _) => (Token::Byte(b), 1),
            };
            tokens.push(token);
            at += len;
        }
        Some(LearnedPrefix { tokens })
    }

    /// Whether it is made of nothing but blanks and what mail programs quote with.
    pub fn is_quotation(&self) -> bool {
        self.tokens.iter().all(|t| matches!(t, Token::Blanks(_) | Token::Byte(b'>' | b'|')))
    }

    /// Whether nothing but words is in it: a sentence that mentions a banner.
    pub fn is_sentence(&self) -> bool {
        self.tokens.iter().all(|t| matches!(t, Token::Blanks(_) | Token::Word | Token::Byte(b',' | b'.' | b'\'')))
            && !self.tokens.iter().all(|t| matches!(t, Token::Blanks(_)))
    }

    /// Whether it begins a string of JSON, one a line.
    pub fn begins_string(&self) -> bool {
        matches!(self.tokens[..], [Token::Byte(b'"')] | [Token::Blanks(_), Token::Byte(b'"')])
    }

    /// How many bytes at the start of a line have this form.
    pub fn len_in(&self, bytes: &[u8]) -> Option<usize> {
        len_of(&self.tokens, bytes)
    }
}

/// How many bytes at the start of a line have the form of these tokens.
fn len_of(tokens: &[Token], bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (i, token) in tokens.iter().enumerate() {
        let rest = &bytes[at..];
        let run = |is: fn(&u8) -> bool| rest.iter().take(LONGEST).take_while(|b| is(b)).count();
        at += match token {
            // A name may hold what follows it. A form has one name at most ([`LearnedPrefix::of`]), so this tries few places.
            Token::Task => {
                let ends = 1..=rest.len().min(LONGEST_TASK);
                return ends.into_iter().find_map(|end| {
                    let after = len_of(&tokens[i + 1..], &rest[end..])?;
                    Some(at + end + after)
                });
            }
            Token::Number => Some(run(u8::is_ascii_digit)).filter(|len| *len > 0)?,
            Token::Word => Some(run(u8::is_ascii_alphabetic)).filter(|len| *len > 0)?,
            Token::Blanks(wanted) if i + 1 == tokens.len() => run(is_blank).min(*wanted),
            Token::Blanks(_) => run(is_blank),
            Token::Brackets(closing) => {
                (rest.first().copied().and_then(closing_bracket) == Some(*closing)).then_some(())?;
                brackets_len(rest, *closing)?
            }
            Token::Byte(b) => (rest.first() == Some(b)).then_some(1)?,
        };
    }
    Some(at)
}

fn is_blank(b: &u8) -> bool {
    matches!(b, b' ' | b'\t')
}

fn closing_bracket(opening: u8) -> Option<u8> {
    match opening {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        _ => None,
    }
}

/// Length of a text in brackets, both brackets included.
fn brackets_len(bytes: &[u8], closing: u8) -> Option<usize> {
    bytes.iter().take(LONGEST_BRACKETS).position(|b| *b == closing).map(|at| at + 1)
}

/// Where a kernel's banner begins in a line: `Linux version 2.6.30 (user@host) (gcc ...) #1 ...`.
pub(super) fn find_banner(line: &[u8]) -> Option<usize> {
    let near = &line[..line.len().min(LONGEST + "[99999.999999] Linux version ".len())];
    memchr::memmem::find_iter(near, BANNER).find(|at| is_banner(&line[*at..]))
}

const BANNER: &[u8] = b"Linux version ";

/// Whether a text is a kernel's banner, its release and who built it or when included.
pub(super) fn is_banner(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(BANNER) else { return false };
    rest.first().is_some_and(u8::is_ascii_digit)
        && (memchr::memmem::find(rest, b" (").is_some() || memchr::memmem::find(rest, b" #").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(of: fn(&[u8]) -> Option<LearnedPrefix>, learned: &str, lines: &[(&str, Option<&str>)]) {
        let form = of(learned.as_bytes()).unwrap();
        for (line, text) in lines {
            let found = form.len_in(line.as_bytes()).map(|len| &line[len..]);
            assert_eq!(found, *text, "{learned:?} on {line:?}");
        }
    }

    #[test]
    fn lines() {
        let of = LearnedPrefix::of_line;
        check(of, "> ", &[("> a", Some("a")), (">", Some("")), (">   a", Some("  a")), ("a", None)]);
        check(of, "    ", &[("    a", Some("a")), ("      a", Some("  a")), ("a", Some("a"))]);
        check(of, "   9\t", &[("  10\ta", Some("a")), ("1000\ta", Some("a")), ("a", None)]);
        check(of, "[16:37:21:964] ", &[("[16:37:22:001] a", Some("a")), ("[    1.000000] a", None)]);
        check(of, "04/24/2026 4:37:21 PM ", &[("04/24/2026 14:37:21 AM a", Some("a"))]);
        assert_eq!(of(b""), None);
        assert_eq!(of(&[b'>'; LONGEST + 1]), None);
    }

    #[test]
    fn texts() {
        let of = LearnedPrefix::of_text;
        check(of, "-[0|swapper] ", &[("-[1|kworker/1:0] a", Some("a")), ("[drm] a", None), ("a", None)]);
        check(of, "CPU0 ", &[("CPU1 a", Some("a")), ("cpu a", None)]);
        let texts = [
            ("swapper/0: [name:main&]Run /init", Some("Run /init")),
            ("kworker/u16:3: [name:mmc&]mmc0: new", Some("mmc0: new")),
            ("swapper: bootconsole [pl11] enabled", None),
            ("random: crng init done", None),
        ];
        check(of, "swapper: [name:main&]", &texts);
        check(of, "\t", &[("\ta", Some("a")), ("\t\ta", Some("\ta"))]);
        assert_eq!(of(b"this is "), None);
        assert_eq!(of(b"\x1b[0m"), None);
    }

    #[test]
    fn a_form_has_one_name() {
        let names = [&b"swapper:".repeat(11)[..], b"swapper#"].concat();
        let form = LearnedPrefix::of_text(&names).unwrap();
        assert_eq!(form.tokens.iter().filter(|t| **t == Token::Task).count(), 1);
        assert_eq!(form.len_in(&b":".repeat(400)), None);
        assert_eq!(form.len_in(&names), Some(names.len()));
    }

    #[test]
    fn what_is_learned_from() {
        let is_sentence = |text: &str| LearnedPrefix::of_line(text.as_bytes()).unwrap().is_sentence();
        assert!(is_sentence("It runs "));
        assert!(!is_sentence("    "));
        assert!(!is_sentence("> "));
        assert!(LearnedPrefix::of_line(b"> > ").unwrap().is_quotation());
        assert_eq!(find_banner(b"> Linux version 2.6.30 (a@b) #1"), Some(2));
        assert_eq!(find_banner(b"Linux version of it"), None);
        assert_eq!(find_banner(b"no banner"), None);
    }
}
