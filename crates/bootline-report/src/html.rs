// SPDX-License-Identifier: MIT OR Apache-2.0
//! A document as a piece of HTML. Classes say what a stretch of text is; a style sheet says how that looks.
use super::document::{Block, Document, Entry, Piece, Text};
use super::escape::escaped;
use super::style::Style;
use super::table::{Align, Column, Table};

/// A text for an element's content or for an attribute in quotes: controls shown by their codes, markup as text.
pub fn html_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in escaped(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The document's blocks as elements; headings are `<h3>`.
pub(super) fn html(document: &Document) -> String {
    let mut out = String::new();
    for block in &document.blocks {
        match block {
            Block::Heading(text) => element(&mut out, "h3", text),
            Block::Paragraph(text) => element(&mut out, "p", text),
            Block::Entries(list) => entries(&mut out, list),
            Block::Table(t) => table(&mut out, t),
        }
    }
    out
}

fn element(out: &mut String, name: &str, text: &Text) {
    *out += &format!("<{name}>{}</{name}>\n", inline(text));
}

/// Running text.
pub(super) fn inline(text: &Text) -> String {
    let piece = |p: &Piece| match p {
        Piece::Words(words, style) => span(*style, words),
        Piece::TimeValue(figure, style) => span(*style, &figure.full()),
    };
    text.pieces.iter().map(piece).collect()
}

fn span(style: Style, words: &str) -> String {
    let words = html_text(words);
    match style {
        Style::Plain => words,
        Style::Strong => format!("<strong>{words}</strong>"),
        Style::Faint => format!("<span class=\"faint\">{words}</span>"),
        Style::Cost => format!("<strong class=\"cost\">{words}</strong>"),
        Style::Setting => format!("<code>{words}</code>"),
        Style::Error => format!("<strong class=\"error\">{words}</strong>"),
        Style::Warning => format!("<strong class=\"warning\">{words}</strong>"),
    }
}

fn entries(out: &mut String, entries: &[Entry]) {
    out.push_str("<dl>\n");
    for e in entries {
        // An empty label continues the entry before.
        if !e.label.is_empty() {
            *out += &format!("<dt>{}</dt>", html_text(&e.label));
        }
        let body = inline(&e.body);
        *out += &if e.quote { format!("<dd><samp>{body}</samp></dd>\n") } else { format!("<dd>{body}</dd>\n") };
    }
    out.push_str("</dl>\n");
}

fn table(out: &mut String, table: &Table) {
    let class = |c: usize| if table.columns[c].align == Align::Right { " class=\"number\"" } else { "" };
    out.push_str("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
    for (c, column) in table.columns.iter().enumerate() {
        *out += &format!("<th scope=\"col\"{}>{}</th>", class(c), html_text(&column.title));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (c, cell) in row.cells.iter().enumerate() {
            *out += &format!("<td{}>{}</td>", class(c), span(row.style, cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    for note in table.columns.iter().filter_map(Column::note_in_words) {
        element(out, "p", &note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_text_is_text() {
        let mut document = Document::default();
        document.heading(Text::new().styled("<script>alert(1)</script>", Style::Cost));
        document.entries(vec![
            Entry::quote("\"><img src=x onerror=a()>", "a & b\u{202e}\x1b[2J '"),
            Entry::new("", "more"),
        ]);
        let mut t = Table::new([("name", Align::Left, 0), ("n", Align::Right, 0)]);
        t.row(vec!["</td>".to_owned(), "1".to_owned()], Style::Plain);
        document.table(t);
        assert_eq!(
            html(&document),
            "<h3><strong class=\"cost\">&lt;script&gt;alert(1)&lt;/script&gt;</strong></h3>\n\
             <dl>\n<dt>&quot;&gt;&lt;img src=x onerror=a()&gt;</dt><dd><samp>a &amp; b\\u{202e}\\x1b[2J &#39;</samp></dd>\n\
             <dd>more</dd>\n</dl>\n\
             <div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">name</th>\
             <th scope=\"col\" class=\"number\">n</th></tr></thead>\n<tbody>\n\
             <tr><td>&lt;/td&gt;</td><td class=\"number\">1</td></tr>\n</tbody>\n</table></div>\n"
        );
    }
}
