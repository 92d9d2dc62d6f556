// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where an initcall comes from: its source file, and the CONFIG symbols that build it.
use bootline_boot::{Boot, Span, SpanKind};
use bootline_kbuild::{Origin, Table};

/// More candidates than this are no help.
const MOST: usize = 3;

/// The source files that a span may come from, by its name, its module and the kernel's version; several if they use the same name,
/// none if it is no initcall, or its name is unknown or used all over the kernel.
pub fn origins<'t>(boot: &Boot, span: &Span, table: &'t Table) -> Vec<Origin<'t>> {
    if span.kind != SpanKind::Initcall {
        return Vec::new();
    }
    let found = table.origins(&span.name, span.module.as_deref(), boot.kernel.version);
    if found.len() > MOST { Vec::new() } else { found }
}
