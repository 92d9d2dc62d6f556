// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for every page: the pages' own tests ask it of theirs.
use base64::Engine;
use sha2::Digest;

/// Text between an element's start and end, each time.
pub(crate) fn inside<'p>(page: &'p str, start: &str, end: &str) -> Vec<&'p str> {
    page.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// What the policy in a page's head allows is its one script and its one style, and nothing in it would fetch anything.
pub(crate) fn allows_its_own_script_and_style_alone(page: &str) {
    let hash = |text: &str| {
        let digest = sha2::Sha256::digest(text);
        format!("'sha256-{}'", base64::engine::general_purpose::STANDARD.encode(digest))
    };
    let (scripts, styles) = (inside(page, "<script>", "</script>"), inside(page, "<style>", "</style>"));
    assert_eq!((scripts.len(), styles.len()), (1, 1));
    let policy = inside(page, "Content-Security-Policy\" content=\"", "\"")[0];
    let want = format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        hash(scripts[0]),
        hash(styles[0])
    );
    assert_eq!(policy, want);
    // What would fetch something; and what the policy would refuse.
    for no in [" src=", "href=", "url(", "@import", " style=\"", "onclick", "fetch(", "XMLHttpRequest", "innerHTML"] {
        assert!(!page.contains(no), "{no}");
    }
    let placeholder = |name: &&str| name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    assert_eq!(page.split('@').find(placeholder), None);
}

#[test]
fn a_static_page_is_escaped_and_allows_its_own_script_and_style_alone() {
    let page = super::static_page("<script>alert(1)</script> & \u{202e}", "p { margin: 0; }", "<p>body</p>\n");
    allows_its_own_script_and_style_alone(&page);
    assert_eq!(inside(&page, "<h1>", "</h1>"), ["&lt;script&gt;alert(1)&lt;/script&gt; &amp; \\u{202e}"]);
    assert_eq!(inside(&page, "<main>\n", "</main>"), ["<p>body</p>\n"]);
}
