// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs that were copied from a web page, or saved as one: tags and entities to text.
//!
//! Only tags and entities that mean something in a page are taken for such: a kernel's `<6>` or `<idle>` stays. Pages, editors and
//! `cat -v` also show colours that dmesg wrote to a terminal: `[32m[    0.000000] [0mtext`, `^[[32m[    0.000000] ^[[0mtext`.
use memchr::{memchr3, memchr3_iter};

/// Tags that end a line of text.
const LINE_ENDS: [&[u8]; 10] = [b"br", b"p", b"div", b"tr", b"li", b"pre", b"h1", b"h2", b"h3", b"blockquote"];
/// Tags within a line of text, and around lines.
const OTHER_TAGS: [&[u8]; 24] = [
    b"a",
    b"b",
    b"i",
    b"u",
    b"em",
    b"ol",
    b"td",
    b"th",
    b"tt",
    b"ul",
    b"hr",
    b"h4",
    b"kbd",
    b"code",
    b"font",
    b"span",
    b"body",
    b"html",
    b"head",
    b"samp",
    b"table",
    b"tbody",
    b"strong",
    b"textarea",
];
/// Entities that logs hold, and what they stand for.
const ENTITIES: [(&[u8], u8); 13] = [
    (b"&nbsp;", b' '),
    (b"&#160;", b' '),
    (b"&#xa0;", b' '),
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&amp;", b'&'),
    (b"&quot;", b'"'),
    (b"&#34;", b'"'),
    (b"&#39;", b'\''),
    (b"&#x27;", b'\''),
    (b"&apos;", b'\''),
    (b"&#91;", b'['),
    (b"&#93;", b']'),
];
/// Bytes of the longest tag.
const LONGEST_TAG: usize = 512;
/// UTF-8 of a blank that breaks no line: pages pad with it.
const HARD_BLANK: &[u8] = b"\xc2\xa0";

/// The text of a line that has markup in it, with a line feed where the page begins a line; `None` for any other line. An ordinary line
/// ([`is_ordinary`](super::control::is_ordinary)) has no tags: at most a visible colour.
pub(super) fn without_markup(line: &[u8], is_ordinary: bool) -> Option<Vec<u8>> {
    let without_tags = |line: &[u8]| if is_ordinary { None } else { without_tags(line) };
    if visible_colour_len(line.trim_ascii_start()) > 0 {
        let plain = without_visible_colours(line);
        return Some(without_tags(&plain).unwrap_or(plain));
    }
    without_tags(line)
}

fn without_tags(line: &[u8]) -> Option<Vec<u8>> {
    let first = first_markup(line)?;
    let mut text = Vec::with_capacity(line.len());
    text.extend_from_slice(&line[..first]);
    let mut at = first;
    while at < line.len() {
        match markup_at(line, at) {
            Some((replaced, len)) => {
                text.extend(replaced);
                at += len;
            }
            None => {
                let next = memchr3(b'&', b'<', HARD_BLANK[0], &line[at + 1..]).map_or(line.len(), |n| at + 1 + n);
                text.extend_from_slice(&line[at..next]);
                at = next;
            }
        }
    }
    Some(text)
}

/// Without the colours whose escape character was lost or written as `^[`, in a line that begins with one, and without the `^M`
/// that ends it then.
fn without_visible_colours(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"^M").unwrap_or(line);
    let mut text = Vec::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        let len = visible_colour_len(&line[at..]);
        if len == 0 {
            text.push(line[at]);
        }
        at += len.max(1);
    }
    text
}

/// Length of `[32m`, `[1;31m` or `^[[32m` at the start of a text; 0 where there is none.
fn visible_colour_len(text: &[u8]) -> usize {
    let escape = if text.starts_with(b"^[") { 2 } else { 0 };
    let Some(numbers) = text[escape..].strip_prefix(b"[") else { return 0 };
    let len = numbers.iter().take(9).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    // `[m` alone may be anything.
    let is_colour = numbers.get(len) == Some(&b'm') && (len > 0 || escape > 0);
    if is_colour { escape + 1 + len + 1 } else { 0 }
}

/// Where the first markup is.
fn first_markup(line: &[u8]) -> Option<usize> {
    memchr3_iter(b'&', b'<', HARD_BLANK[0], line).find(|at| markup_at(line, *at).is_some())
}

/// What stands for the markup at `at`, and its length.
fn markup_at(line: &[u8], at: usize) -> Option<(Option<u8>, usize)> {
    let rest = &line[at..];
    match rest.first()? {
        b'&' => {
            let (entity, text) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))?;
            Some((Some(*text), entity.len()))
        }
        b'<' => tag(rest),
        _ => rest.starts_with(HARD_BLANK).then_some((Some(b' '), HARD_BLANK.len())),
    }
}

fn tag(rest: &[u8]) -> Option<(Option<u8>, usize)> {
    let near = &rest[..rest.len().min(LONGEST_TAG)];
    if near.starts_with(b"<!--") || near.starts_with(b"<!DOCTYPE") {
        return Some((None, near.iter().position(|b| *b == b'>')? + 1));
    }
    let is_closing = near.get(1) == Some(&b'/');
    let name_at = 1 + usize::from(is_closing);
    let len = near[name_at.min(near.len())..].iter().take(12).take_while(|b| b.is_ascii_alphanumeric()).count();
    let name = near.get(name_at..name_at + len)?.to_ascii_lowercase();
    let after = near.get(name_at + len)?;
    // One letter in angle brackets may be anything.
    let is_whole = matches!(after, b' ' | b'/') || *after == b'>' && (len > 1 || is_closing);
    let ends_line = LINE_ENDS.contains(&name.as_slice());
    if !is_whole || !(ends_line || OTHER_TAGS.contains(&name.as_slice())) {
        return None;
    }
    let end = 1 + near[1..].iter().position(|b| matches!(b, b'<' | b'>')).filter(|n| near[n + 1] == b'>')? + 1;
    let begins_line = name == b"br" || is_closing && ends_line;
    Some((begins_line.then_some(b'\n'), end))
}

#[cfg(test)]
mod tests {
    use super::super::control::is_ordinary;
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let found = without_markup(line.as_bytes(), false).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(found.as_deref(), expected, "{line}");
        if is_ordinary(line.as_bytes()) {
            assert_eq!(without_markup(line.as_bytes(), true), without_markup(line.as_bytes(), false), "{line}");
        }
    }

    #[test]
    fn pages() {
        check("[&nbsp;&nbsp;&nbsp; 0.000000] a &lt;b&gt; &amp;&quot;", Some("[    0.000000] a <b> &\""));
        check("[\u{a0}\u{a0}\u{a0} 0.000000] a", Some("[    0.000000] a"));
        check("<pre class=\"log\">[ 0.000000] a<br/>[ 0.1] b<br>", Some("[ 0.000000] a\n[ 0.1] b\n"));
        check("<span class=\"o\">[</span>    0.000000] a</p>", Some("[    0.000000] a\n"));
        check("<!DOCTYPE html><!-- a --><html><body>", Some(""));
        check("&lt;6&gt;[    0.000000] a", Some("<6>[    0.000000] a"));
    }

    #[test]
    fn colours_that_lost_their_escape_character() {
        check("[32m[    0.000000] [0m[33mLinux[0m version", Some("[    0.000000] Linux version"));
        check("^[[32m[    0.000000] ^[[0m^[[1mZone ranges:^[[0m^M", Some("[    0.000000] Zone ranges:"));
        check("[32m[    0.000000] [0ma &lt;b&gt; ^[[m", Some("[    0.000000] a <b> "));
        for line in ["[    0.000000] a [32mb", "[mem 0x0]", "[1m", "^[", "[]"] {
            check(line, if line == "[1m" { Some("") } else { None });
        }
    }

    #[test]
    fn what_is_none() {
        for line in
            ["", "<6>[    0.000000] a", "a & b <idle> <c> < b > &x; p < 3", "<spanish>", "<a", "<", "</", "\u{c2}b"]
        {
            check(line, None);
        }
        check("a <b <br>", Some("a <b \n"));
    }
}
